"""H. Yamada, S. Hirose, "Study on the 3D Shape of Active Cord Mechanism" (2006), reproduced.

`run` judges the paper's statements on shapes by numbers and redraws Figs 3, 4, 6, 7, 8 and 10. README.md beside this file says what the
paper printed wrong or left out and which reading was chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def run(out: Path, quick: bool = False, progress: Callable[[float], None] | None = None) -> dict[str, Any]:
    """Run the study; writes figures and a film into `out` and returns claims and figure paths."""
    from serpenoid.studies.yamada2006 import figures, judgement

    def tell(share: float) -> None:
        if progress is not None:
            progress(share)

    claims = judgement.claims()
    tell(0.1)
    plan = {
        "fig3-6-spirals.png": figures.figure3,
        "fig4-dorsal-curve.png": figures.figure4,
        "fig7-branch.png": figures.figure7,
        "fig8-lateral-rolling.png": figures.figure8,
        "fig10-dorsal-curves.png": figures.figure10,
        "torsion-at-zero-curvature.png": figures.figure_torsion,
        "wheels-to-the-ground.png": figures.figure_wheels,
    }
    drawn = []
    for k, (name, draw) in enumerate(plan.items()):
        drawn.append(draw(out / name))
        tell(0.1 + 0.4 * (k + 1) / len(plan))
    drawn.append(figures.film(out / "rolling.mp4", quick, lambda f: tell(0.5 + 0.5 * f)))
    return {
        "status": "ok",
        "study": "yamada2006",
        "quick": quick,
        "claims": claims,
        "figures": [str(path) for path in drawn],
    }
