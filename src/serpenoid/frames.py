"""Plane rotations, and a sine and cosine that vectorise.

`sincos` fills cosines and sines of a row of angles: reduction to |y| <= pi/4 by three parts of pi/2
(Cody and Waite), then the polynomials of fdlibm. It has no branches and no integers, so that the compiler turns
it into vector instructions; it is good to 2 units in the last place for |angle| < 1e5 rad.
"""

from __future__ import annotations

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
