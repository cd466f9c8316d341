"""Scenario files: what is refused, and how it is said; what is accepted means what it says."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import serpenoid as sp
from cases import PROVE
from serpenoid.core.errors import InputError
from serpenoid.formats.scenario import TABLES, bundled, checked, read, schema, set_key
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import Settings, Setup, setup_of
from serpenoid.simulation.steps import grid

GOOD = bundled()["creep"].read_text()

# one change to a good scenario, and what the message must name
REFUSED = {
    "robot.link_mass=-0.5": "robot.link_mass",
    "robot.link_mass=nan": "robot.link_mass",
    "robot.link_length=[0.08, 0.08]": "link_length has 2 values",
    "robot.link_length=0": "robot.link_length",
    "robot.link_inertia=ring": "uniform-rod",
    "robot.links=0": "robot.links",
    "robot.links=1": "robot.links",
    "robot.links=10000000": "robot.links",
    "robot.links=20.5": "robot.links",
    "robot.links=true": "robot.links",
    "robot.preset=ma2002": "ma2001",
    "robot.com_offset=0.2": "com_offset",
    "robot.colour=red": "robot.colour: unknown key",
    "gait.kind=crawl": "gait",
    "gait.waves=0": "gait.waves",
    "gait.winding_angle_deg=inf": "gait.winding_angle_deg",
    "gait.winding_angle=60": "np.radians(60)",
    "gait.winding_angle_deg=200": "<= 180 deg",
    "gait.winding_angle_deg=abc": "<= 180 deg",
    "gait.winding_angel_deg=20": "did you mean winding_angle_deg?",
    "world.gravity=-9.81": "world.gravity",
    "world.friction.law=sticky": "world.friction.law",
    "world.friction.along=-0.1": "world.friction.along",
    "world.friction.smoothing=0": "world.friction.smoothing",
    "world.friction.law=bristel": "did you mean bristle?",
    "run.step=0": "run.step",
    "run.step=1e-12": "run.max_link_steps",
    "run.step=often": "run.step",
    "run.duration=inf": "run.duration",
    "run.duration=-1": "run.duration",
    "run.integrator=euler2": "run.integrator",
    "run.mode=torque": "run.mode: unknown key",
    'plan={kind="x"}': "give one of them",
    "start.position=[1]": "start.position",
    "start.heading_deg=nan": "start.heading_deg",
    "nonsense=1": "nonsense: unknown key",
}


@pytest.mark.parametrize("change", list(REFUSED))
def test_refused_with_the_key_named(change: str) -> None:
    with pytest.raises(InputError) as caught:
        setup = setup_of(read("creep", [change]))
        grid(setup, float(setup.settings.step))
    assert REFUSED[change] in str(caught.value)
    assert "Traceback" not in str(caught.value) and len(str(caught.value).splitlines()) <= 10


def test_all_errors_at_once() -> None:
    with pytest.raises(InputError) as caught:
        read("creep", ["robot.link_mass=-1", "gait.waves=0", "run.duration=nan", "world.wind=3"])
    text = str(caught.value)
    for key in ("robot.link_mass", "gait.waves", "run.duration", "world.wind"):
        assert key in text
    assert text.splitlines()[0].endswith("4 errors")


@pytest.mark.parametrize("length", range(0, len(GOOD), 1 if PROVE else 13))
def test_a_file_cut_anywhere_is_refused_or_whole(length: int, tmp_path) -> None:
    path = tmp_path / "cut.toml"
    path.write_text(GOOD[:length])
    try:
        scenario = read(str(path))
    except InputError as error:
        assert str(path) in str(error)
    else:
        assert tomllib.loads(GOOD[:length]).keys() >= {"robot", "gait", "run"}
        assert scenario["run"]["duration"] > 0


def test_not_text_not_toml_not_there(tmp_path) -> None:
    path = tmp_path / "x.toml"
    for content in (b"", b"\xff\xfe\x00", b"a = ", b"[[[[", b"x = " + b"[" * 5000, b"a=1\n" * 400_000):
        path.write_bytes(content)
        with pytest.raises(InputError):
            read(str(path))
    with pytest.raises(InputError, match="Did you mean creep"):
        read("crep")
    with pytest.raises(InputError):
        read(str(tmp_path))
    with pytest.raises(InputError):
        read("bad\0name")


def test_values_that_json_and_toml_let_through() -> None:
    data = tomllib.loads(GOOD)
    for path, value in (
        ("robot.links", True),
        ("robot.links", "20"),
        ("run.duration", "8"),
        ("gait.waves", [2]),
    ):
        table, key = path.split(".")
        changed = {**data, table: {**data[table], key: value}}
        with pytest.raises(InputError, match=path):
            checked(changed, "test")


leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.lists(st.floats(), max_size=4),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
)  # fmt: skip
keys = st.sampled_from(
    ["robot.links", "robot.link_mass", "robot.link_inertia", "gait.kind", "gait.waves", "gait.speed", "world.gravity",
     "world.friction.law", "world.friction.across", "world.edge_angle_deg", "world.patches", "start.velocity",
     "run.step", "run.duration", "run.tolerance", "robot", "gait", "world", "run", "extra"]
)  # fmt: skip


@settings(max_examples=2000 if PROVE else 300)
@given(st.lists(st.tuples(keys, leaves), min_size=1, max_size=4))
def test_any_value_is_refused_or_builds_a_robot(changes: list) -> None:
    data = json.loads(json.dumps(tomllib.loads(GOOD)))
    for path, value in changes:
        table, parts = data, path.split(".")
        for part in parts[:-1]:
            table = table.get(part) if isinstance(table, dict) else None
        if isinstance(table, dict):
            table[parts[-1]] = value
    try:
        setup_of(checked(data, "fuzz"))
    except InputError as error:
        assert str(error)


def test_set_reads_toml_values_and_swaps_degrees_for_radians() -> None:
    data = tomllib.loads(GOOD)
    set_key(data, "gait.speed=0.5")
    assert data["gait"]["speed"] == 0.5
    set_key(data, "world.edge_angle_deg=[1, 2]")
    assert data["world"]["edge_angle_deg"] == [1, 2]
    set_key(data, "gait.winding_angle=0.3")  # takes the place of winding_angle_deg
    assert data["gait"]["winding_angle"] == 0.3 and "winding_angle_deg" not in data["gait"]
    for bad in ("gait", "=3", "gait..waves=2", "robot.links.x=1"):
        with pytest.raises(InputError):
            set_key(data, bad)


@pytest.mark.parametrize("name", list(bundled()))
def test_resolved_scenario_says_the_same_as_the_file(name: str) -> None:
    """The echo in the results is itself a scenario, of the same setup."""
    first = setup_of(read(name))
    again = setup_of(checked(json.loads(json.dumps(first.keys())), "echo"))
    assert again.keys() == first.keys()
    assert (
        again.start == first.start
        and again.command.keys() == first.command.keys()
        and again.robot.servo == first.robot.servo
    )
    assert np.array_equal(again.robot.link_mass, first.robot.link_mass)
    assert again.world == first.world and again.settings == first.settings


def test_a_robot_of_its_own() -> None:
    data = tomllib.loads(GOOD)
    data["robot"] = {"links": 3, "link_length": [0.1, 0.2, 0.1]}
    with pytest.raises(InputError, match=r"robot\.link_mass: missing"):
        checked(data, "test")
    data["robot"]["link_mass"] = 1.0
    robot = setup_of(checked(data, "test")).robot
    assert robot.link_inertia == pytest.approx([1 / 1200, 4 / 1200, 1 / 1200]) and robot.links == 3
    assert robot.com_offset == pytest.approx([0.05, 0.1, 0.05]) and np.array_equal(
        robot.com_offset, robot.contact_offset
    )
    data["robot"] |= {"com_offset": 0.03, "contact_offset": [0.01, 0.1, 0.1]}
    robot = setup_of(checked(data, "test")).robot
    assert robot.com_offset == pytest.approx([0.03] * 3) and robot.contact_offset == pytest.approx([0.01, 0.1, 0.1])


def test_schema_describes_the_bundled_files() -> None:
    text = schema()
    assert text["additionalProperties"] is False
    assert set(text["required"]) == {"robot", "run"}
    assert json.loads(json.dumps(text)) == text
    assert set(TABLES) == set(text["properties"])


def test_too_long_runs_are_refused_before_they_start() -> None:
    robot, world = sp.robots.ma2001(), sp.World(sp.contact.Coulomb(0.1, 0.5))
    setup = Setup(robot, world, sp.gaits.Serpenoid(0.8, 2.0, speed=0.8), settings=Settings(1e5, 1e-6))
    with pytest.raises(InputError, match="max_link_steps"):
        execute(setup)
    with pytest.raises(
        InputError, match=r"1e\+07 frames of 20 links take about 170 GB of memory, more than run.max_memory = 4 GB"
    ):
        execute(replace(setup, settings=Settings(1e4, 1e-3, record_interval=1e-3)))
    with pytest.raises(InputError, match=r"1e\+06 frames .* 17 GB"):
        sp.Simulation(robot, world).advance(1e4)


def test_none_unsets_an_optional_key() -> None:
    """The bare word unsets; a law may be called so, a text in quotes too; what has to be a number, and what is unknown, is refused."""
    given = ["world.friction.smoothing=1e-2", "run.step=1e-3"]
    plain = setup_of(read("creep")).keys()
    assert setup_of(read("creep", given)).keys() != plain
    assert setup_of(read("creep", [*given, "world.friction.smoothing = none ", "run.step=none"])).keys() == plain
    assert setup_of(read("creep", ["world.friction.law=none"])).world.friction.NAME == "none"
    assert read("creep", ['title="none"'])["title"] == "none"
    for change, text in (
        ("run.record_interval", "got None"),
        ("gait.wawes", "did you mean waves"),
        ("robot.preset", "preset"),
    ):
        with pytest.raises(InputError, match=text):
            read("creep", [f"{change}=none"])
