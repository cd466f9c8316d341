"""serpenoid compare: one scenario in several simulation packages; figures, film and compare.json in a folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from serpenoid.cli.arguments import add_changes, add_out, allowed, results_folder
from serpenoid.cli.terminal import bar, give

TEXT = "run a scenario in several simulation packages"


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("scenario", help="a bundled name or a TOML file, in space")
    add_changes(sub)
    sub.add_argument(
        "--engines", default="own,mujoco,mujoco-native,drake,drake-native", metavar="A,B,...",
        help="own, mujoco, mujoco-native, drake, drake-native; the first is the reference",
    )  # fmt: skip
    sub.add_argument("--film", action=argparse.BooleanOptionalAction, default=True, help="draw the film")
    add_out(sub, "out/compare-NAME")


def command(args: argparse.Namespace) -> int:
    """Run a scenario in several simulation packages and compare."""
    from serpenoid.formats.files import write_json
    from serpenoid.formats.scenario import read
    from serpenoid.simulation import compare
    from serpenoid.simulation.setup import setup_of
    from serpenoid.view import compare_figure, side_by_side, start_end

    engines = compare.check_engines(args.engines)
    setup = setup_of(read(args.scenario, args.set, allow=allowed(args.allow)))
    name = Path(args.scenario).stem
    out = results_folder(args, f"compare-{name}")
    with bar("comparing") as progress:
        report, motions = compare.compare(setup, engines, progress)
    sound = [m for m in motions if m.finite]
    files: dict[str, str] = {}
    robot, title = setup.robot, str(setup.keys().get("title", name))
    body = {"link_length": robot.link_length, "radius": robot.radius, "world": setup.world}
    if sound:
        files["figure"] = str(compare_figure(sound, out / "compare.png", link_length=robot.link_length, title=title))
        files["start_end"] = str(start_end(sound, out / "start-end.png", title=title, **body))
        if args.film:
            with bar("drawing compare.mp4") as progress:
                files["film"] = str(side_by_side(sound, out / "compare.mp4", title=name, progress=progress, **body))
    report["files"] = files
    write_json(out / "compare.json", report)
    if args.json:
        give(report)
    else:
        print(compare.table(report))
        print(f"  in {out}: {', '.join(Path(f).name for f in files.values())}, compare.json")
    return 0 if report["status"] == "ok" else 3
