"""A concertina plan carried out in dynamics: servos follow its legs, pins hold the links that must stay, obstacles push back.

The robot is a yaw chain in space on level ground (casters: low friction), driven by position servos with integral action. Leg by leg:
the new pins go in where their links are, the old ones come out, the servos follow the leg's smooth timing, and then wait until every
joint is within `tolerance` and at rest (or `patience` runs out, which is reported). In stage 2 the loop is closed by the pins: joints 2 and 5
drive it and the others are passive (Fig 14 (b) of Shan and Koren: their reference follows the measured angle, so they give no torque).
On level ground every leg begins at the measured pose and ends at the plan's goal in the world (`correction`), so that errors do not add up.

Among obstacles (posts, polygons, walls: springs and dampers with friction) the force of contact is watched at every call, as tactile sensors
feel it or as `sensing` infers it from the joint torques alone. Where it comes near the `force_limit` the references give way to the measured
angles, as those of a passive joint do, and the leg's progress waits; a leg that an obstacle holds ends there, and that is reported.

| phase of a leg | at every call |
|---|---|
| follow | progress x goes on by period / duration (less, or back, where something presses); aim = leg(ease(x)) + what gives way |
| settle | aim = goal + offset; the offset integrates the error that is left |

    driver = ConcertinaDriver(robot, plan.legs)
    run = sp.simulate(robot, driver, duration=driver.longest)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from serpenoid.control.concertina_execution import PIN_LINKS, ConcertinaExecution
from serpenoid.control.controller import Command, Hold
from serpenoid.control.correction import corrected
from serpenoid.control.execution import restored
from serpenoid.control.motors import Motors
from serpenoid.core import FloatArray, Robot
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import shown
from serpenoid.core.terrain import Ground
from serpenoid.gaits.concertina import duration, ease
from serpenoid.gaits.concertina_legs import Leg

DRIVES = {
    1: (1, 2, 4, 5, 6),
    2: (2, 5),
    3: (1, 2, 3, 4),
}  # of each stage; joints between pinned links and of the loop are passive
SETTLED_BY = {2: (2, 3)}  # where the loop ends stretched, joints 2 and 5 no longer determine it; 2 and 3 do
MOST, NUDGE = 0.05, 0.01  # rad: integral action at most, in all and at a look
REST = 1e-3  # rad/s: driven joints that turn slower are at rest; passive ones may turn ten times as fast
GAIN = 0.3  # of the remaining error, taken into the aim at each look
YIELD = 0.25  # of the force limit: above it the references give way
FORGOTTEN = 0.95  # of what they gave way by, left at the next look when nothing presses
LOST = 0.05  # of a link: a leg that ends this far from the plan ends the execution
RISE, FALL = 0.15, 0.2  # of a leg's duration: in which the head goes up, and down
END_WORDS = {"settled": "has settled", "held": "is held by an obstacle", "late": "did not settle in time"}
_DX = 1e-4  # of a leg: rates by differences


def _six() -> FloatArray:
    return np.zeros(6)


@dataclass
class LegProgress:
    """The leg in progress: everything that is remembered of it."""

    phase: str = "begin"  # "follow", "settle", "done"
    number: int = 0
    began: float = 0.0  # s
    duration: float = 1.0  # s
    base: FloatArray = field(default_factory=lambda: np.zeros((8, 2)))  # m: link ends where it began
    pitch: float = 0.0  # rad: of the head when it began
    x: float = 0.0  # fraction of its time
    speed: float = 1.0  # of x: 1 as planned
    farthest: float = 0.0
    waited: float = 0.0  # s without headway
    force: float = 0.0  # N, at the last look
    resting: int = 0  # looks at rest against an obstacle
    looks: int = 0  # while settling
    driven: FloatArray = field(default_factory=_six)  # 1: the joint drives, 0: it is passive
    aims: FloatArray = field(default_factory=_six)  # rad: of the last command
    slopes: FloatArray = field(default_factory=_six)  # rad/s: of the last command
    takeover: FloatArray = field(default_factory=_six)  # rad: references at the beginning less the leg's angles
    bias: FloatArray = field(default_factory=_six)  # rad: what the references gave way by
    offset: FloatArray = field(default_factory=_six)  # rad: integral action


class ConcertinaDriver(ConcertinaExecution):
    """Carries out the legs of a plan made for the robot's lengths.

    Parameters
    ----------
    robot : Robot with seven links and yaw joints, or universal ones (a passive vertical hinge beside each motor)
    legs : of `planning.plan(...)` or `gaits.concertina.basic_cycle`
    motors : Motors
    obstacles : upright ones of the plan, or others that it does not know
    ground : Ground; default level, casters under the links' middles
    solids : in three dimensions, such as a step
    lift : rad; the head's hinge has a motor that raises it so far while it goes ahead
    stop : on level ground end where the robot is off the plan
    correct : on level ground let every leg begin at the measured pose
    """

    @door
    def __init__(
        self, robot: Robot, legs: Sequence[Any], motors: Motors | None = None, obstacles: Sequence[Any] = (), *, ground: Ground | None = None,
        solids: Sequence[Any] = (), lift: float = 0.0, stop: bool = True, correct: bool = True,
    ) -> None:  # fmt: skip
        if not all(isinstance(leg, Leg) for leg in legs):
            raise InputError(f"legs must be those of a plan, got {shown(legs)}")
        super().__init__(robot, legs, motors or Motors(), obstacles)
        if not 0.0 <= lift < 1.5:
            raise InputError(f"lift must be from 0 to 1.5 rad, got {lift!r}")
        if all(kind == "yaw" for _, kind in robot.axes) and (lift > 0.0 or solids):
            raise InputError('solids and a raised head need vertical hinges: give the robot joints = "universal"')
        self.solids, self.ground, self.lift, self.stop = tuple(solids), ground, float(lift), stop
        self.level = ground is None and not solids
        self.correct = correct and self.level
        self.now = LegProgress()
        self._leg: Any = None

    # one call

    def command(self, state: Any, t: float) -> Command:
        """Look, judge the leg in progress, and go on with it or with the next."""
        self.keep_peaks(state)
        anchors: dict[int, Hold | None] = {}
        if self.now.phase == "begin":
            anchors = self._begin_leg(state, t)
        elif self.now.phase != "done":
            self._look(state, t)
            end = self._follow(state, t) if self.now.phase == "follow" else self._settle(state, t)
            if end and self._end_leg(end, state, t):
                anchors = self._begin_leg(state, t)
        if self.now.phase == "done":
            return Command(done=True)
        self.calls.append([t, self.now.number + 1.0, self.now.x])
        return self._aim(state, t, anchors)

    def _aim(self, state: Any, t: float, anchors: dict[int, Hold | None]) -> Command:
        """The command: aims of joints that drive; those of passive ones go where they are going."""
        now, h = self.now, self.period
        aims, slopes = now.aims, now.slopes
        if self.motors.takeover > 0.0:
            rates = state.joint_rates[self.yaw]
            aims = np.where(now.driven > 0.0, aims, self._angles(state) + h * rates)
            slopes = np.where(now.driven > 0.0, slopes, rates)
        passive = self._columns(now.driven, 1.0) == 0.0
        rise = (self._pitch(t + h) - self._pitch(t)) / h
        return Command(
            self._columns(aims, self._pitch(t + h)),
            self._columns(slopes, rise),
            passive=passive.tolist(),
            anchors=anchors,
        )

    def _angles(self, state: Any) -> FloatArray:
        return np.asarray(state.joint_angles[self.yaw])

    def _look(self, state: Any, t: float) -> None:
        """Feel for contact, if there is anything to feel."""
        if not self.obstacles:
            return
        now, joints = self.now, (state.joint_rates[self.yaw], state.joint_torques[self.yaw])
        known = len(self.feelers.touches)
        now.force = self.feelers.look(state, (now.number, self._leg.stage), t - now.began, self.period, joints)
        for touch in list(self.feelers.touches.values())[known:]:
            self.note(
                t, "felt", f"obstacle {touch.obstacle} presses on link {touch.link}", leg=touch.leg + 1, link=touch.link,
                obstacle=touch.obstacle, force=touch.force, x=touch.point[0], y=touch.point[1],
            )  # fmt: skip

    def _begin_leg(self, state: Any, t: float) -> dict[int, Hold | None]:
        """Change the pins, and begin to follow the leg."""
        number, references = self.now.number, self._references(state)
        base, pitch, before = state.nodes[:, :2].copy(), self._pitch(t), self.legs[number - 1].pinned if number else ()
        leg = self._leg = self._leg_from(number, base)
        driven = np.isin(np.arange(1, 7), DRIVES[leg.stage]).astype(float)
        takeover = np.where(driven > 0.0, references - leg.angles(0.0)[0], 0.0)
        time = duration(leg, self.motors.speed, self.motors.acceleration)
        self.now = LegProgress("follow", number, t, time, base, pitch, driven=driven, takeover=takeover)
        self.feelers.begin_leg()
        pins: dict[int, Hold | None] = {
            k: Hold() if link + 1 in leg.pinned else None
            for k, link in enumerate(PIN_LINKS)
            if (link + 1 in leg.pinned) != (link + 1 in before)
        }
        self.note(
            t,
            "leg",
            f"leg {number + 1} of {len(self.legs)} begins, stage {leg.stage}",
            leg=number + 1,
            stage=int(leg.stage),
        )
        held, freed = sorted(set(leg.pinned) - set(before)), sorted(set(before) - set(leg.pinned))
        for kind, links in (("set", held), ("released", freed)):
            if links:
                self.note(
                    t,
                    "anchors",
                    f"pins {kind} on links {', '.join(map(str, links))}",
                    links=[int(k) for k in links],
                    set=kind == "set",
                )
        self._go_on()
        return pins

    def _leg_from(self, number: int, base: FloatArray) -> Any:
        """The leg as it is carried out: from the measured link ends, if they are near the plan's."""
        leg = self.legs[number]
        off = float(np.hypot(*(base - leg.nodes(0.0)[0]).T).max())
        near = off < LOST * float(self.body.link_length.mean())
        return corrected(leg, base) if self.correct and number > 0 and near else leg

    def _references(self, state: Any) -> FloatArray:
        """References of the joints (6,): those of passive ones are their measured angles, or the plan's if they are taken over at once."""
        if self.now.phase == "begin":
            return np.asarray(self.legs[0].angles(0.0)[0])
        if self.motors.takeover == 0.0:
            return self.now.aims.copy()
        return np.where(self.now.driven > 0.0, self.now.aims, self._angles(state))

    def _path(self, x: FloatArray) -> FloatArray:
        """Aims (k, 6) of the leg at fractions of its time, joints that were taken over on their way to it."""
        now, taken = self.now, max(self.motors.takeover, 1e-9)
        fade = 1.0 - ease(x * now.duration / taken)
        return np.asarray(self._leg.angles(ease(x)) + fade[:, None] * now.takeover)

    def _go_on(self) -> None:
        """Aims at the end of the coming period, on the leg's path."""
        now = self.now
        now.x = min(max(now.x + now.speed * self.period / now.duration, 0.0), 1.0)
        low, high = max(now.x - _DX, 0.0), min(now.x + _DX, 1.0)
        before, here, after = self._path(np.array([low, now.x, high]))
        now.aims = here + now.bias
        # what gives way comes to rest at every call, so that it can turn back at once
        now.slopes = (now.speed == 1.0) / now.duration * (after - before) / (high - low)

    def _follow(self, state: Any, t: float) -> str:
        """Go on along the leg, softer and back where something presses; how it ended, or nothing."""
        now, motors = self.now, self.motors
        share = now.force / motors.force_limit
        if share > YIELD:
            now.bias, now.speed = now.bias + self._angles(state) - now.aims, max(-1.0, 1.0 - share / YIELD)
        else:
            now.bias, now.speed = FORGOTTEN * now.bias, 1.0
        now.farthest, now.waited = (now.x, 0.0) if now.x > now.farthest else (now.farthest, now.waited + self.period)
        if now.waited > motors.patience or t > now.began + 2.0 * now.duration:
            return "held" if self.obstacles else "late"
        if now.x >= 1.0:
            references = self._references(state)
            now.phase, now.offset = "settle", references - self._leg.angles(1.0)[0]
            now.driven = np.isin(np.arange(1, 7), SETTLED_BY.get(self._leg.stage, DRIVES[self._leg.stage])).astype(
                float
            )
            return self._settle(state, t)
        self._go_on()
        return ""

    def _settle(self, state: Any, t: float) -> str:
        """Bring the joints to the end of the leg by integral action; how it ended, or nothing."""
        now, motors, goal = self.now, self.motors, self._leg.angles(1.0)[0]
        if now.looks >= int(motors.patience / self.period):
            return "held" if self.feelers.touched(now.number, t) else "late"
        angles, rates, used = self._angles(state), np.abs(state.joint_rates[self.yaw]), now.driven > 0.0
        error = goal - angles
        still = rates[used].max() < REST and rates.max() < 10.0 * REST
        if np.abs(error[used]).max() < motors.tolerance and still:
            return "settled"
        pressed = now.force > YIELD * motors.force_limit
        now.resting = now.resting + 1 if still and pressed else 0
        if now.resting > 5:
            return "held"
        if pressed:
            now.offset = angles - goal
        else:
            onward = now.offset + np.clip(GAIN * error, -NUDGE, NUDGE)
            now.offset = np.where((np.abs(onward) > MOST) & (np.abs(onward) > np.abs(now.offset)), now.offset, onward)
        now.aims, now.slopes, now.looks = goal + now.offset, np.zeros(6), now.looks + 1
        return ""

    def _end_leg(self, end: str, state: Any, t: float) -> bool:
        """Compare with the plan; whether there is a next leg."""
        now, legs = self.now, self.legs
        off = np.hypot(*(state.nodes[:, :2] - legs[now.number].nodes(1.0)[0]).T)
        self.ends.append(end)
        self.head_errors.append(float(off[-1]))
        self.note(
            t,
            end,
            f"leg {now.number + 1} {END_WORDS[end]}, the head {1e3 * off[-1]:.3g} mm off the plan",
            leg=now.number + 1,
            head_error=float(off[-1]),
        )
        self.blocked = ""
        if self.level and off.max() > LOST * float(self.body.link_length.mean()):
            touched = any(touch.leg == now.number for touch in self.feelers.touches.values())
            why = "something that the plan does not know is in the way" if touched else "motors or pins were too weak"
            worst = int(np.argmax(off))
            x, y = state.nodes[worst, :2]
            self.blocked = f"leg {now.number + 1} ended with node {worst} at ({x:.4g}, {y:.4g}) m, {off[worst]:.3g} m away from the plan, at t = {t:.4g} s: {why}"
        if (self.blocked and self.stop) or now.number + 1 == len(legs):
            now.phase, self.over = "done", True
            return False
        now.number += 1
        return True

    def _pitch(self, t: float) -> float:
        """Pitch of the raised head, up at the beginning of stage 1 and down at its end."""
        now = self.now
        if self.lift == 0.0 or now.phase == "begin":
            return 0.0
        since, up = t - now.began, 0.0
        if self._leg.stage == 1:
            up = min(max(min(since / (RISE * now.duration), (now.duration - since) / (FALL * now.duration)), 0.0), 1.0)
        return -self.lift * up + now.pitch * max(0.0, 1.0 - since / (RISE * now.duration))

    def memory(self) -> dict[str, Any]:
        """Everything it remembers."""
        return {
            **self.execution_memory(), "now": asdict(self.now), "feelers": self.feelers.memory(), "head_errors": list(self.head_errors),
            "ends": list(self.ends), "blocked": self.blocked, "over": self.over, "calls": [list(row) for row in self.calls],
        }  # fmt: skip

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Take back what `memory` gave."""
        self.recall_execution(memory)
        self.now = restored(LegProgress, memory["now"])
        self.feelers.recall(memory["feelers"])
        self.head_errors, self.ends = [float(e) for e in memory["head_errors"]], [str(e) for e in memory["ends"]]
        self.blocked, self.over = str(memory["blocked"]), bool(memory["over"])
        self.calls = [[float(v) for v in row] for row in memory["calls"]]
        self._leg = None if self.now.phase == "begin" else self._leg_from(self.now.number, self.now.base)
