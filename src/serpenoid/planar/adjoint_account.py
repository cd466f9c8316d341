"""The way back through the account of a step (`account`): works, losses, squared torques and energies of prescribed joints.

A joint torque is the sum of momentum rates and contact forces beyond it, and couples a step with the one before by the change of the links'
velocities: their adjoints are handed on in `PlanarAdjoint.state`. Where the result takes nothing from the joints, all of this is zero.
"""

from __future__ import annotations

import math

from serpenoid.compiled import kernel, njit
from serpenoid.contact import sums as slot
from serpenoid.contact.joint import JOINT_DAMPING
from serpenoid.contact.touch import FN, FT, VN, VT
from serpenoid.planar.adjoint_layout import KEPT_TURN, KEPT_VX, KEPT_VY
from serpenoid.planar.dynamics import reactions
from serpenoid.planar.kinematics import spread_forces
from serpenoid.planar.layout import (
    CONTACT,
    FM,
    FX,
    FY,
    INERTIA,
    JX,
    JY,
    LOCKED,
    MASS,
    PM,
    PX,
    PY,
    RATE,
    SHARE,
    SPIN0,
    TAU,
    TOTAL,
    TURN0,
    TX,
    TY,
    WX,
    WX0,
    WY,
    WY0,
    XG,
    XJ,
    YG,
    YJ,
    C,
    S,
)


@njit
def reverse_contact_sums(constants, touch, adjoint, slopes, dt):
    """Back through friction loss and slip: adds to the adjoints of contact velocities and forces."""
    sums, f, several = adjoint.sums, adjoint.touch, touch.shape[1] > constants.links.shape[1]
    lost, across, along = dt * sums[slot.FRICTION_LOSS], dt * sums[slot.SLIP_ACROSS], dt * sums[slot.SLIP_ALONG]
    for j in range(touch.shape[1]):
        vt, vn, share = touch[VT, j], touch[VN, j], constants.points[SHARE, j] if several else 1.0
        f[FT, j] -= lost * vt
        f[FN, j] -= lost * vn
        f[VT, j] += share * along * math.copysign(1.0, vt) - lost * touch[FT, j]
        f[VN, j] += share * across * math.copysign(1.0, vn) - lost * touch[FN, j]
        if several:
            slopes.points[SHARE, j] += along * abs(vt) + across * abs(vn)


@njit
def momenta(constants, b, before, change, turned, turn, dt):
    """Rates of momentum of the links as the step has them (`account.momentum_rates`), from velocities of the shape in `b`."""
    links, (c, s) = constants.links, (turned[0], turned[1])
    for i in range(b.shape[1]):
        m, x, y = links[MASS, i], b[XG, i], b[YG, i]
        u, v = b[WX, i] - turn * y, b[WY, i] + turn * x
        ex, ey = u - (c * before[WX0, i] + s * before[WY0, i]), v - (c * before[WY0, i] - s * before[WX0, i])
        b[PX, i], b[PY, i] = m * (ex + change[0]) / dt, m * (ey + change[1]) / dt
        own = -before[SPIN0, i] - m * (x * ey - y * ex) + m * (x * v - y * u)
        own += links[INERTIA, i] * (b[RATE, i] + turn - before[TURN0, i])
        b[PM, i] = own / dt + x * b[PY, i] - y * b[PX, i]


@njit
def reverse_joints(constants, b, before, turn, adjoint, slopes, dt):
    """Back through works and torques of the joints: adjoints of torques into TAU, of rates into RATE, of rates before into the state's."""
    act, sums, bar, past = constants.joints, adjoint.sums, adjoint.links, adjoint.state
    bar[TAU, 0] = 0.0
    for i in range(1, b.shape[1]):
        tau, free, damping = b[TAU, i], 1.0 - act[LOCKED, i], act[JOINT_DAMPING, i]
        rate, rate0 = b[RATE, i] - b[RATE, i - 1], before[TURN0, i] - before[TURN0, i - 1]
        moved, drive = 0.5 * dt * (rate + rate0), free * (tau + damping * rate)
        work = sums[slot.NET_WORK] + (sums[slot.POSITIVE_WORK] if drive * moved > 0.0 else 0.0)
        by_drive = free * (2.0 * dt * sums[slot.TORQUE_SQ] * drive + work * moved)
        by_moved = work * drive + sums[slot.DAMPING_LOSS] * damping * rate + sums[slot.SCHEME_LOSS] * tau
        by_rate = by_drive * damping + sums[slot.DAMPING_LOSS] * damping * moved - sums[slot.SCHEME_LOSS] * tau * dt
        bar[TAU, i] = by_drive + sums[slot.SCHEME_LOSS] * (moved - rate * dt)
        slopes.joints[JOINT_DAMPING, i] += by_drive * rate + sums[slot.DAMPING_LOSS] * rate * moved
        by_rate, by_rate0 = by_rate + 0.5 * dt * by_moved, 0.5 * dt * by_moved
        bar[RATE, i] += by_rate
        bar[RATE, i - 1] -= by_rate
        past[TURN0, i] += by_rate0
        past[TURN0, i - 1] -= by_rate0


@njit
def reverse_reactions(b, bar):
    """Back through `reactions`: from torques to momentum rates, contact forces and places of the joints."""
    fx, fy, moment = 0.0, 0.0, 0.0
    for i in range(b.shape[1]):
        tau = bar[TAU, i]
        moment += tau
        fx += tau * b[YJ, i]
        fy -= tau * b[XJ, i]
        bar[PX, i], bar[PY, i], bar[PM, i] = fx, fy, moment
        bar[FX, i] = moment * b[YJ, i] - fx
        bar[FY, i] = -moment * b[XJ, i] - fy
        bar[FM, i] = -moment
        bar[XJ, i] -= moment * b[FY, i] + tau * b[JY, i]
        bar[YJ, i] += moment * b[FX, i] + tau * b[JX, i]


@njit
def reverse_spread(constants, scratch, adjoint, slopes):
    """Back through `spread_forces`: from the forces on the links to those along and across the edges."""
    b, f, bar, touch, points = scratch.links, scratch.points, adjoint.links, scratch.touch, constants.points
    edges, weights, n = adjoint.points, adjoint.touch, scratch.links.shape[1]
    for j in range(f.shape[1]):
        i, at, tx, ty, ft, fn = j % n, points[CONTACT, j], f[TX, j], f[TY, j], touch[FT, j], touch[FN, j]
        gx, gy, moment, c, s = ft * tx - fn * ty, ft * ty + fn * tx, bar[FM, i], b[C, i], b[S, i]
        slopes.points[CONTACT, j] += moment * (c * gy - s * gx)
        bar[C, i] += moment * at * gy
        bar[S, i] -= moment * at * gx
        bx, by = bar[FX, i] - moment * at * s, bar[FY, i] + moment * at * c
        weights[FT, j] += bx * tx + by * ty
        weights[FN, j] += by * tx - bx * ty
        edges[TX, j] += bx * ft + by * fn
        edges[TY, j] += by * ft - bx * fn


@njit
def reverse_momenta(constants, b, before, change, turned, adjoint, slopes, dt):
    """Back through `momentum_rates` and the energies; velocities in `b` are complete. Returns adjoints of the body's change of velocity and of the turn's cosine and sine."""
    links, slope, bar, past, sums = constants.links, slopes.links, adjoint.links, adjoint.state, adjoint.sums
    (c, s), scheme, kinetic = (turned[0], turned[1]), sums[slot.SCHEME_LOSS], sums[slot.KINETIC]
    by_x, by_y, by_c, by_s = 0.0, 0.0, 0.0, 0.0
    for i in range(b.shape[1]):
        m, own, x, y, u, v, rate = links[MASS, i], links[INERTIA, i], b[XG, i], b[YG, i], b[WX, i], b[WY, i], b[RATE, i]
        u0, v0, drift = before[WX0, i], before[WY0, i], rate - before[TURN0, i]
        ex, ey = u - (c * u0 + s * v0), v - (c * v0 - s * u0)
        wx, wy = ex + change[0], ey + change[1]
        left = -before[SPIN0, i] - m * (x * ey - y * ex) + m * (x * v - y * u)
        # moment, then what is left of the angular momentum, then forces
        of_m = bar[PM, i]
        of_x, of_y = bar[PX, i] - of_m * y, bar[PY, i] + of_m * x
        of_left = of_m / dt + scheme * rate
        spin = past[SPIN0, i] + of_left
        of_wx, of_wy = m * (of_x / dt + scheme * wx), m * (of_y / dt + scheme * wy)
        of_ex, of_ey = of_wx + of_left * m * y, of_wy - of_left * m * x
        of_drift = own * (of_m / dt + scheme * drift)
        slope[MASS, i] += (
            (of_x * wx + of_y * wy) / dt + 0.5 * scheme * (wx * wx + wy * wy) + 0.5 * kinetic * (u * u + v * v)
        )
        slope[MASS, i] += spin * (x * v - y * u) - of_left * (x * ey - y * ex)
        slope[INERTIA, i] += of_m * drift / dt + 0.5 * scheme * drift * drift + 0.5 * kinetic * rate * rate
        bar[XG, i] += m * (of_m * wy / dt + spin * v - of_left * ey)
        bar[YG, i] -= m * (of_m * wx / dt + spin * u - of_left * ex)
        bar[WX, i] += of_ex + kinetic * m * u - spin * m * y + past[WX0, i]
        bar[WY, i] += of_ey + kinetic * m * v + spin * m * x + past[WY0, i]
        bar[RATE, i] += of_drift + scheme * left + kinetic * own * rate
        # handed on to the step before
        past[SPIN0, i] = -of_left
        past[TURN0, i] -= of_drift
        past[WX0, i], past[WY0, i] = s * of_ey - c * of_ex, -s * of_ex - c * of_ey
        by_x, by_y = by_x + of_wx, by_y + of_wy
        by_c, by_s = by_c - of_ex * u0 - of_ey * v0, by_s - of_ex * v0 + of_ey * u0
    return by_x, by_y, by_c, by_s


@njit
def complete(b, turn):
    """Make velocities and rates of the links complete: those of the shape plus the rotation of the body."""
    for i in range(b.shape[1]):
        b[WX, i] -= turn * b[YG, i]
        b[WY, i] += turn * b[XG, i]
        b[RATE, i] += turn


@njit
def reverse_complete(b, turn, bar):
    """Take the rotation off again, and go back through it; returns the adjoint of `turn`."""
    by_turn = 0.0
    for i in range(b.shape[1]):
        by_turn += bar[WY, i] * b[XG, i] - bar[WX, i] * b[YG, i] + bar[RATE, i]
        bar[XG, i] += turn * bar[WY, i]
        bar[YG, i] -= turn * bar[WX, i]
        b[WX, i] += turn * b[YG, i]
        b[WY, i] -= turn * b[XG, i]
        b[RATE, i] -= turn
    return by_turn


@njit
def reverse_kinetic(constants, b, adjoint, slopes, new):
    """Back through the kinetic energy alone; returns the adjoints of the body's velocities."""
    links, bar, slope, turn = constants.links, adjoint.links, slopes.links, new[KEPT_TURN]
    vx, vy, weight, by_turn = new[KEPT_VX], new[KEPT_VY], adjoint.sums[slot.KINETIC], 0.0
    for i in range(b.shape[1]):
        m, x, y, rate = links[MASS, i], b[XG, i], b[YG, i], b[RATE, i] + turn
        u, v = b[WX, i] - turn * y, b[WY, i] + turn * x
        slope[MASS, i] += 0.5 * weight * (u * u + v * v)
        slope[INERTIA, i] += 0.5 * weight * rate * rate
        bu, bv, br = weight * m * u, weight * m * v, weight * links[INERTIA, i] * rate
        bar[WX, i] += bu
        bar[WY, i] += bv
        bar[RATE, i] += br
        bar[XG, i] += turn * bv
        bar[YG, i] -= turn * bu
        by_turn += bv * x - bu * y + br
    adjoint.sums[slot.KINETIC] = 0.0
    slopes.numbers[TOTAL] += 0.5 * weight * (vx * vx + vy * vy)
    total = weight * constants.numbers[TOTAL]
    return total * vx, total * vy, by_turn


@kernel
def reverse_account(constants, scratch, adjoint, slopes, new, change, turned, dt):
    """Back through the account of a step, from the velocities of the body in `new`.

    change: of the body's velocity without what gravity gave; turned: cosine and sine of the turn, what gravity gave in the new axes. Returns adjoints: of
    the body's three velocities, of its old velocity with what gravity gave, turned (two), of what gravity gave, turned (two), and of cosine and sine.
    """
    b, bar, sums, numbers = scratch.links, adjoint.links, adjoint.sums, constants.numbers
    before, past, turn, total = adjoint.before, adjoint.state, new[KEPT_TURN], numbers[TOTAL]
    # torques once more
    spread_forces(constants.points, b, scratch.points, scratch.touch)
    momenta(constants, b, before, change, turned, turn, dt)
    reactions(b)
    # back through them; what the step after this one handed on stands in `past`
    complete(b, turn)
    for i in range(b.shape[1]):
        bar[RATE, i] += past[TURN0, i]
        past[TURN0, i] = 0.0
    reverse_joints(constants, b, before, turn, adjoint, slopes, dt)
    reverse_reactions(b, bar)
    reverse_spread(constants, scratch, adjoint, slopes)
    keep = sums[slot.KINETIC]
    by_x, by_y, by_c, by_s = reverse_momenta(constants, b, before, change, turned, adjoint, slopes, dt)
    sums[slot.KINETIC] = 0.0
    by_turn = reverse_complete(b, turn, bar)
    # energies of the body as a whole
    scheme, vx, vy, gx, gy = sums[slot.SCHEME_LOSS], new[KEPT_VX], new[KEPT_VY], turned[2], turned[3]
    slopes.numbers[TOTAL] += 0.5 * keep * (vx * vx + vy * vy)
    slopes.numbers[TOTAL] += scheme * (gx * change[0] + gy * change[1] + 0.5 * (gx * gx + gy * gy))
    by_x, by_y = by_x + scheme * total * gx, by_y + scheme * total * gy
    of_gx, of_gy = scheme * total * (change[0] + gx), scheme * total * (change[1] + gy)
    return keep * total * vx + by_x, keep * total * vy + by_y, by_turn, -by_x, -by_y, of_gx, of_gy, by_c, by_s
