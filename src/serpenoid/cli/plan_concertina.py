"""serpenoid plan concertina: the mechanical snake to a target among obstacles."""

from __future__ import annotations

import argparse

TEXT = "the mechanical snake to a target, by concertina"
DESCRIPTION = "Lengths are in link lengths, or in m with --robot."
USAGE = None


def add(one: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    one.add_argument("--target", required=True, metavar="X,Y", help="where the head goes: links, or m with --robot")
    one.add_argument("--heading", type=float, metavar="DEG", help="heading of the head there")
    one.add_argument("--obstacles", metavar="FILE", help="a TOML file of discs, polygons and walls")
    one.add_argument("--robot", metavar="NAME", help="a robot of seven links, such as ms1 (default: unit links)")
    one.add_argument("--elbow", choices=("paper", "mirror", "auto"), default="paper", help="side of the folds")
    one.add_argument("--half-width", type=float, metavar="W", help="of the links (default: 0, or the robot's)")
    one.add_argument("--max-cycles", type=int, default=200, metavar="N", help="cycles at most (default 200)")
    one.add_argument("--execute", action="store_true", help="carry the plan out in dynamics")
    one.add_argument("--sensor", choices=("tactile", "torque"), default="tactile", help="how contact is felt")
