"""serpenoid schema: the JSON schema of scenario files."""

from __future__ import annotations

import argparse

TEXT = "print the JSON schema of scenario files"


def add(sub: argparse.ArgumentParser) -> None:
    """It has no arguments of its own."""


def command(args: argparse.Namespace) -> int:
    """Print the JSON schema of scenario files."""
    from serpenoid.cli.terminal import give
    from serpenoid.formats.scenario import schema

    give(schema(), indent=None if args.json else 2)
    return 0
