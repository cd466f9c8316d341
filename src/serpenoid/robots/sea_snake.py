"""The SEA Snake of Carnegie Mellon's Biorobotics Lab: a series elastic snake robot of 16 modules.

Two sources: URDF is `model/SEA/SEA.urdf` of github.com/kmkar31/snakelib (commit bcb5e6a), whose numbers the preset has; page is the
lab's specification page of the robot.

| quantity | URDF (preset) | page | note |
|---|---|---|---|
| joints | 16 | 16 modules | each turned by 90 degrees against the last |
| joint to joint | 0.0639 m | 0.064 m | 0.0273 + 0.0366 m |
| mass of a module | 0.206 kg | 0.205 kg | two bodies of 0.103 kg, both centred in the joint |
| mass in all | 3.396 kg | 3.657 kg | 32 bodies of 0.103 kg, head and tail 0.05 kg each; 3.412 kg, also quoted for this file, counts 16 collars of 0.001 kg that stand in it as a comment |
| length in all | 1.1211 m | 1.174 m | head 0.0866 m from its tip to the first joint; tail 0.076 m: its cap is assumed to be as long as the head's |
| radius | 0.026 m | 0.0255 m | cylinders of the collision model |
| inertia of a body | 5.4796e-5, 3.4814e-5 kg m^2 | - | across, along |
| inertia of head, tail | cylinder of 0.05 m | - | printed 1 kg m^2: a placeholder (20 m of radius); replaced |
| joint limit | 1.57 rad | - | |
| torque, speed | 7 N m, 2.208932 rad/s | 7 N m | of the servo: torque limit; how fast its aim may move |
| damping, friction | 0.1 N m s/rad, 0.2 N m | - | |
| gains | 60 N m/rad, 1.5 N m s/rad | - | not given; the usual ones of this package. The spring in series is not modelled |

The joint beside the head turns about the file's y axis and the next one about its x axis: which of them is yaw depends on the side on which
the robot lies. Here joint 1, at the tail, yaws. Numbers that are given change all links; `links` changes the number of equal modules.
"""

from __future__ import annotations

from typing import Any

from serpenoid.core import Robot
from serpenoid.core.door import door
from serpenoid.core.robot import LINKS, ROBOTS
from serpenoid.robots.modules import Piece, chain, cylinder, lumped

PITCH, HEAD, TAIL = 0.0639, 0.0866, 0.076  # m: joint to joint, head tip to its joint, joint to tail tip
HALF, CAP, RADIUS, CAP_LENGTH = 0.103, 0.05, 0.026, 0.05  # kg, kg, m, m
ACROSS, ALONG = 5.4796e-5, 3.4814e-5  # kg m^2 of half a module
SOURCE = "github.com/kmkar31/snakelib model/SEA/SEA.urdf; inertia of the end caps and servo gains assumed"


@ROBOTS.register
@door(links=LINKS)
def sea_snake(links: int = 17, **changes: Any) -> Robot:
    """Build the SEA Snake of CMU with the numbers of its public URDF; any field can be changed."""
    tail = lumped(
        cylinder(CAP, RADIUS, CAP_LENGTH, 0.5 * CAP_LENGTH), Piece(HALF, TAIL, ACROSS, ALONG)
    )  # places from the tail's tip
    middle = lumped(Piece(HALF, 0.0, ACROSS, ALONG), Piece(HALF, PITCH, ACROSS, ALONG))
    head = lumped(Piece(HALF, 0.0, ACROSS, ALONG), cylinder(CAP, RADIUS, CAP_LENGTH, HEAD - 0.5 * CAP_LENGTH))
    values: dict[str, Any] = {
        "name": "sea_snake",
        "link_length": chain(links, TAIL, PITCH, HEAD),
        "link_mass": chain(links, tail.mass, middle.mass, head.mass),
        "link_inertia": chain(links, tail.across, middle.across, head.across),
        "axial_inertia": chain(links, tail.along, middle.along, head.along),
        "com_offset": chain(links, tail.place, middle.place, head.place),
        "radius": RADIUS,
        "joints": "alternating",
        "joint_limit": 1.57,
        "joint_damping": 0.1,
        "servo": {
            "stiffness": 60.0, "damping": 1.5, "torque_limit": 7.0, "speed_limit": 2.208932, "gear_friction": 0.2,
        },
        "source": SOURCE,
    }  # fmt: skip
    return Robot(links=links, **{**values, **changes})
