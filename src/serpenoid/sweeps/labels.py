"""What axes and metrics are called in the data, with unit and meaning, as they are declared."""

from __future__ import annotations

from serpenoid.formats.scenario import steps_of
from serpenoid.simulation.metrics import metric_of
from serpenoid.simulation.setup import Setup, declaration_at
from serpenoid.sweeps.designs import Design

RESERVED = ("cell", "status", "message", "warnings")


def meanings(columns: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Unit and meaning of metrics, and whether more or less of them is better."""
    known = {name: metric_of(name) for name in columns}
    return {name: {"units": m.unit, "long_name": m.formula or name, "better": m.better} for name, m in known.items()}


def labels(design: Design, columns: tuple[str, ...], example: Setup) -> list[dict[str, str]]:
    """Name, key, unit and meaning of each axis; its name is the last part of the key, or all of it where that is taken."""
    short = [_last(axis.key) for axis in design.axes]
    taken = {*columns, *RESERVED}
    names = [
        name if short.count(name) == 1 and name not in taken else "_".join(steps_of(axis.key))
        for name, axis in zip(short, design.axes, strict=True)
    ]
    return [
        {"name": name, "key": axis.key, **_declared(axis.key, example)}
        for name, axis in zip(names, design.axes, strict=True)
    ]


def _last(key: str) -> str:
    """The last part of a key; of an element of a list with the list's name: "parameters_2"."""
    *before, last = steps_of(key)
    return f"{before[-1]}_{last}" if last.isdecimal() and before else last


def _declared(key: str, setup: Setup) -> dict[str, str]:
    """Unit and meaning of a key of this description."""
    name = _last(key)
    words, quantity = name.replace("_", " "), declaration_at(setup, key)
    if quantity is None:
        return {"units": "", "long_name": words}
    return {"units": "deg" if name.endswith("_deg") else quantity.unit, "long_name": quantity.meaning or words}
