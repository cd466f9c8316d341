"""Headings of links 5, 6, 7 that put the head on a target: the inverse kinematics of a planar arm of three joints.

With a heading asked, link 7 is given, joint 6 is at the target less L7 u(heading), and links 5, 6 reach it with the elbow on either side.
Without one the arm is redundant: theta_6 = 0 where that reaches (links 6 and 7 as one), then other theta_6; of each, smallest largest
joint angle first. Source: equations (1) to (6) of Shan and Koren (1993), corrected.
"""

from __future__ import annotations

import numpy as np

from serpenoid.core.checks import FloatArray
from serpenoid.gaits.concertina_legs import elbow, wrapped

REACH_HAIR = 1e-9  # L: a target this far beyond reach counts as in reach (rounding would cost a cycle)
_WRISTS = np.radians([0.0, *(s * k for k in range(15, 166, 15) for s in (1, -1))])


def _pair(joint_4: FloatArray, end: FloatArray, first: float, second: float, side: int) -> tuple[float, float] | None:
    """Headings of two links from joint 4 to `end`, or None out of reach."""
    d = float(np.hypot(*(end - joint_4)))
    if d > first + second + REACH_HAIR or d < abs(first - second) or d < 1e-9:
        return None
    a, b = elbow(joint_4[0], joint_4[1], end[0], end[1], first, second, float(side))
    return float(a), float(b)


def arm_goals(
    joint_4: FloatArray, psi_4: float, target: FloatArray, lengths: FloatArray, heading: float | None
) -> list[FloatArray]:
    """Headings (3,) of links 5, 6, 7 with the head on the target, best first; each within half a turn of the link before."""
    found = []
    for rank, wrist in enumerate(_WRISTS if heading is None else [0.0]):
        for side in (1, -1):
            if heading is None:
                last = np.array([lengths[5] + lengths[6] * np.cos(wrist), lengths[6] * np.sin(wrist)])
                pair = _pair(joint_4, target, lengths[4], float(np.hypot(*last)), side)
                psi_6 = pair[1] - np.arctan2(last[1], last[0]) if pair else 0.0
                psi_7 = psi_6 + wrist
            else:
                joint_6 = target - lengths[6] * np.array([np.cos(heading), np.sin(heading)])
                pair = _pair(joint_4, joint_6, lengths[4], lengths[5], side)
                psi_6, psi_7 = pair[1] if pair else 0.0, heading
            if pair is None:
                continue
            turns = np.array([wrapped(x) for x in (pair[0] - psi_4, psi_6 - pair[0], psi_7 - psi_6)])
            found.append((rank > 0, float(np.abs(turns).max()), psi_4 + np.cumsum(turns)))
    return [goal for *_, goal in sorted(found, key=lambda item: item[:2])]
