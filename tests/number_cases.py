"""Random runs at default settings: every bundled robot, law and gait, in the plane and in space, on slopes, with ideal joints, servos and torques."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from serpenoid.contact import LAWS
from serpenoid.core.errors import InputError
from serpenoid.core.robot import ROBOTS
from serpenoid.formats.scenario import bundled, read
from serpenoid.gaits import GAITS, WAVE_GAITS
from serpenoid.robots.servos import MOTORS
from serpenoid.simulation.formulas import turned_over
from serpenoid.simulation.run import execute
from serpenoid.simulation.scales import changes_of, scales_of
from serpenoid.simulation.setup import setup_of

SHORTEST, LONGEST = 0.3, 1.6  # s
OFF, RIGHT, AGREED = 0.05, 0.02, 0.01  # of a number, by its scale
OWN = ("custom", "function", "sequence", "sampled", "pole-climbing")  # functions and tables, and what needs a pole
PLANE = ("ma2001", "rods")
YAWING = (
    *PLANE,
    *(name for name in ROBOTS if set(ROBOTS[name]().axes) == {(k, "yaw") for k in range(1, ROBOTS[name]().links)}),
)
SCENARIOS = sorted(set(bundled()) - {"concertina", "maze"})  # those: plans
WAVES = sorted(name for name in WAVE_GAITS if name not in OWN)
PLANAR = sorted(name for name in GAITS if name not in (*WAVE_GAITS, *OWN))


def a_law(rng: np.random.Generator) -> dict[str, Any]:
    """A friction law with coefficients of usual size, sometimes a ratchet."""
    law = str(rng.choice([name for name in LAWS if name != "custom"]))
    if law == "none":
        return {"law": law}
    made: dict[str, Any] = {"law": law, "along": float(rng.uniform(0.02, 0.4)), "across": float(rng.uniform(0.3, 0.9))}
    if law == "viscous":
        made = {"law": law, "along": float(rng.uniform(0.2, 2.0)), "across": float(rng.uniform(2.0, 12.0))}
    if rng.random() < 0.2:
        made["backward"] = made["along"] * float(rng.uniform(1.0, 4.0))
    if law in ("threshold", "bristle"):
        ratio = float(rng.uniform(1.0, 1.5))
        made |= {
            "static_across": ratio * made["across"],
            "static_along": ratio * max(made["along"], made.get("backward", 0.0)),
        }
        made["stick_length_across"] = float(10.0 ** rng.uniform(-5.0, -4.0))
        if rng.random() < 0.5:
            made["stick_length_along"] = float(10.0 ** rng.uniform(-5.0, -4.0))
    if law == "stribeck":
        made["static_ratio"] = float(rng.uniform(1.0, 1.8))
    return made


def a_gait(rng: np.random.Generator, spatial: bool, robot: dict[str, Any]) -> dict[str, Any]:
    """A gait with numbers near those that it is used with."""
    ramp = 0.0 if rng.random() < 0.4 else float(rng.uniform(0.2, 1.0))
    if not spatial or robot["preset"] in YAWING:
        if rng.random() < 0.3:
            return {"kind": "standing-wave", "amplitude": float(rng.uniform(0.1, 0.8)), "waves": float(rng.uniform(0.5, 2.0)), "frequency": float(rng.uniform(1.0, 8.0))}  # fmt: skip
        made = {"kind": "serpenoid", "waves": float(rng.uniform(0.8, 2.0)), "winding_angle": float(rng.uniform(0.3, 0.9)), "speed": float(rng.uniform(0.1, 0.9))}  # fmt: skip
        return made if rng.random() < 0.5 else made | {"acceleration": float(rng.uniform(0.5, 3.0))}
    kind = str(rng.choice(WAVES))
    if kind == "compound-serpenoid":
        rate = float(rng.uniform(1.5, 6.0))
        return {"kind": kind, "yaw_amplitude": float(rng.uniform(0.2, 0.7)), "pitch_amplitude": float(rng.uniform(0.05, 0.4)),
                "yaw_spatial": 0.5, "pitch_spatial": 0.5, "yaw_temporal": rate, "pitch_temporal": rate,
                "pitch_phase_deg": float(rng.uniform(0.0, 90.0)), "ramp": ramp}  # fmt: skip
    made, cls = {"kind": kind, "ramp": ramp}, GAITS[kind]
    for name in ("amplitude", "frequency", "phase_per_joint", "lift_amplitude", "vertical_amplitude"):
        usual = (
            getattr(cls, name, None)
            if hasattr(cls, "__dataclass_fields__") and name in cls.__dataclass_fields__
            else None
        )
        if isinstance(usual, float):
            made[name] = float(usual * rng.uniform(0.5, 1.5))
    return made


def a_robot(rng: np.random.Generator, spatial: bool) -> dict[str, Any]:
    """A bundled robot of few links, its joints ideal, damped, stopped or carried by servos."""
    names = sorted(ROBOTS) if spatial else list(PLANE)
    preset = str(rng.choice(names))
    robot: dict[str, Any] = {"preset": preset, "links": 6 if preset == "sarrafan2012" else int(rng.integers(4, 13))}
    if preset == "ma2001" and spatial:
        robot["radius"] = 0.03
    if preset in ("rods", "alternating", "universal") and (spatial or rng.random() < 0.5):
        robot["radius"] = 0.02
    drawn = rng.random()
    if drawn < 0.35:
        robot["servo"] = {
            "stiffness": float(10.0 ** rng.uniform(0.8, 2.2)),
            "damping": float(10.0 ** rng.uniform(-0.7, 0.4)),
        }
    elif drawn < 0.45:
        robot["servo"] = {"preset": str(rng.choice(sorted(MOTORS)))}
    if rng.random() < 0.15:
        robot["joint_damping"] = float(10.0 ** rng.uniform(-3.0, -0.5))
    if rng.random() < 0.1:
        robot["joint_limit"] = float(rng.uniform(0.3, 1.2))
    return robot


def draw(seed: int) -> dict[str, Any]:
    """The description of a seed."""
    rng = np.random.default_rng([24, seed])
    duration = round(float(rng.uniform(SHORTEST, LONGEST)), 2)
    if rng.random() < 0.12:
        return dict(read(str(rng.choice(SCENARIOS)), [f"run.duration={duration}", "run.record_interval=0.01"]))
    spatial = bool(rng.random() < 0.55)
    robot = a_robot(rng, spatial)
    data: dict[str, Any] = {"robot": robot, "world": {"friction": a_law(rng)}}
    if spatial:
        ground: dict[str, Any] = {"model": "capsule" if rng.random() < 0.8 else "point"}
        if rng.random() < 0.6:
            ground |= {"stiffness": float(10.0 ** rng.uniform(3.7, 4.7)), "damping": float(rng.uniform(20.0, 100.0))}
        if rng.random() < 0.3:
            ground |= {
                "slope_deg": float(rng.uniform(2.0, 20.0)),
                "slope_direction_deg": float(rng.uniform(-180.0, 180.0)),
            }
        data["world"]["ground"] = ground
    elif rng.random() < 0.3:
        data["world"] |= {
            "slope_deg": float(rng.uniform(1.0, 12.0)),
            "slope_direction_deg": float(rng.uniform(-180.0, 180.0)),
        }
    if "servo" not in robot and rng.random() < 0.15:
        data["drive"] = {"kind": "sine", "amplitude": float(rng.uniform(0.02, 0.2)), "frequency": float(rng.uniform(1.0, 9.0)), "phase_per_joint": float(rng.uniform(0.1, 0.9))}  # fmt: skip
    else:
        data["gait"] = a_gait(rng, spatial, robot)
    if rng.random() < 0.1:
        data["start"] = {"heading": float(rng.uniform(-3.0, 3.0)), "velocity": rng.uniform(-0.3, 0.3, 2).tolist()}
    data["run"] = {"duration": duration}
    return data


class Outcome(NamedTuple):
    """What a case came to: refused, told (its status is not ok), irreproducible, judged; and of a run that was judged its numbers."""

    verdict: str
    wrong: Mapping[str, float] = MappingProxyType({})  # off by more than OFF, and not named by a finding
    loose: Mapping[str, float] = MappingProxyType({})  # the same, where the two fine runs differ by more than AGREED
    right: bool = False  # all numbers right within RIGHT
    named: frozenset[str] = frozenset()


def judge(data: dict[str, Any]) -> Outcome:
    """Run a case at defaults, at a tenth and at a thirtieth of the step."""
    try:
        setup = setup_of(data)
        run = execute(setup)
    except InputError:
        return Outcome("refused")
    if not run.status.ok:
        return Outcome("told")
    step = float(run.provenance["step"])
    fine = [
        execute(setup_of({**data, "run": {**data["run"], "step": step * share, "checked": False}}))
        for share in (0.1, 1.0 / 30.0)
    ]
    if not all(f.status.ok for f in fine):
        return Outcome("irreproducible")
    robot, turned = setup.robot, turned_over(run.variables)
    scales = scales_of(
        run.metrics, robot.mass, setup.world.gravity, robot.length, float(robot.radius.min()), turned, run.duration
    )
    off = [changes_of(run.metrics, f.metrics, scales) for f in fine]
    apart = changes_of(fine[0].metrics, fine[1].metrics, scales)
    named = frozenset(
        name for finding in run.findings if finding.code == "rough-numbers" for name in finding.numbers["errors"]
    )
    silent = {
        name: max(off[0][name], off[1][name])
        for name in off[1]
        if name not in named and min(off[0][name], off[1][name]) > OFF
    }
    wrong = {name: error for name, error in silent.items() if apart[name] <= AGREED}
    loose = {name: error for name, error in silent.items() if apart[name] > AGREED}
    right = all(error < RIGHT for found in off for error in found.values())
    return Outcome("judged", wrong, loose, right, named)
