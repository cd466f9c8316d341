"""A helix round a pole: the line that is nearest to being its axis, and how much joints bend so that the straight links just touch the pole.

The axis of a body is the line from which the middles of its links differ least in distance: five numbers (two of the direction, two of the place, the
radius) found by Levenberg's and Marquardt's method, from the plane in which the chords of a helix lie. The radius of the wrapped helix is then
corrected by what the links lack to touch the pole where they come closest to it.

Working space: a table of eight columns, `AXIS_ROWS` rows for the axis, then one a node.
"""

from __future__ import annotations

import math

import numpy as np

from serpenoid.compiled import literal
from serpenoid.core import FloatArray
from serpenoid.core.slots import PITCH_YAW, ROBOT, UNIVERSAL, body_length, kind_of_joint

FEWEST, SHARPEST = 6, 2.0  # links that make a helix; rad, bend of a joint that still does
LOOKS, TRIES, CLOSE, WIDEST = (
    9,
    20,
    1e-3,
    2.0,
)  # points a link, corrections, accuracy and size (of the radius) of a helix
SPREAD, FRAME, NORMAL, UNKNOWN, LINE = (
    0,
    3,
    6,
    11,
    14,
)  # rows of the working space: spread of the chords, its axes, the equations, unknowns, the line
AXIS_ROWS, WIDTH = 16, 8
_SWEEPS, _STEPS, _HAIR, _SMALL = 60, 200, 1e-7, 1e-13
ALTERNATING, OTHER = -1.0, -2.0  # kinds of a whole robot that are no kind of one joint


@literal
def principal_axes(work):
    """Axes of a symmetric matrix of three rows into the columns of rows FRAME on, by falling size (Jacobi)."""
    for i in range(3):
        for j in range(3):
            work[FRAME + i, j] = 1.0 if i == j else 0.0
    for _sweep in range(_SWEEPS):
        for pair in range(3):
            p, q = (0, 1) if pair == 0 else ((0, 2) if pair == 1 else (1, 2))
            if abs(work[SPREAD + p, q]) < 1e-300:
                continue
            theta = (work[SPREAD + q, q] - work[SPREAD + p, p]) / (2.0 * work[SPREAD + p, q])
            t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0))
            c = 1.0 / math.sqrt(t * t + 1.0)
            s = t * c
            for k in range(3):
                a, b = work[SPREAD + k, p], work[SPREAD + k, q]
                work[SPREAD + k, p], work[SPREAD + k, q] = c * a - s * b, s * a + c * b
            for k in range(3):
                a, b = work[SPREAD + p, k], work[SPREAD + q, k]
                work[SPREAD + p, k], work[SPREAD + q, k] = c * a - s * b, s * a + c * b
                a, b = work[FRAME + k, p], work[FRAME + k, q]
                work[FRAME + k, p], work[FRAME + k, q] = c * a - s * b, s * a + c * b
    for i in range(3):
        for j in range(2 - i):
            if work[SPREAD + j, j] < work[SPREAD + j + 1, j + 1]:
                work[SPREAD + j, j], work[SPREAD + j + 1, j + 1] = work[SPREAD + j + 1, j + 1], work[SPREAD + j, j]
                for k in range(3):
                    work[FRAME + k, j], work[FRAME + k, j + 1] = work[FRAME + k, j + 1], work[FRAME + k, j]


@literal
def eliminate(work, n):
    """Solve the n equations in rows NORMAL on, whose right sides stand in column n, by elimination with pivots, into column n."""
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(work[NORMAL + i, k]) > abs(work[NORMAL + best, k]):
                best = i
        for j in range(n + 1):
            work[NORMAL + k, j], work[NORMAL + best, j] = work[NORMAL + best, j], work[NORMAL + k, j]
        for i in range(k + 1, n):
            f = work[NORMAL + i, k] / work[NORMAL + k, k]
            for j in range(k, n + 1):
                work[NORMAL + i, j] -= f * work[NORMAL + k, j]
    for k in range(n):
        i = n - 1 - k
        for j in range(i + 1, n):
            work[NORMAL + i, n] -= work[NORMAL + i, j] * work[NORMAL + j, n]
        work[NORMAL + i, n] /= work[NORMAL + i, i]


@literal
def put_line(work, z):
    """Set the line (place, direction) of the unknowns in row z: two of the direction, two of the place, the radius."""
    size = 0.0
    for e in range(3):
        u, v, along = work[FRAME + e, 0], work[FRAME + e, 1], work[FRAME + e, 2]
        work[LINE, e] = work[LINE, 3 + e] + work[z, 2] * u + work[z, 3] * v
        work[LINE + 1, e] = along + work[z, 0] * u + work[z, 1] * v
        size += work[LINE + 1, e] * work[LINE + 1, e]
    for e in range(3):
        work[LINE + 1, e] /= math.sqrt(size)


@literal
def distance(work, x, y, z):
    """Distance of a point from the line."""
    dx, dy, dz = x - work[LINE, 0], y - work[LINE, 1], z - work[LINE, 2]
    along = dx * work[LINE + 1, 0] + dy * work[LINE + 1, 1] + dz * work[LINE + 1, 2]
    dx, dy, dz = dx - along * work[LINE + 1, 0], dy - along * work[LINE + 1, 1], dz - along * work[LINE + 1, 2]
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@literal
def residual(work, i):
    """Distance of the middle of link i from the line, less the radius that goes with it."""
    a, b = AXIS_ROWS + i, AXIS_ROWS + i + 1
    return distance(
        work, 0.5 * (work[a, 0] + work[b, 0]), 0.5 * (work[a, 1] + work[b, 1]), 0.5 * (work[a, 2] + work[b, 2])
    )


@literal
def cost_of(work, z, links):
    """Sum of squares of what the distances differ by, of the unknowns in row z."""
    put_line(work, z)
    cost = 0.0
    for i in range(links):
        gap = residual(work, i) - work[z, 4]
        cost += gap * gap
    return cost


@literal
def put_slopes(work, links):
    """Slopes of all distances by the unknowns into columns 3 to 7 of the nodes, by differences."""
    for j in range(5):
        for e in range(5):
            work[UNKNOWN + 1, e] = work[UNKNOWN, e]
        h = _HAIR * max(1.0, abs(work[UNKNOWN, j]))
        for side in range(2):
            sign = 1.0 - 2.0 * side
            work[UNKNOWN + 1, j] = work[UNKNOWN, j] + sign * h
            put_line(work, UNKNOWN + 1)
            for i in range(links):
                value = sign * (residual(work, i) - work[UNKNOWN + 1, 4]) / (2.0 * h)
                work[AXIS_ROWS + i, 3 + j] = value if side == 0 else work[AXIS_ROWS + i, 3 + j] + value


@literal
def put_equations(work, links, damping):
    """Normal equations of a step, with the right side in column 5."""
    put_line(work, UNKNOWN)
    for a in range(5):
        for b in range(6):
            work[NORMAL + a, b] = 0.0
    for i in range(links):
        gap = residual(work, i) - work[UNKNOWN, 4]
        for a in range(5):
            slope = work[AXIS_ROWS + i, 3 + a]
            work[NORMAL + a, 5] -= slope * gap
            for b in range(5):
                work[NORMAL + a, b] += slope * work[AXIS_ROWS + i, 3 + b]
    for a in range(5):
        work[NORMAL + a, a] *= 1.0 + damping


@literal
def put_chords(work, links):
    """Mean place of the middles of the links, and the spread of the chords over two links: a first guess of the axis lies where they spread least."""
    for e in range(3):
        work[LINE, 3 + e], work[LINE + 1, 3 + e] = 0.0, 0.0
        for i in range(links):
            work[LINE, 3 + e] += 0.5 * (work[AXIS_ROWS + i, e] + work[AXIS_ROWS + i + 1, e]) / links
        for i in range(links - 1):
            work[LINE + 1, 3 + e] += (work[AXIS_ROWS + i + 2, e] - work[AXIS_ROWS + i, e]) / (links - 1)
    for a in range(3):
        for b in range(3):
            work[SPREAD + a, b] = 0.0
            for i in range(links - 1):
                p = work[AXIS_ROWS + i + 2, a] - work[AXIS_ROWS + i, a] - work[LINE + 1, 3 + a]
                q = work[AXIS_ROWS + i + 2, b] - work[AXIS_ROWS + i, b] - work[LINE + 1, 3 + b]
                work[SPREAD + a, b] += p * q


@literal
def put_circle(work, links):
    """First unknowns: the circle nearest to the middles, seen along the guessed axis."""
    for a in range(3):
        for b in range(4):
            work[NORMAL + a, b] = 0.0
    for i in range(links):
        x, y = 0.0, 0.0
        for e in range(3):
            d = 0.5 * (work[AXIS_ROWS + i, e] + work[AXIS_ROWS + i + 1, e]) - work[LINE, 3 + e]
            x, y = x + d * work[FRAME + e, 0], y + d * work[FRAME + e, 1]
        for a in range(3):
            own = 1.0 if a == 2 else (2.0 * x if a == 0 else 2.0 * y)
            work[NORMAL + a, 0] += own * 2.0 * x
            work[NORMAL + a, 1] += own * 2.0 * y
            work[NORMAL + a, 2] += own
            work[NORMAL + a, 3] += own * (x * x + y * y)
    eliminate(work, 3)
    x, y = work[NORMAL, 3], work[NORMAL + 1, 3]
    work[UNKNOWN, 0], work[UNKNOWN, 1], work[UNKNOWN, 2], work[UNKNOWN, 3] = 0.0, 0.0, x, y
    work[UNKNOWN, 4] = math.sqrt(abs(work[NORMAL + 2, 3] + x * x + y * y))


@literal
def find_axis(work, links):
    """Set the line (row LINE: a point, the next row: a direction towards the last node) of the body whose nodes stand from row AXIS_ROWS on."""
    put_chords(work, links)
    principal_axes(work)
    put_circle(work, links)
    damping, cost = 1e-6, cost_of(work, UNKNOWN, links)
    for _step in range(_STEPS):
        put_slopes(work, links)
        put_equations(work, links, damping)
        eliminate(work, 5)
        largest = 0.0
        for a in range(5):
            work[UNKNOWN + 1, a] = work[UNKNOWN, a] + work[NORMAL + a, 5]
            largest = max(largest, abs(work[NORMAL + a, 5]))
        now = cost_of(work, UNKNOWN + 1, links)
        if now <= cost:
            for a in range(5):
                work[UNKNOWN, a] = work[UNKNOWN + 1, a]
            cost, damping = now, 0.1 * damping
            if largest < _SMALL:
                break
        else:
            damping *= 10.0
            if damping > 1e12:
                break
    put_line(work, UNKNOWN)
    ahead = 0.0
    for e in range(3):
        ahead += work[LINE + 1, e] * (work[AXIS_ROWS + links, e] - work[AXIS_ROWS, e])
    if ahead < 0.0:
        for e in range(3):
            work[LINE + 1, e] = -work[LINE + 1, e]


@literal
def joints_of(r):
    """The kind that all joints of a robot have, ALTERNATING, or OTHER."""
    first, by_turns = kind_of_joint(r, 1), True
    same = True
    for joint in range(1, int(r[ROBOT.links])):
        kind = kind_of_joint(r, joint)
        same, by_turns = same and kind == first, by_turns and kind == (joint - 1) % 2
    if by_turns:
        return ALTERNATING
    return first if same else OTHER


@literal
def helix(r, slope, radius):
    """Amplitude and twist (rad) of joints that bend the body's axis into a helix of that radius (m)."""
    link = body_length(r) / r[ROBOT.links]
    share = 2.0 * link if joints_of(r) == ALTERNATING else link
    c, s = math.cos(slope), math.sin(slope)
    return c * c / radius * share, s * c / radius * link


@literal
def turned(work, p, q, angle):
    """Turn the axes in rows p and q of the working space by an angle, p towards q."""
    c, s = math.cos(angle), math.sin(angle)
    for e in range(3):
        a, b = work[p, e], work[q, e]
        work[p, e], work[q, e] = c * a + s * b, c * b - s * a


@literal
def put_nodes(r, amplitude, twist, work):
    """Nodes of the robot bent into a helix, from row AXIS_ROWS on: the tail's end at the origin, the first link along x."""
    n, length, kind = int(r[ROBOT.links]), int(r[ROBOT.link_length]), joints_of(r)
    for i in range(3):
        for e in range(3):
            work[i, e] = 1.0 if i == e else 0.0
        work[AXIS_ROWS, i] = 0.0
    for i in range(n):
        if i > 0:
            yaw, pitch = amplitude * math.cos(twist * (n - i)), amplitude * math.sin(twist * (n - i))
            if kind == PITCH_YAW or (kind == ALTERNATING and i % 2 == 0):
                turned(work, 2, 0, pitch)
            if kind != ALTERNATING or i % 2 == 1:
                turned(work, 0, 1, yaw)
            if kind == UNIVERSAL:
                turned(work, 2, 0, pitch)
        for e in range(3):
            work[AXIS_ROWS + i + 1, e] = work[AXIS_ROWS + i, e] + r[length + i] * work[0, e]


@literal
def least_distance(work, links):
    """Least distance of the links from the line, at so many points of each."""
    least = math.inf
    for i in range(links):
        a, b = AXIS_ROWS + i, AXIS_ROWS + i + 1
        for look in range(LOOKS):
            s = look / (LOOKS - 1.0)
            x, y = (1.0 - s) * work[a, 0] + s * work[b, 0], (1.0 - s) * work[a, 1] + s * work[b, 1]
            least = min(least, distance(work, x, y, (1.0 - s) * work[a, 2] + s * work[b, 2]))
    return least


@literal
def wrapped_radius(r, slope, pole_radius, work):
    """Radius (m) of the helix whose links, being straight, just touch the pole; NaN where the robot cannot wrap round it."""
    n, thick = int(r[ROBOT.links]), 0.0
    for i in range(n):
        thick = max(thick, r[int(r[ROBOT.radius]) + i])
    clear = pole_radius + thick
    radius, found = clear, math.inf
    for k in range(TRIES):
        amplitude, twist = helix(r, slope, radius)
        put_nodes(r, amplitude, twist, work)
        find_axis(work, n)
        short = clear - least_distance(work, n)
        if short < CLOSE * clear:
            found = min(found, radius)
        if abs(short) < CLOSE * clear:
            break
        step = short if k < TRIES // 2 else 0.5 * short  # a coarse body jumps to and fro
        radius = min(max(radius + step, clear / WIDEST), clear * WIDEST)
    if found < WIDEST * clear and helix(r, slope, found)[0] < SHARPEST:
        return found
    return math.nan


def axis_of_nodes(nodes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The line (a point and a direction towards the last node) from which the middles of the links between nodes (n+1, 3) differ least in distance."""
    work = np.zeros((AXIS_ROWS + len(nodes), WIDTH))
    work[AXIS_ROWS:, :3] = nodes
    find_axis(work, len(nodes) - 1)
    return work[LINE, :3].copy(), work[LINE + 1, :3].copy()
