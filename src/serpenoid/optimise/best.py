"""Which gait is best here: every gait that fits a scenario's robot and ground, each tuned by a short search within the motors' limits.

| gait | numbers that are tuned |
|---|---|
| in the plane: serpenoid | winding angle, waves, speed in body lengths |
| in space: sidewinding, sinus-lifting, rectilinear, rolling, helix-rolling | amplitudes, rate, phases |

All run for the same time, so that distances compare. A gait that the robot, its ground or its joints cannot have is listed with the reason.
The searches are short: the ranking says which gait to look at, `optimise` finds its best numbers.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from typing import Any

from serpenoid.core.door import door
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.core.quantities import Whole
from serpenoid.formats.scenario import Scenario, checked, read
from serpenoid.optimise.goals import motor_limits
from serpenoid.optimise.scenario import MOST_POINTS, optimise_scenario
from serpenoid.simulation.metrics import find_metric, metric_of
from serpenoid.simulation.setup import setup_of
from serpenoid.simulation.steps import Progress

LASTS = 6.0  # s of every run, if the scenario does not end before
RUNS = 48  # of each search
RATE = (1.0, 8.0)  # rad/s
SPACES: dict[str, dict[str, tuple[float, float]]] = {
    "serpenoid": {"winding_angle": (0.2, 1.2), "waves": (0.8, 3.0), "speed": (0.1, 1.0)},  # speed: in body lengths/s
    "sidewinding": {"amplitude": (0.15, 1.0), "frequency": RATE, "phase_per_joint": (-1.3, -0.25), "phase_offset": (0.0, 1.6)},
    "sinus-lifting": {"amplitude": (0.2, 0.9), "lift_amplitude": (0.02, 0.2), "frequency": RATE, "phase_per_joint": (0.3, 1.2)},
    "rectilinear": {"amplitude": (0.15, 0.7), "frequency": RATE, "phase_per_joint": (0.4, 1.4)},
    "rolling": {"amplitude": (0.05, 0.4), "frequency": RATE},
    "helix-rolling": {"amplitude": (0.2, 0.7), "frequency": RATE, "phase_per_joint": (0.1, 0.5)},
}  # fmt: skip


@door(evaluations=Whole(low=32, high=MOST_POINTS), seed=Whole(low=0, high=2**32 - 1))
def best_gaits(
    name: str | Mapping[str, Any], changes: list[str] | None = None, *, maximise: str | None = None, evaluations: int = RUNS, seed: int = 0,
    threads: int | None = None, progress: Progress | None = None, allow: tuple[str, ...] = (), outside: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Rank the gaits that fit a scenario's robot and ground, each tuned by a short search within the motors' limits.

    Parameters
    ----------
    name, changes, allow, outside : as for `optimise_scenario`; a gait or drive of the scenario is not looked at
    maximise : the metric by which gaits are ranked; default com_distance, on a slope the height gained
    evaluations, seed : runs of each search, and of its random numbers
    threads, progress : as for `optimise_scenario`

    Returns
    -------
    dict: metric, unit, duration, limits, ranking (best first: gait, value, place, metrics), left_out (gait: reason)
    """
    data = read(name, changes, allow, outside) if isinstance(name, str) else checked(dict(name), "scenario", allow)
    bare = {
        key: copy.deepcopy(value) for key, value in data.items() if key not in ("gait", "drive", "controller", "plan")
    }
    bare["run"] = {**bare["run"], "duration": min(float(bare["run"].get("duration") or LASTS), LASTS)}
    metric = find_metric(maximise, allow) if maximise else _usual(bare)
    ranking: list[dict[str, Any]] = []
    left_out: dict[str, str] = {}
    limits: list[str] = []
    for number, kind in enumerate(SPACES):
        try:
            made, over = with_gait(bare, kind, allow)
            bounds = motor_limits("robot", setup_of(made)) if _has_limits(made) else []
            limits = [str(limit) for limit in bounds]
            found = optimise_scenario(
                dict(made), over=over, maximise=metric, motors="robot" if bounds else None, evaluations=evaluations, restarts=1, seed=seed,
                threads=threads, allow=allow, progress=_share(progress, number),
            )  # fmt: skip
        except (InputError, NumericalError) as error:
            left_out[kind] = (
                str(error).splitlines()[-1].partition("the first: ")[2] or str(error).splitlines()[-1].strip()
            )
            continue
        if found["optimum"] is None:
            left_out[kind] = "no place was found that keeps the motors' limits"
            continue
        ranking.append({"gait": kind, "value": found["value"], "place": found["optimum"], "metrics": found["metrics"]})
    if not ranking:
        raise InputError(
            "no gait fits this robot on this ground: " + "; ".join(f"{k}: {why}" for k, why in left_out.items())
        )
    ranking.sort(key=lambda row: -float(row["value"]))
    return {
        "status": "ok", "metric": metric, "unit": metric_of(metric).unit, "duration": bare["run"]["duration"], "limits": limits,
        "ranking": ranking, "left_out": left_out, "evaluations": evaluations,
    }  # fmt: skip


def with_gait(bare: Mapping[str, Any], kind: str, allow: tuple[str, ...] = ()) -> tuple[Scenario, list[str]]:
    """A scenario with a gait in the middle of its numbers, checked, and the ranges of these as --over takes them."""
    space = dict(SPACES[kind])
    middle = {key: 0.5 * (low + high) for key, (low, high) in space.items()}
    made = checked({**copy.deepcopy(dict(bare)), "gait": {"kind": kind, **middle}}, "scenario", allow)
    if "speed" in space:
        length = float(setup_of(made).robot.length)
        space["speed"] = (space["speed"][0] * length, space["speed"][1] * length)
        made["gait"]["speed"] = 0.5 * sum(space["speed"])
    setup_of(made).prepared()
    return made, [f"gait.{key}={low!r}:{high!r}" for key, (low, high) in space.items()]


def _usual(bare: Mapping[str, Any]) -> str:
    """What gaits are ranked by: on a slope the height gained, else the distance."""
    world = bare.get("world", {})
    if world.get("slope") or world.get("slope_deg"):
        return "potential_energy_change"
    ground = world.get("ground") or {}
    return "com_dz" if ground.get("slope") or ground.get("slope_deg") else "com_distance"


def _has_limits(data: Scenario) -> bool:
    """Whether the robot's servos declare a limit of torque or speed."""
    servos = [servo for servo in setup_of(data).robot.servos if servo is not None]
    return any(
        math.isfinite(x) for s in servos for x in (s.torque_limit, s.no_load_speed, s.speed_limit) if x is not None
    )


def _share(progress: Progress | None, number: int) -> Progress | None:
    return None if progress is None else lambda done: progress((number + done) / len(SPACES))
