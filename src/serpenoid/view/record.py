"""What of a recorded run can be drawn: sound frames, masked numbers, the body between two frames."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray, Trajectory
from serpenoid.core.errors import InputError

BEYOND = 1e9  # a number above this belongs to a run that blew up; no axis can show it
JUMP = 5.0  # body lengths between two frames of a diverged run: the blow-up itself, not motion


def masked(values: FloatArray) -> FloatArray:
    """Copy with everything that cannot be drawn turned into NaN."""
    out = np.array(values, dtype=float)
    with np.errstate(invalid="ignore"):
        out[~(np.abs(out) < BEYOND)] = np.nan
    return out


def body_length(run: Trajectory) -> float:
    """Length of the body in m, from its first sound frame."""
    first = sound(run)[0]
    return float(np.hypot(np.diff(run["node_x"][first]), np.diff(run["node_y"][first])).sum())


def sound(run: Trajectory) -> NDArray[np.intp]:
    """Frames whose body can be drawn; those of a blow-up are left out."""
    good = np.ones(len(run["time"]), bool)
    for name in ("time", "com_x", "com_y"):
        good &= np.isfinite(masked(run[name]))
    for name in ("node_x", "node_y"):
        good &= np.isfinite(masked(run[name])).all(axis=1)
    frames = np.flatnonzero(good)
    if frames.size == 0:
        raise InputError("this run holds no frame that can be drawn: every recorded place is infinite or undefined")
    if run.status.name == "diverged":
        x, y = run["com_x"][frames], run["com_y"][frames]
        first = frames[0]
        length = np.hypot(np.diff(run["node_x"][first]), np.diff(run["node_y"][first])).sum()
        leaps = np.flatnonzero(np.hypot(np.diff(x), np.diff(y)) > JUMP * length)
        if leaps.size:
            frames = frames[: leaps[0] + 1]
    return frames


class Scene(NamedTuple):
    """The drawable part of a run at chosen times."""

    time: FloatArray  # (t,) s
    node: FloatArray  # (t, n+1, 2) m, tail first
    com: FloatArray  # (t, 2) m
    contact: FloatArray  # (t, n, 2) m
    force: FloatArray  # (t, n, 2) N, friction on the robot; 0 where it was not finite


def scene(run: Trajectory, times: FloatArray | None = None) -> Scene:
    """Places and friction forces at `times` (linear between sound frames), or at all sound frames."""
    frames = sound(run)
    t = run["time"][frames]

    def pair(name: str) -> FloatArray:
        x, y = (f"{name}_x", f"{name}_y")
        return np.stack([run[x][frames], run[y][frames]], axis=-1)

    parts = [pair("node"), pair("com"), pair("contact"), np.nan_to_num(masked(pair("contact_force")))]
    if times is None:
        return Scene(t, *parts)
    times = np.clip(times, t[0], t[-1])
    low = np.clip(np.searchsorted(t, times, side="right") - 1, 0, max(t.size - 2, 0))
    high = np.minimum(low + 1, t.size - 1)
    span = t[high] - t[low]
    weight = np.divide(times - t[low], span, out=np.zeros_like(times), where=span > 0.0)

    def blend(values: FloatArray) -> FloatArray:
        w = weight.reshape(-1, *([1] * (values.ndim - 1)))
        return np.asarray((1.0 - w) * values[low] + w * values[high])

    return Scene(times, *(blend(part) for part in parts))
