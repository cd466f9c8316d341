"""The site: it is built without a warning, no link in it is dead, nothing is fetched from elsewhere, every public name is described in it."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import subprocess
import sys
import types
from functools import cache
from html import unescape
from pathlib import Path
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


def public() -> list[tuple[str, str]]:
    """Rooms and their public names."""
    rooms = [name for name in dir(sp) if isinstance(getattr(sp, name), types.ModuleType)]
    found = {name: importlib.import_module(f"serpenoid.{name}") for name in [*rooms, "planar", "spatial", "envs"]}
    return [(name, item) for name, room in found.items() for item in getattr(room, "__all__", ())]


def test_every_public_name_stands_in_the_api(html: Path) -> None:
    pages = {name: (html / "docs" / "api" / f"{name}.html").read_text() for name in {room for room, _ in public()}}
    for name, item in public():
        assert f"{name}.{item}" in pages[name], f"{name}.{item}"
    first = (html / "docs" / "api" / "index.html").read_text()
    assert not [item for item in sp.__all__ if item != "__version__" and f"sp.{item}" not in first]


def test_every_public_name_has_a_docstring() -> None:
    sys.path.insert(0, str(ROOT / "docs" / "site"))
    try:
        from api import about, members
    finally:
        sys.path.pop(0)
    without = []
    for name, item in public():
        thing = getattr(importlib.import_module(f"serpenoid.{name}"), item)
        if inspect.isclass(thing) or inspect.isroutine(thing) or inspect.ismodule(thing):
            own = thing.__doc__ or ""
            without += [f"{name}.{item}"] * (not own or own.startswith(f"{item}("))  # what a dataclass makes by itself
            if inspect.isclass(thing):
                without += [f"{name}.{item}.{head}" for head, _, text in members(thing) if not text]
        else:
            without += [f"{name}.{item}"] * (not about(f"{name}.{item}", thing))
    assert not without
