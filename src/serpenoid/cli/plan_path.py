"""serpenoid plan path: a map, a goal, the path, the body along it, and what becomes of it in dynamics."""

from __future__ import annotations

import argparse

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
        "--search", choices=("forward", "literal"), default="forward", help="ahead of the joint, or from the first point"
    )
    one.add_argument(
        "--project", action=argparse.BooleanOptionalAction, default=True, help="seek the nearest place on segments, not points"
    )
    one.add_argument(
        "--execute", choices=("feed", "creep"), help="carry it out in dynamics: base fed, or body by itself"
    )
    one.add_argument("--friction", metavar="ALONG,ACROSS", help="of the ground with --execute (default 0.05,0.5)")


def command(args: argparse.Namespace) -> int:
    """Plan a path through a map, take the body along it, carry it out where asked."""
    raise NotImplementedError
