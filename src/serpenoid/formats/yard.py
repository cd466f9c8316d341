"""Obstacle files: what stands in the plane, as TOML.

    [[discs]]
    centre = [5.0, 0.3]
    radius = 0.4

    [[polygons]]
    points = [[5, 1], [7, 1], [6, 2]]

    [[walls]]
    start = [4.5, -0.6]
    end = [9, -0.4]
    thickness = 0.1

Lengths are those of the plan: link lengths without a robot, else m.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from serpenoid.core.errors import InputError
from serpenoid.formats.scenario import read_toml, validated
from serpenoid.formats.tables import Pair, Table

MOST = 10_000


class DiscTable(Table):
    """A round post."""

    centre: Pair
    radius: float = Field(gt=0.0)


class PolygonTable(Table):
    """A block with straight sides."""

    points: list[Pair] = Field(min_length=3, max_length=MOST)


class WallTable(Table):
    """A straight bar with square ends."""

    start: Pair
    end: Pair
    thickness: float = Field(0.1, gt=0.0)


class Yard(Table):
    """Everything that stands in the way; numbers count through discs, polygons, walls in this order, from 0."""

    discs: list[DiscTable] = Field(default_factory=list, max_length=MOST)
    polygons: list[PolygonTable] = Field(default_factory=list, max_length=MOST)
    walls: list[WallTable] = Field(default_factory=list, max_length=MOST)


def read_yard(path: str | Path) -> Yard:
    """Read an obstacle file and check it."""
    file = Path(path)
    try:
        there = file.is_file()
    except (OSError, ValueError):
        there = False
    if not there:
        raise InputError(f"no obstacle file {str(path)[:200]!r}")
    return validated(Yard, read_toml(file), str(file))
