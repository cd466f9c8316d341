"""A robot as other packages see it: bodies and hinges in a row, tail first.

Link i is a body whose frame stands at its tail-side joint, x towards the head, z at its back; joint i turns link i against link i - 1. A joint of two
axes needs a body between them in formats whose joints have one axis: such a body takes about 1e-11 of the mass and inertia of the link
outside of it, because some simulators refuse a body without mass. What it takes is a power of two, so that nothing is rounded: the whole
mass stays the same, and whoever reads the file can put it together again to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.core import FloatArray, Robot
from serpenoid.core.actuator import Servo
from serpenoid.formats.xml import plain_name

BITS = 37  # a body between two axes takes 2^-37 of a link's mass and inertia, rounded down to a power of two
LEAST = 2.0**-45  # kg, kg m^2, which it takes at least: MuJoCo asks for more than 1e-15
AXES = {"yaw": (0.0, 0.0, 1.0), "pitch": (0.0, 1.0, 0.0), "roll": (1.0, 0.0, 0.0)}


class ChainBody(NamedTuple):
    """A body: where its frame stands in that of the one before (m along x), what it weighs, its size."""

    name: str
    offset: float
    mass: float
    com: float  # m along x
    inertia: FloatArray  # (3,) about the centre of gravity
    length: float  # 0: between two axes of a joint
    radius: float


class ChainHinge(NamedTuple):
    """A degree of freedom between two bodies; no axis: they are fixed to each other."""

    name: str
    parent: str
    child: str
    kind: str  # yaw, pitch, roll, fixed
    limit: float  # rad; inf: none
    damping: float
    servo: Servo | None
    offset: float  # m along x, of the child's frame in that of its parent

    @property
    def axis(self) -> tuple[float, float, float] | None:
        """Direction in the frame of both bodies at angle 0."""
        return AXES.get(self.kind)


def headline(robot: Robot) -> str:
    """What stands above a robot in a file: only what the file has, so that a robot that is read from it is written with the same words."""
    size = f"{robot.links} links, {len(robot.axes)} axes, {robot.length:.4g} m, {robot.mass:.4g} kg"
    return f"{plain_name(robot.name)}: {size}. {robot.source}".strip()


def share_of(values: FloatArray) -> FloatArray:
    """What a body between two axes takes of these values."""
    return np.asarray(np.maximum(np.ldexp(0.5, np.frexp(values)[1] - BITS), LEAST))


def chain_of(robot: Robot) -> tuple[list[ChainBody], list[ChainHinge]]:
    """Bodies and hinges of a robot, tail first; bodies between the axes of a joint included."""
    bodies: list[ChainBody] = []
    hinges: list[ChainHinge] = []
    axial = np.asarray(robot.axial_inertia, dtype=float)
    for i in range(robot.links):
        inertia = np.array([axial[i], robot.link_inertia[i], robot.link_inertia[i]])
        mass, offset = float(robot.link_mass[i]), float(robot.link_length[i - 1]) if i else 0.0
        kinds = [kind for joint, kind in robot.axes if joint == i] if i else []
        inner, left, rest = f"link{i - 1}", mass, inertia
        for k, kind in enumerate(kinds or (["fixed"] if i else [])):
            last = k >= len(kinds) - 1
            child = f"link{i}" if last else f"cross{i}_{k}"
            loss, limit = (
                (0.0, np.inf)
                if kind == "fixed"
                else (float(robot.joint_damping[i - 1]), float(robot.joint_limit[i - 1]))
            )
            name = f"{kind}{i}"
            hinges.append(ChainHinge(name, inner, child, kind, limit, loss, robot.servos[i - 1], offset))
            if not last:
                taken = share_of(np.array([mass])), share_of(inertia)
                bodies.append(ChainBody(child, offset, float(taken[0][0]), 0.0, taken[1], 0.0, 0.0))
                left, rest = left - bodies[-1].mass, rest - taken[1]
            inner, offset = child, offset if last else 0.0
        bodies.append(
            ChainBody(f"link{i}", offset, left, float(robot.com_offset[i]), rest, float(robot.link_length[i]), float(robot.radius[i]))
        )  # fmt: skip
    return bodies, hinges
