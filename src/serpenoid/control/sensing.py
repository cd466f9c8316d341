"""Where does a mechanical snake touch something, judged from its joint torques alone?

With the coordinates q of a stage (see `gaits.concertina_legs`) and virtual work, what the motors, the casters and inertia leave over is
the contact's:

    Q_c = sum_k (m_k J_k' a_k + I_k P_k' alpha_k) - sum_k J_k' f_k - sum_j tau_j (P_{j+1} - P_j)

J_k moves link k's centre of gravity, P_k turns it, f_k is the friction of its casters, tau_j the torque of joint j. A smooth contact at the distance
s from the tail-side end of link k, with force f along the link's normal n, gives

    Q_c = f (J_node' n) + (f s) P_k'                       linear in f and f s

so each link that moves is a candidate; those that explain Q_c with 0 <= s <= L_k are listed, all of them: torques alone cannot tell
them apart. Where the two columns are parallel only f s is known (link 5 in stage 1, which turns about a pinned joint: any place
along it will do), and `place` is None. Limits: one contact at a time for each open arm; friction on the obstacle and forces along the link (a tip
pushed head-on) are not seen as such; in stage 2 nothing is said where an elbow is nearly stretched.

Source: the controller without tactile sensors of Y. Shan, Y. Koren (1993), section IV; the mathematics is not given there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from serpenoid.core import Robot
from serpenoid.core.checks import FloatArray
from serpenoid.gaits.concertina_legs import MOVING, SIZE, slopes

GROUPS = {
    1: (((1, 2), (0, 1)), ((5, 6, 7), (2, 3, 4))),
    2: (((3, 4, 5, 6), (0, 1)),),
    3: (((1, 2, 3, 4), (0, 1, 2, 3)),),
}
STRETCHED = 0.1  # sine of an elbow of stage 2 below which nothing is said
FIT = 0.15  # of Q_c: what a candidate may leave unexplained
_PARALLEL = 0.05  # sine of the angle between the columns below which only f s is known
_LEVER = 0.25  # of a link: a force with a shorter lever on the joint before is not told from its moment
_SLACK = 0.1  # of a link: places beyond its ends by this much still count


@dataclass(frozen=True)
class Suspect:
    """A link (from 1) that may be touched: place from its tail-side end (m; None: anywhere along it), force (N) and its direction."""

    link: int
    place: float | None
    force: float  # where the place is unknown: in the middle of the link
    direction: tuple[float, float]  # of the force on the link
    misfit: float  # share of what was felt that it does not explain


@dataclass(frozen=True, eq=False)
class Moment:
    """What encoders and current sensors tell at one instant: nodes (8, 2) in m, headings, their rates and accelerations (7,), torques (6,)."""

    nodes: FloatArray
    headings: FloatArray
    rates: FloatArray
    accelerations: FloatArray
    torques: FloatArray


def felt(robot: Robot, stage: int, now: Moment, friction: float, smoothing: float, gravity: float) -> FloatArray | None:
    """Q_c, the part of the generalised forces (coordinates of the stage: N m, in stage 2 N) that only a contact explains.

    None where it cannot be told: an elbow of stage 2 is nearly stretched.
    """
    psi = now.headings
    if stage == 2 and min(abs(np.sin(psi[3] - psi[2])), abs(np.sin(psi[5] - psi[4]))) < STRETCHED:
        return None
    P, J = np.zeros((7, SIZE)), np.zeros((8, 2, SIZE))
    m = slopes(stage, psi, robot.link_length, P, J)
    along = np.stack([np.cos(psi), np.sin(psi)], axis=1)
    aside = np.stack([-along[:, 1], along[:, 0]], axis=1)
    velocity, acceleration = _node_motion(stage, robot, now, along, aside)
    total = np.zeros(m)
    for link in MOVING[stage]:
        k = link - 1
        com, foot = robot.com_offset[k], robot.contact_offset[k]
        turn = now.rates[k]
        a = acceleration[k] + com * (now.accelerations[k] * aside[k] - turn**2 * along[k])
        v = velocity[k] + foot * turn * aside[k]
        total += robot.link_mass[k] * (_lever(J, P, k, com, aside[k]).T @ a)[:m]
        total += robot.link_inertia[k] * P[k, :m] * now.accelerations[k]
        slide = np.array([v @ along[k], v @ aside[k]])
        force = -friction * robot.link_mass[k] * gravity * slide / np.sqrt(slide**2 + smoothing**2)
        total -= (_lever(J, P, k, foot, aside[k]).T @ (force[0] * along[k] + force[1] * aside[k]))[:m]
    return np.asarray(total - (now.torques @ np.diff(P, axis=0))[:m])


def _lever(J: FloatArray, P: FloatArray, k: int, at: float, aside: FloatArray) -> FloatArray:
    """Moves (2, SIZE) of the point of link k (from 0) at the distance `at` from its tail-side end."""
    return np.asarray(J[k] + at * np.outer(aside, P[k]))


def _node_motion(
    stage: int, robot: Robot, now: Moment, along: FloatArray, aside: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Velocities and accelerations (8, 2) of the nodes, from a pinned joint outwards."""
    v, a = np.zeros((8, 2)), np.zeros((8, 2))
    L, w, alpha = robot.link_length, now.rates, now.accelerations
    pivot = {1: (4, 2), 2: (2, 2), 3: (7, 4)}[stage]
    for k in range(pivot[0], 7):
        v[k + 1] = v[k] + L[k] * w[k] * aside[k]
        a[k + 1] = a[k] + L[k] * (alpha[k] * aside[k] - w[k] ** 2 * along[k])
    for k in range(pivot[1] - 1, -1, -1):
        v[k] = v[k + 1] - L[k] * w[k] * aside[k]
        a[k] = a[k + 1] - L[k] * (alpha[k] * aside[k] - w[k] ** 2 * along[k])
    return v, a


def suspects(
    robot: Robot, stage: int, now: Moment, left_over: FloatArray | None, threshold: float
) -> tuple[Suspect, ...]:
    """All links that one contact could be on, those of the arm that feels most first, the best of an arm first; none if what is left over is below the threshold (N m)."""
    if left_over is None:
        return ()
    P, J = np.zeros((7, SIZE)), np.zeros((8, 2, SIZE))
    slopes(stage, now.headings, robot.link_length, P, J)
    level = threshold / (float(robot.link_length.mean()) if stage == 2 else 1.0)
    found: list[tuple[float, float, Suspect]] = []
    for links, columns in GROUPS[stage]:
        part = left_over[list(columns)]
        size = float(np.abs(part).max())
        if size > level:
            explained = [_explain(robot, link, now, P, J, part, list(columns)) for link in links]
            found += [(-size, s.misfit, s) for s in explained if s is not None]
    return tuple(s for _, _, s in sorted(found, key=lambda item: item[:2]))


def _explain(
    robot: Robot, link: int, now: Moment, P: FloatArray, J: FloatArray, part: FloatArray, columns: list[int]
) -> Suspect | None:
    """The contact on a link that fits best, if it fits."""
    k, length = link - 1, float(robot.link_length[link - 1])
    psi = now.headings[k]
    n = np.array([-np.sin(psi), np.cos(psi)])
    a, b = (J[k].T @ n)[columns], P[k, columns]
    size_a, size_b = float(np.linalg.norm(a)), float(np.linalg.norm(b))
    sine = 0.0
    if size_a > _LEVER * length * size_b and size_b > 1e-9:
        sine = float(np.sqrt(max(0.0, 1.0 - (a @ b / (size_a * size_b)) ** 2)))
    place: float | None = None
    A = np.stack([a, b], axis=1)
    force, moment = np.linalg.lstsq(A, part, rcond=None)[0]
    misfit = float(np.linalg.norm(A @ (force, moment) - part))
    if sine > _PARALLEL:
        if abs(force) < 1e-12:
            return None
        place = float(moment / force)
        if not -_SLACK * length <= place <= (1.0 + _SLACK) * length:
            return None
        place = min(max(place, 0.0), length)
    else:
        column = a + 0.5 * length * b
        size = float(column @ column)
        if size < 1e-18:
            return None
        force = float(column @ part) / size
    share = misfit / float(np.linalg.norm(part))
    if share > FIT:
        return None
    direction = np.sign(force) * n
    return Suspect(link, place, abs(float(force)), (float(direction[0]), float(direction[1])), share)
