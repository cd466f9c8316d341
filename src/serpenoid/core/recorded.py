"""What a run recorded, made when it is asked for: whoever needs three variables of forty does not pay for the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from serpenoid.core.trajectory import Variable, Variables, table_of

Table = Mapping[str, tuple[tuple[str, ...], Callable[[Any], Any], str, str]]  # dimensions, how to get it, unit, meaning


class Recorded(Mapping[str, Variable]):
    """Recorded variables by name; `frames` is what the functions of the table look at."""

    def __init__(self, frames: Any, table: Table) -> None:
        self.frames, self._table = frames, table
        self._made: dict[str, Variable] = {}

    def __getitem__(self, name: str) -> Variable:
        made = self._made.get(name)
        if made is None:
            dims, get, unit, text = self._table[name]
            made = self._made[name] = Variable(dims, np.ascontiguousarray(get(self.frames), dtype=float), unit, text)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Variables, (dict(self),)  # a copy holds what was recorded, not what it was made from

    def __contains__(self, name: object) -> bool:
        return name in self._table

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __repr__(self) -> str:
        return table_of({name: (dims, unit, text) for name, (dims, _, unit, text) in self._table.items()})
