"""What a person asks for: the base of a sweep and its table `[sweep]`, from a file, from plain data or from objects.

[sweep]
base = "creep"                 # a scenario to sweep; or the tables of one stand in this same file
design = "grid"                # or together, random, sobol (with cells and seed)
metrics = ["com_distance"]     # default: all that apply

[sweep.over]
"gait.winding_angle_deg" = "5:90:5"
"world.friction.along" = [0.1, 0.2, 0.4]
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from serpenoid.core.errors import InputError
from serpenoid.core.quantities import shown
from serpenoid.formats.opening import check_whole, contained, named
from serpenoid.formats.scenario import Scenario, bundled, checked, described, find, read, read_toml, set_key
from serpenoid.spelling import near

KEYS = ("over", "design", "cells", "seed", "metrics", "through", "seeded", "ties")


def base_of(
    base: Any, changes: list[str] | None, allow: tuple[str, ...], outside: bool
) -> tuple[Scenario, dict[str, Any]]:
    """The scenario to sweep, and the table `[sweep]` of its file: by name or path, from its data, or from a description."""
    if isinstance(base, str):
        return _from_file(base, changes, allow, outside)
    data = base.keys() if hasattr(base, "keys") and not isinstance(base, Mapping) else base
    if not isinstance(data, Mapping):
        raise InputError(f"the base of a sweep is a scenario's name, its data, or a Setup, got {shown(base)}")
    plain = {key: copy.deepcopy(dict(value)) if isinstance(value, Mapping) else value for key, value in data.items()}
    table = _checked_table(plain.pop("sweep", {}), "sweep")
    for change in changes or []:
        set_key(plain, change)
    return checked(plain, str(getattr(base, "source", "scenario")), allow or tuple(getattr(base, "allow", ()))), table


def _from_file(
    name: str, changes: list[str] | None, allow: tuple[str, ...], outside: bool
) -> tuple[Scenario, dict[str, Any]]:
    path = find(name)
    data, text = read_toml(path)
    table = data.pop("sweep", {})
    if not isinstance(table, dict):
        raise InputError(f"{named(path)}: sweep must be a table of keys, got {shown(table)}")
    base = table.pop("base", None)
    table = _checked_table(table, named(path))
    if base is None:
        return described(data, text, path, changes, allow, outside), table
    if data:
        raise InputError(
            f"{named(path)}: give either sweep.base or the tables of a scenario ({', '.join(data)}), not both"
        )
    if not isinstance(base, str):
        raise InputError(f"{named(path)}: sweep.base must be the name of a scenario, got {shown(base)}")
    check_whole(text, named(path))
    where = base if base in bundled() else str(path.parent / base)
    if base not in bundled() and not outside:
        where = contained(where, "scenario", path.parent)
    return read(where, changes, allow, outside), table


def _checked_table(table: Any, source: str) -> dict[str, Any]:
    """The table of a sweep, if all its keys are known."""
    if not isinstance(table, Mapping):
        raise InputError(f"{source}: sweep must be a table of keys, got {shown(table)}")
    for key in table:
        if key not in KEYS:
            raise InputError(
                f"{source}: sweep.{key}: unknown key{near(key, KEYS) or '; allowed are ' + ', '.join(KEYS)}"
            )
    over = table.get("over", {})
    if not isinstance(over, Mapping):
        raise InputError(f"{source}: sweep.over must be a table of keys and their values, got {shown(over)}")
    return {**table, "over": flattened(over)} if "over" in table else dict(table)


def flattened(table: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """Dotted keys of nested tables: gait.waves = "1:3:1" may be quoted or not."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            found |= flattened(value, f"{path}{key}.")
        else:
            found[f"{path}{key}"] = value
    return found


def texts(given: Any, what: str) -> tuple[str, ...]:
    """One text or several, as a tuple."""
    found = (given,) if isinstance(given, str) else given
    if not isinstance(found, list | tuple) or not all(isinstance(text, str) and text for text in found):
        raise InputError(f"{what} must be a text or a list of texts, got {shown(given)}")
    return tuple(found)
