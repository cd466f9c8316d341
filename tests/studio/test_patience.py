"""Clients that send slowly: an end to every head and body, and a bound on those that are not whole, while whole requests are answered."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect

from studio.studio_cases import Served, running

SHORT = 0.4  # s
LONG = 600.0  # s: no deadline passes while a test lasts


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with running(tmp_path_factory.mktemp("hasty"), limits={"PATIENCE": SHORT, "SLOWEST": 20_000}) as one:
        yield one


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with running(tmp_path_factory.mktemp("lasting"), limits={"PATIENCE": LONG}) as one:
        yield one


def wire_to(served: Served) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", served.port))
    made.settimeout(60.0)
    return made


def head(served: Served, method: str = "GET", path: str = "/api/items", **more: str) -> bytes:
    lines = {"Host": served.host, "Authorization": f"Bearer {served.token}", "Origin": served.base, **more}
    return "\r\n".join(
        [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in lines.items()), "", ""]
    ).encode()


def answered(wire: socket.socket) -> bytes:
    """A whole answer: head and as much body as it says."""
    got = b""
    while b"\r\n\r\n" not in got:
        got += wire.recv(65536)
    length = int(got.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    body = len(got.split(b"\r\n\r\n", 1)[1])
    while body < length:
        body += len(wire.recv(65536))
    return got


def closed(wire: socket.socket) -> bool:
    """Whether the server has closed a connection by now, as far as can be seen without waiting."""
    try:
        return bool(select.select([wire], [], [], 0.0)[0]) and wire.recv(65536) == b""
    except OSError:
        return True


def drip(wire: socket.socket, byte: bytes, most: int = 20_000) -> int:
    """Send byte by byte until the server closes; how many it took."""
    for sent in range(most):
        try:
            if closed(wire):
                return sent
            wire.sendall(byte)
        except OSError:
            return sent
        time.sleep(0.005)  # the client is slow; nothing is measured by this
    raise AssertionError("the server listens on and on")


def test_a_second_head_byte_by_byte_comes_to_an_end(hasty: Served) -> None:
    wire = wire_to(hasty)
    wire.sendall(head(hasty))
    assert answered(wire).startswith(b"HTTP/1.1 200")
    wire.sendall(b"GET /api/items HTTP/1.1\r\nX: ")
    drip(wire, b"x")


@pytest.mark.parametrize(
    "length", [{"Content-Length": "1000000"}, {"Transfer-Encoding": "chunked"}], ids=["told", "chunked"]
)
@pytest.mark.parametrize("token", ["", "Bearer wrong"], ids=["token", "no token"])
def test_a_body_byte_by_byte_comes_to_an_end(hasty: Served, token: str, length: dict[str, str]) -> None:
    """Also where the request was refused at its head, and the body is thrown away."""
    wire = wire_to(hasty)
    wire.sendall(head(hasty, "POST", "/api/check", **length, **({"Authorization": token} if token else {})))
    if token:
        assert b" 401 " in wire.recv(100).split(b"\r\n")[0]
        while select.select([wire], [], [], 0.0)[0]:
            wire.recv(65536)
    drip(wire, b"x" if "Content-Length" in length else b"1\r\nx\r\n")


def test_a_body_in_pieces_and_a_pause_between_requests_are_no_fault(hasty: Served) -> None:
    """A body that comes at a fair pace may take longer than a head; a connection may wait between two requests."""
    body = json.dumps({"description": {}, "x": "x" * 600_000}).encode()
    wire = wire_to(hasty)
    wire.sendall(head(hasty, "POST", "/api/check", **{"Content-Length": str(len(body))}))
    for k in range(0, len(body), 60_000):  # ten pieces, longer than a head may take
        wire.sendall(body[k : k + 60_000])
        time.sleep(0.1)
    assert answered(wire).startswith(b"HTTP/1.1 200")
    with contextlib.suppress(TimeoutError):
        wire.settimeout(3.0 * SHORT)
        assert wire.recv(1) != b"", "closed while it waited"
    wire.settimeout(60.0)
    wire.sendall(head(hasty))
    assert answered(wire).startswith(b"HTTP/1.1 200")


def partials(served: Served) -> list[bytes]:
    """What slow clients have sent: nothing, part of a head, a head whose body does not come, with the token and without."""
    post = head(served, "POST", "/api/check", **{"Content-Length": "100"})
    return [b"", b"GET / HTTP/1.1\r\nHost", post + b"{", post.replace(served.token.encode(), b"wrong")]


def test_many_slow_clients_are_bounded_and_stop_nobody(lasting: Served) -> None:
    """113 at once: 32 remain, the newest; a socket, a connection that waits between requests, and whole requests live on."""
    count, most = 113, 32
    headers = {"Authorization": f"Bearer {lasting.token}"}
    idle = wire_to(lasting)
    idle.sendall(head(lasting))
    answered(idle)
    url = f"ws://{lasting.host}/api/live"
    with connect(url, origin=lasting.base, additional_headers=headers, proxy=None) as live, lasting.client() as client:  # type: ignore[arg-type]
        description = client.post("/api/load", json={"name": "creep"}).json()["description"]
        live.send(json.dumps({"open": {"description": description}}))
        live.recv(timeout=60)
        shapes, wires = partials(lasting), []
        for k in range(count):
            wire = wire_to(lasting)
            wire.sendall(shapes[k % len(shapes)])
            wires.append(wire)
            if k % 16 == 0:
                assert client.get("/api/items").status_code == 200
        open_ = wires
        while len(open_) > most:  # until the server has closed all but so many
            open_ = [wire for wire in open_ if not closed(wire)]
        assert client.get("/api/items").status_code == 200
        with httpx.Client(base_url=lasting.base, headers=headers, trust_env=False) as other:  # a new connection
            assert other.get("/api/items").status_code == 200
        live.send(json.dumps({"seen": 0}))
        assert live.recv(timeout=60)
        idle.sendall(head(lasting))
        assert answered(idle).startswith(b"HTTP/1.1 200")
        open_ = [wire for wire in open_ if not closed(wire)]
        assert most - 4 <= len(open_) <= most  # the new connections above had a head that was not whole for a moment
        assert set(open_) <= set(wires[-most - 4 :])
    for wire in wires:
        wire.close()


def test_the_deadline_is_that_of_the_documentation() -> None:
    from serpenoid.studio import patience

    text = (Path(__file__).parents[2] / "docs" / "studio.md").read_text(encoding="utf-8")
    assert f"{patience.PATIENCE:g} s" in text and f"{patience.MOST_PARTIAL} connections" in text
