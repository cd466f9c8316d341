"""Commands as processes that can be killed, and small results: what the attacks on results and checkpoints share."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from serpenoid.formats import result, verifying


def command(*args: str) -> list[str]:
    return [sys.executable, "-m", "serpenoid", *args]


def started(args: list[str], cwd: Path, **env: str) -> subprocess.Popen[str]:
    """A command under way, whose progress comes as lines on standard error."""
    return subprocess.Popen(
        command(*args), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env=os.environ | {"SERPENOID_PROGRESS": "1"} | env,
    )  # fmt: skip


def lines(process: subprocess.Popen[str]) -> Iterator[str]:
    assert process.stderr is not None
    return (line for line in process.stderr if line.strip().endswith("%"))


def verdicts(path: Path) -> set[str]:
    return {item.verdict for item in verifying.verify(path)}


def write(path: Path, text: str, **more: Any) -> None:
    """A small result of one file."""
    with result.result(path, **more) as made:
        (made.path / "a.txt").write_text(text)
