"""MS-2, the second mechanical snake of Y. Shan and Y. Koren, "Design and Motion Planning of a Mechanical Snake" (1993), Fig. 12.

| quantity | value | note |
|---|---|---|
| links, active joints | 7, 6 | as printed: "similar structure with MS-1" |
| solenoids | two per link: 14 | as printed |
| head | its pitch can be controlled | as printed |
| casters | none: the link surfaces slide | as printed; friction 0.3, assumed |
| length, mass, width, joint limit | those of MS-1, head 1.8 kg for its pitch motor | assumed |
| motor | 10 N m at the joint, 1.5 rad/s | assumed: three times what dragging the arm asks |
| pin | 80 N before it slips, each | assumed |

Links and joints count as for MS-1.
"""

from __future__ import annotations

from typing import Any

from serpenoid.core import Robot
from serpenoid.core.door import door
from serpenoid.core.robot import LINKS, ROBOTS
from serpenoid.robots.ms1 import Fittings, mechanical_snake

FITTINGS = Fittings((2,) * 7, 0, 6, True, 80.0, 0.3, 10.0, 1.5)


@ROBOTS.register
@door(links=LINKS)
def ms2(links: int = 7, **changes: Any) -> Robot:
    """Build MS-2 with planar joints; any field can be changed. Anchors and motors: `FITTINGS` of its module."""
    return mechanical_snake("ms2", "Shan, Koren 1993, Fig. 12; masses, lengths and motors assumed", 1.8, links, changes)
