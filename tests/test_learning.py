"""Policies, training, baselines and scores: the protocol is fixed, a wave per joint contains the wave, training improves, entries are refused clearly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from serpenoid.core.errors import InputError
from serpenoid.envs import IDS, TASKS
from serpenoid.envs.baselines import NAMES, baseline, parameters
from serpenoid.envs.policies import (
    CPGPolicy,
    JointPolicy,
    RandomPolicy,
    WavePolicy,
    joint_size,
    joints_of_wave,
    split_joints,
    steer_of,
    wave_size,
)
from serpenoid.envs.protocol import EPISODES, FIRST_SEED, rollout, score
from serpenoid.envs.score import main
from serpenoid.envs.training import FIRST_SEED as TRAINED
from serpenoid.envs.training import joint_scale, returns_of, train

WAVE = [0.5, 9.0, 0.7, 0.2]


@pytest.mark.parametrize("name", list(TASKS))
def test_a_wave_per_joint_contains_the_wave(name: str) -> None:
    task, rng = TASKS[name](), np.random.default_rng(4)
    wave = rng.uniform(0.2, 0.9, wave_size(task))
    observation = rng.normal(size=(3, sum(size for _, size in task.layout)))
    time = np.array([0.0, 0.2, 3.3])
    one, other = WavePolicy(task, wave), JointPolicy(task, joints_of_wave(task, wave))
    assert np.allclose(one.act(observation, time), other.act(observation, time), rtol=0.0, atol=1e-12)
    assert np.all(one.act(observation, time)[0] == 0.0) and np.ptp(one.act(observation, time)[2]) > 0.1


def test_oscillators_come_to_the_wave() -> None:
    """After their transients the oscillators do the wave, at a phase of their own."""
    for name in ("Creep", "Sidewind"):
        task: Any = TASKS[name]()
        wave = np.array(parameters()[name]["hand"])
        cpg, still = CPGPolicy(task, wave), np.zeros((1, sum(size for _, size in task.layout)))
        rows = np.array([cpg.act(still, np.array([0.05 * k]))[0] for k in range(200)])[100:]
        time = 0.05 * np.arange(100)
        terms = np.stack([np.sin(wave[1] * time), np.cos(wave[1] * time)], axis=1)
        (sine, cosine), *_ = np.linalg.lstsq(terms, rows, rcond=None)
        assert np.abs(terms @ np.stack([sine, cosine]) - rows).max() < 1e-3
        _, s, c, _, _ = split_joints(joints_of_wave(task, wave))
        turn = (sine + 1j * cosine) / (s + 1j * c)
        assert np.abs(turn - turn[0]).max() < 1e-3 and abs(abs(turn[0]) - 1.0) < 1e-3


def test_steering_turns_towards_the_goal() -> None:
    """A robot that looks to the left of x turns right; a target to the left turns it left, one behind it turns it fully."""
    creep, target = TASKS["Creep"](), TASKS["Target"]()
    for left in (0.3, -0.3):
        row = np.zeros((1, sum(size for _, size in creep.layout)))
        row[0, -2:] = np.cos(left), np.sin(left)
        assert steer_of(creep, row)[0] == pytest.approx(-np.sin(left))
        row = np.zeros((1, sum(size for _, size in target.layout)))
        row[0, -2:] = 1.0, left
        assert steer_of(target, row)[0] == pytest.approx(left / np.hypot(1.0, left))
        row[0, -2] = -1.0
        assert steer_of(target, row)[0] == np.sign(left)


def test_the_wave_creeps_and_posts_are_what_pushes() -> None:
    """Creeping needs friction that differs along and across; among posts on equal friction the posts are needed."""
    far = score("Creep", lambda task: WavePolicy(task, WAVE), 2, max_episode_steps=60)["progress_lengths"]
    none = score("Creep", lambda task: WavePolicy(task, WAVE), 2, max_episode_steps=60, along=0.3, across=0.3)
    assert far > 1.0 and abs(none["progress_lengths"]) < 0.2 * far
    hand = parameters()["Pegs"]["learned"]
    pegs, bare = (
        score("Pegs", lambda task: JointPolicy(task, hand), 4, pegs=p)["progress_lengths"] for p in (1.0, 0.0)
    )
    assert pegs > 0.5 and bare < 0.1


def test_training_improves_and_is_the_same_again() -> None:
    task: Any = TASKS["Creep"](links=5)
    first = joints_of_wave(task, [0.3, 6.0, 1.3, 0.0])
    given = {"generations": 5, "population": 10, "episodes": 1, "most": 40, "links": 5, "scale": joint_scale(task)}
    found = [train("Creep", JointPolicy, first, seed=3, threads=threads, **given) for threads in (1, 2)]
    assert np.array_equal(*found)
    before, after = returns_of("Creep", JointPolicy, np.array([first, found[0]]), 2, TRAINED, most=40, links=5)
    assert after > before + 0.1


def test_candidates_meet_the_same_episodes() -> None:
    twice = returns_of("Target", WavePolicy, np.array([WAVE, WAVE]), 2, 77, most=15)
    assert twice[0] == twice[1] != returns_of("Target", WavePolicy, np.array([WAVE]), 2, 78, most=15)[0]


def test_rollout_counts_the_first_episode_only() -> None:
    """Targets so near that they are reached at once: one action, and what comes after the reset does not count."""
    env: Any = gymnasium.make_vec(IDS["Target"], num_envs=3, nearest=0.01, farthest=0.02)
    made = rollout(env, RandomPolicy(env.unwrapped.task), 5)
    assert np.array_equal(made["actions"], [1, 1, 1]) and np.array_equal(made["reached"], [1, 1, 1])
    env.close()


def test_the_protocol_is_fixed() -> None:
    assert (EPISODES, FIRST_SEED) == (64, 1_000_000) and TRAINED + 100_000 < FIRST_SEED
    one, other = (score("Creep", baseline("hand", "Creep"), 3, threads, max_episode_steps=20) for threads in (1, 2))
    assert one == other and one["first_seed"] == FIRST_SEED and len(one["returns"]) == 3


@pytest.mark.parametrize("env", list(IDS))
def test_baselines_are_there_and_the_learned_one_is_no_worse(env: str) -> None:
    """Full scores are in docs/learning.md; here two episodes, random actions far behind."""
    task = TASKS[env]()
    assert len(parameters()[env]["learned"]) == joint_size(task) and len(parameters()[env]["hand"]) == wave_size(task)
    short = {"max_episode_steps": 150}
    scores = {name: score(env, baseline(name, env), 2, **short)["score"] for name in NAMES}
    assert scores["learned"] > scores["random"] + 0.2


def test_an_entry_of_ones_own_is_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import numpy as np\n\nclass Policy:\n    def __init__(self, task):\n        self.dofs = len(task.robot.axes)\n\n"
        "    def act(self, observation, time):\n        return 0.5 * np.sin(9.0 * time[:, None] + 0.7 * np.arange(self.dofs))\n"
    )
    assert main([f"{file}:Policy", "--env", "Creep", "--episodes", "2", "--json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)["scores"]
    assert result["score"] > 6.0 and result["environment"] == IDS["Creep"]
    assert main(["random", "--env", "Creep", "--episodes", "2"]) == 0
    assert "serpenoid/Creep-v0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("entry", "say"),
    [
        ("best", "must be FILE.py:CLASS"), ("nowhere.py:Policy", "no file nowhere.py"), ("no_such_module:Policy", "cannot be imported"),
        ("json:Policy", "no class Policy"), ("builtins:type", "has no method act"),
    ],
)  # fmt: skip
def test_entries_are_refused_clearly(entry: str, say: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([entry, "--env", "Creep", "--episodes", "2"]) == 2
    told = capsys.readouterr()
    assert told.out == "" and say in told.err


def test_refusals() -> None:
    task = TASKS["Creep"]()
    with pytest.raises(InputError, match="4 finite numbers"):
        WavePolicy(task, [1.0, 2.0])
    with pytest.raises(InputError, match="finite"):
        JointPolicy(task, np.full(joint_size(task), np.nan))
    with pytest.raises(InputError, match="no baseline"):
        baseline("best", "Creep")
    with pytest.raises(InputError, match="no environment"):
        score("Crawl", RandomPolicy)
