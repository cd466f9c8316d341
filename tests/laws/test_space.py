"""Laws of motion in space: momentum, energy, order, rest, and the modes against one another."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
import space_cases as cases
from serpenoid.core.terrain import Ground
from serpenoid.gaits import CompoundSerpenoid, Sidewinding

DRIFT = 1e-12  # m in 10 s: rounding alone
CLOSED = 1e-9  # of the positive work: the account is exact
FREE = sp.World(sp.contact.Coulomb(0.5, 0.5), gravity=0.0, ground=Ground())
ALOFT = sp.Start(height=5.0)


def robot(joints: str = "universal", links: int = 8, servo: sp.control.Servo | None = None) -> sp.Robot:
    return sp.robots.universal(links, length=1.0, mass=2.0, radius=0.02, joints=joints).but(servo=servo)


def own_law(v_along, v_across, load, _parameters):
    """A law of a user: less friction across where it slips along."""
    size = (v_along * v_along + v_across * v_across + 1e-4) ** 0.5
    return -load * v_along / size, -load * v_across / size


@pytest.mark.parametrize("servo", [None, sp.control.Servo(20.0, 0.5), sp.control.Servo(20.0, 0.5, torque_limit=0.3)])
def test_free_flight_keeps_momentum_and_centre(servo) -> None:
    """Prescribed, driven and saturated joints: without forces the centre of gravity stays, momenta stay zero."""
    run = sp.simulate(robot(servo=servo), cases.WRITHE, FREE, 10.0, start=ALOFT)
    assert run.status.ok and run.metrics["contact_count_mean"] == 0.0
    assert np.abs(cases.com_of(run) - cases.com_of(run)[0]).max() < DRIFT
    momenta = run.state["arrays"]["momenta"].sum(axis=1)
    assert np.abs(momenta).max() < 1e-13
    turned = np.abs(run["heading"] - run["heading"][0]).max() + np.abs(run["roll"] - run["roll"][0]).max()
    assert turned > 0.05  # it does writhe


@pytest.mark.parametrize("mode", ["shape", "torque"])
def test_free_flight_keeps_given_momentum(mode: str) -> None:
    start = sp.Start(height=5.0, velocity=(0.3, -0.2), angular_velocity=1.5, roll=0.3, pitch=0.2)
    command = sp.control.SineTorque(0.05, 6.0, 0.7) if mode == "torque" else cases.WRITHE
    run = sp.simulate(robot(), command, FREE, 4.0, start=start, step=5e-4)
    com, t = cases.com_of(run), run["time"]
    assert np.abs(com - com[0] - np.outer(t, [0.3, -0.2, 0.0])).max() < DRIFT
    first = sp.simulate(robot(), command, FREE, 1.0, start=start, step=5e-4, until=5e-4)
    P = [robot().mass * r["com_velocity"][-1] for r in (first, run)]
    spin = [r.state["arrays"]["momenta"][:3].sum(axis=1) for r in (first, run)]  # about the centre of gravity
    assert np.abs(P[0] - P[1]).max() < 1e-12 and np.abs(spin[0] - spin[1]).max() < 1e-12
    assert np.linalg.norm(spin[0]) > 0.01


@pytest.mark.parametrize("servo", [None, cases.SERVO])
def test_a_moving_observer_sees_the_same_torques(servo) -> None:
    """Galileo: a constant velocity of the whole body changes neither torques nor joint angles."""
    rest, moving = (
        sp.simulate(
            robot(servo=servo), cases.WRITHE, FREE, 1.0, start=sp.Start(height=5.0, velocity=v, angular_velocity=0.8)
        )
        for v in ((0.0, 0.0), (3.0, -2.0))
    )
    scale = np.abs(rest["joint_torque"]).max()
    assert scale > 0.01 and np.abs(rest["joint_torque"] - moving["joint_torque"])[1:].max() < 1e-8 * scale
    assert np.abs(rest["joint_angle"] - moving["joint_angle"]).max() < 1e-10


def test_falling_is_exact() -> None:
    run = sp.simulate(robot(), cases.WRITHE, cases.level(), 1.0, start=sp.Start(height=20.0), record_interval=0.1)
    t = run["time"]
    assert np.abs(run["com"][:, 2] - run["com"][:, 2][0] + 0.5 * 9.81 * t**2).max() < 1e-11


@pytest.mark.parametrize("mode", ["shape", "servo", "torque"])
@pytest.mark.parametrize("law", list(sp.contact.LAWS))
def test_energy_balance_closes(mode: str, law: str) -> None:
    """Work of the joints = kinetic + potential + friction + ground + damping + the scheme's own loss, computed apart."""
    more = {"static_force_across": 6.0, "stick_length_across": 1e-4} if law in ("threshold", "bristle") else {}
    more = {"function": own_law} if law == "custom" else more
    friction = sp.contact.LAWS[law](0.3, 0.7, 0.5, **more) if law != "none" else sp.contact.LAWS[law]()
    servo = cases.SERVO if mode == "servo" else None
    command = sp.control.SineTorque(0.2, 6.0, 0.7) if mode == "torque" else cases.WRITHE
    body = robot(servo=servo).but(joint_damping=0.01)
    run = sp.simulate(body, command, cases.level(friction), 1.5)
    m = run.metrics
    parts = (
        "kinetic_energy_change",
        "potential_energy_change",
        "friction_loss",
        "ground_loss",
        "damping_loss",
        "scheme_loss",
    )
    assert abs(m["net_work"] - sum(m[k] for k in parts)) < CLOSED * m["positive_work"]
    if law != "bristle":
        assert m["friction_loss"] >= 0.0
    assert m["positive_work"] > 1e-3


def test_the_schemes_loss_shrinks_with_the_step() -> None:
    loss = [cases.sidewind(0.0, 4.0, step=h).metrics for h in (2e-3, 1e-3, 5e-4)]
    share = [m["scheme_loss"] / m["positive_work"] for m in loss]
    assert share[0] > 1.5 * share[1] > 1.5**2 * share[2] and share[1] < 0.04


def test_attitude_is_second_order_in_free_flight() -> None:
    """A tumbling body whose shape changes: errors of the attitude fall fourfold when the step is halved."""
    start = sp.Start(height=5.0, angular_velocity=2.0, roll=0.5, pitch=0.4)
    ends = [
        sp.simulate(robot(), cases.WRITHE, FREE, 2.0, start=start, step=h).state["arrays"]["motion"][6:10]
        for h in (4e-3, 2e-3, 1e-3, 2.5e-4)
    ]
    errors = [np.abs(e - ends[-1]).max() for e in ends[:-1]]
    assert 3.5 < errors[0] / errors[1] < 4.6 and 3.5 < errors[1] / errors[2] < 5.0


def test_motion_on_the_ground_is_first_order() -> None:
    """Distances at halved steps approach one another by half."""
    d = [cases.sidewind(0.0, 8.0, step=h).metrics["path_length"] for h in (2e-3, 1e-3, 5e-4, 2.5e-4)]
    change = np.abs(np.diff(d))
    assert change[-1] < 0.6 * change[0] and change[-1] < 2e-3 * d[-1]


@pytest.mark.parametrize("servo", [None, cases.SERVO])
def test_a_dropped_chain_settles_at_its_radius_less_the_sag(servo) -> None:
    body = sp.robots.sarrafan2012().but(servo=servo)
    run = sp.simulate(body, cases.posture(yaw_offset=0.4), cases.level(), 3.0, start=sp.Start(height=0.3))
    sag = body.mass * 9.81 / (12 * 2e4)
    assert run["com"][:, 2][-1] == pytest.approx(0.015 - sag, abs=1e-9)
    assert run["contact_force"][..., 2][-1].sum() == pytest.approx(body.mass * 9.81, rel=1e-9)
    assert run.metrics["normal_force_max"] > 20.0


def test_stiff_servos_approach_prescribed_joints() -> None:
    """The gap to the prescribed motion falls with the stiffness: same physics, two solvers."""
    gait = CompoundSerpenoid(yaw_amplitude=0.4, yaw_spatial=0.9, yaw_temporal=3.0, ramp=1.0)
    world = cases.level(sp.contact.Coulomb(0.1, 0.6))
    wanted = sp.simulate(robot("yaw", 10), gait, world, 3.0, step=5e-4)
    gaps = []
    for k in (10.0, 100.0, 1e5):
        run = sp.simulate(robot("yaw", 10, sp.control.Servo(k, 0.3)), gait, world, 3.0, step=5e-4)
        gaps.append(
            np.hypot(
                run["node"][..., 0][-1] - wanted["node"][..., 0][-1],
                run["node"][..., 1][-1] - wanted["node"][..., 1][-1],
            ).max()
        )
    assert gaps[1] < 0.5 * gaps[0] and gaps[2] < 0.1 * gaps[1] and gaps[2] < 1e-3


def test_torques_that_a_prescribed_run_took_drive_the_same_motion() -> None:
    """Shape to motion gives torques; torque to motion with them gives the motion back (inverse of the inverse)."""
    gait = CompoundSerpenoid(
        yaw_amplitude=0.3, pitch_amplitude=0.2, yaw_spatial=0.9, pitch_spatial=0.5, yaw_temporal=4.0, pitch_temporal=3.0
    )
    body, h = robot(links=5), 2e-4
    shape = sp.simulate(body, gait, FREE, 0.8, start=ALOFT, step=h, record_interval=h)
    drive = sp.control.SampledTorque(shape["time"], shape["joint_torque"])
    back = sp.simulate(body, drive, FREE, 0.8, start=ALOFT, step=h)
    assert np.abs(back["joint_angle"][-1] - shape["joint_angle"][-1]).max() < 2e-3
    assert np.abs(shape["joint_angle"][-1]).max() > 0.1


def test_mirror() -> None:
    """The mirrored gait makes the mirrored motion."""
    body = robot("pitch-yaw", 6)
    gait = CompoundSerpenoid(
        yaw_amplitude=0.4, pitch_amplitude=0.3, yaw_spatial=1.1, pitch_spatial=1.1, yaw_temporal=3.0, pitch_temporal=3.0
    )
    mirrored = CompoundSerpenoid(**{**vars(gait), "yaw_amplitude": -0.4})
    runs = [sp.simulate(body, g, cases.level(sp.contact.Coulomb(0.3, 0.6)), 1.0) for g in (gait, mirrored)]
    a, b = cases.com_of(runs[0]), cases.com_of(runs[1])
    assert np.abs(a * [1, -1, 1] - b).max() < 1e-9 and np.abs(a[-1, 1] - a[0, 1]) > 1e-3


def test_turned_and_moved_starts_turn_and_move_the_motion() -> None:
    gait, world = Sidewinding(phase_offset=1.0), cases.level()
    here = sp.simulate(sp.robots.sarrafan2012(), gait, world, 1.0)
    there = sp.simulate(sp.robots.sarrafan2012(), gait, world, 1.0, start=sp.Start((3.0, -2.0), 0.7))
    c, s = np.cos(0.7), np.sin(0.7)
    moved = cases.com_of(here) @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) + [3.0, -2.0, 0.0]
    assert np.abs(moved - cases.com_of(there)).max() < 1e-8


def test_a_continued_run_is_the_uninterrupted_one_bit_for_bit(tmp_path) -> None:
    law = sp.contact.Bristle(
        0.5, 0.7, static_along=0.6, static_across=0.8, stick_length_along=1e-4, stick_length_across=1e-4
    )
    body, gait = sp.robots.sarrafan2012().but(servo=cases.SERVO), Sidewinding(phase_offset=0.3)
    world = cases.level(law, slope=0.1)
    whole = sp.simulate(body, gait, world, 1.0)
    part = sp.simulate(body, gait, world, 1.0, until=0.4)
    rest = sp.resume(sp.load(part.save(tmp_path / "part.nc")))
    for name in ("com", "joint_torque", "contact_force", "link_axis"):
        assert np.array_equal(rest[name], whole[name]), name
    assert rest.metrics == whole.metrics


def test_control_period_and_limits_change_what_they_should() -> None:
    free = cases.sidewind(0.0, 3.0)
    held = cases.sidewind(0.0, 3.0, servo=sp.control.Servo(60.0, 1.5, control_period=0.032))
    weak = cases.sidewind(0.0, 3.0, servo=sp.control.Servo(60.0, 1.5, torque_limit=0.5))
    slow = cases.sidewind(0.0, 3.0, servo=sp.control.Servo(60.0, 1.5, speed_limit=0.3))
    assert held.metrics["torque_max"] != free.metrics["torque_max"]
    assert weak.metrics["torque_max"] <= 0.5 * (1 + 1e-9) < free.metrics["torque_max"]
    assert any("torque limit" in w for w in weak.warnings)
    assert np.abs(slow["joint_rate"]).max() < 0.7 * np.abs(free["joint_rate"]).max()


def test_failed_joints() -> None:
    """Locked joints stay at zero; limp ones take no torque, among servos and among ideal joints."""
    body = sp.robots.sarrafan2012().but(locked=(2,), limp=(4,))
    run = sp.simulate(body.but(servo=cases.SERVO), Sidewinding(), cases.level(), 3.0)
    joints = run["dof_joint"]
    assert 2 not in joints and np.abs(run["joint_torque"][1:, joints == 4]).max() < 1e-12
    assert np.abs(run["joint_torque"][1:, joints == 3]).max() > 0.1
    ideal = sp.simulate(body, Sidewinding(), cases.level(), 1.0)
    assert np.abs(ideal["joint_torque"][1:, joints == 4]).max() == 0.0
    assert np.abs(ideal["joint_angle"] - ideal["joint_target"])[1:, joints != 4].max() == 0.0
    assert np.abs(ideal["joint_angle"] - ideal["joint_target"])[:, joints == 4].max() > 0.05
