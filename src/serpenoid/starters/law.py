"""A friction law of your own. It is compiled by Numba: plain arithmetic and the functions of math."""

import math


def velvet(v_along, v_across, load, p):
    """Force on the robot (N) along and across the body; velocities in m/s, load in N; p: coefficient across, share along, speed (m/s)."""
    speed = math.sqrt(v_along**2 + v_across**2 + 1e-6)
    grip = p[0] * load * math.tanh(speed / p[2])
    return -p[1] * grip * v_along / speed, -grip * v_across / speed
