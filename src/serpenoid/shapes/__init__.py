"""Continuous shapes without robots: the theory of active cord mechanisms (Yamada and Hirose 2006).

`Shape` holds three shape functions of arc length, `trace` makes the curve with its frames; `convert` goes between the models;
`named` has the shapes people know.
"""

from __future__ import annotations

from serpenoid.shapes.convert import (
    from_curve,
    from_points,
    level,
    posture_lost,
    reroll,
    roll,
    to_bellows,
    to_frenet,
    zero_curvature,
)
from serpenoid.shapes.functions import Constant, Function, Given, Samples, Sine, Steps
from serpenoid.shapes.named import NAMED, named
from serpenoid.shapes.shape import (
    Curve,
    Model,
    Pose,
    Shape,
    bellows,
    frenet,
    planar,
    self_distance,
    trace_many,
)

__all__ = [
    "NAMED", "Constant", "Curve", "Function", "Given", "Model", "Pose", "Samples", "Shape", "Sine", "Steps", "bellows",
    "frenet", "from_curve", "from_points", "level", "named", "planar", "posture_lost", "reroll", "roll", "self_distance",
    "to_bellows", "to_frenet", "trace_many", "zero_curvature",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__
