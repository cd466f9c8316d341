"""Run the command line, as `serpenoid` or as `python -m serpenoid`; signals are noted from its first line on."""

import sys

from serpenoid import signals

signals.listen()

from serpenoid.cli import entry  # noqa: E402


def main() -> int:
    """The whole program: the command line, and no reminder of a signal from its end on."""
    try:
        return entry.main()
    finally:
        signals.close()


if __name__ == "__main__":
    sys.exit(main())
