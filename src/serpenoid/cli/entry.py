"""The command line: a thin face on the package, no logic of its own.

Exit codes: 0 ok, 2 bad input, 3 numerical failure, 4 storage, 5 unexpected, 130 interrupted, 143 terminated. With
--json exactly one JSON object goes to standard output; progress and messages go to standard error. Nothing heavy is
imported before a command needs it, so that --help is instant.
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from serpenoid.cli.arguments import Parser, add_compare, add_optimise, add_plan, add_run, add_shape, joined
from serpenoid.cli.terminal import bar, give, say
from serpenoid.core.errors import InputError, SerpenoidError

Command = Callable[[argparse.Namespace], int]
TABLES = {
    "robots": ("robots", "ROBOTS"), "gaits": ("gaits", "GAITS"), "laws": ("contact", "LAWS"), "drives": ("control", "DRIVES"),
    "shapes": ("shapes", "NAMED"),
}  # fmt: skip
KINDS = ("scenarios", *TABLES, "maps", "studies", "metrics", "benches")


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
    from serpenoid.formats import scenario, trajectory
    from serpenoid.simulation import run as runs
    from serpenoid.simulation import setup as setups

    if (args.scenario is None) == (args.resume is None):
        raise InputError("run needs a scenario, or --resume with a trajectory file")
    if args.resume is not None and args.set:
        raise InputError("--set has no effect on a run that is resumed; leave it out")
    if args.resume is not None:
        saved = trajectory.load(args.resume)
        name = Path(args.resume).resolve().parent.name
        out = _out(args, Path("out") / name)
        with bar("simulating") as progress:
            run = runs.resume(saved, until=args.until, progress=progress, partial=True)
    else:
        checked = scenario.read(args.scenario, args.set)
        name = Path(args.scenario).stem
        setup = setups.setup_of(checked)
        out = _out(args, Path("out") / name)
        with bar("simulating") as progress:
            run = runs.execute(setup, until=args.until, progress=progress, partial=True)
    paths = write_run(run, out, name, args)
    if args.json:
        give({**report(run), "files": {k: str(v) for k, v in paths.items()}})
    else:
        print(run.summary())
        for path in paths.values():
            print(f"  {path}")
    if run.status.name in ("diverged", "left-horizon"):
        say(f"serpenoid: {run.status.name}: {run.status.message}")
    return {"diverged": 3, "interrupted": 130}.get(run.status.name, 0)  # 143 if it was terminated: see main


def _out(args: argparse.Namespace, default: Path) -> Path:
    """The folder for results, made before anything long begins."""
    from serpenoid.formats.files import folder

    if args.out == "":
        raise InputError("--out needs the name of a folder")
    return folder(args.out or default)


def write_run(run: Any, out: Path, name: str, args: argparse.Namespace) -> dict[str, Path]:
    """Write summary, trajectory, figure and what else was asked for; returns the paths."""
    from serpenoid import view
    from serpenoid.formats import files, trajectory

    paths = {"trajectory": trajectory.save(run, out / "trajectory.nc")}
    paths["summary"] = files.write_json(out / "summary.json", report(run))
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
            found[kind] = [{"name": name, "text": read(name).get("title", "")} for name in bundled()]
        elif kind in TABLES:
            module, name = TABLES[kind]
            table = getattr(importlib.import_module(f"serpenoid.{module}"), name)
            found[kind] = [{"name": name, "text": doc(item)} for name, item in table.items()]
        elif kind == "maps":
            from serpenoid.planning import maps

            sizes = {name: maps.read(name).walls.shape for name in maps.bundled()}
            found[kind] = [{"name": name, "text": f"{x} x {y} nodes"} for name, (x, y) in sizes.items()]
        elif kind == "benches":
            from serpenoid.bench import BENCHES

            found[kind] = [{"name": name, "text": text} for name, text in BENCHES.items()]
        elif kind == "studies":
            from serpenoid.studies import STUDIES

            found[kind] = [{"name": name, "text": text} for name, text in STUDIES.items()]
        else:
            from serpenoid.simulation.metrics import METRICS, SPATIAL_METRICS

            every = {**METRICS, **SPATIAL_METRICS}
            found[kind] = [{"name": n, "text": f"[{m.unit}] {m.formula}"} for n, m in every.items()]
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
    from serpenoid import optimise
    from serpenoid.formats import files

    name = Path(args.scenario).stem
    out = _out(args, Path("out") / f"{name}-optimum")
    with bar("searching") as progress:
        result = optimise.optimise_scenario(
            args.scenario, args.set, over=args.over, maximise=args.maximise, minimise=args.minimise,
            points=args.scan, tolerance=args.tolerance, progress=progress,
        )  # fmt: skip
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


def command_shape(args: argparse.Namespace) -> int:
    """Trace a named shape, convert, roll and fit it, and draw it."""
    from serpenoid.formats import files
    from serpenoid.simulation import form as forms
    from serpenoid.view.shape import rolling_film, shape_figure

    form = forms.form(
        args.name, args.set, model=args.model, roll_deg=args.roll, robot=args.fit, links=args.links, method=args.method,
        limit_deg=args.limit, approximate=args.approximate,
    )  # fmt: skip
    out = _out(args, Path("out") / f"shape-{args.name}")
    result = form.report()
    files.write_json(out / "shape.json", result)
    nodes = form.fit.nodes[:: max(1, len(form.fit.nodes) // 300)] if form.fit is not None else None
    paths = [
        out / "shape.json",
        shape_figure(form.curve, out / "shape.png", nodes=nodes, title=form.title, note=form.note),
    ]
    if args.film:
        with bar("drawing rolling.mp4") as progress:
            paths.append(rolling_film(form.rolling(), out / "rolling.mp4", progress=progress))
    if args.json:
        give({**result, "files": [str(path) for path in paths]})
        return 0
    print(form.summary())
    print("\n".join(f"  {path}" for path in paths))
    return 0


def command_study(args: argparse.Namespace) -> int:
    """Reproduce a paper: figures and claims with verdicts."""
    from serpenoid import studies
    from serpenoid.formats import files

    study = studies.find(args.name)
    out = _out(args, Path("out") / f"study-{args.name}")
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


def command_compare(args: argparse.Namespace) -> int:
    """Run a scenario in several simulation packages and compare."""
    from serpenoid.cli.compare import compare_scenario
    from serpenoid.simulation import compare

    compare.check_engines(args.engines)
    out = _out(args, Path("out") / f"compare-{Path(args.scenario).stem}")
    with bar("comparing") as progress:
        result = compare_scenario(
            args.scenario, args.set, engines=args.engines, out=out, film=args.film, progress=progress
        )
    if args.json:
        give(result)
    else:
        print(compare.table(result))
        print("\n".join(f"  {path}" for path in [*result["files"].values(), out / "compare.json"]))
    return 0 if result["status"] == "ok" else 3


def command_bench(args: argparse.Namespace) -> int:
    """Measure speed against peers, in one run."""
    from serpenoid import bench

    measure = bench.find(args.name)
    with bar(f"bench {args.name}") as progress:
        result = measure(lambda fraction, _text="": progress(fraction))
    if args.json:
        give(result)
        return 0
    for key, value in result.items():
        print(f"{key:32s} {value:.4g}" if isinstance(value, float) else f"{key:32s} {value}")
    return 0


def command_plan(args: argparse.Namespace) -> int:
    """Plan a motion to a target or through a map, and carry it out where asked."""
    from serpenoid.cli import plan_concertina as plan_commands

    return plan_commands.command_plan(args)


def parser() -> argparse.ArgumentParser:
    """The grammar of the command line."""
    top = Parser(prog="serpenoid", description="A laboratory for snake-like robots.")
    top.add_argument("--version", action="store_true", help="print the version")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")

    def add(name: str, function: Command, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=(function.__doc__ or "").strip())
        sub.set_defaults(function=function)
        sub.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
        return sub

    add_run(add("run", command_run, "simulate a scenario"))
    sub = add("list", command_list, f"list {', '.join(KINDS)}")
    sub.add_argument("kind", nargs="?", choices=KINDS)
    add_shape(add("shape", command_shape, "trace, convert, roll and fit a named shape"))
    sub = add("study", command_study, "reproduce a paper, claim by claim")
    sub.add_argument("name", help="see serpenoid list studies")
    sub.add_argument("--quick", action="store_true", help="coarser sweeps")
    sub.add_argument("--out", metavar="DIR", help="folder for the figures (default out/study-NAME)")
    add_optimise(add("optimise", command_optimise, "search a number of a scenario for the best metric"))
    add_plan(add("plan", command_plan, "plan a motion: concertina to a target, a path through a map"))
    add_compare(add("compare", command_compare, "run a scenario in several simulation packages"))
    add("schema", command_schema, "print the JSON schema of scenario files")
    sub = add("bench", command_bench, "measure speed against peers")
    sub.add_argument("name", help="concertina, path, planar, shape or spatial")
    return top


def fail(json: bool, error: BaseException, code: int) -> int:
    """Report an error: text on standard error, and the JSON object if one was asked for."""
    text = str(error) or type(error).__name__
    say(f"serpenoid: {text}")
    if json:
        with suppress(OSError):
            give({"status": "error", "exit_code": code, "error": text})
    return code


class _Terminated(KeyboardInterrupt):
    """SIGTERM: like an interrupt, but with its own exit code."""


def _terminate(*_: object) -> NoReturn:
    global _terminated
    _terminated = True
    raise _Terminated("terminated")


_terminated = False


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    signal.signal(signal.SIGTERM, _terminate)
    words = joined(sys.argv[1:] if argv is None else argv)
    code = _guarded(words, "--json" in words)
    if _terminated and code == 130:
        code = 143
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        # nobody reads: a closed pipe is fine, a full disk is not
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = code or 4
    return code


def _guarded(words: list[str], json: bool) -> int:
    """Run a command; every error becomes a message and an exit code."""
    try:
        args = parser().parse_args(words)
        if args.version:
            from importlib.metadata import version

            print(version("serpenoid"))
            return 0
        if args.command is None:
            parser().print_help()
            return 2
        code: int = args.function(args)
        return code
    except SerpenoidError as error:
        return fail(json, error, error.exit_code)
    except KeyboardInterrupt as error:
        return fail(json, KeyboardInterrupt(str(error) or "interrupted"), 143 if _terminated else 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except OSError as error:
        return fail(json, error, 4)
    except MemoryError:
        return fail(json, MemoryError("out of memory: use fewer links or a longer record_interval"), 3)
    except Exception as error:
        if os.environ.get("SERPENOID_DEBUG"):
            raise
        text = f"unexpected {type(error).__name__}: {error} (SERPENOID_DEBUG=1 shows where; please report it)"
        return fail(json, RuntimeError(text), 5)


if __name__ == "__main__":
    sys.exit(main())
