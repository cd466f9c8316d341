"""The gaits that come with the package, on a robot and ground of one's own: what a front is held against."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from serpenoid.core.errors import InputError
from serpenoid.formats.scenario import bundled, read
from serpenoid.optimise.evaluation import Problem
from serpenoid.simulation.batch import execute_many
from serpenoid.simulation.setup import Setup, setup_of


def same_robot(base: Setup) -> dict[str, Setup]:
    """Bundled scenarios whose robot is that of `base`: each with its own gait, on the ground and in the time of `base`."""
    found: dict[str, Setup] = {}
    if base.gait is None:
        return found
    robot = {key: value for key, value in base.robot.keys().items() if key != "name"}
    for name in bundled():
        other = setup_of(read(name))
        if other.gait is None or {k: v for k, v in other.robot.keys().items() if k != "name"} != robot:
            continue
        try:
            found[name] = replace(base, command=other.gait)
        except InputError:  # a gait that this world or run cannot have
            continue
    return found


def bundled_gaits(base: Setup, problem: Problem, threads: int | None = None) -> list[dict[str, Any]]:
    """The objectives of the bundled gaits of this robot, on this ground, and whether each keeps the limits."""
    setups = same_robot(base)
    batch = execute_many(list(setups.values()), metrics=problem.metrics, threads=threads)
    made = []
    for k, name in enumerate(setups):
        values = {n: float(column[k]) for n, column in batch.metrics.items()}
        if batch.status[k] == "ok" and all(v == v for v in values.values()):
            kept = all(limit.keeps(values[limit.metric]) for limit in problem.limits)
            made.append({"name": name, "values": {o.metric: values[o.metric] for o in problem.objectives}, "feasible": kept})  # fmt: skip
    return made
