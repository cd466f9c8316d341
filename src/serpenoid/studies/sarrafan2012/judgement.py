"""The statements of Sarrafan et al. (2012) as claims, in the order of SWD-1 to SWD-11."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from serpenoid.studies.sarrafan2012 import displacement, kinematics, model, winding
from serpenoid.studies.sarrafan2012.simulations import Contest, Engines, Failures, Sensitivity

SOURCE = "Sarrafan et al. 2012"


def claims(
    engines: Engines, variations: Sensitivity, logs: dict[str, Path], shown: winding.Shown, gaits: Contest, failed: Failures
) -> list[dict[str, Any]]:  # fmt: skip
    """All claims."""
    far = displacement.claims(SOURCE, engines, variations, logs)
    return [
        *kinematics.claims(SOURCE),
        *model.claims(SOURCE, engines, variations),
        *far[:-1],
        *winding.claims(SOURCE, shown, gaits, failed),
        far[-1],
    ]
