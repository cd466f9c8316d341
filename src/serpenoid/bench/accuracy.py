"""Which step is accurate enough: a run may only be timed at a step whose figures lie near the converged ones.

Three figures judge a run: distance S of the centre of gravity (m), slip across the edges per link (m), and
the time mean of the sum of squared joint torques (N^2 m^2). The reference is our own run at a step far below
all others.

A step counts as *steady* if it qualifies together with every shorter step of the list; our own steps must be,
so that no lucky cancellation is timed. A peer's step only has to qualify itself, which favours the peer.

Runs are timed twice: by the wall clock and by the processor time of their thread. Ratios between
single-threaded runs use the latter, which other load on the machine does not lengthen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from serpenoid.bench.mujoco_run import MarchedRun, march_gait
from serpenoid.contact import sums as tally
from serpenoid.core import Robot, Start, World
from serpenoid.planar.engine import PlanarEngine


class Figures(NamedTuple):
    """What a run is judged by (or the relative errors of these)."""

    com_distance: float
    slip_per_link: float
    torque_sq_mean: float


class Limits(NamedTuple):
    """Largest relative errors allowed; infinite where a figure is not asked for."""

    com_distance: float = np.inf
    slip_per_link: float = np.inf
    torque_sq_mean: float = np.inf


@dataclass(frozen=True, eq=False)
class AccuracyCase:
    """One scenario of the benchmark: a robot whose shape is prescribed."""

    robot: Robot
    gait: Any  # a Gait; the classes' unannotated KIND keeps mypy from seeing that
    world: World
    duration: float  # s

    def steps(self, step: float) -> int:
        """Number of steps of about that length."""
        return max(1, round(self.duration / step))

    def prepared(self, step: float) -> PlanarEngine:
        """An engine that is ready to march, recording only its end."""
        steps = self.steps(step)
        engine = PlanarEngine(
            self.robot, self.world, Start(), step=self.duration / steps, stride=steps, ideal=True, first=self.gait
        )
        engine.follow(self.gait)
        return engine


class Timed(NamedTuple):
    """A run at one step: figures, shortest wall and processor time (s), steps, iterations a step."""

    step: float
    figures: Figures
    wall_time: float
    cpu_time: float
    steps: int
    iterations: float


def relative_errors(figures: Figures, reference: Figures) -> Figures:
    """Errors of the figures relative to the reference, signed."""
    return Figures(*(a / b - 1.0 for a, b in zip(figures, reference, strict=True)))


def meets(figures: Figures, reference: Figures, limits: Limits) -> bool:
    """Whether all figures are finite and within their limits."""
    if not np.all(np.isfinite(figures)):
        return False
    return all(abs(e) < limit for e, limit in zip(relative_errors(figures, reference), limits, strict=True))


def march(case: AccuracyCase, step: float, repeats: int = 1) -> Timed:
    """Time our own engine: the marching of a ready run with torques and metrics, best of some repeats."""
    wall, cpu, steps = np.inf, np.inf, case.steps(step)
    for _ in range(repeats):
        run = case.prepared(step)
        first = run.com()
        started, busy = time.perf_counter(), time.thread_time()
        finite = run.advance(steps)
        cpu, wall = min(cpu, time.thread_time() - busy), min(wall, time.perf_counter() - started)
    figures = Figures(
        float(np.linalg.norm(run.com() - first)) if finite else np.nan,
        float(run.sums[tally.SLIP_ACROSS]) / case.robot.links,
        float(run.sums[tally.TORQUE_SQ]) / case.duration,
    )
    return Timed(run.dt, figures, wall, cpu, steps, float(run.sums[tally.ITERATIONS]) / steps)


def march_peer(case: AccuracyCase, step: float, stiffness: float, damping: float, repeats: int = 1) -> MarchedRun:
    """Time MuJoCo on the same case under servos, best of some repeats."""
    runs = [
        march_gait(case.robot, case.gait, case.world, case.duration, step, stiffness, damping) for _ in range(repeats)
    ]
    return min(runs, key=lambda run: run.cpu_time)


def peer_figures(run: MarchedRun) -> Figures:
    """Figures of a peer's run; undefined if it diverged."""
    if not run.finite:
        return Figures(np.nan, np.nan, np.nan)
    return Figures(run.com_distance, run.slip_per_link, run.torque_sq_mean)


class ServoChoice(NamedTuple):
    """The longest step that qualifies, and the next longer one, which does not (None: there is none)."""

    step: float
    rejected: float | None


def longest_steady_step(steps: Sequence[float], qualifies: Callable[[float], bool]) -> ServoChoice | None:
    """Longest step that qualifies together with all shorter ones; None if the shortest does not."""
    chosen: float | None = None
    for step in sorted(steps):
        if not qualifies(step):
            return None if chosen is None else ServoChoice(chosen, step)
        chosen = step
    return None if chosen is None else ServoChoice(chosen, None)


def our_choice(case: AccuracyCase, reference: Figures, limits: Limits, steps: Sequence[float]) -> ServoChoice | None:
    """Our own longest steady step within the limits."""
    return longest_steady_step(steps, lambda step: meets(march(case, step).figures, reference, limits))


class PeerChoice(NamedTuple):
    """The cheapest qualified setting of the peer, with every setting that was tried."""

    step: float
    stiffness: float
    damping: float
    rejected: float | None
    tried: list[dict[str, Any]]


def peer_choice(
    case: AccuracyCase,
    reference: Figures,
    limits: Limits,
    steps: Sequence[float],
    servos: Sequence[tuple[float, float]],
) -> PeerChoice | None:
    """Longest step at which the peer qualifies with any servo (stiffness, damping)."""
    tried: list[dict[str, Any]] = []
    longer: float | None = None
    for step in sorted(steps, reverse=True):
        for stiffness, damping in servos:
            figures = peer_figures(march_peer(case, step, stiffness, damping))
            good = meets(figures, reference, limits)
            errors = relative_errors(figures, reference)._asdict() if np.all(np.isfinite(figures)) else None
            tried.append(
                {
                    "step": step,
                    "stiffness": stiffness,
                    "damping": damping,
                    "errors": errors,
                    "qualified": good,
                }
            )
            if good:
                return PeerChoice(step, stiffness, damping, longer, tried)
        longer = step
    return None
