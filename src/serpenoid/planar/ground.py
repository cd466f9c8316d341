"""What the ground under a planar body is: contact points along the links, and friction limits where and when they stand there.

A link touches the ground in one point (`contact_offset`), or in k Gauss-Legendre points along it, each with its weight as its share of the
link's load (of the coefficients, where friction is viscous). The sum over the points is then the integral of a force spread along the link,
exact for a force that varies as a polynomial of degree 2 k - 1: for viscous friction two points are exact.
"""

from __future__ import annotations

import numpy as np

from serpenoid.compiled import kernel, njit
from serpenoid.contact.ground import AS_SLIDING, REST, STATIC_N, STATIC_T, STIFF_N, STIFF_T, limits_table, stand
from serpenoid.contact.load import activate, load_contact
from serpenoid.contact.touch import XW, YW
from serpenoid.core import FloatArray, Robot, World
from serpenoid.core.errors import InputError
from serpenoid.frames import sincos1
from serpenoid.planar.layout import (
    ANGLE,
    CONTACT,
    LENGTH,
    LOAD,
    LOAD_KIND,
    LOAD_ROW,
    MASS,
    PLAIN,
    SCALE,
    SHARE,
    WEIGHT,
    XC,
    YC,
)  # fmt: skip


def rest_mass(robot: Robot, world: World) -> FloatArray:
    """Mass that rests on each link, (n,) kg: its own, or what a constant load law gives it."""
    return np.asarray(robot.link_mass if world.load is None else world.load.at_rest(robot))


def check_load(world: World) -> None:
    """Refuse a load law that the friction law would ignore."""
    law = world.friction
    if world.load is None:
        return
    if not law.DRY:
        raise InputError(f"{law.NAME!r} friction does not depend on the load; leave world.load out or choose a dry law")
    forces = [name for name in ("static_force_along", "static_force_across") if getattr(law, name, None) is not None]
    if forces:
        raise InputError(f"{forces[0]} is a force in newtons that does not follow world.load; give {forces[0].replace('_force', '')} instead")  # fmt: skip


def ground_rows(table: FloatArray, robot: Robot, world: World) -> None:
    """Fill the rows of the links' table that say how each presses on the ground, as if it had one contact point."""
    rest = rest_mass(robot, world)
    table[CONTACT], table[SHARE], table[WEIGHT] = robot.contact_offset, 1.0, rest * world.pressing_gravity
    table[SCALE] = table[WEIGHT] if world.friction.DRY else 1.0
    table[PLAIN:] = limits_table(world, rest)


def points_table(links: FloatArray, robot: Robot, world: World) -> FloatArray:
    """Constants of the contact points, (LINK_CONSTANTS, points); the links' own table where each has one."""
    k = world.contact_points
    if k == 1:
        return links
    off = np.flatnonzero(np.abs(robot.contact_offset - 0.5 * robot.link_length) > 1e-12 * robot.link_length)
    if off.size:
        i = int(off[0])
        raise InputError(
            f"{k} contact points lie along the whole link, but link {i} has a contact_offset of {robot.contact_offset[i]:g} m, which is not its "
            "middle; leave contact_offset out, or world.contact_points"
        )
    nodes, weights = np.polynomial.legendre.leggauss(k)
    table = np.tile(links, (1, k))
    share = np.repeat(0.5 * weights, robot.links)
    table[CONTACT] *= 1.0 + np.repeat(nodes, robot.links)
    table[SHARE] = share
    table[SCALE] *= share
    plain = table[PLAIN:]
    plain[: REST + 1] *= share
    for static, stiff in ((STATIC_T, STIFF_T), (STATIC_N, STIFF_N)):
        given = plain[static] != AS_SLIDING
        plain[static, given] *= share[given]
        plain[stiff, given] *= share[given]
    return np.ascontiguousarray(table)


@njit
def put_load(constants, scratch, t):
    """Normal forces of the links by the load law, and the friction limits that follow."""
    b, links, n, plain = scratch.links, constants.links, scratch.links.shape[1], constants.points[PLAIN:]
    active = b[LOAD]
    activate(
        int(constants.numbers[LOAD_KIND]), constants.numbers[LOAD_ROW:], links[LENGTH], links[MASS], b[ANGLE], t, active
    )
    for j in range(plain.shape[1]):
        load_contact(plain, scratch.limits, j, active[j % n])
    for i in range(n):
        active[i] *= links[WEIGHT, i]


@kernel
def stand_on_ground(constants, scratch, x, y, psi, t):
    """Set the friction limits of every contact point of a body at (x, y) whose axes have heading psi, at time t."""
    f, touch, points = scratch.points, scratch.touch, constants.points
    c, s = sincos1(psi)
    for j in range(f.shape[1]):
        touch[XW, j] = x + c * f[XC, j] - s * f[YC, j]
        touch[YW, j] = y + s * f[XC, j] + c * f[YC, j]
    stand(constants.patches, constants.chart, points[PLAIN:], points[SCALE], touch, scratch.limits)
    if constants.numbers[LOAD_KIND] > 0.0:
        put_load(constants, scratch, t)
