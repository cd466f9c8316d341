"""Find all spots of a body against ground, obstacles and walls; their springs, coefficients, velocities, normal forces.

    N = max(0, -k g' - d v_n')     while g < 0

g' is the gap and v_n' the normal velocity at the end of the step: equation (4) of Sarrafan et al. (2012), which the clamp
keeps from pulling. Whether a spot touches at all is decided by the gap at the predicted pose. Friction limits follow N.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.ground import (
    ACROSS,
    AS_SLIDING,
    BACKWARD,
    FORWARD,
    REST,
    STATIC_N,
    STATIC_T,
    STIFF_N,
    STIFF_T,
    map_at,
)
from serpenoid.contact.spots import (
    CX,
    DAMPED,
    G_BOX,
    G_DAMP,
    G_END,
    G_FIELD,
    G_PATCH,
    G_PIPE,
    G_PLANE,
    G_POINT_MODEL,
    G_POINTS,
    G_POST,
    G_SIDE,
    G_STIFF,
    G_WALL_DAMP,
    G_WALL_FRICTION,
    G_WALL_STIFF,
    GAP,
    GROUND_ROWS,
    LINK,
    MU_B,
    MU_F,
    MU_N,
    NORMAL,
    NX,
    ROLL_K,
    ROLL_R,
    ROLL_W,
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
from serpenoid.contact.touch import VN, VT
from serpenoid.contact.walls import find_walls
from serpenoid.core import FloatArray
from serpenoid.spatial.layout import (
    CONTACT,
    DRY,
    EDGE_C,
    EDGE_S,
    EX,
    EY,
    EZ,
    LENGTH,
    MASS,
    PJ,
    PLAIN,
    RADIUS,
    STICK,
    V,
    W,
)  # fmt: skip

ROLLS = 1e-30  # N m s: a contact that resists rolling, as yet without force (in single precision, too)


@njit
def corner(chain, body, i, p, points):
    """Contact point p of a box-shaped link, relative to the centre of gravity: its four edges by turns, tail end to head end."""
    at = chain.links[LENGTH, i] * (p // 4) / (points // 4 - 1.0)
    r = (1.0 - ROUNDED) * chain.links[RADIUS, i]
    side, up = r if p % 2 == 0 else -r, -r if p % 4 < 2 else r
    x = body[PJ, i] + at * body[EX, i] + side * body[EY, i] + up * body[EZ, i]
    y = body[PJ + 1, i] + at * body[EX + 1, i] + side * body[EY + 1, i] + up * body[EZ + 1, i]
    z = body[PJ + 2, i] + at * body[EX + 2, i] + side * body[EY + 2, i] + up * body[EZ + 2, i]
    return x, y, z


@njit
def find_at(terrain, i, slot, point, r, axis, edge, share, origin, spots, count):
    """Append the spots of one contact point of link i against ground, boxes and pipes; its slots begin at `slot`."""
    ground, unclear = terrain.ground, 0
    x, y, z = origin[0] + point[0], origin[1] + point[1], origin[2] + point[2]
    box, pipe, end = int(ground[G_BOX]), int(ground[G_PIPE]), int(ground[G_PATCH])
    for k in range(box - 1, end):
        if k >= pipe:
            gap, nx, ny, nz = pipe_gap(terrain.objects, k, x, y, z, r)
        elif k >= box:
            gap, nx, ny, nz = box_gap(terrain.objects, k, x, y, z, r)
        elif ground[G_PLANE] > 0.0:
            gap, nx, ny, nz = plane_gap(ground, x, y, z, r)
        elif ground[G_FIELD] > 0.0:
            gap, nx, ny, nz = field_gap(ground, terrain.field, x, y, z, r)
        else:
            continue
        if gap < 0.0:
            unclear += not keep(spots, count, i, slot + 1 + k - box, gap, (nx, ny, nz), point, r, axis, edge, share)
            count += 1
    return count, unclear


@njit
def find_bars(chain, terrain, i, first, joint, axis, origin, spots, count):
    """Append the spots of link i against round bars; its slots begin at `first`."""
    unclear = 0
    px, py, pz = joint
    ex, ey, ez = axis
    point_model = terrain.ground[G_POINT_MODEL] == 1.0
    length, edge = chain.links[LENGTH, i], (chain.links[EDGE_C, i], chain.links[EDGE_S, i])
    r, share = 0.0 if point_model else chain.links[RADIUS, i], 1.0 / terrain.ground[G_POINTS]
    for k in range(int(terrain.ground[G_BOX])):
        at = chain.links[CONTACT, i]
        if not point_model:
            at = bar_place(
                terrain.objects, k, origin[0] + px, origin[1] + py, origin[2] + pz, ex, ey, ez, length
            )  # fmt: skip
        x, y, z = px + at * ex, py + at * ey, pz + at * ez
        gap, nx, ny, nz = bar_gap(terrain.objects, k, origin[0] + x, origin[1] + y, origin[2] + z, r)
        if gap < 0.0:
            unclear += not keep(spots, count, i, first + k, gap, (nx, ny, nz), (x, y, z), r, axis, edge, share)
            count += 1
    return count, unclear


@njit
def find_spots(chain, terrain, body, origin, spots):
    """All spots with a negative gap of a body whose centre of gravity is at `origin`; (count, spots without direction)."""
    count, unclear = 0, 0
    n, ground = body.shape[1], terrain.ground
    points, point_model, flat = int(ground[G_POINTS]), ground[G_POINT_MODEL] == 1.0, ground[G_POINT_MODEL] == 2.0
    bars, surfaces = int(ground[G_BOX]), 1 + int(ground[G_PATCH] - ground[G_BOX])
    share = 1.0 / points
    upright = n * (points * surfaces + bars)  # slots of the walls come last
    features = int(ground[G_SIDE] - ground[G_POST] + 2.0 * (ground[G_END] - ground[G_SIDE]))
    for i in range(n):
        length, width = chain.links[LENGTH, i], chain.links[RADIUS, i]
        r = 0.0 if point_model else (ROUNDED * width if flat else width)
        edge = (chain.links[EDGE_C, i], chain.links[EDGE_S, i])
        ex, ey, ez = body[EX, i], body[EX + 1, i], body[EX + 2, i]
        px, py, pz = body[PJ, i], body[PJ + 1, i], body[PJ + 2, i]
        for p in range(points):
            if flat:
                point = corner(chain, body, i, p, points)
            else:
                at = chain.links[CONTACT, i] if point_model else length * p / (points - 1.0)
                point = (px + at * ex, py + at * ey, pz + at * ez)
            slot = (i * points + p) * surfaces
            count, more = find_at(terrain, i, slot, point, r, (ex, ey, ez), edge, share, origin, spots, count)
            unclear += more
        if bars > 0:
            own = n * points * surfaces + i * bars
            count, more = find_bars(chain, terrain, i, own, (px, py, pz), (ex, ey, ez), origin, spots, count)
            unclear += more
        if features > 0:
            first = upright + i * features
            count = find_walls(
                terrain, i, first, (length, width), (ex, ey, ez), (px, py, pz), origin[0], origin[1], spots, count
            )  # fmt: skip
    return count, unclear


@njit
def assign_friction(terrain, numbers, origin, spots, count):
    """Springs and dampers of the spots, and their coefficients: the law's own with the map's factors, or those of the patch or the wall they touch."""
    ground, objects, dry = terrain.ground, terrain.objects, numbers[DRY] > 0.0
    first, end = int(ground[G_PATCH]), int(ground[G_POST])
    for a in range(count):
        wall = spots[WALL, a] > 0.0
        spots[STIFF, a] = ground[G_WALL_STIFF] if wall else ground[G_STIFF]
        spots[DAMPED, a] = ground[G_WALL_DAMP] if wall else ground[G_DAMP]
        if wall and dry:
            mu = ground[G_WALL_FRICTION]
            spots[MU_F, a], spots[MU_B, a], spots[MU_N, a] = mu, mu, mu
            continue
        spots[MU_F, a], spots[MU_B, a], spots[MU_N, a] = numbers[PLAIN], numbers[PLAIN + 1], numbers[PLAIN + 2]
        x, y = origin[0] + spots[CX, a], origin[1] + spots[CX + 1, a]
        if ground.size > GROUND_ROWS:
            along, across = map_at(ground, GROUND_ROWS, x, y)
            spots[MU_F, a], spots[MU_B, a] = along * numbers[PLAIN], along * numbers[PLAIN + 1]
            spots[MU_N, a] = across * numbers[PLAIN + 2]
        for p in range(first, end):
            if objects[0, p] <= x <= objects[2, p] and objects[1, p] <= y <= objects[3, p]:
                spots[MU_F, a], spots[MU_B, a], spots[MU_N, a] = objects[4, p], objects[5, p], objects[6, p]


@njit
def spot_velocity(spots, a, x):
    """Velocity of spot a of a link with the twist x: normal, along, across."""
    cx, cy, cz = spots[CX, a], spots[CX + 1, a], spots[CX + 2, a]
    ux, uy, uz = x[3] + x[1] * cz - x[2] * cy, x[4] + x[2] * cx - x[0] * cz, x[5] + x[0] * cy - x[1] * cx
    return (
        ux * spots[NX, a] + uy * spots[NX + 1, a] + uz * spots[NX + 2, a],
        ux * spots[TX, a] + uy * spots[TX + 1, a] + uz * spots[TX + 2, a],
        ux * spots[SX, a] + uy * spots[SX + 1, a] + uz * spots[SX + 2, a],
    )


@njit
def contact_velocities(body, spots, touch, total):
    """Set the velocities of the spots: along and across into touch, normal into VNORMAL."""
    for a in range(total):
        i = int(spots[LINK, a])
        x = (body[W, i], body[W + 1, i], body[W + 2, i], body[V, i], body[V + 1, i], body[V + 2, i])
        spots[VNORMAL, a], touch[VT, a], touch[VN, a] = spot_velocity(spots, a, x)


@njit
def roll_rates(body, spots, total):
    """Set the roll rates of the spots about their axes along; returns the largest change of a surface speed."""
    change = 0.0
    for a in range(total):
        i = int(spots[LINK, a])
        rate = body[W, i] * spots[TX, a] + body[W + 1, i] * spots[TX + 1, a] + body[W + 2, i] * spots[TX + 2, a]
        if spots[ROLL_K, a] > 0.0:
            change = max(change, spots[ROLL_R, a] * abs(rate - spots[ROLL_W, a]))
        spots[ROLL_W, a] = rate
    return change


@njit
def normal_forces(spots, count, half):
    """Normal forces and their slopes at velocities VNORMAL; `half` is half the step."""
    for a in range(count):
        vn, k, d = spots[VNORMAL, a], spots[STIFF, a], spots[DAMPED, a]
        normal = -k * (spots[GAP, a] + half * (vn - spots[VP, a])) - d * vn
        spots[NORMAL, a] = max(normal, 0.0)
        spots[SLOPE, a] = k * half + d if normal > 0.0 else 0.0


@njit
def begin_rolling(chain, spots, count, total):
    """Make the contacts with the ground resist rolling; walls and anchors do not."""
    for a in range(total):
        spots[ROLL_R, a] = chain.links[RADIUS, int(spots[LINK, a])]
        spots[ROLL_K, a] = ROLLS if a < count and spots[WALL, a] == 0.0 else 0.0


@njit
def resist_rolling(coefficient, least, spots, count):
    """Rolling resistance as -moment / rate: c r N / |w|, which always brakes; its limit follows the normal force."""
    for a in range(count):
        if spots[ROLL_K, a] > 0.0:
            rate, r = spots[ROLL_W, a], spots[ROLL_R, a]
            size = math.sqrt(rate * rate + (least / r) ** 2)
            spots[ROLL_K, a] = max(coefficient * r * spots[NORMAL, a] / size, ROLLS)


@njit
def sticking(numbers, axis, normal, own, mass, mu):
    """Static force and stiffness of a contact along (axis 0) or across (1); `own` is its share of the link, mu its sliding coefficient."""
    coefficient, force = numbers[STICK + axis], numbers[STICK + 2 + axis]
    per_mass, stiffness = numbers[STICK + 4 + axis], numbers[STICK + 6 + axis]
    if force < 0.0:
        return AS_SLIDING, own * mass * mu * per_mass
    # a contact that presses hard sticks at least as well as it slides
    return max(coefficient * normal + force * own, mu * normal), own * (per_mass * mass + stiffness)


@njit
def limit_friction(chain, numbers, spots, count, limits, sticks, row):
    """Friction limits that the normal forces in a row of the spots give; `sticks`: the law reads those of sticking, too."""
    dry = numbers[DRY] > 0.0
    for a in range(count):
        share, normal = spots[SHARE, a], spots[row, a]
        own = share if normal > 0.0 else 0.0
        scale = normal if dry else own
        forward, backward, across = spots[MU_F, a] * scale, spots[MU_B, a] * scale, spots[MU_N, a] * scale
        limits[FORWARD, a], limits[BACKWARD, a], limits[ACROSS, a] = forward, backward, across
        if sticks:
            mass = chain.links[MASS, int(spots[LINK, a])]
            limits[REST, a] = mass * share
            limits[STATIC_T, a], limits[STIFF_T, a] = sticking(
                numbers, 0, normal, own, mass, max(spots[MU_F, a], spots[MU_B, a])
            )
            limits[STATIC_N, a], limits[STIFF_N, a] = sticking(numbers, 1, normal, own, mass, spots[MU_N, a])


def stick_row(law: Any, gravity: float) -> FloatArray:
    """Of a law that sticks, along and across: static coefficients, static forces (without coefficients), stiffnesses per kg and per contact.

    A static force of AS_SLIDING is the sliding friction; the stiffness per kg is then that of a coefficient of 1.
    """
    row = np.zeros(8)
    for e, axis in enumerate(("along", "across")):
        coefficient = getattr(law, f"static_{axis}", None)
        force = getattr(law, f"static_force_{axis}", None)
        length = getattr(law, f"stick_length_{axis}", 0.0) if law.NAME == "bristle" else 0.0
        if coefficient is not None:
            row[e] = coefficient
            row[4 + e] = coefficient * gravity / length if length > 0.0 else 0.0
        elif force is None:
            row[2 + e] = AS_SLIDING
            row[4 + e] = gravity / length if length > 0.0 else 0.0
        else:
            row[2 + e] = force
            row[6 + e] = force / length if length > 0.0 else 0.0
    return row
