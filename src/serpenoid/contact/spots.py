"""Where round links touch ground and obstacles in space: gaps, normals and friction axes of the contact points.

A link is a capsule: points along its axis, each with the link's radius round it. A spot is one such point against one surface:
its gap g (negative where it presses in), the surface's normal n, the place c of the surface point relative to the body's
centre of gravity, and the friction axes t (the link's axis laid into the surface) and s = n x t. Convex round bars are
touched at the point of the link's axis that is closest to theirs, one spot per link. A flat link is a box with rounded edges: its points
lie in four rows, which reach a radius aside, above and below its axis; it stands upright and does not roll.

| surface | gap of a point p with radius r |
|---|---|
| plane | n . p - r |
| height field | distance from its faces, edges or corners - r (`contact.field`) |
| bar (radius R) | distance from its axis - R - r; over a flat end the distance from that |
| box | distance from its faces, edges or corners - r |
| pipe (radius R) | R - distance from its axis - r, n towards the axis |

Only spots with g < 0 are kept. A spot has a slot number that does not change with time: bristles live there.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.field import WIDEST, field_distance
from serpenoid.contact.ground import LIMIT_ROWS, map_row
from serpenoid.contact.self_contact import LinkSkin, Touching, touching_for
from serpenoid.contact.touch import LAW_ROWS
from serpenoid.core import FloatArray, Robot, World
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Box, Cylinder, Ground, Pipe

# rows of a spot
LINK, SLOT, GAP = 0, 1, 2
CX, NX, TX, SX = 3, 6, 9, 12  # three each: place, normal, friction axes
SHARE, MU_F, MU_B, MU_N = 15, 16, 17, 18  # part of the link's weight; coefficients here
VP = 19  # normal velocity predicted
VNORMAL, NORMAL, SLOPE = 20, 21, 22  # normal velocity, force and -d force / d velocity
STIFF, DAMPED, WALL = 23, 24, 25  # spring and damper of the surface; 1 + number of the wall, 0: no wall
ZX, ZY, UX, UY = 26, 27, 28, 29  # of an anchor: way from it at the predicted pose, predicted velocities
DRAG = 30  # N s/m: of the audit of a step
ROLL_R, ROLL_W, ROLL_K = (
    31,
    32,
    33,
)  # rolling resistance: radius; roll rate about the axis along; -moment / rate, 0: there is none
LEAVE, LOST = (
    34,
    35,
)  # of a contact that strikes: normal velocity with which it leaves, -1: it does not strike; energy lost per impulse, m/s
PUSHED, TRIED = 36, 37  # normal force at the velocities tried; that at which its friction was taken
SPOT_ROWS = 38
FRICTION_ROWS = LIMIT_ROWS + 4  # limits, then bristles

# the ground's row
G_NX, G_NY, G_NZ, G_STIFF, G_DAMP, G_PLANE, G_POINTS, G_POINT_MODEL, G_FIELD, G_CELL, G_X0, G_Y0 = range(12)
G_WALL_STIFF, G_WALL_DAMP, G_WALL_FRICTION = 12, 13, 14
G_BOX, G_PIPE, G_PATCH, G_POST, G_SIDE, G_END = (
    15,
    16,
    17,
    18,
    19,
    20,
)  # first of their kind among the objects (bars: 0)
G_THIN = 21  # way in a step from which a link may pass an obstacle unseen; 0: there is none
GROUND_ROWS = 22
OBJECT_ROWS = 8

# rows of an anchor's constants
N_LINK, N_AT, N_HOLD, N_STIFF, N_DAMP = range(5)
SPACING = 1.0  # radii between contact points of a link on anything but a plane
MOST_POINTS = 32
SPRINGS = 2e4, 50.0  # N/m, N s/m: of a contact, where no robot is there to choose them for
ROUNDED = 0.5  # of the radius: rounding of the edges of flat links
UPRIGHT = 1e-6  # sine of the angle between link and normal below which friction has no direction
OFF_END = 1e-9
_THIRDS = 40  # of a link cut away in the search beside the end of a bar


class Terrain(NamedTuple):
    """Ground, obstacles and anchors for the kernels; `objects` has one column per object, sorted by kind:

    | kind | rows |
    |---|---|
    | bars | base, axis, length, radius |
    | boxes | centre, half sizes, cosine and sine of the yaw |
    | pipes | point, axis, radius |
    | patches | x0, y0, x1, y1, coefficients forward, backward, across |
    | posts | x, y, radius, number of the obstacle |
    | sides | begin, end, normal to the left, number of the obstacle |
    """

    ground: FloatArray  # (GROUND_ROWS,), then the friction map if there is one (`contact.ground.map_row`)
    field: FloatArray  # (ny, nx) heights
    objects: FloatArray  # (OBJECT_ROWS, .)
    anchors: FloatArray  # (5, .): link, place along it, holding force, stiffness, damping


class SpotTables(NamedTuple):
    """Working space of the contacts of a step."""

    spots: FloatArray  # (SPOT_ROWS, room)
    touch: FloatArray  # (LAW_ROWS, room)
    friction: FloatArray  # (FRICTION_ROWS, room): limits, then bristles
    own: Touching  # links that touch each other


def spot_tables(room: int, skin: LinkSkin | None = None) -> SpotTables:
    """Working space for so many spots; rows do not lie whole pages apart, so that they share the cache well."""
    room += -room % 8
    room += 8 * (room // 8 % 2 == 0)
    spots, touch, friction = (np.zeros((rows, room)) for rows in (SPOT_ROWS, LAW_ROWS, FRICTION_ROWS))
    return SpotTables(spots, touch, friction, touching_for(skin, flat=False))


def contact_points(robot: Robot, world: World) -> int:
    """Contact points of a link."""
    ground = world.ground or Ground()
    if ground.model == "point":
        return 1
    sides = 4 if ground.model == "flat" else 1
    if ground.points:
        return sides * ground.points
    if ground.heights is None and not any(isinstance(o, Box) for o in world.obstacles):
        return sides * 2
    return sides * int(min(MOST_POINTS, max(2, np.ceil((robot.link_length / robot.radius).max() / SPACING) + 1)))


def objects_of(groups: tuple[Any, ...]) -> tuple[FloatArray, list[float]]:
    """One table of objects of all kinds, and the first of each kind but the bars, and the end."""
    rows = [
        np.asarray(group, dtype=float).reshape(len(group), -1) if len(group) else np.zeros((0, 1)) for group in groups
    ]
    table = np.zeros((OBJECT_ROWS, sum(len(row) for row in rows)))
    first, begin = [], 0
    for row in rows:
        first.append(float(begin))
        table[: row.shape[1], begin : begin + len(row)] = row.T
        begin += len(row)
    return table, [*first[1:], float(begin)]


def terrain_of(
    robot: Robot, world: World, patches: FloatArray, walls: Any = None, anchors: FloatArray | None = None,
    springs: tuple[float, float] = SPRINGS,
) -> Terrain:  # fmt: skip
    """Ground and obstacles of a world under a robot, checked; `walls` (`contact.walls.Walls`) and anchors (5, k) if there are any.

    `springs`: stiffness and damping of a contact (`contact.springs`).
    """
    ground = world.ground or Ground()
    if ground.model != "point" and np.any(robot.radius <= 0.0):
        raise InputError(
            f'ground model "{ground.model}" needs links with a radius > 0, got {robot.radius.min():g} m; set robot.radius or use model = "point"'
        )
    if ground.heights is not None and robot.radius.max() > (WIDEST - 2) * ground.heights.cell:
        raise InputError(
            f"a height field with cells of {ground.heights.cell:g} m is too fine for links with a radius of {robot.radius.max():g} m: "
            f"contact looks {WIDEST} cells far; use a coarser field"
        )
    field = ground.heights.heights if ground.heights is not None else np.zeros((2, 2))
    cell, origin = (ground.heights.cell, ground.heights.origin) if ground.heights is not None else (1.0, (0.0, 0.0))
    bars = [(*o.base, *o.axis, o.length, o.radius) for o in world.obstacles if isinstance(o, Cylinder)]
    boxes = [
        (*o.centre, *(0.5 * s for s in o.size), np.cos(o.yaw), np.sin(o.yaw))
        for o in world.obstacles
        if isinstance(o, Box)
    ]
    pipes = [(*o.point, *o.axis, o.radius) for o in world.obstacles if isinstance(o, Pipe)]
    posts, sides = (walls.posts, walls.sides) if walls is not None else ((), ())
    objects, first = objects_of((bars, boxes, pipes, patches, posts, sides))
    row = np.array(
        [
            *ground.normal, *springs, float(ground.plane and ground.heights is None),
            float(contact_points(robot, world)), float({"point": 1, "flat": 2}.get(ground.model, 0)), float(ground.heights is not None),
            cell, *origin, *(walls.stuff if walls is not None else (0.0, 0.0, 0.0)), *first, _thin(robot, world, bars, boxes, walls),
        ]
    )  # fmt: skip
    held = np.zeros((5, 0)) if anchors is None else np.ascontiguousarray(anchors, dtype=float)
    return Terrain(np.concatenate([row, map_row(world)]), np.ascontiguousarray(field, dtype=float), objects, held)


def _thin(robot: Robot, world: World, bars: list[Any], boxes: list[Any], walls: Any) -> float:
    """Half the way through the thinnest obstacle with the thinnest link, m; 0: there is none."""
    halves = [bar[7] for bar in bars] + [min(box[3:6]) for box in boxes]
    if walls is not None:
        halves += [float(radius) for radius in walls.posts[:, 2]] + [0.0] * bool(len(walls.sides))
    point = (world.ground or Ground()).model == "point" and walls is None
    return max(min(halves) + (0.0 if point else float(robot.radius.min())), 1e-9) if halves else 0.0


def slots_of(links: int, terrain: Terrain) -> int:
    """Number of slots: all spots that could ever be, walls included, anchors not."""
    ground = terrain.ground
    surfaces = 1 + ground[G_PATCH] - ground[G_BOX]
    upright = ground[G_SIDE] - ground[G_POST] + 2 * (ground[G_END] - ground[G_SIDE])
    return int(links * (ground[G_POINTS] * surfaces + ground[G_BOX] + upright))


@njit
def plane_gap(ground, x, y, z, r):
    """Gap and normal against the plane."""
    return ground[G_NX] * x + ground[G_NY] * y + ground[G_NZ] * z - r, ground[G_NX], ground[G_NY], ground[G_NZ]


@njit
def field_gap(ground, field, x, y, z, r):
    """Gap and normal against the height field; a gap greater than 0 is not exact."""
    away, nx, ny, nz = field_distance(field, ground[G_CELL], x - ground[G_X0], y - ground[G_Y0], z, r)
    return away - r, nx, ny, nz


@njit
def box_gap(objects, k, x, y, z, r):
    """Gap and normal against a box."""
    c, s = objects[6, k], objects[7, k]
    dx, dy, w = x - objects[0, k], y - objects[1, k], z - objects[2, k]
    u, v = c * dx + s * dy, c * dy - s * dx
    a, b, h = objects[3, k], objects[4, k], objects[5, k]
    ou, ov, ow = abs(u) - a, abs(v) - b, abs(w) - h
    gu, gv, gw = 0.0, 0.0, 0.0
    if ou <= 0.0 and ov <= 0.0 and ow <= 0.0:
        # inside: out by the nearest face
        if ow >= ou and ow >= ov:
            gap, gw = ow, math.copysign(1.0, w)
        elif ou >= ov:
            gap, gu = ou, math.copysign(1.0, u)
        else:
            gap, gv = ov, math.copysign(1.0, v)
    else:
        eu, ev, ew = max(ou, 0.0), max(ov, 0.0), max(ow, 0.0)
        gap = math.sqrt(eu * eu + ev * ev + ew * ew)
        gu, gv, gw = math.copysign(eu, u) / gap, math.copysign(ev, v) / gap, math.copysign(ew, w) / gap
    return gap - r, c * gu - s * gv, s * gu + c * gv, gw


@njit
def pipe_gap(objects, k, x, y, z, r):
    """Gap and normal against the inside of a pipe."""
    dx, dy, dz = x - objects[0, k], y - objects[1, k], z - objects[2, k]
    along = dx * objects[3, k] + dy * objects[4, k] + dz * objects[5, k]
    dx, dy, dz = dx - along * objects[3, k], dy - along * objects[4, k], dz - along * objects[5, k]
    away = math.sqrt(dx * dx + dy * dy + dz * dz)
    if away < OFF_END:
        return objects[6, k] - r, 0.0, 0.0, 1.0
    f = -1.0 / away
    return objects[6, k] - away - r, f * dx, f * dy, f * dz


@njit
def bar_gap(objects, k, x, y, z, r):
    """Gap and normal of a point against a bar with flat ends."""
    ax, ay, az = objects[3, k], objects[4, k], objects[5, k]
    dx, dy, dz = x - objects[0, k], y - objects[1, k], z - objects[2, k]
    along = dx * ax + dy * ay + dz * az
    dx, dy, dz = dx - along * ax, dy - along * ay, dz - along * az
    away = math.sqrt(dx * dx + dy * dy + dz * dz)
    f = 1.0 / away if away > OFF_END else 0.0
    beyond = max(-along, along - objects[6, k])
    outside = away - objects[7, k]
    side = -1.0 if along < 0.5 * objects[6, k] else 1.0
    if beyond <= 0.0 and (outside > 0.0 or outside >= beyond):
        return outside - r, f * dx, f * dy, f * dz
    if outside <= 0.0:
        return beyond - r, side * ax, side * ay, side * az
    gap = math.sqrt(outside * outside + beyond * beyond)
    p, q = outside * f / gap, side * beyond / gap
    return gap - r, p * dx + q * ax, p * dy + q * ay, p * dz + q * az


@njit
def bar_place(objects, k, x, y, z, ex, ey, ez, length):
    """Distance from the link's start to the point of its axis that is closest to a bar's axis."""
    ax, ay, az = objects[3, k], objects[4, k], objects[5, k]
    dx, dy, dz = x - objects[0, k], y - objects[1, k], z - objects[2, k]
    cosine = ax * ex + ay * ey + az * ez
    de, da = dx * ex + dy * ey + dz * ez, dx * ax + dy * ay + dz * az
    sine2 = 1.0 - cosine * cosine
    place = 0.5 * length if sine2 < 1e-9 else min(max((cosine * da - de) / sine2, 0.0), length)
    along = da + place * cosine
    if (
        along < 0.0 or along > objects[6, k]
    ):  # beside a flat end: the distance from a convex body has one minimum along a line
        low, high = 0.0, length
        for _ in range(_THIRDS):
            a, b = low + (high - low) / 3.0, high - (high - low) / 3.0
            ga = bar_gap(objects, k, x + a * ex, y + a * ey, z + a * ez, 0.0)[0]
            gb = bar_gap(objects, k, x + b * ex, y + b * ey, z + b * ez, 0.0)[0]
            tie = 1e-9 * length
            low, high = a if gb <= ga + tie else low, b if ga <= gb + tie else high
        place = 0.5 * (low + high)
    return place


@njit
def keep(spots, a, link, slot, gap, normal, point, r, axis, edge, share):
    """Write spot a, whose point is counted from the centre of gravity; False if friction has no direction there."""
    nx, ny, nz = normal
    ex, ey, ez = axis
    c, s = edge
    spots[LINK, a], spots[SLOT, a], spots[GAP, a], spots[SHARE, a], spots[WALL, a] = link, slot, gap, share, 0.0
    spots[CX, a], spots[CX + 1, a], spots[CX + 2, a] = point[0] - r * nx, point[1] - r * ny, point[2] - r * nz
    spots[NX, a], spots[NX + 1, a], spots[NX + 2, a] = nx, ny, nz
    dot = ex * nx + ey * ny + ez * nz
    tx, ty, tz = ex - dot * nx, ey - dot * ny, ez - dot * nz
    size = math.sqrt(tx * tx + ty * ty + tz * tz)
    clear = size > UPRIGHT
    if not clear:  # any direction in the surface
        if abs(nx) < 0.9:
            tx, ty, tz = 1.0 - nx * nx, -nx * ny, -nx * nz
        else:
            tx, ty, tz = -ny * nx, 1.0 - ny * ny, -ny * nz
        size = math.sqrt(tx * tx + ty * ty + tz * tz)
    f = 1.0 / size
    tx, ty, tz = tx * f, ty * f, tz * f
    bx, by, bz = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx
    spots[TX, a], spots[TX + 1, a], spots[TX + 2, a] = c * tx + s * bx, c * ty + s * by, c * tz + s * bz
    spots[SX, a], spots[SX + 1, a], spots[SX + 2, a] = c * bx - s * tx, c * by - s * ty, c * bz - s * tz
    return clear
