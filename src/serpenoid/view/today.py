"""For the time of the rebuilding only: results in today's variables and classes as Trajectories with the new variables.

Delete this file, and every import of it, when all engines record the new variables.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.core import Status, Trajectory, Variable

VECTORS = {"com": "com", "com_velocity": "com_velocity", "node": "node", "axis": "link_axis", "back": "link_back",
           "contact_force": "contact_force"}  # fmt: skip


def renewed(run: Trajectory) -> Trajectory:
    """The same run with the new variables."""
    old = run.variables
    if "node_x" not in old:
        return run
    spatial = "node_z" in old
    new = {k: v for k, v in old.items() if k[-2:] not in ("_x", "_y", "_z")}
    names = {**VECTORS, "contact": "link_com" if spatial else "contact_point"}
    for before, after in names.items():
        if f"{before}_x" in old:
            x = old[f"{before}_x"]
            parts = [old[f"{before}_{e}"].data if f"{before}_{e}" in old else 0.0 * x.data for e in "xyz"]
            new[after] = Variable((*x.dims, "xyz"), np.stack(parts, axis=-1), x.units, x.long_name)
    for before, after in (("axis_joint", "dof_joint"), ("axis_kind", "dof_kind")):
        if before in old:
            new[after] = new.pop(before)
    if not spatial:
        new.pop("roll", None)
    return Trajectory(new, run.metrics, run.status, run.warnings, run.scenario, run.provenance, run.state)


def _vectors(values: Any, dims: tuple[str, ...], unit: str) -> Variable:
    flat = np.asarray(values, dtype=float)
    if flat.shape[-1] == 2:
        flat = np.concatenate([flat, np.zeros((*flat.shape[:-1], 1))], axis=-1)
    return Variable((*dims, "xyz"), flat, unit, "")


def of_passage(run: Any, walls: Any, cell: float, origin: tuple[float, float] = (0.0, 0.0)) -> Trajectory:
    """An executed path (`control.feeder.Passage`) among solid cells."""
    n = len(run.radius)
    variables = {
        "time": Variable(("time",), run.time, "s", ""),
        "node": _vectors(run.nodes, ("time", "node"), "m"),
        "com": _vectors(run.nodes.mean(axis=1), ("time",), "m"),
        "joint_torque": Variable(("time", "dof"), run.torques, "N m", ""),
        "wall_force": _vectors(run.wall_force, ("time", "link"), "N"),
        "wall_point": _vectors(run.wall_place, ("time", "link"), "m"),
        "lateral_error": Variable(("time",), run.lateral_error, "m", ""),
        "path": _vectors(run.track, ("path_point",), "m"),
    }
    if run.kind == "feed":
        variables["feed_force"] = Variable(("time",), run.feed_force, "N", "")
    grid = {"kind": "grid", "cells": np.asarray(walls, dtype=bool), "cell": cell, "origin": origin}
    scenario = {"robot": {"radius": np.broadcast_to(run.radius, (n,)).tolist()}, "world": {"obstacles": [grid]}}
    about = {"robot": run.kind, "drive": run.kind}
    status = Status("ok" if run.status == "reached" else run.status, getattr(run, "reason", ""))
    return Trajectory(variables, {}, status, tuple(getattr(run, "warnings", ())), scenario, about, {})


def obstacle_keys(item: Any) -> dict[str, Any]:
    """An upright obstacle of a plan as a description."""
    kind = type(item).__name__.lower()
    return {"kind": kind, **{k: getattr(item, k) for k in vars(item)}}


def of_executed(run: Any, plan: Any) -> Trajectory:
    """An executed concertina plan (`control.concertina.Executed`) among the plan's obstacles."""
    links = [1, 2, 3, 4, 5, 6, 7, 7]
    forces = getattr(run, "pin_forces", None)
    peaks = np.broadcast_to(np.asarray(run.pin_force_max)[None, :, None] * [1.0, 0.0, 0.0], (len(run.time), 8, 3))
    pinned = np.asarray(run.pinned, dtype=float)
    variables = {
        "time": Variable(("time",), run.time, "s", ""),
        "node": _vectors(run.nodes, ("time", "node"), "m"),
        "com": _vectors(run.nodes.mean(axis=1), ("time",), "m"),
        "joint_torque": Variable(("time", "dof"), run.torques, "N m", ""),
        "anchor_set": Variable(("time", "anchor"), pinned[:, [k - 1 for k in links]], "1", ""),
        "path": _vectors(plan.nodes(30)[:, -1], ("path_point",), "m"),
        "anchor_force": _vectors(peaks if forces is None or np.ndim(forces) != 3 else forces, ("time", "anchor"), "N"),
    }
    anchors = [
        {"link": k - 1, "at": s * plan.lengths[k - 1], "hold": 0.0}
        for k, s in zip(links, (*[0.5] * 6, 0.2, 0.8), strict=True)
    ]
    world = {"obstacles": [obstacle_keys(o) for o in plan.obstacles], "anchors": anchors}
    scenario = {"robot": {"radius": plan.half_width}, "world": world, "plan": {"target": list(plan.target)}}
    state = getattr(run, "status", "done")
    status = Status("ok" if state == "done" else state)
    about = {"robot": "concertina", "drive": "concertina"}
    return Trajectory(variables, {}, status, (), scenario, about, {})


def of_motion(motion: Any, link_length: Any, radius: Any, world: Any = None) -> Trajectory:
    """A motion by another engine (`peers.motion.Motion`)."""
    place, axis = (np.asarray(getattr(motion, k), dtype=float) for k in ("place", "axis"))
    lengths = np.broadcast_to(np.asarray(link_length, dtype=float), (place.shape[1],))
    node = np.concatenate([place, place[:, -1:] + lengths[-1] * axis[:, -1:]], axis=1)
    variables = {
        "time": Variable(("time",), np.asarray(motion.time, dtype=float), "s", ""),
        "node": _vectors(node, ("time", "node"), "m"),
        "link_axis": _vectors(axis, ("time", "link"), "1"),
        "link_back": _vectors(motion.back, ("time", "link"), "1"),
        "com": _vectors(motion.com, ("time",), "m"),
    }
    count = np.asarray(getattr(motion, "contacts", ()), dtype=float)
    if count.shape == variables["time"].data.shape:
        variables["contact_count"] = Variable(("time",), count, "1", "")
    keys: dict[str, Any] = {
        "robot": {"radius": np.broadcast_to(np.asarray(radius, dtype=float), lengths.shape).tolist()}
    }
    keys["world"] = {"ground": {}, "obstacles": []} if world is None else world_keys(world)
    variables["roll"] = Variable(("time",), np.zeros(len(count) or len(node)), "rad", "")
    note = str(getattr(motion, "note", ""))
    about = {"engine": str(getattr(motion, "engine", "motion")), "robot": "robot", "note": note}
    return Trajectory(variables, {}, Status("ok"), (), keys, about, {})


def world_keys(world: Any) -> dict[str, Any]:
    """A world as a description, as far as it is drawn."""
    ground = world.ground
    keys = {} if ground is None else {k: getattr(ground, k) for k in ("model", "plane", "points", "slope", "slope_direction", "heights")}  # fmt: skip
    return {"ground": keys, "obstacles": [obstacle_keys(o) for o in world.obstacles]}


def runs_of(runs: Any, link_length: Any = 0.0, radius: Any = 0.0, world: Any = None) -> list[Trajectory]:
    """Trajectories of a list that may hold motions by other engines."""
    return [renewed(run) if isinstance(run, Trajectory) else of_motion(run, link_length, radius, world) for run in runs]


def executed_run(run: Any) -> Trajectory:
    """An executed concertina plan as a Trajectory, without its plan."""
    if isinstance(run, Trajectory):
        return run
    from types import SimpleNamespace

    none = SimpleNamespace(
        nodes=lambda _: np.zeros((1, 8, 2)), lengths=np.ones(7), obstacles=(), half_width=0.0, target=(0.0, 0.0)
    )
    return of_executed(run, none)


def executed_film(executed: Any, plan: Any, path: Any, *, fps: float = 24.0, size: Any = "720p", speed: float | None = None, progress: Any = None) -> Any:  # fmt: skip
    """A film of an executed concertina plan."""
    from serpenoid.view.film import film

    return film(of_executed(executed, plan), path, fps, size, speed, progress=progress)


def map_film(run: Any, walls: Any, cell: float, path: Any, fps: float = 30, size: Any = "720p", speed: float | None = None, *, origin: Any = (0.0, 0.0), progress: Any = None) -> Any:  # fmt: skip
    """A film of an executed path."""
    from serpenoid.view.film import film

    return film(of_passage(run, walls, cell, origin), path, fps, size, speed, progress=progress)


def passage_figure(run: Any, file: Any) -> Any:
    """Forces, torques and lateral error of an executed path."""
    from serpenoid.view import style
    from serpenoid.view.figure import plot

    return style.save(plot(of_passage(run, np.zeros((1, 1)), 1.0)), file)
