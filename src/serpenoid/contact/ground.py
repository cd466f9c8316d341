"""Which friction limits a contact meets: the law's own, or those of the patch it stands on.

A map (`core.friction_map`) multiplies the law's own coefficients with factors of the place. A patch is a rectangle of the ground with its own
coefficients, whatever the map says; where patches overlap the last one counts.
The kernel holds, for each contact, a column of `limits`: the greatest force forward, backward and across (for the
viscous law the coefficients), the mass that rests on it, and for the laws that stick the static force and the stiffness
along and across. A static force of AS_SLIDING is that of sliding in the same direction; a stiffness -1 / l_s is then the static force over l_s.
"""

from __future__ import annotations

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.touch import XW, YW
from serpenoid.core import FloatArray, World

FORWARD, BACKWARD, ACROSS, REST, STATIC_T, STATIC_N, STIFF_T, STIFF_N = range(8)
LIMIT_ROWS = 8
AS_SLIDING = -1.0  # static force of a law that gives none


def limits_table(world: World, mass: FloatArray) -> FloatArray:
    """Limits of all contacts on the world's plain ground, shape (LIMIT_ROWS, n)."""
    law = world.friction
    weight = mass * world.pressing_gravity
    scale = weight if law.DRY else np.ones_like(mass)
    backward = law.along if law.backward is None else law.backward
    return np.stack([law.along * scale, backward * scale, law.across * scale, mass, *law.sticking(weight)])


def patch_table(world: World) -> FloatArray:
    """Rectangles and coefficients of the patches, shape (p, 7): x0, y0, x1, y1, along, backward, across."""
    rows = [(*p.rectangle, p.along, p.along if p.backward is None else p.backward, p.across) for p in world.patches]
    return np.array(rows, dtype=float).reshape(len(rows), 7)


def map_row(world: World) -> FloatArray:
    """What the kernels read of the friction map; empty where there is none."""
    return np.zeros(0) if world.friction_map is None else world.friction_map.row()


@njit
def map_at(row, first, x, y):
    """Factors along and across of the map that begins at row[first]: bilinear, beyond its edges the edge goes on."""
    nx, ny = int(row[first]), int(row[first + 1])
    u, v = (x - row[first + 2]) / row[first + 4], (y - row[first + 3]) / row[first + 4]
    u, v = u if u > 0.0 else 0.0, v if v > 0.0 else 0.0  # (not a number too)
    u, v = min(u, nx - 1.0), min(v, ny - 1.0)
    i, j = min(int(u), nx - 2), min(int(v), ny - 2)
    u, v, k = u - i, v - j, first + 5 + j * nx + i
    along = (1.0 - v) * ((1.0 - u) * row[k] + u * row[k + 1]) + v * ((1.0 - u) * row[k + nx] + u * row[k + nx + 1])
    k += nx * ny
    across = (1.0 - v) * ((1.0 - u) * row[k] + u * row[k + 1]) + v * ((1.0 - u) * row[k + nx] + u * row[k + nx + 1])
    return along, across


@njit
def stand(patches, chart, plain, scale, touch, limits):
    """Set each contact's limits from where it stands; rows XW, YW of touch are its place, scale is m g (1 if viscous)."""
    for i in range(touch.shape[1]):
        x, y = touch[XW, i], touch[YW, i]
        along, across = 1.0, 1.0
        if chart.size > 0:
            along, across = map_at(chart, 0, x, y)
        limits[FORWARD, i], limits[BACKWARD, i] = along * plain[FORWARD, i], along * plain[BACKWARD, i]
        limits[ACROSS, i] = across * plain[ACROSS, i]
        for p in range(patches.shape[0]):
            if patches[p, 0] <= x <= patches[p, 2] and patches[p, 1] <= y <= patches[p, 3]:
                for e in range(3):
                    limits[e, i] = patches[p, 4 + e] * scale[i]
