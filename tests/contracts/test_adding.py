"""A gait added inside the package is one file and one line, and the page has it: nothing of it is written in TypeScript."""

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
GAIT = '''"""Wriggling: a wave of yaw that grows towards the head, and a wave of pitch of twice its frequency."""

from __future__ import annotations

from typing import ClassVar

from serpenoid.compiled import literal
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.quantities import Number
from serpenoid.core.slots import slots
from serpenoid.gaits.preparing import Kernels
from serpenoid.gaits.waves import AMPLITUDE, PITCH, RAMP, YAW, WaveGait, finish, put_rates, put_wave, size, times


@GAITS.register
@description
class Wriggling(WaveGait):
    """A wave of yaw that grows towards the head, and one of pitch."""

    amplitude: float = declare(AMPLITUDE, default=0.4)
    frequency: float = declare(Number("omega", "rad/s"), default=3.1)
    ramp: float = declare(RAMP, default=0.2)

    NAME: ClassVar[str] = "wriggling"


at = slots(Wriggling)


@literal
def fill(g, r, where, par, tab, work):
    """Fill parameters and table."""
    n = tab.shape[1]
    for j in range(1, n):
        put_wave(tab, YAW, j, 0.0, g[at.amplitude] * j / n, 0.7 * (n - j))
        put_wave(tab, PITCH, j, 0.0, 0.1 * g[at.amplitude], 1.4 * (n - j) + 0.3)
    put_rates(par, g[at.frequency], 2.0 * g[at.frequency], g[at.ramp], 0.0)
    finish(tab, where)
    return 0


Wriggling.KERNELS = Kernels(size, fill, times)
'''
LINE = "from serpenoid.gaits.wriggling import Wriggling  # noqa: F401\n"
CASE: dict[str, Any] = {
    "robot": {"preset": "alternating", "links": 9, "length": 0.9, "mass": 1.3, "radius": 0.02},
    "gait": {"kind": "wriggling", "amplitude": 0.37},
    "world": {"friction": {"law": "coulomb", "along": 0.3, "across": 0.45}, "ground": {"model": "capsule"}},
    "run": {"duration": 0.3, "step": 1e-3, "record_interval": 0.05},
}
ASKED = """
import sys
import numpy as np
import serpenoid as sp
from serpenoid.core.slots import numbers_of, robot_numbers
from serpenoid.gaits import operations, preparing

robot, gait = sp.robots.alternating(9, 0.9, 1.3, radius=0.02), sp.gaits.GAITS["wriggling"](amplitude=0.37)
par, tab = gait.row(robot)
number = operations.PREPARED.index(type(gait))
groups = [numbers_of(gait), robot_numbers(robot), np.zeros(4), np.zeros((8, 9)), np.zeros((1, 1)), np.zeros(preparing.SIZES)]
given = np.array([number, preparing.IN_SPACE])
for operation in (operations.SIZE, operations.FILL, operations.TIMES):
    assert operations.operate(operation, *groups, given) == 0.0
assert np.array_equal(groups[2], par) and np.array_equal(groups[3], tab) and par[1] == 6.2 and tab[5, 4] == 0.037
assert groups[5][preparing.PERIOD] == gait.period(robot) == 2.0 * np.pi / 3.1

sys.path[:0] = ["web"]
import export
shown = export.family_json("gaits", export.FAMILIES["gaits"])["members"]["wriggling"]
assert shown["number"] == number and [f["slot"] for f in shown["fields"]] == [0, 1, 2]
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package and of the page's sources, with the gait: one file, and one line."""
    unwanted = shutil.ignore_patterns("__pycache__", "page", "build", "node_modules")
    for name in ("src", "web"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=unwanted)
    gaits = tmp_path / "src" / "serpenoid" / "gaits"
    (gaits / "wriggling.py").write_text(GAIT)
    with open(gaits / "__init__.py", "a") as file:
        file.write(LINE)
    return tmp_path


def run(copy: Path, *arguments: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    done = subprocess.run([sys.executable, *arguments], cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_page_is_told_of_a_gait_that_is_added(copy: Path) -> None:
    """Its entry prepares the gait as the package does, and its declaration says by which number."""
    run(copy, "-c", ASKED)


@pytest.mark.skipif(not os.environ.get("SERPENOID_PROVE"), reason="compiles all kernels of the page: SERPENOID_PROVE=1")
def test_the_page_runs_a_gait_that_is_added(copy: Path) -> None:
    """Built from the copy, without a change of its sources, the page moves as the package does."""
    program = (
        "import json, sys\nimport numpy as np\nsys.path[:0] = ['tests']\nimport web_runs\n"
        f"case = json.loads({json.dumps(json.dumps(CASE))})\n"
        "from pathlib import Path\n"
        "told = web_runs.page_runs(Path('.'), [{'name': 'own', 'description': case}])['own']\n"
        "sim, end = web_runs.simulation_of(case)\nsim.advance(end)\nnodes = sim.finish()['node']\n"
        "assert told['outcome']['status'] == 'ok' and np.abs(told['frames']['node'] - nodes.reshape(told['frames']['node'].shape)).max() < 1e-9\n"
        "assert np.abs(nodes[-1] - nodes[0]).max() > 1e-3\n"
    )
    (copy / "tests").mkdir()
    shutil.copy(ROOT / "tests" / "web_runs.py", copy / "tests")
    (copy / "web" / "node_modules").symlink_to(ROOT / "web" / "node_modules")
    run(copy, "-c", program)
