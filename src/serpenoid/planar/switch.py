"""From prescribed joints to driven ones and back: the same body, its velocities and momenta, in other axes.

Prescribed joints are stepped in the axes of the body frame, driven ones in those of the world (`layout`). A switch turns the
kept positions and velocities of the links; headings in the world, velocities, momentum, angular momentum and kinetic energy
stay what they are. The body frame is the gait's own: its heading is the mean heading of the links less the mean of the headings
that the gait gives for this moment.
"""

from __future__ import annotations

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.contact import sums as slot
from serpenoid.contact.beginning import begin_contacts
from serpenoid.frames import sincos, sincos1, turned
from serpenoid.planar.command import prescribed_headings
from serpenoid.planar.dynamics import inertia_and_spin, kinetic_energy
from serpenoid.planar.kinematics import face_ground, forward_kinematics, place_points, slip
from serpenoid.planar.layout import (
    ANGLE,
    ANGLE0,
    DONE,
    DRIVEN_JOINTS,
    DSPEED,
    DTURN,
    DVX,
    DVY,
    INERTIA,
    LAW,
    MASS,
    MODE,
    PLAIN,
    PRESCRIBED,
    PSI,
    RATE,
    SPIN,
    SPIN0,
    STEP,
    TOTAL,
    TURN,
    TURN0,
    VX,
    VY,
    WX,
    WX0,
    WY,
    WY0,
    XG,
    XG0,
    YG,
    YG0,
    C,
    S,
)  # fmt: skip
from serpenoid.planar.shape_step import turn_along

_SAME = 1e-12  # rad: a smaller turn of the axes is rounding


@njit
def turn_axes(state, angle):
    """Turn the axes by an angle: kept headings and vectors take their components there."""
    k, q = state.links, state.motion
    c, s = sincos1(angle)
    for i in range(k.shape[1]):
        k[ANGLE0, i] -= angle
        k[WX0, i], k[WY0, i] = turned(k[WX0, i], k[WY0, i], c, -s)
    q[VX], q[VY] = turned(q[VX], q[VY], c, -s)
    q[PSI] += angle
    q[DVX], q[DVY], q[DTURN] = 0.0, 0.0, 0.0


@kernel
def prescribe(constants, state, scratch):
    """Go over to prescribed joints, or to another body frame, as the command of this moment gives it."""
    q, k, b = state.motion, state.links, scratch.links
    prescribed_headings(constants, state, q[DONE] * constants.numbers[STEP], b)
    angle = np.mean(k[ANGLE0]) - np.mean(b[ANGLE])
    driven = q[MODE] != PRESCRIBED
    if abs(angle) > _SAME or driven:
        turn_axes(state, angle)
        q[TURN] = np.mean(k[TURN0]) - np.mean(b[RATE])
    if driven:
        q[SPIN] = 0.0
        for i in range(k.shape[1]):
            q[SPIN] += k[SPIN0, i] + constants.links[INERTIA, i] * k[TURN0, i]
        q[MODE] = PRESCRIBED


@kernel
def release(constants, state, scratch):
    """Go over to driven joints: world axes."""
    q, k, b = state.motion, state.links, scratch.links
    if q[MODE] != PRESCRIBED:
        return
    turn_axes(state, -q[PSI])
    q[PSI], q[TURN], q[MODE] = 0.0, 0.0, DRIVEN_JOINTS
    for i in range(k.shape[1]):
        b[ANGLE, i] = k[ANGLE0, i]
        k[DSPEED, i] = 0.0
    sincos(b, ANGLE, C, S)
    forward_kinematics(constants.links, constants.numbers[TOTAL], b)
    for i in range(k.shape[1]):
        k[XG0, i], k[YG0, i] = b[XG, i], b[YG, i]


@kernel
def balance(constants, scratch):
    """Turn the rates in the scratch so that the shape's own motion has no angular momentum."""
    b = scratch.links
    sincos(b, ANGLE, C, S)
    forward_kinematics(constants.links, constants.numbers[TOTAL], b)
    inertia, spin = inertia_and_spin(constants.links, b)
    for i in range(b.shape[1]):
        b[RATE, i] -= spin / inertia


@kernel
def begin(constants, state, scratch):
    """Set what the state keeps of the links for the headings and rates in the scratch, in axes that turn at TURN."""
    q, k, b = state.motion, state.links, scratch.links
    sincos(b, ANGLE, C, S)
    forward_kinematics(constants.links, constants.numbers[TOTAL], b)
    inertia, spin = inertia_and_spin(constants.links, b)
    q[SPIN] = inertia * q[TURN] + spin
    if scratch.points.shape[1] > b.shape[1]:
        place_points(constants.points, b, scratch.points)
    face_ground(constants.points, scratch.points)
    slip(scratch.points, scratch.touch, q[VX], q[VY], q[TURN])
    turn_along(b, q[TURN])
    for i in range(k.shape[1]):
        k[ANGLE0, i], k[TURN0, i], k[WX0, i], k[WY0, i] = b[ANGLE, i], b[RATE, i], b[WX, i], b[WY, i]
        k[XG0, i], k[YG0, i] = b[XG, i], b[YG, i]
        k[SPIN0, i] = constants.links[MASS, i] * (b[XG, i] * b[WY, i] - b[YG, i] * b[WX, i])
    state.sums[slot.KINETIC] = kinetic_energy(constants, b, q[VX], q[VY])
    state.sums[slot.KINETIC_START] = state.sums[slot.KINETIC]
    begin_contacts(int(constants.numbers[LAW]), constants.points[PLAIN:], state.memory, scratch.touch)
