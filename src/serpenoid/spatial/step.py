"""A step in space, in momentum form: all joints prescribed, all driven, or limp ones among prescribed ones.

State: place c and velocity V of the centre of gravity, attitude and angular velocity of link 0, joint angles and rates, and
the momentum of every link relative to c and V (so that a moving observer sees the same step); x_i x m_i V, m_i V complete it. The pose
at the end of the step is predicted from extrapolated velocities; there the step solves for the velocities at its end

    h_i(t') = h_i + dt (forces at the end of the step)           all links, all joints: nothing else

with contacts, gravity, and all that acts in the joints taken at the end of the step (their positions by the mean of the rates at
both ends). Without forces the momenta are kept to rounding in every mode. Places, angles and attitude follow by the mean of the
velocities at both ends: second order in free flight, first order with contacts, stable at any step.

The velocities are solved for in `spatial.newton`. Kinetic energy counts the rotors of the motors, J w^2 / 2.
"""

from __future__ import annotations

from serpenoid.compiled import njit
from serpenoid.contact import sums
from serpenoid.contact.self_contact import ON
from serpenoid.contact.smoothing import follow_motion
from serpenoid.contact.spots import G_END, G_POST, G_THIN
from serpenoid.spatial.account import count_contacts, finish, finish_joints, turned_attitude
from serpenoid.spatial.audit import MORE, TRIES, audit, drag_for, is_watched, keep_state, set_excess, take_back
from serpenoid.spatial.contacts import detect_contacts, store_contacts, wall_loads
from serpenoid.spatial.dynamics import (
    momentum_before,
    momentum_sum,
)
from serpenoid.spatial.impacts import find_impacts
from serpenoid.spatial.kinematics import forward_kinematics, propagate_twists, set_first_frame
from serpenoid.spatial.layout import (
    ALL_HELD,
    ANGLE,
    CHANGE,
    DONE,
    DT,
    DV,
    DW,
    GRAVITY,
    LEAST,
    MIXED,
    MODE,
    NONE_HELD,
    QP,
    RATE,
    RIGID,
    SOME_HELD,
    VX,
    VY,
    VZ,
    WX,
    WY,
    WZ,
    Q,
    V,
    W,
    X,
    Y,
    Z,
)  # fmt: skip
from serpenoid.spatial.leaps import leaps
from serpenoid.spatial.matrices import nothing, plus
from serpenoid.spatial.newton import is_held, solve_driven, solve_prescribed
from serpenoid.spatial.self_touch import find_own, load_joints


@njit
def predict(chain, q, body, axes, dt):
    """Place the body as extrapolated velocities take it.

    Returns its centre of gravity, and the momentum of the predicted twists. The joint angles Q are those of the predicted pose, the rates QP those expected at its end.
    """
    half = 0.5 * dt
    wx, wy, wz = q[WX] + q[DW], q[WY] + q[DW + 1], q[WZ] + q[DW + 2]
    w, x, y, z = turned_attitude(q, half * (q[WX] + wx), half * (q[WY] + wy), half * (q[WZ] + wz))
    set_first_frame(body, w, x, y, z)
    forward_kinematics(chain, body, axes)
    cx = q[X] + half * (2.0 * q[VX] + q[DV])
    cy = q[Y] + half * (2.0 * q[VY] + q[DV + 1])
    cz = q[Z] + half * (2.0 * q[VZ] + q[DV + 2])
    # twists with link 0 at rest in O, and the linear momentum they have
    body[W, 0], body[W + 1, 0], body[W + 2, 0] = wx, wy, wz
    body[V, 0], body[V + 1, 0], body[V + 2, 0] = 0.0, 0.0, 0.0
    propagate_twists(chain, body, axes, QP)
    s = momentum_sum(chain, body)
    r = 1.0 / chain.total
    v0, v1, v2 = q[VX] + q[DV], q[VY] + q[DV + 1], q[VZ] + q[DV + 2]
    u0, u1, u2 = v0 - s[3] * r, v1 - s[4] * r, v2 - s[5] * r
    for i in range(body.shape[1]):
        body[V, i], body[V + 1, i], body[V + 2, i] = body[V, i] + u0, body[V + 1, i] + u1, body[V + 2, i] + u2
    # about its centre of gravity a body that moves on gains no angular momentum
    m = chain.total
    return (cx, cy, cz), (s[0], s[1], s[2], m * v0, m * v1, m * v2)


@njit
def lacking(chain, numbers, q, kept, body, predicted):
    """Momentum that the predicted twists lack: what there was, and what gravity gives."""
    h = plus(nothing(), -1.0, predicted)
    for i in range(body.shape[1]):
        h = plus(h, 1.0, momentum_before(chain, body, kept, i, q[VX], q[VY], q[VZ]))
    return h[0], h[1], h[2], h[3], h[4], h[5] - numbers[DT] * chain.total * numbers[GRAVITY]


@njit
def begin_step(constants, state, scratch, which, drag):
    """Place the body where velocities take it and find its contacts; `drag` (N s/m) acts at them.

    Returns the numbers of spots and of contacts, the centre of gravity of that pose, the momentum of the predicted twists, and the share of the
    step before the first impact (-1: there is none).
    """
    chain, numbers, dofs = constants.chain, constants.numbers, state.dofs
    body, axes, contacts, dt = scratch.body, scratch.axes, scratch.contacts, numbers[DT]
    for k in range(0 if which == ALL_HELD else axes.shape[1]):
        if which == NONE_HELD or not is_held(chain, dofs, k):
            axes[QP, k] = dofs[RATE, k] + dofs[CHANGE, k]
            axes[Q, k] = dofs[ANGLE, k] + 0.5 * dt * (dofs[RATE, k] + axes[QP, k])
    origin, predicted = predict(chain, state.motion, body, axes, dt)
    total, count, unclear = detect_contacts(
        chain, constants.terrain, numbers, body, state.memory, state.anchors, contacts, origin, state.motion[DONE] + 1.0, drag
    )  # fmt: skip
    state.sums[sums.UPRIGHT] += unclear
    first = -1.0
    if numbers[RIGID] > 0.0:
        first = find_impacts(numbers, state.motion, contacts.spots, contacts.touch, count)
    if chain.skin.numbers[ON] > 0.0:
        find_own(chain, body, contacts.own)
    return total, count, origin, predicted, first


@njit
def mode_of(state, which):
    """Kind of command of a step."""
    return MIXED if which == SOME_HELD else int(state.motion[MODE])


@njit
def end_step(constants, state, scratch, t, which, total, count, origin, first):
    """Move to time t with the velocities found, and keep the account; False if not finite. `first`: see `begin_step`."""
    chain, terrain, numbers = constants.chain, constants.terrain, constants.numbers
    q, dofs, acc = state.motion, state.dofs, state.sums
    body, axes, contacts, dt = scratch.body, scratch.axes, scratch.contacts, numbers[DT]
    good = finish(chain, numbers, q, state.momenta, dofs, acc, body, axes, contacts, total, which, first)
    if chain.skin.numbers[ON] > 0.0:
        load_joints(chain, body, axes, contacts.own, dt, which == ALL_HELD, which != NONE_HELD, acc)
    count_contacts(numbers, contacts, total, count, t, acc)
    finish_joints(chain, dofs, axes, mode_of(state, which), which, dt, t, acc, first)
    set_excess(q, acc)
    if terrain.ground[G_THIN] > 0.0 and acc[sums.CROSSED] == 0.0 and leaps(chain, terrain, body, origin, dt):
        acc[sums.CROSSED] = t
    return good


@njit
def attempt(constants, state, scratch, t, which, drag):
    """Advance to time t but for the memory of the contacts; `drag` (N s/m) acts at the contacts.

    Returns whether all is finite, the numbers of spots and of contacts, the centre of gravity of the pose at which they were found, and the share
    of the step before the first impact.
    """
    chain, numbers, q = constants.chain, constants.numbers, state.motion
    total, count, origin, predicted, first = begin_step(constants, state, scratch, which, drag)
    if which == ALL_HELD:
        lack = lacking(chain, numbers, q, state.momenta, scratch.body, predicted)
        solve_prescribed(
            chain, constants.terrain.anchors, numbers, scratch.body, state.anchors, scratch.contacts, total, count, lack, state.sums
        )  # fmt: skip
    else:
        solve_driven(constants, state, scratch, total, count, mode_of(state, which))
    return end_step(constants, state, scratch, t, which, total, count, origin, first), total, count, origin, first


@njit
def open_step(constants, state, scratch):
    """Keep the state where the coming step is to be compared with the start (`spatial.audit`); whether it is."""
    watched = is_watched(constants.terrain, state.motion, state.sums)
    if watched:
        keep_state(state, scratch.before)
    return watched


@njit
def retaken(constants, state, scratch, count, tries, drag, first):
    """Whether a watched step that made energy is to be taken again, after so many tries, and with which drag; the state is then taken back.

    A step with an impact (`first` >= 0) is not: its contacts have been found.
    """
    over = audit(constants, state, scratch)
    if over == 0.0 or count == 0 or tries == TRIES or first >= 0.0:
        return False, drag
    if tries > 1:
        drag = max(drag_for(constants.numbers, scratch.contacts, count, over), MORE * drag)
    take_back(state, scratch.before)
    return True, drag


@njit
def close_step(constants, state, scratch, total, count, origin):
    """After the last try: memory of the contacts, anchors, loads of the walls, smoothing of the next step."""
    terrain, numbers, contacts = constants.terrain, constants.numbers, scratch.contacts
    state.sums[sums.STORED] = store_contacts(
        terrain.anchors, numbers, state.memory, state.anchors, contacts, total, count, state.motion[DONE] + 1.0
    )  # fmt: skip
    if terrain.ground[G_END] > terrain.ground[G_POST]:
        wall_loads(state.loads, contacts, count, origin)
    follow_motion(numbers[LEAST], constants.chain.total, state.sums)


@njit
def step(constants, state, scratch, t, which):
    """Advance to time t; prescribed joints (all, some, none): Q and QP of the axes are their angles and rates at t, driven ones: by `dofs`.

    Returns whether all is finite, the number of spots and the centre of gravity of the pose at which they were found.
    """
    watched, again, tries, drag = open_step(constants, state, scratch), True, 0, 0.0
    good, total, count, origin, first = False, 0, 0, (0.0, 0.0, 0.0), -1.0
    while again:
        good, total, count, origin, first = attempt(constants, state, scratch, t, which, drag)
        tries += 1
        again = False
        if watched and good:
            again, drag = retaken(constants, state, scratch, count, tries, drag, first)
    close_step(constants, state, scratch, total, count, origin)
    return good, total, origin
