"""What a robot that carries out a concertina plan feels of obstacles: by tactile sensors, or by its joint torques alone (`sensing`).

Both are noted for each leg: touches (link, obstacle, when, how hard, where) and feelings (all links that one contact could be on).
Heading rates come from the encoders: a link that is pinned does not turn, so the others turn by the joint rates in between.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from serpenoid.control.motors import Motors
from serpenoid.control.sensing import Moment, Suspect, felt, suspects
from serpenoid.core import FloatArray, Robot
from serpenoid.core.errors import InputError

SWITCHING = 0.1  # s after a change of pins in which torques tell nothing
FRESH = 0.3  # weight of a new look in what the torques tell
SMOOTHING = 1e-3  # m/s: of the casters' friction
STILL_LINK = {1: 3, 2: 1, 3: 6}  # of each stage: a pinned link, from 0


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


def heading_rates(stage: int, joint_rates: FloatArray) -> FloatArray:
    """Rates (7,) of the headings from those of the joints (6,), the pinned links at rest."""
    turned = np.concatenate([[0.0], np.cumsum(joint_rates)])
    return np.asarray(turned - turned[STILL_LINK[stage]])


class Feelers:
    """Looks at forces of contact, leg by leg."""

    def __init__(self, robot: Robot, motors: Motors, gravity: float) -> None:
        self.body, self.motors, self.gravity = robot, motors, gravity
        self.touches: dict[tuple[int, int, int], Touch] = {}
        self.feelings: dict[int, Feeling] = {}
        self.rates = np.zeros(7)
        self.left: FloatArray | None = None  # of the torques, for contact to explain; smoothed

    def begin_leg(self) -> None:
        """Forget what the torques of the last leg told."""
        self.rates, self.left = np.zeros(7), None

    def look(
        self, state: Any, leg: tuple[int, int], since: float, pause: float, joints: tuple[FloatArray, FloatArray]
    ) -> float:
        """The force (N) that the chosen sensor tells in a leg (number, stage), `since` its beginning (s), `pause` after the last look.

        `joints` are rates and torques (6,) of the yaw joints.
        """
        number, stage = leg
        pressed = float(state.wall_pressures.max())
        if pressed > 0.0:
            self._note(state, number)
        rates = heading_rates(stage, joints[0])
        nodes, axes = state.nodes[:, :2], state.link_directions
        moment = Moment(nodes, np.arctan2(axes[:, 1], axes[:, 0]), rates, (rates - self.rates) / pause, joints[1])
        self.rates = rates
        if since < SWITCHING:  # the pins have just changed
            return pressed if self.motors.sensor == "tactile" else 0.0
        left = felt(self.body, stage, moment, self.motors.friction, SMOOTHING, self.gravity)
        if left is not None and self.left is not None and left.shape != self.left.shape:
            raise InputError(f"what the torques told ({self.left.size} numbers) does not belong to stage {stage}")
        self.left = left if left is None or self.left is None else self.left + FRESH * (left - self.left)
        found = suspects(self.body, stage, moment, self.left, self.motors.threshold)
        if found and (number not in self.feelings or found[0].force > self.feelings[number].suspects[0].force):
            self.feelings[number] = Feeling(number, state.time, found)
        if self.motors.sensor == "torque":
            return found[0].force if found else 0.0
        return pressed

    def _note(self, state: Any, number: int) -> None:
        """Note the links that obstacles press on."""
        sizes, names = state.wall_pressures, state.wall_obstacles
        for k in np.flatnonzero(names >= 0):
            key = (number, int(k) + 1, int(names[k]))
            old, size = self.touches.get(key), float(sizes[k])
            span = (state.time if old is None else old.time[0], state.time)
            if old is None or size > old.force:
                force, point = state.wall_forces[k, :2], state.wall_points[k]
                unit = force / max(float(np.hypot(*force)), 1e-300)
                place = (float(point[0]), float(point[1]))
                self.touches[key] = Touch(*key, span, size, place, (float(unit[0]), float(unit[1])))
            else:
                self.touches[key] = replace(old, time=span)

    def touched(self, number: int, t: float) -> bool:
        """Whether something pressed in a leg at the last look."""
        return any(touch.leg == number and touch.time[1] == t for touch in self.touches.values())

    def memory(self) -> dict[str, Any]:
        """Everything it remembers."""
        told = [
            [f.leg, f.time, [[s.link, s.place, s.force, list(s.direction), s.misfit] for s in f.suspects]]
            for f in self.feelings.values()
        ]
        seen = [
            [t.leg, t.link, t.obstacle, list(t.time), t.force, list(t.point), list(t.direction)]
            for t in self.touches.values()
        ]
        return {
            "touches": seen,
            "feelings": told,
            "rates": self.rates.copy(),
            "left": None if self.left is None else self.left.copy(),
        }

    def recall(self, memory: Any) -> None:
        """Take back what `memory` gave."""
        self.touches, self.feelings = {}, {}
        for leg, link, obstacle, time, force, point, direction in memory["touches"]:
            key = (int(leg), int(link), int(obstacle))
            self.touches[key] = Touch(*key, tuple(time), float(force), tuple(point), tuple(direction))
        for leg, time, listed in memory["feelings"]:
            found = tuple(
                Suspect(int(k), place, float(f), tuple(way), float(misfit)) for k, place, f, way, misfit in listed
            )
            self.feelings[int(leg)] = Feeling(int(leg), float(time), found)
        self.rates = np.array(memory["rates"], dtype=float)
        left = memory["left"]
        self.left = None if left is None else np.atleast_1d(np.array(left, dtype=float))
        if self.left is not None and not (self.left.ndim == 1 and np.isfinite(self.left).all()):
            raise InputError("what the torques told must be finite numbers")
