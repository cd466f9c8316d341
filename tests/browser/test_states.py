"""What is shown is of the state that is named: through undo, refusals, searches, links, comparisons and things of one name."""

from __future__ import annotations

from typing import Any

import pytest

from serpenoid import robots
from serpenoid.formats.scenario import bundled, read
from serpenoid.simulation.compare import check_engines
from serpenoid.simulation.run import run_scenario
from serpenoid.studio import items

LONGEST_TITLE = 30  # characters of an entry of the list
CLOSE = 1e-9  # relative: the page's kernels are the package's own, compiled once more
SHORT = "run.duration=1&run.step=0.001"
OUTDATED = "document.querySelector('.metrics.outdated') !== null"
COMPLAINT = (
    "document.querySelector('#toast').textContent || document.querySelector('.problem:not([hidden])')?.textContent"
)


def undo(tab: Any) -> None:
    tab.page.keyboard.press("Control+z")


def recorded(name: str, *changes: str) -> dict[str, Any]:
    """A run to be replayed."""
    return items.item_of(run_scenario("creep", ["run.duration=1", "run.step=1e-3", *changes]), name)


def sweep() -> dict[str, Any]:
    """A map of one cell for each of two angles."""
    return {
        "kind": "store", "name": "two", "title": "Two angles", "base": {**read("creep"), "run": {"duration": 1, "step": 1e-3}},
        "dims": [{"name": "gait.winding_angle", "unit": "rad", "meaning": "", "values": [0.4, 0.8]}],
        "metrics": {"com_distance": {"unit": "m", "meaning": "", "values": items.packed([0.1, 0.2])}},
    }  # fmt: skip


def test_a_plan_that_comes_back_brings_no_motion_of_another_state(tab: Any) -> None:
    page = tab.open(f"#creep&{SHORT}")
    page.select_option("#scenario", "concertina")
    tab.wait("window.__snake.state().frames === 0")
    tab.run_after(lambda: undo(tab))
    assert (tab.state()["name"], tab.state()["frames"] > 0) == ("creep", True)
    page.keyboard.press("Control+Shift+z")
    tab.wait("window.__snake.state().name === 'concertina' && window.__snake.state().frames === 0")
    assert tab.metrics() == {}
    assert page.locator("#metrics .value").count() == 0


def test_numbers_of_the_state_before_a_refusal_are_told_to_be_that(tab: Any) -> None:
    page = tab.open(f"#creep&{SHORT}")
    page.evaluate("window.__snake.studio.doc.set(['robot', 'links'], 1)")
    tab.wait(OUTDATED)
    assert page.locator("#metrics .status").inner_text() == "These numbers are of the last state that could be run."
    page.click('[data-layout="overlay"]')  # draws the old motion again
    assert page.evaluate(OUTDATED)
    tab.run_after(lambda: undo(tab))
    tab.wait(f"!({OUTDATED})")
    assert page.locator("#metrics .status").inner_text() == ""


def test_a_search_ends_with_its_state(tab: Any) -> None:
    page = tab.open("#creep")
    page.get_by_role("button", name="Find best winding angle").click()
    tab.wait("document.querySelector('.working progress').value > 0")
    tab.run_after(lambda: page.select_option("#scenario", "ma2001-case-one"))
    page.locator(".working").wait_for(state="hidden")
    assert tab.state()["description"]["gait"] == page.evaluate("window.__snake.studio.doc.base.gait")
    assert page.get_by_role("button", name="Find best winding angle").is_enabled()


def test_a_search_can_be_stopped(tab: Any) -> None:
    page = tab.open("#creep")
    before = tab.state()["description"]
    page.get_by_role("button", name="Find best winding angle").click()
    tab.wait("document.querySelector('.working progress').value > 0")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.locator(".working").wait_for(state="hidden")
    assert tab.state()["description"] == before


def test_a_run_called_like_a_scenario_leaves_the_scenario_in_the_list(tab: Any) -> None:
    item = recorded("creep", "gait.waves=1.5")
    page = tab.show([item])
    assert tab.state()["name"] == "creep (run)"
    assert tab.metrics()["com_distance"] == item["metrics"]["com_distance"]
    tab.run_after(lambda: page.select_option("#scenario", "creep"))
    assert tab.metrics()["com_distance"] == pytest.approx(run_scenario("creep").metrics["com_distance"], rel=CLOSE)


def test_a_shape_and_a_run_stand_side_by_side(tab: Any) -> None:
    page = tab.open(f"#creep&{SHORT}")
    page.click('[data-layout="side"]')
    tab.run_after(lambda: page.select_option("#scenario", "shape-helix"))
    tab.run_after(lambda: tab.slide("shape.torsion", 1.5))
    assert page.locator("#plots figure").count() == 3
    page.click('[data-layout="single"]')
    page.click('[data-layout="overlay"]')
    tab.run_after(lambda: tab.slide("shape.torsion", 0.5))
    assert page.locator('[data-plot="kappaA"] .readout span').count() == 2
    tab.run_after(lambda: page.select_option("#scenario", "creep"))
    assert page.locator('[data-plot="speed"] .readout span').count() == 1


@pytest.mark.parametrize(
    "fragment",
    [
        "creep&gait=5", "creep&robot=7&world=true", 'creep&gait.kind="nope"', "nowhere", "creep&.base=4", "%zz", "creep&world.obstacles=5",
        "creep&.pin=oops&.layout=side", "creep&.pin=[[%22gait.waves%22,-4]]&.layout=overlay", "creep&a.b.c=1", "creep&run=[]", "maze&plan=3",
    ],
)  # fmt: skip
def test_a_link_that_makes_no_sense_is_told_and_the_page_goes_on(tab: Any, fragment: str) -> None:
    page = tab.open(f"#{fragment}", until=f"window.__snake?.ready && ({COMPLAINT} || document.querySelector('.needs'))")
    tab.run_after(lambda: page.evaluate(f"location.hash = 'creep&gait.waves=1.7&{SHORT}'"))
    wanted = run_scenario("creep", ["gait.waves=1.7", "run.duration=1", "run.step=1e-3"]).metrics["com_distance"]
    assert tab.metrics()["com_distance"] == pytest.approx(wanted, rel=CLOSE)


def test_every_scenario_stands_in_the_list_with_a_short_title(tab: Any) -> None:
    page = tab.open(f"#creep&{SHORT}")
    listed = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('#scenario option')].map((o) => [o.value, [o.parentElement.label, o.textContent]]))"
    )
    for name in bundled():
        group, title = listed[name]
        data = read(name)
        space = "In space" if "ground" in data.get("world", {}) else "In the plane"
        assert group == ("Plans" if "plan" in data else space), name
        assert len(title) <= LONGEST_TITLE, title


def test_a_link_into_a_sweep_opens_its_cell(tab: Any) -> None:
    page = tab.show([sweep()], until="window.__snake?.state().done")
    tab.run_after(lambda: tab.slide("world.friction.along", 0.2))
    numbers, description = tab.metrics(), tab.state()["description"]
    page.click("#share")
    page.click("#copy-link")
    tab.wait("document.querySelector('#toast').classList.contains('shown')")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    tab.wait("window.__snake?.state().done")
    assert (tab.state()["description"], tab.metrics()) == (description, numbers)
    assert page.locator(".store canvas").is_visible()


def test_the_map_of_a_sweep_comes_and_goes_with_its_states(tab: Any) -> None:
    page = tab.show([sweep()], until="window.__snake?.state().done")
    tab.run_after(lambda: page.select_option("#scenario", "ma2001-case-two"))
    assert page.locator(".store").count() == 0
    tab.run_after(lambda: undo(tab))
    assert (tab.state()["name"], page.locator(".store").count()) == ("two", 1)


def test_undo_leaves_a_study(tab: Any) -> None:
    study = {"kind": "study", "name": "one", "figures": [], "claims": []}
    page = tab.show([recorded("kept"), study])
    page.select_option("#scenario", "one")
    assert page.locator(".study").is_visible()
    assert page.locator("#scenario").input_value() == "one"
    tab.run_after(lambda: page.select_option("#scenario", "creep"))
    page.select_option("#scenario", "one")
    page.locator(".study").wait_for()
    undo(tab)
    page.locator(".study").wait_for(state="detached")
    assert page.locator("#centre").is_visible()


def test_the_command_tells_all_changes_of_a_scenario_that_was_opened_with_some(tab: Any) -> None:
    data = {**read("creep"), "run": {"duration": 1, "step": 1e-3}}
    page = tab.show([items.item_of(data, "creep")])
    page.click("#share")
    assert page.locator(".way code").inner_text() == "serpenoid run creep --set run.duration=1 --set run.step=0.001"


def test_a_robot_shows_itself_and_nothing_that_it_has_not(tab: Any) -> None:
    page = tab.show([items.robot_item(robots.ma2001(links=9))], until="window.__snake?.state().drawnRun > 0")
    assert page.locator("#view").is_visible()
    for what in ("#panel", "#side", "#timeline"):
        assert not page.locator(what).is_visible()


def test_the_engines_that_are_asked_for_exist(tab: Any) -> None:
    asked: list[Any] = []

    def answer(route: Any) -> None:
        asked.append(route.request.post_data_json)
        route.fulfill(status=200, json={"job": "x", "state": "failed", "progress": 0, "text": "told"})

    tab.page.route("**/api/**", answer)
    page = tab.show(
        [items.item_of({**read("creep"), "run": {"duration": 1, "step": 1e-3}}, "creep")], server=True, studies=[]
    )
    page.get_by_role("button", name="Compare with MuJoCo").click()
    page.locator("#toast.error").wait_for()
    jobs = [one for one in asked if isinstance(one, dict) and one.get("task") == "compare"]
    assert check_engines(",".join(jobs[0]["engines"])) == ["own", "mujoco"]


def test_shapes_are_not_offered_what_only_robots_have(tab: Any) -> None:
    tab.page.route("**/api/**", lambda route: route.fulfill(status=200, json=[]))
    block = [items.item_of({**read("creep"), "run": {"duration": 1, "step": 1e-3}}, "creep")]
    page = tab.show(block, server=True, studies=[])
    assert page.get_by_role("button", name="Film").count() == 1
    tab.run_after(lambda: page.select_option("#scenario", "shape-helix"))
    assert page.locator(".tasks button:visible").count() == 0


def test_the_time_line_reaches_to_the_end_of_the_longer_run(tab: Any) -> None:
    page = tab.show([recorded("short"), {**recorded("long", "run.duration=2"), "name": "long"}])
    tab.wait("window.__snake.state().layout === 'overlay'")
    page.evaluate(
        "(() => { const s = document.querySelector('#scrub'); s.value = 900; s.dispatchEvent(new Event('input')); })()"
    )
    assert tab.state()["time"] == pytest.approx(1.8)


def test_what_only_the_server_carries_out_is_told_so(tab: Any) -> None:
    item = items.item_of({**read("creep"), "run": {"duration": 1, "step": 1e-3}}, "mine")
    why = "a controller is a Python function, which a page cannot call: start `serpenoid studio`"
    page = tab.show([{**item, "runnable": False, "why": why}], until="window.__snake?.ready")
    assert page.locator("#cannot-run").inner_text() == why
    assert "drag a slider" not in page.locator(".hint").inner_text()
    assert tab.state()["frames"] == 0
