"""The page as a visitor finds it: it moves, its controls answer, what is shown agrees with what is computed, links hold the whole state."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from serpenoid.simulation.run import run_scenario

CLOSE = 1e-9  # relative: the page's kernels are the package's own, compiled once more
SLIDERS = ["gait.winding_angle", "gait.waves", "gait.speed", "world.friction.along", "world.friction.across"]


def distance(name: str, *changes: str) -> float:
    """What Python computes."""
    return float(run_scenario(name, list(changes)).metrics["com_distance"] or 0.0)


def test_the_first_screen_moves_and_says_what_to_try(tab: Any) -> None:
    page = tab.open()
    paths = page.evaluate("[...document.querySelectorAll('.matters [data-path]')].map((e) => e.dataset.path)")
    assert paths == SLIDERS
    assert page.locator(".hint").inner_text().startswith("Try: ")
    first = page.evaluate("window.__snake.nodes()")
    drawn = tab.state()["drawn"]
    tab.wait(f"window.__snake.state().drawn > {drawn + 5} && window.__snake.state().time > 0.3")
    assert page.evaluate("window.__snake.nodes()") != first
    assert tab.state()["playing"]


def test_the_winding_angle_changes_motion_and_metrics_and_undo_brings_them_back(tab: Any) -> None:
    page = tab.open()
    before, motion = tab.metrics(), page.evaluate("window.__snake.nodes(5)")
    tab.run_after(lambda: tab.slide("gait.winding_angle", 70))
    after = tab.metrics()
    assert page.evaluate("window.__snake.nodes(5)") != motion
    wanted = distance("creep", "gait.winding_angle_deg=70")
    assert after["com_distance"] == pytest.approx(wanted, rel=CLOSE)
    assert after["com_distance"] != pytest.approx(before["com_distance"], rel=0.05)
    assert "▼" in page.locator('[data-metric="com_distance"] .change').inner_text()
    tab.run_after(lambda: page.keyboard.press("Control+z"))
    assert tab.metrics() == before
    tab.run_after(lambda: page.keyboard.press("Control+Shift+z"))
    assert tab.metrics() == after


def test_numbers_of_another_scenario_are_not_compared(tab: Any) -> None:
    page = tab.open()
    changes = "[...document.querySelectorAll('#metrics .change')].map((c) => c.textContent).join('')"
    tab.run_after(lambda: tab.slide("gait.winding_angle", 50))
    assert page.evaluate(changes)
    tab.run_after(lambda: page.select_option("#scenario", "ma2001-case-two"))
    assert page.evaluate(changes) == ""


def test_short_lengths_are_shown_in_mm(tab: Any) -> None:
    """Value, change and the table of all numbers have one unit; a distance in m stays."""
    page = tab.open()
    slip = tab.metrics()["slip_per_link"]
    shown = page.inner_text('[data-metric="slip_per_link"] .value').split()
    assert shown[1] == "mm" and float(shown[0]) == pytest.approx(1000 * slip, rel=1e-3)
    page.click(".all-metrics summary")
    rows = page.locator(".all-metrics tr")
    assert rows.filter(has_text="slip per link").inner_text().split()[-2:] == shown
    assert page.inner_text('[data-metric="com_distance"] .value').split()[1] == "m"
    tab.run_after(lambda: tab.slide("world.friction.across", 0.2))
    more = tab.metrics()["slip_per_link"]
    assert page.inner_text('[data-metric="slip_per_link"] .value').split()[1] == ("mm" if more < 0.01 else "m")
    change = page.inner_text('[data-metric="slip_per_link"] .change').split()
    assert float(change[1]) == pytest.approx((more - slip) * (1000 if more < 0.01 else 1), rel=0.01)


def test_equal_friction_is_shown_by_one_button(tab: Any) -> None:
    page = tab.open()
    tab.run_after(lambda: page.get_by_role("button", name="Show me").click())
    wanted = distance("creep", "world.friction.across=0.1", "world.friction.axes=together")
    assert tab.metrics()["com_distance"] == pytest.approx(wanted, rel=CLOSE)
    assert wanted < 0.1 * distance("creep")  # it waves, slips, and hardly goes forward
    assert page.get_by_role("button", name="Show me").count() == 0
    tab.run_after(lambda: page.keyboard.press("Control+z"))
    assert page.get_by_role("button", name="Show me").is_visible()


def test_while_dragging_a_preview_is_shown_and_marked(tab: Any) -> None:
    page = tab.open()
    before = tab.state()["runs"]
    slider = """(() => { const s = document.querySelector('[data-path="gait.waves"] input[type="range"]');
        s.value = "2.6"; s.dispatchEvent(new Event("input")); return s; })()"""
    page.evaluate(slider)
    tab.wait(f"window.__snake.state().runs > {before} && window.__snake.state().preview")
    tab.wait(DONE := "window.__snake.state().done")
    assert page.locator("#preview").is_visible()
    assert tab.state()["step"] > 2.5e-4
    coarse = tab.metrics()["com_distance"]
    tab.run_after(lambda: page.evaluate(f"{slider}.dispatchEvent(new Event('change'))"))
    tab.wait(DONE)
    assert not page.locator("#preview").is_visible()
    assert coarse == pytest.approx(tab.metrics()["com_distance"], rel=0.005)  # what a preview promises


def test_scrubbing_moves_the_snake_and_the_cursors(tab: Any) -> None:
    page = tab.open()
    page.evaluate("window.__snake.studio.clock.play(false)")
    seen = []
    for share in (0.25, 0.75):
        page.evaluate(
            f"(() => {{ const s = document.querySelector('#scrub'); s.value = {1000 * share}; s.dispatchEvent(new Event('input')); }})()"
        )
        state = tab.state()
        assert state["time"] == pytest.approx(8.0 * share)
        seen.append((page.evaluate("window.__snake.nodes()")[0], page.evaluate("window.__snake.cursors()")))
    assert seen[1][0] - seen[0][0] > 1.0  # m
    assert len(seen[0][1]) == 5
    for left, right in zip(seen[0][1], seen[1][1], strict=True):
        assert right > left + 50  # px


def test_a_click_in_a_plot_moves_the_time(tab: Any) -> None:
    page = tab.open()
    over = page.locator('[data-plot="speed"] .u-over')
    box = over.bounding_box()
    over.click(position={"x": 0.6 * box["width"], "y": 0.5 * box["height"]})
    assert not tab.state()["playing"]
    assert tab.state()["time"] == pytest.approx(0.6 * 8.0, abs=8.0 / box["width"] + 0.02)
    over.hover(position={"x": 0.3 * box["width"], "y": 0.5 * box["height"]})
    shown = page.locator('[data-plot="speed"] .readout').inner_text()
    assert float(shown) == pytest.approx(0.652, abs=0.02)  # the steady speed, m/s


@pytest.mark.parametrize(
    ("path", "typed", "told"),
    [
        ("gait.winding_angle", "abc", 'Winding angle must be between -180 and 180 deg, got "abc"'),
        ("gait.winding_angle", "500", "Winding angle must be between -180 and 180 deg, got 500 deg"),
        ("world.friction.across", "-0.2", "Across must be >= 0, got -0.2"),
    ],
)
def test_a_bad_value_is_refused_in_words(tab: Any, path: str, typed: str, told: str) -> None:
    page = tab.open()
    before = tab.state()["description"]
    field = page.locator(f'.matters [data-path="{path}"]')
    box = field.locator('input[type="text"]')
    box.fill(typed)
    box.press("Enter")
    assert field.locator(".problem").inner_text() == told
    assert box.get_attribute("aria-invalid") == "true"
    assert tab.state()["description"] == before
    tab.run_after(lambda: (box.fill("0.7"), box.press("Enter")))
    assert not field.locator(".problem").is_visible()


def test_what_only_the_physics_can_refuse_is_told_beside_its_field(tab: Any) -> None:
    page = tab.open("#creep&robot.links=1", until="window.__snake?.ready")
    page.locator("#toast.error, .problem:visible").first.wait_for()
    told = " ".join(page.locator("#toast.error, .problem:visible").all_inner_texts())
    assert told == "robot.links must be a whole number from 2 to 20000, got 1"


def test_the_papers_case_two(tab: Any) -> None:
    tab.open("#ma2001-case-two")
    assert tab.metrics()["com_distance"] == pytest.approx(4.143, abs=5e-4)
    tab.run_after(lambda: tab.page.evaluate(
        "window.__snake.studio.doc.replace({...window.__snake.studio.doc.description, gait: {...window.__snake.studio.doc.description.gait, waves: 2, winding_angle: Math.PI / 4}})"
    ))  # fmt: skip
    assert tab.metrics()["com_distance"] == pytest.approx(4.450, abs=5e-4)


def test_a_link_opens_its_state_and_the_copied_link_says_the_same(tab: Any) -> None:
    page = tab.open(
        "#creep&gait.winding_angle=0.9&world.friction.along=0.2&.t=3.25&.camera=top",
        until="window.__snake?.state().done && window.__snake.state().time > 3",
    )
    state = tab.state()
    assert (state["name"], state["camera"], state["time"]) == ("creep", "top", pytest.approx(3.25))
    assert not state["playing"]
    assert state["description"]["gait"]["winding_angle"] == 0.9
    assert page.locator('[data-path="gait.winding_angle"] input[type="text"]').first.input_value() == str(
        round(math.degrees(0.9), 4)
    )
    assert tab.metrics()["com_distance"] == pytest.approx(
        distance("creep", "gait.winding_angle=0.9", "world.friction.along=0.2"), rel=CLOSE
    )
    page.click("#share")
    command = page.locator(".way code").inner_text()
    assert command == "serpenoid run creep --set gait.winding_angle=0.9 --set world.friction.along=0.2"
    page.click("#copy-link")
    tab.wait("document.querySelector('#toast').classList.contains('shown')")
    link = page.evaluate("location.hash")
    before = tab.metrics()
    page.goto("about:blank")
    tab.open(link, until="window.__snake?.state().done && window.__snake.state().time > 3")
    assert tab.state()["description"] == state["description"]
    assert tab.metrics() == before


def test_a_damaged_link_is_told(tab: Any) -> None:
    page = tab.open("#creep&gait.winding_angle=0.9.1")
    assert "gait.winding_angle" in page.locator("#toast").inner_text()


def test_keys_play_step_and_choose_cameras(tab: Any) -> None:
    page = tab.open()
    page.locator("#view canvas[tabindex]").focus()
    page.keyboard.press("Space")
    assert not tab.state()["playing"]
    page.keyboard.press("Home")
    page.keyboard.press(".")
    assert tab.state()["time"] == pytest.approx(0.01)
    page.keyboard.press("End")
    assert tab.state()["time"] == pytest.approx(8.0)
    page.keyboard.press("4")
    assert tab.state()["camera"] == "side"
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")


def test_every_control_has_a_name_and_shows_its_focus(tab: Any) -> None:
    page = tab.open()
    page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    nameless = page.evaluate(
        """[...document.querySelectorAll('button, input, select, summary')].filter((e) => {
          const label = e.id && document.querySelector(`label[for="${e.id}"]`);
          return !(e.getAttribute('aria-label') || label || e.innerText || e.title);
        }).map((e) => e.outerHTML)"""
    )
    assert nameless == []
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_reduced_motion_is_respected(tab: Any) -> None:
    tab.page.emulate_media(reduced_motion="reduce")
    tab.open()
    assert (tab.state()["playing"], tab.state()["time"]) == (False, 0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_can_be_read(tab: Any, tmp_path: Path, scheme: str) -> None:
    tab.page.emulate_media(color_scheme=scheme)
    page = tab.open()
    contrast = """(() => {
      const rgb = (c) => c.match(/[\\d.]+/g).slice(0, 3).map((x) => { x /= 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; });
      const light = (c) => { const [r, g, b] = rgb(c); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
      const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)|transparent/.test(c) && !c.startsWith('color(')) return c; } return 'rgb(255, 255, 255)'; };
      return [...document.querySelectorAll('label, .unit, dt, .value, .hint, h2, summary, button:not(:disabled), .needs, output')].filter((e) => e.innerText && e.offsetParent)
        .map((e) => { const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x); return [(a + 0.05) / (b + 0.05), e.innerText.slice(0, 30)]; })
        .sort((x, y) => x[0] - y[0])[0];
    })()"""
    worst, where = page.evaluate(contrast)
    assert worst >= 4.5, where  # WCAG AA
    assert len(tab.photograph(tmp_path / f"{scheme}.png")) > 30_000


def test_where_a_processor_draws_everything_it_draws_the_plots_directly(tab: Any) -> None:
    page = tab.open()
    assert "swiftshader" in tab.state()["renderer"].lower()
    direct = "[...document.querySelectorAll('#plots canvas')].map((c) => c.getContext('2d').getContextAttributes().willReadFrequently)"
    drawn = page.evaluate(direct)
    assert len(drawn) >= 4
    assert all(drawn)


def test_where_a_processor_draws_everything_a_sketch_answers_and_the_full_picture_follows(tab: Any) -> None:
    page = tab.open()
    tab.wait("window.__snake.state().picture === 'full'")
    page.evaluate("window.__snake.studio.clock.play(false)")
    seen = page.evaluate(
        """async () => {
      const snake = window.__snake, before = snake.state().runs, slider = document.querySelector('[data-path="gait.winding_angle"] input[type="range"]');
      slider.value = "52";
      slider.dispatchEvent(new Event("input"));
      while (snake.state().runs === before || snake.state().drawnRun !== snake.state().runs) await new Promise(requestAnimationFrame);
      const canvas = document.querySelector("canvas.sketch"), pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const colours = new Set();
      for (let i = 0; i < pixels.length; i += 4) colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
      return { picture: snake.state().picture, hidden: canvas.hidden, colours: colours.size };
    }"""
    )
    assert seen["picture"] == "sketch"
    assert not seen["hidden"]
    assert seen["colours"] > 50  # body, arrows, trail and ground, not one plain area
    tab.wait("window.__snake.state().picture === 'full' && document.querySelector('canvas.sketch').hidden")


def test_a_slider_of_the_gait_leaves_the_world_as_it_is(tab: Any) -> None:
    page = tab.open()
    page.evaluate(
        """() => { const stage = window.__snake.studio.parts.stage, set = stage.setWorld; window.worlds = 0;
          stage.setWorld = function (...given) { window.worlds++; return set.apply(this, given); }; }"""
    )
    tab.run_after(lambda: tab.slide("gait.winding_angle", 50))
    assert page.evaluate("window.worlds") == 0
    tab.run_after(lambda: tab.slide("world.friction.along", 0.2))
    assert page.evaluate("window.worlds") > 0
