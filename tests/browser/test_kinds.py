"""Every kind of thing the page can show is opened and photographed; what it shows is compared with what was computed."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from serpenoid.core.trajectory import Event
from serpenoid.formats.scenario import bundled, read
from serpenoid.planning.maps import from_text
from serpenoid.simulation.run import run_scenario
from serpenoid.studio import items

CLOSE = 1e-6  # relative: runs in space make and break contact, which magnifies rounding
RUNS = [name for name in bundled() if name not in ("concertina", "maze")]
PLANS = ["concertina", "maze"]
FEW_COLOURS = 40  # a blank view has fewer


def colours(picture: bytes) -> int:
    """How many different colours a picture has, coarsely."""
    pixels = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")) // 8
    return len(np.unique(pixels.reshape(-1, 3), axis=0))


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("photographs")


@pytest.mark.parametrize("name", RUNS)
def test_each_scenario_runs_in_the_page(tab: Any, name: str, photographs: Path) -> None:
    short = "&run.duration=2" if name not in ("creep",) else ""
    page = tab.open(f"#{name}{short}")
    state = tab.state()
    assert state["name"] == name
    own = run_scenario(name, ["run.duration=2"] if short else [])
    assert state["status"] == own.status.name
    if own.status.ok:
        assert tab.metrics()["com_distance"] == pytest.approx(own.metrics["com_distance"], rel=CLOSE, abs=1e-9)
    view = page.locator("#view").screenshot(path=str(photographs / f"{name}.png"))
    assert colours(view) > FEW_COLOURS


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_is_shown_and_says_that_it_needs_the_server(tab: Any, name: str, photographs: Path) -> None:
    page = tab.open(f"#{name}", until="window.__snake?.ready && document.querySelector('#cannot-run')")
    assert "local server" in page.locator("#cannot-run").inner_text()
    assert f"serpenoid studio {name}" in page.locator("#needs-server").inner_text()
    assert colours(page.locator("#view").screenshot(path=str(photographs / f"plan-{name}.png"))) > 20


def small_run() -> Any:
    return run_scenario("creep", ["run.duration=1", "run.step=1e-3"])


def test_a_recorded_run_is_replayed(tab: Any, photographs: Path) -> None:
    run = small_run()
    tab.show([items.item_of(run, "recorded")])
    np.testing.assert_allclose(tab.page.evaluate("window.__snake.nodes(0.5)"), run["node"][50].ravel(), atol=1e-5)
    assert tab.metrics()["com_distance"] == run.metrics["com_distance"]
    tab.photograph(photographs / "trajectory.png")


def test_two_runs_are_compared_over_each_other_and_side_by_side(tab: Any, photographs: Path) -> None:
    page = tab.open()
    page.click('[data-layout="overlay"]')
    tab.run_after(lambda: tab.slide("gait.winding_angle", 70))
    assert tab.state()["layout"] == "overlay"
    assert page.locator('[data-plot="speed"] .readout span').count() == 2
    over = page.locator("#view").screenshot(path=str(photographs / "overlay.png"))
    page.click('[data-layout="side"]')
    tab.wait("window.__snake.state().drawnRun === window.__snake.state().runs")
    assert page.locator(".halves").is_visible()
    assert page.locator("#view").screenshot(path=str(photographs / "side.png")) != over
    page.click('[data-layout="single"]')
    assert tab.state()["layout"] == "single"


def test_runs_of_different_lengths_are_read_at_the_same_time(tab: Any) -> None:
    long, short = (run_scenario("creep", [f"run.duration={d}", "run.step=1e-3", f"run.record_interval={h}"]) for d, h in ((2, 0.007), (1, 0.01)))  # fmt: skip
    page = tab.show([items.item_of(short, "short"), items.item_of(long, "long")])
    tab.wait("window.__snake.state().layout === 'overlay'")
    page.evaluate("(() => { const c = window.__snake.studio.clock; c.play(false); c.seek(0.8); })()")
    for plot in page.locator(".plot .readout").all():
        assert "-" not in plot.locator("span").all_inner_texts()  # both runs have a value there
    page.evaluate("window.__snake.studio.clock.seek(1.9)")
    own, kept = page.locator('[data-plot="speed"] .readout span').all_inner_texts()
    assert own == "-"
    assert float(kept) > 0.0


def test_a_plans_execution_shows_walls_and_pins(tab: Any, photographs: Path) -> None:
    run = small_run()
    events = [Event(0.0, "anchors", "pins set on links 3, 4", {"links": [3, 4], "set": True})]
    world = {**run.scenario["world"], "obstacles": [{"kind": "disc", "centre": [0.5, 0.4], "radius": 0.1}]}
    item = {**items.item_of(run, "pinned"), "events": [e._asdict() for e in events], "provenance": {"world": world}}
    page = tab.show([item])
    furniture = "window.__snake.studio.parts.stage.furniture"
    tab.wait(f"{furniture}.group.children.length > 1")
    pins = page.evaluate(f"{furniture}.group.children.flatMap((c) => c.children).filter((c) => c.visible).length")
    assert pins == 2
    assert page.locator("#timeline .marks span").count() == 1
    tab.photograph(photographs / "pins.png")


def test_a_sweep_is_a_map_whose_cells_open_their_runs(tab: Any, photographs: Path) -> None:
    angles, along = [0.4, 0.8, 1.2], [0.05, 0.3]
    values = np.arange(6.0, dtype="f4").reshape(3, 2)
    item = {
        "kind": "store", "name": "atlas", "title": "Angle and friction", "base": read("creep"),
        "dims": [
            {"name": "gait.winding_angle", "unit": "rad", "meaning": "", "values": angles},
            {"name": "world.friction.along", "unit": "", "meaning": "", "values": along},
        ],
        "metrics": {"com_distance": {"unit": "m", "meaning": "", "values": items.packed(values)}},
    }  # fmt: skip
    page = tab.show([item], until="window.__snake?.ready && window.__snake.state().done")
    assert tab.state()["description"]["gait"]["winding_angle"] == 1.2  # the best cell is open before anybody clicks
    assert page.locator(".store .columns span").all_inner_texts() == ["0.4", "0.8", "1.2"]
    assert page.locator(".store .axis").all_inner_texts() == ["world friction along", "gait winding angle, rad"]
    canvas = page.locator(".store canvas")
    box = canvas.bounding_box()
    tab.run_after(lambda: canvas.click(position={"x": 0.5 * box["width"], "y": 0.8 * box["height"]}))
    state = tab.state()  # of the second angle, the first friction
    assert (state["description"]["gait"]["winding_angle"], state["description"]["world"]["friction"]["along"]) == (
        0.8,
        0.05,
    )
    own = run_scenario("creep", ["gait.winding_angle=0.8", "world.friction.along=0.05"])
    assert tab.metrics()["com_distance"] == pytest.approx(own.metrics["com_distance"], rel=1e-9)
    tab.photograph(photographs / "sweep.png")
    tab.run_after(lambda: page.select_option("#scenario", "ma2001-case-one"))
    assert page.locator(".store").count() == 0  # the map goes with its sweep


def test_a_study_shows_claims_and_figures(tab: Any, photographs: Path) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (64, 32), (30, 90, 160)).save(picture, "PNG")
    import base64

    claims = [
        {"id": "c1", "source": "p. 1", "claim": "<b>it</b> moves", "measured": "4.143 m", "verdict": "holds"},
        {"id": "c2", "source": "p. 2", "claim": "it turns", "measured": "nearly", "verdict": "holds in part"},
    ]
    item = {
        "kind": "study",
        "name": "ma2001",
        "figures": [{"name": "one", "png": base64.b64encode(picture.getvalue()).decode()}],
        "claims": claims,
    }
    page = tab.show([item], until="window.__snake?.ready && document.querySelector('.study img')?.naturalWidth")
    assert page.locator(".study td").first.inner_text() == "<b>it</b> moves"  # text stays text
    assert page.locator(".study img").evaluate("(i) => i.naturalWidth") == 64
    assert page.locator(".study > p").inner_text() == "2 claims: 1 holds, 1 holds in part"
    assert not page.locator("#centre").is_visible()  # a study has the page to itself
    tab.photograph(photographs / "study.png")


def test_the_best_winding_angle_is_found_and_taken(tab: Any) -> None:
    page = tab.open("#creep&run.step=0.001&run.duration=3&gait.stop_time=3")
    before = tab.metrics()["com_distance"]
    tab.run_after(lambda: page.get_by_role("button", name="Find best winding angle").click())
    angle = tab.state()["description"]["gait"]["winding_angle"]
    assert tab.metrics()["com_distance"] > before
    assert 0.1 < angle < 0.75


def test_driving_turns_the_robot(tab: Any, photographs: Path) -> None:
    page = tab.open("#creep&run.step=0.001")
    page.get_by_role("button", name="Drive").click()
    tab.wait("window.__snake.state().driving && !window.__snake.state().done && window.__snake.state().time > 0.5")
    page.keyboard.down("ArrowLeft")
    tab.wait("window.__snake.studio.motion.rows('heading').at(-1) > 0.3")
    page.keyboard.up("ArrowLeft")
    assert (
        "speed 0.80 m/s" in page.locator(".drive").inner_text()
    )  # the pace that was asked for, whenever steering began
    tab.wait("window.__snake.studio.parts.plots.drawn[0].plot.data[0].at(-1) > 0.5")  # the plots follow the drive
    tab.photograph(photographs / "drive.png")
    page.get_by_role("button", name="Stop driving").click()
    tab.wait("!window.__snake.state().driving")


def test_an_obstacle_is_dragged_and_the_run_follows(tab: Any) -> None:
    obstacle = '[{"kind":"disc","centre":[1.2,0.5],"radius":0.1}]'
    page = tab.open(f"#creep&world.obstacles={obstacle}&run.step=0.001&.camera=top")
    page.evaluate("(() => { const s = window.__snake.studio; s.clock.play(false); s.camera('top'); })()")
    where = """(() => { const s = window.__snake.studio.parts.stage, v = s.furniture.handles[0].object.position.clone().project(s.cameras.active), b = s.canvas.getBoundingClientRect();
        return [b.left + (v.x + 1) / 2 * b.width, b.top + (1 - v.y) / 2 * b.height]; })()"""
    tab.wait(
        "window.__snake.state().camera === 'top' && window.__snake.state().drawnRun === window.__snake.state().runs && !window.__snake.studio.refreshAt"
    )
    x, y = page.evaluate(where)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y + 12, steps=3)
    tab.run_after(page.mouse.up)
    centre = tab.state()["description"]["world"]["obstacles"][0]["centre"]
    assert centre[0] > 1.25
    assert centre[1] < 0.48


def test_walls_are_painted_and_the_goal_is_moved(tab: Any) -> None:
    page = tab.open("#maze", until="window.__snake?.ready && document.querySelector('#cannot-run')")
    page.click('[data-tool="wall"]')
    box = page.locator("#view canvas[tabindex]").bounding_box()
    before = page.evaluate("window.__snake.state().description.plan.map")
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    page.click('[data-tool="goal"]')
    page.mouse.click(box["x"] + 0.56 * box["width"], box["y"] + 0.43 * box["height"])
    plan = tab.state()["description"]["plan"]
    assert plan["map"] != before
    assert "#" in plan["map"]
    assert len(plan["goals"]) == 1
    made = from_text(plan["map"])  # what Python reads
    assert made.cell == plan["cell"]
    assert made.goal == pytest.approx(plan["goals"][0])
