"""A run of prescribed joints that is solved far enough to be differentiated, and keeps what the way back needs.

The adjoint differentiates the equations of a step, so the step must solve them: a correction of SOLVED_FAR of the smoothing is the last one.
A step whose search did not converge is made again from where it ended, TRIES times at most; what is then left is counted and named.
"""

from __future__ import annotations

from serpenoid.compiled import kernel, njit
from serpenoid.contact import sums as slot
from serpenoid.planar import shape_step
from serpenoid.planar.adjoint_layout import (
    KEPT_PSI,
    KEPT_SMOOTHING,
    KEPT_TURN,
    KEPT_VX,
    KEPT_VY,
    KEPT_X,
    KEPT_Y,
)
from serpenoid.planar.layout import (
    ANGLE0,
    DONE,
    DTURN,
    DVX,
    DVY,
    PSI,
    SPIN0,
    STEP,
    TOLERANCE,
    TURN,
    VX,
    VY,
    X,
    Y,
)
from serpenoid.planar.step import borrowed, borrowed_constants, borrowed_scratch, borrowed_state

SOLVED_FAR = 1e-4  # of the smoothing: what a smaller last correction leaves of the derivative is 1e-9 of it
TRIES = 6


@njit
def keep(state, history, k):
    """Write the present instant into row k of the history."""
    q = state.motion
    history[k, KEPT_X], history[k, KEPT_Y], history[k, KEPT_PSI] = q[X], q[Y], q[PSI]
    history[k, KEPT_VX], history[k, KEPT_VY], history[k, KEPT_TURN] = q[VX], q[VY], q[TURN]
    history[k, KEPT_SMOOTHING] = state.sums[slot.SMOOTHING]


@njit
def copy_step(given, taken):
    """Copy what a step of prescribed joints changes."""
    for j in range(given.motion.shape[0]):
        taken.motion[j] = given.motion[j]
    for j in range(given.sums.shape[0]):
        taken.sums[j] = given.sums[j]
    for row in range(ANGLE0, SPIN0 + 1):
        for i in range(given.links.shape[1]):
            taken.links[row, i] = given.links[row, i]


@njit
def again(state, before):
    """Put the state before the step back, and let the search begin where it ended."""
    vx, vy, turn = state.motion[VX], state.motion[VY], state.motion[TURN]
    copy_step(before, state)
    q = state.motion
    q[DVX], q[DVY], q[DTURN] = vx - q[VX], vy - q[VY], turn - q[TURN]


@kernel
def march_kept(constants, state, before, scratch, history, unsolved):
    """Take as many steps as the history has rows after its first; returns how many were finite. unsolved: number and first of the steps left so."""
    constants, scratch, history = borrowed_constants(constants), borrowed_scratch(scratch), borrowed(history)
    state, before = borrowed_state(state), borrowed_state(before)
    dt, share, numbers = constants.numbers[STEP], SOLVED_FAR, constants.numbers
    steps = history.shape[0] - 1
    keep(state, history, 0)
    for k in range(steps):
        numbers[TOLERANCE] = share * state.sums[slot.SMOOTHING]
        copy_step(state, before)
        for trial in range(TRIES):
            if not shape_step.step(constants, state, scratch, (k + 1) * dt, dt):
                return k
            solved = state.sums[slot.UNCONVERGED] == before.sums[slot.UNCONVERGED]
            if solved:
                break
            if trial < TRIES - 1:
                again(state, before)
        if not solved:
            unsolved[1] = unsolved[1] if unsolved[0] > 0.0 else k + 1
            unsolved[0] += 1.0
        state.motion[DONE] = k + 1
        keep(state, history, k + 1)
    return steps
