"""Descriptions from a few changed keys are those of a scenario that is read with these changes, errors included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cases import PROVE
from serpenoid.core.errors import InputError
from serpenoid.formats.scenario import bundled, read
from serpenoid.simulation.cells import Variations
from serpenoid.simulation.setup import setup_of

TRIES = 40 if PROVE else 4  # per scenario
EXTRA = {
    "robot.links": 7, "robot.joint_damping": 0.02, "world.friction.along": 0.31, "world.friction.law": "viscous", "world.gravity": 3.7,
    "start.heading_deg": 25.0, "start.velocity": [0.1, -0.2], "run.duration": 0.7, "run.step": 1e-3, "gait.winding_angle_deg": 33.0,
    "gait.kind": "rolling", "robot.servo.stiffness": 40.0, "world.contact_points": 2, "title": "another", "drive.amplitude": 0.3,
    "world.friction.across": -1.0, "robot.lnks": 3, "gait.waves": "many", "nonsense.key": 1, "plan.target": [1.0, 2.0], "run.step.x": 1,
}  # fmt: skip


def said(make: Any) -> Any:
    """The keys of a description, or the error in its place."""
    try:
        return make().keys()
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("name", sorted(bundled()))
def test_changed_keys_give_what_reading_gives(name: str) -> None:
    rng, base = np.random.default_rng(len(name)), Variations(read(name))
    for _ in range(TRIES):
        keys = rng.choice(list(EXTRA), size=int(rng.integers(1, 4)), replace=False)
        changes = {str(key): EXTRA[str(key)] for key in keys}
        texts = [f'{key}="{value}"' if isinstance(value, str) else f"{key}={value!r}" for key, value in changes.items()]
        expected = said(lambda texts=texts: setup_of(read(name, texts)))
        assert said(lambda changes=changes: base.setup(changes)) == expected, changes
    assert said(lambda: base.setup({})) == said(lambda: setup_of(read(name)))


def test_a_law_comes_before_its_keys() -> None:
    """The law "none" has no coefficients: those of the base go, one that is asked for beside it is refused."""
    base = Variations(read("creep"))
    for changes in ({"world.friction.law": "none"}, {"world.friction.along": 0.3, "world.friction.law": "none"}):
        texts = [f"{key}={value}" for key, value in changes.items()]
        assert said(lambda changes=changes: base.setup(changes)) == said(
            lambda texts=texts: setup_of(read("creep", texts))
        )


def test_what_no_key_belongs_to_is_the_same_object() -> None:
    base = Variations(read("creep"))
    one, two = base.setup({"gait.winding_angle": 0.3}), base.setup({"gait.winding_angle": np.float64(0.4)})
    assert one.robot is two.robot and one.world is two.world and one.command is not two.command
    again = base.setup({"gait.winding_angle": 0.3, "world.friction.along": 0.2})
    assert again.command is one.command and again.world is not one.world
    assert base.setup({"world.friction.along": 0.2}).world is again.world


def test_the_base_stays_what_it_is() -> None:
    data = read("creep")
    before, base = str(dict(data)), Variations(data)
    base.setup({"world.friction.law": "viscous", "robot.links": 5})
    assert str(dict(data)) == before and base.setup({}).robot.links == 20


def test_long_arrays_and_late_digits_make_other_cells() -> None:
    """Arrays that print alike are not alike: a table of many numbers, and numbers that differ in a late digit."""
    space, plane = Variations(read("sidewind")), Variations(read("creep"))
    for seed in range(2):
        heights = np.zeros((40, 40))
        heights[10:20, 10:20] = np.random.default_rng(seed).normal(size=(10, 10))
        for given in ({"cell": 0.1, "heights": heights}, {"cell": np.float64(0.1), "heights": heights.tolist()}):
            ground = space.setup({"world.ground.heights": given}).world.ground
            assert ground is not None and np.array_equal(np.asarray(ground.heights.heights), heights)
    for mass in (0.5, 0.5 + 1e-12):
        assert plane.setup({"robot.link_mass": np.full(20, mass)}).robot.link_mass[0] == mass
        assert plane.setup({"robot.link_mass": [np.float64(mass)] * 20}).robot.link_mass[0] == mass


def test_tables_name_files_as_keys_do(tmp_path: Path) -> None:
    """A whole table as the value, with a file in it, gives what reading gives."""
    np.savetxt(tmp_path / "map.csv", [[1.0, 2.0], [0.5, 1.5]], delimiter=",")
    name = str(tmp_path / "map.csv")
    expected = setup_of(read("creep", [f'world.friction_map={{file="{name}", cell=0.4}}'])).keys()
    base = Variations(read("creep"))
    assert base.setup({"world.friction_map": {"file": name, "cell": 0.4}}).keys() == expected
    assert (
        base.setup({"world": {**read("creep")["world"], "friction_map": {"file": name, "cell": 0.4}}}).keys()
        == expected
    )
