"""serpenoid plan path: a map, a goal, the path, the body along it, and what becomes of it in dynamics."""

from __future__ import annotations

import argparse
<<<<<<< HEAD
import math
=======
from dataclasses import replace
>>>>>>> main
from pathlib import Path
from typing import Any

from serpenoid.cli.arguments import numbers, refusal, results_folder
from serpenoid.cli.planned import carried_out, finish, named_robot
from serpenoid.cli.terminal import bar

<<<<<<< HEAD
TEXT = "a body through a map"
DESCRIPTION = "Lengths are cells, or m where the map gives its cell size or --cell does."
USAGE = (
    "serpenoid plan path --map MAP [--start X,Y] [--goal X,Y] [--robot NAME | --links N --link-length L] "
    "[--execute feed|creep] [--out DIR] [--json] [more: -h]"
)


def add(one: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    one.add_argument(
        "--map", required=True, metavar="MAP", help="two-walls, maze, rubble, corridor; or .png, .npy, text"
    )
    one.add_argument("--start", metavar="X,Y", help="place of the base (default: the map's suggestion)")
    one.add_argument("--goal", action="append", metavar="X,Y", help="where the head goes; several: give it again")
    one.add_argument("--cell", type=float, metavar="M", help="side of a cell in m")
    one.add_argument("--robot", metavar="NAME", help="see serpenoid list robots (default: --links)")
    one.add_argument("--links", type=int, metavar="N", help="number of links (default 6)")
    one.add_argument("--link-length", type=float, metavar="L", help="of every link (default 4.5 cells)")
    one.add_argument(
        "--half-width", type=float, metavar="W", help="of the body (default: the robot's, or 0; with --execute 0.15 L)"
    )
    one.add_argument(
        "--margin", type=float, metavar="D", help="kept to walls beside the half width (default half a cell)"
    )
    one.add_argument("--walls", choices=("dirichlet", "neumann"), default="dirichlet", help="walls repel, or reflect")
    one.add_argument("--step", type=float, default=0.5, metavar="H", help="of the path in cells (default 0.5)")
    one.add_argument("--cap", type=float, default=5.0, metavar="DEG", help="largest turn of a link at once (default 5)")
    one.add_argument(
        "--tolerance", type=float, metavar="D", help="a tip so near to the path is settled (default 0.05 cells)"
    )
    one.add_argument(
        "--search",
        choices=("forward", "literal"),
        default="forward",
        help="ahead of the joint, or from the first point",
    )
    one.add_argument(
        "--project",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="seek the nearest place on segments, not points",
    )
    one.add_argument(
        "--execute", choices=("feed", "creep"), help="carry it out in dynamics: base fed, or body by itself"
    )
    one.add_argument("--friction", metavar="ALONG,ACROSS", help="of the ground with --execute (default 0.05,0.5)")


def command(args: argparse.Namespace) -> int:
    """Plan a path through a map, take the body along it, carry it out where asked."""
=======
LINKS, LINK_LENGTH = 6, 5.0  # of the body where none is given; cells
SLIM = 0.15  # of a link: half width where one is needed and none is given
LINK_MASS = 1.0  # kg


def path(args: argparse.Namespace) -> int:
    """Plan a path through a map, take the body along it, carry it out where asked; files, summary and the JSON object."""
    from serpenoid.formats import files

    asked = _plan(args)
    asked.ends()
    body, assumed = _body(args, asked)
    drive = _drive(args)
    out = results_folder(args, "plan-path")
    found = asked.solve(body)
    following = found.following
    done = _carried_out(args, found, body, drive) if args.execute and following is not None else None
    result = found.summary()
    result.update(links=len(_lengths(body)), assumed=[*result["assumed"], *assumed])
    if args.execute:
        result.update({"executed": None} if done is None else _executed(done))
    paths = _files(args, found, done, out)
    result["files"] = {k: str(v) for k, v in paths.items()}
    paths["plan"] = files.write_json(out / "plan.json", result)
    if args.json:
        give(result)
    else:
        _say(result, following, done, paths)
    return 0


def _plan(args: argparse.Namespace) -> Any:
    """The plan as a description; its map is read here, once."""
    import numpy as np

    from serpenoid.core.errors import StorageError
    from serpenoid.planning import PathPlan

    asked = PathPlan(
        args.map, start=None if args.start is None else numbers(args.start, "--start"),
        goals=tuple(numbers(text, "--goal") for text in args.goal or ()), cell=args.cell, walls=args.walls,
        half_width=args.half_width, margin=args.margin, step=args.step, cap=float(np.radians(args.cap)),
        tolerance=args.tolerance, search=args.search, project=args.project,
    )  # fmt: skip
    try:
        assert asked.area is not None
    except StorageError as error:
        raise InputError(str(error)) from error
    return asked


def _body(args: argparse.Namespace, asked: Any) -> tuple[Any, list[str]]:
    """The robot, or link lengths in the unit of the plan where nothing is carried out; and what was assumed for it."""
    import numpy as np

    from serpenoid.core import MAX_LINKS
    from serpenoid.core.checks import per_item
    from serpenoid.planning.path_plan import ASSUMED_CELL
    from serpenoid.robots import rods

    robot, assumed = named_robot(args.robot), []
    if robot is not None and (args.links is not None or args.link_length is not None):
        raise InputError("--robot brings its own links: leave out --links and --link-length")
    if args.links is not None and not 1 <= args.links <= MAX_LINKS:
        raise InputError(f"--links must be a whole number from 1 to {MAX_LINKS}, got {args.links}")
    area = asked.area
    metres = ASSUMED_CELL if area.unit == "cells" else 1.0  # in one unit of the plan, where that is real
    width = asked.half_width
    if robot is None:
        size = LINK_LENGTH * area.cell if args.link_length is None else args.link_length
        lengths = per_item("link length", size, LINKS if args.links is None else args.links, 0.0, strict=True)
        if not args.execute:
            return lengths, []
    else:
        lengths = robot.link_length / metres
        width = float(robot.radius.max()) / metres if width is None else width
    if args.execute and not width and args.half_width is None:
        width = SLIM * float(np.min(lengths))
        assumed.append(f"half width {width:g} {area.unit}, {SLIM:g} of a link")
    if args.execute and not width:
        raise InputError("--execute needs a body with a half width above 0")
    per_item("half width", width, 1, 0.0)
    if robot is None:
        assumed.append(f"{LINK_MASS:g} kg a link")
        n = len(lengths)
        return rods(n, float(lengths.sum()) * metres, n * LINK_MASS, radius=width * metres), assumed
    return replace(robot, radius=width * metres), assumed


def _lengths(body: Any) -> Any:
    """Link lengths of a robot, or the lengths themselves."""
    return getattr(body, "link_length", body)


def _drive(args: argparse.Namespace) -> Any:
    """Servos and ground of the execution, or None."""
    if args.friction is not None and not args.execute:
        raise InputError("--friction is that of the ground with --execute: give --execute feed or creep")
    if not args.execute:
        return None
>>>>>>> main
    from serpenoid.contact import Coulomb
    from serpenoid.core import World
    from serpenoid.planning import PathPlan

<<<<<<< HEAD
    if args.friction is not None and not args.execute:
        raise refusal("--friction is that of the ground with --execute: give --execute feed or creep")
    plan = PathPlan(
        map=args.map, start=None if args.start is None else numbers(args.start, "--start"),
        goals=tuple(numbers(text, "--goal") for text in args.goal or ()), cell=args.cell, walls=args.walls, half_width=args.half_width,
        margin=args.margin, step=args.step, cap=math.radians(args.cap), tolerance=args.tolerance, search=args.search, project=args.project,
        execute=args.execute or "feed",
    )  # fmt: skip
    body = plan.body(
        robot=named_robot(args.robot), links=args.links, link_length=args.link_length, execute=bool(args.execute)
    )
    world = None if args.friction is None else World(Coulomb(*numbers(args.friction, "--friction")))
    out = results_folder(args, "plan-path")
    with bar("planning"):
        solution = plan.solve(body)
    result = solution.summary()
    run = carried_out(body, plan, world) if args.execute and solution.status == "reached" else None
    return finish(args, result, run, _files(args, solution, out), out, lines(result))


def _files(args: argparse.Namespace, solution: Any, out: Path) -> dict[str, Path]:
    """Picture, tables and film of a plan."""
    from serpenoid.formats.files import write_table
=======
    return Drive() if args.friction is None else Drive(friction=Coulomb(*numbers(args.friction, "--friction")))


def _carried_out(args: argparse.Namespace, found: Any, robot: Any, drive: Any) -> Any:
    """The path in dynamics."""
    from serpenoid import control as execution
    from serpenoid.spatial._old.walls import walls_of_grid

    walls = walls_of_grid(found.map.solid, found.map.cell)
    with bar("carrying out") as progress:
        return getattr(execution, args.execute)(robot, found.path.points, walls, drive, progress=progress)


def _executed(done: Any) -> dict[str, Any]:
    """What a carried-out path adds to the JSON object; SI units."""
    told = done.summary()
    return {
        "executed": told.pop("status"), "execution_reason": told.pop("reason"), "execution_warnings": told.pop("warnings"),
        "executed_head_to_goal": told.pop("head_to_goal"), **told,
    }  # fmt: skip


def _files(args: argparse.Namespace, found: Any, done: Any, out: Path) -> dict[str, Path]:
    """Pictures, tables and films."""
>>>>>>> main
    from serpenoid.view.map import map_figure
    from serpenoid.view.plans import plan_film

<<<<<<< HEAD
    paths = {"figure": map_figure(solution.path, out / "map.png", solution.following, unit=solution.unit)}
    for name, table in solution.tables().items():
        paths[name] = write_table(out / f"{name}.csv", *table)
    if solution.following is not None and ((not args.json) if args.film is None else args.film):
        with bar("drawing plan.mp4") as progress:
            paths["film"] = plan_film(
                solution.following, out / "plan.mp4", size=args.film_size, unit=solution.unit, progress=progress
            )
    return paths


def lines(result: dict[str, Any]) -> list[str]:
    """What matters of a path, in a few lines."""
    unit, found = result["unit"], [result["status"] + (f" ({result['reason']})" if result["reason"] else "")]
=======
    body, area = found.following, found.map
    drawn = "m" if area.unit == "m" or found.assumed else "cells"  # a map without a size has cells of 1
    paths: dict[str, Path] = {"figure": map_figure(found.path, out / "map.png", body, unit=drawn)}
    if len(found.path.points) > 1:
        paths["path"] = _path_table(found, out / "path.csv")
    if body is not None:
        paths["postures"] = _posture_table(found, out / "postures.csv")
    if done is not None:
        paths["forces"] = passage_figure(done, out / "executed.png")
        paths["executed"] = _executed_table(done, out / "executed.csv")
    film = (not args.json) if args.film is None else args.film
    if film and body is not None:
        with bar("drawing plan.mp4") as progress:
            paths["film"] = plan_film(body, out / "plan.mp4", unit=drawn, progress=progress)
    if film and done is not None:
        with bar("drawing executed.mp4") as progress:
            paths["executed_film"] = map_film(done, area.solid, area.cell, out / "executed.mp4", progress=progress)
    return paths


def _path_table(found: Any, file: Path) -> Path:
    """Points of the path with arc length, clearance and curvature, in the unit of the plan."""
    import numpy as np

    from serpenoid.formats.files import write_table

    path, u = found.path, found.unit_length
    rows = np.column_stack([path.arc / u, path.points / u, path.clearance / u, path.curvature * u])
    return write_table(file, ["arc", "x", "y", "clearance", "curvature"], rows)


def _posture_table(found: Any, file: Path) -> Path:
    """Link ends and joint angles (rad) at every increment, with the least clearance of a link and the number of links not settled."""
    import numpy as np

    from serpenoid.formats.files import write_table

    body, u = found.following, found.unit_length
    n, count = len(body.lengths), len(body.base)
    header = ["base"] + [f"{c}{k}" for k in range(n + 1) for c in "xy"] + [f"theta{k}" for k in range(1, n)]
    rows = np.column_stack(
        [
            body.base / u, body.joints.reshape(count, -1) / u, body.joint_angles, body.clearance.min(axis=1) / u,
            (~body.settled).sum(axis=1),
        ]
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
>>>>>>> main
    if result["path_length"] is not None:
        small = f", ln u {result['ln_u_start']:.1f}" if result["u_start"] == 0.0 and result["ln_u_start"] else ""
        found.append(
            f"  path: {result['path_length']:.4g} {unit}, {result['min_clearance']:.3g} {unit} from the nearest wall node; "
            f"u at the start {result['u_start']:.4g}{small}"
        )
    if result["link_clearance"] is not None:
        found.append(
            f"  body: {result['links']} links, {result['increments']} increments, {result['unsettled']} of them unsettled; nearest link "
            f"{result['link_clearance']:.3g} {unit} from a wall, head {result['head_to_goal']:.2g} {unit} from the goal"
        )
    return found
