"""How joints go from command to command: a cubic in time without jumps of angle or rate.

    q(t0) = q0, q'(t0) = v0, q(t1) = q1, q'(t1) = v1

v1 is the rate given. Without one it is that of the parabola through the last three commands (t_b, q_b), (t0, q0), (t1, q1); at the
first command that of the parabola with q0, v0 and q1.
"""

from __future__ import annotations

from serpenoid.compiled import kernel


@kernel
def next_curve(curve, earlier, times, goal, t1, first):
    """Make the curve (4, m: q0, v0, q1, v1) that begins at times[1] with its first two rows and ends at t1 with the goal (2, m).

    The second row of the goal is NaN where rates are not given. `earlier` (m,) and times[0] are angles and time of the command before,
    `first` says that there was none; both are moved on. Returns False if an angle is not finite.
    """
    h, h0 = t1 - times[1], times[1] - times[0]
    good = True
    for k in range(curve.shape[1]):
        q0, v0, q1, v1 = curve[0, k], curve[1, k], goal[0, k], goal[1, k]
        slope = (q1 - q0) / h
        if v1 != v1:
            v1 = 2.0 * slope - v0 if first else slope + h / (h + h0) * (slope - (q0 - earlier[k]) / h0)
        good = good and abs(q1) < 1e300 and abs(v1) < 1e300
        curve[2, k], curve[3, k] = q1, v1
        earlier[k] = q0
    times[0] = times[1]
    times[1] = t1
    return good
