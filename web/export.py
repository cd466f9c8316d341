"""What the TypeScript engine and the page must know of the Python sources, written out: never typed by hand.

`generated.ts`: rows and slots of all arrays by module, kinds and names of laws, gaits and drives, places in the tables of addresses.
`declarations.json`: the fields of every description (unit, bounds, default, meaning), families, robot presets, metrics, bundled scenarios.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.compiled.forms import WIDTH, leaves
from serpenoid.compiled.program import ENTRIES
from serpenoid.core.command import COMMANDS, DRIVES, GAITS
from serpenoid.core.declare import Description, Part, Parts, quantity_of, required
from serpenoid.core.family import Family
from serpenoid.core.finding import names_in
from serpenoid.core.quantities import Quantity
from serpenoid.core.robot import ROBOTS, Robot
from serpenoid.core.settings import Settings
from serpenoid.core.slots import fields_at
from serpenoid.core.start import Start
from serpenoid.core.terrain import OBSTACLES
from serpenoid.core.world import FLOOR, LAWS, LOADS, World
from serpenoid.formats import scenario
from serpenoid.gaits.joints import MISFITS
from serpenoid.gaits.operations import PREPARED
from serpenoid.judgement.findings import FINDINGS
from serpenoid.simulation.command_warnings import COMMANDED
from serpenoid.simulation.metrics import METRICS
from serpenoid.simulation.warnings import SUBJECTS
from serpenoid.version import __version__

LAYOUTS = {
    "planar": "planar.layout", "spatial": "spatial.layout", "sums": "contact.sums", "touch": "contact.touch", "joint": "contact.joint",
    "ground": "contact.ground", "spots": "contact.spots", "skin": "contact.self_contact", "segments": "contact.segments",
    "springs": "contact.springs", "smoothing": "contact.smoothing", "walls": "contact.walls", "field": "contact.field", "load": "contact.load",
    "coulomb": "contact.coulomb", "anchors": "spatial.anchors", "contacts": "spatial.contacts", "start": "spatial.start", "march": "spatial.march",
    "step": "planar.step", "constants": "planar.constants", "rungeKutta": "planar.runge_kutta", "joints": "gaits.joints", "preparing": "gaits.preparing", "steering": "gaits.steering", "slots": "core.slots", "robot": "core.robot", "terrain": "core.terrain",
    "settings": "core.settings", "judgement": "judgement.ledger",
    "steps": "simulation.steps", "budget": "simulation.budget", "pole": "gaits.pole", "resolution": "simulation.resolution",
    "crossings": "contact.crossings", "takenUp": "contact.taken_up", "twin": "simulation.twin", "scales": "simulation.scales", "finding": "core.finding", "frictionMap": "core.friction_map", "scenario": "formats.scenario",
}  # fmt: skip
FAMILIES = {"laws": LAWS, "loads": LOADS, "gaits": GAITS, "drives": DRIVES, "obstacles": OBSTACLES}
_OUTSIDE = ("custom", "function")  # kinds that call code of users


def number_of(value: Any) -> Any:
    """A number that JSON can hold; infinite ones as texts."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, int | np.integer):
        return int(value)
    return value


def layout_of(module: str) -> dict[str, Any]:
    """Upper-case names of a module that are numbers, rows of numbers or texts, or numbers or texts by name."""

    def counts(value: Any, named: bool = False) -> bool:
        if isinstance(value, str):
            return named
        if isinstance(value, tuple):
            return len(value) > 0 and all(counts(item, True) for item in value)
        if isinstance(value, dict):
            return len(value) > 0 and all(isinstance(key, str) and counts(item, True) for key, item in value.items())
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)

    found = vars(importlib.import_module(f"serpenoid.{module}"))
    return {name: value for name, value in found.items() if name.lstrip("_").isupper() and counts(value)}


def operations(name: str) -> dict[str, Any]:
    """Numbers of an entry's operations, size of its table, and where each array stands in it."""
    module = importlib.import_module(ENTRIES[name])
    table = leaves(module.example())
    return {
        "operations": {op: k for k, op in enumerate(module.OPERATIONS)},
        "size": WIDTH * len(table),
        "leaves": [{"name": leaf.name, "slot": leaf.slot, "ndim": leaf.ndim, "whole": leaf.kind == "i"} for leaf in table],
    }  # fmt: skip


def plain_default(item: Any) -> Any:
    """Default of a field as it stands in a file; a family's default by its keys."""
    value = item.default_factory() if item.default_factory is not dataclasses.MISSING else item.default
    if value is None:
        return None
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, float) and math.isinf(value):
        return "none"
    if isinstance(value, np.floating):
        return float(value)
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Description):
        return value.keys()
    return [x.keys() if isinstance(x, Description) else x for x in value]


def quantity_json(quantity: Quantity) -> dict[str, Any]:
    """A declaration as plain data: its class, what it allows, and its own fields."""
    made: dict[str, Any] = {
        "type": type(quantity).__name__.lower(),
        "allowed": quantity.allowed,
        "angle": bool(quantity.angle),
    }
    for item in dataclasses.fields(quantity):
        value = getattr(quantity, item.name)
        if isinstance(value, Quantity):
            value = quantity_json(value)
        elif isinstance(value, Family):
            value = {"family": next((name for name, family in FAMILIES.items() if family is value), value.name)}
        elif isinstance(value, type):
            value = {"class": value.__name__}
        elif isinstance(value, tuple):
            value = list(value)
        made[item.name] = number_of(value)
    if isinstance(quantity, Part | Parts) and "of" not in made:
        made["of"] = None
    return made


def description_json(cls: Any) -> dict[str, Any]:
    """Fields of a description."""
    fields = []
    places = {name: {"form": form, "slot": slot} for name, form, slot, _ in fields_at(cls)}
    for item in dataclasses.fields(cls):
        made = {
            "name": item.name,
            **quantity_json(quantity_of(item)),
            "required": required(item),
            **places.get(item.name, {}),
        }
        if not required(item):
            made["default"] = plain_default(item)
        fields.append(made)
    text = (cls.__doc__ or "").strip().splitlines()
    return {"name": cls.__name__, "meaning": text[0] if text else "", "fields": fields}


def family_json(name: str, family: Family) -> dict[str, Any]:
    """Members of a family by their names in scenarios."""
    members = {}
    for key, cls in family.items():
        if not hasattr(cls, "__dataclass_fields__"):  # in Python only: no keys say it
            continue
        made = description_json(cls)
        for extra in ("KIND", "DRY", "BARE"):
            if hasattr(cls, extra):
                made[extra.lower()] = number_of(getattr(cls, extra))
        if cls in PREPARED:
            made["number"], made["refused"] = PREPARED.index(cls), list(cls.REFUSED)
        made["outside"] = name in ("laws", "gaits") and key in _OUTSIDE
        members[key] = made
    return {"name": family.name, "tag": family.tag, "members": members}


def classes_of() -> dict[str, Any]:
    """Every description that is a part of another, by its class's name."""
    found: dict[str, Any] = {}
    waiting: list[Any] = [Robot, World, Start, Settings]
    while waiting:
        cls = waiting.pop()
        if cls.__name__ in found:
            continue
        found[cls.__name__] = description_json(cls)
        for item in dataclasses.fields(cls):
            of = getattr(quantity_of(item), "of", None)
            if isinstance(of, type) and dataclasses.is_dataclass(of):
                waiting.append(of)
    return found


def presets() -> dict[str, Any]:
    """Robot presets: their own parameters with defaults, and the robot that they make without any."""
    known = {item.name for item in dataclasses.fields(Robot)}
    given = given_of_presets()
    made = {}
    for name, make in ROBOTS.items():
        own = {k: p.default for k, p in signature(make).parameters.items() if p.kind != Parameter.VAR_KEYWORD}
        made[name] = {
            "parameters": own, "own": [k for k in own if k not in known], "meaning": (make.__doc__ or "").strip().splitlines()[0],
            "keys": make().keys(), "given": given[name], "cylinders": "radius" in own,
        }  # fmt: skip
    return made


def given_of_presets() -> dict[str, dict[str, Any]]:
    """What each preset hands to the robot by itself, without what follows from it: seen by a robot that only notes it."""
    modules = [importlib.import_module(make.__module__) for make in ROBOTS.values()]
    modules = [module for module in modules if hasattr(module, "Robot")]

    def note(**values: Any) -> Any:
        return {
            key: value.tolist() if isinstance(value, np.ndarray) else number_of(value) for key, value in values.items()
        }

    for module in modules:
        module.Robot = note  # type: ignore[attr-defined]
    try:
        return {name: make() for name, make in ROBOTS.items()}
    finally:
        for module in modules:
            module.Robot = Robot  # type: ignore[attr-defined]


def scenarios() -> dict[str, Any]:
    """Bundled scenarios: as in their files, and with every key written out where the page can run them."""
    from serpenoid.simulation.setup import setup_of

    made = {}
    for name in scenario.bundled():
        data = scenario.read(name)
        made[name] = {
            "description": dict(data),
            "full": json.loads(json.dumps(setup_of(data).keys(), default=number_of)),
        }
    return made


def findings() -> dict[str, Any]:
    """Sentences of the findings in the order of their rows, with what their numbers are called; and the order in which they are told."""
    rows = [
        {"code": code, "text": found.text, "names": names_in(found.text), "status": found.status}
        for code, found in FINDINGS.items()
    ]
    named = [subject for subject in (*SUBJECTS, *COMMANDED) if isinstance(subject, str)]
    return {"rows": rows, "told": [*named, *(code for code in FINDINGS if code not in named)]}


def write(out: Path) -> None:
    """Write both files."""
    layouts = {name: layout_of(module) for name, module in LAYOUTS.items()}
    entries = {name: operations(name) for name in ENTRIES}
    lines = ["/* Made by web/make.py of the Python sources; do not edit. */"]
    lines += [f"export const {name} = {json.dumps(value)} as const;" for name, value in layouts.items()]
    lines += [f"export const entries = {json.dumps(entries)};", f"export const version = {json.dumps(__version__)};"]
    (out / "generated.ts").write_text("\n".join(lines) + "\n")
    data = {
        "version": __version__,
        "classes": classes_of(),
        "families": {name: family_json(name, family) for name, family in FAMILIES.items()},
        "commands": {name: list(family) for name, family in COMMANDS.items()},
        "presets": presets(),
        "floor": FLOOR.keys(),
        "misfits": list(MISFITS),
        "metrics": {name: {"unit": m.unit, "formula": m.formula} for name, m in METRICS.items()},
        "findings": findings(),
        "scenarios": scenarios(),
    }
    (out / "declarations.json").write_text(json.dumps(data, allow_nan=False))
