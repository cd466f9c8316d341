"""serpenoid verify: is a result whole? One line per file."""

from __future__ import annotations

import argparse

from serpenoid.cli.terminal import coloured, give

TEXT = "check that results are as they were written"
COLOURS = {"ok": "green", "unfinished": "yellow"}


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("path", help="a result folder, a folder of results, or a trajectory.nc")


def command(args: argparse.Namespace) -> int:
    """Check a result, all results in a folder, or a trajectory file against their digests."""
    from serpenoid.formats.verifying import BAD, verify

    found = verify(args.path)
    bad = [item for item in found if item.verdict in BAD]
    if args.json:
        items = [{"path": item.path, "verdict": item.verdict, "text": item.text} for item in found]
        give({"status": "damaged" if bad else "ok", "items": items, "damaged": len(bad)})
    else:
        for item in found:
            verdict = coloured(f"{item.verdict:10s}", COLOURS.get(item.verdict, "red"))
            print(f"{verdict} {item.path}" + (f": {item.text}" if item.text else ""))
    return 4 if bad else 0
