"""`serpenoid bench concertina`: how fast plans are found, and how often, against stopping at first contact and against SciPy.

| key | what is measured |
|---|---|
| plan_20_cycles_time | a plan of 20 cycles in free space, s (*) |
| cluttered_time_median, cluttered_time_worst | plans in 100 seeded fields of 20 discs, s |
| reached_share, stop_share | share of those fields crossed by accommodation, and by stopping at the first contact |
| ratio_reached_vs_stop | the first over the second |
| cycles_median | cycles of the plans that reach |
| ratio_vs_slsqp | SciPy's SLSQP over our time for one stage among obstacles: stage 1 against a post, Fig. 15(a) (*) |
| slsqp_distance, our_distance | what both leave between head and target, L |

(*) the shortest of several repeats. Times are processor time on one core, nothing compiled in them. SLSQP gives the end of the stage alone, ours
the whole motion in touch with the post.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from serpenoid.bench.planar import machine
from serpenoid.core.checks import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.gaits.concertina import FOLD, Posture
from serpenoid.planning import ConcertinaPlan, Disc
from serpenoid.planning.cycles import Configuration, StageRunner
from serpenoid.planning.gaps import SevenLinkBody
from serpenoid.planning.obstacles import scene_of

Progress = Callable[[float, str], None]
TARGET, HALF_WIDTH, COUNT, FIELDS, REPEATS = (20.0, 0.0), 0.05, 20, 100, 7
POST, AIM = Disc((2.6, 0.55), 0.2), (10.0, 0.0)


def _distances(point: FloatArray, nodes: FloatArray) -> FloatArray:
    """Distances (k,) of a point to the links of a chain of nodes (k+1, 2)."""
    a, e = nodes[:-1], np.diff(nodes, axis=0)
    t = np.clip(np.sum((point - a) * e, axis=1) / np.sum(e * e, axis=1), 0.0, 1.0)
    return np.linalg.norm(a + t[:, None] * e - point, axis=1)


def cluttered(seed: int) -> tuple[Disc, ...]:
    """Discs of radius 0.3 to 0.6 in [2, 18] x [-6, 6], clear of the start."""
    rng, nodes = np.random.default_rng(seed), Posture().nodes()
    found: list[Disc] = []
    while len(found) < COUNT:
        disc = Disc((rng.uniform(2.0, 18.0), rng.uniform(-6.0, 6.0)), rng.uniform(0.3, 0.6))
        if _distances(np.array(disc.centre), nodes).min() > disc.radius + HALF_WIDTH + 1e-3:
            found.append(disc)
    return tuple(found)


def _timed(work: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    """Shortest processor time, and the last answer."""
    best, answer = np.inf, None
    for _ in range(repeats):
        began = time.thread_time()
        answer = work()
        best = min(best, time.thread_time() - began)
    return best, answer


def bench_free() -> dict[str, Any]:
    """A plan of 20 cycles without obstacles."""
    spent, found = _timed(lambda: ConcertinaPlan((24.0, 0.0)).solve(), REPEATS)
    return {"plan_20_cycles_time": spent, "plan_20_cycles": found.cycles}


def bench_fields(count: int = FIELDS) -> dict[str, Any]:
    """Plans in cluttered fields, by accommodation and by stopping at the first contact."""
    times, cycles, stopped = [], [], 0
    for seed in range(count):
        given: dict[str, Any] = {"obstacles": cluttered(seed), "half_width": HALF_WIDTH}
        spent, found = _timed(lambda given=given: ConcertinaPlan(TARGET, **given).solve())  # type: ignore[misc]
        times.append(spent)
        if found.reached:
            cycles.append(found.cycles)
        stopped += ConcertinaPlan(TARGET, **given, on_contact="stop").solve().reached
    return {
        "cluttered_time_median": float(np.median(times)),
        "cluttered_time_worst": float(np.max(times)),
        "reached_share": len(cycles) / count,
        "stop_share": stopped / count,
        "ratio_reached_vs_stop": len(cycles) / max(stopped, 1),
        "cycles_median": float(np.median(cycles)) if cycles else None,
    }


def bench_stage() -> dict[str, Any]:
    """Stage 1 against a post, ours and SLSQP's."""
    try:
        from scipy.optimize import minimize
    except ImportError as error:
        raise InputError("bench concertina needs SciPy: pip install scipy") from error
    start = Posture(angles=np.radians([0.0, 60.0, -120.0, 120.0, -30.0, 0.0]))
    state = Configuration(start.nodes(), start.headings, 1)
    runner = StageRunner(SevenLinkBody(np.ones(7), np.full(6, np.pi), 0.0, 0.01), scene_of((POST,)), FOLD)
    aim, post, heading = np.array(AIM), np.array(POST.centre), state.psi[3]

    def chain(theta: FloatArray) -> FloatArray:
        psi = heading + np.cumsum(theta)
        return state.nodes[4] + np.concatenate(
            [np.zeros((1, 2)), np.cumsum(np.stack([np.cos(psi), np.sin(psi)], axis=1), axis=0)]
        )

    def theirs() -> Any:
        return minimize(
            lambda theta: float(np.sum((chain(theta)[-1] - aim) ** 2)), np.diff(state.psi)[3:], method="SLSQP",
            constraints={"type": "ineq", "fun": lambda theta: _distances(post, chain(theta)) - POST.radius},
            options={"ftol": 1e-12, "maxiter": 500},
        )  # fmt: skip

    towards = float(np.arctan2(*(aim - state.nodes[4])[::-1]))
    runner.run(state, towards, aim, 1, last=1)
    own, (end, _) = _timed(lambda: runner.run(state, towards, aim, 1, last=1), 5 * REPEATS)
    spent, other = _timed(theirs, REPEATS)
    return {
        "ratio_vs_slsqp": spent / own, "stage_time_ours": own, "stage_time_slsqp": spent,
        "our_distance": float(np.hypot(*(end.nodes[7] - aim))), "slsqp_distance": float(np.sqrt(other.fun)),
    }  # fmt: skip


def run(progress: Progress | None = None) -> dict[str, Any]:
    """Measure everything; keys and figures for the JSON."""
    told = progress or (lambda fraction, text: None)
    told(0.0, "compiling")
    ConcertinaPlan(TARGET, obstacles=cluttered(0), half_width=HALF_WIDTH).solve()
    result: dict[str, Any] = {}
    parts: list[tuple[str, Callable[[], dict[str, Any]]]] = [
        ("free", bench_free), ("stage", bench_stage), ("fields", bench_fields),
    ]  # fmt: skip
    for k, (name, part) in enumerate(parts):
        told((k + 1) / (len(parts) + 1), name)
        result.update(part())
    told(1.0, "done")
    return {**result, **machine()}
