"""Small cells over all laws and commands that a GPU takes in the plane, and servos in space, run by an executor: python gpu_cells.py threads|gpu float64|float32."""

from __future__ import annotations

import json
import sys

import numpy as np

import serpenoid as sp
from serpenoid.core import Settings
from serpenoid.formats.scenario import read
from serpenoid.gaits.drives import SampledTorque, SineTorque
from serpenoid.simulation.batch import execute_many
from serpenoid.simulation.cells import Variations
from serpenoid.simulation.setup import Setup

STICK = {"static_along": 0.15, "static_across": 0.7, "stick_length_across": 1e-4}
ROBOT = sp.robots.ma2001(links=5, joint_damping=0.07)
TIMES = np.linspace(0.0, 0.5, 6)
METRICS = [
    "com_distance", "com_dx", "heading", "head_distance", "torque_sq_mean", "torque_max", "net_work", "friction_loss", "damping_loss",
    "slip_per_link", "scheme_loss", "stored_energy", "joint_angle_max", "self_overlap", "normal_force_max",
]  # fmt: skip


def laws() -> list[object]:
    return [
        sp.contact.Coulomb(0.12, 0.6),
        sp.contact.Coulomb(0.12, 0.6, 0.3, axes="together", smoothing=1e-3),
        sp.contact.UnitSlip(0.12, 0.6, smoothing=1e-3),
        sp.contact.Stribeck(0.12, 0.6, static_ratio=1.3, stribeck_speed=0.05, viscous=0.5, smoothing=1e-3),
        sp.contact.Threshold(0.12, 0.6, **STICK),
        sp.contact.Bristle(0.12, 0.6, **STICK),
        sp.contact.Viscous(1.2, 6.0),
        sp.contact.Frictionless(),
    ]


def commands() -> list[object]:
    first = sp.gaits.Serpenoid(0.7, 1.2, 0.5)
    second = sp.gaits.Serpenoid(0.5, 0.9, 0.6, acceleration=1.0)
    swing = 0.4 * np.sin(7.0 * TIMES[:, None] + 0.5 * np.arange(4))
    return [
        first,
        sp.gaits.StandingWave(0.5, 1.3, 3.0),
        sp.gaits.Sampled(TIMES, swing),
        sp.gaits.Sequence((first, second), times=np.array([0.004]), blend=0.003),
        SineTorque(0.4, 5.0, 0.6),
        SampledTorque(TIMES, 0.3 * swing),
    ]


def setups() -> list[Setup]:
    settings = Settings(0.01, 1e-3, record_interval=2e-3, checked=False)
    start = sp.Start(heading=0.3, velocity=(0.2, -0.1))
    slope = {"gravity": 9.0}
    space = Variations(read("sidewind", ["run.duration=0.02", "run.step=1e-3", "robot.links=4"]))
    grounds = [
        {"law": law, "along": along} for law in ("coulomb", "stribeck", "threshold", "viscous") for along in (0.4, 0.6)
    ]
    servos = [space.setup({f"world.friction.{key}": value for key, value in ground.items()}) for ground in grounds]
    return servos + [
        Setup(ROBOT, sp.World(law, **(slope if k % 2 else {})), command, start, settings)
        for k, law in enumerate(laws())
        for command in commands()
    ]


def poison() -> None:
    """Fill the local arrays of the simulator, which a device does not clear, with NaN: whoever reads what nobody wrote is seen."""
    from numba.cuda.simulator.kernelapi import FakeCUDALocal

    plain = FakeCUDALocal.array

    def array(self, shape, dtype, alignment=None):  # type: ignore[no-untyped-def]
        made = plain(self, shape, dtype, alignment)
        made.fill(np.nan)
        return made

    FakeCUDALocal.array = array


if __name__ == "__main__":
    if sys.argv[1] == "gpu":
        poison()
    found = execute_many(setups(), metrics=METRICS, executor=sys.argv[1], precision=sys.argv[2])
    metrics = {name: values.tolist() for name, values in found.metrics.items()}
    print(
        json.dumps({"metrics": metrics, "status": found.status, "messages": found.messages, "warnings": found.warnings})
    )
