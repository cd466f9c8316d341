"""A gait, drive or law that the kernels do not know, or that hands them too little, is refused: in the plane and in space."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.contact import Coulomb
from serpenoid.core.declare import description
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Ground
from serpenoid.gaits import drives
from serpenoid.gaits.base import CompiledGait

ROBOT = sp.robots.ma2001(links=6)
WORLDS = [None, sp.World(ground=Ground("point", damping=200.0))]


def gait_of(kind: int, par: Any, tab: Any) -> Any:
    @description(eq=False)
    class Strange(CompiledGait):
        KIND: ClassVar[int] = kind
        NAME: ClassVar[str] = "strange"

        def row(self, robot: sp.Robot) -> Any:
            return par, tab

    return Strange()


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(
    ("kind", "par", "tab", "word"),
    [
        (99, np.zeros(6), np.zeros((2, 6)), "know"),
        (-1, np.zeros(6), np.zeros((2, 6)), "know"),
        (0, np.zeros(2), np.zeros((2, 6)), "needs at least 6"),  # the kernel would read foreign memory
        (0, np.zeros(6), np.zeros((2, 3)), "2 x 6"),
        (1, np.zeros(1), np.zeros((0, 6)), "1 x 6"),
        (0, "waves", np.zeros((2, 6)), "must give numbers"),
    ],
)
def test_gaits(world: Any, kind: int, par: Any, tab: Any, word: str) -> None:
    with pytest.raises(InputError, match=word):
        sp.simulate(ROBOT, gait_of(kind, par, tab), world, 0.1)


@pytest.mark.parametrize("world", WORLDS)
def test_drives(world: Any) -> None:
    @description(eq=False)
    class Short(drives.SineTorque):
        def row(self, robot: sp.Robot, axes: int | None = None) -> Any:
            return np.zeros(1), np.zeros((1, 1))

    with pytest.raises(InputError, match="needs at least 3"):
        sp.simulate(ROBOT, Short(0.1, 1.0, 0.1), world, 0.1)


@pytest.mark.parametrize("ground", [None, Ground("point", damping=200.0)])
def test_laws(ground: Any) -> None:
    @description
    class Strange(Coulomb):
        KIND: ClassVar[int] = 77
        NAME: ClassVar[str] = "strange"

    with pytest.raises(InputError, match=r"(?i)strange"):
        sp.simulate(ROBOT, sp.gaits.Serpenoid(0.5, 1.0, 0.4), sp.World(Strange(0.1, 0.5), ground=ground), 0.1)


def test_a_gait_of_space_needs_a_ground() -> None:
    for _ in range(3):
        with pytest.raises(InputError, match="the planar engine knows the gaits"):
            sp.simulate(ROBOT, sp.gaits.CompoundSerpenoid(yaw_amplitude=0.3, yaw_temporal=2.0), duration=0.1)
