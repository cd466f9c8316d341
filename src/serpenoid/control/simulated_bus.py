"""A servo bus that is simulated, with its own clock: latency, lost and broken packets, servos that stall, fall silent or have narrow limits.

It takes and gives bytes, as a serial port does, and its servos behave as the control tables say: nothing moves without torque, a position beyond the servo's limits is not taken, and
(Dynamixel) where the watchdog is set and nothing is heard for so long, the servo stops where it is and takes no position until the watchdog is cleared.

Servos turn towards their goal at a constant speed. No time passes but by `read` and `sleep`: nothing here waits for a clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from serpenoid.core.copying import Independent
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Number, Whole, shown
from serpenoid.formats.bus import WATCHDOG_UNIT, Bus, Register, bus_named, checked_ids
from serpenoid.formats.packets import ALL, SYNC_READ, SYNC_WRITE, answer, taken_apart

MEMORY = 1024  # bytes of a servo's table
PAUSE, SHARE = Number("of waiting", "s", low=0.0, high=1e6), Number("probability", low=0.0, high=1.0)
ALERT = {2: 0x80, 1: 0x20}  # error of an answer: Dynamixel's alert, Feetech's overload


@dataclass
class SimulatedServo(Independent):
    """One servo: positions in steps, speed in steps per second."""

    identity: int
    position: float = 2048.0
    goal: float = 2048.0
    torque: bool = False
    lowest: int = 0
    highest: int = 4095
    speed: float = 5000.0
    stalled: bool = False  # something holds it
    silent: bool = False  # its cable is off: it hears nothing and says nothing
    fault: bool = False  # its answers have the error bit set
    watchdog: int = 0
    heard: float = 0.0  # s
    tripped: bool = False
    refused: list[int] = field(default_factory=list)  # goals beyond its limits

    def advance(self, until: float, since: float) -> None:
        """Turn towards the goal; stop where the watchdog runs out."""
        patience = self.heard + self.watchdog * WATCHDOG_UNIT
        end = min(until, patience) if self.watchdog else until
        if self.torque and not (self.stalled or self.tripped) and end > since:
            way = self.speed * (end - since)
            self.position += float(np.clip(self.goal - self.position, -way, way))
        if self.watchdog and self.torque and until > patience and not self.tripped:
            self.tripped, self.goal = True, self.position


class SimulatedBus(Independent):
    """Servos on a bus, as a port: `write`, `read`, `now`, `sleep`."""

    @door(latency=PAUSE, loss=SHARE, broken=SHARE, baud=Number(above=0.0, high=1e9), seed=Whole(low=0))
    def __init__(
        self, bus: str | Bus, ids: Iterable[int], *, latency: float = 0.001, loss: float = 0.0, broken: float = 0.0, baud: float = 1e6, seed: int = 0
    ) -> None:  # fmt: skip
        self.bus = bus_named(bus)
        own = tuple(ids)
        self.servos = {i: SimulatedServo(i) for i in checked_ids(own, len(own))}
        self.latency, self.loss, self.broken, self.baud = latency, loss, broken, baud
        self.chance = np.random.default_rng(seed)
        self.time, self._moved = 0.0, 0.0
        self._coming: list[tuple[float, bytes]] = []  # answers and when they arrive
        self.lost = 0  # packets, either way

    def now(self) -> float:
        """Time of the bus, s."""
        return self.time

    @door
    def sleep(self, duration: float) -> None:
        """Let time pass, s."""
        self._to(self.time + max(duration, 0.0))

    def _to(self, t: float) -> None:
        for servo in self.servos.values():
            servo.advance(t, self._moved)
        self.time = self._moved = t

    def write(self, data: bytes) -> None:
        """Send bytes; servos answer after the latency."""
        if not isinstance(data, bytes | bytearray):
            raise InputError(f"data must be bytes, got {shown(data)}")
        self._to(self.time + 10.0 * len(data) / self.baud)
        sent = self._through(data)
        if sent is None:
            return
        for packet in taken_apart(self.bus.protocol, sent)[0]:
            if packet.identity == ALL and packet.body:
                self._obey(packet.body)

    @door(timeout=PAUSE)
    def read(self, timeout: float) -> bytes:
        """Bytes that arrive within a time; waits until something does."""
        if not self._coming or min(self._coming)[0] > self.time + timeout:
            self._to(self.time + timeout)
            return b""
        first = min(self._coming)
        self._coming.remove(first)
        self._to(max(self.time, first[0]))
        return first[1]

    def _through(self, data: bytes) -> bytes | None:
        """What arrives of a packet: nothing, something broken, or all of it."""
        if self.chance.random() < self.loss:
            self.lost += 1
            return None
        if self.chance.random() < self.broken:
            self.lost += 1
            spoilt = bytearray(data)
            spoilt[int(self.chance.integers(len(data)))] ^= 1 << int(self.chance.integers(8))
            return bytes(spoilt)
        return data

    def _obey(self, body: bytes) -> None:
        wide = 2 if self.bus.protocol == 2 else 1
        address, size = (int.from_bytes(body[1 + k * wide : 1 + (k + 1) * wide], "little") for k in (0, 1))
        register, rest = Register(address, size), body[1 + 2 * wide :]
        for servo in self.servos.values():
            if not servo.silent:
                servo.heard = self.time
        if body[0] == SYNC_WRITE:
            for k in range(0, len(rest) - size, size + 1):
                servo_of = self.servos.get(rest[k])
                if servo_of is not None and not servo_of.silent:
                    self._put(servo_of, register, int.from_bytes(rest[k + 1 : k + 1 + size], "little"))
        elif body[0] == SYNC_READ:
            self._answer(rest, register)

    def _put(self, servo: SimulatedServo, register: Register, value: int) -> None:
        """Write a servo's register."""
        if register == self.bus.torque:
            if value and not servo.torque:
                servo.goal = servo.position
            servo.torque = bool(value)
        elif register == self.bus.goal and not servo.tripped:
            if servo.lowest <= value <= servo.highest:
                servo.goal = float(value)
            else:
                servo.refused.append(value)
        elif register == self.bus.watchdog:
            servo.watchdog, servo.tripped = value, False

    def _answer(self, ids: bytes, register: Register) -> None:
        """Servos answer one after another, in the order in which they were asked."""
        bus, t = self.bus, self.time + self.latency
        for i in ids:
            servo = self.servos.get(i)
            if servo is None or servo.silent:
                continue
            data = self._memory(servo)[register.address : register.address + register.size]
            packet = self._through(answer(bus.protocol, i, ALERT[bus.protocol] if servo.fault else 0, data))
            t += 10.0 * 15 / self.baud
            if packet is not None:
                self._coming.append((t, packet))

    def _memory(self, servo: SimulatedServo) -> bytes:
        """A servo's table; what is not simulated is 0."""
        bus, memory = self.bus, bytearray(MEMORY)
        values = {
            bus.present: round(servo.position), bus.goal: round(servo.goal), bus.torque: int(servo.torque), bus.lowest: servo.lowest,
            bus.highest: servo.highest, bus.watchdog: 0xFF if servo.tripped else servo.watchdog,
        }  # fmt: skip
        for register, value in values.items():
            if register is not None:
                if bus.protocol == 1 and value < 0:
                    value = 0x8000 | -value
                memory[register.address : register.address + register.size] = value.to_bytes(register.size, "little", signed=register.size == 4)  # fmt: skip
        return bytes(memory)
