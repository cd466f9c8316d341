"""Declarations: what a field allows is what it takes, in Python and in files; keys are exact; errors say what to do."""

from __future__ import annotations

import json
import math
from dataclasses import MISSING, fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import serpenoid as sp
from cases import PROVE
from description_cases import EVERY, descriptions, same, taken_in
from serpenoid.core import declare
from serpenoid.core import several as sev
from serpenoid.core.actuator import Servo
from serpenoid.core.declare import Description, quantity_of, read
from serpenoid.core.errors import InputError
from serpenoid.core.family import Family
from serpenoid.core.quantities import Angle, Number, Whole
from serpenoid.core.schema import schema_of, table_of
from serpenoid.core.world import Patch
from serpenoid.formats.scenario import bundled, checked, read_toml, schema, set_key
from serpenoid.simulation.setup import Setup, setup_of

NO_NUMBERS = (math.nan, math.inf, -math.inf, True, "7", None, [1.0, [2.0]], {"a": 1}, object())


@pytest.mark.parametrize("name", list(EVERY))
@settings(max_examples=300 if PROVE else 12, deadline=None)
@given(data=st.data())
def test_keys_are_exact(name: str, data: Any) -> None:
    """Through JSON and back: the same object, bit for bit; and the schema accepts its keys."""
    made = data.draw(descriptions(EVERY[name]))
    keys = json.loads(json.dumps(made.keys(), allow_nan=False))
    assert same(taken_in(EVERY[name], keys), made)
    assert not violations(schema_of(EVERY[name]), keys)
    assert len(repr(made)) < 1500


def minimal(cls: Any) -> dict[str, Any]:
    """Keys that a description needs, with values that fit."""
    good = {
        "links": 3, "link_length": 0.1, "link_mass": 0.5, "along": 0.0 if cls.__name__ == "Frictionless" else 0.1, "across": 0.0 if cls.__name__ == "Frictionless" else 0.5,
        "rectangle": [0, 0, 1, 2], "heights": [[0.0, 1.0], [2.0, 3.0]], "cell": 0.1, "link": 1, "at": 0.02, "hold": 80.0, "duration": 8.0,
        "winding_angle": 0.7, "waves": 1.5, "speed": 0.3, "amplitude": 0.4, "frequency": 2.5, "phase_per_joint": 0.3,
        "times": [0.0, 1.0, 2.0, 3.0], "values": [[0.1, 0.2]] * 4, "base": [0, 0, 0], "radius": 0.3, "length": 1.1, "centre": [0.1, 0.2], "size": [1, 2, 3],
        "point": [0, 0, 1], "points": [[0, 0], [1, 0], [0, 1]], "start": [0, 0], "end": [1, 1], "cells": ["#.", ".#"],
    }  # fmt: skip
    if cls.__name__ == "Box":
        good["centre"] = [0.1, 0.2, 0.3]
    if cls.__name__ == "Sequence":
        wave = {"kind": "serpenoid", "winding_angle": 0.7, "waves": 1.5, "speed": 0.3}
        good |= {"parts": [wave, {**wave, "speed": 0.5}], "times": [2.5]}
    return {f.name: good[f.name] for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING}


FIELDS = [(name, f.name) for name, cls in EVERY.items() for f in fields(cls)]


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_what_is_not_allowed_is_refused_by_name(name: str, field: str) -> None:
    """Beyond every bound, and what is no value of that kind at all: in Python and in files, with the key in the message."""
    cls = EVERY[name]
    quantity = quantity_of(next(f for f in fields(cls) if f.name == field))
    bad: list[Any] = []
    item = quantity.item if isinstance(quantity, sev.Numbers | sev.Vector) else quantity
    if isinstance(item, Number):
        for bound, step in ((item.low, -1.0), (item.high, 1.0)):
            bad += (
                [bound + step * max(1e-6 * abs(bound), 1e-9)]
                if math.isfinite(bound) and not isinstance(item, Whole)
                else []
            )
            bad += [int(bound + step)] if math.isfinite(bound) and isinstance(item, Whole) else []
        bad += [bound for bound in (item.above, item.below) if math.isfinite(bound)]
        bad += [
            x for x in NO_NUMBERS if not (x is None and quantity.optional) and not (x == math.inf and item.infinite)
        ]
        bad += (
            [[x] * quantity.size for x in bad] + [[0.1] * (quantity.size + 1)]
            if isinstance(quantity, sev.Vector)
            else []
        )
    else:
        bad += [x for x in (math.nan, object(), 7.5) if not (x is None and quantity.optional)]
    good = minimal(cls)
    taken_in(cls, good)
    for value in bad:
        if isinstance(value, list) and isinstance(quantity, sev.Numbers) and not quantity.per and value != [1.0, [2.0]]:
            continue
        with pytest.raises(InputError, match=field):
            cls(**{**good, field: value})
        problems: list[str] = []
        assert read(cls, {**good, field: value}, "t", lambda path, _, p=problems: p.append(path)) is None
        assert any(field in path for path in problems), (field, value, problems)


ANGLES = [(name, f.name) for name, cls in EVERY.items() for f in fields(cls) if quantity_of(f).angle]


@pytest.mark.parametrize(("name", "field"), ANGLES)
def test_degrees_are_turned_into_radians_at_the_edge(name: str, field: str) -> None:
    cls = EVERY[name]
    good = {k: v for k, v in minimal(cls).items() if k != field}
    turned = taken_in(cls, {**good, f"{field}_deg": 20.5})
    assert same(turned, taken_in(cls, {**good, field: float(np.radians(20.5))}))
    keys = turned.keys()
    assert f"{field}_deg" not in keys and "_deg" in table_of(cls)
    with pytest.raises(InputError, match=r"np\.radians"):
        cls(**{**good, f"{field}_deg": 20.5})
    with pytest.raises(InputError, match=r"angles are in radians: for 45 degrees give np\.radians\(45\) = 0\.7854"):
        cls(**{**good, field: 45.0})
    problems: list[str] = []
    read(cls, {**good, field: 0.1, f"{field}_deg": 3.0}, "t", lambda path, what: problems.append(what))
    assert problems == [f"given twice, as {field} too"]


def test_there_are_angles_among_all_kinds() -> None:
    assert len(ANGLES) > 30 and ("Start", "heading") in ANGLES and ("Robot", "joint_limit") in ANGLES


@pytest.mark.parametrize("name", list(EVERY))
def test_misspelt_names_get_a_suggestion(name: str) -> None:
    cls = EVERY[name]
    good = minimal(cls)
    longest = max((f.name for f in fields(cls)), key=len)
    wrong = longest[:-2] + longest[-1] + longest[-2] + "x"
    with pytest.raises(InputError, match=f"{wrong}.*did you mean"):
        cls(**good, **{wrong: 1.0})
    problems: list[str] = []
    assert read(cls, {**good, wrong: 1.0}, "t", lambda path, what: problems.append(f"{path} {what}")) is None
    assert len(problems) == 1 and wrong in problems[0] and "did you mean" in problems[0]
    for key in good:
        with pytest.raises(InputError, match=f"needs .*{key}"):
            cls(**{k: v for k, v in good.items() if k != key})


SWAPPED = {
    "a Robot where a law is wanted": (lambda: sp.World(sp.robots.ma2001()), "friction must be a friction law .*got a Robot"),
    "a World where a Robot is wanted": (lambda: Setup(sp.World(), sp.robots.ma2001()), "robot must be a Robot, got a World"),
    "a World as the command": (lambda: Setup(sp.robots.ma2001(), sp.World(), sp.World()), "the command must be .*got a World"),
    "a number as a ground": (lambda: sp.World(ground=0.3), "ground must be a Ground, got 0.3"),
    "too many values": (lambda: sp.gaits.Serpenoid(0.5, 1.0, 0.3, 1.0, 9.0, 3.0), "each once"),
    "a value twice": (lambda: sp.gaits.Serpenoid(0.5, 1.0, 0.3, waves=1.0), "each once"),
    "a changed field that is none": (lambda: sp.robots.ma2001().but(link_masses=1.0), "did you mean link_mass"),
    "one of a list": (lambda: sp.World(patches=(Patch((0, 0, 1, 1), 0.1, 0.2), 3)), r"patches\[1\] must be a Patch, got 3"),
}  # fmt: skip


@pytest.mark.parametrize("case", list(SWAPPED))
def test_helpful_errors(case: str) -> None:
    make, words = SWAPPED[case]
    with pytest.raises(InputError, match=words) as error:
        make()
    assert len(str(error.value)) < 400


def test_an_own_robot_needs_three_numbers_and_a_world_none() -> None:
    robot, world = sp.Robot(links=4, link_length=0.1, link_mass=0.3), sp.World()
    assert np.all(robot.com_offset == 0.05) and np.all(robot.contact_offset == 0.05)
    assert robot.link_inertia == pytest.approx([0.3 * 0.01 / 12] * 4) and world.friction == sp.contact.Coulomb(0.1, 0.5)
    assert repr(robot) == "Robot(robot: 4 links, 0.4 m, 1.2 kg, yaw joints)" and repr(world) == "World()"


def test_robots_joint_by_joint() -> None:
    """Axes in order, fixed and locked joints without any; one word where a list says the same."""
    joints = ["yaw", "roll", "fixed", "universal", "pitch-yaw", "pitch"]
    robot = sp.Robot(
        links=7, link_length=0.1, link_mass=0.3, joints=joints, locked=(6,), servo=[Servo(), None, Servo(9.0), *[Servo()] * 3], limp=(1,),
        joint_limit=[0.5, np.inf, 1.0, 1.0, 2.0, 2.0],
    )  # fmt: skip
    assert robot.axes == ((1, "yaw"), (2, "roll"), (4, "yaw"), (4, "pitch"), (5, "pitch"), (5, "yaw"))
    assert not robot.planar and robot.servos == (None, None, Servo(9.0), Servo(), Servo(), Servo())
    assert robot.keys()["joint_limit"] == [0.5, "none", 1.0, 1.0, 2.0, 2.0] and robot.keys()["servo"][1] == "limp"
    for word, each in (
        ("alternating", ["yaw", "pitch", "yaw"]),
        ("universal", ["universal"] * 3),
        ("yaw", ["yaw"] * 3),
    ):
        assert sp.Robot(links=4, link_length=0.1, link_mass=0.3, joints=each).joints == word
    assert sp.Robot(links=4, link_length=0.1, link_mass=0.3, joints=["yaw", "fixed", "yaw"]).planar
    with pytest.raises(InputError, match=r"joints has 2 values.*3 joints"):
        sp.Robot(links=4, link_length=0.1, link_mass=0.3, joints=["yaw", "yaw"])
    with pytest.raises(InputError, match="did you mean yaw"):
        sp.Robot(links=4, link_length=0.1, link_mass=0.3, joints=["yaw", "jaw", "yaw"])


def violations(rule: dict[str, Any], value: Any) -> list[str]:
    """What is wrong with a value by a JSON schema: the few words that ours use."""
    found: list[str] = []
    for name, kind in (("anyOf", any), ("oneOf", lambda x: sum(x) == 1), ("allOf", all)):
        if name in rule and not kind([not violations(inner, value) for inner in rule[name]]):
            found.append(f"{name} of {value!r}")
    types = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}
    if "type" in rule and (
        not isinstance(value, types[rule["type"]]) or (isinstance(value, bool) and rule["type"] != "boolean")
    ):
        return [f"{value!r} is no {rule['type']}"]
    if ("const" in rule and value != rule["const"]) or ("enum" in rule and value not in rule["enum"]):
        found.append(f"{value!r} is not allowed")
    for name, wrong in (
        ("minimum", lambda v, b: v < b), ("maximum", lambda v, b: v > b), ("exclusiveMinimum", lambda v, b: v <= b), ("exclusiveMaximum", lambda v, b: v >= b),
        ("minItems", lambda v, b: len(v) < b), ("maxItems", lambda v, b: len(v) > b), ("maxLength", lambda v, b: len(v) > b),
    ):  # fmt: skip
        if name in rule and wrong(value, rule[name]):
            found.append(f"{name} of {value!r}")
    if isinstance(value, list) and "items" in rule:
        found += [text for x in value for text in violations(rule["items"], x)]
    if isinstance(value, dict):
        found += [f"{key} is missing" for key in rule.get("required", ()) if key not in value]
        known = rule.get("properties", {})
        found += [
            f"{key} is unknown" for key in value if key not in known and rule.get("additionalProperties") is False
        ]
        found += [f"{key}: {text}" for key, x in value.items() if key in known for text in violations(known[key], x)]
    return found


@pytest.mark.parametrize("name", list(bundled()))
def test_the_schema_accepts_the_bundled_scenarios_and_their_keys(name: str) -> None:
    (data, _), rule = read_toml(bundled()[name]), schema()
    assert not violations(rule, data)
    assert not violations(rule, json.loads(json.dumps(setup_of(data).keys())))
    for change in ("robot.links=1", "robot.colour=3", "gait.kind=crawl", "run.duration=-1", "world.friction.law=glue"):
        broken = json.loads(json.dumps(data))
        set_key(broken, change)
        assert violations(rule, broken), change
        with pytest.raises(InputError):
            checked(broken)


def test_the_schema_knows_files_in_the_place_of_numbers() -> None:
    data = {"robot": {"file": "my.urdf"}, "gait": {"kind": "sampled", "file": "log.mcap"}, "run": {"duration": 1.0}}
    assert not violations(schema(), data)
    assert violations(schema(), {**data, "gait": {"kind": "sampled", "periodic": True}})
    assert violations(schema(), {**data, "robot": {"radius": 0.1}})


def test_kinds_from_outside_run_only_where_their_module_is_allowed(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_snakes.py").write_text(
        "from serpenoid.core import declare, description, Robot\n"
        "from serpenoid.core.quantities import Angle\n"
        "from serpenoid.gaits.waves import Wave, WaveGait\n"
        "@description\n"
        "class Shiver(WaveGait):\n"
        "    '''All joints tremble.'''\n"
        "    amplitude: float = declare(Angle('of the trembling', low=0.0, high=0.3), default=0.1)\n"
        "    def yaw_and_pitch(self, robot):\n"
        "        return Wave(0.0, self.amplitude, 0.0, 30.0), Wave(0.0, 0.0, 0.0, 0.0)\n"
        "def twig(links=5, **changes):\n"
        "    return Robot(**{'links': links, 'link_length': 0.1, 'link_mass': 0.2, 'name': 'twig', **changes})\n"
        "raised = 1 / 1\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    data = {
        "robot": {"preset": "my_snakes:twig", "links": 6},
        "gait": {"kind": "my_snakes:Shiver", "amplitude_deg": 5.0},
        "run": {"duration": 1.0},
    }
    with pytest.raises(InputError, match="would run the code of the module my_snakes; allow it explicitly") as error:
        setup_of(data)
    import sys

    assert "my_snakes" not in sys.modules and "2 errors" in str(error.value)
    setup = setup_of(data, allow=("my_snakes",))
    assert (
        setup.robot.name == "twig"
        and setup.robot.links == 6
        and setup.command.amplitude == pytest.approx(np.radians(5.0))
    )
    assert setup.keys()["gait"] == {"kind": "my_snakes:Shiver", "amplitude": np.radians(5.0)}
    assert setup_of(setup.keys(), allow=["my_snakes"]).keys() == setup.keys()
    for gait, words in (
        ({"kind": "my_snakes:Shiver", "amplitude": 0.5}, "amplitude must be"), ({"kind": "my_snakes:Nothing"}, "cannot be imported"),
        ({"kind": "my_snakes:twig"}, "must be a description"), ({"kind": "os:system"}, "would run the code"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=words):
            setup_of({**data, "gait": gait}, allow=("my_snakes",))


def test_a_name_is_registered_once() -> None:
    family = Family("thing", tag="kind", home="serpenoid.core")

    class Stone(Description):
        NAME = "stone"

    class Pebble(Description):
        NAME = "stone"

    assert family.register(Stone) is Stone and family["stone"] is Stone and list(family) == ["stone"]
    with pytest.raises(InputError, match="already a thing named 'stone'"):
        family.register(Pebble)


def test_fields_without_a_declaration_pass() -> None:
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Loose(Description):
        anything: Any = None
        checked_one: float = declare(Angle(), default=0.0)

    assert Loose([1, "b"]).keys() == {"anything": [1, "b"], "checked_one": 0.0}
    with pytest.raises(InputError, match="radians"):
        Loose(checked_one=90)
