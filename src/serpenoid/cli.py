"""The command line: a thin face on the package, no logic of its own.

Exit codes: 0 ok, 2 bad input, 3 numerical failure, 4 storage, 5 unexpected, 130 interrupted, 143 terminated. With
--json exactly one JSON object goes to standard output; progress and messages go to standard error. Nothing heavy is
imported before a command needs it, so that --help is instant.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Command = Callable[[argparse.Namespace], int]
KINDS = ("scenarios", "robots", "gaits", "laws", "drives", "studies", "metrics")


def say(text: str) -> None:
    """Write a line to standard error."""
    print(text, file=sys.stderr, flush=True)


def give(value: Any) -> None:
    """Write the one JSON object to standard output."""
    from serpenoid.formats.files import json_text

    print(json_text(value), flush=True)


@contextmanager
def bar(label: str) -> Iterator[Callable[[float], None]]:
    """A progress bar on standard error that appears when the work takes longer than a second."""
    began = time.monotonic()
    shown: Any = None
    task: Any = None

    def update(fraction: float) -> None:
        nonlocal shown, task
        if shown is None and time.monotonic() - began > 1.0 and fraction < 1.0:
            from rich.console import Console
            from rich.progress import Progress

            shown = Progress(console=Console(stderr=True), transient=True)
            shown.start()
            task = shown.add_task(label, total=1.0)
        if shown is not None:
            shown.update(task, completed=min(fraction, 1.0))

    try:
        yield update
    finally:
        if shown is not None:
            shown.stop()


def announce_compilation(*kernels: str) -> None:
    """Say so if kernels have to be compiled first."""
    from serpenoid.compiled import is_compiled

    if not all(is_compiled(name) for name in kernels):
        say("Compiling the kernels: once on this machine, about half a minute ...")


def report(run: Any) -> dict[str, Any]:
    """The JSON object of a run."""
    return {
        "status": run.status.name,
        "message": run.status.message,
        "time": run.status.time,
        "warnings": list(run.warnings),
        "scenario": run.scenario,
        "metrics": run.metrics,
        "provenance": run.provenance,
    }


def command_run(args: argparse.Namespace) -> int:
    """Simulate a scenario (or continue a saved run) and write its results."""
    from serpenoid import runs, setups
    from serpenoid.formats import files, scenario, trajectory

    if (args.scenario is None) == (args.resume is None):
        raise _input_error("run needs a scenario, or --resume with a trajectory file")
    if args.resume is not None:
        saved = trajectory.load(args.resume)
        name = Path(args.resume).resolve().parent.name
        announce_compilation(f"march_{saved.provenance['mode']}")
        with bar("simulating") as progress:
            run = runs.resume(saved, until=args.until, progress=progress)
    else:
        checked = scenario.read(args.scenario, args.set)
        name = Path(args.scenario).stem
        setup = setups.setup_of(checked)
        announce_compilation("march_explicit" if checked.run.integrator != "implicit" else f"march_{checked.run.mode}")
        with bar("simulating") as progress:
            run = runs.execute(setup, until=args.until, progress=progress)
    out = files.folder(args.out or Path("out") / name)
    paths = write_run(run, out, name, args)
    if args.json:
        give({**report(run), "files": {k: str(v) for k, v in paths.items()}})
    else:
        print(run.summary())
        for path in paths.values():
            print(f"  {path}")
    if run.status.name in ("diverged", "left-horizon"):
        say(f"serpenoid: {run.status.name}: {run.status.message}")
    return {"diverged": 3, "interrupted": 130}.get(run.status.name, 0)


def write_run(run: Any, out: Path, name: str, args: argparse.Namespace) -> dict[str, Path]:
    """Write summary, trajectory, figure and what else was asked for; returns the paths."""
    from serpenoid import view
    from serpenoid.formats import files, trajectory

    paths = {
        "summary": files.write_json(out / "summary.json", report(run)),
        "trajectory": trajectory.save(run, out / "trajectory.nc"),
    }
    if args.csv:
        paths["csv"] = trajectory.save_csv(run, out / "trajectory.csv")
    if run.status.name == "interrupted":
        return paths
    paths["figure"] = out / "figure.png"
    view.figure(run, paths["figure"])
    film = (not args.json) if args.film is None else args.film
    for wanted, suffix in ((film, "mp4"), (args.gif, "gif")):
        if wanted and run.status.name != "diverged":
            paths[suffix] = out / f"{name}.{suffix}"
            with bar(f"drawing {name}.{suffix}") as progress:
                view.film(run, paths[suffix], progress=progress)
    return paths


def command_list(args: argparse.Namespace) -> int:
    """List what there is."""
    from serpenoid.formats.scenario import bundled, read

    def doc(thing: Any) -> str:
        return (thing.__doc__ or "").strip().split("\n")[0]

    found: dict[str, list[dict[str, str]]] = {}
    for kind in [args.kind] if args.kind else KINDS:
        if kind == "scenarios":
            found[kind] = [{"name": name, "text": read(name).title or ""} for name in bundled()]
        elif kind == "robots":
            from serpenoid.robots import ROBOTS

            found[kind] = [{"name": name, "text": doc(item)} for name, item in ROBOTS.items()]
        elif kind == "gaits":
            from serpenoid.gaits import GAITS

            found[kind] = [{"name": name, "text": doc(item)} for name, item in GAITS.items()]
        elif kind == "laws":
            from serpenoid.contact import LAWS

            found[kind] = [{"name": name, "text": doc(item)} for name, item in LAWS.items()]
        elif kind == "drives":
            from serpenoid.control import DRIVES

            found[kind] = [{"name": name, "text": doc(item)} for name, item in DRIVES.items()]
        elif kind == "studies":
            from serpenoid.studies import STUDIES

            found[kind] = [{"name": name, "text": text} for name, text in STUDIES.items()]
        else:
            from serpenoid.metrics import METRICS

            found[kind] = [{"name": n, "text": f"[{m.unit}] {m.formula}"} for n, m in METRICS.items()]
    if args.json:
        give(found)
        return 0
    for kind, items in found.items():
        print(kind)
        for item in items:
            print(f"  {item['name']:22s} {item['text']}")
    return 0


def command_schema(args: argparse.Namespace) -> int:
    """Print the JSON schema of scenario files."""
    from serpenoid.formats.files import json_text
    from serpenoid.formats.scenario import schema

    print(json_text(schema(), indent=None if args.json else 2))
    return 0


def command_optimise(args: argparse.Namespace) -> int:
    """Search one number of a scenario for the best value of a metric."""
    from serpenoid import runs
    from serpenoid.formats import files

    announce_compilation("march_shape")
    name = Path(args.scenario).stem
    with bar("searching") as progress:
        result = runs.optimise_scenario(
            args.scenario, args.set, over=args.over, maximise=args.maximise, minimise=args.minimise,
            points=args.scan, tolerance=args.tolerance, progress=progress,
        )  # fmt: skip
    out = files.folder(args.out or Path("out") / f"{name}-optimum")
    files.write_json(out / "optimum.json", result)
    from serpenoid.view.search import search_figure

    search_figure(result, out / "optimum.png")
    if args.json:
        give(result)
        return 0
    for path, place in result["optimum"].items():
        print(f"{result['objective']} is best at {path} = {place:.5g}: {result['value']:.5g}")
    print(f"  {result['evaluations']} evaluations" + "".join(f"\n  warning: {w}" for w in result["warnings"]))
    print(f"  {out / 'optimum.json'}\n  {out / 'optimum.png'}")
    return 0


def command_study(args: argparse.Namespace) -> int:
    """Reproduce a paper: figures and claims with verdicts."""
    from serpenoid import studies
    from serpenoid.formats import files

    study = studies.find(args.name)
    announce_compilation("march_shape", "march_torque")
    out = files.folder(args.out or Path("out") / f"study-{args.name}")
    with bar(f"study {args.name}") as progress:
        result = study.run(out, quick=args.quick, progress=progress)
    files.write_json(out / "claims.json", result)
    if args.json:
        give(result)
        return 0
    for claim in result["claims"]:
        print(f"{claim['id']:8s} {claim['verdict']:16s} {claim['claim']}\n{'':25s} {claim['measured']}")
        if claim["reason"]:
            print(f"{'':25s} {claim['reason']}")
    print("\n".join(f"  {path}" for path in [*result["figures"], out / "claims.json"]))
    return 0


def command_bench(args: argparse.Namespace) -> int:
    """Measure speed against peers, in one run."""
    from serpenoid import bench

    measure = bench.find(args.name)
    announce_compilation("march_shape", "march_torque")
    with bar(f"bench {args.name}") as progress:
        result = measure(lambda fraction, _text="": progress(fraction))
    if args.json:
        give(result)
        return 0
    for key, value in result.items():
        print(f"{key:32s} {value:.4g}" if isinstance(value, float) else f"{key:32s} {value}")
    return 0


def _input_error(text: str) -> Exception:
    from serpenoid.errors import InputError

    return InputError(text)


def parser() -> argparse.ArgumentParser:
    """The grammar of the command line."""
    top = argparse.ArgumentParser(prog="serpenoid", description="A laboratory for snake-like robots.")
    top.add_argument("--version", action="store_true", help="print the version")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")

    def add(name: str, function: Command, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=(function.__doc__ or "").strip())
        sub.set_defaults(function=function)
        sub.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
        return sub

    def changes(sub: argparse.ArgumentParser) -> None:
        sub.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a key of the scenario")

    sub = add("run", command_run, "simulate a scenario")
    sub.add_argument("scenario", nargs="?", help="a bundled name (serpenoid list scenarios) or a TOML file")
    changes(sub)
    sub.add_argument("--out", metavar="DIR", help="folder for the results (default out/NAME)")
    sub.add_argument("--film", action=argparse.BooleanOptionalAction, help="draw a film (default: unless --json)")
    sub.add_argument("--gif", action="store_true", help="draw an animated GIF too")
    sub.add_argument("--csv", action="store_true", help="write the trajectory as CSV too")
    sub.add_argument("--until", type=float, metavar="T", help="stop at this time; --resume goes on from there")
    sub.add_argument("--resume", metavar="FILE", help="continue a saved trajectory.nc")

    sub = add("list", command_list, "list scenarios, robots, gaits, laws, drives, studies, metrics")
    sub.add_argument("kind", nargs="?", choices=KINDS)

    sub = add("study", command_study, "reproduce a paper, claim by claim")
    sub.add_argument("name", help="see serpenoid list studies")
    sub.add_argument("--quick", action="store_true", help="coarser sweeps")
    sub.add_argument("--out", metavar="DIR", help="folder for the figures (default out/study-NAME)")

    sub = add("optimise", command_optimise, "search a number of a scenario for the best metric")
    sub.add_argument("scenario")
    changes(sub)
    sub.add_argument("--over", required=True, metavar="KEY=LOW:HIGH", help="e.g. gait.winding_angle_deg=5:90")
    goal = sub.add_mutually_exclusive_group(required=True)
    goal.add_argument("--maximise", metavar="METRIC")
    goal.add_argument("--minimise", metavar="METRIC")
    sub.add_argument("--scan", type=int, default=18, metavar="N", help="places of the coarse scan (default 18)")
    sub.add_argument("--tolerance", type=float, help="width of the final bracket (default: 1/500 of the interval)")
    sub.add_argument("--out", metavar="DIR", help="folder for plot and result (default out/NAME-optimum)")

    add("schema", command_schema, "print the JSON schema of scenario files")
    sub = add("bench", command_bench, "measure speed against peers")
    sub.add_argument("name", help="planar")
    return top


def fail(args: argparse.Namespace | None, error: BaseException, code: int) -> int:
    """Report an error: text on standard error, and the JSON object if one was asked for."""
    text = str(error) or type(error).__name__
    say(f"serpenoid: {text}")
    if getattr(args, "json", False):
        give({"status": "error", "exit_code": code, "error": text})
    return code


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    top = parser()
    args = top.parse_args(argv)
    if args.version:
        from importlib.metadata import version

        print(version("serpenoid"))
        return 0
    if args.command is None:
        top.print_help()
        return 2
    from serpenoid.errors import SerpenoidError

    try:
        code: int = args.function(args)
        sys.stdout.flush()
        return code
    except SerpenoidError as error:
        return fail(args, error, error.exit_code)
    except KeyboardInterrupt:
        return fail(args, KeyboardInterrupt("interrupted"), 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        return fail(args, MemoryError("out of memory: use fewer links or a longer record_interval"), 3)
    except Exception as error:
        if os.environ.get("SERPENOID_DEBUG"):
            raise
        text = f"unexpected {type(error).__name__}: {error} (SERPENOID_DEBUG=1 shows where; please report it)"
        return fail(args, RuntimeError(text), 5)


if __name__ == "__main__":
    sys.exit(main())
