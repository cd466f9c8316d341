"""A run for other programs: joint commands as a table at any rate, poses as VTK, MCAP and a ROS 2 bag.

| format | what it holds | opened by |
|---|---|---|
| csv | time and joint angles, one column per axis, at a chosen rate; angles and speeds within the limits given | anything |
| vtk | one PolyData file per frame (links as tubes' centre lines with forces, slip, torque) and a .pvd that puts them in time | ParaView |
| mcap | poses of the links as foxglove FrameTransforms, joint states, a scene of the links | Foxglove |
| rosbag | tf2_msgs/TFMessage on /tf and sensor_msgs/JointState on /joint_states, as a ROS 2 bag | ROS 2, without having been written by it |

The trajectory's own times are kept; angles between frames follow straight lines.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.core import FloatArray, Trajectory
from serpenoid.core.door import FiniteNumbers, door
from serpenoid.core.errors import InputError, StorageError
from serpenoid.core.quantities import Whole, shown
from serpenoid.formats.files import json_text, replacing, write_bytes, write_table, write_text
from serpenoid.frames import quaternion_from_matrix

MOST_ROWS = 10_000_000
STRAIGHT = 1e-3  # rad: less than a step of an encoder (2 pi / 4096)
SECOND = 1_000_000_000  # ns


class Commands(NamedTuple):
    """Joint angles to be followed: times (m,), angles (m, axes), names of the axes, and what limits changed."""

    times: FloatArray
    angles: FloatArray
    names: list[str]
    notes: tuple[str, ...]


KINDS = ("yaw", "pitch", "roll")  # by `dof_kind` of a run


@door
def axis_names(run: Trajectory) -> list[str]:
    """Names of a run's degrees of freedom: yaw3, pitch3, ..."""
    return [f"{KINDS[int(k)]}{int(j)}" for j, k in zip(run["dof_joint"], run["dof_kind"], strict=True)]


@door(limit=FiniteNumbers(infinite=True), speed=FiniteNumbers(infinite=True))
def commands_of(
    run: Trajectory, rate: float = 50.0, *, limit: ArrayLike | None = None, speed: ArrayLike | None = None, resolution: float = 0.0
) -> Commands:  # fmt: skip
    """Commanded joint angles at `rate` per second, within `limit` (rad) and `speed` (rad/s), numbers or one per axis; measured ones where nothing was commanded.

    Where they will be rounded to whole steps of `resolution` (rad), only what changes these is noted.
    """
    if not (math.isfinite(rate) and 0.0 < rate <= 1e5):
        raise InputError(f"rate must be a number of samples per second > 0 and at most 1e5, got {rate!r}")
    if not (isinstance(resolution, int | float) and 0.0 <= resolution < math.inf):
        raise InputError(f"resolution must be a number of rad >= 0, got {resolution!r}"[:200])
    time, commanded = run["time"], _commanded(run)
    count = math.floor((time[-1] - time[0]) * rate * (1.0 + 1e-12)) + 1
    if count * commanded.shape[1] > MOST_ROWS:
        raise InputError(
            f"{count} rows of {commanded.shape[1]} angles are more than {MOST_ROWS} numbers; use a lower rate"
        )
    most, fastest = (_per_axis(name, value, commanded.shape[1]) for name, value in (("limit", limit), ("speed", speed)))
    times = time[0] + np.arange(count) / rate
    angles = (
        np.stack([np.interp(times, time, column) for column in commanded.T], axis=1)
        if commanded.shape[1]
        else np.zeros((count, 0))
    )
    kept = np.clip(angles, -most, most)
    slowed = _slowed(kept, fastest / rate)
    notes = _between_frames(time, commanded, times)
    for was, now, values, what in ((angles, kept, most, "held at the limit of {} rad"), (kept, slowed, fastest, "slowed down to {} rad/s: the motion lags behind the gait")):  # fmt: skip
        changed = (was != now if resolution == 0.0 else np.rint(was / resolution) != np.rint(now / resolution)).any(axis=0)  # fmt: skip
        if changed.any():
            low, high = values[changed].min(), values[changed].max()
            amount = f"{low:g}" if low == high else f"{low:g} to {high:g}"
            notes.append(f"{int(changed.sum())} joints were {what.format(amount)}")
    return Commands(times, slowed, axis_names(run), tuple(notes))


def _commanded(run: Trajectory) -> FloatArray:
    """Commanded joint angles (rad) at the times of the frames; measured ones where nothing was commanded.

    The first frame of a run has the commands of its first step, which are those of the step's end: they are taken back to its beginning.
    """
    time, measured = run["time"], run["joint_angle"]
    given = run["joint_target" if "joint_target" in run else "joint_angle"]
    commanded: FloatArray = np.where(np.isfinite(given), given, measured)
    step = float(run.provenance.get("step") or 0.0)
    if len(time) > 2 and time[0] == 0.0 and step > 0.0:
        early = step < time[1]
        back = (
            commanded[0] - step * (commanded[1] - commanded[0]) / (time[1] - step)
            if early
            else 2.0 * commanded[1] - commanded[2]
        )
        commanded[0] = np.where(commanded[0] == measured[0], commanded[0], back)  # equal: sampled at the start and held
    return commanded


def _between_frames(time: FloatArray, commanded: FloatArray, times: FloatArray) -> list[str]:
    """A note where times lie between frames that are too far apart for straight lines between them."""
    if len(time) < 3 or not commanded.size:
        return []
    apart = float(np.diff(time).max())
    near = np.abs(time[np.clip(np.searchsorted(time, times - 0.5 * apart), 0, len(time) - 1)] - times) < 1e-6 * apart
    error = float(np.abs(np.diff(commanded, 2, axis=0)).max()) / 8.0  # of a straight line across a parabola
    if near.all() or error <= STRAIGHT:
        return []
    return [
        f"angles between frames, {apart:g} s apart, lie on straight lines, up to {error:.1g} rad beside the gait; a smaller record_interval makes them exact"
    ]


def _per_axis(name: str, value: ArrayLike | None, axes: int) -> FloatArray:
    """A limit of each axis; inf where there is none."""
    found = np.asarray(np.inf if value is None else value, dtype=float)
    if found.shape not in ((), (axes,)) or not (found > 0.0).all():
        raise InputError(f"{name} must be > 0, one number or one for each of {axes} axes, got {value!r}")
    return np.broadcast_to(found, (axes,))


def _slowed(angles: FloatArray, most: FloatArray) -> FloatArray:
    """The same angles followed with steps of at most `most`."""
    made = angles.copy()
    if np.isinf(most).all():
        return made
    for k in range(1, len(made)):
        way = angles[k] - made[k - 1]
        made[k] = np.where(np.abs(way) <= most, angles[k], made[k - 1] + np.clip(way, -most, most))
    return made


@door
def write_csv(run: Trajectory, path: str | Path, rate: float = 50.0, **limits: Any) -> tuple[Path, tuple[str, ...]]:
    """Write the joint commands as a table; returns the path and what the limits changed."""
    commands = commands_of(run, rate, **limits)
    rows = (
        [repr(float(t)), *(repr(float(a)) for a in row)] for t, row in zip(commands.times, commands.angles, strict=True)
    )
    return write_table(path, ["time", *commands.names], rows), commands.notes


@door
def rotations_of(run: Trajectory) -> FloatArray:
    """Attitudes of the links (f, n, 3, 3): columns are direction, left side, back."""
    axis, back = run["link_axis"], run["link_back"]
    return np.stack([axis, np.cross(back, axis), back], axis=-1)


@door
def quaternions_of(run: Trajectory) -> FloatArray:
    """Attitudes of the links (f, n, 4): w, x, y, z."""
    turns = rotations_of(run)
    flat = turns.reshape(-1, 3, 3)
    return np.array([quaternion_from_matrix(turn) for turn in flat]).reshape(*turns.shape[:2], 4)


def _numbers(values: FloatArray) -> str:
    return " ".join(repr(float(v)) for v in np.ravel(values))


def _array(name: str, values: FloatArray, width: int, kind: str = "Float64") -> str:
    text = " ".join(str(int(v)) for v in np.ravel(values)) if kind == "Int64" else _numbers(values)
    return f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{width}" format="ascii">{text}</DataArray>'


@door(frame=Whole(low=0))
def vtp_text(run: Trajectory, frame: int) -> str:
    """One frame as VTK PolyData: a line per link, with what acts on it."""
    if frame >= len(run["node"]):
        raise InputError(f"frame must be below {len(run['node'])}, the number of frames, got {shown(frame)}")
    nodes, n = run["node"][frame], run["node"].shape[1] - 1
    data = [_array("link", np.arange(n), 1)]
    for name, width in (
        ("contact_force", 3),
        ("normal_force", 1),
        ("contact_velocity_along", 1),
        ("contact_velocity_across", 1),
        ("link_back", 3),
    ):
        if name in run and run[name].shape[1:] == ((n, 3) if width == 3 else (n,)):
            data.append(_array(name, np.nan_to_num(run[name][frame]), width))
    lines = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)
    return (
        '<?xml version="1.0"?>\n<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n<PolyData>\n'
        f'<Piece NumberOfPoints="{n + 1}" NumberOfVerts="0" NumberOfLines="{n}" NumberOfStrips="0" NumberOfPolys="0">\n'
        f"<Points>{_array('places', nodes, 3)}</Points>\n"
        f"<Lines>{_array('connectivity', lines, 1, 'Int64')}{_array('offsets', 2 * np.arange(1, n + 1), 1, 'Int64')}</Lines>\n"
        f"<CellData>{''.join(data)}</CellData>\n</Piece>\n</PolyData>\n</VTKFile>\n"
    )


@door(every=Whole(low=1))
def write_vtk(run: Trajectory, path: str | Path, every: int = 1) -> Path:
    """Write a .pvd beside a folder with one .vtp file per frame."""
    target = Path(path).with_suffix(".pvd")
    folder = target.with_suffix("")
    if folder.exists():
        raise InputError(f"{folder} exists already; give another name")
    with _storing(target), tempfile.TemporaryDirectory(dir=_parent(target), prefix=".vtk-") as made:
        inside, rows = Path(made) / folder.name, []
        inside.mkdir()
        for frame in range(0, len(run["time"]), every):
            name = f"frame{frame:06d}.vtp"
            write_bytes(inside / name, vtp_text(run, frame).encode())
            rows.append(
                f'<DataSet timestep="{float(run["time"][frame])!r}" group="" part="0" file="{folder.name}/{name}"/>'
            )
        shutil.move(str(inside), str(folder))
    head = '<?xml version="1.0"?>\n<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">\n<Collection>\n'
    return write_text(target, head + "\n".join(rows) + "\n</Collection>\n</VTKFile>\n")


@contextlib.contextmanager
def _storing(target: Path) -> Iterator[None]:
    """Errors of the disk, as the writers of bags and MCAP files give them, as errors that name the file."""
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError | sqlite3.Error) or "MCAP error: I/O" in str(error):
            raise StorageError(f"cannot write {target}: {getattr(error, 'strerror', None) or error}") from error
        raise


def _parent(target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    return target.parent


def _missing(what: str) -> InputError:
    return InputError(f'writing {what} needs more packages; install them with: pip install "serpenoid[mcap]"')


@door
def write_mcap(run: Trajectory, path: str | Path) -> Path:
    """Write poses, joint states and the links' shapes as MCAP with foxglove's own schemas."""
    try:
        import foxglove
        from foxglove import messages
        from foxglove.channels import FrameTransformsChannel, JointStatesChannel, SceneUpdateChannel
    except ImportError as error:
        raise _missing("MCAP") from error
    nodes, attitudes, names = run["node"], quaternions_of(run), axis_names(run)
    length = np.linalg.norm(np.diff(nodes[0], axis=0), axis=1)
    context = foxglove.Context()
    poses, joints = FrameTransformsChannel("/tf", context=context), JointStatesChannel("/joint_states", context=context)
    scene = SceneUpdateChannel("/scene", context=context)
    with _storing(Path(path)), replacing(path) as part:
        part.parent.mkdir(parents=True, exist_ok=True)
        with foxglove.open_mcap(str(part), allow_overwrite=True, context=context) as writer:
            about = {
                "version": str(run.provenance.get("version", "")),
                "scenario": json_text(run.scenario),
                "status": run.status.name,
            }
            writer.write_metadata("serpenoid", about)
            for f, t in enumerate(run["time"]):
                nanos = round(float(t) * 1e9)
                stamp = messages.Timestamp(sec=nanos // SECOND, nsec=nanos % SECOND)
                moved = [
                    messages.FrameTransform(
                        timestamp=stamp, parent_frame_id="world", child_frame_id=f"link{i}",
                        translation=messages.Vector3(x=float(p[0]), y=float(p[1]), z=float(p[2])),
                        rotation=messages.Quaternion(w=float(q[0]), x=float(q[1]), y=float(q[2]), z=float(q[3])),
                    )
                    for i, (p, q) in enumerate(zip(nodes[f, :-1], attitudes[f], strict=True))
                ]  # fmt: skip
                poses.log(messages.FrameTransforms(transforms=moved), log_time=nanos)
                states = [
                    messages.JointState(name=name, position=float(run["joint_angle"][f, k]), velocity=float(run["joint_rate"][f, k]), effort=float(run["joint_torque"][f, k]))
                    for k, name in enumerate(names)
                ]  # fmt: skip
                joints.log(messages.JointStates(timestamp=stamp, joints=states), log_time=nanos)
                if f == 0:
                    scene.log(
                        messages.SceneUpdate(
                            entities=[_scene(messages, stamp, i, float(l)) for i, l in enumerate(length)]
                        ),
                        log_time=nanos,
                    )
    return Path(path)


def _scene(messages: Any, stamp: Any, i: int, length: float) -> Any:
    """A link as a cylinder in its own frame."""
    half = math.sqrt(0.5)
    pose = messages.Pose(
        position=messages.Vector3(x=0.5 * length, y=0.0, z=0.0),
        orientation=messages.Quaternion(w=half, x=0.0, y=half, z=0.0),
    )
    body = messages.CylinderPrimitive(
        pose=pose, size=messages.Vector3(x=0.5 * length, y=0.5 * length, z=length), color=messages.Color(r=0.2, g=0.5, b=0.35, a=1.0)
    )  # fmt: skip
    return messages.SceneEntity(
        timestamp=stamp, frame_id=f"link{i}", id=f"link{i}", frame_locked=True, cylinders=[body]
    )


@door
def write_rosbag(run: Trajectory, path: str | Path) -> Path:
    """Write poses and joint states as a ROS 2 bag: a folder with metadata and a database."""
    try:
        from rosbags.rosbag2 import Writer
        from rosbags.typesys import Stores, get_typestore
    except ImportError as error:
        raise _missing("a ROS 2 bag") from error
    target = Path(path)
    if target.exists():
        raise InputError(f"{target} exists already; give another name")
    store = get_typestore(Stores.ROS2_HUMBLE)
    nodes, attitudes, names = run["node"], quaternions_of(run), axis_names(run)
    with _storing(target), tempfile.TemporaryDirectory(dir=_parent(target), prefix=".bag-") as made:
        bag = Path(made) / target.name
        with Writer(bag, version=9) as writer:
            tf = writer.add_connection("/tf", "tf2_msgs/msg/TFMessage", typestore=store)
            states = writer.add_connection("/joint_states", "sensor_msgs/msg/JointState", typestore=store)
            for f, t in enumerate(run["time"]):
                head = _header(store, float(t), "world")
                moved = [
                    _transform(store, head, f"link{i}", p, q)
                    for i, (p, q) in enumerate(zip(nodes[f, :-1], attitudes[f], strict=True))
                ]
                stamp = round(float(t) * 1e9)
                message = store.types["tf2_msgs/msg/TFMessage"](transforms=moved)
                writer.write(tf, stamp, store.serialize_cdr(message, "tf2_msgs/msg/TFMessage"))
                values = (
                    np.asarray(run[name][f], dtype=np.float64) for name in ("joint_angle", "joint_rate", "joint_torque")
                )
                position, velocity, effort = values
                state = store.types["sensor_msgs/msg/JointState"](
                    header=_header(store, float(t), ""), name=names, position=position, velocity=velocity, effort=effort
                )
                writer.write(states, stamp, store.serialize_cdr(state, "sensor_msgs/msg/JointState"))
        shutil.move(str(bag), str(target))
    return target


def _header(store: Any, t: float, frame: str) -> Any:
    nanos = round(t * 1e9)
    stamp = store.types["builtin_interfaces/msg/Time"](sec=nanos // SECOND, nanosec=nanos % SECOND)
    return store.types["std_msgs/msg/Header"](stamp=stamp, frame_id=frame)


def _transform(store: Any, head: Any, name: str, place: FloatArray, turn: FloatArray) -> Any:
    where = store.types["geometry_msgs/msg/Vector3"](x=float(place[0]), y=float(place[1]), z=float(place[2]))
    how = store.types["geometry_msgs/msg/Quaternion"](
        x=float(turn[1]), y=float(turn[2]), z=float(turn[3]), w=float(turn[0])
    )
    pose = store.types["geometry_msgs/msg/Transform"](translation=where, rotation=how)
    return store.types["geometry_msgs/msg/TransformStamped"](header=head, child_frame_id=name, transform=pose)
