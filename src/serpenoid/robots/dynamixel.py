"""A snake of 16 Dynamixel modules, as many groups build it: MX-64 servos in a row, each turned by 90 degrees against the last.

No robot in particular: the servos' numbers are the maker's and Rhoban's (`servos`), what is around them is assumed.

| quantity | value | source |
|---|---|---|
| joints | 16, one MX-64AT each | definition |
| servo | 135 g, 40.2 x 61.1 x 41 mm | emanual.robotis.com/docs/en/dxl/mx/mx-64 |
| joint to joint | 0.075 m | assumed: 61.1 mm of servo and a hinge bracket |
| mass of a module | 0.165 kg | servo, and 30 g of brackets, screws and cable (assumed) |
| head | 0.075 m, 0.08 kg | assumed: bracket, cap and camera; supply and computer at the other end of a tether |
| mass, length in all | 2.72 kg, 1.275 m | follows |
| radius | 0.0287 m | circle round the servo's section of 40.2 x 41 mm |
| inertia | solid cylinders | assumed |
| joint limit | 90 degrees | assumed: brackets |
| servo | `mx64` at 12 V | `robots.servos`; another one by `servo = "mx106"` leaves size and mass as they are |
"""

from __future__ import annotations

import math
from typing import Any

from serpenoid.core import Robot
from serpenoid.core.door import door
from serpenoid.core.robot import LINKS, ROBOTS
from serpenoid.robots.modules import chain, cylinder
from serpenoid.robots.servos import MOTORS, mx64

PITCH, BRACKETS, HEAD_MASS = 0.075, 0.030, 0.080  # m, kg, kg
RADIUS = 0.5 * math.hypot(0.0402, 0.041)  # m


@ROBOTS.register
@door(links=LINKS)
def dynamixel(links: int = 17, **changes: Any) -> Robot:
    """Build a snake of Dynamixel MX-64 modules with alternating joints, 16 of them; any field can be changed."""
    module = cylinder(MOTORS["mx64"].mass + BRACKETS, RADIUS, PITCH, 0.5 * PITCH)
    head = cylinder(HEAD_MASS, RADIUS, PITCH, 0.5 * PITCH)
    values: dict[str, Any] = {
        "name": "dynamixel",
        "link_length": PITCH,
        "link_mass": chain(links, module.mass, module.mass, head.mass),
        "link_inertia": chain(links, module.across, module.across, head.across),
        "axial_inertia": chain(links, module.along, module.along, head.along),
        "radius": RADIUS,
        "joints": "alternating",
        "joint_limit": 0.5 * math.pi,
        "servo": mx64().keys(),
        "source": "ROBOTIS e-manual (MX-64), github.com/Rhoban/bam; brackets, head and joint limits assumed",
    }
    return Robot(links=links, **{**values, **changes})
