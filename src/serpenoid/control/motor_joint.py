"""One joint with its motor and its position loop: active, or passive by letting the reference follow the measured angle.

    tau theta'' + theta' = K_m (K_p (ref - theta) + s (R / K_t) T)       s = -1 active (T disturbs), +1 passive (T drives)

The loop of Fig. 14 of Y. Shan, Y. Koren, "Design and Motion Planning of a Mechanical Snake" (1993): (a) an active joint holds its
reference against an outer torque T; (b) a passive joint takes its measured angle as the new reference at every sample, so it moves with the outer
torque instead of resisting it. Between samples the reference stays, and the equation is solved exactly. A joint is as good
as passive only if K_m K_p h / 2 is small for a sample time h: in that time the loop still pulls back. A passive joint is stopped at the angle
planned for it.

Printed are the diagrams, not the values; those below are assumed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.core.checks import FloatArray, per_item
from serpenoid.core.errors import InputError

MODES = ("active", "passive")
MOST_SAMPLES = 10_000_000


@dataclass(frozen=True)
class MotorJoint:
    """A motor with gear and tachometer, and the gain of the position loop round it."""

    gain: float = 1.0  # K_m, rad/s a unit of drive
    time_constant: float = 0.05  # tau, s
    position_gain: float = 20.0  # K_p, drive a rad
    torque_gain: float = 1.0  # R / K_t, drive a N m

    def __post_init__(self) -> None:
        for name in ("gain", "position_gain", "torque_gain"):
            per_item(f"motor {name}", getattr(self, name), 1, 0.0, 1e9, strict=True)
        per_item("motor time_constant", self.time_constant, 1, 1e-6, 1e9)

    def passive_to(self, sample: float) -> float:
        """K_m K_p h / 2: what a passive joint with sample time h (s) still resists; small is passive."""
        return 0.5 * self.gain * self.position_gain * sample


@dataclass(frozen=True, eq=False)
class Response:
    """Angle, rate and reference of a joint at its samples."""

    time: FloatArray  # (k,) s
    angle: FloatArray  # (k,) rad
    rate: FloatArray  # (k,) rad/s
    reference: FloatArray  # (k,) rad


def _step_matrix(joint: MotorJoint, h: float) -> FloatArray:
    """The exact step (2, 3) of (angle, rate) over h for a constant drive: columns angle, rate, drive."""
    from scipy.linalg import expm

    A = np.zeros((3, 3))
    A[0, 1] = 1.0
    A[1] = np.array([-joint.gain * joint.position_gain, -1.0, joint.gain]) / joint.time_constant
    return np.asarray(expm(h * A)[:2])


def joint_response(
    joint: MotorJoint, torque: ArrayLike, duration: float, *, sample: float = 1e-3, mode: str = "active",
    reference: ArrayLike = 0.0, stop: float | None = None, angle: float = 0.0,
) -> Response:  # fmt: skip
    """Follow a joint in time under an outer torque (N m; one, or one a sample), from rest at `angle` (rad).

    The duration is rounded to whole samples. `reference` (rad; one, or one a sample) is what an active joint aims at. `stop` (rad): where a passive joint stops.
    """
    if mode not in MODES:
        raise InputError(f"mode must be one of {', '.join(MODES)}, got {mode!r}")
    h = float(per_item("sample", sample, 1, 0.0, 1e3, strict=True)[0])
    span = float(per_item("duration", duration, 1, 0.0, 1e6, strict=True)[0])
    count = round(span / h)
    if not 1 <= count <= MOST_SAMPLES:
        raise InputError(f"duration / sample must be from 1 to {MOST_SAMPLES}, got {span / h:.4g}")
    outer = per_item("torque", torque, count, -1e9, 1e9)
    aims = per_item("reference", reference, count, -1e6, 1e6)
    first = float(per_item("angle", angle, 1, -1e6, 1e6)[0])
    end = None if stop is None else float(per_item("stop", stop, 1, -1e6, 1e6)[0])
    passive = mode == "passive"
    push = (1.0 if passive else -1.0) * joint.torque_gain * outer
    G = _step_matrix(joint, h)
    state = np.empty((count + 1, 3))
    x, v = first, 0.0
    for k in range(count):
        ref = x if passive else float(aims[k])
        state[k] = x, v, ref
        drive = joint.position_gain * ref + push[k]
        x, v = G[0] @ (x, v, drive), G[1] @ (x, v, drive)
        if passive and end is not None and (x - end) * (first - end) <= 0.0:  # it has come to its planned angle
            x, v = end, 0.0
    state[count] = x, v, x if passive else float(aims[-1])
    angles, rates, refs = state.T.copy()
    return Response(np.linspace(0.0, count * h, count + 1), angles, rates, refs)


__all__ = ["MODES", "MotorJoint", "Response", "joint_response"]
