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

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.core import FloatArray
from serpenoid.errors import InputError
from serpenoid.shapes.functions import Constant, Function, Integral, Samples, Sine, Sum, Turned, function
from serpenoid.shapes.shape import Pose, Shape

_LOOK = 4001  # places at which the direction of bending is followed
_SMALL = 1e-9  # of the largest curvature: below it the direction of bending is not used
_SHARPEST = 1e4  # torsion over the largest curvature (or 1/length) above which it counts as infinite


def reroll(shape: Shape, phi: Any) -> Shape:
    """The shape Q of the same backbone whose frame is turned against that of `shape` (P) by phi(s): (29), (31)."""
    turn = function(phi)
    tau = shape.tau if isinstance(turn, Constant) else Sum(shape.tau, _Slope(turn))
    return shape.but(
        tau=tau,
        kappa_a=Turned(shape.kappa_a, shape.kappa_b, turn, "a"),
        kappa_b=Turned(shape.kappa_a, shape.kappa_b, turn, "b"),
        start=shape.start.rolled(float(turn(0.0))),
    )


class _Slope(Function):
    """Derivative of a function as a function."""

    def __init__(self, part: Function) -> None:
        self.part, self.breaks = part, part.breaks

    def value(self, s: FloatArray, t: float) -> FloatArray:
        return self.part.slope(s, t)

    def area(self, s: FloatArray, t: float) -> FloatArray:
        return self.part.value(s, t) - self.part.value(np.asarray(0.0), t)


def roll(shape: Shape, angle: float) -> Shape:
    """Lateral rolling: the same backbone, the frame turned about the tangent by `angle` (rad, right-handed) everywhere."""
    if shape.model().name not in ("bellows", "planar"):
        raise InputError(
            f"lateral rolling is an operation on bellows shapes; this one is {shape.model().name}: convert it first (to_bellows)"
        )
    return reroll(shape, Constant(float(angle)))


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


def posture_lost(shape: Shape, t: float = 0.0) -> float:
    """Largest angle (rad) between the frame of a shape and that of its bellows: what joints without roll cannot show."""
    s = np.linspace(0.0, shape.length, 1001)
    return float(np.abs(shape.tau.area(s, t)).max())


def to_frenet(shape: Shape, t: float = 0.0) -> Shape:
    """The Frenet-Serret shape of the same backbone, with signed curvature; refused where torsion is infinite."""
    base = to_bellows(shape)
    direction = BendDirection(base, t)
    turned = reroll(base, direction)
    return turned.but(kappa_a=Constant(0.0), kappa_b=turned.kappa_b)


class BendDirection(Function):
    """phi(s) = direction of (kappa_b, -kappa_a) as a line, continuous through zeros of the curvature: (19)."""

    def __init__(self, shape: Shape, t: float = 0.0) -> None:
        self.a, self.b, self.breaks = shape.kappa_a, shape.kappa_b, tuple(shape.breaks)
        s = np.linspace(0.0, shape.length, _LOOK)
        a, b = self.a(s, t), self.b(s, t)
        size = np.hypot(a, b)
        self.scale = float(size.max())
        sound = size > _SMALL * self.scale if self.scale > 0.0 else np.zeros(s.size, dtype=bool)
        if not sound.any():
            self._s, self._angle = s[[0, -1]], np.zeros(2)
            return
        line = 0.5 * np.unwrap(2.0 * np.arctan2(-a[sound], b[sound]))
        line -= np.pi * np.round((line[0] - np.arctan2(-a[sound][0], b[sound][0])) / np.pi)
        self._s, self._angle = s[sound], line
        self._check(shape)

    def _check(self, shape: Shape) -> None:
        turn = np.diff(self._angle) / np.diff(self._s)
        spacing = np.diff(self._s)
        limit = _SHARPEST * max(self.scale, 1.0 / shape.length)
        stretch = spacing > 1.5 * shape.length / (_LOOK - 1)
        bad = (
            (np.abs(turn) > limit)
            | (stretch & (np.abs(np.diff(self._angle)) > 0.05))
            | (np.abs(np.diff(self._angle)) > 0.6)
        )
        if bad.any():
            k = int(np.argmax(bad))
            raise InputError(
                f"no Frenet-Serret shape: at s = {0.5 * (self._s[k] + self._s[k + 1]):.6g} m the curvature vanishes while its "
                "direction turns, so the torsion is infinite there; stay with the bellows model"
            )

    def _near(self, s: FloatArray) -> FloatArray:
        return np.interp(s, self._s, self._angle)

    def value(self, s: FloatArray, t: float) -> FloatArray:
        """The exact direction, on the branch of the followed line; the line itself where the curvature vanishes."""
        a, b, near = self.a.value(s, t), self.b.value(s, t), self._near(np.asarray(s))
        exact = np.arctan2(-a, b)
        exact = exact - np.pi * np.round((exact - near) / np.pi)
        return np.where(np.hypot(a, b) > _SMALL * self.scale, exact, near)

    def slope(self, s: FloatArray, t: float) -> FloatArray:
        """Torsion (20); where the curvature vanishes, the turn of the direction across the zero."""
        a, b = self.a.value(s, t), self.b.value(s, t)
        square = a * a + b * b
        fine = square > (1e-6 * self.scale) ** 2
        exact = (self.b.slope(s, t) * a - self.a.slope(s, t) * b) / np.where(fine, square, 1.0)
        if np.all(fine):
            return exact
        h = 2e-3 * max(float(self._s[-1] - self._s[0]), 1e-12)
        ahead, behind = (self._beside(np.asarray(s) + d, t) for d in (h, -h))
        return np.where(fine, exact, (ahead - behind) / (2.0 * h))

    def _beside(self, s: FloatArray, t: float) -> FloatArray:
        return self.value(np.clip(s, self._s[0], self._s[-1]), t)


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


def level(shape: Shape, t: float = 0.0) -> Shape:
    """Re-roll so that the back eb is as near to up as the backbone allows: wheels to the ground (section IV-C)."""
    curve = shape.trace(max(400, 4 * int(np.ceil(shape.length))), t=t)
    frame = curve.frame
    up_a, up_b = frame[:, 2, 1], frame[:, 2, 2]
    steep = np.hypot(up_a, up_b)
    if steep.min() < 1e-3:
        raise InputError(
            f"cannot level: at s = {curve.s[int(np.argmin(steep))]:.6g} m the backbone is vertical and no side of it is up"
        )
    angle = np.unwrap(np.arctan2(-up_a, up_b))
    return reroll(shape, Samples(curve.s, angle))


def from_points(points: ArrayLike, name: str = "spline", samples: int = 801) -> Shape:
    """Bellows shape of the cubic spline through points (n, 3), by a rotation-minimising frame; starts with the back up."""
    from scipy.interpolate import CubicSpline

    place = np.asarray(points, dtype=float)
    if place.ndim != 2 or place.shape[1] != 3 or place.shape[0] < 4:
        raise InputError(f"a spline needs at least 4 points of 3 numbers, got shape {place.shape}")
    if not np.isfinite(place).all():
        raise InputError("the points of a spline must be finite")
    chords = np.linalg.norm(np.diff(place, axis=0), axis=1)
    if chords.min() <= 1e-12 * max(float(chords.max()), 1e-300):
        raise InputError(f"points {int(np.argmin(chords))} and {int(np.argmin(chords)) + 1} of the spline coincide")
    knots = np.concatenate([[0.0], np.cumsum(chords)])
    spline = CubicSpline(knots, place)
    return from_curve(spline, knots[-1], name=name, samples=samples)


def from_curve(curve: Any, end: float, name: str = "curve", samples: int = 801) -> Shape:
    """Bellows shape of any curve u -> points (n, 3), u from 0 to `end` (not arc length), by a rotation-minimising frame."""
    if not (np.isfinite(end) and end > 0.0):
        raise InputError(f"the end of a curve must be finite and > 0, got {end}")
    u = np.linspace(0.0, end, 8 * samples + 1)
    path = np.asarray(curve(u), dtype=float)
    if path.shape != (u.size, 3) or not np.isfinite(path).all():
        raise InputError("a curve must give finite points (n, 3) for n parameters")
    from scipy.interpolate import make_interp_spline

    fine = make_interp_spline(u, path, k=5)
    speed = np.linalg.norm(fine.derivative()(u), axis=1)
    if speed.min() <= 1e-9 * speed.max():
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
    return Shape(Constant(0.0), Samples(s, kappa_a), Samples(s, kappa_b), length, start, name)


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
