"""Conversions between the models; the backbone stays the same, the frame turns about the tangent.

Two dorsal curves P and Q with the same backbone, e_Pa = cos phi e_Qa - sin phi e_Qb, e_Pb = sin phi e_Qa + cos phi e_Qb, have

    kappa_Qa =  cos phi kappa_Pa + sin phi kappa_Pb                                                  (29)
    kappa_Qb = -sin phi kappa_Pa + cos phi kappa_Pb
    tau_Q    = tau_P + phi'                                                                          (31)

Everything here is that one re-rolling with a phi: constant (lateral rolling), - integral of tau (any shape to bellows; (17), (18), (13) for
Frenet-Serret), the direction of bending (bellows to Frenet-Serret; (19), (20)), or what keeps the back up (`level`).

At zero curvature the direction of bending is undefined. The signed curvature lets the Frenet frame pass a zero where the direction's *line*
goes on differentiably (a plane S-curve, or kappa_a = s^2, kappa_b = s); where it does not, torsion is infinite and the conversion refuses, with
the place. A stretch of zero curvature keeps the frame untwisted if both its ends agree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.core import FloatArray
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Number, Whole
from serpenoid.core.theirs import theirs
from serpenoid.shapes.functions import Constant, Function, Integral, Samples, Sine, Sum, Turned, function
from serpenoid.shapes.shape import Pose, Shape

_LOOK = 4001  # places at which the direction of bending is followed
_SMALL = 1e-9  # of the largest curvature: below it the direction of bending is not used


@door
def reroll(shape: Shape, phi: Any, t: float = 0.0) -> Shape:
    """The shape Q of the same backbone whose frame is turned against that of `shape` (P) by phi(s): (29), (31).

    A phi that depends on time gives the start pose of time t.
    """
    turn = function(phi)
    tau = shape.tau if isinstance(turn, Constant) else Sum(shape.tau, _Slope(turn))
    return shape.but(
        tau=tau,
        kappa_a=Turned(shape.kappa_a, shape.kappa_b, turn, "a"),
        kappa_b=Turned(shape.kappa_a, shape.kappa_b, turn, "b"),
        start=shape.start.rolled(float(turn(0.0, t))),
    )


class _Slope(Function):
    """Derivative of a function as a function."""

    def __init__(self, part: Function) -> None:
        self.part, self.breaks = part, part.breaks

    def value(self, s: FloatArray, t: float) -> FloatArray:
        return self.part.slope(s, t)

    def area(self, s: FloatArray, t: float) -> FloatArray:
        return self.part.value(s, t) - self.part.value(np.asarray(0.0), t)


@door
def roll(shape: Shape, angle: float, t: float = 0.0) -> Shape:
    """Lateral rolling: the same backbone, the frame turned about the tangent by `angle` (rad, right-handed) everywhere."""
    found = shape.model(t=t).name
    if found not in ("bellows", "planar"):
        raise InputError(
            f"lateral rolling is an operation on bellows shapes; this one is {found}: convert it first (to_bellows)"
        )
    return reroll(shape, Constant(float(angle)))


@door
def to_bellows(shape: Shape, phi0: float = 0.0, t: float = 0.0) -> Shape:
    """The bellows shape of the same backbone; at s = 0 its frame is turned by -phi0 against the given one (13)."""
    if shape.tau.zero and phi0 == 0.0:
        return shape
    if isinstance(shape.tau, Constant) and shape.kappa_a.zero and isinstance(shape.kappa_b, Constant):
        # a helix: the turned curvatures are sines
        k, twist, phase = shape.kappa_b.level, shape.tau.level, float(phi0)
        return shape.but(
            tau=Constant(0.0), kappa_a=Sine(-k, twist, phase), kappa_b=Sine(k, twist, phase + 0.5 * np.pi),
            start=shape.start.rolled(-phase),
        )  # fmt: skip
    turned = reroll(shape, Integral(-1.0 * shape.tau, -float(phi0)) if not shape.tau.zero else Constant(-float(phi0)))
    return turned.but(tau=Constant(0.0))


@door
def posture_lost(shape: Shape, t: float = 0.0, length: float | None = None) -> float:
    """Largest angle (rad) between the frame of a shape and that of its bellows: what joints without roll cannot show."""
    s = np.linspace(0.0, length or shape.length, 1001)
    return float(np.abs(shape.tau.area(s, t)).max())


@door
def to_frenet(shape: Shape, t: float = 0.0) -> Shape:
    """The Frenet-Serret shape of the same backbone at time t, with signed curvature; refused where torsion is infinite."""
    if shape.kappa_a.zero:
        return shape  # it is one
    base = to_bellows(shape)
    turned = reroll(base, BendDirection(base, t), t)
    found = turned.but(kappa_a=Constant(0.0))
    if all(not _parted(base, found, steps, t) <= 1e-7 * shape.length for steps in (2000, 32_000)):
        raise InputError(
            "no Frenet-Serret shape: its backbone would leave the curve; the direction of bending jumps or turns too sharply "
            "somewhere. Stay with the bellows model"
        )
    return found


def _parted(one: Shape, other: Shape, steps: int, t: float) -> float:
    """Largest distance between two backbones."""
    return float(np.abs(one.trace(steps, t=t).position - other.trace(steps, t=t).position).max())


class BendDirection(Function):
    """phi(s) = direction of (kappa_b, -kappa_a) as a line, continuous through zeros of the curvature: (19). For one time t."""

    def __init__(self, shape: Shape, t: float = 0.0) -> None:
        self.a, self.b, self.breaks, self.time = shape.kappa_a, shape.kappa_b, tuple(shape.breaks), t
        self.length = shape.length
        s = np.unique(np.concatenate([np.linspace(0.0, shape.length, _LOOK), *self._beside_breaks()]))
        size = self._size(s)
        self.scale = float(size.max())
        sound = size > _SMALL * self.scale if self.scale > 0.0 else np.zeros(s.size, dtype=bool)
        self._gaps = np.zeros((0, 2))
        if not sound.any():
            self._s, self._angle = s[[0, -1]], np.zeros(2)
            return
        s, sound = self._with_edges(s, sound)
        self._s = s[sound]
        line = 0.5 * np.unwrap(2.0 * np.arctan2(-self.a(self._s, t), self.b(self._s, t)))
        # of the two ends of the line the one on which the curvature begins not negative
        first = float(np.arctan2(-self.a(self._s[:1], t)[0], self.b(self._s[:1], t)[0]))
        self._angle = line - np.pi * np.round((line[0] - first) / np.pi)
        self._check()

    def _beside_breaks(self) -> list[FloatArray]:
        """Places just before and just after every jump."""
        hair = 1e-12 * self.length
        return [np.array([x - hair, x + hair]) for x in self.breaks]

    def _size(self, s: FloatArray) -> FloatArray:
        return np.hypot(self.a(s, self.time), self.b(s, self.time))

    def _with_edges(self, s: FloatArray, sound: Any) -> tuple[FloatArray, Any]:
        """Add the places, by bisection, where the curvature begins and ends to vanish; keep the gaps between them."""
        extra = []
        for k in np.flatnonzero(sound[1:] != sound[:-1]):
            low, high = (s[k], s[k + 1]) if sound[k] else (s[k + 1], s[k])  # low is sound
            for _ in range(60):
                middle = 0.5 * (low + high)
                if self._size(np.array([middle]))[0] > _SMALL * self.scale:
                    low = middle
                else:
                    high = middle
            extra.append(low)
        places = np.concatenate([s, extra])
        flags = np.concatenate([sound, np.ones(len(extra), dtype=bool)])
        order = np.argsort(places, kind="stable")
        places, flags = places[order], flags[order]
        inside = places[flags]
        hollow = [(a, b) for a, b in zip(inside[:-1], inside[1:], strict=True) if not self._bends(a, b)]
        self._gaps = np.array(hollow).reshape(-1, 2)
        return places, flags

    def _bends(self, a: float, b: float) -> bool:
        return bool(self._size(np.array([0.5 * (a + b)]))[0] > _SMALL * self.scale)

    def _check(self) -> None:
        """Refuse where the line jumps: across a break, a zero or a straight stretch, or faster than it can be followed."""
        turn, width = np.abs(np.diff(self._angle)), np.diff(self._s)
        narrow = width < 1e-9 * self.length
        gap = np.isin(self._s[:-1], self._gaps[:, 0])
        bad = (turn > 0.6) | (narrow & (turn > 1e-6)) | (gap & (turn > 1e-6 + width * self._rate()))
        if bad.any():
            k = int(np.argmax(bad))
            raise InputError(
                f"no Frenet-Serret shape: at s = {0.5 * (self._s[k] + self._s[k + 1]):.6g} m the direction of bending jumps "
                "(the torsion would be infinite), or turns too fast to follow; stay with the bellows model"
            )

    def _rate(self) -> float:
        """A generous bound on how fast the direction turns beside a gap that is a mere point, rad/m."""
        turn, width = np.abs(np.diff(self._angle)), np.diff(self._s)
        usual = width > 1e-6 * self.length
        return (
            4.0 * float((turn[usual] / width[usual]).max()) if usual.any() and width.max() < 0.01 * self.length else 0.0
        )

    def _now(self, t: float) -> None:
        if t != self.time:
            raise InputError(f"this shape was converted for t = {self.time:g} s; convert it anew for t = {t:g} s")

    def value(self, s: FloatArray, t: float) -> FloatArray:
        """The exact direction, on the branch of the followed line; the line itself where the curvature vanishes."""
        self._now(t)
        a, b, near = self.a.value(s, t), self.b.value(s, t), np.interp(s, self._s, self._angle)
        exact = np.arctan2(-a, b)
        exact = exact - np.pi * np.round((exact - near) / np.pi)
        return np.where(np.hypot(a, b) > _SMALL * self.scale, exact, near)

    def slope(self, s: FloatArray, t: float) -> FloatArray:
        """Torsion (20); beside a zero of the curvature the turn of the direction across it; none along a straight stretch."""
        self._now(t)
        s = np.asarray(s, dtype=float)
        a, b = self.a.value(s, t), self.b.value(s, t)
        square = a * a + b * b
        fine = square > (1e-6 * self.scale) ** 2
        exact = (self.b.slope(s, t) * a - self.a.slope(s, t) * b) / np.where(fine, square, 1.0)
        if np.all(fine):
            return exact
        h = 1e-3 * self.length
        low, high = np.clip(s - h, 0.0, self.length), np.clip(s + h, 0.0, self.length)
        across = (self.value(high, t) - self.value(low, t)) / (high - low)
        straight = np.zeros(s.shape, dtype=bool)
        ends = [(0.0, self._s[0]), *self._gaps, (self._s[-1], self.length)]
        for first, last in ends:
            if last - first > 1e-6 * self.length:
                straight |= (s >= first) & (s <= last)
        return np.where(fine, exact, np.where(straight, 0.0, across))


@door(tolerance=Number(low=0.0, high=1.0))
def zero_curvature(shape: Shape, tolerance: float = 1e-6, t: float = 0.0) -> list[tuple[float, float]]:
    """Stretches of s (first, last) where the curvature is below tolerance times its largest value."""
    s = np.linspace(0.0, shape.length, _LOOK)
    _, a, b = shape.values(s, t)
    size = np.hypot(a, b)
    low = size <= tolerance * size.max()
    # sign changes between places count too: the line through zero
    dot = a[1:] * a[:-1] + b[1:] * b[:-1]
    low[1:] |= dot < 0.0
    edges = np.flatnonzero(np.diff(np.concatenate([[False], low, [False]]).astype(int)))
    return [(float(s[i]), float(s[j - 1])) for i, j in zip(edges[::2], edges[1::2], strict=True)]


@door
def level(shape: Shape, t: float = 0.0) -> Shape:
    """Re-roll so that the back eb is as near to up as the backbone allows: wheels to the ground (section IV-C)."""
    rough = shape.trace(t=t)
    curve = shape.trace(max(400, 2 * rough.s.size), t=t)
    frame = curve.frame
    up_a, up_b = frame[:, 2, 1], frame[:, 2, 2]
    steep = np.hypot(up_a, up_b)
    angle = np.unwrap(np.arctan2(-up_a, up_b))
    jump = np.concatenate([[0.0], np.abs(np.diff(angle))])
    bad = (steep < 1e-3) | (jump > 0.5)
    if bad.any():
        raise InputError(
            f"cannot level: at s = {curve.s[int(np.argmax(bad))]:.6g} m the backbone is vertical and no side of it is up"
        )
    return reroll(shape, Samples(curve.s, angle), t)


@door
def from_points(points: ArrayLike, name: str = "spline") -> Shape:
    """Bellows shape of the cubic spline through points (n, 3), by a rotation-minimising frame; starts with the back up."""
    from scipy.interpolate import CubicSpline

    try:
        place = np.asarray(points, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"a spline needs points of 3 numbers each: {error}") from error
    if place.ndim != 2 or place.shape[1] != 3 or place.shape[0] < 4:
        raise InputError(f"a spline needs at least 4 points of 3 numbers, got shape {place.shape}")
    if not np.isfinite(place).all() or np.abs(place).max() > 1e9:
        raise InputError("the points of a spline must be finite and at most 1e9 m away")
    chords = np.linalg.norm(np.diff(place, axis=0), axis=1)
    if chords.min() <= 1e-12 * max(float(chords.max()), 1e-300):
        raise InputError(f"points {int(np.argmin(chords))} and {int(np.argmin(chords)) + 1} of the spline coincide")
    knots = np.concatenate([[0.0], np.cumsum(chords)])
    return from_curve(CubicSpline(knots, place), knots[-1], name=name, samples=max(801, 16 * len(place)))


@door(samples=Whole(low=8, high=1_000_000), end=Number(above=0.0, high=1e6))
def from_curve(curve: Callable[[Any], Any], end: float, name: str = "curve", samples: int = 801) -> Shape:
    """Bellows shape of any curve u -> points (n, 3), u from 0 to `end` (not arc length), by a rotation-minimising frame.

    The shape is traced and compared with the curve; samples are doubled until it follows it to 1e-6 of its length.
    """
    error, worst = np.inf, 0.0
    for count in (samples, 2 * samples, 4 * samples, 8 * samples):
        shape, path = _bellows_along(curve, end, name, count)
        s = np.linspace(0.0, shape.length, count)
        off = np.linalg.norm(
            shape.trace(2 * count).at(s[:: max(1, count // 400)]).position - path[:: max(1, count // 400)], axis=1
        )
        error, worst = float(off.max()), float(s[:: max(1, count // 400)][int(np.argmax(off))])
        if error <= 1e-6 * shape.length:
            return shape
    raise InputError(
        f"the curve is too rough for a body: near s = {worst:.4g} m the shape leaves it by {error:.2g} m (a corner, a cusp, or noise)"
    )


def _bellows_along(curve: Any, end: float, name: str, samples: int) -> tuple[Shape, FloatArray]:
    """Bellows shape from `samples` places of a curve, and the curve at those arc lengths."""
    from scipy.interpolate import make_interp_spline

    u = np.linspace(0.0, end, 8 * samples + 1)
    with theirs("the curve", curve):
        points = curve(u)
    try:
        path = np.asarray(points, dtype=float)
    except (TypeError, ValueError):
        path = np.zeros(0)
    if path.shape != (u.size, 3) or not np.isfinite(path).all():
        raise InputError("a curve must give finite points (n, 3) for an array of n parameters")
    fine = make_interp_spline(u, path, k=5)
    speed = np.linalg.norm(fine.derivative()(u), axis=1)
    if speed.min() <= 1e-6 * speed.max():
        raise InputError(
            f"the curve stands still at u = {u[int(np.argmin(speed))]:.6g}: its tangent is undefined there"
        )
    arc = make_interp_spline(u, speed, k=5).antiderivative()
    length = float(arc(end) - arc(0.0))
    by_arc = make_interp_spline(arc(u) - arc(0.0), u, k=5)
    s = np.linspace(0.0, length, samples)
    at = by_arc(s)
    first, second = fine.derivative()(at), fine.derivative(2)(at)
    size = np.linalg.norm(first, axis=1, keepdims=True)
    tangent = first / size
    bend = second / size**2 - tangent * np.sum(tangent * second, axis=1, keepdims=True) / size**2
    normal = rotation_minimising(fine(at), tangent)
    other = np.cross(tangent, normal)
    kappa_b, kappa_a = np.sum(bend * normal, axis=1), -np.sum(bend * other, axis=1)
    start = Pose(fine(at[0]), np.stack([tangent[0], normal[0], other[0]], axis=1))
    return Shape(Constant(0.0), Samples(s, kappa_a), Samples(s, kappa_b), length, start, name), fine(at)


def rotation_minimising(position: FloatArray, tangent: FloatArray) -> FloatArray:
    """Normals (n, 3) along a curve that do not turn about its tangent: double reflection (Wang et al. 2008), order 4."""
    up = np.array([0.0, 0.0, 1.0]) if abs(tangent[0, 2]) < 0.9 else np.array([0.0, 1.0, 0.0])
    side = np.cross(up, tangent[0])
    normals = np.empty_like(position)
    normals[0] = side / np.linalg.norm(side)
    for i in range(len(position) - 1):
        chord = position[i + 1] - position[i]
        c = chord @ chord
        r = normals[i] - 2.0 / c * (chord @ normals[i]) * chord
        t = tangent[i] - 2.0 / c * (chord @ tangent[i]) * chord
        kink = tangent[i + 1] - t
        size = kink @ kink
        normals[i + 1] = r - 2.0 / size * (kink @ r) * kink if size > 0.0 else r
    return normals
