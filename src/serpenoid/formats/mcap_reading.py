"""Joint states of an MCAP file: foxglove's `JointStates` (protobuf) and ROS 2's `sensor_msgs/JointState` (CDR), both also as JSON.

An MCAP file is a row of records, each an operation code (1 byte), a length (8 bytes) and its content; messages stand in chunks, plain or compressed. Read are
schemas, channels and messages; everything else is passed over. Compressed chunks need the extra `mcap`. Sizes are bounded before anything is
unpacked. Source: https://mcap.dev/spec, https://docs.foxglove.dev/docs/sdk/schemas/joint-states.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from serpenoid.core.errors import InputError
from serpenoid.formats.opening import content, named, parsing

MAGIC = b"\x89MCAP0\r\n"
MOST_FILE, MOST_CHUNK, MOST_ALL = (
    200_000_000,
    64_000_000,
    400_000_000,
)  # bytes: of the file, of a chunk and of all chunks unpacked
MOST_JOINTS = 20_000
SCHEMA, CHANNEL, MESSAGE, CHUNK = 3, 4, 5, 6
FOXGLOVE, ROS = "foxglove.JointStates", ("sensor_msgs/msg/JointState", "sensor_msgs/JointState")


class JointMessage(NamedTuple):
    """One message: its time in ns, names and positions of its joints (rad)."""

    nanos: int
    names: tuple[str, ...]
    positions: tuple[float, ...]


def joint_messages(path: str | Path, within: str | Path | None = None) -> list[JointMessage]:
    """The joint states of an MCAP file in the order in which they stand there."""
    raw, source = content(path, "joint log", MOST_FILE, within), named(path)
    if raw[: len(MAGIC)] != MAGIC:
        raise InputError(f"{source} is no MCAP file: it does not begin as one")
    with parsing(path, "is no whole MCAP file: one of its records is cut off or broken"):
        return _messages(memoryview(raw)[len(MAGIC) :], source)


def _messages(data: memoryview, source: str) -> list[JointMessage]:
    schemas: dict[int, str] = {}
    channels: dict[int, tuple[str, str, str]] = {}  # topic, schema, encoding
    found: dict[int, list[JointMessage]] = {}
    for code, record in _records(data, source):
        if code == SCHEMA:
            schemas[struct.unpack_from("<H", record)[0]] = _text(record, 2)[0]
        elif code == CHANNEL:
            number, schema = struct.unpack_from("<HH", record)
            topic, at = _text(record, 4)
            channels[number] = topic, schemas.get(schema, ""), _text(record, at)[0]
        elif code == MESSAGE:
            number, _, logged = struct.unpack_from("<HIQ", record)
            _, kind, encoding = channels.get(number, ("", "", ""))
            if kind == FOXGLOVE or kind in ROS:
                read = _from_json if encoding == "json" else _foxglove if kind == FOXGLOVE else ros_message
                found.setdefault(number, []).append(read(record[22:], logged))
    if not found:
        kinds = ", ".join(sorted(set(schemas.values()))) or "nothing"
        raise InputError(f"{source}: it has no joint states ({FOXGLOVE} or {ROS[0]}), but {kinds[:200]}")
    if len(found) > 1:
        topics = ", ".join(sorted(channels[number][0] for number in found))
        raise InputError(
            f"{source}: joint states stand on several topics ({topics[:200]}); give a file with one of them"
        )
    return next(iter(found.values()))


def _records(data: memoryview, source: str) -> Iterator[tuple[int, memoryview]]:
    """Records of the data section, those of chunks among them; the file may have been cut off between two records, as a killed recorder leaves it."""
    unpacked = 0
    for code, record in _row(data):
        if code == CHUNK:
            made = _unpacked(record, source)
            unpacked += len(made)
            if unpacked > MOST_ALL:
                raise InputError(f"{source}: its chunks hold more than {MOST_ALL} bytes")
            yield from _row(memoryview(made))
        else:
            yield code, record


def _row(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    at = 0
    while at < len(data) and bytes(data[at : at + len(MAGIC)]) != MAGIC:
        code, length = struct.unpack_from("<BQ", data, at)
        if length > len(data) - at - 9:
            raise IndexError
        yield code, data[at + 9 : at + 9 + length]
        at += 9 + length


def _unpacked(record: memoryview, source: str) -> bytes:
    """The records of a chunk."""
    size = struct.unpack_from("<Q", record, 16)[0]
    way, at = _text(record, 28)
    length = struct.unpack_from("<Q", record, at)[0]
    packed = bytes(record[at + 8 : at + 8 + length])
    if size > MOST_CHUNK:
        raise InputError(f"{source}: a chunk may hold {MOST_CHUNK} bytes, one holds {size}")
    with parsing(source, "has a chunk that cannot be unpacked"):
        made = _decompressed(way, packed, size, source)
    if len(made) != size:
        raise InputError(f"{source}: a chunk of this MCAP file does not hold what it says")
    return made


def _decompressed(way: str, packed: bytes, size: int, source: str) -> bytes:
    """Bytes unpacked, at most one more than they should be."""
    if not way:
        return packed
    try:
        if way == "zstd":
            try:
                from compression import zstd  # type: ignore[import-not-found,unused-ignore]
            except ImportError:
                from backports import zstd  # type: ignore[import-not-found,no-redef,unused-ignore]
            return bytes(zstd.ZstdDecompressor().decompress(packed, max_length=size + 1))
        if way == "lz4":
            import lz4.frame  # type: ignore[import-untyped,unused-ignore]

            return bytes(lz4.frame.LZ4FrameDecompressor().decompress(packed, max_length=size + 1))
    except ImportError as error:
        raise InputError(
            f'{source}: reading compressed MCAP needs more packages; install them with: pip install "serpenoid[mcap]"'
        ) from error
    raise InputError(f"{source}: chunks are compressed by {way[:20]!r}; known are zstd and lz4")


def _text(record: memoryview, at: int) -> tuple[str, int]:
    """A text and where it ends."""
    length = struct.unpack_from("<I", record, at)[0]
    if length > len(record) - at - 4:
        raise IndexError
    return bytes(record[at + 4 : at + 4 + length]).decode(), at + 4 + length


def _foxglove(data: memoryview, logged: int) -> JointMessage:
    """A protobuf message: timestamp (1), joints (2) with name (1) and position (2)."""
    stamp, names, positions = 0, [], []
    for key, value in _fields(data):
        if key == 1:
            parts = dict(_fields(value))
            stamp = int(parts.get(1, 0)) * 1_000_000_000 + int(parts.get(2, 0))
        elif key == 2:
            joint = dict(_fields(value))
            names.append(bytes(joint.get(1, b"")).decode())
            positions.append(float("nan") if 2 not in joint else struct.unpack("<d", joint[2])[0])
    return JointMessage(stamp or logged, tuple(names), tuple(positions))


def _from_json(data: memoryview, logged: int) -> JointMessage:
    """A JSON message of either schema: a stamp, and joints with names and positions, or lists of both."""
    found = json.loads(bytes(data))
    stamp = found.get("timestamp") or (found.get("header") or {}).get("stamp") or {}
    nanos = int(stamp.get("sec", 0)) * 1_000_000_000 + int(stamp.get("nsec", stamp.get("nanosec", 0)))
    if "joints" in found:
        pairs = [(joint.get("name", ""), joint.get("position")) for joint in found["joints"]]
    else:
        pairs = list(zip(found.get("name", ()), found.get("position", ()), strict=True))
    places = [math.nan if position is None else float(position) for _, position in pairs]
    return JointMessage(nanos or logged, tuple(str(name) for name, _ in pairs), tuple(places))


def _fields(data: memoryview) -> Iterator[tuple[int, Any]]:
    """Fields of a protobuf message: numbers, or the bytes of what is longer."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        if tag & 7 == 0:
            value, at = _varint(data, at)
            yield tag >> 3, value
            continue
        if tag & 7 == 2:
            length, at = _varint(data, at)
        else:
            length = {1: 8, 5: 4}.get(tag & 7, -1)
        if length < 0 or length > len(data) - at:
            raise IndexError
        yield tag >> 3, data[at : at + length]
        at += length


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 70:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at
    raise IndexError


def ros_message(data: memoryview, logged: int) -> JointMessage:
    """A CDR message: stamp (s, ns), frame, names, positions; aligned from behind its 4 bytes of head."""
    order = "<" if data[1] == 1 else ">"
    body, at = data[4:], 8
    seconds, nanos = struct.unpack_from(f"{order}iI", body, 0)

    def count(at: int) -> tuple[int, int]:
        at = (at + 3) // 4 * 4
        return int(struct.unpack_from(f"{order}I", body, at)[0]), at + 4

    length, at = count(at)
    at += length
    many, at = count(at)
    if many > MOST_JOINTS:
        raise IndexError
    names = []
    for _ in range(many):
        length, at = count(at)
        names.append(bytes(body[at : at + length]).rstrip(b"\0").decode())
        at += length
    many, at = count(at)
    at = (at + 7) // 8 * 8
    if many > MOST_JOINTS:
        raise IndexError
    positions = struct.unpack_from(f"{order}{many}d", body, at) if many else ()
    return JointMessage(seconds * 1_000_000_000 + nanos or logged, tuple(names), tuple(positions))
