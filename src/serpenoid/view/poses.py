"""What of a motion in space can be drawn: the links' places and frames at any time, whoever computed them.

`poses` reads a recorded run, `poses_of` anything that has time, place, axis, back and com of its links in world axes.
Between two frames places are linear; directions are linear and made unit vectors again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray, Trajectory, chassis
from serpenoid.core.errors import InputError
from serpenoid.view import record

THIN = 0.008  # body lengths: radius in which links without one are drawn


class Poses(NamedTuple):
    """A body of n links at some times, world axes."""

    time: FloatArray  # (t,) s
    node: FloatArray  # (t, n+1, 3) m, tail first
    axis: FloatArray  # (t, n, 3) towards the head
    back: FloatArray  # (t, n, 3)
    com: FloatArray  # (t, 3) m
    force: FloatArray  # (t, n, 3) N, of ground and obstacles; 0 where it was not finite or not recorded
    touching: FloatArray  # (t, n) contacts of the link; NaN where not recorded

    @property
    def length(self) -> float:
        """Length of the body in m."""
        return float(np.linalg.norm(np.diff(self.node[0], axis=0), axis=1).sum())

    @property
    def roll(self) -> FloatArray:
        """Roll of the links about their axes, mean over them, (t,) rad; whole frames only, it is unwrapped in time."""
        return np.asarray(chassis.roll(self.axis, self.back).mean(axis=1))

    def at(self, times: FloatArray) -> Poses:
        """The same body at other times; contacts are those of the nearest frame."""
        t = self.time
        times = np.clip(times, t[0], t[-1])
        low = np.clip(np.searchsorted(t, times, side="right") - 1, 0, max(t.size - 2, 0))
        high = np.minimum(low + 1, t.size - 1)
        span = t[high] - t[low]
        weight = np.divide(times - t[low], span, out=np.zeros_like(times), where=span > 0.0)

        def blend(values: FloatArray) -> FloatArray:
            w = weight.reshape(-1, *([1] * (values.ndim - 1)))
            return np.asarray((1.0 - w) * values[low] + w * values[high])

        nearest = np.where(weight < 0.5, low, high)
        axis, back = _unit(blend(self.axis)), _unit(blend(self.back))
        return Poses(
            times, blend(self.node), axis, back, blend(self.com), blend(self.force), self.touching[nearest]
        )  # fmt: skip

    def pick(self, frames: Any) -> Poses:
        """Some of the frames."""
        return Poses(*(values[frames] for values in self))


def _unit(vectors: FloatArray) -> FloatArray:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12))


def is_spatial(run: Trajectory) -> bool:
    """Whether a run is in three dimensions."""
    return "node_z" in run.variables


def sound(run: Trajectory) -> NDArray[np.intp]:
    """Frames of a run in space whose body can be drawn; those of a blow-up are left out."""
    frames = record.sound(run)
    good = np.isfinite(record.masked(run["com_z"][frames]))
    for name in ("node_z", *(f"{v}_{e}" for v in ("axis", "back") for e in "xyz")):
        good &= np.isfinite(record.masked(run[name][frames])).all(axis=1)
    frames = frames[good]
    if frames.size == 0:
        raise InputError("this run holds no frame that can be drawn: every recorded place is infinite or undefined")
    if run.status.name == "diverged":
        nodes = _vectors(run, "node", frames)
        length = np.linalg.norm(np.diff(nodes[0], axis=0), axis=1).sum()
        leaps = np.flatnonzero(np.abs(np.diff(run["com_z"][frames])) > record.JUMP * length)
        frames = frames[: leaps[0] + 1] if leaps.size else frames
    return np.asarray(frames)


def _vectors(run: Trajectory, name: str, frames: Any) -> FloatArray:
    return np.stack([run[f"{name}_{e}"][frames] for e in "xyz"], axis=-1)


def poses(run: Trajectory) -> Poses:
    """The sound frames of a run in space."""
    frames = sound(run)
    node, axis, back, com, force = (_vectors(run, k, frames) for k in ("node", "axis", "back", "com", "contact_force"))
    touching = np.nan_to_num(record.masked(run["touching"][frames]))
    return Poses(run["time"][frames], node, axis, back, com, np.nan_to_num(record.masked(force)), touching)


def radius_of(run: Trajectory) -> FloatArray:
    """Radius of each link, (n,) m; 0 where the scenario names none."""
    links = run["axis_x"].shape[1]
    return np.broadcast_to(np.asarray(run.scenario.get("robot", {}).get("radius", 0.0), dtype=float), (links,))


def drawn_radius(radius: Any, body: Poses) -> FloatArray:
    """Radii in which the links are drawn, (n,) m."""
    wanted = np.broadcast_to(np.asarray(radius, dtype=float), (body.axis.shape[1],))
    return np.where(wanted > 0.0, wanted, THIN * body.length)


def poses_of(motion: Any, link_length: Any) -> Poses:
    """The finite frames of a motion with time, place, axis, back (f, n, 3) and com (f, 3); links so long (m)."""
    parts = [np.asarray(getattr(motion, name), dtype=float) for name in ("time", "place", "axis", "back", "com")]
    time, place, axis, back, com = parts
    shape = place.shape
    if place.ndim != 3 or shape[2] != 3 or axis.shape != shape or back.shape != shape or com.shape != (len(time), 3):
        raise InputError(f"a motion needs place, axis, back (f, n, 3) and com (f, 3), got {[p.shape for p in parts]}")
    lengths = np.broadcast_to(np.asarray(link_length, dtype=float), (shape[1],))
    node = np.concatenate([place, place[:, -1:] + lengths[-1] * axis[:, -1:]], axis=1)
    flat = np.concatenate([x.reshape(len(time), -1) for x in (node, axis, back, com)], axis=1)
    good = np.isfinite(record.masked(flat)).all(axis=1) & np.isfinite(time)
    if not good.any():
        raise InputError(f"{getattr(motion, 'engine', 'motion')}: no frame of it can be drawn")
    none = np.full(place.shape[:2], np.nan)
    return Poses(time, node, axis, back, com, np.zeros_like(place), none).pick(good)
