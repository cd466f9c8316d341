"""Joint angles as a timed table of positions for servos on a bus: units of the bus, its range, one identity per servo.

    position = centre + direction * round(angle * steps / (2 pi))

| bus | servos | steps per turn | centre | range | protocol |
|---|---|---|---|---|---|
| dynamixel | X series and MX with protocol 2.0, position control mode | 4096 | 2048 | 0 to 4095 | 2.0 |
| feetech | STS and SMS (STS3215) | 4096 | 2048 | 0 to 4095 | FT-SCS, framed as Dynamixel's 1.0 |

Registers: ROBOTIS e-Manual, control table of XM430-W350 and the others of the X series; Feetech, memory table of SMS/STS; every address and size compared with
`motors/*/tables.py` of lerobot 0.4.4 (X_SERIES_CONTROL_TABLE, STS_SMS_SERIES_CONTROL_TABLE). Both write low bytes first. (The
XL-320 has another table and 1024 steps over 300 degrees: it is not among these.)

A table is a CSV file: `time` in s, then a column of whole numbers for every servo, named `id1`, `id2`, ..., from the tail.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.core.checks import FloatArray
from serpenoid.core.door import FiniteNumbers, door
from serpenoid.core.errors import InputError
from serpenoid.formats.files import MOST_TABLE, read_table, write_table
from serpenoid.formats.motion import Commands
from serpenoid.formats.opening import text_of

MOST_ID = 252
WATCHDOG_UNIT = 0.02  # s


class Register(NamedTuple):
    """Address and number of bytes in a servo's table."""

    address: int
    size: int


@dataclass(frozen=True)
class Bus:
    """A kind of servo bus: its protocol, its unit of position, and where its servos keep what."""

    name: str
    protocol: int
    goal: Register
    present: Register
    torque: Register
    lowest: Register
    highest: Register
    watchdog: Register | None = None  # in WATCHDOG_UNIT: the servo stops by itself where nothing is heard for so long
    steps: int = 4096
    centre: int = 2048

    @property
    def step(self) -> float:
        """Angle of an encoder step, rad."""
        return 2.0 * np.pi / self.steps

    @property
    def motion(self) -> Register:
        """From the goal to the present position, which one answer gives together."""
        return Register(self.goal.address, self.present.address + self.present.size - self.goal.address)

    @property
    def most(self) -> int:
        """Servos that one packet can write positions to: protocol 1.0 counts its bytes in one byte."""
        return MOST_ID + 1 if self.protocol == 2 else (255 - 1 - 3) // (1 + self.goal.size)

    @property
    def reach(self) -> float:
        """Greatest angle to either side of the centre, rad."""
        return min(self.centre, self.steps - 1 - self.centre) * self.step


BUSES = {
    "dynamixel": Bus("dynamixel", 2, Register(116, 4), Register(132, 4), Register(64, 1), Register(52, 4), Register(48, 4), Register(98, 1)),
    "feetech": Bus("feetech", 1, Register(42, 2), Register(56, 2), Register(40, 1), Register(9, 2), Register(11, 2)),
}  # fmt: skip


class BusTable(NamedTuple):
    """Positions to be written: times (m,) in s, positions (m, servos) in steps, identities of the servos, and how they are mounted."""

    bus: Bus
    times: FloatArray
    positions: NDArray[np.int64]
    ids: tuple[int, ...]
    directions: tuple[int, ...]

    @door(positions=FiniteNumbers())
    def angles(self, positions: Any = None) -> FloatArray:
        """Joint angles (m, servos) in rad of positions, by default those of the table."""
        given = self.positions if positions is None else np.asarray(positions, dtype=float)
        if given.ndim == 0 or given.shape[-1] not in (1, len(self.ids)):
            raise InputError(f"positions must be {len(self.ids)} in a row, got shape {given.shape}")
        return np.asarray((given - self.bus.centre) * np.array(self.directions) * self.bus.step)


def checked_table(table: BusTable) -> BusTable:
    """A table that may have been made by hand, with every part of it checked."""
    if not isinstance(table, BusTable) or not isinstance(table.bus, Bus):
        raise InputError(f"a BusTable is needed (`table_of`, `read_bus_table`), got {type(table).__name__}")
    ids, bus = _listed("ids", table.ids), table.bus
    ids = checked_ids(ids, len(ids))
    if not 0 < len(ids) <= bus.most:
        raise InputError(f"a table has 1 to {bus.most} servos on a {bus.name} bus, got {len(ids)}")
    ways = checked_directions(table.directions, len(ids))
    times, positions = _numbers("times", table.times, 1), _numbers("positions", table.positions, 2)
    if positions.shape != (len(times), len(ids)):
        rows, columns = positions.shape
        raise InputError(
            f"a table of {len(times)} times and {len(ids)} servos needs as many rows and columns, got {rows} rows of {columns} positions"
        )
    with np.errstate(over="ignore"):
        apart = np.diff(times)
    if not (np.isfinite(times).all() and np.isfinite(apart).all() and (apart > 0.0).all()):
        row = int(np.flatnonzero(~np.isfinite(times) | np.append(False, ~(np.isfinite(apart) & (apart > 0.0))))[0])
        raise InputError(f"times must be finite and rise from row to row; row {row} has {times[row]:g} s")
    wrong = np.argwhere(~((positions == np.rint(positions)) & (positions >= 0) & (positions < bus.steps)))
    if len(wrong):
        row, column = (int(v) for v in wrong[0])
        raise InputError(
            f"id{ids[column]} at t = {times[row]:.6g} s is {positions[row, column]:g}; positions on this bus are whole numbers from 0 to {bus.steps - 1}"
        )
    return BusTable(bus, times, positions.astype(np.int64), ids, ways)


def _listed(name: str, given: Any) -> tuple[Any, ...]:
    if isinstance(given, str | bytes) or not isinstance(given, Sequence | np.ndarray) or np.ndim(given) != 1:
        raise InputError(f"{name} must be a list with one for every servo, got {given!r}"[:200])
    return tuple(given)


def _numbers(name: str, given: Any, axes: int) -> FloatArray:
    """An array of numbers with so many axes."""
    try:
        array = np.asarray(given)
    except (TypeError, ValueError):  # rows of different lengths
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "iuf" or array.ndim != axes or np.ma.isMaskedArray(given):
        raise InputError(f"{name} of a table must be {'numbers' if axes == 1 else 'complete rows of numbers'}, got {given!r}"[:200])  # fmt: skip
    return array.astype(float)


def checked_directions(directions: Any, count: int) -> tuple[int, ...]:
    """How servos are mounted: 1 or -1 for each."""
    ways = _listed("directions", directions)
    if len(ways) != count or any(not isinstance(way, int | np.integer) or way not in (1, -1) for way in ways):
        raise InputError(f"directions must be {count} numbers, each 1 or -1, got {ways}"[:200])
    return tuple(int(way) for way in ways)


def bus_named(name: str | Bus) -> Bus:
    """A bus by its name."""
    if isinstance(name, Bus):
        return name
    if not isinstance(name, str) or name not in BUSES:
        raise InputError(f"bus must be one of {', '.join(BUSES)}, got {name!r}"[:200])
    return BUSES[name]


@door
def table_of(
    commands: Commands, bus: str | Bus, ids: Sequence[int] | None = None, directions: Sequence[int] | None = None
) -> BusTable:
    """The table of joint commands (`motion.commands_of`, `commands_from`); angles beyond the bus's range are refused."""
    kind = bus_named(bus)
    count = commands.angles.shape[1]
    own = checked_ids(tuple(range(1, count + 1)) if ids is None else _listed("ids", ids), count)
    ways = checked_directions((1,) * count if directions is None else directions, count)
    beyond = np.argwhere(np.abs(commands.angles) > kind.reach * (1.0 + 1e-12))
    if len(beyond):
        row, column = (int(v) for v in beyond[0])
        raise InputError(
            f"{commands.names[column]} at t = {commands.times[row]:.6g} s is {commands.angles[row, column]:.4g} rad; a {kind.name} servo reaches "
            f"{kind.reach:.6g} rad to either side: give a limit"
        )
    positions = kind.centre + np.array(ways) * np.rint(commands.angles / kind.step).astype(np.int64)
    return checked_table(BusTable(kind, np.asarray(commands.times), positions, own, ways))


def checked_ids(ids: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Identities of servos: as many as joints, different, from 0 to 252."""
    whole = all(isinstance(i, int | np.integer) and not isinstance(i, bool) and 0 <= i <= MOST_ID for i in ids)
    if not whole or len(ids) != count or len(set(ids)) != count:
        raise InputError(f"ids must be {count} different whole numbers from 0 to {MOST_ID}, got {ids}"[:200])
    return tuple(int(i) for i in ids)


@door
def commands_from(path: str | Path) -> Commands:
    """Joint commands of a CSV file: a header line, time in s and an angle (rad) per joint, as `export --to csv` writes it."""
    rows, names = _read(path)
    return Commands(rows[:, 0], rows[:, 1:], names, ())


@door
def write_bus_table(table: BusTable, path: str | Path) -> Path:
    """Write a table as CSV."""
    table = checked_table(table)
    rows = ([repr(float(t)), *(int(p) for p in row)] for t, row in zip(table.times, table.positions, strict=True))
    return write_table(path, ["time", *(f"id{i}" for i in table.ids)], rows)


@door
def read_bus_table(path: str | Path, bus: str | Bus, directions: Sequence[int] | None = None) -> BusTable:
    """Read a table that `write_bus_table` wrote."""
    kind = bus_named(bus)
    rows, names = _read(path)
    found = [re.fullmatch(r"id(\d{1,3})", name) for name in names]
    if not all(found):
        raise InputError(f"{path}: the columns must be time, id1, id2, ...; got {', '.join(names)}"[:300])
    ids = checked_ids(tuple(int(match[1]) for match in found if match), len(names))
    ways = (1,) * len(ids) if directions is None else directions
    try:
        return checked_table(BusTable(kind, rows[:, 0], rows[:, 1:], ids, ways))  # type: ignore[arg-type]
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _read(path: str | Path) -> tuple[FloatArray, list[str]]:
    """Rows of a file with rising times, and the names of its columns after the first."""
    rows = read_table(path)
    head = text_of(path, "table", MOST_TABLE).partition("\n")[0]
    names = [name.strip() for name in head.split(",")]
    if len(names) != rows.shape[1] or rows.shape[1] < 2 or names[0] != "time":
        raise InputError(f"{path}: expected a header line, time and then a name for every joint; got {','.join(names)}"[:300])  # fmt: skip
    if not np.isfinite(rows).all() or np.any(np.diff(rows[:, 0]) <= 0.0):
        raise InputError(f"{path}: times must rise from row to row, and all numbers be finite")
    return rows, names[1:]
