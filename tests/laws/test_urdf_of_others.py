"""URDFs as laboratories publish them: a dummy root, 1.57 for a right angle, frames without mass, placeholders; and the facts of such files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.formats.urdf import read_urdf

ROUNDING = 1e-12


def body(name: str, mass: float, centre: str, shape: str = "", inertia: float = 2e-5) -> str:
    about = f'<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/>'
    return (
        f'<link name="{name}"><inertial><origin xyz="{centre}"/><mass value="{mass}"/>{about}</inertial>{shape}</link>'
    )


def bar(place: float, length: float, radius: float) -> str:
    return f'<collision><origin xyz="0 0 {place}"/><geometry><cylinder length="{length}" radius="{radius}"/></geometry></collision>'


def joint(name: str, kind: str, parent: str, child: str, xyz: str, rpy: str, more: str = "") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="{xyz}" rpy="{rpy}"/>{more}</joint>'


LIMITS = '<axis xyz="0 1 0"/><limit effort="7" velocity="2.2" lower="-1.57" upper="1.57"/><dynamics damping="0.1" friction="0.2"/>'


def modules(right: str, count: int = 4, root: str = "0 0 0.026", extra: str = "") -> str:
    """Modules of two halves, each turned against the one before, along z of their frames; a dummy root that stands the robot on the ground."""
    said = ['<link name="dummy"/>', body("cap", 0.05, "0 0 0", bar(0.0, 0.05, 0.026))]
    said.append(joint("stand", "fixed", "dummy", "cap", root, f"0 -{right} 0"))
    outer, place = "cap", "0 0 0.025"
    for k in range(count):
        said.append(body(f"in{k}", 0.103, "0 0 0.0366", bar(0.0183, 0.033, 0.026)))
        said.append(body(f"out{k}", 0.103, "0 0 0", bar(0.0183, 0.033, 0.026)))
        said.append(joint(f"seat{k}", "fixed", outer, f"in{k}", place, f"0 0 -{right}" if k else "0 0 0"))
        said.append(joint(f"turn{k}", "revolute", f"in{k}", f"out{k}", "0 0 0.0366", "0 0 0", LIMITS))
        outer, place = f"out{k}", "0 0 0.0273"
    said.append('<link name="tip"/>' + joint("end", "fixed", outer, "tip", "0 0 0.051", "0 0 0"))
    return f'<robot name="modules">{"".join(said)}{extra}</robot>'


def read(text: str, tmp_path: Path) -> tuple[sp.Robot, np.ndarray, str]:
    (tmp_path / "x.urdf").write_text(text)
    made = read_urdf(tmp_path / "x.urdf")
    return made.robot, made.signs, "\n".join(made.warnings)


@pytest.mark.parametrize("right", ["1.57", "1.5708", "1.57075", "1.57079632679"])
def test_a_dummy_root_and_right_angles_of_few_digits(right: str, tmp_path: Path) -> None:
    robot, signs, said = read(modules(right), tmp_path)
    assert robot.joint_kinds == ("yaw", "pitch", "yaw", "pitch") and signs.tolist() == [1.0, 1.0, -1.0, -1.0]
    assert robot.mass == pytest.approx(8 * 0.103 + 0.05, rel=ROUNDING)
    assert np.allclose(robot.link_length, [0.025 + 0.025 + 0.0366, 0.0639, 0.0639, 0.0639, 0.051], rtol=ROUNDING)
    assert np.allclose(
        robot.com_offset[1:4], 0.5 * 0.0639, rtol=ROUNDING
    )  # halves centred in the joints at both of its ends
    assert robot.com_offset[0] == pytest.approx((0.05 * 0.025 + 0.103 * 0.0866) / 0.153, rel=ROUNDING)
    assert "dummy" in said and ("almost right angles" in said) == (right != "1.57079632679")


def test_all_ways_to_write_a_right_angle_are_one_robot(tmp_path: Path) -> None:
    one, other = (read(modules(right), tmp_path)[0] for right in ("1.57", "1.5707963267948966"))
    for name in ("link_length", "link_mass", "link_inertia", "axial_inertia", "com_offset", "radius", "joint_kinds"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


def test_angles_that_are_not_right_ones_are_refused(tmp_path: Path) -> None:
    """1.56 is no right angle: 0.6 degrees off, after a few modules the axes point elsewhere."""
    with pytest.raises(sp.SerpenoidError, match="axes here lie along x, y or z"):
        read(modules("1.56"), tmp_path)


def test_what_hangs_on_the_dummy_root_is_not_lost(tmp_path: Path) -> None:
    """A box for a battery, fixed to the dummy root: it belongs to the first link."""
    battery = body("battery", 0.4, "0 0 0") + joint("strap", "fixed", "dummy", "battery", "0.01 0 0.026", "0 0 0")
    robot, _, said = read(modules("1.57", extra=battery), tmp_path)
    assert robot.link_mass[0] == pytest.approx(0.153 + 0.4, rel=ROUNDING) and "dummy" in said


def test_a_root_at_the_end_of_the_body_is_its_end(tmp_path: Path) -> None:
    """A frame without mass straight behind the body is where it begins, not a dummy."""
    text = (
        '<robot name="r"><link name="end"/>' + body("a", 0.2, "0.02 0 0") + body("b", 0.3, "0.05 0 0") + body("c", 0.3, "0.05 0 0")
        + joint("j0", "fixed", "end", "a", "0.03 0 0", "0 0 0") + joint("j1", "revolute", "a", "b", "0.07 0 0", "0 0 0", LIMITS)
        + joint("j2", "revolute", "b", "c", "0.1 0 0", "0 0 0", LIMITS) + "</robot>"
    )  # fmt: skip
    robot, _, said = read(text, tmp_path)
    assert "left out" not in said and robot.length == pytest.approx(0.03 + 0.07 + 0.1 + 0.1, rel=ROUNDING)


def test_placeholders_are_warned_of(tmp_path: Path) -> None:
    assert "placeholders" not in read(modules("1.57"), tmp_path)[2]
    heavy = modules("1.57").replace('<mass value="0.103"/>', '<mass value="1"/>', 4)
    assert "4 of 9 bodies have a mass of exactly 1 kg" in read(heavy, tmp_path)[2]
    wide = modules("1.57").replace('ixx="2e-05" iyy="2e-05" izz="2e-05"', 'ixx="1" iyy="1" izz="1"', 1)
    assert "1 links have more inertia than their mass could have" in read(wide, tmp_path)[2]


def test_the_sea_snake_of_such_a_file(tmp_path: Path) -> None:
    """A file of the form of the public one with 16 modules has the facts of the preset; 3.412 kg are quoted where 16 collars of 1 g are counted."""
    robot, _, _ = read(modules("1.5708", 16), tmp_path)
    preset = sp.robots.sea_snake()
    assert np.allclose(robot.link_length[1:-1], preset.link_length[1:-1], rtol=ROUNDING)
    assert np.allclose(robot.link_mass[1:-1], preset.link_mass[1:-1], rtol=ROUNDING)
    assert robot.joint_kinds == preset.joint_kinds and np.array_equal(robot.joint_limit, preset.joint_limit)
    assert robot.link_length[0] == pytest.approx(preset.link_length[-1], rel=ROUNDING)  # files begin at the head
    assert preset.mass + 16 * 0.001 == pytest.approx(3.412, rel=ROUNDING)


def test_stops_to_one_side(tmp_path: Path) -> None:
    """Uneven stops: the nearest. Stops that leave no room on one side of 0 cannot be said here: none, and a warning that says so."""
    for low, high, limit, words in (
        ("-0.3", "1.2", 0.3, "the nearest was taken"),
        ("0", "1.57", np.inf, "cannot bend to both sides"),
        ("0.2", "1.0", np.inf, "cannot bend to both sides"),
    ):
        text = modules("1.5708").replace('lower="-1.57" upper="1.57"', f'lower="{low}" upper="{high}"')
        robot, _, said = read(text, tmp_path)
        assert np.all(robot.joint_limit == limit) and words in said
        assert ("the nearest was taken" in said) == (limit < np.inf)
