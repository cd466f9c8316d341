"""Doubts about the masses of an imported robot: placeholders, and bodies that nothing could be made of."""

from __future__ import annotations

import numpy as np

from serpenoid.core import Robot
from serpenoid.formats.tree import Node

LEAD, CORK = 11_340.0, 100.0  # kg/m^3
SEVERAL = 3  # bodies of exactly 1 kg: from that number on they look like placeholders


def doubts(robot: Robot, bodies: list[Node]) -> list[str]:
    """What to say of the masses and inertias of a robot and of the bodies that it was made of."""
    said, heavy = [], [node for node in bodies if node.mass > 0.0]
    ones = sum(node.mass == 1.0 for node in heavy)
    if ones >= SEVERAL:
        which = "every body has" if ones == len(heavy) else f"{ones} of {len(heavy)} bodies have"
        said.append(f"{which} a mass of exactly 1 kg: placeholders? Set robot.link_mass to the true ones")
    volume = np.pi * robot.radius**2 * robot.link_length
    for i, (mass, size) in enumerate(zip(robot.link_mass, volume, strict=True)):
        if size > 0.0 and not CORK < mass / size < LEAD:
            said.append(
                f"link {i} has {mass:.3g} kg in {1e3 * size:.3g} litres, {mass / size:.3g} kg/m^3; is that its mass?"
            )
            break
    reach = np.hypot(np.maximum(robot.com_offset, robot.link_length - robot.com_offset), robot.radius)
    with np.errstate(over="ignore"):  # of a mass of next to nothing
        gyration = np.sqrt(np.maximum(robot.link_inertia, robot.axial_inertia) / robot.link_mass)
    wide = np.flatnonzero(gyration > reach)
    if len(wide):
        i = int(wide[0])
        said.append(
            f"{len(wide)} links have more inertia than their mass could have within them; link {i} as if its mass were {gyration[i]:.3g} m "
            "from its centre: placeholders? Set robot.link_inertia and robot.axial_inertia"
        )
    return said
