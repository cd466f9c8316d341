"""The servos of Fig. 14: an active joint that resists an outer torque, and a passive one that gives way to it.

    tau theta'' + theta' = K_m (K_p (ref - theta) + s (R / K_t) T_s)        s = -1 active (a disturbance), +1 passive

See `servo`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.control.motor_joint import MotorJoint, joint_response
from serpenoid.core.checks import FloatArray
from serpenoid.studies.claims import judged
from serpenoid.studies.shan1993.pattern import SOURCE

K_M, TAU, K_P, R_OVER_K_T, TORQUE = 1.0, 0.05, 20.0, 1.0, 0.5  # chosen: the paper prints none
DURATION = 2.0  # s
SAMPLES = (0.1, 0.01, 0.001)  # s


def response(
    sample: float, passive: bool, torque: float = TORQUE, duration: float = DURATION
) -> tuple[FloatArray, FloatArray]:
    """Times (k,) in s and angles (k,) in rad at the samples, from rest at zero."""
    motor = MotorJoint(K_M, TAU, K_P, R_OVER_K_T)
    told = joint_response(motor, torque, duration, sample=sample, mode="passive" if passive else "active")
    return told.time, told.angle


def ideal(t: FloatArray, torque: float = TORQUE) -> FloatArray:
    """Angle of a joint whose reference is its own angle at every instant: a motor without position loop."""
    return np.asarray(K_M * R_OVER_K_T * torque * (t - TAU * (1.0 - np.exp(-t / TAU))))


def claims() -> list[dict[str, Any]]:
    """Fig. 14 (a) and (b)."""
    held = float(response(0.001, passive=False)[1][-1])
    gone = {h: float(response(h, passive=True)[1][-1]) for h in SAMPLES}
    back = float(response(0.001, passive=True, torque=-TORQUE)[1][-1])
    free = float(ideal(np.array(DURATION)))
    said = ", ".join(f"{gone[h]:.3f} rad at {1e3 * h:g} ms" for h in SAMPLES)
    return [
        judged("MSK-8a", f"{SOURCE}, Fig. 14 (a)", "An active joint holds its angle against an external torque.",
               f"a torque that carries a free joint {free:.3f} rad in {DURATION:g} s moves it {abs(held):.3f} rad",
               [abs(held) < 0.05 * free, abs(abs(held) - R_OVER_K_T * TORQUE / K_P) < 1e-3 * free],
               "A proportional loop gives way by (R / K_t) T_s / K_p and stays there. Gains are chosen: the paper prints none."),
        judged("MSK-8b", f"{SOURCE}, section III-D, Fig. 14 (b)", "With the measured angle as its reference a joint moves in the direction of the external torque.",
               f"{said} in {DURATION:g} s; the opposite torque {back:.3f} rad", [min(gone.values()) > 0.0, abs(back + gone[0.001]) < 1e-9]),
        judged("MSK-8c", f"{SOURCE}, section III-D", "The position error instantaneously becomes zero: the joint is passive, a free rotary joint.",
               f"{gone[0.1] / free:.0%}, {gone[0.01] / free:.0%}, {gone[0.001] / free:.0%} of the free travel of {free:.3f} rad at samples of 100, 10, 1 ms",
               [gone[0.001] > 0.95 * free, gone[0.1] > 0.95 * free],
               "Only if K_m K_p h / 2 is small against one: within a sample the loop pulls back to the last reading."),
    ]  # fmt: skip
