"""How far a body came in its last periods, and limits of many short links."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.core import FloatArray, Trajectory, World
from serpenoid.gaits import Serpenoid
from serpenoid.robots import rods
from serpenoid.simulation.run import simulate


def moved(run: Trajectory, begin: float, end: float) -> FloatArray:
    """Way of the centre of gravity in the plane between two times, m."""
    time, com = run["time"], np.asarray(run["com"])
    places = [[np.interp(t, time, com[:, axis]) for axis in (0, 1)] for t in (begin, end)]
    way: FloatArray = np.subtract(places[1], places[0])
    return way


def mean_speed(run: Trajectory, begin: float, end: float) -> float:
    """Net way of the centre of gravity between two times over the time, m/s."""
    return float(np.hypot(*moved(run, begin, end))) / (end - begin)


def wave_speed(
    winding: float, waves: int, per_wave: int, world: World, *, mass: float = 1.0, periods: int = 4
) -> float:
    """Speed of a serpenoid body of unit length whose wave runs along it with 1 m/s, over its last period, m/s."""
    period = 1.0 / waves
    gait = Serpenoid(winding, float(waves), speed=1.0)
    times: dict[str, Any] = {"duration": periods * period, "step": period / 200, "record_interval": period / 40}
    run = simulate(rods(waves * per_wave, mass=mass), gait, world, checked=False, **times)
    return mean_speed(run, (periods - 1) * period, periods * period)


def extrapolated(coarse: float, fine: float) -> float:
    """Limit of a number whose error falls with the square of the size, which is halved from coarse to fine."""
    return fine + (fine - coarse) / 3.0
