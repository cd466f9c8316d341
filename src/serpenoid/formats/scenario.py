"""Scenario files: TOML, checked strictly, every error at once with its path, the value and what is allowed.

A scenario has the tables [robot], [gait], [drive], [servo], [world], [start] and [run]; the models of `tables` and `gait_tables` are its whole
grammar, and `schema()` is the same as a JSON schema. Unknown keys, NaN, infinity and out-of-range values are
refused. Degrees appear only in keys that end in `_deg`; everything else is SI and radians.
"""

from __future__ import annotations

import difflib
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import Field, ValidationError, model_validator

from serpenoid.core.errors import InputError
from serpenoid.formats.gait_tables import DriveTable, GaitTable, ServoTable
from serpenoid.formats.tables import ObstacleTable, RobotTable, RunTable, StartTable, Table, WorldTable

MAX_FILE = 1_000_000  # bytes


T = TypeVar("T", bound=Table)


class Scenario(Table):
    """A whole run: robot, gait or drive, world, start, and how to run."""

    title: str | None = None
    robot: RobotTable
    gait: GaitTable | None = Field(None, description="shape to motion; in torque mode the first posture")
    drive: DriveTable | None = Field(None, description="torque to motion")
    servo: ServoTable | None = Field(None, description="servo mode: the gait is what the servos aim at")
    world: WorldTable
    start: StartTable = Field(default_factory=lambda: StartTable())
    run: RunTable

    @model_validator(mode="after")
    def _mode(self) -> Scenario:
        if self.run.mode == "shape" and (self.gait is None or self.drive is not None):
            raise ValueError('run.mode = "shape" needs [gait] and no [drive]')
        if self.run.mode == "torque" and self.drive is None:
            raise ValueError('run.mode = "torque" needs [drive]')
        if self.run.mode == "servo" and (self.gait is None or self.drive is not None or self.world.ground is None):
            raise ValueError('run.mode = "servo" needs [gait] and [world.ground], and no [drive]')
        if self.run.mode != "servo" and self.servo is not None:
            raise ValueError(f'[servo] is of no use with run.mode = "{self.run.mode}"')
        if self.world.ground is not None and self.run.integrator != "implicit":
            raise ValueError('in space (with [world.ground]) run.integrator must be "implicit"')
        return self


def schema() -> dict[str, Any]:
    """JSON schema of scenario files."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Scenario.model_json_schema()}


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
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise InputError(f"no scenario {name!r}: neither a file nor one of {', '.join(known)}.{hint}")


def read_toml(path: Path) -> dict[str, Any]:
    """The data of a TOML file."""
    try:
        if path.stat().st_size > MAX_FILE:
            raise InputError(f"{path}: a file of this kind has at most {MAX_FILE} bytes")
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text: {error}") from error
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, and numbers of thousands of digits
        raise InputError(f"{path}: not valid TOML: {error}") from error


def read(name: str, changes: list[str] | None = None) -> Scenario:
    """Read a scenario by bundled name or path, with changes like "gait.waves=2", and check it."""
    path = find(name)
    data = read_toml(path)
    for keys in (("gait",), ("drive",), ("world", "ground", "height_field")):  # files named in a scenario lie beside it
        table: Any = data
        for key in keys:
            table = table.get(key) if isinstance(table, dict) else None
        if isinstance(table, dict) and isinstance(table.get("file"), str):
            table["file"] = str(path.parent / table["file"])
    for change in changes or []:
        set_key(data, change)
    return checked(data, str(path))


def toml_value(text: str) -> Any:
    """A text read as a TOML value; if it is none, the text itself."""
    try:
        read_back = tomllib.loads(f"v = {text}")
    except (ValueError, RecursionError):
        return text
    return read_back["v"] if len(read_back) == 1 else text


def set_key(data: dict[str, Any], change: str) -> None:
    """Apply one change "path.to.key=value" to a scenario's data; the value is read as TOML, else as text."""
    key, equals, text = change.partition("=")
    parts = key.strip().split(".")
    if not equals or not all(parts) or len(parts) > 8:
        raise InputError(f"--set needs path.to.key=value, got {change!r}")
    value = toml_value(text.strip())
    table = data
    for part in parts[:-1]:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise InputError(f"--set {change}: {part} is not a table")
    table[parts[-1]] = value


def checked(data: Any, source: str) -> Scenario:
    """Validate a scenario's data; all errors at once."""
    return validated(Scenario, data, source)


def validated(model: type[T], data: Any, source: str) -> T:
    """Validate the data of a file against its table; all errors at once."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        lines = [_error_line(e, model) for e in error.errors()]
        unique = list(dict.fromkeys(lines))
        shown = unique[:20] + ([f"... and {len(unique) - 20} more"] if len(unique) > 20 else [])
        count = f"{len(unique)} error{'s' if len(unique) > 1 else ''}"
        raise InputError(f"{source}: {count}\n" + "\n".join(f"  {line}" for line in shown)) from None


def _tagged(union: Any) -> dict[str, Any]:
    """Tables of a union of kinds by their kind."""
    members = get_args(get_args(union)[0])
    return {get_args(m.model_fields["kind"].annotation)[0]: m for m in members}


_KINDS = {"gait": _tagged(GaitTable), "drive": _tagged(DriveTable), "obstacles": _tagged(ObstacleTable)}
_DETAIL = {"float", "literal['auto']", "constrained-float", *(kind for tables in _KINDS.values() for kind in tables)}


def _error_line(error: Any, model: Any) -> str:
    """One line: path, what came, what is allowed."""
    parts = [str(p) for p in error["loc"] if str(p) not in _DETAIL and not str(p).startswith("literal")]
    path = ".".join(parts) or "scenario"
    message: str = error["msg"].removeprefix("Value error, ")
    if error["type"] == "missing":
        return f"{path}: missing"
    if error["type"] == "extra_forbidden":
        return f"{path}: unknown key{_near([str(p) for p in error['loc']], model)}"
    value = repr(error.get("input"))
    if isinstance(error.get("input"), dict) or len(value) > 60:
        value = ""
    return f"{path}: " + (f"got {value}; " if value else "") + message[:1].lower() + message[1:]


def _near(loc: list[str], model: Any) -> str:
    """Hint at the keys of the table in which an unknown key stands."""
    for part in loc[:-1]:
        known = next((tables[part] for name, tables in _KINDS.items() if name in loc and part in tables), None)
        field = model.model_fields.get(part) if known is None else None
        if known is not None:
            model = known
        elif field is not None:
            inner = [
                a
                for a in (field.annotation, *get_args(field.annotation))
                if isinstance(a, type) and issubclass(a, Table)
            ]
            model = inner[0] if inner else model
    near = difflib.get_close_matches(loc[-1], list(model.model_fields), n=1)
    return f"; did you mean {near[0]}?" if near else f"; allowed are {', '.join(model.model_fields)}"
