"""What to beware of in a run, in order: findings of `judgement` by their codes, and small functions for what only the package looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from serpenoid.contact.crossings import SelfCrossing
from serpenoid.contact.joint import GEAR_SMOOTHING
from serpenoid.core import Variable
from serpenoid.formats.imported import BEWARE
from serpenoid.judgement.findings import FINDINGS
from serpenoid.simulation.formulas import Measured
from serpenoid.simulation.hints import HINTS
from serpenoid.simulation.resolution import ringing_servos, thin_obstacles
from serpenoid.simulation.setup import Setup

STILL_GEAR = 1e-9  # rad/s: slower joints are at rest
FAST_GEAR = 10.0  # times the smoothing of gear friction: slower joints creep


class Evidence:
    """What a run is judged by: its description, the engine at the end, recorded variables, sums over the run, metrics."""

    def __init__(self, setup: Setup, engine: Any) -> None:
        self.setup, self.engine = setup, engine
        self.variables: Mapping[str, Variable] = engine.variables()
        self.sums: Mapping[str, float] = engine.totals()
        self.metrics = Measured(setup, self.variables, self.sums, engine.time, engine=engine)

    @property
    def turned(self) -> float:
        """Energy turned over, J."""
        return self.metrics.turned

    @property
    def crossing(self) -> SelfCrossing:
        """Whether the body crosses itself, and where."""
        return self.metrics.crossing


Subject = Callable[[Evidence], Iterator[str]]


def warnings_of(run: Evidence) -> list[str]:
    """What to beware of in any run; findings that are not in the order come last."""
    from serpenoid.simulation.command_warnings import COMMANDED

    order, found = (*SUBJECTS, *COMMANDED), run.metrics.findings
    named = [subject for subject in order if isinstance(subject, str)]
    others = [code for code in found if code not in named and not FINDINGS[code].status]
    told: list[str] = []
    for subject in (*order, *others):
        if not isinstance(subject, str):
            told += subject(run)
        elif subject in found:
            told.append(found[subject])
    return told


def imported_robot(run: Evidence) -> Iterator[str]:
    """What could not be kept of the file that a robot came from."""
    source, found, text = run.setup.robot.source.partition(BEWARE)
    if found:
        yield f"the robot was {source.strip().rstrip('.')}: {text}"


def kinks_in_steps(run: Evidence) -> Iterator[str]:
    """Accelerations that jump inside a step of order 4."""
    setup, engine = run.setup, run.engine
    if setup.settings.integrator == "rk4" and setup.gait is not None:
        inner = [x for x in setup.gait.kinks() if 0.0 < x < engine.time]
        off = [x for x in inner if abs(x / engine.dt - round(x / engine.dt)) > 1e-6]
        if off:
            yield f"the gait's accelerations jump at t = {off[0]:g} s, inside a step: order 4 is lost there"


def creeping_gears(run: Evidence) -> Iterator[str]:
    """Gear friction that gives way instead of holding."""
    given = run.setup.robot.servo
    servos = given if isinstance(given, tuple) else (given,)
    if any(servo is not None and servo.gear_friction for servo in servos):
        rate = float(np.sqrt(np.mean(run.variables["joint_rate"].data ** 2)))
        if STILL_GEAR < rate < FAST_GEAR * GEAR_SMOOTHING:
            yield (
                f"gear friction gives way below {GEAR_SMOOTHING:g} rad/s instead of holding, and the joints move at {rate:.2g} rad/s (root mean "
                f"square): they creep under load, by up to {GEAR_SMOOTHING * run.engine.time:.2g} rad in this run"
            )


SUBJECTS: tuple[Subject | str, ...] = (
    imported_robot, "short-waves", "spinning-joint", "unsolved-steps", "moment-left", "scheme-loss", "account-open", "no-slip", "long-step",
    ringing_servos, thin_obstacles, "passed-obstacle", kinks_in_steps, "servos-at-limit", creeping_gears, "joint-at-stop", "stop-impulses", "soft-ground",
    "pressed-in", "aloft", "upright-links", "axes-apart", "crosses-itself", "pushed-through", "soft-links", *HINTS,
)  # fmt: skip
