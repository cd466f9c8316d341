"""Contacts inside an implicit step in space: forces at an iterate, their slopes in the links' matrices, forces afterwards.

A spot at c with normal n and friction axes t, s pushes with f = N n + f_t t + f_s s. Its slopes K_n, K_t, K_s (-df/dv) add
h K g g' to the matrix of its link, g = (c x n, n) and so on: a symmetric positive matrix, so that the recursion stays what it
is. Friction depends on N: its limits follow the first iterates and then stay, which leaves a convex problem for the
per-axis laws. The unit-slip law's mixed slope is symmetrised.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from serpenoid import contact
from serpenoid.compiled import kernel, njit
from serpenoid.core import FloatArray
from serpenoid.spatial._old.anchors import PIN_COLUMNS, drag, expect, hold, set_pins
from serpenoid.spatial._old.detect import find, limit_friction, press, rub, slip
from serpenoid.spatial._old.kinematics import FA, MASS, PG
from serpenoid.spatial._old.spots import CX, DVNORMAL, LINK, NORMAL, NX, SLOPE, SLOT, SX, TX, VNORMAL, VP
from serpenoid.spatial._old.touch import DS, DT, FN, FT, KNN, KNT, KTN, KTT
from serpenoid.spatial._old.walls import Walls, gates_for, keep_gates, wall_slots, walls_of


class Surface(NamedTuple):
    """Friction law, terrain and working space of the contacts."""

    kind: int
    dry: bool
    scalars: FloatArray
    plain: FloatArray  # along, backward, across
    stick: FloatArray
    spots: FloatArray
    touch: FloatArray
    limits: FloatArray
    memory: FloatArray  # (4, spots) bristles of the spots
    store: FloatArray  # (4, slots) bristles of the slots
    stamp: FloatArray  # (slots,) step at which the slot last touched
    pins: FloatArray  # (pins, PIN_COLUMNS) ground anchors
    walls: Walls
    gates: FloatArray  # (links, GATE_COLUMNS) what walls press on


@kernel
def look(chain, terrain, surface, b, x, y, z, step, predicted):
    """Find the spots of the predicted pose, with their coefficients and bristles, and those of the pins after them.

    Returns their count, that of the contacts among them, and the contacts without direction.
    """
    count, unclear = find(chain, terrain, surface.walls, b, x, y, z, surface.spots)
    rub(terrain, surface.walls, surface.plain, surface.dry, x, y, surface.spots, count)
    for a in range(count):
        slot = int(surface.spots[a, SLOT])
        held = surface.stamp[slot] == step - 1.0
        for e in range(4):
            surface.memory[e, a] = surface.store[e, slot] if held else 0.0
    total = set_pins(surface.pins, b, x, y, surface.spots, count)
    if predicted:
        slip(b, surface.spots, surface.touch, total)
        for a in range(count):
            surface.spots[a, VP] = surface.spots[a, VNORMAL]
        expect(surface.spots, surface.touch, count, total)
    return total, count, unclear


@kernel
def push(chain, surface, total, count, dt, secant, fresh):
    """Forces and slopes of the spots at their velocities; `fresh`: the friction limits follow the normal forces."""
    hold(surface.pins, surface.spots, surface.touch, count, total, 0.5 * dt)
    press(surface.spots, count, 0.5 * dt)
    if fresh:
        limit_friction(chain, surface.dry, surface.stick, surface.spots, count, surface.limits)
    contact.evaluate(
        surface.kind,
        surface.scalars,
        surface.limits[:, :count],
        surface.memory[:, :count],
        dt,
        secant,
        surface.touch[:, :count],
    )


@njit
def spread(spot, first):
    """Vector g = (c x a, a) of an axis a of a spot."""
    x, y, z = spot[CX], spot[CX + 1], spot[CX + 2]
    u, v, w = spot[first], spot[first + 1], spot[first + 2]
    return (y * w - z * v, z * u - x * w, x * v - y * u, u, v, w)


@njit
def slopes(surface, a, coupled):
    """Symmetric slopes of spot a: normal, along, across, mixed."""
    touch = surface.touch
    mixed = 0.5 * (touch[KTN, a] + touch[KNT, a]) if coupled else 0.0
    return surface.spots[a, SLOPE], touch[KTT, a], touch[KNN, a], mixed


@njit
def settle(surface, count, coupled):
    """Forces after the last correction: linear in it, so that they balance the momenta exactly."""
    for a in range(count):
        kn, kt, ks, mixed = slopes(surface, a, coupled)
        dt, ds = surface.touch[DT, a], surface.touch[DS, a]
        surface.spots[a, NORMAL] -= kn * surface.spots[a, DVNORMAL]
        surface.touch[FT, a] -= kt * dt + mixed * ds
        surface.touch[FN, a] -= ks * ds + mixed * dt


@njit
def wrenches(chain, surface, b, count, gravity):
    """Fill FA, FL: gravity (downwards, m/s^2) and contact forces on the links, about O."""
    for i in range(b.shape[0]):
        f = -chain.link[i, MASS] * gravity
        b[i, FA], b[i, FA + 1], b[i, FA + 2] = b[i, PG + 1] * f, -b[i, PG] * f, 0.0
        b[i, FA + 3], b[i, FA + 4], b[i, FA + 5] = 0.0, 0.0, f
    for a in range(count):
        spot, i = surface.spots[a], int(surface.spots[a, LINK])
        n, t, s = spot[NORMAL], surface.touch[FT, a], surface.touch[FN, a]
        fx = n * spot[NX] + t * spot[TX] + s * spot[SX]
        fy = n * spot[NX + 1] + t * spot[TX + 1] + s * spot[SX + 1]
        fz = n * spot[NX + 2] + t * spot[TX + 2] + s * spot[SX + 2]
        x, y, z = spot[CX], spot[CX + 1], spot[CX + 2]
        b[i, FA] += y * fz - z * fy
        b[i, FA + 1] += z * fx - x * fz
        b[i, FA + 2] += x * fy - y * fx
        b[i, FA + 3] += fx
        b[i, FA + 4] += fy
        b[i, FA + 5] += fz


@kernel
def remember(surface, total, count, x, y, dt, step):
    """Move the bristles on by a step and keep them by slot, drag slipping pins, note what walls press on (centre of gravity at x, y).

    Returns the energy of the bristles."""
    keep_gates(surface.gates, surface.spots, surface.touch, count, x, y)
    drag(surface.pins, surface.spots, surface.touch, count, total, 0.5 * dt)
    energy = contact.advance(
        surface.kind,
        surface.scalars,
        surface.limits[:, :count],
        surface.memory[:, :count],
        dt,
        surface.touch[:, :count],
    )
    for a in range(count):
        slot = int(surface.spots[a, SLOT])
        surface.stamp[slot] = step
        for e in range(4):
            surface.store[e, slot] = surface.memory[e, a]
    return energy


def surface_of(
    law: Any, gravity: float, links: int, slots: int, pins: FloatArray | None = None, walls: Walls | None = None
) -> Surface:
    """Friction law and working space for so many slots."""
    from serpenoid.contact.ground import LIMIT_ROWS
    from serpenoid.spatial._old.detect import stick_row
    from serpenoid.spatial._old.spots import SPOT_COLUMNS
    from serpenoid.spatial._old.touch import TOUCH_ROWS

    backward = law.along if law.backward is None else law.backward
    table = np.zeros((0, PIN_COLUMNS)) if pins is None else pins
    upright = walls_of() if walls is None else walls
    slots += wall_slots(links, upright)
    room = slots + len(table)
    return Surface(
        law.KIND, law.DRY, law.scalars(), np.array([law.along, backward, law.across]), stick_row(law, gravity),
        np.zeros((room, SPOT_COLUMNS)), np.zeros((TOUCH_ROWS, room)), np.zeros((LIMIT_ROWS, room)), np.zeros((4, room)),
        np.zeros((4, slots)), np.full(slots, -2.0), table, upright, gates_for(links),
    )  # fmt: skip
