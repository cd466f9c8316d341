"""What of a motion can be drawn: the links' places and frames, at any time, in the plane (z = 0) and in space.

Between two frames places are linear; directions are linear and made unit vectors again. Frames of a blow-up are left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray, Trajectory
from serpenoid.core.errors import InputError
from serpenoid.judgement.roll import mean_roll

BEYOND = 1e9  # a number above this belongs to a run that blew up; no axis can show it
JUMP = 5.0  # body lengths between two frames of a diverged run: the blow-up itself, not motion


class Poses(NamedTuple):
    """A body of n links at some times, world axes."""

    time: FloatArray  # (t,) s
    node: FloatArray  # (t, n+1, 3) m, tail first
    axis: FloatArray  # (t, n, 3) towards the head
    back: FloatArray  # (t, n, 3)
    com: FloatArray  # (t, 3) m
    place: (
        FloatArray  # (t, n, 3) m, where the force acts: the contact point, or the link's middle where none is recorded
    )
    force: FloatArray  # (t, n, 3) N, of ground and obstacles; 0 where it was not finite or not recorded
    touching: FloatArray  # (t, n) contacts of the link; NaN where not recorded

    @property
    def lengths(self) -> FloatArray:
        """Lengths of the links, (n,) m."""
        return np.asarray(np.linalg.norm(np.diff(self.node[0], axis=0), axis=1))

    @property
    def length(self) -> float:
        """Length of the body in m."""
        return float(self.lengths.sum())

    @property
    def roll(self) -> FloatArray:
        """Roll of the links about their axes, mean over them, (t,) rad; whole frames only, it is unwrapped in time."""
        return mean_roll(self.axis, self.back)

    def at(self, times: FloatArray) -> Poses:
        """The same body at other times; contacts are those of the nearest frame."""
        low, high, weight = between(self.time, times)

        def blend(values: FloatArray) -> FloatArray:
            w = weight.reshape(-1, *([1] * (values.ndim - 1)))
            return np.asarray((1.0 - w) * values[low] + w * values[high])

        nearest = np.where(weight < 0.5, low, high)
        axis, back = _unit(blend(self.axis)), _unit(blend(self.back))
        times = np.clip(times, self.time[0], self.time[-1])
        return Poses(
            times, blend(self.node), axis, back, blend(self.com), blend(self.place), blend(self.force), self.touching[nearest]
        )  # fmt: skip

    def pick(self, frames: Any) -> Poses:
        """Some of the frames."""
        return Poses(*(values[frames] for values in self))


def between(t: FloatArray, times: FloatArray) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
    """Frames before and after some times, and the weight of the later one; times beyond the ends are those of the ends."""
    times = np.clip(times, t[0], t[-1])
    low = np.clip(np.searchsorted(t, times, side="right") - 1, 0, max(t.size - 2, 0))
    high = np.minimum(low + 1, t.size - 1)
    span = t[high] - t[low]
    return low, high, np.divide(times - t[low], span, out=np.zeros_like(times), where=span > 0.0)


def _unit(vectors: FloatArray) -> FloatArray:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12))


def masked(values: FloatArray) -> FloatArray:
    """Copy with everything that cannot be drawn turned into NaN."""
    out = np.array(values, dtype=float)
    with np.errstate(invalid="ignore"):
        out[~(np.abs(out) < BEYOND)] = np.nan
    return out


def sound(run: Trajectory) -> NDArray[np.intp]:
    """Frames whose body can be drawn; those of a blow-up are left out."""
    good = np.ones(len(run["time"]), bool)
    for name in ("time", "com", "node", "link_axis", "link_back"):
        if name in run.variables:
            good &= np.isfinite(masked(run[name])).reshape(len(good), -1).all(axis=1)
    frames = np.flatnonzero(good)
    if frames.size == 0:
        raise InputError("this run holds no frame that can be drawn: every recorded place is infinite or undefined")
    if run.status.name == "diverged":
        length = np.linalg.norm(np.diff(run["node"][frames[0]], axis=0), axis=1).sum()
        leaps = np.flatnonzero(np.linalg.norm(np.diff(run["com"][frames], axis=0), axis=1) > JUMP * length)
        frames = frames[: leaps[0] + 1] if leaps.size else frames
    return frames


def poses(run: Trajectory) -> Poses:
    """The sound frames of a run."""
    frames = sound(run)
    node, com = run["node"][frames], run["com"][frames]
    link = np.diff(node, axis=1)
    have = run.variables
    axis = run["link_axis"][frames] if "link_axis" in have else _unit(link)
    back = run["link_back"][frames] if "link_back" in have else np.broadcast_to([0.0, 0.0, 1.0], axis.shape)
    middle = node[:, :-1] + 0.5 * link
    point = masked(run["contact_point"][frames]) if "contact_point" in have else np.full_like(middle, np.nan)
    force = np.nan_to_num(masked(run["contact_force"][frames])) if "contact_force" in have else np.zeros_like(middle)
    none = np.full(axis.shape[:2], np.nan)
    touching = np.nan_to_num(masked(run["touching"][frames])) if "touching" in have else none
    place = np.where(np.isfinite(point), point, middle)
    return Poses(run["time"][frames], node, axis, np.asarray(back), com, place, force, touching)
