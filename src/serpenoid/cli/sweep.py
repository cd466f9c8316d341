"""serpenoid sweep: every cell of a design, into a store that is gone on with after any end."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from serpenoid import signals
from serpenoid.cli.arguments import add_changes, add_style, allowed, refusal, styled
from serpenoid.cli.terminal import bar, counter, give, say

TEXT = "run a scenario over many values of its keys"
FIGURE, DATA = "figure.png", "dataset.nc"
MOST_SHOWN = 3  # failures in words


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("scenario", help="a bundled name or a TOML file, with a table [sweep] if it likes")
    add_changes(sub)
    sub.add_argument(
        "--over", action="append", default=[], metavar="KEY=VALUES",
        help="start:stop:step, a list a,b,c, or low:high for random and Sobol designs; e.g. gait.winding_angle_deg=5:90:5",
    )  # fmt: skip
    sub.add_argument(
        "--out", required=True, metavar="STORE", help="folder of the store; the same command goes on with it"
    )
    sub.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="NAME",
        help="a metric to keep, my_module:my_metric too (default: all that apply)",
    )
    sub.add_argument("--design", help="grid (default), together, random, sobol")
    sub.add_argument("--cells", type=int, metavar="N", help="of a random or Sobol design")
    sub.add_argument(
        "--seed", type=int, metavar="S", help="of a random or Sobol design, and of the cells' own seeds (default 0)"
    )
    sub.add_argument(
        "--through",
        metavar="MODULE:FUNCTION",
        help="a function f(values) -> changes: from {axis: value} to the {key: value} that a cell changes",
    )
    sub.add_argument(
        "--tie",
        action="append",
        default=[],
        metavar="KEY=AXIS",
        help="a key that takes the value of an axis, e.g. world.friction.across=world.friction.along",
    )
    sub.add_argument(
        "--seeded", action="append", default=[], metavar="KEY", help="a key that gets the seed of the cell"
    )
    sub.add_argument("--executor", default="threads", help="threads (default), processes, gpu, dask")
    sub.add_argument("--precision", default="float64", help="float64 (default); on a GPU also float32")
    sub.add_argument("--threads", type=int, metavar="N", help="threads, processes or workers (default: one per core)")
    sub.add_argument(
        "--scheduler", metavar="ADDRESS", help="of dask (default: workers on this machine, by --executor dask)"
    )
    sub.add_argument("--shard", metavar="I/N", help="compute only part I of N of the store")
    sub.add_argument("--time-limit", type=float, metavar="S", help="per cell, with --executor processes or dask")
    sub.add_argument(
        "--most-cells", type=int, default=10_000_000, metavar="N", help="more cells are refused (default 10 million)"
    )
    sub.add_argument(
        "--slurm", type=int, metavar="N", help="print a SLURM script of N jobs that does this sweep, and end"
    )
    add_style(sub)
    sub.add_argument("--estimate", action="store_true", help="say what the sweep will take, and end")


def command(args: argparse.Namespace) -> int:
    """Run a scenario over many values of its keys; started again with the same command, it goes on where it ended."""
    from serpenoid.sweeps import running

    modules = allowed(args.allow)
    asked: dict[str, Any] = {
        "changes": args.set, "metrics": args.metric or None, "design": args.design, "cells": args.cells, "seed": args.seed,
        "through": args.through, "seeded": tuple(args.seeded), "ties": args.tie, "executor": args.executor, "precision": args.precision, "allow": modules,
        "outside": args.allow_outside,
    }  # fmt: skip
    if args.out == "":
        raise refusal("--out needs the name of a folder")
    if args.slurm is not None or args.estimate:
        return _told(args, asked)
    with styled(args), counter("sweeping") as progress:
        try:
            made = running.sweep(
                args.scenario, args.over, args.out, threads=args.threads, scheduler=args.scheduler, shard=args.shard,
                time_limit=args.time_limit, most_cells=args.most_cells, progress=progress, **asked,
            )  # fmt: skip
        except KeyboardInterrupt:
            say(f"serpenoid: what is done is kept in {args.out}; the same command goes on")
            raise
    files = _drawn(made, args) if made.whole else {}
    return _report(args, made, files)


def _told(args: argparse.Namespace, asked: dict[str, Any]) -> int:
    """Print the estimate, or a SLURM script."""
    from serpenoid.sweeps.estimate import check_estimate, measured
    from serpenoid.sweeps.running import plan_of

    plan, estimate = plan_of(args.scenario, args.over, **asked)
    check_estimate(estimate, args.most_cells, Path(args.out))
    with bar("measuring a cell"):
        estimate = measured(estimate, plan.example, plan.columns)
    if args.slurm is not None:
        from serpenoid.sweeps.slurm import script

        text = script(args, estimate)
        give({"status": "ok", "script": text}) if args.json else print(text, end="")
    elif args.json:
        give(
            {
                "status": "ok",
                "cells": estimate.cells,
                "steps": estimate.steps,
                "hours": estimate.hours,
                "bytes": estimate.bytes,
                "measured": estimate.measured,
            }
        )
    else:
        print(estimate.text)
    return 0


def _drawn(made: Any, args: argparse.Namespace) -> dict[str, str]:
    """Draw the figure and write the data as one file, where they are not there yet; in a style that is asked for, always."""
    from serpenoid import sweeps
    from serpenoid.sweeps.deriving import adding, write_dataset
    from serpenoid.view.style import using
    from serpenoid.view.sweep import sweep_figure

    try:
        with bar("drawing"), using(args.style or "screen"), adding(made.store) as add_file:
            data = sweeps.open(made.store)
            names = [FIGURE, *([str(Path(FIGURE).with_suffix(f".{args.vector}"))] if args.vector else [])]
            figure, *more = [add_file(name, lambda path: sweep_figure(data, path), bool(args.style)) for name in names]
            files = {"figure": str(figure), "dataset": str(add_file(DATA, lambda path: write_dataset(data, path)))}
            return files | ({"vector": str(more[0])} if more else {})
    except KeyboardInterrupt:
        signals.take()
        say("serpenoid: stopped while the figure was drawn; all cells are there, and the same command draws it")
        return {}


def _report(args: argparse.Namespace, made: Any, files: dict[str, str]) -> int:
    """Print what the sweep came to, and give the exit code."""
    from serpenoid.core.trajectory import USABLE
    from serpenoid.sweeps.reading import failures, warned

    failed, alike = failures(made.store, MOST_SHOWN), warned(made.store) if made.whole else []
    good = sum(count for name, count in made.statuses.items() if name in USABLE)
    if args.json:
        give({
            "status": "ok" if good or not made.done else "failed", "store": str(made.store), "cells": made.cells, "done": made.done,
            "computed": made.computed, "statuses": dict(made.statuses), "failures": failed, "warnings": alike, "seconds": made.seconds,
            "files": files,
        })  # fmt: skip
    else:
        rate = f" ({made.computed / made.seconds:.3g} per s)" if made.computed and made.seconds > 0.0 else ""
        print(
            f"{made.done:,} of {made.cells:,} cells in {made.store}, {made.computed:,} of them computed now in {made.seconds:.3g} s{rate}"
        )
        print(
            "  "
            + ", ".join(f"{count:,} {name}" for name, count in sorted(made.statuses.items(), key=lambda item: -item[1]))
        )
        for text in (*failed, *alike):
            print(f"  {text}")
        if files:
            print(f"  in {made.store}: {', '.join(Path(path).name for path in files.values())}")
            print(f"  next: python -c \"import serpenoid as sp; print(sp.sweeps.open('{made.store}'))\"")
    if made.done and not good:
        say("serpenoid: no cell came to a usable result")
        return 3
    return 0
