"""The house itself: names resolve, imports stay light, nothing dangerous is shipped, robots creep."""

from __future__ import annotations

import ast
import importlib
import json
import re
import tomllib
from pathlib import Path

import pytest

import serpenoid as sp
from serpenoid.simulation.metrics import METRICS

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "serpenoid").rglob("*.py"))
MODULES = [".".join(p.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__") for p in SOURCES]


@pytest.mark.parametrize("name", MODULES)
def test_module_imports_and_its_names_resolve(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__, f"{name} has no docstring"
    for public in getattr(module, "__all__", []):
        assert getattr(module, public) is not None


def test_no_code_runs_on_load() -> None:
    """No pickle, eval, exec, shell: results and scenarios are data."""
    forbidden = {"pickle", "marshal", "shelve", "dill"}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert not forbidden & {a.name.split(".")[0] for a in node.names}, path
            if isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] not in forbidden, path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec"), path
            if isinstance(node, ast.keyword):
                assert node.arg not in ("shell", "allow_pickle"), path


def test_files_and_functions_stay_small() -> None:
    for path in SOURCES:
        text = path.read_text()
        assert len(text.splitlines()) <= 400, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno - node.lineno <= 60, f"{path}:{node.name}"


def pins(name: str) -> set[str]:
    """The pinned packages of a lock file, which names no host and hashes every one."""
    text = (ROOT / name).read_text()
    assert "://" not in text and "--index" not in text
    packages = [line for line in text.splitlines() if line and not line.startswith((" ", "#"))]
    assert packages and all(line.endswith("\\") for line in packages)
    return {line.removesuffix("\\").partition(";")[0].strip() for line in packages}


def test_locks_name_no_host_and_the_one_for_running_is_part_of_the_other() -> None:
    """Each has what it is for, in the same versions: `make run` installs the smaller, the checks the rest."""
    runs, all_of_it = pins("requirements-run.lock"), pins("requirements.lock")
    assert runs < all_of_it
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["checkout"]]
    names = {re.split(r"[<>=!~\[; ]", one)[0] for one in wanted}
    assert names <= {pin.partition("==")[0] for pin in runs}


@pytest.mark.parametrize("name", [n for n, make in sp.robots.ROBOTS.items() if make().joints == "yaw"])
def test_every_planar_robot_creeps(name: str) -> None:
    robot = sp.robots.ROBOTS[name]()
    assert robot.name == name and robot.source
    gait = sp.gaits.Serpenoid(0.8, 2.0, speed=0.5 * robot.length)
    run = sp.simulate(robot, gait, sp.World(sp.contact.Coulomb(0.05, 0.7)), duration=4.0)
    assert run.status.ok and run.metrics["com_forward"] > 0.3 * robot.length


@pytest.mark.parametrize("law", list(sp.contact.LAWS))
@pytest.mark.parametrize("gait", list(sp.gaits.GAITS))
def test_every_law_with_every_gait(law: str, gait: str) -> None:
    """One contract: any gait on any law ends ok, with every metric, finite, and a balance that closes."""
    import numpy as np

    from serpenoid.formats.scenario import read
    from serpenoid.simulation.run import execute
    from serpenoid.simulation.setup import setup_of

    times = np.linspace(0, 1, 11).tolist()
    planar = {
        "serpenoid": {"waves": 1.5, "winding_angle_deg": 40.0, "speed": 0.5},
        "standing-wave": {"waves": 1.5, "amplitude": 0.5, "frequency": 5.0},
        "sampled": {"times": times, "values": [[0.3 * np.sin(5 * t + i) for i in range(19)] for t in times]},
        "custom": {"function": "cases:own_angle", "parameters": [0.3, 5.0, 1.0], "cycle": 0.4 * np.pi},
        "function": {"function": "cases:own_angles"},
        "sequence": {
            "parts": [{"kind": "serpenoid", "waves": 1.5, "winding_angle": a, "speed": 0.4} for a in (0.4, 0.8)],
            "times": [0.4],
            "blend": 0.3,
        },
    }
    assert set(planar) | set(sp.gaits.WAVE_GAITS) == set(sp.gaits.GAITS)
    scenario = read("ma2001-case-two", ["run.duration=1.0"])
    plain = {name: scenario["world"]["friction"][name] for name in ("along", "across")} if law != "none" else {}
    scenario["world"]["friction"] = {"law": law, **plain}
    keys = {**scenario, "gait": {"kind": gait, **planar.get(gait, {"ramp": 0.2})}}
    if law == "custom":
        keys["world"]["friction"] |= {
            "function": "cases:own_law",
            "parameters": [0.1, 0.6],
            "along": 1.0,
            "across": 1.0,
        }
    if gait in sp.gaits.WAVE_GAITS:  # a bent body on a ground, or round a pole
        keys["robot"] = {"preset": "alternating", "links": 24, "link_length": 0.06, "radius": 0.02, "servo": {}}
        pole = {"kind": "cylinder", "base": [0.0, 0.0, 0.0], "radius": 0.08, "length": 1.0}
        keys["world"] |= {"ground": {}, "obstacles": [pole] if gait == "pole-climbing" else []}
        if law in ("threshold", "bristle"):
            keys["world"]["friction"] |= {"static_across": 0.6}  # breakaway by the weight that a contact carries
        if gait == "compound-serpenoid":
            waves = {"spatial_deg": 40.0, "amplitude_deg": 20.0, "temporal": 5.0}
            keys["gait"] |= {f"{axis}_{name}": value for axis in ("yaw", "pitch") for name, value in waves.items()}
        keys["run"] |= {"duration": 0.3, "step": 1e-3}
    run = execute(setup_of(keys, allow=("cases",)))
    assert run.status.ok and set(run.metrics) == set(METRICS)
    assert all(v is None or np.isfinite(v) for v in run.metrics.values())
    m = run.metrics
    changes = ("kinetic_energy_change", "potential_energy_change")
    parts = (*changes, "friction_loss", "damping_loss", "stop_loss", "ground_loss", "self_contact_loss", "scheme_loss")
    assert abs(m["net_work"] - sum(m[part] for part in parts)) < 1e-9 * m["positive_work"] + 1e-12
    assert m["positive_work"] > 1e-3
    json.dumps(run.scenario)
