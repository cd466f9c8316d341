"""Contact from joint torques alone: virtual work, checked with forces whose torques come from finite differences of the motion."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control.sensing import Moment, Suspect, felt, suspects
from serpenoid.gaits.concertina import basic_cycle
from serpenoid.gaits.concertina_legs import forward_kinematics

ROBOT = sp.robots.ms1()
L = 0.18
LEGS = {leg.stage: leg for leg in basic_cycle(np.full(7, L))}
WHERE = {1: 0.5, 2: 0.35, 3: 0.5}  # of the leg: no elbow is stretched there
DRIVES = {1: (0, 1, 3, 4, 5), 2: (1, 4), 3: (0, 1, 2, 3)}  # joints with torque, from 0
STILL = np.zeros(7)


def moved(stage: int, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and headings at coordinates q of a stage of the basic pattern."""
    nodes, psi = (x[0].copy() for x in LEGS[stage].at(WHERE[stage]))
    forward_kinematics(LEGS[stage].kind, q, np.full(7, L), nodes, psi)
    return nodes, psi


def coordinates(stage: int) -> np.ndarray:
    nodes, psi = (x[0] for x in LEGS[stage].at(WHERE[stage]))
    return nodes[4].copy() if stage == 2 else psi[{1: [0, 1, 4, 5, 6], 3: [0, 1, 2, 3]}[stage]].copy()


def pushed(stage: int, link: int, at: float, force: float) -> Moment:
    """The robot at rest with a force (N) on a link's side, held by the torques that balance it: by finite differences."""
    q = coordinates(stage)
    nodes, psi = moved(stage, q)
    normal = np.array([-np.sin(psi[link - 1]), np.cos(psi[link - 1])])
    work, turns = np.zeros(len(q)), np.zeros((len(q), 6))
    for j in range(len(q)):
        ends = []
        for e in (-1e-6, 1e-6):
            dq = q.copy()
            dq[j] += e
            n, p = moved(stage, dq)
            ends.append(((1.0 - at) * n[link - 1] + at * n[link], np.diff(p)))
        work[j] = force * normal @ (ends[1][0] - ends[0][0]) / 2e-6
        turns[j] = (ends[1][1] - ends[0][1]) / 2e-6
    drives = list(DRIVES[stage])
    torques = np.zeros(6)
    torques[drives] = np.linalg.lstsq(turns[:, drives], -work, rcond=None)[0]
    assert np.allclose(turns[:, drives] @ torques[drives], -work, atol=1e-6)
    return Moment(nodes, psi, STILL, STILL, torques)


def found(stage: int, link: int, at: float, force: float) -> tuple[Suspect, ...]:
    now = pushed(stage, link, at, force)
    return suspects(ROBOT, stage, now, felt(ROBOT, stage, now, 0.03, 1e-3, 9.81), 1e-3)


@pytest.mark.parametrize(
    ("stage", "link"), [(1, 1), (1, 6), (1, 7), (2, 3), (2, 4), (2, 5), (2, 6), (3, 1), (3, 2), (3, 3)]
)
@pytest.mark.parametrize("force", [12.0, -7.0])
def test_the_touched_link_is_among_the_suspects(stage: int, link: int, force: float) -> None:
    at = 0.62
    mine = [s for s in found(stage, link, at, force) if s.link == link]
    assert len(mine) == 1 and mine[0].misfit < 1e-5
    if mine[0].place is not None:
        assert mine[0].place == pytest.approx(at * L, rel=1e-4) and mine[0].force == pytest.approx(abs(force), rel=1e-4)
    psi = pushed(stage, link, at, force).headings[link - 1]
    assert np.dot(mine[0].direction, (-np.sin(psi), np.cos(psi))) == pytest.approx(np.sign(force))


@pytest.mark.parametrize(("stage", "link"), [(1, 5), (1, 2), (3, 4)])
def test_a_link_that_turns_about_a_pinned_joint_tells_only_the_moment(stage: int, link: int) -> None:
    for at in (0.25, 0.62):
        mine = [s for s in found(stage, link, at, 8.0) if s.link == link]
        lever = (
            at if (stage, link) == (1, 5) else 1.0 - at
        )  # links behind a pinned joint turn about their head-side end
        assert mine[0].place is None and mine[0].force * 0.5 == pytest.approx(8.0 * lever, rel=1e-4)


def test_the_head_is_told_apart_by_three_torques() -> None:
    """Links 5 to 7 give three equations for two unknowns: the head's contact is explained by nothing else."""
    assert [s.link for s in found(1, 7, 0.62, 10.0)] == [7]


def test_stage_2_is_ambiguous() -> None:
    """Two torques, four links: more than one place explains them, and all are listed."""
    assert len(found(2, 4, 0.62, 10.0)) > 1


def test_inertia_and_friction_are_no_contact() -> None:
    """Torques of a moving arm by finite differences of its kinetic energy and by friction's power leave nothing over."""
    w = np.array([0.0, 0.0, 0.0, 0.0, 0.4, -0.3, 0.7])
    nodes, psi = moved(1, coordinates(1))
    now = Moment(nodes, psi, w, STILL, np.zeros(6))
    mu, g, eps = 0.03, 9.81, 1e-3
    left = felt(ROBOT, 1, now, mu, eps, g)
    assert left is not None
    # power of what is left over at constant heading rates = rate of kinetic energy + power lost to the casters
    u = np.stack([np.cos(psi), np.sin(psi)], axis=1)
    n = np.stack([-u[:, 1], u[:, 0]], axis=1)

    def energy(t: float) -> float:
        total, v = 0.0, np.zeros(2)
        for k in (4, 5, 6):
            a = psi[k] + w[k] * t
            c = v + 0.5 * L * w[k] * np.array([-np.sin(a), np.cos(a)])
            total += 0.5 * ROBOT.link_mass[k] * c @ c + 0.5 * ROBOT.link_inertia[k] * w[k] ** 2
            v = v + L * w[k] * np.array([-np.sin(a), np.cos(a)])
        return float(total)

    lost, v = 0.0, np.zeros(2)
    for k in (4, 5, 6):
        c = v + 0.5 * L * w[k] * n[k]
        slide = np.array([c @ u[k], c @ n[k]])
        lost += float(mu * ROBOT.link_mass[k] * g * np.sum(slide**2 / np.sqrt(slide**2 + eps**2)))
        v = v + L * w[k] * n[k]
    rate = (energy(1e-5) - energy(-1e-5)) / 2e-5
    assert left @ w[[0, 1, 4, 5, 6]] == pytest.approx(rate + lost, rel=1e-6)


def test_nothing_is_said_where_an_elbow_is_stretched() -> None:
    nodes, psi = (x[0] for x in LEGS[2].at(1.0))
    now = Moment(nodes, psi, STILL, STILL, np.ones(6))
    assert felt(ROBOT, 2, now, 0.03, 1e-3, 9.81) is None and suspects(ROBOT, 2, now, None, 0.1) == ()
