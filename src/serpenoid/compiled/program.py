"""What is compiled ahead of time: the parts of the program, what Python calls in each, and the entries that the page calls.

`calls.txt` lists every kernel that the package calls from Python, with the forms of what it is given (`compiled.forms`): a line each. A kernel
that is not in it works all the same: Numba compiles it when it is called. SERPENOID_MISSING=FILE writes such calls to a file.

An entry of the page is a function of two numbers, an operation and the address of a table (`compiled.groups`). Its module has `OPERATIONS`, their names in the
order of their numbers; `operate`, a kernel of the operation and the groups; `example`, groups of the right forms. A room adds an entry by one
line here.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path

PARTS = {  # name: beginnings of the names of its modules; each part is a library, built and loaded by itself
    "planar": ("serpenoid.planar", "serpenoid.simulation.fleet_plane"),
    "rooms": ("serpenoid",),
    "spatial": ("serpenoid.spatial", "serpenoid.simulation.fleet_space"),
    "planning": ("serpenoid.planning", "serpenoid.gaits.concertina_legs"),
    "gradient": ("serpenoid.planar.adjoint", "serpenoid.planar.kept_run"),
}
_SOUGHT = ("gradient", "planning", "planar", "spatial", "rooms")  # the first that fits a module counts
ENTRIES = {  # name that the page sees: module
    "planar": "serpenoid.planar.operations",
    "spatial": "serpenoid.spatial.operations",
    "curves": "serpenoid.contact.curves",
    "judgement": "serpenoid.judgement.operations",
    "gaits": "serpenoid.gaits.operations",
}
ALLOCATE = ("planning", "rooms")  # parts whose kernels own memory
BY_ADDRESS = (  # called by address from other kernels, so that they run the very same code as Python
    "serpenoid.planar.step:march_prescribed",
    "serpenoid.planar.step:march_driven",
    "serpenoid.spatial.march:march",
    "serpenoid.control.curve:next_curve",
)
CALLS = Path(os.environ.get("SERPENOID_CALLS") or Path(__file__).with_name("calls.txt"))  # another list: for tests


@functools.cache
def part_of(module: str) -> str:
    """The part of the program that a module belongs to."""
    return next(name for name in _SOUGHT if module.startswith(PARTS[name]))


def entries_in(part: str) -> dict[str, str]:
    """The page's entries in a part."""
    return {name: module for name, module in ENTRIES.items() if part_of(module) == part}


def calls_in(part: str) -> list[tuple[str, str]]:
    """Kernels of a part that Python calls, by name, with the forms of what they are given."""
    lines = [line.split(" ", 1) for line in CALLS.read_text().splitlines() if line and not line.startswith("#")]
    found = [(name, rest[0] if rest else "") for name, *rest in lines]
    return [(name, form) for name, form in found if part_of(name.partition(":")[0]) == part]


def modules_in(part: str) -> list[str]:
    """Modules whose kernels are the roots of a part."""
    return sorted({name.partition(":")[0] for name, _ in calls_in(part)} | set(entries_in(part).values()))
