"""What axes and metrics are called in the data, with unit and meaning, as they are declared."""

from __future__ import annotations

from serpenoid.simulation.metrics import metric_of
from serpenoid.simulation.setup import Setup, declaration_at
from serpenoid.sweeps.designs import Design

RESERVED = ("cell", "status", "message", "warnings")


def meanings(columns: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Unit and meaning of metrics."""
    return {name: {"units": metric_of(name).unit, "long_name": metric_of(name).formula or name} for name in columns}


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
    name = key.rpartition(".")[2]
    words, quantity = name.replace("_", " "), declaration_at(setup, key)
    if quantity is None:
        return {"units": "", "long_name": words}
    return {"units": "deg" if name.endswith("_deg") else quantity.unit, "long_name": quantity.meaning or words}
