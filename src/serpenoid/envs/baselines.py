"""The baselines of every environment by name, with parameters that were found in training episodes.

| name | what it is |
|---|---|
| `random` | uniform actions |
| `hand` | the best wave of a scan over those that a person would try (`training.best_wave`) |
| `cpg` | the same wave by coupled phase oscillators (`control.cpg`) |
| `optimised` | the parameters of that wave searched by CMA-ES |
| `learned` | a wave per joint with feedback (`policies.JointPolicy`), by CMA-ES from the optimised wave on |

`baselines.json` holds the parameters; `find` makes them anew: `python -m serpenoid.envs.baselines --env Creep --out baselines.json`.
"""

from __future__ import annotations

import argparse
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.core.errors import InputError
from serpenoid.envs.known import IDS, TASKS
from serpenoid.envs.policies import CPGPolicy, JointPolicy, RandomPolicy, WavePolicy, joints_of_wave
from serpenoid.envs.training import FIRST_SEED, best_wave, joint_scale, returns_of, train, wave_scale

NAMES = ("random", "hand", "cpg", "optimised", "learned")
KINDS: dict[str, Any] = {"hand": WavePolicy, "cpg": CPGPolicy, "optimised": WavePolicy, "learned": JointPolicy}


@functools.cache
def parameters() -> dict[str, dict[str, list[float]]]:
    """Parameters by environment and baseline."""
    data: dict[str, dict[str, list[float]]] = json.loads(Path(__file__).with_name("baselines.json").read_text())
    return data


def baseline(name: str, env: str) -> Callable[[Any], Any]:
    """A function that makes the policy of a baseline for a task."""
    if env not in IDS:
        raise InputError(f"no environment {env!r}; allowed are {', '.join(IDS)}")
    if name not in NAMES:
        raise InputError(f"no baseline {name!r}; allowed are {', '.join(NAMES)}")
    if name == "random":
        return RandomPolicy
    row = parameters()[env]["hand" if name == "cpg" else name]
    return lambda task: KINDS[name](task, row)


def find(env: str, waves: int = 12, joints: int = 20, episodes: int = 4, **options: Any) -> dict[str, list[float]]:
    """Train the baselines of an environment: generations for the wave, then for the joints."""
    task = TASKS[env]()
    hand, _ = best_wave(env, 2, **options)
    wave = train(env, WavePolicy, hand, scale=wave_scale(task), generations=waves, population=12, episodes=episodes, **options)  # fmt: skip
    better = np.argmax(returns_of(env, WavePolicy, np.array([hand, wave]), 16, FIRST_SEED, **options))
    first = joints_of_wave(task, (hand, wave)[int(better)])
    learned = train(env, JointPolicy, first, scale=joint_scale(task), generations=joints, episodes=3, sigma=0.05, **options)  # fmt: skip
    return {"hand": hand.tolist(), "optimised": wave.tolist(), "learned": np.asarray(learned).tolist()}


def main(words: list[str] | None = None) -> int:
    """Train the baselines of one environment and write them into a file."""
    args = argparse.ArgumentParser(prog="python -m serpenoid.envs.baselines", description="train the baselines")
    args.add_argument("--env", required=True, choices=list(IDS))
    args.add_argument("--out", required=True, help="JSON file; other environments in it are kept")
    given = args.parse_args(words)
    path = Path(given.out)
    data = json.loads(path.read_text()) if path.exists() else {}
    data[given.env] = find(given.env)
    path.write_text(json.dumps(data, indent=1) + "\n")
    print(f"{path}: {', '.join(data)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
