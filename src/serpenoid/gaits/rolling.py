"""Rolling gaits: a bent body whose bend turns round its own axis, so that it rolls on whatever it lies on.

    yaw_j = A cos(omega t + nu i),   pitch_j = A sin(omega t + nu i)          i = n - j: joints counted from the head

`Rolling`: nu = 0, an arc that rolls sideways. `HelixRolling`: a helix with the twist nu a joint, which rolls along or across
itself. `PoleClimbing`: a helix round a pole, sized for it; squeezed by `grip`, it rolls up or down.

A helix of radius R and slope beta has the curvature cos^2 beta / R and the torsion sin beta cos beta / R. A joint of a robot with
links of length l takes kappa l of its axis; joints that yaw and pitch by turns take twice that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from serpenoid.core import FloatArray, Robot
from serpenoid.errors import InputError
from serpenoid.gaits.waves import Wave, WaveGait, check_numbers, from_head

WAIST = np.pi / 2.0


def turning_bend(robot: Robot, amplitude: float, twist: float, frequency: float, phase: float) -> tuple[Wave, Wave]:
    """Waves of yaw and pitch of a bend of constant size that turns at `frequency` and by `twist` from joint to joint."""
    angle = twist * from_head(robot) + phase
    return Wave(0.0, amplitude, angle + WAIST, frequency), Wave(0.0, amplitude, angle, frequency)


@dataclass(frozen=True)
class Rolling(WaveGait):
    """Lateral rolling: an arc that rolls sideways; `frequency` (rad/s) is the roll rate, its sign the direction."""

    amplitude: float = 0.2
    frequency: float = 2.0
    ramp: float = 1.0

    NAME: ClassVar[str] = "rolling"

    def __post_init__(self) -> None:
        check_numbers(self)

    def yaw_and_pitch(self, robot: Robot) -> tuple[Wave, Wave]:
        """Waves of yaw and pitch."""
        return turning_bend(robot, self.amplitude, 0.0, self.frequency, 0.0)


@dataclass(frozen=True)
class HelixRolling(WaveGait):
    """A helix that rolls; `phase_per_joint` (rad) is its twist from joint to joint."""

    amplitude: float = 0.4
    frequency: float = 2.0
    phase_per_joint: float = 0.3
    ramp: float = 1.0

    NAME: ClassVar[str] = "helix-rolling"

    def __post_init__(self) -> None:
        check_numbers(self)

    def yaw_and_pitch(self, robot: Robot) -> tuple[Wave, Wave]:
        """Waves of yaw and pitch."""
        return turning_bend(robot, self.amplitude, self.phase_per_joint, self.frequency, 0.0)


@dataclass(frozen=True)
class PoleClimbing(WaveGait):
    """Climb a vertical pole of `pole_radius` (m) at `pole` (x, y) by a rolling helix that starts wrapped round it.

    `slope` (rad) is the helix's angle against the horizontal, `grip` how much more the joints bend than the pole asks for
    (reached after `ramp` seconds), `base_height` (m) where the tail begins.
    """

    pole_radius: float = 0.05
    slope: float = 0.3
    grip: float = 1.15
    frequency: float = 2.0
    pole: tuple[float, ...] = (0.0, 0.0)
    base_height: float = 0.1
    ramp: float = 1.0

    NAME: ClassVar[str] = "pole-climbing"

    def __post_init__(self) -> None:
        for name in ("pole_radius", "slope", "grip", "frequency", "base_height", "ramp"):
            if not np.isfinite(getattr(self, name)):
                raise InputError(f"gait {name} must be finite, got {getattr(self, name)}")
        if not self.pole_radius > 0.0 or not self.grip >= 1.0 or not abs(self.slope) < 1.5 or self.ramp < 0.0:
            raise InputError("pole climbing needs pole_radius > 0, grip >= 1, |slope| < 1.5 rad and ramp >= 0")
        if np.shape(self.pole) != (2,):
            raise InputError(f"gait pole must be two numbers, got {self.pole!r}")

    @property
    def ramp_begin(self) -> float:
        """The helix that just touches the pole."""
        return 1.0 / self.grip

    def bend(self, robot: Robot) -> tuple[float, float]:
        """Amplitude and twist of the joints, rad."""
        radius = self.pole_radius + float(robot.radius.mean())
        curvature = np.cos(self.slope) ** 2 / radius
        torsion = np.sin(self.slope) * np.cos(self.slope) / radius
        link = float(robot.link_length.mean())
        share = 2.0 * link if robot.joints == "alternating" else link
        if robot.joints in ("yaw", "pitch"):
            raise InputError(f"pole climbing needs joints that yaw and pitch; {robot.name} has {robot.joints} joints")
        return float(self.grip * curvature * share), float(torsion * link)

    def yaw_and_pitch(self, robot: Robot) -> tuple[Wave, Wave]:
        """Waves of yaw and pitch."""
        amplitude, twist = self.bend(robot)
        return turning_bend(robot, amplitude, -twist, self.frequency, 0.0)

    def axis_of(self, nodes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Axis (a point and a direction towards the head) of the helix on which nodes (n+1, 3) lie."""
        second = nodes[2:] - 2.0 * nodes[1:-1] + nodes[:-2]
        # second differences of a helix are normal to its axis: the axis is what they have least of
        direction = np.linalg.svd(second, full_matrices=False)[2][-1]
        direction = direction * np.sign(direction @ (nodes[-1] - nodes[0]) or 1.0)
        flat = nodes - np.outer(nodes @ direction, direction)
        # circle through the flat nodes, least squares
        a = np.column_stack([2.0 * flat, np.ones(len(flat))])
        solution = np.linalg.lstsq(a, (flat**2).sum(axis=1), rcond=None)[0]
        centre = solution[:3] - (solution[:3] @ direction) * direction
        return centre, direction
