"""A concertina plan carried out in dynamics: servos follow its legs, pins hold the links that must stay.

The robot is a yaw chain in space on level ground (casters: low friction), driven by position servos with integral action. Leg by leg:
the new pins go in where their links are, the old ones come out, the servos follow the leg's smooth timing, and then wait until every
joint is within `tolerance` and at rest (or `patience` runs out, which is said). In stage 2 the loop is closed by the pins: joints 2 and 5
drive it and the others are passive (Fig 14 (b) of Shan and Koren: their reference follows the measured angle, so they give no torque).

Torques, pin forces, slip of the pins and work come out, so that a designer can choose motors and solenoids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from serpenoid.contact import Coulomb
from serpenoid.control import Servo
from serpenoid.core import FloatArray, Robot, Start, World
from serpenoid.engines import pins, tally
from serpenoid.engines.spatial import SpatialRun
from serpenoid.errors import InputError, NumericalError
from serpenoid.gaits import Sampled
from serpenoid.gaits.concertina import duration, ease
from serpenoid.kinematics.spatial import AIM, DRIVEN, QD, Q
from serpenoid.terrain import Ground, Obstacle

PIN_LINKS = np.array([0, 1, 2, 3, 4, 5, 6, 6])  # solenoids t1 .. t8: one a link, two on the head
HEAD_PINS = 0.6  # of the head's length: between its two pins
DRIVES = {
    1: (1, 2, 4, 5, 6),
    2: (2, 5),
    3: (1, 2, 3, 4),
}  # of each stage; joints between pinned links and of the loop are passive
SETTLED_BY = {2: (2, 3)}  # where the loop ends stretched, joints 2 and 5 no longer determine it; 2 and 3 do
SAMPLES = 60  # of a leg
LOOK = 0.05  # s between looks at the joints while they settle
MOST = 0.05  # rad: integral action at most
GAIN = 0.6  # of the remaining error, taken into the aim at each look


@dataclass(frozen=True)
class Motors:
    """Servos, pins and pace of an execution; all assumed, since the source prints none."""

    servo: Servo = field(default_factory=lambda: Servo(400.0, 20.0, torque_limit=40.0))
    hold: float = 300.0  # N that a pinned link withstands
    speed: float = 1.0  # rad/s of any joint
    acceleration: float = 4.0  # rad/s^2
    tolerance: float = 2e-4  # rad: a leg ends when every driven joint is that close
    patience: float = 2.0  # s to wait for that
    friction: float = 0.05  # of the casters
    step: float = 1e-3  # s


@dataclass(frozen=True, eq=False)
class Executed:
    """What became of a plan: frames of the nodes, errors against the plan at the end of every leg, forces and work."""

    time: FloatArray  # (f,) s
    nodes: FloatArray  # (f, 8, 2) m
    torques: FloatArray  # (f, 6) N m
    pinned: np.ndarray  # (f, 7) whether a link is pinned
    head_errors: FloatArray  # (legs,) m, head against the plan
    settled: np.ndarray  # (legs,) whether the leg settled in time
    torque_max: FloatArray  # (6,) N m
    pin_force_max: FloatArray  # (8,) N, of the solenoids: one a link, two on the head
    pin_slip: FloatArray  # (8,) m
    normal_force_max: float  # N, of ground and obstacles
    positive_work: float  # J
    warnings: tuple[str, ...]


def _run(
    robot: Robot, legs: Sequence[Any], motors: Motors, obstacles: tuple[Obstacle, ...], total: float
) -> SpatialRun:
    """The robot in the first posture of the plan."""
    if robot.links != 7 or robot.joints != "yaw":
        raise InputError(
            f"concertina plans are for seven links with yaw joints; {robot.name} has {robot.links} with {robot.joints}"
        )
    nodes, first = legs[0].nodes(0.0)[0], legs[0].angles(0.0)[0]
    way = nodes[-1] - nodes[0]
    world = World(Coulomb(motors.friction, motors.friction), ground=Ground("point", damping=200.0), obstacles=obstacles)
    head = 0.5 * HEAD_PINS * robot.link_length[-1]
    at = np.concatenate([robot.contact_offset, [robot.contact_offset[-1] + head]])
    at[6] -= head
    table = pins.pin_table(PIN_LINKS, at, robot.link_mass, motors.hold)
    steps = int(np.ceil(total / motors.step))
    return SpatialRun(
        robot, Sampled(np.linspace(0.0, 1.0, 4), np.tile(first, (4, 1))), None, world,
        Start((float(nodes[0, 0]), float(nodes[0, 1])), float(np.arctan2(way[1], way[0]))), mode="servo",
        duration=steps * motors.step, steps=steps, stride=20, servo=motors.servo, pins=table,
    )  # fmt: skip


def _set_pins(run: SpatialRun, links: Sequence[int]) -> None:
    """Pin these links (from 1) where they are; pins that hold already stay as they are."""
    frame, table = run.rec.links[run.frames - 1], run.surface.pins
    points = frame[PIN_LINKS, :2] + table[:, pins.P_AT, None] * frame[PIN_LINKS, 3:5]
    for k, link in enumerate(PIN_LINKS + 1):
        pin = table[k]
        if link in links and pin[pins.P_ON] == 0.0:
            pin[pins.P_ON], pin[pins.P_X], pin[pins.P_Y] = 1.0, points[k, 0], points[k, 1]
        elif link not in links:
            pin[pins.P_ON], pin[pins.P_FX], pin[pins.P_FY] = 0.0, 0.0, 0.0


def _follow(run: SpatialRun, times: FloatArray, angles: FloatArray) -> None:
    """Advance to the last of the times with the joints aiming at the angles."""
    run.source = run.source._replace(tab=Sampled(times, angles, "clamped").joint_table(run.robot))
    last = int(np.ceil(times[-1] / run.dt / run.stride)) * run.stride
    if not run.advance(min(last, run.steps)) or run.done >= run.steps:
        raise NumericalError(f"the execution diverged or ran out of time at t = {run.time:.4g} s")


def _drive(run: SpatialRun, joints: tuple[int, ...]) -> np.ndarray:
    """Let these joints (from 1) drive and the others be passive; their indices."""
    run.d[:, DRIVEN] = [float(j in joints) for j in range(1, 7)]
    return np.array([j - 1 for j in joints])


def _leg(run: SpatialRun, leg: Any, motors: Motors, offset: FloatArray) -> tuple[bool, FloatArray]:
    """Carry out one leg; whether it settled, and the aim's offset that integral action has built up."""
    drives = DRIVES[leg.stage]
    used = _drive(run, drives)
    began, length = run.time, duration(leg, motors.speed, motors.acceleration)
    x = np.linspace(0.0, 1.0, SAMPLES)
    path, goal = leg.angles(ease(x)), leg.angles(1.0)[0]
    blend = 1.0 - x[:, None]
    start = np.where(np.isin(np.arange(6), used), run.d[:, AIM] - path[0], 0.0)
    _follow(run, began + length * x, path + blend * start)
    offset = np.zeros(6)
    drives = SETTLED_BY.get(leg.stage, drives)
    used = _drive(run, drives)
    for _ in range(int(motors.patience / LOOK)):
        error = goal - run.d[:, Q]
        if np.abs(error[used]).max() < motors.tolerance and np.abs(run.d[:, QD]).max() < 1e-3:
            return True, offset
        before, offset = offset, np.clip(offset + GAIN * error, -MOST, MOST)
        t = run.time + np.linspace(0.0, LOOK, 6)
        mix = ease(np.linspace(0.0, 1.0, 6))[:, None]
        _follow(run, t, goal + (1.0 - mix) * before + mix * offset)
    return False, offset


def execute(
    robot: Robot, legs: Sequence[Any], motors: Motors | None = None, obstacles: tuple[Obstacle, ...] = ()
) -> Executed:
    """Carry out the legs of a plan (`planning.plan(...).legs`, `gaits.concertina.basic_cycle`) made for the robot's lengths."""
    motors = motors or Motors()
    if not legs:
        raise InputError("there is no leg to carry out")
    total = sum(duration(leg, motors.speed, motors.acceleration) + motors.patience + 0.5 for leg in legs)
    run = _run(robot, legs, motors, obstacles, total)
    errors: list[float] = []
    settled: list[bool] = []
    pinned: list[list[bool]] = []
    offset = np.zeros(6)
    for leg in legs:
        _set_pins(run, leg.pinned)
        done, offset = _leg(run, leg, motors, offset)
        pinned += [[link in leg.pinned for link in range(1, 8)]] * (run.frames - len(pinned))
        settled.append(done)
        errors.append(float(np.linalg.norm(_nodes(run)[-1, -1] - leg.nodes(1.0)[0, -1])))
    return _report(run, np.array(errors), np.array(settled), np.array(pinned))


def _nodes(run: SpatialRun) -> FloatArray:
    links = run.rec.links[: run.frames]
    tip = links[:, -1:, :2] + run.robot.link_length[-1] * links[:, -1:, 3:5]
    return np.concatenate([links[..., :2], tip], axis=1)


def _report(run: SpatialRun, errors: FloatArray, settled: np.ndarray, pinned: np.ndarray) -> Executed:
    f, table = run.frames, run.surface.pins
    torques = run.rec.joints[:f, :, 2]
    said = []
    slipped = np.flatnonzero(table[:, pins.P_SLIPPED] > 0.0)
    if slipped.size:
        worst = int(slipped[np.argmax(table[slipped, pins.P_SLIPPED])])
        said.append(
            f"pins slipped on links {', '.join(str(i + 1) for i in sorted(set(PIN_LINKS[slipped])))}: pin {worst + 1} by {table[worst, pins.P_SLIPPED]:.3g} m; "
            "they hold too little"
        )
    if not settled.all():
        said.append(f"{int((~settled).sum())} of {settled.size} legs did not settle in time")
    return Executed(
        np.linspace(0.0, (f - 1) * run.stride * run.dt, f), _nodes(run), torques.copy(), pinned, errors, settled, np.abs(torques).max(axis=0),
        table[:, pins.P_PEAK].copy(), table[:, pins.P_SLIPPED].copy(), float(run.acc[tally.NORMAL_MAX]),
        float(run.acc[tally.POSITIVE_WORK]), tuple(said),
    )  # fmt: skip
