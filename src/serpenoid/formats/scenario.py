"""Scenario files: TOML, checked strictly, every error at once with its path, the value and what is allowed.

| table | what it describes |
|---|---|
| `[robot]` | a `Robot`, a `preset` of `robots` with changes, or a `file` (URDF, MJCF) with changes; `[robot.servo]` gives its joints servos, by numbers or by a `preset` of `robots.servos` |
| `[gait]`, `[drive]`, `[plan]`, `[controller]` | the command, by its `kind`; beside a drive a gait is the first posture |
| `[world]` | a `World`: friction, ground, obstacles |
| `[start]`, `[run]` | `Start` and `Settings` |

The declarations of the descriptions are the whole grammar, and `schema()` is the same as a JSON schema. Unknown keys, NaN, infinity and
out-of-range values are refused. Everything is SI and radians; every angle may be given in degrees by a key that ends in `_deg`. A kind
of a user's own module ("my_module:MyGait") is accepted only where the caller allows the module.
"""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from importlib import resources
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from serpenoid.core import Robot, Settings, Start, World
from serpenoid.core.actuator import SERVOS
from serpenoid.core.command import COMMANDS
from serpenoid.core.declare import built, line, read_values
from serpenoid.core.declare import read as read_table_of
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.family import allowing
from serpenoid.core.presets import spell_out
from serpenoid.core.quantities import SHOWN, Number, Say, Text, shown
from serpenoid.core.robot import ROBOTS
from serpenoid.core.schema import schema_of
from serpenoid.core.world import LAWS
from serpenoid.formats.named_files import is_bundled_map, place_files, read_files
from serpenoid.formats.opening import check_toml, check_whole, named, text_of
from serpenoid.spelling import near, near_words

MAX_FILE = 1_000_000  # bytes
MOST_ERRORS, ENOUGH_ERRORS = 8, 40  # shown at once; looked for
LONGEST_LINE = 300  # characters of an error
DEEPEST = 8  # parts of a key
PLAIN = {"world": World, "start": Start, "run": Settings}  # tables of one class each
TABLES = ("title", "robot", *COMMANDS, *PLAIN)
KINDS = {
    "world.friction.law": LAWS,
    "robot.servo.preset": SERVOS,
}  # of which a change by one key keeps what the kinds share
_TITLE = Text("what the run is about", most=500)


class Scenario(dict[str, Any]):
    """The plain data of a checked scenario, with where it came from and whose code it may run."""

    def __init__(self, data: Mapping[str, Any], source: str = "scenario", allow: tuple[str, ...] = ()) -> None:
        super().__init__(data)
        self.source, self.allow = source, allow


def bundled() -> dict[str, Path]:
    """Bundled scenarios: name to file."""
    root = Path(str(resources.files("serpenoid") / "scenarios"))
    return {path.stem: path for path in sorted(root.glob("*.toml"))}


def find(name: str) -> Path:
    """File of a bundled name, or the path itself."""
    path = Path(name)
    known = bundled()
    if name in known:
        return known[name]
    try:
        if path.is_file():
            return path
    except (OSError, ValueError):
        pass
    beside = path.with_name(f"{path.name}.toml") if path.name else path
    close = near_words(path.name, known)
    hint = f" Did you mean {' or '.join(close)}?" if close else ""
    hint += f" {name} is a robot: serpenoid new --robot {name} writes a scenario with it." if name in ROBOTS else ""
    with suppress(OSError, ValueError):
        hint = f" Did you mean the file {named(str(beside))}?" if beside.is_file() else hint
    raise InputError(f"no scenario {named(name)!r}: neither a file nor one of {', '.join(known)}.{hint}")


def read_toml(path: str | Path, what: str = "scenario") -> tuple[dict[str, Any], str]:
    """The data of a TOML file, within the budgets of `opening`, and its text."""
    text = text_of(path, what, MAX_FILE)
    check_toml(text, named(path))
    try:
        return tomllib.loads(text), text
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, and numbers of thousands of digits
        raise InputError(f"{named(path)}: not valid TOML{_place_of(error)}") from None


def _place_of(error: Exception) -> str:
    """What a TOML error says, without what the file holds."""
    said = re.search(r"\(at (line \d+, column \d+|end of document)\)", str(error))
    return f": {said[1]}: {str(error).partition(' (at')[0][:60]}" if said else ": a number or a nesting is too large"


@door
def read(
    name: str, changes: list[str] | None = None, allow: tuple[str, ...] | list[str] = (), outside: bool = False
) -> Scenario:
    """Read a scenario by bundled name or path, with changes like "gait.waves=2", and check it.

    `allow` names the modules of which a scenario may use kinds, as in `kind = "my_module:MyGait"`: their code is run. Files that a
    scenario names lie in its folder or below, unless `outside` lets them lie anywhere; those of changes are the caller's own.
    """
    path = find(name)
    data, text = read_toml(path)
    return described(data, text, path, changes, tuple(allow), outside)


def described(
    data: dict[str, Any], text: str, path: Path, changes: list[str] | None, allow: tuple[str, ...], outside: bool
) -> Scenario:
    """A scenario of parsed data, with its files and changes, checked."""
    place_files(data, path.parent, outside)
    for change in sorted(changes or [], key=lambda change: change.partition("=")[0].strip() not in KINDS):
        set_key(data, change)  # kinds first: their own keys may follow in any order
    with allowing(allow):
        read_files(data, robot_from)
    scenario = checked(data, str(path), allow)
    check_whole(text, named(path))
    return scenario


def toml_value(text: str) -> Any:
    """A text read as a TOML value; if it is none, the text itself."""
    check_toml(text, "--set")
    try:
        read_back = tomllib.loads(f"v = {text}")
    except (ValueError, RecursionError):
        return text
    return read_back["v"] if len(read_back) == 1 else text


def set_key(data: dict[str, Any], change: str) -> None:
    """Apply one change "path.to.key=value" to a scenario's data; the value is read as TOML, else as text.

    An element of a list is named by its place, from 0: "gait.parameters[2]=0.7", "world.obstacles.0.radius=0.1".

    An angle given in degrees takes the place of the same angle in radians, and the other way round. Another friction law drops the keys
    of the one before that it does not have, and a servo's preset the numbers of the servo before. The bare word none unsets a key that need not be given ("none" in quotes is a text; of a
    law or a kind it is a name).
    """
    key, equals, text = (part.strip() for part in change.partition("="))
    if not equals:
        raise InputError(f"--set needs path.to.key=value, got {shown(change)}")
    put_key(data, key, None if text == "none" and key not in KINDS else toml_value(text), change)


def put_key(data: dict[str, Any], key: str, value: Any, change: str | None = None) -> None:
    """Put a value at "path.to.key" of a scenario's data, as `set_key` does with the value of a text."""
    parts, change = steps_of(key), change or f"{key}={value}"
    if not all(parts) or len(parts) > DEEPEST:
        raise InputError(f"--set needs path.to.key=value, got {shown(change)}")
    table: Any = data
    for k, part in enumerate(parts[:-1]):
        table = table[place_in(table, part, change)] if isinstance(table, list) else table.setdefault(part, {})
        if not isinstance(table, dict | list):
            one = " but one value: give a list first, with one for each" if parts[k + 1].isdecimal() else ""
            raise InputError(f"--set {change[:SHOWN]}: {part[:SHOWN]} is not a table{one}")
    last = parts[-1]
    if isinstance(table, list):
        table[place_in(table, last, change)] = value
        return
    table.pop(last.removesuffix("_deg") if last.endswith("_deg") else f"{last}_deg", None)
    table[last] = value
    if (family := KINDS.get(key)) is not None:
        kept = family.suited(table, value)
        for other in [other for other in table if other not in kept]:
            del table[other]


def steps_of(key: str) -> list[str]:
    """The parts of a key: "gait.parameters[2]" and "gait.parameters.2" both name an element of a list."""
    return re.sub(r"\[(\d+)\]", r".\1", key).split(".")


def place_in(values: list[Any], part: str, change: str) -> int:
    """The number of an element of a list that a part of a key names."""
    if not part.isdecimal() or int(part) >= len(values):
        raise InputError(
            f"--set {change[:SHOWN]}: {part[:SHOWN]!r} is no element of the list, which has those from 0 to {len(values) - 1}"
        )
    return int(part)


def checked(data: Any, source: str = "scenario", allow: tuple[str, ...] | list[str] = ()) -> Scenario:
    """Check a scenario's data, all errors at once."""
    parts = parts_of(data, source, allow)
    made = copy.deepcopy(dict(data))
    spell_out(made["robot"], "servo", parts["robot"].servo)
    return Scenario(made, source, tuple(allow))


def parts_of(
    data: Any, source: str = "scenario", allow: tuple[str, ...] | list[str] = (), needs_command: bool = True
) -> dict[str, Any]:
    """The descriptions of a scenario by the names of their tables; those of commands and the title only where given."""
    problems: list[str] = []

    def say(path: str, what: str) -> None:
        problems.append(line(path, what))
        if len(problems) > ENOUGH_ERRORS:
            raise_all(source, problems)

    parts: dict[str, Any] = {}
    if not isinstance(data, Mapping):
        raise InputError(f"{source}: must be a table of keys, got {shown(data)}")
    for key in data:
        if key not in TABLES:
            say(str(key), f"unknown key{near(key, TABLES) or '; allowed are ' + ', '.join(TABLES)}")
    with allowing(tuple(allow)):
        for key in ("robot", "run"):
            if key not in data:
                say(key, "missing")
        for key in TABLES:
            if key in ("world", "start") or (key in data and (key in ("robot", "run") or data[key] is not None)):
                parts[key] = part_of(key, data.get(key, {}), say)
    if needs_command:
        check_commands(parts, say)
    if problems:
        raise_all(source, problems)
    return parts


def part_of(key: str, table: Any, say: Say) -> Any:
    """The description of one table of a scenario; says all that is wrong with it, and is then None."""
    if key == "title":
        return _TITLE.take(table, key, say, {})
    if key == "robot":
        return robot_from(table, key, say)
    if key in COMMANDS:
        return COMMANDS[key].read(table, key, say)
    return read_table_of(PLAIN[key], table, key, say)


def check_commands(parts: Mapping[str, Any], say: Say) -> None:
    """One command; beside a drive a gait may give the first posture."""
    given = [key for key in COMMANDS if key in parts]
    if not given:
        say("scenario", f"needs one of {', '.join(f'[{key}]' for key in COMMANDS)}")
    elif len(given) > 1 and given != ["gait", "drive"]:
        steered = "; the gait that a controller uses is its own table, [controller.gait]" * ("controller" in given)
        say(
            "scenario",
            f"has {', '.join(f'[{key}]' for key in given)}; give one of them (a gait beside a drive is the first posture){steered}",
        )


def raise_all(source: str, problems: list[str]) -> None:
    """Raise one error that names all problems."""
    unique = [text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}..." for text in dict.fromkeys(problems)]
    shown_ones = unique[:MOST_ERRORS] + (
        [f"... and {len(unique) - MOST_ERRORS} more"] if len(unique) > MOST_ERRORS else []
    )
    many = len(unique) > ENOUGH_ERRORS
    count = f"{'more than ' * many}{ENOUGH_ERRORS if many else len(unique)} error{'s' if len(unique) > 1 else ''}"
    raise InputError(f"{source}: {count}\n" + "\n".join(f"  {text}" for text in shown_ones))


def robot_from(data: Any, path: str, say: Say) -> Robot | None:
    """The robot of a table: of its own, or a preset with changes."""
    if not isinstance(data, Mapping) or data.get("preset") is None:
        robot: Robot | None = read_table_of(Robot, data, path, say)
        return robot
    make = ROBOTS.find(data["preset"], path, say)
    if make is None:
        return None
    if not callable(make):
        say(f"{path}.preset", f"must be a function that builds a robot, got {shown(make)}")
        return None
    known = {f.name for f in Robot.__dataclass_fields__.values()}
    own = {n: p for n, p in signature(make).parameters.items() if p.kind != Parameter.VAR_KEYWORD and n not in known}
    failed: list[str] = []

    def said(where: str, what: str) -> None:
        failed.append(where)
        say(where, what)

    rest = {k: v for k, v in data.items() if k != "preset"}
    links = getattr(signature(make).parameters.get("links"), "default", None)
    before = {"links": links} if isinstance(links, int) and "links" not in rest else {}
    values = read_values(Robot, rest, path, said, frozenset(own), before)
    for name in own:
        if name in rest:
            values[name] = Number(above=0.0).take(rest[name], f"{path}.{name}", said, {})
    return None if failed else built(make, values, path, say)


def schema() -> dict[str, Any]:
    """JSON schema of scenario files."""
    robot = schema_of(Robot)
    extra: dict[str, Any] = {
        "preset": {
            "anyOf": [{"enum": list(ROBOTS)}, {"type": "string", "pattern": ":"}],
            "description": "a robot of serpenoid.robots",
        }
    }
    for make in ROBOTS.values():
        for name, parameter in signature(make).parameters.items():
            if parameter.kind != Parameter.VAR_KEYWORD and name not in robot["properties"]:
                extra[name] = {"type": "number", "exclusiveMinimum": 0.0}
    extra["file"] = {"type": "string", "description": "a URDF or MJCF file beside the scenario"}
    needed = [{"required": ["preset"]}, {"required": ["file"]}, {"required": robot["required"]}]
    preset = {**robot, "properties": {**extra, **robot["properties"]}, "required": [], "anyOf": needed}
    properties: dict[str, Any] = {"title": _TITLE.schema(), "robot": preset}
    properties |= {key: schema_of(family) for key, family in COMMANDS.items()}
    for kind in (*properties["gait"]["oneOf"], *properties["drive"]["oneOf"]):
        if {"times", "values"} <= set(kind.get("required", ())):  # samples may stand in a file
            kind["properties"] = {
                **kind["properties"],
                "file": {"type": "string", "description": "samples beside the scenario"},
            }
            kind["required"] = [key for key in kind["required"] if key not in ("times", "values")]
            kind["anyOf"] = [{"required": ["file"]}, {"required": ["times", "values"]}]
    properties |= {key: schema_of(cls) for key, cls in PLAIN.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Scenario", "type": "object",
        "additionalProperties": False, "properties": properties, "required": ["robot", "run"],
    }  # fmt: skip


__all__ = [
    "Scenario", "bundled", "checked", "described", "find", "is_bundled_map", "part_of", "parts_of", "put_key", "raise_all", "read", "read_files", "read_toml",
    "robot_from", "schema", "set_key", "steps_of", "toml_value",
]  # fmt: skip
