"""serpenoid best: the gaits that fit a scenario's robot and ground, ranked; each tuned by a short search within the motors' limits."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from serpenoid.cli.arguments import add_changes, add_out, allowed, asked_for, results
from serpenoid.cli.terminal import bar, give

TEXT = "rank the gaits that fit a scenario's robot and ground"


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("scenario", help="a bundled name or a TOML file; its own gait is not looked at")
    add_changes(sub)
    sub.add_argument(
        "--maximise",
        metavar="METRIC",
        help="by what they are ranked (default com_distance, on a slope the height gained)",
    )
    sub.add_argument("--evaluations", type=int, metavar="N", help="runs of the search of each gait (default 48)")
    sub.add_argument("--seed", type=int, default=0, metavar="S", help="of the random numbers (default 0)")
    sub.add_argument("--threads", type=int, metavar="N", help="default: one per core; the result does not depend on it")
    add_out(sub, "out/NAME-best")


def command(args: argparse.Namespace) -> int:
    """Rank the gaits that fit a scenario's robot and ground, each tuned by a short search within the motors' limits."""
    from serpenoid.formats import files
    from serpenoid.optimise.best import RUNS, best_gaits
    from serpenoid.view.ranking import ranking_figure

    name = Path(args.scenario).stem
    with results(args, f"{name}-best") as made:
        with bar("trying gaits") as progress:
            found = best_gaits(
                args.scenario, args.set, maximise=args.maximise, evaluations=RUNS if args.evaluations is None else args.evaluations,
                seed=args.seed, threads=args.threads, progress=progress, allow=allowed(args.allow), outside=args.allow_outside,
            )  # fmt: skip
        files.write_json(made.path / "best.json", found)
        ranking_figure(found, made.path / "best.png")
    if args.json:
        give(found)
    else:
        print("\n".join([*told(found), f"  in {made.target}: best.json, best.png", f"  next: {_next(args, found)}"]))
    return 0


def told(found: dict[str, Any]) -> list[str]:
    """The ranking in words."""
    lines = [
        f"{found['metric']} [{found['unit']}] in {found['duration']:g} s, {found['evaluations']} runs of each gait"
    ]
    lines += [
        f"  within {', '.join(found['limits'])}" if found["limits"] else "  the robot declares no limits of its motors"
    ]
    for row in found["ranking"]:
        place = ", ".join(f"{key.removeprefix('gait.')} {x:.4g}" for key, x in row["place"].items())
        lines.append(f"  {row['gait']:14s} {row['value']:10.4g}  at {place}")
    return lines + [f"  {gait:14s} {'-':>10s}  {why[:90]}" for gait, why in found["left_out"].items()]


def _next(args: argparse.Namespace, found: dict[str, Any]) -> str:
    """The search that goes on with the best gait."""
    best = found["ranking"][0]
    keys = ", ".join(
        [f'kind="{best["gait"]}"', *(f"{key.removeprefix('gait.')}={x:.4g}" for key, x in best["place"].items())]
    )
    return f"serpenoid run {asked_for(args)} --set 'gait={{{keys}}}'"
