"""Bad input in space is refused in words: what came, what is allowed, what to do."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
import space_cases as cases
from serpenoid.core.terrain import Box, Cylinder, Ground, HeightField, Pipe
from serpenoid.gaits import CompoundSerpenoid, Sidewinding

ROBOT = sp.robots.sarrafan2012()


def run(robot=ROBOT, gait=None, world=None, start=None, **settings):
    return sp.simulate(robot, gait or Sidewinding(), world or cases.level(), 0.1, start=start, **settings)


REFUSED = {
    "an upright link": (
        "stands upright",
        lambda: run(start=sp.Start(pitch=-np.pi / 2, height=0.01), world=cases.level(sp.contact.Coulomb(0.2, 0.8))),
    ),
    "a wave that no joint has": ("no joint of .* can pitch", lambda: run(ROBOT.but(joints="yaw"))),
    "no radius": ("radius > 0", lambda: run(ROBOT.but(radius=0.0))),
    "no radius beside a box": (
        "radius > 0",
        lambda: run(ROBOT.but(radius=0.0), world=sp.World(ground=Ground(), obstacles=(Box((3.0, 0.0, 0.0), (0.1, 0.1, 0.1)),))),
    ),
    "negative radius": ("radius must be finite and >= 0", lambda: ROBOT.but(radius=-0.1)),
    "below the ground": ("height must be finite and >= 0", lambda: sp.Start(height=-0.1)),
    "inside a wall": (
        "starts .* inside",
        lambda: run(world=sp.World(sp.contact.Coulomb(0.5, 0.5), ground=Ground(), obstacles=(Box((0.5, 0.0, 0.1), (0.4, 0.4, 0.4)),))),
    ),
    "samples for the wrong joints": (
        "joint angles a row",
        lambda: run(gait=sp.gaits.Sampled(np.linspace(0, 1, 9), np.zeros((9, 5)))),
    ),
    "planar gait on universal joints": ("use a gait of two waves", lambda: run(gait=sp.gaits.Serpenoid(0.5, 1.0, speed=0.1))),
    "torques for the wrong axes": (
        "10 joint axes",
        lambda: run(gait=sp.control.SampledTorque(np.linspace(0, 1, 9), np.zeros((9, 5)))),
    ),
    "universal joints in the plane": ("give the world a Ground", lambda: run(world=sp.World(sp.contact.Coulomb(0.1, 0.5)))),
    "explicit steps with servos": (
        "implicit",
        lambda: run(sp.robots.ma2001(servo=cases.SERVO), sp.gaits.Serpenoid(0.5, 1.0, speed=0.1), sp.World(sp.contact.Coulomb(0.1, 0.5)), integrator="rk4"),
    ),
    "explicit integrator": ("integrator", lambda: run(integrator="rk4")),
    "obstacles without a ground": ("need a ground", lambda: sp.World(sp.contact.Coulomb(0.1, 0.5), obstacles=(Pipe((0, 0, 1), 0.1),))),
    "unknown model": ("model must be one of", lambda: Ground("mud")),
    "soft ground": ("stiffness must be finite and > 0", lambda: Ground(stiffness=0.0)),
    "NaN slope": ("slope must be finite", lambda: Ground(slope=np.nan)),
    "slope and field": ("not both", lambda: Ground(slope=0.1, heights=HeightField(np.zeros((3, 3)), 0.1))),
    "field of one row": ("2 x 2", lambda: HeightField(np.zeros((1, 5)), 0.1)),
    "bar without axis": ("must have a direction", lambda: Cylinder((0, 0, 0), 0.1, 1.0, (0, 0, 0))),
    "flat box": ("size must be three numbers, each finite and > 0", lambda: Box((0, 0, 0), (1, 0, 1))),
    "locked and limp": ("either locked or limp", lambda: ROBOT.but(locked=(1,), limp=(1,))),
    "no such joint": ("must name joints from 1 to 5", lambda: ROBOT.but(locked=(6,))),
    "unknown joints": ("joints must be one of", lambda: ROBOT.but(joints="ball")),
    "servo of minus one": ("Servo: stiffness", lambda: sp.control.Servo(-1.0)),
    "NaN in a gait": ("Sidewinding: amplitude must be finite", lambda: Sidewinding(amplitude=np.nan)),
    "infinite ramp": ("CompoundSerpenoid: ramp must be finite", lambda: CompoundSerpenoid(ramp=np.inf)),
}  # fmt: skip


@pytest.mark.parametrize("case", list(REFUSED))
def test_refused_in_words(case: str) -> None:
    words, make = REFUSED[case]
    with pytest.raises(sp.SerpenoidError, match=words) as error:
        make()
    assert len(str(error.value)) < 400


SCENARIO_ERRORS = [
    ("world.ground.model=mud", "world.ground.model"),
    ("world.ground.stifness=3", "did you mean stiffness"),
    ("gait.amplitude_deg=nan", "gait.amplitude_deg"),
    ("gait.amplitud_deg=3", "did you mean amplitude_deg"),
    ("robot.radius=-1", "robot.radius"),
    ("run.integrator=rk4", "implicit"),
    ("run.mode=shape", "run.mode: unknown key"),
    ("servo.torque_limit=3", "servo: unknown key"),
    ("robot.servo.torque_limit=0", "robot.servo.torque_limit"),
    ("robot.servo.no_load_speed=3", "needs a torque_limit"),
    ("start.height=-1", "start.height"),
    ("robot.locked=[9]", "must name joints from 1 to 5"),
    ('world.obstacles=[{kind="box",centre=[0,0,0]}]', "world.obstacles"),
    ("gait.kind=moonwalk", "gait"),
]


@pytest.mark.parametrize(("change", "words"), SCENARIO_ERRORS)
def test_scenarios_are_checked_strictly(change: str, words: str, capsys) -> None:
    from serpenoid.cli.entry import main

    assert main(["run", "sidewind", "--no-film", "--set", change]) == 2
    said = capsys.readouterr().err
    assert words in said and "Traceback" not in said and len(said.splitlines()) < 12


def test_upright_links_are_counted_while_running() -> None:
    """Isotropic friction has no need of a direction, and the run says that there was none."""
    run_ = run(gait=CompoundSerpenoid(ramp=0.0), start=sp.Start(pitch=np.pi / 2))
    assert any("upright" in w for w in run_.warnings)


def test_soft_ground_and_lost_contact_are_said() -> None:
    soft = run(world=cases.level(stiffness=500.0))
    assert any("soft ground" in w for w in soft.warnings)
    aloft = run(start=sp.Start(height=3.0))
    assert any("nothing touches the ground" in w and "t = 0" in w for w in aloft.warnings)
