"""Picture of gradients: by how many percent a result changes for 1 % more of each number, as bars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from serpenoid.core.door import door
from serpenoid.gradients import Gradient, Gradients
from serpenoid.view.style import BLUE, GREY, INK, LABEL, ORANGE, TICK, dress, save, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE, BAR, HEAD = 9.0, 0.34, 1.9  # inches: width; height of a bar; title, axis and caption
TEXT = "By how many percent a result changes for 1 % more of a number, all others held; the longest bar matters most. Blue: more, orange: less. Hatched: slopes to either side over the share that was certified are more than 5 % off. Grey words: no percentage, since one of both is zero."  # fmt: skip


@door
def gradient_figure(gradients: Gradients, path: str | Path) -> Path:
    """Draw relative sensitivities of results as bars, a panel for each result; .png, .pdf or .svg."""
    each = list(gradients.values())
    rows = sum(len(one) for one in each)
    figure = titled(WIDE, HEAD + 0.7 * len(each) + BAR * rows, "What 1 % more of a number does", TEXT)
    panels = figure.subplots(len(each), 1, squeeze=False, height_ratios=[len(one) + 1.0 for one in each])[:, 0]
    for ax, one in zip(panels, each, strict=True):
        _bars(ax, one)
    return save(figure, path)


def _bars(ax: Axes, one: Gradient) -> None:
    """The bars of one result, the longest on top."""
    slopes = sorted(one.slopes.values(), key=lambda slope: abs(slope.relative or 0.0))
    for k, slope in enumerate(slopes):
        size = slope.relative or 0.0
        held = slope.secant is None or slope.secant.agrees
        colour = BLUE if size >= 0.0 else ORANGE
        ax.barh(k, size, height=0.62, color=colour if held else "white", edgecolor=colour, hatch="" if held else "///")
        text, ink = (f" {size:+.3g} % ", INK) if slope.relative is not None else (" no percentage ", GREY)
        ax.text(size, k, text, ha="left" if size >= 0.0 else "right", va="center", fontsize=TICK, color=ink)
    ax.set_yticks(range(len(slopes)), [slope.key for slope in slopes], fontsize=LABEL)
    ax.axvline(0.0, color=GREY, lw=0.8)
    ax.margins(x=0.22)
    unit = "" if one.unit == "-" else f" {one.unit}"
    dress(ax, "change for 1 % more [%]", "", f"{one.of.replace('_', ' ')} = {one.value:.4g}{unit}")
