"""A gait whose numbers change while it runs: how far it has come, how fast it goes on, and the gait held at a place of its own.

| kernel | how far it has come |
|---|---|
| serpenoid | displacement along the curve, m |
| waves | angle of the wave of yaw, and of that of pitch, rad |
| others | its time, s |
"""

from __future__ import annotations

import math

from serpenoid.compiled import literal
from serpenoid.core.slots import ROBOT
from serpenoid.gaits import serpenoid
from serpenoid.gaits.waves import PITCH, WAVES, YAW

SERPENOID = serpenoid.KIND
WAY, RATE, TRAVELS = (
    0,
    2,
    4,
)  # slots of `way_of`: how far (two), how fast (two), whether the gait can be held while its time goes on
WAY_SLOTS = 5


@literal
def way_of(kind, par, t, out):
    """Say how far a gait has come at time t, and how fast it goes on."""
    out[WAY], out[WAY + 1], out[RATE], out[RATE + 1], out[TRAVELS] = t, 0.0, 1.0, 0.0, 0.0
    if kind == SERPENOID:
        out[WAY], out[RATE], _change = serpenoid.travel(par, t)
        out[TRAVELS] = 1.0
    elif kind == WAVES:
        for axis in range(2):
            out[WAY + axis], out[RATE + axis] = par[axis] * t, par[axis]
        out[TRAVELS] = 1.0


@literal
def hold(kind, r, first, second, par, tab):
    """Hold a gait at a place of its own: what goes on with time is its ramp alone."""
    if kind == SERPENOID:
        end, length = 0.0, int(r[ROBOT.link_length])
        for i in range(tab.shape[1]):
            end += r[length + i]
            place = par[1] * (end - 0.5 * r[length + i]) + par[1] * first
            tab[0, i], tab[1, i] = math.cos(place), math.sin(place)
        par[2], par[3], par[4], par[5] = 0.0, 0.0, 0.0, math.inf
    elif kind == WAVES:
        for axis, row in enumerate((YAW, PITCH)):
            angle = first if axis == 0 else second
            c, s = math.cos(angle), math.sin(angle)
            for j in range(1, tab.shape[1]):
                a, b = tab[row + 2, j], tab[row + 3, j]
                tab[row + 2, j], tab[row + 3, j] = c * a - s * b, c * b + s * a
            par[axis] = 0.0
