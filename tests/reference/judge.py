"""Derivatives of the planar adjoint against dual numbers through the step of production, case by case; a program of its own, in plain Python.

    NUMBA_DISABLE_JIT=1 python judge.py            prints one JSON object: case to error, relative to the largest derivative of the case

Every friction law meets every gait. What the result takes from the run (places, headings, sums) is weighted at random, so that nothing can hide.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

os.environ["NUMBA_DISABLE_JIT"] = "1"
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import serpenoid as sp
from cases import random_gait, random_law, random_robot, random_start
from reference import duals
from serpenoid.contact import sums as slot
from serpenoid.gradients.measures import Ending
from serpenoid.gradients.parameters import parameter_of
from serpenoid.gradients.reading import ReadNumbers, engine_of, reading_of
from serpenoid.gradients.way_back import kept_run_of, slopes_back, total
from serpenoid.planar import layout as at
from serpenoid.planar import shape_step
from serpenoid.simulation.setup import Settings, Setup

STEP, STEPS, LINKS = 5e-3, 24, 4
SUMS = (
    slot.NET_WORK, slot.POSITIVE_WORK, slot.FRICTION_LOSS, slot.DAMPING_LOSS, slot.SCHEME_LOSS, slot.SLIP_ACROSS, slot.SLIP_ALONG, slot.TORQUE_SQ,
    slot.KINETIC, slot.POTENTIAL,
)  # fmt: skip
_C = sp.contact
MU = {"along": 0.11, "across": 0.53, "backward": 0.31}
LAWS = {
    "coulomb": (_C.Coulomb(**MU, smoothing=1e-2), ("smoothing",)),
    "sharp coulomb": (_C.Coulomb(**MU, smoothing=1e-4), ("smoothing",)),
    "sharpest coulomb": (_C.Coulomb(**MU, smoothing=1e-5), ("smoothing",)),
    "coulomb that follows": (_C.Coulomb(**MU), ("backward",)),
    "coulomb together": (_C.Coulomb(**MU, smoothing=1e-3, axes="together"), ("smoothing",)),
    "unit slip": (_C.UnitSlip(**MU, smoothing=1e-4), ("smoothing",)),
    "stribeck": (
        _C.Stribeck(**MU, static_ratio=1.4, stribeck_speed=0.05, viscous=0.3, smoothing=1e-3),
        ("static_ratio", "stribeck_speed", "viscous"),
    ),
    "threshold": (
        _C.Threshold(**MU, stick_length_along=2e-5, stick_length_across=1e-5, reference_step=1.3e-3),
        ("stick_length_across", "reference_step"),
    ),
    "viscous": (_C.Viscous(0.6, 2.5, 1.3), ("backward",)),
}
_RNG = np.random.default_rng(5)
_TIMES = np.linspace(0.0, 0.13, 9)
_ANGLES = 0.4 * _RNG.normal(size=(9, LINKS - 1))
_CLOSED = np.concatenate([_ANGLES[:-1], _ANGLES[:1]])
_CREEP, _SWING = sp.gaits.Serpenoid(0.8, 1.4, 0.35), sp.gaits.StandingWave(0.7, 1.3, 5.0)
GAITS = {
    "serpenoid": (_CREEP, ("winding_angle", "waves", "speed")),
    "serpenoid from rest to rest": (
        sp.gaits.Serpenoid(0.8, 1.4, 0.21, 6.3, 0.103), ("winding_angle", "waves", "speed", "acceleration", "stop_time"),
    ),
    "standing wave": (_SWING, ("amplitude", "waves", "frequency")),
    "sampled": (sp.gaits.Sampled(_TIMES, _ANGLES), ("values", "times")),
    "periodic samples": (sp.gaits.Sampled(_TIMES * 0.4, _CLOSED, periodic=True), ("times",)),
    "sequence": (
        sp.gaits.Sequence((_CREEP, _SWING, sp.gaits.Sampled(_TIMES, _ANGLES)), times=(0.033, 0.083), blend=0.04),
        ("times", "blend", "parts.0.waves", "parts.1.frequency"),
    ),
}  # fmt: skip
OTHERS = (
    "robot.link_mass", "robot.link_length", "robot.link_inertia", "robot.com_offset", "robot.contact_offset", "robot.joint_damping", "world.gravity",
    "world.slope", "world.slope_direction", "world.edge_angle", "start.heading", "start.velocity", "start.angular_velocity", "start.position",
)  # fmt: skip


def cases() -> dict[str, tuple[Setup, list[str]]]:
    """Descriptions by name, with the keys to differentiate by: those of law and gait, and of the others some by turns."""
    found, turn = {}, 0
    for law, (friction, own) in LAWS.items():
        for gait, (command, keys) in GAITS.items():
            others = [OTHERS[(turn + k) % len(OTHERS)] for k in range(3)]
            turn += 3
            names = [
                "world.friction.across",
                *(f"world.friction.{name}" for name in own),
                *(f"gait.{name}" for name in keys),
                *others,
            ]
            found[f"{law}, {gait}"] = described(friction, command), names
    locked = described(LAWS["coulomb"][0], _CREEP)
    robot = locked.robot.but(locked=[2])
    found["locked joint"] = (
        Setup(robot, locked.world, locked.command, locked.start, locked.settings),
        ["gait.waves", *OTHERS[:4]],
    )
    world = locked.world.but(contact_points=3)
    robot = locked.robot.but(contact_offset=(0.5 * locked.robot.link_length).tolist())
    found["several contacts"] = (
        Setup(robot, world, locked.command, locked.start, locked.settings),
        ["gait.waves", "world.friction.along", *OTHERS[6:10]],
    )
    return found


def described(friction, command) -> Setup:
    """A robot without symmetry on a slope, under way."""
    length, mass = np.array([0.06, 0.11, 0.085, 0.073]), np.array([0.31, 0.52, 0.74, 0.23])
    robot = sp.Robot(
        links=LINKS, link_length=length, link_mass=mass, link_inertia=mass * length**2 * np.array([0.2, 0.13, 0.31, 0.17]),
        com_offset=length * np.array([0.4, 0.6, 0.35, 0.55]), contact_offset=length * np.array([0.7, 0.3, 0.45, 0.6]), joint_damping=0.03,
    )  # fmt: skip
    world = sp.World(friction=friction, slope=0.07, slope_direction=0.6, edge_angle=0.1)
    start = sp.Start(position=(0.1, 0.2), heading=0.3, velocity=(0.03, -0.02), angular_velocity=0.2)
    return Setup(robot, world, command, start, Settings(STEP * STEPS, STEP, 1e-3, "implicit", 0.01))


def directions(setup: Setup, keys: list[str]) -> list[ReadNumbers]:
    """How what the kernels read changes with the numbers of the keys (of lists: with all by one share), by differences."""
    found = []
    for key in keys:
        parameter, h = parameter_of(setup, key), 4e-4
        tried = [reading_of(engine_of(parameter.moved(setup, k * h), STEP)) for k in (-2, -1, 1, 2)]
        with np.errstate(invalid="ignore"):
            rates = [(8.0 * (c - b) - (d - a)) / (12.0 * h) for a, b, c, d in zip(*tried, strict=True)]
        found.append(ReadNumbers(*(np.nan_to_num(rate) for rate in rates)))
    return found


def place_of(state) -> np.ndarray:
    """Centre of gravity and headings of the links, of numbers of any kind."""
    headings = [heading + state.motion[at.PSI] for heading in state.links[at.ANGLE0]]
    return np.array([state.motion[at.X], state.motion[at.Y], *headings], dtype=object)


def by_duals(setup: Setup, changes: list[ReadNumbers], by: Ending) -> np.ndarray:
    """Derivatives of the weighted outcome, by dual numbers through every step."""
    engine = engine_of(setup, STEP)
    engine.constants.numbers[at.TOLERANCE] = 1e-13
    c, s = engine.constants, engine.state
    arrays = (c.links, c.points, c.joints, c.numbers, c.row, c.table, s.motion, s.links, s.sums)
    rates = [np.array(column) for column in zip(*changes, strict=True)]
    alike = c.points is c.links
    seeded = {
        id(array): rate for k, (array, rate) in enumerate(zip(arrays, rates, strict=True)) if not (alike and k == 1)
    }
    made: dict = {}
    constants, state, scratch = (duals.as_objects(group, seeded, made) for group in (c, s, engine.scratch))
    scratch.limits[:] = constants.points[at.PLAIN :]
    first = place_of(state)
    for k in range(STEPS):
        assert shape_step.step(constants, state, scratch, (k + 1) * STEP, STEP)
    last = place_of(state)
    result = (first * by.first).sum() + (last * by.last).sum() + sum(state.sums[j] * by.sums[j] for j in SUMS)
    return duals.slope(result, len(changes))


def compared(setup: Setup, keys: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives by the adjoint and by duals."""
    rng = np.random.default_rng(11)
    weights = np.zeros(slot.SLOTS)
    weights[list(SUMS)] = rng.normal(size=len(SUMS)) * 0.3
    by = Ending(rng.normal(size=2 + setup.robot.links), rng.normal(size=2 + setup.robot.links), weights)
    run, changes = kept_run_of(setup, STEP, STEPS), directions(setup, keys)
    assert run.unsolved == 0, run.first_unsolved
    back = slopes_back(run, by, True)
    return np.array([total(back, change) for change in changes]), by_duals(setup, changes, by)


def planted(setup: Setup, keys: list[str]) -> dict[str, float]:
    """Errors found where one slope of the way back is wrong by a thousandth, by the name of the table in which it stands."""
    rng, found = np.random.default_rng(11), {}
    weights = np.zeros(slot.SLOTS)
    weights[list(SUMS)] = rng.normal(size=len(SUMS)) * 0.3
    by = Ending(rng.normal(size=2 + setup.robot.links), rng.normal(size=2 + setup.robot.links), weights)
    run, changes = kept_run_of(setup, STEP, STEPS), directions(setup, keys)
    back, judged = slopes_back(run, by, True), by_duals(setup, changes, by)
    for name in ("links", "joints", "numbers", "row", "table", "motion", "state"):
        wrong = back._replace(**{name: getattr(back, name) * 1.001})
        mine = np.array([total(wrong, change) for change in changes])
        found[name] = float(np.abs(mine - judged).max() / np.abs(judged).max())
    return found


def random_case(seed: int) -> tuple[Setup, list[str]]:
    """A random robot, gait, ground and start, and eight keys of theirs."""
    rng = np.random.default_rng(seed)
    robot, gait = random_robot(rng, 2, 6), random_gait(rng)
    robot = robot.but(joint_damping=rng.uniform(0.0, 0.1))
    law = random_law(rng, ("coulomb", "unit-slip", "stribeck", "viscous"))
    if law.NAME != "viscous" and rng.random() < 0.8:
        law = law.but(smoothing=10.0 ** rng.uniform(-5.0, -1.0))
    world = sp.World(
        law, slope=rng.uniform(0.0, 0.1), slope_direction=rng.uniform(-3.0, 3.0), edge_angle=rng.uniform(-0.2, 0.2)
    )
    setup = Setup(robot, world, gait, random_start(rng), Settings(STEP * STEPS, STEP, 1e-3, "implicit", 0.01))
    gaits = {"serpenoid": ("winding_angle", "waves", "speed"), "standing-wave": ("amplitude", "waves", "frequency")}[
        gait.NAME
    ]
    known = [*OTHERS, *(f"gait.{name}" for name in gaits), "world.friction.along"]
    return setup, ["world.friction.across", *rng.choice(known, 7, replace=False).tolist()]


def main() -> None:
    """Judge all cases, or those that are named."""
    duals.install()
    known = cases()
    if sys.argv[1:] == ["--planted"]:
        setup, keys = known["stribeck, serpenoid"]
        print(json.dumps(planted(setup, [*keys, *OTHERS])))
        return
    found = {}
    if sys.argv[1:2] == ["--random"]:
        known = {f"seed {seed}": random_case(seed) for seed in range(int(sys.argv[2]))}
        sys.argv[1:] = []
    for name in sys.argv[1:] or known:
        mine, judged = compared(*known[name])
        found[name] = float(np.abs(mine - judged).max() / np.abs(judged).max())
    print(json.dumps(found))


if __name__ == "__main__":
    main()
