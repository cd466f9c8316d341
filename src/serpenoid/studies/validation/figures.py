"""Theirs against ours, and how much of its tolerance each row takes up."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.studies.validation.comparison import AGREES, AT_LEAST, AT_MOST, EXPLAINED, OPEN, Comparison
from serpenoid.studies.validation.table import difference_of
from serpenoid.view.style import BLUE, GREY, INK, LABEL, PALE, PURPLE, RED, TICK, dress, legend, save, titled

COLOURS = {AGREES: BLUE, EXPLAINED: PURPLE, OPEN: RED}
MARKS = {AGREES: "o", EXPLAINED: "s", OPEN: "D"}
SHORT, WIDTH = 88, 11.0  # characters of a row's name; inches
EDGE, ROOM = 1.6, 1.7  # shares beyond EDGE are drawn there; the axis reaches to ROOM


def overview(rows: Sequence[Comparison], path: Path) -> Path:
    """Left: theirs against ours over all sizes. Right: the difference of each row as a share of its tolerance."""
    run = [row for row in rows if row.verdict in COLOURS and row.ours is not None and np.isfinite(row.ours)]
    measured = [row for row in run if row.how not in (AT_MOST, AT_LEAST)]
    side, listed = 3.0, 0.215 * len(measured)  # inches of the square above, and of the rows below
    height = side + listed + 3.0
    fig = titled(WIDTH, height, "What others published, and what serpenoid gives",
                 "Above: marks on the line are equal numbers, over all sizes. Below: marks within the grey band differ by less than the tolerance of their row; "
                 "those beyond it are explained or shown as open.", arranged=False)  # fmt: skip
    left = fig.add_axes((0.08, 1.0 - (side + 0.9) / height, side / WIDTH, side / height))
    right = fig.add_axes((0.575, 0.9 / height, 0.325, listed / height))
    against(left, [row for row in measured if row.theirs and row.ours])
    shares(right, measured)
    fig.text(0.47, 1.0 - 1.15 / height, reading(rows, measured), fontsize=LABEL, color=INK, va="top", linespacing=1.6)
    return save(fig, path)


def reading(rows: Sequence[Comparison], measured: Sequence[Comparison]) -> str:
    """How to read the figure."""
    counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in COLOURS}
    words = ", ".join(f"{count} {verdict.replace('agrees', 'agree')}" for verdict, count in counts.items() if count)
    return (
        f"{len(rows)} rows from {len({row.source.name for row in rows})} sources: {words}.\n"
        "Left: sizes without signs; on the line both are the same.\n"
        "Below: ours less theirs, as a share of the tolerance. Grey is\nwithin it; a mark at the edge lies beyond. On the right the\n"
        "difference, in per cent or in the unit of the row.\n"
        f"{len(rows) - len(measured)} rows stand in the table only: bounds (creep, statements\nwithout a number), and what was not run."
    )


def against(ax: Any, rows: Sequence[Comparison]) -> None:
    """Theirs against ours, sizes without signs, with the line on which both are the same."""
    ends = np.array(
        [0.8 * min(abs(row.theirs or 1.0) for row in rows), 1.25 * max(abs(row.theirs or 1.0) for row in rows)]
    )
    ax.plot(ends, ends, color=GREY, linewidth=1.0, zorder=1, label="the same")
    for verdict, colour in COLOURS.items():
        some = [row for row in rows if row.verdict == verdict]
        if some:
            x, y = ([abs(getattr(row, name)) for row in some] for name in ("theirs", "ours"))
            ax.scatter(
                x, y, s=34, color=colour, marker=MARKS[verdict], alpha=0.75, linewidths=0.0, label=verdict, zorder=3
            )
        if verdict != AGREES:
            for row in some:
                ax.annotate(row.id, (abs(row.theirs or 0.0), abs(row.ours or 0.0)), (6, -12), textcoords="offset points", fontsize=TICK, color=colour)  # fmt: skip
    ax.set_xscale("log")
    ax.set_yscale("log")
    dress(ax, "theirs [unit of the row]", "ours [unit of the row]", "Theirs against ours")
    legend(ax, loc="upper left")


def shares(ax: Any, rows: Sequence[Comparison]) -> None:
    """The difference of each row over its tolerance, with both numbers beside it."""
    ax.axvspan(-1.0, 1.0, color=PALE, alpha=0.5, zorder=0)
    for place, row in enumerate(rows):
        share = float(np.clip((row.difference or 0.0) / row.tolerance, -EDGE, EDGE))
        colour = COLOURS[row.verdict]
        ax.plot([0.0, share], [place, place], color=colour, linewidth=1.4, zorder=2)
        ax.plot(share, place, MARKS[row.verdict], color=colour, markersize=5, zorder=3)
        ax.text(
            ROOM + 0.08,
            place,
            difference_of(row).removesuffix(row.unit),
            fontsize=TICK - 1.5,
            color=INK,
            va="center",
            clip_on=False,
        )
    names = [f"{row.source.name.split(',')[0]}: {row.quantity}" for row in rows]
    short = [textwrap.shorten(name, SHORT, placeholder=" ...") for name in names]
    ax.set_yticks(range(len(rows)), [f"{name}   {row.id}" for name, row in zip(short, rows, strict=True)])
    ax.set_ylim(len(rows) - 0.3, -0.7)
    ax.set_xlim(-ROOM, ROOM)
    dress(
        ax,
        "difference over tolerance",
        "",
        "How much of its tolerance each row takes up",
    )
    ax.tick_params(axis="y", labelsize=TICK - 1.5)
    ax.grid(False, axis="y")
