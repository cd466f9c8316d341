"""A path carried out in dynamics: the body goes along it between walls that it can really touch.

`feed`: the base (tail end) is carried along the path by a feeder, two points of the first link held to it, and every joint follows the
leader by a servo; the feeder's pace keeps all joints within their speed and acceleration. `creep` (in `creeping`): the free robot
goes by itself. Both run in the spatial engine on level ground with yaw joints, where links touch walls with their radius.

| output | meaning | unit |
|---|---|---|
| `slip` | way slipped across the links' edges, mean of the links | m |
| `lateral_error` | greatest distance of a link's end from the curve that it is to follow | m |
| `penetration_max` | deepest entry of a link into a wall | m |
| `feed_force` | force of the feeder on the base along its way, positive where it pushes forward | N |
| `wall_force` | what walls press on each link, friction included | N |
| `torque_max` | greatest torque of a joint's servo | N m |
| `positive_work` | of the joints' servos; `feed_work`: of the feeder | J |
| `head_to_goal` | distance of the head's tip from the end of the path at the end | m |

Servos lag by damping / stiffness of their rate; their aims lead by as much. What forces do beyond that, integral action of a fed robot's
servos takes away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.contact import Coulomb
from serpenoid.contact import sums as tally
from serpenoid.core import FloatArray, Friction, Robot, Start, World, per_item
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Ground
from serpenoid.gaits import Sampled
from serpenoid.shapes.track import Track, joint_angles, laid, off_track, track_of
from serpenoid.spatial._old import anchors as pins
from serpenoid.spatial._old.kinematics import Q
from serpenoid.spatial._old.run import SpatialRun
from serpenoid.spatial._old.walls import D_DEEPEST, D_FX, D_NAME, D_PEAK, D_X, Walls

SPACING = 0.025  # of the shortest link: points of the track
ROUNDING = 0.25  # of the shortest link: Gaussian that rounds a path of straight pieces
FRAME = 0.02  # s between frames, and between looks at the joints or the pose
HELD = 1e5  # N/m of the feeder's hold
SHARE = 0.45  # of a joint's acceleration for each of its two parts, curvature of the angle and change of pace
INTEGRAL, MOST = 0.1, 0.05  # of a joint's error, taken into its aim at each frame; rad at most
LOST = 0.05  # of a link's length: a feeder that has slipped by more has lost the robot


MOST_STEPS = 2e6


@dataclass(frozen=True)
class Drive:
    """Servos, limits, ground and pace of an execution; all assumed where the robot's maker says nothing."""

    servo: Servo = field(default_factory=lambda: Servo(1500.0, 40.0, torque_limit=60.0))
    friction: Friction = field(default_factory=lambda: Coulomb(0.05, 0.5))
    speed: float = 0.25  # m/s along the path
    acceleration: float = 0.5  # m/s^2 along the path
    joint_speed: float = 2.0  # rad/s
    joint_acceleration: float = 8.0  # rad/s^2
    hold: float = 200.0  # N that each of the feeder's two holds withstands
    step: float = 1e-3  # s

    def __post_init__(self) -> None:
        for name in ("speed", "acceleration", "joint_speed", "joint_acceleration", "hold", "step"):
            per_item(name, getattr(self, name), 1, 0.0, strict=True)
        if self.step > FRAME:
            raise InputError(f"step must be at most {FRAME:g} s, the time between frames; got {self.step:g} s")
        if not isinstance(self.servo, Servo):
            raise InputError(f"servo must be a Servo, got {self.servo!r}")
        if not isinstance(self.friction, Friction):
            raise InputError(f"friction must be a law of serpenoid.contact, got {self.friction!r}")

    @property
    def stride(self) -> int:
        """Steps between frames."""
        return round(FRAME / self.step)


@dataclass(frozen=True, eq=False)
class Passage:
    """What became of a robot on a path; units and meanings in the module's table."""

    kind: str  # "feed" or "creep"
    status: str  # "reached" or "stalled"
    reason: str
    time: FloatArray  # (f,) s
    nodes: FloatArray  # (f, n + 1, 2) m
    torques: FloatArray  # (f, n - 1) N m
    feed_force: FloatArray  # (f,) N; zeros where nothing feeds
    wall_force: FloatArray  # (f, n, 2) N on the links
    wall_place: FloatArray  # (f, n, 2) m, where it presses most; not a number where nothing presses
    lateral_error: FloatArray  # (f,) m
    track: FloatArray  # (k, 2) m, the path as followed
    radius: FloatArray  # (n,) m, half widths of the links
    slip: float
    lateral_error_max: float
    penetration_max: float
    feed_force_max: float
    torque_max: float
    wall_force_max: float
    positive_work: float
    feed_work: float
    joint_speed_max: float  # rad/s
    head_to_goal: float
    warnings: tuple[str, ...]

    def summary(self) -> dict[str, float | str | list[str]]:
        """The numbers by name, for a file."""
        names = (
            "status", "reason", "slip", "lateral_error_max", "penetration_max", "feed_force_max", "torque_max", "wall_force_max",
            "positive_work", "feed_work", "joint_speed_max", "head_to_goal",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names} | {
            "duration": float(self.time[-1]),
            "warnings": list(self.warnings),
        }


def path_track(robot: Robot, path: ArrayLike, rounding: float | None = None) -> Track:
    """The path as a track for the robot's links, rounded (m; default a quarter of a link); refused where it is too short."""
    if robot.joints != "yaw":
        raise InputError(f"a path in the plane needs yaw joints; {robot.name} has {robot.joints} joints")
    link = float(robot.link_length.min())
    track = track_of(path, SPACING * link, ROUNDING * link if rounding is None else rounding)
    reach = float(laid(track, robot.link_length, 0.0)[1][0, -1])
    if reach > track.length * (1.0 + 1e-9):
        raise InputError(
            f"the robot is longer than the path: laid on it, its {robot.length:.4g} m need {reach:.4g} m of the path's {track.length:.4g} m"
        )
    return track


def base_end(track: Track, lengths: FloatArray) -> float:
    """Arc length (m) of the base at which the head's tip is at the end of the track."""
    low, high = 0.0, track.length
    for _ in range(60):
        middle = 0.5 * (low + high)
        ahead = laid(track, lengths, middle)[1][0, -1] >= track.length
        low, high = (low, middle) if ahead else (middle, high)
    return low


def pace(s: FloatArray, angles: FloatArray, drive: Drive) -> tuple[FloatArray, FloatArray]:
    """Times (m,) at which the base is at the arc lengths s, and its speeds there, from rest to rest within all limits of the drive."""
    slope, bend = np.gradient(angles, s, axis=0), np.gradient(np.gradient(angles, s, axis=0), s, axis=0)
    slope, bend = np.abs(slope).max(axis=1, initial=1e-12), np.abs(bend).max(axis=1, initial=1e-12)
    most = np.minimum(
        drive.speed, np.minimum(drive.joint_speed / slope, np.sqrt(SHARE * drive.joint_acceleration / bend))
    )
    push = np.minimum(drive.acceleration, SHARE * drive.joint_acceleration / slope)
    push = np.minimum(push[1:], push[:-1])
    square, gain = most**2, 2.0 * push * np.diff(s)
    square[0] = square[-1] = 0.0
    for k in range(len(gain)):
        square[k + 1] = min(square[k + 1], square[k] + gain[k])
    for k in range(len(gain) - 1, -1, -1):
        square[k] = min(square[k], square[k + 1] + gain[k])
    v = np.sqrt(square)
    return np.concatenate([[0.0], np.cumsum(2.0 * np.diff(s) / (v[1:] + v[:-1]))]), v


def check_duration(duration: float, drive: Drive) -> None:
    """Refuse a run of more steps than are reasonable."""
    if duration / drive.step > MOST_STEPS:
        raise InputError(
            f"this way takes {duration:.3g} s, {duration / drive.step:.2g} steps; at most {MOST_STEPS:.0e} are run: is the size of a cell right?"
        )


def run_on(
    robot: Robot, nodes: FloatArray, angles: FloatArray, drive: Drive, walls: Walls | None, duration: float,
    feeder: bool,
) -> SpatialRun:  # fmt: skip
    """The robot laid with its link ends at `nodes` (n + 1, 2), its servos aiming at its joint angles."""
    if drive.servo.stiffness <= 0.0:
        raise InputError("servos that follow a path need a stiffness > 0")
    check_duration(duration, drive)
    steps = -(-int(np.ceil(duration / drive.step)) // drive.stride) * drive.stride
    way = nodes[-1] - nodes[0]
    links, at = np.array([0, 0]), np.array([0.0, robot.link_length[0]])
    fastest = min(drive.joint_speed, drive.servo.speed_limit or np.inf)
    # aims lead the joints, so they go a little faster
    servo = replace(drive.servo, speed_limit=1.05 * fastest)
    table = pins.pin_table(links, at, robot.link_mass, drive.hold, HELD)
    world = World(drive.friction, ground=Ground("point", damping=200.0))
    run = SpatialRun(
        robot, Sampled(np.linspace(0.0, 1.0, 4), np.tile(angles, (4, 1))), None, world, Start((float(nodes[0, 0]), float(nodes[0, 1])), float(np.arctan2(way[1], way[0]))),
        mode="servo", duration=steps * drive.step, steps=steps, stride=drive.stride, servo=servo, pins=table, walls=walls,
    )  # fmt: skip
    if feeder:
        run.surface.pins[:, pins.P_ON], run.surface.pins[:, pins.P_X : pins.P_Y + 1] = 1.0, nodes[:2]
    return run


def link_ends(run: SpatialRun) -> FloatArray:
    """Link ends of all frames so far, (f, n + 1, 2)."""
    links = run.rec.links[: run.frames]
    tip = links[:, -1:, :2] + run.robot.link_length[-1] * links[:, -1:, 3:5]
    return np.concatenate([links[..., :2], tip], axis=1)


class Log:
    """What the engine's frames do not hold: feeder and walls at every frame."""

    def __init__(self, run: SpatialRun) -> None:
        frames, n = len(run.rec.motion), run.robot.links
        self.feed, self.error = np.zeros(frames), np.zeros(frames)
        self.force, self.place = np.zeros((frames, n, 2)), np.full((frames, n, 2), np.nan)
        self.feed_max, self.feed_work = 0.0, 0.0

    def feel(self, run: SpatialRun, before: FloatArray, after: FloatArray) -> float:
        """Force of the feeder (N) along the base's direction after its holds went from `before` to `after` (2, 2)."""
        forces, way = run.surface.pins[:, pins.P_FX : pins.P_FY + 1], after[1] - after[0]
        force = float(forces.sum(axis=0) @ way / np.hypot(*way))
        self.feed_max = max(self.feed_max, abs(force))
        self.feed_work += float((forces * (after - before)).sum())
        return force

    def keep(self, run: SpatialRun, feed: float) -> None:
        """Note the walls and the feeder's force at the last frame."""
        k, gates = run.frames - 1, run.surface.gates
        self.feed[k] = feed
        self.force[k] = gates[:, D_FX : D_FX + 2]
        pressed = gates[:, D_NAME] >= 0.0
        self.place[k, pressed] = gates[pressed, D_X : D_X + 2]


def aim_from(run: SpatialRun, was: FloatArray, aim: FloatArray) -> None:
    """Let the servos' aims go evenly from `was` to `aim` until the next frame."""
    x = np.linspace(0.0, 1.0, 4)
    table = Sampled(run.time + run.stride * run.dt * x, was + (aim - was) * x[:, None]).joint_table(run.robot)
    run.source = run.source._replace(tab=table)


def carry_base(run: SpatialRun, before: FloatArray, after: FloatArray) -> None:
    """Let the feeder's two holds go as from `before` to `after` (2, 2) in the coming step, from where they are."""
    table, v = run.surface.pins, (after - before) / run.dt
    now = table[:, pins.P_X : pins.P_Y + 1] - run.dt * table[:, pins.P_VX : pins.P_VY + 1]
    table[:, pins.P_VX : pins.P_VY + 1], table[:, pins.P_X : pins.P_Y + 1] = v, now + run.dt * v


def feed(
    robot: Robot,
    path: ArrayLike,
    walls: Walls | None = None,
    drive: Drive | None = None,
    *,
    rounding: float | None = None,
    progress: Callable[[float], Any] | None = None,
) -> Passage:
    """Carry the base along a path (k, 2) in m until the head is at its end; walls from `contact.walls.walls_of_grid`."""
    from scipy.interpolate import CubicHermiteSpline

    drive = drive or Drive()
    track = path_track(robot, path, rounding)
    count = max(8, int(track.length / (SPACING * robot.link_length.min())))
    s = np.linspace(0.0, base_end(track, robot.link_length), count)
    if s[-1] < 1e-6 * track.length:
        raise InputError("the robot is as long as the path: there is no way left to feed it")
    angles = joint_angles(laid(track, robot.link_length, s)[0])
    check_limits(robot, angles)
    when, speed = pace(s, angles, drive)
    going = CubicHermiteSpline(when, s, speed)
    rest = 0.5  # s for the servos to come to rest
    stride = drive.stride
    check_duration(float(when[-1]) + rest, drive)
    frames = int(np.ceil((when[-1] + rest) / (stride * drive.step)))
    s = going(np.minimum(drive.step * np.arange(frames * stride + 1), when[-1]))
    nodes = laid(track, robot.link_length, s)[0]
    asked = joint_angles(nodes[::stride])
    run = run_on(robot, nodes[0], asked[0], drive, walls, frames * stride * drive.step, True)
    log = Log(run)
    reason = _carry(run, log, track, drive, nodes[:, :2], asked, s, progress or (lambda share: None))
    return report("feed", run, log, track, reason, 0.5 * float(robot.link_length.max()))


def check_limits(robot: Robot, angles: FloatArray) -> None:
    """Refuse joint angles (., n - 1) beyond the robot's limits."""
    over = np.abs(angles).max(axis=0) - robot.joint_limit
    if np.any(over > 0.0):
        k = int(np.argmax(over))
        raise InputError(
            f"the path bends joint {k + 1} by {np.degrees(np.abs(angles[:, k]).max()):.1f} deg, beyond its limit "
            f"{np.degrees(robot.joint_limit[k]):.1f} deg; round the path or use shorter links"
        )


def _carry(
    run: SpatialRun, log: Log, track: Track, drive: Drive, holds: FloatArray, asked: FloatArray, s: FloatArray,
    progress: Callable[[float], Any],
) -> str:  # fmt: skip
    """Advance frame by frame with the base held at `holds` (steps + 1, 2, 2); why it did not arrive, or nothing."""
    table, lengths, tick = run.surface.pins, run.robot.link_length, run.stride * run.dt
    lag, offset, was = drive.servo.damping / drive.servo.stiffness, np.zeros(asked.shape[1]), asked[0]
    for frame in range(len(asked) - 1):
        progress(frame / (len(asked) - 1))
        # aims lead by the servos' lag, and integral action takes away what forces do
        offset = np.clip(offset + INTEGRAL * (asked[frame] - run.d[:, Q]), -MOST, MOST)
        aim = asked[frame + 1] + lag / tick * (asked[frame + 1] - asked[frame]) + offset
        aim_from(run, was, aim)
        was = aim
        for k in range(frame * run.stride, (frame + 1) * run.stride):
            carry_base(run, holds[k], holds[k + 1])
            if not run.advance(k + 1):
                return f"the run diverged at t = {run.time:.4g} s"
            force = log.feel(run, holds[k], holds[k + 1])
        log.keep(run, force)
        near = (s[run.done] - lengths[0], s[run.done] + 1.5 * run.robot.length)
        log.error[frame + 1] = np.abs(off_track(track, link_ends_now(run), near)[0]).max()
        if table[:, pins.P_SLIPPED].max() > LOST * lengths.min():
            return f"the feeder's holds of {drive.hold:g} N slipped at t = {run.time:.4g} s: it needs more than {2 * drive.hold:g} N"
    return ""


def link_ends_now(run: SpatialRun) -> FloatArray:
    """Link ends of the last frame, (n + 1, 2)."""
    links = run.rec.links[run.frames - 1]
    return np.vstack([links[:, :2], links[-1:, :2] + run.robot.link_length[-1] * links[-1:, 3:5]])


def report(
    kind: str, run: SpatialRun, log: Log, track: Track, reason: str, near: float, said: tuple[str, ...] = ()
) -> Passage:
    """What became of the run: reached where the head is `near` (m) the end of the track."""
    f, gates = run.frames, run.surface.gates
    nodes = link_ends(run)
    gap = float(np.hypot(*(nodes[-1, -1] - track.points[-1])))
    if not reason and gap > near:
        reason = f"the head stayed {gap:.4g} m from the goal"
    deepest = float(gates[:, D_DEEPEST].max())
    if deepest > float(run.robot.radius.min()) and run.surface.walls.sides.size:
        said += (f"a link entered a wall by {deepest:.3g} m, more than its half width: it may have broken through",)
    saturated = float(run.acc[tally.SATURATED])
    if saturated > 0.0:
        said += (f"servos were at their torque limit for {saturated:.3g} s in all",)
    torques = run.rec.joints[:f, :, 2].copy()
    return Passage(
        kind, "stalled" if reason else "reached", reason, run.dt * run.stride * np.arange(f, dtype=np.float64), nodes, torques, log.feed[:f].copy(),
        log.force[:f].copy(), log.place[:f].copy(), log.error[:f].copy(), track.points, run.robot.radius,
        slip=float(run.acc[tally.SLIP_ACROSS]) / run.robot.links, lateral_error_max=float(log.error[:f].max()), penetration_max=deepest,
        feed_force_max=log.feed_max, torque_max=float(run.acc[tally.TORQUE_MAX]), wall_force_max=float(gates[:, D_PEAK].max()),
        positive_work=float(run.acc[tally.POSITIVE_WORK]), feed_work=log.feed_work,
        joint_speed_max=float(np.abs(run.rec.joints[:f, :, 1]).max()), head_to_goal=gap, warnings=said,
    )  # fmt: skip
