"""Ground anchors: pins that hold a point of a link where it was when they were set, up to a holding force.

    f = -k z - c v,  |f| <= hold          z the way from the anchor, in the level plane

Within the limit an anchor is a stiff spring and damper, so it holds without creep; beyond it the anchor is dragged along behind
(z stays at hold / k) and the way is counted: the anchor has slipped. In a step an anchor is one more spot of its link, whose
friction axes are the world's x and y. Link, place, holding force, stiffness and damping are constants (`contact.spots`, rows N_...);
the state has

| row | meaning | unit |
|---|---|---|
| ON | 1 while it holds | - |
| AT_X, AT_Y | anchor in the world at the end of the coming step; set when the anchor goes in | m |
| SPEED_X, SPEED_Y | velocity of the anchor: one that is carried along, as by a feeder | m/s |
| SLIPPED | way slipped so far | m |
| PULL_X, PULL_Y | force on the robot at the end of the last step | N |
| PULL_PEAK | largest force so far | N |
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.spots import (
    CX,
    GAP,
    LINK,
    N_AT,
    N_DAMP,
    N_HOLD,
    N_LINK,
    N_STIFF,
    NORMAL,
    NX,
    SHARE,
    SLOPE,
    SLOT,
    SX,
    TX,
    UX,
    UY,
    WALL,
    ZX,
    ZY,
)  # fmt: skip
from serpenoid.contact.touch import FN, FT, KNN, KNT, KTN, KTT, VN, VT
from serpenoid.core import FloatArray
from serpenoid.spatial.layout import EX, PJ

ON, AT_X, AT_Y, SPEED_X, SPEED_Y, SLIPPED, PULL_X, PULL_Y, PULL_PEAK = range(9)
ANCHOR_ROWS = 9
STIFFNESS = 1e6  # N/m
RATIO = 0.7  # of critical damping under the link's mass


def anchor_constants(links: Any, at: Any, mass: FloatArray, hold: Any, stiffness: Any = STIFFNESS) -> FloatArray:
    """Constants (5, k) of anchors on link `links[k]` at `at[k]` (m from its tail-side joint), with a holding force (N)."""
    table = np.zeros((5, len(links)))
    table[N_LINK], table[N_AT], table[N_HOLD], table[N_STIFF] = links, at, hold, stiffness
    table[N_DAMP] = 2.0 * RATIO * np.sqrt(table[N_STIFF] * mass[np.asarray(links, dtype=int)])
    return table


@njit
def find_anchors(constants, anchors, body, origin, spots, first):
    """Append the spots of all anchors that hold, for a body with its centre of gravity at `origin`; returns the new count."""
    a = first
    for k in range(anchors.shape[1]):
        if anchors[ON, k] > 0.0:
            i, at = int(constants[N_LINK, k]), constants[N_AT, k]
            spots[LINK, a], spots[SLOT, a], spots[GAP, a], spots[SHARE, a], spots[WALL, a] = i, -1.0 - k, 0.0, 1.0, 0.0
            for e in range(3):
                spots[CX + e, a] = body[PJ + e, i] + at * body[EX + e, i]
                spots[NX + e, a], spots[TX + e, a], spots[SX + e, a] = 0.0, 0.0, 0.0
            spots[NX + 2, a], spots[TX, a], spots[SX + 1, a] = 1.0, 1.0, 1.0
            spots[ZX, a] = origin[0] + spots[CX, a] - anchors[AT_X, k]
            spots[ZY, a] = origin[1] + spots[CX + 1, a] - anchors[AT_Y, k]
            a += 1
    return a


@njit
def keep_predicted(spots, touch, first, total):
    """Keep the velocities with which the places of the anchored points were predicted."""
    for a in range(first, total):
        spots[UX, a], spots[UY, a] = touch[VT, a], touch[VN, a]


@njit
def anchor_forces(constants, anchors, spots, touch, first, total, half):
    """Forces and slopes of the anchors at their velocities; `half` is half the step."""
    for a in range(first, total):
        k = int(-1.0 - spots[SLOT, a])
        stiff, damp, most = constants[N_STIFF, k], constants[N_DAMP, k], constants[N_HOLD, k]
        slope = stiff * half + damp
        zx = spots[ZX, a] + half * (touch[VT, a] - spots[UX, a])
        zy = spots[ZY, a] + half * (touch[VN, a] - spots[UY, a])
        fx = -stiff * zx - damp * (touch[VT, a] - anchors[SPEED_X, k])
        fy = -stiff * zy - damp * (touch[VN, a] - anchors[SPEED_Y, k])
        size = math.sqrt(fx * fx + fy * fy)
        share = most / size if size > most else 1.0
        touch[FT, a], touch[FN, a] = share * fx, share * fy
        touch[KTT, a], touch[KNN, a], touch[KTN, a], touch[KNT, a] = share * slope, share * slope, 0.0, 0.0
        spots[NORMAL, a], spots[SLOPE, a] = 0.0, 0.0


@njit
def advance_anchors(constants, anchors, spots, touch, first, total, half):
    """After a step: note the forces, drag the anchors that slipped, carry those that move."""
    for a in range(first, total):
        k = int(-1.0 - spots[SLOT, a])
        zx = spots[ZX, a] + half * (touch[VT, a] - spots[UX, a])
        zy = spots[ZY, a] + half * (touch[VN, a] - spots[UY, a])
        anchors[PULL_X, k], anchors[PULL_Y, k] = touch[FT, a], touch[FN, a]
        anchors[PULL_PEAK, k] = max(anchors[PULL_PEAK, k], math.sqrt(touch[FT, a] ** 2 + touch[FN, a] ** 2))
        way, most = math.sqrt(zx * zx + zy * zy), constants[N_HOLD, k] / constants[N_STIFF, k]
        if way > most:
            f = 1.0 - most / way
            anchors[AT_X, k] += f * zx
            anchors[AT_Y, k] += f * zy
            anchors[SLIPPED, k] += f * way
        anchors[AT_X, k] += 2.0 * half * anchors[SPEED_X, k]
        anchors[AT_Y, k] += 2.0 * half * anchors[SPEED_Y, k]
