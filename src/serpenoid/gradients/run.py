"""Derivatives of results of a run by numbers of its description: `gradient`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from serpenoid.core import FloatArray, Trajectory
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Anything, Number, shown
from serpenoid.gaits import has_slopes
from serpenoid.gradients import certificate, refusals
from serpenoid.gradients.certificate import Neighbours
from serpenoid.gradients.measures import Measure, check_defined, measure_of, slopes_of
from serpenoid.gradients.parameters import Parameter, Place, parameter_of
from serpenoid.gradients.reading import ReadNumbers, engine_of, rates, reading_of
from serpenoid.gradients.result import Gradient, Gradients, Slope, relative_of, unit_of
from serpenoid.gradients.way_back import KeptRun, kept_run_of, slopes_back, total
from serpenoid.simulation.engines import step_of
from serpenoid.simulation.setup import Setup, setup_of
from serpenoid.simulation.steps import auto_step, grid


@door(
    run=Anything(),
    of=Anything(),
    over=Anything(),
    certify=Number("share of each parameter", above=0.0, high=0.5, optional=True),
)
def gradient(
    run: Any, *, of: Any, over: Any, certify: float | None = None, allow: tuple[str, ...] = ()
) -> Gradient | Gradients:
    """Differentiate results of a run by numbers of its description: one pass backwards, whatever the number of parameters.

    Parameters
    ----------
    run : a finished run, or a scenario (bundled name, path, or the table of its keys); it is made again, solved far enough to be differentiated
    of : a result ("com_distance"), or several
    over : keys of the description ("world.friction.across", "robot.link_mass"), or one
    certify : run at plus and minus this share of each parameter too, and flag gradients that do not hold over it
    allow : names of modules from which the description may take kinds and functions

    Returns
    -------
    Gradient, a mapping of keys to derivatives in SI units; of several results Gradients, a mapping of results to these
    """
    setup, before, step, steps = _asked(run, allow)
    several = not isinstance(of, str)
    names, keys = _names("of", of), _names("over", over)
    measures = {name: measure_of(name) for name in names}
    refusals.check_description(setup)
    parameters = [parameter_of(setup, key) for key in keys]
    made = kept_run_of(setup, step, steps)
    for name in names:
        check_defined(name, made.outcome, setup)
    changes = {p.key: _changes(setup, p, made, measures, step * steps) for p in parameters}
    near: dict[str, Neighbours] = {}
    if certify is not None:
        near = {p.key: certificate.runs_near(setup, p, certify, step, steps) for p in parameters if p.value.any()}
    found: dict[str, Gradient] = {}
    for name, measure in measures.items():
        found[name] = _gradient(name, measure, setup, made, changes, parameters, before.get(name), step * steps)
        if certify is not None:
            found[name] = _certified(found[name], measure, near, certify, step * steps)
    return Gradients(found) if several else found[names[0]]


def _names(what: str, given: Any) -> list[str]:
    """One name or several, each once."""
    names = [given] if isinstance(given, str) else list(given) if isinstance(given, Sequence | set | frozenset) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"{what} must be a name or a list of names, got {shown(given)}")
    doubled = [name for name in names if names.count(name) > 1]
    if doubled:
        raise InputError(f"{what}: {doubled[0]} is given twice")
    return names


def _asked(run: Any, allow: tuple[str, ...]) -> tuple[Setup, Mapping[str, float | None], float, int]:
    """The description, the values of the run that was given, and its step and their number."""
    if isinstance(run, Trajectory):
        setup, before = setup_of(dict(run.scenario), allow=allow), run.metrics
        step, steps, _ = grid(setup, float(run.provenance["step"]))
        if run.status.name == "diverged" or abs(run.duration - step * steps) > 0.5 * step:
            raise InputError(
                f"a gradient needs a run that came to its end: this one is {run.status.name} at {run.duration:.6g} s of {step * steps:.6g} s; resume it, or change run.duration"
            )
        return setup, before, step, steps
    if isinstance(run, Setup):
        setup = run
    elif isinstance(run, str | Path):
        from serpenoid.formats.scenario import read

        setup = setup_of(read(str(run), allow=allow))
    elif isinstance(run, Mapping):
        setup = setup_of(run, allow=allow)
    else:
        raise InputError(
            f"run must be a finished run, the name of a scenario, or the table of its keys, got {shown(run)}"
        )
    refusals.check_description(setup)
    wanted = auto_step(setup)[0] if isinstance(setup.settings.step, str) else step_of(setup)
    step, steps, _ = grid(setup, wanted)
    return setup, {}, step, steps


class Change(NamedTuple):
    """How one number of a description changes what the kernels read, and each measure with the outcome held."""

    reading: ReadNumbers
    measures: dict[str, float]
    one_sided: bool


Changes = Mapping[str, Mapping[Place, Change]]


def _changes(
    setup: Setup, parameter: Parameter, run: KeptRun, measures: Mapping[str, Measure], time: float
) -> dict[Place, Change]:
    """The changes by each of the numbers of a parameter."""
    step = run.engine.dt

    def read(moved: Setup) -> tuple[FloatArray, ...]:
        own = np.array([measure.formula(run.outcome, moved, time) for measure in measures.values()])
        return *reading_of(engine_of(moved, step)), own

    found = {}
    for place in parameter.places():
        (*arrays, own), one_sided = rates(read, setup, parameter, place)
        reading = ReadNumbers(*arrays)
        if not has_slopes(setup.command) and (reading.row.any() or reading.table.any()):
            raise InputError(
                f"no gradient by {parameter.key}: it changes the gait, and a gait of one's own does not tell how its angles depend on its numbers; "
                "give samples of it (sp.gaits.Sampled)"
            )
        found[place] = Change(reading, dict(zip(measures, own.tolist(), strict=True)), one_sided)
    return found


def _gradient(
    name: str, measure: Measure, setup: Setup, run: KeptRun, changes: Changes, parameters: list[Parameter], before: float | None, time: float
) -> Gradient:  # fmt: skip
    """The gradient of one result."""
    value = float(measure.formula(run.outcome, setup, time))
    by = slopes_back(run, slopes_of(measure, run.outcome, setup, time), measure.torques)
    slopes = {}
    for parameter in parameters:
        derivative = np.zeros(parameter.value.shape)
        for place, change in changes[parameter.key].items():
            derivative[place] = total(by, change.reading) + change.measures[name]
        slopes[parameter.key] = Slope(
            parameter.key, derivative, parameter.value, unit_of(measure.unit, parameter.unit),
            relative_of(derivative, parameter.value, value), any(change.one_sided for change in changes[parameter.key].values()),
        )  # fmt: skip
    return Gradient(name, measure.unit, value, before, slopes, _flags(setup, run))


def _flags(setup: Setup, run: KeptRun) -> tuple[str, ...]:
    """What a user must know of a run before he trusts its derivatives."""
    found = [refusals.sharp(setup)]
    if run.unsolved:
        found.append(
            f"{run.unsolved} steps are not solved far enough, the first at t = {run.first_unsolved:.6g} s: the derivative is not exact; use a shorter run.step"
        )
    return tuple(flag for flag in found if flag)


def _certified(
    found: Gradient, measure: Measure, near: Mapping[str, Neighbours], delta: float, time: float
) -> Gradient:
    """The gradient with secants beside it, and a flag for each that does not hold."""
    slopes, flags = dict(found.slopes), list(found.flags)
    for key, runs in near.items():
        secant = certificate.secant_of(found.of, measure, runs, slopes[key], found.value, delta, time)
        slopes[key] = replace(slopes[key], secant=secant)
        if not secant.agrees:
            flags.append(certificate.doubt(key, slopes[key], secant))
    return replace(found, slopes=slopes, flags=tuple(flags))
