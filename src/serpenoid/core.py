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
from numpy.typing import ArrayLike, NDArray

from serpenoid.errors import InputError

if TYPE_CHECKING:
    import xarray

FloatArray = NDArray[np.float64]

MAX_LINKS = 20_000
FARTHEST, FASTEST, MOST_TURNED = 1e6, 1e4, 1e4  # m, m/s or rad/s, rad: beyond them rounding shows
JOINTS = ("yaw", "alternating", "universal")


def per_item(
    name: str, value: ArrayLike, count: int, low: float, high: float = np.inf, strict: bool = False
) -> FloatArray:
    """Array of `count` numbers from one number or a list, checked; errors name the key."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be a number or a list of numbers, got {value!r}") from error
    if array.ndim > 1 or (array.ndim == 1 and array.size != count):
        raise InputError(f"{name} has {array.size} values; give one number or one for each of the {count}")
    wrong = ~np.isfinite(array) | (array <= low if strict else array < low) | (array > high)
    if np.any(wrong):
        worst = array if array.ndim == 0 else array[wrong][0]
        bound = f"{'>' if strict else '>='} {low:g}" + (f" and <= {high:g}" if np.isfinite(high) else "")
        raise InputError(f"{name} must be finite and {bound}, got {worst}")
    result = np.broadcast_to(array, (count,)).copy()
    result.flags.writeable = False
    return result


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
    joints: str = "yaw"  # or "alternating" (yaw, pitch, yaw, ...), "universal" (each yaws, then pitches)

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
            if value is None and name == "backward":
                continue
            positive = name in ("smoothing", "reference_step")
            per_item(f"friction {name}", value, 1, 0.0, strict=positive)

    def scalars(self) -> FloatArray:
        """Parameter row of the kernel."""
        raise NotImplementedError


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

    def __post_init__(self) -> None:
        per_item("gravity", self.gravity, 1, 0.0)
        if not isinstance(self.friction, Friction):
            raise InputError(f"friction must be a law of serpenoid.contact, got {self.friction!r}")
        if not all(isinstance(patch, Patch) for patch in self.patches):
            raise InputError("patches must be a tuple of Patch")


@dataclass(frozen=True)
class Start:
    """Where a run begins: place of the tail's end, direction of the mean axis, velocity of the centre of gravity."""

    position: tuple[float, float] = (0.0, 0.0)  # m
    heading: float = 0.0  # rad
    velocity: tuple[float, float] = (0.0, 0.0)  # m/s
    angular_velocity: float = 0.0  # rad/s

    def __post_init__(self) -> None:
        for name, most in (("position", FARTHEST), ("velocity", FASTEST)):
            if np.shape(getattr(self, name)) != (2,):
                raise InputError(f"start {name} must be two numbers, got {getattr(self, name)!r}")
            per_item(f"start {name}", getattr(self, name), 2, -most, most)
        per_item("start heading", self.heading, 1, -MOST_TURNED, MOST_TURNED)
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

    def row(self, robot: Robot) -> tuple[FloatArray, FloatArray]:
        """Parameters and tables for the kernel."""
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
