"""A real server of the studio for tests: a page of six small parts, uvicorn on a free port of the loopback address."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

PAGE = {
    "index.html": '<!doctype html><html lang="en"><head><title>t</title>\n<link rel="stylesheet" href="style.css"></head>'
    '<body><script type="module" src="app.js"></script></body></html>',
    "style.css": "body { margin: 0 }",
    "app.js": 'console.log("</script>")',
    "worker.js": "onmessage = () => {}",
    "physics.wasm": "\0asm",
    "declarations.json": "{}",
}
START = """
import importlib, json, sys
from pathlib import Path
from serpenoid import signals
from serpenoid.studio import assets, serve
from serpenoid.studio.items import opened
assets.folder = lambda: Path(sys.argv[1])
settings = json.loads(sys.argv[2])
for name, value in settings.pop("limits", {}).items():
    setattr(importlib.import_module("serpenoid.studio.patience"), name, value)
with signals.listening():
    serve.serve([opened("creep", changes=["run.duration=0.1"])], browser=False, folder=Path(sys.argv[3]), **settings, ready=lambda address: print(address, flush=True))
"""


def built(folder: Path) -> Path:
    """A page that looks like a built one."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in PAGE.items():
        (folder / name).write_text(text)
    return folder


class Served:
    """Address, token, process and folder of a running studio."""

    def __init__(self, process: subprocess.Popen[str], address: str, folder: Path) -> None:
        parts = urlsplit(address)
        self.process, self.address, self.folder = process, address, folder
        self.base, self.host = f"http://{parts.netloc}", parts.netloc
        self.port = int(parts.port or 0)
        self.token = parts.query.removeprefix("token=")

    def client(self, **more: Any) -> httpx.Client:
        """A client as the studio's own page is one."""
        headers = {"Authorization": f"Bearer {self.token}", "Origin": self.base, **more.pop("headers", {})}
        return httpx.Client(base_url=self.base, headers=headers, timeout=60.0, trust_env=False, **more)

    def job(self, client: httpx.Client, **asked: Any) -> dict[str, Any]:
        """Ask for a job and wait until it has ended."""
        answer = client.post("/api/jobs", content=json.dumps(asked))
        assert answer.status_code == 200, answer.text
        while True:
            told: dict[str, Any] = client.get(f"/api/jobs/{answer.json()['job']}").json()
            if told["state"] in ("done", "failed"):
                return told


@contextlib.contextmanager
def running(folder: Path, **settings: Any) -> Iterator[Served]:
    """A studio that serves a folder; `limits`: of `serpenoid.studio.patience`, other settings are those of `serve`."""
    page, here = built(folder / "page"), folder / "served"
    here.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-c", START, str(page), json.dumps(settings), str(here)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    assert address.startswith("http://127.0.0.1:"), process.stderr.read() if process.stderr else ""
    try:
        yield Served(process, address, here)
    finally:
        process.terminate()
        process.wait(timeout=60)
        process.stdout.close()
        if process.stderr is not None:
            process.stderr.close()
