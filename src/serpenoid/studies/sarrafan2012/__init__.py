"""S. Sarrafan, A. Akbarzadeh, S. Molavipoor, M. Arhami, "Kinematics and Motion Analysis of a Three-Dimensional Sidewinding
Snake-like Robot" (2012), reproduced.

`run` performs both gaits in every engine, redraws Figs 3 and 7 to 11, writes the log of positions and judges the paper's
statements. README.md beside this file says what the paper printed wrong or left out and which reading was chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

SHOWN = 20.0  # s, of the runs in Fig. 3


def run(out: Path, quick: bool = False, progress: Callable[[float], None] | None = None) -> dict[str, Any]:
    """Run the study; writes figures, films and tables into `out` and returns claims and paths."""
    from serpenoid.studies.sarrafan2012 import displacement, figures, judgement, simulations

    def part(begin: float, end: float) -> Callable[[float], None]:
        return lambda f: progress(begin + (end - begin) * f) if progress is not None else None

    engines = simulations.all_engines(quick, part(0.0, 0.3 if quick else 0.6))
    variations = simulations.sensitivity(quick, part(*((0.3, 0.45) if quick else (0.6, 0.65))))
    gaits = simulations.contest(quick, part(*((0.45, 0.6) if quick else (0.65, 0.7))))
    failed = simulations.failures(quick, part(*((0.6, 0.75) if quick else (0.7, 0.78))))
    robot = simulations.winder()
    shown = {"16 links": (simulations.on_ground(robot, simulations.sidewinding(), duration=SHOWN), robot)}
    shown |= {f"delta_0 = {x}": (simulations.execute(x, duration=SHOWN), engines.robot) for x in ("0", "pi/2")}
    logs = displacement.write_logs(engines, out)
    tables = [*logs.values(), displacement.write_figures(engines, out), displacement.write_sensitivity(variations, out)]
    claims = judgement.claims(engines, variations, logs, shown, gaits, failed)
    part(0.0, 0.8)(1.0)
    drawn = [
        figures.figure3(shown, out / "fig3-tracks.png"),
        *figures.from_engines(engines, out),
        figures.distances(engines, variations, out / "distances.png"),
        figures.sensitivity(variations, out / "sensitivity.png"),
        figures.efficiency(gaits, out / "efficiency.png"),
        figures.failures(failed, out / "failures.png"),
    ]
    if not quick:
        drawn += figures.films(engines, out, part(0.82, 1.0))
    part(0.0, 1.0)(1.0)
    return {
        "status": "ok",
        "study": "sarrafan2012",
        "quick": quick,
        "claims": claims,
        "figures": [str(path) for path in drawn],
        "tables": [str(path) for path in tables],
    }
