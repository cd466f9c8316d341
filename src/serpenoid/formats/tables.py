"""The tables of a scenario: robot, world, start and run, each a strict model. `gait_tables` has gaits, drives and servos."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from serpenoid.core import MAX_LINKS

JointKind = Literal["yaw", "pitch", "alternating", "universal", "pitch-yaw"]


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


def _triple(value: list[float]) -> list[float]:
    if len(value) != 3:
        raise ValueError("must be a list of three numbers")
    return value


Pair = Annotated[list[float], AfterValidator(_pair)]
Triple = Annotated[list[float], AfterValidator(_triple)]


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
    joints: JointKind | None = Field(None, description="axes of the joints")
    radius: NotNegative = Field(None, description="m; in space")
    axial_inertia: Positive = Field(None, description="kg m^2 about the link's axis; default: solid cylinder")
    joint_limit_deg: Positive = Field(None, description="one number or one for each joint")
    locked: list[int] | None = Field(None, description="joints (from 1 at the tail) stuck at 0")
    limp: list[int] | None = Field(None, description="joints without torque")

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
                "radius",
                "axial_inertia",
                "joint_limit_deg",
            ):
                value, count = getattr(self, key), self.links - (key in ("joint_damping", "joint_limit_deg"))
                if isinstance(value, list) and len(value) != count:
                    raise ValueError(f"{key} has {len(value)} values; give one number or a list of {count}")
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
    static_along: float | None = Field(None, ge=0.0, description="mu_S along: the static force is mu_S N")
    static_across: float | None = Field(None, ge=0.0, description="mu_S across")
    critical_speed: float | None = Field(None, gt=0.0, description="V_cr of the threshold law, m/s")
    bristle_damping: float = Field(0.1, ge=0.0, description="zeta")
    edge_angle_deg: AnyNumbers = Field(0.0, description="psi against the link's axis, one or one a link")

    @model_validator(mode="after")
    def _complete(self) -> FrictionTable:
        needed: tuple[str, ...] = () if self.law == "none" else ("along", "across")
        if self.law in ("threshold", "bristle"):
            needed += ("static_force_across",) if self.static_across is None else ()
            needed += ("stick_length_across",) if self.critical_speed is None or self.law == "bristle" else ()
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


class HeightsTable(Table):
    """A height field, from a CSV file of heights (first row: smallest y) or in place."""

    cell: float = Field(gt=0.0, description="m between nodes")
    origin: Pair = Field(default_factory=lambda: [0.0, 0.0], description="x, y of the first node, m")
    file: str | None = None
    heights: list[list[float]] | None = Field(None, description="m")

    @model_validator(mode="after")
    def _one_source(self) -> HeightsTable:
        if (self.file is None) == (self.heights is None):
            raise ValueError("give either file or heights")
        return self


class GroundTable(Table):
    """The ground in three dimensions; with it a run is spatial."""

    model: Literal["capsule", "point", "flat"] = "capsule"
    stiffness: float = Field(2e4, gt=0.0, description="N/m a contact")
    damping: float = Field(50.0, ge=0.0, description="N s/m a contact")
    slope_deg: float = Field(0.0, ge=-89.0, le=89.0)
    slope_direction_deg: float = Field(0.0, ge=-5e5, le=5e5, description="where it rises, from x")
    plane: bool = Field(True, description="false: no plane, only obstacles")
    points: int = Field(0, ge=0, le=64, description="contact points a link; 0: as many as the ground needs")
    height_field: HeightsTable | None = None


class CylinderTable(Table):
    """A round bar: peg, post, pole."""

    kind: Literal["cylinder"]
    base: Triple = Field(description="centre of its foot, m")
    radius: float = Field(gt=0.0, description="m")
    length: float = Field(gt=0.0, description="m")
    axis: Triple = Field(default_factory=lambda: [0.0, 0.0, 1.0])


class BoxTable(Table):
    """An upright block: wall, step."""

    kind: Literal["box"]
    centre: Triple = Field(description="m")
    size: Triple = Field(description="m")
    yaw_deg: float = 0.0


class PipeTable(Table):
    """A round pipe, touched from inside."""

    kind: Literal["pipe"]
    point: Triple = Field(description="on its axis, m")
    radius: float = Field(gt=0.0, description="m")
    axis: Triple = Field(default_factory=lambda: [1.0, 0.0, 0.0])


ObstacleTable = Annotated[CylinderTable | BoxTable | PipeTable, Field(discriminator="kind")]


class WorldTable(Table):
    """The ground and what stands on it."""

    gravity: float = Field(9.81, ge=0.0, le=1e6, description="m/s^2")
    friction: FrictionTable
    patches: list[PatchTable] = Field(default_factory=list)
    ground: GroundTable | None = Field(None, description="three dimensions; without it the plane")
    obstacles: list[ObstacleTable] = Field(default_factory=list)

    @model_validator(mode="after")
    def _space(self) -> WorldTable:
        if self.obstacles and self.ground is None:
            raise ValueError("obstacles need [world.ground]")
        return self


class StartTable(Table):
    """Pose and velocity at t = 0."""

    position: Pair = Field(default_factory=lambda: [0.0, 0.0], description="of the tail's end, m")
    heading_deg: float = Field(0.0, ge=-5e5, le=5e5, description="of the mean axis")
    velocity: Pair = Field(default_factory=lambda: [0.0, 0.0], description="of the centre of gravity, m/s")
    angular_velocity: float = Field(0.0, description="rad/s")
    height: float | None = Field(
        None, ge=0.0, description="of the lowest point over the ground, m; none: it lies there"
    )
    pitch_deg: float = Field(0.0, ge=-5e5, le=5e5, description="nose down, against the ground")
    roll_deg: float = Field(0.0, ge=-5e5, le=5e5)


class RunTable(Table):
    """How to run."""

    mode: Literal["shape", "torque", "servo"] = "shape"
    duration: float = Field(gt=0.0, le=1e6, description="s")
    step: Annotated[float, Field(gt=0.0)] | Literal["auto"] | None = Field(
        None, description='s, or "auto"; default 2.5e-4 in the plane, 1e-3 in space'
    )
    tolerance: float = Field(1e-3, gt=0.0, lt=1.0, description='of step = "auto": distance, slip, torque')
    integrator: Literal["implicit", "euler", "rk4"] = "implicit"
    record_interval: float = Field(0.01, gt=0.0, description="s between recorded frames")
    max_link_steps: float = Field(5e10, gt=0.0, description="refuse longer runs: steps times links")
