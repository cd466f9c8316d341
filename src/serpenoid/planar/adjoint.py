"""The way back through the step of prescribed joints (`shape_step`): its exact discrete adjoint.

A step solves R(z, s, p) = 0 for the new velocities z = (Vx, Vy, W) from the state s before it and the numbers p that the kernels read. Let
z* = dJ/dz gather all that the result J takes from them. By the implicit function theorem

    K' q = z*,      s* += -q' dR/ds,      p* += -q' dR/dp                K = dR/dz, the matrix of Newton by tangents

so one 3 x 3 system, transposed, gives the multipliers q of a step; they are virtual velocities of the body. The rest is the chain rule backwards
through the stages of `shape_step.step`: the account (`adjoint_account`), the motion of the body, the contacts, the kinematics
(`adjoint_kinematics`), the gait. What is then left at the start are derivatives by the state there.

Everything but the motion is computed again from the history (`kept_run`), 56 bytes a step. Law and slopes are those of the step itself, taken by
tangents at the velocities that solve it. Source of the theory: Bryson and Ho, Applied Optimal Control (1975), chapter 2.
"""

from __future__ import annotations

from serpenoid import contact
from serpenoid.compiled import kernel, njit
from serpenoid.contact import is_coupled
from serpenoid.contact import sums as slot
from serpenoid.contact.smoothing import SHARE as FOLLOWING
from serpenoid.contact.touch import FN, FT, KNN, KNT, KTN, KTT, TANGENT, VN, VT
from serpenoid.frames import sincos, sincos1
from serpenoid.gaits import parameter_slopes
from serpenoid.planar.adjoint_account import reverse_account, reverse_contact_sums, reverse_kinetic
from serpenoid.planar.adjoint_kinematics import reverse_ground, reverse_kinematics
from serpenoid.planar.adjoint_layout import (
    KEPT_PSI,
    KEPT_SMOOTHING,
    KEPT_TURN,
    KEPT_VX,
    KEPT_VY,
    KEPT_X,
    KEPT_Y,
    SEEDED,
    PlanarAdjoint,
    PlanarSlopes,
)
from serpenoid.planar.command import prescribed_headings
from serpenoid.planar.dynamics import inertia_and_spin
from serpenoid.planar.kinematics import face_ground, forward_kinematics, place_points, slip
from serpenoid.planar.layout import (
    ANGLE,
    ANY_LOCKED,
    COMMAND,
    GX,
    GY,
    INERTIA,
    LAW,
    LEAST,
    LOCKED,
    MASS,
    MN,
    MT,
    NUMBERS,
    PLAIN,
    PSI,
    RATE,
    SPIN,
    SPIN0,
    STEP,
    TOTAL,
    TURN,
    TURN0,
    TX,
    TY,
    VN0,
    VT0,
    VX,
    VY,
    WX,
    WX0,
    WY,
    WY0,
    XG,
    YG,
    C,
    S,
    X,
    Y,
)
from serpenoid.planar.shape_step import assemble, clear, solve_general3
from serpenoid.planar.step import borrowed, borrowed_constants, borrowed_scratch, borrowed_state


@kernel
def shape_headings(constants, state, t, b):
    """Headings of the links at time t, compiled once for both places that ask for them."""
    prescribed_headings(constants, state, t, b)


@kernel
def reverse_headings(constants, t, bar, work, by_row, by_table):
    """Back from the headings of the links and their rates, `bar` (2, n), to the numbers of the gait; locked joints stay straight."""
    if constants.numbers[ANY_LOCKED] > 0.0:
        for row in range(2):
            reverse_lock(constants.joints, bar, row)
    parameter_slopes(int(constants.numbers[COMMAND]), constants.row, constants.table, t, bar, work, by_row, by_table)


@njit
def reverse_lock(joints, bar, row):
    """Back through `command.lock`."""
    beyond, outer = 0.0, 0.0
    for back in range(bar.shape[1]):
        i = bar.shape[1] - 1 - back
        beyond += bar[row, i]
        free = beyond if i == 0 or joints[LOCKED, i] == 0.0 else 0.0
        bar[row, i], outer = free - outer, free


@njit
def place_shape(constants, state, scratch, t):
    """Shape, contacts, moment of inertia and angular momentum of the change of shape at time t, as the step has them."""
    b = scratch.links
    shape_headings(constants, state, t, b)
    sincos(b, ANGLE, C, S)
    forward_kinematics(constants.links, constants.numbers[TOTAL], b)
    if scratch.points.shape[1] > b.shape[1]:
        place_points(constants.points, b, scratch.points)
    face_ground(constants.points, scratch.points)
    return inertia_and_spin(constants.links, b)


@njit
def state_before(constants, state, scratch, t, turn, kept):
    """What the state held of the links at time t of a body that turned at `turn`: `TURN0`, `WX0`, `WY0`, `SPIN0`."""
    place_shape(constants, state, scratch, t)
    b, links = scratch.links, constants.links
    for i in range(b.shape[1]):
        kept[TURN0, i] = b[RATE, i] + turn
        kept[WX0, i], kept[WY0, i] = b[WX, i] - turn * b[YG, i], b[WY, i] + turn * b[XG, i]
        kept[SPIN0, i] = links[MASS, i] * (b[XG, i] * kept[WY0, i] - b[YG, i] * kept[WX0, i])


@njit
def reverse_follow(constants, adjoint, slopes, eps, kinetic):
    """Back through the smoothing that follows the motion: it came from the kinetic energy, or is the least."""
    least, weight = constants.numbers[LEAST], adjoint.sums[slot.SMOOTHING]
    if least == 0.0:
        return
    adjoint.sums[slot.SMOOTHING] = 0.0
    if eps > least:
        adjoint.sums[slot.KINETIC] += 0.5 * weight * eps / kinetic
        slopes.numbers[TOTAL] -= 0.5 * weight * eps / constants.numbers[TOTAL]
    else:
        slopes.numbers[LEAST] += weight


@njit
def kinetic_of(eps, mass):
    """Kinetic energy of which this smoothing came."""
    return 0.5 * mass * (eps / FOLLOWING) ** 2


@njit
def reverse_potential(constants, adjoint, slopes, new):
    """Back through the potential energy."""
    q, numbers, weight = adjoint.motion, constants.numbers, adjoint.sums[slot.POTENTIAL]
    x, y = new[KEPT_X], new[KEPT_Y]
    q[X] -= weight * numbers[TOTAL] * numbers[GX]
    q[Y] -= weight * numbers[TOTAL] * numbers[GY]
    slopes.numbers[GX] -= weight * numbers[TOTAL] * x
    slopes.numbers[GY] -= weight * numbers[TOTAL] * y
    slopes.numbers[TOTAL] -= weight * (numbers[GX] * x + numbers[GY] * y)
    adjoint.sums[slot.POTENTIAL] = 0.0


@njit
def reverse_body(adjoint, new, dt):
    """Back through the motion of the body; returns the adjoints of its velocities."""
    q, vx, vy = adjoint.motion, new[KEPT_VX], new[KEPT_VY]
    c, s = sincos1(new[KEPT_PSI])
    q[PSI] += dt * (q[Y] * (c * vx - s * vy) - q[X] * (s * vx + c * vy))
    turning, q[TURN] = q[TURN], 0.0
    return q[VX] + dt * (c * q[X] + s * q[Y]), q[VY] + dt * (c * q[Y] - s * q[X]), turning + dt * q[PSI]


@njit
def weigh_forces(q, dt, points, touch, adjoint):
    """Virtual slip of the multipliers q: adds to the adjoints of the forces and of where they act."""
    bar, f = adjoint.points, adjoint.touch
    for j in range(points.shape[1]):
        tx, ty, ft, fn = points[TX, j], points[TY, j], touch[FT, j], touch[FN, j]
        adjoint.law[0, j] = f[FT, j] + dt * (q[0] * tx + q[1] * ty + q[2] * points[MT, j])
        adjoint.law[1, j] = f[FN, j] + dt * (q[1] * tx - q[0] * ty + q[2] * points[MN, j])
        bar[TX, j] += dt * (q[0] * ft + q[1] * fn)
        bar[TY, j] += dt * (q[1] * ft - q[0] * fn)
        bar[MT, j] += dt * q[2] * ft
        bar[MN, j] += dt * q[2] * fn


@njit
def weigh_slips(new, points, touch, adjoint):
    """Back from forces to contact velocities, and from these to the shape."""
    bar, f, law = adjoint.points, adjoint.touch, adjoint.law
    vx, vy, turn = new[KEPT_VX], new[KEPT_VY], new[KEPT_TURN]
    for j in range(points.shape[1]):
        et = f[VT, j] - touch[KTT, j] * law[0, j] - touch[KNT, j] * law[1, j]
        en = f[VN, j] - touch[KTN, j] * law[0, j] - touch[KNN, j] * law[1, j]
        bar[TX, j] += vx * et + vy * en
        bar[TY, j] += vy * et - vx * en
        bar[MT, j] += turn * et
        bar[MN, j] += turn * en
        bar[VT0, j] += et
        bar[VN0, j] += en


@njit
def gather_slips(points, touch, adjoint):
    """What the body's velocities get from the adjoints of contact velocities and forces that the account has left."""
    f, zx, zy, zw = adjoint.touch, 0.0, 0.0, 0.0
    for j in range(points.shape[1]):
        et = f[VT, j] - touch[KTT, j] * f[FT, j] - touch[KNT, j] * f[FN, j]
        en = f[VN, j] - touch[KTN, j] * f[FT, j] - touch[KNN, j] * f[FN, j]
        zx += et * points[TX, j] - en * points[TY, j]
        zy += et * points[TY, j] + en * points[TX, j]
        zw += et * points[MT, j] + en * points[MN, j]
    return zx, zy, zw


@njit
def multipliers(mass, inertia, pushed, points, touch, coupled, dt, sums, z):
    """Solve the transposed system of the step's Newton for the adjoints z of the velocities; `pushed`: (u, turned) momentum over mass."""
    clear(sums)
    assemble(points, touch, coupled, dt, sums)
    sums[3] += mass
    sums[7] += mass
    sums[11] += inertia
    sums[5] -= dt * mass * pushed[1]
    sums[8] += dt * mass * pushed[0]
    sums[4], sums[6] = sums[6], sums[4]
    sums[5], sums[9] = sums[9], sums[5]
    sums[8], sums[10] = sums[10], sums[8]
    return solve_general3(sums, z[0], z[1], z[2])


@njit
def clear_adjoints(adjoint):
    """Forget the adjoints of the step before."""
    for table in (adjoint.links, adjoint.points, adjoint.touch):
        for row in range(table.shape[0]):
            for i in range(table.shape[1]):
                table[row, i] = 0.0


@njit
def reverse_inertia(constants, b, adjoint, slopes, by_inertia, by_spin):
    """Back through moment of inertia and angular momentum of the change of shape."""
    links, bar = constants.links, adjoint.links
    for i in range(b.shape[1]):
        m, x, y, u, v = links[MASS, i], b[XG, i], b[YG, i], b[WX, i], b[WY, i]
        slopes.links[MASS, i] += by_inertia * (x * x + y * y) + by_spin * (x * v - y * u)
        slopes.links[INERTIA, i] += by_inertia + by_spin * b[RATE, i]
        bar[RATE, i] += by_spin * links[INERTIA, i]
        bar[XG, i] += m * (2.0 * by_inertia * x + by_spin * v)
        bar[YG, i] += m * (2.0 * by_inertia * y - by_spin * u)
        bar[WX, i] -= by_spin * m * y
        bar[WY, i] += by_spin * m * x


@njit
def reverse_fall(constants, adjoint, slopes, psi, by_x, by_y, dt):
    """Back through what gravity along the plane adds to the velocity."""
    gx, gy = constants.numbers[GX], constants.numbers[GY]
    c, s = sincos1(psi)
    slopes.numbers[GX] += dt * (c * by_x - s * by_y)
    slopes.numbers[GY] += dt * (s * by_x + c * by_y)
    adjoint.motion[PSI] += dt * ((c * gy - s * gx) * by_x - (c * gx + s * gy) * by_y)


@njit
def reverse_step(constants, state, scratch, adjoint, slopes, old, new, accounts, t, dt):
    """Back from the state after a step, `new`, to the one before it, `old`: rows of the history."""
    b, points, touch, numbers, links = scratch.links, scratch.points, scratch.touch, constants.numbers, constants.links
    total, law, bar = numbers[TOTAL], int(numbers[LAW]), adjoint.motion
    eps, turn = old[KEPT_SMOOTHING], new[KEPT_TURN]
    # the step once more: shape, contacts, and what the old momentum has become
    inertia, _ = place_shape(constants, state, scratch, t)
    slip(points, touch, new[KEPT_VX], new[KEPT_VY], turn)
    contact.evaluate(law, numbers[NUMBERS:], eps, scratch.limits, state.memory, dt, TANGENT, touch)
    co, so = sincos1(old[KEPT_PSI])
    fx, fy = dt * (co * numbers[GX] + so * numbers[GY]), dt * (co * numbers[GY] - so * numbers[GX])
    c, s = sincos1(dt * turn)
    ux, uy = old[KEPT_VX] + fx, old[KEPT_VY] + fy
    ox, oy = c * ux + s * uy, c * uy - s * ux
    # the account, and what follows from it for the velocities
    clear_adjoints(adjoint)
    reverse_follow(constants, adjoint, slopes, new[KEPT_SMOOTHING], kinetic_of(new[KEPT_SMOOTHING], total))
    reverse_potential(constants, adjoint, slopes, new)
    zx, zy, zw = reverse_body(adjoint, new, dt)
    by_spin = bar[SPIN]
    turned = (c, s, c * fx + s * fy, c * fy - s * fx)
    change = (new[KEPT_VX] - ox, new[KEPT_VY] - oy)
    ax, ay, aw, px, py, gx, gy, by_c, by_s = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if accounts:
        ax, ay, aw, px, py, gx, gy, by_c, by_s = reverse_account(
            constants, scratch, adjoint, slopes, new, change, turned, dt
        )
    elif adjoint.sums[slot.KINETIC] != 0.0:
        ax, ay, aw = reverse_kinetic(constants, b, adjoint, slopes, new)
    reverse_contact_sums(constants, touch, adjoint, slopes, dt)
    sx, sy, sw = gather_slips(points, touch, adjoint)
    # px, py: of the turned velocity; gx, gy: of the turned fall
    by_c += px * ux + py * uy + gx * fx + gy * fy
    by_s += px * uy - py * ux + gx * fy - gy * fx
    z = (zx + ax + sx, zy + ay + sy, zw + aw + sw + by_spin * inertia + dt * (c * by_s - s * by_c))
    q = multipliers(total, inertia, (ox, oy), points, touch, is_coupled(law, numbers[NUMBERS:]), dt, scratch.newton, z)
    # from the multipliers to everything that the equations hold
    px, py = px + total * q[0], py + total * q[1]
    slopes.numbers[TOTAL] -= q[0] * change[0] + q[1] * change[1]
    bar[VX], bar[VY], bar[SPIN] = c * px - s * py, s * px + c * py, q[2]
    fall_x, fall_y = bar[VX] + c * gx - s * gy, bar[VY] + s * gx + c * gy
    reverse_fall(constants, adjoint, slopes, old[KEPT_PSI], fall_x, fall_y, dt)
    weigh_forces(q, dt, points, touch, adjoint)
    adjoint.sums[slot.SMOOTHING] += contact.parameter_slopes(
        law, numbers[NUMBERS:], eps, scratch.limits, touch, adjoint.law, slopes.points[PLAIN:], slopes.numbers[NUMBERS:]
    )
    weigh_slips(new, points, touch, adjoint)
    reverse_inertia(constants, b, adjoint, slopes, (by_spin - q[2]) * turn, by_spin - q[2])
    reverse_ground(constants, scratch, adjoint, slopes)
    reverse_kinematics(links, total, b, adjoint, slopes)


@njit
def sow(seeds, at, k, adjoint):
    """Add the seeds of step k, if there are some; returns the number of those that are left."""
    while at > 0 and seeds.steps[at - 1] == k:
        at -= 1
        values = seeds.values[at]
        for j in range(SEEDED):
            adjoint.motion[j] += values[j]
        for i in range(adjoint.headings.shape[1]):
            adjoint.headings[0, i] += values[SEEDED + i]
    return at


@njit
def borrowed_adjoint(a):
    """Adjoints with borrowed arrays."""
    return PlanarAdjoint(
        borrowed(a.motion), borrowed(a.state), borrowed(a.sums), borrowed(a.links), borrowed(a.points), borrowed(a.touch), borrowed(a.headings),
        borrowed(a.law), borrowed(a.gait), borrowed(a.before),
    )  # fmt: skip


@njit
def borrowed_slopes(s):
    """Slopes with borrowed arrays."""
    return PlanarSlopes(
        borrowed(s.links), borrowed(s.points), borrowed(s.joints), borrowed(s.numbers), borrowed(s.row), borrowed(s.table)
    )  # fmt: skip


@kernel
def march_back(constants, state, scratch, other, adjoint, slopes, history, seeds, accounts):
    """From the last step to the start: fills the slopes, and leaves the adjoints of the state at the start.

    `state` is the one at the start; `accounts`: whether the result takes something from the joints' account.
    """
    constants, state, history = borrowed_constants(constants), borrowed_state(state), borrowed(history)
    scratch, other = borrowed_scratch(scratch), borrowed_scratch(other)
    adjoint, slopes = borrowed_adjoint(adjoint), borrowed_slopes(slopes)
    dt, bar, at = constants.numbers[STEP], adjoint.headings, seeds.steps.shape[0]
    for back in range(history.shape[0] - 1):
        k = history.shape[0] - 1 - back
        t, n = k * dt, bar.shape[1]
        for i in range(n):
            bar[0, i], bar[1, i] = 0.0, 0.0
        at = sow(seeds, at, k, adjoint)
        if accounts and k > 1:
            state_before(constants, state, other, (k - 1) * dt, history[k - 1, KEPT_TURN], adjoint.before)
        elif accounts:
            for row in range(TURN0, SPIN0 + 1):
                for i in range(n):
                    adjoint.before[row, i] = state.links[row, i]
        reverse_step(constants, state, scratch, adjoint, slopes, history[k - 1], history[k], accounts, t, dt)
        reverse_headings(constants, t, bar, adjoint.gait, slopes.row, slopes.table)
    for i in range(bar.shape[1]):
        bar[0, i], bar[1, i] = 0.0, 0.0
    sow(seeds, at, 0, adjoint)
