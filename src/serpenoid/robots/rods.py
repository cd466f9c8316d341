"""Uniform thin rods of one length and mass: the discrete twin of a continuous filament.

Used to compare with continuum models (kinematic_snake: total length 1, total mass 1). Centre of gravity and contact
are mid-link, the inertia is m l^2 / 12. No source but the definition.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.core import Robot
from serpenoid.core.door import door
from serpenoid.core.robot import LINKS, ROBOTS


@ROBOTS.register
@door(links=LINKS)
def rods(links: int = 20, length: float = 1.0, mass: float = 1.0, **changes: Any) -> Robot:
    """Build a chain of equal uniform rods with the given total length (m) and mass (kg)."""
    count = links if isinstance(links, int | np.integer) and links > 0 else 1  # what is no number is refused below
    values: dict[str, Any] = {
        "name": "rods",
        "link_length": length / count,
        "link_mass": mass / count,
        "source": "uniform thin rods",
    }
    return Robot(links=links, **{**values, **changes})
