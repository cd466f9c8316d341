"""What the page shows: scenarios, trajectories, sweeps, studies and shapes as plain JSON, numbers packed as base64.

An item is a dict with a `kind`; the page's own reader knows the same five kinds. Arrays are little-endian float32: a picture needs no
more, and a file stays small. Frames beyond `MOST_FRAMES` are thinned out evenly, and the item says so.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.core import Robot, Trajectory
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.simulation.commands import kind_of_command
from serpenoid.simulation.setup import Setup, setup_of

MOST_FRAMES = 1200
FRAMES = {  # variables of a trajectory by the page's names
    "time": "time", "node": "node", "axis": "link_axis", "back": "link_back", "com": "com", "heading": "heading", "joint_angle": "joint_angle",
    "joint_rate": "joint_rate", "joint_torque": "joint_torque", "contact_force": "contact_force", "contact_point": "contact_point",
    "normal_force": "normal_force", "slip_along": "contact_velocity_along", "slip_across": "contact_velocity_across", "power": "power",
    "slip": "slip", "contact_count": "contact_count", "wall_force": "wall_force", "wall_point": "wall_point", "anchor_on": "anchor_on",
}  # fmt: skip
PLAIN_KINDS = ("gait", "drive")  # of commands that the page's own physics carries out


@door
def item_of(thing: Any, name: str | None = None) -> dict[str, Any]:
    """The item of a scenario (`formats.scenario.read`), a `Setup` or a `Trajectory`."""
    if isinstance(thing, Trajectory):
        return trajectory_item(thing, name or "run")
    if isinstance(thing, Setup):
        return scenario_item(thing.keys(), thing, name or thing.title or "scenario")
    if isinstance(thing, Mapping):
        return scenario_item(thing, setup_of(thing), name or "scenario")
    raise InputError(f"the page shows scenarios and trajectories, got {type(thing).__name__}")


def plain(value: Any) -> Any:
    """The same in what JSON has: lists, texts, finite numbers (others become None)."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(inner) for inner in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def packed(array: Any) -> dict[str, Any]:
    """An array as shape and base64 of little-endian float32."""
    with np.errstate(over="ignore"):  # of a run that diverged: infinite
        numbers = np.ascontiguousarray(array, dtype="<f4")
    return {"shape": list(numbers.shape), "dtype": "f4", "data": base64.b64encode(numbers.tobytes()).decode()}


def why_not_in_page(setup: Setup) -> str:
    """Why the page cannot compute a run by itself; empty if it can."""
    kind = kind_of_command(setup.command)
    if kind == "plan":
        return "a plan is computed by the local server: start `serpenoid studio`"
    if kind == "controller":
        return "a controller is a Python function, which a page cannot call: start `serpenoid studio`"
    if kind is not None and kind not in PLAIN_KINDS:
        return f"the page does not know a {kind}"
    for what, thing in (
        ("gait", setup.command),
        ("friction law", setup.world.friction),
        ("first posture", setup.posture),
    ):
        if thing is not None and not type(thing).__module__.startswith("serpenoid."):
            return f"the {what} {type(thing).__name__} is compiled from your own module, which a page cannot do: start `serpenoid studio`"
        if getattr(thing, "NAME", "") in ("custom", "function"):
            return f"the {what} calls a function of your own, which a page cannot do: start `serpenoid studio`"
    if setup.settings.integrator != "implicit":
        return f"the page takes implicit steps; this run asks for {setup.settings.integrator}"
    return ""


def scenario_item(data: Mapping[str, Any], setup: Setup, name: str) -> dict[str, Any]:
    """A scenario with its description, and whether the page can run it by itself."""
    why = why_not_in_page(setup)
    title = str(data.get("title") or setup.title or name)
    return {
        "kind": "scenario",
        "name": name,
        "title": title,
        "description": plain(data),
        "runnable": not why,
        "why": why,
    }


def frames_of(run: Trajectory, most: int = MOST_FRAMES) -> dict[str, Any]:
    """The frames of a run for the page, thinned out to `most`."""
    count = len(run["time"])
    every = max(1, math.ceil((count - 1) / max(most - 1, 1)))
    keep = np.unique(np.append(np.arange(0, count, every), count - 1))
    arrays = {
        name: packed(run.variables[variable].data[keep])
        for name, variable in FRAMES.items()
        if variable in run.variables and run.variables[variable].dims[0] == "time"
    }
    return {"count": len(keep), "recorded": count, "links": run["node"].shape[1] - 1, "arrays": arrays}


def trajectory_item(run: Trajectory, name: str, most: int = MOST_FRAMES) -> dict[str, Any]:
    """A run: frames, metrics with units, status, warnings, events, description."""
    from serpenoid.simulation.metrics import METRICS

    status = {"name": run.status.name, "message": run.status.message, "time": plain(run.status.time)}
    events = [{"time": e.time, "kind": e.kind, "text": e.text, "data": plain(e.data)} for e in run.events]
    return {
        "kind": "trajectory", "name": name, "title": str(run.scenario.get("title") or name), "description": plain(run.scenario),
        "status": status, "warnings": list(run.warnings), "metrics": plain(run.metrics), "reasons": plain(run.reasons),
        "units": {key: METRICS[key].unit for key in run.metrics if key in METRICS}, "events": events,
        "provenance": plain(run.provenance), "frames": frames_of(run, most),
    }  # fmt: skip


def store_item(dataset: Any, name: str, base: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A sweep as a map: dimensions with their values, metrics over them, and the description that the cells change."""
    dims = [
        {
            "name": str(dim), "unit": str(dataset[dim].attrs.get("units", "")), "meaning": str(dataset[dim].attrs.get("long_name", dim)),
            "values": plain(np.asarray(dataset[dim].values)),
        }
        for dim in dataset.dims
        if dim in dataset.coords
    ]  # fmt: skip
    names = [dim["name"] for dim in dims]
    metrics = {
        str(key): {
            "unit": str(array.attrs.get("units", "")), "meaning": str(array.attrs.get("long_name", key)),
            "values": packed(array.transpose(*names).values),
        }
        for key, array in dataset.data_vars.items()
        if array.dtype.kind in "fiu" and set(array.dims) == set(names)
    }  # fmt: skip
    if not dims or not metrics:
        raise InputError(f"{name}: a sweep without axes or metrics cannot be shown as a map")
    return {"kind": "store", "name": name, "title": name, "dims": dims, "metrics": metrics, "base": plain(base or {})}


def still(node: Any, back: Any) -> dict[str, Any]:
    """Frames of something that does not move: places of its nodes (n+1, 3), directions of its backs (n, 3)."""
    node, back = np.asarray(node, dtype=float), np.asarray(back, dtype=float)
    along = np.diff(node, axis=0)
    axis = along / np.linalg.norm(along, axis=1, keepdims=True)
    arrays = {"time": [0.0], "node": node[None], "axis": axis[None], "back": back[None], "com": node.mean(axis=0)[None]}
    return {"count": 1, "recorded": 1, "links": len(axis), "arrays": {name: packed(a) for name, a in arrays.items()}}


def robot_item(robot: Robot) -> dict[str, Any]:
    """A robot lying straight."""
    places = np.zeros((robot.links + 1, 3))
    places[1:, 0] = np.cumsum(robot.link_length)
    return {
        "kind": "shape", "name": robot.name, "title": f"{robot.name}: {robot.links} links, {robot.length:.4g} m, {robot.mass:.4g} kg",
        "description": {"robot": plain(robot.keys())}, "frames": still(places, np.tile([0.0, 0.0, 1.0], (robot.links, 1))),
    }  # fmt: skip


def shape_item(shape: Any, points: int = 200) -> dict[str, Any]:
    """A shape or a traced curve."""
    curve = shape.trace() if hasattr(shape, "trace") else shape
    fine = curve.at(np.linspace(curve.s[0], curve.s[-1], points + 1))
    name = str(curve.shape.name)
    title = f"{name}: {curve.shape.model().name}, {float(curve.s[-1] - curve.s[0]):.4g} m"
    return {
        "kind": "shape", "name": name, "title": title, "description": {}, "frames": still(fine.position, fine.frame[:-1, :, 2]),
    }  # fmt: skip


def study_item(name: str, folder: Path) -> dict[str, Any]:
    """A study's figures and claims, from the folder of its results."""
    claims: list[Any] = []
    for file in sorted(folder.glob("*.json")):
        data = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(data, dict) and isinstance(data.get("claims"), list):
            claims = data["claims"]
    figures = [
        {"name": file.stem, "png": base64.b64encode(file.read_bytes()).decode()}
        for file in sorted(folder.glob("*.png"))
    ]
    return {"kind": "study", "name": name, "title": name, "figures": figures, "claims": plain(claims)}


def opened(
    name: str, *, changes: list[str] | None = None, allow: tuple[str, ...] = (), outside: bool = False
) -> dict[str, Any]:
    """The item of what a user names: a bundled scenario or TOML file, a trajectory file or result folder, a store of a sweep."""
    from serpenoid.formats.scenario import bundled, read

    path = Path(name)
    if name not in bundled() and path.is_dir() and (path / "trajectory.nc").is_file():
        path = path / "trajectory.nc"
    if name not in bundled() and path.suffix == ".nc":
        from serpenoid.formats.trajectory import load

        return trajectory_item(load(path), path.parent.name or path.stem)
    if name not in bundled() and path.is_dir():
        from serpenoid.sweeps.dataset import open_store

        dataset = open_store(path)
        return store_item(dataset, path.name, json.loads(dataset.attrs.get("scenario", "{}")))
    data = read(name, changes, allow=allow, outside=outside)
    return scenario_item(data, setup_of(data), path.stem)
