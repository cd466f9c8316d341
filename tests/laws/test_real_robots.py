"""Robots that exist: the presets have the numbers of the files and manuals that they name, and run like every other robot."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.formats.scenario import robot_from, schema
from serpenoid.formats.urdf import read_urdf, urdf_text
from serpenoid.robots.modules import Piece, cylinder, lumped

# joints, mass (kg), joint to joint (m), radius (m), stop (rad), torque (N m), speed (rad/s), damping (N m s/rad), friction (N m): github.com/kmkar31/snakelib
# (commit bcb5e6a), model/SEA/SEA.urdf, model/RSnake/RSnake.urdf, model/ReU/ReU_snake.urdf; of ReU without its 17 links of 1.0 kg
FILES = {
    "sea_snake": (16, 32 * 0.103 + 2 * 0.05, 0.0273 + 0.0366, 0.026, 1.57, 7.0, 2.208932, 0.1, 0.2),
    "rsnake": (14, 15 * 1.072, 0.145, 0.05, 1.57, 16.0, 0.25, 0.0, 0.0),
    "reu": (16, 17 * 0.103, 0.0066 + 0.044, 0.02539, 1.57076327, 7.0, 2.2, 0.1, 0.2),
}
PAGE = {
    "modules": 16,
    "length": 1.174,
    "mass": 3.657,
    "module_mass": 0.205,
    "module_length": 0.064,
    "diameter": 0.051,
}  # SEA Snake
ROUNDING = 1e-12


@pytest.mark.parametrize("name", FILES)
def test_facts_of_the_files(name: str) -> None:
    joints, mass, pitch, radius, stop, torque, speed, damping, friction = FILES[name]
    robot = sp.robots.ROBOTS[name]()
    assert robot.links - 1 == joints == len(robot.axes) and robot.name == name and "snakelib" in robot.source
    assert robot.mass == pytest.approx(mass, rel=ROUNDING)
    assert robot.link_length[1:-1] == pytest.approx(pitch, rel=ROUNDING)
    assert np.all(robot.radius == radius) and np.all(robot.joint_limit == stop)
    assert {axis for _, axis in robot.axes[::2]} == {"yaw"} and {axis for _, axis in robot.axes[1::2]} == {"pitch"}
    for servo in robot.servos:
        assert servo is not None
        assert (servo.torque_limit, servo.speed_limit, servo.gear_friction) == (torque, speed, friction)
    assert np.all(robot.joint_damping == damping)


def test_the_sea_snake_is_near_its_specification_page() -> None:
    """File and page differ by less than their own roundings for a module, by 5 % to 8 % for the whole: skin and cables are not in the file."""
    robot = sp.robots.sea_snake()
    assert robot.links - 1 == PAGE["modules"]
    assert robot.link_length[3] == pytest.approx(PAGE["module_length"], abs=5e-4)
    assert robot.link_mass[3] == pytest.approx(PAGE["module_mass"], abs=1.5e-3)
    assert 2.0 * robot.radius[3] == pytest.approx(PAGE["diameter"], abs=1.5e-3)
    assert 0.92 < robot.mass / PAGE["mass"] < 0.94 and 0.95 < robot.length / PAGE["length"] < 0.96
    assert robot.servos[0] is not None and robot.servos[0].torque_limit == 7.0


def test_placeholders_are_gone() -> None:
    """No link has more inertia than its mass at its surface or ends could have: the files print 1 kg m^2 and more."""
    for name in (*FILES, "dynamixel"):
        robot = sp.robots.ROBOTS[name]()
        assert np.all(robot.axial_inertia <= robot.link_mass * robot.radius**2), name
        reach = np.maximum(robot.com_offset, robot.link_length - robot.com_offset)
        assert np.all(robot.link_inertia <= robot.link_mass * (reach**2 + robot.radius**2)), name
        density = robot.link_mass / (np.pi * robot.radius**2 * robot.link_length)
        assert np.all((density > 300.0) & (density < 3000.0)), name


def test_lumped_pieces() -> None:
    """Two halves of a cylinder are the cylinder."""
    whole, half = cylinder(0.6, 0.03, 0.2, 0.17), [cylinder(0.3, 0.03, 0.1, 0.17 + d) for d in (-0.05, 0.05)]
    assert np.allclose(lumped(*half), whole, rtol=ROUNDING)
    assert lumped(Piece(2.0, 0.1, 0.3, 0.4)) == Piece(2.0, 0.1, 0.3, 0.4)


def test_dynamixel() -> None:
    robot = sp.robots.dynamixel()
    assert len(robot.axes) == 16 and robot.mass == pytest.approx(16 * (0.135 + 0.030) + 0.080, rel=ROUNDING)
    assert robot.servo == sp.robots.servos.mx64() and "assumed" in robot.source
    stronger = sp.robots.dynamixel(servo="mx106")
    assert stronger.servo == sp.robots.servos.mx106() and stronger.mass == robot.mass


@pytest.mark.parametrize("name", [*FILES, "dynamixel"])
def test_like_every_preset(name: str, tmp_path: Any) -> None:
    """In scenarios, in the schema, with other numbers of links, in a URDF and back."""
    assert name in json.dumps(schema()["properties"]["robot"])
    wrong: list[str] = []
    made = robot_from(
        {"preset": name, "links": 6, "joint_limit_deg": 70.0}, "robot", lambda *what: wrong.append(what[1])
    )
    assert not wrong and made is not None and made.links == 6 and made.joint_limit[2] == pytest.approx(np.radians(70))
    whole = sp.robots.ROBOTS[name]()
    assert made.link_mass[0] == whole.link_mass[0] and made.link_mass[-1] == whole.link_mass[-1]
    (tmp_path / "x.urdf").write_text(urdf_text(whole))
    back = read_urdf(tmp_path / "x.urdf").robot
    assert back.mass == pytest.approx(whole.mass, rel=ROUNDING) and np.allclose(back.link_length, whole.link_length)
    for wrong_links in (1, 2.5, "x"):
        with pytest.raises(sp.SerpenoidError, match="links"):
            sp.robots.ROBOTS[name](links=wrong_links)
