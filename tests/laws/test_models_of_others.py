"""Robot files as others write them: motors with gears, stops to one side, roots in the middle; what is kept is right, what is lost is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.formats.imported import Imported
from serpenoid.formats.mjcf import mjcf_text, read_mjcf
from serpenoid.formats.urdf import read_urdf

mujoco = pytest.importorskip("mujoco", reason="the test environment has it", exc_type=ImportError)

ROUNDING = 1e-12
LIMIT = '<limit lower="-1" upper="1" effort="2" velocity="3"/>'
BAR = '<inertial pos="0.05 0 0" mass="0.2" diaginertia="1e-4 2e-4 2e-4"/><geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.03"/>'


def urdf(path: Path, limit: str = LIMIT, inertia: tuple[float, float] = (1e-4, 2e-4), more: str = "") -> Imported:
    """Three links; limits and inertia of the second joint and link."""
    said = ['<robot name="x">']
    for k in range(3):
        along, across = inertia if k == 1 else (1e-4, 2e-4)
        said.append(
            f'<link name="l{k}"><inertial><origin xyz="0.05 0 0"/><mass value="0.2"/><inertia ixx="{along}" iyy="{across}" izz="{across}"/></inertial></link>'
        )
    for k in (1, 2):
        said.append(
            f'<joint name="j{k}" type="revolute"><parent link="l{k - 1}"/><child link="l{k}"/><origin xyz="0.1 0 0"/>'
            f'<axis xyz="0 0 1"/>{limit if k == 2 else LIMIT}{more if k == 2 else ""}</joint>'
        )
    (path / "x.urdf").write_text("".join([*said, "</robot>"]))
    return read_urdf(path / "x.urdf")


def mjcf(path: Path, motors: str = "", joint: str = "") -> Imported:
    """Three links; all motors, and what else the second joint has."""
    inner = f'<body name="b2" pos="0.1 0 0"><joint name="j2" axis="0 0 1" {joint}/>{BAR}</body>'
    inner = f'<body name="b1" pos="0.1 0 0"><joint name="j1" axis="0 0 1"/>{BAR}{inner}</body>'
    text = f'<mujoco><compiler angle="radian"/><worldbody><body name="b0"><freejoint/>{BAR}{inner}</body></worldbody><actuator>{motors}</actuator></mujoco>'
    (path / "x.xml").write_text(text)
    return read_mjcf(path / "x.xml")


def motor_torque(path: Path, angle: float, rate: float) -> float:
    """What MuJoCo's motors, told nothing but 0, give to the second joint."""
    model = mujoco.MjModel.from_xml_path(str(path / "x.xml"))
    data = mujoco.MjData(model)
    data.joint("j2").qpos[0], data.joint("j2").qvel[0] = angle, rate
    mujoco.mj_forward(model, data)
    return float(data.joint("j2").qfrc_actuator[0])


@pytest.mark.parametrize(
    ("motors", "joint"),
    [
        ('<position joint="j2" kp="10" kv="0.7" gear="3" forcerange="-2 2"/>', ""),
        ('<position joint="j2" kp="10" gear="-1.5"/><velocity joint="j2" kv="0.4" gear="2"/>', ""),
        ('<general joint="j2" gainprm="9" biastype="affine" biasprm="0 -9 -0.3" forcerange="-5 5" forcelimited="true"/>', 'actuatorfrcrange="-1.3 1.3"'),
    ],
)  # fmt: skip
def test_servos_are_those_of_the_joint(motors: str, joint: str, tmp_path: Path) -> None:
    """The torque at the joint is MuJoCo's, with gears, with a servo of angle and one of speed, at the limits."""
    made = mjcf(tmp_path, motors, joint)
    servo = made.robot.servos[1]
    assert servo is not None and made.robot.limp == (1,)
    for angle, rate in ((0.013, 0.0), (0.02, -0.3), (-0.011, 0.17), (1.1, 2.0), (-0.9, 1.0)):
        limit = np.inf if servo.torque_limit is None else servo.torque_limit
        wanted = np.clip(-servo.stiffness * angle - servo.damping * rate, -limit, limit)
        assert motor_torque(tmp_path, angle, rate) == pytest.approx(wanted, rel=ROUNDING)


@pytest.mark.parametrize(
    ("motors", "joint", "said"),
    [
        ('<position joint="j2" kp="9" forcerange="-3 1"/>', "", "force ranges that differ"),
        ('<position joint="j2" kp="9" ctrlrange="-0.3 0.3"/>', 'range="-1 1" limited="true"', "ctrlrange"),
        ('<general joint="j2" gainprm="9" biastype="affine" biasprm="0 -4 0"/>', "", "scales and shifts"),
        ('<position joint="j2" kp="9" timeconst="0.3"/>', "", "filters"),
        ('<motor joint="j2"/>', "", "1 motors that aim at no angle"),
        ('<motor joint="j1"/><motor joint="j2"/>', 'armature="0.01"', "no position servo"),
        ('<position joint="j2" kp="9"/>', 'stiffness="3" springref="0.2"', "springs"),
        ("", 'range="0.2 1" limited="true"', "cannot bend to both sides"),
    ],
)
def test_what_a_motor_loses_is_said(motors: str, joint: str, said: str, tmp_path: Path) -> None:
    assert said in "\n".join(mjcf(tmp_path, motors, joint).warnings)
    assert not mjcf(tmp_path, '<position joint="j1" kp="9"/><position joint="j2" kp="9" kv="1"/>').warnings


def test_a_joint_that_stands_elsewhere_is_refused(tmp_path: Path) -> None:
    with pytest.raises(sp.SerpenoidError, match="has a ref"):
        mjcf(tmp_path, '<position joint="j2" kp="9"/>', 'ref="0.3"')


@pytest.mark.parametrize(
    ("limit", "inertia", "more", "said"),
    [
        ('<limit lower="1" upper="-1" effort="2" velocity="3"/>', (1e-4, 2e-4), "", "lower limit"),
        ('<limit lower="-1" upper="1" effort="-2" velocity="3"/>', (1e-4, 2e-4), "", "effort and velocity"),
        (LIMIT, (-1e-4, 2e-4), "", "moments of inertia must be"),
        ('<limit lower="-1" upper="1_0" effort="2" velocity="3"/>', (1e-4, 2e-4), "", "finite number"),
        (LIMIT, (1e-4, 1e300), "", "up to 1e\\+50"),  # products of such numbers overflow
    ],
)
def test_impossible_numbers_are_refused(
    limit: str, inertia: tuple[float, float], more: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(sp.SerpenoidError, match=said):
        urdf(tmp_path, limit, inertia, more)


@pytest.mark.parametrize(
    ("limit", "inertia", "more", "said"),
    [
        ('<limit lower="0" upper="1.5" effort="2" velocity="3"/>', (1e-4, 2e-4), "", "cannot bend to both sides"),
        ('<limit effort="2" velocity="3"/>', (1e-4, 2e-4), "", "cannot bend to both sides"),
        ('<limit lower="-1" upper="1" effort="0" velocity="0"/>', (1e-4, 2e-4), "", "1 joints have no motor"),
        (LIMIT, (0.0, 0.0), "", "no moments of inertia"),
        (LIMIT, (1e-4, 2e-4), '<mimic joint="j1" multiplier="-1"/>', "mimic"),
    ],
)  # fmt: skip
def test_what_a_joint_loses_is_said(
    limit: str, inertia: tuple[float, float], more: str, said: str, tmp_path: Path
) -> None:
    assert said in "\n".join(urdf(tmp_path, limit, inertia, more).warnings)
    assert len(urdf(tmp_path).warnings) == 1  # that there are no gains


def test_a_body_between_two_axes_keeps_its_place(tmp_path: Path) -> None:
    """One of mass, not the massless cross of a universal joint: lumped where it is, and that is said."""
    inner = f'<body name="b1" pos="0.1 0 0"><joint axis="0 0 1"/><inertial pos="0.02 0 0" mass="0.1" diaginertia="1e-5 1e-5 1e-5"/><body name="b2"><joint axis="0 1 0"/>{BAR}</body></body>'
    (tmp_path / "x.xml").write_text(
        f'<mujoco><worldbody><body name="b0"><freejoint/>{BAR}{inner}</body></worldbody></mujoco>'
    )
    made = read_mjcf(tmp_path / "x.xml")
    assert made.robot.com_offset[1] == pytest.approx((0.1 * 0.02 + 0.2 * 0.05) / 0.3, rel=ROUNDING)
    assert any("between two axes" in one for one in made.warnings)


def middle(arm: tuple[float, ...], turned: float) -> str:
    """A body with an arm of links ahead and one behind; joints yaw and pitch by turns; `turned`: of all the body about z (degrees)."""
    said = {-1.0: "", 1.0: ""}
    for side in said:
        for k, length in reversed(list(enumerate(arm))):
            axis, end = ("0 0 1", "0 1 0")[k % 2], side * length
            said[side] = (
                f'<body name="{"head" if side > 0.0 else "tail"}{k}" pos="{side * (arm[k - 1] if k else 0.06):g} 0 0"><joint name="{"h" if side > 0.0 else "t"}{k}" axis="{axis}"/>'
                f'<inertial pos="{0.4 * end:g} 0 0" mass="{0.1 + 0.03 * k + 0.01 * side}" diaginertia="1e-4 3e-4 3e-4"/><geom type="capsule" fromto="0 0 0 {end:g} 0 0" size="0.02"/>{said[side]}</body>'
            )
    body = f'<inertial pos="0.01 0 0" mass="0.3" diaginertia="1e-4 2e-4 2e-4"/><geom type="capsule" fromto="-0.06 0 0 0.06 0 0" size="0.02"/>{said[-1.0]}{said[1.0]}'
    return f'<mujoco><compiler angle="degree"/><worldbody><body name="middle" euler="0 0 {turned}"><freejoint/>{body}</body></worldbody></mujoco>'


@pytest.mark.parametrize("turned", [0.0, 35.0])
@pytest.mark.parametrize("arm", [(0.1, 0.07, 0.12), (0.09, 0.13)])
def test_a_root_in_the_middle(arm: tuple[float, ...], turned: float, tmp_path: Path) -> None:
    """Both arms are kept: at any angles the imported robot, written again, has the same shape and inertia as the file."""
    (tmp_path / "x.xml").write_text(middle(arm, turned))
    made = read_mjcf(tmp_path / "x.xml")
    assert made.robot.links == 2 * len(arm) + 1 and any("middle of the body" in one for one in made.warnings)
    assert made.joints == (*(f"t{k}" for k in reversed(range(len(arm)))), *(f"h{k}" for k in range(len(arm))))
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "x.xml"))
    ours = mujoco.MjModel.from_xml_string(mjcf_text(made.robot))
    assert ours.body_mass.sum() == pytest.approx(theirs.body_mass.sum(), rel=ROUNDING)
    rng = np.random.default_rng(4)
    for _ in range(5):
        one, other = mujoco.MjData(theirs), mujoco.MjData(ours)
        for name, sign, (joint, kind) in zip(made.joints, made.signs, made.robot.axes, strict=True):
            angle = rng.uniform(-1.0, 1.0)
            one.joint(name).qpos[0], other.joint(f"{kind}{joint}").qpos[0] = angle, sign * angle
        mujoco.mj_forward(theirs, one)
        mujoco.mj_forward(ours, other)
        named = [*(f"tail{k}" for k in reversed(range(len(arm)))), "middle", *(f"head{k}" for k in range(len(arm)))]
        places = np.array([one.body(name).xipos for name in named])
        own = np.array([other.body(f"link{k}").xipos for k in range(made.robot.links)])
        apart = [np.linalg.norm(p[:, None] - p[None], axis=2) for p in (places, own)]
        assert np.abs(apart[0] - apart[1]).max() < ROUNDING
        assert np.linalg.det((places - places[0])[[1, 2, -1]]) == pytest.approx(
            np.linalg.det((own - own[0])[[1, 2, -1]]), rel=1e-6
        )  # no mirror
