"""The missing second half: the robot really goes there, fed along the path or creeping by itself, between walls that it can touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid.contact import Coulomb
from serpenoid.control import Creeper, Feeder, PathDrive
from serpenoid.core import Grid, Robot, Trajectory
from serpenoid.planning import Map, PlannedPath, find_path, maps
from serpenoid.robots import rods
from serpenoid.simulation.run import simulate
from serpenoid.studies.claims import judged

SOURCE = "Beyond the fragment (its second half is lost)"
CELL = 0.05  # m
ENTRY = 1e-3  # m: a wall may be entered by less
MAPS = {True: ("maze",), False: ("maze", "rubble")}
ACROSS, ALONG = 0.5, {True: (0.05,), False: (0.01, 0.02, 0.05)}  # friction, the last is run on every map
EVEN = 0.2  # both ways
FRAME = 0.02  # s between frames


@dataclass(frozen=True)
class Way:
    """A map, the path through it, and the robot that went there."""

    map: Map
    path: PlannedPath
    fed: Trajectory
    crept: dict[float, Trajectory]  # by friction along


@dataclass(frozen=True)
class Passages:
    """All runs of this part."""

    robot: Robot
    ways: tuple[Way, ...]
    even: Trajectory


def carried_out(controller: Feeder | Creeper) -> Trajectory:
    """A robot taken along its path until it arrives or cannot go on."""
    return simulate(controller.body, controller, duration=controller.longest, record_interval=FRAME)


def ended(run: Trajectory) -> str:
    """How a run ended, in a word."""
    return "reached" if run.status.ok else run.status.name


def passages(quick: bool) -> Passages:
    """Feed and creep through the maps; the maze also on even friction."""
    robot = rods(8, 1.6, 8.0, radius=0.04)
    ways = []
    for name in MAPS[quick]:
        area = maps.read(name)
        start, goal = (CELL * np.asarray(p) for p in (area.start, area.goal))
        area = maps.read(name, cell=CELL)
        path, walls = find_path(area, start, goal, robot=robot), (Grid(area.solid, CELL),)
        drives = {mu: PathDrive(friction=Coulomb(mu, ACROSS, smoothing=1e-3)) for mu in ALONG[quick]}
        crept = {mu: carried_out(Creeper(robot, path.points, walls, drive)) for mu, drive in drives.items()}
        ways.append(Way(path.map, path, carried_out(Feeder(robot, path.points, walls)), crept))
    first = ways[0]
    even = Creeper(
        robot,
        first.path.points,
        (Grid(first.map.solid, CELL),),
        PathDrive(friction=Coulomb(EVEN, EVEN, smoothing=1e-3)),
    )
    return Passages(robot, tuple(ways), carried_out(even))


def claims(found: Passages) -> list[dict[str, Any]]:
    """Fed and crept."""
    fed = [way.fed for way in found.ways]
    crept = [run for way in found.ways for run in way.crept.values()]
    pushed, alone = "; ".join(_fed(way) for way in found.ways), "; ".join(_crept(way) for way in found.ways)
    deepest = [run.provenance["plan"]["penetration_max"] for run in (*fed, *crept)]
    near = [run.provenance["plan"]["head_to_goal"] < 0.5 * found.robot.length for run in crept]
    return [
        judged("PTH-7b", SOURCE, "Carried along the path at its base, a robot with servos follows its leader to the goal.", pushed,
               [run.status.ok and deep < ENTRY for run, deep in zip(fed, deepest, strict=False)],
               f"{found.robot.links} links of {found.robot.link_length[0]:g} m, {found.robot.mass:g} kg; servos, friction and feeder are assumed."),
        judged("PTH-7c", SOURCE, "By an undulation on the path the free robot goes there by itself.",
               f"{alone}; friction {EVEN:g} both ways: {ended(found.even)}",
               [*near, *(run.status.ok for run in crept), *(deep < ENTRY for deep in deepest), found.even.status.name in ("stalled", "blocked")],
               "Thrust comes from friction across the links; without it nothing moves on, and a straight body has none. The pose is measured and steers the curve."),
    ]  # fmt: skip


def _fed(way: Way) -> str:
    """What became of the fed robot, in words."""
    run, made = way.fed, way.fed.provenance["plan"]
    return (
        f"{way.map.name}: {ended(run)} in {run.duration:.0f} s, head {1e3 * made['head_to_goal']:.0f} mm from the goal, link ends within "
        f"{1e3 * made['lateral_error_max']:.0f} mm of the path, walls entered by {1e3 * made['penetration_max']:.1f} mm, "
        f"feeder up to {made['feed_force_max']:.0f} N, joints up to {made['torque_max']:.0f} N m"
    )


def _crept(way: Way) -> str:
    """What became of the creeping robots, in words."""
    said = []
    for mu, run in way.crept.items():
        made = run.provenance["plan"]
        said.append(
            f"{way.map.name}, friction {mu:g} along to {ACROSS:g} across: {ended(run)} in {run.duration:.0f} s, head "
            f"{100 * made['head_to_goal']:.0f} cm from the goal, slip {100 * float(run.metrics['slip_per_link'] or 0.0):.0f} cm, "
            f"lateral error {100 * made['lateral_error_max']:.0f} cm, walls entered by {1e3 * made['penetration_max']:.1f} mm"
        )
    return "; ".join(said)
