"""Rotations and poses: all of SO(2), SO(3) and SE(3), and a sine and cosine that vectorise.

Rotation matrices have the axes of the turned frame as columns. Quaternions are (w, x, y, z), unit, w = cos(angle / 2). A pose is a
matrix (4, 4). A screw or twist is (angular, linear). Exponentials of a rotation vector r with angle t = |r|:

    R = 1 + sin(t)/t [r] + (1 - cos t)/t^2 [r]^2,       p = (1 + (1 - cos t)/t^2 [r] + (t - sin t)/t^3 [r]^2) v

with series for small t. Functions under `njit` take and return plain numbers; the others take arrays.

`sincos` fills cosines and sines of a row of angles: reduction to |y| <= pi/4 by three parts of pi/2
(Cody and Waite), then the polynomials of fdlibm. It has no branches and no integers, so that the compiler turns
it into vector instructions; it is good to 2 units in the last place for |angle| < 1e5 rad.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from serpenoid.compiled import exact, njit

_PIO2_1 = 1.57079632673412561417e00
_PIO2_2 = 6.07710050630396597660e-11
_PIO2_3 = 2.02226624879595063154e-21
_TWO_OVER_PI = 6.36619772367581382433e-01
_ROUND = 6755399441055744.0  # 1.5 * 2^52: adding and taking it off rounds to a whole number, on any processor


@exact
def sincos1(angle: float) -> tuple[float, float]:
    """Cosine and sine of one angle."""
    k = (angle * _TWO_OVER_PI + _ROUND) - _ROUND
    y = ((angle - k * _PIO2_1) - k * _PIO2_2) - k * _PIO2_3
    z = y * y
    sine = y + y * z * (
        -1.66666666666666324348e-01
        + z
        * (
            8.33333333332248946124e-03
            + z
            * (
                -1.98412698298579493134e-04
                + z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))
            )
        )
    )
    cosine = (
        1.0
        - 0.5 * z
        + z
        * z
        * (
            4.16666666666666019037e-02
            + z
            * (
                -1.38888888888741095749e-03
                + z
                * (
                    2.48015872894767294178e-05
                    + z
                    * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11))
                )
            )
        )
    )
    half = ((0.5 * k - 0.25) + _ROUND) - _ROUND
    odd = k - 2.0 * half
    upper = half - 2.0 * (((0.5 * half - 0.25) + _ROUND) - _ROUND)
    swapped_sine = odd * cosine + (1.0 - odd) * sine
    swapped_cosine = odd * sine + (1.0 - odd) * cosine
    flip = odd + upper - 2.0 * odd * upper
    return swapped_cosine * (1.0 - 2.0 * flip), swapped_sine * (1.0 - 2.0 * upper)


@exact
def sincos(rows, angle, cosine, sine):
    """Fill the rows `cosine` and `sine` of a two-dimensional array from its row `angle`."""
    for i in range(rows.shape[1]):
        rows[cosine, i], rows[sine, i] = sincos1(rows[angle, i])


@njit
def turned(x: float, y: float, c: float, s: float) -> tuple[float, float]:
    """Rotate (x, y) by the angle with cosine c and sine s."""
    return c * x - s * y, s * x + c * y


_SERIES = 1e-2  # rad: below it the coefficients of the exponential come from their series


@njit
def exponential_coefficients(x):
    """Of the exponential for the squared angle x: sin(t/2)/t, cos(t/2), (1 - cos t)/t^2, (t - sin t)/t^3."""
    if x < _SERIES * _SERIES:
        half = 0.5 - x / 48.0 * (1.0 - x / 80.0)
        return (
            half,
            1.0 - x / 8.0 * (1.0 - x / 48.0),
            0.5 - x / 24.0 * (1.0 - x / 30.0),
            1.0 / 6.0 - x / 120.0 * (1.0 - x / 42.0),
        )
    angle = np.sqrt(x)
    s, c = np.sin(0.5 * angle), np.cos(0.5 * angle)
    return s / angle, c, 2.0 * s * s / x, (angle - 2.0 * s * c) / (angle * x)


@njit
def rotated(q0, q1, q2, q3, x, y, z):
    """The vector (x, y, z) turned by the unit quaternion q."""
    a, b, c = 2.0 * (q2 * z - q3 * y), 2.0 * (q3 * x - q1 * z), 2.0 * (q1 * y - q2 * x)
    return x + q0 * a + q2 * c - q3 * b, y + q0 * b + q3 * a - q1 * c, z + q0 * c + q1 * b - q2 * a


@njit
def turned_quaternion(w0, x0, y0, z0, rx, ry, rz):
    """The attitude (w0, x0, y0, z0) turned by the rotation vector (rx, ry, rz) of the world."""
    angle = math.sqrt(rx * rx + ry * ry + rz * rz)
    c, s = sincos1(0.5 * angle)
    f = s / angle if angle > 1e-12 else 0.5
    x, y, z = f * rx, f * ry, f * rz
    w1 = c * w0 - x * x0 - y * y0 - z * z0
    x1 = c * x0 + x * w0 + y * z0 - z * y0
    y1 = c * y0 + y * w0 + z * x0 - x * z0
    z1 = c * z0 + z * w0 + x * y0 - y * x0
    r = 1.0 / math.sqrt(w1 * w1 + x1 * x1 + y1 * y1 + z1 * z1)
    return w1 * r, x1 * r, y1 * r, z1 * r


@njit
def frame_of_quaternion(w, x, y, z):
    """Axes x, y, z of the frame of a unit quaternion, three numbers each."""
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y),
        2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x),
        2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


def matrix_from_quaternion(quaternion: ArrayLike) -> NDArray[np.float64]:
    """Rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion), -1, 0)
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=-1),
            np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=-1),
            np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=-1),
        ],
        axis=-2,
    )


def quaternion_from_matrix(matrix: ArrayLike) -> NDArray[np.float64]:
    """Unit quaternion of one rotation matrix, by its largest component (never divides by a small number)."""
    m = np.asarray(matrix, dtype=float)
    squares = np.array(
        [1 + m[0, 0] + m[1, 1] + m[2, 2], 1 + m[0, 0] - m[1, 1] - m[2, 2], 1 - m[0, 0] + m[1, 1] - m[2, 2],
         1 - m[0, 0] - m[1, 1] + m[2, 2]]
    )  # fmt: skip
    k = int(np.argmax(squares))
    a, b, c = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    d, e, f = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
    rows = [[squares[0], a, b, c], [a, squares[1], d, e], [b, d, squares[2], f], [c, e, f, squares[3]]]
    q = np.array(rows[k])
    return np.asarray(q / np.linalg.norm(q))


def axis_rotation(axis: int, angle: float) -> NDArray[np.float64]:
    """Rotation (3, 3) by an angle about axis 0 (x), 1 (y) or 2 (z)."""
    c, s = np.cos(angle), np.sin(angle)
    R = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i], R[j, j], R[i, j], R[j, i] = c, c, -s, s
    return R


def cross_matrix(w: ArrayLike) -> NDArray[np.float64]:
    """[w] with [w] x = w x x, (..., 3, 3)."""
    v = np.asarray(w, dtype=float)
    made = np.zeros((*v.shape, 3))
    made[..., 2, 1], made[..., 0, 2], made[..., 1, 0] = v[..., 0], v[..., 1], v[..., 2]
    return np.asarray(made - np.swapaxes(made, -1, -2))


def shortest_rotation(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """The shortest rotation (3, 3) that turns the unit vector a to the unit vector b; for opposite ones about some axis across."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    v, c = np.cross(a, b), float(np.dot(a, b))
    if c > -0.999999:
        K = cross_matrix(v)
        return np.asarray(np.eye(3) + K + K @ K / (1.0 + c))
    across = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
    across /= np.linalg.norm(across)
    back = 2.0 * np.outer(across, across) - np.eye(3)  # half a turn about an axis across
    return np.asarray(shortest_rotation(back @ a, b) @ back)


def screw_exponential(screw: NDArray[np.float64], q: float) -> NDArray[np.float64]:
    """exp([S] q) as a pose (4, 4), for a screw (w, v) with |w| = 1."""
    K = cross_matrix(screw[:3])
    sine, versine, rest = np.sin(q), 2.0 * np.sin(0.5 * q) ** 2, q - np.sin(q)
    made = np.eye(4)
    made[:3, :3] += sine * K + versine * K @ K
    made[:3, 3] = (q * np.eye(3) + versine * K + rest * K @ K) @ screw[3:]
    return made


def adjoint(pose: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ad(g) (6, 6): takes a screw (angular, linear) along with the pose g."""
    R, made = pose[:3, :3], np.zeros((6, 6))
    made[:3, :3] = made[3:, 3:] = R
    made[3:, :3] = cross_matrix(pose[:3, 3]) @ R
    return made


def screw_x(alpha: float, a: float) -> NDArray[np.float64]:
    """RotX(alpha) TransX(a) as a pose (4, 4)."""
    c, s = np.cos(alpha), np.sin(alpha)
    return np.array([[1.0, 0.0, 0.0, a], [0.0, c, -s, 0.0], [0.0, s, c, 0.0], [0.0, 0.0, 0.0, 1.0]])


def screw_z(d: ArrayLike, theta: ArrayLike) -> NDArray[np.float64]:
    """RotZ(theta) TransZ(d) as poses (..., 4, 4), of any shape."""
    slide, turn = np.broadcast_arrays(np.asarray(d, dtype=float), np.asarray(theta, dtype=float))
    made = np.zeros((*turn.shape, 4, 4))
    made[..., 0, 0] = made[..., 1, 1] = np.cos(turn)
    made[..., 1, 0] = np.sin(turn)
    made[..., 0, 1] = -made[..., 1, 0]
    made[..., 2, 3] = slide
    made[..., 2, 2] = made[..., 3, 3] = 1.0
    return made
