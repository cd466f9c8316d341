"""How far joints lag their gait on servos that people buy, and what that does to speed, beside the lags of a real robot.

The SEA Snake sidewinds with CMU's gait on flat ground. At the gait's frequency omega the joint angle is h times what was commanded (first Fourier
coefficients of both over whole periods): the lag is -arg(h) / omega, the amplitude |h|.

| servo | what it is |
|---|---|
| mx64, mx106, sts3215 | identified servos with the gain of their firmware (`robots.servos`) |
| own | the URDF's limits of the SEA Snake, usual gains |
| soft | a position loop whose time constant, damping / stiffness, is 0.4 s |
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def run(out: Path, quick: bool = False, progress: Callable[[float], None] | None = None) -> dict[str, Any]:
    """Run all servos at all tempos; writes the figure into `out` and returns claims and figure paths."""
    from serpenoid.studies.servo_tracking import figures, judgement, tracking

    table = tracking.all_tracks(tracking.QUICK if quick else tracking.TEMPOS, progress)
    drawn = figures.tracking_figure(table, out / "servo_tracking.png")
    return {
        "status": "ok", "study": "servo_tracking", "quick": quick, "claims": judgement.claims(table), "figures": [str(drawn)],
        "tracks": [{"servo": name, "tempo": tempo, **track._asdict()} for (name, tempo), track in table.items()],
    }  # fmt: skip
