"""Obstacle-aided locomotion: on ground with equal friction a robot goes forward by pushing against pegs, and nowhere without them."""

from __future__ import annotations

import importlib.util
from functools import cache
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from cases import PROVE
from serpenoid.formats.scenario import read
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import setup_of

FORWARD, NOWHERE = 0.5, 0.05  # body lengths: at least with pegs, at most in any direction without
SAME = 0.05  # of the way: MuJoCo with our ground and pegs against our engine
NO_PEGS = ("world.obstacles=[]",)
IMPULSE = 0.02  # of the impulse of the pegs: frames stand for all steps between them


@cache
def run_of(changes: tuple[str, ...] = (), engine: str | None = None) -> sp.Trajectory:
    """The bundled scenario with changes."""
    return execute(setup_of(read("pegs", list(changes))), engine=engine)


def way(run: sp.Trajectory) -> Any:
    """Displacement of the centre of gravity in body lengths."""
    return (run["com"][-1] - run["com"][0])[:2] / 1.2


def test_forward_with_pegs_and_nowhere_without() -> None:
    with_pegs, without = run_of(), run_of(NO_PEGS)
    for run in (with_pegs, without):
        friction = run.scenario["world"]["friction"]
        assert (
            run.status.ok
            and all(text.startswith("rough: ") for text in run.warnings)
            and friction["along"] == friction["across"]
        )
    assert with_pegs.scenario["gait"] == without.scenario["gait"]
    assert with_pegs.scenario["robot"] == without.scenario["robot"]
    assert way(with_pegs)[0] >= FORWARD and np.hypot(*way(without)) < NOWHERE


def test_the_pegs_push_it_against_the_friction() -> None:
    run = run_of(("run.record_interval=0.002",))
    t, mass = run["time"], 1.2
    push = np.nan_to_num(run["wall_force"])[:, :, 0].sum(axis=1)
    ground = np.nan_to_num(run["contact_force"])[:, :, 0].sum(axis=1) - push
    given, taken = (float(np.trapezoid(force, t)) for force in (push, ground))
    gained = mass * float(run["com_velocity"][-1, 0] - run["com_velocity"][0, 0])
    assert given > 0.0 > taken and given == pytest.approx(gained - taken, abs=IMPULSE * given)
    weight = mass * 9.81
    assert given / t[-1] > 0.5 * 0.3 * weight  # friction resists nearly everywhere


@pytest.mark.skipif(importlib.util.find_spec("mujoco") is None, reason="needs MuJoCo")
@pytest.mark.parametrize("changes", [(), NO_PEGS])
def test_mujoco_agrees(changes: tuple[str, ...]) -> None:
    ours, theirs = way(run_of(changes)), way(run_of(changes, "mujoco"))
    assert np.hypot(*(ours - theirs)) < SAME * np.hypot(*ours)


@pytest.mark.parametrize(
    "changes",
    [
        ("world.friction.along=0.2", "world.friction.across=0.2"),
        ("gait.winding_angle=0.7",),
        ("start.position=[0.01, 0.01]", "world.surface.friction=0.1"),
    ][: 3 if PROVE else 1],
)
def test_it_does_not_hang_on_one_number(changes: tuple[str, ...]) -> None:
    assert way(run_of(changes))[0] >= FORWARD


def test_pegs_on_the_other_side_of_the_wave_help_as_well() -> None:
    """The body slips back until its flanks meet them: the field need not know where the wave begins."""
    data = read("pegs")
    for peg in data["world"]["obstacles"]:
        peg["centre"] = [peg["centre"][0] + 2 * 0.034, -peg["centre"][1]]
    assert way(execute(setup_of(data)))[0] >= FORWARD
