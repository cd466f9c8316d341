"""The table of equations: a page that is said to explain an equation names it, and so does each file that is said to compute it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NUMBER = re.compile(r"\((\d{1,2})\)")
RANGE = re.compile(r"\((\d{1,2})\)\s*(?:to|-)\s*\((\d{1,2})\)")
ROW = re.compile(r"^\| (\(\d.*?) \| .*? \| \[.*?\]\((.*?)\) \| (.*?) \|$", re.MULTILINE)
LEAST_ROWS = 20


def named(text: str) -> set[int]:
    """Numbers of equations in a text; "(9) to (12)" names four."""
    found = {int(number) for number in NUMBER.findall(text)}
    for first, last in RANGE.findall(text):
        found |= set(range(int(first), int(last) + 1))
    return found


def test_pages_and_files_name_the_equations_of_their_rows() -> None:
    rows = ROW.findall((ROOT / "docs" / "equations.md").read_text())
    assert len(rows) > LEAST_ROWS
    for numbers, page, files in rows:
        wanted = named(numbers)
        places = [ROOT / "docs" / page, *(ROOT / "src" / "serpenoid" / name for name in re.findall(r"`(.*?)`", files))]
        assert wanted and len(places) > 1, numbers
        for place in places:
            assert wanted <= named(place.read_text()), (
                f"{place.name} does not name {sorted(wanted - named(place.read_text()))}"
            )


def test_pages_of_theory_lead_to_the_table() -> None:
    for page in ("theory", "space", "friction", "shapes", "concertina", "paths"):
        assert "](equations.md)" in (ROOT / "docs" / f"{page}.md").read_text(), page
