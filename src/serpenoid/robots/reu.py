"""ReU, a snake robot of Carnegie Mellon's Biorobotics Lab, as in `model/ReU/ReU_snake.urdf` of github.com/kmkar31/snakelib
(commit bcb5e6a), with the file's placeholders corrected.

| quantity | value | note |
|---|---|---|
| links, joints | 17, 16 | as printed; each joint turned by 90 degrees against the last |
| length of a link | 0.0506 m | as printed: 0.0066 + 0.044 m; 0.8602 m in all |
| mass of a link | 0.103 kg | **corrected**: the file has 0.103 kg a module, and 17 more links of 1.0 kg with 1 kg m^2, which are placeholders: left out. 1.751 kg in all instead of 18.751 kg |
| radius | 0.02539 m | as printed |
| inertia | m (3 r^2 + l^2) / 12 across, m r^2 / 2 along | **corrected**: printed 2.948 and 1.819 kg m^2, without an exponent; solid cylinders (3.9e-5, 3.3e-5 kg m^2) |
| centre of gravity | mid-link | assumed |
| joint limit | 1.57076327 rad | as printed |
| torque, speed | 7 N m, 2.2 rad/s | as printed; of the servo: torque limit; how fast its aim may move |
| damping, friction | 0.1 N m s/rad, 0.2 N m | as printed |
| gains | 60 N m/rad, 1.5 N m s/rad | not given; the usual ones of this package |

A module of the SEA Snake, of nearly the same size, weighs 0.206 kg: 0.103 kg may be half a module.
"""

from __future__ import annotations

from typing import Any

from serpenoid.core import Robot
from serpenoid.core.door import door
from serpenoid.core.robot import LINKS, ROBOTS
from serpenoid.robots.modules import cylinder

LENGTH, MASS, RADIUS = 0.0506, 0.103, 0.02539  # m, kg, m


@ROBOTS.register
@door(links=LINKS)
def reu(links: int = 17, **changes: Any) -> Robot:
    """Build ReU of CMU from its public URDF, placeholder masses corrected; any field can be changed."""
    body = cylinder(MASS, RADIUS, LENGTH, 0.5 * LENGTH)
    values: dict[str, Any] = {
        "name": "reu",
        "link_length": LENGTH,
        "link_mass": MASS,
        "link_inertia": body.across,
        "axial_inertia": body.along,
        "radius": RADIUS,
        "joints": "alternating",
        "joint_limit": 1.57076327,
        "joint_damping": 0.1,
        "servo": {"stiffness": 60.0, "damping": 1.5, "torque_limit": 7.0, "speed_limit": 2.2, "gear_friction": 0.2},
        "source": "github.com/kmkar31/snakelib model/ReU/ReU_snake.urdf; placeholder masses and inertias corrected, servo gains assumed",
    }
    return Robot(links=links, **{**values, **changes})
