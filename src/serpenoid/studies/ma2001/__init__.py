"""S. Ma, W. J. Li, Y. Wang, "A Simulator to Analyze Creeping Locomotion of a Snake-like Robot" (2001), reproduced.

`run` performs the paper's three simulations, redraws Figs 4 to 9 and judges its statements. README.md beside this
file says what the paper printed wrong or left out and which reading was chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def run(out: Path, quick: bool = False, progress: Callable[[float], None] | None = None) -> dict[str, Any]:
    """Run the study; writes figures into `out` and returns claims and figure paths."""
    from serpenoid.studies.ma2001 import figures, judgement, simulations

    def part(begin: float, end: float) -> Callable[[float], None]:
        return lambda f: progress(begin + (end - begin) * f) if progress is not None else None

    one = simulations.simulation_one(part(0.0, 0.1))
    two = simulations.simulation_two(part(0.1, 0.2))
    fig7 = simulations.sweep_waves(quick, part(0.2, 0.3))
    fig8 = simulations.sweep_winding(quick, part(0.3, 0.55))
    fig9 = simulations.optima(quick, part(0.55, 0.95))
    drawn = [
        figures.figure4(one, out / "fig4-motion.png"),
        figures.figure5(one, out / "fig5-torques.png"),
        figures.figure6(two, out / "fig6-torque-driven.png"),
        figures.figure7(fig7, out / "fig7-waves.png"),
        figures.figure8(fig8, out / "fig8-winding-angle.png"),
        figures.figure9(fig9, out / "fig9-optimum.png"),
    ]
    if progress is not None:
        progress(1.0)
    return {
        "status": "ok",
        "study": "ma2001",
        "quick": quick,
        "claims": judgement.claims(one, two, fig7, fig8, fig9),
        "figures": [str(path) for path in drawn],
    }
