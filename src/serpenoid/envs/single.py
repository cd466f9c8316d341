"""One robot as a Gymnasium environment: `gymnasium.make("serpenoid.envs:serpenoid/Creep-v0")`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray
from serpenoid.core.copying import Independent
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Whole
from serpenoid.envs.episodes import Episodes, checked, generator
from serpenoid.envs.known import task_class
from serpenoid.envs.task import Task

MODES = ("rgb_array",)
SEED = Whole("of an episode", low=0)


def check_options(options: Any) -> None:
    """Refuse options of `reset`: there are none."""
    if options:
        raise InputError(f"reset takes no options, got {', '.join(map(str, options))}; an environment is changed by arguments of make")  # fmt: skip


def check_mode(render_mode: str | None) -> None:
    """Refuse an unknown way of rendering."""
    if render_mode is not None and (not isinstance(render_mode, str) or render_mode not in MODES):
        raise InputError(f"render_mode must be one of {', '.join(MODES)} or None, got {render_mode!r}")


class SnakeEnv(Independent, gymnasium.Env[Any, Any]):
    """A task with one robot; see `docs/learning.md`."""

    metadata: dict[str, Any] = {"render_modes": list(MODES), "render_fps": 20}  # noqa: RUF012

    @door
    def __init__(self, task: str | type[Task], render_mode: str | None = None, **parameters: Any) -> None:
        check_mode(render_mode)
        self.task, self.render_mode = task_class(task)(**parameters), render_mode
        self.metadata = {**type(self).metadata, "render_fps": round(1.0 / self.task.period)}
        self._episodes = Episodes(self.task, recorded=render_mode is not None)
        self.action_space = self._episodes.action_space()
        self.observation_space = self._episodes.observation_space()
        self._over = True

    @door(seed=SEED)
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[FloatArray, dict[str, Any]]:
        """Begin a new episode."""
        check_options(options)
        if seed is not None or self._np_random is None:
            self._np_random, self._np_random_seed = generator(seed)
        self._over = False
        return self._episodes.reset([self.np_random], np.zeros(1, dtype=np.intp))[0], {}

    def step(self, action: Any) -> tuple[FloatArray, float, bool, bool, dict[str, Any]]:
        """Act."""
        given = checked(action, (self._episodes.dofs,))
        if self._over:
            raise InputError("this episode has not begun, or it is over: call reset")
        made = self._episodes.step(given[None])
        self._over = bool(made.ended[0])
        notes = {name: float(values[0]) for name, values in made.notes.items()}
        return made.observation[0], float(made.reward[0]), self._over, False, notes

    def render(self) -> NDArray[np.uint8] | None:  # type: ignore[override]
        """The picture now, (480, 640, 3)."""
        if self.render_mode is None:
            return None
        from serpenoid.envs.picture import picture_of

        if self._episodes.fleet is None:
            raise InputError("nothing to draw yet: call reset")
        return picture_of(self._episodes.fleet.sims[0], self.task.target(self._episodes.goals[0]))

    def close(self) -> None:
        """Let go of everything."""
        self._episodes.close()
