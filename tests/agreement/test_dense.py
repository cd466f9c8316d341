"""Paper 002's equations as corrected = the O(n) recursion = Lagrange's equations; as printed they are not."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_face import (
    State,
    damping_torque,
    disagreement,
    kernel_energy,
    kernel_shape_to_motion,
    kernel_torque_to_motion,
    kernel_with_points,
    random_state,
    viscous_forces,
)

from serpenoid.core import FloatArray
from serpenoid.planar import dense

SAME = 1e-9  # relative: rounding times the condition of a 20-link inertia matrix, with room
BITES = 0.01  # relative: a wrong equation is off by more than that, ten million times SAME
FRAMES = [(0.0, 0.0), (0.83, 1.9)]  # heading and rate of the kernel's body frame


def dense_torque_to_motion(state: State) -> tuple[FloatArray, FloatArray]:
    return dense.torque_to_motion(state.robot, state.phi, state.dphi, state.tau + damping_torque(state), state.forces)


def test_recursion_gives_the_dense_accelerations(state: State) -> None:
    tail, ddphi = dense_torque_to_motion(state)
    tail_kernel, ddphi_kernel = kernel_torque_to_motion(state)
    assert disagreement(tail_kernel, tail) < SAME
    assert disagreement(ddphi_kernel, ddphi) < SAME


@pytest.mark.parametrize("frame", FRAMES)
def test_sums_give_the_dense_motion_and_torques(state: State, frame: tuple[float, float]) -> None:
    args = (state.robot, state.phi, state.dphi, state.ddtheta, state.forces)
    for got, wanted in zip(kernel_shape_to_motion(state, *frame), dense.shape_to_motion(*args), strict=True):
        assert disagreement(np.asarray(got), np.asarray(wanted)) < SAME


@pytest.mark.parametrize("points", [2, 4])
def test_recursion_gives_the_dense_accelerations_with_several_contact_points(state: State, points: int) -> None:
    """Viscous forces at Gauss points, by hand and by the kernels."""
    offsets, forces = viscous_forces(state, points)
    tail, ddphi = dense.torque_to_motion(
        state.robot, state.phi, state.dphi, state.tau + damping_torque(state), forces, offsets
    )
    tail_kernel, ddphi_kernel = kernel_with_points(state, points)
    assert disagreement(tail_kernel, tail) < SAME
    assert disagreement(ddphi_kernel, ddphi) < SAME


def test_the_two_modes_are_inverse(state: State) -> None:
    tail, ddphi = dense_torque_to_motion(state)
    back = dense.shape_to_motion(state.robot, state.phi, state.dphi, np.diff(ddphi), state.forces)
    assert disagreement(back[0], tail) < SAME
    assert back[1] == pytest.approx(ddphi[0], rel=SAME)
    assert disagreement(back[2], state.tau + damping_torque(state)) < SAME


def test_inertia_is_positive_definite_and_carries_the_energy(state: State) -> None:
    t = dense.terms(state.robot, state.phi, state.dphi, state.forces)
    whole = np.block([[t.m0, t.m], [t.M0, t.M]])
    assert np.linalg.eigvalsh(whole).min() > 0.0
    assert np.linalg.eigvalsh(t.M).min() > 0.0
    velocity = np.array([0.41, -0.67])
    u = np.concatenate([velocity, state.dphi])
    assert 0.5 * u @ whole @ u == pytest.approx(energy_of_links(state, velocity), rel=SAME)
    assert 0.5 * u @ whole @ u == pytest.approx(kernel_energy(state, velocity), rel=SAME)


def energy_of_links(state: State, velocity: FloatArray) -> float:
    """Kinetic energy link by link."""
    robot, energy, joint = state.robot, 0.0, complex(*velocity)
    for i in range(robot.links):
        swing = 1j * state.dphi[i] * np.exp(1j * state.phi[i])
        centre = joint + robot.com_offset[i] * swing
        energy += 0.5 * robot.link_mass[i] * abs(centre) ** 2 + 0.5 * robot.link_inertia[i] * state.dphi[i] ** 2
        joint += robot.link_length[i] * swing
    return energy


@pytest.mark.parametrize("n", [2, 3, 6, 20])
def test_maps_between_joints_and_links(n: int) -> None:
    D, E = dense.torque_map(n), dense.angle_map(n)
    assert np.array_equal(E.T @ D, np.eye(n - 1))
    assert np.array_equal(np.ones(n) @ D, np.zeros(n - 1))
    theta = np.arange(1.0, n) ** 2
    assert np.allclose(np.diff(E @ theta + 0.3), theta, rtol=1e-14)


def literal_terms(state: State, *, inertia: bool = True, centripetal: bool = True, force: bool = True) -> dense.Terms:
    """The terms as the paper prints them, each of its three fatal errata separately."""
    robot, phi = state.robot, state.phi
    t = dense.terms(robot, phi, state.dphi, state.forces)
    product, between = np.outer(robot.link_length, dense.lever(robot)), phi[None, :] - phi[:, None]
    lower = np.tril(product, k=-1)  # l_i h_j for j < i, as printed
    M = (lower + lower.T) * np.cos(between) + np.diag(np.diag(t.M))
    sines = np.triu(product, k=1) * np.sin(between)
    tau0 = (sines - np.tril(product.T, k=-1) * np.sin(between)) @ state.dphi**2
    return t._replace(M=M if inertia else t.M, tau0=tau0 if centripetal else t.tau0, f_f=-t.f_f if force else t.f_f)


@pytest.mark.parametrize("printed", ["inertia", "centripetal", "force", "inertia centripetal force"])
@pytest.mark.parametrize("seed", range(3))
def test_each_erratum_is_needed(seed: int, printed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    state = random_state(6, seed)
    right = dense_torque_to_motion(state)
    literal = literal_terms(state, **{name: name in printed for name in ("inertia", "centripetal", "force")})
    monkeypatch.setattr(dense, "terms", lambda *args: literal)
    assert disagreement(dense_torque_to_motion(state)[1], right[1]) > BITES


@pytest.mark.parametrize("seed", range(3))
def test_printed_inertia_is_symmetric_but_indefinite(seed: int) -> None:
    M = literal_terms(random_state(6, seed)).M
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() < -1e-3


@pytest.fixture(scope="module")
def lagrangian():
    """Accelerations of three links from Lagrange's equations by sympy; forces enter by virtual work."""
    sp = pytest.importorskip("sympy")
    n = 3
    q, u, a = sp.symbols("q:5"), sp.symbols("u:5"), sp.symbols("a:5")
    l, m, inertia, com, contact = (sp.symbols(f"{name}:{n}") for name in ("l", "m", "I", "g", "c"))
    fx, fy, tau = sp.symbols(f"fx:{n}"), sp.symbols(f"fy:{n}"), sp.symbols(f"t:{n - 1}")

    def rate(expression):
        return sum(sp.diff(expression, q[k]) * u[k] for k in range(5))

    energy, work = 0, sum(tau[j] * (q[3 + j] - q[2 + j]) for j in range(n - 1))
    x, y = q[0], q[1]
    for i in range(n):
        c, s = sp.cos(q[2 + i]), sp.sin(q[2 + i])
        energy += m[i] * (rate(x + com[i] * c) ** 2 + rate(y + com[i] * s) ** 2) / 2 + inertia[i] * u[2 + i] ** 2 / 2
        work += fx[i] * (x + contact[i] * c) + fy[i] * (y + contact[i] * s)
        x, y = x + l[i] * c, y + l[i] * s
    residual = []
    for k in range(5):
        momentum = sp.diff(energy, u[k])
        change = rate(momentum) + sum(sp.diff(momentum, u[j]) * a[j] for j in range(5))
        residual.append(change - sp.diff(energy, q[k]) - sp.diff(work, q[k]))
    matrix, side = sp.linear_eq_to_matrix(residual, a)
    return sp.lambdify([*q, *u, *l, *m, *inertia, *com, *contact, *fx, *fy, *tau], [matrix, side], "numpy", cse=True)


@pytest.mark.parametrize("seed", range(6))
def test_lagrange_gives_the_dense_accelerations(lagrangian, seed: int) -> None:
    state = random_state(3, seed, damped=False)
    r = state.robot
    links = (r.link_length, r.link_mass, r.link_inertia, r.com_offset, r.contact_offset)
    matrix, side = lagrangian(
        0.3,
        -0.2,
        *state.phi,
        0.9,
        -0.4,
        *state.dphi,
        *np.concatenate(links),
        *state.forces[:, 0],
        *state.forces[:, 1],
        *state.tau,
    )
    wanted = np.linalg.solve(np.array(matrix, float), np.array(side, float).ravel())
    tail, ddphi = dense_torque_to_motion(state)
    assert disagreement(np.concatenate([tail, ddphi]), wanted) < SAME
