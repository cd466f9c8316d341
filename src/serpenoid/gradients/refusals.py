"""What has no derivative, or none yet, and why: refused before anything runs, in words.

Breakaway is refused though each step has a derivative: with static friction above sliding friction the instant of release jumps from step to step, its own part of the
derivative is missing at every step size, and small differences agree with the wrong number (docs/gradient.md).
"""

from __future__ import annotations

import numpy as np

from serpenoid.contact import Bristle, CustomLaw, Stribeck, Threshold, has_slopes
from serpenoid.contact import sums as slot
from serpenoid.contact.ground import STATIC_N, STATIC_T
from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.planar import layout as at
from serpenoid.planar.engine import PlanarEngine
from serpenoid.simulation.commands import kind_of_command
from serpenoid.simulation.setup import Setup

_EQUAL = 1e-12  # of the sliding friction


def check_description(setup: Setup) -> None:
    """Refuse a description whose runs have no derivative, by the first reason."""
    reasons = (*_of_command(setup), *_of_world(setup), *_of_law(setup))
    if reasons:
        raise InputError(f"no gradient: {reasons[0]}")


def _of_command(setup: Setup) -> list[str]:
    kind, found = kind_of_command(setup.command), []
    if kind == "plan":
        found.append(
            "a plan decides by what it meets, and its decisions have no derivative; give the gait that it made"
        )
    elif kind == "controller":
        found.append("a controller is a Python function of the state, whose derivative is not known; give a gait")
    elif kind != "gait":
        found.append(
            f"the joints must be prescribed by a gait, and here {'torques drive them' if kind else 'nothing moves them'}; derivatives of driven joints are not there yet"
        )
    if setup.spatial:
        found.append(
            "derivatives are there in the plane only so far, and this world has three dimensions; leave out ground, obstacles and anchors"
        )
    if setup.robot.servo is not None and kind == "gait":
        found.append(
            "the joints must follow the gait exactly, and here servos carry them (robot.servo); leave the servo out"
        )
    if setup.settings.integrator != "implicit":
        found.append(
            f'derivatives are those of the implicit step, got run.integrator = "{setup.settings.integrator}"; leave it out'
        )
    return found


def _of_world(setup: Setup) -> list[str]:
    world, found = setup.world, []
    if world.patches:
        found.append("at the edge of a patch the friction jumps (world.patches); leave them out")
    if world.friction_map is not None:
        found.append("derivatives through a friction map (world.friction_map) are not there yet; leave it out")
    if world.load is not None and world.load.KIND > 0:
        found.append(
            f'derivatives through the load law "{world.load.NAME}" (world.load) are not there yet; "given" has them'
        )
    if world.self_contact is not None:
        found.append("derivatives through contact between links (world.self_contact) are not there yet; leave it out")
    return found


def _of_law(setup: Setup) -> list[str]:
    law = setup.world.friction
    if isinstance(law, Bristle):
        return [
            "bristles keep a memory, whose derivative is not there yet; use coulomb, unit-slip, stribeck or viscous friction"
        ]
    if isinstance(law, CustomLaw):
        return [
            "a friction law of one's own does not tell its slopes yet; use coulomb, unit-slip, stribeck or viscous friction"
        ]
    if not has_slopes(law.KIND):
        return [f"the friction law {law.NAME!r} does not tell its slopes"]
    return []


def check_limits(setup: Setup, limits: FloatArray) -> None:
    """Refuse breakaway: static friction of a threshold that is not that of sliding."""
    if not isinstance(setup.world.friction, Threshold):
        return
    for axis, row, slid in (("along", STATIC_T, limits[:2]), ("across", STATIC_N, limits[2:3])):
        static = limits[row]
        speed = setup.world.friction.scalars()[0 if axis == "along" else 1]
        wrong = (static >= 0.0) & np.any(np.abs(slid - static) > _EQUAL * np.maximum(static, slid), axis=0)
        if speed > 0.0 and wrong.any():
            link = int(np.flatnonzero(wrong)[0])
            raise InputError(
                f"no gradient: the friction jumps where a contact breaks away: world.friction sticks up to {static[link]:.4g} N {axis} link {link} and slides at "
                f"{slid[0, link]:.4g} N; the instant of release has no derivative on a grid of steps. Leave static_force_{axis} and static_{axis} out (then it is the "
                "sliding friction), or use stribeck friction, which falls smoothly"
            )


def check_engine(engine: PlanarEngine) -> None:
    """Refuse joints that the gait does not prescribe."""
    if engine.state.motion[at.MODE] != at.PRESCRIBED:
        raise InputError(
            "no gradient: some joints are limp among prescribed ones (robot.limp); derivatives of driven joints are not there yet"
        )


def check_run(sums: FloatArray) -> None:
    """Refuse a run that met something without a derivative."""
    if sums[slot.FIRST_STOP] > 0.0:
        raise InputError(
            f"no gradient: the gait drives joint {int(sums[slot.FIRST_STOP_JOINT])} against its stop at {sums[slot.FIRST_STOP]:.4g} s, where its rate jumps; "
            "use a smaller motion, or leave robot.joint_limit out"
        )


def sharp(setup: Setup) -> str:
    """What to say of friction that is too sharp for a slope to hold far; empty where it is not."""
    law = setup.world.friction
    if isinstance(law, Stribeck) and law.static_ratio > 1.0:
        return "friction falls with the speed (static_ratio > 1): where a contact comes loose the slope may hold over very little; ask for a certificate"
    return ""
