"""The runs of Ma, Li and Wang (2001): its parameters (Table I, section 4) and the three simulations as sweeps.

Friction is the smoothed Coulomb law (l_s -> 0) unless a law is named; steps are 2.5e-4 s, 5e-4 s for the optima.
Each function returns plain data: runs, or dictionaries from parameters to metrics.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from serpenoid import robots
from serpenoid.contact import Bristle, Coulomb, Threshold
from serpenoid.core import FloatArray, Friction, Trajectory, World
from serpenoid.gaits import Serpenoid
from serpenoid.gaits.drives import SampledTorque
from serpenoid.optimise import Optimum, evaluate_all, scan_and_refine
from serpenoid.simulation import run as runs
from serpenoid.simulation import setup as setups

Progress = Callable[[float], None]

DURATION, ACCELERATION = 8.0, 1.0  # s, m/s^2 (simulation one)
WINDING = 60.0  # deg: the value of Fig. 7; the paper prints 0 for simulation one (a lost digit)
CASES = {"one": (0.001, 0.5, 5.0), "two": (0.2, 0.5, 4.0)}  # mu_t, mu_n, f_s^n [N]
STICK = 1e-5  # m, l_s^n
ACROSS = 0.8  # mu_n of Figs 7 to 9
JOINTS = (1, 5, 10, 15, 19)  # shown in Fig. 5
SMOOTHING = 1e-3  # m/s, of the friction laws
STEP, STEP_OPTIMA = 2.5e-4, 5e-4  # s


def setup(
    waves: float, winding_deg: float, law: Friction, step: float = STEP, frames: bool = False, **changes: Any
) -> setups.Setup:
    """A shape-to-motion run of the paper's robot; without frames only the metrics are kept."""
    return setups.Setup(
        robot=robots.ma2001(**changes),
        world=World(law),
        command=Serpenoid.start_stop(float(np.radians(winding_deg)), waves, ACCELERATION, DURATION),
        settings=setups.Settings(DURATION, step, record_interval=0.01 if frames else DURATION, checked=frames),
    )


def metrics(waves: float, winding_deg: float, law: Friction, step: float = STEP, **changes: Any) -> dict[str, Any]:
    """Metrics of a run; `changes` are those of the robot."""
    return dict(runs.execute(setup(waves, winding_deg, law, step, **changes)).metrics)


def laws_of(case: str) -> dict[str, Friction]:
    """The three readings of the paper's friction law (4) for a case."""
    along, across, static = CASES[case]
    stick: dict[str, Any] = {"static_force_across": static, "stick_length_across": STICK, "smoothing": SMOOTHING}
    return {
        "coulomb": Coulomb(along, across, smoothing=SMOOTHING),
        "threshold": Threshold(along, across, **stick),
        "bristle": Bristle(along, across, **stick),
    }


@dataclass(frozen=True)
class One:
    """Simulation one: runs of both cases, their metrics by law, and the effect of mu_n."""

    runs: dict[str, Trajectory]
    by_law: dict[tuple[str, str], dict[str, Any]]  # (case, law)
    by_across: dict[float, dict[str, Any]]


def simulation_one(progress: Progress) -> One:
    """Figs 4 and 5: K_n = 1 on two grounds."""
    shown = {case: runs.execute(setup(1, WINDING, laws_of(case)["coulomb"], frames=True)) for case in CASES}
    cells = [(case, name) for case in CASES for name in laws_of(case)]
    step = {"bristle": 2e-5}  # s; sticking torques need it
    values = evaluate_all(
        lambda c: metrics(1, WINDING, laws_of(c[0])[c[1]], step.get(c[1], STEP)), cells, progress=progress
    )
    across = [0.8, 0.5, 0.4]
    weaker = evaluate_all(lambda mu: metrics(1, WINDING, Coulomb(0.2, mu, smoothing=SMOOTHING)), across)
    return One(shown, dict(zip(cells, values, strict=True)), dict(zip(across, weaker, strict=True)))


@dataclass(frozen=True)
class Two:
    """Simulation two: (14) literally, the damped reading, and shape-to-motion torques replayed."""

    literal: Trajectory
    damped: Trajectory
    replay_time: FloatArray
    replay_error: FloatArray  # rad, largest joint error so far


def split_at_kink(time: FloatArray, torque: FloatArray, kink: float) -> tuple[FloatArray, FloatArray]:
    """Samples with both sides of the jump at `kink`: the left value is continued from the two samples before it."""
    k = int(np.searchsorted(time, kink - 1e-9))
    left = 2.0 * torque[k - 1] - torque[k - 2]
    return np.insert(time, k, time[k] - 1e-13), np.insert(torque, k, left, axis=0)


def simulation_two(progress: Progress) -> Two:
    """Fig. 6: torque to motion; and a replay of simulation one's torques through the torque-driven engine."""
    literal = runs.run_scenario("ma2001-torque")
    progress(0.3)
    damped = runs.run_scenario("ma2001-torque-damped")
    progress(0.6)
    # a smooth law, order 4, every step recorded: what differs is the instability, not the scheme
    span, step = 2.0, 2.5e-4
    base = setup(2, 45.0, Coulomb(0.2, 0.5, smoothing=1e-2))
    settings = replace(base.settings, step=step, integrator="rk4", record_interval=step)
    shaped = runs.execute(replace(base, settings=settings), until=span)
    drive = SampledTorque(*split_at_kink(shaped["time"], shaped["joint_torque"], 0.1 * DURATION))
    settings = replace(settings, duration=span)
    replayed = runs.execute(replace(base, settings=settings, command=drive, posture=base.command))
    count = min(replayed["time"].size, shaped["time"].size)
    error = np.abs(replayed["joint_angle"][:count] - shaped["joint_angle"][:count]).max(axis=1)
    progress(1.0)
    return Two(literal, damped, shaped["time"][:count], error)


def sweep_waves(quick: bool, progress: Progress) -> dict[tuple[float, float], dict[str, Any]]:
    """Fig. 7: (K_n, mu_t) to metrics; mu_n = 0.8, winding 60 degrees."""
    along = np.round(np.arange(0.0, 0.81, 0.2 if quick else 0.05), 3).tolist()
    cells = [(k, mu) for k in (1.0, 2.0, 3.0, 4.0) for mu in along]
    values = evaluate_all(
        lambda c: metrics(c[0], WINDING, Coulomb(c[1], ACROSS, smoothing=SMOOTHING)), cells, progress=progress
    )
    return dict(zip(cells, values, strict=True))


def sweep_winding(quick: bool, progress: Progress) -> dict[tuple[float, float, float], dict[str, Any]]:
    """Fig. 8: (K_n, alpha_0, mu_t) to metrics; mu_n = 0.8."""
    along = (0.0, 0.4) if quick else (0.0, 0.1, 0.2, 0.4, 0.6, 0.8)
    winding = np.arange(10.0, 91.0, 20.0 if quick else 5.0).tolist()
    cells = [(k, a, mu) for k in (1.0, 2.0, 3.0) for a in winding for mu in along]
    values = evaluate_all(
        lambda c: metrics(c[0], c[1], Coulomb(c[2], ACROSS, smoothing=SMOOTHING)), cells, progress=progress
    )
    return dict(zip(cells, values, strict=True))


def optimum(waves: float, along: float, across: float, points: int = 18) -> Optimum:
    """The winding angle (deg) of the best efficiency J: scan of 5 to 90 degrees, then golden section to 0.2."""

    def efficiency(angle: float) -> float | None:
        value = metrics(waves, angle, Coulomb(along, across, smoothing=SMOOTHING), STEP_OPTIMA)["efficiency"]
        return None if value is None else float(value)

    return scan_and_refine(efficiency, 5.0, 90.0, points=points, tolerance=0.2, threads=1)


def optima(quick: bool, progress: Progress) -> dict[tuple[float, float, float], Optimum]:
    """Fig. 9: (K_n, mu_t, mu_n) to the optimum, over mu_t at mu_n = 0.8 and over mu_n at mu_t = 0.1."""
    along = (0.0, 0.1, 0.3) if quick else (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
    across = (0.5, 1.2) if quick else (0.5, 0.65, 1.0, 1.2)
    cells = [(k, mu, ACROSS) for k in (1.0, 2.0, 3.0) for mu in along]
    cells += [(k, 0.1, mu) for k in (1.0, 2.0, 3.0) for mu in across]
    values = evaluate_all(lambda c: optimum(*c, points=10 if quick else 18), cells, progress=progress)
    return dict(zip(cells, values, strict=True))
