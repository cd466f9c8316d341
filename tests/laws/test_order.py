"""Each integrator converges at the order it states, in both modes, on a smooth law."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from planar_runs import planar_run

ORDER = {"implicit": 1.0, "euler": 1.0, "rk4": 4.0}
SLACK = 0.2
SMOOTH = sp.World(sp.contact.Coulomb(0.1, 0.5, smoothing=5e-2))


def end(integrator: str, mode: str, step: float) -> np.ndarray:
    robot = sp.robots.ma2001(links=8).but(joint_damping=0.02)
    shape = mode == "shape"
    command = sp.gaits.Serpenoid(0.7, 1.3, speed=0.6) if shape else sp.gaits.drives.SineTorque(0.3, 4.0, 0.6)
    return planar_run(robot, command, SMOOTH, 0.96, step=step, integrator=integrator)["node"][-1].ravel()


@pytest.mark.parametrize("mode", ["shape", "torque"])
@pytest.mark.parametrize("integrator", list(ORDER))
def test_order(integrator: str, mode: str) -> None:
    steps = [2e-3, 1e-3, 5e-4] if ORDER[integrator] == 1.0 else [4e-3, 2e-3, 1e-3]
    a, b, c = (end(integrator, mode, h) for h in steps)
    order = np.log2(np.linalg.norm(a - b) / np.linalg.norm(b - c))
    assert abs(order - ORDER[integrator]) < SLACK


@pytest.mark.parametrize("mode", ["shape", "torque"])
def test_integrators_agree(mode: str) -> None:
    fine = end("rk4", mode, 5e-4)
    extrapolated = 2.0 * end("implicit", mode, 1.25e-4) - end("implicit", mode, 2.5e-4)
    assert np.abs(extrapolated - fine).max() < 2e-6
