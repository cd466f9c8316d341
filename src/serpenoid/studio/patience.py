"""How long the server waits for what a client sends: an end to every head and every body that is not whole.

| what is not whole | how long it may take |
|---|---|
| a head, the first of a connection or a later one | `PATIENCE` seconds from its first byte, the first one from the connection on |
| a body | as long, and the time in which what has come of it comes at `SLOWEST` bytes per second; never longer than the largest body does |

At most `MOST_PARTIAL` connections may have a head or a body that is not whole: of more, the one that has waited longest is closed, so that whoever sends whole
requests is always heard. Connections that have sent all, that wait between two requests, and sockets do not count.
"""

from __future__ import annotations

from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from serpenoid.studio.guard import MOST_BODY

PATIENCE = 5.0  # s
SLOWEST = 256 * 2**10  # bytes per second, of a body
MOST_PARTIAL = 32  # connections
ONCE_MORE = 0.1  # s: what has come is read before a connection is closed, for the server itself may have been busy


class PatientProtocol(H11Protocol):
    """HTTP with an end to patience; see the module."""

    part = ""  # "head", "body": what is not whole; "": nothing
    since, seen = 0.0, 0  # when it began (s, of the loop), and its bytes so far

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._look(0)

    def data_received(self, data: bytes) -> None:
        """Take what has come."""
        super().data_received(data)
        self._look(len(data))

    def on_response_complete(self) -> None:
        """Part of the next request may have come already."""
        super().on_response_complete()
        self._look(0)

    def _partial(self) -> str:
        """What is not whole now."""
        if self.transport.is_closing() or self not in self.connections:  # it became a socket
            return ""
        if self.conn.their_state is h11.SEND_BODY:
            return "body"
        begun = self.cycle is None or bool(self.conn.trailing_data[0])
        return "head" if self.conn.their_state is h11.IDLE and begun else ""

    def _look(self, count: int) -> None:
        """Note what is not whole after `count` bytes more."""
        part, self.seen = self._partial(), self.seen + count
        if part == self.part:
            return
        self.part, self.since, self.seen = part, self.loop.time(), 0
        if part:
            self.loop.call_later(PATIENCE, self._lose_patience, self.since, False)
            self._make_room()

    def _lose_patience(self, since: float, again: bool) -> None:
        """Close the connection if what is not whole has had its time."""
        if not self.part or since != self.since or self.transport.is_closing():
            return
        allowed = PATIENCE + (min(self.seen, MOST_BODY) / SLOWEST if self.part == "body" else 0.0)
        left = since + allowed - self.loop.time()
        if left <= 0.0 and again:
            self.transport.abort()
        else:
            self.loop.call_later(max(left, ONCE_MORE), self._lose_patience, since, left <= 0.0)

    def _make_room(self) -> None:
        """Close what has waited longest where too many wait."""
        waiting = [one for one in self.connections if isinstance(one, PatientProtocol) and one.part]
        for one in sorted(waiting, key=lambda one: one.since)[: max(0, len(waiting) - MOST_PARTIAL)]:
            one.part = ""
            one.transport.abort()


__all__ = ["PatientProtocol"]
