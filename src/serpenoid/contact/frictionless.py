"""No friction at all: ice without drag. For conservation laws: the centre of gravity keeps its velocity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from serpenoid.core import FloatArray, Friction
from serpenoid.core.errors import InputError


@dataclass(frozen=True)
class Frictionless(Friction):
    """No force between robot and ground."""

    along: float = 0.0
    across: float = 0.0

    KIND = 5
    NAME = "none"

    def __post_init__(self) -> None:
        if self.along or self.across or self.backward:
            raise InputError("a frictionless ground takes no coefficients; choose another law")

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel."""
        return np.zeros(1)
