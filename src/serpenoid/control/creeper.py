"""The free robot creeps along a path by itself: an undulation carried on the path, steered by the pose that is measured.

The joints are what they are on the curve K (`course`) with the base at s, which advances at the wave's speed: the body follows its leader along
K, and friction across the links carries the thrust. Looks at the measured pose keep the curve where the body really is. A straight body
has no thrust, which is refused.

    creeper = Creeper(robot, path, walls)
    run = sp.simulate(robot, creeper, duration=creeper.longest)

The lateral error of a run is the distance of its link ends from K without what it has slipped aside. `report()` as of the `feeder`, without one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.contact.walls import walls_around
from serpenoid.control.controller import Command
from serpenoid.control.course import Course, Undulation
from serpenoid.control.execution import whole_periods
from serpenoid.control.paths import FRAME, ROUNDED, PathDrive, PathExecution, check_longest
from serpenoid.core import Robot
from serpenoid.core.door import door
from serpenoid.shapes.track import joint_angles

PATIENCE = 8.0  # s without headway
HEADWAY = 0.02  # of the body length: less is none
NEAR = 0.01  # of the body length: the head is there
SLOWEST = 0.2  # of the speed, at the end
EASY = 0.1  # friction along to across: above it a creeping body slips much


class Creeper(PathExecution):
    """Lets the free robot creep along a path (k, 2) in m from its start, base first on it, until its head is at the end.

    Parameters
    ----------
    robot : Robot with yaw joints
    path : points (k, 2), m
    obstacles : upright ones: Disc, Polygon, Wall, Grid
    drive : PathDrive, servos and pace
    wave : Undulation, its amplitude and length
    rounding : m, of the path; default a quarter of a link
    """

    NAME = "creeper"

    @door(rounding=ROUNDED)
    def __init__(
        self, robot: Robot, path: ArrayLike, obstacles: Sequence[Any] = (), drive: PathDrive | None = None, *, wave: Undulation | None = None,
        rounding: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(robot, path, obstacles, drive, rounding)
        wave = wave or Undulation()
        self.period = FRAME
        self.course = Course(robot, self.track, walls_around(self.obstacles), wave)
        self.course.check(self.track.length - robot.length, wave.amplitude)
        self.longest = whole_periods(4.0 * self.track.length / self.drive.speed + PATIENCE, FRAME)
        check_longest(self.longest)
        self.put(self.course.posture(0.0)[0])
        self.base, self.speed = 0.0, 0.0  # m along the path, m/s
        self.curled = joint_angles(self.first)  # rad: on the curve
        self.best, self.since = -1e300, 0.0  # m, s: farthest place of the head, and when

    def command(self, state: Any, t: float) -> Command:
        """Look at the pose, move the curve to it, and go on along it."""
        if self.over:
            return Command(done=True)
        self.keep_peaks(state)
        course, drive, robot = self.course, self.drive, self.body
        self.base, error = course.look(self.base, state.nodes[:, :2])
        self.look(state, error)
        head = float(course.posture(self.base)[1][-1])
        left = self.track.length - head
        self._judge(t, head, left)
        if self.over:
            return Command(done=True)
        near = max(np.sqrt(2.0 * drive.acceleration * max(left, 0.0)), SLOWEST * drive.speed)
        steepest = course.steepest(self.base, drive.speed * FRAME)
        self.speed = float(
            min(self.speed + drive.acceleration * FRAME, drive.speed, near, drive.joint_speed / steepest)
        )
        self.base += self.speed * FRAME
        before = self.curled
        self.curled = np.clip(joint_angles(course.posture(self.base)[0]), -robot.joint_limit, robot.joint_limit)
        rates = (self.curled - before) / FRAME
        return Command(self.curled + drive.lag * rates, rates)

    def _judge(self, t: float, head: float, left: float) -> None:
        """Whether it has arrived, or makes no headway."""
        size = self.body.length
        if left < NEAR * size:
            self.finish(t, "", 0.5 * size)
        elif head > self.best + HEADWAY * size:
            self.best, self.since = head, t
        elif t - self.since > PATIENCE:
            self.finish(t, f"no headway for {PATIENCE:g} s: the head is {left:.3g} m before the goal", 0.5 * size)

    def warnings(self) -> list[str]:
        """What to beware of."""
        law, found = self.law, super().warnings()
        if law is not None and (law.across <= 0.0 or law.along / law.across > EASY + 1e-9):
            found.append(
                f"friction along / across is {law.along:g} / {law.across:g}; above {EASY:g} a creeping body slips much"
            )
        return found

    def memory(self) -> dict[str, Any]:
        """Everything it remembers."""
        return {
            **self.path_memory(), "base": self.base, "speed": self.speed, "angles": self.curled.copy(), "best": self.best, "since": self.since,
            "aside": self.course.aside.copy(), "back": self.course.back,
        }  # fmt: skip

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Take back what `memory` gave."""
        self.recall_path(memory)
        self.base, self.speed = float(memory["base"]), float(memory["speed"])
        self.best, self.since = float(memory["best"]), float(memory["since"])
        self.curled = np.array(memory["angles"], dtype=float)
        self.course.aside, self.course.back = np.array(memory["aside"], dtype=float), float(memory["back"])
