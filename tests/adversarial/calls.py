"""Every public call with arguments that work: what the attack on the Python interface starts from."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import serpenoid as sp
from serpenoid import control, core, formats, gaits, optimise, planning, shapes, sweeps, view

Call = tuple[Callable[..., Any], dict[str, Any]]


@cache
def run() -> Any:
    """A short run."""
    return sp.simulate(
        sp.robots.ma2001(links=4), gaits.Serpenoid(winding_angle=0.5, waves=1.0, speed=0.2), duration=0.02
    )


def swept(folder: Path) -> str:
    """A small store."""
    changes = ["run.duration=0.01", "robot.links=3"]
    sweeps.sweep("creep", {"gait.waves": [1]}, folder / "swept", changes=changes, metrics="com_distance")
    return str(folder / "swept")


def descriptions() -> dict[str, Call]:
    """Constructors of all descriptions that a user writes."""
    wave = {"winding_angle": 0.5, "waves": 1.2, "speed": 0.2}
    friction = {"along": 0.1, "across": 0.5}
    return {
        "Robot": (sp.Robot, {"links": 3, "link_length": 0.1, "link_mass": 0.2, "radius": 0.02, "joint_damping": 0.1, "joint_limit": 1.0, "locked": [1], "limp": [2], "name": "arm"}),
        "World": (sp.World, {"friction": sp.contact.Coulomb(0.1, 0.5), "gravity": 9.81, "edge_angle": 0.1, "ground": sp.Ground()}),
        "Ground": (sp.Ground, {"model": "capsule", "stiffness": 2e4, "damping": 50.0, "slope": 0.1, "slope_direction": 0.2, "points": 3}),
        "Patch": (sp.Patch, {"rectangle": (0, 0, 1, 2), "along": 0.1, "across": 0.3, "backward": 0.2}),
        "Start": (sp.Start, {"angles": [0.1, 0.2]}),
        "HeightField": (core.HeightField, {"heights": [[0, 1], [2, 3]], "cell": 0.1, "origin": (0.0, 0.1)}),
        "Cylinder": (core.Cylinder, {"base": (0, 0, 0), "radius": 0.1, "length": 1.0, "axis": (0, 0, 1)}),
        "Box": (core.Box, {"centre": (0, 0, 0), "size": (1, 1, 1), "yaw": 0.1}),
        "Pipe": (core.Pipe, {"point": (0, 0, 0), "radius": 0.1, "axis": (1, 0, 0)}),
        "Disc": (core.Disc, {"centre": (0.3, 0.4), "radius": 0.1}),
        "Polygon": (core.Polygon, {"points": ((0, 0), (1, 0), (0, 1))}),
        "Settings": (core.Settings, {"duration": 1.0, "step": 1e-3, "tolerance": 1e-3, "integrator": "implicit", "record_interval": 0.01}),
        "Servo": (core.Servo, {"stiffness": 10.0, "damping": 0.1, "torque_limit": 2.0, "backlash": 0.01}),
        "Coulomb": (sp.contact.Coulomb, {**friction, "backward": 0.2, "smoothing": 1e-3, "axes": "apart"}),
        "UnitSlip": (sp.contact.UnitSlip, friction),
        "Threshold": (sp.contact.Threshold, friction),
        "Bristle": (sp.contact.Bristle, friction),
        "Viscous": (sp.contact.Viscous, friction),
        "Serpenoid": (gaits.Serpenoid, wave),
        "StandingWave": (gaits.StandingWave, {"amplitude": 0.3, "waves": 1.2, "frequency": 1.0}),
        "Sidewinding": (gaits.Sidewinding, {"amplitude": 0.3}),
        "Sampled": (gaits.Sampled, {"times": [0, 1, 2, 3], "values": [[0], [0.1], [0.2], [0.1]]}),
        "SampledTorque": (control.SampledTorque, {"times": [0, 1, 2, 3], "values": [[0], [0.1], [0.2], [0.1]]}),
        "SineTorque": (control.SineTorque, {"amplitude": 1.0, "frequency": 1.0, "phase_per_joint": 0.3}),
        "Controller": (control.Controller, {"function": lambda state, t: None, "period": 0.02}),
        "ConcertinaPlan": (planning.ConcertinaPlan, {"target": (2.0, 1.0)}),
    }  # fmt: skip


def functions(folder: Path) -> dict[str, Call]:
    """Public functions; files are written below the folder."""
    robot, gait = sp.robots.ma2001(links=4), gaits.Serpenoid(winding_angle=0.5, waves=1.0, speed=0.2)
    shape = shapes.planar(2.0, 1.0)
    curve = shape.trace(20)
    saved = run().save(folder / "saved.nc")
    area = planning.maps.read("two-walls")
    both = [run(), run()]
    table: dict[str, Call] = {
        "simulate": (sp.simulate, {"robot": robot, "command": gait, "world": sp.World(), "duration": 0.01, "start": sp.Start(), "step": 1e-3, "tolerance": 1e-3, "integrator": "implicit", "record_interval": 0.01, "until": 0.01, "engine": "planar", "progress": lambda f: None}),
        "simulate_many": (sp.simulate_many, {"robot": robot, "command": [gait, gait], "world": sp.World(), "duration": 0.01, "start": sp.Start(), "step": 1e-3, "integrator": "implicit", "record_interval": 0.01, "metrics": ["com_distance"], "trajectories": 0.01, "threads": 1, "executor": "threads", "precision": "float64", "progress": lambda f: None}),
        "Simulation": (sp.Simulation, {"robot": robot, "world": sp.World(), "command": gait}),
        "advance": (lambda **k: sp.Simulation(robot, sp.World()).advance(**k), {"duration": 0.01, "angles": [0.1, 0.1, 0.1], "rates": [0.0, 0.0, 0.0]}),
        "push": (lambda **k: sp.Simulation(robot, sp.World()).advance(**k), {"duration": 0.01, "torques": [0.1, 0.1, 0.1]}),
        "resume": (sp.resume, {"run": run(), "until": 0.03, "duration": 0.04, "partial": False, "allow": ()}),
        "run_scenario": (sp.run_scenario, {"name": "creep", "changes": ["run.duration=0.01"], "until": 0.01, "allow": ()}),
        "load": (sp.load, {"path": saved}),
        "save": (formats.save, {"run": run(), "path": folder / "again.nc"}),
        "save_csv": (formats.save_csv, {"run": run(), "path": folder / "again.csv"}),
        "read": (formats.read, {"name": "creep", "changes": ["gait.waves=2"], "allow": ()}),
        "at_frames": (run().at_frames, {"name": "time"}),
        "angles": (gait.angles, {"robot": robot, "t": 0.3}),
        "start_stop": (gaits.Serpenoid.start_stop, {"winding_angle": 0.5, "waves": 1.0, "acceleration": 0.1, "duration": 2.0}),
        "sampled": (core.HeightField.sampled, {"height": lambda x, y: 0.0, "low": (0.0, 0.0), "high": (1.0, 1.0), "cell": 0.5}),
        "golden_section": (optimise.golden_section, {"function": lambda x: -x * x, "low": -1.0, "high": 2.0, "tolerance": 0.1}),
        "scan_and_refine": (optimise.scan_and_refine, {"function": lambda x: -x * x, "low": -1.0, "high": 2.0, "points": 4, "tolerance": 0.1, "threads": 1}),
        "optimise_scenario": (optimise.optimise_scenario, {"name": "creep", "changes": ["run.duration=0.01"], "over": "gait.waves=1:2", "maximise": "com_distance", "points": 3, "tolerance": 0.5}),
        "sweep": (sweeps.sweep, {"base": "creep", "over": {"gait.waves": [1, 2]}, "out": str(folder / "store"), "changes": ["run.duration=0.01"], "metrics": ["com_distance"], "design": "grid", "seeded": (), "executor": "threads", "precision": "float64", "threads": 1, "shard": "1/1", "chunk": 2, "most_cells": 10, "allow": (), "outside": False}),
        "open": (sweeps.open, {"path": swept(folder), "metrics": ["com_distance"], "partial": False, "failed": False}),
        "repair": (sweeps.repair, {"path": swept(folder), "allow": (), "threads": 1}),
        "evaluate_all": (optimise.evaluate_all, {"function": str, "items": [1, 2], "threads": 1}),
        "planar": (shapes.planar, {"kappa": 2.0, "length": 1.0, "name": "bow"}),
        "bellows": (shapes.bellows, {"kappa_a": 1.0, "kappa_b": 2.0, "length": 1.0}),
        "frenet": (shapes.frenet, {"kappa": 1.0, "tau": 2.0, "length": 1.0}),
        "from_points": (shapes.from_points, {"points": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [2, 1, 1]], "name": "spline"}),
        "from_curve": (shapes.from_curve, {"curve": lambda u: np.stack([u, u * u, 0 * u], axis=-1), "end": 1.0, "samples": 51}),
        "named": (shapes.named, {"name": "helix"}),
        "roll": (shapes.roll, {"shape": shape, "angle": 0.3, "t": 0.0}),
        "reroll": (shapes.reroll, {"shape": shape, "phi": 0.3, "t": 0.0}),
        "level": (shapes.level, {"shape": shape, "t": 0.0}),
        "to_frenet": (shapes.to_frenet, {"shape": shape, "t": 0.0}),
        "to_bellows": (shapes.to_bellows, {"shape": shape, "phi0": 0.1, "t": 0.0}),
        "self_distance": (shapes.self_distance, {"curve": curve, "apart": 0.2}),
        "trace_many": (shapes.trace_many, {"shapes": [shape, shape], "steps": 10, "order": 4, "t": 0.0, "threads": 1}),
        "zero_curvature": (shapes.zero_curvature, {"shape": shape, "tolerance": 1e-6, "t": 0.0}),
        "trace": (shape.trace, {"steps": 10, "tolerance": 1e-6, "order": 4, "t": 0.0}),
        "values": (shape.values, {"s": [0.1, 0.2], "t": 0.0}),
        "curve.at": (curve.at, {"s": [0.1, 0.2]}),
        "figure": (view.figure, {"run": run(), "path": folder / "figure.png"}),
        "film": (view.film, {"run": run(), "path": folder / "film.gif", "fps": 5, "size": (128, 96), "speed": 1.0, "camera": "above"}),
        "plot": (lambda name: view.plot(run(), name), {"name": "com"}),
        "compare_figure": (view.compare_figure, {"runs": both, "path": folder / "both.png", "names": ["a", "b"], "title": "two"}),
        "shape_figure": (view.shape_figure, {"curve": curve, "path": folder / "shape.png", "title": "bow", "note": ""}),
        "concertina": (lambda **k: planning.ConcertinaPlan((2.0, 1.0)).solve(**k), {"body": np.ones(7)}),
        "mobility_table": (planning.mobility_table, {"lengths": 1.0}),
        "curvature_limit": (planning.curvature_limit, {"robot": robot}),
    }  # fmt: skip
    for name in ("alternating", "universal", "rods"):
        table[name] = (getattr(sp.robots, name), {"links": 5, "length": 1.0, "mass": 2.0})
    for name in ("ma2001", "ms1", "ms2"):
        table[name] = (getattr(sp.robots, name), {"links": 7})
    table["sarrafan2012"] = (sp.robots.sarrafan2012, {"links": 6, "radius": 0.015})
    if area is not None:
        table["find_path"] = (
            planning.find_path,
            {"area": area, "start": (2.0, 2.0), "goal": (58.0, 58.0), "step": 0.5},
        )
        table["solve"] = (planning.solve, {"area": area, "goal": (58.0, 58.0), "walls": "dirichlet"})
        table["sized"] = (area.sized, {"cell": 0.1, "unit": "m"})
        table["grown"] = (area.grown, {"half_width": 1.0, "margin": 0.1})
        table["clearance"] = (area.clearance, {"points": [(2.0, 2.0)]})
    return table
