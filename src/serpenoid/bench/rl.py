"""`serpenoid bench rl`: actions per second of 256 robots in a vector environment against Gymnasium's vectorised `Swimmer-v5`.

| key | what is divided by what |
|---|---|
| ratio_vs_swimmer | actions per second of `serpenoid/Creep-v0` with 3 links, as the swimmer has, over those of the faster of Gymnasium's vectorised `Swimmer-v5` |
| ratio_10_links | the same with the 10 links that `Creep-v0` has by itself |
| ratio_per_core | as the first, in processor time: what threads gain is not counted |

An action is 4 steps of physics on both sides; actions are uniform random numbers, drawn before. Each ratio is the median over repeats in which all take
turns. Ours has dry friction, servos with limits of torque and speed, work accounts, rewards, observations and resets; the swimmer has fluid drag and MuJoCo's
RK4. `Swimmer-v5` runs by `gymnasium.make_vec` in "sync" mode, and in "async" mode with one process per robot where there is memory for them.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from serpenoid.bench.planar import machine
from serpenoid.core.errors import InputError, NumericalError

Progress = Callable[[float, str], None]

ROBOTS, ACTIONS, REPEATS = 256, 100, 7
PHYSICS_STEPS = 4  # per action: the swimmer's frame_skip
STEP = 5e-3  # s, ours
SWIMMER = "Swimmer-v5"
ROOM = 24e9  # bytes of free memory from which 256 processes are tried


def load_swimmer() -> Any:
    """Gymnasium with its MuJoCo environments; what only draws their pictures may be missing."""
    for name in ("gymnasium", "mujoco"):
        if importlib.util.find_spec(name) is None:
            raise InputError(f"bench rl needs {name}: install the extras, serpenoid[rl,engines]")
    import gymnasium

    for name in ("imageio", "glfw"):  # Gymnasium imports them, for films and windows only
        if name not in sys.modules and importlib.util.find_spec(name) is None:
            sys.modules[name] = types.ModuleType(name)
    return gymnasium


def free_memory() -> float:
    """Bytes that processes can still have; 0 where that is not known."""
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/meminfo") as file:
        rows = dict(line.split(":", 1) for line in file)
        return 1024.0 * float(rows.get("MemAvailable", "0 kB").split()[0])
    return 0.0


class Runner:
    """A vector environment with actions that were drawn before."""

    def __init__(self, env: Any, actions: int = ACTIONS) -> None:
        self.env, rng = env, np.random.default_rng(1)
        self.actions = rng.uniform(-1.0, 1.0, (actions, *env.action_space.shape)).astype(np.float32)
        env.reset(seed=1)
        self.run(2)

    def run(self, most: int | None = None) -> tuple[float, float]:
        """Take the actions: wall time and processor time of this process per action of a robot, s."""
        taken = self.actions[:most]
        wall, busy = time.perf_counter(), time.process_time()
        for action in taken:
            observation, *_ = self.env.step(action)
        spent = time.perf_counter() - wall, time.process_time() - busy
        if not np.isfinite(observation).all():
            raise NumericalError("bench rl: an observation is not finite")
        count = len(taken) * self.env.num_envs
        return spent[0] / count, spent[1] / count


def creeping(gymnasium: Any, robots: int, links: int, threads: int | None = None) -> Any:
    """Ours, with the swimmer's number of physics steps per action."""
    import serpenoid.envs  # noqa: F401

    return gymnasium.make_vec(
        "serpenoid/Creep-v0", num_envs=robots, links=links, step=STEP, period=PHYSICS_STEPS * STEP, threads=threads
    )


def check_equal_steps(swimmer: Any) -> None:
    """Both sides take the same number of physics steps per action."""
    single = swimmer.envs[0].unwrapped
    if single.frame_skip != PHYSICS_STEPS:
        raise NumericalError(f"bench rl: {SWIMMER} takes {single.frame_skip} steps per action, not {PHYSICS_STEPS}")


def measured(runners: dict[str, Runner], repeats: int, tell: Callable[[float], None]) -> dict[str, np.ndarray]:
    """Wall and processor times per action, (repeats, 2), in turns."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in runners}
    for k in range(repeats):
        for name, runner in runners.items():
            times[name].append(runner.run())
        tell((k + 1) / repeats)
    return {name: np.array(rows) for name, rows in times.items()}


def run(
    progress: Progress | None = None, robots: int = ROBOTS, actions: int = ACTIONS, repeats: int = REPEATS
) -> dict[str, Any]:
    """Measure everything; returns the ratios, the raw figures behind them and the machine."""
    gymnasium = load_swimmer()
    envs = {
        "creep_3_links": creeping(gymnasium, robots, 3),
        "creep_10_links": creeping(gymnasium, robots, 10),
        "swimmer_sync": gymnasium.make_vec(SWIMMER, num_envs=robots, vectorization_mode="sync"),
    }
    check_equal_steps(envs["swimmer_sync"])
    if free_memory() > ROOM:
        envs["swimmer_async"] = gymnasium.make_vec(SWIMMER, num_envs=robots, vectorization_mode="async")
    try:
        runners = {name: Runner(env, actions) for name, env in envs.items()}
        times = measured(runners, repeats, lambda part: progress(part, "") if progress is not None else None)
    finally:
        for env in envs.values():
            env.close()
    walls = {name: rows[:, 0] for name, rows in times.items()}
    peer = np.min([rows for name, rows in walls.items() if name.startswith("swimmer")], axis=0)
    busy = times["swimmer_sync"][:, 1] / times["creep_3_links"][:, 1]
    return {
        "ratio_vs_swimmer": float(np.median(peer / walls["creep_3_links"])),
        "ratio_10_links": float(np.median(peer / walls["creep_10_links"])),
        "ratio_per_core": float(np.median(busy)),
        "actions_per_second": {name: float(1.0 / np.median(rows)) for name, rows in walls.items()},
        "processor_us_per_action": {
            name: float(1e6 * np.median(rows[:, 1])) for name, rows in times.items() if name != "swimmer_async"
        },
        "robots": robots,
        "physics_steps_per_action": PHYSICS_STEPS,
        "machine": machine(),
    }
