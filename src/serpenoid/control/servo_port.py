"""What a driver of servos needs of a bus, and a serial port that gives it."""

from __future__ import annotations

import importlib
import time
from typing import Any, Protocol

from serpenoid.core.copying import Single
from serpenoid.core.errors import InputError

WRITE_TIMEOUT = 0.1  # s: a port that takes no bytes for so long has failed


class Port(Protocol):
    """Bytes out, bytes in within a time (s), and a clock (s)."""

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


class SerialPort(Single):
    """A serial port as a `Port`; needs the extra `hardware` (pyserial comes with dynamixel-sdk)."""

    INSTEAD = "a port belongs to one process: open it there"

    def __init__(self, name: str, baud: int = 1_000_000) -> None:
        if not (isinstance(name, str) and name):
            raise InputError(f"a serial port must be named, as /dev/ttyUSB0 or COM3, got {name!r}"[:200])
        if not (isinstance(baud, int) and not isinstance(baud, bool) and 1200 <= baud <= 10_000_000):
            raise InputError(f"baud must be a whole number from 1200 to 10000000, got {baud!r}"[:200])
        try:
            serial: Any = importlib.import_module("serial")
        except ImportError as error:
            raise InputError('serial ports need more packages; install them with: pip install "serpenoid[hardware]"') from error  # fmt: skip
        try:
            self.port: Any = serial.Serial(name, baud, timeout=0, write_timeout=WRITE_TIMEOUT)
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
