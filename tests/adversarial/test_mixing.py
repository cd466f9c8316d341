"""Whatever decides the numbers of a sweep is part of what it is: modules of one's own, packages, files that an axis names."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core.errors import InputError
from serpenoid.sweeps.axes import axes_of
from serpenoid.sweeps.identity import files_named, sources
from sweep_cases import sweep


def test_the_source_of_own_modules_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A metric of one's own, and what its module imports."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_factor.py").write_text("FACTOR = 2.0\n")
    (tmp_path / "own_metric.py").write_text(
        "import own_factor\n\ndef far(run):\n    return own_factor.FACTOR * run.metrics['com_distance']\n"
    )
    more = {"metrics": ["com_distance", "own_metric:far"], "allow": ("own_metric",)}
    with pytest.raises(InputError, match="--allow own_metric"):
        sweep(tmp_path / "s", metrics=["own_metric:far"])
    try:
        data = sweep(tmp_path / "s", **more).dataset
        assert (data["far"] == 2.0 * data["com_distance"]).all()
        assert sweep(tmp_path / "s", **more).computed == 0
        (tmp_path / "own_factor.py").write_text("FACTOR = 3.0\n")
        importlib.reload(sys.modules["own_factor"])
        with pytest.raises(InputError, match=r"own_factor\.py was changed since"):
            sweep(tmp_path / "s", **more)
    finally:
        sp.simulation.metrics.METRICS.pop("far", None)
        for name in ("own_metric", "own_factor"):
            sys.modules.pop(name, None)


def test_packages_and_stale_modules_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package's own file is source too; a file that was changed after its module was loaded is refused, since the old code runs."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_package").mkdir()
    (tmp_path / "own_package" / "__init__.py").write_text("FACTOR = 2.0\n")
    (tmp_path / "own_package" / "inner.py").write_text(
        "import own_package\n\ndef farther(run):\n    return own_package.FACTOR * run.metrics['com_distance']\n"
    )
    more = {"metrics": ["own_package.inner:farther"], "allow": ("own_package.inner",)}
    try:
        sweep(tmp_path / "s", **more)
        assert {"own_package", "own_package.inner"} <= sources(["own_package.inner"]).keys()
        (tmp_path / "own_package" / "__init__.py").write_text("FACTOR = 3.0\n")
        with pytest.raises(InputError, match="changed since the module own_package was loaded"):
            sweep(tmp_path / "t", **more)
        assert not (tmp_path / "t").exists()
        for name in ("own_package", "own_package.inner"):
            sys.modules.pop(name)
        with pytest.raises(InputError, match=r"own_package/__init__\.py was changed since"):
            sweep(tmp_path / "s", **more)
    finally:
        sp.simulation.metrics.METRICS.pop("farther", None)
        for name in ("own_package", "own_package.inner"):
            sys.modules.pop(name, None)
    assert sources(["serpenoid.studies.atlas.cells"])  # a function of ours outside the rooms that compute


def test_files_that_an_axis_names_count(tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("low.csv", "high.csv")]
    for name, factor in zip(files, (1.0, 2.0), strict=True):
        np.savetxt(name, np.full((3, 3), factor), delimiter=",")
    over = {"world.friction_map.file": files, "world.friction_map.cell": [0.5], "gait.winding_angle_deg": [41.3]}
    losses = sweep(tmp_path / "s", over=over).dataset["friction_loss"].values.ravel()
    assert losses[0] != losses[1]
    np.savetxt(files[1], np.full((3, 3), 5.0), delimiter=",")
    with pytest.raises(InputError, match=r"holds another sweep: .*\.csv was changed since"):
        sweep(tmp_path / "s", over=over)


def test_files_in_tables_and_by_functions_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that names a file counts as its key does; a file that only a function names is refused, one that an axis gives it counts."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_ground.py").write_text(
        "def hidden(place):\n    return {'world.friction_map': {'file': NAME, 'cell': 0.5}}\n\n"
        "def told(place):\n    return {'world.friction_map': {'file': place['ground'], 'cell': place['cell']}}\n\n"
        f"NAME = {str(tmp_path / 'low.csv')!r}\n"
    )
    name, allow = str(tmp_path / "low.csv"), ("own_ground",)
    asked = {
        "table": {"over": {"world.friction_map": [{"file": name, "cell": 0.5}], "gait.winding_angle_deg": [41.3]}},
        "told": {"over": {"ground": [name], "cell": [0.5]}, "through": "own_ground:told", "allow": allow},
    }
    for how, more in asked.items():
        np.savetxt(name, np.full((3, 3), 2.0), delimiter=",")
        assert (sweep(tmp_path / how, **more).dataset["status"] == "ok").all()
        assert sweep(tmp_path / how, **more).computed == 0
        np.savetxt(name, np.full((3, 3), 5.0), delimiter=",")
        with pytest.raises(InputError, match=r"holds another sweep: .*\.csv was changed since"):
            sweep(tmp_path / how, **more)
    with pytest.raises(InputError, match="let an axis name it"):
        sweep(tmp_path / "h", over={"anything": [1, 2]}, through="own_ground:hidden", allow=allow)


def test_meshes_of_a_robot_count(tmp_path: Path) -> None:
    """A robot's file names its meshes: what is in them decides its numbers."""
    pytest.importorskip("mujoco")
    corner = "v {0} 0 0\nv 0 {0} 0\nv 0 0 {0}\nv 0 0 0\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n"
    link = '<geom type="mesh" mesh="link"/>'
    (tmp_path / "robot.xml").write_text(
        f'<mujoco><asset><mesh name="link" file="link.obj"/></asset><worldbody><body><freejoint/>{link}'
        f'<body pos="0.2 0 0"><joint axis="0 0 1"/>{link}</body></body></worldbody></mujoco>'
    )
    found = []
    for size in (0.1, 0.2):
        (tmp_path / "link.obj").write_text(corner.format(size))
        found.append(files_named({}, axes_of({"robot.file": [str(tmp_path / "robot.xml")]})))
    assert found[0] and found[0] != found[1]


STATEFUL = """
from serpenoid.control import Controller
from serpenoid.core import Description, declare, description
from serpenoid.core.quantities import Number


@description(eq=False)
class Counting(Description, Controller):
    \"\"\"Bends a little more at each call: what it remembers is in the object alone.\"\"\"

    TAG, SECTION, NAME = "kind", "controller", "counting"
    period: float = declare(Number("between two calls", "s", above=0.0), default=0.002)

    def command(self, state, t):
        object.__setattr__(self, "calls", getattr(self, "calls", 0) + 1)
        return [0.002 * self.calls * t] * len(state.joint_angles)
"""


def test_what_a_controller_remembers_stays_in_its_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_counting.py").write_text(STATEFUL)
    changes = ["run.duration=0.02", "run.step=0.001", "robot.links=3"]
    (tmp_path / "run.toml").write_text(
        '[robot]\npreset = "ma2001"\n[controller]\nkind = "own_counting:Counting"\n[run]\nduration = 1.0\n'
    )
    base, places = str(tmp_path / "run.toml"), [0.1, 0.2, 0.3, 0.4, 0.5]
    more = {"base": base, "changes": changes, "over": {"world.gravity": places}, "allow": ("own_counting",)}
    values = sweep(tmp_path / "s", **more).dataset["torque_max"].values
    for value, gravity in zip(values, places, strict=True):
        run = sp.run_scenario(base, [*changes, f"world.gravity={gravity}"], allow=("own_counting",))
        assert run.metrics["torque_max"] == value
