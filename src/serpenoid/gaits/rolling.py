"""Rolling gaits: a bent body whose bend turns round its own axis, so that it rolls on whatever it lies on.

    yaw_j = A cos(omega t + nu i),   pitch_j = A sin(omega t + nu i)          i = n - j: joints counted from the head

| symbol | field | unit |
|---|---|---|
| A | `amplitude` | rad |
| omega | `frequency`: the roll rate about the axis towards the head; to the right on the ground, up a pole | rad/s |
| nu | `phase_per_joint`: twist of the bend from joint to joint | rad |

`Rolling`: nu = 0, an arc that rolls sideways, by omega r in a second (r: the links' radius). `HelixRolling`: a helix that rolls
across and along itself. `PoleClimbing`: a helix round a pole, sized for it; squeezed by `grip`, it rolls up by omega r cos(beta) in
a second, and a little faster with long links, which touch the pole with their middles only.

A helix of radius R and slope beta has the curvature cos^2 beta / R and the torsion sin beta cos beta / R. A joint of a robot with
links of length l takes kappa l of its axis; joints that yaw and pitch by turns take twice that. Such joints make the better
helix: a universal joint also rolls by half the product of its angles, which bends the helix out of shape.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from serpenoid.compiled import literal
from serpenoid.core import FloatArray, Robot
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.door import FiniteNumbers, door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Angle, Number
from serpenoid.core.several import Vector
from serpenoid.core.slots import PITCH_YAW, ROBOT, UNIVERSAL, numbers_of, robot_numbers, slots
from serpenoid.gaits.pole import ALTERNATING, AXIS_ROWS, FEWEST, WIDTH, axis_of_nodes, helix, joints_of, wrapped_radius
from serpenoid.gaits.preparing import REASON, WORK_COLUMNS, WORK_ROWS, Kernels
from serpenoid.gaits.waves import (
    AMPLITUDE,
    PER_JOINT,
    PITCH,
    RAMP,
    YAW,
    WaveGait,
    finish,
    put_rates,
    put_wave,
    size,
    times,
)


@GAITS.register
@description
class Rolling(WaveGait):
    """Lateral rolling: an arc that rolls sideways; `frequency` (rad/s) is the roll rate, its sign the direction."""

    amplitude: float = declare(AMPLITUDE, default=np.radians(10.0))
    frequency: float = declare(Number("omega: roll rate", "rad/s"), default=2.0)
    ramp: float = declare(RAMP, default=1.0)

    NAME: ClassVar[str] = "rolling"


rolling_at = slots(Rolling)


@literal
def turning_bend(tab, amplitude, twist):
    """Waves of yaw and pitch of a bend of constant size that turns by `twist` from joint to joint."""
    n = tab.shape[1]
    for j in range(1, n):
        angle = twist * (n - j) + 0.0
        put_wave(tab, YAW, j, 0.0, amplitude, angle + math.pi / 2.0)
        put_wave(tab, PITCH, j, 0.0, amplitude, angle)


@literal
def fill_arc(g, r, where, par, tab, work):
    """Fill parameters and table of an arc that rolls."""
    at = rolling_at
    turning_bend(tab, g[at.amplitude], 0.0)
    put_rates(par, g[at.frequency], g[at.frequency], g[at.ramp], 0.0)
    finish(tab, where)
    return 0


Rolling.KERNELS = Kernels(size, fill_arc, times)


@GAITS.register
@description
class HelixRolling(WaveGait):
    """A helix that rolls; `phase_per_joint` (rad) is its twist from joint to joint."""

    amplitude: float = declare(AMPLITUDE, default=np.radians(25.0))
    frequency: float = declare(Number("omega: roll rate", "rad/s"), default=2.0)
    phase_per_joint: float = declare(PER_JOINT, default=np.radians(15.0))
    ramp: float = declare(RAMP, default=1.0)

    NAME: ClassVar[str] = "helix-rolling"


helix_at = slots(HelixRolling)


@literal
def fill_helix(g, r, where, par, tab, work):
    """Fill parameters and table of a helix that rolls."""
    at = helix_at
    turning_bend(tab, g[at.amplitude], g[at.phase_per_joint])
    put_rates(par, g[at.frequency], g[at.frequency], g[at.ramp], 0.0)
    finish(tab, where)
    return 0


HelixRolling.KERNELS = Kernels(size, fill_helix, times)


@GAITS.register
@description
class PoleClimbing(WaveGait):
    """Climb a vertical pole of `pole_radius` (m) at `pole` (x, y) by a rolling helix that starts wrapped round it.

    `slope` (rad) is the helix's angle against the horizontal, right-handed where positive; `grip` how much more the joints bend
    than the pole asks for (reached after `ramp` seconds), `base_height` (m) where the lowest joint begins. A positive
    `frequency` (rad/s) climbs.
    """

    pole_radius: float = declare(Number("", "m", above=0.0), default=0.08)
    slope: float = declare(
        Angle("of the helix; positive: right-handed", above=-1.5, below=1.5), default=np.radians(17.0)
    )
    grip: float = declare(Number("bend over what the pole asks for", low=1.0, high=10.0), default=1.3)
    frequency: float = declare(Number("omega: roll rate", "rad/s"), default=2.0)
    pole: tuple[float, float] = declare(Vector("x, y of its axis", "m"), default=(0.0, 0.0))
    base_height: float = declare(Number("where the lowest joint begins", "m"), default=0.1)
    ramp: float = declare(RAMP, default=0.3)

    NAME: ClassVar[str] = "pole-climbing"

    REFUSED: ClassVar[tuple[str, ...]] = (
        "pole climbing needs joints that yaw and pitch; {name} has {joints} joints",
        f"pole climbing needs at least {FEWEST} links; {{name}} has {{0:.0f}}",
        "{name} cannot wrap round a pole of radius {0:g} m: its links are too long for it; use shorter links, a thicker pole or less slope",
    )

    @property
    def ramp_begin(self) -> float:
        """The helix that just touches the pole."""
        return float(share_at_begin(numbers_of(self)))

    @door(radius=Number(above=0.0))
    def helix(self, robot: Robot, radius: float) -> tuple[float, float]:
        """Amplitude and twist (rad) of joints that bend the body's axis into a helix of that radius (m)."""
        amplitude, twist = helix(robot_numbers(robot), self.slope, radius)
        return float(amplitude), float(twist)

    @door(nodes=FiniteNumbers(width=3, dims=(2,)))
    def axis_of(self, nodes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Axis (a point and a direction towards the head) of the helix on which nodes (n+1, 3) lie."""
        return helix_axis(nodes)


pole_at = slots(PoleClimbing)


@literal
def share_at_begin(g):
    """Share of the bend with which the ramp begins: what the pole asks for."""
    return 1.0 / g[pole_at.grip]


@literal
def size_of_pole(g, r, where, out):
    """As for every wave, with working space for the axis of a helix; only joints that yaw and pitch, enough of them, wrap round a pole."""
    joints = joints_of(r)
    size(g, r, where, out)
    out[WORK_ROWS], out[WORK_COLUMNS], out[REASON] = AXIS_ROWS + r[ROBOT.links] + 1.0, WIDTH, r[ROBOT.links]
    if joints not in (ALTERNATING, UNIVERSAL, PITCH_YAW):
        return 1
    return 2 if r[ROBOT.links] < FEWEST else 0


@literal
def fill_pole(g, r, where, par, tab, work):
    """Fill parameters and table of a helix that climbs; wound the other way, the other way round is up."""
    at = pole_at
    radius = wrapped_radius(r, g[at.slope], g[at.pole_radius], work)
    if math.isnan(radius):
        par[0] = g[at.pole_radius]
        return 3
    amplitude, twist = helix(r, g[at.slope], radius)
    turning_bend(tab, g[at.grip] * amplitude, twist)
    frequency = g[at.frequency] if g[at.slope] < 0.0 else -g[at.frequency]
    put_rates(par, frequency, frequency, g[at.ramp], share_at_begin(g))
    finish(tab, where)
    return 0


PoleClimbing.KERNELS = Kernels(size_of_pole, fill_pole, times)


def helix_axis(nodes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The line (a point and a direction towards the last node) from which the middles of the links differ least in distance."""
    if not np.isfinite((nodes**2).sum()):
        raise InputError("the robot is too large to be laid round a pole: the squares of its lengths are not finite")
    return axis_of_nodes(nodes)
