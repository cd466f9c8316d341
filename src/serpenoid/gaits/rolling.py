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

from functools import lru_cache
from typing import ClassVar

import numpy as np

from serpenoid.core import FloatArray, Robot
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.door import FiniteNumbers, door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Angle, Number
from serpenoid.core.several import Vector
from serpenoid.gaits.fit import forward
from serpenoid.gaits.waves import AMPLITUDE, PER_JOINT, RAMP, Wave, WaveGait, from_head

QUARTER = np.pi / 2.0
FEWEST, SHARPEST = 6, 2.0  # links that make a helix; rad, bend of a joint that still does
LOOKS, TRIES, CLOSE, WIDEST = (
    9,
    20,
    1e-3,
    2.0,
)  # points a link, corrections, accuracy and size (of the radius) of a helix


def turning_bend(robot: Robot, amplitude: float, twist: float, frequency: float, phase: float) -> tuple[Wave, Wave]:
    """Waves of yaw and pitch of a bend of constant size that turns at `frequency` and by `twist` from joint to joint."""
    angle = twist * from_head(robot) + phase
    return Wave(0.0, amplitude, angle + QUARTER, frequency), Wave(0.0, amplitude, angle, frequency)


@GAITS.register
@description
class Rolling(WaveGait):
    """Lateral rolling: an arc that rolls sideways; `frequency` (rad/s) is the roll rate, its sign the direction."""

    amplitude: float = declare(AMPLITUDE, default=np.radians(10.0))
    frequency: float = declare(Number("omega: roll rate", "rad/s"), default=2.0)
    ramp: float = declare(RAMP, default=1.0)

    NAME: ClassVar[str] = "rolling"

    def yaw_and_pitch(self, robot: Robot) -> tuple[Wave, Wave]:
        """Waves of yaw and pitch."""
        return turning_bend(robot, self.amplitude, 0.0, self.frequency, 0.0)


@GAITS.register
@description
class HelixRolling(WaveGait):
    """A helix that rolls; `phase_per_joint` (rad) is its twist from joint to joint."""

    amplitude: float = declare(AMPLITUDE, default=np.radians(25.0))
    frequency: float = declare(Number("omega: roll rate", "rad/s"), default=2.0)
    phase_per_joint: float = declare(PER_JOINT, default=np.radians(15.0))
    ramp: float = declare(RAMP, default=1.0)

    NAME: ClassVar[str] = "helix-rolling"

    def yaw_and_pitch(self, robot: Robot) -> tuple[Wave, Wave]:
        """Waves of yaw and pitch."""
        return turning_bend(robot, self.amplitude, self.phase_per_joint, self.frequency, 0.0)


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

    @property
    def ramp_begin(self) -> float:
        """The helix that just touches the pole."""
        return 1.0 / self.grip

    @door(radius=Number(above=0.0))
    def helix(self, robot: Robot, radius: float) -> tuple[float, float]:
        """Amplitude and twist (rad) of joints that bend the body's axis into a helix of that radius (m)."""
        link = float(robot.link_length.mean())
        share = 2.0 * link if robot.joints == "alternating" else link
        curvature, torsion = np.cos(self.slope) ** 2 / radius, np.sin(self.slope) * np.cos(self.slope) / radius
        return float(curvature * share), float(torsion * link)

    def yaw_and_pitch(self, robot: Robot) -> tuple[Wave, Wave]:
        """Waves of yaw and pitch."""
        amplitude, twist = self.helix(robot, wrapping_radius(self, robot))
        up = 1.0 if self.slope < 0.0 else -1.0  # wound the other way, the other way round is up
        return turning_bend(robot, self.grip * amplitude, twist, up * self.frequency, 0.0)

    @door(nodes=FiniteNumbers(width=3, dims=(2,)))
    def axis_of(self, nodes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Axis (a point and a direction towards the head) of the helix on which nodes (n+1, 3) lie."""
        return helix_axis(nodes)


def helix_axis(nodes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The line (a point and a direction towards the last node) from which the middles of the links differ least in distance."""
    from scipy.optimize import least_squares

    middle = 0.5 * (nodes[1:] + nodes[:-1])
    place = middle.mean(axis=0)
    # first guess: the chords of a helix all rise alike along its axis
    chords = nodes[2:] - nodes[:-2]
    if not np.isfinite((chords**2).sum()):
        raise InputError("the robot is too large to be laid round a pole: the squares of its lengths are not finite")
    u, v, guess = np.linalg.svd(chords - chords.mean(axis=0), full_matrices=False)[2]
    flat = (middle - place) @ np.stack([u, v], axis=1)
    x, y, c = np.linalg.lstsq(np.column_stack([2.0 * flat, np.ones(len(flat))]), (flat**2).sum(axis=1), rcond=None)[0]

    def line(z: FloatArray) -> tuple[FloatArray, FloatArray]:
        direction = guess + z[0] * u + z[1] * v
        return place + z[2] * u + z[3] * v, direction / np.linalg.norm(direction)

    best = least_squares(
        lambda z: distances(middle, *line(z)) - z[4], [0.0, 0.0, x, y, np.sqrt(abs(c + x * x + y * y))]
    )
    point, direction = line(best.x)
    return point, direction * np.sign(direction @ (nodes[-1] - nodes[0]) or 1.0)


def distances(points: FloatArray, point: FloatArray, direction: FloatArray) -> FloatArray:
    """Distances of points (., 3) from a line."""
    d = points - point
    return np.asarray(np.linalg.norm(d - np.outer(d @ direction, direction), axis=1))


@lru_cache(maxsize=64)
def wrapping_radius(gait: PoleClimbing, robot: Robot) -> float:
    """Radius (m) of the helix whose links, being straight, just touch the pole where they come closest to it."""
    if robot.joints not in ("alternating", "universal", "pitch-yaw"):
        raise InputError(f"pole climbing needs joints that yaw and pitch; {robot.name} has {robot.joints_text} joints")
    if robot.links < FEWEST:
        raise InputError(f"pole climbing needs at least {FEWEST} links; {robot.name} has {robot.links}")
    clear = gait.pole_radius + float(robot.radius.max())
    along = np.linspace(0.0, 1.0, LOOKS)[:, None, None]
    i, radius, found = from_head(robot), clear, np.inf
    for k in range(TRIES):
        amplitude, twist = gait.helix(robot, radius)
        yaw, pitch = amplitude * np.cos(twist * i), amplitude * np.sin(twist * i)
        both = np.stack([yaw, pitch], axis=1)
        single = np.where(np.arange(1, robot.links) % 2 == 1, yaw, pitch)
        nodes = forward(robot, single if robot.joints == "alternating" else both)
        body = ((1.0 - along) * nodes[:-1] + along * nodes[1:]).reshape(-1, 3)
        short = clear - float(distances(body, *helix_axis(nodes)).min())
        if short < CLOSE * clear:
            found = min(found, radius)
        if abs(short) < CLOSE * clear:
            break
        step = short if k < TRIES // 2 else 0.5 * short  # a coarse body jumps to and fro
        radius = float(np.clip(radius + step, clear / WIDEST, clear * WIDEST))
    if found < WIDEST * clear and gait.helix(robot, found)[0] < SHARPEST:
        return found
    raise InputError(
        f"{robot.name} cannot wrap round a pole of radius {gait.pole_radius:g} m: its links are too long for it; "
        "use shorter links, a thicker pole or less slope"
    )
