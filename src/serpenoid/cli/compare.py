"""Engines compared on a scenario: figures, film and compare.json in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from serpenoid.formats.scenario import read
from serpenoid.simulation.compare import Progress, check_engines, compare
from serpenoid.simulation.setup import setup_of


def compare_scenario(
    name: str,
    changes: list[str] | None = None,
    *,
    engines: str,
    out: str | Path,
    film: bool = True,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Compare engines on a scenario and write figures, film and compare.json into a folder."""
    from serpenoid.formats.files import folder, write_json
    from serpenoid.view import compare_figure, side_by_side, start_end

    wanted = check_engines(engines)
    setup = setup_of(read(name, changes))
    target = folder(out)
    share = 0.6 if film else 0.95
    report, motions = compare(setup, wanted, (lambda f: progress(share * f)) if progress else None)
    sound = [m for m in motions if m.finite]
    files: dict[str, str] = {}
    robot, title = setup.robot, str(setup.keys().get("title", name))
    body: dict[str, Any] = {"link_length": robot.link_length, "radius": robot.radius, "world": setup.world}
    if sound:
        files["figure"] = str(compare_figure(sound, target / "compare.png", link_length=robot.link_length, title=title))
        files["start_end"] = str(start_end(sound, target / "start-end.png", title=title, **body))
        if film:
            rest = (lambda f: progress(share + (1.0 - share) * f)) if progress else None
            files["film"] = str(
                side_by_side(sound, target / "compare.mp4", title=Path(name).stem, progress=rest, **body)
            )
    report["files"] = files
    write_json(target / "compare.json", report)
    return report
