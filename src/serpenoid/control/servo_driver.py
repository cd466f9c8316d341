"""Drive servos on a bus by a timed table of positions, watch them, and leave them safe whatever happens.

Before every row the driver asks all servos where they are (one packet), compares that with the row before, and writes the new positions of all of them at once
(one packet, so that they begin together). It ends, and says why:

| status | when |
|---|---|
| done | the table is over |
| limit | before anything moves: a row lies beyond the limits that a servo itself has |
| refused | a servo does not take its goal, its watchdog or its torque |
| silent | a servo does not answer before the start, at `patience` rows in succession on the way, or never on the way |
| stalled | a servo is further than `stall_angle` from its goal and has not moved for `stall_time` |
| astray | a servo is further than `tracking` from its row |
| late | the program was held up, and a row is more than LATE behind |
| fault | a servo's answer has its error bit set (overload, heat, voltage) |
| interrupted | the program was interrupted or failed; the exception goes on when the robot is safe, the report is the driver's `report` |

**Time.** No row follows the one before sooner than it does in the table, whatever held that up: a delay shifts the rest of the table (`late` is the sum), and one longer than
LATE ends it. So no goal moves further in any time than the table itself, or the approach, moves it in such a time.

**How the robot is left.** Before anything moved: as it was found. Otherwise, by `safe`: "off", torque off in every servo (usual: a snake robot lies on the ground), or "hold", every servo holds the
position where it is, with torque on (for a robot that would fall from a pole); both are read back, and tried again for `leaving` seconds, whatever the port does (`servo_leaving`); servos that do not
confirm are named. The same is done when the program is interrupted, ended by a signal or fails. Where the program itself dies, or cannot reach a servo, a Dynamixel servo stops by itself after
`watchdog` (its bus watchdog); Feetech servos have none and go on holding their last goal.

Single lost packets are counted (`lost`); every answer holds the goal that the servo has taken as well, and a row that one has not taken is written again while the table waits. The robot goes to the first row at `approach` before the time of the table begins. Rows at
negative times are the table's own approach from straight joints: they are driven if the robot lies as they begin, and left out otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from serpenoid.control.servo_leaving import Leaving, ending_in_order, waiting_signals
from serpenoid.control.servo_line import TIMEOUT, DriveStopError, ServoLine, these
from serpenoid.control.servo_port import Port, SerialPort
from serpenoid.core.checks import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.formats.bus import WATCHDOG_UNIT, BusTable, checked_table
from serpenoid.formats.easing import APPROACH
from serpenoid.formats.packets import sync_write

__all__ = ["DriveReport", "Port", "SerialPort", "ServoDriver"]

LATE = 0.1  # s: a row that is further behind ends the table
IMPATIENT = 10  # times that leaving the robot safe is begun anew after an interrupt
MOST_UNTAKEN = 50  # times in succession that a row is written again
STILL = 3  # steps: a servo that moves no more than this stands still
WAY = 0.02  # s: between rows of the driver's own approach, or less where the table's are closer
SAFE = ("off", "hold")
RANGES = {
    "stall_angle": (0.01, np.pi, "rad"), "stall_time": (0.05, 10.0, "s"), "approach": (0.001, 10.0, "rad/s"), "timeout": (1e-4, 30.0, "s"),
    "tracking": (0.01, 2.0 * np.pi, "rad"), "leaving": (0.1, 60.0, "s"),
}  # fmt: skip
MOST_PATIENCE = 1000  # rows


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
    late: float = 0.0  # s: by how much the table was shifted
    error: float = 0.0  # rad: greatest distance of a servo from its row, where it was heard
    left: str = "as found"  # "torque off", "holding", either with " in part", "unknown"
    unconfirmed: tuple[int, ...] = ()  # servos that did not confirm it

    @property
    def ok(self) -> bool:
        """Whether the whole table was driven, and the robot is known to be safe."""
        return self.status == "done" and not self.unconfirmed


class ServoDriver(ServoLine):
    """Drives tables on a port; `safe` is "off" or "hold"."""

    def __init__(
        self, port: Port, *, safe: str = "off", patience: int = 5, stall_angle: float = 0.17, stall_time: float = 0.4, approach: float = APPROACH,
        watchdog: float = 0.5, timeout: float = TIMEOUT, tracking: float = 0.35, leaving: float = 1.0,
    ) -> None:  # fmt: skip
        missing = [name for name in ("write", "read", "now", "sleep") if not callable(getattr(port, name, None))]
        if missing:
            raise InputError(f"a port needs write, read, now and sleep; {type(port).__name__} lacks {', '.join(missing)}")  # fmt: skip
        if not (isinstance(safe, str) and safe in SAFE):
            raise InputError(f"safe must be one of {', '.join(SAFE)}, got {safe!r}"[:200])
        if not (isinstance(patience, int) and not isinstance(patience, bool) and 0 < patience <= MOST_PATIENCE):
            raise InputError(f"patience must be a whole number of rows from 1 to {MOST_PATIENCE}, got {patience!r}"[:200])  # fmt: skip
        given = {"stall_angle": stall_angle, "stall_time": stall_time, "approach": approach, "timeout": timeout, "tracking": tracking, "leaving": leaving}  # fmt: skip
        for name, value in given.items():
            low, high, unit = RANGES[name]
            if not (_is_number(value) and low <= value <= high):
                raise InputError(f"{name} must be a number from {low:g} to {high:g} {unit}, got {value!r}"[:200])
        least, most = 0.5 * WATCHDOG_UNIT, 127 * WATCHDOG_UNIT  # the least would be rounded to 0, which is off
        if not (_is_number(watchdog) and least * (1.0 + 1e-9) < watchdog <= most):
            raise InputError(f"watchdog must be a number > {least:g} and at most {most:g} s, got {watchdog!r}"[:200])
        self.port, self.safe, self.patience = port, safe, patience
        self.stall_angle, self.stall_time, self.approach, self.tracking = stall_angle, stall_time, approach, tracking
        self.watchdog, self.timeout, self.leaving = watchdog, timeout, leaving
        self.report = DriveReport()

    def drive(self, table: BusTable) -> DriveReport:
        """Drive a table to its end, or as far as it goes; the robot is left safe."""
        self._prepare(checked_table(table))
        with ending_in_order():
            try:
                self._begin()
                self._follow()
                self._judge()
            except DriveStopError as stop:
                self.report.status, self.report.message, self.report.servo = stop.status, stop.message, stop.servo
            except BaseException as error:
                self.report.status, self.report.message = "interrupted", str(error) or type(error).__name__
                raise
            finally:
                self._end()
        return self.report

    def _prepare(self, table: BusTable) -> None:
        """Forget the table before."""
        if len(table.times) < 2:
            raise InputError("a table needs at least two rows")
        longest = float(np.diff(table.times).max())
        if table.bus.watchdog is not None and longest + 2.0 * self.timeout >= self.watchdog:
            raise InputError(
                f"rows lie up to {longest:g} s apart: the servos' watchdog of {self.watchdog:g} s would stop them between; give a table with closer rows or a longer watchdog"
            )
        self.table, self.bus, self.ids = table, table.bus, table.ids
        self.report, self.moving, self._touched, self._owed = DriveReport(), False, False, True
        self.log: dict[float, FloatArray] = {}  # by time of the row
        self._silent, self._untaken = dict.fromkeys(self.ids, 0), 0
        self.last: dict[int, int] = {}  # positions heard last
        self._ever: set[int] = set()  # servos that were heard on the way
        self._watch: list[tuple[float, FloatArray, FloatArray]] = []  # time, positions, goals of the last rows
        self._lead, self._quickest = 0.0, np.inf  # s: time that a question takes, least time that writing a row takes

    # the stages

    def _begin(self) -> None:
        """Look at everything before anything moves; then torque on where the servos are."""
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
        self.report.left, self.report.unconfirmed = "unknown", self.ids  # until they are left
        self.moving = self._touched = True
        start = {i: min(max(self.last[i], lowest[i]), highest[i]) for i in self.ids}
        watch = self.bus.watchdog
        if watch is not None:
            self.put_surely(watch, dict.fromkeys(self.ids, 0), "an end of its watchdog")
        self.put_surely(self.bus.goal, start, "its goal")
        if watch is not None:
            self.put_surely(watch, dict.fromkeys(self.ids, self._watch_units), "its watchdog")
        self.put_surely(self.bus.torque, dict.fromkeys(self.ids, 1), "its torque")
        self.begin_row = np.array([start[i] for i in self.ids], dtype=float)

    @property
    def _watch_units(self) -> int:
        return max(round(self.watchdog / WATCHDOG_UNIT), 1)

    def _plan(self) -> tuple[FloatArray, list[FloatArray], int]:
        """Times, with one more at the end; rows; and how many of these are the driver's own way to the first row of the table."""
        times, positions = self.table.times, self.table.positions.astype(float)
        usual = float(np.median(np.diff(times)))
        h = min(usual, WAY)
        pace = self.approach * h / self.bus.step  # steps per row
        run = int(np.searchsorted(times, 0.0))
        if 0 < run < len(times) and np.abs(positions[0] - self.begin_row).max() > pace:
            times, positions = times[run:], positions[run:]  # it lies otherwise: one approach, not two
        count = int(np.ceil(np.abs(positions[0] - self.begin_row).max() / pace))
        way = [np.rint(self.begin_row + (positions[0] - self.begin_row) * k / count) for k in range(1, count + 1)]
        moments = np.concatenate([times[0] - h * np.arange(count, 0, -1), times, [times[-1] + usual]])
        return moments, [*way, *positions], count

    def _follow(self) -> None:
        """The way to the first row, then row by row; a row that a servo has not taken is written again, and the others wait."""
        times, rows, own = self._plan()
        goal, k = self.begin_row, 0
        self._send(goal)  # moves nothing, and shows how long it takes
        self._look(float(times[0]), goal, measured=False)
        due = zero = self.port.now() + self._lead
        while True:
            t = float(times[k])
            self._wait(due - self._lead)
            taken = self._look(t, goal, measured=k > own)
            behind = self._wait(due)
            self.report.late = max(self.report.late, due + behind - zero - (t - float(times[0])))
            if taken and k == len(rows):
                return
            self._on_time(k, t, behind)
            if taken:
                goal, k = rows[k], k + 1
                self.report.rows = max(0, k - own)
            sent = self._send(goal)
            self._on_time(k, t, sent - due)
            due = sent + float(times[k] - times[k - 1] if k else WAY)

    def _wait(self, until: float) -> float:
        """Wait until a time; by how much it is over then."""
        wait = until - self.port.now()
        if wait > 0.0:
            self.port.sleep(wait)
        return max(self.port.now() - until, 0.0)

    def _send(self, goal: FloatArray) -> float:
        """Write a row; the latest time at which that can have begun, so that no row is sooner after it than it should be."""
        begin = self.port.now()
        self.port.write(sync_write(self.bus, self.bus.goal, dict(zip(self.ids, goal.astype(int).tolist(), strict=True))))  # fmt: skip
        end = self.port.now()
        self._quickest = min(self._quickest, end - begin)
        return max(end - self._quickest, begin)

    def _on_time(self, row: int, t: float, behind: float) -> None:
        if behind > LATE:
            text = f"row {row} at t = {t:.4g} s is {behind:.3g} s behind: the program was held up"
            raise DriveStopError("late", text)

    def _look(self, t: float, goal: FloatArray, measured: bool) -> bool:
        """Ask where the servos are; end where one is silent, stalled or astray. Whether all have taken their goal."""
        begin = self.port.now()
        heard = self.goals_and_places(self.ids)
        now, missing = self.port.now(), [i for i in self.ids if i not in heard]
        self.report.lost += len(missing)
        if missing:
            heard |= self.goals_and_places(missing)
        else:  # the next question begins so much earlier
            self._lead = min(max(now - begin, 0.9 * self._lead), 0.5 * WAY, self.timeout)
        self.last |= {i: place for i, (_, place) in heard.items()}
        row = np.array([heard[i][1] if i in heard else np.nan for i in self.ids], dtype=float)
        gaps = np.abs(row - goal) * self.bus.step
        if measured:
            self.log[t] = row
            self._ever |= set(heard)
            self.report.error = max(self.report.error, float(np.nan_to_num(gaps).max()))
        waiting = []
        for i, wanted in zip(self.ids, goal, strict=True):
            self._silent[i] = 0 if i in heard else self._silent[i] + 1
            if self._silent[i] >= self.patience:
                raise DriveStopError("silent", f"servo {i} has not answered {self._silent[i]} times, at t = {t:.4g} s", i)  # fmt: skip
            if i not in heard or heard[i][0] != wanted:
                waiting.append(i)
        self._stalled(t, now, row, goal)
        for k, i in enumerate(self.ids):
            if gaps[k] > self.tracking:
                text = f"servo {i} is {gaps[k]:.3g} rad from its row, more than {self.tracking:g} rad, at t = {t:.4g} s"
                raise DriveStopError("astray", text, i)
        self._untaken = self._untaken + 1 if waiting else 0
        if self._untaken > MOST_UNTAKEN:
            raise DriveStopError("refused", f"{these(waiting)} not take the goal at t = {t:.4g} s", waiting[0])
        return not waiting

    def _stalled(self, t: float, now: float, row: FloatArray, goal: FloatArray) -> None:
        """End where a servo has stood still away from its goal for `stall_time`, or until it is astray; at three rows at least."""
        self._watch.append((now, row, goal))
        while len(self._watch) > 3 and self._watch[1][0] <= now - self.stall_time:
            del self._watch[0]
        times = np.array([a for a, _, _ in self._watch])
        places = np.array([b for _, b, _ in self._watch])
        gaps = np.abs(places - np.array([g for _, _, g in self._watch])) * self.bus.step
        for k, i in enumerate(self.ids):
            known = np.flatnonzero(np.isfinite(places[:, k]))[::-1]
            here = (np.abs(places[known, k] - row[k]) <= STILL) & (gaps[known, k] > self.stall_angle)
            still = known[: int(np.argmin(np.append(here, False)))]  # the last rows without a break
            if len(still) < 3:
                continue
            time = now - times[still[-1]]
            if time >= self.stall_time * (1.0 - 1e-9) or gaps[-1, k] > self.tracking:
                text = f"servo {i} has stood still for {time:.3g} s, {gaps[-1, k] / self.bus.step:.0f} steps from its goal, at t = {t:.4g} s"
                raise DriveStopError("stalled", text, i)

    def _judge(self) -> None:
        """A servo of which nothing was heard on the way was not driven, as far as is known."""
        for i in self.ids:
            if i not in self._ever:
                raise DriveStopError("silent", f"servo {i} has not answered at any row", i)

    # the end

    def _end(self) -> None:
        """What was measured; and the robot is left safe, though the program is interrupted again and again."""
        if self.log:
            self.report.times = np.array(list(self.log))
            self.report.positions = np.array(list(self.log.values()))
        if not self._touched:
            return
        leaving = Leaving(self, self.safe, self.leaving, self.last, self._watch_units)
        again: BaseException | None = None
        for _ in range(IMPATIENT):
            try:
                with waiting_signals():
                    leaving.leave()
            except BaseException as interrupt:  # it came just before signals wait, or they go on now
                again = interrupt
            if leaving.over:
                break
        self.report.left, self.report.unconfirmed = leaving.left, leaving.unconfirmed
        if leaving.unconfirmed:
            names = ", ".join(map(str, leaving.unconfirmed))
            self.report.message = f"{self.report.message or 'the table is over'}; servos that have not confirmed how they are left: {names}"
        again = again or leaving.interrupt
        if again is not None:
            raise again


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
