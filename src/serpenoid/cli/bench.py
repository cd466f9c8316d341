"""serpenoid bench: speed against peers, measured in one run."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from serpenoid.cli.terminal import bar, give

TEXT = "measure speed against peers"


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("name", help="see serpenoid list benches")


def command(args: argparse.Namespace) -> int:
    """Measure speed against peers, in one run."""
    from serpenoid import bench

    measure = bench.find(args.name)
    with bar(f"bench {args.name}") as progress:
        result = measure(lambda fraction, _text="": progress(fraction))
    if args.json:
        give(result)
        return 0
    rows = dict(flat(result))
    wide = max(len(key) for key in rows)
    for key, value in rows.items():
        print(f"{key:{wide}s}  {value}")
    print("  what each number means, and what it was on our machine: benchmarks/README.md in the source")
    print(f"  next: serpenoid bench {args.name} --json  (the same for a program)")
    return 0


def flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Names and numbers of a result, tables within it by dotted names; a list stands on one line."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{before}{key}.")
        else:
            several = value if isinstance(value, list | tuple) else [value]
            yield f"{before}{key}", ", ".join(f"{one:.4g}" if isinstance(one, float) else str(one) for one in several)
