"""The Python face: few names at the top, rooms that show what a user calls, help with units, nothing heavy before it is used."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
import types

import pytest

import serpenoid as sp

ROOMS = ("contact", "control", "core", "formats", "gaits", "optimise", "peers", "planar", "planning", "robots", "shapes", "simulation", "spatial", "studies", "sweeps", "view")  # fmt: skip
TOP = 14  # names at most, beside rooms and version


def test_few_names_at_the_top() -> None:
    names = [name for name in dir(sp) if not isinstance(getattr(sp, name), types.ModuleType)]
    assert len([name for name in names if not name.startswith("__")]) <= TOP
    for name in sp.__all__:
        assert getattr(sp, name) is not None
    assert sp.__version__.count(".") == 2


def test_the_version_has_one_source() -> None:
    import re
    from pathlib import Path

    root = Path(__file__).parents[2]
    assert 'dynamic = ["version"]' in (root / "pyproject.toml").read_text()
    done = subprocess.run([sys.executable, "-m", "serpenoid", "--version"], capture_output=True, text=True)
    assert done.stdout.strip() == sp.__version__
    assert re.search(rf"## {re.escape(sp.__version__)}\n", (root / "CHANGELOG.md").read_text())


@pytest.mark.parametrize("name", ROOMS)
def test_rooms_show_what_a_user_calls(name: str) -> None:
    """No kernels, no index constants, no modules of internals."""
    from numba.core.dispatcher import Dispatcher

    room = importlib.import_module(f"serpenoid.{name}")
    shown = [n for n in dir(room) if not n.startswith("__")]
    assert sorted(shown) == sorted(room.__all__)
    for item in shown:
        thing = getattr(room, item)
        assert not isinstance(thing, Dispatcher), f"{name}.{item} is a kernel"
        assert not (item.isupper() and isinstance(thing, int)), f"{name}.{item} is an index"
        assert not isinstance(thing, types.ModuleType) or (name, item) in PUBLIC_MODULES, f"{name}.{item} is a module"


PUBLIC_MODULES = {("simulation", "metrics"), ("planning", "maps"), ("robots", "servos"), ("formats", "files"), ("formats", "scenario"), ("formats", "trajectory"), ("view", "map"), ("shapes", "functions")}  # fmt: skip


def test_help_documents_parameters_and_units() -> None:
    text = inspect.getdoc(sp.simulate) or ""
    for name in inspect.signature(sp.simulate).parameters:
        if name != "tolerance":
            assert f"{name} :" in text, name
    assert "s (" in text or "s;" in text


def test_a_misspelt_name_is_suggested() -> None:
    with pytest.raises(AttributeError, match="did you mean simulate"):
        _ = sp.simulat


HEAVY = ("numba", "scipy", "matplotlib", "xarray", "h5py", "h5netcdf", "rich", "PIL", "cma", "starlette", "uvicorn", "mujoco", "pydrake", "pandas")  # fmt: skip


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("", ("numpy", *HEAVY)),
        ("; sp.robots.ma2001(links=8); sp.Start()", HEAVY),
        ("; sp.World(sp.contact.Coulomb(0.1, 0.5)); sp.gaits.Serpenoid(0.6, 2.0, speed=0.3)", ("matplotlib", "xarray", "h5py", "mujoco")),
    ],
    ids=["import", "a robot", "a world and a gait"],
)  # fmt: skip
def test_imports_are_light(code: str, absent: tuple[str, ...]) -> None:
    """Each package is loaded when it is first needed: describing loads less than running, running less than drawing."""
    code = f"import sys, serpenoid as sp{code}; print([m for m in {absent!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.strip() == "[]", done.stdout + done.stderr
