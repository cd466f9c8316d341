"""The study of the fragment on following a path: its verdicts, the specification's numbers, and laws that its parts rest on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.planning import laid, maps, settle, solve
from serpenoid.studies.pathfollow import field, links, told
from study_cases import check_verdicts, quick_study

STUDY = Path(sp.__file__).parent / "studies" / "pathfollow"
HOLDS, IN_PART = "holds", "holds in part"
VERDICTS = {
    "PTH-1a": HOLDS, "PTH-1b": IN_PART, "PTH-1c": HOLDS, "PTH-2a": IN_PART, "PTH-2b": IN_PART, "PTH-3": HOLDS, "PTH-4a": IN_PART,
    "PTH-4b": IN_PART, "PTH-5a": HOLDS, "PTH-5b": HOLDS, "PTH-5c": HOLDS, "PTH-6a": HOLDS, "PTH-6b": IN_PART, "PTH-6c": IN_PART,
    "PTH-6d": IN_PART, "PTH-7a": HOLDS, "PTH-7b": HOLDS, "PTH-7c": HOLDS,
}  # fmt: skip


@pytest.fixture(scope="module")
def ground() -> field.Ground:
    return field.ground()


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The quick study, once, with its folder and what it told of its progress."""
    return quick_study("pathfollow", tmp_path_factory.mktemp("pathfollow"))


def test_verdicts(result: dict[str, Any]) -> None:
    check_verdicts(result, VERDICTS, STUDY)


def test_numbers_that_the_specification_knows(result: dict[str, Any]) -> None:
    said = {claim["id"]: claim["measured"] for claim in result["claims"]}
    for claim, text in {
        "PTH-1a": "u = 2.6775e-10 at the start",
        "PTH-3": "244 points, 121.3 cells, 4.85 from the nearest wall node",
        "PTH-4b": "63 of 122 increments have unsettled links, a tip is 11.6 cells off and the head ends 29.2 cells",
        "PTH-6a": "23 turns at E = 5 deg, tips 0.014/0.063 cells off; 97 turns at 1 deg",
        "PTH-6b": "six 164 turns, 0.133 at worst",
    }.items():
        assert text in said[claim], claim


def test_what_lies_beyond_the_fragment_says_so(result: dict[str, Any]) -> None:
    beyond = {claim["id"] for claim in result["claims"] if "eyond" in claim["source"]}
    assert beyond == {"PTH-7a", "PTH-7b", "PTH-7c"}


def test_files_and_progress(result: dict[str, Any]) -> None:
    for path in result["figures"]:
        assert Path(path).parent == result["out"] and Path(path).stat().st_size > 20_000
    names = {Path(path).name for path in result["figures"]}
    assert {"fig1-closest-point.png", "fig2-two-links.png", "on-the-way.png"} <= names
    assert result["told"] == sorted(result["told"]) and result["told"][-1] == 1.0


@pytest.mark.parametrize("count", [2, 3, 6])
def test_both_programs_turn_alike(ground: field.Ground, count: int) -> None:
    """The text in plain Python against the compiled kernels, same search and order: the same posture by the same turns, but for one
    that rounding decides."""
    plain = links.told(ground.path, count, each=True)
    kernel = settle(
        ground.path, np.full(count, 5.0), np.full(count, links.UP), tol=links.TOL, search="literal", project=False
    )
    assert abs(kernel.turns - plain.turns) <= 1 and kernel.joints == pytest.approx(plain.joints, abs=1e-6)


def test_order_decides_whether_six_links_fold(ground: field.Ground) -> None:
    """All tips on the path either way; against the posture laid on it exactly, only one order has the head where it belongs."""
    exact = ground.path.at(laid(ground.path, np.full(6, 5.0)))
    points = ground.path.points
    for each, least, most in ((True, 0.0, 0.5), (False, 10.0, 30.0)):
        got = links.told(ground.path, 6, each=each)
        assert got.off_path.max() < links.TOL and told.lies_along(points, got.joints) == each
        assert least <= np.hypot(*(got.joints[-1] - exact[-1])) < most
    assert told.lies_along(points, exact) and not told.lies_along(points, exact[::-1])


def test_turns_without_the_smaller_angle_shake() -> None:
    """A link of 5 on a straight path, 7 deg off, E = 10 deg: as printed one turn and rest, always by E never at rest."""
    points = np.stack([np.arange(0.0, 8.0, 0.1), np.zeros(80)], axis=1)
    for fixed in (False, True):
        got = told.settle_told(points, np.array([5.0]), np.radians([7.0]), np.radians(10.0), 0.06, fixed=fixed)
        assert got.restless == ((0,) if fixed else ()) and (got.turns == told.PATIENCE if fixed else got.turns < 4)
        assert (got.passed > 0.01) == fixed


def test_printed_search_stops_at_the_first_rise() -> None:
    points = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 3.0], [1.0, 3.0], [0.0, 3.0]])
    assert told.sequential(points, np.array([1.1, 0.4])) == 1
    assert told.sequential(points, np.array([0.1, 2.9])) == 0  # the nearest is the last
    assert told.sequential(points, np.array([9.0, 9.0])) == 3


def test_long_double_elimination_by_a_dense_solve() -> None:
    """The reference itself, on a small map with a wall: NumPy's dense solver gives the same."""
    walls = np.ones((8, 7), bool)
    walls[1:-1, 1:-1] = False
    walls[3, 1:4] = True
    made = solve(maps.from_array(walls), (5.0, 2.0))
    inner = np.argwhere(field.unknown(made))
    number = {tuple(node): k for k, node in enumerate(inner)}
    a, b = 4.0 * np.eye(len(inner)), np.zeros(len(inner))
    for k, (i, j) in enumerate(inner):
        for node in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            if node in number:
                a[k, number[node]] = -1.0
            b[k] += node == (5, 2)
    u = field.long_double(made)
    assert u[tuple(inner.T)].astype(float) == pytest.approx(np.linalg.solve(a, b), rel=1e-13)
    assert u[5, 2] == 1.0 and np.all(u[walls] == 0.0)


def test_minima_are_found(ground: field.Ground) -> None:
    """A pit dug into the field is seen; the field itself has none."""
    from dataclasses import replace

    dug = ground.field.w.copy()
    dug[10, 30] *= 1e3
    assert field.minima(ground.field) == 0 and field.minima(replace(ground.field, w=dug)) == 1
