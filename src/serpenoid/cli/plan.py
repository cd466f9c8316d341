"""serpenoid plan: concertina to a target, or a path through a map; carried out in dynamics where asked."""

from __future__ import annotations

import argparse

from serpenoid.cli import plan_concertina, plan_path
from serpenoid.cli.arguments import Parser, add_json, add_out
from serpenoid.cli.run import add_film

TEXT = "plan a motion: concertina to a target, a path through a map"
KINDS = {"concertina": plan_concertina, "path": plan_path}


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command, by kind of plan."""
    kinds = sub.add_subparsers(dest="kind", metavar="KIND", required=True, parser_class=Parser)
    for name, module in KINDS.items():
        one = kinds.add_parser(name, help=module.TEXT, description=module.DESCRIPTION, usage=module.USAGE)
        module.add(one)
        add_film(one)
        add_out(one, f"out/plan-{name}")
        add_json(one)


def command(args: argparse.Namespace) -> int:
    """Plan a motion: concertina of the mechanical snake to a target, or a path through a map with the body along it."""
    return KINDS[args.kind].command(args)
