"""Ask every public callable with one wrong argument at a time, in a process of its own, and tell how each call ended.

    python attack.py NUMBERS > answers        numbers of cases, with commas; SERPENOID_ATTACK=N: a seeded sample of N wrong values of each argument

One line of JSON per call: name, argument, value, what came. Nothing came of calls that work or are refused in words.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np

PATIENCE = 400.0  # s a call: the first of its kind compiles
MEMORY = 6_000_000_000  # bytes of address space beside what the examples need
LONGEST = 10  # lines of a message
HOSTILE: dict[str, Any] = {
    "none": None, "true": True, "word": "x", "empty": "", "bytes": b"", "complex": 1 + 2j, "nan": np.nan, "inf": np.inf, "minus": -1, "zero": 0, "many": 10**9, "large": 1e308,
    "minus large": -1e308, "half": 0.5, "whole": 3, "big int": 10**400, "list": [], "dict": {}, "object": object(), "set": {1}, "nul": "\0", "number text": "0.5", "pair": (0.1, 0.2),
    "empty array": np.array([]), "texts": np.array(["a", "b"]), "complexes": np.array([1j]), "masked": np.ma.array([1.0, 2.0], mask=[0, 1]), "flags": np.array([True, False]),
    "cube": np.ones((2, 3, 4)), "row": np.zeros(3), "nans": [np.nan, 1.0], "ragged": [[1], [2, 3]], "function": lambda *a: "x", "path": Path("nowhere/at/all"), "class": int,
    "objects": np.array([object()]), "date": np.datetime64("2020-01-01"), "slice": slice(3), "keys": {"a": 1}, "words": ["a", "b"], "surrogate": "\ud800",
}  # fmt: skip
FRESH: dict[str, Any] = {"generator": lambda: (x for x in [1.0, 2.0])}  # made anew for every call


class HangError(BaseException):
    """A call took too long."""


def outcome(call: Any, arguments: dict[str, Any]) -> str:
    """Empty if a call works or is refused in words; else what came instead."""
    from serpenoid.core.errors import SerpenoidError

    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            call(**arguments)
    except SerpenoidError as error:
        lines = str(error).count("\n") + 1
        return "" if lines <= LONGEST else f"a message of {lines} lines"
    except HangError:
        return f"HANG: more than {PATIENCE:g} s"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"[:300]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    return ""


def values(name: str, argument: str, few: int | None) -> list[str]:
    """Names of the wrong values to try; of a sample the same ones every time."""
    known = [*HOSTILE, *FRESH]
    return known if few is None else random.Random(zlib.crc32(f"{name}.{argument}".encode())).sample(known, few)


def ask(numbers: list[int], few: int | None) -> None:
    """Attack the cases of these numbers."""
    import names

    def late(*_: Any) -> None:
        raise HangError

    signal.signal(signal.SIGALRM, late)
    every = list(names.cases())
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    for number in numbers:
        case = every[number]
        for argument in case.free:
            for value in values(case.name, argument, few):
                print(json.dumps([number, case.name, argument, value, None]), flush=True)
                try:
                    good = {key: example() for key, example in case.good.items()}
                except Exception as error:
                    print(json.dumps([number, case.name, argument, value, f"EXAMPLE {type(error).__name__}: {error}"]), flush=True)  # fmt: skip
                    continue
                good[argument] = FRESH[value]() if value in FRESH else HOSTILE[value]
                came = outcome(case.call, good)
                print(json.dumps([number, case.name, argument, value, came]), flush=True)
                if sys.modules.get("matplotlib.pyplot"):
                    sys.modules["matplotlib.pyplot"].close("all")


def asked(
    numbers: list[int], folder: Path, few: int | None = None, patience: float = 300.0
) -> list[tuple[str, str, str, str]]:
    """Name, argument, value and what came of every wrong call; a process that dies or hangs is begun anew with the next case."""
    answers: list[tuple[str, str, str, str]] = []
    todo = list(numbers)
    while todo:
        words = [sys.executable, str(Path(__file__)), ",".join(map(str, todo))]
        env = os.environ | {
            "MPLBACKEND": "agg",
            "SERPENOID_ATTACK": "" if few is None else str(few),
            "PYTHONWARNINGS": "ignore",
        }
        try:
            out = subprocess.run(words, capture_output=True, text=True, cwd=folder, env=env, timeout=patience).stdout
            why = "the process ended"
        except subprocess.TimeoutExpired as late:
            out = late.stdout.decode() if isinstance(late.stdout, bytes) else str(late.stdout or "")
            why = "HANG of the process"
        rows = [json.loads(line) for line in out.splitlines() if line.startswith("[") and line.endswith("]")]
        answers += [tuple(row[1:]) for row in rows if row[4] is not None]
        if rows and rows[-1][4] is None:  # died within a call
            answers.append((*rows[-1][1:4], why))
            todo = todo[todo.index(rows[-1][0]) + 1 :]
        elif not rows or rows[-1][0] == todo[-1]:
            todo = []
        else:
            todo = todo[todo.index(rows[-1][0]) + 1 :]
    return answers


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    few = os.environ.get("SERPENOID_ATTACK")
    ask([int(number) for number in sys.argv[1].split(",")], int(few) if few else None)
