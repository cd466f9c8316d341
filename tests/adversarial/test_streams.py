"""Closed streams, narrow terminals, strange environments: one object on standard output, a message or silence, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

COMMAND = f"{sys.executable} -m serpenoid run creep --set run.duration=0.1 --no-film"


def shell(words: str, folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", words], cwd=folder, env={**os.environ, **env}, capture_output=True, text=True, timeout=300
    )


def test_without_standard_error_the_object_stays_alone(tmp_path: Path) -> None:
    done = shell(f"{COMMAND} --json 2>&-", tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout)["status"] == "ok"


def test_a_refusal_without_standard_error_is_one_object(tmp_path: Path) -> None:
    done = shell(f"{COMMAND} --json --set gait.wawes=2 2>&-", tmp_path)
    assert done.returncode == 2
    assert json.loads(done.stdout)["exit_code"] == 2


def test_without_standard_output_the_object_is_missed_and_reported(tmp_path: Path) -> None:
    done = shell(f"{COMMAND} --json >&-", tmp_path)
    assert done.returncode == 4
    assert "standard output is closed" in done.stderr and "Traceback" not in done.stderr


def test_without_standard_output_a_run_is_still_a_run(tmp_path: Path) -> None:
    done = shell(f"{COMMAND} --out here >&- <&-", tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "here" / "trajectory.nc").is_file()


def test_an_ascii_terminal_and_an_unknown_backend(tmp_path: Path) -> None:
    done = shell(
        COMMAND + " --set 'title=\"Sl\\u00e5ng \\u2192\"'", tmp_path, PYTHONIOENCODING="ascii", MPLBACKEND="bogus"
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_help_and_schema_miss_their_output_too(tmp_path: Path) -> None:
    program = COMMAND.partition(" run ")[0]
    for words in ("--help >/dev/full", "run --help >/dev/full", "schema --json >&-", "schema >/dev/full"):
        done = shell(f"{program} {words}", tmp_path, PYTHONUNBUFFERED="")
        assert done.returncode == 4 and "Traceback" not in done.stderr, (words, done.stderr)
