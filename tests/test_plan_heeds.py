"""What a plan brings itself is refused where it is given a second time, and what it leaves to the world is the world's."""

from __future__ import annotations

import pytest

import serpenoid as sp
from serpenoid.contact import Coulomb
from serpenoid.control import Creeper, Feeder, PathDrive
from serpenoid.control.paths import USUAL_GROUND
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.formats.scenario import read
from serpenoid.simulation.setup import Setup, setup_of

ROBOT = sp.robots.rods(4, 1.0, 4.0, radius=0.03)
LINE = [[0.0, 0.0], [3.0, 0.0]]
ICE = Coulomb(0.02, 0.02)


@pytest.mark.parametrize("name", ["maze", "concertina"])
@pytest.mark.parametrize(
    "change",
    ["start.position=[3,4]", "start.heading_deg=50", "start.velocity=[1,0]", "start.height=1", "start.pitch_deg=10", "robot.servo=mx64"],
)  # fmt: skip
def test_a_plan_begins_and_moves_by_its_own(name: str, change: str) -> None:
    with pytest.raises(InputError, match=change.split("=")[0].removesuffix("_deg")):
        setup_of(read(name, [change]))


def test_a_concertina_rolls_on_casters() -> None:
    data = dict(read("concertina"))
    setup = setup_of({**data, "world": {"friction": {"law": "coulomb", "along": 0.9, "across": 0.9}}})
    with pytest.raises(InputError, match=r"plan\.motors\.friction"):
        setup.prepared()


@pytest.mark.parametrize("given", [{"robot": ROBOT.but(servo=Servo(9.0, 0.1))}, {"start": sp.Start((1.0, 2.0))}])
def test_a_feeder_begins_and_moves_by_its_own(given: dict[str, object]) -> None:
    setup = Setup(**{"robot": ROBOT, "command": Feeder(ROBOT, LINE), **given})  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"robot\.servo|start\.position"):
        setup.prepared()


def test_what_is_prepared_can_be_prepared_again() -> None:
    once = Setup(ROBOT, command=Feeder(ROBOT, LINE)).prepared()
    assert once.prepared().keys() == once.keys() and once.world.friction == USUAL_GROUND


def test_the_ground_of_a_drive_is_the_worlds_unless_it_says_another() -> None:
    world = sp.World(ICE)
    for drive, wanted in (
        (None, ICE),
        (PathDrive(speed=0.2), ICE),
        (PathDrive(friction=Coulomb(0.3, 0.4)), Coulomb(0.3, 0.4)),
    ):
        assert Feeder(ROBOT, LINE, drive=drive).world(world).friction == wanted
    creeper = Creeper(ROBOT, LINE, drive=PathDrive(speed=0.2))
    creeper.world(world)
    assert "slips much" in " ".join(creeper.warnings())  # of the world's friction, too
    # a scenario that sets the pace alone
    maze = setup_of(read("maze", ["world.friction={law='coulomb', along=0.02, across=0.02}", "plan.drive={speed=0.2}"]))
    assert maze.prepared().world.friction == ICE
    # and what is saved is what was run
    assert setup_of(maze.keys()).command.drive == maze.command.drive
