"""Frames for clients, without a network: whoever acknowledges a frame gets the next one, the very first frame included."""

from __future__ import annotations

import asyncio
import json
import struct
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from serpenoid.studio import live


class Standing:
    """A run that has published nothing yet: what the first client of a busy machine finds."""

    def __init__(self) -> None:
        self.number, self.frame, self.ended, self.clients = 0, struct.pack("<IId", 0, 0, 0.0), "", 1
        self.changed = asyncio.Event()


class Client:
    """A socket whose other side acknowledges every frame; the run ends once `enough` of them were seen."""

    def __init__(self, run: Standing, enough: int) -> None:
        self.run, self.enough, self.waiting = run, enough, [json.dumps({"open": {"description": {}}})]
        self.seen: list[int] = []
        self.told: list[Any] = []

    async def receive(self) -> dict[str, Any]:
        return {"type": "websocket.receive", "text": self.waiting.pop(0)}

    async def send_bytes(self, frame: bytes) -> None:
        number = struct.unpack_from("<I", frame)[0]
        self.seen.append(number)
        self.waiting.append(json.dumps({"seen": number}))
        if len(self.seen) >= self.enough:
            self.run.ended = "over"
        else:
            self.run.number, self.run.frame = number + 1, struct.pack("<IId", number + 1, 0, 0.0)

    async def send_text(self, text: str) -> None:
        self.told.append(json.loads(text))

    async def close(self, *_: Any) -> None:
        """Nothing to close."""


def test_the_first_frame_is_acknowledged_by_its_own_number(monkeypatch: pytest.MonkeyPatch) -> None:
    async def watched() -> Client:
        run, shown = Standing(), live.Live()
        client = Client(run, 3)

        async def join(asked: Any) -> Standing:
            return run

        monkeypatch.setattr(shown, "_join", join)
        await shown._watch(client)  # type: ignore[arg-type]
        return client

    with ThreadPoolExecutor(1) as alone:  # the tests in a browser may have a loop in this thread
        client = alone.submit(asyncio.run, watched()).result()
    assert client.seen == [0, 1, 2]
    assert client.told == [{"ended": "over"}]


class Late:
    """An event loop that is busy: what it is told waits until `catch_up`."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Any, tuple[Any, ...]]] = []

    def call_soon_threadsafe(self, call: Any, *given: Any) -> None:
        self.waiting.append((call, given))

    def catch_up(self) -> None:
        while self.waiting:
            call, given = self.waiting.pop(0)
            call(*given)


def test_frames_keep_their_numbers_where_the_loop_is_late() -> None:
    from serpenoid.formats.scenario import read
    from serpenoid.simulation.setup import setup_of

    loop = Late()
    run = live.Running.__new__(live.Running)  # without its thread: this test passes the time
    run.simulation = live.Simulation.of(setup_of(read("creep")).prepared(), stride=live.NEVER)
    run.loop, run.number, run._made, run.changed = loop, 0, 0, asyncio.Event()  # type: ignore[assignment]
    for _ in range(3):
        run._publish()
    loop.catch_up()
    assert run.number == 3
    assert struct.unpack_from("<I", run.frame)[0] == run.number
