"""Which engine fits a description, and its first posture.

| engine | when |
|---|---|
| planar | yaw joints, no ground in space, no obstacles, no anchors |
| spatial | everything else |
| mujoco, drake | by name: their dynamics with our ground; `-native`: with their own contacts |
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from serpenoid.control.controller import command_of
from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.core.theirs import theirs
from serpenoid.core.world import FLOOR
from serpenoid.simulation.commands import kind_of_command
from serpenoid.simulation.setup import Setup

ENGINES = ("planar", "spatial", "mujoco", "mujoco-native", "drake", "drake-native")


def engine_name(setup: Setup, wanted: str | None = None) -> str:
    """Name of the engine: the one wanted, else the one that fits."""
    if wanted is not None and wanted not in ENGINES:
        raise InputError(f"engine must be one of {', '.join(ENGINES)}, got {wanted!r}")
    if wanted == "planar" and setup.spatial:
        raise InputError("the planar engine has no ground in space, no obstacles and no anchors, and needs yaw joints")
    return wanted or ("spatial" if setup.spatial else "planar")


def grounded(setup: Setup) -> Setup:
    """The description with a ground, for engines in space."""
    if setup.world.ground is not None:
        return setup
    if setup.world.slope != 0.0:
        raise InputError(
            "world.slope tilts the plane of the planar engine; the other engines work in space, where the ground slopes: give the world a ground "
            "with that slope (world.ground.slope)"
        )
    return replace(setup, world=replace(setup.world, ground=setup.world.floor or FLOOR))


def step_of(setup: Setup) -> float:
    """Step of a description, s."""
    step = setup.settings.step
    if step is None or isinstance(step, str):
        raise InputError('step = "auto" is for sp.simulate, which knows the duration; give a step in s')
    return float(step)


def engine_for(
    setup: Setup, wanted: str | None, step: float | None, stride: int | None, asked: FloatArray | None = None
) -> tuple[Any, FloatArray | None]:
    """The engine of a description with its command in force, and the first angles of a controller (`asked`: it has told them before)."""
    name = engine_name(setup, wanted)
    dt = step or step_of(setup)
    every = stride or max(1, round(setup.settings.record_interval / dt))
    if name != "planar":
        setup = grounded(setup)
    kind, command = kind_of_command(setup.command), setup.command
    first = (
        (_first_posture(setup, name, dt) if asked is None else asked)
        if kind == "controller" and setup.start.angles is None
        else command
        if kind == "gait"
        else setup.first_posture
    )
    ideal = setup.robot.servo is None and kind != "drive"
    engine = _class(name)(
        setup.robot,
        setup.world,
        setup.start,
        step=dt,
        stride=every,
        ideal=ideal,
        first=first,
        integrator=setup.settings.integrator,
    )
    if kind == "gait":
        engine.follow(command)
    elif kind == "drive":
        engine.drive(command)
    elif kind is None:
        engine.push(np.zeros(len(setup.robot.axes)))
    return engine, first if kind == "controller" else None


def _first_posture(setup: Setup, name: str, dt: float) -> FloatArray | None:
    """What a controller asks for at t = 0 of the straight robot: the posture that the run begins with."""
    controller = setup.command
    if hasattr(controller, "first_angles"):
        return np.asarray(controller.first_angles(), dtype=float)
    from serpenoid.simulation.state import State

    straight = _class(name)(
        setup.robot,
        setup.world,
        setup.start,
        step=dt,
        stride=1,
        ideal=True,
        first=None,
        integrator=setup.settings.integrator,
    )
    with theirs(f"{controller!r} at t = 0"[:200], getattr(controller, "function", controller.command)):
        answer = controller.command(State(straight), 0.0)
    answer = command_of(answer, len(setup.robot.axes), repr(controller), 0.0)
    return None if answer.angles is None else np.asarray(answer.angles, dtype=float)


def _class(name: str) -> Any:
    if name == "planar":
        from serpenoid.planar.engine import PlanarEngine

        return PlanarEngine
    if name == "spatial":
        from serpenoid.spatial.engine import SpatialEngine

        return SpatialEngine
    from serpenoid.peers import engine_class

    return engine_class(name)
