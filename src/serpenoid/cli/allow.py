"""serpenoid allow: modules of one's own that need no --allow any more, remembered for this user."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from serpenoid.cli.arguments import refusal
from serpenoid.cli.terminal import give, say

TEXT = "remember that modules of your own may be imported, so that --allow is not needed"


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument(
        "folder",
        nargs="?",
        metavar="FOLDER",
        help="where the modules lie and commands are given, such as . (without it: list what is allowed)",
    )
    sub.add_argument("modules", nargs="*", metavar="MODULE", help="names as in an import, without dots")
    sub.add_argument("--remove", action="store_true", help="forget them")


def command(args: argparse.Namespace) -> int:
    """Remember modules of a folder, as they are now, for this user: commands given in the folder may import them, until they are changed."""
    from serpenoid.formats.remembered import place, remember, remembered

    if args.folder is not None:
        folder = Path(args.folder)
        if not folder.is_dir() or not args.modules:
            raise refusal(
                f"allow needs a folder and modules in it, as in: serpenoid allow . my_gait; got {' '.join([args.folder, *args.modules])}"
            )
        for name in args.modules:
            remember(folder, name, None if args.remove else digest_in(folder, name))
    found = remembered()
    if args.json:
        give({"status": "ok", "file": str(place()), "allowed": found})
        return 0
    for key, modules in found.items():
        print(f"{key}: {', '.join(modules)}")
    print(f"  in {place()}" if found else "nothing is allowed for good; serpenoid allow FOLDER MODULE does that")
    return 0


def digest_in(folder: Path, name: str) -> str:
    """Digest of a module that lies in a folder, and of the user's modules that it imports."""
    from serpenoid.formats.manifest import digest_of
    from serpenoid.sweeps.identity import sources

    if not name.isidentifier() or not any(
        path.is_file() for path in (folder / f"{name}.py", folder / name / "__init__.py")
    ):
        raise refusal(f"no module {name} in {folder}: there is neither {name}.py nor {name}/__init__.py")
    home = str(folder.resolve())
    sys.path.insert(0, home)
    try:
        return digest_of(sources([name]))
    finally:
        sys.path.remove(home)


def remembered_here() -> list[str]:
    """The modules that the user allowed for good in the present folder; one that was changed since is told and left out."""
    from serpenoid.formats.remembered import place, remembered

    if not place().is_file():
        return []
    here = Path.cwd()
    good: list[str] = []
    for name, digest in remembered().get(str(here.resolve()), {}).items():
        if (
            any((here / f"{name}{end}").is_file() for end in (".py", "/__init__.py"))
            and digest_in(here, name) == digest
        ):
            good.append(name)
        else:
            say(
                f"serpenoid: {name} was changed since it was allowed, and is not imported; look at it, then: serpenoid allow . {name}"
            )
    return good
