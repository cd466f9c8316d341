"""The third dimension: passive hinges on uneven ground, and MS-2's raised head over a step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serpenoid import robots
from serpenoid.core import Trajectory
from serpenoid.studies.claims import judged
from serpenoid.studies.shan1993 import crossing
from serpenoid.studies.shan1993.pattern import SOURCE

HILLS = 0.015  # m, root mean square
QUICK_STEP = 0.05  # m


@dataclass(frozen=True)
class Crossings:
    """All runs of this part."""

    hinged: Trajectory
    stiff: Trajectory
    highest: float  # m
    climbed: tuple[Trajectory, ...]


def grounds(quick: bool) -> Crossings:
    """Run MS-1 with and without hinges on hills, and MS-2 over steps."""
    hills = crossing.rough_ground(HILLS)
    hinged, stiff = crossing.follow_ground(hills), crossing.follow_ground(hills, robots.ms1(joints="yaw"))
    if quick:
        one = crossing.climb_step(QUICK_STEP)
        return Crossings(hinged, stiff, QUICK_STEP if one.metrics["passed"] else 0.0, (one,))
    highest, tried = crossing.highest_step()
    return Crossings(hinged, stiff, highest, tuple(tried))


def claims(found: Crossings) -> list[dict[str, Any]]:
    """Hinges and steps."""
    width = 2.0 * float(robots.ms2().radius.max())
    passed = [run.metrics for run in found.climbed if run.metrics["passed"]]
    least = min((float(m["node_height_min"] or 0.0) - float(m["step_height"] or 0.0) for m in passed), default=-1.0)
    beyond = [run.metrics for run in found.climbed if not run.metrics["passed"]]
    more = f", that of {beyond[0]['step_height']:g} m is not" if beyond else "; higher ones were not tried"
    highest = (
        f"highest step passed {found.highest:g} m"
        if len(found.climbed) > 1
        else f"one step only was tried, {QUICK_STEP:g} m: {'' if found.highest else 'not '}passed"
    )
    hinged, stiff = (float(run.metrics["bridged"] or 0.0) for run in (found.hinged, found.stiff))
    return [
        judged("MSK-12a", f"{SOURCE}, section II-B", "Hinges between the links compensate for irregularities of the ground, passively.",
               f"hills of {HILLS:g} m: the middles of the links are {1e3 * hinged:.1f} mm off the ground in the mean with hinges, {1e3 * stiff:.1f} mm without",
               [hinged < 0.3 * stiff],
               "Links straight at the start lie down by their weight; the hinges have no motors."),
        judged("MSK-12b", f"{SOURCE}, section III-C, Fig. 12", "Controlled head pitch lets MS-2 move over obstructions; the remaining links push the head over.",
               f"{highest}, {found.highest / width:.2f} of the links' thickness{more}; then every joint lies at least {1e3 * least:.0f} mm above the step's top",
               [found.highest > 0.0, least > 0.025],
               "Friction, motors and pins are assumed; what limits is the weight of the links behind the edge against the motors and pins. "
               + ("Steps are tried every 5 mm." if len(found.climbed) > 1 else "The quick study tries one step only.")),
    ]  # fmt: skip


def films(found: Crossings, out: Path, progress: Callable[[float], None]) -> list[Path]:
    """A film of each."""
    from serpenoid import view

    best = [run for run in found.climbed if run.metrics["passed"]][-1:]
    made = [(found.hinged, out / "uneven-ground.mp4"), *((run, out / "step.mp4") for run in best)]
    for k, (run, path) in enumerate(made):

        def part(share: float, k: int = k) -> None:
            progress((k + share) / len(made))

        view.film(run, path, progress=part)
    return [path for _, path in made]
