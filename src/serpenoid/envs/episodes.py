"""Episodes of one task with any number of robots: what single and vector environments share.

Each robot has a generator of its own, and everything random of its episodes comes from there; robots share nothing. Physics is that of
`Simulation`, all robots advanced by one `Fleet`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray

from serpenoid.core import FloatArray, Settings
from serpenoid.core.copying import Independent
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import shown
from serpenoid.envs.task import Task
from serpenoid.simulation.fleet import Fleet, Sensed
from serpenoid.simulation.setup import Setup
from serpenoid.simulation.simulation import Simulation

SELDOM = 10**9  # steps between recorded frames where nothing is drawn
MOST_SEED = 2**63


class Acted(NamedTuple):
    """What came of an action, one entry per robot."""

    observation: FloatArray
    reward: FloatArray
    ended: NDArray[np.bool_]  # the goal is reached, or the run diverged
    notes: dict[str, FloatArray]


class Episodes(Independent):
    """Robots at a task."""

    def __init__(self, task: Task, count: int = 1, *, threads: int | None = 1, recorded: bool = False) -> None:
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= 1_000_000:
            raise InputError(f"the number of robots must be a whole number from 1, got {count!r}")
        self.task, self.count, self.threads = task, int(count), threads
        self.stride = round(task.period / task.step) if recorded else SELDOM
        self._settings = Settings(step=task.step)
        self.dofs = len(task.robot.axes)
        self.size = sum(number for _, number in task.layout)
        self.fleet: Fleet | None = None
        self.goals: Any = None
        self._last: Any = None  # observations, the last finite ones

    def action_space(self) -> spaces.Box:
        """Joint angles in units of `reach`."""
        return spaces.Box(-1.0, 1.0, (self.dofs,), np.float32)

    def observation_space(self) -> spaces.Box:
        """Numbers of `Task.layout`."""
        return spaces.Box(-np.inf, np.inf, (self.size,), np.float64)

    def reset(self, generators: list[np.random.Generator], places: NDArray[np.intp]) -> FloatArray:
        """Begin new episodes for the robots at some places, one generator for each; the observations of all."""
        draws = [self.task.draw(rng) for rng in generators]
        sims = [self._begun(draw.world, draw.start) for draw in draws]
        if self.fleet is None:
            self.fleet = Fleet(sims, self.threads)
            self.goals = np.array([draw.goal for draw in draws])
        else:
            self.fleet.reset(places.tolist(), sims)
            self.goals[places] = [draw.goal for draw in draws]
        self._last = self.task.observation(self.fleet.sensed, self.goals)
        return self._last.copy()

    def _begun(self, world: Any, start: Any) -> Simulation:
        task = self.task
        setup = Setup(task.robot, world, None, start, self._settings)
        return Simulation._made(setup, None, task.step, self.stride)

    def step(self, actions: FloatArray, moving: NDArray[np.bool_] | None = None) -> Acted:
        """Let the robots act, all or those that are `moving`."""
        assert self.fleet is not None
        task, sensed = self.task, self.fleet.sensed
        before = Sensed(sensed.rows.copy(), self.dofs)
        good = self.fleet.advance(task.period, np.clip(actions, -1.0, 1.0) * task.reach, moving)
        progress = task.progress(before, sensed, self.goals)
        work = sensed.work - before.work
        reached = task.reached(sensed, self.goals)
        reward = progress / task.length - (task.effort / task.weight) * work - task.haste + reached
        made = task.observation(sensed, self.goals)
        bad = ~good | ~np.isfinite(made).all(axis=1) | ~np.isfinite(reward)
        self._last = np.where(bad[:, None], self._last, made)
        notes = {
            "progress": np.where(bad, 0.0, progress), "work": np.where(bad, 0.0, work), "reached": (reached & ~bad).astype(float),
            "diverged": bad.astype(float),
        }  # fmt: skip
        return Acted(self._last.copy(), np.where(bad, 0.0, reward), reached | bad, notes)

    def close(self) -> None:
        """End the threads."""
        if self.fleet is not None:
            self.fleet.close()


def checked(actions: Any, shape: tuple[int, ...]) -> FloatArray:
    """Actions as numbers, refused where they are not finite or of another shape."""
    try:
        if np.asarray(actions).dtype.kind not in "iuf":
            raise TypeError("no numbers")
        made = np.asarray(actions, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"an action must be numbers of shape {shape}, got {shown(actions)}") from error
    if made.shape != shape:
        raise InputError(f"an action must have the shape {shape}, got {made.shape}")
    if not np.isfinite(made).all():
        raise InputError(f"an action must be finite; {int((~np.isfinite(made)).sum())} of {made.size} numbers are not")
    return made


def generator(seed: int | None) -> tuple[np.random.Generator, int]:
    """A generator for a seed (none: from the system's entropy), and the seed."""
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if seed is not None and not (whole and 0 <= seed < MOST_SEED):
        raise InputError(f"seed must be a whole number from 0, got {seed!r}")
    made, used = seeding.np_random(None if seed is None else int(seed))
    return made, int(used)
