"""A gait of your own. It is compiled by Numba: plain arithmetic and the functions of math."""

import math


def ripple(t, k, p):
    """Angle (rad) of joint k, counted from 0 at the tail, at time t (s); p: amplitude (rad), rad/s, rad per joint."""
    comes_in = 0.5 + 0.5 * math.tanh(4.0 * t - 2.0)  # from rest, within a second
    return comes_in * p[0] * math.sin(p[1] * t - p[2] * k)
