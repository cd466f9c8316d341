"""The body laid on a path: every joint exactly on it, from the base forward or from the head backward.

Joint k+1 is the first point of the path beyond joint k at distance l_k from it: where the circle about joint k cuts the polyline. This is
the posture that link-by-link settling approaches, and it moves smoothly with the base, so it also serves as the reference of a motion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.checks import FloatArray
from serpenoid.compiled import kernel
from serpenoid.errors import InputError

if TYPE_CHECKING:
    from serpenoid.planning.path import Path


@kernel
def lay(path, arc, s, lengths, arcs):
    """Arc lengths of the joints from the first at s on, into `arcs`; returns how many links found room."""
    k = max(np.searchsorted(arc, s, side="right") - 1, 0)
    k = min(k, len(arc) - 2)
    t = (s - arc[k]) / (arc[k + 1] - arc[k])
    x, y = path[k, 0] + t * (path[k + 1, 0] - path[k, 0]), path[k, 1] + t * (path[k + 1, 1] - path[k, 1])
    arcs[0] = s
    for link in range(len(lengths)):
        size = lengths[link]
        while k < len(arc) - 1 and np.hypot(path[k + 1, 0] - x, path[k + 1, 1] - y) < size:
            k += 1
        if k == len(arc) - 1:
            return link
        # |a + t d - p| = l on segment k, the larger root
        ax, ay, dx, dy = path[k, 0] - x, path[k, 1] - y, path[k + 1, 0] - path[k, 0], path[k + 1, 1] - path[k, 1]
        dd, ad = dx * dx + dy * dy, ax * dx + ay * dy
        t = (-ad + np.sqrt(max(ad * ad - dd * (ax * ax + ay * ay - size * size), 0.0))) / dd
        t = min(max(t, 0.0), 1.0)
        x, y = path[k, 0] + t * dx, path[k, 1] + t * dy
        arcs[link + 1] = arc[k] + t * (arc[k + 1] - arc[k])
    return len(lengths)


def laid(path: Path, lengths: ArrayLike, base: float = 0.0) -> FloatArray:
    """Arc lengths (n+1,) m of the joints of a body with link lengths (m) whose base is at arc length `base` of a path."""
    sizes = np.asarray(lengths, dtype=float)
    arcs = np.empty(len(sizes) + 1)
    done = lay(path.points, path.arc, float(base), sizes, arcs) if len(path.points) > 1 else 0
    if done < len(sizes):
        raise InputError(
            f"the robot is longer than the path: links of {sizes.sum():g} m in all, {max(path.length - base, 0.0):g} m of path; "
            f"link {done} finds no room"
        )
    return arcs


def laid_back(path: Path, lengths: ArrayLike) -> FloatArray:
    """Arc lengths (n+1,) m of the joints of a body whose head is at the end of a path, base first."""
    sizes = np.asarray(lengths, dtype=float)
    arcs = np.empty(len(sizes) + 1)
    back, arc = np.ascontiguousarray(path.points[::-1]), np.ascontiguousarray(path.length - path.arc[::-1])
    done = lay(back, arc, 0.0, np.ascontiguousarray(sizes[::-1]), arcs) if len(arc) > 1 else 0
    if done < len(sizes):
        raise InputError(
            f"the robot is longer than the path: links of {sizes.sum():g} m in all, {path.length:g} m of path"
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
