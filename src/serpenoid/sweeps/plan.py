"""What a sweep will do, before anything is computed: its cells, its metrics, its identity, and what it will take.

A plan is plain data: the store keeps it, workers and shards on other machines build the same cells from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from serpenoid.core.errors import InputError
from serpenoid.core.functions import keys_through
from serpenoid.core.quantities import shown
from serpenoid.formats.manifest import digest_of
from serpenoid.formats.store import planned
from serpenoid.simulation.cells import Variations
from serpenoid.simulation.metrics import METRICS, find_metric, never_there
from serpenoid.simulation.setup import Setup
from serpenoid.sweeps.designs import Design, design_from
from serpenoid.sweeps.estimate import Estimate, estimate_of
from serpenoid.sweeps.identity import cell_seed, files_named, named_in, sources, versions
from serpenoid.sweeps.labels import labels, meanings

REPEAT = "repeat"  # an axis that changes nothing but the seeds
MOST_TRIED = 256  # descriptions looked at before anything runs
MOST_METRICS = 200


@dataclass(frozen=True, eq=False)
class SweepPlan:
    """Cells and metrics of a sweep, and all that decides its numbers."""

    data: dict[str, Any]  # of the base scenario
    design: Design
    metrics: tuple[str, ...]  # as they were named
    allow: tuple[str, ...] = ()
    through: str = ""  # "module:function" from the axes' values to the changes of a cell
    seeded: tuple[str, ...] = ()  # keys that get the seed of the cell
    ties: tuple[tuple[str, str], ...] = ()  # keys that take the value of an axis, each with that axis
    arithmetic: str = "float64"  # "float64 gpu", "float32 gpu"
    source: str = "scenario"  # its file, without the folder: messages are the same on every machine
    made_by: dict[str, str] = field(default_factory=dict)

    # cells

    @cached_property
    def variations(self) -> Variations:
        """From changes to descriptions."""
        return Variations(self.data, self.source, self.allow)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the metrics in the data; functions of users are found and entered."""
        return tuple(find_metric(name, self.allow) for name in self.metrics)

    @cached_property
    def _function(self) -> Callable[[Mapping[str, Any]], dict[str, Any]] | None:
        return keys_through(self.through, self.allow) if self.through else None

    @cached_property
    def _seed_base(self) -> str:
        return digest_of([self._description, self.design.seed])

    @cached_property
    def _description(self) -> dict[str, Any]:
        """Of the base, without what decides no number; all that a store, and so a worker, knows of it."""
        return {key: value for key, value in self.data.items() if key != "title"}

    def changes(self, values: Sequence[Any]) -> dict[str, Any]:
        """What the values of the axes change in the base."""
        given = {axis.key: value for axis, value in zip(self.design.axes, values, strict=True)}
        made = {**given, **{key: given[axis] for key, axis in self.ties}}
        if self._function is not None:
            made = self._function(made)
            self._check_files(made)
        made.pop(REPEAT, None)
        if self.seeded:
            made |= dict.fromkeys(self.seeded, cell_seed(self._seed_base, given))
        return dict(made)

    def _check_files(self, made: Mapping[str, Any]) -> None:
        """Refuse files that only the function names: the store would not know when they change."""
        for where, name in (pair for key, value in made.items() for pair in named_in(key, value)):
            if not any(name in axis.listed for axis in self.design.axes):
                raise InputError(
                    f"{self.through} names the file {shown(name)} in {where}: let an axis name it, so that the store knows what is in it, "
                    "or read it in the function and give its numbers"
                )

    def setup(self, values: Sequence[Any]) -> Setup:
        """The description of a cell."""
        return self.variations.setup(self.changes(values))

    def example(self) -> Setup:
        """The description of the first cell that has one, else the base."""
        for values in self.design.values(0, min(self.design.count, 8)):
            with suppress(InputError):
                return self.setup(values)
        return self.variations.setup({})

    # what it is

    def identity(self) -> dict[str, Any]:
        """Everything that decides the numbers, as plain data."""
        modules = {name.partition(":")[0] for name in (*self.metrics, self.through) if ":" in name}
        files = files_named(self.data, self.design.axes, bool(self.through))
        return {
            "description": self._description, "files": files, "design": self.design.plain(), "metrics": list(self.metrics), "through": self.through,
            "seeded": list(self.seeded), "versions": self.made_by or versions(self.arithmetic),
            "modules": sources(sorted({*self.allow, *modules})), **({"ties": list(map(list, self.ties))} if self.ties else {}),
        }  # fmt: skip

    def plain(self, chunk: int) -> dict[str, Any]:
        """As it stands in a store."""
        identity = self.identity()
        return planned(
            {
                "id": digest_of(identity), "name": self.data.get("title") or Path(self.source).stem, "source": Path(self.source).name,
                "cells": self.design.count, "chunk": chunk, "columns": list(self.columns), "allow": list(self.allow),
                "arithmetic": self.arithmetic, "meanings": meanings(self.columns), "labels": labels(self.design, self.columns, self.example()),
                "identity": identity,
            }
        )  # fmt: skip


def plan_from(data: Mapping[str, Any], allow: tuple[str, ...] = ()) -> SweepPlan:
    """The plan that a store holds; `allow` must name the modules that it uses."""
    missing = [name for name in data["allow"] if name not in allow]
    if missing:
        raise InputError(
            f"this sweep runs code of {', '.join(missing)}; allow it with "
            + " ".join(f"--allow {name}" for name in missing)
        )
    identity = data["identity"]
    return SweepPlan(
        identity["description"], design_from(identity["design"]), tuple(identity["metrics"]), tuple(data["allow"]), identity["through"],
        tuple(identity["seeded"]), tuple((key, axis) for key, axis in identity.get("ties", ())), data["arithmetic"], data["source"],
    )  # fmt: skip


def check_plan(plan: SweepPlan, wanted: Sequence[str] | None) -> tuple[SweepPlan, Estimate]:
    """Look at some cells: refuse what no cell can be or have, choose the metrics that apply, and estimate the work."""
    setups = _tried(plan)
    if wanted is None:
        own = [name for name, metric in METRICS.items() if metric.function is None]
        names = tuple(name for name in own if any(not never_there(name, setup) for setup in setups))
    else:
        names = tuple(dict.fromkeys(wanted))
        if not 1 <= len(names) <= MOST_METRICS:
            raise InputError(f"--metric: give 1 to {MOST_METRICS} metrics, got {len(names)}")
        for name in names:
            found = find_metric(name, plan.allow)
            reasons = {never_there(found, setup) for setup in setups}
            if "" not in reasons:
                raise InputError(
                    f"--metric {name}: no cell of this sweep can have it: {sorted(reasons)[0]}; {estimate_of(plan.design, setups, 1).text}"
                )
        columns = [find_metric(name, plan.allow) for name in names]
        if len(set(columns)) < len(columns):
            raise InputError(f"--metric: two metrics have the same name: {', '.join(names)}")
    return replace(plan, metrics=names), estimate_of(plan.design, setups, len(names))


def _tried(plan: SweepPlan) -> list[Setup]:
    """Descriptions of the first cell, and of one with each value of each axis (of long axes: some)."""
    axes = plan.design.axes
    if any(axis.key == REPEAT for axis in axes) and not plan.seeded:
        raise InputError(
            f"--over {REPEAT}=... repeats a cell with another seed; say which key gets the seed (--seeded KEY)"
        )
    most = max(2, MOST_TRIED // len(axes))
    first = [axis.samples(1)[0] for axis in axes]
    rows = [first]
    for k, axis in enumerate(axes):
        if plan.design.kind != "together":
            rows += [[*first[:k], value, *first[k + 1 :]] for value in axis.samples(most) if value != first[k]]
    if plan.design.kind == "together":
        places = sorted({round(k * (axes[0].count - 1) / max(most - 1, 1)) for k in range(min(most, axes[0].count))})
        rows = [[axis.value(k) for axis in axes] for k in places]
    setups, problems = [], []
    for row in rows:
        try:
            setups.append(plan.setup(row))
        except InputError as error:
            problems.append((row, error))
    independent = plan.design.kind != "together" and not plan.through
    if problems and (independent or not setups):
        row, refused = problems[0]
        said = ", ".join(f"{axis.key} = {value}" for axis, value in zip(axes, row, strict=True))
        raise InputError(f"the cell with {said[:200]} is refused: {refused}")
    return setups


def chunk_of(estimate: Estimate) -> int:
    """Cells in a piece of the store: about a second of work, enough pieces to share out, not too many files."""
    second = math.ceil(1.0 / max(estimate.cell_seconds, 1e-4))
    wanted = min(second, 1024, math.ceil(estimate.cells / 64))
    return max(wanted, 1, math.ceil(estimate.cells / 100_000))
