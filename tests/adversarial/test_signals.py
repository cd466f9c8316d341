"""Signals: noted from the first line of the program on, answered between stretches of work, never lost; the second ends at once."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from serpenoid.studio import assets

FULL = bool(os.environ.get("SERPENOID_PROVE"))
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
LONG = "run.max_link_steps=1e12"
FEW_FRAMES = "run.record_interval=0.5"
COMMANDS = {
    "run": ("run", "creep", "--no-film", "--set", "run.duration=4000", "--set", LONG, "--set", FEW_FRAMES),
    "optimise": (
        "optimise", "creep", "--over", "gait.winding_angle_deg=20:70", "--maximise", "efficiency", "--scan", "6",
        "--set", "run.duration=60", "--set", LONG,
    ),
    "study": ("study", "ma2001", "--quick"),
}  # fmt: skip


def started(words: tuple[str, ...], folder: Path) -> subprocess.Popen[str]:
    """The command line with these words in a folder of its own; progress is reported line by line."""
    return subprocess.Popen(
        [sys.executable, "-m", "serpenoid", *words, "--json"], cwd=folder, text=True,
        env={**os.environ, "SERPENOID_PROGRESS": "1"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def listens(process: subprocess.Popen[str]) -> None:
    """Wait until the program catches SIGTERM."""
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        caught = int(next(line for line in status.splitlines() if line.startswith("SigCgt")).split()[1], 16)
        if caught & 1 << (signal.SIGTERM - 1):
            return


def works(process: subprocess.Popen[str], word: str = "%") -> None:
    """Wait for a line of progress."""
    assert process.stderr is not None
    for line in process.stderr:
        if word in line:
            return


def ended(process: subprocess.Popen[str], number: signal.Signals) -> dict[str, object]:
    """Wait for the end; check exit code, messages and the one object."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == CODES[number], err
    assert "Traceback" not in err and "Exception ignored" not in err, err
    answer: dict[str, object] = json.loads(out)
    return answer


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("number", list(CODES))
def test_a_signal_in_the_middle_of_work_ends_it(command: str, number: signal.Signals, tmp_path: Path) -> None:
    if not FULL and (command == "study") != (number == signal.SIGTERM):
        pytest.skip("full counts: make prove")
    for _ in range(20 if FULL else 1):
        process = started(COMMANDS[command], tmp_path)
        works(process)
        process.send_signal(number)
        answer = ended(process, number)
        assert answer["status"] in ("interrupted", "error")


@pytest.mark.parametrize("seed", range(180 if FULL else 4))
def test_a_signal_while_the_program_starts_ends_it(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    number = chance.choice(list(CODES))
    process = started(COMMANDS[chance.choice(list(COMMANDS))], tmp_path)
    listens(process)
    time.sleep(chance.uniform(0.0, 0.4))  # any instant will do
    process.send_signal(number)
    ended(process, number)


def test_an_interrupted_run_is_saved_and_goes_on(tmp_path: Path) -> None:
    process = started((*COMMANDS["run"], "--out", "stopped"), tmp_path)
    works(process)
    process.send_signal(signal.SIGINT)
    answer = ended(process, signal.SIGINT)
    assert answer["status"] == "interrupted"
    assert (tmp_path / "stopped" / "trajectory.nc").is_file()


def test_a_signal_while_the_film_is_drawn_keeps_the_run(tmp_path: Path) -> None:
    process = started(("run", "creep", "--film", "--out", "whole"), tmp_path)
    works(process, "mp4 1 %")
    process.send_signal(signal.SIGINT)
    answer = ended(process, signal.SIGINT)
    assert answer["status"] == "interrupted"
    files = {path.name for path in (tmp_path / "whole").iterdir()}
    page = {"creep.html"} if not assets.missing() else set()
    assert files == {"trajectory.nc", "summary.json", "figure.png", "manifest.json"} | page


def test_an_interrupted_search_is_saved_and_goes_on(tmp_path: Path) -> None:
    asked = ("--over", "gait.winding_angle_deg=20:70", "--over", "gait.waves=1:3", "--maximise", "com_distance", "--evaluations", "60", "--restarts", "1")  # fmt: skip
    short = ("--set", "run.duration=2", "--set", "gait.stop_time=2", "--set", "run.step=1e-3")
    process = started(("optimise", "creep", *asked, *short, "--out", "part"), tmp_path)
    works(process, " 2")  # at 20 % or later
    process.send_signal(signal.SIGINT)
    answer = ended(process, signal.SIGINT)
    assert answer["status"] == "interrupted"
    assert {path.name for path in (tmp_path / "part").iterdir()} == {"optimum.json", "optimum.png", "manifest.json"}
    command = [sys.executable, "-m", "serpenoid", "optimise"]
    done = subprocess.run(
        [*command, "--resume", "part", "--json", "--out", "rest"], cwd=tmp_path, capture_output=True, text=True
    )
    whole = subprocess.run([*command, "creep", *asked, *short, "--json"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == whole.returncode == 0, done.stderr
    rest, all_at_once = json.loads(done.stdout), json.loads(whole.stdout)
    assert rest == all_at_once
    known = [row[0] for row in json.loads((tmp_path / "part" / "optimum.json").read_text())["log"]["rows"]]
    assert [row[0] for row in rest["log"]["rows"]][: len(known)] == known and len(known) < len(rest["log"]["rows"])


def test_the_second_signal_ends_at_once(tmp_path: Path) -> None:
    code = "import time\nfrom serpenoid import signals\nsignals.GRACE = 1e6\nsignals.listen()\nprint('on', flush=True)\nwhile True: time.sleep(0.01)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "on\n"
    process.send_signal(signal.SIGTERM)
    with pytest.raises(subprocess.TimeoutExpired):  # noted only: this program never looks
        process.wait(0.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == CODES[signal.SIGTERM]


def test_work_that_never_looks_is_reminded(tmp_path: Path) -> None:
    code = (
        "import time\nfrom serpenoid import signals\nsignals.GRACE = 0.2\nsignals.listen()\nprint('on', flush=True)\nlost = 0\n"
        "while lost < 3:\n    try:\n        while True: time.sleep(0.01)\n    except KeyboardInterrupt:\n        lost += 1\n        lost == 3 and signals.take()\nprint('reminded', lost)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "on\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "reminded 3\n"


LOST = """
import gc, os, signal, sys, time
from serpenoid import signals
signals.GRACE = 0.1
heard = []
sys.unraisablehook = heard.append
class Slow:
    def __del__(self):
        begin = time.monotonic()
        while time.monotonic() < begin + 0.5: pass
with signals.listening():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        thing = Slow()
        del thing
        begin = time.monotonic()
        while time.monotonic() < begin + 60: pass
    except signals.Stopped:
        print(len(heard), signals.exit_code(), time.monotonic() < begin + 30)
class Wrong:
    def __del__(self): raise ValueError
with signals.listening():
    Wrong()
print(len(heard))
"""


def test_a_stop_that_nobody_can_catch_is_not_told_and_comes_again() -> None:
    """The compiler calls back into Python, objects are cleared away: what is raised there is lost. Other losses are told as before."""
    done = subprocess.run([sys.executable, "-c", LOST], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["0", "143", "True", "1"] and done.stderr == "", done


@pytest.mark.parametrize("delay", range(20) if FULL else [0, 1])
def test_a_signal_while_kernels_are_compiled_ends_in_a_line(delay: int, tmp_path: Path) -> None:
    """An empty cache, so that LLVM is at work; the reminder comes every few milliseconds, so that it falls into its callbacks too."""
    number = (signal.SIGTERM, signal.SIGINT)[delay % 2]
    code = "import sys\nfrom serpenoid import signals\nsignals.GRACE = 0.004\nfrom serpenoid import __main__ as program\nsys.exit(program.main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "run", "creep", "--no-film", "--json", "--set", "run.duration=0.1"], cwd=tmp_path, text=True,
        env={**os.environ, "SERPENOID_PROGRESS": "1", "SERPENOID_JIT": "1", "SERPENOID_CACHE": str(tmp_path / "empty")}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    works(process, "compiling")
    time.sleep(0.3 * delay)  # any instant will do
    process.send_signal(number)
    assert ended(process, number)["status"] in ("interrupted", "error")


def test_a_signal_at_the_very_end_changes_nothing() -> None:
    """No reminder comes while the interpreter ends, however long that takes: the exit code is that of the command."""
    code = (
        "import atexit, os, signal, sys, time\nfrom serpenoid import __main__ as program, signals\nsignals.GRACE = 0.05\n"
        "program.entry.main = lambda: (os.kill(os.getpid(), signal.SIGINT), 130)[1]\natexit.register(time.sleep, 0.3)\n"
        "class Slow:\n    def __del__(self, sleep=time.sleep): sleep(0.3)\nsys.slow = Slow()\nsys.exit(program.main())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == CODES[signal.SIGINT] and done.stderr == ""
