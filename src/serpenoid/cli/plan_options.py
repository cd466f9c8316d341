"""What the kinds of plan share on the command line: numbers with commas, the folder for results, robots by name."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from serpenoid.core.errors import InputError


def numbers(text: str, name: str, count: int = 2) -> Any:
    """Numbers as in "10,10"."""
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        values = ()
    if len(values) != count or not all(math.isfinite(v) for v in values):
        raise InputError(f"{name} needs {count} finite numbers with a comma between, got {text!r}")
    return values


def results_folder(args: argparse.Namespace, default: str) -> Path:
    """The folder for results, made before anything long begins."""
    from serpenoid.formats.files import folder

    if args.out == "":
        raise InputError("--out needs the name of a folder")
    return folder(args.out or Path("out") / default)


def named_robot(name: str | None) -> Any:
    """The robot of a name, or None."""
    from serpenoid.robots import ROBOTS

    if name is None:
        return None
    if name not in ROBOTS:
        raise InputError(f"unknown robot {name!r}; known are {', '.join(ROBOTS)}")
    return ROBOTS[name]()
