"""The version of the package, in its one place: `pyproject.toml` reads it from here."""

from __future__ import annotations

VERSION = "0.4.0"
__version__ = VERSION
