"""A real browser on the built page: served with the studio's own policy, every console error and every foreign request noted.

Without a Chromium or without the built page these tests are skipped on a developer's machine and fail in continuous integration (CI=true).
"""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from serpenoid.studio import assets

ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
PATIENCE = int(os.environ.get("SERPENOID_PATIENCE", "60000"))  # ms: a machine that is ten times busier
READY = "window.__snake && window.__snake.ready"
MOVED = "window.__snake && window.__snake.state().drawnRun > 0 && window.__snake.state().frames > 10"
DONE = "window.__snake && window.__snake.state().done && window.__snake.state().plotted"


def _missing(what: str) -> None:
    if os.environ.get("CI", "").lower() in ("1", "true"):
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    path = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
    if path is None:
        _missing("no Chromium on this machine: install Debian's chromium")
    if assets.missing():
        _missing(f"the page is not built ({', '.join(assets.missing())} missing): run `make web`")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


class _Files(http.server.SimpleHTTPRequestHandler):
    """The built page with the studio's policy; `/data/N` is the page with the N-th data block of the tests."""

    blocks: list[Any] = []  # noqa: RUF012 - shared with the tests on purpose

    def do_GET(self) -> None:
        if not self.path.startswith("/data/"):
            return super().do_GET()
        name = self.path.split("?")[0].removeprefix("/data/")
        if not name.rstrip("/").isdigit():
            self.path = "/" + name.split("/", 1)[-1]
            return super().do_GET()
        page = assets.with_data(assets.part("index.html").decode(), self.blocks[int(name.rstrip("/"))]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)
        return None

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", assets.policy("'self'", "'self'", "'self'"))
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Quiet."""


@pytest.fixture(scope="session")
def origin() -> Iterator[str]:
    handler = functools.partial(_Files, directory=str(assets.folder()))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def wait_for(page: Any, condition: str) -> None:
    """Wait until a condition of the page holds, looked at in every frame; playwright's own way needs eval, which the policy forbids."""
    page.evaluate(
        f"""async () => {{
          const end = performance.now() + {PATIENCE};
          while (!({condition})) {{
            if (performance.now() > end) throw new Error({condition!r} + " never held");
            await new Promise(requestAnimationFrame);
          }}
        }}"""
    )


class Tab:
    """A page of the browser, and what it has complained about or asked for."""

    def __init__(self, page: Any, origin: str) -> None:
        self.page, self.origin = page, origin
        self.wait = functools.partial(wait_for, page)
        self.complaints: list[str] = []
        self.foreign: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: self.complaints.append(str(e)))
        page.on(
            "request", lambda r: None if r.url.startswith((origin, "data:", "blob:")) else self.foreign.append(r.url)
        )

    def open(self, fragment: str = "", until: str = DONE) -> Any:
        self.page.goto(f"{self.origin}/index.html{fragment}")
        wait_for(self.page, until)
        return self.page

    def show(self, items: list[dict[str, Any]], until: str = MOVED, **more: Any) -> Any:
        """The page with a data block that holds these items."""
        block = {"format": 1, "version": "test", "server": False, "embedded": False, "items": items, **more}
        _Files.blocks.append(block)
        self.page.goto(f"{self.origin}/data/{len(_Files.blocks) - 1}/")
        wait_for(self.page, until)
        return self.page

    def state(self) -> dict[str, Any]:
        return self.page.evaluate("window.__snake.state()")

    def metrics(self) -> dict[str, float | None]:
        return self.page.evaluate("window.__snake.metrics()")

    def run_after(self, act: Callable[[], Any]) -> None:
        """Do something that makes a new run, and wait until that run is done and drawn."""
        before = self.state()["runs"]
        act()
        wait_for(
            self.page,
            f"(() => {{ const s = window.__snake.state(); return s.runs > {before} && s.done && s.plotted && !s.preview && s.drawnRun === s.runs; }})()",
        )

    def slide(self, path: str, value: float) -> None:
        """Move a slider as a hand does: an input while it is dragged, a change when it is let go."""
        self.page.evaluate(
            """([path, value]) => {
              const slider = document.querySelector(`[data-path="${path}"] input[type="range"]`);
              slider.value = String(value);
              slider.dispatchEvent(new Event("input"));
              slider.dispatchEvent(new Event("change"));
            }""",
            [path, value],
        )

    def photograph(self, file: Path) -> bytes:
        """A picture of the whole page, kept at `file`."""
        wait_for(self.page, "window.__snake.state().picture !== 'sketch'")
        return self.page.screenshot(path=str(file))


@pytest.fixture
def tab(chromium: Any, origin: str) -> Iterator[Tab]:
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    made = Tab(context.new_page(), origin)
    yield made
    context.close()
    assert made.complaints == []
    assert made.foreign == []
