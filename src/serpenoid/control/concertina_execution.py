"""The concertina plan's part of the description, and what its execution reports; `concertina` carries it out.

| in `report()` | meaning | unit |
|---|---|---|
| head_errors | head against the plan at the end of every leg | m |
| ends | of every leg: "settled", "held" by an obstacle or "late" | |
| torque_max | greatest torque of each yaw joint | N m |
| pin_force_max, pin_slip | of the eight solenoids: one per link, two on the head | N, m |
| contact_force_max, penetration_max | of obstacles on each link; of any link into them | N, m |
| touches | leg, link (from 1), obstacle, time (first, last), force, point, direction of what pressed on links | s, N, m |
| feelings | leg, time and suspects of what the joint torques told | |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from serpenoid.contact import Coulomb
from serpenoid.control.execution import Execution, check_start, united, whole_periods
from serpenoid.control.feeling import SMOOTHING, Feelers, Feeling, Touch
from serpenoid.control.motors import Motors
from serpenoid.core import Anchor, FloatArray, Robot, Start, Status, Variable, World
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Ground
from serpenoid.gaits.concertina import duration

PERIOD = 0.02  # s between looks at the joints and at the forces of contact
PIN_LINKS = (0, 1, 2, 3, 4, 5, 6, 6)  # solenoids t1 .. t8: one per link, two on the head
HEAD_PINS = 0.6  # of the head's length: between its two pins
GRAVITY = 9.81  # m/s^2, for what the torques tell


class ConcertinaExecution(Execution):
    """Seven links that carry out legs: what they need, and how it went."""

    NAME = "concertina"

    def __init__(self, robot: Robot, legs: Sequence[Any], motors: Motors, obstacles: Sequence[Any]) -> None:
        super().__init__()
        _check(robot, legs, motors, obstacles)
        self.body, self.legs, self.motors, self.period, self.obstacles = (
            robot,
            tuple(legs),
            motors,
            PERIOD,
            tuple(obstacles),
        )
        self.solids: tuple[Any, ...] = ()
        self.ground: Ground | None = None
        self.lift = 0.0  # rad
        self.yaw = np.array([k for k, (_, kind) in enumerate(robot.axes) if kind == "yaw"])
        self.feelers = Feelers(robot, motors, GRAVITY)
        self.head_errors: list[float] = []
        self.ends: list[str] = []
        self.blocked = ""  # why the last leg ended off the plan
        self.over = False
        self.calls: list[list[float]] = []  # time, leg (from 1) and progress at every call

    # the description that the plan brings

    @door
    def robot(self, robot: Robot) -> Robot:
        """The robot with servos in its joints."""
        return robot.but(servo=self.motors.servo)

    @door
    def world(self, world: World | None = None) -> World:
        """The world with casters, pins and obstacles."""
        robot, motors = self.body, self.motors
        half = 0.5 * HEAD_PINS * float(robot.link_length[-1])
        at = [float(robot.contact_offset[k]) for k in PIN_LINKS]
        at[6], at[7] = at[6] - half, at[7] + half
        pins = tuple(Anchor(link, place, motors.hold) for link, place in zip(PIN_LINKS, at, strict=True))
        given = world or World()
        casters = Coulomb(motors.friction, motors.friction, smoothing=SMOOTHING)
        ground = self.ground or Ground("point", 2e4, 200.0)
        obstacles = united((*self.obstacles, *self.solids), given.obstacles)
        full = replace(given, friction=casters, ground=ground, anchors=united(pins, given.anchors), obstacles=obstacles)
        return self.stand_in(full, robot)

    def start(self) -> Start:
        """Where the first leg begins."""
        nodes = self.legs[0].nodes(0.0)[0]
        way = nodes[-1] - nodes[0]
        return Start((float(nodes[0, 0]), float(nodes[0, 1])), float(np.arctan2(way[1], way[0])))

    def first_angles(self) -> FloatArray:
        """Angles (dof,) with which the first leg begins."""
        return self._columns(self.legs[0].angles(0.0)[0], 0.0)

    @property
    def longest(self) -> float:
        """Time (s) after which it is done, one way or another."""
        m = self.motors
        total = sum(2.0 * duration(leg, m.speed, m.acceleration) + 2.0 * m.patience + 0.5 for leg in self.legs)
        return whole_periods(total, self.period)

    def _columns(self, yaw: FloatArray, pitch: float) -> FloatArray:
        """Values of all degrees of freedom from those of the six yaw joints and the head's pitch."""
        every = np.zeros(len(self.body.axes))
        every[self.yaw] = yaw
        if self.lift > 0.0:
            every[-1] = pitch
        return every

    # how it went

    @property
    def touches(self) -> tuple[Touch, ...]:
        """What pressed on which link, leg by leg."""
        return tuple(self.feelers.touches.values())

    @property
    def feelings(self) -> tuple[Feeling, ...]:
        """What the joint torques tell, leg by leg."""
        return tuple(self.feelers.feelings.values())

    def status(self) -> Status:
        """Ok where every leg was carried out, the last one ended on the plan, and no link went into an obstacle."""
        return self.judged(self._arrival())

    def _arrival(self) -> Status:
        """Ok where every leg was carried out and the last one ended on the plan."""
        last = self.events[-1].time if self.events else 0.0
        if self.blocked:
            return Status("blocked", self.blocked, last)
        if not self.over:
            return Status("stalled", f"time ran out in leg {len(self.ends) + 1} of {len(self.legs)}", last)
        return Status("ok")

    def warnings(self) -> list[str]:
        """Everything that did not go as planned."""
        found = [self.blocked] if self.blocked else []
        slip, force = self.peaks.get("anchor_slip", np.zeros(8))[:8], self.peaks.get("wall_force", np.zeros(7))
        slipped = np.flatnonzero(slip > 0.0)
        if slipped.size:
            worst = int(np.argmax(slip))
            links = ", ".join(str(k) for k in sorted({PIN_LINKS[k] + 1 for k in slipped}))
            found.append(f"pins slipped on links {links}: pin {worst + 1} by {slip[worst]:.3g} m; they hold too little")
        for end, text in (("held", "were held by obstacles"), ("late", "did not settle in time")):
            if end in self.ends:
                found.append(
                    f"{self.ends.count(end)} of {len(self.ends)} legs {text}, the first is leg {self.ends.index(end) + 1}"
                )
        limit, k = self.motors.force_limit, int(np.argmax(force))
        if force[k] > limit:
            found.append(f"the contact force on link {k + 1} reached {force[k]:.3g} N, above the limit of {limit:g} N")
        return found

    def report(self) -> dict[str, Any]:
        """The numbers of the module's table."""
        torque = self.peaks.get("joint_torque", np.zeros(len(self.body.axes)))
        return {
            "legs": len(self.ends), "ends": list(self.ends), "head_errors": list(self.head_errors),
            "head_error": self.head_errors[-1] if self.head_errors else 0.0,
            "torque_max": np.asarray(torque)[self.yaw].tolist(),
            "pin_force_max": np.asarray(self.peaks.get("anchor_force", np.zeros(8)))[:8].tolist(),
            "pin_slip": np.asarray(self.peaks.get("anchor_slip", np.zeros(8)))[:8].tolist(),
            "contact_force_max": np.asarray(self.peaks.get("wall_force", np.zeros(7))).tolist(),
            "penetration_max": self.peak("wall_depth"),
            "touches": [asdict(touch) for touch in self.touches], "feelings": [asdict(feeling) for feeling in self.feelings],
        }  # fmt: skip

    def variables(self) -> dict[str, Variable]:
        """Leg and progress at the times of the calls."""
        calls = np.array(self.calls, dtype=float).reshape(-1, 3)
        return {
            "call_time": Variable(("call",), calls[:, 0], "s", "time of a call of the controller"),
            "leg": Variable(("call",), calls[:, 1], "1", "leg in progress, from 1"),
            "leg_progress": Variable(("call",), calls[:, 2], "1", "fraction of the leg's time"),
        }


def _check(robot: Any, legs: Sequence[Any], motors: Any, obstacles: Any) -> None:
    """Refuse what cannot be carried out."""
    if not legs:
        raise InputError("there is no leg to carry out")
    if robot.links != 7 or [kind for _, kind in robot.axes].count("yaw") != 6:
        raise InputError(
            f"concertina plans are for seven links with six yaw joints; {robot.name} has {robot.links} links, joints {robot.joints}"
        )
    lengths = np.asarray(legs[0].lengths)
    if not np.allclose(lengths, robot.link_length, rtol=1e-6):
        raise InputError(
            f"the plan is made for links of {lengths.mean():.4g} m, {robot.name} has {robot.link_length.mean():.4g} m: plan with its lengths"
        )
    check_start(legs[0].nodes(0.0)[0], robot, obstacles)
