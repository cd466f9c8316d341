"""Dry friction as it must be: static friction follows the load, equal coefficients know no direction, a law takes its own keys only."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.contact import LAWS, Bristle, Coulomb, Threshold, UnitSlip
from serpenoid.core.errors import InputError
from serpenoid.core.obstacles import Disc
from serpenoid.core.terrain import Ground
from serpenoid.formats.scenario import bundled, checked, read, read_toml

G, MU = 9.81, 0.4
STILL = sp.gaits.StandingWave(0.0, 1.0, 1.0)
UNDULATE = sp.gaits.Serpenoid(np.radians(35.0), 1.5, speed=0.3)


# --- static friction and the load


def crept(law, scale: float = 1.0, **world: object) -> float:
    robot = sp.robots.rods(12, length=0.6, mass=0.6 * scale)
    return sp.simulate(robot, UNDULATE, sp.World(law, **world), 4.0, step=1e-3).metrics["com_distance"]


@pytest.mark.parametrize("law", [Threshold, Bristle])
def test_masses_cancel_where_all_friction_is_the_load_s(law) -> None:
    """Every force is a coefficient times the weight: a body a hundred times as heavy goes the same way."""
    light, heavy = crept(law(0.2, 0.5)), crept(law(0.2, 0.5), 100.0)
    assert light == pytest.approx(heavy, rel=1e-6)
    assert light == pytest.approx(crept(law(0.2, 0.5, static_across=0.5)), rel=1e-9)
    assert light == pytest.approx(crept(law(0.2, 0.5, static_across=0.6)), rel=0.15)


def test_static_friction_is_that_of_the_place() -> None:
    """A patch under the whole robot is a ground of its own, for static friction too."""
    patch = (sp.Patch((-9.0, -9.0, 9.0, 9.0), 0.1, 0.7, backward=0.3),)
    for law in (Threshold, Bristle):
        more = {"stick_length_along": 1e-5}
        there = crept(law(0.1, 0.7, 0.3, **more))
        assert crept(law(0.9, 0.2, **more), patches=patch) == pytest.approx(there, abs=1e-12)


def test_a_static_force_beside_a_coefficient_is_refused() -> None:
    for law in (Threshold, Bristle):
        with pytest.raises(InputError, match=r"static_force_across or static_across, not both.*5 N.*0\.6"):
            law(0.2, 0.5, static_force_across=5.0, static_across=0.6)


def test_bristles_compare_each_contact_with_itself() -> None:
    """A light link that sticks less than the heavy one slides is fine, as long as each sticks as well as it slides."""
    robot = sp.robots.rods(4, length=0.4, mass=1.0).but(link_mass=np.array([0.1, 0.1, 0.1, 5.0]))
    run = sp.simulate(robot, UNDULATE, sp.World(Bristle(0.1, 0.5, static_across=0.6)), 0.1, step=1e-3)
    assert run.status.ok
    with pytest.raises(InputError, match=r"link 3 slides at 24\.5\d* N and would stick up to 5 N"):
        sp.simulate(robot, UNDULATE, sp.World(Bristle(0.1, 0.5, static_force_across=5.0)), 0.1)


# --- the same in all directions


def braking(law, angle: float, spatial: bool = True) -> float:
    """Deceleration of a body thrown at an angle to its axis, in mu g."""
    robot = sp.robots.rods(2, length=0.4, mass=1.0, radius=0.02)
    world = sp.World(law, ground=Ground(model="flat") if spatial else None)
    start = sp.Start(velocity=(np.cos(angle), np.sin(angle)))
    run = sp.simulate(robot, STILL, world, 0.1, start=start, step=1e-3, record_interval=1e-3)
    speed = np.linalg.norm(run["com_velocity"], axis=1)
    return (speed[40] - speed[80]) / (0.04 * MU * G)  # it tips a little at first


@pytest.mark.parametrize("angle", np.radians([0.0, 20.0, 45.0, 80.0, 135.0, -100.0]))
def test_a_slide_brakes_with_mu_g_at_any_angle(angle: float) -> None:
    assert braking(Coulomb(MU, MU, smoothing=1e-5), angle) == pytest.approx(1.0, abs=1e-3)
    assert braking(Coulomb(MU, MU, smoothing=1e-5, axes="together"), angle, False) == pytest.approx(1.0, abs=1e-3)


def test_axes_apart_brake_by_root_two_at_45_degrees() -> None:
    for law, spatial in (
        (Coulomb(MU, MU, smoothing=1e-5, axes="apart"), True),
        (Coulomb(MU, MU, smoothing=1e-5), False),
    ):
        assert braking(law, np.pi / 4.0, spatial) == pytest.approx(np.sqrt(2.0), abs=1e-3)


@pytest.mark.parametrize("angle", np.radians([30.0, 70.0]))
def test_unequal_coefficients_together_are_an_ellipse(angle: float) -> None:
    """The force maximises the work over the ellipse with half axes mu_t N, mu_n N."""
    along, across = 0.2, 0.6
    force = np.array([along**2 * np.cos(angle), across**2 * np.sin(angle)]) / np.hypot(
        along * np.cos(angle), across * np.sin(angle)
    )
    robot, start = sp.robots.rods(2, length=0.4, mass=1.0), sp.Start(velocity=(np.cos(angle), np.sin(angle)))
    law = Coulomb(along, across, smoothing=1e-6, axes="together")
    run = sp.simulate(robot, STILL, sp.World(law), 1e-4, start=start, step=1e-5)
    change = (run["com_velocity"][0] - run["com_velocity"][-1])[:2] / (1e-4 * G)
    assert change == pytest.approx(force, rel=3e-3)


def test_a_round_body_thrown_obliquely_turns_its_slip() -> None:
    """Slip u along, w across: u' = -mu g u / |s|, w' = -(1 + m r^2 / I) mu g w / |s|, so w / w0 = (u / u0)^3 for a solid cylinder."""
    robot = sp.robots.rods(2, length=2.0, mass=1.0, radius=0.02)  # long: it hardly pitches
    assert robot.axial_inertia == pytest.approx(0.5 * robot.link_mass * robot.radius**2)
    world = sp.World(Coulomb(MU, MU, smoothing=1e-5), ground=Ground(stiffness=1e6, damping=500.0))  # sags by 2e-6 m
    run = sp.simulate(robot, STILL, world, 0.06, start=sp.Start(velocity=(0.5, 0.5)), step=1e-4, record_interval=1e-3)
    u, w = run["contact_velocity_along"].mean(axis=1), run["contact_velocity_across"].mean(axis=1)
    some = slice(10, 60)
    assert w[some] / 0.5 == pytest.approx((u[some] / 0.5) ** 3, abs=2e-3)
    assert run["com_velocity"][-1, 1] - w[-1] == pytest.approx(
        2.0 * (0.5 - run["com_velocity"][-1, 1]), rel=5e-3
    )  # r omega


@pytest.mark.parametrize("bend", [0.01, 0.03, 0.06])
def test_an_arc_rolls_as_fast_as_the_balance_of_slip_directions_says(bend: float) -> None:
    """Link at angle p: slip v e_y - n(p), v the speed over r omega; under even loads the unit slips sum to zero. Flat arcs do not slip."""
    links, radius, rate = 20, 0.03, 2.0
    spread = bend * (np.arange(links) - 0.5 * (links - 1))

    def balance(v: float) -> float:
        return float(((v - np.cos(spread)) / np.sqrt(v * v - 2.0 * v * np.cos(spread) + 1.0)).sum())

    low, high = 0.1, 0.99999
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if balance(middle) < 0.0 else (low, middle)
    world = sp.World(Coulomb(0.6, 0.6, smoothing=1e-5), ground=Ground())
    run = sp.simulate(sp.robots.universal(links, radius=radius), sp.gaits.Rolling(bend, rate, ramp=0.5), world, 4.0)
    t, y = run["time"], run["com"][:, 1]
    assert abs(np.polyfit(t[t > 2.0], y[t > 2.0], 1)[0]) / (radius * rate) == pytest.approx(low, rel=0.02)


def test_walls_have_one_coefficient_for_all_directions() -> None:
    """Friction of walls is isotropic beside a law that is not, and a patch with equal coefficients too."""
    law = Coulomb(0.1, 0.5)
    assert law.scalars_in_space(sp.World(law, obstacles=(Disc((5.0, 5.0), 0.1),)))[0] == 2.0
    patched = sp.World(law, patches=(sp.Patch((0, 0, 1, 1), 0.3, 0.3),), ground=Ground())
    assert law.scalars_in_space(patched)[0] == 2.0 and law.scalars_in_space(sp.World(law, ground=Ground()))[0] == 0.0


def test_the_papers_law_says_that_equal_coefficients_are_not_isotropic() -> None:
    robot = sp.robots.rods(6)
    said = lambda law, **world: [  # noqa: E731
        w for w in sp.simulate(robot, UNDULATE, sp.World(law, **world), 0.05).warnings if "apart" in w
    ]
    (text,) = said(Coulomb(0.5, 0.5))
    assert "1.41" in text and 'axes = "together"' in text and "unit-slip" in text
    assert said(Coulomb(0.45, 0.5)) and said(Bristle(0.5, 0.5))
    for law in (
        Coulomb(0.1, 0.5),
        Coulomb(0.5, 0.5, axes="apart"),
        Coulomb(0.5, 0.5, axes="together"),
        UnitSlip(0.5, 0.5),
    ):
        assert not said(law)


def test_the_bundled_title_is_true() -> None:
    law = sp.World(friction=Coulomb(0.6, 0.6), ground=Ground())
    data, _ = read_toml(bundled()["rectilinear"])
    assert "same in all directions" in data["title"]
    assert (
        data["world"]["friction"].get("axes") != "apart"
        and data["world"]["friction"]["along"] == data["world"]["friction"]["across"]
    )
    assert law.friction.scalars_in_space(law)[0] == 2.0


# --- keys


def test_a_law_refuses_the_keys_of_others_and_says_whose_they_are() -> None:
    data, _ = read_toml(bundled()["creep"])
    data["world"]["friction"]["static_across"] = 0.6
    with pytest.raises(
        InputError,
        match=r"world\.friction\.static_across: the friction law coulomb has no such key; it is one of .*threshold.*bristle",
    ):
        checked(data)
    data["world"]["friction"] = {"law": "none", "along": 0.1}
    with pytest.raises(InputError, match=r"world\.friction\.along"):
        checked(data)


def test_another_law_by_one_key_keeps_what_both_have() -> None:
    for law in set(LAWS) - {"custom"}:
        table = read("creep", [f"world.friction.law={law}"])["world"]["friction"]
        assert table["law"] == law and (law == "none" or table["across"] == 0.5)
    table = read("creep", ["world.friction.static_across=0.6", "world.friction.law=threshold"])["world"]["friction"]
    assert table["static_across"] == 0.6
    with pytest.raises(InputError, match=r"world\.friction\.static_across"):
        read("creep", ["world.friction.static_across=0.6"])
