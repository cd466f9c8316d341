"""What is released: wheel and source archive carry the page and everything that is run from them; a missing extra is named with what it adds."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from serpenoid.studio import assets
from serpenoid.version import VERSION

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Wheel and source archive, as `make dist` makes them."""
    if assets.missing():
        if os.environ.get("CI", "").lower() in ("1", "true"):
            pytest.fail("the page is not built: run `make web`")
        pytest.skip("the page is not built")
    out = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "hatchling", "build", "-d", str(out)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


def test_wheel_and_archive_carry_page_scenarios_and_maps(dist: Path) -> None:
    wheel = set(zipfile.ZipFile(dist / f"serpenoid-{VERSION}-py3-none-any.whl").namelist())
    with tarfile.open(dist / f"serpenoid-{VERSION}.tar.gz") as packed:
        archive = set(packed.getnames())
    package = ROOT / "src" / "serpenoid"
    data = [f for folder in ("scenarios", "maps") for f in (package / folder).iterdir() if f.is_file()]
    needed = [f"serpenoid/studio/page/{name}" for name in assets.TYPES] + [
        str(f.relative_to(package.parent)) for f in [*data, *package.rglob("*.py"), package / "py.typed"]
    ]
    assert len(data) > 10
    assert not [name for name in needed if name not in wheel]
    assert not [name for name in needed if f"serpenoid-{VERSION}/src/{name}" not in archive]
    source = (
        "Makefile",
        "requirements.lock",
        "requirements-run.lock",
        "web/make.py",
        "web/stubs.zig",
        "docs/index.md",
        "tests/cases.py",
    )
    assert not [name for name in source if f"serpenoid-{VERSION}/{name}" not in archive]
    assert not [name for name in archive if "__pycache__" in name or "node_modules" in name or "/web/build/" in name]
    assert not [name for name in wheel if "__pycache__" in name or "node_modules" in name]


def test_the_citation_names_this_version() -> None:
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"version = {{{VERSION}}}" in (ROOT / "docs" / "cite.md").read_text()
    assert f"serpenoid-{VERSION}-py3-none-any.whl" in (ROOT / "docs" / "start.md").read_text()


EXTRAS = {  # extra: a package of it, and a command that needs it
    "engines": ("mujoco", ["compare", "sidewind", "--engines", "own,mujoco", "--set", "run.duration=0.1"]),
    "cluster": (
        "distributed",
        ["sweep", "creep", "--over", "gait.waves=1:2:1", "--executor", "dask", "--out", "store"],
    ),
    "mcap": ("rosbags", ["export", "creep", "--to", "rosbag", "--set", "run.duration=0.1"]),
    "gpu": ("numba_cuda", ["sweep", "creep", "--over", "gait.waves=1:2:1", "--executor", "gpu", "--out", "store"]),
}


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_missing_extra_is_named(extra: str, tmp_path: Path) -> None:
    package, words = EXTRAS[extra]
    code = f"import sys; sys.modules[{package!r}] = None; sys.argv = ['serpenoid', *{words!r}]; from serpenoid.__main__ import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert done.returncode == 2 and f"serpenoid[{extra}]" in said and "Traceback" not in said, said[-2000:]
