"""Descriptions for the page's engine: every law, gait, drive, preset, ground, obstacle, servo and start, in plane and space."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

Case = dict[str, Any]

PLANE: Case = {
    "robot": {"preset": "ma2001", "links": 9},
    "gait": {"kind": "serpenoid", "winding_angle": 0.73, "waves": 1.3, "speed": 0.61, "acceleration": 1.7},
    "world": {"friction": {"law": "coulomb", "along": 0.11, "across": 0.53}},
    "start": {"position": [0.3, -0.2], "heading": 0.4},
    "run": {"duration": 1.5, "step": 5e-4, "record_interval": 0.05},
}
SPACE: Case = {
    "robot": {"preset": "alternating", "links": 9, "length": 0.9, "mass": 1.3, "radius": 0.02},
    "gait": {"kind": "sidewinding", "amplitude": 0.45, "frequency": 2.9, "phase_per_joint": -0.9, "phase_offset": 0.7, "ramp": 0.4},
    "world": {"friction": {"law": "coulomb", "along": 0.3, "across": 0.45}, "ground": {"model": "capsule"}},
    "start": {"position": [0.3, -0.2], "heading": 0.4},
    "run": {"duration": 1.0, "step": 1e-3, "record_interval": 0.05},
}  # fmt: skip


def with_(base: Case, **changes: Any) -> Case:
    """A description with keys ("world__friction__law") changed; a table replaces a table, None drops one."""
    made = copy.deepcopy(base)
    for path, value in changes.items():
        *parts, last = path.split("__")
        table = made
        for part in parts:
            table = table.setdefault(part, {})
        if value is None:
            table.pop(last, None)
        else:
            table[last] = value
    return made


LAWS: dict[str, Case] = {
    "coulomb-given": {"law": "coulomb", "along": 0.11, "across": 0.53, "backward": 0.2, "smoothing": 1e-3},
    "coulomb-together": {"law": "coulomb", "along": 0.2, "across": 0.4, "axes": "together"},
    "unit-slip": {"law": "unit-slip", "along": 0.1, "across": 0.4},
    "threshold": {"law": "threshold", "along": 0.1, "across": 0.4, "static_across": 0.5, "stick_length_along": 1e-5},
    "bristle": {"law": "bristle", "along": 0.1, "across": 0.4, "static_across": 0.55, "stick_length_across": 1e-3},
    "viscous": {"law": "viscous", "along": 0.4, "across": 3.1, "backward": 0.9},
    "stribeck": {"law": "stribeck", "along": 0.2, "across": 0.4, "static_ratio": 1.4, "viscous": 0.3},
    "none": {"law": "none"},
}
TIMES = np.linspace(0.0, 2.0, 9)
ANGLES = (0.4 * np.sin(3.1 * TIMES[:, None] + 0.7 * np.arange(8)) * TIMES[:, None] / 2.0).tolist()
LOOP = np.linspace(0.0, 1.1, 8)
CLOSED = (0.3 * np.sin(2.0 * np.pi * LOOP[:, None] / 1.1 + 0.6 * np.arange(8))).tolist()
PLANE_GAITS: dict[str, Case] = {
    "serpenoid-stop": {"kind": "serpenoid", "winding_angle_deg": 40, "waves": 2, "speed": -0.5, "acceleration": 2.0, "stop_time": 1.2},
    "serpenoid-sudden": {"kind": "serpenoid", "winding_angle": 0.6, "waves": 1.0, "speed": 0.5},
    "standing-wave": {"kind": "standing-wave", "amplitude": 0.5, "waves": 1.2, "frequency": 4.1},
    "sampled": {"kind": "sampled", "times": TIMES.tolist(), "values": ANGLES},
    "sampled-clamped": {"kind": "sampled", "times": TIMES.tolist(), "values": ANGLES, "ends": "clamped"},
    "sampled-knots": {"kind": "sampled", "times": TIMES.tolist(), "values": ANGLES, "ends": "not-a-knot"},
    "sampled-periodic": {"kind": "sampled", "times": LOOP.tolist(), "values": CLOSED, "periodic": True},
    "sampled-linear": {"kind": "sampled", "times": TIMES.tolist(), "values": ANGLES, "interpolation": "linear"},
    "sequence": {
        "kind": "sequence", "times": [0.7], "blend": 0.4,
        "parts": [{"kind": "serpenoid", "winding_angle": 0.6, "waves": 1.0, "speed": 0.5}, {"kind": "standing-wave", "amplitude": 0.4, "waves": 1.0, "frequency": 5.0}],
    },
}  # fmt: skip
SPACE_GAITS: dict[str, Case] = {
    "compound-serpenoid": {"kind": "compound-serpenoid", "yaw_amplitude": 0.4, "pitch_amplitude": 0.2, "yaw_spatial": 0.6, "pitch_spatial": 0.9, "yaw_temporal": 2.2, "pitch_temporal": 4.4, "yaw_offset": 0.1, "pitch_phase": 0.5},
    "rolling": {"kind": "rolling", "amplitude": 0.2, "frequency": -1.7, "ramp": 0.5},
    "helix-rolling": {"kind": "helix-rolling", "amplitude": 0.4, "frequency": 1.7, "phase_per_joint": 0.3},
    "rectilinear": {"kind": "rectilinear", "amplitude": 0.3, "frequency": 2.9, "phase_per_joint": 0.7, "ramp": 0.4},
    "sinus-lifting": {"kind": "sinus-lifting", "amplitude": 0.4, "lift_amplitude": 0.05, "frequency": 1.9, "phase_per_joint": 0.6},
    "turn-in-place": {"kind": "turn-in-place", "amplitude": 0.5, "vertical_amplitude": 0.3, "frequency": 2.1, "phase_per_joint": 0.6},
    "sidewinding-mirrored": {"kind": "sidewinding", "amplitude": 0.4, "vertical_amplitude": 0.2, "frequency": 2.3, "phase_per_joint": -0.7, "direction": -1, "turn": 0.4, "yaw_offset": 0.1},
    "sequence-space": {
        "kind": "sequence", "times": [0.5], "clock": "run", "blend": 0.3,
        "parts": [{"kind": "rolling", "amplitude": 0.2, "frequency": 2.0, "ramp": 0.0}, {"kind": "rectilinear", "amplitude": 0.2, "frequency": 2.0}],
    },
}  # fmt: skip
SERVO = {
    "stiffness": 55.0,
    "damping": 1.4,
    "torque_limit": 4.0,
    "speed_limit": 6.0,
    "rotor_inertia": 1e-3,
    "gear_friction": 0.05,
    "backlash": 0.01,
}
HEIGHTS = (0.02 * np.sin(np.arange(12)[:, None] * 0.9) * np.cos(np.arange(14)[None, :] * 0.7)).tolist()
MAP = {
    "along": [[1.0, 1.4, 0.8], [0.7, 1.2, 1.1]],
    "across": [[1.1, 0.9, 1.3], [1.0, 0.8, 1.2]],
    "cell": 0.5,
    "origin": [-0.2, -0.6],
}
PATCH = {"rectangle": [0.0, -0.3, 0.5, 0.6], "along": 0.05, "across": 0.7}

PLANAR: dict[str, Case] = {
    **{f"plane-law-{name}": with_(PLANE, world__friction=law) for name, law in LAWS.items()},
    **{f"plane-gait-{name}": with_(PLANE, gait=gait) for name, gait in PLANE_GAITS.items()},
    "plane-sine": with_(PLANE, gait=None, drive={"kind": "sine", "amplitude": 0.6, "frequency": 3.0, "phase_per_joint": 0.7}, start__angles=[0.1, -0.2, 0.3, 0.1, 0.0, -0.1, 0.2, 0.1], start__rates=[0.1 * k for k in range(8)]),
    "plane-torques-posture": with_(PLANE, drive={"kind": "sampled", "times": TIMES.tolist(), "values": (0.5 * np.cos(TIMES[:, None] + np.arange(8))).tolist()}, start__rates="posture"),
    "plane-servo": with_(PLANE, robot__servo=SERVO, robot__limp=[3], run__duration=1.0),
    "plane-servo-sampled": with_(PLANE, robot__servo={**SERVO, "control_period": 0.02, "no_load_speed": 9.0}, robot__locked=[5]),
    "plane-servo-some": with_(PLANE, robot__servo=[SERVO, "limp", SERVO, SERVO, SERVO, "limp", SERVO, SERVO]),
    "plane-servo-drive": with_(PLANE, gait=None, drive={"kind": "sine", "amplitude": 0.3, "frequency": 3.0, "phase_per_joint": 0.7}, robot__servo=SERVO),
    "plane-sampled-short": with_(PLANE, gait=PLANE_GAITS["sampled"], run__duration=2.4),
    "plane-locked": with_(PLANE, robot__locked=[2, 6]),
    "plane-limp": with_(PLANE, robot__limp=[4], robot__joint_damping=0.05),
    "plane-stops": with_(PLANE, robot__joint_limit=[0.2, "none", 0.25, 0.3, 0.4, 0.2, 0.3, 0.35]),
    "plane-slope": with_(PLANE, world__slope=0.2, world__slope_direction=0.7, start__velocity=[0.1, 0.05], start__angular_velocity=0.2),
    "plane-patches-map": with_(PLANE, world__patches=[PATCH], world__friction_map=MAP),
    "plane-edges": with_(PLANE, world__edge_angle=[0.1 * k for k in range(9)]),
    "plane-points": with_(PLANE, robot__contact_offset=[0.04] * 9, world__contact_points=3),
    "plane-load-given": with_(PLANE, world__load={"kind": "given", "weights": [1.0, 2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 1.0, 1.5]}),
    "plane-load-bends": with_(PLANE, world__load={"kind": "bends", "curvature": 9.0}),
    "plane-load-wave": with_(PLANE, world__load={"kind": "wave", "amplitude": 0.8, "waves": 1.4, "frequency": 3.0, "phase": 0.3}),
    "plane-self-contact": with_(PLANE, robot__radius=0.02, world__self_contact={"friction": 0.2}, gait__winding_angle=1.3),
    "plane-rk4": with_(PLANE, world__friction=LAWS["viscous"], run__integrator="rk4"),
    "plane-euler-drive": with_(PLANE, gait=None, drive={"kind": "sine", "amplitude": 0.2, "frequency": 3.0, "phase_per_joint": 0.7}, world__friction=LAWS["coulomb-given"], run__integrator="euler", run__step=1e-4),
    "plane-rods": with_(PLANE, robot={"preset": "rods", "links": 11, "length": 0.8, "mass": 0.6}),
    "plane-ms1": with_(PLANE, robot={"preset": "ms1"}),
    "plane-ms2": with_(PLANE, robot={"preset": "ms2", "links": 5, "radius": 0.03}),
    "plane-own": with_(PLANE, robot={"links": 4, "link_length": [0.1, 0.12, 0.09, 0.2], "link_mass": [0.2, 0.3, 0.25, 0.4], "joints": ["yaw", "fixed", "yaw"]}),
}  # fmt: skip
GRID = ["..........", ".##....#..", ".##....#..", ".........."]
SPATIAL: dict[str, Case] = {
    **{f"space-law-{name}": with_(SPACE, world__friction={**law, **({"along": 0.3, "across": 0.4} if name != "none" else {})}) for name, law in LAWS.items() if name != "bristle"},
    "space-law-bristle": with_(SPACE, world__friction={"law": "bristle", "along": 0.2, "across": 0.3, "static_along": 0.25, "stick_length_along": 1e-3, "stick_length_across": 1e-3}),
    **{f"space-gait-{name}": with_(SPACE, gait=gait) for name, gait in SPACE_GAITS.items()},
    "space-gait-sampled": with_(SPACE, gait=PLANE_GAITS["sampled"]),
    "space-serpenoid": with_(SPACE, robot__preset="rods", gait=PLANE["gait"], world__friction={"law": "coulomb", "along": 0.1, "across": 0.5}),
    "space-standing": with_(SPACE, robot__preset="rods", gait=PLANE_GAITS["standing-wave"], world__ground__model="point"),
    "space-plane-sampled": with_(SPACE, robot__preset="rods", gait=PLANE_GAITS["sampled-periodic"]),
    "space-plane-sequence": with_(SPACE, robot__preset="rods", gait=PLANE_GAITS["sequence"]),
    "space-universal": with_(SPACE, robot={"preset": "universal", "links": 7, "radius": 0.02}),
    "space-sarrafan": with_(SPACE, robot={"preset": "sarrafan2012", "radius": 0.02}),
    "space-sea-snake": with_(SPACE, robot={"preset": "sea_snake", "links": 7}, run__duration=0.5),
    "space-rsnake": with_(SPACE, robot={"preset": "rsnake", "links": 6}, run__duration=0.3),
    "space-reu": with_(SPACE, robot={"preset": "reu", "links": 5, "link_mass": 0.15}, run__duration=0.3),
    "space-dynamixel": with_(SPACE, robot={"preset": "dynamixel", "links": 6}, run__duration=0.3),
    "space-roll-joints": with_(SPACE, robot={"links": 5, "link_length": 0.1, "link_mass": 0.2, "radius": 0.02, "joints": ["yaw", "roll", "pitch", "universal"]}, gait={"kind": "rolling", "amplitude": 0.2}),
    "space-flat": with_(SPACE, world__ground={"model": "flat", "points": 3, "stiffness": 3e3, "damping": 20.0}),
    "space-restitution": with_(SPACE, world__ground={"restitution": 0.3}, start__height=0.05, start__pitch=0.1, start__roll=0.2),
    "space-slope": with_(SPACE, world__ground={"slope": 0.15, "slope_direction": 0.6}, start__velocity=[0.1, 0.0], start__angular_velocity=0.3),
    "space-heights": with_(SPACE, world__ground={"heights": {"heights": HEIGHTS, "cell": 0.15, "origin": [-0.4, -0.7]}}),
    "space-pipe": with_(SPACE, world__ground={"plane": False}, world__obstacles=[{"kind": "pipe", "point": [0.0, 0.0, 0.0], "radius": 0.4, "axis": [1.0, 0.2, 0.0]}], start={"position": [0.0, 0.0], "height": -0.0}),
    "space-solids": with_(SPACE, world__obstacles=[{"kind": "cylinder", "base": [0.7, 0.2, 0.0], "radius": 0.05, "length": 0.3}, {"kind": "box", "centre": [0.5, -0.6, 0.05], "size": [0.2, 0.3, 0.1], "yaw": 0.4}]),
    "space-uprights": with_(SPACE, robot__preset="rods", gait=PLANE["gait"], world={"friction": LAWS["coulomb-given"], "obstacles": [{"kind": "disc", "centre": [0.9, 0.45], "radius": 0.1}, {"kind": "polygon", "points": [[0.5, -0.6], [0.9, -0.6], [0.7, -0.4]]}, {"kind": "wall", "start": [-0.5, 0.7], "end": [1.5, 0.9]}]}),
    "space-grid": with_(SPACE, robot__preset="rods", gait=PLANE["gait"], world={"friction": LAWS["coulomb-given"], "obstacles": [{"kind": "grid", "cells": GRID, "cell": 0.25, "origin": [-0.6, 0.6]}]}),
    "space-patches-map": with_(SPACE, world__patches=[PATCH], world__friction_map=MAP),
    "space-rolling-resistance": with_(SPACE, world__ground__rolling=0.02, gait=SPACE_GAITS["rolling"]),
    "space-edges": with_(SPACE, world__edge_angle=0.3),
    "space-servo": with_(SPACE, robot__servo=SERVO, robot__limp=[2]),
    "space-servo-sampled": with_(SPACE, robot__servo={"stiffness": 30.0, "damping": 0.5, "control_period": 0.02}, robot__locked=[4], robot__joint_limit=0.5),
    "space-limp-ideal": with_(SPACE, robot__limp=[3]),
    "space-stops": with_(SPACE, robot__joint_limit=0.25),
    "space-sine": with_(SPACE, gait=None, drive={"kind": "sine", "amplitude": 0.1, "frequency": 3.0, "phase_per_joint": 0.7}, robot__joint_damping=0.01),
    "space-self-contact": with_(SPACE, world__self_contact={}, gait={"kind": "helix-rolling", "amplitude": 0.9, "phase_per_joint": 0.2}),
    "space-anchors": with_(SPACE, robot__preset="rods", gait=PLANE["gait"], world={"friction": LAWS["coulomb-given"], "anchors": [{"link": 2, "at": 0.05, "hold": 20.0}]}),
    "space-air": with_(SPACE, start__height=2.0, run__duration=0.5),
    "space-pole": with_(SPACE, robot={"preset": "alternating", "links": 24, "length": 1.6, "mass": 2.0, "radius": 0.02}, gait={"kind": "pole-climbing", "pole_radius": 0.05}, world__friction={"law": "coulomb", "along": 0.6, "across": 0.6}, world__obstacles=[{"kind": "cylinder", "base": [0.0, 0.0, 0.0], "radius": 0.05, "length": 3.0}], start={}),
}  # fmt: skip
CASES = {**PLANAR, **SPATIAL}
