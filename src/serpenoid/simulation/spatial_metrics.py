"""The numbers a run in space is judged by: those of the plane where they make sense, and its own.

Their units and formulas stand in `metrics.METRICS`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.contact import sums as tally
from serpenoid.core import FloatArray, Robot, World, chassis
from serpenoid.simulation.metrics import joint_figures
from serpenoid.spatial._old.run import SpatialRun


def at_periods(time: FloatArray, values: FloatArray, period: float | None) -> tuple[FloatArray, FloatArray]:
    """Whole multiples of the period within the run, and the values there, linear between frames."""
    count = int(np.floor(time[-1] / period * (1.0 + 1e-9))) if period else 0
    instants = np.minimum(np.arange(count + 1) * (period or 0.0), time[-1])
    columns = values.reshape(len(time), -1)
    found = np.stack([np.interp(instants, time, column) for column in columns.T], axis=-1)
    return instants, found.reshape((len(instants), *values.shape[1:]))


def path_length(time: FloatArray, com: FloatArray, period: float | None) -> float:
    """Displacements of the centre of gravity (f, 2) over whole periods, summed, plus the rest."""
    _, places = at_periods(time, com, period)
    legs = np.linalg.norm(np.diff(places, axis=0), axis=1).sum()
    return float(legs + np.linalg.norm(com[-1] - places[-1]))


def roll_rate(time: FloatArray, roll: FloatArray, period: float | None) -> float | None:
    """Slope of the roll angle (f,) fitted over whole periods after the first; None with fewer than two of them."""
    instants, found = at_periods(time, roll, period)
    if len(instants) < 4:
        return None
    return float(np.polyfit(instants[1:], found[1:], 1)[0])


def roll_angle(time: FloatArray, roll: FloatArray, period: float | None) -> float | None:
    """Mean roll angle (f,) after the first period, rad; None without one."""
    after = time >= (period or np.inf)
    return float(roll[after].mean()) if after.any() else None


def travelled(
    time: FloatArray, nodes: FloatArray, com: FloatArray, rolls: FloatArray, period: float | None
) -> dict[str, Any]:
    """What can be said of any engine's motion: from nodes (f, n+1, 3), centre of gravity (f, 3) and rolls (f, n)."""
    dx, dy, dz = (com[-1] - com[0]).tolist()
    roll = rolls.mean(axis=1)
    return {
        "com_distance": float(np.hypot(dx, dy)),
        "com_dx": dx,
        "com_dy": dy,
        "com_dz": dz,
        "path_length": path_length(time, com[:, :2], period),
        "travel_direction": float(np.arctan2(dy, dx)) if np.hypot(dx, dy) > 0.0 else None,
        "heading": float(chassis.heading(nodes)[-1]),
        "roll_angle": roll_angle(time, roll, period),
        "roll_rate_mean": roll_rate(time, roll, period),
    }


def _steady_speed(time: FloatArray, com: FloatArray, robot: Robot, gait: Any, duration: float) -> float | None:
    """Speed over the last whole periods of the steady part; None without a whole period."""
    period = gait.period(robot) if gait is not None else None
    if period is None or not hasattr(gait, "steady_from") or time[-1] < duration * (1.0 - 1e-9):
        return None
    begin, end = gait.steady_from(robot), min(gait.steady_until(), duration)
    whole = np.floor((end - begin) / period * (1.0 + 1e-9))
    if not whole >= 1.0 or time[1] - time[0] > period / 20.0:
        return None
    ends = np.stack([np.interp([end - whole * period, end], time, com[:, k]) for k in (0, 1)])
    return float(np.hypot(*(ends[:, 1] - ends[:, 0])) / (whole * period))


def measure(
    run: SpatialRun,
    robot: Robot,
    gait: Any,
    world: World,
    heading: float,
    duration: float,
    nodes: FloatArray,
    rolls: FloatArray,
) -> dict[str, float | None]:
    """All metrics of a run in space."""
    f, acc, n = run.frames, run.acc, robot.links
    time = np.asarray(np.arange(f) * (run.stride * run.dt), dtype=np.float64)
    com = run.rec.motion[:f, :3].copy()
    com[-1] = run.q[:3] if run.done % run.stride == 0 else com[-1]
    period = gait.period(robot) if gait is not None else None
    far = travelled(time, nodes, com, rolls, period)
    result: dict[str, float | None] = {
        **far,
        "com_forward": float(far["com_dx"] * np.cos(heading) + far["com_dy"] * np.sin(heading)),
        "head_distance": float(np.linalg.norm(nodes[-1, -1] - nodes[0, -1])),
        "tail_distance": float(np.linalg.norm(nodes[-1, 0] - nodes[0, 0])),
        "steady_speed": _steady_speed(time, com, robot, gait, duration),
        "ground_loss": float(acc[tally.GROUND_LOSS]),
        "potential_energy_change": float(acc[tally.POTENTIAL] - acc[tally.POTENTIAL_START]),
        "contact_count_mean": float(acc[tally.CONTACTS]) / run.time if run.time > 0.0 else 0.0,
        "normal_force_max": float(acc[tally.NORMAL_MAX]),
        "joint_angle_max": float(acc[tally.ANGLE_MAX]),
    }
    result.update(joint_figures(acc, n, run.time, robot.mass * world.gravity, float(far["com_distance"])))
    return result
