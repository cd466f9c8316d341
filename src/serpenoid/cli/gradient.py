"""serpenoid gradient: how results of a run depend on numbers of its scenario, and how far that holds."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from serpenoid.cli.arguments import add_changes, add_out, allowed, asked_for, refusal, results
from serpenoid.cli.terminal import bar, give

TEXT = "differentiate results by numbers of a scenario"


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("scenario", help="a bundled name or a TOML file")
    add_changes(sub)
    several: dict[str, Any] = {"action": "append", "default": []}
    sub.add_argument("--of", **several, metavar="RESULT", help="such as com_distance; may be repeated")
    sub.add_argument("--over", **several, metavar="KEY", help="such as world.friction.across; may be repeated")
    sub.add_argument(
        "--certify", metavar="SHARE", help="run at plus and minus this share of each number too, such as 1%%"
    )
    add_out(sub, "out/NAME-gradient")


def command(args: argparse.Namespace) -> int:
    """Differentiate results of a scenario by its numbers, one pass backwards whatever their count; what has no derivative is refused."""
    from serpenoid.formats import files
    from serpenoid.formats.scenario import read
    from serpenoid.gradients import gradient
    from serpenoid.simulation.setup import setup_of
    from serpenoid.view.gradient import gradient_figure

    if not args.of or not args.over:
        raise refusal(
            "gradient needs at least one --of such as com_distance, and one --over such as world.friction.across"
        )
    share = None if args.certify is None else share_of(args.certify)
    setup = setup_of(read(args.scenario, args.set, allow=allowed(args.allow), outside=args.allow_outside))
    with results(args, f"{Path(args.scenario).stem}-gradient") as made:
        with bar("differentiating"):
            found = gradient(setup, of=args.of, over=args.over, certify=share)
        told = {"status": "ok", "gradients": [one.plain() for one in found.values()]}
        files.write_json(made.path / "gradient.json", told)
        drawn = gradient_figure(found, made.path / "gradient.png")
        made.description = setup.keys()
    if args.json:
        give(told)
        return 0
    print(found)
    print(f"  in {made.target}: gradient.json, {drawn.name}")
    if share is None:
        words = " ".join([*(f"--of {name}" for name in args.of), *(f"--over {key}" for key in args.over)])
        print(f"  next: serpenoid gradient {asked_for(args)} {words} --certify 1%  (does it hold over 1 % of each?)")
    return 0


def share_of(text: str) -> float:
    """A share as "1%" or "0.01"."""
    try:
        return float(text.removesuffix("%")) * (0.01 if text.endswith("%") else 1.0)
    except ValueError:
        raise refusal(f"--certify needs a share of each number, such as 1% or 0.01, got {text!r}") from None
