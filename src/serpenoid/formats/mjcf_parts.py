"""What an MJCF file is made of before it is read: files of its own folder that it includes, and a root that slides in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.formats.opening import inside
from serpenoid.formats.xml import Element, read_xml

MOST_INCLUDED = 50  # files
ALIKE = 1e-6  # of directions


def with_included(root: Element, folder: Path, source: str) -> None:
    """Put the contents of files that <include> names into their places; they lie in the file's folder or below, each once."""
    seen: set[str] = set()
    waiting = [root]
    while waiting:
        parent = waiting.pop()
        k = 0
        while k < len(parent):
            child = parent[k]
            if child.tag != "include":
                waiting.append(child)
                k += 1
                continue
            real = inside(str(folder / str(child.get("file", ""))), f"{source}: the included file", folder)
            if real in seen or len(seen) >= MOST_INCLUDED:
                raise InputError(
                    f"{source}: <include> takes each file once, and {MOST_INCLUDED} at most; {child.get('file')} is one too many"
                )
            seen.add(real)
            inner = read_xml(real, "included MJCF file", folder)
            if inner.tag not in ("mujoco", "mujocoinclude"):
                raise InputError(
                    f"{source}: an included file begins with <mujoco> or <mujocoinclude>, not with <{inner.tag[:40]}>"
                )
            parent[k : k + 1] = list(inner)  # looked at next: they may include more


def slides_in_plane(kinds: Sequence[str], axes: Sequence[FloatArray]) -> bool:
    """Whether the joints of a root are those of a body that moves freely in a plane: two slides and a hinge square to both."""
    if sorted(kinds) != ["hinge", "slide", "slide"]:
        return False
    square = np.abs(np.array(axes) @ np.array(axes).T - np.eye(3))
    return bool(square.max() < ALIKE)
