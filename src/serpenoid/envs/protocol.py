"""The protocol by which entries are scored: 64 episodes with fixed seeds, one per robot, first to end.

A return is the sum of the rewards of an episode. The score is its mean over the episodes; its standard error says how sure it is.
Training must not use the seeds of the protocol: from 1,000,000 on.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.door import AFunction, door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Whole, shown
from serpenoid.core.theirs import theirs
from serpenoid.envs import IDS
from serpenoid.simulation.budget import MOST_THREADS

EPISODES, FIRST_SEED = 64, 1_000_000


@door(seed=Whole(low=0), most=Whole(low=1, high=1e9))
def rollout(env: Any, policy: Any, seed: int, most: int | None = None) -> dict[str, FloatArray]:
    """One episode of every robot of a vector environment: returns, progress (m), work (J), whether it was reached, actions taken."""
    if not all(hasattr(env, name) for name in ("num_envs", "reset", "step", "unwrapped")):
        raise InputError(f"env must be a vector environment of serpenoid, got {shown(env)}")
    if not callable(getattr(policy, "act", None)):
        raise InputError(f"{policy!r} has no method act(observation, time)"[:200])
    count, task = env.num_envs, env.unwrapped.task
    observation, _ = env.reset(seed=seed)
    made = {name: np.zeros(count) for name in ("return", "progress", "work", "reached", "diverged", "actions")}
    going = np.ones(count, dtype=bool)
    while going.any() and (most is None or made["actions"].max() < most):
        with theirs("the policy's act", policy.act):
            actions = np.asarray(policy.act(observation, made["actions"] * task.period), dtype=float)
        if actions.shape != env.action_space.shape:
            raise InputError(f"the policy must give actions of shape {env.action_space.shape}, got {actions.shape}")
        observation, reward, ended, late, notes = env.step(actions)
        made["return"] += np.where(going, reward, 0.0)
        made["actions"] += going
        for name in ("progress", "work"):
            made[name] += np.where(going, notes[name], 0.0)
        for name in ("reached", "diverged"):
            made[name] = np.where(going, notes[name], made[name])
        going &= ~(ended | late)
    return made


@door(make=AFunction(), episodes=Whole(low=1, high=100_000), threads=Whole(low=1, high=MOST_THREADS))
def score(
    task: str, make: Any, episodes: int = EPISODES, threads: int | None = None, **parameters: Any
) -> dict[str, Any]:
    """Score a policy, `make(task)`, by the protocol; `parameters` change the environment, and are reported."""
    if task not in IDS:
        raise InputError(f"no environment {task!r}; allowed are {', '.join(IDS)}")
    env: Any = gymnasium.make_vec(IDS[task], num_envs=episodes, threads=threads, **parameters)
    try:
        with theirs("what makes the policy", make):
            policy = make(env.unwrapped.task)
        made = rollout(env, policy, FIRST_SEED)
        length = env.unwrapped.task.length
    finally:
        env.close()
    returns = made["return"]
    return {
        "environment": IDS[task], "episodes": episodes, "first_seed": FIRST_SEED, "parameters": parameters,
        "score": float(returns.mean()), "standard_error": float(returns.std(ddof=1) / np.sqrt(episodes)) if episodes > 1 else None,
        "progress_lengths": float(made["progress"].mean() / length), "work": float(made["work"].mean()),
        "reached_share": float(made["reached"].mean()), "diverged_share": float(made["diverged"].mean()),
        "returns": returns.tolist(),
    }  # fmt: skip
