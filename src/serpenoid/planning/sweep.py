"""Do links enter something on the way from one knot to the next? The sweep of a stretch, not only its ends.

Between two knots the coordinates go straight. No point of a link moves farther than its nodes do, so gaps at both ends that together exceed
that move prove the stretch clear; else it is halved and looked at again. So a thin link cannot pass a thin wall unseen, however long the stretch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.core.checks import FloatArray
from serpenoid.gaits.concertina_legs import SIZE, forward_kinematics, set_posture
from serpenoid.planning.gaps import gap_table, gather

_NEAR = 0.25  # L: gaps beyond it play no role
_SMOOTH = 5e-4  # L: the gap of one feature curves by less than 5e-7 L along it


class Probe(NamedTuple):
    """Scratch arrays for looking at one posture."""

    nodes: FloatArray  # (8, 2)
    psi: FloatArray  # (7,)
    q: FloatArray  # (SIZE,)
    J: FloatArray  # (8, 2, SIZE), not filled: gaps only
    rows: FloatArray  # of a GapTable
    gap: FloatArray
    info: FloatArray


@njit
def largest_move(nodes, other):
    """Farthest that a node lies from where it lies in another posture."""
    most = 0.0
    for k in range(8):
        most = max(most, (nodes[k, 0] - other[k, 0]) ** 2 + (nodes[k, 1] - other[k, 1]) ** 2)
    return np.sqrt(most)


@njit
def probe_of(nodes, psi):
    """Scratch for postures in which the nodes that do not move are as here; these arrays are written to."""
    rows, gap, info = gap_table()
    return Probe(nodes, psi, np.zeros(SIZE), np.empty((8, 2, SIZE)), rows, gap, info)


@njit
def least_gap(kind, a, b, f, body, scene, near, probe):
    """Least gap at the fraction f between two knots, at most _NEAR, and its feature; nodes are left there.

    Gaps between links count half: both may move; what joints of stage 2 have left to their limits counts a quarter.
    """
    nodes, psi, q, J, rows, gap, info = probe
    for j in range(kind.size):
        q[j] = (1.0 - f) * a[j] + f * b[j]
    forward_kinematics(kind, q, body.lengths, nodes, psi)
    n = gather(kind.number, nodes, J, np.int64(0), body, scene, near, _NEAR, rows, gap, info)
    least, feature = _NEAR, -1.0
    for i in range(n):
        value = gap[i] if info[i, 1] >= 0.0 else 0.5 * gap[i]
        if value < least:
            least, feature = value, info[i, -2]
    if kind.number == 2:
        for k in range(6):
            room = 0.25 * (body.limits[k] - abs(psi[k + 1] - psi[k]))
            if room < least:
                least, feature = room, -2.0 - k
    return least, feature


@kernel
def enters(kind, a, b, deep, body, scene, near, probe):
    """Whether links enter something by more than `deep` between two knots.

    A stretch is clear if the gaps at its ends, and twice `deep`, together exceed the move of any node. Else it is halved, down to _SMOOTH where the
    same feature is nearest at both ends (its gap curves by less than 5e-7 L there), down to `deep` where a slide goes from one to another.
    """
    nodes, psi = probe.nodes, probe.psi
    ends, values, features, places = np.empty(40), np.empty(40), np.empty(40), np.empty((40, 8, 2))
    values[0], features[0] = least_gap(kind, a, b, 1.0, body, scene, near, probe)
    ends[0] = 1.0
    set_posture(places[0], psi, nodes, psi)
    low, feature = least_gap(kind, a, b, 0.0, body, scene, near, probe)
    here, begin, depth = nodes.copy(), 0.0, 1
    worst = min(low, values[0])
    while depth > 0 and worst >= -deep:
        top = depth - 1
        move = largest_move(here, places[top])
        small = max(_SMOOTH, deep) if feature == features[top] else deep
        if low + values[top] + 2.0 * deep > 1.05 * move or move < small or depth == 40:
            set_posture(here, psi, places[top], psi)
            begin, low, feature, depth = ends[top], values[top], features[top], top
            continue
        ends[depth] = 0.5 * (begin + ends[top])
        values[depth], features[depth] = least_gap(kind, a, b, ends[depth], body, scene, near, probe)
        set_posture(places[depth], psi, nodes, psi)
        worst = min(worst, values[depth])
        depth += 1
    return worst < -deep
