"""The whole body along a path: settle all links on it, move the base on, settle again, until the head is at the goal.

The published fragment ends after the settling of one posture; the base's advance is what its users would expect next. The base goes along the path in
equal increments; at each, headings are kept and all links settle again (see `settling`).

| symbol | meaning | unit |
|---|---|---|
| E (`cap`) | largest turn at once | rad |
| tol | a tip no farther than this from the path is settled | m |
| clearance of a link | distance of its axis to the nearest solid square, less the half width; <= 0: the link overlaps a wall | m |

Links cut corners: a link should not exceed half the width of the corridor.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.core import Robot
from serpenoid.core.checks import FloatArray, per_item
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.robot import MAX_LINKS
from serpenoid.planning.cells import link_gaps
from serpenoid.planning.maps import BoolArray
from serpenoid.planning.path import MOST_NAMED, PlannedPath
from serpenoid.planning.posture import headings_of, laid, laid_back
from serpenoid.planning.scaling import widths
from serpenoid.planning.settling import FORWARD, LITERAL, Links, Polyline, SettleRule, gaps_to_path, settle_all

SEARCHES = {"forward": FORWARD, "literal": LITERAL}
LEAST_CAP = 1e-3  # rad: smaller turns take for ever
CAP = float(np.deg2rad(5.0))  # rad
LOOSE = 0.6  # of the spacing of the path's points: a tip can lie half a spacing from the nearest one
PROJECTED = 0.05  # cells, where the nearest point is sought on the segments


@dataclass(frozen=True, eq=False)
class SettledPosture:
    """One posture, settled: joints from the base, headings, turns that were needed, distance of each tip to the path."""

    joints: FloatArray  # (n+1, 2) m
    headings: FloatArray  # (n,) rad
    turns: int
    off_path: FloatArray  # (n,) m
    settled: BoolArray  # (n,)


@dataclass(frozen=True, eq=False)
class Following:
    """A body's way along a path: one posture for each increment of the base."""

    path: PlannedPath = field(repr=False)
    lengths: FloatArray  # (n,) m
    half_width: float  # m
    base: FloatArray  # (m,) m, arc length of the base
    joints: FloatArray  # (m, n+1, 2) m
    headings: FloatArray  # (m, n) rad
    turns: FloatArray  # (m,)
    off_path: FloatArray  # (m, n) m
    settled: BoolArray  # (m, n)
    status: str = "reached"
    reason: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def unsettled(self) -> dict[int, tuple[int, ...]]:
        """Links that did not settle, by increment; empty where all did."""
        return {
            int(m): tuple(np.flatnonzero(~self.settled[m]).tolist()) for m in np.flatnonzero(~self.settled.all(axis=1))
        }

    @property
    def joint_angles(self) -> FloatArray:
        """Angles of the joints 1 .. n-1, (m, n-1) rad, in (-pi, pi]."""
        turn = np.diff(self.headings, axis=1)
        return np.arctan2(np.sin(turn), np.cos(turn))

    @property
    def head_to_goal(self) -> float:
        """Distance of the head's tip to the path's end in the last posture, m."""
        return float(np.hypot(*(self.joints[-1, -1] - self.path.points[-1])))

    @functools.cached_property
    def clearance(self) -> FloatArray:
        """Distance of every link in every posture to the nearest solid square, less the half width, (m, n) m."""
        area = self.path.map
        return link_gaps(area.solid, self.joints / area.cell) * area.cell - self.half_width

    @property
    def link_clearance(self) -> float:
        """Smallest clearance of a link in m; <= 0: it overlaps a wall."""
        return float(self.clearance.min())

    @property
    def length_error(self) -> float:
        """Largest relative change of a link's length over all postures."""
        size = np.hypot(*np.moveaxis(np.diff(self.joints, axis=1), -1, 0))
        return float(np.abs(size / self.lengths - 1.0).max())


@door
def settle(
    path: PlannedPath, lengths: ArrayLike, headings: ArrayLike, *, base: ArrayLike | None = None, cap: float = CAP, tol: float | None = None,
    search: str = "forward", project: bool = True,
) -> SettledPosture:  # fmt: skip
    """Settle one posture, links with lengths (m) and headings (rad) from a base (m; default the path's start), on a path."""
    sizes = _lengths(path, lengths)
    rule = _rule(path, cap, tol, search, project)
    angles = per_item("headings", headings, len(sizes), -np.inf).copy()
    place, arc = _base(path, sizes, base)
    return _settle(path, sizes, angles, place, arc, rule)


@door
def follow(
    path: PlannedPath, body: Robot | ArrayLike, *, headings: ArrayLike | None = None, base: ArrayLike | None = None, advance: float | None = None,
    cap: float = CAP, tol: float | None = None, search: str = "forward", project: bool = True, half_width: float | None = None,
) -> Following:  # fmt: skip
    """Take a body (robot, or link lengths in m) along a path until its head is at the end; `advance` (m) is the base's increment.

    The first posture has the given headings (rad), or lies on the path; its base is at `base` (m), or at the path's start.
    """
    if path.status != "reached":
        raise InputError(f"the path is {path.status}: {path.reason}")
    sizes = _lengths(path, body.link_length if isinstance(body, Robot) else body)
    if half_width is None:
        half_width = float(body.radius.max()) if isinstance(body, Robot) else 0.0
    per_item("half width", half_width, 1, 0.0)
    rule = _rule(path, cap, tol, search, project)
    place, first = _base(path, sizes, base)
    last = float(laid_back(path, sizes)[0])
    if last < first:
        laid(path, sizes, first)  # says that the robot is longer than the path
    step = path.map.cell if advance is None else float(per_item("advance", advance, 1, 0.0, strict=True)[0])
    arcs = np.linspace(first, last, max(int(np.ceil((last - first) / step)), 1) + 1)
    angles = headings_of(path.at(laid(path, sizes, first))) if headings is None else np.array(
        per_item("headings", headings, len(sizes), -np.inf)
    )  # fmt: skip
    postures = []
    for k, arc in enumerate(arcs):
        here = place if k == 0 else path.at(arc)
        postures.append(_settle(path, sizes, angles, here, float(arc), rule))
        angles = postures[-1].headings.copy()
    if len(arcs) > 1 and not postures[-1].settled.all() and postures[-2].settled.all():
        # settled joints lie beside the path by up to the tolerance, so the head may have passed its end: a little less
        arcs[-1] = max(arcs[-2], last - rule.tol)
        angles = postures[-2].headings.copy()
        postures[-1] = _settle(path, sizes, angles, path.at(arcs[-1]), float(arcs[-1]), rule)
    return _following(path, sizes, half_width, arcs, postures)


def _settle(
    path: PlannedPath,
    sizes: FloatArray,
    angles: FloatArray,
    place: FloatArray,
    arc: float,
    rule: SettleRule,
) -> SettledPosture:
    """Run the kernels on one posture."""
    joints = np.empty((len(sizes) + 1, 2))
    joints[0] = place
    begin = min(int(np.searchsorted(path.arc, arc, side="left")), len(path.points) - 1)
    line = Polyline(path.points, path.arc, begin)
    links = Links(joints, angles, sizes, np.zeros(len(sizes), np.int64))
    turns, off = settle_all(line, links, rule), gaps_to_path(line, links, rule)
    return SettledPosture(joints, angles, int(turns), off, off <= rule.tol)


def _following(
    path: PlannedPath, sizes: FloatArray, half_width: float, arcs: FloatArray, postures: list[SettledPosture]
) -> Following:
    """Gather the postures, and say what went wrong where."""
    made = Following(
        path, sizes, half_width, arcs, np.array([p.joints for p in postures]), np.array([p.headings for p in postures]),
        np.array([p.turns for p in postures]), np.array([p.off_path for p in postures]), np.array([p.settled for p in postures]),
    )  # fmt: skip
    warnings, overlap = long_links(path, sizes), ""
    if made.link_clearance <= 0.0:
        m, k = np.unravel_index(int(np.argmin(made.clearance)), made.clearance.shape)
        place = path.map.place_text(made.joints[m, k : k + 2].mean(axis=0), ".4g")
        touched = int((made.clearance.min(axis=1) <= 0.0).sum())
        overlap = f"link {k} overlaps a wall near {place}; some link does at {touched} of {len(arcs)} increments"
        warnings += (overlap,)
    loose = made.unsettled
    status, reason = "reached", ""
    if loose:
        when, links = next(iter(loose.items()))
        status = "stalled"
        reason = (
            f"links do not settle at {len(loose)} of {len(arcs)} increments, first link {links[0]} at increment {when}"
        )
    elif made.head_to_goal > path.map.cell:
        status, reason = (
            "stalled",
            f"all links are settled, but the head is {path.map.length_text(made.head_to_goal, '.3g')} from the goal",
        )
    elif overlap:
        status, reason = "blocked", overlap
    return replace(made, status=status, reason=reason, warnings=warnings)


def long_links(path: PlannedPath, lengths: FloatArray) -> tuple[str, ...]:
    """Say where on a path the longest link exceeds half the corridor's width; empty where it never does."""
    area, longest = path.map, float(np.max(lengths))
    i, j = np.floor(path.points / area.cell + 0.5).astype(int).T
    width = widths(~area.solid)[i, j] * area.cell
    tight = longest > 0.5 * width * (1.0 + 1e-9)
    if not tight.any():
        return ()
    starts = np.flatnonzero(tight & ~np.concatenate([[False], tight[:-1]]))
    named = ", ".join(area.place_text(place, ".4g") for place in path.points[starts[:MOST_NAMED]])
    named += " ..." * (len(starts) > MOST_NAMED)
    return (
        f"links of {area.length_text(longest)} exceed half the corridor's width ({area.length_text(width.min())} at its narrowest) "
        f"from {named}: "
        "links cut corners and may touch a wall there",
    )  # fmt: skip


def _lengths(path: PlannedPath, lengths: ArrayLike) -> FloatArray:
    """Link lengths, checked against the path's spacing."""
    values = np.atleast_1d(np.asarray(lengths, dtype=float))
    if values.ndim != 1 or not 1 <= len(values) <= MAX_LINKS:
        raise InputError(f"link lengths must be a list of 1 to {MAX_LINKS} numbers in {path.map.unit}, got {lengths!r}")
    sizes = per_item("link length", values, len(values), 0.0, strict=True).copy()
    spacing = _spacing(path)
    if sizes.min() < 2.0 * spacing * (1.0 - 1e-9):
        raise InputError(
            f"link length {path.map.length_text(sizes.min())} is below twice the path's spacing, {path.map.length_text(spacing)}: "
            "use a smaller step or cell"
        )
    return sizes


def _spacing(path: PlannedPath) -> float:
    """Largest distance between two points of a path in m."""
    return float(np.diff(path.arc).max()) if len(path.points) > 1 else 0.0


def _rule(path: PlannedPath, cap: float, tol: float | None, search: str, project: bool) -> SettleRule:
    """Check the settings; the tolerance (m) by default from the cell, or the spacing of points."""
    if search not in SEARCHES:
        raise InputError(f"search must be one of {', '.join(SEARCHES)}, got {search!r}")
    if not LEAST_CAP <= float(per_item("cap", cap, 1, 0.0, np.pi)[0]) < np.pi:
        raise InputError(f"cap E must be at least {LEAST_CAP} rad (0.06 deg) and below pi, got {cap!r}")
    spacing = _spacing(path)
    if tol is None:
        tol = PROJECTED * path.map.cell if project else LOOSE * spacing
        return SettleRule(float(cap), tol, SEARCHES[search], bool(project))
    per_item("tol", tol, 1, 0.0, strict=True)
    if tol > path.map.cell:
        raise InputError(
            f"tol {path.map.length_text(tol)} is more than a cell, {path.map.length_text(path.map.cell)}: "
            "a body so far from the path does not follow it"
        )
    if not project and tol < 0.5 * spacing:
        raise InputError(
            f"tol {path.map.length_text(tol)} is below half the path's spacing, {path.map.length_text(0.5 * spacing)}: "
            "a tip may never come so near to a point; "
            "give a larger tol, or project"
        )
    return SettleRule(float(cap), float(tol), SEARCHES[search], bool(project))


def _base(path: PlannedPath, sizes: FloatArray, base: ArrayLike | None) -> tuple[FloatArray, float]:
    """Place of the base (m) and its arc length on the path."""
    if base is None:
        return path.points[0].copy(), 0.0
    place = np.array(per_item("base", base, 2, -np.inf))
    far = np.hypot(*(path.points - place).T)
    if far.min() > sizes[0]:
        area = path.map
        raise InputError(
            f"the base {area.place_text(place)} lies {area.length_text(far.min())} from the path, farther than its link of "
            f"{area.length_text(sizes[0])}"
        )
    return place, float(path.arc[int(np.argmin(far))])
