"""What other packages' own contacts can take from a world, and what they leave out of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.contact import sums
from serpenoid.core import FloatArray, World
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Box, Cylinder, Ground, Pipe
from serpenoid.spatial.layout import FORCE, FORCE_N, FORCE_T, POINT, PRESS, TOUCHING


def native_friction(world: World, heights: bool) -> float:
    """The one coefficient that a package's own contacts can take from a world; refused where they cannot be like it."""
    law, ground = world.friction, world.ground or Ground()
    if ground.model != "capsule":
        raise InputError(
            f'native contacts are those of round links; they need ground.model = "capsule", got {ground.model!r}'
        )
    if world.patches or world.friction_map is not None:
        raise InputError(
            "native contacts have one friction coefficient for the whole world: patches and friction maps are not possible"
        )
    if np.any(np.asarray(world.edge_angle) != 0.0):
        raise InputError(
            "native contacts have the same friction in all directions: an edge_angle is not possible; use the variant with our contacts"
        )
    if any(isinstance(o, Pipe) for o in world.obstacles):
        raise InputError("native contacts are between convex bodies: the inside of a pipe is not possible")
    others = [type(o).__name__ for o in world.obstacles if not isinstance(o, Box | Cylinder)]
    if others:
        raise InputError(
            f"native contacts know boxes and cylinders as obstacles, not {others[0]}; use the variant with our contacts"
        )
    if ground.heights is not None and not heights:
        raise InputError("this engine's native contacts know no height field; use a plane and obstacles")
    if law.NAME == "custom" or not (law.DRY or law.NAME == "none"):
        raise InputError(f"native contacts have Coulomb's dry friction; the {law.NAME} law is not possible")
    return law.across


def native_note(world: World) -> str:
    """What a package's own contacts leave out of our law."""
    law = world.friction
    isotropic = law.along == law.across and law.backward in (None, law.along) and getattr(law, "axes", None) != "apart"
    return "native contacts" + ("" if isotropic else f" with isotropic friction {law.across:g}, the coefficient across")


class NativeContact(NamedTuple):
    """A contact that a package found: link, place (m), normal out of the surface, force on the link and its normal part (N)."""

    link: int
    place: FloatArray
    normal: FloatArray
    force: FloatArray
    press: float


def native_loads(loads: FloatArray, axes: FloatArray, contacts: list[NativeContact]) -> None:
    """Loads of the links, whose directions are `axes` (n, 3), by a package's contacts. Velocities of the contacts are not known."""
    loads[: POINT + 3] = 0.0
    for c in contacts:
        i, along = c.link, axes[c.link] - (axes[c.link] @ c.normal) * c.normal
        along /= max(float(np.linalg.norm(along)), 1e-12)
        loads[FORCE : FORCE + 3, i] += c.force
        loads[PRESS, i] += c.press
        loads[TOUCHING, i] += 1.0
        loads[FORCE_T, i] += c.force @ along
        loads[FORCE_N, i] += c.force @ np.cross(c.normal, along)
        loads[POINT : POINT + 3, i] += c.press * c.place
    some = loads[TOUCHING] > 0.0
    loads[POINT : POINT + 3] = np.where(some, loads[POINT : POINT + 3] / np.where(some, loads[PRESS], 1.0), np.nan)


def count_native(acc: FloatArray, dt: float, press: FloatArray) -> None:
    """The part of a package's contacts, by their normal forces, in the account of a step."""
    acc[sums.CONTACTS] += dt * np.count_nonzero(press > 0.0)
    acc[sums.NORMAL_MAX] = max(acc[sums.NORMAL_MAX], press.max(initial=0.0))
