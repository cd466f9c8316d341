"""A metric and a finding added inside the package are one file and a line each: run, batch and page have them, and nothing is written in TypeScript."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
OWN = '''"""How far the head ends beside the tail."""

from __future__ import annotations

import math

from serpenoid.compiled import kernel
from serpenoid.contact import sums
from serpenoid.judgement import ledger as at
from serpenoid.judgement.ledger import Metric, Sentence

PLACE = 9
METRICS = {"reach": Metric("m", "distance of head and tail at the end", scale="way"), "loss_per_link": Metric("J", "friction by link", scale="energy")}
FINDINGS = {"long-reach": Sentence("head and tail end {reach:.3g} m apart, {share:.0%} of the body[many?, of {links:d} links]: {word:near|far}")}


@kernel
def reach(run):
    """Distance of head and tail at the end."""
    end = run.nodes[run.nodes.shape[0] - 1]
    x, y = end[-1, 0] - end[0, 0], end[-1, 1] - end[0, 1]
    return math.sqrt(x * x + y * y)


@kernel
def measure(run, out):
    """Fill in the metrics of this file."""
    out[0] = reach(run)
    out[1] = run.sums[sums.FRICTION_LOSS] / run.facts[at.LINKS]


@kernel
def find(run, out):
    """Fill in the findings of this file."""
    found = reach(run)
    out[0, 0], out[0, 1], out[0, 2], out[0, 3], out[0, 4], out[0, 5] = 1.0, found, found / run.facts[at.LENGTH], 1.0, run.facts[at.LINKS], 1.0
'''
CASE = {
    "robot": {"preset": "ma2001", "links": 5},
    "gait": {"kind": "serpenoid", "winding_angle": 0.7, "waves": 1.2, "speed": 0.6},
    "world": {"friction": {"law": "coulomb", "along": 0.11, "across": 0.53}},
    "run": {"duration": 0.02, "step": 2e-3, "record_interval": 0.01, "checked": False},
}
PROGRAM = """
import json, sys
import numpy as np
import serpenoid as sp
from serpenoid.simulation.batch import execute_many
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import setup_of

setup = setup_of(json.loads(sys.argv[1]))
run = execute(setup)
end = run["node"][-1]
assert abs(run.metrics["reach"] - np.linalg.norm(end[-1] - end[0])) < 1e-12
assert abs(run.metrics["loss_per_link"] - run.metrics["friction_loss"] / 5) < 1e-15
batch = execute_many([setup], metrics=["reach"], threads=1)
assert batch.metrics["reach"][0] == run.metrics["reach"] and batch.warnings[0][-1] == run.warnings[-1]
print(json.dumps({"metrics": run.metrics, "warnings": run.warnings, "last": run.findings[-1].keys()}))
"""

DECLARED = """
import json, sys
from serpenoid.core.finding import said
from serpenoid.judgement.operations import FIND, MEASURE, METRICS, empty, operate
from serpenoid.judgement import ledger as at
from serpenoid.simulation.metrics import METRICS as ALL
from serpenoid.simulation.scales import SCALES

sys.path[:0] = [sys.argv[2]]
import export

run = empty(5, 4, 3, 2)
run.facts[at.LINKS], run.facts[at.LENGTH], run.nodes[1, -1, :2] = 5.0, 0.8, (0.3, 0.4)
for op in (MEASURE, FIND):
    assert operate(op, run, run.nodes, run.nodes, run.times) == 0.0
rows = export.findings()
last = rows["rows"][-1]
assert rows["told"][-1] == last["code"] == "long-reach" and ALL["reach"].unit == "m" and SCALES["loss_per_link"] == "energy"
print(json.dumps({"metrics": dict(zip(METRICS, run.metrics)), "text": said(last["text"], dict(zip(last["names"], run.findings[-1, 1:])))}))
"""


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the package with the new file and its two lines."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "page"))
    room = tmp_path / "src" / "serpenoid" / "judgement"
    (room / "own.py").write_text(OWN)
    for name in ("metrics", "findings"):
        text = (room / f"{name}.py").read_text()
        line = next(line for line in text.splitlines() if line.startswith("from serpenoid.judgement import "))
        (room / f"{name}.py").write_text(text.replace(line, f"{line}, own", 1))
    return tmp_path


def told(copied: Path, program: str, **environment: str) -> Any:
    """What a program finds in the copy."""
    command = [sys.executable, "-c", program, json.dumps(CASE), str(ROOT / "web")]
    done = subprocess.run(
        command, cwd=copied, env={**os.environ, "PYTHONPATH": str(copied / "src"), **environment}, capture_output=True, text=True
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_metric_and_a_finding_are_one_file_and_a_line(copied: Path) -> None:
    """In plain Python, which compiles nothing: computed of a ledger, judged by its scale, declared for the page."""
    found = told(copied, DECLARED, NUMBA_DISABLE_JIT="1")
    assert found["metrics"]["reach"] == pytest.approx(0.5) and found["metrics"]["com_distance"] == 0.0
    assert found["text"] == "head and tail end 0.5 m apart, 62% of the body, of 5 links: far"


@pytest.mark.skipif("SERPENOID_PROVE" not in os.environ, reason="compiles kernels for processor and page")
def test_the_page_has_them_too(copied: Path) -> None:
    """Run and batch have them; the page's engine of the copy, built anew, gives the same number and the same sentence."""
    shutil.copytree(ROOT / "web", copied / "web", symlinks=True, ignore=shutil.ignore_patterns("node_modules", "stamp"))
    (copied / "web" / "node_modules").symlink_to(ROOT / "web" / "node_modules")
    (copied / "tests").mkdir()
    shutil.copyfile(ROOT / "tests" / "web_runs.py", copied / "tests" / "web_runs.py")
    native = told(copied, PROGRAM)
    program = (
        "import json, sys, pathlib; sys.path[:0] = ['tests']; from web_runs import page_runs\n"
        "made = page_runs(pathlib.Path('.').resolve(), [{'name': 'own', 'description': json.loads(sys.argv[1])}])['own']\n"
        "print(json.dumps({'metrics': made['metrics'], 'warnings': made['outcome']['warnings']}))"
    )
    environment = {**os.environ, "PYTHONPATH": str(copied / "src")}
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(CASE)], cwd=copied, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    page = json.loads(done.stdout.splitlines()[-1])
    assert page["metrics"]["reach"] == pytest.approx(native["metrics"]["reach"], rel=1e-9)
    assert page["warnings"][-1] == native["warnings"][-1]
