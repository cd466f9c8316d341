"""MuJoCo's chain = the dense equations = the O(n) recursion in both modes; its run of a gait nears ours."""

from __future__ import annotations

import builtins

import numpy as np
import pytest
from kernel_face import (
    State,
    damping_torque,
    disagreement,
    kernel_shape_to_motion,
    kernel_torque_to_motion,
    random_state,
)

import serpenoid as sp
from serpenoid import robots
from serpenoid.bench.mujoco_run import march_gait
from serpenoid.contact import Coulomb, Viscous
from serpenoid.core import World
from serpenoid.core.errors import InputError
from serpenoid.gaits import Serpenoid
from serpenoid.peers import engine_class
from serpenoid.peers.mujoco_model import plane_model
from serpenoid.planar import dense

mujoco = pytest.importorskip("mujoco")

SAME = 1e-9  # relative: rounding times the condition of a 20-link inertia matrix, with room
SERVO = 0.005  # relative: the servos give way by tau / kp, and the explicit friction is of first order
ENGINE = 0.002  # relative: prescribed joints and implicit friction on both sides, each of first order in its own step


def push(robot, data, forces) -> None:
    """Put forces (n, 2), world axes, on the contact points of a MuJoCo state whose headings are set."""
    phi = np.cumsum(data.qpos[2:])
    arm = robot.contact_offset - robot.com_offset
    data.xfrc_applied[1:, :2] = forces
    data.xfrc_applied[1:, 5] = arm * (np.cos(phi) * forces[:, 1] - np.sin(phi) * forces[:, 0])


def data_of(state: State):
    model = plane_model(state.robot)
    data = mujoco.MjData(model)
    data.qpos[:2], data.qvel[:2] = (0.4, -0.7), (0.6, 0.2)
    data.qpos[2:] = np.diff(state.phi, prepend=0.0)
    data.qvel[2:] = np.diff(state.dphi, prepend=0.0)
    push(state.robot, data, state.forces)
    return model, data


def test_forward_dynamics_agree(state: State) -> None:
    model, data = data_of(state)
    data.qfrc_applied[3:] = state.tau
    mujoco.mj_forward(model, data)
    tail, ddphi = data.qacc[:2], np.cumsum(data.qacc[2:])
    args = (state.robot, state.phi, state.dphi, state.tau + damping_torque(state), state.forces)
    for other in (dense.torque_to_motion(*args), kernel_torque_to_motion(state)):
        assert disagreement(other[0], tail) < SAME
        assert disagreement(other[1], ddphi) < SAME


def test_inverse_dynamics_agree(state: State) -> None:
    model, data = data_of(state)
    mujoco.mj_forward(model, data)
    # M a + bias = tau + contact forces; the first three rows have no tau and give the body's own motion
    n = model.nv
    inertia = np.zeros((n, n))
    for k in range(n):
        mujoco.mj_mulM(model, data, inertia[k], np.eye(n)[k])
    outer = data.qfrc_bias.copy()
    for i in range(state.robot.links):
        wrench, place = data.xfrc_applied[1 + i], data.xipos[1 + i]
        pushed = np.zeros(n)
        mujoco.mj_applyFT(model, data, wrench[:3], wrench[3:], place, 1 + i, pushed)
        outer -= pushed
    free = np.linalg.solve(inertia[:3, :3], -outer[:3] - inertia[:3, 3:] @ state.ddtheta)
    tau = inertia[3:, :3] @ free + inertia[3:, 3:] @ state.ddtheta + outer[3:]
    wanted = (free[:2], free[2:3], tau)
    args = (state.robot, state.phi, state.dphi, state.ddtheta, state.forces)
    for other in (dense.shape_to_motion(*args), kernel_shape_to_motion(state, 0.61, -1.3)):
        for got, right in zip(other, wanted, strict=True):
            assert disagreement(np.asarray(got), right) < SAME


def test_the_comparison_bites() -> None:
    """A centre of gravity moved by one part in a million is seen."""
    state = random_state(6, 0)
    model, data = data_of(state)
    data.qfrc_applied[3:] = state.tau
    mujoco.mj_forward(model, data)
    longer = state._replace(robot=state.robot.but(com_offset=state.robot.com_offset * (1.0 + 1e-6)))
    assert disagreement(kernel_torque_to_motion(longer)[1], np.cumsum(data.qacc[2:])) > 100 * SAME


def creeping():
    """A short robot with blunt friction, starting and stopping within a second."""
    gait = Serpenoid.start_stop(winding_angle=0.8, waves=1.0, acceleration=7.0, duration=1.0)
    return robots.ma2001(links=8), gait, World(Coulomb(along=0.1, across=0.5, smoothing=0.02)), 1.0


def test_a_run_under_stiff_servos_nears_ours() -> None:
    """Distance, slip and torques of a servoed chain approach those of the prescribed shape: the loop that the benchmark times."""
    case = creeping()
    ours = sp.simulate(*case, step=5e-5).metrics
    theirs = march_gait(*case, 2.5e-4, stiffness=1e5, damping=200.0)
    assert theirs.finite
    assert theirs.com_distance == pytest.approx(ours["com_distance"], rel=SERVO)
    assert theirs.slip_per_link == pytest.approx(ours["slip_per_link"], rel=SERVO)
    assert theirs.torque_sq_mean == pytest.approx(ours["torque_sq_mean"], rel=SERVO)


@pytest.mark.parametrize("engine", ["mujoco", "drake"])
def test_the_engine_in_the_plane_nears_ours(engine: str) -> None:
    """The same run through `sp.simulate`: a planar scenario runs in peers on contact points, as it does in our engine in space."""
    pytest.importorskip("pydrake" if engine == "drake" else engine)
    case = creeping()
    ours, theirs = (
        sp.simulate(*case, step=5e-5, engine="spatial").metrics,
        sp.simulate(*case, step=2.5e-4, engine=engine),
    )
    assert theirs.status.ok and theirs.provenance["engine"] == engine
    for name in ("com_distance", "slip_per_link", "torque_sq_mean", "friction_loss", "positive_work"):
        assert theirs.metrics[name] == pytest.approx(ours[name], rel=ENGINE), name
    assert theirs.metrics["scheme_loss"] is None and theirs.reasons["scheme_loss"]


def test_other_laws_are_refused() -> None:
    gait = Serpenoid(winding_angle=0.8, waves=1.0, speed=0.3)
    with pytest.raises(InputError, match="Coulomb"):
        march_gait(robots.rods(4), gait, World(Viscous(along=0.1, across=0.5)), 0.1, 1e-3, 100.0, 1.0)


def test_missing_mujoco_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "mujoco":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"serpenoid\[engines\]"):
        engine_class("mujoco")
