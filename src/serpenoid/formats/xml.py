"""XML read safely and written exactly: no document type, no entities, no endless depth; numbers to the last bit.

A file from elsewhere may hold an entity that grows to gigabytes, or one that names a file of this machine. Both need a document type
declaration, so any such declaration ends the reading. Size, depth and numbers of elements and attributes are bounded before and while it is
parsed, so that a file that is refused costs less than a second.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement
from xml.parsers import expat

from serpenoid.core.errors import InputError
from serpenoid.formats.opening import content, named, parsing

__all__ = ["Element", "SubElement", "floats", "number", "numbers", "plain_name", "read_xml", "xml_text"]

MOST_BYTES = 20_000_000
DEEPEST, MOST_ELEMENTS, MOST_ATTRIBUTES, LONGEST_TEXT = 500, 60_000, 300_000, 1_000_000
GREATEST = 1e50  # of a place, a mass, a moment of inertia
_NAME = re.compile(r"[^A-Za-z0-9_.-]+")


class _Reader:
    """Builds the tree within its budgets."""

    def __init__(self, source: str) -> None:
        self.source, self.depth, self.count, self.text = source, 0, 0, 0
        self.builder = ElementTree.TreeBuilder()

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth, self.count = self.depth + 1, self.count + 1
        if self.depth > DEEPEST or self.count > MOST_ELEMENTS:
            raise InputError(
                f"{self.source}: elements are nested {DEEPEST} deep at most, and there are {MOST_ELEMENTS} at most"
            )
        self.builder.start(tag, attributes)

    def end(self, tag: str) -> None:
        self.depth -= 1
        self.builder.end(tag)

    def data(self, text: str) -> None:
        self.text += len(text.strip())
        if self.text > LONGEST_TEXT:
            raise InputError(f"{self.source}: more than {LONGEST_TEXT} characters stand between its elements")
        if text.strip():
            self.builder.data(text)

    def refuse(self, *_: Any) -> None:
        raise InputError(f"{self.source}: it declares a document type or entities, which are never read")


def read_xml(path: str | Path, what: str, within: str | Path | None = None) -> Element:
    """The root element of an XML file."""
    raw, source = content(path, what, MOST_BYTES, within), named(path)
    if raw.count(b"=") > MOST_ATTRIBUTES:  # before they are parsed: all those of one element arrive together
        raise InputError(f"{source}: a file has {MOST_ATTRIBUTES} attributes at most")
    reader, parser = _Reader(source), expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = (
        reader.start,
        reader.end,
        reader.data,
    )
    refuse: Any = reader.refuse
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = parser.ExternalEntityRefHandler = refuse
    parser.buffer_text = True
    with parsing(source, "is not valid XML: its encoding is not known"):
        try:
            parser.Parse(raw, True)
            return reader.builder.close()
        except expat.ExpatError as error:
            problem = expat.errors.messages.get(error.code, "not well-formed")
            raise InputError(
                f"{source}: not valid XML: line {error.lineno}, column {error.offset}: {problem}"
            ) from None


def floats(
    text: str | None, count: int, path: str, default: Iterable[float] | None = None, most: float = GREATEST
) -> list[float]:
    """So many finite numbers of an attribute, none greater than `most`, so that their products are finite as well."""
    if text is None:
        if default is None:
            raise InputError(f"{path} is missing")
        return list(default)
    try:
        values = [] if "_" in text else [float(part) for part in text.split()]  # Python reads 1_0 as ten
    except ValueError:
        values = []
    if len(values) != count or not all(math.isfinite(v) and abs(v) <= most for v in values):
        large = any(most < abs(v) < math.inf for v in values)
        raise InputError(
            f"{path} must be {count} finite number{'s' if count > 1 else ''}{f' up to {most:g}' if large else ''}, got {text[:60]!r}"
        )
    return values


def number(value: float) -> str:
    """A number in the fewest digits that give it back."""
    return repr(float(value)) if not float(value).is_integer() or abs(value) > 1e15 else str(int(value))


def numbers(values: Iterable[float]) -> str:
    """Numbers with spaces between."""
    return " ".join(number(v) for v in values)


def plain_name(text: str) -> str:
    """A name that every reader accepts."""
    return _NAME.sub("_", text).strip("_") or "robot"


def xml_text(root: Element, remark: str = "") -> str:
    """The document as indented text, with a remark before it."""
    ElementTree.indent(root)
    said = f"<!-- {remark.replace('--', '- -')} -->\n" if remark else ""
    return f'<?xml version="1.0"?>\n{said}{ElementTree.tostring(root, encoding="unicode")}\n'
