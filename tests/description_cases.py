"""Every class of description; any object of one, drawn from its declarations; reading its keys back."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import MISSING, fields
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import serpenoid as sp
from serpenoid.core import Settings
from serpenoid.core import several as sev
from serpenoid.core.actuator import Servo
from serpenoid.core.command import DRIVES, GAITS
from serpenoid.core.declare import Description, Part, Parts, quantity_of, read
from serpenoid.core.errors import InputError
from serpenoid.core.family import Family
from serpenoid.core.functions import FunctionField
from serpenoid.core.obstacles import Anchor, Cells, SelfContact, Surface
from serpenoid.core.quantities import Choice, Flag, Number, Text, Whole
from serpenoid.core.robot import AXES, JOINTS, JointKinds, Servos
from serpenoid.core.terrain import OBSTACLES, Ground, HeightField
from serpenoid.core.world import LAWS, Patch


def fields_of(cls: Any) -> list[str]:
    return [f.name for f in dataclasses.fields(cls)]


SINGLE = [sp.Robot, Servo, sp.World, Patch, Ground, HeightField, Surface, SelfContact, Anchor, sp.Start, Settings]
FAMILIES = [GAITS, DRIVES, LAWS, OBSTACLES]
EVERY = {
    **{cls.__name__: cls for cls in SINGLE},
    **{
        f"{family.name} {name}": cls
        for family in FAMILIES
        for name, cls in family.items()
        if "function" not in fields_of(cls)
    },
}  # kinds made of a function have tests of their own: test_custom
LARGE = 1e6  # numbers without a bound are drawn up to here


def numbers(q: Number) -> st.SearchStrategy[Any]:
    low, high = max(q.low, q.above, -LARGE), min(q.high, q.below, LARGE)
    plain = st.floats(low, high).filter(q.fits)
    return st.one_of(
        plain, *([st.sampled_from(q.words)] if q.words else []), *([st.just(math.inf)] if q.infinite else [])
    )


def arrays(draw: Any, q: sev.Array, rows: int) -> list[Any]:
    columns = draw(st.integers(max(q.least, 2), 5))
    values = st.floats(-LARGE, LARGE)
    if q.ndim == 1:
        return sorted(draw(st.lists(st.floats(-100.0, 100.0), min_size=rows, max_size=rows, unique=True)))
    return [draw(st.lists(values, min_size=columns, max_size=columns)) for _ in range(rows)]


def drawn(draw: Any, q: Any, links: int) -> Any:
    """A value that a declaration allows."""
    if isinstance(q, Whole):
        return draw(st.integers(int(q.low), int(min(q.high, 30))))
    if isinstance(q, Number):
        return draw(numbers(q))
    if isinstance(q, sev.Numbers):
        count = links - (q.per == "joints")
        return draw(st.one_of(numbers(q.item), st.lists(numbers(Number(low=q.item.low, high=q.item.high, above=q.item.above)), min_size=count, max_size=count)))  # fmt: skip
    if isinstance(q, sev.Vector):
        return tuple(draw(numbers(q.item)) for _ in range(q.size))
    if isinstance(q, sev.Points):
        corners = draw(st.integers(q.least, 7))
        turn = draw(st.floats(0.0, 6.0))
        return tuple((3.0 + math.cos(turn + 6.28 * k / corners), -1.0 + math.sin(turn + 6.28 * k / corners)) for k in range(corners))  # fmt: skip
    if isinstance(q, sev.Array):
        return arrays(draw, q, 5)
    if isinstance(q, sev.Joints):
        return tuple(draw(st.lists(st.integers(1, links - 1), max_size=2, unique=True)))
    if isinstance(q, Choice):
        return draw(st.sampled_from(q.options))
    if isinstance(q, Flag):
        return draw(st.booleans())
    if isinstance(q, Text):
        return draw(st.text(max_size=20))
    if isinstance(q, Cells):
        return np.array(draw(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=4)))
    if isinstance(q, JointKinds):
        each = st.lists(st.sampled_from(list(AXES)), min_size=links - 1, max_size=links - 1)
        return draw(st.one_of(st.sampled_from(JOINTS), each))
    if isinstance(q, Servos):
        return draw(st.one_of(descriptions(Servo), st.lists(st.one_of(st.none(), descriptions(Servo)), min_size=links - 1, max_size=links - 1)))  # fmt: skip
    if isinstance(q, FunctionField):
        return None  # a law without its function is refused, and drawn anew
    assert isinstance(q, Part | Parts), q
    one = st.one_of(*(descriptions(c) for c in (q.of.values() if isinstance(q.of, Family) else (q.of,))))
    return draw(one) if isinstance(q, Part) else tuple(draw(st.lists(one, max_size=2)))


@st.composite
def descriptions(draw: Any, cls: Any) -> Any:
    """Any object of a class: every field drawn from its declaration, or left at its default."""
    values: dict[str, Any] = {}
    if cls is sp.gaits.Sequence:
        return draw(sequences())
    for item in fields(cls):
        if (item.default is MISSING and item.default_factory is MISSING) or draw(st.booleans()):
            values[item.name] = drawn(draw, quantity_of(item), int(values.get("links", 4)))
    try:
        return cls(**values)
    except InputError as error:  # fields that do not fit together
        assume(str(error) == "")
        raise


@st.composite
def sequences(draw: Any) -> Any:
    """Two to four gaits of any kind that a sequence can hold, at times that rise, each blended in before the next begins."""
    kinds = [c for c in GAITS.values() if c is not sp.gaits.Sequence and "function" not in fields_of(c)]
    parts = draw(st.lists(st.one_of(*(descriptions(c) for c in kinds)), min_size=2, max_size=4))
    gaps = draw(st.lists(st.floats(1e-3, 50.0), min_size=len(parts) - 1, max_size=len(parts) - 1))
    blend = draw(st.one_of(st.none(), st.floats(1e-3, 1.0).map(lambda share: share * min(gaps))))
    times = np.cumsum(gaps) + (0.0 if blend is None else 1e-6 * np.arange(len(gaps)))
    return sp.gaits.Sequence(parts, times=times, blend=blend, clock=draw(st.sampled_from(("own", "run"))))


def same(a: Any, b: Any) -> bool:
    """Whether two descriptions hold the same, bit for bit."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, Description):
        return type(a) is type(b) and all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return type(a) is type(b) and a == b


def taken_in(cls: Any, keys: Any) -> Any:
    """A description from plain data; fails on any problem."""
    problems: list[str] = []
    rest = {k: v for k, v in keys.items() if k != cls.TAG}
    result = read(cls, rest, "table", lambda path, what: problems.append(f"{path}: {what}"))
    assert not problems, problems
    return result
