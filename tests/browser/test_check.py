"""A run that is shown is checked by a second run at another step, as the package checks it, and never at the cost of what is asked next."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from test_web_check import same_shares, same_words

COARSE = ("rectilinear", "run.step=0.01")
DRIVEN = ("ma2001-torque-damped", "run.step=0.01")  # in the plane, where no contact magnifies rounding
CHECKED = "window.__snake?.ready && window.__snake.state().check === 'done'"
UNDER_WAY = "window.__snake?.ready && window.__snake.state().check === 'under way'"
NOTE = "#metrics .status"
LONG = "run.duration=60&run.step=0.00025"  # of a run whose second run takes a while


def native(folder: Path, name: str, *changes: str) -> dict[str, Any]:
    """What the command line says."""
    given = [part for change in changes for part in ("--set", change)]
    command = [sys.executable, "-m", "serpenoid", "run", name, *given, "--json", "--out", str(folder)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def at_once(act: str) -> str:
    """A condition that holds as soon as a run is about to be checked; by then it has done this, too."""
    return f"{UNDER_WAY} && (window.held = window.__snake.studio.motion, {act}, true)"


def test_a_step_that_is_too_long_is_told_in_the_words_of_the_command_line(tab: Any, tmp_path: Path) -> None:
    page = tab.open("#" + "&".join(DRIVEN), until=CHECKED)
    wanted, state = native(tmp_path, *DRIVEN), tab.state()
    assert wanted["warnings"][-1].startswith("not converged at a step of 0.01 s")
    assert (state["status"], len(state["warnings"])) == (wanted["status"], len(wanted["warnings"]))
    pairs = zip(state["warnings"], wanted["warnings"], strict=True)
    assert all(same_words(a, b) or same_shares(a, b, True) for a, b in pairs)
    assert page.locator(NOTE).inner_text() == " · ".join(state["warnings"])


def test_a_run_that_has_converged_is_told_nothing(tab: Any) -> None:
    page = tab.open("#creep", until=CHECKED)
    assert (tab.state()["status"], tab.state()["warnings"]) == ("ok", [])
    assert page.locator(NOTE).inner_text() == ""


def test_a_run_that_is_not_to_be_checked_is_not(tab: Any) -> None:
    page = tab.open("#" + "&".join((*COARSE, "run.checked=false")))
    assert tab.state()["check"] == "none"
    assert not any(text.startswith("not converged") for text in tab.state()["warnings"])
    page.evaluate("window.__snake.studio.doc.set(['run', 'checked'], true)")
    tab.wait(CHECKED)
    assert tab.state()["warnings"][-1].startswith("not converged")


def test_a_motion_that_leaves_its_horizon_is_told_to(tab: Any, tmp_path: Path) -> None:
    changes = ("run.duration=3", "run.step=0.0005")
    page = tab.open("#ma2001-torque&" + "&".join(changes), until=CHECKED)
    wanted, state = native(tmp_path, "ma2001-torque", *changes), tab.state()
    assert (wanted["status"], state["status"]) == ("left-horizon", "left-horizon")
    assert state["message"] == wanted["message"]
    assert page.locator(NOTE).inner_text().startswith(f"left-horizon: {wanted['message']}")
    assert page.locator(f"{NOTE}.bad").count() == 0  # its numbers can be used


def test_a_check_gives_way_to_what_is_asked_next(tab: Any) -> None:
    page = tab.open(f"#creep&{LONG}", until=at_once("location.hash = 'rectilinear&run.step=0.01'"))
    tab.wait(f"{CHECKED} && window.__snake.state().name === 'rectilinear'")
    assert tab.state()["warnings"][-1].startswith("not converged")
    assert page.evaluate("window.held.check") == "under way"  # for ever: it was given up


def test_a_preview_and_a_drive_are_not_checked(tab: Any) -> None:
    page = tab.open("#creep&run.duration=1&run.step=0.001", until=CHECKED)
    page.evaluate(
        """() => {
          const slider = document.querySelector('[data-path="gait.waves"] input[type="range"]');
          slider.value = "1.7";
          slider.dispatchEvent(new Event("input"));
        }"""
    )
    tab.wait("window.__snake.state().preview && window.__snake.state().done")
    assert tab.state()["check"] == "none"
    tab.slide("gait.waves", 1.6)
    tab.wait(f"!window.__snake.state().preview && {CHECKED}")
    before = tab.state()["runs"]
    page.get_by_role("button", name="Drive").click()
    tab.wait(f"window.__snake.state().runs > {before} && window.__snake.state().driving")
    page.get_by_role("button", name="Stop driving").click()
    tab.wait("!window.__snake.state().driving && window.__snake.state().done")
    assert tab.state()["check"] == "none"


def test_a_search_is_answered_while_a_run_is_checked(tab: Any) -> None:
    find = "[...document.querySelectorAll('button')].find((b) => b.textContent.startsWith('Find best winding')).click()"
    page = tab.open(f"#creep&{LONG}", until=at_once(find))
    tab.wait("document.querySelector('.working progress').value > 0")
    assert tab.state()["check"] == "under way"  # it waits
    page.get_by_role("button", name="Stop", exact=True).click()
    tab.wait(CHECKED)  # and goes on
    assert tab.state()["status"] == "ok"


def test_numbers_of_another_state_stay_marked_when_their_check_comes(tab: Any) -> None:
    change = "window.__snake.studio.doc.set(['world', 'friction', 'law'], 'custom')"  # which the page cannot run
    page = tab.open("#" + "&".join(COARSE), until=at_once(change))
    tab.wait("window.held.check === 'done'")
    assert page.evaluate("window.held.outcome.warnings.at(-1)").startswith("not converged")
    assert page.locator(NOTE).inner_text() == "These numbers are of the state before the change."
