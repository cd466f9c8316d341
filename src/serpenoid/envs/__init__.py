"""Environments for learning, of Gymnasium's kind (extra `rl`): importing this room registers them.

    import gymnasium, serpenoid.envs
    env = gymnasium.make("serpenoid.envs:serpenoid/Creep-v0")
    many = gymnasium.make_vec("serpenoid.envs:serpenoid/Creep-v0", num_envs=256)

| module | what lives there |
|---|---|
| `task` | what an environment asks: robot, world, start, observation, reward |
| `plane`, `space`, `maze`, `known` | the tasks; all of them by name |
| `episodes` | episodes of any number of robots, which single and vector environments share |
| `single`, `vector` | Gymnasium's two kinds of environment |
| `picture` | rendering |
| `policies`, `training`, `baselines` | policies of few numbers, their training by evolution, what was found |
| `protocol`, `score` | how entries are scored, and the command that does it |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serpenoid.core.errors import InputError

try:
    import gymnasium
except ImportError as error:
    raise InputError("environments need Gymnasium: install the extra, serpenoid[rl]") from error

from serpenoid.envs.known import IDS, TASKS
from serpenoid.envs.single import SnakeEnv
from serpenoid.envs.vector import SnakeVectorEnv

if TYPE_CHECKING:
    from serpenoid.envs.task import Task

__all__ = ["IDS", "TASKS", "SnakeEnv", "SnakeVectorEnv"]


def _register(name: str, task: type[Task]) -> None:
    if IDS[name] not in gymnasium.registry:
        gymnasium.register(
            IDS[name], entry_point="serpenoid.envs.single:SnakeEnv", vector_entry_point="serpenoid.envs.vector:SnakeVectorEnv",
            max_episode_steps=task.HORIZON, kwargs={"task": name},
        )  # fmt: skip


for _name, _task in TASKS.items():
    _register(_name, _task)
