"""The arrays of the planar engine: which quantity lives in which row, and the three groups they come in.

`PlanarConstants` belong to the robot, its world and its command (a batch may share them), `PlanarState` is everything that a run needs to
continue bit for bit, `PlanarScratch` is recomputed in every step. Arrays have one row per quantity and one column per link, index 0 at
the tail; a joint's values stand in the column of its outer link, so column 0 of `joints` is not used.

A link has one contact point, or several along it (`World.contact_points`): then `points` of constants and scratch have one column per
contact point, the first one of every link, then the second ones, and so on, with the rows of `links`. Where there is one, `points` *is*
`links`: the same array, so that nothing is copied.

Positions and velocities of links are relative to the centre of gravity of the body, in axes with heading PSI: those of the body
frame where the joints are prescribed, those of the world (PSI = 0) where they are driven.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.contact.joint import ACTUATOR_ROWS
from serpenoid.contact.self_contact import LinkSkin, Touching, touching_for
from serpenoid.core import FloatArray


class PlanarConstants(NamedTuple):
    """What does not change with time."""

    links: FloatArray  # (LINK_CONSTANTS, n)
    points: FloatArray  # (LINK_CONSTANTS, contact points); `links` itself where each has one
    joints: FloatArray  # (JOINT_CONSTANTS, n): rows of `contact.joint`, then LOCKED and CONTROL_PERIOD
    numbers: FloatArray  # (NUMBERS + parameters of the friction law,)
    patches: FloatArray  # (p, 7): rectangles of the ground with their coefficients
    chart: FloatArray  # the friction map in one row; empty: none
    row: FloatArray  # parameters of the gait or drive
    table: FloatArray  # (., .) and its table
    skin: LinkSkin  # what links are to each other


class PlanarState(NamedTuple):
    """What must be saved to continue."""

    motion: FloatArray  # (MOTION_SLOTS,)
    links: FloatArray  # (LINK_STATES, n)
    joints: FloatArray  # (JOINT_STATES, n)
    sums: FloatArray  # accumulators: slots of `contact.sums`
    vector: FloatArray  # (2, .): what the explicit integrators integrate, and its slope
    memory: FloatArray  # (4, contact points): deflection along and across, mode along and across, of the bristles


class PlanarScratch(NamedTuple):
    """What a step computes anew."""

    links: FloatArray  # (BODY_ROWS, n)
    points: FloatArray  # (BODY_ROWS, contact points); `links` itself where each has one
    touch: FloatArray  # (TOUCH_ROWS, contact points): rows of `contact.touch`
    limits: (
        FloatArray  # (LIMIT_ROWS, contact points): friction limits where the contacts stand, rows of `contact.ground`
    )
    solve: FloatArray  # (SOLVE_ROWS, n)
    newton: FloatArray  # (12,): forces and slopes of the body's three velocities
    stages: FloatArray  # (4, .): stages of the explicit integrators
    own: Touching  # links that touch each other


class PlanarFrames(NamedTuple):
    """Recorded frames; the storage grows."""

    motion: FloatArray  # (f, MOTION_SLOTS + SLOTS): motion in world axes, then the sums
    links: FloatArray  # (f, FRAME_ROWS, n)


# rows of PlanarConstants.links
LENGTH, MASS, INERTIA, COM, CONTACT = range(5)  # m, kg, kg m^2, m and m from the tail-side joint
LEVER = 5  # h_i = m_i lG_i + l_i sum_{k>i} m_k, kg m
EDGE_C, EDGE_S = 6, 7  # cosine and sine of the edge angle
SCALE = 8  # N, normal force of the contact (1 if the law is viscous)
SHARE = 9  # part of the load of the link that this contact point carries
WEIGHT = 10  # N, of the link
PLAIN = 11  # eight rows: friction limits on the world's own ground, as in `contact.ground`
LINK_CONSTANTS = 19

# rows of PlanarConstants.joints beyond those of `contact.joint`
LOCKED = ACTUATOR_ROWS  # 1: the joint stays at angle 0
CONTROL_PERIOD = ACTUATOR_ROWS + 1  # s between the samples of a servo's aim; 0: continuous
JOINT_CONSTANTS = ACTUATOR_ROWS + 2

# slots of PlanarConstants.numbers
TOTAL = 0  # kg, mass of the body
TOLERANCE = 1  # m/s, of the last correction; 0: a share of the smoothing
STEP = 2  # s
STRIDE = 3  # steps per frame
ORDER = 4  # 0: implicit; 1, 4: order of the explicit integrator
LAW = 5  # kind of the friction law
COMMAND = 6  # kind of the gait or drive
ANY_LOCKED = 7  # 1: some joint is locked
SIMPLE = 8  # 1: no servo, no gear friction, no rotor, no stop on any joint
UNEVEN = 9  # 1: friction limits change with place or time
LOAD_KIND = 10  # kind of the load law
LOAD_ROW = 11  # four slots: its parameters
ANY_STOP = 15  # 1: the joints are ideal and some joint has stops
LEAST = 16  # m/s, least smoothing where it follows the motion; 0: it is given
GX, GY = 17, 18  # m/s^2, gravity along the plane, world axes
NUMBERS = 19  # from here on: parameters of the friction law

# slots of PlanarState.motion
X, Y = 0, 1  # m, centre of gravity, world
PSI = 2  # rad, heading of the axes
VX, VY = 3, 4  # m/s, velocity of the centre of gravity, in these axes
TURN = 5  # rad/s, angular velocity of these axes
SPIN = 6  # kg m^2/s, angular momentum about the centre of gravity (prescribed joints)
DVX, DVY, DTURN = 7, 8, 9  # changes of VX, VY, TURN in the last step: where the next search begins
DONE = 10  # steps taken
MODE = 11  # PRESCRIBED or DRIVEN
SOURCE = 12  # where commands come from: NOTHING ... PUSHED
T0, T1 = 13, 14  # s, ends of the curve tracked
MOTION_SLOTS = 15

PRESCRIBED, DRIVEN_JOINTS = 0.0, 1.0
NOTHING, FOLLOWED, DRIVE, TRACKED, PUSHED = 0.0, 1.0, 2.0, 3.0, 4.0  # limp; gait; drive; curve of angles; held torques

# rows of PlanarState.links
ANGLE0 = 0  # rad, heading of the link
TURN0 = 1  # rad/s, its angular velocity (complete)
WX0, WY0 = 2, 3  # m/s, velocity of its centre of gravity (complete, relative to that of the body)
SPIN0 = 4  # kg m^2/s, m (position x velocity)
XG0, YG0 = 5, 6  # m, its centre of gravity (driven joints)
DSPEED = 7  # rad/s, last change of the angular velocity (driven joints)
# of the last step, for what looks at the state: contact velocities (m/s) and forces (N) along and across the edge, contact force and
# force of the inner link at the joint (N), world axes, and normal force (N); of several contact points the velocities are means
# weighted with their shares of the load, the forces are sums
LAST_VT, LAST_VN, LAST_FT, LAST_FN, LAST_FX, LAST_FY, LAST_JX, LAST_JY, LAST_NORMAL = range(8, 17)
LINK_STATES = 17

# rows of PlanarState.joints
AIM = 0  # rad, where the servo aims now
WANTED = 1  # rad, what was commanded (sampled and held by servos)
SAMPLE = 2  # number of the servo's sample; -1: none yet
FREE = 3  # 1: no torque
PUSH = 4  # N m, torque held
Q0, V0, Q1, V1 = 5, 6, 7, 8  # rad, rad/s: ends of the curve tracked
TORQUE = 9  # N m, of the actuator in the last step
JOINT_STATES = 10

# rows of PlanarScratch.links; the first three are those that gaits fill
ANGLE, RATE, BEND = 0, 1, 2  # heading of the link, its rate and acceleration
C, S = 3, 4  # cosine and sine of the heading
XJ, YJ = 5, 6  # tail-side joint
UJ, VJ = 7, 8  # and its velocity
XG, YG = 9, 10  # centre of gravity of the link
WX, WY = 11, 12  # and its velocity
XC, YC = 13, 14  # contact point
TX, TY = 15, 16  # direction of the edge
MT, MN = 17, 18  # moments of unit forces along and across the edge about the centre of gravity of the body
VT0, VN0 = 19, 20  # contact velocity along and across, of the change of shape alone
FX, FY = 21, 22  # contact force
PX, PY, PM = (
    23,
    24,
    25,
)  # rate of change of the link's momentum, and of its angular momentum about the body's centre of gravity
JX, JY = 26, 27  # force of the inner link on this one at the tail-side joint
TAU = 28  # torque of the inner link on this one; entry 0 is the residual of the balance
DRIVEN_BY = 29  # torque commanded
HELD, HELD_RATE = (
    30,
    31,
)  # angle and rate that a joint is held at; all prescribed: the stop it rests at (1 upper, -1 lower), what that bears
NEW_RATE = 32  # solution of a pass
FM = 33  # moment of the contact forces about the tail-side joint
LOAD = 34  # N, normal force on the link
BODY_ROWS = 35

# rows of PlanarScratch.solve: the recursion over the chain
A, B, E = 0, 6, 9  # six, three and four rows: link matrices, right sides, what was eliminated
T, D = 13, 14  # impulse of a joint: T - D (rate); D < 0: held, T is its rate
MOTOR_T, MOTOR_D, STOP_T, STOP_D = 15, 16, 17, 18  # parts of it
R = 19  # how a link answers to a moment, what is outside of it eliminated; 0: held
SOLVE_ROWS = 20

# rows of a recorded frame, one value per link; world axes
(
    HEADING, SPEED, ACTUATOR, TARGET, JOINT_X, JOINT_Y, FORCE_X, FORCE_Y, SLIP_T, SLIP_N, FORCE_T, FORCE_N, PRESS,
) = range(13)  # fmt: skip
FRAME_ROWS = 13


def scratch_for(constants: PlanarConstants, size: int = 1) -> PlanarScratch:
    """Working arrays of a robot on its own ground; `size`: length of the explicit integrators' state."""
    from serpenoid.contact.touch import TOUCH_ROWS

    links, points = constants.links.shape[1], constants.points.shape[1]
    body = np.zeros((BODY_ROWS, links))
    body[LOAD] = constants.links[WEIGHT]
    return PlanarScratch(
        body,
        body if points == links else np.zeros((BODY_ROWS, points)),
        np.zeros((TOUCH_ROWS, points)),
        constants.points[PLAIN:].copy(),
        np.zeros((SOLVE_ROWS, links)),
        np.zeros(12),
        np.zeros((4, size)),
        touching_for(constants.skin, flat=True),
    )
