"""The API from docstrings: one page per room with its open modules, every public name (see `public`) once, fields of descriptions as tables from their declarations.

Docstrings of serpenoid are Markdown; a section "Parameters" of lines `name : meaning` becomes a list. A name that several rooms show is described
in the first of them, and linked from the others.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import types
from pathlib import Path
from typing import Any

from public import OPEN, ROOMS, is_data, members, module, received, shown, signature

import serpenoid as sp
from serpenoid.core.declare import Description, quantity_of, required
from serpenoid.core.family import Family

EXPLAINED = {  # the page of theory or use that explains a room
    "core": "conventions", "robots": "files", "gaits": "space", "contact": "friction", "control": "extending", "planning": "paths",
    "shapes": "shapes", "simulation": "results", "peers": "space", "optimise": "optimise", "gradients": "gradient", "sweeps": "sweeps", "view": "results", "formats": "files",
    "studio": "studio", "studies": "studies", "envs": "learning",
}  # fmt: skip
DATA = {  # public names that are neither classes nor functions
    "contact.LAWS": "Friction laws by their names in scenarios.", "contact.LOADS": "Load laws of the plane by their names in scenarios.",
    "control.DRIVES": "Drives (torques in time) by their names in scenarios.", "core.FloatArray": "The type of arrays of float64.",
    "gaits.GAITS": "Gaits by their names in scenarios.", "gaits.WAVE_GAITS": "Gaits of two waves, yaw and pitch, by their names.",
    "peers.PEERS": "Names of engines of other packages, for `engine=`.", "planning.ELBOWS": "The two ways an elbow can point, and `auto`.",
    "planning.TABLE_2": "Table II of Shan and Koren (1993): degrees of freedom of links 1 to 7 in the three stages.",
    "robots.SERVOS": "Servos that exist, by their names in scenarios; each number with its source.", "robots.ROBOTS": "Robots by their names in scenarios: functions that build them.", "shapes.NAMED": "Named shapes and their parameters.",
    "formats.easing.APPROACH": "How fast joints go to the first row of a table, rad/s, unless said otherwise.", "simulation.metrics.METRICS": "Metrics by their names, with unit and formula.", "formats.bus.BUSES": "Buses of servos by their names.",
    "view.style.LINES": "Colours of lines, in their order.", **{f"view.style.{colour}": "A colour of the figures." for colour in ("BLUE", "GREEN", "GREY", "ORANGE", "PURPLE", "RED")},
    "envs.IDS": "Names under which Gymnasium knows the environments, by task.", "envs.TASKS": "Tasks of the environments by name.",
    "studies.STUDIES": "Studies by name, with their sources.",
}  # fmt: skip

PACKAGE = Path(sp.__file__).parent


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


def about(path: str, thing: Any) -> str:
    """What a public name is that is neither class nor function; empty if nobody said it."""
    return DATA.get(path) or (
        f"Kinds of {thing.name} by their names in scenarios." if isinstance(thing, Family) else ""
    )


def entry(name: str, thing: Any, path: str) -> str:
    """One public name as a directive of the Python domain."""
    if isinstance(thing, types.ModuleType):
        return f"(mod-{path})=\n## `{path}`\n\n{prose(inspect.getdoc(thing) or '')}\n"
    if is_data(thing):
        names = ", ".join(f"`{key}`" for key in thing) if isinstance(thing, dict) or hasattr(thing, "keys") else ""
        return f"::::::{{py:data}} serpenoid.{path}\n{about(path, thing)} {names}\n::::::\n"
    text = prose(inspect.getdoc(thing) or "")
    if not inspect.isclass(thing):
        return f"::::::{{py:function}} serpenoid.{path}{signature(thing)}\n{text}\n{from_source(thing)}\n::::::\n"
    table = fields_table(thing) if issubclass(thing, Description) and dataclasses.is_dataclass(thing) else ""
    inner = "\n".join(member(*item) for item in members(thing))
    arguments = "" if table or received(thing) else signature(thing)
    return (
        f"::::::{{py:class}} serpenoid.{path}{arguments}\n{text}\n{from_source(thing)}\n\n{table}\n\n{inner}\n::::::\n"
    )


def member(kind: str, name: str, thing: Any) -> str:
    """One method or property as a directive."""
    head = name + (signature(thing) if kind == "method" else "")
    return f":::::{{py:{kind}}} {head}\n{prose(inspect.getdoc(thing) or '')}\n:::::"


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
    for name in ROOMS:
        parts = []
        for place in (name, *(path for path in OPEN if path.startswith(f"{name}."))):
            if place != name and f"(mod-{place})=" not in "".join(parts):
                parts.append(entry(place, module(place), place))
            for public in shown(place):
                thing, path = getattr(module(place), public), f"{place}.{public}"
                if id(thing) in homes and callable(thing):
                    parts.append(f"`{path}` is {{py:obj}}`serpenoid.{homes[id(thing)]}`.\n")
                    continue
                homes[id(thing)] = path
                parts.append(entry(public, thing, path))
                linked |= set() if is_data(thing) else {module_path(thing)}
        theory = f"\nExplained in [{EXPLAINED[name]}](/docs/{EXPLAINED[name]}.md).\n"
        (folder / f"{name}.md").write_text(
            f"# serpenoid.{name}\n\n{prose(inspect.getdoc(module(name)) or '')}\n{theory}\n" + "\n".join(parts)
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
    listing = "\n".join(ROOMS)
    return (
        "# API\n\n`import serpenoid as sp`. What most programs call stands at the top; the rest is found in its room.\n\n"
        f"| name | what it is |\n|---|---|\n{chr(10).join(rows)}\n\n## Rooms\n\n```{{toctree}}\n:maxdepth: 1\n\n{listing}\n```\n"
    )
