"""Golden-section search against functions whose maxima are known."""

from __future__ import annotations

import math

import pytest

from serpenoid.core.errors import InputError, NumericalError
from serpenoid.optimise import evaluate_all, golden_section, scan_and_refine


def test_finds_a_maximum_within_the_tolerance() -> None:
    place, value, seen = golden_section(lambda x: -((x - 1.234) ** 2), -3.0, 5.0, 1e-6)
    assert place == pytest.approx(1.234, abs=1e-6)
    assert value == pytest.approx(0.0, abs=1e-11)
    shrink = math.log(8.0 / 1e-6) / -math.log(0.6180339887)
    assert len(seen) <= shrink + 3  # one evaluation a shrink


def test_the_scan_escapes_a_local_maximum() -> None:
    def two_hills(x: float) -> float:
        return math.exp(-((x - 8.0) ** 2) / 4) + 0.3 * math.exp(-((x - 1.0) ** 2) / 4)

    assert golden_section(two_hills, -10.0, 9.0, 1e-3)[0] == pytest.approx(1.0, abs=0.2)  # alone it is caught
    assert scan_and_refine(two_hills, -10.0, 9.0, points=20).place == pytest.approx(8.0, abs=0.05)


def test_undefined_values_are_avoided_and_ends_reported() -> None:
    best = scan_and_refine(lambda x: None if x < 2 else math.nan if x < 3 else -x, 0.0, 10.0, points=11)
    assert best.place == pytest.approx(3.0, abs=0.05)
    assert scan_and_refine(lambda x: x, 0.0, 1.0).at_end
    with pytest.raises(NumericalError):
        scan_and_refine(lambda x: None, 0.0, 1.0)


def test_bad_input() -> None:
    with pytest.raises(InputError):
        golden_section(lambda x: x, 1.0, 0.0, 1e-3)
    with pytest.raises(InputError):
        scan_and_refine(lambda x: x, 0.0, float("inf"))
    with pytest.raises(InputError):
        scan_and_refine(lambda x: x, 0.0, 1.0, points=2)


def test_evaluate_all_keeps_the_order_and_passes_errors_on() -> None:
    assert evaluate_all(lambda x: x * x, range(20), threads=3) == [x * x for x in range(20)]
    with pytest.raises(InputError, match="ZeroDivisionError"):
        evaluate_all(lambda x: 1 / x, [1, 0, 2])
