"""serpenoid compare: one scenario in several simulation packages; figures, film and compare.json in a folder."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from serpenoid.cli.arguments import add_changes, add_out, allowed, asked_for, results
from serpenoid.cli.terminal import bar, give

TEXT = "run a scenario in several simulation packages"


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("scenario", help="a bundled name or a TOML file")
    add_changes(sub)
    sub.add_argument(
        "--engines", metavar="A,B,...",
        help="of own, planar, spatial, mujoco, mujoco-native, drake, drake-native; the first is the reference (default: own and all peers that can run it, "
        "in the plane own, spatial, mujoco, drake)",
    )  # fmt: skip
    sub.add_argument("--film", action=argparse.BooleanOptionalAction, default=True, help="draw the film")
    add_out(sub, "out/compare-NAME")


def command(args: argparse.Namespace) -> int:
    """Run a scenario in several simulation packages and compare."""
    from serpenoid import view
    from serpenoid.formats.files import write_json
    from serpenoid.formats.scenario import read
    from serpenoid.simulation import compare
    from serpenoid.simulation.setup import setup_of

    engines = None if args.engines is None else compare.check_engines(args.engines)
    setup = setup_of(read(args.scenario, args.set, allow=allowed(args.allow), outside=args.allow_outside))
    engines, left = (engines, {}) if engines else compare.able_engines(setup)
    name = Path(args.scenario).stem
    with results(args, f"compare-{name}") as result:
        with bar("comparing") as progress:
            report, runs = compare.compare(setup, engines, progress)
        report["left_out"] = left
        sound = {engine: run for engine, run in zip(engines, runs, strict=True) if run.status.name != "diverged"}
        files: dict[str, str] = {}
        if sound:
            look: dict[str, Any] = {"names": list(sound), "title": str(setup.keys().get("title", name))}
            drawn, out = list(sound.values()), result.path
            files["figure"] = str(view.compare(drawn, out / "compare.png", **look))
            files["start_end"] = str(view.compare(drawn, out / "start-end.png", what="ends", **look))
            if args.film:
                with bar("drawing compare.mp4") as progress:
                    files["film"] = str(view.compare(drawn, out / "compare.mp4", progress=progress, **look))
        report["files"] = result.final(files)
        result.description = setup.keys()
        write_json(result.path / "compare.json", report)
    if args.json:
        give(report)
    else:
        print(compare.table(report))
        print(f"  in {result.target}: {', '.join(Path(f).name for f in files.values())}, compare.json")
        half = 0.5 * float(runs[0].provenance["step"])
        print(f"  next: serpenoid compare {asked_for(args)} --set run.step={half:.3g}  (do the differences shrink?)")
    return 0 if report["status"] == "ok" else 3
