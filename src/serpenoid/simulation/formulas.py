"""How each metric is computed, from what a run recorded and added up; what it means is said in `metrics`.

`Measured` is all metrics of a run as a mapping in which each one is computed when it is asked for. A trajectory asks for all of them, a cell
of a batch for those that are wanted: by the very same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from serpenoid.contact.apart import cannot_meet
from serpenoid.contact.crossings import SelfCrossing, self_crossing
from serpenoid.contact.springs import sag_of
from serpenoid.core import FloatArray, Variable
from serpenoid.core.once import once
from serpenoid.simulation.loads import (
    LINE,
    Loads,
    Worst,
    dof_of,
    lines_of,
    loads_of,
    motor_named,
)
from serpenoid.simulation.setup import Setup
from serpenoid.simulation.steady import FRAMES_PER_PERIOD, Covered, Steady, covered_in, steady_motion

REFERENCE_STEP = 1e-3  # s, dt_ref of equation (13) of Ma, Li and Wang (2001); it only scales the efficiency
MOVED = 1e-7  # of the body length: a displacement below it measures rounding
SLIP_FLOOR = 1e-9  # m per link: below it the efficiency would measure rounding
LOSSES = (
    "friction_loss",
    "damping_loss",
    "stop_loss",
    "ground_loss",
    "self_contact_loss",
    "scheme_loss",
)  # of the account
NOT_GIVEN = "the engine does not give it"
NO_TORQUE = "the robot has no joints, or their torques are not known"


class Measured(Mapping[str, float | None]):
    """The metrics of a run by name, None where one does not apply; `crossing`, `turned`: see `self_crossing`, `turned_over`."""

    def __init__(self, setup: Setup, variables: Mapping[str, Variable], sums: Mapping[str, float], time: float) -> None:
        self.setup, self.variables, self.sums, self.time = setup, variables, sums, time
        self.finite = False  # of a run that diverged: what is not finite is None
        self._raw: dict[str, float | None] = {}

    def raw(self, name: str) -> float | None:
        """The value of the formula; NaN where the engine does not give what it needs."""
        if name not in self._raw:
            formula = formula_of(name)
            if formula is None:
                raise KeyError(name)
            self._raw[name] = formula(self)
        return self._raw[name]

    def __getitem__(self, name: str) -> float | None:
        value = self.raw(name)
        return None if value is None or value != value or (self.finite and not isfinite(value)) else value

    def __iter__(self) -> Iterator[str]:
        return iter(FORMULAS)

    def __len__(self) -> int:
        return len(FORMULAS)

    def reasons(self) -> dict[str, str]:
        """Why those that are None do not apply."""
        flat = "roll" not in self.variables
        known = {
            "steady_speed": self.steady.why,
            "steady_forward_speed": self.steady.why,
            "efficiency": "it moved or slipped less than can be told from rounding, or without torque",
            "cost_of_transport": "it did not move, or there is no gravity",
            "travel_direction": "it did not move",
            "torque_steady_max": NO_TORQUE,
            "torque_rms_max": NO_TORQUE,
            LINE: "no servo of the robot has a torque-speed line (no_load_speed)",
            "penetration": "in the plane nothing is pressed in",
            "ground_sag": "there is no ground in three dimensions",
            "roll_angle": "in the plane nothing rolls" if flat else "shorter than one period",
            "roll_rate_mean": "in the plane nothing rolls" if flat else "fewer than three whole periods",
        }
        values = {name: self.raw(name) for name in self}
        without = {name: known[name] for name in known if values[name] is None}
        return {
            **without,
            **{name: NOT_GIVEN for name, value in values.items() if value is not None and value != value},
        }

    def data(self, name: str) -> FloatArray:
        """A recorded variable."""
        return self.variables[name].data

    # what several of them need

    @once
    def period(self) -> float | None:
        """Period of the gait, s."""
        gait: Any = self.setup.gait
        return gait.period(self.setup.robot) if gait is not None else None

    @once
    def moved(self) -> tuple[float, float, float]:
        """Displacement of the centre of gravity, m."""
        com = self.data("com")
        dx, dy, dz = (com[-1] - com[0]).tolist()
        return dx, dy, dz

    @once
    def distance(self) -> float:
        """Its length in the level, m."""
        return float(np.hypot(self.moved[0], self.moved[1]))

    @property
    def went(self) -> bool:
        """Whether it moved by more than rounding."""
        return self.distance > MOVED * self.setup.robot.length

    @once
    def ends(self) -> FloatArray:
        """Places of tail's end, joints and head's tip in the first and the last frame, (2, n + 1, 3)."""
        frames: Any = getattr(self.variables, "frames", None)
        return frames.ends() if hasattr(frames, "ends") else self.data("node")[[0, -1]]

    @once
    def motion(self) -> Steady:
        """When the run is in steady motion."""
        return steady_motion(self.setup, float(self.data("time")[-1]))

    @once
    def steady(self) -> Covered:
        """What was covered in the last whole periods of the steady gait."""
        return covered_in(self.variables, self.motion)

    @once
    def loads(self) -> Loads:
        """What is asked of the joints in steady motion."""
        return loads_of(self.variables, self.motion)

    @once
    def top(self) -> Worst:
        """The greatest torque of any step."""
        sums = self.sums
        planar = "roll" not in self.variables
        return Worst(sums["torque_max"], dof_of(self.setup, planar, sums["torque_max_joint"]), sums["torque_max_time"])

    def torques(self) -> dict[str, Any]:
        """Which joints have the greatest torques, and when (s); empty where there are none."""
        if not (self.sums["torque_max"] > 0.0 and self.loads.some):
            return {}
        axes = self.setup.robot.axes
        mixed = len({kind for _, kind in axes}) > 1
        named = {"max": self.top, "steady_max": self.loads.peak(), "rms_max": self.loads.warmest()}
        found: dict[str, Any] = {}
        for name, worst in named.items():
            joint, kind = axes[worst.dof]
            found[name] = {"joint": joint, "dof": worst.dof, **({"kind": kind} if mixed else {})}
        for name in ("max", "steady_max"):
            found[name]["time"] = named[name].time
        return {**found, "from": self.motion.first, "until": self.motion.end}

    @once
    def rolling(self) -> tuple[float | None, float | None]:
        """Roll angle and rate of a run in space."""
        return rolled(self.variables, self.period)

    @once
    def slip(self) -> float:
        """Slip across the edges per link, m."""
        return float(self.sums["slip_across"] / self.setup.robot.links)

    @once
    def torque_sq(self) -> float:
        """Mean square sum of the torques."""
        return self.per_time("torque_sq")

    def per_time(self, name: str) -> float:
        """A sum over the time simulated."""
        return self.sums[name] / self.time if self.time > 0.0 else 0.0

    def grown(self, name: str) -> float:
        """What an energy has become more by."""
        return self.sums[name] - self.sums[f"{name}_start"]

    @once
    def crossing(self) -> SelfCrossing:
        """Whether the body passed through itself, by the recorded frames."""
        frames: Any = getattr(self.variables, "frames", None)
        if hasattr(frames, "headings") and cannot_meet(self.setup.robot, frames.headings()):
            return SelfCrossing(0.0)
        time, node = self.data("time"), self.data("node")
        flat = bool(np.all(node[..., 2] == 0.0))  # in the plane axes can cross
        return self_crossing(self.setup.robot, time, node, flat)

    @once
    def turned(self) -> float:
        """Energy turned over, J."""
        return turned_over(self.variables)

    @once
    def kinetic_max(self) -> float:
        """Greatest kinetic energy of a frame, J; NaN where one is not a number."""
        return float(self.data("kinetic_energy").max())

    def heading_at(self, frames: Any) -> FloatArray:
        """Direction of the mean link axis in some frames, rad."""
        found: Any = getattr(self.variables, "frames", None)
        return found.heading_at(frames) if hasattr(found, "heading_at") else self.data("heading")[frames]


def at_periods(time: FloatArray, values: FloatArray, period: float | None) -> tuple[FloatArray, FloatArray]:
    """Whole multiples of the period within the run, and the values there, linear between frames."""
    count = int(np.floor(time[-1] / period * (1.0 + 1e-9))) if period else 0
    instants = np.minimum(np.arange(count + 1) * (period or 0.0), time[-1])
    columns = values.reshape(len(time), -1)
    found = np.stack([np.interp(instants, time, column) for column in columns.T], axis=-1)
    return instants, found.reshape((len(instants), *values.shape[1:]))


def path_length(time: FloatArray, com: FloatArray, period: float | None) -> float:
    """Displacements of the centre of gravity (f, 2) over whole periods, summed, plus the rest."""
    _, places = at_periods(time, com, period)
    legs = np.linalg.norm(np.diff(places, axis=0), axis=1).sum()
    return float(legs + np.linalg.norm(com[-1] - places[-1]))


def rolled(variables: Mapping[str, Variable], period: float | None) -> tuple[float | None, float | None]:
    """Roll angle and rate of a run in space; None in the plane, and where the run is too short."""
    if "roll" not in variables:
        return None, None
    time, roll = variables["time"].data, variables["roll"].data
    after = time >= (period or np.inf)
    instants, found = at_periods(time, roll, period)
    return (
        float(roll[after].mean()) if after.any() else None,
        float(np.polyfit(instants[1:], found[1:], 1)[0]) if len(instants) >= 4 else None,
    )


def _steady_speed(m: Measured) -> float | None:
    """Speed over these periods."""
    return None if m.steady.moved is None else float(np.hypot(*m.steady.moved) / m.steady.lasted)


def _steady_forward_speed(m: Measured) -> float | None:
    """The same, signed by the mean heading of FRAMES_PER_PERIOD frames or more per period."""
    (first, end, _, moved, _), speed, time = m.steady, m.raw("steady_speed"), m.data("time")
    if speed is None or moved is None or m.period is None:
        return None
    every = max(1, int(m.period / (time[1] - time[0]) / FRAMES_PER_PERIOD))
    inside = m.heading_at(np.flatnonzero((time >= first) & (time <= end))[::every])
    ahead = moved[0] * np.cos(inside).mean() + moved[1] * np.sin(inside).mean()
    return float(np.copysign(speed, ahead))


def residual_of(values: Mapping[str, float | None]) -> float | None:
    """Energy missing from the account, J; None where a part of it is not known."""
    parts = [values[name] for name in ("net_work", *LOSSES, "kinetic_energy_change", "potential_energy_change")]
    known = [part for part in parts if part is not None]
    return None if len(known) < len(parts) else float(known[0] - sum(known[1:]))


def turned_over(variables: Mapping[str, Variable]) -> float:
    """Energy turned over in a run, J: the greatest of positive work, friction, and the ranges of kinetic and potential energy."""
    columns = [
        variables[name].data for name in ("kinetic_energy", "potential_energy", "positive_work", "friction_loss")
    ]
    spans = [float(column.max() - column.min()) for column in columns]
    return max((span for span in spans if isfinite(span)), default=0.0)


def _line(m: Measured) -> float | None:
    lines = lines_of(m.setup)
    return m.loads.use(*lines) if lines is not None and m.loads.some else None


def _line_of(stall: float, free: float) -> Callable[[Measured], float | None]:
    return lambda m: m.loads.use(stall, free) if m.loads.some else None


def formula_of(name: str) -> Callable[[Measured], float | None] | None:
    """The formula of a metric, of one that names its motor too; None for those of users."""
    motor = motor_named(name)
    return FORMULAS.get(name) if motor is None else _line_of(*motor)


def _forward(m: Measured) -> float:
    heading = m.setup.start.heading
    return float(m.moved[0] * np.cos(heading) + m.moved[1] * np.sin(heading))


def _efficiency(m: Measured) -> float | None:
    links, time = m.setup.robot.links, m.time
    effort = m.torque_sq * links / time * m.slip * REFERENCE_STEP if time > 0.0 else 0.0
    return m.distance / effort if m.slip > SLIP_FLOOR and effort > 0.0 and m.went else None


def _cost_of_transport(m: Measured) -> float | None:
    weight = m.setup.robot.mass * m.setup.world.gravity
    return m.sums["positive_work"] / (weight * m.distance) if weight > 0.0 and m.went else None


def _contact_count(m: Measured) -> float:
    if "roll" not in m.variables:  # in the plane every contact carries its weight all the time
        return float(m.data("contact_count").mean())
    return m.per_time("contacts")


def _normal_force(m: Measured) -> float:
    return float(m.data("normal_force").max()) if "roll" not in m.variables else m.sums["normal_max"]


def _sag(m: Measured) -> float | None:
    stiffness, world = m.sums.get("ground_stiffness"), m.setup.world
    if not (m.setup.spatial and stiffness):
        return None
    return sag_of(
        m.setup.robot, replace(world, ground=world.floor), stiffness
    )  # under walls the ground need not be named


def _angle_max(m: Measured) -> float:
    return max(m.sums["angle_max"], float(np.abs(m.data("joint_angle")).max(initial=0.0)))


def _residual(m: Measured) -> float | None:
    return residual_of({name: m.raw(name) for name in ("net_work", *LOSSES, "kinetic_energy_change", "potential_energy_change")})  # fmt: skip


def _summed(name: str) -> Callable[[Measured], float]:
    return lambda m: m.sums[name]


FORMULAS: dict[str, Callable[[Measured], float | None]] = {
    "com_distance": lambda m: m.distance,
    "com_dx": lambda m: m.moved[0],
    "com_dy": lambda m: m.moved[1],
    "com_dz": lambda m: m.moved[2],
    "com_forward": _forward,
    "path_length": lambda m: path_length(m.data("time"), m.data("com")[:, :2], m.period),
    "travel_direction": lambda m: float(np.arctan2(m.moved[1], m.moved[0])) if m.went else None,
    "heading": lambda m: float(m.heading_at([-1])[0]),
    "head_distance": lambda m: float(np.linalg.norm(m.ends[1, -1] - m.ends[0, -1])),
    "tail_distance": lambda m: float(np.linalg.norm(m.ends[1, 0] - m.ends[0, 0])),
    "steady_speed": _steady_speed,
    "steady_forward_speed": _steady_forward_speed,
    "roll_angle": lambda m: m.rolling[0],
    "roll_rate_mean": lambda m: m.rolling[1],
    "slip_per_link": lambda m: m.slip,
    "slip_along_per_link": lambda m: m.sums["slip_along"] / m.setup.robot.links,
    "torque_sq_mean": lambda m: m.torque_sq,
    "torque_max": _summed("torque_max"),
    "torque_steady_max": lambda m: m.loads.peak().value if m.loads.some else None,
    "torque_rms_max": lambda m: m.loads.warmest().value if m.loads.some else None,
    LINE: _line,
    "joint_angle_max": _angle_max,
    "joint_rate_max": lambda m: float(np.abs(m.data("joint_rate")).max(initial=0.0)),
    "efficiency": _efficiency,
    "net_work": _summed("net_work"),
    "positive_work": _summed("positive_work"),
    "friction_loss": _summed("friction_loss"),
    "damping_loss": _summed("damping_loss"),
    "stop_loss": _summed("stop_loss"),
    "ground_loss": _summed("ground_loss"),
    "scheme_loss": _summed("scheme_loss"),
    "kinetic_energy_change": lambda m: m.grown("kinetic"),
    "potential_energy_change": lambda m: m.grown("potential"),
    "stored_energy": _summed("stored"),
    "energy_residual": _residual,
    "mean_power": lambda m: m.per_time("positive_work"),
    "peak_power": _summed("peak_power"),
    "cost_of_transport": _cost_of_transport,
    "contact_count_mean": _contact_count,
    "penetration": lambda m: m.sums["penetration_max"] if m.setup.spatial else None,
    "ground_sag": _sag,
    "normal_force_max": _normal_force,
    "self_overlap": lambda m: m.crossing.overlap,
    "self_contact_loss": _summed("self_loss"),
    "self_contact_energy": _summed("self_stored"),
    "self_contact_force_max": _summed("self_force_max"),
    "moment_residual": _summed("residual_max"),
}
