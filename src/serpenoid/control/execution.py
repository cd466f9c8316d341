"""What the executions of plans have in common: events, greatest values so far, obstacles of the plan in the world, checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from serpenoid.core import Disc, FloatArray, Polygon, Robot, Upright, Wall
from serpenoid.core.errors import InputError
from serpenoid.core.trajectory import Event

DEEP = 2e-3  # of a link: a start that far inside an obstacle is refused


class Execution:
    """Base of controllers that carry out a plan: what happened, and the greatest forces and ways so far."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.peaks: dict[str, FloatArray] = {}

    def note(self, t: float, kind: str, text: str, **data: Any) -> None:
        """Note an event."""
        self.events.append(Event(float(t), kind, text, data))

    def keep_peaks(self, state: Any) -> None:
        """Keep the greatest values so far: torques, forces of walls and anchors, depth in walls, slip of anchors."""
        self.peaks = state.peaks

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


def depth_in(item: Upright, points: FloatArray) -> FloatArray:
    """How far points (k, 2) lie inside an upright obstacle (m; negative: outside)."""
    if isinstance(item, Disc):
        return np.asarray(item.radius - np.hypot(*(points - np.asarray(item.centre)).T))
    a = np.asarray(item.corners)
    b = np.roll(a, -1, axis=0)
    way, gap = b - a, points[:, None] - a
    share = np.clip((gap * way).sum(axis=-1) / (way**2).sum(axis=-1), 0.0, 1.0)
    rest = gap - share[..., None] * way
    border = np.hypot(rest[..., 0], rest[..., 1]).min(axis=1)
    # a ray to the right crosses the border an odd number of times from inside
    y = points[:, None, 1]
    spans = (a[:, 1] > y) != (b[:, 1] > y)
    rise = np.where(way[:, 1] == 0.0, 1.0, way[:, 1])
    right = points[:, None, 0] < a[:, 0] + (y - a[:, 1]) / rise * way[:, 0]
    inside = (spans & right).sum(axis=1) % 2 == 1
    return np.where(inside, border, -border)


def check_start(nodes: FloatArray, robot: Robot, obstacles: Sequence[Any]) -> None:
    """Refuse a start with a link inside an obstacle: posts, polygons and bars."""
    width, scale = float(robot.radius.max()), float(robot.link_length.mean())
    for i, item in enumerate(obstacles):
        if not isinstance(item, Disc | Polygon | Wall):
            continue
        for k in range(robot.links):
            points = nodes[k] + np.linspace(0.0, 1.0, 50)[:, None] * (nodes[k + 1] - nodes[k])
            inside = width + float(depth_in(item, points).max())
            if inside > DEEP * scale:
                raise InputError(f"link {k + 1} starts {inside:.3g} m inside obstacle {i}")


def restored(kind: type[Any], memory: Mapping[str, Any]) -> Any:
    """A dataclass of numbers, texts and arrays from what `dataclasses.asdict` gave, perhaps by way of a file."""
    fresh = kind()
    values = {}
    for name, value in memory.items():
        usual = getattr(fresh, name)
        values[name] = np.array(value, dtype=float) if isinstance(usual, np.ndarray) else type(usual)(value)
    return kind(**values)
