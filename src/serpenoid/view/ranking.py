"""Gaits in a row: the picture of `optimise.best`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from serpenoid.core.door import Table, door
from serpenoid.view.captions import metric_words
from serpenoid.view.style import BLUE, INK, RED, TICK, canvas, caption, dress, save


@door(found=Table(keys=("ranking", "metric", "unit", "duration", "limits")))
def ranking_figure(found: Mapping[str, Any], path: str | Path) -> Path:
    """Draw the ranking of `best_gaits` as bars, the best on top; .png, .pdf or .svg."""
    rows = found["ranking"][::-1]
    figure = canvas(8.0, 1.6 + 0.45 * len(rows))
    ax = figure.subplots()
    values = [float(row["value"]) for row in rows]
    ax.barh([row["gait"] for row in rows], values, color=[*[BLUE] * (len(rows) - 1), RED], height=0.6)
    for k, value in enumerate(values):
        ax.annotate(
            f"{value:.3g}", (value, k), xytext=(4, 0), textcoords="offset points", va="center", fontsize=TICK, color=INK
        )
    ax.margins(x=0.12)
    dress(ax, f"{metric_words(found['metric'])} [{found['unit']}] in {found['duration']:g} s", "")
    limits = f" within {', '.join(found['limits'])}" if found["limits"] else ""
    caption(figure, f"Each gait tuned by a short search{limits}.")
    return save(figure, path)
