"""What axes and metrics are called in the data, with unit and meaning, as they are declared."""

from __future__ import annotations

from typing import Any

from serpenoid.core.declare import quantity_of
from serpenoid.simulation.metrics import METRICS
from serpenoid.simulation.setup import Setup
from serpenoid.sweeps.designs import Design

RESERVED = ("cell", "status", "message", "warnings")


def meanings(columns: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Unit and meaning of metrics."""
    return {name: {"units": METRICS[name].unit, "long_name": METRICS[name].formula or name} for name in columns}


def labels(design: Design, columns: tuple[str, ...], example: Setup) -> list[dict[str, str]]:
    """Name, key, unit and meaning of each axis; its name is the last part of the key, or all of it where that is taken."""
    short = [axis.key.rpartition(".")[2] for axis in design.axes]
    taken = {*columns, *RESERVED}
    names = [
        name if short.count(name) == 1 and name not in taken else axis.key.replace(".", "_")
        for name, axis in zip(short, design.axes, strict=True)
    ]
    return [
        {"name": name, "key": axis.key, **_declared(axis.key, example)}
        for name, axis in zip(names, design.axes, strict=True)
    ]


def _declared(key: str, setup: Setup) -> dict[str, str]:
    """Unit and meaning of a key of this description."""
    found = {"units": "", "long_name": key.rpartition(".")[2].replace("_", " ")}
    first, *rest = key.split(".")
    roots: dict[str, Any] = {"robot": setup.robot, "world": setup.world, "start": setup.start, "run": setup.settings}
    roots["gait"] = setup.gait or setup.posture
    thing = roots.get(first, setup.command)
    for part in rest[:-1]:
        thing = getattr(thing, part, None)
    known = getattr(type(thing), "__dataclass_fields__", {})
    bare = rest[-1].removesuffix("_deg") if rest else ""
    if bare not in known:
        return found
    quantity = quantity_of(known[bare])
    return {"units": "deg" if rest[-1] != bare else quantity.unit, "long_name": quantity.meaning or found["long_name"]}
