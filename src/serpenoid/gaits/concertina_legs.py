"""One stage of concertina motion as a continuous motion: where are all joints at the fraction s of the way?

The seven links, tail first, have lengths L_k and headings psi_k; node 0 is the tip of the tail, node k is joint k at the end of
link k, node 7 is the tip of the head. Joint angles are theta_k = psi_{k+1} - psi_k, always in (-pi, pi). In each stage some
links are pinned and do not move at all; the others follow from a few free coordinates:

| stage | pinned links | moving links | coordinates |
|---|---|---|---|
| 1 | 3, 4 | 5, 6, 7 ahead of joint 4 and 1, 2 behind joint 2: open chains | their headings |
| 2 | 1, 2, 7 | 3, 4, 5, 6: a closed five-bar chain between joints 2 and 6 | place of joint 4 |
| 3 | 5, 6, 7 | 1, 2, 3, 4 behind joint 4: an open chain | their headings |

A `Leg` is a path of these coordinates through knots, straight between them. In stage 2 both elbows follow from joint 4 by the
law of cosines with a fixed side (+1: left of the line that they span, theta <= 0, as in the paper; -1: its mirror image), so the
chain is closed at every instant; interpolating all joint angles instead would open it by up to 0.46 L. A free leg of stage 2
has joint 4 at the fraction s^2 (3 - 2 s) of a straight line: at its ends the elbows are stretched, their angles go with the root
of that fraction, and so are smooth in s.

With the derivatives P = dpsi/dq of the headings, the nodes ahead of a pinned joint move by the sums of L_k u'(psi_k) P_k, those behind
by minus them (u' = (-sin psi, cos psi)). In stage 2 closure gives, with theta_3 = psi_4 - psi_3 and theta_5 = psi_6 - psi_5,

    dpsi_3 = u_4 dq / (L3 sin theta_3),    dpsi_4 = -u_3 dq / (L4 sin theta_3)
    dpsi_5 = -u_6 dq / (L5 sin theta_5),   dpsi_6 = u_5 dq / (L6 sin theta_5)

which is singular where an elbow is stretched.

Source: Y. Shan, Y. Koren, "Design and Motion Planning of a Mechanical Snake" (1993), section III.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.compiled import kernel, njit
from serpenoid.core.checks import FloatArray
from serpenoid.core.errors import InputError

PINNED = {1: (3, 4), 2: (1, 2, 7), 3: (5, 6, 7)}
_STRETCHED = 8e-15  # of a link: bends whose root would be rounding
MOVING = {1: (1, 2, 5, 6, 7), 2: (3, 4, 5, 6), 3: (1, 2, 3, 4)}
SIZE = 5  # most coordinates of a stage


class StageKind(NamedTuple):
    """What kernels must know of a stage: its number, how many coordinates it has, and the sides of both elbows."""

    number: int  # 1, 2 or 3
    size: int  # coordinates
    rear: float  # side of joint 3: +1 or -1
    front: float  # side of joint 5: +1 or -1


@njit
def stage_kind(number, rear, front):
    """The kind of a stage by its number and the sides of its elbows."""
    size = 2
    if number == 1:
        size = 5
    elif number == 3:
        size = 4
    return StageKind(number, size, rear, front)


@njit
def wrapped(angle):
    """The same angle in (-pi, pi]."""
    return angle - 2.0 * np.pi * np.ceil((angle - np.pi) / (2.0 * np.pi))


@njit
def elbow(ax, ay, bx, by, first, second, side):
    """Headings of two links that join a to b with their joint to the left (side 1) or the right (-1) of the line."""
    dx, dy = bx - ax, by - ay
    d = max(np.sqrt(dx * dx + dy * dy), 1e-300)
    along = 0.5 * (d + (first - second) * (first + second) / d)
    aside = np.sqrt((first - along) * (first + along)) if first - along > _STRETCHED * first else 0.0
    line = np.arctan2(dy, dx)
    return line + side * np.arctan2(aside, along), line - side * np.arctan2(aside, d - along)


@njit
def _forward(nodes, psi, lengths, first, last):
    """Place nodes first+1 .. last ahead of node `first`."""
    for k in range(first, last):
        nodes[k + 1, 0] = nodes[k, 0] + lengths[k] * np.cos(psi[k])
        nodes[k + 1, 1] = nodes[k, 1] + lengths[k] * np.sin(psi[k])


@njit
def _backward(nodes, psi, lengths, first):
    """Place nodes first-1 .. 0 behind node `first`."""
    for k in range(first - 1, -1, -1):
        nodes[k, 0] = nodes[k + 1, 0] - lengths[k] * np.cos(psi[k])
        nodes[k, 1] = nodes[k + 1, 1] - lengths[k] * np.sin(psi[k])


@njit
def _close(q, lengths, rear, front, nodes, psi):
    """Stage 2: place joints 3, 4, 5 for joint 4 at q; headings stay within half a turn of their neighbours'."""
    nodes[4, 0], nodes[4, 1] = q[0], q[1]
    a, b = elbow(nodes[2, 0], nodes[2, 1], q[0], q[1], lengths[2], lengths[3], rear)
    psi[2] = psi[1] + wrapped(a - psi[1])
    psi[3] = psi[2] + wrapped(b - a)
    a, b = elbow(q[0], q[1], nodes[6, 0], nodes[6, 1], lengths[4], lengths[5], front)
    psi[4] = psi[3] + wrapped(a - psi[3])
    psi[5] = psi[4] + wrapped(b - a)
    psi[6] = psi[5] + wrapped(psi[6] - psi[5])
    nodes[3, 0] = nodes[2, 0] + lengths[2] * np.cos(psi[2])
    nodes[3, 1] = nodes[2, 1] + lengths[2] * np.sin(psi[2])
    nodes[5, 0] = q[0] + lengths[4] * np.cos(psi[4])
    nodes[5, 1] = q[1] + lengths[4] * np.sin(psi[4])


@njit
def set_posture(nodes, psi, new_nodes, new_psi):
    """Copy nodes and headings (loops: slices would compile five times as long)."""
    for k in range(8):
        nodes[k, 0], nodes[k, 1] = new_nodes[k, 0], new_nodes[k, 1]
    for k in range(7):
        psi[k] = new_psi[k]


@njit
def forward_kinematics(kind, q, lengths, nodes, psi):
    """Fill the moving nodes (8, 2) and headings (7,) from the coordinates q of the stage; the others are left as they are."""
    if kind.number == 1:
        psi[0], psi[1], psi[4], psi[5], psi[6] = q[0], q[1], q[2], q[3], q[4]
        _forward(nodes, psi, lengths, 4, 7)
        _backward(nodes, psi, lengths, 2)
    elif kind.number == 2:
        _close(q, lengths, kind.rear, kind.front, nodes, psi)
    else:
        psi[0], psi[1], psi[2], psi[3] = q[0], q[1], q[2], q[3]
        _backward(nodes, psi, lengths, 4)


@njit
def coordinates(number, nodes, psi, q):
    """Fill the coordinates of a stage from nodes and headings."""
    if number == 1:
        q[0], q[1], q[2], q[3], q[4] = psi[0], psi[1], psi[4], psi[5], psi[6]
    elif number == 2:
        q[0], q[1] = nodes[4, 0], nodes[4, 1]
    else:
        q[0], q[1], q[2], q[3] = psi[0], psi[1], psi[2], psi[3]


@njit
def _turn(J, node, before, psi, length, P, k, m, sign):
    """Move of a node one link from another: J[node] = J[before] + sign L u'(psi) P_k."""
    c, s = np.cos(psi), np.sin(psi)
    for j in range(m):
        J[node, 0, j] = J[before, 0, j] - sign * length * s * P[k, j]
        J[node, 1, j] = J[before, 1, j] + sign * length * c * P[k, j]


@njit
def _bend(P, k, psi_first, psi_second, first, second, sign):
    """Rows of P for the two links of an elbow whose far end (sign 1) or near end (-1) is q."""
    s = np.sin(psi_second - psi_first)
    P[k, 0], P[k, 1] = sign * np.cos(psi_second) / (first * s), sign * np.sin(psi_second) / (first * s)
    P[k + 1, 0], P[k + 1, 1] = -sign * np.cos(psi_first) / (second * s), -sign * np.sin(psi_first) / (second * s)


@kernel
def slopes(stage, psi, lengths, P, J):
    """Fill P (7, 5) = dpsi/dq and J (8, 2, 5) = d nodes/dq of the stage; the number of coordinates."""
    P.fill(0.0)
    J.fill(0.0)
    if stage == 2:
        _bend(P, 2, psi[2], psi[3], lengths[2], lengths[3], 1.0)
        _bend(P, 4, psi[4], psi[5], lengths[4], lengths[5], -1.0)
        _turn(J, 3, 2, psi[2], lengths[2], P, 2, 2, 1.0)
        J[4, 0, 0], J[4, 1, 1] = 1.0, 1.0
        _turn(J, 5, 6, psi[5], lengths[5], P, 5, 2, -1.0)
        return 2
    m = 5 if stage == 1 else 4
    if stage == 1:
        P[0, 0], P[1, 1], P[4, 2], P[5, 3], P[6, 4] = 1.0, 1.0, 1.0, 1.0, 1.0
        for k in range(4, 7):
            _turn(J, k + 1, k, psi[k], lengths[k], P, k, m, 1.0)
    else:
        P[0, 0], P[1, 1], P[2, 2], P[3, 3] = 1.0, 1.0, 1.0, 1.0
    for k in range(1 if stage == 1 else 3, -1, -1):
        _turn(J, k, k + 1, psi[k], lengths[k], P, k, m, -1.0)
    return m


@kernel
def sample(kind, knots, path, lengths, base, turned, smooth, s, nodes, psi):
    """Fill nodes (m, 8, 2) and headings (m, 7) at the fractions s of a path through knots."""
    last = knots.shape[0] - 1
    q = np.empty(path.shape[1])
    k = 0
    for i in range(s.shape[0]):
        x = min(max(s[i], 0.0), 1.0)
        if x < knots[k]:
            k = 0
        while k < last - 1 and x > knots[k + 1]:
            k += 1
        f = (x - knots[k]) / (knots[k + 1] - knots[k])
        if smooth:
            f = f * f * (3.0 - 2.0 * f)
        for j in range(q.shape[0]):
            q[j] = (1.0 - f) * path[k, j] + f * path[k + 1, j]
        set_posture(nodes[i], psi[i], base, turned)
        forward_kinematics(kind, q, lengths, nodes[i], psi[i])


@dataclass(frozen=True, eq=False)
class Leg:
    """One stage of one cycle; `contacts` lists what it touched. Links count from 1 at the tail."""

    cycle: int
    stage: int
    lengths: FloatArray = field(repr=False)  # (7,) m
    base: FloatArray = field(repr=False)  # (8, 2) m: nodes at s = 0
    turned: FloatArray = field(repr=False)  # (7,) rad: headings at s = 0
    path: FloatArray = field(repr=False)  # (k, m): coordinates of the stage at the knots; rad, or m in stage 2
    knots: FloatArray = field(repr=False)  # (k,): s of the knots, from 0 to 1
    rear: int = 1  # side of joint 3
    front: int = 1  # side of joint 5
    contacts: tuple[Any, ...] = ()
    coarse: int = 0  # stretches between knots that may enter an obstacle by more than 1e-6 L
    sunk: int = 0  # those among them that enter it by more than 1e-4 L: the leg cannot be carried out

    @property
    def kind(self) -> StageKind:
        """What kernels must know of the stage."""
        return StageKind(*stage_kind(self.stage, float(self.rear), float(self.front)))

    @property
    def pinned(self) -> tuple[int, ...]:
        """Links held to the ground."""
        return PINNED[self.stage]

    @property
    def moving(self) -> tuple[int, ...]:
        """Links that move."""
        return MOVING[self.stage]

    @property
    def free(self) -> bool:
        """Whether this is the motion without contact: two knots only."""
        return len(self.knots) == 2

    def at(self, s: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Nodes (k, 8, 2) in m and headings (k, 7) in rad at fractions s (k,) of the way."""
        x = np.atleast_1d(np.asarray(s, dtype=float))
        if x.ndim != 1 or not np.all((x >= 0.0) & (x <= 1.0)):
            raise InputError("s must be one fraction from 0 to 1, or a row of them")
        nodes, psi = np.empty((x.size, 8, 2)), np.empty((x.size, 7))
        sample(
            self.kind, self.knots, self.path, self.lengths, self.base, self.turned, self.stage == 2 and self.free, x, nodes, psi,
        )  # fmt: skip
        return nodes, psi

    def nodes(self, s: ArrayLike) -> FloatArray:
        """Nodes (k, 8, 2) in m: tip of the tail, joints 1 to 6, tip of the head."""
        return self.at(s)[0]

    def headings(self, s: ArrayLike) -> FloatArray:
        """Headings of the links (k, 7) in rad."""
        return self.at(s)[1]

    def angles(self, s: ArrayLike) -> FloatArray:
        """Joint angles theta_1 .. theta_6 (k, 6) in rad."""
        return np.diff(self.at(s)[1], axis=1)
