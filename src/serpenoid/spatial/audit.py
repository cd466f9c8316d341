"""Whether a step made energy: the account of a body on which nothing but weight, contacts and its own losses acts.

    excess = K + m g z + sum k g^2 / 2 - (the same at the start) - work of the joints

with the true gaps g at the pose in which the step ends. Contacts are taken at a predicted pose and their springs at the end of the step, which
loses energy; but on curved or creased surfaces a step can gain, too. So while the excess is near 0, the state before the step is
kept, and a step that ends above the start is taken again: first with the contacts at the pose in which it ended, then with a drag at
the contacts that takes what is too much. Contacts push from outside, so momenta stay exact. Once the body has lost `MARGIN` of its
energy, and where joints work, nothing is kept or compared: the account of the run tells what the scheme lost or made.
"""

from __future__ import annotations

from serpenoid.compiled import njit
from serpenoid.contact import sums
from serpenoid.contact.spots import G_STIFF, G_WALL_STIFF, GAP, NORMAL, VNORMAL, WALL
from serpenoid.contact.touch import VN, VT
from serpenoid.spatial.detect import find_spots
from serpenoid.spatial.kinematics import place_body
from serpenoid.spatial.layout import (
    CHANGE,
    DT,
    DV,
    DW,
    ENERGY_SCALE,
    ENERGY_START,
    EXCESS,
    X,
    Y,
    Z,
)  # fmt: skip

MARGIN = 1e-2  # of the energy scale
ALLOWED = 1e-7  # of the energy scale
WORKED = 1e-9  # of the energy scale
TRIES = 9
FIRST_DRAG, MORE = 2.0, 4.0  # drag that takes so many times what is too much; growth from try to try


@njit
def spring_energy(ground, spots, count):
    """Energy in the springs of spots with their gaps."""
    energy = 0.0
    for a in range(count):
        k = ground[G_WALL_STIFF] if spots[WALL, a] > 0.0 else ground[G_STIFF]
        energy += 0.5 * k * spots[GAP, a] * spots[GAP, a]
    return energy


@njit
def is_passive(q, acc):
    """Whether the joints have done no work so far."""
    return acc[sums.POSITIVE_WORK] <= WORKED * q[ENERGY_SCALE]


@njit
def is_watched(terrain, q, acc):
    """Whether the coming step is to be compared with the start."""
    return q[EXCESS] > -MARGIN * q[ENERGY_SCALE] and is_passive(q, acc) and terrain.anchors.shape[1] == 0


@njit
def set_excess(q, acc):
    """Note how far the energy is above what there was; what joint stops gave back counts as given."""
    now = acc[sums.KINETIC] + acc[sums.POTENTIAL] + acc[sums.SPRING_STORED]
    q[EXCESS] = now - q[ENERGY_START] - acc[sums.NET_WORK] + min(acc[sums.STOP_LOSS], 0.0)


@njit
def audit(constants, state, scratch):
    """Measure the springs at the end of a step; returns how much energy is too much (0: none)."""
    q, acc, spots = state.motion, state.sums, scratch.before.spots
    place_body(constants.chain, state, scratch.body, scratch.axes)
    count, _ = find_spots(constants.chain, constants.terrain, scratch.body, (q[X], q[Y], q[Z]), spots)
    stored = spring_energy(constants.terrain.ground, spots, count)
    acc[sums.GROUND_LOSS] += stored - acc[sums.SPRING_STORED]
    acc[sums.SCHEME_LOSS] -= stored - acc[sums.SPRING_STORED]
    acc[sums.SPRING_STORED] = stored
    set_excess(q, acc)
    over = q[EXCESS] - ALLOWED * q[ENERGY_SCALE]
    return over if over > 0.0 and is_passive(q, acc) else 0.0


@njit
def keep_state(state, before):
    """Keep what a step changes."""
    for e in range(state.motion.shape[0]):
        before.motion[e] = state.motion[e]
    for e in range(state.sums.shape[0]):
        before.sums[e] = state.sums[e]
    for e in range(state.momenta.shape[0]):
        for i in range(state.momenta.shape[1]):
            before.momenta[e, i] = state.momenta[e, i]
    for e in range(state.dofs.shape[0]):
        for k in range(state.dofs.shape[1]):
            before.dofs[e, k] = state.dofs[e, k]


@njit
def take_back(state, before):
    """Go back to the state before the step; the changes of the velocities that it found are those expected now."""
    q = state.motion
    for e in range(q.shape[0]):
        if not DV <= e < DW + 3:
            q[e] = before.motion[e]
    for e in range(state.sums.shape[0]):
        state.sums[e] = before.sums[e]
    for e in range(state.momenta.shape[0]):
        for i in range(state.momenta.shape[1]):
            state.momenta[e, i] = before.momenta[e, i]
    for e in range(state.dofs.shape[0]):
        if e != CHANGE:
            for k in range(state.dofs.shape[1]):
                state.dofs[e, k] = before.dofs[e, k]


@njit
def drag_for(numbers, contacts, count, over):
    """Drag (N s/m) at the contacts that press which takes the energy `over` in a step; 0: they do not move."""
    spots, touch, square = contacts.spots, contacts.touch, 0.0
    for a in range(count):
        if spots[NORMAL, a] > 0.0:
            square += touch[VT, a] ** 2 + touch[VN, a] ** 2 + spots[VNORMAL, a] ** 2
    return FIRST_DRAG * over / (numbers[DT] * square) if square > 0.0 else 0.0
