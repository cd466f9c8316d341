"""Simulated buses that fail, pause and are watched; shared by the tests of the servo driver."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.control.simulated_bus import SimulatedBus, SimulatedServo
from serpenoid.formats.bus import BusTable, Register

WINDOW = 0.1  # s
INSTANT = 1e-9  # s: rounding of times
FAILURES = (OSError, TimeoutError, ValueError, KeyboardInterrupt, SystemExit, "garbage", "short", "half")


class Watched(SimulatedBus):
    """A bus that remembers when a goal was moved to where its servo was not."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.goals: dict[int, list[tuple[float, float]]] = {i: [] for i in self.servos}

    def _put(self, servo: SimulatedServo, register: Register, value: int) -> None:
        before = servo.goal
        super()._put(servo, register, value)
        if register == self.bus.goal:
            jumps = abs(servo.goal - before) > 3.0
            if abs(servo.goal - servo.position) <= 1.0 and (jumps or not servo.torque):
                self.goals[servo.identity].append((-np.inf, servo.goal))  # here it holds: counted anew from here
            self.goals[servo.identity].append((self.time, servo.goal))

    def fastest(self, i: int) -> float:
        """Greatest way of a servo's goal within a window, steps."""
        times, goals = np.array([-np.inf, *(t for t, _ in self.goals[i])]), [g for _, g in self.goals[i]]
        return widest(times, np.array([goals[0] if goals else 0.0, *goals]))


def widest(times: Any, places: Any) -> float:
    """Greatest way within any window of something that stays where it is until it jumps; times of -inf begin anew."""
    most = 0.0
    for j in range(1, len(times)):
        if np.isinf(times[j]):
            continue
        before = m = j
        while m < len(times) and np.isfinite(times[m]) and times[m] - times[j] < WINDOW - INSTANT:
            most = max(most, abs(places[m] - places[before - 1]))
            m += 1
    return most


def allowed(table: BusTable, approach: float) -> list[float]:
    """Steps that each goal may move within a window: the faster of table and approach, and one step."""
    rates = np.abs(np.diff(table.positions, axis=0) / np.diff(table.times)[:, None]).max(axis=0)
    return [max(rate, approach / table.bus.step) * WINDOW + 1.0 + 1e-6 for rate in rates]


class Hostile(Watched):
    """A bus whose port fails at its operation number `first` and the `burst` - 1 after it, or pauses there for `pause` s."""

    def __init__(
        self,
        *given: Any,
        first: int,
        burst: int = 0,
        kind: Any = OSError,
        pause: float = 0.0,
        seed: int = 0,
        **named: Any,
    ) -> None:
        super().__init__(*given, seed=seed, **named)
        self.first, self.burst, self.kind, self.pause = first, burst, kind, pause
        self.count, self.mine = 0, np.random.default_rng(seed)

    def _reached(self) -> bool:
        """Count an operation; raise what it fails with, or say that its bytes are spoilt."""
        self.count += 1
        if self.count == self.first and self.pause:
            self._to(self.time + self.pause)
        if not self.first <= self.count < self.first + self.burst:
            return False
        kind = self.kind[int(self.mine.integers(len(self.kind)))] if isinstance(self.kind, tuple) else self.kind
        if isinstance(kind, str):
            self.how = kind
            return True
        raise kind("the port failed")

    def now(self) -> float:
        self._reached()
        return super().now()

    def sleep(self, duration: float) -> None:
        self._reached()
        super().sleep(duration)

    def write(self, data: bytes) -> None:
        if self.mine.random() < 0.5:  # it fails before or after the bytes are out
            spoilt = self._reached()
            super().write(data[: len(data) // 2] if spoilt else data)
        else:
            super().write(data)
            self._reached()

    def read(self, timeout: float) -> bytes:
        spoilt = self._reached()
        data = super().read(timeout)
        if not spoilt:
            return data
        return data[: len(data) // 2] if self.how == "short" else self.mine.bytes(int(self.mine.integers(40)))
