"""The page's engine run by node, and the same descriptions in Python: what both make of them, as arrays by name."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
WEB = ROOT / "web"


def tools() -> tuple[str, Path]:
    """Node and esbuild; where they are missing a test is skipped, unless SERPENOID_WEB=1 says that they must be there."""
    node, esbuild = shutil.which("node"), WEB / "node_modules" / ".bin" / "esbuild"
    if node is None or not esbuild.exists():
        text = "the page's engine needs node and the packages of web/ (make web)"
        if os.environ.get("SERPENOID_WEB"):
            pytest.fail(text)
        pytest.skip(text)
    return node, esbuild


@functools.cache
def build_kernels() -> None:
    """Build what of the kernels has changed, in a process of its own, as `make web` does."""
    subprocess.run([sys.executable, str(WEB / "make.py"), "--kernels"], check=True, cwd=WEB)


def in_node(folder: Path, program: str, *arguments: str) -> None:
    """Bundle a program of web/test and run it."""
    node, esbuild = tools()
    build_kernels()
    bundle = folder / f"{program}.mjs"
    command = [str(esbuild), str(WEB / "test" / f"{program}.ts"), "--bundle", "--format=esm", "--platform=node", f"--outfile={bundle}", "--log-level=error"]  # fmt: skip
    subprocess.run(command, check=True, cwd=WEB)
    subprocess.run([node, str(bundle), *arguments, str(WEB / "build" / "physics.wasm")], check=True, cwd=folder)


def page_runs(folder: Path, cases: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What the page makes of the cases (see web/test/dump.ts), by name; arrays are NumPy arrays."""
    given, out = folder / "cases.json", folder / "out"
    given.write_text(json.dumps(cases))
    in_node(folder, "dump", str(given), str(out))
    numbers = np.fromfile(f"{out}.bin")

    def array(place: dict[str, Any]) -> np.ndarray:
        size = int(np.prod(place["shape"]))
        return numbers[place["at"] : place["at"] + size].reshape(place["shape"])

    made = {}
    for told in json.loads(Path(f"{out}.json").read_text()):
        for group in ("arrays", "frames"):
            told[group] = {name: array(place) for name, place in told.get(group, {}).items()}
        made[told["name"]] = told
    return made


def simulation_of(description: dict[str, Any]) -> Any:
    """The simulation of a description at its start."""
    from serpenoid.simulation.setup import setup_of
    from serpenoid.simulation.simulation import Simulation
    from serpenoid.simulation.steps import grid

    setup = setup_of(description)
    dt, steps, stride = grid(setup, float(setup.settings.step))
    return Simulation.of(setup, step=dt, stride=stride), steps * dt


def arrays_of(sim: Any) -> dict[str, np.ndarray]:
    """All arrays that the kernels are given, by the names of the layouts."""
    found: dict[str, np.ndarray] = {}

    def look(name: str, value: Any) -> None:
        if isinstance(value, tuple):
            for key, item in zip(value._fields, value, strict=True):  # type: ignore[attr-defined]
                look(f"{name}.{key}", item)
        elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
            found[name] = value

    engine = sim._engine
    for name in ("constants", "state", "scratch"):
        look(name, getattr(engine, name))
    return found
