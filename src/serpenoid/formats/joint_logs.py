"""Joint logs as samples of a gait: a CSV table, an MCAP file or a ROS 2 bag, its columns put into the order of the robot's joints by their names.

| names of the columns | what they mean |
|---|---|
| yaw3, pitch3 (as our own files have them; `_deg` behind: in degrees) | that axis of joint 3 |
| those of the joints in the robot's URDF or MJCF file | that joint, with the sign that the file counts with |
| anything else, or no header | columns stand in the order of the joints, yaw before pitch |

A table of which only some columns have such names is refused: nobody could tell which joints the others are. Capitals do not matter in yaw and pitch.

Joints that are locked need no column. Times of an MCAP file or a bag are counted from its first message; where a message has no stamp of its own,
the time of logging counts.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from serpenoid.core import FloatArray, Robot
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.robot import AXES, kinds_of
from serpenoid.formats.bag_reading import bag_messages, is_bag
from serpenoid.formats.files import MOST_NUMBERS, MOST_TABLE, read_samples
from serpenoid.formats.mcap_reading import JointMessage, joint_messages
from serpenoid.formats.opening import named, parsing, text_of

_OWN = re.compile(r"(yaw|pitch|roll)(\d{1,5})(_deg)?", re.IGNORECASE)
_TIME = re.compile(r"(time|t|stamp|timestamp)\b.*", re.IGNORECASE)
MOST_ANGLE = 4.0 * math.pi  # rad, as of a robot's stops


class JointLog(NamedTuple):
    """What joints did: times (m,) in s, values (m, k), names of the columns or none."""

    times: FloatArray
    values: FloatArray
    names: tuple[str, ...]


@door
def read_log(path: str | Path, within: str | Path | None = None) -> JointLog:
    """Read a joint log: a ROS 2 bag (its folder or .db3 file), an MCAP file (.mcap), or a table."""
    if is_bag(path):
        return _from_messages(bag_messages(path, within), path)
    if str(path).lower().endswith(".mcap"):
        return _from_messages(joint_messages(path, within), path)
    times, values = read_samples(path, within)
    with parsing(path, "is no table: expected numbers with commas between"):
        first = next(csv.reader([text_of(path, "table", MOST_TABLE, within).lstrip().partition("\n")[0]]))
    try:
        [float(word) for word in first]
        names: tuple[str, ...] = ()
    except ValueError:
        names = tuple(word.strip() for word in first[1:])
        if late := next((name for name in names if _TIME.fullmatch(name)), None):
            raise InputError(f"{named(path)}: the time must stand in the first column, before {late[:60]!r}") from None
    return JointLog(times, values, names)


def _from_messages(messages: Sequence[JointMessage], path: str | Path) -> JointLog:
    """A log of messages, which all have the same joints."""
    source = named(path)
    names = messages[0].names
    if len(messages) * max(len(names), 1) > MOST_NUMBERS:
        raise InputError(
            f"{source}: {len(messages)} messages of {len(names)} joints; a log may have {MOST_NUMBERS} numbers"
        )
    if not names or any(message.names != names or len(message.positions) != len(names) for message in messages):
        raise InputError(f"{source}: every message must have the same joints, each with a position")
    values = np.array([message.positions for message in messages])
    if not np.isfinite(values).all():
        k = int(np.argwhere(~np.isfinite(values))[0, 1])
        raise InputError(f"{source}: joint {names[k][:60]} has messages without a finite position")
    begin = messages[0].nanos
    return JointLog(np.array([(message.nanos - begin) * 1e-9 for message in messages]), values, names)


def samples_for(log: JointLog, robot: Robot, source: str, joints: Mapping[str, float] | None = None) -> FloatArray:
    """The values of a log in the order of the robot's joints; `joints`: names of its axes in the file it came from, with their signs."""
    values = _in_order(log, robot, source, joints)
    most = float(np.abs(values).max(initial=0.0))
    if most > MOST_ANGLE:
        raise InputError(
            f"{source}: a joint turns to {most:.4g} rad, more than two whole turns; if the columns are in degrees, name them yaw1_deg, pitch1_deg, ..."
        )
    return values


def _in_order(log: JointLog, robot: Robot, source: str, joints: Mapping[str, float] | None) -> FloatArray:
    known = list(joints or ())
    own = [_OWN.fullmatch(name) for name in log.names]
    if log.names and all(own):
        places = [(int(m[2]), m[1].lower()) for m in own if m]
        scale = [math.pi / 180.0 if m[3] else 1.0 for m in own if m]
    elif joints and log.names and set(log.names) <= set(known) and len(known) == len(robot.axes):
        places = [robot.axes[known.index(name)] for name in log.names]
        scale = [joints[name] for name in log.names]
    else:
        _refuse_mixed(log, [bool(match) or name in known for name, match in zip(log.names, own, strict=True)], source)
        return log.values
    if len(set(places)) < len(places):
        raise InputError(f"{source}: a joint has two columns")
    kinds = kinds_of(robot.joints, robot.links - 1) if isinstance(robot.joints, str) else robot.joints
    wanted = [(i + 1, axis) for i, kind in enumerate(kinds) for axis in ("yaw", "pitch") if axis in AXES[kind]]
    strange = [place for place in places if place not in wanted]
    if strange:
        raise InputError(
            f"{source}: it has a column for {strange[0][1]}{strange[0][0]}, which {robot.name} does not have as an axis that samples move"
        )
    values = np.zeros((len(log.times), len(wanted)))
    for k, place in enumerate(wanted):
        if place in places:
            values[:, k] = log.values[:, places.index(place)] * scale[places.index(place)]
        elif place[0] not in robot.locked:
            raise InputError(
                f"{source}: the column {place[1]}{place[0]} is missing; {robot.name} has {len(wanted)} axes"
            )
    return values


def _refuse_mixed(log: JointLog, ours: list[bool], source: str) -> None:
    """Refuse columns of which only some are named after joints."""
    if any(ours) and not all(ours):
        strange, known = (log.names[ours.index(which)][:60] for which in (False, True))
        raise InputError(
            f"{source}: the column {known} has the name of a joint, {strange} has not; name all columns after joints, or none"
        )
