"""Who may ask the server, how often and how much: a layer around the whole application, before any route is looked at.

| check | what is refused |
|---|---|
| host | a request whose Host is not exactly one of the addresses served (a page that resolves its own name to this machine has another) |
| origin | an Origin that is not exactly the server's own; none at all, where something changes or a socket opens |
| token | a request without the token of this start, in a cookie or an Authorization header; compared in constant time |
| size, rate | a body above `MOST_BODY` bytes, more than `RATE` requests per second of one client |

Whole texts are compared, never parts of them. Every answer carries the content-security policy and the headers that go with it. The token
comes in once, in the address that the user opens, and is turned into a cookie by a redirection, so that it stays in no history or referrer.
"""

from __future__ import annotations

import hmac
import json
import time
from collections import OrderedDict
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from serpenoid.studio.assets import policy

MOST_BODY = 10 * 2**20  # bytes
RATE, BURST = 200.0, 400.0  # requests per second of one client, and at once
COOKIE = "serpenoid-token"
_SAFE = ("GET", "HEAD")
_POLICY = policy("'self'", "'self'", "'self'") + "; frame-ancestors 'none'"
HEADERS = [
    (b"content-security-policy", _POLICY.encode()), (b"x-content-type-options", b"nosniff"), (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"), (b"cross-origin-opener-policy", b"same-origin"), (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]  # fmt: skip
Asgi = Callable[..., Any]


class Bucket:
    """A client's allowance: it fills at `rate` per second up to `size`."""

    def __init__(self, rate: float, size: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.size, self.left, self.clock = rate, size, size, clock
        self.then = clock()

    def take(self) -> bool:
        """Whether one more is allowed now."""
        now = self.clock()
        self.left = min(self.size, self.left + self.rate * (now - self.then))
        self.then = now
        if self.left < 1.0:
            return False
        self.left -= 1.0
        return True


def hosts_of(addresses: list[str], port: int) -> frozenset[str]:
    """The values of Host that mean this server, written in full; without the port only where it is the usual one."""
    shown = [f"[{address}]" if ":" in address else address for address in addresses]
    return frozenset([f"{name}:{port}" for name in shown] + (shown if port == 80 else []))


class Guard:
    """The layer around an ASGI application."""

    def __init__(self, app: Asgi, token: str, hosts: frozenset[str]) -> None:
        self.app, self.token, self.hosts = app, token, hosts
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Let a request pass, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        refused = self.refusal(scope)
        if scope["type"] == "websocket":
            if refused:
                await receive()
                await send({"type": "websocket.close", "code": 1008, "reason": refused[1]})
                return
            await self.app(scope, receive, send)
            return
        if refused:
            await _answer(send, *refused)
        elif scope["path"] == "/" and b"token=" in scope["query_string"]:
            cookie = f"{COOKIE}={self.token}; Path=/; HttpOnly; SameSite=Strict".encode()
            await _answer(send, 303, "", [(b"location", b"/"), (b"set-cookie", cookie)])
        else:
            await self.app(scope, _bounded(receive), _dressed(send))

    def refusal(self, scope: Any) -> tuple[int, str] | None:
        """Status and reason with which a request is refused; None if it may pass."""
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(bytes(name).lower(), []).append(bytes(value))
        method = scope.get("method", "GET")
        host = [value.decode("latin-1") for value in headers.get(b"host", [])]
        if len(host) != 1 or host[0] not in self.hosts:
            return 403, "this server answers to its own address only"
        origin = [value.decode("latin-1") for value in headers.get(b"origin", [])]
        needed = scope["type"] == "websocket" or method not in _SAFE
        if (needed or origin) and origin != [f"http://{host[0]}"]:
            return 403, "only the studio's own page may ask"
        if headers.get(b"sec-fetch-site", [b"none"])[-1] not in (b"none", b"same-origin"):
            return 403, "only the studio's own page may ask"
        if not self._known(scope, headers, method):
            return 401, "open the address that `serpenoid studio` printed: it carries the token of this start"
        if not self._bucket(scope).take():
            return 429, "too many requests; wait a second"
        length = headers.get(b"content-length", [b"0"])[-1]
        if not length.isdigit() or int(length) > MOST_BODY:
            return 413, str(TooLargeError())
        return None

    def _known(self, scope: Any, headers: dict[bytes, list[bytes]], method: str) -> bool:
        """Whether the request carries the token."""
        given = [value.decode("latin-1").removeprefix("Bearer ") for value in headers.get(b"authorization", [])]
        for text in headers.get(b"cookie", []):
            try:
                found = SimpleCookie(text.decode("latin-1")).get(COOKIE)
            except CookieError:
                continue
            if found is not None:
                given.append(found.value)
        if scope["type"] == "http" and scope["path"] == "/" and method == "GET":
            given += parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        return any(hmac.compare_digest(value.encode(), self.token.encode()) for value in given[:4])

    def _bucket(self, scope: Any) -> Bucket:
        client = str((scope.get("client") or ("",))[0])
        bucket = self._buckets.pop(client, None) or Bucket(RATE, BURST)
        self._buckets[client] = bucket
        while len(self._buckets) > 1000:
            self._buckets.popitem(last=False)
        return bucket


async def _answer(send: Any, status: int, text: str, more: list[tuple[bytes, bytes]] | None = None) -> None:
    """A short answer of the guard's own."""
    body = json.dumps({"error": text}).encode() if text else b""
    headers = [
        *HEADERS,
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *(more or []),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _dressed(send: Any) -> Any:
    """Answers with the headers that every page needs."""

    async def dressed(message: Any) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _ in HEADERS}
            kept = [(name, value) for name, value in message.get("headers", []) if name.lower() not in own]
            message = {**message, "headers": [*kept, *HEADERS]}
        await send(message)

    return dressed


class TooLargeError(Exception):
    """A body beyond the limit."""

    def __init__(self) -> None:
        super().__init__(f"a request may have at most {MOST_BODY} bytes")


def _bounded(receive: Any) -> Any:
    """The body of a request, cut off where it grows too large."""
    seen = 0

    async def bounded() -> Any:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > MOST_BODY:
                raise TooLargeError
        return message

    return bounded
