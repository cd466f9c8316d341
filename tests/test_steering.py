"""Heading control by steering the gait: in the plane, in space and in MuJoCo, on a ground that pulls the robot aside."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid import peers
from serpenoid.control import Servo, Steering, SteeringController
from serpenoid.core import Ground

NEAR = 0.05  # rad: of the mean heading over a cycle from the commanded one
OFF = np.radians(60.0)
LINKS = 16
ROBOT = sp.robots.ma2001(links=LINKS)
GAIT = sp.gaits.Serpenoid(winding_angle=0.7, waves=2, speed=0.8)
PULL = tuple(
    np.linspace(-0.15, 0.15, LINKS).tolist()
)  # rad: edges turned more and more along the body make it turn left
PLANE = sp.World(edge_angle=PULL)
SPACE = sp.World(edge_angle=PULL, ground=Ground("point", 2e4, 200.0))
SERVO = ROBOT.but(servo=Servo(20.0, 0.3))


def mean_heading(run: sp.Trajectory) -> float:
    """Mean of the heading over the last cycle, from the recorded frames."""
    last = run["time"] > run.duration - float(GAIT.period(ROBOT) or 0.0)
    return float(run["heading"][last].mean())


def test_the_ground_pulls_the_robot_aside() -> None:
    for world in (PLANE, SPACE):
        run = sp.simulate(ROBOT, GAIT, world, duration=10.0)
        assert abs(run["heading"][-1]) > 1.0


@pytest.mark.parametrize(("robot", "world"), [(ROBOT, PLANE), (SERVO, PLANE), (ROBOT, SPACE), (SERVO, SPACE)])
@pytest.mark.parametrize("heading", [OFF, -OFF])
def test_steering_brings_the_heading_back_from_sixty_degrees_off(
    robot: sp.Robot, world: sp.World, heading: float
) -> None:
    run = sp.simulate(robot, Steering(GAIT, heading), world, duration=30.0)
    assert run.status.ok and abs(mean_heading(run) - heading) < NEAR
    report = run.provenance["plan"]
    assert report["heading_mean"] == pytest.approx(mean_heading(run), abs=0.2 * NEAR)
    assert report["bend_max"] <= 1.0 and abs(report["bend"]) > 0.1 and json.dumps(report)
    # it gets there by itself and goes on that way
    way = run["com"][-1] - run["com"][len(run["time"]) // 2]
    assert np.hypot(*way[:2]) > 1.0


def test_proportional_action_alone_leaves_an_error() -> None:
    run = sp.simulate(ROBOT, Steering(GAIT, OFF, gain=1.0, integral_time=0.0), PLANE, duration=30.0)
    assert abs(mean_heading(run) - OFF) > 2.0 * NEAR


@pytest.mark.skipif(
    importlib.util.find_spec("mujoco") is None or not hasattr(peers, "engine_class"), reason="needs MuJoCo as an engine"
)
def test_the_same_controller_in_mujoco() -> None:
    run = sp.simulate(SERVO, Steering(GAIT, OFF), SPACE, duration=20.0, engine="mujoco")
    assert run.status.ok and abs(mean_heading(run) - OFF) < NEAR


def test_a_steered_run_resumes_bit_for_bit() -> None:
    whole, first, second = (sp.Simulation(ROBOT, PLANE, Steering(GAIT, OFF)) for _ in range(3))
    whole.advance(4.0)
    first.advance(2.345)
    second.restore(first.memory()).advance(4.0 - 2.345)
    assert np.array_equal(whole.state.nodes, second.state.nodes)
    assert whole.finish().provenance["plan"] == second.finish().provenance["plan"]


def test_steering_is_a_scenario() -> None:
    steering = Steering(GAIT, OFF, gain=1.5)
    keys = sp.simulate(ROBOT, steering, PLANE, duration=0.1).scenario
    assert keys["controller"]["kind"] == "steering" and keys["controller"]["gait"]["kind"] == "serpenoid"
    assert json.dumps(keys["controller"]) and keys["controller"]["heading"] == OFF


def test_the_heading_may_change_on_the_way() -> None:
    controller = SteeringController(ROBOT, Steering(GAIT, 0.3))
    sim = sp.Simulation(ROBOT, PLANE, controller)
    sim.advance(12.0)
    controller.wanted = -0.3
    sim.advance(12.0)
    assert abs(sim.finish().provenance["plan"]["heading_mean"] + 0.3) < NEAR


REFUSED: dict[str, Any] = {
    "gait": lambda: Steering(0.3),
    "limit": lambda: Steering(GAIT, limit=0.0),
    "period": lambda: Steering(GAIT, period=-0.1),
    "heading": lambda: Steering(GAIT, np.nan),
    "has none": lambda: SteeringController(sp.robots.rods(6, 1.0, 1.0, joints="pitch"), Steering(GAIT)),
}


@pytest.mark.parametrize("words", list(REFUSED))
def test_refused(words: str) -> None:
    with pytest.raises(sp.SerpenoidError, match=words):
        REFUSED[words]()
