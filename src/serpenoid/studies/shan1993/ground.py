"""The third dimension: passive hinges on uneven ground, and MS-2's raised head over a step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serpenoid import robots
from serpenoid.control import crossing
from serpenoid.studies.claims import judged
from serpenoid.studies.shan1993.pattern import SOURCE

HILLS = 0.015  # m, root mean square
QUICK_STEP = 0.05  # m


@dataclass(frozen=True)
class Ground:
    """All runs of this part."""

    hinged: crossing.Followed
    stiff: crossing.Followed
    highest: float  # m
    climbed: tuple[crossing.Climbed, ...]


def grounds(quick: bool) -> Ground:
    """Run MS-1 with and without hinges on hills, and MS-2 over steps."""
    hills = crossing.rough_ground(HILLS)
    hinged, stiff = crossing.follow_ground(hills), crossing.follow_ground(hills, robots.ms1(joints="yaw"))
    if quick:
        one = crossing.climb_step(QUICK_STEP)
        return Ground(hinged, stiff, QUICK_STEP if one.passed else 0.0, (one,))
    highest, tried = crossing.highest_step()
    return Ground(hinged, stiff, highest, tuple(tried))


def claims(found: Ground) -> list[dict[str, Any]]:
    """Hinges and steps."""
    width = 2.0 * float(robots.ms2().radius.max())
    passed = [c for c in found.climbed if c.passed]
    least = min((float(c.heights.min()) - c.height for c in passed), default=-1.0)
    beyond = [c for c in found.climbed if not c.passed]
    more = f", that of {beyond[0].height:g} m is not" if beyond else ""
    return [
        judged("MSK-12a", f"{SOURCE}, section II-B", "Hinges between the links compensate for irregularities of the ground, passively.",
               f"hills of {HILLS:g} m: the middles of the links are {1e3 * found.hinged.bridged:.1f} mm off the ground in the mean with hinges, {1e3 * found.stiff.bridged:.1f} mm without",
               [found.hinged.bridged < 0.3 * found.stiff.bridged],
               "Links straight at the start lie down by their weight; the hinges have no motors."),
        judged("MSK-12b", f"{SOURCE}, section III-C, Fig. 12", "Controlled head pitch lets MS-2 move over obstructions; the remaining links push the head over.",
               f"highest step passed {found.highest:g} m, {found.highest / width:.2f} of the links' thickness{more}; then every joint lies at least {1e3 * least:.0f} mm above the step's top",
               [found.highest > 0.0, least > 0.025],
               "Friction, motors and pins are assumed; what limits is the weight of the links behind the edge against the motors and pins. Steps are tried every 5 mm."),
    ]  # fmt: skip


def films(found: Ground, out: Path, progress: Callable[[float], None]) -> list[Path]:
    """A film of each."""
    from serpenoid import view

    best = [c for c in found.climbed if c.passed][-1:]
    made = [(found.hinged.executed, out / "uneven-ground.mp4"), *((c.executed, out / "step.mp4") for c in best)]
    for k, (done, path) in enumerate(made):

        def part(share: float, k: int = k) -> None:
            progress((k + share) / len(made))

        view.film(done.trajectory(), path, progress=part)
    return [path for _, path in made]
