"""Obstacle files: what stands in the plane, as TOML, with the obstacles of a world.

    [[obstacles]]
    kind = "disc"
    centre = [5.0, 0.3]
    radius = 0.4

    [[obstacles]]
    kind = "polygon"
    points = [[5, 1], [7, 1], [6, 2]]

    [[obstacles]]
    kind = "wall"
    start = [4.5, -0.6]
    end = [9, -0.4]
    thickness = 0.1

Lengths are those of the plan: link lengths without a robot, else m. Obstacles count from 0 in the order of the file.
"""

from __future__ import annotations

from pathlib import Path

from serpenoid.core.declare import Description, Parts, declare, description, line, read
from serpenoid.core.errors import InputError
from serpenoid.core.obstacles import Upright
from serpenoid.core.terrain import OBSTACLES
from serpenoid.formats.opening import check_whole, named
from serpenoid.formats.scenario import raise_all, read_toml

MOST = 10_000


@description
class Yard(Description):
    """Everything that stands in the way."""

    obstacles: tuple[Upright, ...] = declare(Parts("upright ones", of=OBSTACLES), default=())

    def check(self) -> None:
        """Upright obstacles only, and not too many."""
        solid = [type(o).__name__ for o in self.obstacles if not isinstance(o, Upright)]
        if solid:
            raise InputError(f"obstacles of a plan are seen from above: disc, polygon, wall or grid, got {solid[0]}")
        if len(self.obstacles) > MOST:
            raise InputError(f"obstacles must be at most {MOST}, got {len(self.obstacles)}")


def read_yard(path: str | Path) -> Yard:
    """Read an obstacle file and check it."""
    data, text = read_toml(path, "obstacle file")
    problems: list[str] = []
    yard: Yard | None = read(Yard, data, "", lambda where, what: problems.append(line(where or "file", what)))
    if yard is None:
        raise_all(named(path), problems)
    assert yard is not None
    check_whole(text, named(path))
    return yard
