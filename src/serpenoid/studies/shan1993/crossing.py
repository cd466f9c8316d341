"""Rough ground and steps: the mechanical snake in three dimensions.

MS-1 has a passive vertical hinge beside each motor: its links lie down on uneven ground by their weight (`follow_ground`). MS-2 can raise
its head: it lays it on a step and pushes on, and the links behind are drawn up over the edge one after the other (`climb_step`); `highest_step`
looks for the highest step that it gets over. Links are flat-bottomed with rounded edges (ground model "flat"); masses, motors and
friction are those of `robots.ms1` and `robots.ms2`, assumed there.

Each gives the trajectory of its run with further metrics:

| metric | meaning | unit |
|---|---|---|
| head_error | head from where the plan has it on level ground | m |
| step_height, passed | of `climb_step`: its step; 1 if the whole robot is on top of it, else 0 | m, - |
| node_height_min | of `climb_step`: lowest node at the end | m |
| bridged, bridged_max | of `follow_ground`: gap under the middles of the links, mean and greatest | m |

Source: Y. Shan, Y. Koren, "Design and Motion Planning of a Mechanical Snake" (1993), sections II and V.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from serpenoid import robots
from serpenoid.control import ConcertinaDriver, Motors, motors_of
from serpenoid.core import FloatArray, Robot, Trajectory, per_item
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Box, Ground, HeightField
from serpenoid.planning import ConcertinaPlan
from serpenoid.robots.ms1 import FITTINGS as MS1
from serpenoid.robots.ms2 import FITTINGS as MS2
from serpenoid.simulation.run import simulate

AHEAD = 5.2  # links: where the step begins, ahead of joint 1 at the start
OVER = 12.0  # links: where the head goes
HIGHEST = 0.5  # m, of a step
SPARE = 0.03  # m: how much higher than the step the head is raised
DEEP = 0.5  # m: half the height of the block whose top is the step, most of it below the ground
LEVEL = 5e-3  # m: a node is on the step if it lies within this of its height there
LAID = 1.0  # s: until then the links, straight at the start, lie down
FRAME = 0.02  # s between frames
_CELL = 0.02  # m, of rough ground
_PATIENCE = 0.6  # s: on rough ground legs do not settle exactly

Progress = Callable[[float], Any]


def _legs(robot: Robot, links: float) -> tuple[Any, ...]:
    """Legs of a plan straight ahead, so many links far."""
    return ConcertinaPlan((links * float(robot.link_length.mean()), 0.0), unit="m").solve(robot).legs


def _carried_out(robot: Robot, driver: ConcertinaDriver, progress: Progress | None) -> tuple[Trajectory, float]:
    """The run, and how far its head ended from where the plan has it."""
    run = simulate(robot, driver, duration=driver.longest, record_interval=FRAME, progress=progress)
    goal = driver.legs[-1].nodes(1.0)[0, -1]
    return run, float(np.linalg.norm(run["node"][-1, -1, :2] - goal))


def climb_step(
    height: float, robot: Robot | None = None, motors: Motors | None = None, *, progress: Progress | None = None
) -> Trajectory:
    """Let MS-2 (or a robot like it, with universal joints) go over a step of so many m by concertina, its head raised."""
    h = float(per_item("step height", height, 1, 0.0, HIGHEST, strict=True)[0])
    robot = robot or robots.ms2(joints="universal")
    unit, radius = float(robot.link_length.mean()), float(robot.radius.max())
    edge = AHEAD * unit
    step = Box((edge + 2.0, 0.0, h - DEEP), (4.0, 4.0, 2.0 * DEEP))
    driver = ConcertinaDriver(
        robot, _legs(robot, OVER), motors or motors_of(MS2, patience=_PATIENCE, takeover=0.0), ground=Ground("flat", 2e4, 200.0),
        solids=(step,), lift=float(np.arcsin(min(0.95, (h + SPARE) / unit))),
    )  # fmt: skip
    run, error = _carried_out(robot, driver, progress)
    x, z = run["node"][-1, :, 0], run["node"][-1, :, 2]
    passed = bool(np.all((z > h + radius - LEVEL) & (x > edge)))
    own = {"step_height": h, "passed": float(passed), "head_error": error, "node_height_min": float(z.min())}
    return replace(run, metrics={**run.metrics, **own})


def highest_step(
    robot: Robot | None = None, motors: Motors | None = None, *, low: float = 0.03, high: float = HIGHEST, step: float = 0.005,
    progress: Progress | None = None,
) -> tuple[float, list[Trajectory]]:  # fmt: skip
    """The highest step passed (m; 0 if none), going up from `low` to the first that is not; and all runs that were tried.

    If even a step of `high` is passed, the last run has a warning that higher ones were not tried.
    """
    tried: list[Trajectory] = []
    for name, value in (("low", low), ("high", high), ("step", step)):
        per_item(f"highest_step {name}", value, 1, 1e-4, HIGHEST)
    if low > high:
        raise InputError(f"highest_step needs low <= high, got {low} and {high}")
    heights = np.round(np.arange(low, high + 1e-9, step), 6)
    for k, height in enumerate(heights):
        tried.append(climb_step(float(height), robot, motors))
        if progress is not None:
            progress((k + 1) / len(heights))
        if not tried[-1].metrics["passed"]:
            break
    else:
        said = f"the highest step tried, {heights[-1]:g} m, is passed; higher ones were not tried (high = {high:g} m)"
        tried[-1] = replace(tried[-1], warnings=(*tried[-1].warnings, said))
    return max((float(run.metrics["step_height"] or 0.0) for run in tried if run.metrics["passed"]), default=0.0), tried


def rough_ground(height: float = 0.02, wave: float = 0.7, seed: int = 1, reach: float = 3.0) -> Ground:
    """Smooth random ground: hills of about `height` (m, root mean square) about `wave` (m) apart."""
    per_item("rough ground height", height, 1, 0.0, 1.0)
    per_item("rough ground wave", wave, 1, 0.05, 100.0)
    per_item("rough ground reach", reach, 1, 0.5, 20.0)
    x = np.arange(-reach, reach + _CELL, _CELL)
    X, Y = np.meshgrid(x, x)
    random = np.random.default_rng(seed)
    z = np.zeros_like(X)
    for _ in range(12):
        angle, phase = random.uniform(0.0, 2.0 * np.pi, 2)
        size = random.uniform(0.8, 1.6)
        k = 2.0 * np.pi / (wave * size)
        z += np.cos(k * (np.cos(angle) * X + np.sin(angle) * Y) + phase)
    return Ground("flat", 2e4, 200.0, heights=HeightField(height * z / np.sqrt(6.0), _CELL, (-reach, -reach)))


def follow_ground(
    ground: Ground | None = None, robot: Robot | None = None, motors: Motors | None = None, *, links: float = 7.0,
    progress: Progress | None = None,
) -> Trajectory:  # fmt: skip
    """Let MS-1 go `links` links ahead on uneven ground; a robot without hinges (joints "yaw") bridges the hollows."""
    ground = ground or rough_ground()
    if ground.heights is None:
        raise InputError("follow_ground needs a ground with heights, such as rough_ground()")
    robot = robot or robots.ms1(joints="universal")
    driver = ConcertinaDriver(
        robot, _legs(robot, links), motors or motors_of(MS1, patience=_PATIENCE, takeover=0.0), ground=ground
    )
    run, error = _carried_out(robot, driver, progress)
    gap = np.abs(_gaps(run["node"], ground.heights, robot.radius)[run["time"] > LAID])
    own = {"head_error": error, "bridged": float(gap.mean()), "bridged_max": float(gap.max())}
    return replace(run, metrics={**run.metrics, **own})


def _gaps(nodes: FloatArray, field: HeightField, radius: FloatArray) -> FloatArray:
    """Gaps (t, n) under the middles of the links."""
    from scipy.interpolate import RegularGridInterpolator

    ny, nx = field.heights.shape
    axes = (field.origin[1] + field.cell * np.arange(ny), field.origin[0] + field.cell * np.arange(nx))
    surface = RegularGridInterpolator(axes, field.heights)
    middle = 0.5 * (nodes[:, :-1] + nodes[:, 1:])
    inside = np.stack(
        [np.clip(middle[..., 1 - e], axes[e][0], axes[e][-1]) for e in (0, 1)], axis=-1
    )  # its edge goes on
    return np.asarray(middle[..., 2] - surface(inside) - radius)
