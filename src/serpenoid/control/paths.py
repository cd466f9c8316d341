"""A path as a robot is to go along it: the track of its links, the pace of its base within all limits, and the drive it needs.

Servos lag by damping / stiffness of their rate; their aims lead by as much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.contact import Coulomb
from serpenoid.control.execution import Execution, check_start, united
from serpenoid.core import FloatArray, Friction, Robot, Start, Status, Variable, World
from serpenoid.core.actuator import Servo
from serpenoid.core.declare import Description, Part, declare, description
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.obstacles import Upright
from serpenoid.core.quantities import Number
from serpenoid.core.terrain import Ground
from serpenoid.core.world import LAWS
from serpenoid.shapes.track import Track, joint_angles, laid, track_of

SPACING = 0.025  # of the shortest link: points of the track
ROUNDING = 0.25  # of the shortest link: Gaussian that rounds a path of straight pieces
FRAME = 0.02  # s between looks at the joints or the pose
SHARE = 0.45  # of a joint's acceleration for each of its two parts, curvature of the angle and change of pace
AHEAD = 1.05  # of the joints' speed: aims lead the joints, so they go a little faster
LONGEST = 2e3  # s
USUAL_GROUND = Coulomb(0.05, 0.5)  # where neither a drive nor the world says anything of it

ROUNDED = Number("of the path's corners", "m", low=0.0, high=1e6)


@description
class PathDrive(Description):
    """Servos, limits and pace on a path; all assumed where the robot's maker says nothing."""

    servo: Servo = declare(
        Part("of each joint", of=Servo), default_factory=lambda: Servo(1500.0, 40.0, torque_limit=60.0)
    )
    friction: Friction | None = declare(
        Part("law of the ground, instead of the world's; none: the world's", of=LAWS), default=None
    )
    speed: float = declare(Number("along the path", "m/s", above=0.0), default=0.25)
    acceleration: float = declare(Number("along the path", "m/s^2", above=0.0), default=0.5)
    joint_speed: float = declare(Number("of any joint, at most", "rad/s", above=0.0), default=2.0)
    joint_acceleration: float = declare(Number("of any joint, at most", "rad/s^2", above=0.0), default=8.0)
    hold: float = declare(Number("force that each of the feeder's two holds withstands", "N", above=0.0), default=200.0)

    def check(self) -> None:
        """Servos that follow need a stiffness."""
        if self.servo.stiffness <= 0.0:
            raise InputError("servos that follow a path need a stiffness > 0")

    @property
    def lag(self) -> float:
        """Time by which a joint is behind its aim, s."""
        return self.servo.damping / self.servo.stiffness


class PathExecution(Execution):
    """Base of the controllers that take a robot along a path: its description, and what both of them report."""

    def __init__(
        self, robot: Robot, path: ArrayLike, obstacles: Sequence[Any], drive: PathDrive | None, rounding: float | None
    ) -> None:
        super().__init__()
        if not isinstance(obstacles, tuple | list) or not all(isinstance(one, Upright) for one in obstacles):
            raise InputError(f"obstacles must be a tuple of upright obstacles, got {obstacles!r}"[:200])
        self.body, self.obstacles, self.drive = robot, tuple(obstacles), drive or PathDrive()
        self.usual = USUAL_GROUND if drive is None else None
        self.law = self.drive.friction or self.usual  # of the ground; none: the world's, which is known when it is made
        self.track = path_track(robot, path, rounding)
        self.first = np.zeros((robot.links + 1, 2))  # m: link ends at the start
        self.clearance: float | None = None  # m: of the nearest link from a wall in the plan, where there is one
        self.reason = ""  # why it did not arrive
        self.over = False
        self.gap = float(np.inf)  # m: head's tip from the end of the path
        self.speed_max = 0.0  # rad/s, of joints, at looks
        self.pressed = 0.0  # N: greatest force of walls on a link at the last look
        self.felt: set[tuple[int, int]] = set()  # link and obstacle that touched
        self.looks: list[list[float]] = []  # time, lateral error, force of the feeder

    @door
    def robot(self, robot: Robot) -> Robot:
        """The robot with servos in its joints."""
        fastest = min(self.drive.joint_speed, self.drive.servo.speed_limit or np.inf)
        return robot.but(servo=replace(self.drive.servo, speed_limit=AHEAD * fastest))

    @door
    def world(self, world: World | None = None) -> World:
        """The world with the ground of the drive and the obstacles of the path."""
        given = world or World()
        usual = self.usual if given.friction == World().friction else None  # of a world that says nothing of friction
        self.law = self.drive.friction or usual or given.friction
        ground = given.ground or Ground("point", 2e4, 200.0)
        full = replace(given, friction=self.law, ground=ground, obstacles=united(self.obstacles, given.obstacles))
        return self.stand_in(full, self.body)

    def start(self) -> Start:
        """The robot laid on its path."""
        way = self.first[-1] - self.first[0]
        return Start((float(self.first[0, 0]), float(self.first[0, 1])), float(np.arctan2(way[1], way[0])))

    def first_angles(self) -> FloatArray:
        """Joint angles (dof,) of the robot laid on its path."""
        return joint_angles(self.first)

    def put(self, nodes: FloatArray) -> None:
        """Begin with the link ends at `nodes` (n + 1, 2)."""
        self.first = np.array(nodes)
        check_start(self.first, self.body, self.obstacles)

    def look(self, state: Any, lateral_error: float, feed: float = 0.0) -> None:
        """Keep what is reported of a look."""
        ends = state.nodes[:, :2]
        self.gap = float(np.hypot(*(ends[-1] - self.track.points[-1])))
        self.speed_max = max(self.speed_max, float(np.abs(state.joint_rates).max(initial=0.0)))
        self.looks.append([float(state.time), float(lateral_error), float(feed)])
        if self.obstacles:
            self._feel_walls(state)

    def _feel_walls(self, state: Any) -> None:
        """Note links that are pressed by an obstacle for the first time."""
        sizes, names = state.wall_pressures, state.wall_obstacles
        self.pressed = float(sizes.max())
        for k in np.flatnonzero(names >= 0):
            link, obstacle = int(k) + 1, int(names[k])
            if (link, obstacle) not in self.felt:
                self.felt.add((link, obstacle))
                x, y = (float(v) for v in state.wall_points[k, :2])
                text = f"obstacle {obstacle} presses on link {link}"
                self.note(state.time, "felt", text, link=link, obstacle=obstacle, force=float(sizes[k]), x=x, y=y)

    def finish(self, t: float, reason: str, near: float) -> None:
        """End: arrived where the head is `near` (m) the end of the path and there is no other reason."""
        if not reason and self.gap > near:
            reason = f"the head stayed {self.gap:.4g} m from the goal"
        self.over, self.reason = True, reason
        self.note(
            t,
            "stalled" if reason else "reached",
            reason or f"the head is {self.gap:.3g} m from the end of the path",
            head_to_goal=self.gap,
        )

    def status(self) -> Status:
        """Ok where the head arrived and no link went into a wall."""
        return self.judged(self._arrival())

    def _arrival(self) -> Status:
        """Ok where the head arrived."""
        last = self.looks[-1][0] if self.looks else 0.0
        if not self.over:
            return Status("stalled", f"time ran out after {last:.4g} s, the head {self.gap:.3g} m from the goal", last)
        if self.reason:
            return Status("blocked" if self.pressed > 0.0 else "stalled", f"{self.reason}, at t = {last:.4g} s", last)
        return Status("ok")

    def warnings(self) -> list[str]:
        """What to beware of."""
        return []

    def report(self) -> dict[str, Any]:
        """Numbers by name."""
        planned = {} if self.clearance is None else {"clearance_planned": self.clearance}
        return {
            **planned, "head_to_goal": self.gap, "lateral_error_max": max((row[1] for row in self.looks), default=0.0),
            "penetration_max": self.peak("wall_depth"), "wall_force_max": self.peak("wall_force"), "torque_max": self.peak("joint_torque"),
            "joint_speed_max": self.speed_max,
        }  # fmt: skip

    def variables(self) -> dict[str, Variable]:
        """What was kept at the looks, and the path as followed."""
        rows = np.array(self.looks, dtype=float).reshape(-1, 3)
        return {
            "call_time": Variable(("call",), rows[:, 0], "s", "time of a look"),
            "lateral_error": Variable(
                ("call",), rows[:, 1], "m", "greatest distance of a link's end from the curve that it is to follow"
            ),
            "path": Variable(
                ("path_point", "xyz"),
                np.column_stack([self.track.points, np.zeros(len(self.track.points))]),
                "m",
                "path as followed",
            ),
        }

    def path_memory(self) -> dict[str, Any]:
        """Everything that both kinds remember."""
        return {
            **self.execution_memory(), "reason": self.reason, "over": self.over, "gap": self.gap, "speed_max": self.speed_max,
            "pressed": self.pressed, "felt": sorted([list(pair) for pair in self.felt]),
            "looks": np.array(self.looks, dtype=float).reshape(-1, 3),
        }  # fmt: skip

    def recall_path(self, memory: Mapping[str, Any]) -> None:
        """Take back what `path_memory` gave."""
        self.recall_execution(memory)
        self.reason, self.over = str(memory["reason"]), bool(memory["over"])
        self.gap, self.speed_max, self.pressed = (
            float(memory["gap"]),
            float(memory["speed_max"]),
            float(memory["pressed"]),
        )
        self.felt = {(int(link), int(obstacle)) for link, obstacle in memory["felt"]}
        self.looks = [[float(v) for v in row] for row in np.reshape(memory["looks"], (-1, 3))]


def path_track(robot: Robot, path: ArrayLike, rounding: float | None = None) -> Track:
    """The path as a track for the robot's links, rounded (m; default a quarter of a link); refused where it is too short."""
    if any(kind != "yaw" for _, kind in robot.axes):
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


def pace(s: FloatArray, angles: FloatArray, drive: PathDrive) -> tuple[FloatArray, FloatArray]:
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


def check_longest(duration: float) -> None:
    """Refuse a run that takes longer than is reasonable."""
    if duration > LONGEST:
        raise InputError(
            f"this way takes {duration:.3g} s; at most {LONGEST:g} s are run: is the size of a cell right?"
        )


def check_limits(robot: Robot, angles: FloatArray) -> None:
    """Refuse joint angles (., n - 1) beyond the robot's limits."""
    over = np.abs(angles).max(axis=0) - robot.joint_limit
    if np.any(over > 0.0):
        k = int(np.argmax(over))
        raise InputError(
            f"the path bends joint {k + 1} by {np.degrees(np.abs(angles[:, k]).max()):.1f} deg, beyond its limit "
            f"{np.degrees(robot.joint_limit[k]):.1f} deg; round the path or use shorter links"
        )
