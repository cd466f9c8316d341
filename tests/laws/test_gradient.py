"""The front door of gradients: what it gives, what it says, what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest

import serpenoid as sp
from cases import own_angle
from serpenoid.core.errors import InputError
from serpenoid.gradients.measures import MEASURES, Ending, slopes_of
from serpenoid.simulation.metrics import METRICS
from serpenoid.simulation.setup import setup_of

STEP = 4e-3
AGREE = 1e-6  # of a value: the run made again is solved farther
BY_HAND = 1e-9  # of a derivative that is known in closed form


def creeping(**given):
    """A short run of a creeping robot, some of its parts others."""
    robot = given.pop("robot", sp.robots.ma2001(links=5))
    world = given.pop("world", sp.World(sp.contact.Coulomb(0.11, 0.52, smoothing=1e-2)))
    gait = given.pop("gait", sp.gaits.Serpenoid(0.8, 1.4, 0.31))
    return sp.simulate(
        robot, gait, world, 0.4, step=STEP, checked=False, start=sp.Start(heading=0.3, velocity=(0.02, 0.05)), **given
    )


@pytest.fixture(scope="module")
def run():
    return creeping()


def test_a_mapping_with_units_and_the_value_beside_the_old_one(run) -> None:
    found = sp.gradient(
        run, of="com_distance", over=["world.friction.across", "gait.winding_angle_deg", "start.velocity"]
    )
    assert list(found) == ["world.friction.across", "gait.winding_angle_deg", "start.velocity"] and len(found) == 3
    assert found["start.velocity"].shape == (2,) and isinstance(found["world.friction.across"], float)
    assert [found.slopes[key].unit for key in found] == ["m", "m/deg", "m/(m/s)"]
    assert found.before == run.metrics["com_distance"] and abs(found.value / found.before - 1.0) < AGREE
    slope = found.slopes["world.friction.across"]
    assert slope.relative == pytest.approx(slope.derivative * 0.52 / found.value, rel=1e-12)
    assert json.loads(json.dumps(found.plain()))["over"][0]["key"] == "world.friction.across"
    assert "1 % more" in str(found) and "com_distance" in found.summary()


def test_degrees_are_radians_in_other_words(run) -> None:
    found = sp.gradient(run, of="com_dx", over=["gait.winding_angle", "gait.winding_angle_deg"])
    assert found["gait.winding_angle_deg"] == pytest.approx(np.radians(found["gait.winding_angle"]), rel=1e-9)


def test_one_number_for_all_links_is_the_sum_of_a_list(run) -> None:
    keys = dict(run.scenario)
    several = {**keys, "robot": {**keys["robot"], "link_mass": [0.5, 0.5, 0.5, 0.5, 0.5 + 1e-9]}}
    one = sp.gradient(keys, of="com_dx", over="robot.link_mass")["robot.link_mass"]
    each = sp.gradient(several, of="com_dx", over="robot.link_mass")["robot.link_mass"]
    assert each.shape == (5,) and each.sum() == pytest.approx(one, rel=1e-6)


def test_elements_of_lists_and_counted_parts(run) -> None:
    found = sp.gradient(run, of="com_dx", over=["start.velocity", "start.velocity[1]", "start.velocity.0"])
    assert found["start.velocity"].tolist() == [found["start.velocity.0"], found["start.velocity[1]"]]
    gaits = sp.gaits.Sequence(
        (sp.gaits.Serpenoid(0.8, 1.4, 0.31), sp.gaits.StandingWave(0.4, 1.2, 6.0)), times=(0.13,), blend=0.2
    )
    uneven = sp.robots.ma2001(links=5).but(link_mass=[0.5, 0.4, 0.3, 0.6, 0.5])
    found = sp.gradient(
        creeping(gait=gaits, robot=uneven),
        of="com_dx",
        over=["gait.parts.1.frequency", "robot.link_mass", "robot.link_mass[3]"],
    )
    assert found.slopes["gait.parts.1.frequency"].unit == "m/(rad/s)" and found["gait.parts.1.frequency"] != 0.0
    assert found["robot.link_mass[3]"] == pytest.approx(found["robot.link_mass"][3], rel=1e-9)


def test_what_turning_the_start_does_is_known(run) -> None:
    found = sp.gradient(
        run,
        of=["com_dx", "com_dy", "com_distance", "heading"],
        over=["start.heading", "start.velocity", "start.position"],
    )
    dx, dy = found["com_dx"].value, found["com_dy"].value
    vx, vy = 0.02, 0.05
    # all of the motion turns, but for the velocity given in world axes
    turned = found["com_dx"]["start.heading"] + found["com_dx"]["start.velocity"] @ (-vy, vx)
    assert turned == pytest.approx(-dy, abs=BY_HAND)
    turned = found["com_dy"]["start.heading"] + found["com_dy"]["start.velocity"] @ (-vy, vx)
    assert turned == pytest.approx(dx, abs=BY_HAND)
    assert np.abs(found["com_distance"]["start.position"]).max() < BY_HAND
    turned = found["heading"]["start.heading"] + found["heading"]["start.velocity"] @ (-vy, vx)
    assert turned == pytest.approx(1.0, abs=BY_HAND)


def test_dimensions_balance(run) -> None:
    """In units of length, mass and time the result scales: its derivatives obey Euler's rule."""
    over = [
        "robot.link_mass", "robot.link_inertia", "robot.link_length", "robot.com_offset", "robot.contact_offset", "world.gravity",
        "world.friction.smoothing", "gait.speed", "start.velocity",
    ]  # fmt: skip
    found = sp.gradient(run, of=["com_distance", "friction_loss"], over=over)
    along = {name: {key: slope.along for key, slope in one.slopes.items()} for name, one in found.items()}
    for name, power in (("com_distance", 0.0), ("friction_loss", 1.0)):
        mass = along[name]["robot.link_mass"] + along[name]["robot.link_inertia"]
        assert mass == pytest.approx(power * found[name].value, abs=1e-8 * abs(found[name].value))
    for name, power in (("com_distance", 1.0), ("friction_loss", 2.0)):
        length = sum(
            value for key, value in along[name].items() if key not in ("robot.link_mass", "robot.link_inertia")
        )
        length += 2.0 * along[name]["robot.link_inertia"]
        assert length == pytest.approx(power * found[name].value, abs=1e-8 * abs(found[name].value))


def test_measures_are_the_metrics(run) -> None:
    for name in MEASURES:
        if name == "mean_speed":
            continue
        assert name in METRICS
        found = sp.gradient(run, of=name, over="world.friction.across")
        assert found.value == pytest.approx(run.metrics[name], rel=1e-4, abs=1e-9), name
        assert np.isfinite(found["world.friction.across"])


def test_complex_steps_are_slopes(run) -> None:
    rng = np.random.default_rng(4)
    ending = Ending(rng.normal(size=7), rng.normal(size=7), np.abs(rng.normal(size=48)))
    setup = setup_of(dict(run.scenario))
    for name, measure in MEASURES.items():
        slopes, h = slopes_of(measure, ending, setup, 0.4), 1e-5
        for k, part in enumerate(ending):
            for j in range(len(part)):
                values = []
                for sign in (-1.0, 1.0):
                    tried = part.copy()
                    tried[j] += sign * h
                    values.append(float(measure.formula(ending._replace(**{Ending._fields[k]: tried}), setup, 0.4)))
                theirs = (values[1] - values[0]) / (2.0 * h)
                assert slopes[k][j] == pytest.approx(theirs, rel=1e-4, abs=1e-6 * max(1.0, abs(values[0]))), (
                    name,
                    k,
                    j,
                )


def test_a_certificate_agrees_where_friction_is_smooth_and_flags_where_it_is_sharp() -> None:
    smooth = sp.gradient(creeping(), of="com_distance", over="world.friction.across", certify=0.01)
    slope = smooth.slopes["world.friction.across"]
    assert (
        slope.secant.agrees
        and smooth.flags == ()
        and slope.secant.mean == pytest.approx(float(slope.derivative), rel=0.02)
    )
    bent = sp.gradient(creeping(), of="com_dy", over="gait.winding_angle", certify=0.4)
    assert not bent.slopes["gait.winding_angle"].secant.agrees and "does not hold over 0.4" in bent.flags[0]


LIMP, SERVO = (
    sp.robots.ma2001(links=5).but(limp=[2]),
    sp.robots.ma2001(links=5).but(servo=sp.robots.servos.xl330()),
)
MASSED = {"static_across": 0.7, "stick_length_across": 1e-5}
REFUSED = {
    "jumps where a contact breaks away": {"world": sp.World(sp.contact.Threshold(0.1, 0.5, **MASSED))},
    "bristles keep a memory": {"world": sp.World(sp.contact.Bristle(0.1, 0.5))},
    "at the edge of a patch": {"world": sp.World(patches=[sp.Patch((0.0, 0.0, 1.0, 1.0), 0.2, 0.3)])},
    "servos carry them": {"robot": SERVO},
    "torques drive them": {"gait": sp.gaits.drives.SineTorque(0.02, 3.0, 0.4)},
    "three dimensions": {"world": sp.World(ground=sp.Ground(model="point"))},
    "contact between links": {
        "world": sp.World(self_contact=sp.core.SelfContact()),
        "robot": sp.robots.ma2001(links=5).but(radius=0.01),
    },
    "implicit step": {"integrator": "rk4"},
    "against its stop": {"robot": sp.robots.ma2001(links=5).but(joint_limit=0.2)},
    "limp": {"robot": LIMP},
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_has_no_derivative_is_refused_in_words(words: str) -> None:
    with pytest.raises(InputError, match=words):
        sp.gradient(creeping(**REFUSED[words]), of="com_distance", over="robot.link_mass")


@pytest.mark.parametrize(
    ("of", "over", "words"),
    [
        ("torque_max", "robot.link_mass", "greatest value"),
        ("com_distanze", "robot.link_mass", "com_distance"),
        ("com_dx", "robot.links", "can change a little"),
        ("com_dx", "robot.name", "can change a little"),
        ("com_dx", "run.step", "no parameter"),
        ("com_dx", "world.friction.acros", "across"),
        ("com_dx", "world.friction.backward", "follows along"),
        ("com_dx", ["robot.link_mass", "robot.link_mass"], "given twice"),
        ("com_dx", [], "a name or a list"),
    ],
)
def test_wrong_questions_are_refused_in_words(run, of, over, words: str) -> None:
    with pytest.raises(InputError, match=words):
        sp.gradient(run, of=of, over=over)


def test_a_gait_of_ones_own_has_derivatives_by_all_but_its_numbers() -> None:
    gait = sp.gaits.CustomGait(function=own_angle, parameters=[0.3, 5.0, 0.7])
    run = creeping(gait=gait)
    assert np.isfinite(
        sp.gradient(run, of="com_dx", over="world.friction.across", allow=("cases",))["world.friction.across"]
    )
    with pytest.raises(InputError, match="gait of one's own"):
        sp.gradient(run, of="com_dx", over="gait.parameters", allow=("cases",))


def test_a_run_that_was_stopped_is_refused() -> None:
    with pytest.raises(InputError, match="came to its end"):
        sp.gradient(creeping(until=0.2), of="com_dx", over="robot.link_mass")
