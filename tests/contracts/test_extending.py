"""docs/extending.md does what it says: its files, written into a folder outside the package, run together, in Python and from scenarios."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "extending.md").read_text()
FILE = re.compile(r"`(my_\w+\.(?:py|toml))`:\n\n```\w+\n(.*?)```", re.DOTALL)
PROGRAM = re.compile(r"```python\n(.*?)```", re.DOTALL)
COMMAND = re.compile(r"^serpenoid (.+)$", re.MULTILINE)
THINGS = ("my_law.py", "my_gait.py", "my_roll.py", "my_robot.py", "my_metric.py", "my_controller.py")
LINES = 2  # at most, to use a thing


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the page."""
    target = tmp_path_factory.mktemp("outside")
    for name, content in FILE.findall(TEXT):
        (target / name).write_text(content)
    return target


def test_each_thing_is_one_file_and_at_most_two_lines() -> None:
    written = dict(FILE.findall(TEXT))
    assert set(THINGS) <= set(written)
    for name in THINGS:
        stem = name.removesuffix(".py")
        uses = [
            line for block in PROGRAM.findall(FILE.sub("", TEXT)) for line in block.splitlines() if f"{stem}." in line
        ]
        assert all(line.count("\n") == 0 for line in uses) and len([u for u in uses if "simulate" not in u]) <= LINES, (
            uses
        )


def test_the_page_runs_in_python(folder: Path) -> None:
    """All programs of the page in their order; what they compute is checked."""
    programs = "\n".join(PROGRAM.findall(FILE.sub("", TEXT)))
    (folder / "program.py").write_text(
        programs
        + "\nimport json\nassert gait.angles(robot, 0.7).shape == (11,)\n"
        + "assert np.abs(same.angles(robot, 0.7) - gait.angles(robot, 0.7)).max() < 1e-9\n"
        + "assert 0.0 < run.metrics['head_sway'] < 1.0 and all(r.status.ok for r in (run, steered, rolled, over))\n"
        + "both = [sp.simulate(robot, g, sp.World(law), duration=0.5).metrics['com_dx'] for g in (gait, same)]\n"
        + "assert abs(both[0] - both[1]) < 1e-6 and run.metrics['com_distance'] > 0.02\n"
        + "heights = hills.heights\n"
        + "assert abs(heights.heights[7, 11] - 0.03 * np.sin(3 * (-1 + 11 * 0.05)) * np.cos(2 * (-1 + 7 * 0.05))) < 1e-12\n"
        + "print(json.dumps(run.scenario['gait']), run.metrics['com_dx'])\n"
    )
    done = subprocess.run([sys.executable, "program.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_commands_of_the_page_run(folder: Path) -> None:
    commands = COMMAND.findall(TEXT)
    assert len(commands) >= 4
    for line in commands:
        done = subprocess.run(
            [sys.executable, "-m", "serpenoid", *line.split(), "--json"], cwd=folder, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["status"] == "ok"


def test_a_scenario_never_runs_code_by_itself(folder: Path) -> None:
    for name in ("my_run.toml", "my_steering.toml", "my_rolling.toml"):
        done = subprocess.run(
            [sys.executable, "-m", "serpenoid", "run", name, "--json"], cwd=folder, capture_output=True, text=True
        )
        assert done.returncode == 2 and "--allow" in json.loads(done.stdout)["error"], done.stdout


def test_files_and_python_agree(folder: Path) -> None:
    """The scenario and the objects give the same run, bit for bit; a saved one is resumed with the same modules."""
    code = (
        "import serpenoid as sp, my_robot, my_gait, my_law, json, numpy as np\n"
        "a = sp.run_scenario('my_run.toml', allow=('my_robot', 'my_gait', 'my_law'))\n"
        "law = sp.contact.CustomLaw(function=my_law.stribeck, parameters=[0.6, 0.4, 0.1])\n"
        "gait = sp.gaits.CustomGait(my_gait.ripple, parameters=[0.4, -6.0, 0.7])\n"
        "b = sp.simulate(my_robot.worm(), gait, sp.World(law), duration=2.0)\n"
        "assert np.array_equal(a['com'], b['com'])\n"
        "part = sp.simulate(my_robot.worm(), gait, sp.World(law), duration=2.0, until=0.7)\n"
        "part.save('part.nc')\n"
        "print(b.metrics['com_dx'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    words = ["run", "--resume", "part.nc", "--json", "--out", "rest", "--allow", "my_gait", "--allow", "my_law"]
    rest = subprocess.run([sys.executable, "-m", "serpenoid", *words], cwd=folder, capture_output=True, text=True)
    assert rest.returncode == 0, rest.stderr
    assert json.loads(rest.stdout)["metrics"]["com_dx"] == float(done.stdout)
    assert np.isfinite(float(done.stdout))
