"""What the kinds of plan share on the command line: robots by name, carrying out, and what is written and printed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from serpenoid.cli import run as runs
from serpenoid.cli.arguments import refusal
from serpenoid.cli.terminal import bar, give, say

if TYPE_CHECKING:
    from serpenoid.formats.result import Result

FAILED_PLAN = 3  # exit code where a plan was to be carried out and could not be


def named_robot(name: str | None) -> Any:
    """The robot of a name, or None."""
    from serpenoid.robots import ROBOTS

    if name is None:
        return None
    if name not in ROBOTS:
        raise refusal(f"unknown robot {name!r}; known are {', '.join(ROBOTS)}")
    return ROBOTS[name]()


def add_resume(one: argparse.ArgumentParser) -> None:
    """Let a plan go on with its execution."""
    one.add_argument(
        "--resume", metavar="FOLDER", help="with --execute: go on with this plan's execution that was stopped or killed"
    )


class Before(NamedTuple):
    """An execution that was stopped or killed, and the usual name (or place) of what comes of it."""

    run: Any
    place: str | Path


def stopped(args: argparse.Namespace, default: str) -> Before:
    """What --resume names; without it nothing, and the usual name."""
    from serpenoid.formats.result import find_saved
    from serpenoid.formats.trajectory import load

    if args.resume is None:
        return Before(None, default)
    if not args.execute:
        raise refusal("--resume goes on with the execution of a plan: give --execute too")
    file, place = find_saved(args.resume)
    return Before(load(file), place)


def carried_out(result: Result, before: Before, robot: Any, plan: Any, world: Any = None) -> Any:
    """The run in which a plan is carried out: the same as of a scenario with this [plan]; kept now and then in the result under way."""
    from serpenoid.core import Settings, World
    from serpenoid.simulation.keeping import Keeper, interval
    from serpenoid.simulation.run import execute, resume
    from serpenoid.simulation.setup import Setup

    with bar("carrying out") as progress:
        setup, keeper = Setup(robot, world or World(), plan, settings=Settings()), Keeper(result.keep, interval())
        if before.run is not None:
            setup.must_equal(before.run.scenario)
            return resume(before.run, progress=progress, partial=True, keeper=keeper)
        return execute(setup, progress=progress, partial=True, keeper=keeper)


def write(
    args: argparse.Namespace, plan: dict[str, Any], run: Any, paths: dict[str, Path], result: Result
) -> dict[str, Path]:
    """Write the run's files and plan.json; all paths as they are once the result is in place."""
    from serpenoid.formats.files import write_json

    if run is not None:
        files = runs.write(args, run, result.path)
        run = runs.drawn(args, run, result.path, "executed", files)
        paths.update({f"executed_{key}": path for key, path in files.items()})
        plan["executed"] = run.status.name
        plan["execution"] = runs.report(run)
    elif args.execute:
        plan["executed"] = None
    plan["files"] = {k: str(v) for k, v in result.final(paths).items()}
    paths["plan"] = write_json(result.path / "plan.json", plan)
    return dict(result.final(paths))


def finish(
    args: argparse.Namespace, plan: dict[str, Any], run: Any, paths: dict[str, Path], target: Path, lines: list[str]
) -> int:
    """Print what matters of a plan whose files are in place, and give the exit code."""
    if args.json:
        give(plan)
    else:
        warned = [f"  warning: {text}" for text in plan["warnings"]] + [
            f"  assumed: {text}" for text in plan.get("assumed", ())
        ]
        print("\n".join([*lines, *warned, *([run.summary()] if run is not None else [])]))
        print(f"  in {target}: {', '.join(path.name for path in paths.values())}")
        print(f"  next: {_next(args, run, paths)}")
    if run is not None and not run.status.ok:
        say(f"serpenoid: {run.status.name}: {run.status.message}")
    if run is None and args.execute:
        rest = "there is nothing of it to carry out" if args.anyway else "--anyway carries out what there is of it"
        say(f"serpenoid: the plan is {plan['status']} and was not carried out; {rest}")
        return FAILED_PLAN
    return 0 if run is None else runs.exit_code(run)


def _next(args: argparse.Namespace, run: Any, paths: dict[str, Path]) -> str:
    """A command worth trying after a plan."""
    if run is not None:
        return f"serpenoid export {paths['executed_trajectory']} --to html  (a page to turn and replay it)"
    if hasattr(args, "target"):
        return f"serpenoid plan concertina --target {args.target} --execute  (carry it out in dynamics)"
    return f"serpenoid plan path --map {args.map}{f' --cell {args.cell:g}' if args.cell else ' --cell 0.05'} --execute creep  (in dynamics)"


def to_carry_out(args: argparse.Namespace, solution: Any) -> bool:
    """Whether a plan is carried out: where it is asked for and reaches its goal, or where it is asked for anyway."""
    if args.anyway and not args.execute:
        raise refusal("--anyway carries out what there is of a failed plan: give --execute")
    return bool(args.execute) and (solution.status == "reached" or (args.anyway and solution.partial))
