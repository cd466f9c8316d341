"""Pages are read by people who learned English as a second language: no sentence over 30 words, and fewer than there were where there still are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MOST_WORDS = 30
STILL_LONG = {  # sentences that are still longer, by page: a number may fall, never rise; pages not named have none
    "docs/atlas.md": 4, "docs/batches.md": 1, "docs/browser.md": 4, "docs/concertina.md": 6,
    "docs/controllers.md": 5, "docs/conventions.md": 5, "docs/decisions/01-adjoint-of-the-step.md": 1,
    "docs/extending.md": 5, "docs/files.md": 5, "docs/friction.md": 10, "docs/gpu.md": 3, "docs/gradient.md": 6,
    "docs/hardware.md": 6, "docs/learning.md": 6, "docs/optimise.md": 6, "docs/paths.md": 12, "docs/results.md": 4,
    "docs/shapes.md": 2, "docs/sizing.md": 3, "docs/space.md": 14, "docs/studio.md": 4, "docs/sweeps.md": 5,
    "docs/testing.md": 2, "docs/theory.md": 10, "docs/tutorials/faster.md": 1, "docs/tutorials/ground.md": 1,
    "docs/validation.md": 2, "docs/why_it_slides.md": 5,
}  # fmt: skip


def sentences(text: str) -> list[str]:
    """The sentences of a page; code, tables, formulas and headings left out, a piece of code within a sentence is one word."""
    text = re.sub(r"^(`{3,})[^\n]*\n.*?^\1[^\n]*$", "", text, flags=re.DOTALL | re.MULTILINE)
    lines = [
        "" if re.match(r"\s*\||#|    |!\[", line) else re.sub(r"^\s*(-|\d+\.)\s+", "\n", line)
        for line in text.splitlines()
    ]
    found: list[str] = []
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]*`", "CODE", " ".join(paragraph.split())))
        found += re.split(r"(?<=[.!?])[)\"*]*\s+(?=[A-Z\"*(])", plain)
    return [one for one in found if one.strip()]


def long_ones(page: Path) -> list[str]:
    return [one for one in sentences(page.read_text()) if len(re.findall(r"[\w'-]+", one)) > MOST_WORDS]


def test_sentences_are_found() -> None:
    text = (
        "# Head\n\nOne `a b c` two. Three\nfour! \n\n| a | b |\n|---|---|\n\n- five six.\n\n```sh\nseven. Eight.\n```\n"
    )
    assert sentences(text) == ["One CODE two.", "Three four!", "five six."]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_sentence_is_over_30_words(page: Path) -> None:
    found, most = long_ones(page), STILL_LONG.get(str(page.relative_to(ROOT)), 0)
    assert len(found) <= most, "\n".join(found)
