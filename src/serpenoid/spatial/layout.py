"""Rows of all arrays of the spatial engine, in three groups: constants, state, scratch.

Every array has one row per quantity and one column per link, degree of freedom, contact or object. Three rows in sequence are a
vector (x, y, z) of the world, unless stated otherwise.

| group | array | shape | what |
|---|---|---|---|
| constants | `chain.links` | (LINK_ROWS, n) | lengths, masses, inertias |
| | `chain.first` | (n+1,) | degrees of freedom of the joint at the tail side of link i: first[i] to first[i+1] |
| | `chain.kinds` | (m,) | YAW, PITCH or ROLL |
| | `chain.actuators` | (ACTUATOR_ROWS, m) | motors, gears, stops (`contact.joint`) |
| | `terrain` | | ground, obstacles, walls, anchors (`contact.spots`) |
| | `numbers` | (SCALARS + k,) | step, gravity, tolerances, friction law |
| | `par`, `tab` | | parameters and table of the gait or the drive |
| state | `motion` | (MOTION_ROWS,) | centre of gravity, link 0, step counter, kind of command |
| | `momenta` | (6, n) | momenta of the links relative to the centre of gravity: angular, linear |
| | `dofs` | (DOF_ROWS, m) | angles, rates, targets, torques |
| | `sums` | (SLOTS,) | accumulators (`contact.sums`) |
| | `memory` | (5, slots) | bristles by slot, and the step of their last contact; no columns for laws without memory |
| | `anchors` | (ANCHOR_ROWS, k) | which hold, where, and how strongly |
| | `loads` | (LOAD_ROWS, n) | contact forces of the last step; what walls press with |
| scratch | `body` | (BODY_ROWS, n) | frames, places, twists, momenta, matrices of the links |
| | `axes` | (AXIS_ROWS, m) | axes of the degrees of freedom, unknowns of the step |
| | `command` | (12, n) | what a gait commands the joint at the tail side of each link: yaw, its rate, pitch, its rate, roll, its rate; then working space |
| | `torques` | (1, m+1) | what a drive commands, from column 1 |
| | `contacts` | | spots, their velocities and forces, friction limits |
| | `before` | | the state before a step that may be taken again (`spatial.audit`) |

Saved are the arrays of the state, and nothing else. The scratch holds nothing from one step to the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.contact.self_contact import LinkSkin
from serpenoid.contact.spots import SpotTables, Terrain
from serpenoid.core import FloatArray

YAW, PITCH, ROLL = 0, 1, 2
KINDS = ("yaw", "pitch", "roll")

# constants of a link
LENGTH, MASS, COM, TRANSVERSE, AXIAL, RADIUS, EDGE_C, EDGE_S, CONTACT = range(9)
LINK_ROWS = 9

# numbers
DT, GRAVITY, TOLERANCE, SHARE, STRIDE, IDEAL, HOLD, COMMAND_KIND, LAW, DRY = range(10)
NONLINEAR = 10  # of the joints: 0 linear in their rates, 1 but for stops, 2 motors or gears are not
PLAIN = 11  # 3: coefficients of the law: forward, backward, across
STICK = 14  # 8: coefficients and stiffnesses of a law that sticks
LEAST = 22  # m/s, least smoothing where it follows the motion; 0: it is given
ROLLING = 23  # coefficient of the rolling resistance
BOUNCE, RIGID = (
    24,
    25,
)  # restitution of the ground; slope of a contact that strikes it, N s/m: 0: springs alone (`spatial.impacts`)
SCALARS = 26  # parameters of the law, to the end

SOLVED = 0.1  # of the smoothing: a smaller correction is the last one (TOLERANCE 0; below 0: another share); it leaves its square, 1e-2 of the smoothing

# state of the motion
X, Y, Z, VX, VY, VZ = range(6)  # centre of gravity
AW, AX, AY, AZ = 6, 7, 8, 9  # attitude of link 0, unit quaternion
WX, WY, WZ = 10, 11, 12  # its angular velocity
DV, DW = 13, 16  # last changes of the velocity and the angular velocity, three each
DONE, KINETIC = 19, 20  # steps taken; kinetic energy
MODE, FROM, TO = 21, 22, 23  # kind of command; begin and end of the curve tracked, s
HEADING = 24  # of the mean link axis at the last frame, rad: heading without jumps
ENERGY_START, EXCESS = (
    25,
    26,
)  # of motion, weight and ground springs at the start; how far it is now above that and the joints' work
ENERGY_SCALE, KINETIC_MAX = (
    27,
    28,
)  # kinetic energy at the start and weight times length; greatest kinetic energy so far
MOTION_ROWS = 29

# kinds of command
IDLE, GAIT, DRIVE, TRACK, PUSH = range(5)
MIXED = 5  # within a step: ideal joints that follow GAIT or TRACK, among limp ones
NONE_HELD, SOME_HELD, ALL_HELD = range(3)  # which joints a step finds prescribed

# state of a degree of freedom
ANGLE, RATE, CHANGE = 0, 1, 2  # angle, rate, last change of the rate
TARGET, AIM = 3, 4  # angle commanded; what the servo aims at (no faster than its speed limit)
TORQUE, PEAK = 5, 6  # torque of the actuator in the last step; the largest so far
PASSIVE = 7  # 1: without torque from now on
HELD = 8  # torque held
FROM_ANGLE, FROM_RATE, TO_ANGLE, TO_RATE = 9, 10, 11, 12  # curve tracked
DOF_ROWS = 13

# loads of a link in the last step
FORCE = 0  # 3: of ground, obstacles and anchors
PRESS, TOUCHING = 3, 4  # normal forces, summed; contacts that press
SLIP_T, SLIP_N, FORCE_T, FORCE_N = 5, 6, 7, 8  # velocities along and across, means; friction forces, sums
POINT = 9  # 3: centre of the contacts, by load; NaN: none
WALL_FORCE, WALL_POINT = 12, 15  # 3 each: force of walls, place of the strongest; NaN: none
WALL_NAME, WALL_PRESS, WALL_PEAK, WALL_DEEPEST = (
    18,
    19,
    20,
    21,
)  # obstacle pressed most (-1: none); sum of sizes; so far
LOAD_ROWS = 22

# scratch of a link
EX, EY, EZ = 0, 3, 6  # axes of the frame
PJ, PG = 9, 12  # tail-side joint, centre of gravity, from O
W, V = 15, 18  # twist
NA, NL = 21, 24  # momentum at the end of this step: angular about O, linear
FA, FL = 27, 30  # wrench of gravity and contacts about O: torque, force
A = 33  # 21: symmetric matrix of the implicit step; of link 0, with all others eliminated
B = 54  # 6: right side
BODY_ROWS = 60

# scratch of a degree of freedom
Q, QD = 0, 1  # angle at which the body is placed; rate at an instant
QP, QT, QB, QS = 2, 3, 4, 5  # rates: predicted, tried, to come back to, at which the drive was last evaluated
SA, SL = 6, 9  # axis: direction, moment about O
U, UR = 12, 18  # 6 and 1: of the recursion
T, D = 19, 20  # drive and damping of the implicit step (impulses)
TAU = 21  # torque in the joint
UE = 22  # of the recursion: how the axis answers to a torque, what is outside of it eliminated
MOTOR_T, MOTOR_D = 23, 24  # the motor's part of T and D
GEAR_T, GEAR_D = 25, 26  # that of gear friction
AXIS_ROWS = 27

# recorded of a link: place of the tail-side joint, direction, back, angular velocity, then its loads up to the walls' points
R_PLACE, R_AXIS, R_BACK, R_SPIN, R_LOADS = 0, 3, 6, 9, 12
FRAME_LINK_ROWS = R_LOADS + WALL_NAME
R_ANGLE, R_RATE, R_TORQUE, R_TARGET = range(4)
FRAME_DOF_ROWS = 4
R_FX, R_FY, R_ON = range(3)
FRAME_ANCHOR_ROWS = 3


class SpatialChain(NamedTuple):
    """Links and joints."""

    links: FloatArray
    first: np.ndarray
    kinds: np.ndarray
    actuators: FloatArray
    total: float  # kg
    skin: LinkSkin  # what links are to each other


class SpatialConstants(NamedTuple):
    """What a batch of robots shares."""

    chain: SpatialChain
    terrain: Terrain
    numbers: FloatArray
    par: FloatArray
    tab: FloatArray


class SpatialState(NamedTuple):
    """What is saved: from it a run continues bit for bit."""

    motion: FloatArray
    momenta: FloatArray
    dofs: FloatArray
    sums: FloatArray
    memory: FloatArray
    anchors: FloatArray
    loads: FloatArray


class SpatialBefore(NamedTuple):
    """The state before a step that may be taken again, and room for the spots at its end."""

    motion: FloatArray
    momenta: FloatArray
    dofs: FloatArray
    sums: FloatArray
    spots: FloatArray


class SpatialScratch(NamedTuple):
    """Working space of a step."""

    body: FloatArray
    axes: FloatArray
    command: FloatArray
    torques: FloatArray
    contacts: SpotTables
    before: SpatialBefore
