"""Random runs near the bundled scenarios: no wrong result without a word.

Every run ends with a documented status or a refusal in words; under status ok, distance and work change by at most 5 % at a quarter of the
step, or a warning says that the run has not converged.
"""

from __future__ import annotations

from collections import Counter

import pytest

import fuzz_cases as cases
from cases import PROVE
from serpenoid.formats.scenario import read

RUNS = 2000 if PROVE else 100
CHUNK = RUNS // 10


@pytest.mark.parametrize("chunk", range(10))
def test_no_run_is_wrong_without_a_word(chunk: int) -> None:
    found = {seed: cases.judge(cases.draw(seed)) for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK)}
    wrong = {seed: outcome for seed, outcome in found.items() if outcome.verdict == "WRONG"}
    assert not wrong, wrong
    counts = Counter(outcome.verdict for outcome in found.values())
    assert counts["fine"] + counts["over-told"] + counts["told"] >= 0.3 * CHUNK, (
        counts
    )  # the cases are runs, not refusals


def test_the_fuzz_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """A servo far too stiff for the step: without the twin it would stand without a word."""
    case = cases.Case("slope", dict(read("slope", ["robot.servo.stiffness=6e7", "run.duration=0.6"])))
    assert cases.judge(case).verdict == "told"
    monkeypatch.setattr("serpenoid.simulation.run.warning_of", lambda found, dt: [])
    monkeypatch.setattr(cases, "SAID", ("not converged",))
    assert cases.judge(case).verdict == "WRONG"
