"""serpenoid new: a commented starter in the present folder, ready to be run and changed."""

from __future__ import annotations

import argparse
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from serpenoid.cli.arguments import refusal
from serpenoid.cli.terminal import give
from serpenoid.spelling import near

TEXT = "write a commented scenario to start from: creep, sidewind, gait, law, robot, sweep, plan"
PRESET = 'preset = "'
RADIUS = "radius = 0.02                 # m, of round links\n"


class Starter(NamedTuple):
    """A starter: what it is, the command that runs it, and which robots it takes: of the plane, of space, or its own."""

    text: str
    command: str
    robots: str = ""


STARTERS = {
    "creep": Starter("a snake creeps in the plane", "run my_creep.toml", "plane"),
    "sidewind": Starter("a snake sidewinds over ground, in three dimensions", "run my_sidewind.toml", "space"),
    "gait": Starter("a gait of your own, in Python", "run my_gait.toml --allow my_gait", "plane"),
    "law": Starter("a friction law of your own, in Python", "run my_law.toml --allow my_law", "plane"),
    "robot": Starter("a robot of your own, by its numbers", "run my_robot.toml"),
    "sweep": Starter("many runs over two keys", "sweep my_sweep.toml --out out/my_sweep", "plane"),
    "plan": Starter("concertina to a target past an obstacle", "run my_plan.toml"),
}


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    kinds = "; ".join(f"{name}: {starter.text}" for name, starter in STARTERS.items())
    sub.add_argument(
        "kind", nargs="?", choices=STARTERS, metavar="KIND", help=f"{kinds} (default: what suits the robot)"
    )
    sub.add_argument("--robot", metavar="NAME", help="a robot of serpenoid list robots instead of the starter's own")


def command(args: argparse.Namespace) -> int:
    """Write a commented starter into the present folder, never over a file, and say how it is run."""
    where = None if args.robot is None else place_of(args.robot)
    kind = args.kind or ("sidewind" if where == "space" else "creep")
    starter = STARTERS[kind]
    if where is not None and where != starter.robots:
        fitting = ", ".join(name for name, one in STARTERS.items() if one.robots == where)
        raise refusal(f"new {kind} takes no robot {args.robot}, which moves in the {where}; with it: {fitting}" if starter.robots
                      else f"new {kind} has a robot of its own; with --robot {args.robot}: {fitting}")  # fmt: skip
    texts = texts_of(kind, args.robot)
    there = [name for name in texts if Path(name).exists()]
    if there:
        raise refusal(
            f"{', '.join(there)} is there already and is not written over; rename it, or begin in another folder"
        )
    for name, text in texts.items():
        with open(name, "x", encoding="utf-8") as file:
            file.write(text)
    if args.json:
        give({"status": "ok", "kind": kind, "files": list(texts), "next": f"serpenoid {starter.command}"})
    else:
        print(f"wrote {', '.join(texts)}: {starter.text}\n  next: serpenoid {starter.command}")
    return 0


def place_of(robot: str) -> str:
    """Where a robot moves: in the plane with joints that yaw alone, else in space."""
    from serpenoid.robots import ROBOTS

    if robot not in ROBOTS:
        raise refusal(f"no robot {robot!r}{near(robot, ROBOTS)}; there are {', '.join(ROBOTS)}")
    return "plane" if ROBOTS[robot]().joints == "yaw" else "space"


def texts_of(kind: str, robot: str | None = None) -> dict[str, str]:
    """The files of a starter by name, with another robot where one is given."""
    folder = resources.files("serpenoid") / "starters"
    found = {f"my_{kind}.toml": (folder / f"{kind}.toml").read_text(encoding="utf-8")}
    if (folder / f"{kind}.py").is_file():
        found[f"my_{kind}.py"] = (folder / f"{kind}.py").read_text(encoding="utf-8")
    if robot is not None:
        found[f"my_{kind}.toml"] = with_robot(found[f"my_{kind}.toml"], robot)
    return found


def with_robot(text: str, robot: str) -> str:
    """A starter with another robot; one of space gets a radius if it has none."""
    from serpenoid.robots import ROBOTS

    before, _, after = text.partition(PRESET)
    old, _, rest = after.partition('"')
    thin = place_of(robot) == "space" and not (ROBOTS[robot]().radius > 0.0).any()
    line, _, below = rest.replace(f"show {old}", f"show {robot}", 1).partition("\n")
    return f'{before}{PRESET}{robot}"{line}\n{RADIUS * thin}{below}'
