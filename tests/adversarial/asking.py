"""Ask the command line many things in one process of its own, and tell how each ended: code, output, memory so far.

    python asking.py < questions.json > answers.json

A crash of the interpreter, a hang or a loss of memory is seen from outside; a new process for each question would cost a second.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

MOST_MB, MOST_LINES = 300, 10
PATIENCE = 240  # s for all questions of a process; a hang is told from slowness by it


def main() -> None:
    from serpenoid.cli import main as serpenoid

    for number, question in enumerate(json.load(sys.stdin)):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = serpenoid(question)
            except SystemExit as end:
                code = int(end.code or 0)
        peak = memory()
        print(json.dumps([number, code, out.getvalue()[-40_000:], err.getvalue()[-9000:], peak]), flush=True)


def memory() -> float:
    """The most memory that this process has had, MB; the usual count includes that of the parent at the fork."""
    status = Path("/proc/self/status")
    if status.exists():
        return float(re.search(r"VmHWM:\s+(\d+) kB", status.read_text())[1]) / 1024  # type: ignore[index]
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def asked(questions: list[list[str]], cwd: Path, **more: Any) -> list[tuple[int, str, str, float]]:
    """Code, output, messages and memory so far (MB) of each question; fewer answers than questions: the process died."""
    done = subprocess.run(
        [sys.executable, __file__], input=json.dumps(questions), capture_output=True, text=True, cwd=cwd, timeout=PATIENCE,
        env=os.environ | {"MPLBACKEND": "agg"}, **more,
    )  # fmt: skip
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(questions), (
        f"{questions[len(answers)]}: ended with {done.returncode}: {done.stderr[-2000:]}"
    )
    return [(code, out, err, peak) for _, code, out, err, peak in answers]


if __name__ == "__main__":
    main()
