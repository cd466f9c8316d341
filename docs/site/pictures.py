"""What an example leaves behind, for the gallery: pictures that it wrote, films, and its last run as a live page of the studio.

The page is in a sandboxed frame: its scripts run and it may save a file, and it can reach nothing else. Where the studio's page is not built (`make web`) it is left out.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

FRAME = """
.. raw:: html

   <p>{says}</p>
   <iframe sandbox="{sandbox}" loading="lazy" src="../../_static/{file}" title="{title}" width="100%" height="720" style="border:0"></iframe>
"""
SAYS = {
    "scenario": "The run of this program, live: drag a slider, press play.",
    "trajectory": "The run of this program as it was recorded: press play, turn it with the mouse.",
    "shape": "A shape of this program: turn it with the mouse.",
}
FILM = """
.. raw:: html

   <video controls muted loop playsinline width="100%" src="../../_static/{file}"></video>
"""


def live_item(names: dict[str, Any], title: str) -> dict[str, Any] | None:
    """What a live page shows of an example: its run, computed in the page where that can be done, else replayed; or its shape."""
    from serpenoid.core import Trajectory
    from serpenoid.shapes import Shape
    from serpenoid.simulation.setup import setup_of
    from serpenoid.studio.items import item_of, shape_item, trajectory_item, why_not_in_page

    run = names.get("run")
    if isinstance(run, Trajectory):
        try:
            if not why_not_in_page(setup_of(run.scenario)):
                return item_of(run.scenario, title)
        except ValueError:
            pass  # a run of objects that no scenario names: replayed
        return trajectory_item(run, title, 240)
    shape = next((thing for thing in names.values() if isinstance(thing, Shape)), None)
    return shape_item(shape) if shape is not None else None


def live_page(names: dict[str, Any], stem: str, static: Path) -> str:
    """The frame with the live page of an example; empty where there is none."""
    from serpenoid.studio import assets
    from serpenoid.studio.notebook import SANDBOX

    if assets.missing():
        return ""
    item = live_item(names, stem[3:].replace("_", " "))
    if item is None:
        return ""
    (static / f"{stem}.html").write_text(assets.html_of([item], embedded=True))
    return FRAME.format(sandbox=SANDBOX, file=f"{stem}.html", title=f"Live page of {stem}", says=SAYS[item["kind"]])


def drawn(names: dict[str, Any], path: Path) -> list[str]:
    """The figure of the last run or search of an example that drew none itself."""
    from serpenoid.core import Trajectory
    from serpenoid.view import figure
    from serpenoid.view.search import search_figure

    if isinstance(names.get("run"), Trajectory):
        return [str(figure(names["run"], path))]
    return [str(search_figure(names["best"], path))] if isinstance(names.get("best"), dict) else []


def scrape(block: Any, variables: dict[str, Any], settings: dict[str, Any]) -> str:
    """Restructured text for the pictures, films and live page of a block of an example."""
    from sphinx_gallery.scrapers import figure_rst

    source, text, pictures = Path(variables["src_file"]), "", []
    static = Path(settings["src_dir"]) / "live"
    for path in sorted([*source.parent.glob("*.*"), *source.parent.glob("out/**/*.*")]):
        if path.suffix in (".png", ".gif"):
            target = Path(next(variables["image_path_iterator"])).with_suffix(path.suffix)
            shutil.move(path, target)
            pictures.append(str(target))
        elif path.suffix == ".mp4":
            shutil.move(path, static / f"{source.stem}-{path.name}")
            text += FILM.format(file=f"{source.stem}-{path.name}")
    shutil.rmtree(source.parent / "out", ignore_errors=True)
    if not pictures:
        pictures = drawn(variables["example_globals"], Path(next(variables["image_path_iterator"])))
    return (
        (figure_rst(pictures, settings["src_dir"]) if pictures else "")
        + text
        + live_page(variables["example_globals"], source.stem, static)
    )


def _get_sg_image_scraper() -> Any:
    """How sphinx-gallery finds the scraper."""
    return scrape
