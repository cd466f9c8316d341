"""Our ground and friction law as forces for the dynamics of another package: explicit, or at the velocity it will reach.

`AppliedGround.forces` evaluates the law at the poses and velocities given: what any package takes as external forces. Friction
of slope mu N / smoothing is stiff: applied so, it is stable only while step < 2 m_eff smoothing / (mu N), m_eff the mass that
a contact feels. Above that it chatters about sticking.

`AppliedGround.forces_ahead` does what an implicit contact does. A package that steps its velocities by

    H (v' - v) = h (p + sum over contacts G' f)         q' = q + h v'

(H: its inertia matrix with whatever it treats implicitly; p: its own generalised forces) is handed the forces f that our law has
at v', found by Newton with the package's own H, p and Jacobians. The step is still entirely the package's: it computes v' again
from f, and arrives where the iteration said (`velocity`). Since v' carries q to q', it is the velocity of the middle of the step:
contact points, gaps and slip are taken at the pose `middle` (q + h v / 2), and the normal force at the gap that the step ends
with, N = max(0, -k (g + h v_n' / 2) - d v_n'). Forces and torques act on the links where they are `now`.

| array | shape | unit |
|---|---|---|
| `Pose.place`, `.frames` | (n, 3) tail-side joints, (n, 3, 3) rotation matrices of the links | m, - |
| `Pose.axes`, `.about` | (N, 6) twist about the point (3,) `about` by a unit of each velocity: angular, linear | |
| `spin`, `velocity` | (n, 3) angular velocities, velocities of the tail-side joints | rad/s, m/s |
| `reach` | (n,) how many of the N velocities move a link: those of a serial chain | |
| result | (n, 3) forces and torques about the links' centres of gravity | N, N m |

All in world axes. There is no gravity in it. Bristles are kept from call to call: one call a step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.compiled import kernel, njit
from serpenoid.contact import COUPLED, patch_table
from serpenoid.contact.touch import FN, FT
from serpenoid.core import FloatArray, Robot, World
from serpenoid.spatial._old.contacts import look, push, remember, settle, slopes, surface_of, wrenches
from serpenoid.spatial._old.detect import slip
from serpenoid.spatial._old.kinematics import COM, EX, EY, EZ, FA, FL, PG, PJ, V, W, body_for, chain_of
from serpenoid.spatial._old.spots import CX, LINK, NORMAL, NX, SX, TX, VP, slots_of, terrain_of

_NEWTON, _SECANT = 25, 12  # iterations
_FRESH = 12  # of them, those whose friction limits follow the normal forces


class Pose(NamedTuple):
    """Links of a chain somewhere, and how the generalised velocities move them there."""

    place: FloatArray  # (n, 3) m
    frames: FloatArray  # (n, 3, 3)
    about: FloatArray  # (3,) m
    axes: FloatArray  # (N, 6)


@njit
def adopt(chain, b, place, frames, about):
    """Poses of the links into b, relative to the point `about`."""
    for i in range(b.shape[0]):
        for e in range(3):
            b[i, EX + e], b[i, EY + e], b[i, EZ + e] = frames[i, e, 0], frames[i, e, 1], frames[i, e, 2]
            b[i, PJ + e] = place[i, e] - about[e]
            b[i, PG + e] = b[i, PJ + e] + chain.link[i, COM] * b[i, EX + e]


@njit
def hand_over(chain, surface, b, count, out):
    """Forces and torques about the links' centres of gravity into out (2, n, 3); number that press and largest normal force."""
    wrenches(chain, surface, b, count, 0.0)
    for i in range(b.shape[0]):
        x, y, z = b[i, PG], b[i, PG + 1], b[i, PG + 2]
        fx, fy, fz = b[i, FL], b[i, FL + 1], b[i, FL + 2]
        out[0, i, 0], out[0, i, 1], out[0, i, 2] = fx, fy, fz
        out[1, i, 0] = b[i, FA] - (y * fz - z * fy)
        out[1, i, 1] = b[i, FA + 1] - (z * fx - x * fz)
        out[1, i, 2] = b[i, FA + 2] - (x * fy - y * fx)
    pressing, top = 0, 0.0
    for a in range(count):
        pressing += surface.spots[a, NORMAL] > 0.0
        top = max(top, surface.spots[a, NORMAL])
    return pressing, top


@kernel
def at_present(chain, terrain, surface, b, place, frames, spin, velocity, dt, step, out):
    """The law at poses and velocities as they are."""
    about = place[0]
    adopt(chain, b, place, frames, about)
    for i in range(b.shape[0]):
        x, y, z = b[i, PJ], b[i, PJ + 1], b[i, PJ + 2]
        w0, w1, w2 = spin[i, 0], spin[i, 1], spin[i, 2]
        b[i, W], b[i, W + 1], b[i, W + 2] = w0, w1, w2
        b[i, V] = velocity[i, 0] - (w1 * z - w2 * y)
        b[i, V + 1] = velocity[i, 1] - (w2 * x - w0 * z)
        b[i, V + 2] = velocity[i, 2] - (w0 * y - w1 * x)
    count, _, _ = look(chain, terrain, surface, b, about[0], about[1], about[2], step, True)
    push(chain, surface, count, count, dt, False, True)
    remember(surface, count, count, about[0], about[1], dt, step)
    return hand_over(chain, surface, b, count, out)


@njit
def move(b, axes, reach, v):
    """Twists of the links at velocities v."""
    t0, t1, t2, t3, t4, t5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    k = 0
    for i in range(b.shape[0]):
        while k < reach[i]:
            r = v[k]
            t0, t1, t2 = t0 + r * axes[k, 0], t1 + r * axes[k, 1], t2 + r * axes[k, 2]
            t3, t4, t5 = t3 + r * axes[k, 3], t4 + r * axes[k, 4], t5 + r * axes[k, 5]
            k += 1
        b[i, W], b[i, W + 1], b[i, W + 2], b[i, V], b[i, V + 1], b[i, V + 2] = t0, t1, t2, t3, t4, t5


@njit
def row_of(axes, last, x, y, z, u, v, w, g):
    """Velocity along (u, v, w) of a link's point (x, y, z) by a unit of each of its `last` generalised velocities, into g."""
    a0, a1, a2 = y * w - z * v, z * u - x * w, x * v - y * u
    for k in range(last):
        s = axes[k]
        g[k] = s[0] * a0 + s[1] * a1 + s[2] * a2 + s[3] * u + s[4] * v + s[5] * w


@kernel
def gather(surface, now, middle, shift, reach, count, dt, matrix, right, rows):
    """Add the contacts' impulses and slopes, at their present velocities, to the matrix and right side of a correction."""
    coupled = surface.kind == COUPLED
    for a in range(count):
        spot = surface.spots[a]
        i = int(spot[LINK])
        last, s, x, y, z = reach[i], shift[i], spot[CX], spot[CX + 1], spot[CX + 2]
        for e, first in enumerate((NX, TX, SX)):
            u, v, w = spot[first], spot[first + 1], spot[first + 2]
            row_of(middle.axes, last, x, y, z, u, v, w, rows[e])
            row_of(now.axes, last, x + s[0], y + s[1], z + s[2], u, v, w, rows[3 + e])
        kn, kt, ks, mixed = slopes(surface, a, coupled)
        fn, ft, fs = spot[NORMAL], surface.touch[FT, a], surface.touch[FN, a]
        for j in range(last):
            pn, pt, ps = dt * rows[3, j], dt * rows[4, j], dt * rows[5, j]
            right[j] += pn * fn + pt * ft + ps * fs
            qn, qt, qs = pn * kn, pt * kt + ps * mixed, ps * ks + pt * mixed
            for k in range(last):
                matrix[j, k] += qn * rows[0, k] + qt * rows[1, k] + qs * rows[2, k]


@njit
def shifts(chain, b, now, shift):
    """Where the links' centres of gravity are now, less where they are in b; each about its own point."""
    for i in range(b.shape[0]):
        for e in range(3):
            centre = now.place[i, e] - now.about[e] + chain.link[i, COM] * now.frames[i, e, 0]
            shift[i, e] = centre - b[i, PG + e]


@kernel
def ahead(chain, terrain, surface, b, now, middle, reach, v, pushed, inertia, dt, step, tolerance, out):
    """The law at the velocities that a step will reach; v becomes those. (pressing, largest normal force, iterations)."""
    about = middle.about
    adopt(chain, b, middle.place, middle.frames, about)
    shift, rows = np.zeros((b.shape[0], 3)), np.zeros((6, len(v)))
    shifts(chain, b, now, shift)
    count, _, _ = look(chain, terrain, surface, b, about[0], about[1], about[2], step, False)
    for a in range(count):
        surface.spots[a, VP] = 0.0  # the gap runs from that of the middle
    momentum = inertia @ v + dt * pushed
    base, best, scale, it = v.copy(), np.inf, 1.0, 0
    move(b, middle.axes, reach, v)
    slip(b, surface.spots, surface.touch, count)
    for it in range(_NEWTON + _SECANT):
        secant = it >= _NEWTON
        push(chain, surface, count, count, dt, secant, it < _FRESH)
        matrix, right = inertia.copy(), momentum - inertia @ v
        gather(surface, now, middle, shift, reach, count, dt, matrix, right, rows)
        tried = v + np.linalg.solve(matrix, right)
        move(b, middle.axes, reach, tried)
        change = slip(b, surface.spots, surface.touch, count)
        if not secant and change > best and scale > 0.02:
            # a worse place than the last: half of the way that led here
            scale *= 0.5
            v[:] = 0.5 * (v + base)
            move(b, middle.axes, reach, v)
            slip(b, surface.spots, surface.touch, count)
            continue
        best, scale = change, 1.0
        base[:] = v
        v[:] = tried
        if count == 0 or change < tolerance:
            break
    settle(surface, count, surface.kind == COUPLED)
    remember(surface, count, count, about[0], about[1], dt, step)
    pressing, top = hand_over(chain, surface, b, count, out)
    return pressing, top, it + 1


class AppliedGround:
    """Ground, obstacles and friction of a world under a robot, as forces on its links."""

    def __init__(self, robot: Robot, world: World, step: float, tolerance: float | None = None) -> None:
        self.step = step  # s
        self.tolerance = tolerance or min(1e-5, 1e-2 * getattr(world.friction, "smoothing", 1.0))  # m/s
        self.chain = chain_of(robot, np.asarray(world.edge_angle, dtype=float))
        self.terrain = terrain_of(robot, world, patch_table(world))
        self.surface = surface_of(world.friction, world.gravity, robot.links, slots_of(robot, self.terrain))
        self.b, _ = body_for(robot)
        self.out = np.zeros((2, robot.links, 3))
        self.calls = 0
        self.contacts = 0  # that pressed in the last call
        self.normal_force = 0.0  # N, the largest of them
        self.iterations = 0  # of all calls
        self.velocity = np.zeros(0)  # (N,) that `forces_ahead` expects at the end of the step

    def forces(
        self, place: FloatArray, frames: FloatArray, spin: FloatArray, velocity: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Forces and torques on the links at these poses and velocities."""
        self.calls += 1
        self.contacts, self.normal_force = at_present(
            self.chain, self.terrain, self.surface, self.b, place, frames, spin, velocity, self.step, float(self.calls),
            self.out,
        )  # fmt: skip
        return self.out[0], self.out[1]

    def forces_ahead(
        self,
        now: Pose,
        middle: Pose,
        reach: NDArray[np.int64],
        velocity: FloatArray,
        pushed: FloatArray,
        inertia: FloatArray,
    ) -> tuple[FloatArray, FloatArray]:
        """Forces and torques at the end of a step from generalised velocities (N,) under generalised forces `pushed` (N,)."""
        self.calls += 1
        self.velocity = velocity.copy()
        self.contacts, self.normal_force, iterations = ahead(
            self.chain, self.terrain, self.surface, self.b, now, middle, reach, self.velocity, pushed, inertia, self.step,
            float(self.calls), self.tolerance, self.out,
        )  # fmt: skip
        self.iterations += iterations
        return self.out[0], self.out[1]
