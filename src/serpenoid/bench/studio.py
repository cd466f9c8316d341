"""`serpenoid bench studio`: how soon the studio's page answers, measured in a real browser on the exported file of the default scenario.

| key | what is measured |
|---|---|
| slider_to_motion_ms | while a slider is dragged: from its event to the first animation frame drawn with the new motion, at the preview's coarser step; median |
| slider_to_motion_own_step_ms | the same after the slider is let go, at the scenario's own step: all 32,000 steps are taken before that frame; median |
| preview_distance_error | relative difference of the distance between preview and own step; largest seen |
| first_motion_ms | from the start of navigation (file://) to the first frame drawn with a motion |
| first_motion_spatial_ms | from choosing a long run in space (60 s of sidewinding) to its first frame; it streams |
| longest_task_ms | longest task of the main thread during playback (0: none above 50 ms) |
| frame_ms | median time between frames during playback |
| renderer, detail | what drew, and which level of detail the page chose by itself |
| answer_drawn_as | the picture with which the slider's time ends: "full", or the page's "sketch" |

The end of each frame that is timed is awaited by reading a pixel back, so that a picture that is only queued does not count. The slider's times end with the
first animation frame that is drawn when all frames of the new run are there; its first part may be seen earlier, its numbers and plots follow. Each change begins
two animation frames after the answer to the one before. A sketch is drawn where a processor plays the graphics card: body, forces, trail, ground and
obstacles from the same camera on a plain canvas; the full picture follows 0.3 s after the last change. Needs the packages of development (playwright) and a Chromium; the built page (`make web`).
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from serpenoid.bench.planar import machine
from serpenoid.core.errors import InputError

REPEATS = 15
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")
READY = """async () => {
  while (!(window.__snake && window.__snake.state().drawnRun > 0 && window.__snake.state().done)) await new Promise(requestAnimationFrame);
}"""
DRAG = """async ([value, final]) => {
  const snake = window.__snake, before = snake.state().runs;
  const slider = document.querySelector('[data-path="gait.winding_angle"] input[type="range"]');
  for (let k = 0; k < 2; k++) await new Promise(requestAnimationFrame);
  const began = performance.now();
  slider.value = String(value);
  slider.dispatchEvent(new Event(final ? "change" : "input"));
  let took = null, picture = "";
  for (;;) {
    await new Promise(requestAnimationFrame);
    const state = snake.state();
    if (state.runs === before || state.wholeRun !== state.runs || state.preview === final) continue;
    if (took === null) [took, picture] = [state.wholeAt - began, state.picture];
    if (state.done) return [took, snake.metrics().com_distance, picture];
  }
}"""
OPEN = """async (name) => {
  const snake = window.__snake, before = snake.state().runs, list = document.querySelector("#scenario");
  const began = performance.now();
  list.value = name;
  list.dispatchEvent(new Event("change"));
  for (;;) {
    await new Promise(requestAnimationFrame);
    const state = snake.state();
    if (state.runs > before && state.drawnRun === state.runs) return state.drawnAt - began;
  }
}"""
PLAY = """async (seconds) => {
  const tasks = [], frames = [];
  const observer = new PerformanceObserver((list) => list.getEntries().forEach((e) => tasks.push(e.duration)));
  observer.observe({ type: "longtask" });
  window.__snake.studio.clock.seek(0);
  window.__snake.studio.clock.play(true);
  let last = performance.now();
  const end = last + 1000 * seconds;
  while (last < end) {
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames.push(now - last);
    last = now;
  }
  observer.disconnect();
  frames.sort((a, b) => a - b);
  return [Math.max(0, ...tasks), frames[frames.length >> 1]];
}"""


def browser_path() -> str:
    """The Chromium of this machine."""
    for name in BROWSERS:
        found = shutil.which(name)
        if found:
            return found
    raise InputError(f"bench studio needs a Chromium: none of {', '.join(BROWSERS)} is on the PATH")


def exported(folder: Path) -> Path:
    """The exported page of the default scenario, made by the command that users call."""
    file = folder / "creep.html"
    command = [sys.executable, "-m", "serpenoid", "export", "creep", "--to", "html", "--out", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise InputError(f"bench studio: the page cannot be exported: {done.stderr.strip()}")
    return file


def measure(page: Any, file: Path, progress: Callable[..., None]) -> dict[str, Any]:
    """All figures of one page."""
    page.goto(file.as_uri())
    page.evaluate(READY)
    first = page.evaluate("window.__snake.firstMotion")
    page.evaluate("() => { const s = window.__snake.studio; s.clock.play(false); s.exact = true; s.clock.seek(1e9); }")
    dragged, settled, errors = [], [], []
    for k in range(REPEATS):
        angle = 35.0 + k
        took, coarse, picture = page.evaluate(DRAG, [angle, False])
        dragged.append(took)
        took, fine, _ = page.evaluate(DRAG, [angle, True])
        settled.append(took)
        errors.append(abs(coarse - fine) / fine)
        progress(0.8 * (k + 1) / REPEATS)
    page.evaluate("window.__snake.studio.exact = false")
    longest, frame = page.evaluate(PLAY, 4.0)
    page.evaluate("window.__snake.studio.exact = true")
    spatial = page.evaluate(OPEN, "sidewind")
    progress(1.0)
    state = page.evaluate("window.__snake.state()")
    return {
        "slider_to_motion_ms": statistics.median(dragged),
        "slider_to_motion_own_step_ms": statistics.median(settled),
        "preview_distance_error": max(errors),
        "first_motion_ms": first,
        "first_motion_spatial_ms": spatial,
        "longest_task_ms": longest,
        "frame_ms": frame,
        "size_MB": file.stat().st_size / 1e6,
        "renderer": state["renderer"],
        "detail": state["level"],
        "answer_drawn_as": picture,
    }


def run(progress: Callable[..., None] = lambda *_: None) -> dict[str, Any]:
    """Measure the page in the browser of this machine."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise InputError("bench studio needs the package playwright: install the development group") from None
    path = browser_path()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        result = measure(page, exported(Path(folder)), progress)
        result["browser"] = f"{browser.browser_type.name} {browser.version}"
        browser.close()
    return {**result, "machine": machine()}
