"""Runs in space for tests of pictures."""

from __future__ import annotations

import functools

import numpy as np

import serpenoid as sp
from serpenoid.core import Trajectory, World
from serpenoid.core.actuator import Servo
from serpenoid.core.terrain import Ground, HeightField
from serpenoid.simulation.run import run_scenario

COULOMB = sp.contact.Coulomb(along=0.6, across=0.6)


def short(ground=None, obstacles=(), links: int = 6, duration: float = 0.3, **start) -> Trajectory:
    robot = sp.robots.alternating(links=links, length=0.2 * links, radius=0.02, servo=Servo())
    pitch = 0.0 if links < 3 else None  # the only joint of two links yaws
    gait = sp.gaits.GAITS["sidewinding"](amplitude=0.5, frequency=3.0, phase_per_joint=0.9, vertical_amplitude=pitch)
    world = World(COULOMB, ground=ground or Ground(), obstacles=obstacles)
    return sp.simulate(robot, gait, world, duration=duration, start=sp.Start(**start))


def bumps() -> HeightField:
    x = np.arange(-1.0, 2.0, 0.1)
    return HeightField(0.03 * np.sin(3.0 * x)[None] * np.cos(2.0 * x)[:, None], 0.1, (-1.0, -1.0))


@functools.cache
def sidewinding() -> Trajectory:
    """Three seconds of the bundled sidewinder."""
    return run_scenario("sidewind", ["run.duration=3.0"])
