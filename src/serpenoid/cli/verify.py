"""serpenoid verify: is a result or a store whole? One line per file that matters; --repair mends a store."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from serpenoid.cli.arguments import add_allow, allowed, refusal
from serpenoid.cli.terminal import coloured, counter, give

if TYPE_CHECKING:
    from serpenoid.formats.verifying import Verdict

TEXT = "check that results are as they were written"
MOST_LINES = 30
COLOURS = {"ok": "green", "repaired": "green", "unfinished": "yellow", "removed": "yellow"}


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("path", help="a result folder, the store of a sweep, a folder of these, or a trajectory.nc")
    sub.add_argument("--repair", action="store_true", help="mend a store: compute its missing and damaged chunks again")
    add_allow(sub)


def command(args: argparse.Namespace) -> int:
    """Check a result, a store, all in a folder, or a trajectory file against their digests; --repair mends a store."""
    from serpenoid.formats.verifying import BAD, Verdict, verify

    modules = allowed(args.allow)
    mended: list[Verdict] = []
    if args.repair:
        from serpenoid import sweeps
        from serpenoid.formats.store import is_store

        if not is_store(Path(args.path)):
            raise refusal(f"--repair is for the store of a sweep; {args.path} is none (results of runs are run again)")
        with counter("repairing") as progress:
            done = sweeps.repair(args.path, allow=modules, progress=progress)
        mended = [Verdict(str(Path(args.path) / item.name), item.verdict, item.text) for item in done]
    found = [*mended, *verify(args.path)]
    bad = [item for item in found if item.verdict in BAD]
    if args.json:
        items = [{"path": item.path, "verdict": item.verdict, "text": item.text} for item in found]
        give({"status": "damaged" if bad else "ok", "items": items, "damaged": len(bad)})
    else:
        for item in shown(found):
            verdict = coloured(f"{item.verdict:10s}", COLOURS.get(item.verdict, "red"))
            print(f"{verdict} {item.path}" + (f": {item.text}" if item.text else ""))
        print(f"{len(found):,} checked: {', '.join(counts(found))}")
        stores = [item.path for item in bad if "chunk" in item.path]
        if stores:
            print("  next: serpenoid verify STORE --repair  (computes damaged and missing chunks of a sweep again)")
        elif bad:
            print("  next: run what is damaged again; nothing of it was changed")
    return 4 if bad else 0


def shown(found: list[Verdict]) -> list[Verdict]:
    """What is printed: everything where that fits a screen; else what is not ok, as much as fits."""
    if len(found) <= MOST_LINES:
        return found
    return [item for item in found if item.verdict != "ok"][:MOST_LINES]


def counts(found: list[Verdict]) -> list[str]:
    """How many have each verdict."""
    names = dict.fromkeys(item.verdict for item in found)
    return [f"{sum(item.verdict == name for item in found):,} {name}" for name in names]
