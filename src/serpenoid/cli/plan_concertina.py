"""serpenoid plan concertina: the mechanical snake to a target among obstacles."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from serpenoid.cli.arguments import numbers, results
from serpenoid.cli.planned import add_resume, carried_out, finish, named_robot, stopped, to_carry_out, write
from serpenoid.cli.terminal import bar

TEXT = "the mechanical snake to a target, by concertina"
DESCRIPTION = "Lengths are in link lengths, or in m with --robot."
USAGE = "serpenoid plan concertina --target X,Y [--heading DEG] [--robot NAME] [--obstacles FILE] [--execute] [--out DIR] [--json] [more: -h]"


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
    one.add_argument(
        "--anyway", action="store_true", help="with --execute: even where the plan fails, as far as it goes"
    )
    add_resume(one)
    one.add_argument("--sensor", choices=("tactile", "torque"), default="tactile", help="how contact is felt")


def command(args: argparse.Namespace) -> int:
    """Plan a concertina motion to a target, and carry it out where asked."""
    from serpenoid.formats.yard import read_yard
    from serpenoid.planning import ConcertinaPlan
    from serpenoid.planning.carry_out import solved

    robot = named_robot(args.robot)
    plan = ConcertinaPlan(
        target=numbers(args.target, "--target"),
        heading=None if args.heading is None else math.radians(args.heading),
        obstacles=read_yard(args.obstacles).obstacles if args.obstacles else (),
        half_width=args.half_width, elbow=args.elbow, max_cycles=args.max_cycles, sensor=args.sensor, anyway=args.anyway,
        unit="link lengths" if robot is None else "m",
    )  # fmt: skip
    body = named_robot("ms1") if robot is None and args.execute else robot
    before = stopped(args, "plan-concertina")
    with results(args, before.place) as made:
        with bar("planning"):
            solution = solved(plan, body)
        result = solution.summary()
        run = carried_out(made, before, body, plan) if to_carry_out(args, solution) else None
        paths = write(args, result, run, _files(args, solution, made.path), made)
    return finish(args, result, run, paths, made.target, lines(result))


def _files(args: argparse.Namespace, solution: Any, out: Path) -> dict[str, Path]:
    """Pictures, the film and the timed motion of a plan."""
    from serpenoid.formats.files import write_table
    from serpenoid.planning.tables import motion_table
    from serpenoid.view.concertina import steps_figure
    from serpenoid.view.plans import plan_film

    paths = {"steps": steps_figure(solution, out / "steps.png")}
    if solution.legs:
        paths["motion"] = write_table(out / "motion.csv", *motion_table(solution))
        if (not args.json) if args.film is None else args.film:
            with bar("drawing plan.mp4") as progress:
                paths["film"] = plan_film(solution, out / "plan.mp4", size=args.film_size, progress=progress)
    return paths


def lines(result: dict[str, Any]) -> list[str]:
    """What matters of a concertina plan, in a few lines."""
    why = f" ({result['reason']})" if result["reason"] else ""
    found = [
        f"{result['status']}{why}: {result['cycles']} cycles, head {result['final_distance']:.3g} {result['unit']} from the target"
    ]
    for contact in [c for c in result["contacts"] if c["held"]][:8]:
        found.append(
            f"  link {contact['link']} held by obstacle {contact['obstacle']} in cycle {contact['cycle']}, stage {contact['stage']}"
        )
    return found
