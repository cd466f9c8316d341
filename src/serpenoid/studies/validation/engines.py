"""The same robots in MuJoCo and Drake: with our contact law, and with their own contacts at rest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from serpenoid.contact import Coulomb
from serpenoid.core import Ground, Trajectory, World
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.gaits import CompoundSerpenoid, Serpenoid, Sidewinding
from serpenoid.peers import engine_class
from serpenoid.robots import ma2001, sarrafan2012
from serpenoid.simulation.run import simulate
from serpenoid.studies.validation.comparison import AT_MOST, Comparison, Origin
from serpenoid.studies.validation.ground import HALF, STICKING, lie, settled_creep

ENGINES = {
    "mujoco": Origin("MuJoCo", "run here, its dynamics with our contact law: engine mujoco"),
    "drake": Origin("Drake", "run here, its dynamics with our contact law: engine drake"),
}
NATIVE = {
    "mujoco-native": Origin("MuJoCo", "run here with its own contacts: elliptic cone, impratio 10"),
    "drake-native": Origin("Drake", "run here with its own contacts: discrete, lagged"),
}
EXTRA = "the extra engines: pip install 'serpenoid[engines]'"


def rows(quick: bool) -> list[Comparison]:
    """All rows of other packages; "not run" where one is missing."""
    makers = [
        *((creeping, name) for name in ENGINES),
        *((sidewinding, name) for name in ENGINES),
        *((resting, name) for name in NATIVE),
        (flat, "mujoco"),
    ]
    return [replace(make(name, quick, missing(name)), id=f"ENG-{k}") for k, (make, name) in enumerate(makers, 1)]


def missing(name: str) -> str:
    """What has to be installed for an engine; empty where it is there."""
    try:
        engine_class(name)
    except InputError:
        return EXTRA
    return ""


def number(run: Trajectory, metric: str) -> float:
    """A metric of a run that ended well."""
    value = run.metrics[metric] if run.status.ok else None
    return float("nan") if value is None else float(value)


def creeping(name: str, quick: bool, needs: str) -> Comparison:
    """A short robot with blunt friction starts and stops within a second."""
    gait = Serpenoid.start_stop(winding_angle=0.8, waves=1.0, acceleration=7.0, duration=1.0)
    case: tuple[Any, ...] = (ma2001(links=8), gait, World(Coulomb(0.1, 0.5, smoothing=0.02)), 1.0)
    step = 5e-4 if quick else 2.5e-4
    theirs = None if needs else number(simulate(*case, step=step, engine=name, checked=False), "com_distance")
    ours = None if needs else number(simulate(*case, step=5e-5, engine="spatial", checked=False), "com_distance")
    return Comparison("", ENGINES[name], "eight links creep for 1 s, our law in their dynamics: distance", "m", theirs, ours, 2e-3,
                      f"implicit friction on both sides, each of first order in its own step (theirs {step:g} s)", needs=needs)  # fmt: skip


def flat(name: str, quick: bool, needs: str) -> Comparison:
    """The same creeping robot in our planar engine, where every link carries its own weight at all times."""
    gait = Serpenoid.start_stop(winding_angle=0.8, waves=1.0, acceleration=7.0, duration=1.0)
    case: tuple[Any, ...] = (ma2001(links=8), gait, World(Coulomb(0.1, 0.5, smoothing=0.02)), 1.0)
    question = "eight links creep for 1 s: distance in our planar engine"
    if needs:
        return Comparison("", ENGINES[name], question, "m", None, None, 2e-3, "as in ENG-1", needs=needs)
    theirs = number(simulate(*case, step=5e-4, engine=name, checked=False), "com_distance")
    ours, third = (
        number(simulate(*case, step=5e-5, engine=engine, checked=False), "com_distance")
        for engine in ("planar", "spatial")
    )
    text = (
        f"Explained: in MuJoCo links rest on springs and friction follows the load of the moment, in the plane each link carries its own weight. Our engine in "
        f"space, with the same springs, gives {third:.5f} m (ENG-1)."
    )
    return Comparison("", ENGINES[name], question, "m", theirs, ours, 2e-3, "as in ENG-1", note=text, settled=abs(third / theirs - 1.0) < 2e-3)  # fmt: skip


def sidewinding(name: str, quick: bool, needs: str) -> Comparison:
    """A robot under servos sidewinds on a ground with springs."""
    robot = sarrafan2012(servo=Servo(stiffness=60.0, damping=1.5))
    world = World(Coulomb(0.8, 0.8), ground=Ground(stiffness=2e4, damping=50.0))
    duration = 2.0 if quick else 10.0
    case: dict[str, Any] = {"duration": duration, "step": 1e-3, "checked": False}
    theirs = None if needs else number(simulate(robot, Sidewinding(), world, engine=name, **case), "path_length")
    ours = None if needs else number(simulate(robot, Sidewinding(), world, **case), "path_length")
    return Comparison("", ENGINES[name], f"servos sidewind for {duration:g} s, our law in their dynamics: length of the path", "m", theirs, ours, 2e-3,
                      "the same step of 1e-3 s; their contact forces are those of the last velocities", needs=needs)  # fmt: skip


def resting(name: str, quick: bool, needs: str) -> Comparison:
    """A straight robot on a slope where half of the friction holds it."""
    duration = 3.0 if quick else 11.0
    world = World(Coulomb(0.5, 0.5), ground=Ground(stiffness=2e4, damping=50.0, slope=HALF))
    robot, posture = sarrafan2012(servo=Servo(stiffness=60.0, damping=1.5)), CompoundSerpenoid(ramp=0.0)
    theirs = (
        None
        if needs
        else settled_creep(simulate(robot, posture, world, duration, step=1e-3, engine=name, checked=False))
    )
    ours = None if needs else settled_creep(lie(STICKING, HALF, 11.0))
    text = ""
    if theirs is not None:
        text = f"Friction that is a function of the velocity cannot hold: in {NATIVE[name].name} the robot slides {1e3 * theirs * 10:.2g} mm in 10 s."
    return Comparison("", NATIVE[name], "robot held by half of the friction, their contacts beside our bristles: creep", "m/s", theirs, ours, 1e-9,
                      "ours must be nothing beside theirs: a nanometre per second", AT_MOST, text if np.isfinite(theirs or 0.0) else "", needs=needs)  # fmt: skip
