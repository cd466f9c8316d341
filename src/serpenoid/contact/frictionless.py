"""No friction at all: ice without drag. For conservation laws: the centre of gravity keeps its velocity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from serpenoid.core import FloatArray, Friction


@dataclass(frozen=True)
class Frictionless(Friction):
    """No force between robot and ground."""

    along: float = 0.0
    across: float = 0.0

    KIND = 5
    NAME = "none"

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel."""
        return np.zeros(1)
