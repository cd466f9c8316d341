"""Training of policies by evolution: CMA-ES on the returns of many robots at once; NumPy is all that a policy needs.

    waves = best_wave("Creep")                       # the best of the hand-made waves, by a scan
    found = train("Creep", JointPolicy, joints_of_wave(task, waves), seed=1)

Every generation all candidates act in one vector environment, each in the same few episodes, whose seeds change from generation to generation.
What is returned is the mean of the search distribution at the end.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.door import FiniteNumbers, door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Choice, Number, Whole, shown
from serpenoid.core.theirs import theirs
from serpenoid.envs import IDS, TASKS
from serpenoid.envs.policies import WavePolicy, joint_size, wave_size
from serpenoid.envs.protocol import rollout
from serpenoid.envs.task import Task
from serpenoid.simulation.budget import MOST_THREADS

EPISODES, THREADS = Whole("tried", low=1, high=100_000), Whole(low=1, high=MOST_THREADS)
NAME = Choice("of an environment", options=tuple(IDS))
FIRST_SEED = 10_000  # of training; those of the protocol begin at 1,000,000
SIGMA = 0.1  # first width of the search, in units of `scale`
PITCH_WAVES = {"size": (0.2, 0.4), "offset": (-0.5 * np.pi, 0.0, 0.5 * np.pi, np.pi)}


def waves_by_hand(task: Task) -> FloatArray:
    """The waves that a person would try: amplitudes, frequencies, phases and gains of `WavePolicy`, (waves, parameters)."""
    space = any(kind == "pitch" for _, kind in task.robot.axes)
    steered = type(task).target is not Task.target  # tasks with a place to go to
    rates, gains = (3.0, 6.0, 9.0, 12.0, 15.0), (0.15, 0.3) if steered else (0.0, 0.3)
    some: Any
    if space:
        some = itertools.product((0.3, 0.5, 0.8), rates[:4], (-0.6, -0.3, 0.3, 0.6), (0.0,), PITCH_WAVES["size"], PITCH_WAVES["offset"])  # fmt: skip
    else:
        some = itertools.product((0.3, 0.5, 0.7, 0.9), rates, (0.4, 0.7, 1.0, 1.3), gains)
    return np.array(list(some))


def returns_of(
    name: str, policy: Callable[..., Any], candidates: FloatArray, episodes: int, seed: int, threads: int | None = None,
    most: int | None = None, **parameters: Any,
) -> FloatArray:  # fmt: skip
    """Mean returns of candidates (k, parameters), each in the same episodes, (k,)."""
    count = len(candidates)
    env: Any = gymnasium.make_vec(IDS[name], num_envs=count * episodes, threads=threads, **parameters)
    try:
        with theirs(f"the policy of {name}", policy):
            acting = policy(env.unwrapped.task, np.repeat(candidates, episodes, axis=0))
        seeds = Seeds(env, [seed + k for _ in range(count) for k in range(episodes)])
        returns: FloatArray = rollout(seeds, acting, seed, most)["return"]
    finally:
        env.close()
    return returns.reshape(count, episodes).mean(axis=1)


class Seeds:
    """A vector environment whose robots begin with given seeds."""

    def __init__(self, env: Any, seeds: list[int]) -> None:
        self.env, self.seeds = env, seeds
        self.num_envs, self.action_space, self.unwrapped = env.num_envs, env.action_space, env.unwrapped
        self.step = env.step

    def reset(self, seed: int) -> Any:
        """Begin with the seeds."""
        return self.env.reset(seed=self.seeds)


@door(name=NAME, episodes=EPISODES, threads=THREADS, most=EPISODES)
def best_wave(name: str, episodes: int = 4, threads: int | None = None, most: int | None = None, **parameters: Any) -> tuple[FloatArray, float]:  # fmt: skip
    """The best of the waves by hand, and its mean return in training episodes."""
    waves = waves_by_hand(TASKS[name](**parameters))
    returns = returns_of(name, WavePolicy, waves, episodes, FIRST_SEED, threads, most, **parameters)
    best = int(np.argmax(returns))
    return waves[best], float(returns[best])


@door(
    name=NAME,
    first=FiniteNumbers(dims=(1,)),
    generations=Whole(low=0, high=1_000_000),
    population=Whole(low=2, high=100_000),
    episodes=EPISODES,
    seed=Whole(low=0, high=1e6),
    sigma=Number(above=0.0, high=1e6),
    threads=THREADS,
    most=EPISODES,
)
def train(
    name: str, policy: Callable[..., Any], first: FloatArray, *, scale: FloatArray | None = None, generations: int = 40, population: int = 24,
    episodes: int = 4, seed: int = 0, sigma: float = SIGMA, threads: int | None = None, most: int | None = None, tell: Callable[[int, float], None] | None = None,
    **parameters: Any,
) -> FloatArray:  # fmt: skip
    """Parameters that CMA-ES comes to from `first`; `scale` (as `first`, > 0) says how much is a small change of each."""
    import cma

    unit = np.ones(len(first)) if scale is None else np.asarray(scale, dtype=float)
    if unit.shape != np.shape(first) or not (unit > 0.0).all():
        raise InputError(f"scale must be {len(first)} numbers > 0, as many as first has, got {shown(scale)}")
    search = cma.CMAEvolutionStrategy(
        np.asarray(first) / unit, sigma, {"popsize": population, "seed": seed + 1, "verbose": -9, "CMA_diagonal": 0}
    )
    for k in range(generations):
        asked = search.ask()
        begin = FIRST_SEED + 1000 * (seed + 1) + episodes * k
        returns = returns_of(name, policy, np.array(asked) * unit, episodes, begin, threads, most, **parameters)
        search.tell(asked, (-returns).tolist())
        if tell is not None:
            with theirs("tell", tell):
                tell(k, float(returns.mean()))
    return np.asarray(search.mean) * unit


@door
def wave_scale(task: Task) -> FloatArray:
    """Small changes of the parameters of `WavePolicy`: of the frequency ten times as large a number as of the others."""
    return np.where(np.arange(wave_size(task)) == 1, 10.0, 1.0)


@door
def joint_scale(task: Task) -> FloatArray:
    """The same for `JointPolicy`."""
    return np.where(np.arange(joint_size(task)) == 0, 10.0, 1.0)
