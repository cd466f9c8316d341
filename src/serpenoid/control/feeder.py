"""A robot fed along a path between walls that it can really touch: its base is carried, every joint follows the leader.

Two points of the first link are held by the feeder (`Anchor`), which carries them along the path; servos turn the joints to what they are
on the path there. The feeder's pace keeps all joints within their speed and acceleration. What forces do to the joints, integral
action of their servos takes away.

    feeder = Feeder(robot, path, walls)
    run = sp.simulate(robot, feeder, duration=feeder.longest)

| in `report()`, `variables()` | meaning | unit |
|---|---|---|
| `lateral_error` | greatest distance of a link's end from the curve that it is to follow | m |
| `feed_force` | force of the feeder on the base along its way, positive where it pushes forward | N |
| `feed_work` | of the feeder | J |
| `penetration_max` | deepest entry of a link into a wall | m |
| `wall_force_max`, `torque_max` | greatest force of walls on a link, torque of a joint's servo | N, N m |
| `head_to_goal` | distance of the head's tip from the end of the path at the end | m |

The holds move at a constant velocity from call to call, so `period` is short: the step in space.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.control.controller import Command, Hold
from serpenoid.control.execution import united, whole_periods
from serpenoid.control.paths import (
    FRAME,
    ROUNDED,
    PathDrive,
    PathExecution,
    base_end,
    check_limits,
    check_longest,
    pace,
)
from serpenoid.core import Anchor, Robot, Variable, World
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Number
from serpenoid.shapes.track import joint_angles, laid, off_track

STIFFNESS = 1e5  # N/m of the feeder's holds
INTEGRAL, MOST = 0.1, 0.05  # of a joint's error, taken into its aim at each look; rad at most
LOST = 0.05  # of a link's length: a feeder that has slipped by more has lost the robot
REST = 0.5  # s for the servos to come to rest at the end
PERIOD = 1e-3  # s
POINTS = 0.025  # of the shortest link: places for which the pace is found


class Feeder(PathExecution):
    """Carries the base of a robot along a path (k, 2) in m until its head is at the end.

    Parameters
    ----------
    robot : Robot with yaw joints
    path : points (k, 2), m
    obstacles : upright ones: Disc, Polygon, Wall, Grid
    drive : PathDrive, servos and pace
    rounding : m, of the path; default a quarter of a link
    period : s between calls, FRAME (0.02 s) or a whole part of it
    """

    NAME = "feeder"

    @door(period=Number(above=0.0, high=1.0), rounding=ROUNDED)
    def __init__(
        self, robot: Robot, path: ArrayLike, obstacles: Sequence[Any] = (), drive: PathDrive | None = None, *, rounding: float | None = None,
        period: float = PERIOD,
    ) -> None:  # fmt: skip
        super().__init__(robot, path, obstacles, drive, rounding)
        self.every = max(1, round(FRAME / period))  # calls from look to look
        self.period = FRAME / self.every
        self._plan()
        self.k = 0  # calls so far
        self.offset = np.zeros(robot.links - 1)  # rad: integral action, as it is now
        self.onward = np.zeros(robot.links - 1)  # rad: as it will be at the next look
        self.feed_max, self.feed_work = 0.0, 0.0

    def _plan(self) -> None:
        """Places of the holds and angles of the joints at every call."""
        from scipy.interpolate import CubicHermiteSpline

        track, lengths = self.track, self.body.link_length
        count = max(8, int(track.length / (POINTS * lengths.min())))
        s = np.linspace(0.0, base_end(track, lengths), count)
        if s[-1] < 1e-6 * track.length:
            raise InputError("the robot is as long as the path: there is no way left to feed it")
        angles = joint_angles(laid(track, lengths, s)[0])
        check_limits(self.body, angles)
        when, speed = pace(s, angles, self.drive)
        check_longest(float(when[-1]) + REST)
        frames = int(np.ceil((when[-1] + REST) / FRAME))
        t = self.period * np.arange(frames * self.every + 1)
        self.places = CubicHermiteSpline(when, s, speed)(np.minimum(t, when[-1]))  # m: of the base along the track
        nodes = laid(track, lengths, self.places)[0]
        # plain numbers of the two holds, for they are needed at every call: first places (m), ways (m) and unit vector along the link
        self.holds = [tuple(place) for place in nodes[0, :2].tolist()]
        self.ways = np.diff(nodes[:, :2], axis=0).reshape(-1, 4).tolist()
        along = nodes[:, 1] - nodes[:, 0]
        self.along = (along / np.hypot(along[:, 0], along[:, 1])[:, None]).tolist()
        self.asked = np.unwrap(joint_angles(nodes), axis=0)
        rates = np.asarray(np.gradient(self.asked, self.period, axis=0))
        rates[0] = rates[-1] = 0.0
        self.rates = rates
        self.put(nodes[0])

    @property
    def longest(self) -> float:
        """Time (s) at which it is done."""
        return whole_periods(self.period * len(self.asked), FRAME)

    @door
    def world(self, world: World | None = None) -> World:
        """The world with ground, obstacles and the feeder's two holds."""
        full = super().world(world)
        ends = (0.0, float(self.body.link_length[0]))
        holds = tuple(Anchor(0, at, self.drive.hold, STIFFNESS) for at in ends)
        return replace(full, anchors=united(holds, full.anchors))

    def command(self, state: Any, t: float) -> Command:
        """Carry the holds on, and the aims of the joints; look at every frame."""
        if self.over:
            return Command(done=True)
        k, n = self.k, self.every
        feed = self._feel(state, k) if k else 0.0
        if k % n == 0:
            self._look(state, t, feed)
            if self.over:
                return Command(done=True)
        self.k += 1
        share = (k % n + 1) / n
        aims = (
            self.asked[k + 1] + self.drive.lag * self.rates[k + 1] + (1.0 - share) * self.offset + share * self.onward
        )
        ax, ay, bx, by = (way / self.period for way in self.ways[k])
        first, second = self.holds if k == 0 else (None, None)  # later they go on from where they are
        return Command(aims, self.rates[k + 1], anchors={0: Hold(first, (ax, ay)), 1: Hold(second, (bx, by))})

    def _feel(self, state: Any, k: int) -> float:
        """Force of the feeder (N) along the base's direction after the last call; its work."""
        (fx, fy, _), (gx, gy, _) = state.anchor_forces[:2].tolist()
        (ax, ay, bx, by), (ux, uy) = self.ways[k - 1], self.along[k]
        force = float((fx + gx) * ux + (fy + gy) * uy)
        self.feed_max = max(self.feed_max, abs(force))
        self.feed_work += float(fx * ax + fy * ay + gx * bx + gy * by)
        return force

    def _look(self, state: Any, t: float, feed: float) -> None:
        """Once in a frame: errors from the path, integral action, whether the feeder has lost the robot."""
        k, lengths = self.k, self.body.link_length
        self.keep_peaks(state)
        near = (self.places[k] - lengths[0], self.places[k] + 1.5 * self.body.length)
        self.look(state, float(np.abs(off_track(self.track, state.nodes[:, :2], near)[0]).max()), feed)
        slipped = self.peaks["anchor_slip"][:2].max()
        if slipped > LOST * lengths.min():
            hold = self.drive.hold
            self.note(t, "slip", f"the feeder's holds slipped by {slipped:.3g} m", slip=float(slipped))
            self.finish(
                t,
                f"the feeder's holds of {hold:g} N slipped: it needs more than {2 * hold:g} N",
                0.5 * float(lengths.max()),
            )
        elif k + 1 >= len(self.asked):
            self.finish(t, "", 0.5 * float(lengths.max()))
        self.offset = self.onward
        self.onward = np.clip(self.offset + INTEGRAL * (self.asked[k] - state.joint_angles), -MOST, MOST)

    def report(self) -> dict[str, Any]:
        """The numbers of the module's table."""
        return {**super().report(), "feed_force_max": self.feed_max, "feed_work": self.feed_work}

    def variables(self) -> dict[str, Variable]:
        """What was kept at the looks."""
        rows = np.array(self.looks, dtype=float).reshape(-1, 3)
        force = Variable(("call",), rows[:, 2], "N", "force of the feeder on the base along its way")
        return {**super().variables(), "feed_force": force}

    def memory(self) -> dict[str, Any]:
        """Everything it remembers."""
        return {
            **self.path_memory(), "k": self.k, "offset": self.offset.copy(), "onward": self.onward.copy(), "feed_max": self.feed_max,
            "feed_work": self.feed_work,
        }  # fmt: skip

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Take back what `memory` gave."""
        self.recall_path(memory)
        self.k, self.feed_max, self.feed_work = int(memory["k"]), float(memory["feed_max"]), float(memory["feed_work"])
        self.offset, self.onward = (np.array(memory[name], dtype=float) for name in ("offset", "onward"))
