"""The command line: one file per command."""

from serpenoid.cli.entry import main, parser

__all__ = ["main", "parser"]
