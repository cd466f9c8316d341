"""Swimmers that everybody has: a root that slides in the plane is the free base; parts of a file may stand in files beside it; small offsets are set right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.formats import read_mjcf

pytest.importorskip("mujoco")

ROOT = """<joint name="rootx" type="slide" axis="1 0 0"/><joint name="rooty" type="slide" axis="0 1 0"/><joint name="rootz" type="hinge" axis="0 0 1"/>"""
COMMON = '<mujoco><compiler inertiafromgeom="true"/><default><geom type="capsule" size="0.03" density="700"/><joint damping="0.02"/></default></mujoco>'


def body(offset: float = 0.0, root: str = ROOT) -> str:
    """Three bars of 0.4, 0.3 and 0.35 m, the last joint beside the axis by an offset (m)."""
    return f"""<body name="head">{root}<geom fromto="0 0 0 0.4 0 0"/>
      <body name="mid" pos="0.4 0 0"><joint name="first" axis="0 0 1" limited="true" range="-80 80"/><geom fromto="0 0 0 0.3 0 0"/>
        <body name="tip" pos="0.3 {offset} 0"><joint name="second" axis="0 0 1"/><geom fromto="0 0 0 0.35 0 0"/></body></body></body>"""


def written(folder: Path, inner: str, include: str = "common/parts.xml") -> Path:
    (folder / "common").mkdir(exist_ok=True)
    (folder / "common" / "parts.xml").write_text(COMMON)
    path = folder / "swimmer.xml"
    path.write_text(f'<mujoco model="swimmer"><include file="{include}"/><worldbody>{inner}</worldbody></mujoco>')
    return path


def test_a_root_that_slides_in_the_plane_is_the_free_base(tmp_path: Path) -> None:
    """The same robot as with a free joint, and told; what is included counts."""
    made = read_mjcf(written(tmp_path, body()))
    free = read_mjcf(written(tmp_path, body(root="<freejoint/>")))
    assert made.joints == free.joints == ("first", "second")
    for name in ("link_length", "link_mass", "link_inertia", "com_offset", "joint_damping", "joint_limit"):
        assert np.allclose(getattr(made.robot, name), getattr(free.robot, name), rtol=1e-12), name
    assert made.robot.link_length == pytest.approx([0.4, 0.3, 0.35]) and made.robot.joint_damping == pytest.approx(0.02)
    assert any("free base" in text for text in made.warnings) and not any("free base" in text for text in free.warnings)


def test_the_swimmer_of_gymnasium_creeps(tmp_path: Path) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    path = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / "swimmer.xml"
    robot = read_mjcf(path).robot.but(servo=None)
    assert (robot.links, robot.length) == (3, pytest.approx(3.0))
    gait = sp.gaits.Serpenoid(winding_angle=0.7, waves=0.8, speed=0.9)
    run = sp.simulate(robot, gait, sp.World(sp.contact.Coulomb(along=0.1, across=0.6)), duration=2.0)
    assert run.status.ok and run.metrics["com_forward"] > 0.3


@pytest.mark.parametrize(
    "root", [ROOT.replace("0 1 0", "1 1 0"), ROOT.replace('type="slide" axis="0 1 0"', 'type="hinge" axis="0 1 0"')]
)
def test_another_root_that_slides_is_refused(root: str, tmp_path: Path) -> None:
    with pytest.raises(sp.SerpenoidError, match="slides"):
        read_mjcf(written(tmp_path, body(root=root)))


INCLUDED = {
    "../parts.xml": "folder or below",
    "/etc/passwd": "folder or below",
    "common/none.xml": "none.xml",
    "swimmer.xml": "once",
}


@pytest.mark.parametrize("name", INCLUDED)
def test_included_files_lie_in_the_folder_and_are_taken_once(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "parts.xml").write_text(COMMON)
    with pytest.raises(sp.SerpenoidError, match=INCLUDED[name]):
        read_mjcf(written(folder, body(), name))


def test_a_joint_almost_on_the_axis_is_put_onto_it_and_told(tmp_path: Path) -> None:
    """Lengths change by the square of the offset over the length; a greater offset is refused with its tolerance."""
    straight, bent = read_mjcf(written(tmp_path, body())), read_mjcf(written(tmp_path, body(8e-4)))
    assert np.allclose(bent.robot.link_length, straight.robot.link_length, atol=8e-4**2 / 0.3)
    assert any("beside the body's axis" in text for text in bent.warnings)
    assert not any("beside the body's axis" in text for text in straight.warnings)
    with pytest.raises(sp.SerpenoidError, match=r"to 0\.002 of its length"):
        read_mjcf(written(tmp_path, body(8e-3)))


def test_the_version_of_mujoco_that_is_wrong_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import mujoco

    from serpenoid.formats.mujoco_package import load_mujoco

    assert load_mujoco() is mujoco
    monkeypatch.setattr(mujoco, "__version__", "4.0.0")
    with pytest.raises(sp.SerpenoidError, match=r"4\.0\.0 .* wrongly"):
        load_mujoco()
