"""Concertina with anchors: the basic pattern of the mechanical snake, its smooth timing and its solenoids.

Table I of the source, with every angle a multiple of the folding angle a (60 degrees there); row 1 is where a cycle begins, the stage
between rows r and r+1 is stage r, and a solenoid of row r+1 holds during the motion that ends in that row:

| row | theta_1 .. theta_6 | solenoids | headings of links 1 .. 7 |
|---|---|---|---|
| 1 | 0, a, -2a, 2a, -2a, a | 3, 4 | 0, 0, a, -a, a, -a, 0 |
| 2 | -2a, 2a, -2a, a, 0, 0 | 3, 4 | a, -a, a, -a, 0, 0, 0 |
| 3 | -2a, a, 0, a, -2a, a | 1, 2, 7, 8 | a, -a, 0, 0, a, -a, 0 |
| 4 | 0, a, -2a, 2a, -2a, a | 5, 6, 7, 8 | as row 1 |

Stage 1 pushes links 5 to 7 forward and folds 1 and 2, stage 2 pulls the middle, stage 3 the tail; nothing moves between row 4 and the next
row 1. The head goes d = 2 L (1 - cos a) a cycle for equal links, all of it in stage 1. The pattern closes for L3 = L5 and L4 = L6, any L1, L2,
L7: then d is the vector ((L5 + L6)(1 - cos a), (L6 - L5) sin a). Other lengths need the angles of `planning`.

Timing. A leg's fraction s of the way goes with the quintic s = 10 x^3 - 15 x^4 + 6 x^5 of x = t / T: speed and acceleration of all joints
are zero at both ends and bounded; T follows from the bounds. Where a leg slides on an obstacle its path has corners: there the
speed is bounded, the acceleration is not. Between legs the new pins go in before the old ones are drawn (`handover` seconds in
which both sets hold), so at least one pair of links is pinned at any time.

Source: Y. Shan, Y. Koren, "Design and Motion Planning of a Mechanical Snake" (1993), Table I, equations (13), (14).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.core.checks import FloatArray, per_item
from serpenoid.core.declare import Description, declare, description
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Angle, Number
from serpenoid.core.several import Array, Vector
from serpenoid.gaits.concertina_legs import PINNED, Leg

LINKS = 7
FOLD = np.pi / 3.0  # rad: the folding angle of Table I
TABLE = (
    # theta_1 .. theta_6 in units of the folding angle, and the solenoids t_1 .. t_8
    ((0, 1, -2, 2, -2, 1), (0, 0, 1, 1, 0, 0, 0, 0)),
    ((-2, 2, -2, 1, 0, 0), (0, 0, 1, 1, 0, 0, 0, 0)),
    ((-2, 1, 0, 1, -2, 1), (1, 1, 0, 0, 0, 0, 1, 1)),
    ((0, 1, -2, 2, -2, 1), (0, 0, 0, 0, 1, 1, 1, 1)),
    ((0, 1, -2, 2, -2, 1), (0, 0, 1, 1, 0, 0, 0, 0)),
)
SOLENOIDS = (1, 1, 1, 1, 1, 1, 2)  # of links 1 .. 7: MS-1


def row(number: int, fold: float = FOLD, side: int = 1) -> FloatArray:
    """Joint angles (6,) of a row of Table I, from 1, for a folding angle; side -1 mirrors them."""
    return side * fold * np.array(TABLE[number - 1][0], dtype=float)


def checked_lengths(lengths: ArrayLike) -> FloatArray:
    """Lengths of the seven links in m; the theory has two links behind, two in the middle, two in front and a head."""
    if np.ndim(lengths) == 1 and np.size(lengths) != LINKS:
        raise InputError(
            f"concertina is defined for {LINKS} links (2 rear, 2 middle, 2 front, head), got {np.size(lengths)}"
        )
    return per_item("link lengths", lengths, LINKS, 0.0, 1e6, strict=True)


@description(eq=False)
class Posture(Description):
    """Where the robot lies; default: the start of the basic pattern."""

    joint_1: tuple[float, float] = declare(
        Vector("place of joint 1", "m", item=Number(low=-1e6, high=1e6)), default=(0.0, 0.0)
    )
    heading: float = declare(Angle("of link 1"), default=0.0)
    angles: Any = declare(Array("of joints 1 to 6", "rad", least=LINKS - 1), default_factory=lambda: row(1))

    def check(self) -> None:
        """Six angles within half a turn."""
        if self.angles.shape != (LINKS - 1,) or np.abs(self.angles).max() > np.pi:
            raise InputError(f"joint angles must be {LINKS - 1} numbers from -pi to pi, got {self.angles.tolist()}")

    @property
    def headings(self) -> FloatArray:
        """Headings of the links (7,)."""
        return self.heading + np.concatenate([[0.0], np.cumsum(self.angles)])

    def nodes(self, lengths: ArrayLike = 1.0) -> FloatArray:
        """Nodes (8, 2) in m: tip of the tail, joints 1 to 6, tip of the head."""
        psi = self.headings
        edges = checked_lengths(lengths)[:, None] * np.stack([np.cos(psi), np.sin(psi)], axis=1)
        after = np.concatenate([np.zeros((2, 2)), np.cumsum(edges[1:], axis=0)])
        after[0] = -edges[0]
        return np.array(self.joint_1) + after


def moved_posture(
    before: Posture, displacement: ArrayLike, turn: float, angles: ArrayLike, lengths: ArrayLike = 1.0
) -> Posture:
    """Posture after a cycle from the head's displacement (in its old frame) and turn, equations (13), (14)."""
    psi, old = before.headings[-1], before.nodes(lengths)[-1]
    c, s = np.cos(psi), np.sin(psi)
    head = old + np.array([[c, -s], [s, c]]) @ np.asarray(displacement, dtype=float)
    after = Posture((0.0, 0.0), psi + turn - float(np.sum(angles)), angles)
    place = head - after.nodes(lengths)[-1]
    return Posture((float(place[0]), float(place[1])), after.heading, angles)


def basic_cycle(
    lengths: ArrayLike = 1.0, fold: float = FOLD, side: int = 1, start: Posture | None = None, cycle: int = 1
) -> tuple[Leg, Leg, Leg]:
    """The three legs of one cycle of the basic pattern, from row 1."""
    links = checked_lengths(lengths)
    a = float(per_item("folding angle", fold, 1, 0.0, np.pi / 2.0, strict=True)[0])
    if abs(links[2] - links[4]) > 1e-12 * links[2] or abs(links[3] - links[5]) > 1e-12 * links[3]:
        raise InputError("the basic pattern closes for L3 = L5 and L4 = L6 only; use planning.plan for other lengths")
    start = Posture(angles=row(1, a, side)) if start is None else start
    if np.abs(start.angles - row(1, a, side)).max() > 1e-9:
        raise InputError("the basic pattern starts from the joint angles of row 1")
    nodes, psi = start.nodes(links), start.headings
    legs = []
    for stage in (1, 2, 3):
        goal = row(stage + 1, a, side)
        if stage == 1:  # headings of links 3 and 4 stay
            now = psi[2] - goal[0] - goal[1] + np.concatenate([[0.0], np.cumsum(goal)])
            moving = [0, 1, 4, 5, 6]
        else:  # heading of link 7 stays
            now = psi[6] - goal.sum() + np.concatenate([[0.0], np.cumsum(goal)])
            moving = [0, 1, 2, 3]
        path = np.stack([psi[moving], now[moving]])
        if stage == 2:
            path = np.stack([nodes[4], nodes[2] + (links[2] + links[3]) * np.array([np.cos(now[2]), np.sin(now[2])])])
        legs.append(Leg(cycle, stage, links, nodes, psi, path, np.array([0.0, 1.0]), side, side))
        nodes, psi = (end[0] for end in legs[-1].at(1.0))
    return legs[0], legs[1], legs[2]


def ease(x: ArrayLike) -> FloatArray:
    """Quintic from 0 to 1 with zero speed and acceleration at both ends."""
    y = np.clip(np.asarray(x, dtype=float), 0.0, 1.0)
    return np.minimum(np.asarray(y * y * y * (10.0 + y * (6.0 * y - 15.0))), 1.0)


def duration(leg: Leg, speed: float, acceleration: float, points: int = 401) -> float:
    """Time in s in which no joint exceeds the speed (rad/s) and, on a free leg, the acceleration (rad/s^2)."""
    per_item("joint speed", speed, 1, 0.0, strict=True)
    per_item("joint acceleration", acceleration, 1, 0.0, strict=True)
    if not leg.free:
        points = max(points, 4 * len(leg.knots))
    x = np.linspace(0.0, 1.0, points)
    angles = leg.angles(ease(x))
    rate = np.abs(np.diff(angles, axis=0)).max(initial=0.0) / x[1]
    change = np.abs(np.diff(angles, n=2, axis=0)).max(initial=0.0) / x[1] ** 2 if leg.free else 0.0
    return float(1.01 * max(rate / speed, np.sqrt(change / acceleration), 1e-3))  # 1 %: what falls between the points


@dataclass(frozen=True, eq=False)
class Schedule:
    """Legs in time: before each, `handover` seconds in which old and new pins both hold; then its duration."""

    legs: tuple[Leg, ...]
    durations: tuple[float, ...]
    handover: float = 0.2
    solenoids_of_links: tuple[int, ...] = SOLENOIDS

    def __post_init__(self) -> None:
        if not self.legs or len(self.legs) != len(self.durations):
            raise InputError("a schedule needs legs and one duration for each")
        per_item("durations", self.durations, len(self.legs), 0.0, strict=True)
        per_item("handover", self.handover, 1, 0.0)

    @property
    def begins(self) -> FloatArray:
        """Times (k+1,) at which each leg's handover begins, and the end of all."""
        return np.concatenate([[0.0], np.cumsum(np.asarray(self.durations) + self.handover)])

    @property
    def time(self) -> float:
        """Time of all legs in s."""
        return float(self.begins[-1])

    def where(self, t: ArrayLike) -> tuple[np.ndarray, FloatArray]:
        """Number of the leg, from 0, and fraction s of its way at times t (k,); s = 0 during its handover."""
        times = np.clip(np.atleast_1d(np.asarray(t, dtype=float)), 0.0, self.time)
        leg = np.clip(np.searchsorted(self.begins, times, side="right") - 1, 0, len(self.legs) - 1)
        x = (times - self.begins[leg] - self.handover) / np.asarray(self.durations)[leg]
        return leg, ease(x)

    def at(self, t: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Nodes (k, 8, 2) in m and headings (k, 7) in rad at times t (k,)."""
        leg, s = self.where(t)
        nodes, psi = np.empty((leg.size, 8, 2)), np.empty((leg.size, 7))
        for i in np.unique(leg):
            now = leg == i
            nodes[now], psi[now] = self.legs[i].at(s[now])
        return nodes, psi

    def angles(self, t: ArrayLike) -> FloatArray:
        """Joint angles (k, 6) in rad."""
        return np.diff(self.at(t)[1], axis=1)

    def solenoids(self, t: ArrayLike) -> np.ndarray:
        """The vector T of 0 and 1 (k, solenoids), links in order; in a handover the old and the new pins."""
        times = np.clip(np.atleast_1d(np.asarray(t, dtype=float)), 0.0, self.time)
        leg, _ = self.where(times)
        links = np.array([[link in PINNED[stage] for link in range(1, LINKS + 1)] for stage in (1, 2, 3)])
        now = np.array([item.stage for item in self.legs])[leg] - 1
        pinned = links[now]
        waiting = times - self.begins[leg] <= self.handover
        pinned[waiting] |= links[(now[waiting] - 1) % 3]
        return np.repeat(pinned, self.solenoids_of_links, axis=1).astype(int)


def schedule(
    legs: tuple[Leg, ...], speed: float = 1.0, acceleration: float = 4.0, handover: float = 0.2,
    solenoids_of_links: tuple[int, ...] = SOLENOIDS,
) -> Schedule:  # fmt: skip
    """Legs in time within a joint speed (rad/s) and acceleration (rad/s^2)."""
    return Schedule(
        tuple(legs), tuple(duration(leg, speed, acceleration) for leg in legs), handover, solenoids_of_links
    )
