"""Run the command line as `python -m serpenoid`."""

import sys

from serpenoid.cli.entry import main

sys.exit(main())
