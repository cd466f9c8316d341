"""The exported file: opened from a disk without a network it runs, and its sliders work; a recorded run is replayed; the real server plans."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Tab
from serpenoid.formats.scenario import read
from serpenoid.simulation.run import run_scenario
from serpenoid.studio import html_of, item_of
from serpenoid.studio.notebook import notebook_html

MOST = 3_000_000  # bytes
COMPILING = 600_000  # ms: the server may have to compile its kernels first


@pytest.fixture
def offline(chromium: Any) -> Iterator[Any]:
    context = chromium.new_context(viewport={"width": 1280, "height": 720}, offline=True)
    tab = Tab(context.new_page(), "file://")
    yield tab
    context.close()
    assert tab.complaints == []
    assert tab.foreign == []


def test_the_exported_file_needs_no_network_and_its_sliders_work(offline: Any, tmp_path: Path) -> None:
    file = tmp_path / "creep.html"
    file.write_text(html_of([item_of(read("creep"), "creep")]), encoding="utf-8")
    assert file.stat().st_size < MOST
    offline.page.goto(file.as_uri())
    offline.wait("window.__snake?.state().done")
    own = run_scenario("creep")
    assert offline.metrics()["com_distance"] == pytest.approx(own.metrics["com_distance"], rel=1e-9)
    offline.run_after(lambda: offline.slide("gait.winding_angle", 60))
    changed = run_scenario("creep", ["gait.winding_angle_deg=60"])
    assert offline.metrics()["com_distance"] == pytest.approx(changed.metrics["com_distance"], rel=1e-9)


def test_a_result_is_sent_as_one_file(offline: Any, tmp_path: Path) -> None:
    """What a colleague gets: saved by the page itself, opened on another disk, in the same state, with sliders that work."""
    file, sent = tmp_path / "creep.html", tmp_path / "sent.html"
    file.write_text(html_of([item_of(read("creep"), "creep")]), encoding="utf-8")
    offline.page.goto(file.as_uri())
    offline.wait("window.__snake?.state().done")
    offline.run_after(lambda: offline.slide("gait.winding_angle", 60))
    kept = (offline.state()["description"], offline.metrics())
    offline.page.click("#share")
    with offline.page.expect_download() as download:
        offline.page.click("#save-page")
    assert download.value.suggested_filename == "creep.html"
    download.value.save_as(sent)
    assert sent.stat().st_size < MOST
    offline.page.goto(sent.as_uri())
    offline.wait("window.__snake?.state().done")
    assert (offline.state()["description"], offline.metrics()) == kept
    offline.run_after(lambda: offline.slide("gait.winding_angle", 45))
    assert offline.metrics() != kept[1]


def test_in_a_notebooks_frame_the_file_is_saved_and_no_link_is_offered(offline: Any, tmp_path: Path) -> None:
    """The frame has no origin: what is offered there works, and what cannot work is not offered."""
    run = run_scenario("creep", ["run.duration=0.5"])
    file, sent = tmp_path / "notebook.html", tmp_path / "sent.html"
    file.write_text(
        f"<!doctype html><meta charset='utf-8'><title>notebook</title>{notebook_html(run)}", encoding="utf-8"
    )
    offline.page.goto(file.as_uri())
    frame = offline.page.frame_locator("iframe")
    frame.locator("#share").click()
    assert frame.locator("#copy-link").count() == 0
    with offline.page.expect_download() as download:
        frame.locator("#save-page").click()
    download.value.save_as(sent)
    offline.page.goto(sent.as_uri())
    offline.wait("window.__snake?.state().frames > 10")
    assert offline.metrics()["com_distance"] == run.metrics["com_distance"]
    offline.page.click("#share")
    assert offline.page.locator("#copy-link").count() == 1


def test_an_exported_run_is_replayed(offline: Any, tmp_path: Path) -> None:
    run = run_scenario("sidewind", ["run.duration=1"])
    file = tmp_path / "run.html"
    file.write_text(html_of([item_of(run, "kept")]), encoding="utf-8")
    offline.page.goto(file.as_uri())
    offline.wait("window.__snake?.state().frames > 10 && window.__snake.state().drawnRun > 0")
    assert offline.metrics()["com_distance"] == run.metrics["com_distance"]


def test_what_cannot_be_computed_offers_no_slider(offline: Any, tmp_path: Path) -> None:
    """A shape of a program: the page does not speak of sliders or of a run, and names no scenario that is not there."""
    from serpenoid.shapes.named import helix
    from serpenoid.studio.items import shape_item

    file = tmp_path / "shape.html"
    file.write_text(html_of([shape_item(helix(2.0, 0.7, 5.0))], embedded=True), encoding="utf-8")
    offline.page.goto(file.as_uri())
    offline.wait("window.__snake?.ready && document.querySelector('#cannot-run')")
    said = offline.page.inner_text("#panel")
    assert "at rest" in said and "slider" not in said and "recorded" not in said
    assert offline.page.inner_text("#needs-server code") == "serpenoid studio"


def test_names_from_files_are_texts(offline: Any, tmp_path: Path) -> None:
    evil = "</script><img src=x onerror=document.title='owned'>"
    file = tmp_path / "evil.html"
    file.write_text(html_of([item_of({**read("creep"), "title": evil}, "creep")]), encoding="utf-8")
    offline.page.goto(file.as_uri())
    offline.wait("window.__snake?.state().done")
    assert offline.page.locator("#panel h2").inner_text() == evil
    assert offline.page.title().startswith(evil)


START = """
from pathlib import Path
import sys
from serpenoid import signals
from serpenoid.studio import serve
from serpenoid.studio.items import opened
with signals.listening():
    serve.serve([opened("concertina", changes=["plan.target=[0.9, 0.1]", "plan.obstacles=[]"])], browser=False, folder=Path(sys.argv[1]), ready=lambda address: print(address, flush=True))
"""


def test_the_server_plans_and_the_page_shows_pins(chromium: Any, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", START, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            context = chromium.new_context(viewport={"width": 1280, "height": 720})
            tab = Tab(context.new_page(), address.split("/?")[0])
            tab.page.goto(address)
            tab.page.locator('#timeline .marks span[class="anchors"]').first.wait_for(timeout=COMPILING)
            tab.wait("window.__snake.state().frames > 10")
            assert tab.metrics()["com_distance"] > 0.1
            assert (tab.complaints, tab.foreign) == ([], [])
            context.close()
        finally:
            process.terminate()
