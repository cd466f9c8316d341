"""Replace one field of a saved state at a time, with a right digest, and go on from it; counts how it ended.

python tampering.py COUNT
"""

from __future__ import annotations

import copy
import json
import random
import sys
import traceback
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import serpenoid as sp
from serpenoid.core.errors import SerpenoidError
from serpenoid.formats import trajectory

VALUES = (
    -4000, -1, 0, 1, 0.5, 3, 1e300, -1e300, 2**62, 10**30, float("inf"), float("nan"), True, None, "", "text", [], [1, 2], {}, {"a": 1},
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something can be replaced: keys, entries of lists, and a few entries of arrays."""
    found = [path] if path else []
    if isinstance(value, dict):
        found += [place for key in value for place in places(value[key], (*path, key))]
    elif isinstance(value, list) and value:
        found += places(value[0], (*path, 0)) + places(value[-1], (*path, len(value) - 1))
    return found


def tampered(run: sp.Trajectory, rng: random.Random) -> tuple[sp.Trajectory, str]:
    """The run with one thing replaced."""
    parts = {"state": copy.deepcopy(dict(run.state)), "provenance": copy.deepcopy(dict(run.provenance))}
    path = rng.choice([p for p in places(parts) if len(p) > 1])
    table: Any = parts
    for key in path[:-1]:
        table = table[key]
    old, new = table[path[-1]], rng.choice(VALUES)
    if isinstance(old, np.ndarray) and rng.random() < 0.7 and old.size:
        if rng.random() < 0.3:
            table[path[-1]] = old.reshape(-1)[: max(old.size - 1, 1)] if rng.random() < 0.5 else np.zeros((2, 0))
        else:
            table[path[-1]] = old.copy()
            table[path[-1]].reshape(-1)[rng.randrange(old.size)] = float(new) if isinstance(new, int | float) else -7.0
    elif rng.random() < 0.1:
        del table[path[-1]]
    else:
        table[path[-1]] = new
    return replace(run, **parts), f"{path}: {str(new)[:20]}"


def main() -> None:
    from test_restoring import STOPPED, stopped

    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    runs, rng = [stopped(name) for name in STOPPED], random.Random(29)
    counts: dict[str, Any] = {"tried": 0, "refused": 0, "ran": 0, "strange": []}
    for k in range(int(sys.argv[1])):
        changed, what = tampered(runs[k % len(runs)], rng)
        counts["tried"] += 1
        print(k, what, file=sys.stderr, flush=True)
        try:
            saved = trajectory.load(trajectory.save(changed, Path("t.nc")))
            status = sp.resume(saved, until=float(runs[k % len(runs)].provenance["time"]) + 0.02).status
            counts["ran"] += isinstance(status.name, str)
        except SerpenoidError:
            counts["refused"] += 1
        except Exception:
            counts["strange"].append(f"{what}: {traceback.format_exc()[-600:]}")
            print(counts["strange"][-1], file=sys.stderr, flush=True)
    print(json.dumps(counts))


if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
    main()
