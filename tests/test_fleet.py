"""A fleet of simulations goes on as each of them would by itself, bit for bit, at any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.core.obstacles import Disc, SelfContact
from serpenoid.core.terrain import Ground
from serpenoid.simulation.fleet import Fleet
from serpenoid.simulation.simulation import Simulation

SERVO = Servo(stiffness=20.0, damping=0.5, torque_limit=1.5, speed_limit=6.0)
FLAT = sp.robots.rods(links=6, length=0.7, mass=1.3, radius=0.02, servo=SERVO)
IDEAL = sp.robots.rods(links=5, length=0.6, mass=1.1)
BENT = sp.robots.alternating(links=5, length=0.6, mass=1.2, radius=0.02, servo=SERVO)
GRASS = sp.World(sp.contact.Coulomb(0.1, 0.5, smoothing=1e-3))
FIELD = sp.World(sp.contact.Coulomb(0.3, 0.3), ground=Ground(), obstacles=(Disc((0.3, 0.06), 0.03),))
CASES = {"servos": (FLAT, GRASS, 5e-3), "ideal joints": (IDEAL, GRASS, 5e-3), "space": (BENT, FIELD, 2.5e-3)}
ROUNDING = 1e-14  # m, m/s: summed and turned in another order than in `State`


def made(case: str, count: int) -> list[Simulation]:
    robot, world, step = CASES[case]
    return [sp.Simulation(robot, world, step=step, record_interval=0.01) for _ in range(count)]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("case", list(CASES))
def test_fleet_is_each_simulation_by_itself(case: str, threads: int) -> None:
    """Angles at uneven times, longer than the record's first room, one robot replaced on the way, some not moving."""
    count, rng = 5, np.random.default_rng(3)
    fleet, alone = Fleet(made(case, count), threads), made(case, count)
    m = len(CASES[case][0].axes)
    for k in range(24):
        angles, duration = rng.uniform(-0.6, 0.6, (count, m)), float(rng.uniform(0.03, 0.11))
        moving = rng.random(count) < 0.8
        if k == 9:
            fleet.reset([2], made(case, 1))
            alone[2] = made(case, 1)[0]
        assert fleet.advance(duration, angles, moving).all()
        for sim, row in ((sim, row) for sim, row, go in zip(alone, angles, moving, strict=True) if go):
            assert sim.advance(duration, angles=row)
    for sim, other, k in zip(fleet.sims, alone, range(count), strict=True):
        for name, array in other._engine.arrays().items():
            assert np.array_equal(array, sim._engine.arrays()[name], equal_nan=True), name
        state, sensed = other.state, fleet.sensed
        for mine, theirs in (("com", "com"), ("angles", "joint_angles"), ("rates", "joint_rates"), ("torques", "joint_torques")):  # fmt: skip
            assert np.array_equal(getattr(sensed, mine)[k], getattr(state, theirs)), mine
        assert np.abs(sensed.velocity[k] - state.com_velocity).max() < ROUNDING
        assert np.abs(sensed.tip[k] - state.nodes[-1]).max() < ROUNDING
        assert np.abs(sensed.way[k] - [np.cos(state.heading), np.sin(state.heading)]).max() < ROUNDING
        side = (state.link_frames[:, :, 1] * state.wall_forces).sum(axis=1)
        assert np.abs(sensed.walls[k] - side).max() <= 1e-12 * (1.0 + np.abs(side).max())
        assert sensed.time[k] == state.time and sensed.work[k] == sim._engine.totals()["positive_work"]
        run, same = sim.finish(), other.finish()
        assert len(run["time"]) == len(same["time"]) > 64 and np.array_equal(run["com"], same["com"])
    fleet.close()


def test_a_state_taken_from_a_member_stays_and_a_member_goes_on_alone() -> None:
    sims = made("servos", 2)
    fleet, angles = Fleet(sims, 1), np.full((2, 5), 0.3)
    fleet.advance(0.1, angles)
    before, com = sims[0].state, sims[0].state.com.copy()
    branch = sims[0].branch()
    fleet.advance(0.1, -angles)
    assert np.array_equal(before.com, com)
    branch.advance(0.1, angles=-angles[0])
    assert np.array_equal(branch.state.com, sims[0].state.com) and not np.array_equal(com, sims[0].state.com)


def test_walls_press_in_space() -> None:
    """The sideways force is that of the post on the left, so it pushes to the right."""
    fleet = Fleet(made("space", 1), 1)
    bent = np.zeros((1, 4))
    bent[0, ::2] = -0.6  # yaw to the right: the middle of the body goes to the left, against the post
    felt = [fleet.advance(0.05, bent).all() and fleet.sensed.walls.min() for _ in range(20)]
    assert min(felt) < -0.01


def test_refusals() -> None:
    with pytest.raises(InputError, match="at least one"):
        Fleet([])
    with pytest.raises(InputError, match="threads must be"):
        Fleet(made("servos", 1), 0)
    fleet = Fleet(made("servos", 2), 1)
    for wrong in (np.zeros((2, 4)), np.zeros(5), np.full((2, 5), np.nan)):
        with pytest.raises(InputError, match="2 rows of 5 finite"):
            fleet.advance(0.1, wrong)
    with pytest.raises(InputError, match="at least a step"):
        fleet.advance(1e-4, np.zeros((2, 5)))
    with pytest.raises(InputError, match="one engine"):
        fleet.put(0, made("space", 1)[0])
    with pytest.raises(InputError, match="same robot"):
        fleet.put(0, made("ideal joints", 1)[0])
    tangled = sp.Simulation(FLAT, sp.World(self_contact=SelfContact()), step=5e-3)
    with pytest.raises(InputError, match="self_contact"):
        Fleet([tangled], 1)
