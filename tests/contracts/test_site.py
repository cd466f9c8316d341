"""The site: it is built without a warning, no link in it is dead, nothing is fetched from elsewhere, every public name is described in it."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import subprocess
import sys
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

import serpenoid as sp

ROOT = Path(__file__).parents[2]
REFERENCE = re.compile(r"<(\w+)\b[^>]*?\b(?:href|src)=\"([^\"]*)\"")
NAMED = re.compile(r"\bid=\"([^\"]+)\"")
LOADED = ("script", "link", "img", "iframe", "video", "source")  # elements whose address a browser loads by itself


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built without running examples and studies."""
    out = tmp_path_factory.mktemp("site")
    words = [sys.executable, "docs/site/build.py", "--fast", "--out", str(out)]
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths})
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr[-4000:]
    return out / "html"


@cache
def names_in(page: Path) -> frozenset[str]:
    return frozenset(NAMED.findall(page.read_text()))


def test_links_lead_somewhere_and_nothing_comes_from_elsewhere(html: Path) -> None:
    pages = sorted(page for page in html.rglob("*.html") if "_static" not in page.parts)
    assert len(pages) > 40
    for page in pages:
        for element, address in REFERENCE.findall(page.read_text()):
            parts = urlsplit(unescape(address))
            if parts.scheme or parts.netloc:
                assert element not in LOADED or parts.scheme == "data", f"{page.name} loads {address}"
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert target.exists(), f"{page.relative_to(html)}: {address}"
            if parts.fragment and target.suffix == ".html":
                assert unquote(parts.fragment) in names_in(target), f"{page.relative_to(html)}: {address}"


def public() -> Any:
    """The module that tells what is public."""
    sys.path.insert(0, str(ROOT / "docs" / "site"))
    try:
        return importlib.import_module("public")
    finally:
        sys.path.pop(0)


def test_every_public_name_stands_in_the_api(html: Path) -> None:
    pages = {name: (html / "docs" / "api" / f"{name}.html").read_text() for name in public().ROOMS}
    for place, item, _ in public().names():
        assert not place or f"{place}.{item}" in pages[place.split(".")[0]], f"{place}.{item}"
    first = (html / "docs" / "api" / "index.html").read_text()
    assert not [item for item in sp.__all__ if item != "__version__" and f"sp.{item}" not in first]


def test_every_public_name_has_a_docstring() -> None:
    list_of, without = public(), []
    sys.path.insert(0, str(ROOT / "docs" / "site"))
    try:
        about = importlib.import_module("api").about
    finally:
        sys.path.pop(0)
    for place, item, thing in list_of.names():
        path = f"{place}.{item}"
        if list_of.is_data(thing):
            without += [path] * (bool(place) and not about(path, thing))
            continue
        own = thing.__doc__ or ""
        without += [path] * (not own or own.startswith(f"{item}("))  # what a dataclass makes by itself
        if inspect.isclass(thing):
            without += [f"{path}.{name}" for _, name, member in list_of.members(thing) if not inspect.getdoc(member)]
    assert not without
