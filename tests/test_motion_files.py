"""Runs written for other programs hold the run: joint tables, VTK, MCAP, ROS 2 bags, read back by others' own readers."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core.errors import InputError
from serpenoid.formats import motion
from serpenoid.frames import matrix_from_quaternion

BEGIN = 2e-4  # rad: a line in the place of the gait over one frame
EXACT = 1e-9


@pytest.fixture(scope="module")
def run() -> sp.Trajectory:
    return sp.run_scenario("sidewind", ["run.duration=0.6", "run.record_interval=0.02", "run.checked=false"])


def test_the_table_holds_the_commands(run: sp.Trajectory, tmp_path: Path) -> None:
    path, notes = motion.write_csv(run, tmp_path / "joints.csv", rate=50.0)
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    assert notes == () and path.read_text().startswith("time,")
    assert np.abs(table[:, 0] - run["time"]).max() < EXACT
    assert np.abs(table[1:, 1:] - run["joint_target"][1:]).max() < EXACT


@pytest.mark.parametrize("interval", [0.004, 0.012])
def test_the_table_begins_where_the_gait_begins(interval: float) -> None:
    """Frames keep the commands of the step that ends there; that of t = 0 is of the first step, 4 ms later."""
    robot, gait = sp.robots.ma2001(links=6), sp.gaits.StandingWave(amplitude=0.4, waves=1.0, frequency=6.0)
    run = sp.simulate(robot, gait, duration=0.2, step=4e-3, record_interval=interval)
    told = motion.commands_of(run, 1.0 / interval)
    wanted = np.array([np.ravel(gait.angles(robot, t)) for t in told.times])
    assert (
        np.abs(run["joint_target"][0] - wanted[0]).max() > 10.0 * BEGIN and np.abs(told.angles - wanted).max() < BEGIN
    )


def test_limits_are_kept_and_reported(run: sp.Trajectory) -> None:
    kept = motion.commands_of(run, 200.0, limit=0.2, speed=0.5)
    assert np.abs(kept.angles).max() <= 0.2 and np.abs(np.diff(kept.angles, axis=0)).max() <= 0.5 / 200.0 * (1 + EXACT)
    assert len(kept.notes) == 2
    for wrong in (0.0, -1.0, float("nan"), 1e6):
        with pytest.raises(InputError, match="rate"):
            motion.commands_of(run, wrong)


def test_only_limits_that_change_a_row_are_noted(run: sp.Trajectory) -> None:
    """Rounding is no change; for a bus, nor is what stays below half a step."""
    plain = motion.commands_of(run, 50.0)
    fastest = np.abs(np.diff(plain.angles, axis=0)).max() * 50.0
    for speed in (3.0, 100.0, fastest * (1.0 + 1e-9)):
        kept = motion.commands_of(run, 50.0, speed=speed)
        assert kept.notes == plain.notes and np.array_equal(kept.angles, plain.angles)
    assert any("slowed" in note for note in motion.commands_of(run, 50.0, speed=0.8 * fastest).notes)
    most = np.abs(plain.angles).max() - 1e-6
    assert any("held" in note for note in motion.commands_of(run, 50.0, limit=most).notes)
    assert motion.commands_of(run, 50.0, limit=most, resolution=2.0 * np.pi / 4096).notes == plain.notes
    with pytest.raises(InputError, match="resolution"):
        motion.commands_of(run, 50.0, resolution=-1.0)


def test_frames_too_far_apart_for_the_rate_are_reported() -> None:
    """The note's number is the error of the table against one of a run with close frames."""
    asked = ["run.duration=0.6", "run.checked=false"]
    seldom, often = (sp.run_scenario("sidewind", [*asked, f"run.record_interval={dt}"]) for dt in (0.1, 0.01))
    told = motion.commands_of(seldom, 100.0)
    error = np.abs(told.angles - motion.commands_of(often, 100.0).angles).max()
    assert error > motion.STRAIGHT and len(told.notes) == 1
    noted = float(re.search(r"up to (\S+) rad", told.notes[0])[1])  # type: ignore[index]
    assert 0.5 * error < noted < 2.0 * error
    assert motion.commands_of(seldom, 10.0).notes == motion.commands_of(seldom, 5.0).notes == ()  # all at frames
    assert motion.commands_of(often, 100.0).notes == ()


def test_vtk_files_hold_every_frame(run: sp.Trajectory, tmp_path: Path) -> None:
    path = motion.write_vtk(run, tmp_path / "run.pvd", every=5)
    sets = ElementTree.parse(path).getroot().findall(".//DataSet")
    assert [float(one.get("timestep", "nan")) for one in sets] == run["time"][::5].tolist()
    last = ElementTree.parse(tmp_path / str(sets[-1].get("file"))).getroot()
    points = last.find(".//Points/DataArray")
    assert points is not None and points.text is not None
    found = np.array(points.text.split(), dtype=float).reshape(-1, 3)
    assert np.array_equal(found, run["node"][::5][-1])
    with pytest.raises(InputError, match="exists"):
        motion.write_vtk(run, tmp_path / "run.pvd")


def test_a_bag_is_read_by_another_reader(run: sp.Trajectory, tmp_path: Path) -> None:
    rosbag = pytest.importorskip("rosbags.rosbag2")
    from rosbags.typesys import Stores, get_typestore

    path, store = motion.write_rosbag(run, tmp_path / "bag"), get_typestore(Stores.ROS2_HUMBLE)
    states, places = [], []
    with rosbag.Reader(path) as reader:
        for connection, _, raw in reader.messages():
            message = store.deserialize_cdr(raw, connection.msgtype)
            if connection.topic == "/joint_states":
                states.append(message.position)
            else:
                places.append(
                    [
                        [t.transform.translation.x, t.transform.translation.y, t.transform.translation.z]
                        for t in message.transforms
                    ]
                )
    assert np.abs(np.array(states) - run["joint_angle"]).max() < EXACT
    assert np.abs(np.array(places) - run["node"][:, :-1]).max() < EXACT


def test_mcap_is_read_by_another_reader(run: sp.Trajectory, tmp_path: Path) -> None:
    foxglove = pytest.importorskip("foxglove")
    path = motion.write_mcap(run, tmp_path / "run.mcap")
    head = path.read_bytes()
    assert foxglove is not None and head[:5] == b"\x89MCAP" and head[-8:] == b"\x89MCAP0\r\n"
    assert b"foxglove.FrameTransforms" in head and b"foxglove.JointStates" in head and b"foxglove.SceneUpdate" in head


def test_attitudes_are_those_of_the_links(run: sp.Trajectory) -> None:
    turns = motion.quaternions_of(run)
    for f, i in ((3, 0), (17, 4)):
        assert np.abs(matrix_from_quaternion(turns[f, i])[:, 0] - run["link_axis"][f, i]).max() < EXACT
        assert np.abs(matrix_from_quaternion(turns[f, i])[:, 2] - run["link_back"][f, i]).max() < EXACT


def test_stamps_do_not_lose_a_second() -> None:
    """A frame a rounding before a whole second has its stamp at that second, as its log time has."""
    rosbags = pytest.importorskip("rosbags.typesys")
    from serpenoid.formats.motion import _header

    late = 49 * (1.0 / 49.0)
    assert late < 1.0
    stamp = _header(rosbags.get_typestore(rosbags.Stores.ROS2_HUMBLE), late, "world").stamp
    assert (stamp.sec, stamp.nanosec) == (1, 0)
