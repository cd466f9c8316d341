"""The few central types: read this first.

| type | what it says | shapes and units |
|---|---|---|
| `Robot` | links and joints of a planar chain, tail first | (n,) for links, (n-1,) for joints; m, kg, kg m^2, N m s/rad |
| `Friction` | a friction law with its coefficients (see `contact`) | |
| `Patch`, `World` | the ground: gravity, law, places with other coefficients | m/s^2, m |
| `Start` | pose and velocity at t = 0 | m, rad, m/s, rad/s |
| `Gait`, `Drive` | time to joint angles, time to joint torques (see `gaits`, `control`) | rad, N m |
| `Status` | how a run ended, where and when | s |
| `Trajectory` | everything a run recorded, with names, dimensions and units | |

Descriptions are frozen. Links count from 0 at the tail; joint i connects links i-1 and i, so joints count from 1.
World z is up, the body's x axis points to the head, angles are counter-clockwise, units are SI and radians.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from serpenoid.checks import FloatArray, per_item
from serpenoid.errors import InputError
from serpenoid.terrain import Ground, Obstacle

if TYPE_CHECKING:
    import xarray

__all__ = [
    "Drive",
    "DryFriction",
    "FloatArray",
    "Friction",
    "Gait",
    "Patch",
    "Robot",
    "Start",
    "Status",
    "Trajectory",
    "Variable",
    "World",
    "per_item",
]

MAX_LINKS = 20_000
FARTHEST, FASTEST, MOST_TURNED = 1e6, 1e4, 1e4  # m, m/s or rad/s, rad: beyond them rounding shows
JOINTS = ("yaw", "pitch", "alternating", "universal", "pitch-yaw")
SLENDER = 0.05  # of its length: radius assumed for the axial inertia of a link without one


@dataclass(frozen=True, eq=False)
class Robot:
    """A chain of links; numbers or lists of one number a link (or joint). Build one with `robots`."""

    name: str
    links: int
    link_length: FloatArray  # (n,) m
    link_mass: FloatArray  # (n,) kg
    link_inertia: FloatArray  # (n,) kg m^2 about the centre of gravity
    com_offset: FloatArray  # (n,) m from the tail-side joint to the centre of gravity
    contact_offset: FloatArray  # (n,) m from the tail-side joint to the contact point
    joint_damping: FloatArray  # (n-1,) N m s/rad
    source: str = ""
    joints: str = (
        "yaw"  # "pitch", "alternating" (yaw, pitch, ...), "universal" (yaw, then pitch), "pitch-yaw" (pitch, then yaw)
    )
    radius: FloatArray = 0.0  # type: ignore[assignment]  # (n,) m; 0: thin, for the plane and the point ground only
    axial_inertia: FloatArray | None = None  # (n,) kg m^2 about the link's own axis; None: solid cylinder
    joint_limit: FloatArray = np.inf  # type: ignore[assignment]  # (n-1,) rad, of every angle of the joint
    locked: tuple[int, ...] = ()  # joints (from 1 at the tail) stuck at angle 0
    limp: tuple[int, ...] = ()  # joints without torque

    def __post_init__(self) -> None:
        n = self.links
        if not isinstance(n, int | np.integer) or isinstance(n, bool) or not 2 <= n <= MAX_LINKS:
            raise InputError(f"links must be a whole number from 2 to {MAX_LINKS}, got {n!r}")
        put = object.__setattr__
        put(self, "link_length", per_item("link_length", self.link_length, n, 0.0, strict=True))
        put(self, "link_mass", per_item("link_mass", self.link_mass, n, 0.0, strict=True))
        inertia: Any = self.link_inertia
        if isinstance(inertia, str):
            if inertia != "uniform-rod":
                raise InputError(f'link_inertia must be numbers or "uniform-rod", got {inertia!r}')
            inertia = self.link_mass * self.link_length**2 / 12.0
        put(self, "link_inertia", per_item("link_inertia", inertia, n, 0.0, strict=True))
        put(self, "com_offset", per_item("com_offset", self.com_offset, n, 0.0))
        put(self, "contact_offset", per_item("contact_offset", self.contact_offset, n, 0.0))
        for name in ("com_offset", "contact_offset"):
            beyond = np.flatnonzero(getattr(self, name) > self.link_length)
            if beyond.size:
                i = int(beyond[0])
                raise InputError(
                    f"{name} {getattr(self, name)[i]:g} m of link {i} lies beyond its length {self.link_length[i]:g} m"
                )
        if self.joints not in JOINTS:
            raise InputError(f"joints must be one of {', '.join(JOINTS)}, got {self.joints!r}")
        put(self, "joint_damping", per_item("joint_damping", self.joint_damping, n - 1, 0.0))
        self._check_space(n)

    def _check_space(self, n: int) -> None:
        """Check and fill in what only matters in three dimensions."""
        put = object.__setattr__
        put(self, "radius", per_item("radius", self.radius, n, 0.0))
        axial: Any = self.axial_inertia
        if axial is None:
            thick = np.where(self.radius > 0.0, self.radius, SLENDER * self.link_length)
            axial = 0.5 * self.link_mass * thick**2
        put(self, "axial_inertia", per_item("axial_inertia", axial, n, 0.0, strict=True))
        limit = self.joint_limit if np.ndim(self.joint_limit) or np.isfinite(self.joint_limit) else 1e300
        put(self, "joint_limit", per_item("joint_limit", limit, n - 1, 0.0, strict=True))
        for name in ("locked", "limp"):
            failed = tuple(getattr(self, name))
            put(self, name, failed)
            for joint in failed:
                if not isinstance(joint, int | np.integer) or isinstance(joint, bool) or not 1 <= joint < n:
                    raise InputError(f"{name} must name joints from 1 to {n - 1}, got {joint!r}")
        both = set(self.locked) & set(self.limp)
        if both:
            raise InputError(f"a joint is either locked or limp; joint {min(both)} is both")

    @property
    def length(self) -> float:
        """Length of the whole body in m."""
        return float(self.link_length.sum())

    @property
    def mass(self) -> float:
        """Mass of the whole body in kg."""
        return float(self.link_mass.sum())

    def but(self, **changes: Any) -> Robot:
        """Return the same robot with some fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True)
class Friction:
    """A friction law: `along` the edge forward, `backward` (None: as along), `across` it."""

    along: float
    across: float
    backward: float | None = None

    KIND: ClassVar[int]
    NAME: ClassVar[str]
    DRY: ClassVar[bool] = False  # forces scale with the weight

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is None and name in ("backward", "static_along", "static_across", "critical_speed"):
                continue
            positive = name in ("smoothing", "reference_step", "critical_speed")
            per_item(f"friction {name}", value, 1, 0.0, strict=positive)

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel."""
        raise NotImplementedError

    def sticking(self, weight: FloatArray) -> FloatArray:
        """Static forces along and across (N) and their stiffnesses (N/m) under normal forces `weight`, shape (4, n)."""
        return np.zeros((4, len(weight)))


@dataclass(frozen=True)
class DryFriction(Friction):
    """A law whose forces are coefficients times the normal force."""

    DRY: ClassVar[bool] = True


@dataclass(frozen=True)
class Patch:
    """A rectangle (x0, y0, x1, y1) of the ground with its own coefficients."""

    rectangle: tuple[float, float, float, float]
    along: float
    across: float
    backward: float | None = None

    def __post_init__(self) -> None:
        x0, y0, x1, y1 = per_item("patch rectangle", self.rectangle, 4, -np.inf)
        if x1 <= x0 or y1 <= y0:
            raise InputError(f"patch rectangle must be x0 < x1, y0 < y1, got {self.rectangle}")
        for name in ("along", "across", "backward"):
            if getattr(self, name) is not None:
                per_item(f"patch {name}", getattr(self, name), 1, 0.0)


@dataclass(frozen=True)
class World:
    """The ground a robot lies on; `edge_angle` turns the friction axes against the link, in rad, one or one a link."""

    friction: Friction
    gravity: float = 9.81  # m/s^2
    patches: tuple[Patch, ...] = ()
    edge_angle: float | tuple[float, ...] = 0.0
    ground: Ground | None = None  # given: three dimensions
    obstacles: tuple[Obstacle, ...] = ()

    def __post_init__(self) -> None:
        per_item("gravity", self.gravity, 1, 0.0)
        if not isinstance(self.friction, Friction):
            raise InputError(f"friction must be a law of serpenoid.contact, got {self.friction!r}")
        if not all(isinstance(patch, Patch) for patch in self.patches):
            raise InputError("patches must be a tuple of Patch")
        if self.obstacles and self.ground is None:
            raise InputError("obstacles need a ground in three dimensions: give the world a Ground")


@dataclass(frozen=True)
class Start:
    """Where a run begins: place of the tail's end, direction of the mean axis, velocity of the centre of gravity."""

    position: tuple[float, float] = (0.0, 0.0)  # m
    heading: float = 0.0  # rad
    velocity: tuple[float, float] = (0.0, 0.0)  # m/s
    angular_velocity: float = 0.0  # rad/s
    height: float | None = None  # m above the ground, of the lowest point (no plane: z of the centre of gravity)
    pitch: float = 0.0  # rad, nose down
    roll: float = 0.0  # rad

    def __post_init__(self) -> None:
        for name, most in (("position", FARTHEST), ("velocity", FASTEST)):
            if np.shape(getattr(self, name)) != (2,):
                raise InputError(f"start {name} must be two numbers, got {getattr(self, name)!r}")
            per_item(f"start {name}", getattr(self, name), 2, -most, most)
        for name in ("heading", "pitch", "roll"):
            per_item(f"start {name}", getattr(self, name), 1, -MOST_TURNED, MOST_TURNED)
        if self.height is not None:
            per_item("start height", self.height, 1, -FARTHEST, FARTHEST)
            if self.height < 0.0:
                raise InputError(
                    f"start height {self.height:g} m lies below the ground; it is counted from the body's lowest point"
                )
        per_item("start angular_velocity", self.angular_velocity, 1, -FASTEST, FASTEST)


class Gait(Protocol):
    """Time to link headings; built-in ones are chosen in kernels by KIND and a parameter row (see `gaits`)."""

    KIND: ClassVar[int]
    NAME: ClassVar[str]

    def row(self, robot: Robot, duration: float) -> tuple[FloatArray, FloatArray]:
        """Parameters and tables for the kernel."""
        ...

    def period(self, robot: Robot, duration: float = 0.0) -> float | None:
        """Period of the shape in s, None if it has none."""
        ...

    def kinks(self, duration: float) -> list[float]:
        """Times at which the joint accelerations jump, s."""
        ...

    def keys(self) -> dict[str, Any]:
        """Describe the gait as the keys of a scenario."""
        ...


class Drive(Protocol):
    """Time to joint torques (see `control`)."""

    KIND: ClassVar[int]
    NAME: ClassVar[str]

    def row(self, robot: Robot, axes: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Parameters and tables for the kernel; `axes` is the number of driven axes in space."""
        ...

    def keys(self) -> dict[str, Any]:
        """Describe the drive as the keys of a scenario."""
        ...


class Status(NamedTuple):
    """How a run ended: `ok`, `diverged`, `left-horizon` or `interrupted`; a message with time and place."""

    name: str
    message: str = ""
    time: float | None = None  # s

    @property
    def ok(self) -> bool:
        """Whether the whole result can be used."""
        return self.name == "ok"


class Variable(NamedTuple):
    """A recorded quantity: its dimensions, data, unit and meaning."""

    dims: tuple[str, ...]
    data: FloatArray
    units: str
    long_name: str


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A finished run: recorded variables, metrics, status, and the state from which it can be continued."""

    variables: Mapping[str, Variable]
    metrics: Mapping[str, float | None]
    status: Status
    warnings: tuple[str, ...]
    scenario: Mapping[str, Any]
    provenance: Mapping[str, Any]
    state: Mapping[str, FloatArray] = field(repr=False)

    def __getitem__(self, name: str) -> FloatArray:
        return self.variables[name].data

    @property
    def dataset(self) -> xarray.Dataset:
        """The variables as an xarray dataset with units."""
        import xarray

        return xarray.Dataset(
            {
                name: (v.dims, v.data, {"units": v.units, "long_name": v.long_name})
                for name, v in self.variables.items()
            },
            attrs={"status": self.status.name, **{k: v for k, v in self.metrics.items() if v is not None}},
        )

    def summary(self) -> str:
        """Distance, speed, slip, torques, power and status in a few lines of text."""
        m, p = self.metrics, self.provenance

        def show(key: str, unit: str = "", digits: int = 4) -> str:
            value = m.get(key)
            return "-" if value is None else f"{value:.{digits}g} {unit}".strip()

        lines = [
            f"{p['robot']} by {p['drive']} on {p['law']} ground, {p['time']:.6g} s in steps of {p['step']:.3g} s",
            f"  status            {self.status.name}" + (f": {self.status.message}" if self.status.message else ""),
            f"  distance (CoM)    {show('com_distance', 'm')}  (dx {show('com_dx', 'm')}, dy {show('com_dy', 'm')})",
            f"  steady speed      {show('steady_speed', 'm/s')}",
            f"  slip per link     {show('slip_per_link', 'm')} across, {show('slip_along_per_link', 'm')} along",
            f"  torque            {show('torque_max', 'N m')} max, {show('torque_sq_mean', 'N^2 m^2')} mean square sum",
            f"  work              {show('net_work', 'J')} net, {show('friction_loss', 'J')} lost to friction",
            f"  power (positive)  {show('mean_power', 'W')} mean, {show('peak_power', 'W')} peak",
            f"  cost of transport {show('cost_of_transport')}     efficiency J {show('efficiency', '1/(N m)^2')}",
        ]
        lines += [f"  warning: {w}" for w in self.warnings]
        return "\n".join(lines)
