"""Whole runs against SciPy's integrator on the paper's dense equations: unequal links, damping, edges, ratchet, a patch, a slope.

Nothing of the engines is used on the other side: contact points, velocities and friction are written out anew in NumPy.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import serpenoid as sp
from planar_runs import planar_run
from serpenoid.gaits import headings
from serpenoid.planar import dense

RNG = np.random.default_rng(5)
N, G, T = 6, 9.81, 0.5
LENGTH, MASS = RNG.uniform(0.05, 0.15, N), RNG.uniform(0.2, 0.9, N)
ROBOT = sp.Robot(
    links=N, link_length=LENGTH, link_mass=MASS, link_inertia=MASS * LENGTH**2 * RNG.uniform(0.2, 1.5, N),
    com_offset=LENGTH * RNG.uniform(0.2, 0.8, N), contact_offset=LENGTH * RNG.uniform(0.2, 0.8, N),
    joint_damping=RNG.uniform(0.02, 0.1, N - 1), name="random",
)  # fmt: skip
EDGE = tuple(RNG.uniform(-0.4, 0.4, N))
PATCH = sp.Patch((0.15, -0.5, 0.45, 0.5), 0.35, 0.3, 0.6)
START = sp.Start((0.1, -0.05), 0.3, (0.2, -0.1), 0.4)
TILT, UPHILL = 0.27, 1.9  # rad, of the sloping plane
LAWS = {"unit-slip": sp.contact.UnitSlip, "coulomb": sp.contact.Coulomb}
CLOSE, RELATIVE = 1e-7, 1e-6  # m and rad; of work, losses and squared torques


def friction(law, patched: bool, tilt: float, r0, v0, phi, dphi):
    """Contact forces (n, 2), the power lost and the slip, from first principles."""

    def axes(angle):
        return np.c_[np.cos(angle), np.sin(angle)], np.c_[-np.sin(angle), np.cos(angle)]

    t, n = axes(phi)
    joint = r0 + np.vstack([[0, 0], np.cumsum(LENGTH[:, None] * t, 0)[:-1]])
    speed = v0 + np.vstack([[0, 0], np.cumsum((LENGTH * dphi)[:, None] * n, 0)[:-1]])
    place, v = joint + ROBOT.contact_offset[:, None] * t, speed + (ROBOT.contact_offset * dphi)[:, None] * n
    along, across = axes(phi + np.array(EDGE))
    vt, vn = (v * along).sum(1), (v * across).sum(1)
    mu = np.array([[law.along, law.backward, law.across]] * N).T
    if patched:
        x0, y0, x1, y1 = PATCH.rectangle
        inside = (place[:, 0] >= x0) & (place[:, 0] <= x1) & (place[:, 1] >= y0) & (place[:, 1] <= y1)
        mu[:, inside] = np.array([[PATCH.along], [PATCH.backward], [PATCH.across]])
    if law.NAME == "unit-slip":
        size_t = size_n = np.sqrt(vt**2 + vn**2 + law.smoothing**2)
    else:
        size_t, size_n = np.sqrt(vt**2 + law.smoothing**2), np.sqrt(vn**2 + law.smoothing**2)
    weight = MASS * G * np.cos(tilt)
    ft, fn = -np.where(vt >= 0, mu[0], mu[1]) * weight * vt / size_t, -mu[2] * weight * vn / size_n
    return ft[:, None] * along + fn[:, None] * across, -(ft @ vt + fn @ vn), np.abs(vn).sum() / N


def downhill(tilt: float) -> tuple[float, float]:
    """Gravity along the plane, m/s^2."""
    return -G * np.sin(tilt) * np.cos(UPHILL), -G * np.sin(tilt) * np.sin(UPHILL)


def tail_velocity(phi, dphi):
    h = dense.lever(ROBOT)
    return np.array(START.velocity) - (h * dphi) @ np.c_[-np.sin(phi), np.cos(phi)] / ROBOT.mass


@pytest.mark.parametrize(("patched", "tilt"), [(False, 0.0), (True, 0.0), (False, TILT)])
@pytest.mark.parametrize("name", list(LAWS))
def test_shape_to_motion(name: str, patched: bool, tilt: float) -> None:
    law = LAWS[name](0.1, 0.5, 0.25, smoothing=3e-2)
    gait = sp.gaits.Serpenoid(0.7, 1.1, speed=0.6)
    par, tab = gait.row(ROBOT)

    def rows(t):
        out = np.zeros((3, N))
        headings(gait.KIND, par, tab, t, out)
        return out

    def slope(t, y):
        o = rows(t)
        phi, dphi = o[0] + y[4], o[1] + y[5]
        f, loss, slip = friction(law, patched, tilt, y[:2], y[2:4], phi, dphi)
        a, alpha, tau = dense.shape_to_motion(ROBOT, phi, dphi, np.diff(o[2]), f, gravity=downhill(tilt))
        rate = np.diff(dphi)
        drive = tau + ROBOT.joint_damping * rate
        return np.r_[y[2:4], a, y[5], alpha - o[2][0], drive @ rate, loss, slip, drive @ drive]

    o = rows(0.0)
    v0 = tail_velocity(o[0] + START.heading, o[1] + START.angular_velocity)
    y0 = np.r_[START.position, v0, START.heading, START.angular_velocity, np.zeros(4)]
    y = solve_ivp(slope, (0, T), y0, rtol=1e-9, atol=1e-11, max_step=2e-3).y[:, -1]
    world = sp.World(law, patches=(PATCH,) if patched else (), edge_angle=EDGE, slope=tilt, slope_direction=UPHILL)
    run = planar_run(ROBOT, gait, world, T, start=START, integrator="rk4", step=2e-4)
    frame = run.heading[-1, 0] - rows(T)[0, 0]
    assert [*run["node"][-1, 0, :2], frame] == pytest.approx(y[[0, 1, 4]], abs=CLOSE)
    m = run.totals
    found = [m["net_work"], m["friction_loss"], m["slip_across"] / N, m["torque_sq"]]
    assert found == pytest.approx(y[6:], rel=RELATIVE * 10)
    errors = []
    for step in (2e-4, 1e-4):
        run = planar_run(ROBOT, gait, world, T, start=START, step=step)
        errors.append(np.linalg.norm(run["node"][-1, 0, :2] - y[:2]))
    assert errors[1] < 2e-4 and 1.6 < errors[0] / errors[1] < 2.4


@pytest.mark.parametrize(("patched", "tilt"), [(False, 0.0), (True, 0.0), (False, TILT)])
@pytest.mark.parametrize("name", list(LAWS))
def test_torque_to_motion(name: str, patched: bool, tilt: float) -> None:
    law = LAWS[name](0.1, 0.5, 0.25, smoothing=3e-2)
    joint = np.arange(1, N)

    def slope(t, y):
        phi, dphi = y[4 : 4 + N], y[4 + N : 4 + 2 * N]
        f, loss, _ = friction(law, patched, tilt, y[:2], y[2:4], phi, dphi)
        drive, rate = 0.15 * np.sin(0.6 * joint + 5 * t), np.diff(dphi)
        a, alpha = dense.torque_to_motion(
            ROBOT, phi, dphi, drive - ROBOT.joint_damping * rate, f, gravity=downhill(tilt)
        )
        return np.r_[y[2:4], a, dphi, alpha, drive @ rate, loss]

    phi, dphi = np.full(N, START.heading), np.full(N, START.angular_velocity)
    y0 = np.r_[START.position, tail_velocity(phi, dphi), phi, dphi, 0, 0]
    y = solve_ivp(slope, (0, T), y0, rtol=1e-9, atol=1e-11, max_step=2e-3).y[:, -1]
    world = sp.World(law, patches=(PATCH,) if patched else (), edge_angle=EDGE, slope=tilt, slope_direction=UPHILL)
    drive = sp.gaits.drives.SineTorque(0.15, 5.0, 0.6)
    run = planar_run(ROBOT, drive, world, T, start=START, integrator="rk4", step=2e-4)
    assert run["node"][-1, 0, :2] == pytest.approx(y[:2], abs=CLOSE)
    assert run.heading[-1] == pytest.approx(y[4 : 4 + N], abs=10 * CLOSE)
    assert [run.totals["net_work"], run.totals["friction_loss"]] == pytest.approx(y[-2:], rel=RELATIVE * 10)
    run = planar_run(ROBOT, drive, world, T, start=START, step=5e-5)
    assert run.heading[-1] == pytest.approx(y[4 : 4 + N], abs=2e-3)
