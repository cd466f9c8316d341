"""The command line: one file a command."""

from serpenoid.cli.entry import main, parser

__all__ = ["main", "parser"]
