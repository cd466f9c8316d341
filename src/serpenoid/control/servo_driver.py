"""Drive servos on a bus by a timed table of positions, watch them, and leave them safe whatever happens.

At every row of the table the driver asks all servos where they are (one packet), compares that with the row before, and writes the new positions of all of them at once
(one packet, so that they begin together). It ends, and says why:

| status | when |
|---|---|
| done | the table is over |
| limit | before anything moves: a row lies beyond the limits that a servo itself has |
| silent | a servo does not answer before the start, or at `patience` rows in succession on the way |
| stalled | a servo is further than `stall_angle` from its goal and has not moved for `stall_time` |
| fault | a servo's answer has its error bit set (overload, heat, voltage) |
| interrupted | the program was interrupted or failed; the exception goes on when the robot is safe, the report is the driver's `report` |

**How the robot is left.** Before anything moved: as it was found. Otherwise, by `safe`: "off", torque off in every servo (usual: a snake robot lies on the ground), or "hold", every servo holds the
position where it is, with torque on (for a robot that would fall from a pole); both are read back, and tried again where a packet is lost; servos that do not confirm are named.
The same is done when the program is interrupted or fails, also where it is interrupted again meanwhile. Where the program itself dies, Dynamixel servos stop by themselves after
`watchdog` (their bus watchdog); Feetech servos have none and go on holding their last goal.

Single lost packets are counted (`lost`), a position that did not arrive shows in `error`; the next row comes soon. The robot goes to the first row at `approach` before the time of the table begins.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from serpenoid.core.checks import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.formats.bus import WATCHDOG_UNIT, BusTable, Register
from serpenoid.formats.packets import number, sync_read, sync_write, taken_apart, unpacked

TRIES = 10  # to read or write something that must arrive
IMPATIENT = 10  # times that leaving the robot safe is begun anew after an interrupt
TIMEOUT = 0.01  # s: for the answers of all servos to one question
STILL = 3  # steps: a servo that moves no more than this stands still
SAFE = ("off", "hold")


class Port(Protocol):
    """What a driver needs of a bus: bytes out, bytes in within a time (s), and a clock (s)."""

    def write(self, data: bytes) -> None:
        """Send bytes."""

    def read(self, timeout: float) -> bytes:
        """Bytes that arrive within a time, s; empty if none do."""
        ...

    def now(self) -> float:
        """Time, s."""
        ...

    def sleep(self, duration: float) -> None:
        """Wait, s."""


@dataclass
class DriveReport:
    """How a table was driven: status, what was measured, what was lost, how the robot was left."""

    status: str = "done"
    message: str = ""
    servo: int | None = None  # that is to blame
    rows: int = 0  # written
    times: FloatArray = field(default_factory=lambda: np.zeros(0))  # s: of the rows that were measured
    positions: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))  # steps, (rows, servos); NaN: lost
    lost: int = 0  # answers that did not arrive
    late: float = 0.0  # s: greatest delay of a row
    error: float = 0.0  # rad: greatest distance of a servo from its row, where it was heard
    left: str = "as found"  # "torque off", "holding", "unknown"
    unconfirmed: tuple[int, ...] = ()  # servos that did not confirm it

    @property
    def ok(self) -> bool:
        """Whether the whole table was driven, and the robot is known to be safe."""
        return self.status == "done" and not self.unconfirmed


class DriveStopError(Exception):
    """Why driving ends before the table does; caught inside the driver."""

    def __init__(self, status: str, message: str, servo: int) -> None:
        super().__init__(message)
        self.status, self.message, self.servo = status, message, servo


class ServoDriver:
    """Drives tables on a port; `safe` is "off" or "hold"."""

    def __init__(
        self, port: Port, *, safe: str = "off", patience: int = 5, stall_angle: float = 0.17, stall_time: float = 0.4, approach: float = 0.5,
        watchdog: float = 0.5, timeout: float = TIMEOUT,
    ) -> None:  # fmt: skip
        if safe not in SAFE:
            raise InputError(f"safe must be one of {', '.join(SAFE)}, got {safe!r}")
        if not (isinstance(patience, int) and patience > 0):
            raise InputError(f"patience must be a whole number of rows > 0, got {patience!r}")
        numbers = {"stall_angle": stall_angle, "stall_time": stall_time, "approach": approach, "watchdog": watchdog, "timeout": timeout}  # fmt: skip
        for name, value in numbers.items():
            if not (np.isfinite(value) and value > 0.0):
                raise InputError(f"{name} must be > 0 and finite, got {value!r}")
        if watchdog > 127 * WATCHDOG_UNIT:
            raise InputError(f"watchdog must be at most {127 * WATCHDOG_UNIT:g} s, got {watchdog!r}")
        self.port, self.safe, self.patience = port, safe, patience
        self.stall_angle, self.stall_time, self.approach = stall_angle, stall_time, approach
        self.watchdog, self.timeout = watchdog, timeout

    def drive(self, table: BusTable) -> DriveReport:
        """Drive a table to its end, or as far as it goes; the robot is left safe."""
        if len(table.times) < 2:
            raise InputError("a table needs at least two rows")
        self.table, self.bus, self.ids = table, table.bus, table.ids
        self.report, self.moving = DriveReport(), False
        self.log: list[tuple[float, FloatArray]] = []
        self.last: dict[int, int] = {}  # positions heard last
        self._watch: list[tuple[float, FloatArray, FloatArray]] = []  # time, positions, goals of the last rows
        try:
            self._begin()
            self._follow()
        except DriveStopError as stop:
            self.report.status, self.report.message, self.report.servo = stop.status, stop.message, stop.servo
        except BaseException as error:
            self.report.status, self.report.message = "interrupted", str(error) or type(error).__name__
            raise
        finally:
            if self.moving:
                self._safe_whatever_comes()
        if self.log:
            self.report.times = np.array([t for t, _ in self.log])
            self.report.positions = np.array([row for _, row in self.log])
        return self.report

    # questions and answers

    def ask(self, register: Register, ids: tuple[int, ...] | list[int]) -> dict[int, int]:
        """Numbers of a register by servo; those that do not answer in time are left out."""
        self.port.write(sync_read(self.bus, register, ids))
        found: dict[int, int] = {}
        rest, end = b"", self.port.now() + self.timeout
        while len(found) < len(ids) and self.port.now() < end:
            packets, rest = taken_apart(self.bus.protocol, rest + self.port.read(end - self.port.now()))
            for packet in packets:
                answered = unpacked(self.bus.protocol, packet)
                value = None if answered is None else number(self.bus, register, answered[1])
                if packet.identity not in ids or answered is None or value is None:
                    continue
                found[packet.identity] = value
                if answered[0] & (0x80 if self.bus.protocol == 2 else 0xFF) and self.moving:
                    raise DriveStopError("fault", f"servo {packet.identity} reports an error (0x{answered[0]:02x})", packet.identity)  # fmt: skip
        return found

    def ask_surely(self, register: Register) -> dict[int, int]:
        """Numbers of a register of all servos, asked again where an answer is lost."""
        found = self._heard(register)
        if len(found) == len(self.ids):
            return found
        silent = next(i for i in self.ids if i not in found)
        raise DriveStopError("silent", f"servo {silent} does not answer", silent)

    def _heard(self, register: Register) -> dict[int, int]:
        """Numbers of a register of the servos that answer, asked again where an answer is lost."""
        found: dict[int, int] = {}
        for _ in range(TRIES):
            found |= self.ask(register, [i for i in self.ids if i not in found])
            if len(found) == len(self.ids):
                break
        return found

    def put_surely(self, register: Register, values: Mapping[int, int]) -> tuple[int, ...]:
        """Write a register of servos until they read back the same; those that never do."""
        left = dict(values)
        for _ in range(TRIES):
            self.port.write(sync_write(self.bus, register, left))
            read = self.ask(register, list(left))
            left = {i: v for i, v in left.items() if read.get(i) != v}
            if not left:
                break
        return tuple(left)

    # the stages

    def _begin(self) -> None:
        """Look at everything before anything moves; then torque on where the servos are, and slowly to the first row."""
        lowest, highest = self.ask_surely(self.bus.lowest), self.ask_surely(self.bus.highest)
        self.last = self.ask_surely(self.bus.present)
        for k, i in enumerate(self.ids):
            column = self.table.positions[:, k]
            beyond = np.flatnonzero((column < lowest[i]) | (column > highest[i]))
            if len(beyond):
                text = (
                    f"servo {i} has limits {lowest[i]} and {highest[i]}; row {beyond[0]} asks for {column[beyond[0]]}"
                )
                raise DriveStopError("limit", text, i)
        self.moving = True
        start = {i: min(max(self.last[i], lowest[i]), highest[i]) for i in self.ids}
        if self.bus.watchdog is not None:
            self.put_surely(self.bus.watchdog, dict.fromkeys(self.ids, 0))
        for register, values in ((self.bus.goal, start), (self.bus.torque, dict.fromkeys(self.ids, 1))):
            missing = self.put_surely(register, values)
            if missing:
                raise DriveStopError("silent", f"servo {missing[0]} does not take its torque or goal", missing[0])
        if self.bus.watchdog is not None:
            self.put_surely(self.bus.watchdog, dict.fromkeys(self.ids, round(self.watchdog / WATCHDOG_UNIT)))
        self.begin_row = np.array([start[i] for i in self.ids], dtype=float)

    def _follow(self) -> None:
        """The way to the first row, then row by row."""
        table, h = self.table, float(np.median(np.diff(self.table.times)))
        first = table.positions[0].astype(float)
        count = int(np.ceil(np.abs(first - self.begin_row).max() * self.bus.step / (self.approach * h)))
        way = [np.rint(self.begin_row + (first - self.begin_row) * k / count) for k in range(1, count + 1)]
        rows = [*way, *table.positions.astype(float)]
        times = np.concatenate([table.times[0] - h * np.arange(count, 0, -1), table.times, [table.times[-1] + h]])
        zero = self.port.now() - times[0]
        goal, silent = self.begin_row, dict.fromkeys(self.ids, 0)
        for k, t in enumerate(times):
            wait = zero + t - self.port.now()
            self.port.sleep(wait)
            self.report.late = max(self.report.late, -float(wait))
            self._look(float(t), goal, silent, measured=k > count)
            if k < len(rows):
                goal = rows[k]
                self.port.write(sync_write(self.bus, self.bus.goal, dict(zip(self.ids, goal.astype(int).tolist(), strict=True))))  # fmt: skip
                self.report.rows = max(0, k + 1 - count)

    def _look(self, t: float, goal: FloatArray, silent: dict[int, int], measured: bool) -> None:
        """Ask where the servos are; end where one is silent or stalled."""
        found = self.ask(self.bus.present, self.ids)
        self.last |= found
        row = np.array([found.get(i, np.nan) for i in self.ids], dtype=float)
        if measured:
            self.log.append((t, row))
            self.report.error = max(self.report.error, float(np.abs(np.nan_to_num(row - goal)).max()) * self.bus.step)
        self.report.lost += len(self.ids) - len(found)
        for i in self.ids:
            silent[i] = 0 if i in found else silent[i] + 1
            if silent[i] >= self.patience:
                raise DriveStopError("silent", f"servo {i} has not answered for {silent[i]} rows, at t = {t:.4g} s", i)
        self._watch = [(a, b, g) for a, b, g in self._watch if a > t - 1.5 * self.stall_time] + [(t, row, goal)]
        recent = [(a, b, g) for a, b, g in self._watch if a >= t - self.stall_time]
        if self._watch[0][0] > t - self.stall_time or len(recent) < 3:
            return
        places, gaps = np.array([b for _, b, _ in recent]), np.array([np.abs(b - g) for _, b, g in recent])
        for k, i in enumerate(self.ids):
            known = np.isfinite(places[:, k])
            if known.sum() < 2:
                continue
            stays = np.ptp(places[known, k]) <= STILL
            if stays and gaps[known, k].min() * self.bus.step > self.stall_angle:
                text = f"servo {i} has stood still for {self.stall_time:g} s, {gaps[known, k][-1]:.0f} steps from its goal, at t = {t:.4g} s"
                raise DriveStopError("stalled", text, i)

    def _safe_whatever_comes(self) -> None:
        """Leave the robot safe; who presses Ctrl-C again is heard when it is."""
        again: KeyboardInterrupt | None = None
        for _ in range(IMPATIENT):
            try:
                self._leave_safe()
                break
            except KeyboardInterrupt as interrupt:
                self.report.left, self.report.unconfirmed, again = "unknown", self.ids, interrupt
        if again is not None:
            raise again

    def _leave_safe(self) -> None:
        """Torque off, or hold where the servos are; read back."""
        self.moving = False  # errors of servos no longer end anything
        off = dict.fromkeys(self.ids, 0)
        if self.safe == "off":
            missing, self.report.left = self.put_surely(self.bus.torque, off), "torque off"
        else:
            self.last |= self._heard(self.bus.present)
            missing = self.put_surely(self.bus.goal, {i: max(self.last[i], 0) for i in self.ids})
            limp = self.put_surely(self.bus.torque, dict.fromkeys(self.ids, 1))  # it may end before torque was on
            missing, self.report.left = tuple(i for i in self.ids if i in (*missing, *limp)), "holding"
        if self.bus.watchdog is not None:
            self.put_surely(self.bus.watchdog, off)
        self.report.unconfirmed = missing


class SerialPort:
    """A serial port as a `Port`; needs the extra `hardware` (pyserial comes with dynamixel-sdk)."""

    def __init__(self, name: str, baud: int = 1_000_000) -> None:
        try:
            serial: Any = importlib.import_module("serial")
        except ImportError as error:
            raise InputError('serial ports need more packages; install them with: pip install "serpenoid[hardware]"') from error  # fmt: skip
        try:
            self.port: Any = serial.Serial(name, baud, timeout=0)
        except (OSError, ValueError) as error:
            raise InputError(f"port {name!r} cannot be opened: {error}"[:300]) from error

    def write(self, data: bytes) -> None:
        """Send bytes; what came in before is dropped."""
        self.port.reset_input_buffer()
        self.port.write(data)

    def read(self, timeout: float) -> bytes:
        """Bytes that arrive within a time."""
        self.port.timeout = max(timeout, 0.0)
        first: bytes = self.port.read(1)
        return first + self.port.read(self.port.in_waiting) if first else b""

    def now(self) -> float:
        """Time of the machine's steady clock, s."""
        return time.monotonic()

    def sleep(self, duration: float) -> None:
        """Wait, s."""
        time.sleep(max(duration, 0.0))

    def close(self) -> None:
        """Give the port back."""
        self.port.close()
