"""What the executions of plans have in common: events, greatest values so far, obstacles of the plan in the world, checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from serpenoid.control.depths import WallDepths
from serpenoid.core import FloatArray, Robot, Status, World
from serpenoid.core.copying import Independent
from serpenoid.core.errors import InputError
from serpenoid.core.trajectory import Event

DEEP = 2e-3  # of a link: a start that far inside an obstacle is refused
ENTERED = 0.1  # of the half width: a link that far inside an obstacle is where no body can be


class Execution(Independent):
    """Base of controllers that carry out a plan: what happened, and the greatest forces and ways so far."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.peaks: dict[str, FloatArray] = {}
        self.depths: WallDepths | None = None  # none: nothing upright in the world
        self.planned = Status("ok")  # how the plan itself ended, where it was carried out although it failed

    def note(self, t: float, kind: str, text: str, **data: Any) -> None:
        """Note an event."""
        self.events.append(Event(float(t), kind, text, data))

    def stand_in(self, world: World, robot: Robot) -> World:
        """The world, in which the depth of the robot's links in upright obstacles is measured from now on."""
        self.depths = WallDepths(world.obstacles, robot.radius, robot.link_length)
        return world

    def keep_peaks(self, state: Any) -> None:
        """Keep the greatest values so far: torques, forces of walls and anchors, depth in walls, slip of anchors."""
        before, self.peaks = self.peaks, state.peaks
        if self.depths is None or not self.depths.some:
            return
        depth = self.depths.of(state.nodes[:, :2])
        for known in (before, self.peaks):
            depth = np.maximum(depth, known.get("wall_depth", 0.0))
        self.peaks["wall_depth"] = depth
        deep = np.flatnonzero(depth > ENTERED * self.depths.radius)
        if deep.size and not any(event.kind == "entered" for event in self.events):
            k = int(deep[np.argmax(depth[deep])])
            self.note(
                state.time,
                "entered",
                f"link {k + 1} is {depth[k]:.3g} m inside an obstacle",
                link=k + 1,
                depth=float(depth[k]),
            )

    def judged(self, status: Status) -> Status:
        """The status of the execution, unless a link went where no body can be, or the plan itself had failed."""
        for event in self.events:
            if event.kind == "entered":
                deepest, k = self.peak("wall_depth"), int(np.argmax(self.peaks["wall_depth"]))
                text = f"{event.text} at t = {event.time:.4g} s (link {k + 1} later {deepest:.3g} m): more than {ENTERED:g} of its half width"
                return Status("blocked", f"{text}; {status.message}" if status.message else text, event.time)
        if status.ok and not self.planned.ok:
            last = self.events[-1].time if self.events else 0.0
            return Status(
                self.planned.name, f"the plan itself failed, and was carried out as asked: {self.planned.message}", last
            )
        return status

    def peak(self, name: str) -> float:
        """The greatest of a kind; 0 where there is none."""
        return float(np.max(self.peaks[name], initial=0.0)) if name in self.peaks else 0.0

    def execution_memory(self) -> dict[str, Any]:
        """Events and peaks as plain numbers, texts and arrays."""
        return {
            "events": [[e.time, e.kind, e.text, dict(e.data)] for e in self.events],
            "peaks": {name: np.array(values) for name, values in self.peaks.items()},
        }

    def recall_execution(self, memory: Mapping[str, Any]) -> None:
        """Take back what `execution_memory` gave."""
        self.events = [Event(float(t), str(kind), str(text), dict(data)) for t, kind, text, data in memory["events"]]
        self.peaks = {name: np.array(values, dtype=float) for name, values in memory["peaks"].items()}


def whole_periods(time: float, period: float) -> float:
    """A time (s) rounded up to whole periods, so that steps and frames fit."""
    return float(np.ceil(time / period - 1e-9) * period)


def united(own: Sequence[Any], others: Sequence[Any]) -> tuple[Any, ...]:
    """A plan's own things first, so that they keep their numbers, then the others that are not among them."""
    return (*own, *(item for item in others if not any(item is mine or item == mine for mine in own)))


def check_start(nodes: FloatArray, robot: Robot, obstacles: Sequence[Any]) -> None:
    """Refuse a start with a link inside an upright obstacle."""
    scale = float(robot.link_length.mean())
    for i, item in enumerate(obstacles):
        inside = WallDepths((item,), robot.radius, robot.link_length).of(np.asarray(nodes), beside=True)
        k = int(np.argmax(inside))
        if inside[k] > DEEP * scale:
            raise InputError(f"link {k + 1} starts {inside[k]:.3g} m inside obstacle {i}")


def restored(kind: type[Any], memory: Mapping[str, Any]) -> Any:
    """A dataclass of numbers, texts and arrays from what `dataclasses.asdict` gave, perhaps by way of a file."""
    fresh = kind()
    values = {}
    for name, value in memory.items():
        usual = getattr(fresh, name)
        values[name] = np.array(value, dtype=float) if isinstance(usual, np.ndarray) else type(usual)(value)
    return kind(**values)
