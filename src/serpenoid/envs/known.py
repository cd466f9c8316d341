"""All tasks by name."""

from __future__ import annotations

from serpenoid.core.errors import InputError
from serpenoid.envs.maze import MazeTask
from serpenoid.envs.plane import CreepTask, TargetTask
from serpenoid.envs.space import PegsTask, SidewindTask
from serpenoid.envs.task import Task

TASKS: dict[str, type[Task]] = {task.NAME: task for task in (CreepTask, SidewindTask, TargetTask, PegsTask, MazeTask)}
IDS = {name: f"serpenoid/{name}-v0" for name in TASKS}


def task_class(task: str | type[Task]) -> type[Task]:
    """A task by its name, or a class of one's own."""
    if isinstance(task, str) and task in TASKS:
        return TASKS[task]
    if isinstance(task, type) and issubclass(task, Task):
        return task
    raise InputError(f"task must be one of {', '.join(TASKS)}, or a class of Task, got {task!r}")
