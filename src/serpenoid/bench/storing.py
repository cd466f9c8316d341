"""`serpenoid bench storing`: what it costs that nothing is lost; digests, manifest, lock, probe and checkpoints beside the computing, in one run.

| key | what is measured |
|---|---|
| overhead_share | seconds of all of them over those of computing, in a run of about 10 s; checkpoints ten times as often as usual |
| overhead_share_usual | the same with the checkpoints that 10 s have as a rule: a fifth of one |
| checkpoint_s, digest_s, begin_s, end_s | one checkpoint; the digest of the trajectory file; lock, folder and probe; manifest, bringing all to disk, the rename |
| short_overhead_s | all of them in the run of `serpenoid run creep --no-film` |

The run is `creep` with so short a step that it computes for about 10 s on this machine. Wall clock: waiting for the disk counts.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from serpenoid.bench.planar import machine
from serpenoid.formats import result, trajectory
from serpenoid.formats.files import write_json
from serpenoid.formats.scenario import read
from serpenoid.simulation.keeping import EVERY, Keeper
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import Setup, setup_of

COMPUTING = 10.0  # s
OFTEN = 10.0  # times as many checkpoints as usual
REPEATS = 5  # of the short run; the best counts


def seconds_of(work: Callable[[], Any]) -> float:
    """Wall clock time of a piece of work, s."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def stored(setup: Setup, folder: Path, every: float) -> dict[str, float]:
    """Carry out a run and store it as the command line does; seconds of each part."""
    begin = time.perf_counter()
    with result.result(folder) as made:
        took = {"begin_s": time.perf_counter() - begin, "checkpoints_s": 0.0, "checkpoints": 0.0}

        def keep(run: Any) -> None:
            took["checkpoints_s"] += seconds_of(lambda: made.keep(run))
            took["checkpoints"] += 1

        at = time.perf_counter()
        run = execute(setup, keeper=Keeper(keep, every))
        took["computing_s"] = time.perf_counter() - at - took["checkpoints_s"]
        file = trajectory.save(run, made.path / "trajectory.nc")
        write_json(made.path / "summary.json", run.metrics)
        made.description = run.scenario
        content = file.read_bytes()
        took["digest_s"] = seconds_of(lambda: hashlib.sha256(content).hexdigest())
        at = time.perf_counter()
    took["end_s"] = time.perf_counter() - at
    return took


def run(progress: Callable[[float, str], None] = lambda fraction, text: None) -> dict[str, Any]:
    """Measure everything."""
    changes = ["run.checked=false"]
    execute(setup_of(read("creep", changes)), until=0.1)  # compiled, loaded
    usual = setup_of(read("creep", changes))
    steps = float(usual.settings.duration or 8.0) / 2.5e-4
    short_steps = seconds_of(lambda: execute(setup_of(read("creep", [*changes, "run.step=2.5e-5"])))) / (10.0 * steps)
    step = max(2.5e-4 * steps * short_steps / COMPUTING, 1e-7)
    progress(0.1, "")
    with tempfile.TemporaryDirectory() as root:
        long = setup_of(read("creep", [*changes, f"run.step={step:.2g}"]))
        took = stored(long, Path(root) / "long", EVERY / OFTEN)
        progress(0.8, "")
        short = [stored(usual, Path(root) / f"short-{k}", EVERY) for k in range(REPEATS)]
    fixed = took["begin_s"] + took["digest_s"] + took["end_s"]
    one = took["checkpoints_s"] / max(took["checkpoints"], 1.0)
    progress(1.0, "")
    return {
        "overhead_share": (fixed + took["checkpoints_s"]) / took["computing_s"],
        "overhead_share_usual": (fixed + one * took["computing_s"] / EVERY) / took["computing_s"],
        "computing_s": took["computing_s"], "checkpoints": took["checkpoints"], "checkpoint_s": one,
        "begin_s": took["begin_s"], "digest_s": took["digest_s"], "end_s": took["end_s"],
        "short_overhead_s": min(t["begin_s"] + t["digest_s"] + t["end_s"] for t in short),
        "machine": machine(),
    }  # fmt: skip
