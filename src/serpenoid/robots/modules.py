"""Chains of equal modules with two end pieces: what the presets of robots that were built share.

A link that consists of several bodies in a row is one body: masses m_k at places x_k, with inertias J_k across and I_k along, have

    m = sum m_k,   c = sum m_k x_k / m,   J = sum (J_k + m_k (x_k - c)^2),   I = sum I_k
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Piece(NamedTuple):
    """A body on the axis of a link: mass (kg), place from the link's tail-side end (m), inertias across and along (kg m^2)."""

    mass: float
    place: float
    across: float
    along: float


def lumped(*pieces: Piece) -> Piece:
    """The one body that several pieces make."""
    mass = sum(p.mass for p in pieces)
    centre = sum(p.mass * p.place for p in pieces) / mass
    across = sum(p.across + p.mass * (p.place - centre) ** 2 for p in pieces)
    return Piece(mass, centre, across, sum(p.along for p in pieces))


def cylinder(mass: float, radius: float, length: float, place: float) -> Piece:
    """A solid cylinder whose middle is at a place."""
    return Piece(mass, place, mass * (3.0 * radius**2 + length**2) / 12.0, 0.5 * mass * radius**2)


def chain(links: object, tail: float, middle: float, head: float) -> list[float]:
    """A number of each link: of the one at the tail, of those between, of the one at the head."""
    # what is no number of links is refused by Robot
    count = int(links) if isinstance(links, int | np.integer) and links > 1 else 2
    return [tail, *[middle] * (count - 2), head]
