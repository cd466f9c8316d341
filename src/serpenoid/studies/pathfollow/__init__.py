"""A published fragment on path planning and following for snake-like robots, author and year unknown, reproduced.

`run` judges its statements by numbers, redraws Figs 1 and 2, and goes on where the text ends: the body advances along the path, fed or by itself.
README.md beside this file says what is lost, what was printed wrong and which reading was chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def run(out: Path, quick: bool = False, progress: Callable[[float], None] | None = None) -> dict[str, Any]:
    """Run the study; writes figures and films into `out` and returns claims and figure paths."""
    from serpenoid.studies.pathfollow import field, figures, links, passage
    from serpenoid.view.map import map_figure

    def tell(share: float) -> None:
        if progress is not None:
            progress(share)

    ground = field.ground()
    chains = links.chains(ground)
    tell(0.2)
    ways = passage.passages(quick)
    tell(0.5)
    found = [*field.claims(ground, quick), *links.claims(ground, chains, quick), *passage.claims(ways)]
    tell(0.6)
    drawn = [
        figures.figure1(ground, out / "fig1-closest-point.png"),
        figures.figure2(ground, chains, out / "fig2-two-links.png"),
        map_figure(ground.path, out / "field-and-path.png", chains.forward),
        figures.digits(ground, out / "digits.png"),
        figures.many_links(ground, chains, out / "many-links.png"),
        figures.searches(ground, chains, out / "searches.png"),
        figures.on_the_way(ways, out / "on-the-way.png"),
    ]
    if not quick:
        drawn += figures.films(ways, out, lambda share: tell(0.7 + 0.3 * share))
    tell(1.0)
    return {
        "status": "ok", "study": "pathfollow", "quick": quick, "claims": found, "figures": [str(path) for path in drawn],
    }  # fmt: skip
