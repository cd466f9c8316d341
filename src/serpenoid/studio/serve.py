"""The server as a process: where it listens, its token, how it starts and how it ends.

It listens on the loopback address. Another address needs to be asked for by name; then too nothing is answered without the token, and a
warning is printed. The token has 256 bits, is new at every start, and is printed once, in the address to open.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import secrets
import socket
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import uvicorn

from serpenoid import signals
from serpenoid.core.errors import InputError, StorageError
from serpenoid.studio import assets
from serpenoid.studio.app import Studio
from serpenoid.studio.guard import Guard, hosts_of
from serpenoid.studio.live import LONGEST
from serpenoid.studio.patience import PatientProtocol

MOST_CONNECTIONS = 192  # page, parts and sockets of 64 clients


class QuietServer(uvicorn.Server):
    """A server that leaves signals to `serpenoid.signals`."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Nothing of uvicorn's own."""
        yield


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens; refused clearly where it cannot."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        made = socket.socket(family, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(MOST_CONNECTIONS)
        return made
    except (OSError, OverflowError) as error:
        raise StorageError(
            f"cannot listen on {host} port {port}: {getattr(error, 'strerror', None) or error}; choose another --port"
        ) from error


def addresses_of(host: str) -> list[str]:
    """The names under which a server on this address may be asked for."""
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        raise InputError(f"--host needs an address such as 127.0.0.1 or ::1, got {host!r}") from None
    return [host, "localhost"] if loopback else [host]


def serve(
    items: list[dict[str, Any]], *, host: str = "127.0.0.1", port: int = 0, browser: bool = True, folder: Path | None = None,
    outside: bool = False, ready: Callable[[str], None] | None = None,
) -> None:  # fmt: skip
    """Serve the studio until a signal comes; `ready` is called with the address to open; `outside`: links in the folder may lead out of it."""
    if host in ("0.0.0.0", "::"):
        raise InputError(
            "--host needs one address of this machine, not all of them: the server checks that it was asked for by that name"
        )
    names = addresses_of(host)
    assets.part("index.html")  # refused before anything listens where the page is not built
    listener = bound(host, port)
    port = int(listener.getsockname()[1])
    token = secrets.token_urlsafe(32)
    studio = Studio(items, folder or Path.cwd(), outside)
    guard = Guard(studio.app(), token, hosts_of(names, port))
    config = uvicorn.Config(
        guard, http=PatientProtocol, ws="websockets-sansio", ws_max_size=LONGEST, ws_per_message_deflate=False, ws_ping_interval=20.0,
        ws_ping_timeout=20.0, limit_concurrency=MOST_CONNECTIONS, timeout_keep_alive=30, timeout_graceful_shutdown=2, access_log=False,
        log_level="critical", server_header=False, lifespan="on", h11_max_incomplete_event_size=65_536, proxy_headers=False,
    )  # fmt: skip
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/?token={token}"
    asyncio.run(_served(QuietServer(config), listener, address, browser, ready))


async def _served(server: QuietServer, listener: socket.socket, address: str, browser: bool, ready: Any) -> None:
    """Run the server; end it when a signal was noted."""
    task = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started and not task.done():
        await asyncio.sleep(0.01)
    if not task.done():
        if ready is not None:
            ready(address)
        if browser:
            await asyncio.to_thread(webbrowser.open, address)
    while not task.done():
        if signals.exit_code() is not None:
            signals.take()
            server.should_exit = True
        await asyncio.wait([task], timeout=0.1)
    task.result()
