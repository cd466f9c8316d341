"""Runs of the planar engine itself, for tests of its laws."""

from __future__ import annotations

from typing import Any

import numpy as np

import serpenoid as sp
from serpenoid.contact import sums as slot
from serpenoid.gaits.drives import SampledTorque, SineTorque
from serpenoid.planar.engine import PlanarEngine

STEP = 2.5e-4  # s
FRAMES = 100


class PlanarResult:
    """What an engine recorded, by name, and what it added up."""

    def __init__(self, engine: PlanarEngine) -> None:
        self.engine, self.robot = engine, engine.robot
        self.variables, self.totals = engine.variables(), slot.totals(engine.sums)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.variables[name].data

    @property
    def heading(self) -> np.ndarray:
        """Headings of the links (frames, n), without jumps."""
        return np.unwrap(np.arctan2(self["link_axis"][..., 1], self["link_axis"][..., 0]), axis=0)

    @property
    def com_distance(self) -> float:
        return float(np.linalg.norm(self["com"][-1] - self["com"][0]))

    @property
    def remainder(self) -> float:
        """What is missing in the balance of energy, of the positive work."""
        t = self.totals
        parts = t["friction_loss"] + t["damping_loss"] + t["stop_loss"] + t["scheme_loss"]
        return (t["net_work"] - t["kinetic"] + t["kinetic_start"] - parts) / max(t["positive_work"], 1e-6)


def planar_run(
    robot: sp.Robot, command: Any, world: sp.World, duration: float, *, start: sp.Start | None = None, step: float = STEP,
    integrator: str = "implicit",
) -> PlanarResult:  # fmt: skip
    """A run to the end, by a gait or a drive; it stays finite."""
    steps = round(duration / step)
    drive = isinstance(command, SineTorque | SampledTorque)
    engine = PlanarEngine(
        robot, world, start or sp.Start(), step=duration / steps, stride=max(1, steps // FRAMES), ideal=not drive,
        first=None if drive else command, integrator=integrator,
    )  # fmt: skip
    if drive:
        engine.drive(command)
    else:
        engine.follow(command)
    assert engine.advance(steps)
    return PlanarResult(engine)
