"""Named shapes: parameters in, `Shape` out. Lengths in m, angles in rad (keys that end in _deg: degrees).

`NAMED` lists them for the command line; every parameter has a default that looks well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from serpenoid.core import per_item
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.shapes.convert import from_points, roll, to_bellows
from serpenoid.shapes.functions import Function, Sine, Steps, function
from serpenoid.shapes.shape import Pose, Shape, bellows, frenet, planar


def _positive(name: str, value: float) -> float:
    return float(per_item(name, value, 1, 0.0, strict=True)[0])


def line(length: float = 1.0) -> Shape:
    """A straight line."""
    return planar(0.0, _positive("length", length), "line")


def arc(curvature: float = 1.0, length: float = 1.0) -> Shape:
    """An arc of a circle: curvature in 1/m."""
    return planar(float(curvature), _positive("length", length), "arc")


def circle(radius: float = 0.5) -> Shape:
    """A full circle."""
    return planar(1.0 / _positive("radius", radius), 2.0 * np.pi * float(radius), "circle")


def helix(curvature: float = 2.0, torsion: float = 0.7, length: float = 5.0) -> Shape:
    """A helix: constant curvature and torsion, 1/m."""
    return frenet(float(curvature), float(torsion), _positive("length", length), "helix")


def serpenoid(winding_angle_deg: float = 45.0, waves: float = 2.0, length: float = 1.6, s: float = 0.0) -> Shape:
    """The serpenoid curve of Hirose, equation (7) of Ma, Li and Wang: it meanders about its start's mean axis."""
    k = 2.0 * np.pi * _positive("waves", waves) / _positive("length", length)
    return planar(Sine(-k * np.radians(winding_angle_deg), k, k * s), float(length), "serpenoid")


def serpenoid3d(
    yaw_deg: float = 40.0, yaw_waves: float = 2.0, pitch_deg: float = 15.0, pitch_waves: float = 4.0,
    phase_deg: float = 90.0, length: float = 2.0,
) -> Shape:  # fmt: skip
    """Yaw and pitch waves of their own amplitude and length: a bellows shape."""
    size = _positive("length", length)
    k, m = (
        2.0 * np.pi * _positive("yaw_waves", yaw_waves) / size,
        2.0 * np.pi * _positive("pitch_waves", pitch_waves) / size,
    )
    return bellows(
        Sine(m * np.radians(pitch_deg), m, np.radians(phase_deg)),
        Sine(-k * np.radians(yaw_deg), k),
        size,
        "serpenoid3d",
    )


def sidewinding(
    yaw_deg: float = 50.0, pitch_deg: float = 12.0, waves: float = 1.5, phase_deg: float = 90.0, length: float = 2.0,
    frequency: float = 0.0,
) -> Shape:  # fmt: skip
    """The sidewinding curve: yaw and pitch waves of one length, out of phase; `frequency` (rad/s) sends them along."""
    size = _positive("length", length)
    k = 2.0 * np.pi * _positive("waves", waves) / size
    return bellows(
        Sine(k * np.radians(pitch_deg), k, np.radians(phase_deg), frequency),
        Sine(k * np.radians(yaw_deg), k, 0.0, frequency),
        size,
        "sidewinding",
    )


def rolling_arc(curvature: float = 1.5, roll_deg: float = 30.0, length: float = 1.5) -> Shape:
    """An arc whose body is rolled: the posture of lateral rolling."""
    return roll(arc(curvature, length), float(np.radians(roll_deg))).but(name="rolling-arc", start=Pose())


def rolling_helix(curvature: float = 2.0, torsion: float = 0.7, roll_deg: float = 30.0, length: float = 5.0) -> Shape:
    """A helix drawn by a bellows whose body is rolled."""
    base = to_bellows(helix(curvature, torsion, length))
    return roll(base, float(np.radians(roll_deg))).but(name="rolling-helix", start=Pose())


def branch(radius: float = 0.12, pitch: float = 0.25, turns: float = 2.5, ends: float = 0.25) -> Shape:
    """A snake wound round a branch (Fig. 7): a bellows helix between straight ends, by steps of curvature and torsion."""
    r, p = _positive("radius", radius), _positive("pitch", pitch) / (2.0 * np.pi)
    square = r * r + p * p
    wound = 2.0 * np.pi * _positive("turns", turns) * np.sqrt(square)
    edges = [_positive("ends", ends), float(ends) + wound]
    shape = frenet(Steps(edges, [0.0, r / square, 0.0]), Steps(edges, [0.0, p / square, 0.0]), edges[1] + float(ends))
    return to_bellows(shape).but(name="branch")


SPLINE = ((0.0, 0.0, 0.0), (0.4, 0.1, 0.05), (0.7, 0.45, 0.2), (1.0, 0.3, 0.4), (1.4, 0.0, 0.3), (1.8, 0.2, 0.0))


def spline(points: Sequence[Sequence[float]] = SPLINE) -> Shape:
    """A cubic spline through points, as a bellows shape by its rotation-minimising frame."""
    return from_points(points)


def backbone(
    azimuth: Any = None, elevation: Any = None, twist: Any = None, length: float = 1.5, t: float = 0.0
) -> Shape:  # fmt: skip
    """Chirikjian's backbone: K(s), T(s) direct the tangent, R(s) rolls about it (equation (1) and its induced frame), from time t.

    The tangent is (cos T sin K, cos T cos K, sin T); the induced frame is Rz(-K) Rx(T), rolled by R about the tangent. In our frame
    (e1 the tangent, ea left, eb up): tau = R' - K' sin T, kappa_a = -(T' cos R + K' cos T sin R), kappa_b = T' sin R - K' cos T cos R.
    """
    size = _positive("length", length)
    wave = 2.0 * np.pi / size
    K = function(Sine(0.8, wave) if azimuth is None else azimuth)
    T = function(Sine(0.4, 0.5 * wave) if elevation is None else elevation)
    R = function(0.0 if twist is None else twist)
    if any(f.breaks for f in (K, T, R)):
        raise InputError("azimuth, elevation and twist of a backbone must not jump: a corner is no shape of a body")
    at0 = [float(f(0.0, t)) for f in (K, T, R)]
    return Shape(_Rate(K, T, R, 0), _Rate(K, T, R, 1), _Rate(K, T, R, 2), size, Pose(frame=_induced(*at0)), "backbone")


def _induced(k: float, t: float, r: float) -> Any:
    """Frame (columns e1, ea, eb) of Rz(-K) Rx(T) Ry(R), whose y axis is the tangent."""
    ck, sk, ct, st, cr, sr = np.cos(k), np.sin(k), np.cos(t), np.sin(t), np.cos(r), np.sin(r)
    Q = (
        np.array([[ck, sk, 0], [-sk, ck, 0], [0, 0, 1.0]])
        @ np.array([[1.0, 0, 0], [0, ct, -st], [0, st, ct]])
        @ np.array([[cr, 0, sr], [0, 1.0, 0], [-sr, 0, cr]])
    )
    return np.stack([Q[:, 1], -Q[:, 0], Q[:, 2]], axis=1)


class _Rate(Function):
    """One of tau, kappa_a, kappa_b of Chirikjian's backbone."""

    def __init__(self, K: Function, T: Function, R: Function, which: int) -> None:
        self.K, self.T, self.R, self.which = K, T, R, which
        self.breaks = tuple(sorted({*K.breaks, *T.breaks, *R.breaks}))

    def value(self, s: Any, t: float) -> Any:
        dk, dt = self.K.slope(s, t), self.T.slope(s, t)
        tilt, turn = self.T.value(s, t), self.R.value(s, t)
        if self.which == 0:
            return self.R.slope(s, t) - dk * np.sin(tilt)
        if self.which == 1:
            return -(dt * np.cos(turn) + dk * np.cos(tilt) * np.sin(turn))
        return dt * np.sin(turn) - dk * np.cos(tilt) * np.cos(turn)


NAMED: dict[str, Callable[..., Shape]] = {
    "line": line, "arc": arc, "circle": circle, "helix": helix, "serpenoid": serpenoid, "serpenoid3d": serpenoid3d,
    "sidewinding": sidewinding, "rolling-arc": rolling_arc, "rolling-helix": rolling_helix, "branch": branch,
    "spline": spline, "backbone": backbone,
}  # fmt: skip


@door
def named(name: str, **parameters: Any) -> Shape:
    """A named shape with some parameters changed; unknown names and parameters are refused with what there is."""
    from inspect import signature

    if name not in NAMED:
        raise InputError(f"no shape {name!r}; allowed are {', '.join(NAMED)}")
    allowed = signature(NAMED[name]).parameters
    unknown = [key for key in parameters if key not in allowed]
    if unknown:
        raise InputError(f"shape {name} has no parameter {unknown[0]!r}; allowed are {', '.join(allowed)}")
    try:
        return NAMED[name](**parameters)
    except TypeError as error:
        raise InputError(f"shape {name}: a parameter has the wrong type: {error}") from error
