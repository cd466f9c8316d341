"""Scenario files: TOML, checked strictly, every error at once with its path, the value and what is allowed.

A scenario has the tables [robot], [gait], [drive], [world], [start] and [run]; the models below are its whole
grammar, and `schema()` is the same as a JSON schema. Unknown keys, NaN, infinity and out-of-range values are
refused. Degrees appear only in keys that end in `_deg`; everything else is SI and radians.
"""

from __future__ import annotations

import difflib
import math
import tomllib
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from serpenoid.core import MAX_LINKS
from serpenoid.errors import InputError

LAW_NAMES = ("coulomb", "unit-slip", "threshold", "bristle", "viscous", "none")
MAX_FILE = 1_000_000  # bytes


def _check_numbers(value: Any, low: float, strict: bool) -> Any:
    """Check of a key that takes a number or a list of one number a link."""
    allowed = f"a finite number {'>' if strict else '>='} {low:g}" if math.isfinite(low) else "a finite number"
    for item in value if isinstance(value, list) else [value]:
        number = isinstance(item, int | float) and not isinstance(item, bool) and abs(item) < 1e300
        if not number or (item <= low if strict else item < low):
            raise ValueError(f"must be {allowed}, or a list with one for each link")
    return value


def _positive_or_rod(value: Any) -> Any:
    """Check of the key link_inertia."""
    if isinstance(value, str):
        if value != "uniform-rod":
            raise ValueError('must be "uniform-rod", a finite number > 0, or a list with one for each link')
        return value
    return _check_numbers(value, 0.0, True)


def _numbers_schema(**bound: Any) -> WithJsonSchema:
    item = {"type": "number", **bound}
    return WithJsonSchema({"anyOf": [item, {"type": "array", "items": item}]})


Positive = Annotated[
    Any, BeforeValidator(lambda v: _check_numbers(v, 0.0, True)), _numbers_schema(exclusiveMinimum=0.0)
]
NotNegative = Annotated[Any, BeforeValidator(lambda v: _check_numbers(v, 0.0, False)), _numbers_schema(minimum=0.0)]
AnyNumbers = Annotated[Any, BeforeValidator(lambda v: _check_numbers(v, -math.inf, False)), _numbers_schema()]
Inertia = Annotated[
    Any,
    BeforeValidator(_positive_or_rod),
    WithJsonSchema({"anyOf": [{"const": "uniform-rod"}, {"type": "number"}, {"type": "array"}]}),
]


def _pair(value: list[float]) -> list[float]:
    if len(value) != 2:
        raise ValueError("must be a list of two numbers")
    return value


Pair = Annotated[list[float], AfterValidator(_pair)]


class Table(BaseModel):
    """A table of a scenario: strict, frozen, no unknown keys, no NaN or infinity."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class RobotTable(Table):
    """The robot: a preset with changes, or all of its numbers."""

    preset: str | None = Field(None, description="constructor in serpenoid.robots; the other keys override it")
    name: str | None = Field(None, pattern=r"^[\w .()+-]{1,60}$")
    links: int | None = Field(None, ge=2, le=MAX_LINKS, description="number of links")
    link_length: Positive = Field(None, description="m")
    link_mass: Positive = Field(None, description="kg")
    link_inertia: Inertia = Field(None, description='kg m^2 about the centre of gravity, or "uniform-rod"')
    com_offset: NotNegative = Field(None, description="m from the link's tail-side joint")
    contact_offset: NotNegative = Field(None, description="m from the link's tail-side joint")
    joint_damping: NotNegative = Field(None, description="N m s/rad, one number or one for each joint")

    @model_validator(mode="after")
    def _complete(self) -> RobotTable:
        if self.preset is None:
            needed = ("links", "link_length", "link_mass", "link_inertia", "com_offset", "contact_offset")
            missing = [key for key in needed if getattr(self, key) is None]
            if missing:
                raise ValueError(f"without a preset these keys are needed too: {', '.join(missing)}")
        if self.links is not None:
            for key in (
                "link_length",
                "link_mass",
                "link_inertia",
                "com_offset",
                "contact_offset",
                "joint_damping",
            ):
                value, count = getattr(self, key), self.links - (key == "joint_damping")
                if isinstance(value, list) and len(value) != count:
                    raise ValueError(f"{key} has {len(value)} values; give one number or a list of {count}")
        return self


class SerpenoidTable(Table):
    """The serpenoid curve sent along the body."""

    kind: Literal["serpenoid"]
    waves: float = Field(gt=0.0, le=1000.0, description="K_n, need not be whole")
    winding_angle_deg: float = Field(ge=-180.0, le=180.0, description="alpha_0")
    acceleration: float | None = Field(None, description="m/s^2 of s(t): up for T/10, cruise, down for T/10")
    speed: float | None = Field(None, description="m/s along the curve, constant")

    @model_validator(mode="before")
    @classmethod
    def _one_pace(cls, data: Any) -> Any:
        if isinstance(data, dict) and ("acceleration" in data) == ("speed" in data):
            raise ValueError("give either acceleration or speed")
        return data


class StandingWaveTable(Table):
    """A standing wave of the links' headings."""

    kind: Literal["standing-wave"]
    amplitude: float = Field(ge=-math.pi, le=math.pi, description="rad, of the heading")
    waves: float = Field(gt=0.0, le=1000.0)
    frequency: float = Field(gt=0.0, description="rad/s")


class SampledGaitTable(Table):
    """Joint angles at given times, from a CSV file (header, then time and one column a joint) or in place."""

    kind: Literal["sampled"]
    file: str | None = None
    times: list[float] | None = None
    angles: list[list[float]] | None = None
    ends: Literal["natural", "clamped"] = "natural"

    @model_validator(mode="after")
    def _one_source(self) -> SampledGaitTable:
        given = [self.times is not None, self.angles is not None]
        if any(given) if self.file is not None else not all(given):
            raise ValueError("give either file, or times and angles")
        return self


class SineDriveTable(Table):
    """tau_i = amplitude sin(phase_per_joint i + frequency t)."""

    kind: Literal["sine"]
    amplitude: float = Field(description="N m")
    frequency: float = Field(description="rad/s")
    phase_per_joint: float = Field(description="rad")


class SampledDriveTable(Table):
    """Joint torques at given times, from a CSV file or in place."""

    kind: Literal["sampled"]
    file: str | None = None
    times: list[float] | None = None
    torques: list[list[float]] | None = None

    @model_validator(mode="after")
    def _one_source(self) -> SampledDriveTable:
        given = [self.times is not None, self.torques is not None]
        if any(given) if self.file is not None else not all(given):
            raise ValueError("give either file, or times and torques")
        return self


class FrictionTable(Table):
    """The friction law; keys that the chosen law does not use may stay, so that laws can be exchanged."""

    law: Literal["coulomb", "unit-slip", "threshold", "bristle", "viscous", "none"] = "coulomb"
    along: float | None = Field(None, ge=0.0, description="mu_t forward (viscous: N s/m a contact)")
    backward: float | None = Field(None, ge=0.0, description="mu_t backward, if different")
    across: float | None = Field(None, ge=0.0, description="mu_n (viscous: N s/m a contact)")
    smoothing: float = Field(1e-3, gt=0.0, description="m/s")
    static_force_along: float = Field(0.0, ge=0.0, description="f_s^t, N")
    static_force_across: float | None = Field(None, ge=0.0, description="f_s^n, N")
    stick_length_along: float = Field(0.0, ge=0.0, description="l_s^t, m")
    stick_length_across: float | None = Field(None, ge=0.0, description="l_s^n, m")
    reference_step: float = Field(1e-3, gt=0.0, description="dt_ref of the threshold law, s")
    bristle_damping: float = Field(0.1, ge=0.0, description="zeta")
    edge_angle_deg: AnyNumbers = Field(0.0, description="psi against the link's axis, one or one a link")

    @model_validator(mode="after")
    def _complete(self) -> FrictionTable:
        needed: tuple[str, ...] = () if self.law == "none" else ("along", "across")
        if self.law in ("threshold", "bristle"):
            needed += ("static_force_across", "stick_length_across")
        missing = [key for key in needed if getattr(self, key) is None]
        if missing:
            raise ValueError(f"law {self.law} needs {', '.join(missing)}")
        return self


class PatchTable(Table):
    """A rectangle of the ground with its own coefficients."""

    rectangle: list[float] = Field(min_length=4, max_length=4, description="x0, y0, x1, y1 in m")
    along: float = Field(ge=0.0)
    across: float = Field(ge=0.0)
    backward: float | None = Field(None, ge=0.0)

    @model_validator(mode="after")
    def _extent(self) -> PatchTable:
        x0, y0, x1, y1 = self.rectangle
        if not (x0 < x1 and y0 < y1):
            raise ValueError("rectangle must be [x0, y0, x1, y1] with x0 < x1 and y0 < y1")
        return self


class WorldTable(Table):
    """The ground."""

    gravity: float = Field(9.81, ge=0.0, le=1e6, description="m/s^2")
    friction: FrictionTable
    patches: list[PatchTable] = Field(default_factory=list)


class StartTable(Table):
    """Pose and velocity at t = 0."""

    position: Pair = Field(default_factory=lambda: [0.0, 0.0], description="of the tail's end, m")
    heading_deg: float = Field(0.0, ge=-5e5, le=5e5, description="of the mean axis")
    velocity: Pair = Field(default_factory=lambda: [0.0, 0.0], description="of the centre of gravity, m/s")
    angular_velocity: float = Field(0.0, description="rad/s")


class RunTable(Table):
    """How to run."""

    mode: Literal["shape", "torque"] = "shape"
    duration: float = Field(gt=0.0, le=1e6, description="s")
    step: Annotated[float, Field(gt=0.0)] | Literal["auto"] = Field(2.5e-4, description='s, or "auto"')
    tolerance: float = Field(1e-3, gt=0.0, lt=1.0, description='of step = "auto": distance, slip, torque')
    integrator: Literal["implicit", "euler", "rk4"] = "implicit"
    record_interval: float = Field(0.01, gt=0.0, description="s between recorded frames")
    max_link_steps: float = Field(5e10, gt=0.0, description="refuse longer runs: steps times links")


GaitTable = Annotated[SerpenoidTable | StandingWaveTable | SampledGaitTable, Field(discriminator="kind")]
DriveTable = Annotated[SineDriveTable | SampledDriveTable, Field(discriminator="kind")]


class Scenario(Table):
    """A whole run: robot, gait or drive, world, start, and how to run."""

    title: str | None = None
    robot: RobotTable
    gait: GaitTable | None = Field(None, description="shape to motion; in torque mode the first posture")
    drive: DriveTable | None = Field(None, description="torque to motion")
    world: WorldTable
    start: StartTable = Field(default_factory=lambda: StartTable())
    run: RunTable

    @model_validator(mode="after")
    def _mode(self) -> Scenario:
        if self.run.mode == "shape" and (self.gait is None or self.drive is not None):
            raise ValueError('run.mode = "shape" needs [gait] and no [drive]')
        if self.run.mode == "torque" and self.drive is None:
            raise ValueError('run.mode = "torque" needs [drive]')
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


def read(name: str, changes: list[str] | None = None) -> Scenario:
    """Read a scenario by bundled name or path, with changes like "gait.waves=2", and check it."""
    path = find(name)
    try:
        if path.stat().st_size > MAX_FILE:
            raise InputError(f"{path}: a scenario has at most {MAX_FILE} bytes")
        data = tomllib.loads(path.read_bytes().decode("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text: {error}") from error
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, and numbers of thousands of digits
        raise InputError(f"{path}: not valid TOML: {error}") from error
    for table in ("gait", "drive"):  # files named in a scenario lie beside it
        named = data.get(table, {}).get("file") if isinstance(data.get(table), dict) else None
        if isinstance(named, str):
            data[table]["file"] = str(path.parent / named)
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
    if parts[-1] in ("speed", "acceleration") and parts[0] == "gait":
        table.pop({"speed": "acceleration", "acceleration": "speed"}[parts[-1]], None)
    table[parts[-1]] = value


def checked(data: Any, source: str) -> Scenario:
    """Validate a scenario's data; all errors at once."""
    try:
        return Scenario.model_validate(data)
    except ValidationError as error:
        lines = [_error_line(e) for e in error.errors()]
        unique = list(dict.fromkeys(lines))
        shown = unique[:20] + ([f"... and {len(unique) - 20} more"] if len(unique) > 20 else [])
        count = f"{len(unique)} error{'s' if len(unique) > 1 else ''}"
        raise InputError(f"{source}: {count}\n" + "\n".join(f"  {line}" for line in shown)) from None


_DETAIL = {"serpenoid", "standing-wave", "sampled", "sine", "float", "literal['auto']", "constrained-float"}


def _error_line(error: Any) -> str:
    """One line: path, what came, what is allowed."""
    parts = [str(p) for p in error["loc"] if str(p) not in _DETAIL and not str(p).startswith("literal")]
    path = ".".join(parts) or "scenario"
    message: str = error["msg"].removeprefix("Value error, ")
    if error["type"] == "missing":
        return f"{path}: missing"
    if error["type"] == "extra_forbidden":
        return f"{path}: unknown key{_near(parts)}"
    value = repr(error.get("input"))
    if isinstance(error.get("input"), dict) or len(value) > 60:
        value = ""
    return f"{path}: " + (f"got {value}; " if value else "") + message[:1].lower() + message[1:]


def _near(parts: list[str]) -> str:
    tables: dict[str, Any] = {
        "robot": RobotTable, "world": WorldTable, "start": StartTable, "run": RunTable, "gait": SerpenoidTable,
        "drive": SineDriveTable,
    }  # fmt: skip
    model = Scenario if len(parts) == 1 else FrictionTable if "friction" in parts else tables.get(parts[0], Scenario)
    near = difflib.get_close_matches(parts[-1], list(model.model_fields), n=1)
    return f"; did you mean {near[0]}?" if near else f"; allowed are {', '.join(model.model_fields)}"
