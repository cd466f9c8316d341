"""serpenoid plan path: a map, a goal, the path, the body along it, and what becomes of it in dynamics."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from serpenoid.cli.arguments import numbers, refusal, results
from serpenoid.cli.planned import add_resume, carried_out, finish, named_robot, stopped, to_carry_out, write
from serpenoid.cli.terminal import bar

FRICTION = (0.05, 0.5)  # of the ground, where none is given
TEXT = "a body through a map"
DESCRIPTION = "Lengths are cells, or m where the map gives its cell size or --cell does."
USAGE = (
    "serpenoid plan path --map MAP [--start X,Y] [--goal X,Y] [--robot NAME | --links N --link-length L] "
    "[--execute feed|creep] [--out DIR] [--json] [more: -h]"
)


def add(one: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    one.add_argument(
        "--map",
        required=True,
        metavar="MAP",
        help="two-walls, maze, rubble, corridor; or .png, .pgm, map.yaml of ROS, .npy, text",
    )
    one.add_argument("--start", metavar="X,Y", help="place of the base (default: the map's suggestion)")
    one.add_argument("--goal", action="append", metavar="X,Y", help="where the head goes; several: give it again")
    one.add_argument("--cell", type=float, metavar="M", help="side of a cell in m")
    one.add_argument("--robot", metavar="NAME", help="see serpenoid list robots (default: --links)")
    one.add_argument("--links", type=int, metavar="N", help="number of links (default 6)")
    one.add_argument("--link-length", type=float, metavar="L", help="of every link (default 5 cells)")
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
    one.add_argument(
        "--anyway", action="store_true", help="with --execute: even where the plan fails, as far as it goes"
    )
    add_resume(one)
    one.add_argument("--friction", metavar="ALONG,ACROSS", help="of the ground with --execute (default 0.05,0.5)")


def command(args: argparse.Namespace) -> int:
    """Plan a path through a map, take the body along it, carry it out where asked."""
    from serpenoid.contact import Coulomb
    from serpenoid.core import World
    from serpenoid.planning import PathPlan
    from serpenoid.planning.carry_out import body_on, solved

    if args.friction is not None and not args.execute:
        raise refusal("--friction is that of the ground with --execute: give --execute feed or creep")
    plan = PathPlan(
        map=args.map, start=None if args.start is None else numbers(args.start, "--start"),
        goals=tuple(numbers(text, "--goal") for text in args.goal or ()), cell=args.cell, walls=args.walls, half_width=args.half_width,
        margin=args.margin, step=args.step, cap=math.radians(args.cap), tolerance=args.tolerance, search=args.search, project=args.project,
        execute=args.execute or "feed", anyway=args.anyway,
    )  # fmt: skip
    body, assumed = body_on(
        plan, named_robot(args.robot), links=args.links, link_length=args.link_length, real=bool(args.execute)
    )
    world = World(Coulomb(*(numbers(args.friction, "--friction") if args.friction else FRICTION)))
    before = stopped(args, "plan-path")
    with results(args, before.place) as made:
        with bar("planning"):
            solution = solved(plan, body)
        result = solution.summary()
        result["assumed"] += assumed
        run = carried_out(made, before, body, plan, world) if to_carry_out(args, solution) else None
        paths = write(args, result, run, _files(args, solution, made.path), made)
    return finish(args, result, run, paths, made.target, lines(result))


def _files(args: argparse.Namespace, solution: Any, out: Path) -> dict[str, Path]:
    """Picture, tables and film of a plan."""
    from serpenoid.formats.files import write_table
    from serpenoid.planning import tables
    from serpenoid.view.map import map_figure
    from serpenoid.view.plans import plan_film

    paths = {"figure": map_figure(solution.path, out / "map.png", solution.following)}
    if len(solution.path.points) > 1:
        paths["path"] = write_table(out / "path.csv", *tables.path_table(solution))
    if solution.following is not None:
        paths["postures"] = write_table(out / "postures.csv", *tables.posture_table(solution))
    if solution.following is not None and ((not args.json) if args.film is None else args.film):
        with bar("drawing plan.mp4") as progress:
            paths["film"] = plan_film(solution.following, out / "plan.mp4", size=args.film_size, progress=progress)
    return paths


def lines(result: dict[str, Any]) -> list[str]:
    """What matters of a path, in a few lines."""
    unit, found = result["unit"], [result["status"] + (f" ({result['reason']})" if result["reason"] else "")]
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
