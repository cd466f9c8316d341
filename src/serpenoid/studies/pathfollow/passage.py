"""The missing second half: the robot really goes there, fed along the path or creeping by itself, between walls that it can touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid.contact import Coulomb
from serpenoid.control import Drive, Passage, creep, feed
from serpenoid.core import Robot
from serpenoid.planning import Map, PlannedPath, find_path, maps
from serpenoid.robots import rods
from serpenoid.spatial._old.walls import walls_of_grid
from serpenoid.studies.claims import judged

SOURCE = "Beyond the fragment (its second half is lost)"
CELL = 0.05  # m
ENTRY = 1e-3  # m: a wall may be entered by less
MAPS = {True: ("maze",), False: ("maze", "rubble")}
ACROSS, ALONG = 0.5, {True: (0.05,), False: (0.01, 0.02, 0.05)}  # friction, the last is run on every map
EVEN = 0.2  # both ways


@dataclass(frozen=True)
class Way:
    """A map, the path through it, and the robot that went there."""

    map: Map
    path: PlannedPath
    fed: Passage
    crept: dict[float, Passage]  # by friction along


@dataclass(frozen=True)
class Passages:
    """All runs of this part."""

    robot: Robot
    ways: tuple[Way, ...]
    even: Passage


def passages(quick: bool) -> Passages:
    """Feed and creep through the maps; the maze also on even friction."""
    robot = rods(8, 1.6, 8.0, radius=0.04)
    ways = []
    for name in MAPS[quick]:
        area = maps.read(name)
        start, goal = (CELL * np.asarray(p) for p in (area.start, area.goal))
        area = maps.read(name, cell=CELL)
        path, walls = find_path(area, start, goal, robot=robot), walls_of_grid(area.solid, CELL)
        crept = {mu: creep(robot, path.points, walls, Drive(friction=Coulomb(mu, ACROSS))) for mu in ALONG[quick]}
        ways.append(Way(path.map, path, feed(robot, path.points, walls), crept))
    first = ways[0]
    even = creep(robot, first.path.points, walls_of_grid(first.map.solid, CELL), Drive(friction=Coulomb(EVEN, EVEN)))
    return Passages(robot, tuple(ways), even)


def claims(found: Passages) -> list[dict[str, Any]]:
    """Fed and crept."""
    fed = [way.fed for way in found.ways]
    crept = [run for way in found.ways for run in way.crept.values()]
    pushed = "; ".join(
        f"{way.map.name}: {way.fed.status} in {way.fed.time[-1]:.0f} s, head {1e3 * way.fed.head_to_goal:.0f} mm from the goal, link ends within {1e3 * way.fed.lateral_error_max:.0f} mm of the path, "
        f"walls entered by {1e3 * way.fed.penetration_max:.1f} mm, feeder up to {way.fed.feed_force_max:.0f} N, joints up to {way.fed.torque_max:.0f} N m"
        for way in found.ways
    )
    alone = "; ".join(
        f"{way.map.name}, friction {mu:g} along to {ACROSS:g} across: {run.status} in {run.time[-1]:.0f} s, head {100 * run.head_to_goal:.0f} cm from the goal, slip {100 * run.slip:.0f} cm, "
        f"lateral error {100 * run.lateral_error_max:.0f} cm, walls entered by {1e3 * run.penetration_max:.1f} mm"
        for way in found.ways
        for mu, run in way.crept.items()
    )
    return [
        judged("PTH-7b", SOURCE, "Carried along the path at its base, a robot with servos follows its leader to the goal.", pushed,
               [run.status == "reached" and run.penetration_max < ENTRY for run in fed],
               f"{found.robot.links} links of {found.robot.link_length[0]:g} m, {found.robot.mass:g} kg; servos, friction and feeder are assumed."),
        judged("PTH-7c", SOURCE, "By an undulation on the path the free robot goes there by itself.",
               f"{alone}; friction {EVEN:g} both ways: {found.even.status}",
               [run.status == "reached" and run.head_to_goal < 0.5 * found.robot.length and run.penetration_max < ENTRY for run in crept]
               + [found.even.status == "stalled"],
               "Thrust comes from friction across the links; without it nothing moves on, and a straight body has none. The pose is measured and steers the curve."),
    ]  # fmt: skip
