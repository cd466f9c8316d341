"""`serpenoid bench planar`: speed of the planar engine at a stated accuracy, against MuJoCo, in one run.

| key | what is divided by what |
|---|---|
| ratio_run_vs_mujoco | MuJoCo's 8 s run over ours, each at its longest step with the distance to 0.5 % (*) |
| ratio_run_extreme_servos | the same with MuJoCo's servos overdamped a hundred times, its fastest setting (*) |
| ratio_run_same_criterion | as the second with only the distance asked of both |
| ratio_equal_quality | as the first with MuJoCo's slip within 5 % and squared torque within 10 % |
| ratio_acceleration_vs_mujoco | `mj_forward` (less the cost of a call) over our acceleration with friction |
| cost_per_link_2000_over_20 | time per link and step at 2000 links over that at 20 |
| thread_speedup | 512 runs on one thread over the same on two |
| times_real_time | simulated over wall seconds, two grounds |

(*) Ours, but not MuJoCo's, has to have also slip and squared torque within 2 %.

The scenario is case two of Ma, Li and Wang (2001) with two waves: 20 links, 45 deg, a = 1 m/s^2, 8 s, mu_t =
.2, mu_n = .5, smoothed Coulomb. Times are the marching of a ready run with torques and metrics (MuJoCo's: the
stepping loop, its targets computed before), the shortest of several repeats, processor time in ratios between
single-threaded runs. MuJoCo's servos are those that a scan over stiffness and damping found best for it: in the first
ratio among the servos that a user would write (near critical damping, up to 5000 N m/rad).
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.bench.acceleration import best_of, mujoco_acceleration_times, our_acceleration_time
from serpenoid.bench.accuracy import (
    AccuracyCase,
    Figures,
    Limits,
    PeerChoice,
    ServoChoice,
    Timed,
    march,
    march_peer,
    our_choice,
    peer_choice,
    peer_figures,
    relative_errors,
)
from serpenoid.bench.mujoco_run import MarchedRun
from serpenoid.contact import Coulomb
from serpenoid.core import World
from serpenoid.core.errors import NumericalError
from serpenoid.formats.mujoco_package import load_mujoco
from serpenoid.gaits import Serpenoid
from serpenoid.robots import ma2001, rods
from serpenoid.simulation.run import simulate

Progress = Callable[[float, str], None]

DURATION = 8.0  # s
REFERENCE_STEP = 2e-5  # s
OUR_STEPS = (
    0.4,
    0.32,
    0.2,
    0.16,
    0.1,
    0.08,
    0.064,
    0.05,
    0.04,
    0.032,
    0.025,
    0.02,
    0.016,
    0.0125,
    0.01,
    8e-3,
    6.25e-3,
    5e-3,
    4e-3,
    2e-3,
    1e-3,
)
PEER_STEPS = (1e-2, 8e-3, 6.4e-3, 5e-3, 4e-3, 2e-3, 1e-3, 5e-4)
PEER_FINE_STEPS = (2.5e-4, 2e-4, 1.6e-4, 1.25e-4)
# stiffness N m/rad and damping N m s/rad, after a scan over 50 ... 1e6 and 0.5 ... 2e4:
# near critical damping, then the best for long steps
MODERATE_SERVOS = ((1e3, 8.0), (2e3, 11.0), (5e3, 18.0))
SERVOS = (*MODERATE_SERVOS, (2e4, 36.0), (2e4, 5e3), (1e5, 2e4))
FINE_SERVOS = ((5e3, 2.0), (2e4, 2.0), (5e4, 0.5))

NEAR = Limits(com_distance=0.005)
GOOD = Limits(0.005, 0.02, 0.02)
FAIR = Limits(0.005, 0.05, 0.10)


def creeping(winding_deg: float, waves: float, along: float) -> AccuracyCase:
    """The robot of Ma, Li and Wang (2001) creeping for 8 s."""
    gait = Serpenoid.start_stop(float(np.radians(winding_deg)), waves, 1.0, DURATION)
    return AccuracyCase(ma2001(), gait, World(Coulomb(along=along, across=0.5, smoothing=1e-3)), DURATION)


def machine() -> dict[str, Any]:
    """Processor, cores, load and versions."""
    model = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        model = names[0] if names else model
    packages = ("serpenoid", "numpy", "numba")
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "load_average": os.getloadavg()[0],
        "system": platform.platform(),
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in packages},
            "mujoco": load_mujoco().__version__,
        },
    }


def _ours(case: AccuracyCase, reference: Figures, choice: ServoChoice, repeats: int = 60) -> dict[str, Any]:
    timed: Timed = march(case, choice.step, repeats)
    return {
        "step": choice.step,
        "rejected_step": choice.rejected,
        "steps": timed.steps,
        "iterations_per_step": timed.iterations,
        "wall_time": timed.wall_time,
        "cpu_time": timed.cpu_time,
        "microseconds_per_step": 1e6 * timed.cpu_time / timed.steps,
        "times_real_time": case.duration / timed.wall_time,
        "figures": timed.figures._asdict(),
        "errors": relative_errors(timed.figures, reference)._asdict(),
    }


def _theirs(case: AccuracyCase, reference: Figures, choice: PeerChoice, repeats: int) -> dict[str, Any]:
    run: MarchedRun = march_peer(case, choice.step, choice.stiffness, choice.damping, repeats)
    figures = peer_figures(run)
    return {
        "step": choice.step,
        "rejected_step": choice.rejected,
        "stiffness": choice.stiffness,
        "damping": choice.damping,
        "steps": run.steps,
        "wall_time": run.wall_time,
        "cpu_time": run.cpu_time,
        "microseconds_per_step": 1e6 * run.cpu_time / run.steps,
        "figures": figures._asdict(),
        "errors": relative_errors(figures, reference)._asdict(),
        "tried": choice.tried,
    }


def _reference(case: AccuracyCase) -> tuple[Figures, dict[str, Any]]:
    """Converged figures, and by how much they still change when the step is halved."""
    fine, finer = march(case, 2.0 * REFERENCE_STEP).figures, march(case, REFERENCE_STEP).figures
    return finer, {
        "step": REFERENCE_STEP,
        "figures": finer._asdict(),
        "change_on_halving": relative_errors(fine, finer)._asdict(),
    }


def _found(choice: Any, what: str) -> Any:
    if choice is None:
        raise NumericalError(f"bench planar: no step of the list is accurate enough for {what}")
    return choice


def bench_runs() -> dict[str, Any]:
    """Whole runs against MuJoCo at equal accuracy."""
    case = creeping(45.0, 2.0, 0.2)
    reference, raw_reference = _reference(case)
    ours = _ours(case, reference, _found(our_choice(case, reference, GOOD, OUR_STEPS), "our run"))
    near = _ours(case, reference, _found(our_choice(case, reference, NEAR, OUR_STEPS), "our distance"))
    whole = best_of(
        5, lambda: simulate(case.robot, case.gait, case.world, case.duration, step=ours["step"], checked=False)
    )

    def peer_at(limits: Limits, steps: tuple[float, ...], servos: Any, repeats: int) -> dict[str, Any]:
        choice = _found(peer_choice(case, reference, limits, steps, servos), "MuJoCo's run")
        return _theirs(case, reference, choice, repeats)

    peer = peer_at(NEAR, PEER_STEPS, SERVOS, 9)
    moderate = peer_at(NEAR, PEER_STEPS, MODERATE_SERVOS, 9)
    fine = peer_at(FAIR, PEER_FINE_STEPS, FINE_SERVOS, 3)
    return {
        "ratio_run_vs_mujoco": moderate["cpu_time"] / ours["cpu_time"],
        "ratio_run_extreme_servos": peer["cpu_time"] / ours["cpu_time"],
        "ratio_run_same_criterion": peer["cpu_time"] / near["cpu_time"],
        "ratio_equal_quality": fine["cpu_time"] / ours["cpu_time"],
        "runs": {
            "reference": raw_reference,
            "ours": ours,
            "ours_distance_only": near,
            "ours_simulate_call": whole,
            "mujoco_extreme_servos": peer,
            "mujoco_near_critical_servos": moderate,
            "mujoco_equal_quality": fine,
            "limits": {
                "ours": GOOD._asdict(),
                "distance_only": NEAR.com_distance,
                "equal_quality": FAIR._asdict(),
            },
        },
    }


def bench_acceleration() -> dict[str, Any]:
    """One acceleration against `mj_forward`."""
    case = creeping(45.0, 2.0, 0.2)
    rng = np.random.default_rng(5)
    n = case.robot.links
    state = np.stack([rng.uniform(-0.8, 0.8, n), rng.uniform(-2.0, 2.0, n), rng.uniform(-1.0, 1.0, n)])
    ours = our_acceleration_time(case.robot, case.world, state)
    theirs = mujoco_acceleration_times(case.robot, state)
    return {
        "ratio_acceleration_vs_mujoco": theirs["mj_forward_net"] / ours,
        "acceleration": {"ours": ours, **theirs, "ratio_rollout_step": theirs["rollout_step"] / ours},
    }


def bench_links() -> dict[str, Any]:
    """Time per link and step at 20, 200 and 2000 links."""
    gait, world = Serpenoid(winding_angle=0.8, waves=2.0, speed=0.8), World(Coulomb(along=0.1, across=0.5))
    rows = {}
    for links, repeats in ((20, 40), (200, 15), (2000, 7)):
        timed = march(AccuracyCase(rods(links, length=1.6, mass=10.0), gait, world, 2.0), 4e-3, repeats)
        rows[links] = {
            "nanoseconds_per_link_and_step": 1e9 * timed.cpu_time / timed.steps / links,
            "iterations_per_step": timed.iterations,
        }
    key = "nanoseconds_per_link_and_step"
    return {
        "cost_per_link_2000_over_20": rows[2000][key] / rows[20][key],
        "links": {str(n): rows[n] for n in rows},
    }


def bench_threads(rollouts: int = 512, repeats: int = 14, batch: int = 64) -> dict[str, Any]:
    """Many runs on one thread and on two, interleaved; the best times of each batch of runs add up."""
    base = creeping(45.0, 2.0, 0.2)
    runs = []
    for winding in np.radians(np.linspace(30.0, 70.0, rollouts)):
        gait = Serpenoid.start_stop(float(winding), 2.0, 1.0, DURATION)
        runs.append(replace(base, gait=gait).prepared(4e-3))
    first = [{name: array.copy() for name, array in run.arrays().items()} for run in runs]
    steps = base.steps(4e-3)
    batches = [slice(k, k + batch) for k in range(0, rollouts, batch)]
    best = {1: np.full(len(batches), np.inf), 2: np.full(len(batches), np.inf)}
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(2) as two:
        for _ in range(repeats):
            for k, part in enumerate(batches):
                for threads, pool in ((1, one), (2, two)):
                    for run, state in zip(runs[part], first[part], strict=True):
                        run.put(state)
                    started = time.perf_counter()
                    chunks = [runs[part][k : k + 4] for k in range(0, batch, 4)]
                    finite = all(pool.map(lambda chunk: all(run.advance(steps) for run in chunk), chunks))
                    best[threads][k] = min(best[threads][k], time.perf_counter() - started)
                    if not finite:
                        raise NumericalError("bench planar: a run of the thread benchmark diverged")
    one_time, two_time = float(best[1].sum()), float(best[2].sum())
    return {
        "thread_speedup": one_time / two_time,
        "threads": {
            "rollouts": rollouts,
            "repeats": repeats,
            "batch": batch,
            "one": one_time,
            "two": two_time,
        },
    }


def bench_real_time() -> dict[str, Any]:
    """Simulated seconds per wall second on two grounds, at the longest accurate step."""
    rows = {}
    for name, along in (("case_one", 0.001), ("case_two", 0.2)):
        case = creeping(60.0, 1.0, along)
        reference, raw = _reference(case)
        rows[name] = _ours(case, reference, _found(our_choice(case, reference, GOOD, OUR_STEPS), name))
        rows[name]["reference"] = raw
    return {
        "times_real_time": {name: row["times_real_time"] for name, row in rows.items()},
        "real_time": rows,
    }


STAGES: tuple[tuple[str, Callable[[], dict[str, Any]]], ...] = (
    ("whole runs against MuJoCo", bench_runs),
    ("one acceleration against MuJoCo", bench_acceleration),
    ("cost per link", bench_links),
    ("two threads", bench_threads),
    ("times real time", bench_real_time),
)


def run(progress: Progress | None = None) -> dict[str, Any]:
    """Measure everything; returns the ratios, the raw figures behind them and the machine."""
    started = time.perf_counter()
    march(creeping(45.0, 2.0, 0.2), 4e-3)  # compile before anything is timed
    result: dict[str, Any] = {}
    for k, (text, stage) in enumerate(STAGES):
        if progress is not None:
            progress(k / len(STAGES), text)
        result.update(stage())
    if progress is not None:
        progress(1.0, "done")
    return {**result, "machine": machine(), "seconds": time.perf_counter() - started}
