"""Environments: Gymnasium's own check, one robot among many is the same robot, seeds, rewards, refusals, mazes that can be solved."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from serpenoid.core.errors import InputError
from serpenoid.envs import IDS, TASKS, SnakeEnv, SnakeVectorEnv
from serpenoid.envs.maze import Ways, bars, tree_of, way_to
from serpenoid.envs.plane import CreepTask, TargetTask
from serpenoid.envs.space import PegsTask


@pytest.mark.parametrize("name", list(IDS))
def test_gymnasium_accepts_it(name: str) -> None:
    env = gymnasium.make(IDS[name])
    check_env(env.unwrapped, skip_render_check=True)
    assert env.spec is not None and env.spec.max_episode_steps == TASKS[name].HORIZON
    assert gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()) == env.spec


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", list(IDS))
def test_a_robot_among_many_is_the_robot_alone(name: str, threads: int) -> None:
    """Same seeds and actions, over several episodes: equal bit for bit, at any number of threads."""
    count, most, rng = 4, 5, np.random.default_rng(8)
    many: Any = gymnasium.make_vec(IDS[name], num_envs=count, threads=threads, max_episode_steps=most)
    alone = [gymnasium.make(IDS[name], max_episode_steps=most) for _ in range(count)]
    observation, _ = many.reset(seed=21)
    assert np.array_equal(observation, [env.reset(seed=21 + k)[0] for k, env in enumerate(alone)])
    over, resets = np.zeros(count, dtype=bool), 0
    for _ in range(2 * most + 3):
        actions = rng.uniform(-1.2, 1.2, (count, *many.single_action_space.shape))
        observation, reward, ended, late, notes = many.step(actions)
        for k, env in enumerate(alone):
            if over[k]:
                expected: tuple[Any, ...] = env.reset()[0], 0.0, False, False
                resets += 1
            else:
                *expected, info = env.step(actions[k])
                assert all(info[key] == notes[key][k] for key in ("progress", "work", "reached", "diverged"))
            assert np.array_equal(observation[k], expected[0])
            assert (reward[k], ended[k], late[k]) == tuple(expected[1:])
            assert notes["_progress"][k] != over[k]
        over = ended | late
    assert resets == 2 * count
    many.close()


def same_notes(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Whether two tables of what is known of robots are the same, masks, last observations and tables in them too."""
    if set(ours) != set(theirs):
        return False
    for key, value in theirs.items():
        if isinstance(value, dict):
            good = same_notes(ours[key], value)
        elif value.dtype == object:
            good = all(
                (a is None) == (b is None) and np.array_equal(a, b) for a, b in zip(ours[key], value, strict=True)
            )
        else:
            good = ours[key].dtype == value.dtype and np.array_equal(ours[key], value)
        if not good:
            return False
    return True


@pytest.mark.parametrize("name", list(IDS))
def test_episodes_begin_in_the_same_step_as_gymnasiums_do(name: str) -> None:
    """Gymnasium's own SyncVectorEnv with SAME_STEP: the same at every step, bit for bit, through ends by time and by reaching the goal."""
    count, most, mode = 3, 4, AutoresetMode.SAME_STEP
    near = {"nearest": 0.05, "farthest": 0.3} if name == "Target" else {}
    many: Any = gymnasium.make_vec(IDS[name], num_envs=count, max_episode_steps=most, autoreset_mode=mode, **near)
    theirs = SyncVectorEnv(
        [lambda: gymnasium.make(IDS[name], max_episode_steps=most, **near)] * count, autoreset_mode=mode
    )
    assert many.metadata["autoreset_mode"] is mode is theirs.metadata["autoreset_mode"]
    assert np.array_equal(many.reset(seed=5)[0], theirs.reset(seed=5)[0])
    rng, begun = np.random.default_rng(2), 0
    for _ in range(2 * most + 3):
        actions = rng.uniform(-1.0, 1.0, (count, *many.single_action_space.shape)).astype(np.float32)
        ours, wanted = many.step(actions), theirs.step(actions)
        for mine, other in zip(ours[:4], wanted[:4], strict=True):
            assert mine.dtype == other.dtype and np.array_equal(mine, other)
        assert same_notes(ours[4], wanted[4])
        begun += int((ours[2] | ours[3]).sum())
    assert begun >= 2 * count and (name != "Target" or begun > 2 * count)
    many.close(), theirs.close()


def test_episodes_begin_anew_in_known_ways_only() -> None:
    assert SnakeVectorEnv(CreepTask, 2, autoreset_mode="SameStep").metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert SnakeVectorEnv(CreepTask, 2).metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    for wrong in (AutoresetMode.DISABLED, "same", None, 1):
        with pytest.raises(InputError, match="autoreset_mode must be one of"):
            SnakeVectorEnv(CreepTask, 2, autoreset_mode=wrong)


def test_seeds_decide_everything() -> None:
    def told(seed: int | None, env: Any) -> Any:
        return env.reset(seed=seed)[0]

    one, other = gymnasium.make(IDS["Target"]), gymnasium.make(IDS["Target"])
    assert np.array_equal(told(5, one), told(5, other)) and not np.array_equal(told(5, one), told(6, other))
    assert not np.array_equal(told(5, one), told(None, one))  # the generator goes on
    many: Any = SnakeVectorEnv(TargetTask, 3)
    mixed, _ = many.reset(seed=[5, None, 6])
    assert np.array_equal(mixed[0], told(5, one)) and np.array_equal(mixed[2], told(6, one))
    again, _ = many.reset(seed=[5, None, None])
    assert np.array_equal(again[0], mixed[0]) and not np.array_equal(again[2], mixed[2])


def test_reward_is_progress_less_work() -> None:
    env = SnakeEnv(CreepTask, effort=0.5, haste=0.01)
    env.reset(seed=2)
    first, rng = env._episodes.fleet.sensed.com[0, 0], np.random.default_rng(0)
    total, work = 0.0, 0.0
    for _ in range(5):
        _, reward, _, _, notes = env.step(rng.uniform(-1, 1, 9))
        total, work = total + reward, work + notes["work"]
    sim = env._episodes.fleet.sims[0]
    assert work == pytest.approx(sim._engine.totals()["positive_work"], rel=1e-12) and work > 0.1
    assert total == pytest.approx(sim.state.com[0] - first - 0.5 * work / (2.0 * 9.81) - 0.05, abs=1e-12)


def test_a_target_that_is_reached_ends_the_episode() -> None:
    env = SnakeEnv(TargetTask, nearest=0.01, farthest=0.02)
    env.reset(seed=1)
    _, reward, ended, late, notes = env.step(np.zeros(9))
    assert ended and not late and notes["reached"] == 1.0 and reward > 0.9
    with pytest.raises(InputError, match="over"):
        env.step(np.zeros(9))


@pytest.mark.parametrize("name", list(TASKS))
def test_layout_says_what_is_observed(name: str) -> None:
    env = SnakeEnv(TASKS[name])
    observation, _ = env.reset(seed=4)
    state = env._episodes.fleet.sims[0].state
    m = len(env.task.robot.axes)
    assert observation.shape == (sum(size for _, size in env.task.layout),)
    assert np.array_equal(observation[:m], state.joint_angles)
    heading = [np.cos(state.heading), np.sin(state.heading)]
    begin = 0
    for text, size in env.task.layout:
        if text.startswith("heading"):
            assert np.allclose(observation[begin : begin + size], heading, rtol=0.0, atol=1e-14)
        if text.startswith("place of the target"):
            way = env._episodes.goals[0] - state.com[:2]
            c, s = heading
            there = [c * way[0] + s * way[1], c * way[1] - s * way[0]]
            assert np.allclose(observation[begin : begin + size], there, rtol=0.0, atol=1e-14)
        begin += size


@pytest.mark.parametrize("count", [2, 3, 6])
def test_mazes_can_be_solved(count: int) -> None:
    """Every square is entered, and the way crosses no wall."""
    rng = np.random.default_rng(count)
    for _ in range(20):
        first = (0, int(rng.integers(count)))
        parent = tree_of(count, first, rng)
        assert len(parent) == count**2
        walls = bars(count, parent, first)
        assert len(walls) == 2 * count * (count + 1) - (count**2 - 1) - 1
        middles = {((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in walls}
        for place in parent:
            way = way_to(parent, place)
            assert way[0] == first
            for p, q in zip(way[:-1], way[1:], strict=True):
                assert abs(p[0] - q[0]) + abs(p[1] - q[1]) == 1
                assert ((p[0] + q[0] + 1) / 2, (p[1] + q[1] + 1) / 2) not in middles


def test_arc_length_along_a_way() -> None:
    way = Ways(np.array([[0.0, 0.0, 2.0, 0.0, 2.0, 1.0, 2.0, 1.0]]))
    places = np.array([[0.7, 0.3], [2.5, 0.4], [9.0, 9.0], [-1.0, 0.2]])
    assert [float(way.along(p[None])[0]) for p in places] == [0.7, 2.4, 3.0, 0.0]
    assert np.array_equal(way.place(np.array([2.25])), [[2.0, 0.25]]) and way.total[0] == 3.0


def test_posts_leave_the_body_free_and_can_be_left_out() -> None:
    task = PegsTask()
    for seed in range(20):
        draw = task.draw(np.random.default_rng(seed))
        for post in draw.world.obstacles:
            x = np.clip(post.centre[0], 0.0, 1.0)
            assert np.hypot(post.centre[0] - x, post.centre[1]) > post.radius + 0.025
    assert PegsTask(pegs=0.0).draw(np.random.default_rng(0)).world.obstacles == ()


def test_pictures_show_the_robot() -> None:
    for name in ("Creep", "Target", "Sidewind", "Maze"):
        env = SnakeEnv(TASKS[name], render_mode="rgb_array")
        env.reset(seed=3)
        env.step(np.zeros(env.action_space.shape))
        picture = env.render()
        assert picture is not None and picture.shape == (480, 640, 3) and picture.dtype == np.uint8
        green = picture[..., 1].astype(int) - picture[..., 0] > 40
        assert green.sum() > 300, name


def test_refusals() -> None:
    env, many = SnakeEnv(CreepTask), SnakeVectorEnv(CreepTask, 2)
    with pytest.raises(InputError, match="call reset"):
        env.step(np.zeros(9))
    with pytest.raises(InputError, match="call reset"):
        many.step(np.zeros((2, 9)))
    env.reset(seed=0), many.reset(seed=0)
    for wrong, say in ((np.zeros(8), "shape"), (np.full(9, np.nan), "finite"), (np.full(9, np.inf), "finite"), ("up", "numbers"), (None, "numbers|shape|finite")):  # fmt: skip
        with pytest.raises(InputError, match=say):
            env.step(wrong)
    for wrong, say in ((np.zeros((3, 9)), "shape"), (np.full((2, 9), np.nan), "finite")):
        with pytest.raises(InputError, match=say):
            many.step(wrong)
    for given, say in (
        ({"links": 1}, "links"), ({"lnks": 3}, "lnks"), ({"period": 0.0123}, "whole steps"), ({"step": -1.0}, "step"),
        ({"render_mode": "human"}, "render_mode"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=say):
            SnakeEnv(CreepTask, **given)
    for given, say in (({"num_envs": 0}, "robots"), ({"max_episode_steps": 0}, "max_episode_steps"), ({"threads": 0}, "threads")):  # fmt: skip
        with pytest.raises(InputError, match=say):
            SnakeVectorEnv(CreepTask, **{"num_envs": 2, **given}).reset()
    with pytest.raises(InputError, match="seed"):
        env.reset(seed=-1)
    with pytest.raises(InputError, match="one per robot"):
        many.reset(seed=[1, 2, 3])
    with pytest.raises(InputError, match="no options"):
        env.reset(options={"target": 1})
    with pytest.raises(InputError, match="task must be one of"):
        SnakeEnv("Crawl")
    with pytest.raises(InputError, match="farthest"):
        TargetTask(nearest=2.0, farthest=1.0)
