"""How a gait or a drive becomes what the kernels read: the compiled functions of its class, and how they are called.

A class names three compiled functions (`Kernels`) of its row of numbers (`core.slots`), the robot's, and where the motion takes place:

| function | what it does |
|---|---|
| `size(g, r, where, out)` | say how many parameters, rows and columns of the table, rows and columns of working space there are, and the kind of the kernel that reads them |
| `fill(g, r, where, par, tab, work)` | fill parameters and table |
| `times(g, r, par, tab, out)` | say the period, the shortest one (NaN: there is none), from when and until when the motion is steady |

`size` and `fill` return 0, or the number of a sentence in `REFUSED`, from 1 on, whose numbers then stand in `out` from REASON on, in `par` from its begin. The page calls the same
functions by their number (`gaits.operations`): what is added here needs nothing there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from serpenoid.core import FloatArray, Robot
from serpenoid.core.errors import InputError
from serpenoid.core.slots import numbers_of, robot_numbers

IN_PLANE, IN_SPACE, RAW = (
    0.0,
    1.0,
    2.0,
)  # where a gait moves the joints (raw: phases as they are, for who asks for times); for drives: how many axes are driven (ALL_JOINTS: every joint)
ALL_JOINTS = -1.0
PARAMETERS, ROWS, COLUMNS, WORK_ROWS, WORK_COLUMNS, KERNEL, REASON = range(7)  # slots of what `size` says
SIZES = 10
PERIOD, SHORTEST, STEADY_FROM, STEADY_UNTIL = range(4)  # slots of what `times` says


class Kernels(NamedTuple):
    """The compiled functions of a gait or a drive."""

    size: Callable[..., int]
    fill: Callable[..., int]
    times: Callable[..., None]


class Prepared(Protocol):
    """A class of descriptions with compiled functions."""

    KERNELS: ClassVar[Kernels | None]
    REFUSED: ClassVar[tuple[str, ...]]


class KernelRow(NamedTuple):
    """Kind, parameters and table of a gait or drive for the kernels."""

    kind: int
    par: FloatArray
    tab: FloatArray


def prepared(item: Any, robot: Robot, where: float) -> KernelRow:
    """What the kernels read of a gait or drive."""
    g, r, out = numbers_of(item), robot_numbers(robot), np.zeros(SIZES)
    _refuse(item, robot, item.KERNELS.size(g, r, where, out), out[REASON:])
    sizes = out.astype(int).tolist()
    par, tab = np.zeros(sizes[PARAMETERS]), np.zeros((sizes[ROWS], sizes[COLUMNS]))
    work = np.zeros((sizes[WORK_ROWS], sizes[WORK_COLUMNS]))
    _refuse(item, robot, item.KERNELS.fill(g, r, where, par, tab, work), par)
    return KernelRow(sizes[KERNEL], par, tab)


def _refuse(item: Any, robot: Robot, reason: int, numbers: FloatArray) -> None:
    if reason:
        raise InputError(item.REFUSED[reason - 1].format(*numbers, name=robot.name, joints=robot.joints_text))


def times_of(item: Any, robot: Robot, source: KernelRow) -> FloatArray:
    """Period, shortest period, from when and until when a gait is steady."""
    out = np.zeros(SIZES)
    item.KERNELS.times(numbers_of(item), robot_numbers(robot), source.par, source.tab, out)
    return out


def time_or_none(times: FloatArray | None, slot: int) -> float | None:
    """A time in s, None where there is none."""
    return None if times is None or np.isnan(times[slot]) else float(times[slot])
