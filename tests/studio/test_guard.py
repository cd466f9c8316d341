"""Who is let in: token, host, origin, sizes; tried on a real server."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import serpenoid as sp
from serpenoid.formats.scenario import read
from studio.studio_cases import Served, running

ROUTES = [
    ("GET", "/"), ("GET", "/app.js"), ("GET", "/worker.js"), ("GET", "/style.css"), ("GET", "/physics.wasm"), ("GET", "/declarations.json"),
    ("GET", "/api/items"), ("GET", "/api/scenarios"), ("POST", "/api/load"), ("POST", "/api/save"), ("POST", "/api/check"),
    ("POST", "/api/jobs"), ("GET", "/api/jobs/x"), ("DELETE", "/api/jobs/x"), ("GET", "/api/files/x"), ("OPTIONS", "/api/jobs"),
    ("HEAD", "/"), ("PUT", "/api/save"), ("TRACE", "/"), ("GET", "/no-such-thing"), ("PATCH", "/api/items"),
]  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with running(tmp_path_factory.mktemp("studio")) as one:
        yield one


def test_every_route_needs_the_token(served: Served) -> None:
    with httpx.Client(base_url=served.base, trust_env=False) as client:
        for method, path in ROUTES:
            for headers in ({}, {"Origin": served.base}, {"Origin": served.base, "Authorization": "Bearer wrong"}):
                answer = client.request(method, path, headers=headers)
                assert answer.status_code in (401, 403), (method, path, answer.status_code)
        assert client.get("/?token=wrong").status_code == 401
        assert client.get("/?token=").status_code == 401
        assert client.get(f"/app.js?token={served.token}").status_code == 401  # in the address of the page alone
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://{served.host}/api/live", origin=served.base).close()  # type: ignore[arg-type]
    assert refused.value.response.status_code == 403


def test_the_token_becomes_a_cookie(served: Served) -> None:
    with httpx.Client(base_url=served.base, trust_env=False) as client:
        first = client.get(f"/?token={served.token}")
        assert first.status_code == 303 and first.headers["location"] == "/"
        cookie = first.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
        page = client.get("/")
        assert page.status_code == 200 and served.token not in page.text
        assert client.get("/api/items").json()["items"][0]["kind"] == "scenario"


def hostile(served: Served) -> list[str]:
    """Values that look like the server's own host and are not."""
    p = served.port
    own = f"127.0.0.1:{p}"
    return [
        "", " ", "evil.example", f"evil.example:{p}", f"{own}.evil.example", f"evil.example/{own}", f"{own}@evil.example", f"evil.example@{own}",
        f"user:pass@{own}", f"127.0.0.1.evil.example:{p}", f"127.0.0.1:{p}0", f"127.0.0.1:{p + 1}", "127.0.0.1", "127.0.0.1:", "localhost",
        f"LOCALHOST:{p}", f"Localhost:{p}", f"localhost.:{p}", f"127.0.0.1.:{p}", f"localhost.evil.example:{p}", f"evil-localhost:{p}",
        f"127.0.0.1.nip.io:{p}", f"127-0-0-1.sslip.io:{p}", f"127.1:{p}", f"127.0.1:{p}", f"2130706433:{p}", f"0x7f000001:{p}", f"0177.0.0.1:{p}",
        f"127.0.0.2:{p}", f"0.0.0.0:{p}", f"[::1]:{p}", f"[::ffff:127.0.0.1]:{p}", f"[::]:{p}", f"::1:{p}", "null", "*", f"*:{p}", f"{own},{own}",
        f"{own}, evil.example", f"{own} evil.example", f"{own}/", f"{own}/x", f"{own}?x", f"{own}#x", f"{own};x", f"http://{own}",
        f"//{own}", f"127.0.0.1:0{p}", f"127.0.0.1:+{p}", f"%31%32%37.0.0.1:{p}", f"127.0.0.1%00:{p}", f"127.0.0.1\t:{p}", f"x{own}", f"{own}x",
        f"127.0.0.1:{p}:80", f"①27.0.0.1:{p}", f"localhost:{p}.", f"local host:{p}", f"localhost\\@evil.example:{p}", f"a.localhost:{p}",
    ]  # fmt: skip


def raw(served: Served, head: str, body: bytes = b"") -> bytes:
    """What the server answers to bytes that no client would send."""
    with socket.create_connection(("127.0.0.1", served.port)) as wire:
        wire.sendall(head.encode("utf-8", "surrogateescape") + body)
        answer = b""
        while chunk := wire.recv(65536):
            answer += chunk
    return answer


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 400


def test_hostile_hosts_are_refused(served: Served) -> None:
    values = hostile(served)
    assert len(values) >= 60
    auth = f"Authorization: Bearer {served.token}\r\nConnection: close\r\n\r\n"
    assert status_of(raw(served, f"GET /api/items HTTP/1.1\r\nHost: {served.host}\r\n{auth}")) == 200
    for value in values:
        assert status_of(raw(served, f"GET /api/items HTTP/1.1\r\nHost: {value}\r\n{auth}")) in (400, 403), value
    two = f"Host: {served.host}\r\nHost: evil.example\r\n"
    assert status_of(raw(served, f"GET /api/items HTTP/1.1\r\n{two}{auth}")) in (400, 403)
    assert status_of(raw(served, f"GET /api/items HTTP/1.0\r\n{auth}")) in (400, 403)


def test_hostile_origins_are_refused(served: Served) -> None:
    own = f"http://{served.host}"
    values = [f"http://{value}" for value in hostile(served)] + [
        "null",
        "",
        f"https://{served.host}",
        f"ws://{served.host}",
        f"{own} {own}",
    ]
    head = f"POST /api/check HTTP/1.1\r\nHost: {served.host}\r\nAuthorization: Bearer {served.token}\r\nConnection: close\r\nContent-Length: 2\r\n"
    assert status_of(raw(served, f"{head}Origin: {own}\r\n\r\n", b"{}")) == 200
    for value in values:
        assert status_of(raw(served, f"{head}Origin: {value}\r\n\r\n", b"{}")) in (400, 403), value
    assert status_of(raw(served, f"{head}\r\n", b"{}")) == 403  # none at all, where something is asked for
    assert status_of(raw(served, f"{head}Origin: {own}\r\nSec-Fetch-Site: cross-site\r\n\r\n", b"{}")) == 403
    for value in ["http://evil.example", "null", f"http://localhost:{served.port}"]:
        with pytest.raises(InvalidStatus):
            connect(
                f"ws://{served.host}/api/live",
                origin=value,
                additional_headers={"Authorization": f"Bearer {served.token}"},
            ).close()  # type: ignore[arg-type]


def test_headers_of_every_answer(served: Served) -> None:
    with served.client() as client:
        for method, path in (
            ("GET", "/"),
            ("GET", "/app.js"),
            ("GET", "/api/items"),
            ("GET", "/nothing"),
            ("PUT", "/api/items"),
        ):
            answer = client.request(method, path)
            rules = answer.headers["content-security-policy"]
            assert "default-src 'none'" in rules and "frame-ancestors 'none'" in rules and "'unsafe-" not in rules
            assert rules.count("unsafe") == 1 and "'wasm-unsafe-eval'" in rules and "http" not in rules
            assert answer.headers["x-content-type-options"] == "nosniff" and "server" not in answer.headers


def escapes(served: Served, secret: Path) -> list[str]:
    """Names that would lead out of the folder served."""
    up = [f"{'../' * k}{secret.name}" for k in range(1, 8)] + [f"{'..' + os.sep}{secret.name}"]
    shapes = ["{}", "./{}", "x/../{}", "x/{}", "{}\0", "{}\0.toml", " {}", "{}/", "//{}", "file://{}", "..\\{}", "%2e%2e/{}", "%2e%2e%2f{}", "..%2f{}", "....//{}"]  # fmt: skip
    names = [shape.format(target) for target in [str(secret), secret.name, *up] for shape in shapes]
    more = [
        "",
        ".",
        "..",
        "/",
        "~",
        "~root",
        "/dev/zero",
        "/proc/self/environ",
        "CON",
        "a" * 5000,
        "link.toml",
        "folder/../../x",
        "\n",
        "\u202e",
        "-",
        "--",
    ]
    return names + more


def linked(folder: Path) -> tuple[list[str], Path]:
    """Things in a folder with a link that leads out of it, at the top and below, and what would be seen through them."""
    far = folder.parent / "far"
    (far / "run").mkdir(parents=True, exist_ok=True)
    sp.run_scenario("creep", ["run.duration=0.05", "title=canary-4712"]).save(far / "run" / "trajectory.nc")
    sp.sweeps.sweep(
        "creep",
        {"gait.waves": [1]},
        far / "store",
        changes=["run.duration=0.01", "robot.links=3"],
        metrics="com_distance",
    )
    (far / "far.toml").write_text('title = "canary-4712"\n')
    (folder / "run1").mkdir()
    (folder / "run1" / "trajectory.nc").symlink_to(far / "run" / "trajectory.nc")
    (folder / "run2").symlink_to(far / "run")
    shutil.copytree(far / "store", folder / "sweep1")
    shutil.move(folder / "sweep1" / "chunks", far / "chunks")
    (folder / "sweep1" / "chunks").symlink_to(far / "chunks")
    shutil.copytree(far / "store", folder / "sweep2")
    for piece in (folder / "sweep2" / "chunks").iterdir():
        piece.unlink()
        piece.symlink_to(far / "chunks" / piece.name)
    (folder / "far.toml").symlink_to(far / "far.toml")
    (folder / "run3").mkdir()
    shutil.copy(far / "run" / "trajectory.nc", folder / "run3" / "trajectory.nc")
    (folder / "run3" / "deep").mkdir()
    (folder / "run3" / "deep" / "more").symlink_to(far)
    shutil.copytree(folder / "run3", folder / "good", ignore=shutil.ignore_patterns("deep"))
    (folder / "also good").symlink_to(folder / "good")
    (folder / "loop.toml").symlink_to("loop.toml")
    return ["run1", "run2", "sweep1", "sweep2", "far.toml", "run3"], far


def test_a_link_below_the_folder_is_refused_with_a_remedy(tmp_path: Path) -> None:
    """Runs, parts of runs, sweeps, their pieces: nothing outside is opened unless the studio was started so."""
    (tmp_path / "served").mkdir()
    names, far = linked(tmp_path / "served")
    with running(tmp_path) as closed, closed.client() as client:
        for name in names:
            answer = client.post("/api/load", json={"name": name, "here": True})
            assert answer.status_code == 400 and "canary" not in answer.text, name
            assert "--allow-outside" in answer.text and "leads out of the folder" in answer.text, (name, answer.text)
        assert 400 <= client.post("/api/load", json={"name": "loop.toml", "here": True}).status_code < 500
        for name in ("good", "also good"):
            assert client.post("/api/load", json={"name": name, "here": True}).json()["kind"] == "trajectory"
        here = {one["name"] for one in client.get("/api/scenarios").json() if one.get("here")}
        assert {"good", "also good"} <= here and not here & {"run1", "run2", "far.toml"}
    with running(tmp_path, outside=True) as open_, open_.client() as client:
        kinds = {
            name: client.post("/api/load", json={"name": name, "here": True}).json().get("kind") for name in names[:4]
        }
        assert kinds == {"run1": "trajectory", "run2": "trajectory", "sweep1": "store", "sweep2": "store"}
        here = {one["name"] for one in client.get("/api/scenarios").json() if one.get("here")}
        assert {"run1", "run2", "sweep1", "sweep2"} <= here
        (tmp_path / "served" / "new.toml").symlink_to(far / "new.toml")
        saved = client.post("/api/save", json={"name": "new.toml", "description": dict(read("creep"))})
        assert saved.status_code == 400 and "link" in saved.text and not (far / "new.toml").exists()


def test_no_name_leads_out_of_the_folder(served: Served, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = Path(served.process.args[-1])  # type: ignore[index, arg-type]
    secret = folder.parent / "secret.toml"
    secret.write_text('title = "canary-4711"\n')
    (folder / "link.toml").symlink_to(secret)
    names = escapes(served, secret)
    assert len(names) >= 120
    names = names if os.environ.get("SERPENOID_PROVE") else names[::4] + names[-16:]
    with served.client() as client:
        for name in names:
            for path, body in (("/api/load", {"name": name}), ("/api/save", {"name": name, "description": {}})):
                answer = client.post(path, content=json.dumps(body))
                assert 400 <= answer.status_code < 500 and "canary" not in answer.text, (path, name, answer.text)
        for path in (
            "/../secret.toml",
            "/%2e%2e/secret.toml",
            "/..%2fsecret.toml",
            "/api/files/../../secret.toml",
            "/page/app.js",
            "//etc/passwd",
        ):
            answer_bytes = raw(
                served,
                f"GET {path} HTTP/1.1\r\nHost: {served.host}\r\nAuthorization: Bearer {served.token}\r\nConnection: close\r\n\r\n",
            )
            assert 400 <= status_of(answer_bytes) < 500 and b"canary" not in answer_bytes
    assert sorted(path.name for path in folder.iterdir()) == ["link.toml"]
