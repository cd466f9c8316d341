"""The benchmark times only accurate runs: its qualification is checked here, its timings are not."""

from __future__ import annotations

import numpy as np
import pytest

from serpenoid.bench import accuracy, planar
from serpenoid.bench.accuracy import Figures, Limits, ServoChoice

REFERENCE = Figures(4.0, 0.1, 30.0)
FINE = 5e-4  # s: its figures are within 0.2 % of the converged ones


@pytest.fixture(scope="module")
def case() -> accuracy.Case:
    return planar.creeping(45.0, 2.0, 0.2)


@pytest.fixture(scope="module")
def reference(case: accuracy.Case) -> Figures:
    return accuracy.march(case, FINE).figures


@pytest.mark.parametrize(
    ("figures", "good"),
    [
        (Figures(4.01, 0.101, 29.5), True),
        (Figures(4.03, 0.101, 29.5), False),
        (Figures(4.01, 0.097, 29.5), False),
        (Figures(4.01, 0.101, 31.0), False),
        (Figures(np.nan, 0.101, 29.5), False),
        (Figures(4.01, np.inf, 29.5), False),
    ],
)
def test_every_figure_counts(figures: Figures, good: bool) -> None:
    assert accuracy.meets(figures, REFERENCE, planar.GOOD) is good


def test_unasked_figures_may_be_wrong_but_not_undefined() -> None:
    near = Limits(com_distance=0.005)
    assert accuracy.meets(Figures(4.01, 0.9, 90.0), REFERENCE, near)
    assert not accuracy.meets(Figures(4.01, np.nan, 90.0), REFERENCE, near)


def test_a_lucky_long_step_is_not_chosen() -> None:
    good = {1e-3: True, 2e-3: True, 4e-3: False, 8e-3: True}
    assert accuracy.longest_steady_step(list(good), good.__getitem__) == ServoChoice(2e-3, 4e-3)
    assert accuracy.longest_steady_step([1e-3], good.__getitem__) == ServoChoice(1e-3, None)
    assert accuracy.longest_steady_step([4e-3, 8e-3], good.__getitem__) is None


def test_our_engine_is_rejected_at_too_long_a_step(case: accuracy.Case, reference: Figures) -> None:
    choice = accuracy.our_choice(case, reference, planar.GOOD, (0.05, 4e-3, 2e-3))
    assert choice == ServoChoice(4e-3, 0.05)


def test_distance_alone_allows_a_longer_step(case: accuracy.Case, reference: Figures) -> None:
    choice = accuracy.our_choice(case, reference, planar.NEAR, (0.05, 4e-3))
    assert choice == ServoChoice(0.05, None)


def test_mujoco_is_rejected_under_soft_servos(case: accuracy.Case, reference: Figures) -> None:
    pytest.importorskip("mujoco")
    choice = accuracy.peer_choice(case, reference, planar.NEAR, (1e-2, 4e-3), ((1e3, 8.0), (2e4, 5e3)))
    assert choice is not None
    assert (choice.step, choice.stiffness, choice.rejected) == (4e-3, 2e4, 1e-2)
    assert [row["qualified"] for row in choice.tried] == [False, False, False, True]
    assert accuracy.peer_choice(case, reference, planar.FAIR, (4e-3,), ((2e4, 5e3),)) is None


def test_shape_bench_compares_at_the_same_error() -> None:
    """Both sides meet the error; ours would not with fewer steps of the list."""
    from serpenoid.bench import shape

    own = shape.ours()
    assert own["error"] < shape.ERROR
    fewer = [n for n in shape.STEPS if n < own["steps"]][-1]
    bellows = shape.to_bellows(shape.named("helix", curvature=shape.KAPPA, torsion=shape.TAU, length=shape.LENGTH))
    assert np.linalg.norm(bellows.trace(fewer).position[-1] - shape.helix_end()) > shape.ERROR


def test_bench_rl_compares_equal_physics_steps() -> None:
    """Every vector environment is measured by the same actions; Gymnasium's swimmer takes as many physics steps per action as ours."""
    pytest.importorskip("mujoco")
    from serpenoid.bench import rl

    result = rl.run(robots=3, actions=4, repeats=1)
    assert {"creep_3_links", "creep_10_links", "swimmer_sync"} <= set(result["actions_per_second"])
    assert all(value > 0.0 for value in result["actions_per_second"].values()) and result["ratio_vs_swimmer"] > 0.0
    ours = rl.creeping(rl.load_swimmer(), 2, 3).unwrapped.task
    assert round(ours.period / ours.step) == result["physics_steps_per_action"] == 4
    assert len(ours.robot.axes) == 2  # as the swimmer has


def test_bench_gradient_measures_the_way_back() -> None:
    from serpenoid.bench import gradient

    result = gradient.run(repeats=1)
    assert result["bytes_a_step"] <= 64
    assert 0.0 < result["ratio_kept_run"] < result["ratio_prescribed"]
