"""Links that touch each other in the plane: inside the implicit step, and as loads of the joints.

A touch couples two links, which the recursion of `dynamics` cannot eliminate. Its impulse is linear in the velocity v of one link
against the other, p = p* - K (v - v*), in every pass. With A the matrix of the chain and G the touches' velocities per velocity of the links:

    A x = b + G' p,   v = G x        =>        (1 - R^2 / m + R W R) z = -R (v_0 - v*),   W = G A^-1 G',   p = p* + R z

v_0 being the answer to p* alone, and R^2 = K / (1 + K / m), so that the matrix is about 1 for soft touches and for those that stick. The small symmetric system is solved by conjugate gradients, one sweep through the chain for each
(`answer`, O(n)); near the solution of the step v_0 is v* and there is nothing left to solve. Whatever z is, the
links are pushed by equal and opposite impulses.

Prescribed joints move as they are told: touches do not move such a body, they load its joints.
"""

from __future__ import annotations

from serpenoid.compiled import kernel, njit
from serpenoid.contact import sums as slot
from serpenoid.contact.self_contact import (
    ALONG,
    AT,
    BENT,
    IN0,
    LIGHTEST,
    LINK_A,
    LINK_B,
    NORMAL,
    PUSH,
    REST,
    ROOT,
    SPEED,
    TOUCHES,
    WAY,
    face_slip,
    find_touches,
    follow_touches,
    link_smoothing,
    taken_up,
    touch_impulses,
)
from serpenoid.contact.touch import PREDICTED, SECANT, TANGENT
from serpenoid.planar.dynamics import solve3
from serpenoid.planar.layout import JX, JY, LENGTH, NEW_RATE, RATE, TAU, UJ, VJ, XJ, YJ, A, B, C, E, R, S

_FINE = 1e-3  # of what there was: residual at which a search ends
_MOST = 50  # sweeps of a search
_CLOSE = 0.1  # of the tolerance: velocities that count as found; of the smoothing: most that a search may leave
_NEAR = 0.05  # of the radii: distance at which links may meet within a step
_FRESH = 20  # passes that the friction limits follow
AXES = (NORMAL, ALONG)
# rows of `work`: impulse and moment about the tail-side joint; velocities of joint and link
HX, HY, HM, YX, YY, YW = range(6)


@njit
def set_nodes(links, b, own):
    """Places of the nodes from those of the joints."""
    n = b.shape[1]
    for i in range(n):
        own.nodes[0, i], own.nodes[1, i] = b[XJ, i], b[YJ, i]
    own.nodes[0, n] = b[XJ, n - 1] + links[LENGTH, n - 1] * b[C, n - 1]
    own.nodes[1, n] = b[YJ, n - 1] + links[LENGTH, n - 1] * b[S, n - 1]


@njit
def speed_along(g, c, axis, b, given, rows):
    """Velocity of link a against link b at touch c along an axis; `rows` of `given`: velocities of joints, rates of links."""
    r, s, w = rows
    i, j = int(g[LINK_A, c]), int(g[LINK_B, c])
    x, y = g[AT, c], g[AT + 1, c]
    u = (given[r, i] - given[w, i] * (y - b[YJ, i])) - (given[r, j] - given[w, j] * (y - b[YJ, j]))
    v = (given[s, i] + given[w, i] * (x - b[XJ, i])) - (given[s, j] + given[w, j] * (x - b[XJ, j]))
    return u * g[axis, c] + v * g[axis + 1, c]


@njit
def spread(g, c, axis, size, b, work):
    """Add an impulse of touch c along an axis to both links."""
    i, j = int(g[LINK_A, c]), int(g[LINK_B, c])
    x, y = g[AT, c], g[AT + 1, c]
    fx, fy = size * g[axis, c], size * g[axis + 1, c]
    work[HX, i] += fx
    work[HY, i] += fy
    work[HM, i] += (x - b[XJ, i]) * fy - (y - b[YJ, i]) * fx
    work[HX, j] -= fx
    work[HY, j] -= fy
    work[HM, j] -= (x - b[XJ, j]) * fy - (y - b[YJ, j]) * fx


@kernel
def touch_all(constants, scratch, dt, eps, it, secant):
    """Touches of the pose and velocities in the scratch, with their impulses and slopes; returns their number.

    Pass 0 finds them, later ones follow them; slopes of friction are taken with predicted forces there (`contact.smoothing`).
    """
    b, own, numbers = scratch.links, scratch.own, constants.skin.numbers
    set_nodes(constants.links, b, own)
    count = find_touches(constants.skin, own, True, _NEAR) if it == 0 else follow_touches(constants.skin, own)
    eps, g, by = link_smoothing(numbers, eps), own.touch, SECANT if secant else PREDICTED if it > 0 else TANGENT
    for c in range(count):
        face_slip(g, c, True)
        for e in range(2):
            g[SPEED + e, c] = speed_along(g, c, AXES[e], b, b, (UJ, VJ, RATE))
        g[SPEED + 2, c], g[IN0, c] = 0.0, -g[SPEED, c]
        touch_impulses(numbers, own, c, dt, 1.0, eps, by, it < _FRESH)
    return count


@njit
def push_links(b, own, count):
    """Impulses of all touches on the links, about their tail-side joints, in `work`."""
    work, g = own.work, own.touch
    for i in range(b.shape[1]):
        work[HX, i], work[HY, i], work[HM, i] = 0.0, 0.0, 0.0
    for c in range(count):
        spread(g, c, NORMAL, g[PUSH, c], b, work)
        spread(g, c, ALONG, g[PUSH + 1, c], b, work)


@kernel
def add_touches(constants, scratch, dt, eps, it, secant):
    """Put the impulses of the touches of iterate `it` into the right sides of the links; returns their number."""
    count = touch_all(constants, scratch, dt, eps, it, secant)
    if count > 0:
        b, m, work = scratch.links, scratch.solve, scratch.own.work
        push_links(b, scratch.own, count)
        for i in range(b.shape[1]):
            m[B, i] += work[HX, i]
            m[B + 1, i] += work[HY, i]
            m[B + 2, i] += work[HM, i]
    return count


@njit
def answer(links, b, m, work):
    """Velocities that the impulses in `work` cause, by the elimination that `solve_chain` has left."""
    n = b.shape[1]
    c0, c1, c2 = 0.0, 0.0, 0.0
    for k in range(n):
        i = n - 1 - k
        b0, b1 = work[HX, i] + c0, work[HY, i] + c1
        b2 = work[HM, i] + links[LENGTH, i] * (b[C, i] * c1 - b[S, i] * c0) + c2
        if i == 0:
            c0, c1, c2 = b0, b1, b2
            break
        work[YW, i] = m[R, i] * b2
        c0, c1, c2 = b0 - m[E, i] * b2, b1 - m[E + 1, i] * b2, m[E + 2, i] * b2
    x, y, w = solve3(m[A, 0], m[A + 1, 0], m[A + 3, 0], m[A + 2, 0], m[A + 4, 0], m[A + 5, 0], c0, c1, c2)
    work[YX, 0], work[YY, 0], work[YW, 0] = x, y, w
    for i in range(1, n):
        x -= links[LENGTH, i - 1] * b[S, i - 1] * w
        y += links[LENGTH, i - 1] * b[C, i - 1] * w
        w = work[YW, i] - m[E, i] * x - m[E + 1, i] * y + m[E + 2, i] * w
        work[YX, i], work[YY, i], work[YW, i] = x, y, w


@njit
def joint_velocities(links, b, ux, uy, work):
    """Velocities of joints and links of the solution in NEW_RATE, whose tail moves at (ux, uy)."""
    for i in range(b.shape[1]):
        work[YX, i], work[YY, i], work[YW, i] = ux, uy, b[NEW_RATE, i]
        ux -= links[LENGTH, i] * b[S, i] * b[NEW_RATE, i]
        uy += links[LENGTH, i] * b[C, i] * b[NEW_RATE, i]


@kernel
def settle_touches(constants, scratch, count, ux, uy, eps, tolerance):
    """Correct the solution in NEW_RATE, made with the impulses of the iterate, for their slopes; returns the tail's velocity."""
    links, b, m, g, work = constants.links, scratch.links, scratch.solve, scratch.own.touch, scratch.own.work
    light = 1.0 / constants.skin.numbers[LIGHTEST]
    joint_velocities(links, b, ux, uy, work)
    square = 0.0
    for c in range(count):
        for e in range(2):
            away = speed_along(g, c, AXES[e], b, work, (YX, YY, YW)) - g[SPEED + e, c]
            g[REST + e, c] = g[WAY + e, c] = -g[ROOT + e, c] * away
            square += g[REST + e, c] * g[REST + e, c]
    least, most = _CLOSE * tolerance, _CLOSE * link_smoothing(constants.skin.numbers, eps)
    mass = constants.skin.numbers[LIGHTEST]
    enough = max(least * least * mass, min(_FINE * _FINE * square, most * most * mass))
    for _ in range(_MOST):
        if not square > enough:
            break
        # the answer to the direction
        for i in range(b.shape[1]):
            work[HX, i], work[HY, i], work[HM, i] = 0.0, 0.0, 0.0
        for c in range(count):
            for e in range(2):
                if g[ROOT + e, c] > 0.0:
                    spread(g, c, AXES[e], g[ROOT + e, c] * g[WAY + e, c], b, work)
        answer(links, b, m, work)
        curved = 0.0
        for c in range(count):
            for e in range(2):
                root = g[ROOT + e, c]
                bent = (1.0 - root * root * light) * g[WAY + e, c]
                bent += root * speed_along(g, c, AXES[e], b, work, (YX, YY, YW))
                curved += g[WAY + e, c] * bent
                g[BENT + e, c] = bent
        length = square / curved
        before, square = square, 0.0
        for c in range(count):
            for e in range(2):
                g[PUSH + e, c] += length * g[ROOT + e, c] * g[WAY + e, c]
                g[REST + e, c] -= length * g[BENT + e, c]
                square += g[REST + e, c] * g[REST + e, c]
        ux, uy = ux + length * work[YX, 0], uy + length * work[YY, 0]
        for i in range(b.shape[1]):
            b[NEW_RATE, i] += length * work[YW, i]
        for c in range(count):
            for e in range(2):
                g[WAY + e, c] = g[REST + e, c] + square / before * g[WAY + e, c]
    return ux, uy


@kernel
def load_joints(constants, state, scratch, dt):
    """After `reactions`: forces and torques of the joints with the touches of the step, and the account of these."""
    b, own, sums = scratch.links, scratch.own, state.sums
    work, count = own.work, int(own.counts[TOUCHES])
    if count > 0:
        push_links(b, own, count)
        fx, fy, moment = 0.0, 0.0, 0.0
        for k in range(b.shape[1]):
            i = b.shape[1] - 1 - k
            hx, hy = work[HX, i] / dt, work[HY, i] / dt
            fx, fy = fx + hx, fy + hy
            moment += work[HM, i] / dt + b[XJ, i] * hy - b[YJ, i] * hx
            b[JX, i] -= fx
            b[JY, i] -= fy
            b[TAU, i] -= moment - (b[XJ, i] * fy - b[YJ, i] * fx)
    loss, stored, top = taken_up(constants.skin.numbers, own, count, dt, 1.0)
    sums[slot.SELF_LOSS] += loss
    sums[slot.SELF_STORED] = stored
    sums[slot.SELF_FORCE_MAX] = max(sums[slot.SELF_FORCE_MAX], top)


@kernel
def measure_touches(scratch):
    """Velocities of the touches at the solution, at the pose at which they were found."""
    b, own = scratch.links, scratch.own
    for c in range(int(own.counts[TOUCHES])):
        for e in range(2):
            own.touch[SPEED + e, c] = speed_along(own.touch, c, AXES[e], b, b, (UJ, VJ, RATE))
