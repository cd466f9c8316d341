"""The metrics of a run, and what is said beside them; how each is computed stands in `judgement`, what it means in `metrics`.

`Measured` is all metrics of a run as a mapping: what the run recorded and added up is put into a ledger, and one kernel measures it when the first
metric is asked for. A trajectory asks for all of them, a cell of a batch for those that are wanted, the page for those that it shows: the same kernel.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from serpenoid.compiled import entry
from serpenoid.contact.apart import cannot_meet
from serpenoid.contact.crossings import SelfCrossing, self_crossing
from serpenoid.contact.springs import bearing_points
from serpenoid.contact.sums import SLOTS, totals
from serpenoid.core import FloatArray, Robot, Variable
from serpenoid.core.finding import Finding, is_whole, names_in
from serpenoid.core.once import Same, once
from serpenoid.judgement import energy, ledger, pace, travel
from serpenoid.judgement.findings import FINDINGS, find
from serpenoid.judgement.ledger import ABSENT, Ledger
from serpenoid.judgement.metrics import METRICS, measure
from serpenoid.simulation.facts import inside, number_at, numbers_at
from serpenoid.simulation.loads import Loads, Worst, dof_of, loads_of, motor_named
from serpenoid.simulation.resolution import shortest_period
from serpenoid.simulation.setup import Setup
from serpenoid.simulation.steady import Clock, Steady, clock_of, steady_motion

NOT_GIVEN = "the engine does not give it"
_PLACES = {name: k for k, name in enumerate(METRICS)}
_SLOTS = {int(slot): name for name, slot in totals(np.arange(float(SLOTS))).items()}
_SUMS = tuple(_SLOTS.get(slot, "") for slot in range(SLOTS))  # names by slot
_COLUMNS = [path.partition(".") for path in ledger.FRAME_PATHS]


_CODES, _NONE = tuple(FINDINGS), np.zeros(0)


def _finding(code: str, values: list[float]) -> Finding:
    """A finding from its row of numbers."""
    text = FINDINGS[code].text
    named = zip(names_in(text), values, strict=False)
    return Finding(code, **{name: int(x) if is_whole(text, name) and isfinite(x) else x for name, x in named})


@functools.lru_cache(maxsize=64)
def _tables(described: Same) -> tuple[FloatArray, FloatArray]:
    """Numbers of a robot's links and of its degrees of freedom."""
    robot: Robot = described.items[0]
    links = np.array([inside(robot, path) for path in ledger.LINK_PATHS], dtype=float)
    limits = np.broadcast_to(robot.joint_limit, robot.links - 1)
    axes = [
        {"joint": joint, "kind": kind, "limit": limits[joint - 1], "servo": robot.servos[joint - 1]}
        for joint, kind in robot.axes
    ]
    dofs = np.array([[number_at(axis, path) for axis in axes] for path in ledger.DOF_PATHS])
    dofs = dofs.reshape(len(ledger.DOF_PATHS), len(axes))
    return links, dofs


def knows(name: str) -> bool:
    """Whether a metric is one of serpenoid's own, those that name their motor too."""
    return name in _PLACES or motor_named(name) is not None


class Measured(Mapping[str, float | None]):
    """The metrics of a run by name, None where one does not apply; `crossing`, `turned`: see `self_crossing`, `turned_over`."""

    def __init__(
        self, setup: Setup, variables: Mapping[str, Variable], sums: Mapping[str, float], time: float, crossing: SelfCrossing | None = None,
        engine: Any = None,
    ) -> None:  # fmt: skip
        self.setup, self.variables, self.sums, self.time, self.engine = setup, variables, sums, time, engine
        self.finite = False  # of a run that diverged: what is not finite is None
        if crossing is not None:
            self.crossing = crossing

    def raw(self, name: str) -> float | None:
        """The value of the formula; NaN where the engine does not give what it needs."""
        place = _PLACES.get(name)
        if place is not None:
            value = self._values[place]
            return None if value == ABSENT else value
        motor = motor_named(name)
        if motor is None:
            raise KeyError(name)
        return self.loads.use(*motor) if self.loads.some else None

    def __getitem__(self, name: str) -> float | None:
        value = self.raw(name)
        return None if value is None or value != value or (self.finite and not isfinite(value)) else value

    def __iter__(self) -> Iterator[str]:
        return iter(METRICS)

    def __len__(self) -> int:
        return len(METRICS)

    def reasons(self) -> dict[str, str]:
        """Why those that are None do not apply."""
        flat, known = self.flat, {name: metric.absent for name, metric in METRICS.items()}
        known["steady_speed"] = known["steady_forward_speed"] = self.motion.why or (
            f"under {pace.FRAMES_PER_PERIOD} frames per period; use a shorter record_interval"
        )
        known["roll_angle"] = "in the plane nothing rolls" if flat else "shorter than one period"
        known["roll_rate_mean"] = "in the plane nothing rolls" if flat else "fewer than three whole periods"
        values = {name: self.raw(name) for name in self}
        without = {name: text for name, text in known.items() if text and values[name] is None}
        return {
            **without,
            **{name: NOT_GIVEN for name, value in values.items() if value is not None and value != value},
        }

    def data(self, name: str) -> FloatArray:
        """A recorded variable."""
        return self.variables[name].data

    # what they are computed of

    @once
    def flat(self) -> bool:
        """Whether it ran in the plane."""
        return "roll" not in self.variables

    @once
    def clock(self) -> Clock:
        """What the gait says of its time."""
        return clock_of(self.setup)

    @once
    def ledger(self) -> Ledger:
        """What is known of the run, and all that is made of it."""
        made = self._filled()
        entry(pace.prepare, made)(made)
        self._look(made)
        entry(measure, made)(made)
        return made

    @once
    def _values(self) -> list[float]:
        return self.ledger.metrics.tolist()

    def _filled(self) -> Ledger:
        """The ledger before it is measured."""
        links, dofs = _tables(Same(self.setup.robot))
        row = np.array([self.sums.get(name, math.nan) for name in _SUMS])
        frames = np.empty((len(_COLUMNS), len(self.data("time"))))
        for k, (name, _, place) in enumerate(_COLUMNS):
            if name == "heading":  # filled in where it is looked at
                frames[k] = math.nan
            elif name in self.variables:
                frames[k] = self.data(name)[:, int(place)] if place else self.data(name)
            else:
                frames[k] = 0.0
        names = ("joint_angle", "joint_rate", "joint_torque", "normal_force")
        angle, rate, torque, press = (np.ascontiguousarray(self.data(name), dtype=float) for name in names)
        gait: Any = self.setup.gait if getattr(self.setup.gait, "NAME", "") == "sampled" else None
        times, samples = (_NONE, np.zeros((0, 0))) if gait is None else (gait.times, gait.values)
        return Ledger(
            self.facts, row, links, dofs, frames, angle, rate, torque, press, self.nodes, np.zeros(ledger.PARTS), np.array(times, dtype=float),
            np.array(samples, dtype=float), np.zeros(len(METRICS)), np.zeros((len(_CODES), ledger.WIDTH)),
        )  # fmt: skip

    @once
    def facts(self) -> FloatArray:
        """Numbers of the description and of the engine, by `ledger.FACT_PATHS`."""
        setup, stiffness, engine = self.setup, self.sums.get("ground_stiffness"), self.engine
        bearing = None
        if setup.spatial and stiffness:  # under walls the ground need not be named
            bearing = bearing_points(setup.robot, replace(setup.world, ground=setup.world.floor))
        told = {"time": self.time, "flat": self.flat, "ground_stiffness": stiffness, "bearing_points": bearing}
        clock = self.clock._asdict()
        if engine is not None:
            told |= {"step": engine.dt, "done": engine.done, "planar": engine.NAME == "planar", "ideal": engine.ideal}
            clock["shortest"] = shortest_period(setup)
        roots = {
            "robot": setup.robot, "world": setup.world, "start": setup.start, "settings": setup.settings, "gait": setup.gait, "drive": setup.drive,
            "command": setup.command, "spatial": setup.spatial, "clock": clock, "engine": told, "crossing": self.crossing,
        }  # fmt: skip
        return numbers_at(roots, ledger.FACT_PATHS)

    @once
    def findings(self) -> dict[str, Finding]:
        """What is found in the run, by code."""
        entry(find, self.ledger)(self.ledger)
        rows = self.ledger.findings
        return {_CODES[k]: _finding(_CODES[k], rows[k, 1:].tolist()) for k in np.flatnonzero(rows[:, 0])}

    @once
    def nodes(self) -> FloatArray:
        """Places of tail's end, joints and head's tip (k, n + 1, 3), in the first and the last frame; in all if an obstacle was passed."""
        if self.sums.get("crossed", 0.0) > 0.0:
            return np.ascontiguousarray(self.data("node"), dtype=float)
        frames: Any = getattr(self.variables, "frames", None)
        return frames.ends() if hasattr(frames, "ends") else np.array(self.data("node")[[0, -1]], dtype=float)

    def _look(self, made: Ledger) -> None:
        """Fill in the headings of the frames that are looked at, and of the last one."""
        begin, end, every = (int(made.parts[k]) for k in (ledger.LOOK_FROM, ledger.LOOK_END, ledger.LOOK_EVERY))
        last = made.frames.shape[1] - 1
        chosen = np.append(np.arange(begin, end, every), last) if begin < end else np.array([last])
        frames: Any = getattr(self.variables, "frames", None)
        found = frames.heading_at(chosen) if hasattr(frames, "heading_at") else self.data("heading")[chosen]
        made.frames[ledger.HEADING, chosen] = found

    # what stands beside them

    @once
    def motion(self) -> Steady:
        """When the run is in steady motion."""
        return steady_motion(self.setup, float(self.data("time")[-1]))

    @once
    def loads(self) -> Loads:
        """What is asked of the joints in steady motion."""
        return loads_of(self.variables, self.motion)

    @once
    def top(self) -> Worst:
        """The greatest torque of any step."""
        sums = self.sums
        return Worst(
            sums["torque_max"], dof_of(self.setup, self.flat, sums["torque_max_joint"]), sums["torque_max_time"]
        )

    def torques(self) -> dict[str, Any]:
        """Which joints have the greatest torques, and when (s); empty where there are none."""
        steady, warmest = self.raw("torque_steady_max"), self.raw("torque_rms_max")
        if steady is None or warmest is None or not self.sums["torque_max"] > 0.0:
            return {}
        axes, parts = self.setup.robot.axes, self.ledger.parts
        mixed = len({kind for _, kind in axes}) > 1
        named = {
            "max": self.top,
            "steady_max": Worst(steady, int(parts[ledger.PEAK_DOF]), float(parts[ledger.PEAK_TIME])),
            "rms_max": Worst(warmest, int(parts[ledger.WARM_DOF]), math.nan),
        }
        found: dict[str, Any] = {}
        for name, worst in named.items():
            joint, kind = axes[worst.dof]
            found[name] = {"joint": joint, "dof": worst.dof, **({"kind": kind} if mixed else {})}
        for name in ("max", "steady_max"):
            found[name]["time"] = named[name].time
        return {**found, "from": self.motion.first, "until": self.motion.end}

    @once
    def crossing(self) -> SelfCrossing:
        """Whether the body passed through itself, by the recorded frames."""
        frames: Any = getattr(self.variables, "frames", None)
        if hasattr(frames, "headings") and cannot_meet(self.setup.robot, frames.headings()):
            return SelfCrossing(0.0)
        time, node = self.data("time"), self.data("node")
        flat = bool(np.all(node[..., 2] == 0.0))  # in the plane axes can cross
        return self_crossing(self.setup.robot, time, node, flat)

    @property
    def turned(self) -> float:
        """Energy turned over, J."""
        return float(self.ledger.parts[ledger.TURNED])

    @property
    def kinetic_max(self) -> float:
        """Greatest kinetic energy of a frame, J; NaN where one is not a number."""
        return float(self.ledger.parts[ledger.KINETIC_MAX])


def path_length(time: FloatArray, com: FloatArray, period: float | None) -> float:
    """Displacements of the centre of gravity (f, 2) over whole periods, summed, plus the rest."""
    x, y = (np.ascontiguousarray(com[:, k], dtype=float) for k in (0, 1))
    return float(travel.path_length(time, x, y, math.nan if period is None else period))


def turned_over(variables: Mapping[str, Variable]) -> float:
    """Energy turned over in a run, J: the greatest of positive work, friction, and the ranges of kinetic and potential energy."""
    names = ("kinetic_energy", "potential_energy", "positive_work", "friction_loss")
    return float(energy.turned_over(*(np.ascontiguousarray(variables[name].data, dtype=float) for name in names)))
