"""A named shape as asked for: parameters, model, roll, fit; its curve, and the whole as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from serpenoid.core import Robot
from serpenoid.core.errors import InputError
from serpenoid.formats.scenario import toml_value
from serpenoid.gaits.fit import Fit, fit
from serpenoid.robots import ROBOTS
from serpenoid.shapes import (
    Curve,
    Pose,
    Shape,
    named,
    reroll,
    roll,
    self_distance,
    to_bellows,
    to_frenet,
    zero_curvature,
)

TOUCH = 1e-3  # of the length: parts of the curve nearer than this touch


@dataclass(frozen=True, eq=False)
class Form:
    """A traced shape with what was done to it."""

    name: str
    parameters: dict[str, Any]
    shape: Shape
    curve: Curve
    roll_deg: float
    fit: Fit | None
    robot: Robot | None
    complete: bool = False  # asked for as such

    @property
    def title(self) -> str:
        """Name, parameters and model in a line."""
        given = ", ".join(f"{k} = {v}" for k, v in self.parameters.items() if not isinstance(v, list))
        return f"{self.name}" + (f" ({given})" if given else "") + f": {self.shape.model().name} model"

    @property
    def note(self) -> str:
        """What the fit says, in a line."""
        if self.fit is None or self.robot is None:
            return ""
        return f"{self.robot.name}, {self.robot.links} links: worst {1e3 * self.fit.worst:.2g} mm, mean {1e3 * self.fit.mean:.2g} mm off the curve"

    def report(self) -> dict[str, Any]:
        """The JSON object of `serpenoid shape`."""
        model = self.shape.model()
        end = self.curve.frame[-1]
        fitted = None
        if self.fit is not None and self.robot is not None:
            fitted = {
                "robot": self.robot.name,
                "joints": self.robot.joints,
                "links": self.robot.links,
                "joint_angles": self.fit.angles.tolist(),
                "worst_error": self.fit.worst,
                "mean_error": self.fit.mean,
                "posture_lost_deg": float(np.degrees(self.fit.posture_lost)),
                "limits_exceeded": list(self.fit.exceeded),
                "notes": list(self.fit.notes),
            }
        apart, first, second = self_distance(self.curve)
        touches = apart < TOUCH * self.shape.length
        return {
            "status": "ok" if self.fit is None or not self.fit.exceeded else "limits-exceeded",
            "name": self.name,
            "parameters": self.parameters,
            "model": "complete" if self.complete else model.name,
            "reason": model.reason,
            "length": self.shape.length,
            "roll_deg": self.roll_deg,
            "end_position": self.curve.position[-1].tolist(),
            "end_frame": end.T.tolist(),
            "self_distance": apart,
            "warnings": [f"the curve touches itself at s = {first:.4g} and {second:.4g} m"] if touches else [],
            "zero_curvature": [list(x) for x in zero_curvature(self.shape)],
            "steps": int(self.curve.s.size - 1),
            "fit": fitted,
        }

    def summary(self) -> str:
        """The report in a few lines of text."""
        r = self.report()
        lines = [
            f"{self.title} ({r['reason']})",
            f"  length        {r['length']:.6g} m in {r['steps']} steps",
            "  end position  " + ", ".join(f"{x:.9g}" for x in r["end_position"]) + " m",
            *(
                f"  end {n:8s}  " + ", ".join(f"{x:+.6f}" for x in row)
                for n, row in zip(("e1", "ea", "eb"), r["end_frame"], strict=True)
            ),
        ]
        if r["zero_curvature"]:
            lines.append(
                "  curvature vanishes at s = "
                + ", ".join(f"{a:.4g}" if a == b else f"{a:.4g} to {b:.4g}" for a, b in r["zero_curvature"][:8])
                + " m"
            )
        lines += [f"  warning: {text}" for text in r["warnings"]]
        if self.fit is not None:
            lines += [f"  fit           {self.note}", *(f"  note: {text}" for text in self.fit.notes)]
        return "\n".join(lines)

    def rolling(self, frames: int = 144) -> list[Curve]:
        """Curves of one turn of lateral rolling, same backbone; at 24 pictures a second this takes 6 s."""
        base = to_bellows(self.shape)
        return [roll(base, 2.0 * np.pi * k / frames).trace(300) for k in range(frames)]


def parameters_from(changes: list[str]) -> dict[str, Any]:
    """Parameters from "key=value" texts; values are read as TOML numbers or lists."""
    found: dict[str, Any] = {}
    for change in changes:
        key, equals, text = change.partition("=")
        if not (equals and key.strip()):
            raise InputError(f"--set needs key=value, got {change!r}")
        found[key.strip()] = toml_value(text.strip())
        if isinstance(found[key.strip()], str | bool | dict):
            raise InputError(f"--set {change}: the value must be a number or a list of numbers")
    return found


def robot_for(name: str, links: int | None, length: float) -> Robot:
    """A robot preset; where its length is free, as long as the curve."""
    if name not in ROBOTS:
        raise InputError(f"no robot {name!r}; allowed are {', '.join(ROBOTS)}")
    make = ROBOTS[name]
    given: dict[str, Any] = {} if links is None else {"links": links}
    if "length" in signature(make).parameters:
        given["length"] = length
    return make(**given)


def form(
    name: str, changes: list[str] | None = None, *, model: str | None = None, roll_deg: float = 0.0,
    robot: str | None = None, links: int | None = None, method: str = "integral", limit_deg: float | None = None,
    approximate: bool = False,
) -> Form:  # fmt: skip
    """Build a named shape from the identity frame at the origin, convert it, roll it, trace it and fit a robot to it."""
    parameters = parameters_from(changes or [])
    if not abs(roll_deg) <= 1e6:
        raise InputError(f"roll must be finite and at most 1e6 deg, got {roll_deg}")
    if robot is None and (links is not None or limit_deg is not None or approximate):
        raise InputError("--links, --limit and --approximate need --fit")
    if limit_deg is not None and not 0.0 < limit_deg <= 180.0:
        raise InputError(f"limit must be from 0 to 180 deg, got {limit_deg}")
    if model == "frenet" and roll_deg != 0.0:
        raise InputError(
            "a Frenet-Serret shape cannot be rolled: its posture is that of its curve; use --model bellows"
        )
    shape = named(name, **parameters).but(start=Pose())
    if model == "bellows" or (roll_deg != 0.0 and model is None):
        shape = to_bellows(shape)
    elif model == "frenet":
        shape = to_frenet(shape)
    if roll_deg != 0.0:
        angle = float(np.radians(roll_deg))
        shape = reroll(shape, angle) if model == "complete" else roll(shape, angle)
    made = robot_for(robot, links, shape.length) if robot is not None else None
    limit = None if limit_deg is None else float(np.radians(limit_deg))
    fitted = fit(shape, made, method=method, limit=limit, approximate=approximate) if made is not None else None
    return Form(name, parameters, shape, shape.trace(), roll_deg, fitted, made, model == "complete")
