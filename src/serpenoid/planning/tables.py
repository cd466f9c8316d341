"""Solutions of plans as tables, (header, rows): lengths in the unit of the plan, angles in rad, times in s."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.gaits.concertina import schedule

Table = tuple[list[str], FloatArray]
MOST_ROWS, ROWS_PER_SECOND = 20_000, 20.0


def motion_table(solution: Any) -> Table:
    """A concertina motion in time: nodes, joint angles and the solenoids' vector T."""
    timed = schedule(solution.legs)
    t = np.linspace(0.0, timed.time, min(MOST_ROWS, max(2, int(ROWS_PER_SECOND * timed.time))))
    nodes, headings = timed.at(t)
    pins = timed.solenoids(t)
    header = ["time", *(f"{c}{k}" for k in range(8) for c in "xy"), *(f"theta{k}" for k in range(1, 7))]
    rows = [t, nodes.reshape(len(t), -1) / solution.unit_length, np.diff(headings, axis=1), pins]
    return [*header, *(f"t{k + 1}" for k in range(pins.shape[1]))], np.column_stack(rows)


def path_table(solution: Any) -> Table:
    """Points of a path with arc length, clearance and curvature."""
    path, u = solution.path, solution.unit_length
    rows = [path.arc / u, path.points / u, path.clearance / u, path.curvature * u]
    return ["arc", "x", "y", "clearance", "curvature"], np.column_stack(rows)


def posture_table(solution: Any) -> Table:
    """Link ends and joint angles at every increment, with the least clearance of a link and the number of links not settled."""
    body, u = solution.following, solution.unit_length
    n = len(body.lengths)
    header = [
        "base",
        *(f"{c}{k}" for k in range(n + 1) for c in "xy"),
        *(f"theta{k}" for k in range(1, n)),
        "clearance",
        "unsettled",
    ]
    ends = body.joints.reshape(len(body.base), -1) / u
    return header, np.column_stack(
        [body.base / u, ends, body.joint_angles, body.clearance.min(axis=1) / u, (~body.settled).sum(axis=1)]
    )
