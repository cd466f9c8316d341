"""serpenoid study: a paper reproduced, claim by claim: figures, claims.json, report.md, and one line per claim."""

from __future__ import annotations

import argparse
import shutil
import textwrap

from serpenoid.cli.arguments import add_out, refusal, results
from serpenoid.cli.terminal import COLOURS, bar, coloured, give

SCREEN = 40  # claims that are printed one by one
TEXT = "reproduce a paper, claim by claim"


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("name", help="see serpenoid list studies")
    sub.add_argument("--quick", action="store_true", help="coarser sweeps")
    sub.add_argument("--executor", choices=("threads", "gpu"), help="atlas: who computes its cells (default threads)")
    add_out(sub, "out/study-NAME")


def command(args: argparse.Namespace) -> int:
    """Reproduce a paper: figures and claims with verdicts."""
    from serpenoid import studies
    from serpenoid.formats import files

    study = studies.find(args.name)
    given = {"executor": args.executor} if args.executor else {}
    if given and args.name != "atlas":
        raise refusal("--executor is for the atlas; other studies run on threads")
    with results(args, f"study-{args.name}") as made:
        with bar(f"study {args.name}") as progress:
            result = made.final(study.run(made.path, quick=args.quick, progress=progress, **given))
        result["tally"] = studies.tally(result["claims"])
        files.write_json(made.path / "claims.json", result)
        files.write_bytes(made.path / "report.md", studies.report(args.name, result).encode())
    if args.json:
        give(result)
        return 0
    width = max(60, shutil.get_terminal_size((120, 24)).columns)
    claims, count = result["claims"], len(result["figures"])
    if len(claims) > SCREEN:  # more than a screen: what holds is counted
        claims = [claim for claim in claims if claim["verdict"] != "holds"]
        print(f"{len(result['claims']) - len(claims)} claims hold; the others:")
    for claim in claims:
        verdict = coloured(f"{claim['verdict']:14s}", COLOURS[claim["verdict"]])
        print(f"{claim['id']:9s} {verdict} {textwrap.shorten(claim['claim'], width - 26, placeholder=' ...')}")
    print(studies.tally_text(result["tally"]))
    print(f"  full text: {made.target / 'report.md'}; {count} figure{'s' * (count != 1)} and claims.json beside it")
    print(f"  next: serpenoid verify {made.target}; serpenoid list studies")
    return 0
