"""What to beware of in commands: samples against the step, samples with corners, servos that a drive passes by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.finding import Finding
from serpenoid.gaits import Sampled, Sequence
from serpenoid.gaits.drives import SampledTorque
from serpenoid.gaits.samples import pieces, sharpness, time_scale
from serpenoid.judgement.commanded import STEPS_PER_PERIOD, bends
from serpenoid.simulation.warnings import Evidence, Subject

SHARP = 1.5  # growth of the mean square acceleration from every second sample to all: beyond it there are corners, or too few samples


def sampled_parts(run: Evidence) -> list[tuple[Sampled, str]]:
    """The sampled gaits of a run, each with what it is called."""
    gait = run.setup.gait
    parts = enumerate(gait.parts) if isinstance(gait, Sequence) else [(-1, gait)]
    return [(p, "the samples" if k < 0 else f"the samples of gait {k}") for k, p in parts if isinstance(p, Sampled)]


def _moving(source: Any) -> tuple[FloatArray, FloatArray]:
    """Times and values of samples."""
    return np.asarray(source.times, dtype=float), np.asarray(source.values, dtype=float)


def steps_per_sample(run: Evidence) -> Iterator[str]:
    """Steps that are long for what is sampled: against its time scale, and against the samples themselves."""
    dt, drive = run.engine.dt, run.setup.drive
    for source, what in sampled_parts(run):
        times, values = _moving(source)
        scale = time_scale(pieces(times, values, "cubic", source.periodic))
        yield from _long(dt, scale, times, what)
    if isinstance(drive, SampledTorque):
        times, values = _moving(drive)
        # the integral of the torque has the torque as its rate
        integral = np.concatenate(
            [
                np.zeros((1, values.shape[1])),
                np.cumsum(0.5 * (values[1:] + values[:-1]) * np.diff(times)[:, None], axis=0),
            ]
        )
        yield from _long(dt, time_scale(pieces(times, integral, "cubic", False)), times, "the samples of the torques")


def _long(dt: float, scale: float, times: FloatArray, what: str) -> Iterator[str]:
    apart = float(np.median(np.diff(times)))
    if dt > scale / STEPS_PER_PERIOD:
        yield f"a step of {dt:.3g} s is long for {what}, which change like a wave with a period of {scale:.3g} s; slip and torques are coarse"
    elif dt > apart * (1.0 + 1e-9):
        yield f"a step of {dt:.3g} s passes over {what}, {apart:.3g} s apart: what lies between is not seen"


def corners(run: Evidence) -> Iterator[str]:
    """Samples whose accelerations are impulses: torques of ideal joints depend on the step or the sampling."""
    if not run.engine.ideal:
        return
    for source, what in sampled_parts(run):
        times, values = _moving(source)
        if source.interpolation == "linear":
            if source is not run.setup.gait and bends(times, values):
                yield Finding("linear-samples", part=1, gait=int(what.rpartition(" ")[2]))
            continue
        growth = sharpness(times, values, source.periodic)
        if growth > SHARP:
            yield (
                f"{what} have corners or are too few: their mean square acceleration is {growth:.2g} times that of every second sample, so "
                "torques (torque_sq_mean, torque_max) depend on the sampling; sample a smooth curve more closely"
            )


COMMANDED: tuple[Subject | str, ...] = (
    "samples-end",
    "gait-at-rest",
    steps_per_sample,
    "linear-samples",
    corners,
    "idle-servos",
)
