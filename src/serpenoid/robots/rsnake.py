"""RSnake, the large snake robot of Carnegie Mellon's Biorobotics Lab, as in `model/RSnake/RSnake.urdf` of
github.com/kmkar31/snakelib (commit bcb5e6a).

| quantity | value | note |
|---|---|---|
| links, joints | 15, 14 | as printed; each joint turned by 1.57 rad against the last, read as 90 degrees |
| length of a link | 0.145 m | as printed; 2.175 m in all |
| mass of a link | 1.072 kg | as printed; 16.08 kg in all |
| radius | 0.05 m | as printed |
| centre of gravity | mid-link | assumed; the file gives no place, which puts it into the joint |
| inertia | m (3 r^2 + l^2) / 12 across, m r^2 / 2 along | assumed: solid cylinders (0.00255, 0.00134 kg m^2); printed 0.0104 about all three axes, more than m r^2 = 0.0027, which no body of this radius has along itself |
| joint limit | 1.57 rad | as printed |
| torque, speed | 16 N m, 0.25 rad/s | as printed; of the servo: torque limit; how fast its aim may move |
| damping, friction | 0 | not given |
| gains | 60 N m/rad, 1.5 N m s/rad | not given; the usual ones of this package |
"""

from __future__ import annotations

from typing import Any

from serpenoid.core import Robot
from serpenoid.core.door import door
from serpenoid.core.robot import LINKS, ROBOTS
from serpenoid.robots.modules import cylinder

LENGTH, MASS, RADIUS = 0.145, 1.072, 0.05  # m, kg, m


@ROBOTS.register
@door(links=LINKS)
def rsnake(links: int = 15, **changes: Any) -> Robot:
    """Build RSnake of CMU with the numbers of its public URDF; any field can be changed."""
    body = cylinder(MASS, RADIUS, LENGTH, 0.5 * LENGTH)
    values: dict[str, Any] = {
        "name": "rsnake",
        "link_length": LENGTH,
        "link_mass": MASS,
        "link_inertia": body.across,
        "axial_inertia": body.along,
        "radius": RADIUS,
        "joints": "alternating",
        "joint_limit": 1.57,
        "servo": {"stiffness": 60.0, "damping": 1.5, "torque_limit": 16.0, "speed_limit": 0.25},
        "source": "github.com/kmkar31/snakelib model/RSnake/RSnake.urdf; inertias and servo gains assumed",
    }
    return Robot(links=links, **{**values, **changes})
