"""What ideal joints cannot do: jump to their command after they were limp, or stop dead under an explicit integrator."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError

JUMP = 1e-6  # rad: an ideal joint that is this near to its command can take it up


def check_taken_up(taken: FloatArray, angles: FloatArray, wanted: FloatArray, joints: Any) -> None:
    """Refuse ideal joints that were limp and would jump to their commands."""
    for k in np.flatnonzero(np.asarray(taken, dtype=bool) & (np.abs(angles - wanted) > JUMP)):
        raise InputError(
            f"joint {int(joints[k])} was limp and is at {angles[k]:.4g} rad, its command at {wanted[k]:.4g} rad: an ideal joint would jump there; "
            "give the robot a servo, or let the command begin where the joint is"
        )


def refuse_stop(joint: int, time: float) -> None:
    """Refuse a stop that a joint meets under an explicit integrator."""
    raise InputError(
        f'joint {joint} meets its stop at t = {time:.4g} s, where its rate jumps: that needs integrator = "implicit"'
    )


def check_posture(angles: FloatArray, stops: FloatArray, joints: Any) -> None:
    """Refuse a first posture of driven joints beyond their stops."""
    for k in np.flatnonzero(np.abs(angles) > stops * (1.0 + 1e-9)):
        raise InputError(
            f"the first posture bends joint {int(joints[k])} by {angles[k]:.4g} rad, beyond its stop at {stops[k]:.4g} rad"
        )
