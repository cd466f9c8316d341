"""serpenoid bench: speed against peers, measured in one run."""

from __future__ import annotations

import argparse

from serpenoid.cli.terminal import bar, give

TEXT = "measure speed against peers"


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("name", help="concertina, gpu, path, planar, rl, shape, spatial, storing, studio or sweep")


def command(args: argparse.Namespace) -> int:
    """Measure speed against peers, in one run."""
    from serpenoid import bench

    measure = bench.find(args.name)
    with bar(f"bench {args.name}") as progress:
        result = measure(lambda fraction, _text="": progress(fraction))
    if args.json:
        give(result)
        return 0
    for key, value in result.items():
        print(f"{key:32s} {value:.4g}" if isinstance(value, float) else f"{key:32s} {value}")
    return 0
