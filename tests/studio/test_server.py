"""What the server does: scenarios, jobs, live frames; what it bears: malformed and oversized requests, clients that never read."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

import serpenoid as sp
from serpenoid.formats.scenario import read
from studio.studio_cases import Served, running

PROVE = bool(os.environ.get("SERPENOID_PROVE"))
CLIENTS, SECONDS = (50, 60.0) if PROVE else (12, 1.0)
KNOWN = 2e-6  # of a length: float32 keeps seven digits


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with running(tmp_path_factory.mktemp("studio")) as one:
        yield one


def creeping(**run: Any) -> dict[str, Any]:
    data = json.loads(json.dumps(dict(read("creep"))))
    data["run"] = {**data["run"], "duration": 0.3, **run}
    return data


def test_scenarios_are_loaded_checked_and_saved(served: Served) -> None:
    with served.client() as client:
        names = [one["name"] for one in client.get("/api/scenarios").json()]
        assert {"creep", "sidewind", "maze"} <= set(names)
        item = client.post("/api/load", json={"name": "sidewind"}).json()
        assert item["runnable"] and item["description"]["gait"]["kind"] == "sidewinding"
        assert not client.post("/api/load", json={"name": "maze"}).json()["runnable"]
        assert client.post("/api/check", json={"description": creeping()}).json() == {"errors": []}
        wrong = client.post("/api/check", json={"description": creeping(duration=-1.0)}).json()["errors"]
        assert any("run.duration" in line for line in wrong)
        told = client.post("/api/save", json={"name": "mine.toml", "description": creeping()}).json()
        assert told == {"path": "mine.toml"}
        again = client.post("/api/save", json={"name": "mine.toml", "description": creeping()})
        assert again.status_code == 409
        back = client.post("/api/load", json={"name": "mine.toml"}).json()
        assert back["description"]["run"]["duration"] == 0.3
        (served.folder / "creep").mkdir()
        sp.run_scenario("creep", ["run.duration=0.1"]).save(served.folder / "creep" / "trajectory.nc")
        assert client.post("/api/load", json={"name": "creep"}).json()["kind"] == "scenario"
        assert client.post("/api/load", json={"name": "creep", "here": True}).json()["kind"] == "trajectory"
        assert client.post("/api/load", json={"name": "sidewind", "here": True}).status_code == 404
        assert client.post("/api/save", json={"name": "bad.toml", "description": {"robot": 1}}).status_code == 400


def test_a_job_gives_the_numbers_of_a_run(served: Served) -> None:
    run = sp.run_scenario("creep", ["run.duration=0.3"])
    with served.client() as client:
        told = served.job(client, task="run", description=creeping())
        assert told["state"] == "done", told["text"]
        item = told["result"]
        assert item["metrics"]["com_distance"] == run.metrics["com_distance"] and item["status"]["name"] == "ok"
        packed = item["frames"]["arrays"]["node"]
        node = np.frombuffer(base64.b64decode(packed["data"]), dtype="<f4").reshape(packed["shape"])
        assert np.abs(node - run["node"]).max() < KNOWN * 4.0
        made = served.job(client, task="export", description=creeping())["result"]["file"]
        answer = client.get(f"/api/files/{made}")
        assert answer.status_code == 200 and "serpenoid-data" in answer.text


def test_an_exported_file_opens_in_its_state_or_replays_what_no_page_computes(served: Served) -> None:
    with served.client() as client:
        state = "#creep&gait.winding_angle=0.9"
        made = served.job(client, task="export", description=creeping(), name="creep", state=state)["result"]["file"]
        assert '"state":"#creep\\u0026gait.winding_angle=0.9"' in client.get(f"/api/files/{made}").text
        explicit = creeping(integrator="rk4")
        explicit["world"]["friction"]["smoothing"] = 1e-3
        made = served.job(client, task="export", description=explicit, name="x")["result"]["file"]
        assert '"kind":"trajectory","name":"x"' in client.get(f"/api/files/{made}").text
        for wrong in (
            {"state": "javascript:1"},
            {"state": 1},
            {"state": "#" + "x" * 200_000},
            {"name": ""},
            {"name": 3},
        ):
            told = served.job(client, task="export", description=creeping(), **wrong)
            assert told["state"] == "failed" and "must be" in told["text"], wrong


def test_the_folder_is_listed(served: Served) -> None:
    folder = Path(served.process.args[-1])  # type: ignore[index, arg-type]
    for name in ("a run", "a sweep", "neither", ".hidden"):
        (folder / name).mkdir()
    (folder / "a run" / "trajectory.nc").touch()
    (folder / "a sweep" / "sweep.json").touch()
    (folder / "listed.toml").touch()
    (folder / "out").symlink_to(folder.parent)
    with served.client() as client:
        here = {one["name"]: one["title"] for one in client.get("/api/scenarios").json() if one.get("here")}
    assert here.items() >= {"a run": "run", "a sweep": "sweep", "listed.toml": "scenario"}.items()
    assert not here.keys() & {"neither", ".hidden", "out"}


def test_a_search_finds_the_best(served: Served) -> None:
    over = [{"key": "gait.winding_angle", "low": 0.2, "high": 1.2}]
    with served.client() as client:
        told = served.job(client, task="optimise", description=creeping(), over=over, maximise="com_distance")
        assert told["state"] == "done", told["text"]
        found = told["result"]
        assert 0.2 <= found["optimum"]["gait.winding_angle"] <= 1.2 and found["value"] > 0.0
        assert (
            served.job(client, task="optimise", description=creeping(), over=[], maximise="com_distance")["state"]
            == "failed"
        )


@pytest.mark.parametrize(
    "asked",
    [
        {"task": "format-disk"}, {"task": None}, {"task": "run"}, {"task": "run", "description": []},
        {"task": "run", "description": {"plan": {"map": "/etc/passwd"}}}, {"task": "run", "description": {"robot": {"file": "/etc/passwd"}}},
        {"task": "run", "description": {"gait": {"kind": "os:system"}}}, {"task": "compare", "description": {}, "engines": [1]},
        {"task": "study", "name": "../x"}, {"task": ["run"]}, {"task": {}}, {"task": 1.5},
    ],
)  # fmt: skip
def test_wrong_jobs_are_refused(served: Served, asked: dict[str, Any]) -> None:
    with served.client() as client:
        answer = client.post("/api/jobs", json=asked)
        if answer.status_code == 200:
            while (told := client.get(f"/api/jobs/{answer.json()['job']}").json())["state"] in ("waiting", "running"):
                pass
            assert told["state"] == "failed" and "unexpected" not in told["text"] and "root:" not in told["text"]
        else:
            assert answer.status_code == 400


STRANGE: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    10**400,
    "",
    "\0",
    "\ud800",
    "x" * 5000,
    [],
    ["run"],
    [[]],
    {},
    {"a": 1},
    [None],
)


@pytest.mark.parametrize("path", ["load", "save", "check", "jobs"])
def test_values_of_other_types_are_refused(served: Served, path: str) -> None:
    """Each key of each request, and each table of its description, with values of other types: an answer in words, never status 500."""
    short = creeping(duration=0.01)
    whole: dict[str, Any] = {
        "load": {"name": "creep", "here": True}, "save": {"name": "other.toml", "description": short}, "check": {"description": short},
        "jobs": {"task": "optimise", "description": short, "over": [{"key": "gait.waves"}], "maximise": "efficiency", "to": "", "state": "", "name": ""},
    }[path]  # fmt: skip
    tasks = {"to": "export", "state": "export", "name": "export"}
    changed = [{**whole, "task": tasks.get(key, "optimise"), key: value} for key in whole for value in STRANGE]
    if path == "check":
        changed += [{"description": {**short, key: value}} for key in short for value in STRANGE]
    with served.client() as client:
        for asked in changed:
            answer = client.post(f"/api/{path}", content=json.dumps(asked))
            assert answer.status_code < 500, (asked, answer.text)
            while "job" in answer.json():
                told = client.get(f"/api/jobs/{answer.json()['job']}").json()
                if told["state"] in ("done", "failed"):
                    assert "unexpected" not in told["text"], (asked, told)
                    break


def test_a_job_can_be_given_up(served: Served) -> None:
    with served.client() as client:
        job = client.post(
            "/api/jobs", json={"task": "run", "description": creeping(duration=4000.0, record_interval=1.0)}
        ).json()["job"]
        while client.get(f"/api/jobs/{job}").json()["state"] == "waiting":
            pass
        client.delete(f"/api/jobs/{job}")
        while (told := client.get(f"/api/jobs/{job}").json())["state"] == "running":
            pass
        assert told["state"] == "failed" and told["text"] == "given up"


def test_malformed_requests_leave_it_alive(served: Served) -> None:
    bodies = [
        b"", b"{", b"[]", b"null", b"1", b'"x"', b"\xff\xfe", b"{" * 1000, b"[" * 100_000, b'{"a":' * 70 + b"1" + b"}" * 70, b'{"name": NaN}',
        b'{"name": 1e999}', b'{"name": {}}', b'{"name": ["a"]}', b'{"description": {"robot": {"links": 1e308}}}', b"\0" * 100, b'{"name":"\\ud800"}',
    ]  # fmt: skip
    with served.client() as client:
        for path in ("/api/load", "/api/save", "/api/check", "/api/jobs"):
            for body in bodies:
                answer = client.post(path, content=body)
                assert answer.status_code < 500, (path, body, answer.text)
        big = client.post("/api/check", content=b"x" * (11 * 2**20))
        assert big.status_code == 413
        head = f"POST /api/check HTTP/1.1\r\nHost: {served.host}\r\nOrigin: {served.base}\r\nAuthorization: Bearer {served.token}\r\nTransfer-Encoding: chunked\r\n\r\n"
        with socket.create_connection(("127.0.0.1", served.port)) as wire, pytest.raises((OSError, AssertionError)):
            wire.sendall(head.encode())
            for _ in range(200):  # 12.5 MiB in pieces whose sum no header tells
                wire.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
            assert b" 413 " not in wire.recv(100)
        assert client.get("/api/items").status_code == 200


def test_a_client_that_says_nothing_is_dropped(served: Served) -> None:
    silent = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(20)]
    silent[0].sendall(b"GET / HTTP/1.1\r\nHost")  # and never the rest
    for wire in silent:
        wire.settimeout(60.0)
        assert wire.recv(10) == b""  # closed by the server
        wire.close()


def live(served: Served) -> Any:
    """A socket to the live frames, as the studio's own page opens it."""
    headers = {"Authorization": f"Bearer {served.token}"}
    return connect(
        f"ws://{served.host}/api/live", origin=served.base, additional_headers=headers, proxy=None, open_timeout=60
    )  # type: ignore[arg-type]


@contextlib.contextmanager
def watching(served: Served, description: dict[str, Any]) -> Iterator[ClientConnection]:
    with live(served) as wire:
        wire.send(json.dumps({"open": {"description": description}}))
        yield wire


def test_live_frames_are_the_motion(served: Served) -> None:
    data = creeping()
    sim = sp.Simulation.of(sp.simulation.setup.setup_of(read("creep", ["run.duration=0.3"])))
    with watching(served, data) as wire:
        while True:
            frame = wire.recv(timeout=60)
            number, nodes, t = struct.unpack_from("<IId", frame)
            wire.send(json.dumps({"seen": number}))
            if t > 0.1:
                break
    places = np.frombuffer(frame[16:], dtype="<f4").reshape(nodes, 3)
    sim.advance(t - sim.time)
    assert abs(sim.time - t) < 1e-12 and np.abs(places - sim.state.nodes).max() < KNOWN * 4.0


def test_a_client_that_never_reads_slows_nobody(served: Served) -> None:
    memory = psutil.Process(served.process.pid)
    before, data = memory.memory_info().rss, creeping()
    counts, errors = [0] * CLIENTS, []

    def watch(k: int) -> None:
        try:
            with watching(served, data) as wire:
                first = None
                while True:
                    number, _, t = struct.unpack_from("<IId", wire.recv(timeout=60))
                    wire.send(json.dumps({"seen": number}))
                    first = t if first is None else first
                    counts[k] += 1
                    if t - first > SECONDS:
                        return
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=watch, args=(k,)) for k in range(CLIENTS)]
    with watching(served, data):  # it takes one frame at most and acknowledges nothing
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not errors and min(counts) >= 3
    assert memory.memory_info().rss - before < 300e6


@pytest.mark.parametrize(
    "text",
    ["", "x", "[]", "{}", '{"open": 1}', '{"open": {"description": {"robot": {}}}}', '{"open": {"description": []}}'],
)
def test_malformed_frames_are_refused(served: Served, text: str) -> None:
    with live(served) as wire:
        wire.send(text)
        with pytest.raises(ConnectionClosed):
            while True:
                said = wire.recv(timeout=60)
                assert "error" in json.loads(said)
    with served.client() as client:
        assert client.get("/api/items").status_code == 200


def test_frames_beyond_a_mebibyte_are_refused(served: Served) -> None:
    with live(served) as wire:
        wire.send("x" * (2**20 + 1))
        with pytest.raises(ConnectionClosed) as closed:
            wire.recv(timeout=60)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 0)])
def test_a_signal_ends_it_and_leaves_nothing(tmp_path: Path, number: int, code: int) -> None:
    with running(tmp_path) as one:
        left = set(Path("/tmp").glob("serpenoid-studio-*"))
        one.process.send_signal(number)
        assert one.process.wait(timeout=60) == code
        assert one.process.stderr is not None and "Traceback" not in one.process.stderr.read()
        assert set(Path("/tmp").glob("serpenoid-studio-*")) < left


def test_without_the_page_it_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from serpenoid.core.errors import InputError
    from serpenoid.studio import assets

    monkeypatch.setattr(assets, "folder", lambda: tmp_path)
    with pytest.raises(InputError, match="make web"):
        assets.html_of([])
    assert "make web" in sp.robots.ma2001()._repr_html_()


def test_the_port_of_somebody_else_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        from serpenoid.core.errors import StorageError
        from serpenoid.studio.serve import bound

        with pytest.raises(StorageError, match=f"port {port}"):
            bound("127.0.0.1", port)


@pytest.mark.parametrize(
    "words", [["--host", "0.0.0.0"], ["--host", "evil.example"], ["--port", "70000"], ["no-such-scenario"]]
)
def test_bad_input_of_the_command(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "serpenoid", "studio", "--no-browser", *words],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode in (2, 4) and "Traceback" not in done.stderr and len(done.stderr.splitlines()) <= 10
