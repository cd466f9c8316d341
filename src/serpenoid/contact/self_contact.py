"""Contact between the links of one body: where they touch, and what presses there. Plane and space alike.

Links are capsules. Every end of a link (tail's end, joint, head's tip: a *node* with the radius of the thicker link there) is
held against every other link that it can meet (`contact.segments`); in space, where two links can cross without their ends being
near, the nearest points of their axes are held against each other besides:

| touch | depth | share of the stiffness |
|---|---|---|
| node k on link j | r_k + r_j - distance of the node from the axis | 1 |
| links i, j across each other | r_i + r_j - distance of the axes, both nearest points inside | sin^2 of their angle, 0 at their ends |

Links that lie along each other thus touch at two nodes, and none of it jumps. Spring and damper press along the line of the nearest
points, N = k d + c min(d', d / h): d the depth at the end of the step, d' its rate; what is met within a step damps only the way
from there on, and nothing pulls. Dry friction mu N acts against the slip. Both links are pushed at one place, so that momentum and
angular momentum are kept.

Near pairs are found by the boxes of `contact.segments`, grown by a margin, and kept until a node has moved by half of it. The
list is scratch: it holds all pairs that can touch, in their order, so that what comes out does not depend on its age.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact.crossings import self_crossing
from serpenoid.contact.segments import BOX_ROWS, HIGH, LOW, counts, join_boxes, nearest, next_near, tree_size
from serpenoid.contact.touch import PREDICTED, SECANT
from serpenoid.core import FloatArray, Robot, World
from serpenoid.core.errors import InputError

# numbers of a skin
ON, STIFF, DAMPED, MU, SMOOTH, FOLLOW, MARGIN, LIGHTEST = range(8)  # LIGHTEST: kg, the lightest link
SKIN_NUMBERS = 8

# columns of the list
KIND, FIRST, SECOND = 0, 1, 2  # NODE: node and link; ACROSS: two links
NODE, ACROSS = 0.0, 1.0

# rows of a touch
LINK_A, LINK_B = 0, 1
AT, NORMAL, ALONG, ASIDE = 2, 5, 8, 11  # three each: place; normal from b to a; friction axes
DEPTH, SHARE = 14, 15
IN0 = 16  # in space: closing speed at which the depth was found
SPEED = 17  # three: velocity of a against b along NORMAL, ALONG, ASIDE
PUSH = 20  # three: impulse on a
ROOT = 23  # three: sqrt(K / (1 + K / m)), K = -d impulse / d velocity, m: the lightest link
REST, WAY, BENT = 26, 29, 32  # three each: of the search
LIMIT = 35  # N, of the friction
PAIR = 36  # column of the list
TOUCH_ROWS = 37

# counts
PAIRS, TOUCHES, LISTED, FULL = range(4)  # LISTED: 1, there is a list; FULL: 1, it had no room
COUNTS = 4

SAG = 0.01  # of the radius: what the whole weight presses in by, at the stiffness of a skin that names none
SLOWEST = 4.0  # steps: the least time in which such a skin gives a link its speed back, over pi
USUAL_SMOOTHING = 1e-3  # m/s, where the friction law of the ground has none
FOLLOWED = 1e5  # of the ground's smoothing where that follows the motion: most that links have, ten times their speed
DAMPED_SHARE = 0.5  # of critical damping of a link, for a skin that names none
TANGLED = "more links lie near each other than a body of their radius has room for: it has passed through itself; raise world.self_contact.stiffness or shorten the step"
APART = 0.01  # of the radii: overlap that a first posture may have
_RAMP = 0.25  # of the mean radius: length at the ends of a link over which the push across fades
_NOWHERE = 1e-9  # of the radii: axes nearer than that have no direction


class LinkSkin(NamedTuple):
    """What links are to each other: constants."""

    numbers: FloatArray  # (SKIN_NUMBERS,)
    arc: FloatArray  # (n+1,): length of the body up to each node
    radius: FloatArray  # (n,)
    node: FloatArray  # (n+1,): radii of the nodes


class Touching(NamedTuple):
    """Working space."""

    nodes: FloatArray  # (3, n+1): now
    seen: FloatArray  # (3, n+1): when the list was made
    tree: FloatArray  # (BOX_ROWS, .)
    pairs: FloatArray  # (3, .)
    touch: FloatArray  # (TOUCH_ROWS, .)
    work: FloatArray  # (12, n): impulses on the links, velocities of an answer
    counts: FloatArray  # (COUNTS,)


def skin_of(robot: Robot, world: World | None = None, step: float = 1.0) -> LinkSkin:
    """The skin of a robot in a world; off where the world has no contact between links."""
    given = None if world is None else world.self_contact
    numbers = np.zeros(SKIN_NUMBERS)
    arc = np.concatenate([[0.0], np.cumsum(robot.link_length)])
    radius = np.array(robot.radius, dtype=float)
    node = np.maximum(np.append(radius, 0.0), np.append(0.0, radius))
    if given is not None and world is not None:
        if radius.min() <= 0.0:
            raise InputError(
                f"contact between links (world.self_contact) needs round links; link {int(np.argmin(radius))} of {robot.name} has "
                "radius 0: give the robot a radius"
            )
        mass = float(robot.link_mass.mean())
        usual = max(robot.mass * world.gravity / (SAG * radius.min()), mass / (SLOWEST * step) ** 2)
        stiffness = usual if given.stiffness is None else given.stiffness
        damping = 2.0 * DAMPED_SHARE * math.sqrt(stiffness * mass) if given.damping is None else given.damping
        given_one = getattr(world.friction, "smoothing", None)
        smoothing, follow = (USUAL_SMOOTHING, FOLLOWED) if given_one is None else (given_one, math.inf)
        numbers[:] = 1.0, stiffness, damping, given.friction, smoothing, follow, radius.max(), robot.link_mass.min()
    return LinkSkin(numbers, arc, radius, node)


def touching_for(skin: LinkSkin | None, flat: bool) -> Touching:
    """Working space for a skin; next to nothing where there is none or it is off."""
    if skin is None or skin.numbers[ON] == 0.0:
        a, b, tree, pairs, touch, work = (np.zeros((rows, 1)) for rows in (3, 3, BOX_ROWS, 3, TOUCH_ROWS, 12))
        return Touching(a, b, tree, pairs, touch, work, np.zeros(COUNTS))
    n, links = len(skin.radius), np.diff(skin.arc)
    each = min(n, 16 + math.ceil(16.0 * skin.radius.max() / links.min()))
    room = (n + 1) * each * (1 if flat else 2)
    return Touching(
        np.zeros((3, n + 1)), np.zeros((3, n + 1)), np.zeros((BOX_ROWS, 2 * tree_size(n))), np.zeros((3, room)),
        np.zeros((TOUCH_ROWS, room)), np.zeros((12, n)), np.zeros(COUNTS),
    )  # fmt: skip


def check_apart(robot: Robot, world: World, nodes: FloatArray, flat: bool) -> None:
    """Refuse a first posture (nodes (n+1, 3)) whose links overlap: their springs would burst."""
    if world.self_contact is not None:
        found = self_crossing(robot, np.zeros(1), nodes[None], flat)
        i, j = found.links
        if found.overlap > APART * (robot.radius[i] + robot.radius[j]):
            raise InputError(
                f"the first posture overlaps itself: links {i} and {j} by {found.overlap:.3g} m of radii that add up to "
                f"{robot.radius[i] + robot.radius[j]:.3g} m; with contact between links (world.self_contact) begin with a posture that "
                "does not, such as a smaller winding angle, or leave it out"
            )


@njit
def node_counts(arc, radius, k, j):
    """Whether node k, the end of links k - 1 and k, can touch link j."""
    n = radius.shape[0]
    if k > j:
        return (k < n and counts(arc, radius, j, k)) or (k - 1 > j and counts(arc, radius, j, k - 1))
    return (k > 0 and counts(arc, radius, k - 1, j)) or (k < j and counts(arc, radius, k, j))


@njit
def moved(skin, own):
    """Whether a node has moved so far that the list may lack a pair."""
    if own.counts[LISTED] == 0.0:
        return True
    x, y = own.nodes, own.seen
    most = 0.25 * skin.numbers[MARGIN] * skin.numbers[MARGIN]
    for k in range(x.shape[1]):
        a, b, c = x[0, k] - y[0, k], x[1, k] - y[1, k], x[2, k] - y[2, k]
        if not a * a + b * b + c * c <= most:
            return True
    return False


@njit
def list_pair(own, count, kind, a, b):
    """Append a pair; returns the new count."""
    if count == own.pairs.shape[1]:
        own.counts[FULL] = 1.0
        return count
    own.pairs[KIND, count], own.pairs[FIRST, count], own.pairs[SECOND, count] = kind, a, b
    return count + 1


@njit
def list_pairs(skin, own, flat):
    """Make the list of near pairs anew."""
    x, tree, n, size = own.nodes, own.tree, skin.radius.shape[0], own.tree.shape[1] // 2
    for i in range(n):
        grown = skin.radius[i] + skin.numbers[MARGIN]
        for e in range(3):
            tree[LOW + e, size + i] = min(x[e, i], x[e, i + 1]) - grown
            tree[HIGH + e, size + i] = max(x[e, i], x[e, i + 1]) + grown
    join_boxes(tree, size, n)
    count = 0
    for k in range(n + 1):
        for e in range(3):  # column 0 belongs to no box of the tree
            tree[LOW + e, 0], tree[HIGH + e, 0] = x[e, k] - skin.node[k], x[e, k] + skin.node[k]
        j, box = next_near(tree, size, n, -size, 1)
        while j >= 0:
            if j < n and node_counts(skin.arc, skin.radius, k, j):
                count = list_pair(own, count, NODE, k, j)
            j, box = next_near(tree, size, n, -size, box)
    if not flat:
        for i in range(n - 2):
            j, box = next_near(tree, size, n, i, size + i + 2)
            while j >= 0:
                if j < n and counts(skin.arc, skin.radius, i, j):
                    count = list_pair(own, count, ACROSS, i, j)
                j, box = next_near(tree, size, n, i, box)
    own.counts[PAIRS], own.counts[LISTED] = count, 1.0
    for e in range(3):
        for k in range(n + 1):
            own.seen[e, k] = x[e, k]


@njit
def node_of(x, k):
    """Place of node k."""
    return x[0, k], x[1, k], x[2, k]


@njit
def across(skin, x, i, j):
    """Places along links i, j where they are nearest, and the share of the stiffness there."""
    a, b = node_of(x, i), node_of(x, j)
    d = (x[0, i + 1] - a[0], x[1, i + 1] - a[1], x[2, i + 1] - a[2])
    e = (x[0, j + 1] - b[0], x[1, j + 1] - b[1], x[2, j + 1] - b[2])
    s, t = nearest(a, d, b, e)
    long_d, long_e = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
    cosine = d[0] * e[0] + d[1] * e[1] + d[2] * e[2]
    fade = _RAMP * 0.5 * (skin.radius[i] + skin.radius[j])
    inside = min(min(s, 1.0 - s) * math.sqrt(long_d), min(t, 1.0 - t) * math.sqrt(long_e)) / fade
    return s, t, min(inside, 1.0) * (1.0 - cosine * cosine / (long_d * long_e))


@njit
def along_link(x, k, p):
    """Share of link k at which its axis is nearest to p."""
    a, b, c = x[0, k + 1] - x[0, k], x[1, k + 1] - x[1, k], x[2, k + 1] - x[2, k]
    t = (p[0] - x[0, k]) * a + (p[1] - x[1, k]) * b + (p[2] - x[2, k]) * c
    return min(max(t / (a * a + b * b + c * c), 0.0), 1.0)


@njit
def point_on(x, k, t):
    """Place on the axis of link k at the share t of its length."""
    a, b, c = x[0, k], x[1, k], x[2, k]
    return a + t * (x[0, k + 1] - a), b + t * (x[1, k + 1] - b), c + t * (x[2, k + 1] - c)


@njit
def place_touch(skin, own, c, pair, pad):
    """Write the touch of a pair of the list into column c, if it is nearer than its radii and `pad`; returns whether it is."""
    x, g, n = own.nodes, own.touch, skin.radius.shape[0]
    a, j = int(own.pairs[FIRST, pair]), int(own.pairs[SECOND, pair])
    if own.pairs[KIND, pair] == NODE:
        i, own_radius, share, p = min(a, n - 1), skin.node[a], 1.0, node_of(x, a)
        t = along_link(x, j, p)
    else:
        s, t, share = across(skin, x, a, j)
        i, own_radius, p = a, skin.radius[a], point_on(x, a, s)
    q = point_on(x, j, t)
    v = (p[0] - q[0], p[1] - q[1], p[2] - q[2])
    square, thick = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], own_radius + skin.radius[j]
    most, least = thick * (1.0 + pad), _NOWHERE * thick
    if not share > 0.0 or square >= most * most or square < least * least:
        return False
    away = math.sqrt(square)
    g[LINK_A, c], g[LINK_B, c], g[DEPTH, c], g[SHARE, c], g[PAIR, c] = i, j, thick - away, share, pair
    f, inside = 1.0 / away, skin.radius[j] / thick
    for e in range(3):
        g[NORMAL + e, c] = f * v[e]
        g[AT + e, c] = q[e] + v[e] * inside
    return True


@njit
def find_touches(skin, own, flat, pad):
    """Find all touches of the body whose nodes are set; returns their number. `pad`: share of the radii by which they may be apart."""
    if moved(skin, own):
        list_pairs(skin, own, flat)
    count = 0
    for pair in range(int(own.counts[PAIRS])):
        if place_touch(skin, own, count, pair, pad):
            count += 1
    own.counts[TOUCHES] = count
    return count


@njit
def follow_touches(skin, own):
    """Move the touches found with the body, whose nodes have moved since; returns their number."""
    count = int(own.counts[TOUCHES])
    for c in range(count):
        place_touch(skin, own, c, int(own.touch[PAIR, c]), math.inf)
    return count


@njit
def press(numbers, depth, closing, dt, part):
    """Normal force of a touch and its slope by the closing speed, which moves the depth by `part` of the step."""
    stiff, damped = numbers[STIFF], numbers[DAMPED]
    if depth <= 0.0:
        return 0.0, 0.0
    met = closing * dt > depth
    force = stiff * depth + damped * (depth / dt if met else closing)
    if force <= 0.0:
        return 0.0, 0.0
    return force, stiff * part * dt + (damped * part if met else damped)


@njit
def face_slip(g, c, flat):
    """Set the friction axes of touch c: along the slip in the plane of contact, whatever it is, and aside of it."""
    nx, ny, nz = g[NORMAL, c], g[NORMAL + 1, c], g[NORMAL + 2, c]
    if flat:
        tx, ty, tz = -ny, nx, 0.0
    elif abs(nx) < 0.9:
        tx, ty, tz = 1.0 - nx * nx, -nx * ny, -nx * nz
    else:
        tx, ty, tz = -ny * nx, 1.0 - ny * ny, -ny * nz
    f = 1.0 / math.sqrt(tx * tx + ty * ty + tz * tz)
    tx, ty, tz = f * tx, f * ty, f * tz
    g[ALONG, c], g[ALONG + 1, c], g[ALONG + 2, c] = tx, ty, tz
    g[ASIDE, c], g[ASIDE + 1, c], g[ASIDE + 2, c] = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx


@njit
def turn_to_slip(g, c):
    """Turn the friction axes so that the slip lies along the first one: its slopes do not mix there."""
    a, b = g[SPEED + 1, c], g[SPEED + 2, c]
    size = math.sqrt(a * a + b * b)
    if size > 0.0 and b != 0.0:
        cosine, sine = a / size, b / size
        for e in range(3):
            t, s = g[ALONG + e, c], g[ASIDE + e, c]
            g[ALONG + e, c], g[ASIDE + e, c] = cosine * t + sine * s, cosine * s - sine * t
        p, q = g[PUSH + 1, c], g[PUSH + 2, c]
        g[PUSH + 1, c], g[PUSH + 2, c] = cosine * p + sine * q, cosine * q - sine * p
        g[SPEED + 1, c], g[SPEED + 2, c] = size, 0.0


@njit
def link_smoothing(numbers, ground):
    """Smoothing speed of the friction between links, where that of the ground is `ground`."""
    return min(numbers[SMOOTH], numbers[FOLLOW] * ground)


@njit
def root_of(slope, mass):
    """Scaled root of a slope: that of the slope where it is small, of the mass where it is large."""
    return math.sqrt(slope / (1.0 + slope / mass))


@njit
def touch_impulses(numbers, own, c, dt, part, eps, by, fresh):
    """Impulses on link a and their slopes at the velocities of touch c, friction smoothed by eps (`contact.smoothing`).

    `fresh`: the friction limit follows the normal force; slopes `by` PREDICTED: with the impulses on entry.
    """
    g = own.touch
    closing = -g[SPEED, c]
    force, slope = press(numbers, g[DEPTH, c] + part * dt * (closing - g[IN0, c]), closing, dt, part)
    share = g[SHARE, c]
    g[PUSH, c], g[ROOT, c] = dt * share * force, root_of(dt * share * slope, numbers[LIGHTEST])
    if fresh:
        g[LIMIT, c] = numbers[MU] * share * force
    if g[LIMIT, c] <= 0.0:
        g[PUSH + 1, c], g[PUSH + 2, c], g[ROOT + 1, c], g[ROOT + 2, c] = 0.0, 0.0, 0.0, 0.0
        return
    turn_to_slip(g, c)
    v = g[SPEED + 1, c]
    r, most = 1.0 / math.sqrt(v * v + eps * eps), dt * g[LIMIT, c]
    if by == PREDICTED:
        p, q = g[PUSH + 1, c], g[PUSH + 2, c]
        p *= most / max(most, math.sqrt(p * p + q * q))
        slope = max(0.0, most + p * v * r) * r
    else:
        slope = most * r * (1.0 if by == SECANT else eps * eps * r * r)
    g[PUSH + 1, c], g[PUSH + 2, c] = -most * v * r, 0.0
    g[ROOT + 1, c], g[ROOT + 2, c] = root_of(slope, numbers[LIGHTEST]), root_of(most * r, numbers[LIGHTEST])


@njit
def taken_up(numbers, own, count, dt, part):
    """Energy that the touches take up in a step (what springs store included), energy in their springs, greatest normal force."""
    g = own.touch
    loss, stored, top = 0.0, 0.0, 0.0
    for c in range(count):
        for e in range(3):
            loss -= g[PUSH + e, c] * g[SPEED + e, c]
        if g[PUSH, c] > 0.0:
            depth = max(g[DEPTH, c] - part * dt * (g[SPEED, c] + g[IN0, c]), 0.0)
            stored += 0.5 * numbers[STIFF] * g[SHARE, c] * depth * depth
            top = max(top, g[PUSH, c] / dt)
    return loss, stored, top
