"""The rows of a store's pieces, checked against their records, and what they say in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from serpenoid.core.trajectory import USABLE
from serpenoid.formats.store import Contents, read_contents
from serpenoid.sweeps.designs import design_from
from serpenoid.sweeps.rows import Rows, unpacked

WIDEST = 76  # characters of a warning that many cells share
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def rows_of(contents: Contents, number: int) -> Rows:
    """What the cells of a piece came to."""
    record = contents.pieces[number]
    return unpacked(contents.chunk(number), record["count"], len(contents.plan["columns"]))


def failures(store: Path, most: int) -> list[str]:
    """Some of the cells that did not end well, in words: the first of each status and message."""
    contents = read_contents(store)
    design = design_from(contents.plan["identity"]["design"])
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for number in sorted(contents.pieces):
        rows, first = rows_of(contents, number), contents.pieces[number]["first"]
        for k, status in enumerate(rows.status):
            if status not in USABLE:
                kind = status, rows.messages.get(k, "")
                cell, count = found.get(kind, (first + k, 0))
                found[kind] = cell, count + 1
    said = []
    for (status, message), (cell, count) in sorted(found.items(), key=lambda item: -item[1][1])[:most]:
        values = ", ".join(f"{a.key} = {v}" for a, v in zip(design.axes, design.values(cell, cell + 1)[0], strict=True))
        said.append(f"{status} ({count} cell{'s' * (count > 1)}, such as {values}): {message}")
    return said


def in_short(text: str) -> str:
    """The first part of a warning, cut between words where it is long."""
    first = text.partition(":")[0]
    return first if len(first) <= WIDEST else f"{first[:WIDEST].rpartition(' ')[0].rstrip(',;')} ..."


def kind_of(text: str) -> str:
    """A warning without its numbers: those of one kind are alike."""
    return in_short(_NUMBER.sub("#", text))


def alike(warnings: Iterable[Iterable[str]], cells: int) -> list[str]:
    """How many cells have which warning; those that differ in their numbers alone are reported once, by the first of them."""
    first: dict[str, str] = {}
    differ: set[str] = set()
    counts: Counter[str] = Counter()
    for several in warnings:
        kinds = {kind_of(text): in_short(text) for text in several}
        counts.update(list(kinds))
        differ |= {kind for kind, text in kinds.items() if first.setdefault(kind, text) != text}
    return [
        f"{count} of {cells} cells have {'a warning such as' if kind in differ else 'the warning'}: {first[kind]}"
        for kind, count in counts.items()
    ]


def warned(store: Path) -> list[str]:
    """What to beware of in a whole sweep: axes that change nothing, cells with warnings."""
    contents = read_contents(store)
    design = design_from(contents.plan["identity"]["design"])
    values = np.full((design.count, len(contents.plan["columns"])), np.nan)
    texts: list[list[str]] = []
    for number, record in contents.pieces.items():
        rows = rows_of(contents, number)
        values[record["first"] : record["first"] + record["count"]] = rows.values
        texts += rows.warnings.values()
    said = alike(texts, design.count)
    if design.kind == "grid":
        table = values.reshape(*design.shape, -1)
        for k, axis in enumerate(design.axes):
            if axis.count > 1 and np.array_equal(
                table, np.broadcast_to(np.take(table, [0], axis=k), table.shape), equal_nan=True
            ):
                said.append(f"{axis.key} changes nothing in this sweep: is it used by the gait and the law?")
    return said
