"""What others published, or what an independent code gives, beside our number: one row each, with tolerance, its reason and a verdict.

`run` computes every row, writes the table (validation.json, .csv, .md) and one figure. README.md beside this file says where each number was
read and how it is measured here. Rows that need MuJoCo or Drake are "not run" where these are not installed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def run(out: Path, quick: bool = False, progress: Callable[[float], None] | None = None) -> dict[str, Any]:
    """Run the study; writes table and figure into `out` and returns claims, rows and the figure's path."""
    from serpenoid.studies.validation import chains, dry, engines, ground, table, viscous
    from serpenoid.studies.validation.figures import overview

    groups = (viscous.rows, dry.rows, chains.rows, ground.rows, engines.rows)
    rows = []
    for k, group in enumerate(groups):
        rows += group(quick)
        if progress is not None:
            progress((k + 1) / (len(groups) + 1))
    table.write(rows, out)
    figure = overview(rows, out / "validation.png")
    if progress is not None:
        progress(1.0)
    return {
        "status": "ok",
        "study": "validation",
        "quick": quick,
        "claims": [claim for row in rows if (claim := table.claim_of(row)) is not None],
        "rows": [table.record(row) for row in rows],
        "sources": sorted({row.source.name for row in rows}),
        "figures": [str(figure)],
    }
