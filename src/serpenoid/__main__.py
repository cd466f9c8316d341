"""Run the command line as `python -m serpenoid`."""

import sys

from serpenoid.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())
