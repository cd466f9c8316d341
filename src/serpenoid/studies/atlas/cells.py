"""The cells of the atlas: axes, how a cell becomes keys of a scenario, and the sweeps.

Creeping: the body of Ma, Li and Wang (2001) (1.6 m, 10 kg), cut into n links, each of them the paper's link in proportion: length l = L/n, mass m = M/n, inertia
5 m l^2 (the printed 0.016 kg m^2 at n = 20), centre of gravity at l/4, contact at l/2. Gait and time are the paper's: 0.8 m/s along the curve, from
rest and to rest in 8 s. Friction is the smoothed Coulomb law; its level is the coefficient across, its ratio that along over that across.

Sidewinding: the robot of the bundled scenario `slope`, 8 s; the phase is the one between the waves in yaw and in pitch, the slope rises to the left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.formats.scenario import read
from serpenoid.simulation.batch import execute_many
from serpenoid.simulation.cells import Variations
from serpenoid.sweeps import sweep

if TYPE_CHECKING:
    import xarray

LENGTH, MASS = 1.6, 10.0  # m, kg, of the body
ACROSS = 0.8  # of Figs 7 to 9
PLANE = ["com_distance", "steady_speed", "cost_of_transport", "torque_max", "torque_sq_mean", "slip_per_link", "efficiency", "joint_rate_max"]  # fmt: skip
SPACE = ["com_dx", "com_dy", "com_distance", "steady_speed", "cost_of_transport", "torque_max", "slip_per_link"]
CREEP = ["run.duration=8", "run.step=1e-3", "run.record_interval=0.02", "world.friction.smoothing=1e-3"]
CLIMB = ["run.duration=8", "run.step=2e-3", "run.record_interval=0.05"]


@dataclass(frozen=True)
class Domain:
    """One sweep of the atlas: its scenario, what is changed in it, its axes (full and quick), how they become keys, its metrics."""

    base: str
    changes: list[str]
    full: dict[str, Any]
    quick: dict[str, Any]
    through: Callable[[Mapping[str, Any]], dict[str, Any]]
    metrics: list[str] = field(default_factory=list)


def creeping(place: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of a cell: the body cut into links, friction by level and ratio, the gait."""
    links = int(place["links"])
    length, mass = LENGTH / links, MASS / links
    return {
        "robot.links": links, "robot.link_length": length, "robot.link_mass": mass, "robot.link_inertia": 5.0 * mass * length**2,
        "robot.com_offset": 0.25 * length, "robot.contact_offset": 0.5 * length,
        "gait.winding_angle_deg": place["winding_angle_deg"], "gait.waves": place["waves"],
        "world.friction.along": place["ratio"] * place["level"], "world.friction.across": place["level"],
    }  # fmt: skip


def of_the_paper(place: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of a cell of Figs 7 to 9: the paper's robot, friction across 0.8."""
    return {
        "gait.winding_angle_deg": place["winding_angle_deg"], "gait.waves": place["waves"],
        "world.friction.along": place["along"], "world.friction.across": ACROSS,
    }  # fmt: skip


def sidewinding(place: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of a cell of the sidewinder."""
    return {
        "gait.amplitude_deg": place["amplitude_deg"], "gait.phase_offset_deg": place["phase_deg"],
        "world.ground.slope_deg": place["slope_deg"],
    }  # fmt: skip


PARTS = {
    "creeping": Domain(
        "ma2001-case-two", CREEP,
        {"winding_angle_deg": "5:90:2.5", "waves": "1:4:0.5", "ratio": [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0],
         "level": [0.2, 0.4, 0.6, 0.8, 1.0, 1.2], "links": [8, 12, 16, 20, 24, 32]},
        {"winding_angle_deg": "15:90:15", "waves": [1.0, 2.0, 3.0], "ratio": [0.0, 0.15, 0.4], "level": [0.4, 0.8], "links": [12, 20]},
        creeping, PLANE,
    ),
    "figures": Domain(
        "ma2001-case-two", CREEP,
        {"winding_angle_deg": "5:90:1", "waves": [1.0, 2.0, 3.0, 4.0], "along": "0:0.8:0.025"},
        {"winding_angle_deg": "15:90:15", "waves": [1.0, 2.0, 3.0], "along": [0.0, 0.1, 0.3]},
        of_the_paper, PLANE,
    ),
    "sidewinding": Domain(
        "slope", CLIMB,
        {"amplitude_deg": "15:60:2.5", "phase_deg": "0:180:6", "slope_deg": "0:20:2.5"},
        {"amplitude_deg": [30.0, 45.0], "phase_deg": [0.0, 60.0, 90.0, 180.0], "slope_deg": [0.0, 15.0]},
        sidewinding, SPACE,
    ),
}  # fmt: skip


def computed(
    name: str, stores: Path, quick: bool, executor: str, progress: Callable[[float], None] | None = None
) -> xarray.Dataset:
    """The data of a sweep, computed as far as its store lacks it."""
    part = PARTS[name]
    made = sweep(
        part.base, part.quick if quick else part.full, stores / name, changes=part.changes, metrics=part.metrics,
        through=part.through, executor=executor,
        progress=None if progress is None else lambda done, total: progress(done / total),
    )  # fmt: skip
    return made.dataset


def at_half_the_step(made: Mapping[str, xarray.Dataset], quick: bool, seed: int = 4) -> dict[str, np.ndarray]:
    """By how much com_distance changes at half the step, in random cells of each sweep: part of the body length."""
    rng, found = np.random.default_rng(seed), {}
    for name, data in made.items():
        part, values = PARTS[name], data["com_distance"]
        picks = rng.choice(values.size, min(6 if quick else 40, values.size), replace=False)
        base = Variations(read(part.base, part.changes))
        setups, before, lengths = [], [], []
        for pick in picks:
            index = np.unravel_index(int(pick), values.shape)
            place = {str(dim): values[dim].values[i] for dim, i in zip(values.dims, index, strict=True)}
            setup = base.setup(part.through(place))
            setups.append(base.setup({**part.through(place), "run.step": 0.5 * float(setup.settings.step or 0.0)}))
            before.append(float(values.values[index]))
            lengths.append(setup.robot.length)
        after = execute_many(setups, metrics=["com_distance"]).metrics["com_distance"]
        found[name] = np.abs(after - np.array(before)) / np.array(lengths)
    return found
