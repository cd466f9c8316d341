"""The creeping robot of S. Ma, W. J. Li and Y. Wang, "A Simulator to Analyze Creeping Locomotion of a Snake-like
Robot" (2001), Table I.

| quantity | value | note |
|---|---|---|
| links n | 20 | the table says "number of joints"; its Fig. 5 stops at joint 19, so there are 20 links and 19 actuated joints |
| length l | 0.08 m | L = 1.6 m |
| mass m | 0.5 kg | |
| inertia I | 0.016 kg m^2 | as printed: 60 times that of a uniform rod; it dominates the torques for two waves and more |
| centre of gravity lG | 0.02 m | from the tail-side joint: not mid-link |
| contact point lf | 0.04 m | mid-link |
"""

from __future__ import annotations

from typing import Any

from serpenoid.core import Robot
from serpenoid.core.door import door
from serpenoid.core.robot import LINKS, ROBOTS


@ROBOTS.register
@door(links=LINKS)
def ma2001(links: int = 20, **changes: Any) -> Robot:
    """Build the robot of Ma, Li and Wang (2001); any field can be changed, link_inertia also to "uniform-rod"."""
    values: dict[str, Any] = {
        "name": "ma2001",
        "link_length": 0.08,
        "link_mass": 0.5,
        "link_inertia": 0.016,
        "com_offset": 0.02,
        "contact_offset": 0.04,
        "source": "Ma, Li, Wang 2001, Table I",
    }
    return Robot(links=links, **{**values, **changes})
