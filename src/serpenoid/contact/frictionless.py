"""No friction at all: ice without drag. For conservation laws: the centre of gravity keeps its velocity."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from serpenoid.core import FloatArray, Friction
from serpenoid.core.declare import declare, description
from serpenoid.core.quantities import Number
from serpenoid.core.world import LAWS


@LAWS.register
@description
class Frictionless(Friction):
    """No force between robot and ground; it takes no coefficients."""

    along: float = declare(Number("none", low=0.0, high=0.0), default=0.0)
    across: float = declare(Number("none", low=0.0, high=0.0), default=0.0)
    backward: float | None = declare(Number("none", low=0.0, high=0.0), default=None)

    KIND = 5
    NAME = "none"
    BARE: ClassVar[bool] = True

    def check(self) -> None:
        """No friction backward is none."""
        object.__setattr__(self, "backward", None)

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel."""
        return np.zeros(1)
