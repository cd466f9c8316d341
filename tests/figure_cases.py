"""What every figure owes its reader: a caption, texts apart from each other and within the picture, units in brackets, free curves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from matplotlib.text import Text

from serpenoid.view import saving

SLACK = 1.5  # px by which boxes of letters may overlap: they hold some air
UNIT_IN_PARENTHESES = re.compile(r"^[^\[]*\((m|mm|s|N|N m|deg|rad|rad/s|m/s|J|J/m|W|cells|link lengths|1/m)\)")


@contextmanager
def drawn() -> Iterator[dict[str, list[str]]]:
    """Names of the figures that are written while the block runs, each with its faults."""
    found: dict[str, list[str]] = {}
    write = saving._write

    def watched(fig: Any, target: Path, *rest: Any) -> None:
        found[Path(target).name] = faults(fig)
        write(fig, target, *rest)

    with patch.object(saving, "_write", watched):
        yield found


def faults(fig: Any) -> list[str]:
    """What is wrong with a figure, in words."""
    fig.draw_without_rendering()
    found = [] if saving.caption_of(fig) else ["no caption"]
    boxes = [(text.get_text(), text.get_window_extent()) for text in _texts(fig)]
    page = fig.bbox
    for words, box in boxes:
        if min(box.x0 - page.x0, page.x1 - box.x1, box.y0 - page.y0, page.y1 - box.y1) < -SLACK:
            found.append(f"cut off: {words!r}")
    for (one, a), (other, b) in combinations(boxes, 2):
        if min(a.x1, b.x1) - max(a.x0, b.x0) > SLACK and min(a.y1, b.y1) - max(a.y0, b.y0) > SLACK:
            found.append(f"{one!r} lies on {other!r}")
    found += [f"legend on the title {ax.get_title(loc='left')!r}" for ax in fig.axes if _on_the_title(ax)]
    labels = [axis.get_label().get_text() for ax in fig.axes for axis in (ax.xaxis, ax.yaxis)]
    found += [f"unit not in square brackets: {label!r}" for label in labels if UNIT_IN_PARENTHESES.search(label)]
    return found + [f"legend on data: {ax.get_title(loc='left')!r}" for ax in fig.axes if _covers(ax)]


def _texts(fig: Any) -> list[Any]:
    """Texts that are seen, but for the caption and the labels of ticks beyond an axis."""
    idle = {
        label
        for ax in fig.axes
        for axis in (ax.xaxis, ax.yaxis, *([ax.zaxis] if ax.name == "3d" else []))
        for label in _idle_labels(axis)
    }
    some = [t for t in fig.findobj(Text) if t.get_visible() and t.get_text().strip() and t.get_gid() != "caption"]
    return [t for t in some if t not in idle and (t.axes is None or t.axes.name != "3d" or t in t.axes.texts)]


def _idle_labels(axis: Any) -> set[Any]:
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    flat = axis.axes.name != "3d" and axis.get_visible() and axis.axes.axison
    seen = set(axis._update_ticks()) if flat else set()
    return {label for tick in ticks if tick not in seen for label in (tick.label1, tick.label2)}


def _on_the_title(ax: Any) -> bool:
    """Whether the legend of some axes, marks and all, lies on their title."""
    shown = ax.get_legend()
    if shown is None or not ax.get_title(loc="left"):
        return False
    a, b = shown.get_window_extent(), ax._left_title.get_window_extent()
    return bool(min(a.x1, b.x1) - max(a.x0, b.x0) > SLACK and min(a.y1, b.y1) - max(a.y0, b.y0) > SLACK)


def _covers(ax: Any) -> bool:
    """Whether the legend of some axes lies on one of its curves."""
    shown = ax.get_legend()
    if shown is None or ax.name != "rectilinear":
        return False
    box = shown.get_window_extent()
    for line in ax.lines:
        points = np.asarray(line.get_transform().transform(np.asarray(line.get_xydata(), dtype=float)))
        if len(points) < 2 or line.get_linestyle() in ("None", "none", ""):
            continue
        share = np.linspace(0.0, 1.0, 50)[:, None, None]
        dense = (points[:-1] + share * np.diff(points, axis=0)).reshape(-1, 2)
        if np.any((dense[:, 0] > box.x0) & (dense[:, 0] < box.x1) & (dense[:, 1] > box.y0) & (dense[:, 1] < box.y1)):
            return True
    return False
