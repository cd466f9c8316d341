"""The study of Sarrafan et al. (2012): verdicts that are known, the log of positions, contact patches, files."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.studies.sarrafan2012 import displacement, kinematics, simulations, winding
from study_cases import check_verdicts, quick_study

STUDY = Path(sp.__file__).parent / "studies" / "sarrafan2012"
HOLDS, IN_PART, FAILS = "holds", "holds in part", "does not hold"
VERDICTS = {
    "SWD-1a": HOLDS, "SWD-1b": HOLDS, "SWD-1c": HOLDS, "SWD-2a": FAILS, "SWD-2b": FAILS, "SWD-2c": FAILS, "SWD-2d": FAILS,
    "SWD-3a": HOLDS, "SWD-3b": IN_PART, "SWD-4a": HOLDS, "SWD-4b": FAILS, "SWD-5a": HOLDS, "SWD-5b": FAILS, "SWD-5c": HOLDS,
    "SWD-5d": FAILS, "SWD-6a": HOLDS, "SWD-6b": HOLDS, "SWD-6c": FAILS, "SWD-6d": FAILS, "SWD-7": HOLDS, "SWD-8a": IN_PART,
    "SWD-8b": IN_PART, "SWD-9a": HOLDS, "SWD-9b": IN_PART, "SWD-9c": IN_PART, "SWD-10": IN_PART, "SWD-11": IN_PART,
}  # fmt: skip


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The quick study, once, with its folder and what it told of its progress."""
    return quick_study("sarrafan2012", tmp_path_factory.mktemp("sarrafan"))


def test_verdicts(result: dict[str, Any]) -> None:
    check_verdicts(result, VERDICTS, STUDY)


def test_numbers_that_the_specification_knows(result: dict[str, Any]) -> None:
    """Sag, density, period, the distance of a rolling body and of the flat wave."""
    said = {claim["id"]: claim["measured"] + claim["reason"] for claim in result["claims"]}
    for claim, text in {
        "SWD-3a": "period 2.667 s, 22.5 cycles",
        "SWD-4b": "21 kg/m^3",
        "SWD-5a": "m g / k = 1.4715 mm",
        "SWD-6c": "141 r: 2.12 m for 15 mm, and 1 m for r = 7.1 mm",
    }.items():
        assert text in said[claim]


def test_files(result: dict[str, Any]) -> None:
    for path in (*result["figures"], *result["tables"]):
        assert Path(path).parent == result["out"] and Path(path).stat().st_size > 100
    names = {Path(path).name for path in result["figures"]}
    assert {
        "fig3-tracks.png",
        "fig7-9-start-end.png",
        "fig10-11-start-end.png",
        "distances.png",
        "efficiency.png",
    } <= names
    assert not any(name.endswith(".mp4") for name in names)  # no films in quick mode
    assert result["told"] == sorted(result["told"]) and result["told"][-1] == 1.0


def test_log_of_positions(result: dict[str, Any]) -> None:
    """A row every 32 ms; at first the straight robot, head first: x from 1.1 to 0.1 m, 0.2 m apart, at its radius's height."""
    for name in ("0", "pi2", "minus-pi2"):
        with open(result["out"] / f"positions-{name}.csv") as handle:
            header, *rows = list(csv.reader(handle))
        table = np.array(rows, dtype=float)
        assert header[:4] == ["time [s]", "x1 [m]", "y1 [m]", "z1 [m]"] and table.shape == (1876, 19)
        assert np.allclose(table[:, 0], 0.032 * np.arange(1876), atol=1e-9)
        x, y, z = (table[0, 1 + e :: 3] for e in range(3))
        assert np.allclose(x, 1.1 - 0.2 * np.arange(6), atol=1e-9) and x.sum() == pytest.approx(3.6)
        assert np.allclose(y, 0.0) and np.allclose(z, 0.015, atol=1e-3)
        # neighbours stay within a link's length of each other
        apart = np.linalg.norm(np.diff(table[:, 1:].reshape(-1, 6, 3), axis=1), axis=-1)
        assert apart.max() < 0.2 + 1e-8 and apart.min() > 0.15


def test_tables_of_engines_and_variations(result: dict[str, Any]) -> None:
    with open(result["out"] / "engines.csv") as handle:
        rows = list(csv.DictReader(handle))
    assert [(row["delta_0"], row["engine"]) for row in rows] == [
        (p, e) for p in simulations.PHASES for e in ("own", "mujoco")
    ]
    for own, other in zip(rows[::2], rows[1::2], strict=True):
        assert float(other["com_distance"]) == pytest.approx(float(own["com_distance"]), rel=0.02)
    with open(result["out"] / "sensitivity.csv") as handle:
        ratios = {row["case"]: float(row["ratio 0"]) for row in csv.DictReader(handle) if row["ratio 0"]}
    assert len(ratios) == 3 and all(0.9 < ratio < 1.1 for ratio in ratios.values())


def test_patches_are_runs_of_touching_links() -> None:
    class Fake(dict):
        pass

    touching = np.array([[0, 0, 0, 0], [1, 1, 0, 0], [1, 0, 0, 2], [1, 0, 1, 0], [2, 2, 1, 1]], dtype=float)
    run: Any = Fake(touching=touching, time=np.arange(5.0))
    assert simulations.patches(run, after=-1.0).tolist() == [0, 1, 2, 2, 1]
    assert winding.shares(run).tolist() == [0.0, 1.0, 0.0, 0.0]  # after 3 s


def test_slip_of_a_body_that_is_dragged_is_its_way() -> None:
    run: Any = {
        "normal_force": np.full((11, 3), 2.0), "contact_velocity_along": np.full((11, 3), 0.3),
        "contact_velocity_across": np.full((11, 3), 0.4), "time": np.linspace(0.0, 2.0, 11),
    }  # fmt: skip
    assert simulations.loaded_slip(run, 6.0) == pytest.approx(1.0)


def test_crossing_of_costs() -> None:
    def gait(cost: float) -> simulations.Performance:
        return simulations.Performance(1.0, 1.0, 0.1, cost)

    gaits = {("sidewinding", mu): gait(1.0) for mu in (0.1, 0.4)}
    assert winding.crossing({**gaits, ("undulation", 0.1): gait(0.5), ("undulation", 0.4): gait(2.0)}) == pytest.approx(
        0.2
    )
    assert winding.crossing({**gaits, ("undulation", 0.1): gait(2.0), ("undulation", 0.4): gait(2.0)}) is None


def test_mujoco_stands_for_simmechanics() -> None:
    """A straight robot at the origin: the head before joint 1, then five links towards the tail, along x."""
    frames = kinematics.head_first(np.zeros((1, 16)))
    assert np.allclose(frames[0, :, :3, 3], np.outer(0.2 * np.arange(-1, 5), [1, 0, 0])) and np.allclose(
        frames[0, :, :3, :3], np.eye(3)
    )
    assert displacement.rolled(0.015) == pytest.approx(2.1206, abs=1e-4)
