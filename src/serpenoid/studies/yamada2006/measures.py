"""How curves are compared: independent of the integrator wherever that is possible.

`equations` integrates (2) and (3) literally, component by component, with SciPy; `torsion_of` differentiates positions; `congruence` finds
the best rigid motion; `roll_between` reads the angle phi of Figs 5 and 9 from two frames.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.shapes import Curve, Pose, Shape

STEPS = 2000  # of a traced curve
TRACED = 1e-9  # m, rad: two ways to the same curve agree within this
LITERAL = 1e-8  # m: against SciPy's integration of the printed equations (rtol 1e-11)
DIFFERENCED = 1e-5  # relative: against differences of traced positions
APART = 0.1  # m, rad: what counts as another curve

Rates = Callable[[float], tuple[float, float, float]]

START = Pose(
    np.array([0.3, -0.2, 0.5]),
    np.array([[0.48, -0.8, 0.36], [0.6, 0.0, -0.8], [0.64, 0.6, 0.48]]),
)  # a pose with no symmetry


def apart(a: Curve | FloatArray, b: Curve | FloatArray) -> float:
    """Largest distance of points with the same arc length, m."""
    p, q = (x.position if isinstance(x, Curve) else x for x in (a, b))
    return float(np.linalg.norm(p - q, axis=1).max())


def roll_between(p: Curve, q: Curve) -> FloatArray:
    """phi(s) of (27), (28): e_Pa = cos phi e_Qa - sin phi e_Qb; unwrapped, rad."""
    pa, qa, qb = p.frame[..., 1], q.frame[..., 1], q.frame[..., 2]
    angle = np.arctan2(-np.sum(pa * qb, axis=1), np.sum(pa * qa, axis=1))
    return np.unwrap(angle)


def equations(rates: Rates, start: Pose, s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Positions (n, 3) and frames (n, 3, 3) by integrating (3) as printed; rates gives tau, kappa_a, kappa_b."""
    from scipy.integrate import solve_ivp

    def slope(x: float, y: FloatArray) -> FloatArray:
        tau, ka, kb = rates(x)
        e1, ea, eb = y[3:6], y[6:9], y[9:12]
        return np.concatenate([e1, kb * ea - ka * eb, -kb * e1 + tau * eb, ka * e1 - tau * ea])

    first = np.concatenate([start.position, start.frame.T.ravel()])
    found = solve_ivp(slope, (s[0], s[-1]), first, "DOP853", s, rtol=1e-11, atol=1e-12).y.T
    return found[:, :3], np.swapaxes(found[:, 3:].reshape(-1, 3, 3), 1, 2)


def rates_of(curve: Curve) -> FloatArray:
    """tau, kappa_a, kappa_b (3, n - 2) from frames by central differences: the parts of R' R^-1 along e1, ea, eb."""
    frame, h = curve.frame, curve.s[1] - curve.s[0]
    turn = np.swapaxes(frame[:-2], 1, 2) @ frame[2:]  # R(s - h)^T R(s + h)
    spin = 0.5 * (turn - np.swapaxes(turn, 1, 2))
    sine = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]])
    size = np.linalg.norm(sine, axis=0)
    return sine * np.where(size > 0.0, np.arcsin(size) / np.where(size > 0.0, size, 1.0), 1.0) / (2.0 * h)


def torsion_of(curve: Curve) -> tuple[FloatArray, FloatArray]:
    """Curvature and torsion of a curve from its positions alone, by a spline of degree 7: |c''|, det(c', c'', c''')/|c' x c''|^2."""
    from scipy.interpolate import make_interp_spline

    thin = slice(None, None, 8)
    spline = make_interp_spline(curve.s[thin], curve.position[thin], k=7)
    first, second, third = (spline.derivative(k)(curve.s) for k in (1, 2, 3))
    cross = np.cross(first, second)
    return np.linalg.norm(cross, axis=1), np.sum(cross * third, axis=1) / np.sum(cross**2, axis=1)


def congruence(p: FloatArray, q: FloatArray) -> float:
    """Largest distance that the best rigid motion (Kabsch) leaves between two point rows, m."""
    a, b = p - p.mean(axis=0), q - q.mean(axis=0)
    u, _, v = np.linalg.svd(a.T @ b)
    u[:, 2] *= np.sign(np.linalg.det(u @ v))
    return float(np.linalg.norm(a @ (u @ v) - b, axis=1).max())


def traced(shape: Shape, steps: int = STEPS) -> Curve:
    """The curve of a shape with the study's number of steps."""
    return shape.trace(steps)
