"""Run the command line, as `serpenoid` or as `python -m serpenoid`; signals are noted from its first line on."""

import sys

from serpenoid import signals

signals.listen()

from serpenoid.cli.entry import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
