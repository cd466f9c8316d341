"""The arguments of the commands that have many; `cli` puts them together."""

from __future__ import annotations

import argparse
import re
from typing import Any, NoReturn

from serpenoid.core.errors import InputError


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are input errors like all others."""

    def error(self, message: str) -> NoReturn:
        """Say how to use the command, and what is wrong."""
        raise InputError(f"{message} ({self.format_usage().strip()})")


def joined(words: list[str]) -> list[str]:
    """Join an option and a value such as "-3,1" that would otherwise be taken for an option."""
    out: list[str] = []
    for word in words:
        pair = re.fullmatch(r"-[\d.][^\s]*,.*", word) is not None
        if pair and out and out[-1].startswith("--") and "=" not in out[-1]:
            out[-1] += f"={word}"
        else:
            out.append(word)
    return out


def changes(sub: argparse.ArgumentParser) -> None:
    """Let a command change keys of its scenario."""
    sub.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a key of the scenario")


def add_run(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command run."""
    sub.add_argument("scenario", nargs="?", help="a bundled name (serpenoid list scenarios) or a TOML file")
    changes(sub)
    sub.add_argument("--out", metavar="DIR", help="folder for the results (default out/NAME)")
    sub.add_argument("--film", action=argparse.BooleanOptionalAction, help="draw a film (default: unless --json)")
    sub.add_argument("--gif", action="store_true", help="draw an animated GIF too")
    sub.add_argument("--csv", action="store_true", help="write the trajectory as CSV too")
    sub.add_argument("--until", type=float, metavar="T", help="stop at this time; --resume goes on from there")
    sub.add_argument("--resume", metavar="FILE", help="continue a saved trajectory.nc")


def add_shape(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command shape."""
    sub.add_argument("name", help="see serpenoid list shapes")
    sub.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter of the shape")
    sub.add_argument("--model", choices=("bellows", "frenet", "complete"), help="convert to this model, same backbone")
    sub.add_argument("--roll", type=float, default=0.0, metavar="DEG", help="lateral rolling (bellows shapes)")
    sub.add_argument("--fit", metavar="ROBOT", help="fit a robot's joint angles (serpenoid list robots)")
    sub.add_argument("--links", type=int, help="number of links of the fitted robot")
    sub.add_argument("--method", choices=("integral", "sequential"), default="integral", help="how to fit")
    sub.add_argument("--limit", type=float, metavar="DEG", help="joint limit")
    sub.add_argument(
        "--approximate", action="store_true", help="fit yaw joints to a curve out of the plane all the same"
    )
    sub.add_argument("--film", action="store_true", help="draw a film of lateral rolling")
    sub.add_argument("--out", metavar="DIR", help="folder for the results (default out/shape-NAME)")


def add_plan(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command plan, by kind."""
    kinds = sub.add_subparsers(dest="kind", metavar="KIND", required=True, parser_class=Parser)
    one = kinds.add_parser("concertina", help="the mechanical snake to a target, by concertina")
    one.add_argument("--target", required=True, metavar="X,Y", help="where the head goes: links, or m with --robot")
    one.add_argument("--heading", type=float, metavar="DEG", help="heading of the head there")
    one.add_argument("--obstacles", metavar="FILE", help="a TOML file of discs, polygons and walls")
    one.add_argument("--robot", metavar="NAME", help="a robot of seven links, such as ms1 (default: unit links)")
    one.add_argument("--elbow", choices=("paper", "mirror", "auto"), default="paper", help="side of the folds")
    one.add_argument("--half-width", type=float, metavar="W", help="of the links (default: 0, or the robot's)")
    one.add_argument("--max-cycles", type=int, default=200, metavar="N", help="cycles at most (default 200)")
    one.add_argument("--execute", action="store_true", help="carry the plan out in dynamics")
    one.add_argument("--sensor", choices=("tactile", "torque"), default="tactile", help="how contact is felt")
    for kind in (one, add_plan_path(kinds)):
        kind.add_argument("--film", action=argparse.BooleanOptionalAction, help="draw films (default: unless --json)")
        kind.add_argument("--out", metavar="DIR", help="folder for the results (default out/plan-KIND)")
        kind.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object and nothing else"
        )


def add_plan_path(kinds: Any) -> argparse.ArgumentParser:
    """Arguments of a path through a map; returns its parser."""
    one: argparse.ArgumentParser = kinds.add_parser(
        "path", help="a body through a map", description="Lengths are cells, or m where the map gives its cell size or --cell does.",
        usage="serpenoid plan path --map MAP [--start X,Y] [--goal X,Y] [--robot NAME | --links N --link-length L] "
        "[--execute feed|creep] [--out DIR] [--json] [more: -h]",
    )  # fmt: skip
    one.add_argument(
        "--map", required=True, metavar="MAP", help="two-walls, maze, rubble, corridor; or .png, .npy, text"
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
    one.add_argument("--friction", metavar="ALONG,ACROSS", help="of the ground with --execute (default 0.05,0.5)")
    return one


def add_compare(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command compare."""
    sub.add_argument("scenario", help="a bundled name or a TOML file, in space")
    changes(sub)
    sub.add_argument(
        "--engines", default="own,mujoco,mujoco-native,drake,drake-native", metavar="A,B,...",
        help="own, mujoco, mujoco-native, drake, drake-native; the first is the reference",
    )  # fmt: skip
    sub.add_argument("--film", action=argparse.BooleanOptionalAction, default=True, help="draw the film")
    sub.add_argument("--out", metavar="DIR", help="folder for the results (default out/compare-NAME)")


def add_optimise(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command optimise."""
    sub.add_argument("scenario")
    changes(sub)
    sub.add_argument("--over", required=True, metavar="KEY=LOW:HIGH", help="e.g. gait.winding_angle_deg=5:90")
    goal = sub.add_mutually_exclusive_group(required=True)
    goal.add_argument("--maximise", metavar="METRIC")
    goal.add_argument("--minimise", metavar="METRIC")
    sub.add_argument("--scan", type=int, default=18, metavar="N", help="places of the coarse scan (default 18)")
    sub.add_argument("--tolerance", type=float, help="width of the final bracket (default: 1/500 of the interval)")
    sub.add_argument("--out", metavar="DIR", help="folder for plot and result (default out/NAME-optimum)")
