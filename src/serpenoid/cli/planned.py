"""What the kinds of plan share on the command line: robots by name, carrying out, and what is written and printed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

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


def carried_out(robot: Any, plan: Any, world: Any = None) -> Any:
    """The run in which a plan is carried out: the same as of a scenario with this [plan]."""
    from serpenoid.core import Settings, World
    from serpenoid.simulation.run import execute
    from serpenoid.simulation.setup import Setup

    with bar("carrying out") as progress:
        return execute(Setup(robot, world or World(), plan, settings=Settings()), progress=progress, partial=True)


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
    if run is not None and not run.status.ok:
        say(f"serpenoid: {run.status.name}: {run.status.message}")
    if run is None and args.execute:
        rest = "there is nothing of it to carry out" if args.anyway else "--anyway carries out what there is of it"
        say(f"serpenoid: the plan is {plan['status']} and was not carried out; {rest}")
        return FAILED_PLAN
    return 0 if run is None else runs.exit_code(run)


def to_carry_out(args: argparse.Namespace, solution: Any) -> bool:
    """Whether a plan is carried out: where it is asked for and reaches its goal, or where it is asked for anyway."""
    if args.anyway and not args.execute:
        raise refusal("--anyway carries out what there is of a failed plan: give --execute")
    return bool(args.execute) and (solution.status == "reached" or (args.anyway and solution.partial))
