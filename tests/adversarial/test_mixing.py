"""Whatever decides the numbers of a sweep is part of what it is: modules of one's own, packages, files that an axis names."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.core.errors import InputError
from serpenoid.sweeps.identity import sources
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
        with pytest.raises(InputError, match=r"modules\.own_factor"):
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
        with pytest.raises(InputError, match=r"modules\.own_package is"):
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
    with pytest.raises(InputError, match=r"holds another sweep: files\."):
        sweep(tmp_path / "s", over=over)
