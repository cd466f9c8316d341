"""Dynamics of a floating chain in space, in O(n): momenta, the chain solved by recursion, accelerations, reactions.

Everything is in world axes about one point O, the body's centre of gravity (see `spatial.kinematics`), so that the
momenta, forces and matrices of different links simply add up. Links are symmetric about their axis e: inertia
I_t 1 + (I_a - I_t) e e'. With the spatial inertia M_i of a link about O and its twist t_i:

    momentum   h_i = M_i t_i            law   d h_i / dt = f_i            (no Coriolis terms: axes and O do not turn)

Recursion. Let every link obey  A_i t_i = b_i + (what the joint at its tail side passes on) - (what it passes on to the
outer links) with t_i = t_{i-1} + S q', and every joint axis pass on S . (wrench) = T - D q'. From the head inwards q' is
eliminated, which leaves the outer links as one symmetric 6 x 6 matrix and a right side:

    u = A S,   q' = (T + S.b - u.t_{i-1}) / (S.u + D),   A <- A - u u' / (S.u + D),   b <- b - u (T + S.b) / (S.u + D)

A joint whose rate is given (D < 0, T the rate) takes b <- b - u T and leaves A as it is. The same recursion gives implicit velocities (A the inertia with the slopes of the contacts, b momenta and impulses) and
accelerations (A the inertia, b the forces less what the velocities ask for): `newton.solve_links`, `torque_acceleration`. A is summed up on the
way and never stored.

Matrices are 21 numbers (`spatial.matrices`).
"""

from __future__ import annotations

from serpenoid.compiled import njit
from serpenoid.contact.joint import JOINT_DAMPING, ROTOR
from serpenoid.spatial.kinematics import propagate_twists
from serpenoid.spatial.layout import (
    AXIAL,
    EX,
    FA,
    MASS,
    NA,
    PG,
    QD,
    SA,
    SL,
    TAU,
    TRANSVERSE,
    UE,
    UR,
    A,
    B,
    D,
    T,
    U,
    V,
    W,
)  # fmt: skip
from serpenoid.spatial.matrices import add_square, link_inertia, plus, solve6, summed, times


@njit
def inertia_of(chain, body, i):
    """Spatial inertia of link i about O."""
    return link_inertia(
        chain.links[MASS, i], chain.links[TRANSVERSE, i], chain.links[AXIAL, i],
        body[EX, i], body[EX + 1, i], body[EX + 2, i], body[PG, i], body[PG + 1, i], body[PG + 2, i],
    )  # fmt: skip


@njit
def momentum_of(chain, body, i, w0, w1, w2, v0, v1, v2):
    """Momentum of link i about O, angular then linear, at a twist."""
    m, transverse, g = (
        chain.links[MASS, i],
        chain.links[TRANSVERSE, i],
        chain.links[AXIAL, i] - chain.links[TRANSVERSE, i],
    )
    ex, ey, ez, x, y, z = body[EX, i], body[EX + 1, i], body[EX + 2, i], body[PG, i], body[PG + 1, i], body[PG + 2, i]
    p0, p1, p2 = m * (v0 + w1 * z - w2 * y), m * (v1 + w2 * x - w0 * z), m * (v2 + w0 * y - w1 * x)
    along = g * (ex * w0 + ey * w1 + ez * w2)
    return (
        transverse * w0 + along * ex + y * p2 - z * p1,
        transverse * w1 + along * ey + z * p0 - x * p2,
        transverse * w2 + along * ez + x * p1 - y * p0,
        p0, p1, p2,
    )  # fmt: skip


@njit
def carried(chain, body, i, vx, vy, vz):
    """Momentum that link i has by moving along with the centre of gravity at (vx, vy, vz): angular, linear."""
    m, x, y, z = chain.links[MASS, i], body[PG, i], body[PG + 1, i], body[PG + 2, i]
    px, py, pz = m * vx, m * vy, m * vz
    return y * pz - z * py, z * px - x * pz, x * py - y * px, px, py, pz


@njit
def momentum_before(chain, body, kept, i, vx, vy, vz):
    """Momentum of link i from the kept one, relative to a centre of gravity that moves at (vx, vy, vz)."""
    a0, a1, a2, a3, a4, a5 = carried(chain, body, i, vx, vy, vz)
    return kept[0, i] + a0, kept[1, i] + a1, kept[2, i] + a2, kept[3, i] + a3, kept[4, i] + a4, kept[5, i] + a5


@njit
def twist_of(body, i):
    """Twist of link i, angular then linear."""
    return body[W, i], body[W + 1, i], body[W + 2, i], body[V, i], body[V + 1, i], body[V + 2, i]


@njit
def momenta(chain, body):
    """Fill the momenta NA, NL of all links from their twists; returns their sum."""
    s0, s1, s2, s3, s4, s5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(body.shape[1]):
        h = momentum_of(
            chain, body, i, body[W, i], body[W + 1, i], body[W + 2, i], body[V, i], body[V + 1, i], body[V + 2, i]
        )
        for e in range(6):
            body[NA + e, i] = h[e]
        s0, s1, s2, s3, s4, s5 = s0 + h[0], s1 + h[1], s2 + h[2], s3 + h[3], s4 + h[4], s5 + h[5]
    return s0, s1, s2, s3, s4, s5


@njit
def momentum_sum(chain, body):
    """Momentum of the whole body from the twists of its links."""
    s0, s1, s2, s3, s4, s5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(body.shape[1]):
        h = momentum_of(
            chain, body, i, body[W, i], body[W + 1, i], body[W + 2, i], body[V, i], body[V + 1, i], body[V + 2, i]
        )
        s0, s1, s2, s3, s4, s5 = s0 + h[0], s1 + h[1], s2 + h[2], s3 + h[3], s4 + h[4], s5 + h[5]
    return s0, s1, s2, s3, s4, s5


@njit
def kinetic_energy(body):
    """Kinetic energy from the twists and the momenta NA, NL."""
    energy = 0.0
    for i in range(body.shape[1]):
        for e in range(6):
            energy += 0.5 * body[W + e, i] * body[NA + e, i]
    return energy


@njit
def body_inertia(chain, body):
    """Spatial inertia of the whole body about O, joints held."""
    a = inertia_of(chain, body, 0)
    for i in range(1, body.shape[1]):
        a = summed(a, inertia_of(chain, body, i))
    return a


@njit
def matrix_at(body, i):
    """The 21 numbers of link i's matrix A."""
    return (
        body[A, i], body[A + 1, i], body[A + 2, i], body[A + 3, i], body[A + 4, i], body[A + 5, i], body[A + 6, i], body[A + 7, i], body[A + 8, i],
        body[A + 9, i], body[A + 10, i], body[A + 11, i], body[A + 12, i], body[A + 13, i], body[A + 14, i], body[A + 15, i], body[A + 16, i],
        body[A + 17, i], body[A + 18, i], body[A + 19, i], body[A + 20, i],
    )  # fmt: skip


@njit
def eliminate(axes, k, a, r):
    """Matrix and right side of the outer links with axis k eliminated; what its rate will need stays in U, UR and UE."""
    s = (axes[SA, k], axes[SA + 1, k], axes[SA + 2, k], axes[SL, k], axes[SL + 1, k], axes[SL + 2, k])
    u = times(a, s)
    if axes[D, k] < 0.0:  # held: T is its rate
        x = axes[T, k]
        axes[UR, k] = x
        for c in range(6):
            axes[U + c, k] = 0.0
        return a, plus(r, -x, u)
    e = 1.0 / (s[0] * u[0] + s[1] * u[1] + s[2] * u[2] + s[3] * u[3] + s[4] * u[4] + s[5] * u[5] + axes[D, k])
    x = axes[T, k] + s[0] * r[0] + s[1] * r[1] + s[2] * r[2] + s[3] * r[3] + s[4] * r[4] + s[5] * r[5]
    x *= e
    axes[UR, k], axes[UE, k] = x, e
    axes[U, k], axes[U + 1, k], axes[U + 2, k] = e * u[0], e * u[1], e * u[2]
    axes[U + 3, k], axes[U + 4, k], axes[U + 5, k] = e * u[3], e * u[4], e * u[5]
    return add_square(a, u, -e), plus(r, -x, u)


@njit
def outward(axes, k, rate, x):
    """Rate of axis k, into row `rate`, and the twist beyond it, from the twist x before it."""
    y = axes[UR, k] - axes[U, k] * x[0] - axes[U + 1, k] * x[1] - axes[U + 2, k] * x[2]
    y = y - axes[U + 3, k] * x[3] - axes[U + 4, k] * x[4] - axes[U + 5, k] * x[5]
    axes[rate, k] = y
    return (
        x[0] + y * axes[SA, k], x[1] + y * axes[SA + 1, k], x[2] + y * axes[SA + 2, k],
        x[3] + y * axes[SL, k], x[4] + y * axes[SL + 1, k], x[5] + y * axes[SL + 2, k],
    )  # fmt: skip


@njit
def set_twist(body, i, x):
    """Set the twist of link i."""
    body[W, i], body[W + 1, i], body[W + 2, i], body[V, i], body[V + 1, i], body[V + 2, i] = x


@njit
def right_side(body, i):
    """Right side B of link i."""
    return body[B, i], body[B + 1, i], body[B + 2, i], body[B + 3, i], body[B + 4, i], body[B + 5, i]


@njit
def velocity_forces(chain, body, axes):
    """Fill B of the links with the wrench FA, FL less what the velocities ask for: the gyroscopic part and that of turning axes."""
    z0, z1, z2, z3, z4, z5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(body.shape[1]):
        if i > 0:
            # accelerations of the twists by the turning of the axes: (w, v)_{i-1} crossed with S q'
            w0, w1, w2 = body[W, i - 1], body[W + 1, i - 1], body[W + 2, i - 1]
            v0, v1, v2 = body[V, i - 1], body[V + 1, i - 1], body[V + 2, i - 1]
            for k in range(chain.first[i], chain.first[i + 1]):
                r = axes[QD, k]
                a0, a1, a2 = r * axes[SA, k], r * axes[SA + 1, k], r * axes[SA + 2, k]
                l0, l1, l2 = r * axes[SL, k], r * axes[SL + 1, k], r * axes[SL + 2, k]
                z0, z1, z2 = z0 + w1 * a2 - w2 * a1, z1 + w2 * a0 - w0 * a2, z2 + w0 * a1 - w1 * a0
                z3 += w1 * l2 - w2 * l1 + v1 * a2 - v2 * a1
                z4 += w2 * l0 - w0 * l2 + v2 * a0 - v0 * a2
                z5 += w0 * l1 - w1 * l0 + v0 * a1 - v1 * a0
                w0, w1, w2, v0, v1, v2 = w0 + a0, w1 + a1, w2 + a2, v0 + l0, v1 + l1, v2 + l2
        w0, w1, w2, v0, v1, v2 = body[W, i], body[W + 1, i], body[W + 2, i], body[V, i], body[V + 1, i], body[V + 2, i]
        h = momentum_of(chain, body, i, w0, w1, w2, v0, v1, v2)
        y = momentum_of(chain, body, i, z0, z1, z2, z3, z4, z5)
        body[B, i] = body[FA, i] - y[0] - (w1 * h[2] - w2 * h[1] + v1 * h[5] - v2 * h[4])
        body[B + 1, i] = body[FA + 1, i] - y[1] - (w2 * h[0] - w0 * h[2] + v2 * h[3] - v0 * h[5])
        body[B + 2, i] = body[FA + 2, i] - y[2] - (w0 * h[1] - w1 * h[0] + v0 * h[4] - v1 * h[3])
        body[B + 3, i] = body[FA + 3, i] - y[3] - (w1 * h[5] - w2 * h[4])
        body[B + 4, i] = body[FA + 4, i] - y[4] - (w2 * h[3] - w0 * h[5])
        body[B + 5, i] = body[FA + 5, i] - y[5] - (w0 * h[4] - w1 * h[3])


@njit
def torque_acceleration(chain, body, axes, rate):
    """Given torques TAU and wrenches FA, FL: accelerations of the twists into W, V, of the joints into row `rate`.

    Frames, twists and rates QD are set; the twists are overwritten. Joint damping and rotors are counted.
    """
    velocity_forces(chain, body, axes)
    for k in range(axes.shape[1]):
        axes[T, k] = axes[TAU, k] - chain.actuators[JOINT_DAMPING, k] * axes[QD, k]
        axes[D, k] = chain.actuators[ROTOR, k]
    n = body.shape[1]
    a, r = inertia_of(chain, body, n - 1), right_side(body, n - 1)
    for j in range(n - 1):
        i = n - 1 - j
        for o in range(chain.first[i + 1] - chain.first[i]):  # the axes of this link's joint, outermost first
            a, r = eliminate(axes, chain.first[i + 1] - 1 - o, a, r)
        a, r = summed(a, inertia_of(chain, body, i - 1)), plus(r, 1.0, right_side(body, i - 1))
    x = solve6(a, r)
    for i in range(n):
        for k in range(chain.first[i], chain.first[i + 1]):
            x = outward(axes, k, rate, x)
        set_twist(body, i, x)


@njit
def required_torques(chain, body, axes, rate, w0, w1, w2, v0, v1, v2):
    """Inverse dynamics: torques TAU for accelerations of the joints (row `rate`) and of link 0's twist; wrench left at the tail.

    Frames, twists, rates QD and wrenches FA, FL are set; the twists are overwritten. Joint damping and rotors are counted.
    """
    velocity_forces(chain, body, axes)
    body[W, 0], body[W + 1, 0], body[W + 2, 0], body[V, 0], body[V + 1, 0], body[V + 2, 0] = w0, w1, w2, v0, v1, v2
    propagate_twists(chain, body, axes, rate)
    momenta(chain, body)
    r0, r1, r2, r3, r4, r5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(body.shape[1]):
        i = body.shape[1] - 1 - j
        r0, r1, r2 = (
            r0 + body[NA, i] - body[B, i],
            r1 + body[NA + 1, i] - body[B + 1, i],
            r2 + body[NA + 2, i] - body[B + 2, i],
        )
        r3, r4, r5 = (
            r3 + body[NA + 3, i] - body[B + 3, i],
            r4 + body[NA + 4, i] - body[B + 4, i],
            r5 + body[NA + 5, i] - body[B + 5, i],
        )
        for k in range(chain.first[i], chain.first[i + 1]):
            torque = axes[SA, k] * r0 + axes[SA + 1, k] * r1 + axes[SA + 2, k] * r2
            torque += axes[SL, k] * r3 + axes[SL + 1, k] * r4 + axes[SL + 2, k] * r5
            torque += chain.actuators[JOINT_DAMPING, k] * axes[QD, k]
            axes[TAU, k] = torque + chain.actuators[ROTOR, k] * axes[rate, k]
    return r0, r1, r2, r3, r4, r5


@njit
def reactions(chain, body, axes, kept, velocity, impulse):
    """Joint torques TAU from the changes of momentum over a step and the wrenches; what is left at the tail.

    Momenta are NA at its end, and before it those kept, with a centre of gravity at `velocity`.
    """
    r = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for j in range(body.shape[1]):
        i = body.shape[1] - 1 - j
        h = momentum_before(chain, body, kept, i, velocity[0], velocity[1], velocity[2])
        r = (
            r[0] + (body[NA, i] - h[0]) * impulse - body[FA, i], r[1] + (body[NA + 1, i] - h[1]) * impulse - body[FA + 1, i],
            r[2] + (body[NA + 2, i] - h[2]) * impulse - body[FA + 2, i], r[3] + (body[NA + 3, i] - h[3]) * impulse - body[FA + 3, i],
            r[4] + (body[NA + 4, i] - h[4]) * impulse - body[FA + 4, i], r[5] + (body[NA + 5, i] - h[5]) * impulse - body[FA + 5, i],
        )  # fmt: skip
        for k in range(chain.first[i], chain.first[i + 1]):
            axes[TAU, k] = (
                axes[SA, k] * r[0] + axes[SA + 1, k] * r[1] + axes[SA + 2, k] * r[2]
                + axes[SL, k] * r[3] + axes[SL + 1, k] * r[4] + axes[SL + 2, k] * r[5]
            )  # fmt: skip
    return r
