"""The page "why your snake slides": what it states is what comes out."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp

DOCS = Path(__file__).parents[1] / "docs"
ROBOT = sp.robots.ma2001(links=20)
GAIT = sp.gaits.Serpenoid(winding_angle=0.8, waves=2, speed=0.8)
GROUND = sp.World(friction=sp.contact.Coulomb(along=0.1, across=0.5))
CREEP = 1e-3 * np.tan(np.radians(10.0)) / 0.5  # m/s: smoothing times the share of the friction that is needed


def run(robot: sp.Robot, world: sp.World = GROUND) -> sp.Trajectory:
    return sp.simulate(robot, GAIT, world, duration=8.0, step=1e-3, checked=False)


def test_equal_friction_goes_backward() -> None:
    ways = [run(ROBOT, sp.World(friction=sp.contact.Coulomb(*mu, axes="together"))).metrics["com_forward"] for mu in ((0.1, 0.5), (0.5, 0.5), (0.5, 0.1))]  # fmt: skip
    assert ways == pytest.approx([4.22, -0.30, -1.41], abs=0.05)


def test_smoothed_friction_creeps_at_the_speed_that_it_predicts() -> None:
    slope = sp.Ground(slope=np.radians(10.0), stiffness=2e4, damping=50.0)
    still = sp.gaits.CompoundSerpenoid(ramp=0.0)
    laws = (
        sp.contact.Coulomb(0.5, 0.5, smoothing=1e-3),
        sp.contact.Coulomb(0.5, 0.5),
        sp.contact.Bristle(0.5, 0.5, stick_length_along=1e-5, stick_length_across=1e-5),
    )
    speeds = []
    for law in laws:
        found = sp.simulate(sp.robots.sarrafan2012(), still, sp.World(law, ground=slope), 4.0, checked=False)
        com = np.asarray(found["com"])[found["time"] >= 1.0]
        speeds.append(float(np.linalg.norm(com[-1] - com[0])) / 3.0)
    share = np.tan(np.radians(10.0)) / 0.5
    assert speeds[0] == pytest.approx(CREEP / np.sqrt(1.0 - share**2), rel=0.02)
    assert speeds[1] < 1e-9 and speeds[2] < 1e-13


def test_soft_servos_swallow_the_gait() -> None:
    way = {gain: run(ROBOT.but(servo=sp.control.Servo(stiffness=gain, damping=0.03 * gain))).metrics["com_forward"] for gain in (1.0, 30.0)}  # fmt: skip
    ideal = run(ROBOT).metrics["com_forward"]
    assert abs(way[1.0]) < 0.05 * ideal and way[30.0] == pytest.approx(ideal, rel=0.05)


def test_guessed_inertias_need_torques_that_rods_do_not() -> None:
    rod, guess = (run(ROBOT.but(link_inertia=value)).metrics["torque_max"] for value in ("uniform-rod", 1.0))
    assert rod == pytest.approx(2.1, abs=0.2) and guess > 40.0 * rod
    assert ROBOT.link_inertia[0] == pytest.approx(60.0 * ROBOT.but(link_inertia="uniform-rod").link_inertia[0])


def test_each_reason_has_a_program_a_command_and_a_picture() -> None:
    text = (DOCS / "why_it_slides.md").read_text()
    parts = re.split(r"^## ", text, flags=re.MULTILINE)[1:-1]
    assert len(parts) == 4
    for part in parts:
        assert "```python" in part and "```sh\nserpenoid" in part and "*What to do.*" in part
        picture = re.search(r"!\[.+\]\((.+\.png)\)", part)
        assert picture is not None and 5_000 < (DOCS / picture[1]).stat().st_size < 100_000
