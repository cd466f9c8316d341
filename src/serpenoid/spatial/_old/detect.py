"""Find all spots of a body, and press on them: the normal forces by spring and damper.

    N = max(0, -k g' - d v_n')     while g < 0

g' is the gap and v_n' the normal velocity at the end of the step: equation (4) of Sarrafan et al. (2012), which the clamp
keeps from pulling. Whether a spot touches at all is decided by the gap at the predicted pose. Friction limits follow N.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.ground import ACROSS, BACKWARD, FORWARD, REST, STATIC_N, STATIC_T, STIFF_N, STIFF_T
from serpenoid.core import FloatArray
from serpenoid.spatial._old.kinematics import CONTACT, EDGE_C, EDGE_S, EX, EY, EZ, LENGTH, MASS, PJ, RADIUS, V, W
from serpenoid.spatial._old.spots import (
    CX,
    DAMPED,
    DVNORMAL,
    G_DAMP,
    G_FIELD,
    G_PLANE,
    G_POINT_MODEL,
    G_POINTS,
    G_STIFF,
    GAP,
    LINK,
    MU_B,
    MU_F,
    MU_N,
    NORMAL,
    NX,
    ROUNDED,
    SHARE,
    SLOPE,
    STIFF,
    SX,
    TX,
    VNORMAL,
    VP,
    WALL,
    bar_gap,
    bar_place,
    box_gap,
    field_gap,
    keep,
    pipe_gap,
    plane_gap,
)  # fmt: skip
from serpenoid.spatial._old.touch import DS, DT, VN, VT
from serpenoid.spatial._old.walls import find_walls


@njit
def corner(chain, b, i, p, points):
    """Contact point p of a box-shaped link, relative to the centre of gravity: its four edges by turns, tail end to head end."""
    at = chain.link[i, LENGTH] * (p // 4) / (points // 4 - 1.0)
    r = (1.0 - ROUNDED) * chain.link[i, RADIUS]
    side, up = r if p % 2 == 0 else -r, -r if p % 4 < 2 else r
    x = b[i, PJ] + at * b[i, EX] + side * b[i, EY] + up * b[i, EZ]
    y = b[i, PJ + 1] + at * b[i, EX + 1] + side * b[i, EY + 1] + up * b[i, EZ + 1]
    z = b[i, PJ + 2] + at * b[i, EX + 2] + side * b[i, EY + 2] + up * b[i, EZ + 2]
    return x, y, z


@njit
def find_at(terrain, i, slot, x, y, z, r, ex, ey, ez, c, s, share, x0, y0, z0, spots, count):
    """Append the spots of one contact point of link i against ground, boxes and pipes; its slots begin at `slot`."""
    unclear, boxes = 0, terrain.boxes.shape[0]
    for k in range(-1, boxes + terrain.pipes.shape[0]):
        if k >= boxes:
            gap, nx, ny, nz = pipe_gap(terrain.pipes, k - boxes, x0 + x, y0 + y, z0 + z, r)
        elif k >= 0:
            gap, nx, ny, nz = box_gap(terrain.boxes, k, x0 + x, y0 + y, z0 + z, r)
        elif terrain.ground[G_PLANE] > 0.0:
            gap, nx, ny, nz = plane_gap(terrain.ground, x0 + x, y0 + y, z0 + z, r)
        elif terrain.ground[G_FIELD] > 0.0:
            gap, nx, ny, nz = field_gap(terrain.ground, terrain.field, x0 + x, y0 + y, z0 + z, r)
        else:
            continue
        if gap < 0.0:
            unclear += not keep(spots, count, i, slot + 1 + k, gap, nx, ny, nz, x, y, z, r, ex, ey, ez, c, s, share)
            count += 1
    return count, unclear


@njit
def find(chain, terrain, walls, b, x0, y0, z0, spots):
    """All spots with a negative gap of a body whose centre of gravity is at (x0, y0, z0); (count, spots without direction)."""
    count, unclear = 0, 0
    n, ground, bars = b.shape[0], terrain.ground, terrain.bars.shape[0]
    points, point_model, flat = int(ground[G_POINTS]), ground[G_POINT_MODEL] == 1.0, ground[G_POINT_MODEL] == 2.0
    surfaces = 1 + terrain.boxes.shape[0] + terrain.pipes.shape[0]
    share = 1.0 / points
    upright = n * (points * surfaces + bars)  # slots of the walls come last
    features = walls.posts.shape[0] + 2 * walls.sides.shape[0]
    for i in range(n):
        length, width = chain.link[i, LENGTH], chain.link[i, RADIUS]
        r = 0.0 if point_model else (ROUNDED * width if flat else width)
        c, s = chain.link[i, EDGE_C], chain.link[i, EDGE_S]
        ex, ey, ez = b[i, EX], b[i, EX + 1], b[i, EX + 2]
        px, py, pz = b[i, PJ], b[i, PJ + 1], b[i, PJ + 2]
        for p in range(points):
            if flat:
                x, y, z = corner(chain, b, i, p, points)
            else:
                at = chain.link[i, CONTACT] if point_model else length * p / (points - 1.0)
                x, y, z = px + at * ex, py + at * ey, pz + at * ez
            slot = (i * points + p) * surfaces
            count, more = find_at(terrain, i, slot, x, y, z, r, ex, ey, ez, c, s, share, x0, y0, z0, spots, count)
            unclear += more
        r = 0.0 if point_model else width
        for k in range(bars):
            at = chain.link[i, CONTACT]
            if not point_model:
                at = bar_place(terrain.bars, k, x0 + px, y0 + py, z0 + pz, ex, ey, ez, length)
            x, y, z = px + at * ex, py + at * ey, pz + at * ez
            gap, nx, ny, nz = bar_gap(terrain.bars, k, x0 + x, y0 + y, z0 + z, r)
            if gap < 0.0:
                own = n * points * surfaces + i * bars + k
                unclear += not keep(spots, count, i, own, gap, nx, ny, nz, x, y, z, r, ex, ey, ez, c, s, share)
                count += 1
        if features > 0:
            first = upright + i * features
            count = find_walls(walls, first, i, length, width, px, py, pz, ex, ey, ez, x0, y0, spots, count)
    return count, unclear


@njit
def rub(terrain, walls, plain, dry, x0, y0, spots, count):
    """Springs and dampers of the spots, and their friction coefficients: the law's own, or those of the patch they stand on or of the wall they touch."""
    for a in range(count):
        wall = spots[a, WALL] > 0.0
        spots[a, STIFF] = walls.stuff[0] if wall else terrain.ground[G_STIFF]
        spots[a, DAMPED] = walls.stuff[1] if wall else terrain.ground[G_DAMP]
        if wall and dry:
            spots[a, MU_F], spots[a, MU_B], spots[a, MU_N] = walls.stuff[2], walls.stuff[2], walls.stuff[2]
            continue
        spots[a, MU_F], spots[a, MU_B], spots[a, MU_N] = plain[0], plain[1], plain[2]
        x, y = x0 + spots[a, CX], y0 + spots[a, CX + 1]
        for p in range(terrain.patches.shape[0]):
            if (
                terrain.patches[p, 0] <= x <= terrain.patches[p, 2]
                and terrain.patches[p, 1] <= y <= terrain.patches[p, 3]
            ):
                spots[a, MU_F], spots[a, MU_B], spots[a, MU_N] = (
                    terrain.patches[p, 4],
                    terrain.patches[p, 5],
                    terrain.patches[p, 6],
                )


@njit
def slip(b, spots, touch, count):
    """Velocities of the spots: along and across into touch, normal into VNORMAL, with their changes; returns the largest."""
    change = 0.0
    for a in range(count):
        i = int(spots[a, LINK])
        x, y, z = spots[a, CX], spots[a, CX + 1], spots[a, CX + 2]
        w0, w1, w2 = b[i, W], b[i, W + 1], b[i, W + 2]
        ux, uy, uz = b[i, V] + w1 * z - w2 * y, b[i, V + 1] + w2 * x - w0 * z, b[i, V + 2] + w0 * y - w1 * x
        vt = ux * spots[a, TX] + uy * spots[a, TX + 1] + uz * spots[a, TX + 2]
        vs = ux * spots[a, SX] + uy * spots[a, SX + 1] + uz * spots[a, SX + 2]
        vn = ux * spots[a, NX] + uy * spots[a, NX + 1] + uz * spots[a, NX + 2]
        touch[DT, a], touch[DS, a], spots[a, DVNORMAL] = vt - touch[VT, a], vs - touch[VN, a], vn - spots[a, VNORMAL]
        change = max(change, abs(touch[DT, a]), abs(touch[DS, a]), abs(spots[a, DVNORMAL]))
        touch[VT, a], touch[VN, a], spots[a, VNORMAL] = vt, vs, vn
    return change


@njit
def press(spots, count, half):
    """Normal forces and their slopes at velocities VNORMAL; `half` is half the step."""
    for a in range(count):
        vn, k, d = spots[a, VNORMAL], spots[a, STIFF], spots[a, DAMPED]
        normal = -k * (spots[a, GAP] + half * (vn - spots[a, VP])) - d * vn
        spots[a, NORMAL] = max(normal, 0.0)
        spots[a, SLOPE] = k * half + d if normal > 0.0 else 0.0


@njit
def limit_friction(chain, dry, stick, spots, count, limits):
    """Friction limits that the normal forces give.

    `stick`: of both axes static coefficients, static forces (where there is no coefficient), stiffness per kg and per contact.
    """
    for a in range(count):
        i, share, normal = int(spots[a, LINK]), spots[a, SHARE], spots[a, NORMAL]
        own = share if normal > 0.0 else 0.0
        scale = normal if dry else own
        limits[FORWARD, a], limits[BACKWARD, a] = spots[a, MU_F] * scale, spots[a, MU_B] * scale
        limits[ACROSS, a] = spots[a, MU_N] * scale
        limits[REST, a] = chain.link[i, MASS] * share
        # a contact that presses hard sticks at least as well as it slides
        limits[STATIC_T, a] = max(stick[0] * normal + stick[2] * own, limits[FORWARD, a], limits[BACKWARD, a])
        limits[STATIC_N, a] = max(stick[1] * normal + stick[3] * own, limits[ACROSS, a])
        limits[STIFF_T, a] = own * (stick[4] * chain.link[i, MASS] + stick[6])
        limits[STIFF_N, a] = own * (stick[5] * chain.link[i, MASS] + stick[7])


def stick_row(law: Any, gravity: float) -> FloatArray:
    """What `press` needs of a law that sticks: coefficients, forces, stiffness per kg and per contact, of both axes."""
    row = np.zeros(8)
    for e, axis in enumerate(("along", "across")):
        coefficient = getattr(law, f"static_{axis}", None)
        force = getattr(law, f"static_force_{axis}", 0.0)
        length = getattr(law, f"stick_length_{axis}", 0.0) if law.NAME == "bristle" else 0.0
        if coefficient is not None:
            row[e] = coefficient
            row[4 + e] = coefficient * gravity / length if length > 0.0 else 0.0
        else:
            row[2 + e] = force
            row[6 + e] = force / length if length > 0.0 else 0.0
    return row
