"""Many robots as one Gymnasium vector environment, marched by compiled loops on threads: `gymnasium.make_vec("serpenoid.envs:serpenoid/Creep-v0", num_envs=256)`.

Robot k of a vector environment that was reset with seed s does what a single environment that was reset with seed s + k does, bit for bit, at any
number of threads. An episode that has ended begins anew, as Gymnasium's `AutoresetMode` says: with the next call of `step`, whose action is not used for
it (NEXT_STEP, the usual one), or in the same call, which gives the last observation as `final_obs` and what is known of it as `final_info` (SAME_STEP).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from serpenoid.core import FloatArray
from serpenoid.core.copying import Independent
from serpenoid.core.door import OneOf, Several, door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import shown
from serpenoid.envs.episodes import Episodes, checked, generator
from serpenoid.envs.known import task_class
from serpenoid.envs.single import MODES, SEED, check_mode, check_options
from serpenoid.envs.task import Task


def mode_of(given: Any) -> AutoresetMode:
    """When episodes that have ended begin anew: Gymnasium's mode, or its value as a text."""
    allowed = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)
    for mode in allowed:
        if given is mode or (isinstance(given, str) and given == mode.value):
            return mode
    raise InputError(f"autoreset_mode must be one of {', '.join(map(str, allowed))}, got {shown(given)}")


class SnakeVectorEnv(Independent, VectorEnv[Any, Any, Any]):
    """A task with many robots; `threads`: none: as many as there are cores."""

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": list(MODES),
        "render_fps": 20,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self, task: str | type[Task], num_envs: int = 1, max_episode_steps: int | None = None, render_mode: str | None = None,
        threads: int | None = None, autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP, **parameters: Any,
    ) -> None:  # fmt: skip
        check_mode(render_mode)
        self._mode = mode_of(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self._mode}
        most = max_episode_steps
        if most is not None and (isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1):
            raise InputError(f"max_episode_steps must be a whole number from 1 or None, got {most!r}")
        self.task, self.render_mode, self.num_envs = task_class(task)(**parameters), render_mode, num_envs
        self._episodes = Episodes(self.task, num_envs, threads=threads, recorded=render_mode is not None)
        self._most = np.iinfo(np.int64).max if most is None else int(most)
        self.single_action_space = self._episodes.action_space()
        self.single_observation_space = self._episodes.observation_space()
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._generators: list[np.random.Generator] = []
        self._over = np.zeros(num_envs, dtype=bool)
        self._taken = np.zeros(num_envs, dtype=np.int64)

    @door(seed=OneOf(kinds=(SEED, Several(item=replace(SEED, optional=True)))))
    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[FloatArray, dict[str, Any]]:
        """Begin new episodes; one seed s gives the robots s, s + 1, ..., a list gives one to each (none: it goes on with its own)."""
        check_options(options)
        if seed is None or isinstance(seed, int | np.integer):
            seeds = [None if seed is None else int(seed) + k for k in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise InputError(f"give one seed, or one per robot, {self.num_envs}, got {len(seeds)}")
        fresh = not self._generators
        made = [
            generator(s)[0] if fresh or s is not None else self._generators[k] for k, s in enumerate(seeds)
        ]  # a generator that there is goes on
        self._generators = made
        self._over[:], self._taken[:] = False, 0
        return self._episodes.reset(self._generators, np.arange(self.num_envs)), {}

    def step(self, actions: Any) -> tuple[FloatArray, FloatArray, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Act; robots whose episode is over begin a new one, instead or at once (see the module)."""
        given = checked(actions, (self.num_envs, self._episodes.dofs))
        if not self._generators:
            raise InputError("no episode has begun: call reset")
        if self._mode is AutoresetMode.SAME_STEP:
            return self._step_and_begin(given)
        fresh = self._over.copy()
        made = self._episodes.step(given, ~fresh)
        observation = made.observation
        if fresh.any():
            places = np.flatnonzero(fresh)
            observation = self._episodes.reset([self._generators[k] for k in places], places)
        self._taken = np.where(fresh, 0, self._taken + 1)
        ended, late = made.ended & ~fresh, (self._taken >= self._most) & ~fresh
        self._over = ended | late
        notes: dict[str, Any] = {name: np.where(fresh, 0.0, values) for name, values in made.notes.items()}
        notes |= {f"_{name}": ~fresh for name in made.notes}
        return observation, np.where(fresh, 0.0, made.reward), ended, late, notes

    def _step_and_begin(
        self, actions: FloatArray
    ) -> tuple[FloatArray, FloatArray, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Act; robots whose episode is over begin a new one at once, and the end of the old one is told beside it."""
        made = self._episodes.step(actions)
        self._taken += 1
        late = self._taken >= self._most
        over = made.ended | late
        notes = _noted(made.notes, ~over)
        observation = made.observation
        if over.any():
            places = np.flatnonzero(over)
            last = np.full(self.num_envs, None, dtype=object)
            for k in places:
                last[k] = observation[k].copy()
            notes |= {
                "final_obs": last,
                "_final_obs": over,
                "final_info": _noted(made.notes, over),
                "_final_info": over.copy(),
            }
            observation = self._episodes.reset([self._generators[k] for k in places], places)
            self._taken[over] = 0
        return observation, made.reward, made.ended, late, notes

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture of every robot."""
        if self.render_mode is None:
            return None
        from serpenoid.envs.picture import picture_of

        episodes = self._episodes
        if episodes.fleet is None:
            raise InputError("nothing to draw yet: call reset")
        return tuple(
            picture_of(sim, self.task.target(goal)) for sim, goal in zip(episodes.fleet.sims, episodes.goals, strict=True)
        )  # fmt: skip

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self._episodes.close()


def _noted(notes: dict[str, FloatArray], of: NDArray[np.bool_]) -> dict[str, Any]:
    """What is known of some robots, each with a mask beside it, as Gymnasium gathers it: nothing of none."""
    made: dict[str, Any] = {}
    for name, values in notes.items() if of.any() else ():
        made[name], made[f"_{name}"] = np.where(of, values, 0.0), of.copy()
    return made
