"""Leaving servos safe, whatever happens: torque off, or holding where they are.

It is tried again and again for a stated time, all servos at once and then every servo by itself, whatever the port raises; what does not move on is the time. A pause of the
machine counts as at most COUNTED, an attempt that takes no time as MOMENT, so that neither a pause nor a clock that stands ends it early or never. A servo is safe when it has
confirmed it twice running. Signals that end programs wait meanwhile.

The bus watchdog is switched off for servos that have confirmed, for these alone: any other one stops by itself when nothing is heard any more.
"""

from __future__ import annotations

import contextlib
import math
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

from serpenoid.control.servo_line import ServoLine

CONFIRM = 2  # answers
PAUSE = 0.01  # s: after a failure
COUNTED, MOMENT = 0.1, 0.001  # s: an attempt counts as no more, and no less
TRIPPED = 0x80  # a watchdog that has stopped its servo reads as a negative number
LEFT = {"off": "torque off", "hold": "holding"}
ENDING = ("SIGTERM", "SIGHUP", "SIGBREAK")  # signals that end a program at once if it does not listen


class Leaving:
    """Leaves the servos of a line safe; `safe` is "off" or "hold", `last` the positions that were heard last."""

    def __init__(self, line: ServoLine, safe: str, duration: float, last: dict[int, int], watchdog: int) -> None:
        self.line, self.safe, self.duration, self.last, self.watchdog = line, safe, duration, last, watchdog
        self.unconfirmed = tuple(line.ids)
        self.over = False
        self.interrupt: BaseException | None = None  # that came meanwhile, and goes on afterwards
        self._freed: set[int] = set()  # servos whose watchdog had stopped them, and was switched off
        self._before: float | None = None

    @property
    def left(self) -> str:
        """How the robot is left."""
        missing, what = len(self.unconfirmed), LEFT[self.safe]
        return what if not missing else "unknown" if missing == len(self.line.ids) else f"{what} in part"

    def leave(self) -> None:
        """Leave the servos safe; what is known of it stands in `left` and `unconfirmed` at any time."""
        self.line.moving = False  # errors that servos report no longer end anything
        self._again_and_again(self._off if self.safe == "off" else self._hold, set(self.unconfirmed), self._name)
        watch = self.line.bus.watchdog
        if watch is not None:
            done = set(self.line.ids) - set(self.unconfirmed)
            self._again_and_again(lambda ids: self.line.confirmed(watch, dict.fromkeys(ids, 0)), done)
            stopped = self._freed & set(self.unconfirmed)
            self._attempt(lambda ids: self.line.confirmed(watch, dict.fromkeys(ids, self.watchdog)), tuple(stopped))
        self.over = True

    def _name(self, pending: set[int]) -> None:
        self.unconfirmed = tuple(i for i in self.line.ids if i in pending)

    def _off(self, ids: tuple[int, ...]) -> set[int]:
        return self.line.confirmed(self.line.bus.torque, dict.fromkeys(ids, 0), CONFIRM)

    def _hold(self, ids: tuple[int, ...]) -> set[int]:
        """Goals where the servos are now, and torque on: it may have ended before torque was on."""
        line, bus = self.line, self.line.bus
        line.quiet()
        self.last |= line.ask(bus.present, ids)
        if bus.watchdog is not None:  # a servo that its watchdog has stopped takes no goal
            state = line.ask(bus.watchdog, ids)
            stopped = [i for i in state if state[i] >= TRIPPED]
            if stopped:
                self._freed |= line.confirmed(bus.watchdog, dict.fromkeys(stopped, 0))
        goals = {i: min(max(self.last[i], 0), bus.steps - 1) for i in ids if i in self.last}
        held = line.confirmed(bus.goal, goals, CONFIRM) if goals else set()
        return line.confirmed(bus.torque, dict.fromkeys(sorted(held), 1), CONFIRM) if held else held

    def _again_and_again(
        self, step: Callable[[tuple[int, ...]], set[int]], pending: set[int], told: Callable[[set[int]], None] = lambda _: None
    ) -> None:  # fmt: skip
        """Try for the time that is stated: all that are left together, then each by itself."""
        spent, self._before = 0.0, None
        while pending and spent < self.duration:
            together = tuple(i for i in self.line.ids if i in pending)
            for ids in (together, *((i,) for i in together if len(together) > 1)):
                if set(ids) <= pending:
                    pending = pending - self._attempt(step, ids)
                    told(pending)
                    spent += self._passed()
                if spent >= self.duration:
                    break

    def _attempt(self, step: Callable[[tuple[int, ...]], set[int]], ids: tuple[int, ...]) -> set[int]:
        """What a step confirms; nothing where it fails."""
        try:
            return step(ids) if ids else set()
        except BaseException as error:
            self._note(error)
        try:
            self.line.port.sleep(PAUSE)
        except BaseException as error:
            self._note(error)
            time.sleep(PAUSE)
        return set()

    def _passed(self) -> float:
        """Time since the last call, s."""
        try:
            now = float(self.line.port.now())
        except BaseException as error:
            self._note(error)
            return PAUSE
        passed = MOMENT if self._before is None else now - self._before
        self._before = now
        return min(max(passed, MOMENT), COUNTED) if math.isfinite(passed) else MOMENT

    def _note(self, error: BaseException) -> None:
        """Failures of the port are overcome or show in what is not confirmed; an interrupt goes on afterwards."""
        if self.interrupt is None and not isinstance(error, Exception):
            self.interrupt = error


@contextlib.contextmanager
def waiting_signals() -> Iterator[None]:
    """Signals that a program hears wait until the block is over."""
    came: list[int] = []
    before: dict[int, Any] = {}
    try:
        with contextlib.suppress(ValueError):  # not the main thread, which signals do not interrupt
            for name in ("SIGINT", "SIGALRM", *ENDING):
                number = getattr(signal, name, None)
                if number is not None and callable(signal.getsignal(number)):
                    before[number] = signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(came):
            signal.raise_signal(number)


@contextlib.contextmanager
def ending_in_order() -> Iterator[None]:
    """A signal that would end the program at once ends the block as an interrupt does, and the program after it."""
    came: list[int] = []

    def heard(number: int, _: Any) -> None:
        came.append(number)
        raise KeyboardInterrupt(signal.Signals(number).name)

    quiet = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    ours: list[int] = []
    try:
        with contextlib.suppress(ValueError):  # not the main thread
            for number in quiet:
                if signal.getsignal(number) is signal.SIG_DFL:
                    signal.signal(number, heard)
                    ours.append(number)
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
        for number in came[:1]:
            signal.raise_signal(number)
