"""A stage among obstacles: go on while touching them, as far as the remaining freedom allows.

The stage first follows its free motion as long as that is provably clear (`march`): between two postures no point of a link moves
farther than its nodes do, so a stretch is clear if the gaps at its ends together exceed that move. Where it is not, the stage
goes on by `descend`: increments dq that lower its objective (see `objectives`) as much as the gaps allow,

    minimise g dq + dq H dq / 2    subject to    gap_i + (d gap_i / dq) dq >= 0    for all links that move

with g weakened so that links turn by about STEP rad, and corrected so that what is pressed touches (gap zero to 1e-10) and nothing is entered, at its end nor by more than CUT on the way (`sweep`). A contact takes one
degree of freedom: a link that had one stops (Fig. 15(a)), the others slide (Figs 15(b), (c), 16); the motion ends where no
allowed increment lowers the objective. Links of the robot itself and joint limits are obstacles like others.

Between increments the coordinates go straight, so a slide cuts corners; `planning.refine` subdivides until that is below 1e-6 L.

Source: Y. Shan, Y. Koren (1993), section IV; the mathematics is not given there.
"""

from __future__ import annotations

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.gaits.concertina_legs import SIZE, coordinates, forward_kinematics, set_posture, slopes
from serpenoid.planning.gaps import BENT, FIELDS, MOST, add_limits, gap_table, gather
from serpenoid.planning.objectives import objective
from serpenoid.planning.quadratic import QuadraticProgramme, quadratic_step
from serpenoid.planning.sweep import enters, largest_move, probe_of

STEP = 0.04  # rad: largest turn of a link in one increment
STEPS = 500  # increments of a stage at most
CAPACITY = STEPS + 200  # knots of a stage at most
TOUCH = 1e-10  # L: gaps are corrected to this
TIGHT = 2e-3  # L: stretches shorter than this that are not clear end the free motion
CUT = 4e-3  # L: on the way to the next increment links may cut corners by this, which `refine` takes out
HORIZON = 0.25  # L: gaps beyond it play no role in an increment
FREE, TOUCHED, BLOCKED, STOPPED = 0, 1, 2, 3
_SLACK = 1.2  # ways of nodes are at most this much longer than their chords
_STILL = 1e-9  # rad: increments below it end the motion
BENDS = 16  # places of a stretch of stage 2 at which joint limits are checked
CRAWL, CRAWLED = 15, 0.01  # increments, rad: a motion in which no link turns by so much in so many of them ends


@njit
def _room(stage, nodes, J, body, scene, near, rows, gap, info):
    """Least gap to obstacles and to the robot's own links, at most HORIZON."""
    n = gather(stage, nodes, J, np.int64(0), body, scene, near, HORIZON, rows, gap, info)
    out, own = HORIZON, HORIZON
    for i in range(n):
        if info[i, 1] >= 0.0:
            out = min(out, gap[i])
        else:
            own = min(own, gap[i])
    return out, own


@njit
def _put_knot(path, k, q, m):
    for j in range(m):
        path[k, j] = q[j]


@njit
def _within_limits(psi, limits):
    good = True
    for k in range(6):
        good = good and abs(psi[k + 1] - psi[k]) <= limits[k] + 1e-9
    return good


@njit
def _bends_within(kind, start, goal, s, e, body, nodes, psi, q):
    """Whether joints keep their limits along a stretch of the free motion; in stages 1 and 3 its end tells that. Postures are left at its end."""
    good, stage = True, kind.number
    parts = BENDS if stage == 2 else 1
    for part in range(parts):
        x = s + (e - s) * (part + 1.0) / parts
        f = x * x * (3.0 - 2.0 * x) if stage == 2 else x
        for j in range(q.shape[0]):
            q[j] = (1.0 - f) * start[j] + f * goal[j]
        forward_kinematics(kind, q, body.lengths, nodes, psi)
        good = good and _within_limits(psi, body.limits)
    return good


@kernel
def march(kind, start, goal, body, scene, near, nodes, psi, path):
    """Follow the free motion from `start` to `goal` while it is clear: fraction, knots, whether an obstacle ended it.

    Nodes and headings are left where it ends; `path` has a knot at each stretch in stage 2, else the two ends only.
    """
    stage, m = kind.number, kind.size
    J = np.empty((8, 2, SIZE))
    rows, gap, info = gap_table()
    q, next_nodes, next_psi = np.empty(SIZE), nodes.copy(), psi.copy()
    s, ds, n = 0.0, 0.125, 1
    _put_knot(path, 0, start, m)
    out, own = _room(stage, nodes, J, body, scene, near, rows, gap, info)
    while s < 1.0:
        e = min(s + ds, 1.0)
        bends = _bends_within(kind, start, goal, s, e, body, next_nodes, next_psi, q)
        new_out, new_own = _room(stage, next_nodes, J, body, scene, near, rows, gap, info)
        move = _SLACK * largest_move(nodes, next_nodes)
        clear_out, clear_own = out + new_out > move, own + new_own > 2.0 * move
        if clear_out and clear_own and bends:
            s, out, own = e, new_out, new_own
            set_posture(nodes, psi, next_nodes, next_psi)
            if n == 1 or (stage == 2 and n < CAPACITY - STEPS):
                n += 1
            _put_knot(path, n - 1, q, m)
            ds *= 2.0 if ds < 0.125 else 1.0
        elif move < TIGHT or ds < 1e-12:
            return s, n, not clear_out
        else:
            ds *= 0.5
    return s, n, False


@njit
def _rows(kind, nodes, psi, P, J, body, scene, near, horizon, rows, gap, info):
    """Gaps and joint limits with rows of length one; bounds are then -gap."""
    n = gather(kind.number, nodes, J, kind.size, body, scene, near, horizon, rows, gap, info)
    n = add_limits(n, kind, psi, P, body.limits, rows, gap, info)
    m, kept = kind.size, 0
    for i in range(n):
        size = 0.0
        for j in range(m):
            size += rows[i, j] ** 2
        size = np.sqrt(size)
        if size > 1e-9:  # what cannot change is no constraint
            for j in range(m):
                rows[kept, j] = rows[i, j] / size
            gap[kept] = gap[i]
            for j in range(FIELDS):
                info[kept, j] = info[i, j]
            info[kept, -1] = size
            kept += 1
    return kept


@njit
def _pressed_first(n, pressed, count, rows, gap, info):
    """Bring the rows of the pressed features to the front; their number."""
    equal = 0
    for i in range(n):
        found = False
        for k in range(count):
            found = found or info[i, -2] == pressed[k]
        if found and abs(gap[i]) < 0.02:
            for j in range(FIELDS + 1):
                info[i, j], info[equal, j] = info[equal, j], info[i, j]
            gap[i], gap[equal] = gap[equal], gap[i]
            for j in range(SIZE):
                rows[i, j], rows[equal, j] = rows[equal, j], rows[i, j]
            equal += 1
    return equal


@njit
def _closed(nodes, lengths):
    """Whether the chain of stage 2 is closed: joint 4 can be reached from joints 2 and 6."""
    good = True
    for k in (2, 3, 4, 5):
        dx, dy = nodes[k + 1, 0] - nodes[k, 0], nodes[k + 1, 1] - nodes[k, 1]
        good = good and abs(np.sqrt(dx * dx + dy * dy) - lengths[k]) < 1e-11
    return good


@njit
def _programme(rows):
    """Room for a quadratic programme on these rows."""
    return QuadraticProgramme(
        np.zeros((SIZE, SIZE)), np.zeros(SIZE), rows, np.empty(MOST), np.empty(SIZE), np.zeros(MOST)
    )


@kernel
def correct(kind, q, body, scene, near, pressed, held, nodes, psi):
    """Move q by the least turns to where the `held` pressed features touch and no gap is negative; whether that was possible."""
    P, J = np.empty((7, SIZE)), np.empty((8, 2, SIZE))
    rows, gap, info = gap_table()
    programme = _programme(rows)
    H, bound, m, lengths = programme.H, programme.bound, kind.size, body.lengths
    for _ in range(12):
        forward_kinematics(kind, q, lengths, nodes, psi)
        if kind.number == 2 and not _closed(nodes, lengths):
            return False
        slopes(kind.number, psi, lengths, P, J)
        n = _rows(kind, nodes, psi, P, J, body, scene, near, 0.05, rows, gap, info)
        equal = _pressed_first(n, pressed, held, rows, gap, info)
        worst = 0.0
        for i in range(n):
            worst = max(worst, abs(gap[i]) if i < equal else -gap[i])
            bound[i] = -gap[i] / info[i, -1]
        if worst < TOUCH:
            return True
        if not worst < 0.1:
            return False
        for i in range(m):
            for j in range(m):
                H[i, j] = 1e-9 if i == j else 0.0
                for k in range(7):
                    H[i, j] += P[k, i] * P[k, j]
        if not quadratic_step(m, n, equal, programme):
            return False
        for j in range(m):
            q[j] += programme.x[j]
    return False


@njit
def _step_size(kind, x, P, psi):
    """Largest turn of a link by x, and the largest share of x that may be taken."""
    m, size, share = kind.size, 0.0, 1.0
    for k in range(7):
        turn = 0.0
        for j in range(m):
            turn += P[k, j] * x[j]
        size = max(size, abs(turn))
    share = min(1.0, STEP / max(size, 1e-300))
    if kind.number == 2:  # a nearly stretched elbow bends like a root: do not more than halve or double it
        for k in (2, 4):
            bend = 0.0
            for j in range(m):
                bend += (P[k + 1, j] - P[k, j]) * x[j]
            most = 0.5 * abs(psi[k + 1] - psi[k]) + 0.1 * BENT
            share = min(share, most / max(abs(bend), 1e-300))
    return size, share


@njit
def _note(n_hits, knot, n, gap, info, multipliers, hits):
    """Write down what is pressed in touch at a knot; the number of notes."""
    for i in range(n):
        if multipliers[i] > 1e-12 and gap[i] < 1e-7 and info[i, 1] >= 0.0 and n_hits < hits.shape[0]:
            hits[n_hits, 0] = knot
            for j in range(6):
                hits[n_hits, 1 + j] = info[i, j]
            n_hits += 1
    return n_hits


@njit
def _pull(kind, psi, P, g, n, programme, pull):
    """Solve for the step x with the gradient g weakened so that it turns links by about STEP; how much it was weakened.

    Weakening the gradient, not shortening the step, lets each link go on until it really touches.
    """
    none = np.int64(0)
    for _ in range(12):
        for j in range(kind.size):
            programme.g[j] = pull * g[j]
        quadratic_step(kind.size, n, none, programme)
        size, _ = _step_size(kind, programme.x, P, psi)
        if size > 1.5 * STEP:
            pull *= STEP / size
        elif size < 0.5 * STEP and pull < 1.0:
            pull = min(1.0, pull * min(STEP / max(size, 1e-300), 8.0))
        else:
            break
    return pull


@njit
def _turned(psi, earlier):
    """Largest turn of a link since `earlier`, which is then set to now."""
    most = 0.0
    for k in range(7):
        most = max(most, abs(psi[k] - earlier[k]))
        earlier[k] = psi[k]
    return most


@njit
def _held(n, share, gap, info, multipliers, pressed):
    """Features that a share of the step keeps or brings in touch; their number."""
    held = 0
    for i in range(n):
        if multipliers[i] > 1e-12 and held < SIZE and (share == 1.0 or gap[i] < 10.0 * TOUCH):
            pressed[held] = info[i, -2]
            held += 1
    return held


@kernel
def descend(kind, nodes, psi, goal, body, scene, near, path, knot, hits):
    """Lower the stage's objective from the present posture; the number of knots and of notes of touch."""
    P, J = np.empty((7, SIZE)), np.empty((8, 2, SIZE))
    rows, gap, info = gap_table()
    programme = _programme(rows)
    x, multipliers, bound = programme.x, programme.multipliers, programme.bound
    g, q, trial, pressed = np.zeros(SIZE), np.empty(SIZE), np.empty(SIZE), np.empty(SIZE)
    next_nodes, next_psi, spare = nodes.copy(), psi.copy(), np.empty((SIZE, SIZE))
    stage, m, lengths = kind.number, kind.size, body.lengths
    coordinates(stage, nodes, psi, q)
    n_hits, pull, earlier = 0, 1.0, psi.copy()
    probe = probe_of(nodes.copy(), psi.copy())
    for step in range(STEPS):
        if step % CRAWL == 0 and step > 0 and _turned(psi, earlier) < CRAWLED:
            break
        # the best step that the gaps allow
        slopes(stage, psi, lengths, P, J)
        n = _rows(kind, nodes, psi, P, J, body, scene, near, HORIZON, rows, gap, info)
        for i in range(n):
            bound[i] = -max(gap[i], 0.0) / info[i, -1]
        f = objective(stage, nodes, psi, lengths, goal, g, programme.H)
        pull = _pull(kind, psi, P, g, n, programme, pull)
        n_hits = _note(n_hits, knot - 1, n, gap, info, multipliers, hits)
        # as much of it as can be corrected to touch and still lowers the objective
        size, share = _step_size(kind, x, P, psi)
        accepted, hold, least = False, True, max(1e-3 * share, _STILL / max(size, 1e-300))
        while share > least and not accepted:
            for j in range(m):
                trial[j] = q[j] + share * x[j]
            held = _held(n, share, gap, info, multipliers, pressed) if hold else 0
            if correct(kind, trial, body, scene, near, pressed, held, next_nodes, next_psi):
                accepted = objective(stage, next_nodes, next_psi, lengths, goal, g, spare) < f - 1e-16
                accepted = accepted and not enters(kind, q, trial, CUT, body, scene, near, probe)
            share *= 1.0 if hold and held > 0 else 0.5
            hold = not hold or held == 0
        if not accepted:
            break
        for j in range(m):
            q[j] = trial[j]
        set_posture(nodes, psi, next_nodes, next_psi)
        _put_knot(path, knot, q, m)
        knot += 1
    return knot, n_hits


@njit
def _bend_elbows(kind, nodes, psi, lengths, q):
    """Stage 2: move joint 4 a hair so that both elbows are bent by BENT; whether that is possible."""
    for _ in range(40):
        tight_rear, tight_front = abs(psi[3] - psi[2]) < BENT, abs(psi[5] - psi[4]) < BENT
        if not tight_rear and not tight_front:
            return True
        for end, tight in ((2, tight_rear), (6, tight_front)):
            if tight:
                dx, dy = nodes[end, 0] - nodes[4, 0], nodes[end, 1] - nodes[4, 1]
                d = np.sqrt(dx * dx + dy * dy)
                q[0] += 0.3 * BENT * BENT * dx / d
                q[1] += 0.3 * BENT * BENT * dy / d
        forward_kinematics(kind, q, lengths, nodes, psi)
    return False


@kernel
def run_stage(kind, nodes, psi, free_goal, goal, body, scene, near, stop, path, hits):
    """Run one stage from the present posture to `free_goal` (coordinates), or as far as `goal` (objective) leads among obstacles.

    Nodes and headings end where the stage ends. Answers how (FREE, TOUCHED, BLOCKED: not at all, STOPPED at the first
    contact if `stop`), the number of knots in `path` and of notes of touch in `hits`.
    """
    start = np.empty(SIZE)
    coordinates(kind.number, nodes, psi, start)
    s, knots, by_obstacle = march(kind, start, free_goal, body, scene, near, nodes, psi, path)
    if s == 1.0:
        _put_knot(path, 1, free_goal, kind.size)
        return FREE, 2, 0
    if stop and by_obstacle:
        return STOPPED, knots, 0
    coordinates(kind.number, nodes, psi, start)
    if kind.number == 2:
        before, turned = nodes.copy(), psi.copy()
        bent = _bend_elbows(kind, nodes, psi, body.lengths, start)
        if bent:
            bent = correct(kind, start, body, scene, near, np.empty(0), np.int64(0), nodes, psi)
        if bent:
            probe = probe_of(before.copy(), turned.copy())
            bent = not enters(kind, before[4], start, CUT, body, scene, near, probe)
        if not bent:
            set_posture(nodes, psi, before, turned)
            return BLOCKED, knots, 0
        _put_knot(path, knots, start, kind.size)
        knots += 1
    knots, n_hits = descend(kind, nodes, psi, goal, body, scene, near, path, knots, hits)
    return TOUCHED if knots > 1 else BLOCKED, knots, n_hits
