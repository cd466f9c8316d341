"""The body laid on a path: every joint exactly on it, from the base forward or from the head backward.

Joint k+1 is the first point of the path beyond joint k at distance l_k from it: where the circle about joint k cuts the polyline. This is
the posture that link-by-link settling approaches, and it moves smoothly with the base, so it also serves as the reference of a motion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.core.checks import FloatArray
from serpenoid.core.door import FiniteNumbers, door
from serpenoid.core.errors import InputError
from serpenoid.shapes.track import Track
from serpenoid.shapes.track import laid as on_track

if TYPE_CHECKING:
    from serpenoid.planning.path import PlannedPath


def _arcs(points: FloatArray, arc: FloatArray, sizes: FloatArray, base: float) -> tuple[FloatArray, int]:
    """Arc lengths (n+1,) of the joints, and how many links find room before the end."""
    if len(points) < 2:
        return np.zeros(len(sizes) + 1), 0
    places = on_track(Track(np.ascontiguousarray(points), np.ascontiguousarray(arc)), sizes, base)[1][0]
    return places, int(np.sum(places[1:] <= arc[-1] * (1.0 + 1e-12)))


@door(lengths=FiniteNumbers(dims=(1,)))
def laid(path: PlannedPath, lengths: ArrayLike, base: float = 0.0) -> FloatArray:
    """Arc lengths (n+1,) m of the joints of a body with link lengths (m) whose base is at arc length `base` of a path."""
    sizes = np.asarray(lengths, dtype=float)
    arcs, done = _arcs(path.points, path.arc, sizes, float(base))
    if done < len(sizes):
        raise InputError(
            f"the robot is longer than the path: links of {path.map.length_text(sizes.sum())} in all, "
            f"{path.map.length_text(max(path.length - base, 0.0))} of path; "
            f"link {done} finds no room"
        )
    return arcs


def laid_back(path: PlannedPath, lengths: ArrayLike) -> FloatArray:
    """Arc lengths (n+1,) m of the joints of a body whose head is at the end of a path, base first."""
    sizes = np.asarray(lengths, dtype=float)
    arcs, done = _arcs(path.points[::-1], path.length - path.arc[::-1], sizes[::-1], 0.0)
    if done < len(sizes):
        raise InputError(
            f"the robot is longer than the path: links of {path.map.length_text(sizes.sum())} in all, "
            f"{path.map.length_text(path.length)} of path"
        )
    return path.length - arcs[::-1]


def headings_of(joints: FloatArray) -> FloatArray:
    """Directions (..., n) rad of the links between joints (..., n+1, 2)."""
    d = np.diff(joints, axis=-2)
    return np.arctan2(d[..., 1], d[..., 0])


def joints_of(base: ArrayLike, headings: FloatArray, lengths: FloatArray) -> FloatArray:
    """Joints (..., n+1, 2) m from the base's place, headings (..., n) rad and link lengths (n,) m."""
    steps = lengths[:, None] * np.stack([np.cos(headings), np.sin(headings)], axis=-1)
    start = np.broadcast_to(np.asarray(base, dtype=float)[..., None, :], (*headings.shape[:-1], 1, 2))
    return start + np.concatenate([np.zeros_like(start), np.cumsum(steps, axis=-2)], axis=-2)
