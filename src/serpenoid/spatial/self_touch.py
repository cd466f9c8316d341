"""Links that touch each other in space: inside the implicit step, and as loads of the joints; the same as `planar.self_touch`.

Touches are found once per step, at the predicted pose; their depths follow the velocities. A touch pushes both links at one place c,
along n, t and s; its vectors g = (c x n, n), ... are those of a spot, and its velocity is g . (twist of a - twist of b).
"""

from __future__ import annotations

from serpenoid.compiled import kernel, njit
from serpenoid.contact import sums
from serpenoid.contact.self_contact import (
    ALONG,
    ASIDE,
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
    link_smoothing,
    taken_up,
    touch_impulses,
)
from serpenoid.contact.touch import PREDICTED, SECANT, TANGENT
from serpenoid.spatial.dynamics import matrix_at
from serpenoid.spatial.layout import EX, LENGTH, PJ, QT, SA, SL, TAU, UE, UR, B, U, W
from serpenoid.spatial.matrices import solve6

_FINE = 1e-3  # of what there was: residual at which a search ends
_MOST = 50  # sweeps of a search
_CLOSE = 0.1  # of the tolerance: velocities that count as found; of the smoothing: most that a search may leave
_PART = 0.5  # of the step: by which the velocity at its end moves a place
_NEAR = 0.05  # of the radii: distance at which links may meet within a step
_FRESH = 10  # iterates that the friction limits follow
AXES = (NORMAL, ALONG, ASIDE)
H, ANSWER = 0, 6  # rows of `work`, six each: impulse about O, twist


@njit
def vector(g, c, axis):
    """Vector (c x e, e) of an axis of touch c."""
    x, y, z, u, v, w = g[AT, c], g[AT + 1, c], g[AT + 2, c], g[axis, c], g[axis + 1, c], g[axis + 2, c]
    return (y * w - z * v, z * u - x * w, x * v - y * u, u, v, w)


@njit
def speed_along(g, c, axis, given, row):
    """Velocity of link a against link b at touch c along an axis; twists from row `row` on."""
    i, j = int(g[LINK_A, c]), int(g[LINK_B, c])
    e, v = vector(g, c, axis), 0.0
    for k in range(6):
        v += e[k] * (given[row + k, i] - given[row + k, j])
    return v


@njit
def spread(g, c, axis, size, given, row):
    """Add an impulse of touch c along an axis to both links, rows from `row` on."""
    i, j = int(g[LINK_A, c]), int(g[LINK_B, c])
    e = vector(g, c, axis)
    for k in range(6):
        given[row + k, i] += size * e[k]
        given[row + k, j] -= size * e[k]


@kernel
def find_own(chain, body, own):
    """Find the touches of the predicted pose, with their velocities."""
    x, n, g = own.nodes, body.shape[1], own.touch
    for e in range(3):
        for i in range(n):
            x[e, i] = body[PJ + e, i]
        x[e, n] = body[PJ + e, n - 1] + chain.links[LENGTH, n - 1] * body[EX + e, n - 1]
    for c in range(find_touches(chain.skin, own, False, _NEAR)):
        face_slip(g, c, False)
        for e in range(3):
            g[SPEED + e, c] = speed_along(g, c, AXES[e], body, W)
        g[IN0, c] = -g[SPEED, c]


@kernel
def push_touches(chain, body, own, dt, eps, it, secant):
    """Impulses and slopes of the touches at the twists of iterate `it`, as right sides B of the links."""
    eps, g = link_smoothing(chain.skin.numbers, eps), own.touch
    by = SECANT if secant else PREDICTED if it > 0 else TANGENT
    for i in range(body.shape[1]):
        for e in range(6):
            body[B + e, i] = 0.0
    for c in range(int(own.counts[TOUCHES])):
        for e in range(3):
            g[SPEED + e, c] = speed_along(g, c, AXES[e], body, W)
        touch_impulses(chain.skin.numbers, own, c, dt, _PART, eps, by, it < _FRESH)
        for e in range(3):
            if g[PUSH + e, c] != 0.0:
                spread(g, c, AXES[e], g[PUSH + e, c], body, B)


@kernel
def hold_touches(body, own):
    """Impulses of the touches as they are, as right sides B of the links."""
    g = own.touch
    for i in range(body.shape[1]):
        for e in range(6):
            body[B + e, i] = 0.0
    for c in range(int(own.counts[TOUCHES])):
        for e in range(3):
            g[SPEED + e, c] = speed_along(g, c, AXES[e], body, W)
            if g[PUSH + e, c] != 0.0:
                spread(g, c, AXES[e], g[PUSH + e, c], body, B)


@njit
def answer(chain, body, axes, work):
    """Twists (rows ANSWER of `work`) and joint rates (row UR of the axes) that impulses cause, by what `newton.solve_inwards` has left."""
    n = body.shape[1]
    r0, r1, r2, r3, r4, r5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(n):
        i = n - 1 - j
        r0, r1, r2 = r0 + work[H, i], r1 + work[H + 1, i], r2 + work[H + 2, i]
        r3, r4, r5 = r3 + work[H + 3, i], r4 + work[H + 4, i], r5 + work[H + 5, i]
        if i > 0:
            for o in range(chain.first[i + 1] - chain.first[i]):
                k = chain.first[i + 1] - 1 - o
                y = axes[SA, k] * r0 + axes[SA + 1, k] * r1 + axes[SA + 2, k] * r2
                y += axes[SL, k] * r3 + axes[SL + 1, k] * r4 + axes[SL + 2, k] * r5
                axes[UR, k] = axes[UE, k] * y
                r0, r1, r2 = r0 - y * axes[U, k], r1 - y * axes[U + 1, k], r2 - y * axes[U + 2, k]
                r3, r4, r5 = r3 - y * axes[U + 3, k], r4 - y * axes[U + 4, k], r5 - y * axes[U + 5, k]
    x0, x1, x2, x3, x4, x5 = solve6(matrix_at(body, 0), (r0, r1, r2, r3, r4, r5))
    for i in range(n):
        if i > 0:
            for k in range(chain.first[i], chain.first[i + 1]):
                y = axes[UR, k] - axes[U, k] * x0 - axes[U + 1, k] * x1 - axes[U + 2, k] * x2
                y = y - axes[U + 3, k] * x3 - axes[U + 4, k] * x4 - axes[U + 5, k] * x5
                axes[UR, k] = y
                x0, x1, x2 = x0 + y * axes[SA, k], x1 + y * axes[SA + 1, k], x2 + y * axes[SA + 2, k]
                x3, x4, x5 = x3 + y * axes[SL, k], x4 + y * axes[SL + 1, k], x5 + y * axes[SL + 2, k]
        work[ANSWER, i], work[ANSWER + 1, i], work[ANSWER + 2, i] = x0, x1, x2
        work[ANSWER + 3, i], work[ANSWER + 4, i], work[ANSWER + 5, i] = x3, x4, x5


@njit
def bend(chain, body, axes, own, count):
    """What the search direction does to the touches (rows BENT): itself, and its answer by the slopes; returns their product."""
    g, work, curved, light = own.touch, own.work, 0.0, 1.0 / chain.skin.numbers[LIGHTEST]
    for i in range(body.shape[1]):
        for e in range(6):
            work[H + e, i] = 0.0
    for c in range(count):
        for e in range(3):
            if g[ROOT + e, c] > 0.0:
                spread(g, c, AXES[e], g[ROOT + e, c] * g[WAY + e, c], work, H)
    answer(chain, body, axes, work)
    for c in range(count):
        for e in range(3):
            root = g[ROOT + e, c]
            g[BENT + e, c] = (1.0 - root * root * light) * g[WAY + e, c]
            if root > 0.0:
                g[BENT + e, c] += root * speed_along(g, c, AXES[e], work, ANSWER)
            curved += g[WAY + e, c] * g[BENT + e, c]
    return curved


@kernel
def settle_touches(chain, body, axes, own, eps, tolerance):
    """Correct the solution, made with the impulses of the iterate, for their slopes; returns the largest change of a velocity."""
    g, work, count = own.touch, own.work, int(own.counts[TOUCHES])
    square = 0.0
    for c in range(count):
        for e in range(3):
            away = speed_along(g, c, AXES[e], body, W) - g[SPEED + e, c]
            g[REST + e, c] = g[WAY + e, c] = -g[ROOT + e, c] * away
            square += g[REST + e, c] * g[REST + e, c]
    least, most = _CLOSE * tolerance, _CLOSE * link_smoothing(chain.skin.numbers, eps)
    mass = chain.skin.numbers[LIGHTEST]
    enough = max(least * least * mass, min(_FINE * _FINE * square, most * most * mass))
    for _ in range(_MOST):
        if not square > enough:
            break
        length = square / bend(chain, body, axes, own, count)
        before, square = square, 0.0
        for c in range(count):
            for e in range(3):
                g[PUSH + e, c] += length * g[ROOT + e, c] * g[WAY + e, c]
                g[REST + e, c] -= length * g[BENT + e, c]
                square += g[REST + e, c] * g[REST + e, c]
        for i in range(body.shape[1]):
            for e in range(6):
                body[W + e, i] += length * work[ANSWER + e, i]
        for k in range(axes.shape[1]):
            axes[QT, k] += length * axes[UR, k]
        for c in range(count):
            for e in range(3):
                g[WAY + e, c] = g[REST + e, c] + square / before * g[WAY + e, c]
    change = 0.0
    for c in range(count):
        for e in range(3):
            change = max(change, abs(speed_along(g, c, AXES[e], body, W) - g[SPEED + e, c]))
    return change


@kernel
def load_joints(chain, body, axes, own, dt, prescribed, held, acc):
    """After a step: torques TAU of prescribed joints with the touches, and the account of these.

    `prescribed`: all joints are, so that the touches have no impulses yet; `held`: some joint is.
    """
    g, work, count, numbers = own.touch, own.work, int(own.counts[TOUCHES]), chain.skin.numbers
    for c in range(count):
        for e in range(3):
            g[SPEED + e, c] = speed_along(g, c, AXES[e], body, W)
        if prescribed:
            eps = link_smoothing(numbers, acc[sums.SMOOTHING])
            touch_impulses(numbers, own, c, dt, _PART, eps, TANGENT, True)
    if held and count > 0:
        for i in range(body.shape[1]):
            for e in range(6):
                work[H + e, i] = 0.0
        for c in range(count):
            for e in range(3):
                spread(g, c, AXES[e], g[PUSH + e, c] / dt, work, H)
        r0, r1, r2, r3, r4, r5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(body.shape[1] - 1):
            i = body.shape[1] - 1 - j
            r0, r1, r2 = r0 + work[H, i], r1 + work[H + 1, i], r2 + work[H + 2, i]
            r3, r4, r5 = r3 + work[H + 3, i], r4 + work[H + 4, i], r5 + work[H + 5, i]
            for k in range(chain.first[i], chain.first[i + 1]):
                axes[TAU, k] -= axes[SA, k] * r0 + axes[SA + 1, k] * r1 + axes[SA + 2, k] * r2
                axes[TAU, k] -= axes[SL, k] * r3 + axes[SL + 1, k] * r4 + axes[SL + 2, k] * r5
    loss, stored, top = taken_up(numbers, own, count, dt, _PART)
    acc[sums.SELF_LOSS] += loss
    acc[sums.SELF_STORED] = stored
    acc[sums.SELF_FORCE_MAX] = max(acc[sums.SELF_FORCE_MAX], top)
