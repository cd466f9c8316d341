"""From the increments of a stage to a leg that enters nothing: subdivide where the straight way between knots cuts a corner.

Between two knots in touch the coordinates go straight and the link enters the obstacle by about h^2 / 8 times the curvature of the gap. Where
that exceeds half of 1e-6 L the middle is moved out by the least turns (`accommodate.correct`) and becomes a knot of its own, and so
on for both halves. The fraction s of a leg goes with the largest turn of a link, so that no joint turns faster than another leg's.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.core.checks import FloatArray
from serpenoid.gaits.concertina_legs import SIZE, Leg, StageKind, forward_kinematics, sample, stage_kind
from serpenoid.planning.accommodate import FREE, TOUCHED, correct
from serpenoid.planning.cycles import StageRun, near_discs
from serpenoid.planning.gaps import SevenLinkBody, gather
from serpenoid.planning.obstacles import ObstacleTable
from serpenoid.planning.sweep import enters, probe_of

_FINE = 5e-7  # L: entered between knots at most this far
_TOUCHING = 1e-9  # L
_MOST_KNOTS = 40_000
SUNK = 1e-4  # L: a stretch that enters something by more is no motion of a real body


@dataclass(frozen=True)
class Contact:
    """A link (from 1 at the tail) that pressed on an obstacle (from 0, as given): point of touch and force direction at the end of it."""

    link: int
    obstacle: int
    point: tuple[float, float]  # m
    direction: tuple[float, float]  # unit vector of the force on the link
    stage: int
    cycle: int
    s: tuple[float, float]  # fractions of the leg between which it pressed
    held: bool  # still pressed when the stage ended


@njit
def _touching(kind, q, body, scene, near, probe, found):
    """Fill the features that are in touch at a knot; their number."""
    nodes, psi, _, J, rows, gap, info = probe
    forward_kinematics(kind, q, body.lengths, nodes, psi)
    n = gather(kind.number, nodes, J, np.int64(0), body, scene, near, _FINE, rows, gap, info)
    touched = 0
    for i in range(n):
        if abs(gap[i]) < _TOUCHING and touched < found.shape[0]:
            found[touched] = info[i, -2]
            touched += 1
    return touched


@njit
def _common(first, n_first, second, n_second):
    """Keep in `first` what is also in `second`; the number."""
    kept = 0
    for i in range(n_first):
        for j in range(n_second):
            if first[i] == second[j]:
                first[kept] = first[i]
                kept += 1
                break
    return kept


@kernel
def _between(kind, a, b, body, scene, near, probe):
    """Fill the probe's q: the middle of two knots, moved out, and kept in touch with what both touch; whether that was possible."""
    here, there, q = np.empty(SIZE), np.empty(SIZE), probe.q
    first = _touching(kind, a, body, scene, near, probe, here)
    second = _touching(kind, b, body, scene, near, probe, there)
    held = min(_common(here, first, there, second), kind.size)
    for _ in range(2):
        for j in range(kind.size):
            q[j] = 0.5 * (a[j] + b[j])
        if correct(kind, q, body, scene, near, here, held, probe.nodes, probe.psi):
            return True
        held = held * 0
    return False


@kernel
def _subdivide(kind, path, body, scene, near, nodes, psi, out, origin):
    """Fill `out` with the knots of `path` and those between; `origin` has the number of the knot before each.

    Returns their number, and that of the stretches that still enter something because they could not be divided."""
    probe = probe_of(nodes, psi)
    m, stack = kind.size, np.empty((40, SIZE))
    n, coarse = 1, 0
    for j in range(m):
        out[0, j] = path[0, j]
    origin[0] = 0
    for k in range(path.shape[0] - 1):
        depth = 1
        for j in range(m):
            stack[0, j] = path[k + 1, j]
        while depth > 0:
            end = stack[depth - 1]
            split = enters(kind, out[n - 1], end, _FINE, body, scene, near, probe)
            room = depth < 20 and n < out.shape[0] - path.shape[0] - 40
            if split and room and _between(kind, out[n - 1], end, body, scene, near, probe):
                for j in range(m):
                    stack[depth, j] = probe.q[j]
                depth += 1
            else:
                coarse += split
                for j in range(m):
                    out[n, j] = end[j]
                origin[n] = k + 1 if depth == 1 else k
                n += 1
                depth -= 1
    return n, coarse


def _kind(ran: StageRun) -> StageKind:
    """The kind of stage that was run."""
    return StageKind(*stage_kind(ran.stage, float(ran.rear), float(ran.front)))


def _knots(ran: StageRun, path: FloatArray, lengths: FloatArray) -> FloatArray:
    """Fractions s of the knots: with the largest turn of a link."""
    count = len(path)
    nodes, psi = np.empty((count, 8, 2)), np.empty((count, 7))
    even = np.linspace(0.0, 1.0, count)
    sample(_kind(ran), even, path, lengths, ran.nodes, ran.psi, False, even, nodes, psi)
    turns = np.abs(np.diff(psi, axis=0)).max(axis=1) + 1e-9
    way = np.concatenate([[0.0], np.cumsum(turns)])
    return way / way[-1]


def _contacts(ran: StageRun, cycle: int, scale: float, at: FloatArray) -> tuple[Contact, ...]:
    """One contact for each link and obstacle; `at` has s of every increment."""
    found: dict[Any, Any] = {}
    last = len(at) - 1
    for knot, link, obstacle, px, py, nx, ny in ran.hits:
        key = (int(link) + 1, int(obstacle))
        begun = found[key].s[0] if key in found else float(at[int(knot)])
        found[key] = Contact(
            *key, (scale * px, scale * py), (float(nx), float(ny)), ran.stage, cycle, (begun, float(at[int(knot)])),
            int(knot) == last,
        )  # fmt: skip
    return tuple(found.values())


def leg_of(ran: StageRun, cycle: int, body: SevenLinkBody, scene: ObstacleTable, scale: float) -> Leg:
    """The leg of a stage, in m, subdivided so that it enters nothing by more than 1e-6 L at any instant."""
    path, knots, m = ran.path, np.array([0.0, 1.0]), ran.path.shape[1]
    origin, coarse, sunk = np.arange(len(path)), 0, 0
    if len(path) == 1:
        path = np.concatenate([path, path])
    elif ran.how == TOUCHED:
        near = near_discs(ran.nodes, body, scene)
        out, origin = np.empty((_MOST_KNOTS, m)), np.empty(_MOST_KNOTS, dtype=np.int64)
        n, coarse = _subdivide(_kind(ran), path, body, scene, near, ran.nodes.copy(), ran.psi.copy(), out, origin)
        path, origin = out[:n].copy(), origin[:n]
        if coarse:
            probe, kind = probe_of(ran.nodes.copy(), ran.psi.copy()), _kind(ran)
            sunk = sum(bool(enters(kind, a, b, SUNK, body, scene, near, probe)) for a, b in pairwise(path))
    if ran.how != FREE:
        knots = _knots(ran, path, body.lengths)
    at = knots[np.searchsorted(origin, np.arange(len(ran.path)))] if len(ran.path) > 1 else knots
    return Leg(
        cycle, ran.stage, scale * body.lengths, scale * ran.nodes, ran.psi, path * (scale if ran.stage == 2 else 1.0), knots,
        ran.rear, ran.front, _contacts(ran, cycle, scale, at), int(coarse), int(sunk),
    )  # fmt: skip
