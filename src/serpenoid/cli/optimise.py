"""serpenoid optimise: one number of a scenario searched for the best value of a metric."""

from __future__ import annotations

import argparse
from pathlib import Path

from serpenoid.cli.arguments import add_changes, add_out, allowed, results
from serpenoid.cli.terminal import bar, give

TEXT = "search a number of a scenario for the best metric"


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("scenario", help="a bundled name or a TOML file")
    add_changes(sub)
    sub.add_argument("--over", required=True, metavar="KEY=LOW:HIGH", help="e.g. gait.winding_angle_deg=5:90")
    goal = sub.add_mutually_exclusive_group(required=True)
    goal.add_argument("--maximise", metavar="METRIC", help="a metric (serpenoid list metrics), or my_module:my_metric")
    goal.add_argument("--minimise", metavar="METRIC")
    sub.add_argument("--scan", type=int, default=18, metavar="N", help="places of the coarse scan (default 18)")
    sub.add_argument("--tolerance", type=float, help="width of the final bracket (default: 1/500 of the interval)")
    add_out(sub, "out/NAME-optimum")


def command(args: argparse.Namespace) -> int:
    """Search one number of a scenario for the best value of a metric."""
    from serpenoid.formats import files
    from serpenoid.optimise import optimise_scenario
    from serpenoid.view.search import search_figure

    name, modules = Path(args.scenario).stem, allowed(args.allow)
    with results(args, f"{name}-optimum") as made:
        with bar("searching") as progress:
            result = optimise_scenario(
                args.scenario, args.set, over=args.over, maximise=args.maximise, minimise=args.minimise,
                points=args.scan, tolerance=args.tolerance, progress=progress, allow=modules, outside=args.allow_outside,
            )  # fmt: skip
        files.write_json(made.path / "optimum.json", result)
        search_figure(result, made.path / "optimum.png")
        made.description = result["scenario"]
    if args.json:
        give(result)
        return 0
    for key, place in result["optimum"].items():
        print(f"{result['objective']} is best at {key} = {place:.5g}: {result['value']:.5g} {result['unit']}")
        print(f"  {result['evaluations']} runs" + "".join(f"\n  warning: {w}" for w in result["warnings"]))
        print(
            f"  in {made.target}: optimum.json, optimum.png\n  next: serpenoid run {args.scenario} --set {key}={place:.5g}"
        )
    return 0
