"""Pages of source files: where a page names `room/file.py` it links to that file, and the file's page links back to the pages that explain it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "serpenoid"
ANY = re.compile(r"(?<!!)\[([^\]\n]+)\]\(([^)#:\s]+)\)")
SPAN = re.compile(r"(?<!\[)`([a-z_]+(?:/[a-z_0-9]+)+\.py)`(?!\])")
LINK = re.compile(r"\]\((?:\.\./)+src/serpenoid/([a-z_0-9/]+\.py)\)")


def page_of(name: str) -> str:
    """Page of a source file."""
    return f"/docs/source/{name[:-3].replace('/', '-')}.md"


def within(text: str, page: Path, source: Path) -> str:
    """The text without links to what the repository has and the site has not, such as folders."""

    def kept(link: re.Match[str]) -> str:
        place = page.parent / link[2]
        here = place.exists() and not place.is_dir()
        there = (ROOT / page.parent.relative_to(source) / link[2]).exists()
        return link[1] if there and not here else link[0]

    return ANY.sub(kept, text)


def write_sources(source: Path, linked: set[str], fast: bool) -> None:
    """Turn names of source files into links, and write their pages; `fast`: without the code."""
    explained: dict[str, list[str]] = {name: [] for name in linked}
    for page in sorted(
        [
            *source.glob("docs/**/*.md"),
            *source.glob("src/**/*.md"),
            *source.glob("*.md"),
            *source.glob("benchmarks/*.md"),
        ]
    ):
        if page.parent.name == "api":
            continue
        text = page.read_text()

        def note(name: str, page: Path = page) -> bool:
            if not (PACKAGE / name).is_file():
                return False
            pages = explained.setdefault(name, [])
            pages += [str(page.relative_to(source))] * (str(page.relative_to(source)) not in pages)
            return True

        text = SPAN.sub(lambda m: f"[`{m[1]}`]({page_of(m[1])})" if note(m[1]) else m[0], text)
        text = LINK.sub(lambda m: f"]({page_of(m[1])})" if note(m[1]) else m[0], text)
        page.write_text(within(text, page, source))
    (source / "docs" / "source").mkdir()
    for name, pages in explained.items():
        back = "".join(f"\n- [](/{page})" for page in pages)
        code = "" if fast else f"\n````python\n{(PACKAGE / name).read_text()}````\n"
        text = f"---\norphan: true\n---\n\n# `{name}`\n" + (f"\nNamed in:\n{back}\n" if back else "") + code
        (source / page_of(name)[1:]).write_text(text)
