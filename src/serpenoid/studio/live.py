"""A running simulation for many clients: each gets the newest frame as soon as it has seen the last one; nothing is queued.

A simulation passes time in a thread of its own, at the pace of the clock, and publishes a frame `RATE` times a second. A client that reads
slowly gets fewer frames, never old ones; one that acknowledges nothing for `PATIENCE` seconds is cut off. Clients with the same
description watch the same simulation; it ends when the last one leaves.

    a frame: uint32 number, uint32 nodes, float64 time (s), float32 places of the nodes (nodes x 3), little-endian
"""

from __future__ import annotations

import asyncio
import json
import struct
import threading
import time
from contextlib import suppress
from typing import Any

import numpy as np
from starlette.websockets import WebSocket, WebSocketDisconnect

from serpenoid.core.errors import InputError, SerpenoidError
from serpenoid.formats.files import json_text
from serpenoid.simulation.simulation import Simulation
from serpenoid.studio.guard import Bucket
from serpenoid.studio.jobs import setup_from

RATE = 30.0  # frames per second
PATIENCE = 30.0  # s without an acknowledgement
HANDSHAKE = 5.0  # s until a client has said what it wants
MOST_CLIENTS, MOST_RUNNING = 64, 4
MESSAGES, MESSAGE_BURST = 200.0, 400.0  # of a client per second, and at once
LONGEST = 2**20  # bytes of a message
NEVER = 10**9  # steps between recorded frames: a live run keeps none


def frame_of(number: int, simulation: Simulation) -> bytes:
    """A frame of the present state."""
    state = simulation.state
    places = np.ascontiguousarray(state.nodes, dtype="<f4")
    return struct.pack("<IId", number % 2**32, len(places), simulation.time) + places.tobytes()


class Running:
    """One simulation in time, and the clients that watch it."""

    def __init__(self, setup: Any, loop: asyncio.AbstractEventLoop) -> None:
        self.simulation = Simulation.of(setup.prepared(), stride=NEVER)
        self.loop, self.clients, self.over, self.ended = loop, 0, False, ""
        self.number, self.frame, self._made = 0, frame_of(0, self.simulation), 0
        self.changed = asyncio.Event()
        self.thread = threading.Thread(target=self._pass_time, name="studio-live", daemon=True)
        self.thread.start()

    def _pass_time(self) -> None:
        """Advance at the pace of the clock; where the machine is too slow, simulated time falls behind and nothing piles up."""
        try:
            while not self.over:
                due = time.monotonic() + 1.0 / RATE
                good = self.simulation.advance(1.0 / RATE)
                if not good or self.simulation.finished:
                    break
                self._publish()
                time.sleep(max(0.0, due - time.monotonic()))
            self.ended = self.ended or "the run has ended"
        except SerpenoidError as error:
            self.ended = str(error)[:500]
        except Exception as error:
            self.ended = f"unexpected {type(error).__name__}: {error}"[:500]
        self._publish()

    def _publish(self) -> None:
        with suppress(RuntimeError):  # the loop is closed: the server ends
            self._made += (
                1  # counted here: the loop may take several frames late, and each keeps the number written in it
            )
            self.loop.call_soon_threadsafe(self._take, self._made, frame_of(self._made, self.simulation))

    def _take(self, number: int, frame: bytes) -> None:
        self.number, self.frame = number, frame
        self.changed.set()
        self.changed = asyncio.Event()


class Live:
    """All running simulations of a server."""

    def __init__(self) -> None:
        self.running: dict[str, Running] = {}
        self.clients = 0

    async def serve(self, socket: WebSocket) -> None:
        """Serve one client until it leaves, is cut off, or the run ends."""
        if self.clients >= MOST_CLIENTS:
            await socket.accept()
            await socket.close(1013, f"{MOST_CLIENTS} clients are connected already; try again later")
            return
        await socket.accept()
        self.clients += 1
        try:
            await self._watch(socket)
        except (TimeoutError, WebSocketDisconnect):
            with suppress(RuntimeError):
                await socket.close(1008, "too slow")
        except SerpenoidError as error:
            with suppress(RuntimeError, WebSocketDisconnect):
                await socket.send_text(json_text({"error": str(error)[:2000]}))
                await socket.close(1008, "refused")
        finally:
            self.clients -= 1

    async def _watch(self, socket: WebSocket) -> None:
        """Open what the client asks for, then send frames as it acknowledges them."""
        wanted = await asyncio.wait_for(message(socket), HANDSHAKE)
        run = await self._join(wanted.get("open"))
        allowance, seen, sent = Bucket(MESSAGES, MESSAGE_BURST), -1, -1  # the first frame of a run has the number 0
        try:
            while True:
                if run.number > sent:
                    sent = run.number
                    await asyncio.wait_for(socket.send_bytes(run.frame), PATIENCE)
                    while seen < sent:
                        answer = await asyncio.wait_for(message(socket), PATIENCE)
                        if not allowance.take():
                            await asyncio.sleep(0.1)
                        number = answer.get("seen")
                        seen = max(seen, number) if isinstance(number, int) else seen
                elif run.ended:
                    await socket.send_text(json_text({"ended": run.ended}))
                    await socket.close(1000)
                    return
                else:
                    await run.changed.wait()
        finally:
            self._leave(run)

    async def _join(self, asked: Any) -> Running:
        """The simulation that a client wants: one that runs already, or a new one."""
        if not isinstance(asked, dict):
            raise InputError('the first message must be {"open": {"description": ...}}')
        key = json.dumps(asked.get("description"), sort_keys=True)
        if key not in self.running:
            if len(self.running) >= MOST_RUNNING:
                raise InputError(f"{MOST_RUNNING} simulations are running already; close one of them")
            setup = await asyncio.to_thread(setup_from, asked)
            loop = asyncio.get_running_loop()
            made = await asyncio.to_thread(Running, setup, loop)
            if self.running.setdefault(key, made) is not made:
                made.over = True
        self.running[key].clients += 1
        return self.running[key]

    def _leave(self, run: Running) -> None:
        run.clients -= 1
        if run.clients <= 0:
            run.over = True
            self.running = {key: one for key, one in self.running.items() if one is not run}

    def close(self) -> None:
        """End all simulations."""
        for run in self.running.values():
            run.over = True


async def message(socket: WebSocket) -> dict[str, Any]:
    """The next message of a client: a JSON object; anything else is refused."""
    received = await socket.receive()
    if received["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(received.get("code", 1000))
    text = received.get("text")
    if text is None or len(text) > LONGEST:
        raise InputError("a message must be a JSON text of at most 1 MiB")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("a message must be JSON") from None
    if not isinstance(value, dict):
        raise InputError("a message must be a JSON object")
    return value
