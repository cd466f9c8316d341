"""Servo buses: tables and packets as the makers define them; a driver that reports what goes wrong and leaves the robot safe."""

from __future__ import annotations

import importlib.util
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.cli.entry import main
from serpenoid.control.servo_driver import SerialPort, ServoDriver
from serpenoid.control.simulated_bus import SimulatedBus
from serpenoid.formats import motion
from serpenoid.formats.bus import BUSES, BusTable, commands_from, read_bus_table, table_of, write_bus_table
from serpenoid.formats.easing import eased
from serpenoid.formats.packets import answer, crc16, framed, sync_read, sync_write, taken_apart

SDK = pytest.mark.skipif(importlib.util.find_spec("dynamixel_sdk") is None, reason="needs dynamixel-sdk")
ROBOT = sp.robots.ma2001(links=7)
RUN = sp.simulate(ROBOT, sp.gaits.Serpenoid(0.7, 1.5, 0.15), sp.World(), duration=2.0, step=2e-3)
COMMANDS = motion.commands_of(RUN, 50.0)
KINDS = list(BUSES)


def table(bus: str = "dynamixel") -> BusTable:
    return table_of(COMMANDS, bus, directions=(1, -1, 1, 1, -1, 1))


class Later(SimulatedBus):
    """A bus on which something happens at a time (s)."""

    def __init__(self, *given: Any, at: float, what: Callable[[SimulatedBus], None], **named: Any) -> None:
        super().__init__(*given, **named)
        self.at, self.what = at, what

    def _to(self, t: float) -> None:
        if self.time < self.at <= t:
            self.at = np.inf  # once
            self.what(self)
        super()._to(t)


# packets


def test_packets_of_the_manuals() -> None:
    # e-Manual, protocol 2.0: ping of servo 1; read of present position (132, 4 bytes) of servo 1
    assert framed(2, 1, bytes([0x01])).hex(" ") == "ff ff fd 00 01 03 00 01 19 4e"
    assert framed(2, 1, bytes([0x02, 0x84, 0x00, 0x04, 0x00])).hex(" ") == "ff ff fd 00 01 07 00 02 84 00 04 00 1d 15"
    # e-Manual, protocol 1.0: ping of servo 1
    assert framed(1, 1, bytes([0x01])).hex(" ") == "ff ff 01 02 01 fb"


@SDK
def test_synchronised_writes_are_those_of_the_makers_software() -> None:
    import dynamixel_sdk

    values = {1: 2048, 2: 1, 7: 4095}

    class Tap:
        is_using = False
        sent = b""

        def clearPort(self) -> None: ...
        def writePort(self, packet: Any) -> int:
            self.sent = bytes(packet)
            return len(packet)

    for version, bus in ((2.0, BUSES["dynamixel"]), (1.0, BUSES["feetech"])):
        tap, size = Tap(), bus.goal.size
        group = dynamixel_sdk.GroupSyncWrite(tap, dynamixel_sdk.PacketHandler(version), bus.goal.address, size)
        own = {i: v % 256**size for i, v in values.items()}
        for i, v in own.items():
            group.addParam(i, list(v.to_bytes(size, "little")))
        group.txPacket()
        assert sync_write(bus, bus.goal, own) == tap.sent


@SDK
def test_a_header_in_the_data_is_stuffed_as_the_makers_software_does() -> None:
    """By its own function; what its `txPacket` sends of such data is not stuffed (version 4.1.0 drops the result)."""
    from dynamixel_sdk.protocol2_packet_handler import Protocol2PacketHandler

    bus = BUSES["dynamixel"]
    ours = sync_write(bus, bus.goal, {3: 0x00FDFFFF})
    plain = [*ours[:5], 12, 0, 0x83, 116, 0, 4, 0, 3, 0xFF, 0xFF, 0xFD, 0x00, 0, 0]
    assert bytes(Protocol2PacketHandler().addStuffing(plain))[:-2] == ours[:-2]
    (packet,), _ = taken_apart(2, ours)
    assert packet.body == bytes(plain[7:-2])


@SDK
def test_the_makers_software_understands_the_simulated_bus() -> None:
    import dynamixel_sdk

    bus = SimulatedBus("dynamixel", (1, 2, 9))
    bus.servos[2].position, bus.servos[9].position = 1234.0, -7.0

    class Handler(dynamixel_sdk.PortHandler):  # type: ignore[misc]
        got = b""

        def clearPort(self) -> None:
            self.got = b""

        def writePort(self, packet: Any) -> int:
            bus.write(bytes(packet))
            return len(packet)

        def readPort(self, length: int) -> bytes:
            while len(self.got) < length and (more := bus.read(0.01)):
                self.got += more
            head, self.got = self.got[:length], self.got[length:]
            return head

    group = dynamixel_sdk.GroupSyncRead(Handler("none"), dynamixel_sdk.PacketHandler(2.0), 132, 4)
    for i in (1, 2, 9):
        group.addParam(i)
    assert group.txRxPacket() == dynamixel_sdk.COMM_SUCCESS
    assert [group.getData(i, 132, 4) for i in (1, 2, 9)] == [2048, 1234, 2**32 - 7]


@pytest.mark.parametrize("protocol", [1, 2])
def test_a_stream_is_taken_apart_whatever_is_in_it(protocol: int) -> None:
    rng = np.random.default_rng(3)
    bodies = [bytes([7, 0xFF, 0xFF, 0xFD, 0x00, 1]), b"\xff\xff", bytes(rng.integers(0, 256, 40).tolist())]
    whole = [framed(protocol, 5 + k, body) for k, body in enumerate(bodies)]
    spoilt = bytearray(whole[0])
    spoilt[-1] ^= 4
    packets, rest = taken_apart(protocol, b"\x00\xff" + whole[0] + bytes(spoilt) + whole[1] + whole[2] + whole[0][:5])
    assert [(p.identity, p.body) for p in packets] == [(5 + k, body) for k, body in enumerate(bodies)]
    assert whole[0].startswith(rest) and rest
    for _ in range(300):
        noise = bytes(rng.choice([0xFF, 0xFD, 0x00, 0x01, 0x55, 0x03], 60).tolist())
        for packet in taken_apart(protocol, noise)[0]:
            assert isinstance(packet.body, bytes)
    assert crc16(b"123456789") == 0xFEE8  # CRC-16/UMTS, catalogue of parametrised CRC algorithms


# tables


@pytest.mark.parametrize("bus", KINDS)
def test_positions_are_angles_in_steps(bus: str) -> None:
    made = table(bus)
    assert made.positions.dtype == np.int64 and made.ids == (1, 2, 3, 4, 5, 6)
    assert np.abs(made.angles() - COMMANDS.angles).max() <= 0.5 * made.bus.step * (1.0 + 1e-9)
    k = int(np.argmax(COMMANDS.angles[:, 1]))
    assert made.positions[k, 1] < 2048 < made.positions[k, 1] + 4 * (2048 - made.positions[k, 1])  # turned round


@pytest.mark.parametrize("bus", KINDS)
def test_a_table_is_written_and_read_back(bus: str, tmp_path: Path) -> None:
    made = table(bus)
    again = read_bus_table(write_bus_table(made, tmp_path / "t.csv"), bus, made.directions)
    assert np.array_equal(again.positions, made.positions) and np.array_equal(again.times, made.times)
    assert again.ids == made.ids


REFUSED: dict[str, Callable[[Path], Any]] = {
    "bus must be one of": lambda _: table_of(COMMANDS, "canbus"),
    "different": lambda _: table_of(COMMANDS, "feetech", ids=(1, 2, 3, 4, 5, 5)),
    "each 1 or -1": lambda _: table_of(COMMANDS, "feetech", directions=(1, 2, 1, 1, 1, 1)),
    "give a limit": lambda _: table_of(COMMANDS._replace(angles=8.0 * COMMANDS.angles), "dynamixel"),
    "whole numbers from 0": lambda p: read_bus_table(_file(p, "time,id1\n0,4096\n"), "feetech"),
    "from 0 to 4095": lambda p: read_bus_table(_file(p, "time,id1\n0,20.5\n"), "feetech"),
    "columns must be": lambda p: read_bus_table(_file(p, "time,joint\n0,2\n"), "feetech"),
    "rise": lambda p: read_bus_table(_file(p, "time,id1\n1,2\n0,3\n"), "feetech"),
    "header": lambda p: commands_from(_file(p, "0,1\n1,2\n")),
    "two rows": lambda p: ServoDriver(SimulatedBus("feetech", (1,))).drive(
        read_bus_table(_file(p, "time,id1\n0,2\n"), "feetech")
    ),
    "safe must be": lambda _: ServoDriver(SimulatedBus("feetech", (1,)), safe="sleep"),
    "stall_time": lambda _: ServoDriver(SimulatedBus("feetech", (1,)), stall_time=0.0),
    "loss": lambda _: SimulatedBus("feetech", (1,), loss=2.0),
    "cannot be opened": lambda p: SerialPort(str(p / "none")),
}


def _file(folder: Path, text: str) -> Path:
    path = folder / "x.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize("words", list(REFUSED))
def test_refused(words: str, tmp_path: Path) -> None:
    if words == "cannot be opened":
        pytest.importorskip("serial")
    with pytest.raises(sp.SerpenoidError, match=words):
        REFUSED[words](tmp_path)


# driving


@pytest.mark.parametrize("bus", KINDS)
def test_from_csv_to_the_bus_and_back_within_an_encoder_step(bus: str, tmp_path: Path) -> None:
    motion.write_csv(RUN, tmp_path / "joints.csv", 50.0)
    told = commands_from(tmp_path / "joints.csv")
    made = table_of(told, bus)
    sim = SimulatedBus(bus, made.ids, latency=0.002)
    report = ServoDriver(sim).drive(made)
    assert report.ok and report.rows == len(made.times) and report.lost == 0 and report.late < 1e-12
    assert np.abs(made.angles(report.positions) - told.angles).max() < made.bus.step
    assert report.left == "torque off" and not any(servo.torque for servo in sim.servos.values())


@pytest.mark.parametrize("bus", KINDS)
def test_lost_and_broken_packets_are_counted_and_survived(bus: str) -> None:
    made = table(bus)
    sim = SimulatedBus(bus, made.ids, latency=0.002, loss=0.02, broken=0.02, seed=5)
    report = ServoDriver(sim).drive(made)
    assert report.ok and report.lost > 0 and sim.lost > 0
    assert int(np.isnan(report.positions).sum()) <= report.lost
    assert report.error > made.bus.step  # a write that was lost leaves the servos a row behind, which shows
    right = np.abs(made.angles(report.positions) - COMMANDS.angles) < made.bus.step
    assert right.mean() > 0.8 and not any(servo.torque for servo in sim.servos.values())


def stall(bus: SimulatedBus) -> None:
    bus.servos[3].stalled = True


def unplug(bus: SimulatedBus) -> None:
    bus.servos[4].silent = True


def overheat(bus: SimulatedBus) -> None:
    bus.servos[2].fault = True


@pytest.mark.parametrize("safe", ["off", "hold"])
@pytest.mark.parametrize("bus", KINDS)
@pytest.mark.parametrize(("what", "status", "servo"), [(stall, "stalled", 3), (overheat, "fault", 2)])
def test_a_servo_that_fails_on_the_way(bus: str, safe: str, what: Any, status: str, servo: int) -> None:
    made = table(bus)
    sim = Later(bus, made.ids, at=2.5, what=what)
    report = ServoDriver(sim, safe=safe).drive(made)
    assert (report.status, report.servo) == (status, servo) and not report.ok and report.unconfirmed == ()
    assert 0 < report.rows < len(made.times) and f"servo {servo}" in report.message
    if safe == "off":
        assert report.left == "torque off" and not any(one.torque for one in sim.servos.values())
    else:
        assert report.left == "holding" and all(one.torque for one in sim.servos.values())
    before = [one.position for one in sim.servos.values()]
    sim.sleep(5.0)
    assert np.allclose([one.position for one in sim.servos.values()], before, atol=1.0)  # and nothing moves any more


def test_a_servo_whose_cable_comes_off_is_named_as_not_confirmed() -> None:
    made = table()
    sim = Later("dynamixel", made.ids, at=2.5, what=unplug)
    report = ServoDriver(sim).drive(made)
    assert (report.status, report.servo, report.unconfirmed) == ("silent", 4, (4,)) and not report.ok
    assert [i for i, one in sim.servos.items() if one.torque] == [4]
    sim.sleep(1.0)
    assert sim.servos[4].tripped  # its own watchdog has stopped it


@pytest.mark.parametrize("bus", KINDS)
def test_a_limit_is_found_before_anything_moves(bus: str) -> None:
    made = table(bus)
    sim = SimulatedBus(bus, made.ids)
    sim.servos[5].highest = int(made.positions[:, 4].max()) - 1
    report = ServoDriver(sim).drive(made)
    assert (report.status, report.servo, report.rows, report.left) == ("limit", 5, 0, "as found")
    assert str(sim.servos[5].highest) in report.message
    assert all(one.position == 2048.0 and not one.torque for one in sim.servos.values())
    sim.servos[5].highest += 1
    assert ServoDriver(sim).drive(made).ok and not any(one.refused for one in sim.servos.values())


def test_a_servo_that_is_not_there() -> None:
    made = table()
    sim = SimulatedBus("dynamixel", made.ids[:-1])
    report = ServoDriver(sim).drive(made)
    assert (report.status, report.servo, report.left) == ("silent", 6, "as found")


def test_it_goes_slowly_to_the_first_row() -> None:
    made = table()
    sim = SimulatedBus("dynamixel", made.ids)
    sim.servos[1].position = 3000.0
    fastest, before = 0.0, 3000.0

    class Watched(SimulatedBus):
        def _to(self, t: float) -> None:
            nonlocal fastest, before
            super()._to(t)
            if self.time < 1.0:
                fastest, before = max(fastest, abs(self.servos[1].position - before)), self.servos[1].position

    sim.__class__ = Watched
    report = ServoDriver(sim, approach=0.5).drive(made)
    assert report.ok and 0.0 < fastest <= 0.5 * 0.02 / made.bus.step + 1.0  # per row of 20 ms


def test_an_interrupt_leaves_the_robot_safe() -> None:
    def interrupt(_: SimulatedBus) -> None:
        raise KeyboardInterrupt

    made = table()
    sim = Later("dynamixel", made.ids, at=2.5, what=interrupt)
    driver = ServoDriver(sim)
    with pytest.raises(KeyboardInterrupt):
        driver.drive(made)
    assert driver.report.left == "torque off" and not any(one.torque for one in sim.servos.values())


@pytest.mark.parametrize("safe", ["off", "hold"])
@pytest.mark.parametrize("first", range(1, 60, 3))
def test_who_presses_ctrl_c_again_and_again_leaves_it_safe(first: int, safe: str) -> None:
    """Interrupted at any packet, and at the three after it: before anything moves it is as found, later safe."""

    class Impatient(SimulatedBus):
        packets = 0

        def write(self, data: bytes) -> None:
            super().write(data)
            self.packets += 1
            if first <= self.packets < first + 4:
                raise KeyboardInterrupt

    made = table("feetech")  # which have no watchdog
    sim = Impatient("feetech", made.ids)
    driver = ServoDriver(sim, safe=safe)
    with pytest.raises(KeyboardInterrupt):
        driver.drive(made)
    moved = first > 3  # after both limits and the positions were asked for
    assert driver.report.status == "interrupted" and not driver.report.ok and driver.report.unconfirmed == ()
    assert driver.report.left == ("as found" if not moved else "torque off" if safe == "off" else "holding")
    places = [one.position for one in sim.servos.values()]
    sim.sleep(5.0)
    assert np.allclose([one.position for one in sim.servos.values()], places, atol=1.0)
    assert all(one.torque == (moved and safe == "hold") for one in sim.servos.values())


def test_it_holds_where_it_is_now_though_answers_are_lost() -> None:
    """Not where a servo was when it was heard last: with half of the packets lost that was up to 60 steps away."""
    made, strayed = table("feetech"), 0.0
    for seed in range(60):
        sim = SimulatedBus("feetech", made.ids, loss=0.3, seed=seed)
        report = ServoDriver(sim, safe="hold").drive(made)
        places = {
            i: one.position for i, one in sim.servos.items() if report.left == "holding" and i not in report.unconfirmed
        }
        sim.sleep(5.0)
        strayed = max([strayed, *(abs(sim.servos[i].position - place) for i, place in places.items())])
    assert strayed <= 2.0


def test_servos_stop_by_themselves_where_the_program_dies() -> None:
    class Dead(SimulatedBus):
        def write(self, data: bytes) -> None:
            if self.time > 2.5:
                raise OSError("the cable is off")
            super().write(data)

    made = table()
    sim = Dead("dynamixel", made.ids)
    sim.servos[1].speed = 300.0  # it is slow and still on its way
    with pytest.raises(OSError, match="cable"):
        ServoDriver(sim, watchdog=0.2, tracking=3.0).drive(made)
    sim.sleep(0.3)
    assert all(one.tripped for one in sim.servos.values())


def test_a_slow_bus_is_reported_as_late() -> None:
    made = table()
    report = ServoDriver(SimulatedBus("dynamixel", made.ids, latency=0.03), timeout=0.1).drive(made)
    assert report.status == "done" and report.late > 1.0  # rows of 20 ms on a bus that takes 30 ms


def test_a_serial_port_carries_packets() -> None:
    pytest.importorskip("serial")
    if not hasattr(os, "openpty"):
        pytest.skip("needs pseudo terminals")
    import tty

    bus = BUSES["dynamixel"]
    ours, theirs = os.openpty()
    for end in (ours, theirs):
        tty.setraw(end)
    port = SerialPort(os.ttyname(theirs), 115200)
    question = sync_read(bus, bus.present, [7])

    def servo() -> None:
        heard = b""
        while len(heard) < len(question):
            heard += os.read(ours, 100)
        os.write(ours, answer(2, 7, 0, (1234).to_bytes(4, "little")) if heard == question else b"?")

    thread = threading.Thread(target=servo, daemon=True)
    thread.start()
    driver = ServoDriver(port, timeout=30.0)
    driver.bus, driver.moving = bus, False
    assert driver.ask(bus.present, [7]) == {7: 1234}
    thread.join(30.0)
    port.close()
    os.close(ours)


# the command


@pytest.mark.parametrize("bus", KINDS)
def test_export_writes_a_table_within_limits(bus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "t.csv"
    words = ["export", "creep", "--to", bus, "--rate", "25", "--limit", "0.3", "--out", str(out), "--json"]
    assert main([*words, "--set", "run.duration=1", "--set", "robot.links=7"]) == 0
    told = json.loads(capsys.readouterr().out)
    made = read_bus_table(out, bus)
    run = (made.times >= 0.0) & (made.times <= 1.0)
    assert told["file"] == str(out) and made.ids == (1, 2, 3, 4, 5, 6) and run.sum() == 26
    assert np.abs(made.angles()).max() <= 0.3 and "limit" in told["warnings"][0]


@pytest.mark.parametrize("bus", KINDS)
def test_an_exported_table_begins_straight_and_ends_at_rest(
    bus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run's own rows are between, unchanged; nothing is faster than the approach or the run."""
    run = sp.simulate(
        ROBOT, sp.gaits.Serpenoid(0.7, 1.5, 0.15), sp.World(), duration=1.3, step=2e-3, record_interval=0.02
    )
    run.save(tmp_path / "run.nc")
    assert main(["export", str(tmp_path / "run.nc"), "--to", bus, "--out", str(tmp_path / "t.csv"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"] == []  # no row was changed
    made, plain = read_bus_table(tmp_path / "t.csv", bus), table_of(motion.commands_of(run, 50.0), bus)
    own = (made.times >= 0.0) & (made.times <= plain.times[-1])
    assert np.array_equal(made.times[own], plain.times) and np.array_equal(made.positions[own], plain.positions)
    assert (made.positions[0] == 2048).all() and np.abs(plain.positions[0] - 2048).max() > 100
    assert (made.positions[-1] == made.positions[-2]).all() and np.abs(np.diff(plain.positions[-2:], axis=0)).max() > 5
    steps, most = np.abs(np.diff(made.positions, axis=0)), np.abs(np.diff(plain.positions, axis=0)).max(axis=0)
    assert (steps <= np.maximum(most, 0.5 * 0.02 / made.bus.step) + 1).all()
    assert np.abs(np.diff(made.positions, 2, axis=0)).max() <= 2.0 * np.abs(np.diff(plain.positions, 2, axis=0)).max() + 2  # fmt: skip


@pytest.mark.parametrize("bent", [False, True])
def test_the_driver_approaches_once(bent: bool, tmp_path: Path) -> None:
    """From straight joints by the table's own rows; from elsewhere by the driver's, and not by straight joints."""
    made = table_of(eased(COMMANDS), "feetech")
    own = int((made.times < 0.0).sum())
    again = read_bus_table(write_bus_table(made, tmp_path / "t.csv"), "feetech")
    sim = SimulatedBus("feetech", made.ids)
    places = made.positions[own] + 40 if bent else np.full(6, 2048)
    for one, place in zip(sim.servos.values(), places, strict=True):
        one.position = float(place)
    report = ServoDriver(sim).drive(again)
    assert report.ok and report.rows == len(made.times) - (own if bent else 0)
    assert np.abs(report.positions - made.positions[own if bent else 0 :]).max() <= 1.0
    assert (sim.time < made.times[-1] + 0.5) if bent else (sim.time < made.times[-1] - made.times[0] + 0.5)


def test_commands_at_a_limit_run_out_before_it() -> None:
    times = np.arange(51) / 50.0
    rising = motion.Commands(times, np.stack([0.99 * times, -times, 0.0 * times], axis=1), ["a", "b", "c"], ())
    made = eased(rising, limit=[1.0, 1.3, 0.1], approach=[0.5, 0.2, 0.1])
    assert (np.abs(made.angles).max(axis=0) <= np.array([1.0, 1.3, 0.0]) + 1e-12).all()
    after, before = made.times > 1.0, made.times < 0.0
    assert made.angles[after][-1] == pytest.approx([1.0, -1.25, 0.0], abs=0.011)
    assert (np.abs(np.diff(made.angles, axis=0)) * 50.0 <= 1.0 + 1e-9).all()
    assert (made.angles[0] == 0.0).all() and before.sum() > 20  # from rest to the speed of the first rows
    with pytest.raises(sp.SerpenoidError, match="two rows"):
        eased(rising._replace(times=times[:1], angles=rising.angles[:1]))
