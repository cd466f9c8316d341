"""Picture of a one-dimensional search: the scan, the refinement, the optimum."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def search_figure(result: Mapping[str, Any], path: str | Path) -> None:
    """Draw the scan and the golden-section evaluations of `optimise.optimise_scenario`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from serpenoid.formats.files import replacing

    figure = Figure(figsize=(7.5, 4.5), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    ax = figure.add_subplot()
    (key, place), value = next(iter(result["optimum"].items())), result["value"]
    scan = [(x, v) for x, v in result["scan"] if v is not None]
    refined = [(x, v) for x, v in result["evaluations_list"][len(result["scan"]) :] if v is not None]
    ax.plot(*zip(*scan, strict=True), "o-", color="#0072B2", ms=5, lw=1.2, label="coarse scan")
    if refined:
        ax.plot(*zip(*refined, strict=True), ".", color="#E69F00", ms=6, label="golden section")
    ax.plot([place], [value], "*", color="#D55E00", ms=16, label=f"optimum {place:.4g}: {value:.4g}")
    unit = result["unit"]
    ax.set_xlabel(key)
    ax.set_ylabel(f"{result['objective']}" + (f" [{unit}]" if unit != "-" else ""))
    ax.set_title(f"{result['goal']} {result['objective']} over {key}")
    ax.grid(alpha=0.3)
    ax.legend()
    with replacing(path) as part:
        figure.savefig(part, format="png")
