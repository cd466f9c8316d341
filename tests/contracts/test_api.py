"""What is public: the list of names and signatures says what there is, and what the documentation uses stands in it."""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
NOT_THEIRS = {"studies", "version"}  # studies are programs; whoever writes one reads the source


@pytest.fixture(scope="module")
def public() -> Any:
    """The module that tells what is public."""
    sys.path.insert(0, str(ROOT / "docs" / "site"))
    try:
        return importlib.import_module("public")
    finally:
        sys.path.pop(0)


def test_the_list_is_what_there_is(public: Any) -> None:
    written, there = public.LIST.read_text().splitlines(), public.text().splitlines()
    changes = list(difflib.unified_diff(written, there, "docs/api.txt", "the package", n=0, lineterm=""))
    assert not changes, (
        "public names or their arguments changed:\n" + "\n".join(changes) + f"\n\nIf that is meant: `{public.COMMAND}` writes docs/api.txt anew, and CHANGELOG.md "
        "says it. What goes away works for one more minor version (CONTRIBUTING.md, Deprecation)."
    )  # fmt: skip


def programs() -> Iterator[tuple[str, str]]:
    """Name and text of every program of the documentation."""
    for path in sorted((ROOT / "examples").glob("*.py")):
        yield path.name, path.read_text()
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        for block in BLOCK.findall(page.read_text()):
            yield page.name, block


def used(text: str) -> Iterator[str]:
    """Dotted names of ours that a program imports or reads."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "serpenoid":
            yield from (f"{node.module}.{item.name}" for item in node.names)
        elif isinstance(node, ast.Attribute) and re.fullmatch(r"sp(\.\w+)+", name := ast.unparse(node)):
            yield f"serpenoid{name[2:]}"


def reached(name: str) -> tuple[Any, Any, str]:
    """The thing of a dotted name, what it is part of, and its last word."""
    words, home, thing = name.split("."), None, importlib.import_module("serpenoid")
    for k, word in enumerate(words[1:], 1):
        home = thing
        path = ".".join(words[: k + 1])
        inner = isinstance(home, types.ModuleType) and k < len(words) - 1 and importlib.util.find_spec(path)
        thing = importlib.import_module(path) if inner or not hasattr(home, word) else getattr(home, word)
    return thing, home, words[-1]


def test_what_the_documentation_uses_is_public(public: Any) -> None:
    known = {f"serpenoid.{place}.{name}".replace("..", ".") for place, name, _ in public.names()}
    things = [thing for _, _, thing in public.names()]
    hidden = set()
    for page, text in programs():
        for name in used(text):
            thing, home, word = reached(name)
            fine = name in known or any(thing is other for other in things) or isinstance(thing, types.ModuleType)
            fine = fine or (isinstance(home, type) and any(word == member for _, member, _ in public.members(home)))
            if not fine and name.split(".")[1] not in NOT_THEIRS:
                hidden.add(f"{page}: {name}")
    assert not hidden, f"not in the list of public names (docs/site/public.py): {sorted(hidden)}"
