"""Descriptions as rows of numbers: every declared field at its slot, so that compiled functions read what was described.

    at = slots(Serpenoid)                                    # slots by the names of the fields, for kernels
    g = numbers_of(gait)                                     # the row
    g[at.waves], g[int(g[at.times])]                         # a number; the first number of an array

| field | its slots |
|---|---|
| number, angle, whole number | the number; NaN: there is none, or it is one of its words |
| flag | 1 or 0 |
| choice | the option, if the options are numbers, else the number of the option; NaN: none |
| several numbers, vector, points, array, cells, joints, kinds of joints | three: place in the row of the first number, rows, columns (1 where there is one number each); rows 0: none |
| text, function, another description | none |

Kinds of joints count in the order of `AXES`. The page makes the same rows of the same declarations (`fields_at`).
"""

from __future__ import annotations

import functools
from collections import namedtuple
from dataclasses import fields
from typing import Any

import numpy as np

from serpenoid.compiled import literal
from serpenoid.core.checks import FloatArray
from serpenoid.core.declare import quantity_of
from serpenoid.core.obstacles import Cells
from serpenoid.core.quantities import Choice, Flag, Number, Quantity, Whole
from serpenoid.core.robot import AXES, JointKinds, Robot, kinds_of
from serpenoid.core.several import Array, Joints, Numbers, Points, Vector

NUMBER, OPTION, SEVERAL, KINDS = "number", "option", "several", "kinds"  # how a field becomes numbers
CODES = {kind: float(k) for k, kind in enumerate(AXES)}
YAW, PITCH, ROLL, UNIVERSAL, PITCH_YAW, FIXED = (
    CODES[kind] for kind in ("yaw", "pitch", "roll", "universal", "pitch-yaw", "fixed")
)
WIDTH = {NUMBER: 1, OPTION: 1, SEVERAL: 3, KINDS: 3}


def form_of(quantity: Quantity) -> str | None:
    """How a field of this declaration becomes numbers; None: not at all."""
    if isinstance(quantity, Choice):
        return OPTION if isinstance(quantity.options[0], str) else NUMBER
    if isinstance(quantity, Number | Whole | Flag):
        return NUMBER
    if isinstance(quantity, JointKinds):
        return KINDS
    return SEVERAL if isinstance(quantity, Numbers | Vector | Points | Array | Joints | Cells) else None


@functools.cache
def fields_at(cls: Any) -> tuple[tuple[str, str, int, dict[str, float]], ...]:
    """Name, form, slot and numbers of the options of each field that has slots, in order."""
    found, slot = [], 0
    for item in fields(cls):
        quantity = quantity_of(item)
        form = form_of(quantity)
        if form is not None:
            options = {name: float(k) for k, name in enumerate(quantity.options)} if form == OPTION else {}  # type: ignore[attr-defined]
            found.append((item.name, form, slot, options))
            slot += WIDTH[form]
    return tuple(found)


def slots(cls: Any) -> Any:
    """Slots of a description by the names of its fields, and `count`, how many there are."""
    found = fields_at(cls)
    make: Any = namedtuple
    names = [*(name for name, *_ in found), "count"]
    return make("Slots", names)(*(slot for _, _, slot, _ in found), sum(WIDTH[form] for _, form, _, _ in found))


def numbers_of(item: Any) -> FloatArray:
    """The row of a description."""
    cls: Any = type(item)
    plan = fields_at(cls)
    row: list[float] = []
    more: list[FloatArray] = []
    end = sum(WIDTH[form] for _, form, _, _ in plan)
    for name, form, _, options in plan:
        value = getattr(item, name)
        if form == NUMBER:
            row.append(np.nan if value is None or isinstance(value, str) else float(value))
        elif form == OPTION:
            row.append(options.get(value, np.nan))
        else:
            array = _several(item, value, form)
            row += (float(end), float(array.shape[0]), float(array.size // array.shape[0] if array.size else 0))
            more.append(array.ravel())
            end += array.size
    return np.concatenate([row, *more]) if more else np.array(row)


def _several(item: Any, value: Any, form: str) -> FloatArray:
    """Several numbers as an array; empty where there are none."""
    if form == KINDS:
        kinds = kinds_of(value, item.links - 1) if isinstance(value, str) else value
        return np.array([CODES[kind] for kind in kinds])
    if value is None or isinstance(value, str):
        return np.zeros((0, 0))
    return np.atleast_1d(np.asarray(value, dtype=float))


@functools.lru_cache(maxsize=64)
def robot_numbers(robot: Robot) -> FloatArray:
    """The row of a robot, made once."""
    return numbers_of(robot)


@literal
def total(row, first, count):
    """Sum of `count` numbers from `first` on, in the order of NumPy: eight partial sums, halves of long rows."""
    if count < 8:
        found = 0.0
        for i in range(count):
            found += row[first + i]
        return found
    if count > 128:
        half = count // 2
        half -= half % 8
        return total(row, first, half) + total(row, first + half, count - half)
    a, b, c, d = row[first], row[first + 1], row[first + 2], row[first + 3]
    e, f, g, h = row[first + 4], row[first + 5], row[first + 6], row[first + 7]
    whole = count - count % 8
    for k in range(8, whole, 8):
        i = first + k
        a, b, c, d = a + row[i], b + row[i + 1], c + row[i + 2], d + row[i + 3]
        e, f, g, h = e + row[i + 4], f + row[i + 5], g + row[i + 6], h + row[i + 7]
    found = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for k in range(whole, count):
        found += row[first + k]
    return found


ROBOT = slots(Robot)


@literal
def body_length(r):
    """Length of the body of a robot's row, m."""
    return total(r, int(r[ROBOT.link_length]), int(r[ROBOT.link_length + 1]))


@literal
def is_locked(r, joint):
    """Whether a joint, from 1 at the tail, is stuck."""
    first, found = int(r[ROBOT.locked]), False
    for k in range(int(r[ROBOT.locked + 1])):
        found = found or r[first + k] == joint
    return found


@literal
def kind_of_joint(r, joint):
    """Kind of a joint, from 1 at the tail, whether it is stuck or not."""
    return r[int(r[ROBOT.joints]) + joint - 1]


@literal
def axes_of_kind(kind):
    """How many axes a joint of that kind has."""
    return 0 if kind == FIXED else (2 if kind in (UNIVERSAL, PITCH_YAW) else 1)


@literal
def count_axes(r):
    """Degrees of freedom of a robot."""
    found = 0
    for joint in range(1, int(r[ROBOT.links])):
        if not is_locked(r, joint):
            found += axes_of_kind(kind_of_joint(r, joint))
    return found
