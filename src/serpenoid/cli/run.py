"""serpenoid run: any scenario, or the rest of a saved run; results into a folder."""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from serpenoid import signals
from serpenoid.cli.arguments import add_changes, add_out, allowed, asked_for, refusal, results
from serpenoid.cli.terminal import bar, give, say

TEXT = "simulate a scenario"
REPLAY = "serpenoid export {0[trajectory]} --to html  (a page to turn and replay it)"
INTERRUPTED = 130  # exit code; 143 if it was terminated: see entry


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("scenario", nargs="?", help="a bundled name (serpenoid list scenarios) or a TOML file")
    add_changes(sub)
    add_out(sub, "out/NAME")
    add_film(sub)
    sub.add_argument("--until", type=float, metavar="T", help="stop at this time (s); --resume goes on from there")
    sub.add_argument(
        "--duration", type=float, metavar="T", help="of the run (s); with --resume: extend it to this time"
    )
    sub.add_argument(
        "--resume",
        metavar="FILE",
        help="continue a saved trajectory.nc, a stopped result or a killed run by its folder",
    )


def add_film(sub: argparse.ArgumentParser) -> None:
    """Let a command draw films and write tables."""
    sub.add_argument(
        "--film",
        action=argparse.BooleanOptionalAction,
        help="draw a film and write the live page (default: unless --json); --no-film leaves out both",
    )
    sub.add_argument("--film-size", choices=("720p", "1080p"), default="720p", help="of the film (default 720p)")
    sub.add_argument("--gif", action="store_true", help="draw an animated GIF too")
    sub.add_argument("--csv", action="store_true", help="write the trajectory as CSV too")


def command(args: argparse.Namespace) -> int:
    """Simulate a scenario (or continue a saved run) and write its results."""
    from serpenoid.simulation import run as runs
    from serpenoid.simulation.keeping import Keeper, interval

    if (args.scenario is None) == (args.resume is None):
        raise refusal("run needs a scenario, or --resume with a trajectory file")
    duration = resumed_duration(args) if args.resume is not None else None
    modules = allowed(args.allow)
    source: Any = None  # the scenario as it was written, presets and all
    if args.resume is not None:
        from serpenoid.formats.result import find_saved
        from serpenoid.formats.trajectory import load

        file, default = find_saved(args.resume)
        saved = load(file)

        def simulate(progress: Any, keeper: Any) -> Any:
            return runs.resume(
                saved,
                until=args.until,
                duration=duration,
                progress=progress,
                partial=True,
                allow=modules,
                keeper=keeper,
            )
    else:
        from serpenoid.formats.scenario import read
        from serpenoid.simulation.setup import setup_of

        changes = args.set if args.duration is None else [*args.set, f"run.duration={args.duration!r}"]
        source = read(args.scenario, changes, allow=modules, outside=args.allow_outside)
        setup = setup_of(source)
        default = Path(args.scenario).stem

        def simulate(progress: Any, keeper: Any) -> Any:
            return runs.execute(setup, until=args.until, progress=progress, partial=True, keeper=keeper)

    name = Path(default).name
    with results(args, default) as result:
        with bar("simulating") as progress:
            run = simulate(progress, Keeper(result.keep, interval()))
        if not args.json:
            print(run.summary(), flush=True)  # before the pictures, which take longer than most runs
        paths = write(args, run, result.path)
        result.description = run.scenario
        run = drawn(args, run, result.path, name, paths, source)
    return finish(args, run, result, paths, source)


def finish(args: argparse.Namespace, run: Any, result: Any, paths: dict[str, Path], source: Any) -> int:
    """Say where the files of a run are and what to do next, and give the exit code."""
    paths = result.final(paths)
    if args.json:
        give({**report(run), "files": {k: str(v) for k, v in paths.items()}})
    else:
        print(f"  in {result.target}: {', '.join(path.name for path in paths.values())}")
        if "page" in paths:
            print(f"  open {paths['page']} in a browser: the same robot with live sliders, without a server")
        print(f"  next: {suggestion(args, run, paths, source)}")
    if not run.status.ok:
        say(f"serpenoid: {run.status.name}: {run.status.message}")
    return exit_code(run)


def exit_code(run: Any) -> int:
    """Exit code of a run by its status."""
    from serpenoid.core.trajectory import FAILED

    return INTERRUPTED if run.status.name == "interrupted" else 3 if run.status.name in FAILED else 0


def resumed_duration(args: argparse.Namespace) -> float | None:
    """Duration to which a resumed run is extended, by --duration or --set run.duration; no other key can change."""
    duration: float | None = args.duration
    for change in args.set:
        key, _, value = change.partition("=")
        if key.strip() != "run.duration":
            raise refusal(
                f"--set {key.strip()} has no effect on a run that is resumed, of which only run.duration can change"
            )
        try:
            duration = float(value)
        except ValueError:
            raise refusal(f"--set run.duration needs a number in s, got {value!r}") from None
    return duration


def _finite(value: Any) -> Any:
    """The same with None in place of numbers that JSON cannot hold."""
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def report(run: Any) -> dict[str, Any]:
    """The JSON object of a run."""
    return {
        "status": run.status.name,
        "message": run.status.message,
        "time": run.status.time,
        "warnings": list(run.warnings),
        "findings": [_finite(finding.keys()) for finding in run.findings],
        "scenario": run.scenario,
        "metrics": run.metrics,
        "reasons": run.reasons,
        "events": [{"time": e.time, "kind": e.kind, "text": e.text, "data": e.data} for e in run.events],
        "provenance": run.provenance,
    }


def write(args: argparse.Namespace, run: Any, out: Path) -> dict[str, Path]:
    """Write trajectory and summary, and the table if it was asked for; returns the paths."""
    from serpenoid.formats import files, trajectory

    paths = {"trajectory": trajectory.save(run, out / "trajectory.nc")}
    paths["summary"] = files.write_json(out / "summary.json", report(run))
    if args.csv:
        paths["csv"] = trajectory.save_csv(run, out / "trajectory.csv")
    return paths


def drawn(args: argparse.Namespace, run: Any, out: Path, name: str, paths: dict[str, Path], source: Any = None) -> Any:
    """Draw figure and films into the folder, add their paths; an interrupt keeps the numbers, and the run says so."""
    try:
        if run.status.name != "interrupted":
            draw(args, run, out, name, paths, source)
        return run
    except KeyboardInterrupt:
        from serpenoid.core import Status

        signals.take()
        text = "stopped while pictures were drawn; the run itself is whole"
        return replace(run, status=Status("interrupted", text, run.duration))


def draw(args: argparse.Namespace, run: Any, out: Path, name: str, paths: dict[str, Path], source: Any = None) -> None:
    """Draw the figure and the films that were asked for, add the paths of those that are done."""
    from serpenoid import view

    with bar("drawing figure.png"):
        paths["figure"] = view.figure(run, out / "figure.png")
    film = (not args.json) if args.film is None else args.film
    if film:
        _write_page(run, out / f"{name}.html", name, paths, source)
    for wanted, suffix in ((film, "mp4"), (args.gif, "gif")):
        if wanted and run.status.name != "diverged":
            with bar(f"drawing {name}.{suffix}") as progress:
                paths[suffix] = view.film(run, out / f"{name}.{suffix}", size=args.film_size, progress=progress)


def _write_page(run: Any, path: Path, name: str, paths: dict[str, Path], source: Any) -> None:
    """Write the studio's page of a run: live where the page can compute it, else a replay; nothing where the page is not built."""
    from serpenoid.studio import assets
    from serpenoid.studio.items import item_of, trajectory_item

    if assets.missing():
        return
    with bar(f"writing {path.name}"):
        item = {"runnable": False} if source is None else item_of(source, name)
        paths["page"] = assets.write_html([item if item["runnable"] else trajectory_item(run, name)], path)


def suggestion(args: argparse.Namespace, run: Any, paths: dict[str, Path], source: Any = None) -> str:
    """A command worth trying after this run."""
    ended = run.state.get("simulation", {}).get("finished", False)
    unfinished = run.duration < (run.scenario.get("run", {}).get("duration") or 0.0) * (1 - 1e-9) and not ended
    if unfinished and (run.status.ok or run.status.name == "interrupted"):
        return f"serpenoid run --resume {paths['trajectory']}"
    if run.status.name == "diverged":
        step = 0.25 * float(run.provenance["step"])
        return f"serpenoid run {asked_for(args)} --set run.step={step:.2g}" if args.scenario else REPLAY.format(paths)
    gait, written = run.scenario.get("gait", {}), (source or {}).get("gait", {})
    for key, angle in (("winding_angle", True), ("yaw_amplitude", True), ("amplitude", True), ("waves", False)):
        if args.scenario and isinstance(gait.get(key), int | float) and gait[key] != 0.0:
            over = "1:3" if not angle else "0.1:1.2" if key in written else "5:70"
            name = key if not angle or key in written else f"{key}_deg"  # as it stands in the file
            return f"serpenoid optimise {asked_for(args)} --over gait.{name}={over} {goal(run)}"
    return REPLAY.format(paths)


def goal(run: Any) -> str:
    """What a search from this run may be after: height on a slope, else the way in the direction in which it was meant to go."""
    world, metrics = run.scenario.get("world", {}), {name: value or 0.0 for name, value in run.metrics.items()}
    if world.get("slope"):
        return "--maximise potential_energy_change"  # in the plane height is not along z
    far = abs(metrics["com_distance"])
    if (world.get("ground") or {}).get("slope") or abs(metrics["com_dz"]) > far:
        return "--maximise com_dz"
    if abs(metrics["com_forward"]) >= 0.5 * far:
        return (
            "--minimise com_forward" if (run.scenario["gait"].get("speed") or 0.0) < 0.0 else "--maximise com_forward"
        )
    name = max(("com_dx", "com_dy"), key=lambda one: abs(metrics[one]))  # it goes sideways
    return f"--{'maximise' if metrics[name] > 0.0 else 'minimise'} {name}"
