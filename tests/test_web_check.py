"""The page's second run at another step says what the package's says: warnings, status and time, word by word and to 1 % in numbers."""

from __future__ import annotations

import re
from typing import Any

import pytest

from serpenoid.formats.scenario import read
from serpenoid.simulation.budget import PLANE_COST, SPACE_COST
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import setup_of
from web_cases import PLANE, SPACE, with_
from web_runs import page_runs

SHARE = re.compile(r"([a-z][a-z ]*[a-z]) (inf|[\d.e+-]+)%")
LISTED = re.compile(r"(?<=off)(: | by ).*?%(?= \()")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
CLOSE = 0.01  # relative: figures are differences of runs that agree to rounding
DIGIT = 0.1  # of percentages of two digits: the last one
LOOSE = 0.3  # the same of runs in space at far too long a step, where contacts are made and broken otherwise
HAIR = 1e-13  # rad: rounding, which contacts that are made and broken magnify
LEAST = 5.0  # percent: what is named with less may be left out by the other, there
CASES = {
    "twice the step": read("creep"),
    "a doubt, settled by half the step": read("creep", ["run.step=0.01"]),
    "far too long a step": read("rectilinear", ["run.step=0.01"]),
    "on a slope": read("slope", ["run.step=0.01"]),
    "few steps": read("creep", ["run.duration=0.2", "run.step=0.01"]),
    "explicit": with_(PLANE, run__integrator="rk4", world__friction={"law": "coulomb", "along": 0.1, "across": 0.5, "smoothing": 1e-3}),
    "in space": with_(SPACE, run__step=1e-3),
    "torques": read("ma2001-torque", ["run.duration=1"]),
    "the horizon": read("ma2001-torque", ["run.duration=3", "run.step=0.0005"]),
    "the horizon, and not converged": read("ma2001-torque", ["run.duration=2", "run.step=0.01"]),
}  # fmt: skip
STIFF = with_(PLANE, world__friction={"law": "viscous", "along": 5e3, "across": 5e3})
SAYS_SO = ("far too long a step", "on a slope", "in space", "the horizon, and not converged")
LEAVES = ("the horizon", "the horizon, and not converged")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    unchecked = with_(CASES["far too long a step"], run__checked=False)
    cases = {**CASES, "unchecked": unchecked, "diverged": with_(STIFF, run__integrator="euler", run__step=5e-3)}
    folder = tmp_path_factory.mktemp("check")
    return page_runs(folder, [{"name": name, "description": dict(case), "check": True} for name, case in cases.items()])


def same_shares(mine: str, native: str, loose: bool) -> bool:
    """Whether two findings name the same numbers with the same percentages, and are the same words without them."""
    one, other = ({name: float(share) for name, share in SHARE.findall(text)} for text in (mine, native))
    near = all(
        one.get(name, 0.0)
        == pytest.approx(other.get(name, 0.0), rel=LOOSE if loose else DIGIT, abs=LEAST if loose else 0.0)
        for name in {**one, **other}
    )
    rests = [NUMBER.sub("#", LISTED.sub("#", text)) for text in (mine, native)]
    return bool(one) and near and rests[0] == rests[1]


def same_words(mine: str, native: str) -> bool:
    """Whether two sentences agree, their numbers to 1 %."""
    one, other = ([float(x) for x in NUMBER.findall(text)] for text in (mine, native))
    return NUMBER.sub("#", mine) == NUMBER.sub("#", native) and one == pytest.approx(other, rel=CLOSE)


def rounding_decides(name: str, native: list[str]) -> bool:
    """Whether in Python alone a hair of the first heading changes the shares by more than is compared."""
    turned = with_(dict(CASES[name]), start__heading=HAIR)
    again = [text for text in execute(setup_of(turned)).warnings if text.startswith(("not converged", "rough: "))]
    return len(again) != len(native) or not all(same_shares(a, b, True) for a, b in zip(again, native, strict=True))


@pytest.mark.parametrize("name", CASES)
def test_the_second_run_says_the_same(name: str, page: Any) -> None:
    told, run = page[name]["checked"], execute(setup_of(CASES[name]))
    found = [text for text in told["warnings"] if text not in page[name]["outcome"]["warnings"]]
    native = [text for text in run.warnings if text.startswith(("not converged", "rough: "))]
    assert any(text.startswith("not converged") for text in native) == (name in SAYS_SO)
    assert len(found) == len(native)
    loose = name in ("far too long a step", "on a slope")
    alike = all(same_shares(a, b, loose) for a, b in zip(found, native, strict=True))
    assert alike or (loose and rounding_decides(name, native)), (found, native)
    assert told["warnings"][: len(page[name]["outcome"]["warnings"])] == page[name]["outcome"]["warnings"]
    assert (told["status"] == "left-horizon") == (name in LEAVES)
    assert told["status"] == run.status.name
    assert same_words(told["message"], run.status.message)
    if name in LEAVES:
        assert told["time"] == pytest.approx(run.status.time, rel=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_the_second_run_can_be_left_at_any_time(name: str, page: Any) -> None:
    """What is done between two looks at what is asked: at most 1 ms of an average computer's work, the rest of it included."""
    run = setup_of(CASES[name])
    cost = (SPACE_COST if run.spatial else PLANE_COST) * run.robot.links * run.settings.duration / page[name]["step"]
    assert page[name]["checked"]["slices"] >= cost / 2.0 / 1e-3


def test_where_there_is_no_second_run(page: Any) -> None:
    assert page["unchecked"]["outcome"]["status"] == "ok"
    assert page["unchecked"]["checked"] is None
    assert page["diverged"]["outcome"]["status"] == "diverged"
    assert page["diverged"]["checked"] is None
