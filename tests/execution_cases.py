"""What the tests of plans that are carried out share."""

from __future__ import annotations

from typing import Any

import numpy as np

import serpenoid as sp

FRAME = 0.02  # s: frames at the looks of the controllers


def carried_out(controller: Any, **options: Any) -> sp.Trajectory:
    """The run of a controller that brings its own part of the description."""
    return sp.simulate(controller.body, controller, duration=controller.longest, record_interval=FRAME, **options)


def told(run: sp.Trajectory) -> dict[str, Any]:
    """What the controller reported."""
    return dict(run.provenance["plan"])


def link_points(run: sp.Trajectory, parts: int = 9, every: int = 1) -> np.ndarray:
    """Points along the links of all frames, (., 2)."""
    x = np.linspace(0.0, 1.0, parts)[:, None]
    nodes = run["node"][::every, :, :2]
    return np.asarray((nodes[:, :-1, None] * (1.0 - x) + nodes[:, 1:, None] * x).reshape(-1, 2))


def resumed(make: Any, cut: float, end: float) -> tuple[sp.Trajectory, sp.Trajectory]:
    """The same run in one piece, and in two with everything remembered handed over at `cut`."""
    whole, first, second = (sp.Simulation(c.body, None, c, record_interval=FRAME) for c in (make(), make(), make()))
    whole.advance(end)
    first.advance(cut)
    second.restore(first.memory()).advance(end - cut)
    return whole.finish(), second.finish()
