"""Ground anchors: pins that hold a point of a link where it was when they were set, up to a holding force.

    f = -k z - c v,  |f| <= hold          z the way from the anchor, in the level plane

Within the limit a pin is a stiff spring and damper, so it holds without creep; beyond it the anchor is dragged along behind
(z stays at hold / k) and the way is counted: the pin has slipped. In a step a pin is one more spot of its link, whose
friction axes are the world's x and y.

| column | meaning | unit |
|---|---|---|
| P_LINK, P_AT | link, and place along it from its tail-side joint | -, m |
| P_ON | 1 while it holds | - |
| P_X, P_Y | anchor in the world at the end of the coming step; set when the pin goes in | m |
| P_HOLD, P_STIFF, P_DAMP | holding force, stiffness k, damping c | N, N/m, N s/m |
| P_SLIPPED | way slipped so far | m |
| P_FX, P_FY | force on the robot at the end of the last step | N |
| P_PEAK | largest force so far | N |
| P_VX, P_VY | velocity of the anchor: a pin that is carried along, as by a feeder | m/s |
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import njit
from serpenoid.core import FloatArray
from serpenoid.spatial._old.kinematics import EX, PJ
from serpenoid.spatial._old.spots import CX, GAP, LINK, MU_B, MU_F, MU_N, NORMAL, NX, SHARE, SLOPE, SLOT, SX, TX, VP
from serpenoid.spatial._old.touch import FN, FT, KNN, KNT, KTN, KTT, VN, VT

P_LINK, P_AT, P_ON, P_X, P_Y, P_HOLD, P_STIFF, P_DAMP, P_SLIPPED, P_FX, P_FY, P_PEAK, P_VX, P_VY = range(14)
PIN_COLUMNS = 14
STIFFNESS = 1e6  # N/m
RATIO = 0.7  # of critical damping under the link's mass

# of a pin's spot: way from the anchor at the predicted pose, predicted velocities
_ZX, _ZY, _UX, _UY = MU_F, MU_B, MU_N, VP


def pin_table(
    links: FloatArray, at: FloatArray, mass: FloatArray, hold: float, stiffness: float = STIFFNESS
) -> FloatArray:
    """Pins, all out: on link `links[k]` at `at[k]` (m), with a holding force (N)."""
    table = np.zeros((len(links), PIN_COLUMNS))
    table[:, P_LINK], table[:, P_AT], table[:, P_HOLD], table[:, P_STIFF] = links, at, hold, stiffness
    table[:, P_DAMP] = 2.0 * RATIO * np.sqrt(stiffness * mass[np.asarray(links, dtype=int)])
    return table


@njit
def set_pins(pins, b, x, y, spots, first):
    """Append the spots of all pins that hold, for a body with its centre of gravity at (x, y); returns the new count."""
    count = first
    for k in range(pins.shape[0]):
        if pins[k, P_ON] > 0.0:
            i, at, spot = int(pins[k, P_LINK]), pins[k, P_AT], spots[count]
            spot[LINK], spot[SLOT], spot[GAP], spot[SHARE] = i, -1.0 - k, 0.0, 1.0
            for e in range(3):
                spot[CX + e] = b[i, PJ + e] + at * b[i, EX + e]
                spot[NX + e], spot[TX + e], spot[SX + e] = 0.0, 0.0, 0.0
            spot[NX + 2], spot[TX], spot[SX + 1] = 1.0, 1.0, 1.0
            spot[_ZX], spot[_ZY] = x + spot[CX] - pins[k, P_X], y + spot[CX + 1] - pins[k, P_Y]
            count += 1
    return count


@njit
def expect(spots, touch, first, count):
    """Keep the velocities with which the pose of the pins was predicted."""
    for a in range(first, count):
        spots[a, _UX], spots[a, _UY] = touch[VT, a], touch[VN, a]


@njit
def hold(pins, spots, touch, first, count, half):
    """Forces and slopes of the pins at their velocities; `half` is half the step."""
    for a in range(first, count):
        k = int(-1.0 - spots[a, SLOT])
        stiff, slope = pins[k, P_STIFF], pins[k, P_STIFF] * half + pins[k, P_DAMP]
        zx = spots[a, _ZX] + half * (touch[VT, a] - spots[a, _UX])
        zy = spots[a, _ZY] + half * (touch[VN, a] - spots[a, _UY])
        fx = -stiff * zx - pins[k, P_DAMP] * (touch[VT, a] - pins[k, P_VX])
        fy = -stiff * zy - pins[k, P_DAMP] * (touch[VN, a] - pins[k, P_VY])
        size = math.sqrt(fx * fx + fy * fy)
        share = pins[k, P_HOLD] / size if size > pins[k, P_HOLD] else 1.0
        touch[FT, a], touch[FN, a] = share * fx, share * fy
        touch[KTT, a], touch[KNN, a], touch[KTN, a], touch[KNT, a] = share * slope, share * slope, 0.0, 0.0
        spots[a, NORMAL], spots[a, SLOPE] = 0.0, 0.0


@njit
def drag(pins, spots, touch, first, count, half):
    """After a step: note the forces, drag the anchors of the pins that slipped, carry those that move."""
    for a in range(first, count):
        k = int(-1.0 - spots[a, SLOT])
        zx = spots[a, _ZX] + half * (touch[VT, a] - spots[a, _UX])
        zy = spots[a, _ZY] + half * (touch[VN, a] - spots[a, _UY])
        pins[k, P_FX], pins[k, P_FY] = touch[FT, a], touch[FN, a]
        pins[k, P_PEAK] = max(pins[k, P_PEAK], math.sqrt(touch[FT, a] ** 2 + touch[FN, a] ** 2))
        way, most = math.sqrt(zx * zx + zy * zy), pins[k, P_HOLD] / pins[k, P_STIFF]
        if way > most:
            f = 1.0 - most / way
            pins[k, P_X] += f * zx
            pins[k, P_Y] += f * zy
            pins[k, P_SLIPPED] += f * way
        pins[k, P_X] += 2.0 * half * pins[k, P_VX]
        pins[k, P_Y] += 2.0 * half * pins[k, P_VY]
