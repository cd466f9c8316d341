"""What `copy.copy`, `copy.deepcopy` and `pickle` make of our objects.

| object | copies |
|---|---|
| descriptions and results | as Python copies objects; arrays that may not be written stay so (`Fixed`) |
| what changes as it is used (`Independent`) | every copy is a thing of its own: `copy.copy` does what `copy.deepcopy` does |
| what holds a place in memory or a device (`Single`) | none: refused, with what to do instead |
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from serpenoid.core.errors import InputError


class NoCopyError(InputError, TypeError):
    """An object that has no copies; says what to do instead."""


class Independent:
    """What changes as it is used: no copy shares anything with it that changes."""

    def __copy__(self) -> Self:
        return copy.deepcopy(self)


class Single:
    """What has no copies."""

    INSTEAD: ClassVar[str] = ""

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise NoCopyError(f"a {type(self).__name__} can be neither copied nor pickled; {self.INSTEAD}")


class Fixed:
    """What never changes: arrays that may not be written may not be in a copy either, which Python's own copies forget."""

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        self.__dict__.update(state)
