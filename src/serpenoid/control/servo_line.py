"""Questions to servos on a bus and their answers; registers that are written until they read back the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from serpenoid.control.servo_port import Port
from serpenoid.formats.bus import Bus, Register
from serpenoid.formats.packets import number, sync_read, sync_write, taken_apart, unpacked

TRIES = 10  # to read or write something that must arrive
TIMEOUT = 0.01  # s: for the answers of all servos to one question
READS = 20  # until a line that never falls quiet is taken as it is


class DriveStopError(Exception):
    """Why driving ends before the table does; caught inside the driver."""

    def __init__(self, status: str, message: str, servo: int | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.servo = status, message, servo


class ServoLine:
    """Servos of one kind on a port."""

    port: Port
    bus: Bus
    ids: tuple[int, ...]
    timeout: float
    moving = False  # whether an error that a servo reports ends what is done
    _owed = False  # answers may still come to a question that is over

    def ask(self, register: Register, ids: Sequence[int]) -> dict[int, int]:
        """Numbers of a register by servo; those that do not answer in time are left out."""
        found = self._asked(register, ids)
        return {i: value for i, data in found.items() if (value := number(self.bus, register, data)) is not None}

    def goals_and_places(self, ids: Sequence[int]) -> dict[int, tuple[int, int]]:
        """The goal that a servo has taken, and where it is: both in one answer."""
        bus, made = self.bus, {}
        for i, data in self._asked(bus.motion, ids).items():
            goal, place = number(bus, bus.goal, data[: bus.goal.size]), number(bus, bus.present, data[-bus.present.size :])  # fmt: skip
            if goal is not None and place is not None:
                made[i] = (goal, place)
        return made

    def _asked(self, register: Register, ids: Sequence[int]) -> dict[int, bytes]:
        """Bytes of a register by servo."""
        self._owed = True
        self.port.write(sync_read(self.bus, register, ids))
        found: dict[int, bytes] = {}
        rest, end = b"", self.port.now() + self.timeout
        while len(found) < len(ids) and (left := end - self.port.now()) > 0.0:
            packets, rest = taken_apart(self.bus.protocol, rest + self.port.read(left))
            for packet in packets:
                answered = unpacked(self.bus.protocol, packet)
                if packet.identity not in ids or answered is None or len(answered[1]) != register.size:
                    continue
                found[packet.identity] = answered[1]
                if answered[0] & (0x80 if self.bus.protocol == 2 else 0xFF) and self.moving:
                    raise DriveStopError("fault", f"servo {packet.identity} reports an error (0x{answered[0]:02x})", packet.identity)  # fmt: skip
        self._owed = len(found) < len(ids)
        return found

    def quiet(self) -> None:
        """Wait until late answers to earlier questions are over: they would be taken for answers to the next."""
        for _ in range(READS if self._owed else 0):
            if not self.port.read(self.timeout):
                break
        self._owed = False

    def heard(self, register: Register) -> dict[int, int]:
        """Numbers of a register of the servos that answer, asked again where an answer is lost."""
        found: dict[int, int] = {}
        for _ in range(TRIES):
            self.quiet()
            found |= self.ask(register, [i for i in self.ids if i not in found])
            if len(found) == len(self.ids):
                break
        return found

    def ask_surely(self, register: Register) -> dict[int, int]:
        """Numbers of a register of all servos."""
        found = self.heard(register)
        silent = [i for i in self.ids if i not in found]
        if silent:
            raise DriveStopError("silent", f"{these(silent)} not answer", silent[0])
        return found

    def confirmed(self, register: Register, values: Mapping[int, int], reads: int = 1) -> set[int]:
        """Write a register once; the servos that then read back the same `reads` times, and never another value."""
        agreed = dict.fromkeys(values, 0)
        self.quiet()
        self.port.write(sync_write(self.bus, register, values))
        for _ in range(2 * reads):  # an answer may be lost
            asked = [i for i, count in agreed.items() if count < reads]
            if not asked:
                break
            self.quiet()
            for i, value in self.ask(register, asked).items():
                agreed[i] = agreed[i] + 1 if value == values[i] else -reads
        return {i for i, count in agreed.items() if count >= reads}

    def put_surely(self, register: Register, values: Mapping[int, int], what: str) -> None:
        """Write a register of servos until they read back the same."""
        left = dict(values)
        for _ in range(TRIES):
            done = self.confirmed(register, left)
            left = {i: v for i, v in left.items() if i not in done}
            if not left:
                return
        raise DriveStopError("refused", f"{these(list(left))} not take {what}", next(iter(left)))


def these(ids: Sequence[int]) -> str:
    """'servo 3 does' or 'servos 3, 5 do'."""
    return f"servo {ids[0]} does" if len(ids) == 1 else f"servos {', '.join(map(str, ids))} do"
