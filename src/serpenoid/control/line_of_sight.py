"""Path following by line of sight: the gait is steered towards a point of the path some way ahead.

    heading wanted = direction of the stretch - atan((e + sigma y) / Delta),      y' = Delta e / ((e + sigma y)^2 + Delta^2)

| symbol | meaning | unit |
|---|---|---|
| e | distance of the body's centre from the line of the stretch, to the left, mean over the last period of the gait | m |
| Delta | `look_ahead`: how far along the line the point lies that is aimed at; none: the body's length | m |
| sigma | `integral`: how strongly a lasting distance counts, which a robot that crabs leaves; 0: not at all | m/s |
| y | integral of it (sigma y in m) | s |

The path is a polyline. The next stretch begins where the way left on this one, along its line, is less than `acceptance`. The heading is that of
`control.steering`: the mean link direction over a period, brought to the one wanted by bending the whole body. With `stop` the run ends where
the last stretch does (status "stalled" if it did not get there); without it the last line has no end. With a negative `gain` the robot goes along the
path tail first.

After Liljebaeck, Pettersen, Stavdahl and Gravdahl, "Snake Robots" (Springer 2013), sections 5 and 8 (straight paths, waypoints), and, for the integral
action, Borhaug, Pavlov and Pettersen (CDC 2008). There the offset is proportional to the heading's error; here it has integral action, too.

    follow = sp.control.LineOfSight(gait, path=((0.0, 0.0), (5.0, 0.0), (5.0, 4.0)))
    run = sp.simulate(robot, follow, world, duration=60.0)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from serpenoid.control.controller import Command
from serpenoid.control.steering import PERIOD, Steering, SteeringController
from serpenoid.core import FloatArray, Gait, Robot, Start, Status, Variable, World
from serpenoid.core.command import CONTROLLERS, GAITS
from serpenoid.core.declare import Description, Part, declare, description
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Angle, Flag, Number
from serpenoid.core.several import Points
from serpenoid.core.trajectory import Event


@CONTROLLERS.register
@description(eq=False)
class LineOfSight(Description):
    """A gait steered along a polyline by line of sight."""

    gait: Gait = declare(Part("to be steered", of=GAITS))
    path: tuple[tuple[float, float], ...] = declare(Points("corners of the polyline, in their order", "m", least=2))
    look_ahead: float | None = declare(
        Number("along the line to the point aimed at; none: the body's length", "m", above=0.0), default=None
    )
    integral: float = declare(
        Number("how strongly a lasting distance counts; 0: not at all", "m/s", low=0.0), default=0.0
    )
    acceptance: float | None = declare(
        Number("way left on a stretch at which the next begins; none: half the body's length", "m", above=0.0),
        default=None,
    )
    stop: bool = declare(Flag("whether the run ends where the path does"), default=True)
    gain: float = declare(
        Number("bend of the whole body per error of the heading; negative for a robot that moves tail first", low=-1e3, high=1e3), default=2.0
    )  # fmt: skip
    integral_time: float = declare(Number("of the heading's integral action; 0: none", "s", low=0.0), default=10.0)
    limit: float = declare(Angle("greatest bend of the whole body", above=0.0, high=20.0), default=1.0)
    period: float = declare(Number("between calls", "s", above=0.0), default=PERIOD)

    NAME = "line-of-sight"
    TAG = "kind"
    SECTION = "controller"

    def check(self) -> None:
        """Stretches have lengths."""
        for k, step in enumerate(np.diff(np.array(self.path), axis=0)):
            if np.hypot(*step) < 1e-9:
                raise InputError(f"path: points {k} and {k + 1} are the same place, {self.path[k]}")

    def prepare(self, robot: Robot, world: World, start: Start, progress: Any = None) -> tuple[Any, ...]:
        """What carries it out; it brings nothing along, and has no end of its own."""
        return robot, world, LineOfSightController(robot, self), start, None


class LineOfSightController(SteeringController):
    """Carries out `LineOfSight` on a robot."""

    NAME = "line-of-sight"

    def __init__(self, robot: Robot, sight: LineOfSight) -> None:
        steering = Steering(
            sight.gait, gain=sight.gain, integral_time=sight.integral_time, limit=sight.limit, period=sight.period
        )
        super().__init__(robot, steering)
        self.sight, self.path = sight, np.array(sight.path, dtype=float)
        self.look_ahead = sight.look_ahead or robot.length
        self.acceptance = 0.5 * robot.length if sight.acceptance is None else sight.acceptance
        self.stretch, self.lasting = 0, 0.0  # number of the stretch; integral of the distance, s
        self.places: list[list[float]] = []  # of the centre in the last cycle, m
        self.looks: list[list[float]] = []  # time, distance from the line, way left on the path
        self.over = False

    def seen(self, centre: FloatArray) -> tuple[float, float, float]:
        """Of the stretch in force: distance from its line to the left (m), way left along it (m), its direction (rad)."""
        begin, end = self.path[self.stretch : self.stretch + 2]
        along = (end - begin) / np.hypot(*(end - begin))
        arm = centre - begin
        left = float(np.hypot(*(end - begin)) - arm @ along)
        return float(along[0] * arm[1] - along[1] * arm[0]), left, float(np.arctan2(along[1], along[0]))

    def command(self, state: Any, t: float) -> Command:
        """Angles of the gait, bent towards the point that is aimed at."""
        self.places = [*self.places, [float(v) for v in state.com[:2]]][-self.window :]
        here, centre = np.array(self.places[-1]), np.mean(self.places, axis=0)
        while self.stretch < len(self.path) - 2 and self.seen(here)[1] < self.acceptance:
            self.stretch += 1
            self.events.append(
                Event(float(t), "stretch", f"stretch {self.stretch} of the path begins", {"stretch": self.stretch})
            )
        (error, _, direction), left = self.seen(centre), self.seen(here)[1]
        aside = error + self.sight.integral * self.lasting
        self.lasting += self.period * self.look_ahead * error / (aside**2 + self.look_ahead**2)
        wanted = direction - float(np.arctan2(aside, self.look_ahead))
        if self.sight.gain < 0.0:  # the tail goes first, the heading points back
            wanted += np.pi
        now = float(np.mean([*self.headings, float(state.heading)][-self.window :]))
        self.wanted = wanted + 2.0 * np.pi * round((now - wanted) / (2.0 * np.pi))  # the shorter way round
        ways = np.hypot(*np.diff(self.path[self.stretch + 1 :], axis=0).T).sum()
        self.looks.append([float(t), error, left + float(ways)])
        answer = super().command(state, t)
        if self.sight.stop and self.stretch == len(self.path) - 2 and left <= 0.0:
            self.over = True
            self.events.append(Event(float(t), "reached", f"end of the path, {error:.3g} m beside it", {"distance": error}))  # fmt: skip
            return Command(answer.angles, done=True)
        return answer

    def status(self) -> Status:
        """Ok where the path was followed to its end, or has none."""
        if self.sight.stop and not self.over:
            t, _, left = self.looks[-1] if self.looks else (0.0, 0.0, np.nan)
            return Status("stalled", f"time ran out after {t:.4g} s, {left:.3g} m before the end of the path", t)
        return Status("ok")

    def report(self) -> dict[str, Any]:
        """What steering reports, the distance from the path and the way left at the end."""
        if not self.looks:
            return {}
        return {**super().report(), "path_distance": self.looks[-1][1], "path_left": self.looks[-1][2], "path_stretch": self.stretch}  # fmt: skip

    def variables(self) -> dict[str, Variable]:
        """What steering keeps, and the distance from the path."""
        rows = np.array(self.looks, dtype=float).reshape(-1, 3)
        found = super().variables()
        found["path_distance"] = Variable(("call",), rows[:, 1], "m", "distance from the line of the stretch, to the left, mean over a period")  # fmt: skip
        found["path_left"] = Variable(("call",), rows[:, 2], "m", "way left along the path")
        return found

    def memory(self) -> dict[str, Any]:
        """Everything it remembers."""
        own = {
            "stretch": self.stretch, "lasting": self.lasting, "over": self.over, "places": np.array(self.places).reshape(-1, 2),
            "looks": np.array(self.looks, dtype=float).reshape(-1, 3),
            "stretches": [[e.time, e.data["stretch"]] for e in self.events if e.kind == "stretch"],
        }  # fmt: skip
        return {**super().memory(), **own}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Take back what `memory` gave."""
        super().recall(memory)
        self.stretch, self.lasting, self.over = int(memory["stretch"]), float(memory["lasting"]), bool(memory["over"])
        self.places = [[float(v) for v in row] for row in np.reshape(memory["places"], (-1, 2))]
        self.looks = [[float(v) for v in row] for row in np.reshape(memory["looks"], (-1, 3))]
        self.events = [
            Event(float(t), "stretch", f"stretch {int(k)} of the path begins", {"stretch": int(k)})
            for t, k in memory["stretches"]
        ]
        if self.over:
            t, error, _ = self.looks[-1]
            self.events.append(Event(t, "reached", f"end of the path, {error:.3g} m beside it", {"distance": error}))

    def __repr__(self) -> str:
        return f"LineOfSightController({self.sight!r})"
