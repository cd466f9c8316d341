"""Build the documentation site: pages, API from docstrings, studies with verdicts, gallery with live pages.

    python docs/site/build.py               everything; the gallery and the studies are run
    python docs/site/build.py --fast        the same pages without running examples and studies

The pages are copied to OUT/source in the places they have in the repository, so that a link works here and there; generated pages are added to
the copy; Sphinx makes OUT/html of it, with every warning an error. Nothing is fetched from a network, and the site asks for nothing from elsewhere.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from pathlib import Path

from api import write_api
from sources import write_sources
from studies import run_studies, write_studies

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "LICENSE", "benchmarks/README.md")
INDEX = "docs/index.md"
REDIRECT = '<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=docs/index.html"><title>serpenoid</title><a href="docs/index.html">serpenoid</a>\n'


def stage(source: Path) -> None:
    """Copy the pages of the repository to where Sphinx reads them."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "docs", source / "docs", ignore=shutil.ignore_patterns("site", "__pycache__"))
    shutil.copytree(ROOT / "examples", source / "examples", ignore=shutil.ignore_patterns("out", "__pycache__"))
    studies = [str(page.relative_to(ROOT)) for page in (ROOT / "src/serpenoid/studies").glob("*/README.md")]
    for name in (*PAGES, *studies):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    head_examples(source / "examples")
    (source / "examples" / "GALLERY_HEADER.rst").write_text((ROOT / "docs/site/gallery.rst").read_text())


def head_examples(folder: Path) -> None:
    """Give each example the heading that the gallery needs, from its file's name: 09_target_behind is "Target behind"."""
    for program in folder.glob("*.py"):
        title = program.stem.split("_", 1)[-1].replace("_", " ").capitalize()
        text = program.read_text()
        program.write_text(text.replace('"""', f'"""\n{title}\n{"=" * len(title)}\n\n', 1))


def listed(docs: Path) -> set[str]:
    """Pages of docs/ that some table of contents names."""
    found: set[str] = set()
    for page in docs.rglob("*.md"):
        for body in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(), re.DOTALL):
            lines = [line.strip() for line in body.splitlines() if line.strip() and not line.startswith(":")]
            names = [line.split("<")[-1].rstrip(">") for line in lines]
            found |= {os.path.normpath(page.parent.relative_to(docs) / name) for name in names if name[0] != "/"}
    return found


def list_the_rest(docs: Path) -> None:
    """Put pages that no table of contents names at the end of the how-to pages: none gets lost."""
    rest = sorted(page.stem for page in docs.glob("*.md") if page.stem not in listed(docs) | {"index"})
    if rest:
        howto = docs / "howto.md"
        howto.write_text(howto.read_text() + "\n```{toctree}\n" + "\n".join(rest) + "\n```\n")


def build(out: Path, fast: bool) -> int:
    """Build the site into out/html; the number that Sphinx gives (0: well)."""
    from sphinx.cmd.build import main

    source, html = out / "source", out / "html"
    stage(source)
    list_the_rest(source / "docs")
    write_studies(source, None if fast else run_studies(out / "studies"))
    linked = write_api(source / "docs" / "api")
    write_sources(source, linked, fast)
    os.environ["SERPENOID_SITE"] = "fast" if fast else "whole"
    code = main(
        [
            "-W",
            "--keep-going",
            "-q",
            "-E",
            "-b",
            "html",
            "-d",
            str(out / "doctrees"),
            "-c",
            str(ROOT / "docs"),
            str(source),
            str(html),
        ]
    )
    (html / "index.html").write_text(REDIRECT)
    return code


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fast", action="store_true", help="do not run examples and studies")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "build" / "site", help="folder to build in (default build/site)"
    )
    return parser.parse_args()


if __name__ == "__main__":
    asked = arguments()
    result = build(asked.out.resolve(), asked.fast)
    if result == 0:
        print(asked.out / "html" / "index.html")
    sys.exit(result)
