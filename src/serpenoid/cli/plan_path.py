"""The command `plan path`: a map, a goal, the path, the body along it, and what becomes of it in dynamics.

Lengths come and go in cells, or in m where the map (or --cell) gives the side of a cell; what is carried out is told in SI units.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from serpenoid.cli.plan_options import named_robot, numbers, results_folder
from serpenoid.cli.terminal import bar, give
from serpenoid.core.errors import InputError

LINKS, LINK_LENGTH = 6, 5.0  # of the body where none is given; cells
CELL = 0.05  # m, where a real size is needed and the map gives none
SLIM = 0.15  # of a link: half width where one is needed and none is given
LINK_MASS = 1.0  # kg


@dataclass(frozen=True)
class Task:
    """What is asked: a map and a body in the unit of the map, and what was assumed for it."""

    area: Any  # planning.Map in the unit
    unit: str  # "cells" or "m"
    metres: float | None  # in one unit; None: no real size is needed
    start: tuple[float, ...]
    goals: list[tuple[float, ...]]
    lengths: Any  # (n,)
    half_width: float
    robot: Any  # core.Robot in m, where one is given
    assumed: tuple[str, ...]


def path(args: argparse.Namespace) -> int:
    """Plan a path through a map, take the body along it, carry it out where asked; files, summary and the JSON object."""
    from serpenoid.formats import files

    task = _task(args)
    drive = _drive(args)
    out = results_folder(args, "plan-path")
    with _speaking(task.unit):
        found, body = _planned(args, task)
    done = _carried_out(args, task, found, drive) if args.execute and body is not None else None
    result = _report(task, found, body)
    if args.execute:
        result.update({"executed": None} if done is None else _executed(done))
    paths = _files(args, task, found, body, done, out)
    result["files"] = {k: str(v) for k, v in paths.items()}
    paths["plan"] = files.write_json(out / "plan.json", result)
    if args.json:
        give(result)
    else:
        _say(result, body, done, paths)
    return 0


def _spoken(text: str, unit: str) -> str:
    """A message of the planner, which speaks of m, in the unit of the map."""
    return (
        text
        if unit == "m"
        else re.sub(r"(?<=[\d)] )m\b|(?<=\binf )m\b|(?<=\bin )m\b", "cells", text).replace("1/m", "1/cell")
    )


@contextmanager
def _speaking(unit: str) -> Iterator[None]:
    """Let refusals name the unit of the map."""
    try:
        yield
    except InputError as error:
        raise InputError(_spoken(str(error), unit)) from error


def _task(args: argparse.Namespace) -> Task:
    """Read the map and put the body together."""
    import numpy as np

    from serpenoid.core.checks import per_item

    area, sized = _map(args)
    unit, side = ("m", area.cell) if sized else ("cells", 1.0)
    robot = _robot(args)
    real = bool(args.execute) or robot is not None
    metres = 1.0 if sized else CELL
    assumed = [f"cells of {CELL:g} m, for the map gives no size"] if real and not sized else []
    if robot is not None:
        lengths, width = robot.link_length / metres, float(robot.radius.max()) / metres
    else:
        size = LINK_LENGTH * side if args.link_length is None else args.link_length
        lengths = per_item("link length", size, LINKS if args.links is None else args.links, 0.0, strict=True)
        width = 0.0
    if args.half_width is not None:
        width = float(per_item("half width", args.half_width, 1, 0.0)[0])
    elif args.execute and width == 0.0:
        width = SLIM * float(np.min(lengths))
        assumed.append(f"half width {width:g} {unit}, {SLIM:g} of a link")
    if args.execute and width == 0.0:
        raise InputError("--execute needs a body with a half width above 0")
    if args.execute and robot is None:
        assumed.append(f"{LINK_MASS:g} kg a link")
    start, goals = _ends(args, area)
    return Task(area, unit, metres if real or sized else None, start, goals, lengths, width, robot, tuple(assumed))


def _map(args: argparse.Namespace) -> tuple[Any, bool]:
    """The map, and whether it has a real size."""
    from serpenoid.core.checks import per_item
    from serpenoid.planning import maps

    known = maps.bundled()
    if args.map not in known and not Path(args.map).is_file():
        raise InputError(f"no map {args.map!r}: no such file, and bundled are {', '.join(known)}")
    try:
        area = maps.read(args.map)
    except EOFError as error:
        raise InputError(f"{args.map} is an empty file") from error
    if args.cell is None:
        return area, area.cell != 1.0 or _says_cell(known.get(args.map, Path(args.map)))
    side = float(per_item("cell", args.cell, 1, 0.0, strict=True)[0])
    share = side / area.cell
    start, goal = (None if p is None else (share * p[0], share * p[1]) for p in (area.start, area.goal))
    return replace(area, cell=side, start=start, goal=goal), True


def _says_cell(file: Path) -> bool:
    """Whether a text map has a line with its cell size."""
    if file.suffix.lower() in (".png", ".npy"):
        return False
    with file.open(encoding="utf-8") as lines:
        return any(re.match(r"\s*cell\b", line) for line, _ in zip(lines, range(8), strict=False))


def _robot(args: argparse.Namespace) -> Any:
    """The robot that is named, or None."""
    from serpenoid.core import MAX_LINKS

    robot = named_robot(args.robot)
    if robot is None:
        if args.links is not None and not 1 <= args.links <= MAX_LINKS:
            raise InputError(f"--links must be a whole number from 1 to {MAX_LINKS}, got {args.links}")
        return None
    if args.links is not None or args.link_length is not None:
        raise InputError("--robot brings its own links: leave out --links and --link-length")
    if robot.joints in ("pitch", "alternating"):
        raise InputError(f"a path in the plane needs yaw in every joint; {robot.name} has {robot.joints} joints")
    return robot


def _ends(args: argparse.Namespace, area: Any) -> tuple[tuple[float, ...], list[tuple[float, ...]]]:
    """Start and goals as given, or as the map suggests."""
    if args.start is None and area.start is None:
        raise InputError(f"--start is needed: map {area.name!r} suggests none")
    if not args.goal and area.goal is None:
        raise InputError(f"--goal is needed: map {area.name!r} suggests none")
    start = area.start if args.start is None else numbers(args.start, "--start")
    return start, [numbers(text, "--goal") for text in args.goal] if args.goal else [area.goal]


def _drive(args: argparse.Namespace) -> Any:
    """Servos and ground of the execution, or None."""
    if args.friction is not None and not args.execute:
        raise InputError("--friction is that of the ground with --execute: give --execute feed or creep")
    if not args.execute:
        return None
    from serpenoid.contact import Coulomb
    from serpenoid.control import Drive

    return Drive() if args.friction is None else Drive(friction=Coulomb(*numbers(args.friction, "--friction")))


def _planned(args: argparse.Namespace, task: Task) -> tuple[Any, Any]:
    """The path, and the body along it where there is one."""
    import numpy as np

    from serpenoid.planning import curvature_limit, find_path, follow

    area, limit = task.area, None
    if task.half_width > 0.0 or args.margin is not None:
        area = area.grown(task.half_width, args.margin)
    if task.robot is not None and task.metres is not None:
        limit = curvature_limit(task.robot) * task.metres
        limit = limit if np.isfinite(limit) else None
    found = find_path(area, task.start, task.goals, step=args.step, walls=args.walls, limit=limit)
    if found.status != "reached":
        return found, None
    body = follow(
        found, task.lengths, cap=float(np.radians(args.cap)), tol=args.tolerance, search=args.search, project=args.project,
        half_width=task.half_width,
    )  # fmt: skip
    return found, body


def _carried_out(args: argparse.Namespace, task: Task, found: Any, drive: Any) -> Any:
    """The path in dynamics, in m."""
    from serpenoid import control as execution
    from serpenoid.robots import rods
    from serpenoid.spatial._old.walls import walls_of_grid

    metres, n = task.metres or 1.0, len(task.lengths)
    if task.robot is not None:
        robot = replace(task.robot, radius=task.half_width * metres)
    else:
        robot = rods(n, float(task.lengths.sum()) * metres, n * LINK_MASS, radius=task.half_width * metres)
    walls = walls_of_grid(task.area.solid, task.area.cell * metres)
    with bar("carrying out") as progress:
        return getattr(execution, args.execute)(robot, found.points * metres, walls, drive, progress=progress)


def _report(task: Task, found: Any, body: Any) -> dict[str, Any]:
    """The JSON object of a plan; lengths in its unit."""
    import math

    some = len(found.points) > 1
    warnings = [*found.warnings, *(() if body is None else body.warnings)]
    return {
        "status": found.status if body is None else body.status,
        "reason": _spoken(found.reason if body is None else body.reason, task.unit),
        "unit": task.unit, "cell": None if task.metres is None else task.area.cell * task.metres, "map": task.area.name,
        "start": list(task.start), "goals": [list(g) for g in task.goals], "links": len(task.lengths),
        "half_width": task.half_width,
        "u_start": found.u_start, "ln_u_start": found.ln_u_start if math.isfinite(found.ln_u_start) else None,
        "path_length": found.length if some else None, "min_clearance": found.min_clearance if some else None,
        "smoothed": found.smoothed,
        "link_clearance": None if body is None else body.link_clearance,
        "increments": 0 if body is None else len(body.base),
        "unsettled": 0 if body is None else len(body.unsettled),
        "unsettled_links": {} if body is None else {str(m): list(links) for m, links in body.unsettled.items()},
        "head_to_goal": None if body is None else body.head_to_goal,
        "warnings": [_spoken(text, task.unit) for text in warnings], "assumed": list(task.assumed),
    }  # fmt: skip


def _executed(done: Any) -> dict[str, Any]:
    """What a carried-out path adds to the JSON object; SI units."""
    told = done.summary()
    return {
        "executed": told.pop("status"), "execution_reason": told.pop("reason"), "execution_warnings": told.pop("warnings"),
        "executed_head_to_goal": told.pop("head_to_goal"), **told,
    }  # fmt: skip


def _files(args: argparse.Namespace, task: Task, found: Any, body: Any, done: Any, out: Path) -> dict[str, Path]:
    """Pictures, tables and films."""
    from serpenoid.view.map import map_figure, passage_figure
    from serpenoid.view.map_film import following_film, map_film

    paths: dict[str, Path] = {"figure": map_figure(found, out / "map.png", body, unit=task.unit)}
    if len(found.points) > 1:
        paths["path"] = _path_table(found, out / "path.csv")
    if body is not None:
        paths["postures"] = _posture_table(body, out / "postures.csv")
    if done is not None:
        paths["forces"] = passage_figure(done, out / "executed.png")
        paths["executed"] = _executed_table(done, out / "executed.csv")
    film = (not args.json) if args.film is None else args.film
    if film and body is not None:
        with bar("drawing plan.mp4") as progress:
            paths["film"] = following_film(body, out / "plan.mp4", unit=task.unit, progress=progress)
    if film and done is not None:
        cell = task.area.cell * (task.metres or 1.0)
        with bar("drawing executed.mp4") as progress:
            paths["executed_film"] = map_film(done, task.area.solid, cell, out / "executed.mp4", progress=progress)
    return paths


def _path_table(found: Any, file: Path) -> Path:
    """Points of the path with arc length, clearance and curvature."""
    import numpy as np

    from serpenoid.formats.files import write_table

    rows = np.column_stack([found.arc, found.points, found.clearance, found.curvature])
    return write_table(file, ["arc", "x", "y", "clearance", "curvature"], rows)


def _posture_table(body: Any, file: Path) -> Path:
    """Link ends and joint angles (rad) at every increment, with the least clearance of a link and the links not settled."""
    import numpy as np

    from serpenoid.formats.files import write_table

    n = len(body.lengths)
    header = ["base"] + [f"{c}{k}" for k in range(n + 1) for c in "xy"] + [f"theta{k}" for k in range(1, n)]
    rows = np.column_stack(
        [body.base, body.joints.reshape(len(body.base), -1), body.joint_angles, body.clearance.min(axis=1), (~body.settled).sum(axis=1)]
    )  # fmt: skip
    return write_table(file, [*header, "clearance", "unsettled"], rows)


def _executed_table(done: Any, file: Path) -> Path:
    """Link ends (m), torques (N m), forces (N) and lateral error (m) over time (s)."""
    import numpy as np

    from serpenoid.formats.files import write_table

    n = len(done.radius)
    header = ["time"] + [f"{c}{k}" for k in range(n + 1) for c in "xy"] + [f"torque{k}" for k in range(1, n)]
    header += ["feed_force", "lateral_error"] + [f"wall_{c}{k}" for k in range(n) for c in "xy"]
    count = len(done.time)
    rows = np.column_stack(
        [done.time, done.nodes.reshape(count, -1), done.torques, done.feed_force, done.lateral_error, done.wall_force.reshape(count, -1)]
    )  # fmt: skip
    return write_table(file, header, rows)


def _say(result: dict[str, Any], body: Any, done: Any, paths: dict[str, Path]) -> None:
    unit, why = result["unit"], f" ({result['reason']})" if result["reason"] else ""
    print(f"{result['status']}{why}")
    if result["path_length"] is not None:
        print(
            f"  path: {result['path_length']:.4g} {unit}, {result['min_clearance']:.3g} {unit} from the nearest wall node; "
            f"u at the start {result['u_start']:.4g}"
            + (f", ln u {result['ln_u_start']:.1f}" if result["u_start"] == 0.0 and result["ln_u_start"] else "")
        )
    if body is not None:
        print(
            f"  body: {result['links']} links, {result['increments']} increments, {result['unsettled']} of them unsettled; nearest link "
            f"{result['link_clearance']:.3g} {unit} from a wall, head {result['head_to_goal']:.2g} {unit} from the goal"
        )
    for kind, texts in (("warning", result["warnings"]), ("assumed", result["assumed"])):
        for text in texts:
            print(f"  {kind}: {text}")
    if done is not None:
        why = f" ({done.reason})" if done.reason else ""
        print(
            f"  {done.kind}: {done.status}{why} in {done.time[-1]:.1f} s, head {done.head_to_goal:.2g} m from the goal, slip {done.slip:.3g} m, "
            f"lateral error {done.lateral_error_max * 1e3:.3g} mm, penetration {done.penetration_max * 1e3:.2g} mm\n"
            f"    feed force {done.feed_force_max:.3g} N, wall force {done.wall_force_max:.3g} N, torque {done.torque_max:.3g} N m, "
            f"work {done.positive_work:.3g} J by the joints, {done.feed_work:.3g} J by the feeder"
        )
        for text in done.warnings:
            print(f"  warning: {text}")
    for file in paths.values():
        print(f"  {file}")
