"""The old face of the planar engine, for callers that still give a horizon: to be removed with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from serpenoid.core import Drive, FloatArray, Gait, Robot, Start, World
from serpenoid.core.errors import InputError
from serpenoid.planar.engine import PlanarEngine
from serpenoid.planar.layout import MOTION_SLOTS


class Record(NamedTuple):
    """Recorded frames."""

    motion: FloatArray
    links: FloatArray
    sums: FloatArray


class PlanarRun:
    """One robot in time: prescribed by a gait, or driven by torques (then the gait is only its first posture)."""

    def __init__(
        self, robot: Robot, gait: Gait | None, drive: Drive | None, world: World, start: Start,
        *, duration: float, steps: int, stride: int, integrator: str = "implicit", tolerance: float | None = None,
    ) -> None:  # fmt: skip
        if gait is None and drive is None:
            raise InputError("a run needs a gait (shape to motion) or a drive (torque to motion)")
        self.steps, self.stride, self.shape = steps, stride, drive is None
        first = gait
        self.engine = PlanarEngine(
            robot, world, start, step=duration / steps, stride=stride, ideal=self.shape, first=first,
            integrator=integrator, tolerance=tolerance,
        )  # fmt: skip
        if drive is None:
            self.engine.follow(first)
        else:
            self.engine.drive(drive)
        self.engine._grow(steps // stride + 1)
        self.dt, self.q, self.acc, self.b = (
            duration / steps,
            self.engine.state.motion,
            self.engine.sums,
            self.engine.scratch.links,
        )
        f = self.engine._frames
        self.rec = Record(f.motion[:, :MOTION_SLOTS], f.links, f.motion[:, MOTION_SLOTS:])
        self.rec = Record(*(r[: steps // stride + 1] for r in self.rec))

    def advance(self, to: int) -> bool:
        """Advance to step `to`."""
        return self.engine.advance(min(to, self.steps))

    @property
    def done(self) -> int:
        """Steps taken."""
        return self.engine.done

    @property
    def time(self) -> float:
        """Time reached, s."""
        return self.engine.time

    @property
    def frames(self) -> int:
        """Frames recorded so far."""
        return self.engine.frames

    def state(self) -> dict[str, FloatArray]:
        """Everything needed to continue, as copies."""
        return {
            **{name: array.copy() for name, array in self.engine.arrays().items()},
            **{f"rec_{name}": array[: self.frames].copy() for name, array in self.rec._asdict().items()},
            "grid": np.array([self.dt, float(self.steps), float(self.stride)]),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state that `state` returned for the same robot, world and step."""
        for name, array in self.engine.arrays().items():
            if name not in state or np.shape(state[name]) != array.shape:
                raise InputError(f"this state does not belong to the run: {name} is missing or has another shape")
            array[...] = state[name]
