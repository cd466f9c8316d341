"""A row of the table: their number, ours, and how near they must be."""

from __future__ import annotations

import math
from dataclasses import dataclass

AGREES, EXPLAINED, OPEN, NOT_RUN = "agrees", "explained", "open", "not run"
RELATIVE, ABSOLUTE, AT_MOST, AT_LEAST = "relative", "absolute", "at most", "at least"


@dataclass(frozen=True)
class Origin:
    """Who gave a number, and where it can be read."""

    name: str
    where: str


@dataclass(frozen=True)
class Comparison:
    """Their number beside ours.

    With `how` relative or absolute, ours must lie within `tolerance` of theirs. With `at most` or `at least`, it must lie on that side of
    `tolerance`, and theirs is shown beside it. What disagrees is "explained" where `settled` says that a third method decides, else "open".
    """

    id: str
    source: Origin
    quantity: str
    unit: str
    theirs: float | None
    ours: float | None
    tolerance: float
    why: str
    how: str = RELATIVE
    note: str = ""
    settled: bool = False
    needs: str = ""

    @property
    def difference(self) -> float | None:
        """Ours less theirs: over theirs where the tolerance is relative, else in the unit; None where one is missing."""
        if self.theirs is None or self.ours is None:
            return None
        return self.ours / self.theirs - 1.0 if self.how == RELATIVE else self.ours - self.theirs

    @property
    def within(self) -> bool:
        """Does our number lie where it must?"""
        if self.ours is None or not math.isfinite(self.ours):
            return False
        if self.how == AT_MOST:
            return self.ours <= self.tolerance
        if self.how == AT_LEAST:
            return self.ours >= self.tolerance
        return self.difference is not None and abs(self.difference) <= self.tolerance

    @property
    def verdict(self) -> str:
        """One word."""
        if self.needs:
            return NOT_RUN
        if self.within:
            return AGREES
        return EXPLAINED if self.settled else OPEN
