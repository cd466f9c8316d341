"""The one result: frames, events, metrics, status, warnings, the description, and how the numbers came about.

| attribute | what it holds |
|---|---|
| `variables` | recorded quantities by name, each with dimensions, unit and meaning; `run["joint_angle"]` is the array |
| `events` | what happened when: an anchor set, an obstacle felt, a stage of a plan |
| `metrics` | the numbers a run is judged by (`serpenoid list metrics`); None where one does not apply, with a reason in `reasons` |
| `status`, `warnings` | how it ended; what to beware of, in words |
| `findings` | those of the warnings that are kept as a code and numbers (`core.finding`) |
| `scenario` | the description, as the keys of a scenario file |
| `provenance` | versions, engine, step, times |
| `state` | what `sp.resume` and `Simulation.restore` go on from |
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from serpenoid.core.checks import FloatArray
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.finding import Finding
from serpenoid.spelling import near

if TYPE_CHECKING:
    import xarray

PLAN_UNITS = {  # of what controllers report
    "head_to_goal": "m", "head_error": "m", "lateral_error_max": "m", "penetration_max": "m", "wall_force_max": "N", "torque_max": "N m",
    "joint_speed_max": "rad/s", "feed_force_max": "N", "feed_work": "J", "contact_force_max": "N", "heading_error": "rad", "clearance_planned": "m",
    "heading_mean": "rad", "bend": "rad", "bend_max": "rad", "path_distance": "m", "path_left": "m", "phase_error": "rad",
    "gait_amplitude_min": "rad", "gait_amplitude_max": "rad",
}  # fmt: skip
LINE = 118  # characters of a line about a variable
FAILED = ("diverged", "blocked", "stalled", "unreachable", "cycle-limit")
NOTES = ("hint: ", "rough: ")  # how warnings begin that the summary prints as they are
USABLE = ("ok", "left-horizon")  # statuses of runs whose numbers can be used, the latter up to its time


class Status(NamedTuple):
    """How a run ended, with time and place.

    ok | diverged (a number is not finite, or the scheme failed) | left-horizon (later values are one of many possible motions) |
    blocked, stalled, unreachable, cycle-limit (a plan that could not be carried out) | interrupted
    """

    name: str
    message: str = ""
    time: float | None = None  # s

    @property
    def ok(self) -> bool:
        """Whether the whole result can be used."""
        return self.name == "ok"


class Event(NamedTuple):
    """Something that happened: when (s), what kind of thing, in words, and its numbers."""

    time: float
    kind: str
    text: str
    data: Mapping[str, Any] = {}


class Variable(NamedTuple):
    """A recorded quantity: its dimensions, data, unit and meaning."""

    dims: tuple[str, ...]
    data: FloatArray
    units: str
    long_name: str

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}: {size}" for name, size in zip(self.dims, self.data.shape, strict=False))
        return f"Variable(({sizes}), [{self.units}] {self.long_name})"


class Variables(dict[str, Variable]):
    """Recorded variables by name, printed as a table."""

    def __repr__(self) -> str:
        return table_of({name: (one.dims, one.units, one.long_name) for name, one in self.items()})


def table_of(variables: Mapping[str, tuple[tuple[str, ...], str, str]]) -> str:
    """Dimensions, unit and meaning of variables, a line each."""
    wide = max(map(len, variables), default=0)
    lines = [f"{name:{wide}s}  ({', '.join(dims)}) [{unit}] {text}" for name, (dims, unit, text) in variables.items()]
    return "\n".join(textwrap.shorten(line, LINE, placeholder=" ...") if len(line) > LINE else line for line in lines)


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """A run: what was recorded, measured and reported, and what it can be continued from."""

    variables: Mapping[str, Variable]
    metrics: Mapping[str, float | None]
    status: Status
    warnings: tuple[str, ...] = ()
    scenario: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)  # why a metric is None

    def __getitem__(self, name: str) -> FloatArray:
        if name not in self.variables:
            known = near(name, self.variables) or f"; recorded are {', '.join(self.variables)}"
            hint = f"; it is a metric: run.metrics[{name!r}]" if name in self.metrics else known
            raise InputError(f"no variable {name!r} in this run{hint}")
        return self.variables[name].data

    def __iter__(self) -> Iterator[str]:
        return iter(self.variables)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"a Trajectory has no attribute {name!r}{'' if name.startswith('_') else self._hint(name)}", name=name
        )

    def _hint(self, name: str) -> str:
        """Where something is that is no attribute: among variables or metrics, or under another spelling."""
        here = self.__dict__
        for table in ("variables", "metrics"):
            if name in here.get(table, ()):
                return f"; it is one of the {table}: run{'' if table == 'variables' else '.metrics'}[{name!r}]"
        known = [*here.get("variables", ()), *here.get("metrics", ()), *(one for one in dir(self) if one[0] != "_")]
        return near(name, known)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The warnings that have a code and numbers."""
        return tuple(warning for warning in self.warnings if isinstance(warning, Finding))

    @door
    def at_frames(self, name: str) -> FloatArray:
        """A variable at the recorded frames; one of a controller's calls, over one dimension, is interpolated between them."""
        values = self[name]
        if self.variables[name].dims != ("call",):
            return values
        import numpy as np

        return np.asarray(np.interp(self["time"], self["call_time"], values))

    def __contains__(self, name: object) -> bool:
        return name in self.variables

    @property
    def duration(self) -> float:
        """Time simulated, s."""
        return float(self["time"][-1])

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

    def plot(self, *names: str) -> Any:
        """A matplotlib figure of variables by name; without names, those that matter for this kind of run."""
        from serpenoid import view

        return view.plot(self, *names)

    @door
    def film(self, path: str | Path, **options: Any) -> Path:
        """Draw a film; options as for `sp.view.film`."""
        from serpenoid import view

        return Path(view.film(self, path, **options))

    @door
    def figure(self, path: str | Path) -> Path:
        """Draw the figure of the run into a .png, .svg or .pdf file, as `sp.view.figure` does."""
        from serpenoid import view

        return Path(view.figure(self, path))

    @door
    def save(self, path: str | Path) -> Path:
        """Write the run as one netCDF-4 file; `sp.load` reads it."""
        from serpenoid.formats.trajectory import save

        return save(self, path)

    def citations(self) -> str:
        """BibTeX of what the run rests on: the package, and the sources of its robot, gait, friction law, plan and controller."""
        from serpenoid.formats.citations import bibtex
        from serpenoid.version import VERSION

        return bibtex(self.scenario, str(self.provenance.get("version", VERSION)))

    def _repr_html_(self) -> str:
        from serpenoid.studio.notebook import notebook_html

        return notebook_html(self)

    def __repr__(self) -> str:
        distance = self.metrics.get("com_distance")
        moved = "" if distance is None else f", moved {distance:.4g} m"
        return (
            f"Trajectory({self.provenance.get('robot', 'robot')}, {self.status.name}, {self.duration:.6g} s in "
            f"{len(self['time'])} frames{moved}, {len(self.warnings)} warnings)"
        )

    def summary(self) -> str:
        """Distance, speed, slip, torques, power and status in a few lines of text."""
        return "\n".join(_summary_lines(self))


def where(told: Mapping[str, Any], name: str) -> str:
    """Which joint has the greatest torque of a kind (max, steady_max, rms_max), and when, by the entry `torques` of a run's provenance."""
    found = told.get("torques", {}).get(name)
    if not found:
        return ""
    time = f" at {found['time']:.3g} s" if "time" in found else ""
    kind = f"{found['kind']} " if "kind" in found else ""
    return f" ({kind}joint {found['joint']}{time})"


def _summary_lines(run: Trajectory) -> list[str]:
    m, p = run.metrics, run.provenance

    def show(key: str, unit: str = "", digits: int = 4) -> str:
        value = m.get(key)
        return "-" if value is None else f"{value:.{digits}g} {unit}".strip()

    def length(key: str) -> str:
        value = m.get(key)
        return "-" if value is None else f"{1e3 * value:.4g} mm" if 0.0 < abs(value) < 0.1 else f"{value:.4g} m"

    def because(key: str) -> str:
        return f" ({run.reasons[key]})" if m.get(key) is None and run.reasons.get(key) else ""

    moved = f"  distance (CoM)    {show('com_distance', 'm')}  (dx {show('com_dx', 'm')}, dy {show('com_dy', 'm')}"
    climbs = abs(m.get("com_dz") or 0.0) > max(0.1 * (m.get("com_distance") or 0.0), 0.01)
    lines = [
        f"{p['robot']} by {p['command']} on {p['law']} ground, {p['time']:.6g} s in steps of {p['step']:.3g} s",
        f"  status            {run.status.name}" + (f": {run.status.message}" if run.status.message else ""),
        *([f"  height gained     {show('com_dz', 'm')}"] if climbs else []),
        moved + (f", dz {show('com_dz', 'm')})" if p.get("engine") != "planar" else ")"),
        f"  steady speed      {show('steady_speed', 'm/s')}{because('steady_speed')}",
        f"  slip per link     {length('slip_per_link')} across, {length('slip_along_per_link')} along",
        f"  torque            {show('torque_max', 'N m')} max{where(p, 'max')}, {show('torque_sq_mean', 'N^2 m^2')} mean square sum",
        f"  steady torque     {show('torque_steady_max', 'N m')} max{where(p, 'steady_max')}, {show('torque_rms_max', 'N m')} RMS{where(p, 'rms_max')}",
        f"  work              {show('net_work', 'J')} net, {show('friction_loss', 'J')} lost to friction",
        f"  power (positive)  {show('mean_power', 'W')} mean, {show('peak_power', 'W')} peak",
        f"  cost of transport {show('cost_of_transport')}     efficiency J {show('efficiency', '1/(N m)^2')}",
    ]
    plan = {k: v for k, v in p.get("plan", {}).items() if isinstance(v, int | float) and not isinstance(v, bool)}
    lines[2:2] = [
        f"  {name.replace('_', ' '):17s} {value:.4g} {PLAN_UNITS.get(name, '')}".rstrip() + " (not judged)"
        for name, value in plan.items()
    ]
    skipped = p.get("check", {}).get("skipped")
    lines += [f"  no number is judged by a second run: {skipped}"] if skipped else []
    return lines + [f"  {w}" if w.startswith(NOTES) else f"  warning: {w}" for w in run.warnings]
