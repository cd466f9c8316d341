"""The API from docstrings: one page per room, every public name once, fields of descriptions as tables from their declarations.

Docstrings of serpenoid are Markdown; a section "Parameters" of lines `name : meaning` becomes a list. A name that several rooms show is described
in the first of them, and linked from the others.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import types
from pathlib import Path
from typing import Any

import serpenoid as sp
from serpenoid.core.declare import Description, quantity_of, required
from serpenoid.core.family import Family

ROOMS = {  # room: the page of theory or use that explains it
    "core": "conventions", "robots": "files", "gaits": "space", "contact": "friction", "control": "extending", "planning": "paths",
    "shapes": "shapes", "simulation": "results", "planar": "theory", "spatial": "space", "peers": "space", "optimise": "optimise",
    "sweeps": "sweeps", "view": "results", "formats": "files", "studio": "studio", "studies": "studies", "envs": "learning",
}  # fmt: skip
DATA = {  # public names that are neither classes nor functions
    "contact.LAWS": "Friction laws by their names in scenarios.", "contact.LOADS": "Load laws of the plane by their names in scenarios.",
    "control.DRIVES": "Drives (torques in time) by their names in scenarios.", "core.FloatArray": "The type of arrays of float64.",
    "gaits.GAITS": "Gaits by their names in scenarios.", "gaits.WAVE_GAITS": "Gaits of two waves, yaw and pitch, by their names.",
    "peers.PEERS": "Names of engines of other packages, for `engine=`.", "planning.ELBOWS": "The two ways an elbow can point, and `auto`.",
    "planning.TABLE_2": "Table II of Shan and Koren (1993): degrees of freedom of links 1 to 7 in the three stages.",
    "robots.SERVOS": "Servos that exist, by their names in scenarios; each number with its source.", "robots.ROBOTS": "Robots by their names in scenarios: functions that build them.", "shapes.NAMED": "Named shapes and their parameters.",
    "envs.IDS": "Names under which Gymnasium knows the environments, by task.", "envs.TASKS": "Tasks of the environments by name.",
    "studies.STUDIES": "Studies by name, with their sources.",
}  # fmt: skip

PACKAGE = Path(sp.__file__).parent


def room(name: str) -> Any:
    """A room of the package."""
    return importlib.import_module(f"serpenoid.{name}")


def rooms() -> list[str]:
    """Rooms of the API: those above, then any other room that declares public names."""
    more = [name for name in dir(sp) if isinstance(getattr(sp, name), types.ModuleType) and name not in ROOMS]
    return [*ROOMS, *(name for name in more if getattr(getattr(sp, name), "__all__", None))]


def escaped(text: str) -> str:
    """Text in which nothing but code and links is Markdown."""
    parts = re.split(r"(``.+?``|`[^`]+`)", text)
    return "".join(part if k % 2 else re.sub(r"([*<])", r"\\\1", part) for k, part in enumerate(parts))


def prose(text: str) -> str:
    """A docstring as Markdown: sections become bold words, `name : meaning` lines a list; indented code stays."""
    lines, out, listing = text.splitlines(), [], False
    for k, line in enumerate(lines):
        if k + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[k + 1].strip()) and "|" not in line:
            out += [f"**{line.strip()}**", ""]
            listing = True
        elif re.fullmatch(r"-{3,}", line.strip()):
            continue
        elif not line.strip():
            out.append("")
        elif listing and (found := re.match(r"(\*{0,2}\w+) : (.*)", line)):
            out.append(f"- `{found[1]}`: {escaped(found[2])}")
        elif line.startswith(("    ", "|")):
            out.append(line)
        else:
            out.append(escaped(line))
    return "\n".join(out)


def signature(thing: Any) -> str:
    """Arguments with defaults, without types; empty where there are none to be known."""
    try:
        given = inspect.signature(thing)
    except (TypeError, ValueError):
        return "()"
    plain = [p.replace(annotation=p.empty) for p in given.parameters.values() if p.name not in ("self", "cls")]
    shown = [p if p.default is p.empty or (len(repr(p.default)) < 30 and "<" not in repr(p.default)) else p.replace(default=...) for p in plain]  # fmt: skip
    return str(given.replace(parameters=shown, return_annotation=given.empty))


def cell(text: Any) -> str:
    """Text in a cell of a table."""
    return escaped(str(text)).replace("|", "\\|").replace("\n", " ")


def fields_table(cls: type) -> str:
    """Fields of a description: unit, what is allowed, default, meaning; all from the declaration."""
    rows = ["| field | unit | allowed | default | meaning |", "|---|---|---|---|---|"]
    for item in dataclasses.fields(cls):
        quantity = quantity_of(item)
        made = item.default_factory() if item.default_factory is not dataclasses.MISSING else item.default
        default = (
            "needed"
            if required(item)
            else "none"
            if made is None
            else f"`{made!r}`"
            if len(repr(made)) < 60
            else "see source"
        )
        allowed = f"{quantity.allowed}{', or none' if quantity.optional else ''}"
        rows.append(f"| `{item.name}` | {cell(quantity.unit)} | {cell(allowed)} | {default.replace('|', chr(92) + '|')} | {cell(quantity.meaning)} |")  # fmt: skip
    return "\n".join(rows) if len(rows) > 2 else ""


def members(cls: type) -> list[tuple[str, str, str]]:
    """Public methods and properties that a class of ours defines or inherits from ours: name, kind and docstring."""
    found = []
    for name in dir(cls):
        thing = inspect.getattr_static(cls, name)
        home = next((base for base in cls.__mro__ if name in base.__dict__), object)
        if (
            name.startswith("_")
            or not home.__module__.startswith("serpenoid")
            or (home is Description and cls is not Description)
        ):
            continue
        if isinstance(thing, property):
            found.append((name, "property", inspect.getdoc(thing) or ""))
        elif isinstance(thing, classmethod | staticmethod | types.FunctionType):
            found.append((name + signature(getattr(cls, name)), "method", inspect.getdoc(getattr(cls, name)) or ""))
    return found


def about(path: str, thing: Any) -> str:
    """What a public name is that is neither class nor function; empty if nobody said it."""
    return DATA.get(path) or (
        f"Kinds of {thing.name} by their names in scenarios." if isinstance(thing, Family) else ""
    )


def entry(name: str, thing: Any, path: str) -> str:
    """One public name as a directive of the Python domain."""
    if isinstance(thing, types.ModuleType):
        return f"(mod-{path})=\n## `{path}`\n\n{prose(inspect.getdoc(thing) or '')}\n"
    if not callable(thing) or isinstance(thing, types.GenericAlias):
        names = ", ".join(f"`{key}`" for key in thing) if isinstance(thing, dict) or hasattr(thing, "keys") else ""
        return f"::::::{{py:data}} serpenoid.{path}\n{about(path, thing)} {names}\n::::::\n"
    text = prose(inspect.getdoc(thing) or "")
    if not inspect.isclass(thing):
        return f"::::::{{py:function}} serpenoid.{path}{signature(thing)}\n{text}\n{from_source(thing)}\n::::::\n"
    table = fields_table(thing) if issubclass(thing, Description) and dataclasses.is_dataclass(thing) else ""
    inner = "\n".join(f":::::{{py:{kind}}} {head}\n{prose(doc)}\n:::::" for head, kind, doc in members(thing))
    shown = "" if table else signature(thing)
    return f"::::::{{py:class}} serpenoid.{path}{shown}\n{text}\n{from_source(thing)}\n\n{table}\n\n{inner}\n::::::\n"


def from_source(thing: Any) -> str:
    """A link to the page of the module in which a thing is defined."""
    home = module_path(thing)
    return f"\n[`{home}`](/docs/source/{home[:-3].replace('/', '-')}.md)\n" if home else ""


def module_path(thing: Any) -> str:
    """File of the module of a thing, from the package's folder; empty if it is not ours."""
    name = getattr(thing, "__module__", "") or ""
    path = name.removeprefix("serpenoid.").replace(".", "/")
    ours = name.startswith("serpenoid.")
    return next((file for file in (f"{path}.py", f"{path}/__init__.py") if ours and (PACKAGE / file).is_file()), "")


def write_api(folder: Path) -> set[str]:
    """Write the pages; gives the module files that they link to."""
    folder.mkdir(parents=True)
    homes: dict[int, str] = {}
    linked: set[str] = set()
    for name in rooms():
        here, parts = room(name), []
        for public in here.__all__:
            thing, path = getattr(here, public), f"{name}.{public}"
            if id(thing) in homes and callable(thing):
                parts.append(f"`{path}` is {{py:obj}}`serpenoid.{homes[id(thing)]}`.\n")
                continue
            homes[id(thing)] = path
            parts.append(entry(public, thing, path))
            linked |= {module_path(thing)} if callable(thing) and not isinstance(thing, types.GenericAlias) else set()
        theory = f"\nExplained in [{ROOMS[name]}](/docs/{ROOMS[name]}.md).\n" if name in ROOMS else ""
        (folder / f"{name}.md").write_text(
            f"# serpenoid.{name}\n\n{prose(inspect.getdoc(here) or '')}\n{theory}\n" + "\n".join(parts)
        )
    (folder / "index.md").write_text(index(homes))
    return linked - {""}


def index(homes: dict[int, str]) -> str:
    """The first page: names at the top, rooms."""
    rows = []
    for name in sp.__all__:
        thing = getattr(sp, name)
        if callable(thing):
            first = (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")
            path = homes.get(id(thing))
            shown = f"{{py:obj}}`sp.{name} <serpenoid.{path}>`" if path else f"`sp.{name}`"
            rows.append(f"| {shown} | {cell(first)} |")
    listing = "\n".join(rooms())
    return (
        "# API\n\n`import serpenoid as sp`. What most programs call stands at the top; the rest is found in its room.\n\n"
        f"| name | what it is |\n|---|---|\n{chr(10).join(rows)}\n\n## Rooms\n\n```{{toctree}}\n:maxdepth: 1\n\n{listing}\n```\n"
    )
