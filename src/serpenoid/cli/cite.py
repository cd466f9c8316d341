"""serpenoid cite: what a result or a scenario rests on, as BibTeX."""

from __future__ import annotations

import argparse
from pathlib import Path

from serpenoid.cli.arguments import add_changes, allowed
from serpenoid.cli.terminal import give

TEXT = "print BibTeX of what a run or a scenario rests on"


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("thing", help="a result folder, a trajectory.nc, a bundled scenario or a TOML file")
    add_changes(sub)


def command(args: argparse.Namespace) -> int:
    """Print BibTeX of the package and of the sources that robot, gait, friction law, plan and controller name."""
    from serpenoid.formats.citations import bibtex, reasons_to_cite
    from serpenoid.formats.result import find_saved
    from serpenoid.formats.scenario import read
    from serpenoid.formats.trajectory import load
    from serpenoid.version import VERSION

    modules, path = allowed(args.allow), Path(args.thing)
    if path.is_dir() or path.suffix == ".nc":
        run = load(find_saved(path)[0])
        scenario, version = run.scenario, str(run.provenance.get("version", VERSION))
    else:
        scenario, version = read(args.thing, args.set, allow=modules, outside=args.allow_outside), VERSION
    text = bibtex(scenario, version)
    if args.json:
        give({"bibtex": text, "sources": reasons_to_cite(scenario)})
    else:
        print(text)
    return 0
