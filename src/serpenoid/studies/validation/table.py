"""The table of all rows: as claims, as JSON and CSV, and as Markdown for people."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from serpenoid.formats import files
from serpenoid.studies.claims import judged
from serpenoid.studies.validation.comparison import (
    AGREES,
    AT_LEAST,
    AT_MOST,
    EXPLAINED,
    NOT_RUN,
    OPEN,
    RELATIVE,
    Comparison,
)

COLUMNS = (
    "id",
    "source",
    "where",
    "quantity",
    "unit",
    "theirs",
    "ours",
    "difference",
    "tolerance",
    "how",
    "why",
    "verdict",
    "note",
)


def shown(value: float | None, unit: str = "") -> str:
    """A number for people: five digits; a dash where there is none."""
    if value is None:
        return "-"
    if not math.isfinite(value):
        return "no number: the run failed"
    text = "0" if value == 0.0 else f"{value:.5g}"
    return f"{text} {unit}".strip()


def difference_of(row: Comparison) -> str:
    """The difference for people, in per cent where the tolerance is relative."""
    if row.difference is None or not math.isfinite(row.difference) or row.how in (AT_MOST, AT_LEAST):
        return "-"
    return f"{100.0 * row.difference:+.2g} %" if row.how == RELATIVE else f"{row.difference:+.2g} {row.unit}".strip()


def tolerance_of(row: Comparison) -> str:
    """The tolerance for people."""
    if row.how in (AT_MOST, AT_LEAST):
        return f"ours {row.how} {shown(row.tolerance, row.unit)}"
    return f"{100.0 * row.tolerance:.2g} %" if row.how == RELATIVE else f"{row.tolerance:.2g} {row.unit}".strip()


def record(row: Comparison) -> dict[str, Any]:
    """A row as plain data."""
    values = {name: getattr(row, name) for name in COLUMNS if name not in ("source", "where", "note")}
    values |= {name: x if x is None or math.isfinite(x) else None for name, x in values.items() if isinstance(x, float)}
    note = f"needs {row.needs}" if row.needs else row.note
    return {**values, "source": row.source.name, "where": row.source.where, "note": note}


def claim_of(row: Comparison) -> dict[str, Any] | None:
    """A row as a claim of a study; None for one that was not run."""
    if row.verdict == NOT_RUN:
        return None
    measured = (
        f"theirs {shown(row.theirs, row.unit)}, ours {shown(row.ours, row.unit)}, difference {difference_of(row)}"
    )
    parts = {AGREES: [True], EXPLAINED: [True, False], OPEN: [False]}[row.verdict]
    tolerance = f"Tolerance {tolerance_of(row)}: {row.why}."
    return judged(
        row.id, f"{row.source.name}, {row.source.where}", row.quantity, measured, parts, " ".join([tolerance, row.note]).strip()
    )  # fmt: skip


def markdown(rows: Sequence[Comparison]) -> str:
    """The table, the rows that do not agree, and the sources."""
    counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in (AGREES, EXPLAINED, OPEN, NOT_RUN)}
    names = sorted({row.source.name for row in rows})
    words = {AGREES: "agree" if counts[AGREES] != 1 else AGREES}
    lines = [
        f"{len(rows)} rows from {len(names)} sources: " + ", ".join(f"{n} {words.get(verdict, verdict)}" for verdict, n in counts.items() if n) + ".",
        "",
        "| | verdict | quantity (by whom) | theirs | ours | difference | tolerance and its reason |",
        "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for row in rows:
        difference, tolerance = (text.removesuffix(f" {row.unit}") for text in (difference_of(row), tolerance_of(row)))
        quantity = row.quantity + (f", {row.unit}" if row.unit else "")
        lines.append(
            f"| {row.id} | {f'not run: needs {row.needs}' if row.needs else row.verdict} | {quantity} ({row.source.name}) | {shown(row.theirs)} "
            f"| {shown(row.ours)} | {difference} | {tolerance}: {row.why} |"
        )
    notes = [row for row in rows if row.note and not row.needs]
    lines += ["", "Notes, and what does not agree:", ""]
    lines += [f"- **{row.id}**, {row.verdict}: {row.note}" for row in notes]
    lines += ["", "Where the numbers were read:", ""]
    lines += [f"- {name}: {where}" for name, where in sorted({(row.source.name, row.source.where) for row in rows})]
    return "\n".join(lines) + "\n"


def comma_separated(rows: Sequence[Comparison]) -> str:
    """The table as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(record(row) for row in rows)
    return text.getvalue()


def write(rows: Sequence[Comparison], out: Path) -> None:
    """Write validation.json, validation.csv and validation.md."""
    files.write_json(out / "validation.json", {"rows": [record(row) for row in rows]})
    files.write_bytes(out / "validation.csv", comma_separated(rows).encode())
    files.write_bytes(out / "validation.md", ("# Validation\n\n" + markdown(rows)).encode())
