"""MS-1, the first mechanical snake of Y. Shan and Y. Koren, "Design and Motion Planning of a Mechanical Snake" (1993).

| quantity | value | note |
|---|---|---|
| links | 7 | as printed |
| active joints | 6, yaw, one DC motor each | as printed |
| passive hinges | 6, vertical, one beside each joint | as printed; they follow the ground |
| solenoids | links 1 to 6 one each, head two | as printed (t_1 .. t_6, t_7 and t_8) |
| casters | two balls a link | as printed; friction 0.03, assumed |
| length l | 0.18 m | assumed: not printed; equal links, as in the paper's figures of motion |
| mass m | 1.2 kg | assumed: motor, gear, solenoid and frame; head 1.4 kg for its second solenoid |
| inertia | uniform rod | assumed |
| half width | 0.035 m | assumed |
| joint limit | 170 deg | assumed; the pattern folds joint 5 to 166.5 deg at a bearing of 90 deg |
| motor | 5 N m at the joint, 1.5 rad/s | assumed: ten times what dragging the arm on casters asks |
| pin | 80 N before it slips, each | assumed |

The paper counts links and joints from 1 at the tail; link i ends at joint i. Our link i - 1 is its link i, our joint i its joint i.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid.core import Robot
from serpenoid.core.door import door
from serpenoid.core.robot import LINKS, ROBOTS


@dataclass(frozen=True)
class Fittings:
    """What a mechanical snake carries besides links: anchors, casters, hinges, motors."""

    solenoids: tuple[int, ...]  # of links 1 .. 7
    casters: int  # a link
    hinges: int  # passive, vertical
    head_pitch: bool  # whether the head can be raised
    holding_force: float  # N a solenoid; assumed
    ground_friction: float  # of links that are not pinned; assumed
    motor_torque: float  # N m at the joint; assumed
    motor_speed: float  # rad/s at the joint; assumed


FITTINGS = Fittings((1, 1, 1, 1, 1, 1, 2), 2, 6, False, 80.0, 0.03, 5.0, 1.5)


def mechanical_snake(name: str, source: str, head_mass: float, links: int, changes: dict[str, Any]) -> Robot:
    """A chain of equal links of 0.18 m and 1.2 kg with a heavier head: what both prototypes share (assumed values)."""
    count = links if isinstance(links, int | np.integer) and links > 0 else 1  # what is no number is refused by Robot
    values: dict[str, Any] = {
        "link_length": 0.18,
        "link_mass": [1.2] * (count - 1) + [head_mass],
        "radius": 0.035,
        "joint_limit": np.radians(170.0),
    }
    return Robot(**{"name": name, "links": links, "source": source, **values, **changes})


@ROBOTS.register
@door(links=LINKS)
def ms1(links: int = 7, **changes: Any) -> Robot:
    """Build MS-1 with planar joints; any field can be changed. Anchors, casters and motors: `FITTINGS` of its module."""
    return mechanical_snake(
        "ms1", "Shan, Koren 1993, section II; masses, lengths and motors assumed", 1.4, links, changes
    )
