"""A robot is not damaged: whatever its port, the machine or a table does, it is left safe, no goal runs away, and the report says the truth."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from cases import PROVE
from serpenoid.control.servo_driver import DriveReport, SerialPort, ServoDriver
from serpenoid.control.simulated_bus import SimulatedBus
from serpenoid.formats.bus import BUSES, BusTable, checked_table, write_bus_table
from servo_ports import FAILURES, WINDOW, Hostile, Watched, allowed, widest

KINDS = list(BUSES)
FAILING, PAUSING = (300, 100) if PROVE else (60, 20)
SETTLING = (
    30.0  # steps: what a simulated servo turns within 6 ms, between the answer where it is and the goal to stay there
)
TIMES = np.arange(31) / 50.0


def table(bus: str = "feetech", amplitude: float = 0.4, rate: float = 8.5) -> BusTable:
    """Three servos; the fastest makes 3.4 rad/s; it begins bent."""
    angles = amplitude * np.cos(rate * TIMES[:, None] + np.array([0.0, 1.0, 2.0])) * np.array([1.0, 0.8, 0.5])
    kind = BUSES[bus]
    return BusTable(kind, TIMES, kind.centre + np.rint(angles / kind.step).astype(np.int64), (1, 2, 7), (1, 1, 1))


def drive(sim: SimulatedBus, made: BusTable, **how: Any) -> tuple[DriveReport, BaseException | None]:
    """The report, and what was raised."""
    driver = ServoDriver(sim, **how)
    try:
        return driver.drive(made), None
    except BaseException as error:
        return driver.report, error


def honest(sim: SimulatedBus, report: DriveReport, safe: str = "off") -> None:
    """No servo is left with torque that the report does not name; who holds stands still where it is."""
    told = {"as found": set(), "unknown": set(sim.servos), "torque off": set(), "holding": set()}
    assert report.left.endswith(" in part") or set(report.unconfirmed) == told[report.left], report
    assert report.unconfirmed == () or not report.ok
    sure = [one for i, one in sim.servos.items() if i not in report.unconfirmed]
    if report.left == "as found" or safe == "off":
        assert not any(one.torque for one in sure), report
    else:
        places = [one.position for one in sure]
        assert all(one.torque for one in sure), report
        sim.sleep(3.0)
        assert np.allclose([one.position for one in sure], places, atol=SETTLING), report


def operations(bus: str, safe: str) -> int:
    sim = Hostile(bus, (1, 2, 7), first=0)
    assert drive(sim, table(bus), safe=safe)[0].ok
    return sim.count


# the port fails


@pytest.mark.parametrize("block", range(20))
def test_a_port_that_fails_leaves_no_torque_that_is_not_named(block: int) -> None:
    """Bursts of 1 to 20 failures at any operation: leaving outlasts them, so that every servo confirms."""
    counts = {(bus, safe): operations(bus, safe) for bus in KINDS for safe in ("off", "hold")}
    for number in range(block, FAILING, 20):
        rng = np.random.default_rng([number, 24])
        bus, safe = KINDS[number % 2], "hold" if number % 5 == 4 else "off"
        count = counts[bus, safe]
        first = int(rng.integers(1, count + 1)) if rng.random() < 0.7 else int(rng.integers(count - 60, count + 1))
        kind = FAILURES if rng.random() < 0.3 else FAILURES[int(rng.integers(len(FAILURES)))]
        sim = Hostile(bus, (1, 2, 7), first=first, burst=int(rng.integers(1, 21)), kind=kind, seed=number)
        report, _ = drive(sim, table(bus), safe=safe)
        assert report.unconfirmed == (), (number, first, kind, report)
        for k, i in enumerate(sim.servos):
            assert sim.fastest(i) <= allowed(table(bus), 0.5)[k], (number, i)
        honest(sim, report, safe)


class Gone(Hostile):
    """The cable is off; the clock goes on."""

    now, sleep = SimulatedBus.now, SimulatedBus.sleep


@pytest.mark.parametrize("bus", KINDS)
@pytest.mark.parametrize("error", [OSError, TimeoutError, ValueError, KeyboardInterrupt])
def test_a_port_that_is_gone_for_good_is_not_called_safe(bus: str, error: type[BaseException]) -> None:
    """Leaving ends after the stated time, says that nothing is known, and the watchdog stops the servos."""
    sim = Gone(bus, (1, 2, 7), first=60, burst=10**9, kind=error)
    report, raised = drive(sim, table(bus), leaving=0.5)
    assert isinstance(raised, error)
    assert (report.status, report.left, report.unconfirmed) == ("interrupted", "unknown", (1, 2, 7))
    assert "1, 2, 7" in report.message and all(one.torque for one in sim.servos.values())
    assert 0.4 < sim.time - max(one.heard for one in sim.servos.values()) < 0.7
    SimulatedBus.sleep(sim, 0.6)
    if bus == "dynamixel":
        assert all(one.tripped for one in sim.servos.values())


def test_a_port_whose_clock_fails_too_ends() -> None:
    sim = Hostile("feetech", (1, 2, 7), first=300, burst=10**9)
    report, _ = drive(sim, table(), leaving=0.1)
    assert (report.status, report.left, report.unconfirmed) == ("interrupted", "unknown", (1, 2, 7))


def test_only_servos_that_have_confirmed_lose_their_watchdog() -> None:
    class Deaf(Watched):
        """Servo 7 hears nothing of torque."""

        def _put(self, servo: Any, register: Any, value: int) -> None:
            if not (servo.identity == 7 and register == self.bus.torque and not value):
                super()._put(servo, register, value)

    sim = Deaf("dynamixel", (1, 2, 7))
    report, _ = drive(sim, table("dynamixel"))
    assert (report.status, report.left, report.unconfirmed, report.ok) == ("done", "torque off in part", (7,), False)
    assert [one.watchdog for one in sim.servos.values()] == [0, 0, 25]
    sim.sleep(1.0)
    assert sim.servos[7].tripped


def test_late_answers_to_another_question_confirm_nothing() -> None:
    """A watchdog that reads 0 is no torque that reads 0, though both are one byte."""

    class Slow(Watched):
        """From the 60th packet on torque is not taken, and every answer comes when the next question was asked."""

        packets = 0

        def write(self, data: bytes) -> None:
            self.packets += 1
            self.latency = 0.012 if self.packets > 60 else 0.001
            super().write(data)

        def _put(self, servo: Any, register: Any, value: int) -> None:
            if self.packets <= 60 or register != self.bus.torque:
                super()._put(servo, register, value)

    for bus in KINDS:
        sim = Slow(bus, (1, 2, 7))
        report, _ = drive(sim, table(bus))
        assert report.unconfirmed == (1, 2, 7) and report.left == "unknown"


PROGRAM = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from test_servo_safety import table
from serpenoid.control.servo_driver import ServoDriver
from serpenoid.control.simulated_bus import SimulatedBus
class Ended(SimulatedBus):
    def sleep(self, duration):
        super().sleep(duration)
        if self.time > 0.5 and any(one.torque for one in self.servos.values()):
            os.kill(os.getpid(), signal.{name})
    def _put(self, servo, register, value):
        super()._put(servo, register, value)
        if register == self.bus.torque:
            os.write(1, b"%d:%d " % (servo.identity, value))
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests may ignore it
if {own}:
    class Own(Exception): ...
    def handler(*_): raise Own
    signal.signal(signal.{name}, handler)
ServoDriver(Ended("feetech", (1, 2, 7))).drive(table())
"""


@pytest.mark.parametrize(("name", "own"), [("SIGTERM", 0), ("SIGTERM", 1), ("SIGHUP", 0), ("SIGINT", 0)])
def test_a_signal_ends_the_program_when_the_robot_is_safe(name: str, own: int) -> None:
    """Also one for which the program has no handler, and which is sent again and again meanwhile."""
    text = PROGRAM.format(tests=str(__file__).rpartition("/")[0], name=name, own=own)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.stdout.split() == ["1:1", "2:1", "7:1", "1:0", "2:0", "7:0"], done
    assert done.returncode == (1 if own else -getattr(signal, name)), done.stderr


# the machine pauses


@pytest.mark.parametrize("block", range(10))
def test_no_goal_runs_away_after_a_pause(block: int) -> None:
    """Pauses of 10 ms to 5 s at any operation, two makers: every window of 0.1 s is bounded by table and approach."""
    for number in range(block, PAUSING, 10):
        rng = np.random.default_rng([number, 42])
        bus, made, safe = KINDS[number % 2], table(KINDS[number % 2]), "hold" if number % 5 == 4 else "off"
        pause = float(np.exp(rng.uniform(np.log(0.01), np.log(5.0))))
        sim = Hostile(bus, (1, 2, 7), first=int(rng.integers(1, operations(bus, safe))), pause=pause, seed=number)
        report, raised = drive(sim, made, safe=safe)
        assert raised is None and report.unconfirmed == ()
        for k, i in enumerate(sim.servos):
            assert sim.fastest(i) <= allowed(made, 0.5)[k], (number, i, pause, report)
        assert report.status == "done" or pause > 0.09, (number, pause, report)
        honest(sim, report, safe)


@pytest.mark.parametrize("bus", KINDS)
@pytest.mark.parametrize("pause", [0.05, 0.09, 0.11, 1.0])
def test_a_pause_shifts_the_table_or_ends_it(bus: str, pause: float) -> None:
    made = table(bus)
    for first in range(420, 500, 7):  # in mid-table
        sim = Hostile(bus, (1, 2, 7), first=first, pause=pause)
        report, _ = drive(sim, made)
        assert max(sim.fastest(i) for i in sim.servos) <= max(allowed(made, 0.5))
        if pause < 0.1:
            assert report.ok and report.rows == len(made.times) and report.late > pause - 0.02
        elif report.status != "done":
            assert report.status == "late" and report.left == "torque off" and "behind" in report.message
            assert report.rows < len(made.times)
        honest(sim, report)
    assert (report.status == "late") == (pause > 0.1 + 0.02) or pause == 0.11


def test_the_observer_sees_what_runs_away() -> None:
    """Rows that were missed and are sent at once are found."""
    made = table()
    late = np.where(TIMES < 0.2, TIMES, np.maximum(TIMES, 0.4))
    assert widest(TIMES, made.positions[:, 0].astype(float)) <= allowed(made, 0.5)[0]
    assert widest(late, made.positions[:, 0].astype(float)) > 1.1 * allowed(made, 0.5)[0]
    assert WINDOW == 0.1


# watchdogs, tables, arguments


def test_a_servo_that_never_takes_its_watchdog_is_refused() -> None:
    class Stubborn(SimulatedBus):
        def _put(self, servo: Any, register: Any, value: int) -> None:
            if not (servo.identity in (2, 7) and register == self.bus.watchdog and value):
                super()._put(servo, register, value)

    sim = Stubborn("dynamixel", (1, 2, 7))
    report, _ = drive(sim, table("dynamixel"))
    assert (report.status, report.servo, report.rows) == ("refused", 2, 0)
    assert "servos 2, 7 do not take its watchdog" in report.message and not any(one.torque for one in sim.servos.values())  # fmt: skip


@pytest.mark.parametrize("seconds", [0.0101, 0.02, 0.5, 2.54])
def test_a_watchdog_is_never_written_as_off(seconds: float) -> None:
    class Noted(SimulatedBus):
        armed = 0

        def _put(self, servo: Any, register: Any, value: int) -> None:
            super()._put(servo, register, value)
            self.armed = max(self.armed, value) if register == self.bus.watchdog else self.armed

    fine = table("dynamixel")
    fine = fine._replace(times=fine.times / 50.0, positions=2048 + 0 * fine.positions)
    sim = Noted("dynamixel", (1, 2, 7))
    ServoDriver(sim, watchdog=seconds, timeout=0.004).drive(fine)
    assert sim.armed >= 1 and abs(sim.armed * 0.02 - seconds) <= 0.01


def test_servos_that_do_not_follow_are_left_safe() -> None:
    """A table that jumps from 0 to 4095: the error is bounded, by default to 0.35 rad."""
    made = table()
    jumps = made._replace(positions=np.where(TIMES[:, None] < 0.3, 0, 4095) * np.ones(3, dtype=np.int64))
    sim = SimulatedBus("feetech", (1, 2, 7))
    for one in sim.servos.values():
        one.position = 0.0
    report, _ = drive(sim, jumps)
    assert (report.status, report.servo, report.left) == ("astray", 1, "torque off")
    assert "servo 1" in report.message and "t = 0.3" in report.message and "0.35" in report.message
    slow = SimulatedBus("feetech", (1, 2, 7))
    slow.servos[2].speed = 300.0  # 0.5 rad/s, where 2.7 are asked for
    report, _ = drive(slow, made)
    assert (report.status, report.servo) == ("astray", 2) and 0.35 < report.error < 0.5
    slow = SimulatedBus("feetech", (1, 2, 7))
    slow.servos[2].speed = 300.0
    assert drive(slow, made, tracking=2.0)[0].ok


def test_what_is_never_heard_is_not_done() -> None:
    class Mute(SimulatedBus):
        """Answers are lost while the table is driven."""

        def _answer(self, ids: bytes, register: Any) -> None:
            if register != self.bus.motion or not all(one.torque for one in self.servos.values()):
                super()._answer(ids, register)

    made = table()
    short = made._replace(times=made.times[:3], positions=2048 + 0 * made.positions[:3])
    report, _ = drive(Mute("feetech", (1, 2, 7)), short)
    assert (report.status, report.servo, report.left) == ("silent", 1, "torque off") and not report.ok


def test_a_stall_is_found_in_a_table_with_few_rows() -> None:
    made = table()
    seldom = made._replace(times=0.35 * np.arange(31), positions=2048 + 20 * np.arange(31)[:, None] * np.ones(3, dtype=np.int64))  # fmt: skip
    sim = SimulatedBus("feetech", (1, 2, 7))
    sim.servos[7].stalled = True
    assert drive(sim, seldom)[0].status == "stalled"


HAND: dict[str, Callable[[BusTable], Any]] = {
    "must be a BusTable|a BusTable is needed": lambda t: tuple(t),
    "a BusTable": lambda t: t._replace(bus="feetech"),
    "rise from row to row; row 3": lambda t: t._replace(times=np.where(np.arange(31) == 3, 0.0, t.times)),
    "rise from row to row": lambda t: t._replace(times=t.times[::-1]),
    "finite": lambda t: t._replace(times=np.where(np.arange(31) == 3, np.nan, t.times)),
    "finite and rise": lambda t: t._replace(times=np.where(np.arange(31) == 30, 1.7e308, t.times - 1.7e308)),
    "whole numbers from 0": lambda t: t._replace(positions=t.positions + 0.5),
    "from 0 to 4095": lambda t: t._replace(positions=t.positions * 3),
    "is nan": lambda t: t._replace(positions=np.where(t.positions == t.positions[4, 1], np.nan, t.positions)),
    "complete rows": lambda t: t._replace(positions=[[1, 2, 3], [1, 2]] * 15 + [[1, 2, 3]]),
    "as many rows": lambda t: t._replace(positions=t.positions[:-1]),
    "31 times and 3 servos": lambda t: t._replace(positions=t.positions[:, :2]),
    "numbers": lambda t: t._replace(positions=t.positions.astype(str)),
    "times of a table": lambda t: t._replace(times=None),
    "different": lambda t: t._replace(ids=(1, 2, 2)),
    "ids must be": lambda t: t._replace(ids=(1, 2, 253)),
    "a list": lambda t: t._replace(ids=7),
    "each 1 or -1": lambda t: t._replace(directions=(1, 0, 1)),
    "directions must": lambda t: t._replace(directions=None),
    "1 to 83 servos": lambda t: t._replace(ids=tuple(range(90)), directions=(1,) * 90, positions=np.ones((31, 90), dtype=int)),
    "two rows": lambda t: t._replace(times=t.times[:1], positions=t.positions[:1]),
}  # fmt: skip


@pytest.mark.parametrize("words", list(HAND))
def test_a_table_made_by_hand_is_checked(words: str, tmp_path: Any) -> None:
    made = HAND[words](table())
    sim = SimulatedBus("feetech", (1, 2, 7))
    with pytest.raises(sp.SerpenoidError, match=words):
        ServoDriver(sim).drive(made)
    assert sim.time == 0.0
    if words != "two rows":
        with pytest.raises(sp.SerpenoidError, match=words):
            write_bus_table(made, tmp_path / "t.csv")


def test_a_table_of_lists_is_a_table() -> None:
    made = checked_table(BusTable(BUSES["feetech"], [0, 1], [[2048.0], [2050]], [3], [-1]))  # type: ignore[arg-type]
    assert made.positions.dtype == np.int64 and made.ids == (3,) and made.directions == (-1,)


ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "safe": ("sleep", None, ["off"], np.array(["off", "hold"])),
    "patience": (0, -1, 10**9, 2.0, True, "5", None),
    "stall_angle": (0.0, -1.0, 1e9, math.nan, "1", None, True, [0.1]),
    "stall_time": (0.0, 1e-9, 1e9, math.inf, "1", None),
    "approach": (0.0, 1e-300, 1e9, math.nan, "1", None, 1j),
    "watchdog": (0.0, 0.005, 0.01, 2.55, 1e9, math.nan, "1", None, True),
    "timeout": (0.0, 1e9, math.inf, "1", None),
    "tracking": (0.0, 1e9, math.nan, "1", None, np.array([0.1, 0.2])),
    "leaving": (0.0, 1e-9, 1e9, math.nan, "1", None),
}


@pytest.mark.parametrize("name", list(ARGUMENTS))
def test_arguments_of_wrong_type_or_absurd_size_are_refused(name: str) -> None:
    for value in ARGUMENTS[name]:
        with pytest.raises(sp.SerpenoidError, match=name):
            ServoDriver(SimulatedBus("feetech", (1,)), **{name: value})


def test_what_is_no_port_is_refused() -> None:
    for wrong in (None, "/dev/ttyUSB0", object()):
        with pytest.raises(sp.SerpenoidError, match="port"):
            ServoDriver(wrong)  # type: ignore[arg-type]
    for name, baud in ((None, 9600), ("", 9600), ("/dev/none", 0), ("/dev/none", 1e6), ("/dev/none", True)):
        with pytest.raises(sp.SerpenoidError, match=r"baud|named"):
            SerialPort(name, baud)  # type: ignore[arg-type]


def test_rows_further_apart_than_the_watchdog_are_refused() -> None:
    made = table("dynamixel")
    with pytest.raises(sp.SerpenoidError, match="watchdog"):
        ServoDriver(SimulatedBus("dynamixel", (1, 2, 7))).drive(made._replace(times=made.times * 50.0))
