"""Shapes (tau, kappa_a, kappa_b over arc length) and the curves they make.

A `Shape` holds the three shape functions of Yamada and Hirose's equations (3), a length and a start pose; `trace` integrates it to a
`Curve`: positions c(s) and dorsal frames [e1 ea eb](s). e1 is the tangent; by convention ea is left and eb the back (up), so yaw is kappa_b
and pitch kappa_a. Classes of shapes: planar (tau = kappa_a = 0), Frenet-Serret (kappa_a = 0), bellows (tau = 0), complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.core import FloatArray
from serpenoid.core.door import door
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.core.quantities import Whole
from serpenoid.frames import matrix_from_quaternion, quaternion_from_matrix
from serpenoid.shapes.functions import Constant, Function, function
from serpenoid.shapes.integrate import march_many

TOLERANCE = 1e-9  # m and rad: default accuracy of a traced curve
_GAUSS = 0.5 + np.sqrt(3.0) / 6.0 * np.array([-1.0, 1.0])
_MOST_STEPS = 1 << 20
MOST_TURNED = 1e15  # rad along a curve: beyond it an angle has no digit left after the point
SHORTEST, LONGEST = 1e-9, 1e9  # m


class Model(NamedTuple):
    """Class of a shape, and why."""

    name: str  # planar, frenet, bellows, complete
    reason: str


@door
@dataclass(frozen=True, eq=False)
class Pose:
    """Where a curve begins: position (m) and frame, columns e1, ea, eb."""

    position: FloatArray = field(default_factory=lambda: np.zeros(3))
    frame: FloatArray = field(default_factory=lambda: np.eye(3))

    def __post_init__(self) -> None:
        place, frame = np.asarray(self.position, dtype=float), np.asarray(self.frame, dtype=float)
        if place.shape != (3,) or frame.shape != (3, 3) or not np.isfinite(place).all():
            raise InputError("a pose needs a position of 3 and a frame of 3 x 3 finite numbers")
        if not (np.allclose(frame @ frame.T, np.eye(3), atol=1e-9) and np.linalg.det(frame) > 0.0):
            raise InputError("the frame of a pose must be a rotation: orthonormal and right-handed")
        object.__setattr__(self, "position", place)
        object.__setattr__(self, "frame", frame)

    @cached_property
    def vector(self) -> FloatArray:
        """Position and quaternion, (7,)."""
        return np.concatenate([self.position, quaternion_from_matrix(self.frame)])

    @door
    def rolled(self, angle: float) -> Pose:
        """The same place, the frame turned about its tangent by `angle`: from P to Q of equations (27), (28)."""
        c, s = np.cos(angle), np.sin(angle)
        return Pose(self.position, self.frame @ np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]))


@dataclass(frozen=True, eq=False)
class Curve:
    """A traced shape: arc lengths (n,), positions (n, 3), quaternions (n, 4)."""

    s: FloatArray
    position: FloatArray
    quaternion: FloatArray
    shape: Shape
    time: float = 0.0

    @property
    def frame(self) -> FloatArray:
        """Frames (n, 3, 3); columns e1, ea, eb."""
        return matrix_from_quaternion(self.quaternion)

    @property
    def tangent(self) -> FloatArray:
        """Tangents e1, (n, 3)."""
        return self.frame[..., 0]

    @door
    def at(self, s: ArrayLike) -> Curve:
        """The curve at any arc lengths, each one short step from the nearest node before it."""
        place = np.atleast_1d(np.asarray(s, dtype=float))
        length = self.shape.length
        if (
            place.ndim != 1
            or not np.isfinite(place).all()
            or place.min() < -1e-12
            or place.max() > length * (1 + 1e-12)
        ):
            raise InputError(f"arc length must be finite and from 0 to {length:g} m")
        k = np.clip(np.searchsorted(self.s, place, side="right") - 1, 0, self.s.size - 1)
        nodes = np.concatenate([self.position, self.quaternion], axis=1)[k]
        h = place - self.s[k]
        samples = self.shape.sampled(self.s[k], h, 4, self.time)
        out = np.zeros((place.size, 2, 7))
        for j in range(place.size):
            step = np.ascontiguousarray(samples[:, j : j + 1])
            march_many(4, h[j : j + 1], step, nodes[j : j + 1], out[j : j + 1], 0, 1)
        return Curve(place, out[:, 1, :3], out[:, 1, 3:], self.shape, self.time)


@dataclass(frozen=True, eq=False)
class Shape:
    """Three shape functions of arc length (and time) on a length in m, from a start pose."""

    tau: Function
    kappa_a: Function
    kappa_b: Function
    length: float
    start: Pose = field(default_factory=Pose)
    name: str = "shape"

    def __post_init__(self) -> None:
        for key in ("tau", "kappa_a", "kappa_b"):
            object.__setattr__(self, key, function(getattr(self, key)))
        number = isinstance(self.length, int | float | np.number) and not isinstance(self.length, bool)
        if not (number and SHORTEST <= self.length <= LONGEST):
            raise InputError(f"length must be finite and > 0 m ({SHORTEST:g} to {LONGEST:g}), got {self.length}")

    def _repr_html_(self) -> str:
        from serpenoid.studio.notebook import notebook_html

        return notebook_html(self)

    def but(self, **changes: Any) -> Shape:
        """The same shape with some fields changed."""
        return replace(self, **changes)

    @door
    def values(self, s: ArrayLike, t: float = 0.0) -> FloatArray:
        """tau, kappa_a, kappa_b at s, shape (3, ...); refused where one is not finite."""
        place = np.asarray(s, dtype=float)
        out = np.zeros((3, *place.shape))
        functions = (self.tau, self.kappa_a, self.kappa_b)
        for row, f in enumerate(functions):
            if not f.zero:
                with np.errstate(all="ignore"):
                    out[row] = f.value(place, t)
        largest = float(np.abs(out).max(initial=0.0))
        if not largest * self.length <= MOST_TURNED:
            for f in functions:
                f(place, t)  # says where it is not finite
            raise InputError(
                f"a curvature or torsion of {largest:.3g} 1/m turns a curve of {self.length:g} m by {largest * self.length:.3g} rad, whose "
                f"direction numbers cannot hold; allowed are {MOST_TURNED:g} rad"
            )
        return out

    def sampled(self, s: FloatArray, h: FloatArray, order: int, t: float) -> FloatArray:
        """Shape functions at the points of steps from s of length h: (3, n, 1 or 2)."""
        if order == 2:
            return self.values(s + 0.5 * h, t)[:, :, None]
        return self.values(s[:, None] + h[:, None] * _GAUSS, t)

    @cached_property
    def breaks(self) -> FloatArray:
        """Places inside the length where a shape function jumps."""
        found = {*self.tau.breaks, *self.kappa_a.breaks, *self.kappa_b.breaks}
        return np.array(sorted(x for x in found if 0.0 < x < self.length))

    @door
    def model(self, tolerance: float = 1e-12, t: float = 0.0) -> Model:
        """Class of the shape: which functions vanish (relative to the largest curvature, or 1/length)."""
        s = np.linspace(0.0, self.length, 513)
        size = np.abs(self.values(s, t)).max(axis=1)
        scale = max(float(size.max()), 1.0 / self.length)
        small = [f.zero or x <= tolerance * scale for f, x in zip((self.tau, self.kappa_a), size[:2], strict=True)]
        text = f"max |tau| = {size[0]:.3g}/m, max |kappa_a| = {size[1]:.3g}/m, max |kappa_b| = {size[2]:.3g}/m"
        if all(small):
            return Model("planar", f"neither twist nor pitch ({text})")
        if small[1]:
            return Model("frenet", f"twist but no pitch ({text})")
        if small[0]:
            return Model("bellows", f"bends both ways but does not twist ({text})")
        return Model("complete", f"twist and both bends ({text})")

    @door
    def grid(self, steps: int) -> FloatArray:
        """Nodes: `steps` equal steps, with the breaks as nodes too."""
        nodes = np.linspace(0.0, self.length, steps + 1)
        if not self.breaks.size:
            return nodes
        parts = np.concatenate([[0.0], self.breaks, [self.length]])
        counts = np.maximum(1, np.ceil(np.diff(parts) / self.length * steps - 1e-9).astype(int))
        pieces = [np.linspace(a, b, n + 1)[:-1] for a, b, n in zip(parts[:-1], parts[1:], counts, strict=True)]
        return np.concatenate([*pieces, [self.length]])

    @door
    def trace(self, steps: int | None = None, *, tolerance: float = TOLERANCE, order: int = 4, t: float = 0.0) -> Curve:
        """Integrate to a curve, with a number of steps or to a tolerance (m, and rad of the frame)."""
        if order not in (2, 4):
            raise InputError(f"order must be 2 or 4, got {order}")
        if steps is not None:
            if not isinstance(steps, int | np.integer) or not 1 <= steps <= _MOST_STEPS:
                raise InputError(f"steps must be from 1 to {_MOST_STEPS}, got {steps}")
            return self._march(self.grid(steps), order, t)
        if not (np.isfinite(tolerance) and tolerance > 0.0):
            raise InputError(f"tolerance must be finite and > 0, got {tolerance}")
        return self._to_tolerance(tolerance, order, t)

    def _march(self, s: FloatArray, order: int, t: float) -> Curve:
        h = np.diff(s)
        out = np.empty((s.size, 7))
        samples = np.ascontiguousarray(self.sampled(s[:-1], h, order, t))
        # a batch of one: the same compiled code as for many, so the same digits
        march_many(order, h, samples, self.start.vector[None], out[None], 0, 1)
        return Curve(s, out[:, :3], out[:, 3:], self, t)

    def _to_tolerance(self, tolerance: float, order: int, t: float) -> Curve:
        """Refine by two and by three in turn until two refinements running change nothing: one alone can miss a jump."""
        coarse = self._march(self.grid(32), order, t)
        if all(isinstance(f, Constant) for f in (self.tau, self.kappa_a, self.kappa_b)):
            return coarse  # exact
        bend = float(np.abs(self.sampled(coarse.s[:-1], np.diff(coarse.s), 2, t)).max())
        floor = 1e-13 * self.length * (1.0 + bend * self.length)  # what rounding leaves
        settled, parts = 0, 2
        while coarse.s.size <= _MOST_STEPS:
            inner = coarse.s[:-1, None] + np.diff(coarse.s)[:, None] * np.arange(parts) / parts
            fine = self._march(np.concatenate([inner.ravel(), coarse.s[-1:]]), order, t)
            apart = np.abs(fine.position[::parts] - coarse.position).max()
            sign = np.sign(np.sum(fine.quaternion[::parts] * coarse.quaternion, axis=1, keepdims=True))
            turned = np.abs(fine.quaternion[::parts] - sign * coarse.quaternion).max()
            settled = settled + 1 if apart <= tolerance + floor and turned <= tolerance + floor / self.length else 0
            if settled == 2:
                self._no_hidden_jump(coarse.s, fine.s, tolerance + floor, t)
                return fine
            coarse, parts = fine, 5 - parts
        raise NumericalError(
            f"no step down to {self.length / _MOST_STEPS:.2g} m meets the tolerance {tolerance:g}: a shape function jumps at a place "
            "it does not declare (give its breaks), or turns too sharply for its length; give a number of steps or a larger tolerance"
        )

    def _no_hidden_jump(self, coarse: FloatArray, fine: FloatArray, tolerance: float, t: float) -> None:
        """Refuse functions that jump where they do not say so: their steps do not shrink with the grid's."""
        known = np.isin(fine[1:], self.breaks)
        steps = np.abs(np.diff(self.values(fine, t), axis=1)).max(axis=0)
        steps[known] = 0.0
        before = np.abs(np.diff(self.values(coarse, t), axis=1)).max(axis=0)
        before[np.isin(coarse[1:], self.breaks)] = 0.0
        k = int(np.argmax(steps))
        if steps[k] * (fine[k + 1] - fine[k]) * self.length <= tolerance or steps[k] < 0.8 * before.max():
            return
        low, high = fine[k], fine[k + 1]
        for _ in range(60):
            middle = 0.5 * (low + high)
            a, b, c = (self.values(np.array([x]), t)[:, 0] for x in (low, middle, high))
            low, high = (low, middle) if np.abs(b - a).max() > np.abs(c - b).max() else (middle, high)
        raise NumericalError(
            f"a shape function jumps at s = {high:.9g} m without saying so; declare it (Given(..., breaks=[...]) or Steps)"
        )


@door
def self_distance(curve: Curve, apart: float = 0.05) -> tuple[float, float, float]:
    """Least distance between parts of a curve that are `apart` (of its length) apart along it, and where: (d, s1, s2).

    The closing of a closed curve does not count: its two ends may meet.
    """
    from scipy.spatial import cKDTree

    length = curve.shape.length
    s = np.linspace(0.0, length, 2001)
    place = np.stack([np.interp(s, curve.s, curve.position[:, k]) for k in range(3)], axis=1)
    closed = bool(np.linalg.norm(place[0] - place[-1]) < 1e-6 * length)
    pairs = cKDTree(place).query_pairs(3.0 * length / 2000, output_type="ndarray")
    if not len(pairs) or not _far(s, pairs, apart, closed).any():
        every = np.arange(0, 2001, 5)
        pairs = np.stack(np.meshgrid(every, every), axis=-1).reshape(-1, 2)
    pairs = pairs[_far(s, pairs, apart, closed)]
    if not len(pairs):
        return np.inf, 0.0, 0.0
    pairs = np.minimum(pairs, 1999)
    distance = _between(place[pairs[:, 0]], place[pairs[:, 0] + 1], place[pairs[:, 1]], place[pairs[:, 1] + 1])
    i, j = pairs[int(np.argmin(distance))]
    return float(distance.min()), float(min(s[i], s[j])), float(max(s[i], s[j]))


def _far(s: FloatArray, pairs: Any, apart: float, closed: bool) -> Any:
    """Which pairs of places are far enough apart along the curve."""
    along = np.abs(s[pairs[:, 0]] - s[pairs[:, 1]])
    return (along >= apart * s[-1]) & ((along <= (1.0 - apart) * s[-1]) | (not closed))


def _between(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray) -> FloatArray:
    """Distances between segments ab and cd."""
    u, v, w = b - a, d - c, a - c
    uu, uv, vv = (np.sum(x * y, axis=1) for x, y in ((u, u), (u, v), (v, v)))
    uw, vw = np.sum(u * w, axis=1), np.sum(v * w, axis=1)
    slope = uu * vv - uv * uv
    x = np.clip(np.where(slope > 1e-30, (uv * vw - vv * uw) / np.where(slope > 1e-30, slope, 1.0), 0.0), 0.0, 1.0)
    y = np.clip((uv * x + vw) / vv, 0.0, 1.0)
    x = np.clip((uv * y - uw) / uu, 0.0, 1.0)
    return np.linalg.norm(w + x[:, None] * u - y[:, None] * v, axis=1)


@door(steps=Whole(low=1, high=_MOST_STEPS), threads=Whole(low=1, high=1024))
def trace_many(
    shapes: Sequence[Shape], steps: int = 200, *, order: int = 4, t: float = 0.0, threads: int = 2
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Trace many shapes of one length at once, on threads: s (n + 1,), positions (m, n + 1, 3), quaternions (m, n + 1, 4)."""
    if not shapes:
        raise InputError("no shapes to trace")
    if order not in (2, 4):
        raise InputError(f"order must be 2 or 4, got {order}")
    lengths = {shape.length for shape in shapes}
    if len(lengths) > 1 or any(shape.breaks.size for shape in shapes):
        raise InputError("shapes traced at once must have the same length and no jumps; trace them one by one")
    s = np.linspace(0.0, lengths.pop(), steps + 1)
    samples = np.stack([shape.sampled(s[:-1], np.diff(s), order, t) for shape in shapes])
    poses = np.stack([shape.start.vector for shape in shapes])
    return s, *march_batch(s, samples, poses, order=order, threads=threads)


def march_batch(
    s: FloatArray, samples: FloatArray, poses: FloatArray, *, order: int = 4, threads: int = 2
) -> tuple[FloatArray, FloatArray]:
    """Integrate a batch of sampled shape functions (m, 3, n, points) from poses (m, 7): positions, quaternions."""
    h, count = np.diff(s), samples.shape[0]
    out = np.empty((count, s.size, 7))
    samples = np.ascontiguousarray(samples).reshape(-1, *samples.shape[2:])
    bounds = np.linspace(0, count, threads + 1).astype(int)
    with ThreadPoolExecutor(threads) as pool:
        jobs = [
            pool.submit(march_many, order, h, samples, poses, out, a, b)
            for a, b in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
        ]
        for job in jobs:
            job.result()
    return out[..., :3], out[..., 3:]


@door
def planar(kappa: Any, length: float, name: str = "planar", start: Pose | None = None) -> Shape:
    """A planar shape: yaw curvature only."""
    return Shape(Constant(0.0), Constant(0.0), function(kappa), length, start or Pose(), name)


@door
def frenet(kappa: Any, tau: Any, length: float, name: str = "frenet", start: Pose | None = None) -> Shape:
    """A Frenet-Serret shape: curvature and torsion."""
    return Shape(function(tau), Constant(0.0), function(kappa), length, start or Pose(), name)


@door
def bellows(kappa_a: Any, kappa_b: Any, length: float, name: str = "bellows", start: Pose | None = None) -> Shape:
    """A bellows shape: pitch and yaw curvature, no twist."""
    return Shape(Constant(0.0), function(kappa_a), function(kappa_b), length, start or Pose(), name)
