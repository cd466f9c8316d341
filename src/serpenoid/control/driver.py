"""What carries out the legs of a concertina plan in dynamics: servos and their references, pins, and a feel for obstacles.

See `execution`, which runs it leg by leg and reports.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from serpenoid.contact import Coulomb
from serpenoid.control.sensing import Moment, Suspect, felt, suspects
from serpenoid.core import FloatArray, Robot, Start, World
from serpenoid.core.actuator import Servo
from serpenoid.core.checks import per_item
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.core.obstacles import Upright
from serpenoid.core.terrain import Ground
from serpenoid.core.terrain import Obstacle as Solid
from serpenoid.gaits import Sampled
from serpenoid.gaits.concertina import duration, ease
from serpenoid.planning.obstacles import scene_of
from serpenoid.robots.ms1 import Fittings
from serpenoid.spatial._old import anchors as pins
from serpenoid.spatial._old.kinematics import AIM, DRIVEN, QD, TAU, Q
from serpenoid.spatial._old.run import SpatialRun
from serpenoid.spatial._old.step import WZ
from serpenoid.spatial._old.walls import D_FX, D_FY, D_NAME, D_PRESS, D_X, D_Y, Walls, walls_of

PIN_LINKS = np.array([0, 1, 2, 3, 4, 5, 6, 6])  # solenoids t1 .. t8: one a link, two on the head
HEAD_PINS = 0.6  # of the head's length: between its two pins
DRIVES = {
    1: (1, 2, 4, 5, 6),
    2: (2, 5),
    3: (1, 2, 3, 4),
}  # of each stage; joints between pinned links and of the loop are passive
SETTLED_BY = {2: (2, 3)}  # where the loop ends stretched, joints 2 and 5 no longer determine it; 2 and 3 do
SAMPLES = 60  # of a leg
LOOK = 0.02  # s between looks at the joints while they settle, and at the forces of contact, to a whole number of steps; one frame
MOST, NUDGE = 0.05, 0.01  # rad: integral action at most, in all and at a look
REST = 1e-3  # rad/s: driven joints that turn slower are at rest; passive ones may turn ten times as fast
GAIN = 0.3  # of the remaining error, taken into the aim at each look
YIELD = 0.25  # of the force limit: above it the references give way
FORGOTTEN = 0.95  # of what they gave way by, left at the next look when nothing presses
SWITCHING = 0.1  # s after a change of pins in which torques tell nothing
LOST = 0.05  # of a link: a leg that an obstacle holds this far from the plan ends the execution
FRESH = 0.3  # weight of a new look in what the torques tell
SENSORS = ("tactile", "torque")


@dataclass(frozen=True)
class Motors:
    """Servos, pins and pace of an execution; all assumed, since the source prints none."""

    servo: Servo = field(default_factory=lambda: Servo(400.0, 20.0, torque_limit=40.0))
    hold: float = 300.0  # N that each pin withstands
    speed: float = 1.0  # rad/s of any joint
    acceleration: float = 4.0  # rad/s^2
    tolerance: float = 2e-4  # rad: a leg ends when every driven joint is that close
    patience: float = 2.0  # s to wait for that
    friction: float = 0.05  # of the casters
    step: float = 1e-3  # s
    takeover: float = (
        0.4  # s in which a joint that begins to drive goes from its measured angle to the plan's; 0: at once
    )
    force_limit: float = 40.0  # N of contact with an obstacle
    sensor: str = "tactile"  # or "torque": contact is inferred from the joint torques
    threshold: float = 0.3  # N m: torques left over below it are no contact

    def __post_init__(self) -> None:
        for name in ("hold", "force_limit", "threshold"):
            per_item(f"motors {name}", getattr(self, name), 1, 0.0, 1e9, strict=True)
        for name, low, high in (
            ("speed", 1e-2, 1e3), ("acceleration", 1e-2, 1e6), ("tolerance", 1e-9, 1.0), ("patience", 0.1, 1e3), ("step", 1e-5, 0.01),
            ("takeover", 0.0, 10.0),
        ):  # fmt: skip
            per_item(f"motors {name}", getattr(self, name), 1, low, high)
        if not isinstance(self.servo, Servo):
            raise InputError(f"motors servo must be a Servo, got {self.servo!r}"[:200])
        per_item("motors friction", self.friction, 1, 0.0, 10.0)
        if self.sensor not in SENSORS:
            raise InputError(f"sensor must be one of {', '.join(SENSORS)}, got {self.sensor!r}")


@dataclass(frozen=True)
class Touch:
    """A link (from 1) pressed by an obstacle (from 0, as given) during a leg: when, how hard, and where at its hardest."""

    leg: int
    link: int
    obstacle: int
    time: tuple[float, float]  # s, first and last
    force: float  # N, largest at a look
    point: tuple[float, float]  # m
    direction: tuple[float, float]  # of the force on the link


@dataclass(frozen=True)
class Feeling:
    """What the joint torques of a leg tell at their strongest: all links that may be touched, best first."""

    leg: int
    time: float
    suspects: tuple[Suspect, ...]

    @property
    def ambiguous(self) -> bool:
        """Whether more than one place explains the torques."""
        return len(self.suspects) > 1 or any(s.place is None for s in self.suspects)


def walls_around(obstacles: Sequence[Upright], friction: float = 0.1) -> Walls:
    """The walls of posts, polygons and bars, as the engine needs them; each keeps its number."""
    scene = scene_of(tuple(obstacles))
    corners, first = scene.corners, scene.first
    following = np.arange(len(corners)) + 1
    for k in range(len(scene.names)):
        following[first[k + 1] - 1] = first[k]
    owner = np.repeat(scene.names, np.diff(first))
    posts = np.concatenate([scene.discs, np.column_stack([corners, np.zeros(len(corners))])[scene.sharp]])
    sides = np.column_stack([corners[following], corners])  # solid on the left of a corner's side: turned round
    return walls_of(posts, sides, (np.concatenate([scene.disc_names, owner[scene.sharp]]), owner), friction=friction)


class Driver:
    """A robot that carries out legs: its run, its servos' references, and what it has met so far."""

    def __init__(
        self, robot: Robot, legs: Sequence[Any], motors: Motors, obstacles: Sequence[Upright], ground: Ground, total: float,
        solids: tuple[Solid, ...] = (),
    ) -> None:  # fmt: skip
        if robot.links != 7 or robot.joints not in ("yaw", "universal"):
            raise InputError(
                f"concertina plans are for seven links with yaw or universal joints; {robot.name} has {robot.links} with {robot.joints}"
            )
        self.robot, self.motors = robot, motors
        self.spread = 2 if robot.joints == "universal" else 1  # axes a joint; pitch hinges are passive
        nodes, first = legs[0].nodes(0.0)[0], legs[0].angles(0.0)[0]
        way = nodes[-1] - nodes[0]
        self.stride = max(1, round(LOOK / motors.step))
        self.pause = self.stride * motors.step  # s between looks
        steps = int(np.ceil(total / self.pause)) * self.stride
        head = 0.5 * HEAD_PINS * robot.link_length[-1]
        at = np.concatenate([robot.contact_offset, [robot.contact_offset[-1] + head]])
        at[6] -= head
        start = Start((float(nodes[0, 0]), float(nodes[0, 1])), float(np.arctan2(way[1], way[0])))
        self.obstacles, self.walled = tuple(obstacles), len(obstacles) > 0
        self.run = SpatialRun(
            robot, Sampled(np.linspace(0.0, 1.0, 4), np.tile(self._columns(first[None]), (4, 1))), None,
            World(Coulomb(motors.friction, motors.friction), ground=ground, obstacles=solids), start, mode="servo",
            duration=steps * motors.step, steps=steps, stride=self.stride, servo=motors.servo,
            pins=pins.pin_table(PIN_LINKS, at, robot.link_mass, motors.hold),
            walls=walls_around(obstacles) if self.walled else None,
        )  # fmt: skip
        self.yaw = np.arange(6) * self.spread
        self.pitch: Callable[[float], float] | None = None  # of the head's hinge, where it has a motor
        self.bias, self.rates, self.began = np.zeros(6), np.zeros(7), 0.0
        self.left: FloatArray | None = None  # of the torques, for contact to explain; smoothed
        self.touches: dict[tuple[int, int, int], Touch] = {}
        self.feelings: dict[int, Feeling] = {}

    def _columns(self, yaw: FloatArray) -> FloatArray:
        """Samples of all axes for samples of yaw (k, 6)."""
        if self.spread == 1:
            return yaw
        every = np.zeros((len(yaw), 12))
        every[:, ::2] = yaw
        return every

    def set_pins(self, links: Sequence[int]) -> None:
        """Pin these links (from 1) where they are; pins that hold already stay as they are."""
        frame, table = self.run.rec.links[self.run.frames - 1], self.run.surface.pins
        points = frame[PIN_LINKS, :2] + table[:, pins.P_AT, None] * frame[PIN_LINKS, 3:5]
        for k, link in enumerate(PIN_LINKS + 1):
            pin = table[k]
            if link in links and pin[pins.P_ON] == 0.0:
                pin[pins.P_ON], pin[pins.P_X], pin[pins.P_Y] = 1.0, points[k, 0], points[k, 1]
            elif link not in links:
                pin[pins.P_ON], pin[pins.P_FX], pin[pins.P_FY] = 0.0, 0.0, 0.0

    def follow(self, times: FloatArray, angles: FloatArray) -> None:
        """Advance to the last of the times with the joints aiming at the angles."""
        run, columns = self.run, self._columns(angles)
        if self.pitch is not None:
            columns[:, -1] = [self.pitch(t) for t in times]
        run.source = run.source._replace(tab=Sampled(times, columns, "natural").joint_table(self.robot))
        last = round(times[-1] / self.pause) * self.stride
        if not run.advance(min(last, run.steps)):
            raise NumericalError(f"the execution diverged after t = {run.time:.4g} s; use a shorter step")
        if run.done >= run.steps:
            raise NumericalError(f"the execution ran out of time at t = {run.time:.4g} s")

    def raise_head(self, lift: float, length: float) -> None:
        """Raise the head by `lift` (rad) at the beginning of a leg of `length` seconds, and lay it down at its end."""
        began, now = self.run.time, self.pitch(self.run.time) if self.pitch is not None else 0.0
        rise, fall = 0.15 * length, 0.2 * length

        def pitch(t: float) -> float:
            up = min(max(min((t - began) / rise, (began + length - t) / fall), 0.0), 1.0)
            return -lift * up + now * max(0.0, 1.0 - (t - began) / rise)

        self.pitch = pitch

    def drive(self, joints: tuple[int, ...]) -> np.ndarray:
        """Let these joints (from 1) drive and the others be passive; their indices."""
        self.run.d[:, DRIVEN] = 0.0
        self.run.d[self.yaw, DRIVEN] = [float(j in joints) for j in range(1, 7)]
        if self.pitch is not None:
            self.run.d[-1, DRIVEN] = 1.0
        return np.array([j - 1 for j in joints])

    def references(self) -> FloatArray:
        """References of the joints (6,): those of passive ones are their measured angles, or the plan's if they are taken over at once."""
        d = self.run.d[self.yaw]
        if self.motors.takeover == 0.0:
            return np.asarray(d[:, AIM])
        return np.where(d[:, DRIVEN] > 0.0, d[:, AIM], d[:, Q])

    @property
    def angles(self) -> FloatArray:
        """Yaw of the joints (6,)."""
        return np.asarray(self.run.d[self.yaw, Q])

    def nodes(self) -> FloatArray:
        """Nodes (f, 8, 3) of all frames so far."""
        links = self.run.rec.links[: self.run.frames]
        tip = links[:, -1:, :3] + self.robot.link_length[-1] * links[:, -1:, 3:6]
        return np.concatenate([links[..., :3], tip], axis=1)

    def look(self, number: int, stage: int) -> float:
        """Feel for contacts, note them, and give the force (N) that the chosen sensor tells."""
        run, gates, now = self.run, self.run.surface.gates, self.run.time
        for k in np.flatnonzero(gates[:, D_NAME] >= 0.0):
            force = gates[k, D_FX : D_FY + 1]
            size, key = float(gates[k, D_PRESS]), (number, int(k) + 1, int(gates[k, D_NAME]))
            old = self.touches.get(key)
            span = (now if old is None else old.time[0], now)
            if old is None or size > old.force:
                unit = force / max(float(np.hypot(*force)), 1e-300)
                place = (float(gates[k, D_X]), float(gates[k, D_Y]))
                self.touches[key] = Touch(*key, span, size, place, (float(unit[0]), float(unit[1])))
            else:
                self.touches[key] = replace(old, time=span)
        rates = run.q[WZ] + np.concatenate([[0.0], np.cumsum(run.d[self.yaw, QD])])
        axes = run.rec.links[run.frames - 1, :, 3:5]
        moment = Moment(
            self.last_nodes(), np.arctan2(axes[:, 1], axes[:, 0]), rates,
            (rates - self.rates) / self.pause, run.d[self.yaw, TAU].copy(),
        )  # fmt: skip
        self.rates = rates
        if now - self.began < SWITCHING:  # the pins have just changed
            return float(gates[:, D_PRESS].max()) if self.motors.sensor == "tactile" else 0.0
        left = felt(self.robot, stage, moment, self.motors.friction, 1e-3, run.gravity)
        self.left = left if left is None or self.left is None else self.left + FRESH * (left - self.left)
        found = suspects(self.robot, stage, moment, self.left, self.motors.threshold)
        if found and (number not in self.feelings or found[0].force > self.feelings[number].suspects[0].force):
            self.feelings[number] = Feeling(number, now, found)
        if self.motors.sensor == "torque":
            return found[0].force if found else 0.0
        return float(gates[:, D_PRESS].max())

    def last_nodes(self) -> FloatArray:
        """Nodes (8, 2) of the last frame."""
        links = self.run.rec.links[self.run.frames - 1]
        return np.concatenate([links[:, :2], links[-1:, :2] + self.robot.link_length[-1] * links[-1:, 3:5]])

    def give_way(self, force: float, aims: FloatArray) -> float:
        """Let the references go to the measured angles where something presses; the share of speed to go on, or back, with."""
        share = force / self.motors.force_limit
        if share > YIELD:
            self.bias += self.angles - aims
            return max(-1.0, 1.0 - share / YIELD)
        self.bias *= FORGOTTEN
        return 1.0

    def carry_out(self, number: int, leg: Any) -> str:
        """Carry out one leg: "settled", "held" by an obstacle, or "late"."""
        motors = self.motors
        now = self.references()
        used = self.drive(DRIVES[leg.stage])
        length = duration(leg, motors.speed, motors.acceleration)
        start = np.where(np.isin(np.arange(6), used), now - leg.angles(0.0)[0], 0.0)
        self.bias, self.rates, self.began, self.left = np.zeros(6), np.zeros(7), self.run.time, None

        def aims(x: FloatArray) -> FloatArray:
            return np.asarray(
                leg.angles(ease(x)) + (1.0 - ease(x * length / max(motors.takeover, 1e-9))[:, None]) * start
            )

        if self.walled:
            return self._settle(number, leg) if self._feel_along(number, leg.stage, length, aims) else "held"
        x = np.linspace(0.0, 1.0, SAMPLES)
        self.follow(self.run.time + length * x, aims(x))
        return self._settle(number, leg)

    def _feel_along(self, number: int, stage: int, length: float, aims: Callable[[FloatArray], FloatArray]) -> bool:
        """Follow a leg look by look, softer and back where something presses; False where it is held."""
        x, speed, before, farthest, waited = 0.0, 1.0, np.zeros(6), 0.0, 0.0
        mix, late = np.linspace(0.0, 1.0, 5), self.run.time + 2.0 * length
        while x < 1.0:
            ahead = min(max(x + speed * self.pause / length, 0.0), 1.0)
            path = aims(x + (ahead - x) * mix)
            self.follow(self.run.time + self.pause * mix, path + before + mix[:, None] * (self.bias - before))
            x, before = ahead, self.bias.copy()
            speed = self.give_way(self.look(number, stage), path[-1] + before)
            farthest, waited = (x, 0.0) if x > farthest else (farthest, waited + self.pause)
            if waited > self.motors.patience or self.run.time > late:
                return False
        return True

    def _settle(self, number: int, leg: Any) -> str:
        """Bring the joints to the end of the leg by integral action."""
        goal, motors = leg.angles(1.0)[0], self.motors
        now = self.references()
        used = self.drive(SETTLED_BY.get(leg.stage, DRIVES[leg.stage]))
        offset, force = now - goal, 0.0
        mix = ease(np.linspace(0.0, 1.0, 6))[:, None]
        resting = 0
        for _ in range(int(motors.patience / self.pause)):
            error = goal - self.angles
            rates = np.abs(self.run.d[self.yaw, QD])
            still = rates[used].max() < REST and rates.max() < 10.0 * REST
            if np.abs(error[used]).max() < motors.tolerance and still:
                return "settled"
            pressed = force > YIELD * motors.force_limit
            resting = resting + 1 if still and pressed else 0
            if resting > 5:
                return "held"
            before = offset
            if pressed:
                offset = self.angles - goal
            else:
                onward = offset + np.clip(GAIN * error, -NUDGE, NUDGE)
                offset = np.where((np.abs(onward) > MOST) & (np.abs(onward) > np.abs(offset)), offset, onward)
            t = self.run.time + np.linspace(0.0, self.pause, 6)
            self.follow(t, goal + (1.0 - mix) * before + mix * offset)
            force = self.look(number, leg.stage) if self.walled else 0.0
        touched = any(touch.leg == number and touch.time[1] == self.run.time for touch in self.touches.values())
        return "held" if touched else "late"


def motors_of(fittings: Fittings, **changes: Any) -> Motors:
    """Motors, pins and friction of a mechanical snake's fittings; the pins are all of a link's, the head's two counted once."""
    servo = Servo(400.0, 20.0, torque_limit=fittings.motor_torque)
    hold = fittings.holding_force * min(fittings.solenoids)
    return Motors(**{"servo": servo, "hold": hold, "friction": fittings.ground_friction, **changes})
