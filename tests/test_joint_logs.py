"""Joint logs as gaits: what our own files hold comes back, columns find their joints by name, broken logs are refused."""

from __future__ import annotations

import json
import sqlite3
import struct
from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core.errors import InputError
from serpenoid.formats import motion
from serpenoid.formats.joint_logs import JointLog, read_log, samples_for
from serpenoid.formats.mcap_reading import MAGIC
from serpenoid.formats.scenario import read
from serpenoid.formats.urdf import urdf_text
from serpenoid.gaits.sampled import columns_of
from serpenoid.robots import ma2001

SAME = 2e-3  # of the distance: samples every 10 ms, joined by a spline
SHORT = ["run.duration=0.5", "run.record_interval=0.01", "run.checked=false"]


@pytest.fixture(scope="module")
def run() -> sp.Trajectory:
    return sp.run_scenario("sidewind", SHORT)


def again(folder: Path, run: sp.Trajectory, file: str) -> sp.Trajectory:
    """The same robot and world, moved by a log."""
    from serpenoid.formats.toml import toml_text

    data = {key: value for key, value in run.scenario.items() if key != "gait"}
    scenario = folder / "again.toml"
    scenario.write_text(toml_text(data) + f'\n[gait]\nkind = "sampled"\nfile = "{file}"\nends = "not-a-knot"\n')
    return sp.run_scenario(str(scenario))


def test_our_own_table_moves_the_robot_again(run: sp.Trajectory, tmp_path: Path) -> None:
    motion.write_csv(run, tmp_path / "log.csv", rate=100.0)
    repeated = again(tmp_path, run, "log.csv")
    assert repeated.metrics["com_distance"] == pytest.approx(run.metrics["com_distance"], rel=SAME)


def test_our_own_mcap_file_moves_the_robot_again(tmp_path: Path) -> None:
    pytest.importorskip("foxglove")
    run = sp.run_scenario("sidewind", [*SHORT, "robot.servo=none"])  # what joints do is what they are told
    motion.write_mcap(run, tmp_path / "log.mcap")
    log = read_log(tmp_path / "log.mcap")
    assert np.array_equal(log.values, run["joint_angle"]) and np.abs(log.times - run["time"]).max() < 1e-9
    assert list(log.names) == motion.axis_names(run)
    repeated = again(tmp_path, run, "log.mcap")
    assert repeated.metrics["com_distance"] == pytest.approx(run.metrics["com_distance"], rel=SAME)


def test_columns_find_their_joints_by_name() -> None:
    robot = ma2001(links=4).but(joints=["pitch-yaw", "yaw", "universal"], radius=0.02)
    assert [f"{axis}{joint}" for joint, axis in columns_of(robot)] == ["yaw1", "pitch1", "yaw2", "yaw3", "pitch3"]
    names = ("pitch1", "yaw1", "yaw2", "pitch3", "yaw3_deg")  # as our own files have them, but one
    values = np.arange(20.0).reshape(4, 5) / 2.0
    found = samples_for(JointLog(np.arange(4.0), values, names), robot, "log")
    assert np.array_equal(found[:, :4], values[:, [1, 0, 2, 4]] * [1, 1, 1, np.pi / 180]) and np.array_equal(
        found[:, 4], values[:, 3]
    )
    with pytest.raises(InputError, match="yaw2 is missing"):
        samples_for(JointLog(np.arange(4.0), values[:, :4], (*names[:2], *names[3:])), robot, "log")
    with pytest.raises(InputError, match="two columns"):
        samples_for(JointLog(np.arange(4.0), values, (*names[:4], "pitch3")), robot, "log")
    with pytest.raises(InputError, match="pitch2"):
        samples_for(JointLog(np.arange(4.0), values, (*names[:4], "pitch2")), robot, "log")
    locked = samples_for(
        JointLog(np.arange(4.0), values[:, [0, 1, 3, 4]], (*names[:2], *names[3:])), robot.but(locked=(2,)), "log"
    )
    assert not locked[:, 2].any() and np.array_equal(locked[:, 0], values[:, 1])


@pytest.mark.parametrize(
    ("head", "row", "said"),
    [
        ("time,yaw2,yaw1,foo", "0.1,0.2,0.3", "foo has not"),  # by their order yaw2 would move joint 1
        ("yaw1,yaw2,yaw3,time", "0.1,0.2,0.3", "time must stand in the first column"),
        ("time,a,b,c", "45,0.2,0.3", "in degrees"),
        ("time,a,b,c", "1_0,0.2,0.3", "row 2 differs"),
    ],
)
def test_tables_that_would_be_misread_are_refused(head: str, row: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("\n".join([head, *(f"{0.1 * k},{row}" for k in range(5))]))
    with pytest.raises(InputError, match=said):
        samples_for(read_log(tmp_path / "log.csv"), ma2001(links=4), "log.csv")


def test_capitals_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("time,Yaw3,YAW2,yaw1_DEG\n" + "".join(f"{k},0.3,0.2,9\n" for k in range(4)))
    values = samples_for(read_log(tmp_path / "log.csv"), ma2001(links=4), "log.csv")
    assert np.allclose(values, [np.pi / 20.0, 0.2, 0.3], rtol=1e-15)


def test_names_and_signs_of_the_robots_own_file(tmp_path: Path) -> None:
    text = urdf_text(ma2001(links=4).but(radius=0.01)).replace('<joint name="yaw', '<joint name="motor_')
    text = text.replace('<axis xyz="0 0 1" />', '<axis xyz="0 0 -1" />', 1)
    (tmp_path / "my.urdf").write_text(text)
    rows = "".join(f"{0.1 * k},{0.3 * k},{0.2 * k},{0.1 * k}\n" for k in range(5))
    (tmp_path / "log.csv").write_text(f"time,motor_3,motor_2,motor_1\n{rows}")
    scenario = tmp_path / "mine.toml"
    scenario.write_text(
        '[robot]\nfile = "my.urdf"\n[gait]\nkind = "sampled"\nfile = "log.csv"\n[run]\nduration = 0.1\n'
    )
    values = np.array(read(str(scenario))["gait"]["values"])
    assert np.allclose(values[4], [-0.4, 0.8, 1.2])


def record(code: int, content: bytes) -> bytes:
    return struct.pack("<BQ", code, len(content)) + content


def text(word: str) -> bytes:
    return struct.pack("<I", len(word)) + word.encode()


def ros_message(stamp: float, names: list[str], positions: list[float]) -> bytes:
    """A JointState as ROS 2 writes it, by its own package."""
    typesys = pytest.importorskip("rosbags.typesys")
    store = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    state = store.types["sensor_msgs/msg/JointState"](
        header=motion._header(store, stamp, "base"), name=names, position=np.array(positions), velocity=np.array([]), effort=np.array([])
    )  # fmt: skip
    return bytes(store.serialize_cdr(state, "sensor_msgs/msg/JointState"))


def mcap(
    messages: list[bytes], schema: str = "sensor_msgs/msg/JointState", topics: int = 1, encoding: str = "cdr"
) -> bytes:
    head = record(1, text("") + text("test")) + record(
        3, struct.pack("<H", 1) + text(schema) + text("ros2msg") + struct.pack("<I", 0)
    )
    for k in range(topics):
        head += record(4, struct.pack("<HH", k, 1) + text(f"/joints{k}") + text(encoding) + struct.pack("<I", 0))
    body = b"".join(
        record(5, struct.pack("<HIQQ", k % topics, k, 10**9 * k, 0) + one) for k, one in enumerate(messages)
    )
    return MAGIC + head + body + record(15, bytes(4)) + record(2, bytes(20)) + MAGIC


def test_joint_states_of_ros(tmp_path: Path) -> None:
    path = tmp_path / "log.mcap"
    path.write_bytes(mcap([ros_message(1.7e9 + 0.5 * k, ["a", "bcd"], [0.1 * k, -0.2 * k]) for k in range(5)]))
    log = read_log(path)
    assert (
        log.names == ("a", "bcd")
        and np.allclose(log.times, 0.5 * np.arange(5))
        and np.allclose(log.values[3], [0.3, -0.6])
    )


def broken() -> dict[str, tuple[bytes, str]]:
    good = [ros_message(k, ["a", "b"], [0.1, 0.2]) for k in range(1, 6)]
    huge = record(6, struct.pack("<QQQI", 0, 0, 10**12, 0) + text("zstd") + struct.pack("<Q", 4) + b"abcd")
    wrong = record(6, struct.pack("<QQQI", 0, 0, 100, 0) + text("zstd") + struct.pack("<Q", 4) + b"abcd")
    strange = record(6, struct.pack("<QQQI", 0, 0, 100, 0) + text("rar") + struct.pack("<Q", 4) + b"abcd")
    return {
        "no MCAP": (b"time,yaw1\n", "does not begin"),
        "empty": (b"", "does not begin"),
        "nothing": (MAGIC + MAGIC, "no joint states"),
        "other things": (mcap(good, schema="sensor_msgs/msg/Image"), "no joint states"),
        "two topics": (mcap(good, topics=2), "several topics"),
        "cut off": (mcap(good)[:-80], "cut off"),
        "other joints": (mcap([*good, ros_message(9, ["a", "c"], [0.1, 0.2])]), "same joints"),
        "no positions": (mcap([ros_message(1, ["a", "b"], [])]), "same joints"),
        "NaN": (mcap([*good, ros_message(9, ["a", "b"], [0.1, np.nan])]), "finite position"),
        "a chunk of a terabyte": (MAGIC + huge, "a chunk may hold"),
        "a broken chunk": (MAGIC + wrong, "cannot be unpacked"),
        "an unknown packer": (MAGIC + strange, "known are zstd and lz4"),
        "a record of an exabyte": (MAGIC + struct.pack("<BQ", 5, 2**62), "cut off"),
        "a stamp of another wire type": (mcap([b"\x08\x05"], schema="foxglove.JointStates"), "cut off or broken"),
        "seconds of another wire type": (mcap([b"\x0a\x05\x09" + bytes(8)], schema="foxglove.JointStates"), "cut off or broken"),
        "a joint of another wire type": (mcap([b"\x10\x01"], schema="foxglove.JointStates"), "cut off or broken"),
        "short message": (mcap([b"\0\1\0\0abc"]), "cut off"),
        "millions of joints": (mcap([good[0][:12] + struct.pack("<II", 0, 2**31) + bytes(100)]), "cut off|same joints"),
    }  # fmt: skip


@pytest.mark.parametrize("name", sorted(broken()))
def test_broken_logs_are_refused(name: str, tmp_path: Path) -> None:
    raw, said = broken()[name]
    (tmp_path / "log.mcap").write_bytes(raw)
    with pytest.raises(InputError, match=said):
        read_log(tmp_path / "log.mcap")


def test_a_bomb_in_a_chunk_is_not_unpacked(tmp_path: Path) -> None:
    zstd = pytest.importorskip("backports.zstd")
    packed = zstd.compress(bytes(300_000_000))
    chunk = record(6, struct.pack("<QQQI", 0, 0, 1000, 0) + text("zstd") + struct.pack("<Q", len(packed)) + packed)
    (tmp_path / "log.mcap").write_bytes(MAGIC + chunk)
    with pytest.raises(InputError, match="does not hold what it says"):
        read_log(tmp_path / "log.mcap")


def test_logs_lie_in_the_scenarios_folder(tmp_path: Path) -> None:
    scenario = tmp_path / "mine.toml"
    scenario.write_text(
        '[robot]\npreset = "ma2001"\n[gait]\nkind = "sampled"\nfile = "../log.mcap"\n[run]\nduration = 0.1\n'
    )
    with pytest.raises(InputError, match="scenario's folder"):
        read(str(scenario))


JSON_STATES = {
    "foxglove.JointStates": lambda k: {
        "timestamp": {"sec": 1_700_000_000, "nsec": 250_000_000 * k},
        "joints": [{"name": "a", "position": 0.1 * k}, {"name": "bcd", "position": -0.2 * k}],
    },
    "sensor_msgs/msg/JointState": lambda k: {
        "header": {"stamp": {"sec": 1_700_000_000, "nanosec": 250_000_000 * k}},
        "name": ["a", "bcd"],
        "position": [0.1 * k, -0.2 * k],
    },
}


@pytest.mark.parametrize("schema", JSON_STATES)
def test_joint_states_as_json(schema: str, tmp_path: Path) -> None:
    (tmp_path / "log.mcap").write_bytes(json_mcap([JSON_STATES[schema](k) for k in range(4)], schema))
    log = read_log(tmp_path / "log.mcap")
    assert log.names == ("a", "bcd") and np.allclose(log.times, 0.25 * np.arange(4))
    assert np.allclose(log.values[3], [0.3, -0.6])


def json_mcap(messages: list[dict], schema: str) -> bytes:
    """An MCAP file whose messages are JSON."""
    return mcap([json.dumps(one).encode() for one in messages], schema, encoding="json")


def bag(folder: Path, messages: list[bytes], kind: str = "sensor_msgs/msg/JointState", way: str = "cdr") -> Path:
    """A ROS 2 bag as its recorder writes it."""
    folder.mkdir()
    (folder / "metadata.yaml").write_text("rosbag2_bagfile_information: {}\n")
    with sqlite3.connect(folder / "log_0.db3") as base:
        base.execute("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT)")
        base.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB)")
        base.executemany("INSERT INTO topics VALUES(?, ?, ?, ?)", [(1, "/joint_states", kind, way), (2, "/tf", "tf2_msgs/msg/TFMessage", "cdr")])  # fmt: skip
        base.executemany(
            "INSERT INTO messages(topic_id, timestamp, data) VALUES(1, ?, ?)",
            [(10**9 * k, one) for k, one in enumerate(messages)],
        )
    base.close()
    return folder


def test_a_ros_2_bag_is_read_by_its_folder_and_its_database(tmp_path: Path) -> None:
    made = bag(tmp_path / "bag", [ros_message(1.7e9 + 0.5 * k, ["a", "bcd"], [0.1 * k, -0.2 * k]) for k in range(5)])
    for path in (made, made / "log_0.db3"):
        log = read_log(path)
        assert log.names == ("a", "bcd") and np.allclose(log.times, 0.5 * np.arange(5))
        assert np.allclose(log.values[3], [0.3, -0.6])


def test_our_own_bag_moves_the_robot_again(tmp_path: Path) -> None:
    pytest.importorskip("rosbags")
    run = sp.run_scenario("creep", ["robot.links=5", "run.duration=0.3", "run.checked=false"])
    log = read_log(motion.write_rosbag(run, tmp_path / "own"))
    assert log.names == tuple(motion.axis_names(run)) and np.allclose(log.values, run["joint_angle"], atol=1e-12)


BAGS = {
    "other things": (lambda path: bag(path, [], "std_msgs/msg/String"), "no joint states"),
    "another encoding": (lambda path: bag(path, [b"{}"], way="json"), "known is cdr"),
    "no messages": (lambda path: bag(path, []), "has no messages"),
    "cut off": (lambda path: bag(path, [b"\0\1\0\0abc"]), "cut off or broken"),
    "no database": (lambda path: _with_file(path, b"SQLite?"), "no database"),
    "a broken database": (lambda path: _with_file(path, b"SQLite format 3\0" + bytes(300)), "that can be read"),
    "an empty folder": (lambda path: path.mkdir(), "this folder 0"),
}


def _with_file(path: Path, raw: bytes) -> None:
    path.mkdir()
    (path / "log_0.db3").write_bytes(raw)


@pytest.mark.parametrize("case", BAGS)
def test_bags_that_cannot_be_read_say_why(case: str, tmp_path: Path) -> None:
    make, said = BAGS[case]
    make(tmp_path / "bag")
    with pytest.raises(sp.SerpenoidError, match=said):
        read_log(tmp_path / "bag")


def test_a_bag_of_a_scenario_lies_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    made = bag(tmp_path / "bag", [ros_message(0.5 * k, ["yaw1", "yaw2"], [0.1 * k, -0.2 * k]) for k in range(5)])
    (tmp_path / "in" / "link").symlink_to(made)
    for name in ("../bag", "link"):
        with pytest.raises(sp.SerpenoidError, match="folder"):
            read_log(tmp_path / "in" / name, tmp_path / "in")


@pytest.mark.parametrize(("sign", "name"), [(";", "semicolons"), ("\t", "tabs")])
def test_other_separators_are_named(sign: str, name: str, tmp_path: Path) -> None:
    rows = ["time;yaw1;yaw2", "0,0;0,1;0,2", "0,5;0,3;0,1"] if sign == ";" else ["time\tyaw1", "0\t0.3", "0.5\t0.1"]
    (tmp_path / "log.csv").write_text("\n".join(rows))
    with pytest.raises(sp.SerpenoidError, match=f"parted by {name}" + " and decimal commas" * (sign == ";")):
        read_log(tmp_path / "log.csv")


def test_files_say_names_and_meanings_to_others(tmp_path: Path) -> None:
    """netCDF: the joints' names and what a flag means; MCAP: version and scenario."""
    import h5py

    run = sp.run_scenario("sidewind", ["run.duration=0.05", "run.checked=false"])
    with h5py.File(run.save(tmp_path / "trajectory.nc")) as file:
        assert file["dof"].attrs["names"] == " ".join(motion.axis_names(run))
        assert file["dof_kind"].attrs["flag_meanings"] == "yaw pitch roll"
        assert list(file["dof_kind"].attrs["flag_values"]) == [0.0, 1.0, 2.0]
    assert sp.load(tmp_path / "trajectory.nc").metrics == run.metrics
    pytest.importorskip("foxglove")
    raw = motion.write_mcap(run, tmp_path / "log.mcap").read_bytes()
    assert b"serpenoid" in raw and b"sarrafan2012" in raw and run.provenance["version"].encode() in raw
