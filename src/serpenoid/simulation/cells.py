"""Descriptions that differ in a few keys of one scenario: the cells of a sweep, a search, an atlas.

    base = Variations(read("creep"))
    base.setup({"gait.winding_angle_deg": 30.0, "world.friction.along": 0.2})

gives the description that `setup_of(read("creep", ["gait.winding_angle_deg=30.0", "world.friction.along=0.2"]))` gives. Only the tables that a
key belongs to are read anew; everything else, and each table that was read before with the same values, is the very same object from cell
to cell, so that engines need not prepare it again. A controller is made anew for every cell: it may remember something.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from serpenoid.core.door import door
from serpenoid.core.family import allowing
from serpenoid.formats.scenario import KINDS, TABLES, Scenario, part_of, parts_of, put_key, read_files, robot_from
from serpenoid.simulation.setup import Setup, assembled, setup_of

MOST_KEPT = 4096  # tables kept for cells to come
REMEMBERS = "controller"  # the table whose object may change as it runs


class Variations:
    """A scenario (its data, as `formats.scenario.read` gives it), and the descriptions that follow from changes of its keys."""

    @door
    def __init__(
        self, data: Mapping[str, Any], source: str | None = None, allow: tuple[str, ...] | None = None
    ) -> None:
        self.source = source or str(getattr(data, "source", "scenario"))
        self.allow = tuple(getattr(data, "allow", ()) if allow is None else allow)
        self.data = copy.deepcopy(dict(data))
        self._base = parts_of(self.data, self.source, self.allow)
        self._kept: dict[tuple[str, str], Any] = {}

    @door
    def scenario(self, changes: Mapping[str, Any]) -> Scenario:
        """The data of a cell: the scenario with values put at their keys ("gait.waves", "robot.links", ...)."""
        tables = {key.partition(".")[0] for key in changes}
        data = {key: copy.deepcopy(table) if key in tables else table for key, table in self.data.items()}
        for key in sorted(changes, key=lambda key: key not in KINDS):  # kinds first, as `read` does
            put_key(data, key, plain(changes[key]))
        if any(key.endswith("file") or _names_file(value) for key, value in changes.items()):
            with allowing(self.allow):
                read_files(data, robot_from)
        return Scenario(data, self.source, self.allow)

    @door
    def setup(self, changes: Mapping[str, Any]) -> Setup:
        """The description of a cell; what is wrong with it raises an InputError that names all of it."""
        grouped: dict[str, dict[str, Any]] = {REMEMBERS: {}} if REMEMBERS in self._base else {}
        for key, value in changes.items():
            grouped.setdefault(key.partition(".")[0], {})[key] = plain(value)
        if any(table not in self._base or table not in TABLES for table in grouped):
            return setup_of(self.scenario(changes))
        parts = dict(self._base)
        for table, own in grouped.items():
            part = self._part(table, own)
            if part is None:  # all that is wrong, in the words of a scenario that is read as a whole
                return setup_of(self.scenario(changes))
            parts[table] = part
        return assembled(parts, self.source)

    def _part(self, table: str, changes: Mapping[str, Any]) -> Any:
        """The description of a table with changes; None where something is wrong with it."""
        name = table, repr(list(changes.items()))  # of plain numbers: arrays would leave digits out
        if name in self._kept:
            return self._kept.get(name)  # None where another thread has cleared it meanwhile: then all is read anew
        wrong: list[str] = []
        data = self.scenario(changes)
        with allowing(self.allow):
            part = part_of(table, data[table], lambda path, what: wrong.append(path))
        if len(self._kept) >= MOST_KEPT:
            self._kept.clear()
        found = None if wrong else part
        if table != REMEMBERS:
            self._kept[name] = found
        return found


def plain(value: Any) -> Any:
    """A value as a scenario file would give it: numbers of NumPy as Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def _names_file(value: Any) -> bool:
    """Whether a table, or one within it, names a file."""
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return (isinstance(value, Mapping) and "file" in value) or any(map(_names_file, items))
