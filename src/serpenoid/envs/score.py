"""Score an entry by the protocol: `python -m serpenoid.envs.score my_policy.py:Policy --env Creep`.

An entry is `FILE.py:CLASS`, `MODULE:CLASS`, or the name of a baseline (`baselines`). The class is made with the task and has
`act(observation, time)` (see `policies`). Its code is run: score only what you trust.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from serpenoid.core.errors import InputError, SerpenoidError
from serpenoid.envs.baselines import NAMES, baseline
from serpenoid.envs.known import IDS
from serpenoid.envs.protocol import EPISODES, score


def entry_of(text: str, env: str) -> Callable[[Any], Any]:
    """What makes the policy of an entry for a task."""
    if text in NAMES:
        return baseline(text, env)
    place, colon, name = text.rpartition(":")
    if not colon or not place or not name:
        raise InputError(f"an entry must be FILE.py:CLASS, MODULE:CLASS or one of {', '.join(NAMES)}, got {text!r}")
    try:
        if place.endswith(".py"):
            found = importlib.util.spec_from_file_location(Path(place).stem, place)
            if found is None or found.loader is None or not Path(place).is_file():
                raise InputError(f"no file {place}")
            module = importlib.util.module_from_spec(found)
            found.loader.exec_module(module)
        else:
            module = importlib.import_module(place)
    except ImportError as error:
        raise InputError(f"{place} cannot be imported: {error}") from error
    made = getattr(module, name, None)
    if not callable(made):
        raise InputError(f"{place} has no class {name}")
    return made  # type: ignore[no-any-return]


def main(words: list[str] | None = None) -> int:
    """Score an entry; one line per environment, or one JSON object."""
    parser = argparse.ArgumentParser(
        prog="python -m serpenoid.envs.score", description="score a policy by the protocol"
    )
    parser.add_argument("entry", help=f"FILE.py:CLASS, MODULE:CLASS, or one of {', '.join(NAMES)}")
    parser.add_argument(
        "--env", action="append", choices=list(IDS), help="environment; several times, or all by default"
    )
    parser.add_argument("--episodes", type=int, default=EPISODES, help=f"another number than the protocol's {EPISODES}")
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--json", action="store_true", help="one object on standard output")
    given = parser.parse_args(words)
    results = []
    try:
        for env in given.env or list(IDS):
            made = score(env, entry_of(given.entry, env), given.episodes, given.threads)
            results.append({"entry": given.entry, **made})
            if not given.json:
                print(
                    f"{made['environment']:24s} {made['score']:8.3f} +- {made['standard_error'] or 0.0:.3f}   "
                    f"progress {made['progress_lengths']:.2f} body lengths, reached {100.0 * made['reached_share']:.0f} %"
                )
    except SerpenoidError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    if given.json:
        print(json.dumps({"scores": results}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
