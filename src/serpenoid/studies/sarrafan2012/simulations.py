"""The runs of Sarrafan et al. (2012): its two gaits in every engine, what it left open, and its sidewinder against other gaits.

The paper's runs are the scenarios `sidewind` and `sidewind-rolling` with changes; frames are 32 ms apart, as in the controllers of
its Appendix II. Each function returns plain data.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from serpenoid import robots
from serpenoid.contact import Coulomb
from serpenoid.core import FloatArray, Robot, Trajectory, World
from serpenoid.core.actuator import Servo
from serpenoid.core.terrain import Ground
from serpenoid.formats.scenario import read
from serpenoid.gaits import CompoundSerpenoid, Sidewinding
from serpenoid.optimise import evaluate_all
from serpenoid.simulation import compare
from serpenoid.simulation import run as runs
from serpenoid.simulation.setup import Setup, setup_of

Progress = Callable[[float], None]

DURATION, QUICK_DURATION = 60.0, 10.0  # s: "the simulation performed for one minute"
INTERVAL = 0.032  # s, CONTROL_STEP of the appendix
OMEGA = 0.75 * np.pi  # rad/s, (3)
PHASES = {"0": 0.0, "pi/2": 90.0, "-pi/2": -90.0}  # deg, delta_0
PACKAGES = {"mujoco": "mujoco", "drake": "pydrake"}  # engine and what must be installed for it

# equations (4) and (5) with what the paper leaves out: k, d, V_cr and equal coefficients
POINT = (
    "world.ground.model=point", "world.ground.stiffness=2000.0", "world.ground.damping=10.0", "world.friction.law=threshold",
    "world.friction.static_along=0.8", "world.friction.static_across=0.8", "world.friction.critical_speed=0.01",
)  # fmt: skip


def setup(phase: str, changes: tuple[str, ...] = (), duration: float = DURATION) -> Setup:
    """One of the paper's runs with changes like "robot.radius=0.05"."""
    name = "sidewind" if phase == "0" else "sidewind-rolling"
    fixed = [f"gait.phase_offset_deg={PHASES.get(phase, phase)}", f"run.record_interval={INTERVAL}"]
    return setup_of(read(name, [*fixed, f"run.duration={duration}", *changes]))


def execute(phase: str, changes: tuple[str, ...] = (), duration: float = DURATION) -> Trajectory:
    """Run `setup` in our engine."""
    return runs.execute(setup(phase, changes, duration))


@dataclass(frozen=True)
class Engines:
    """Both gaits in all engines: figures and runs by gait; and our own runs over a whole minute."""

    duration: float  # s, of the comparison
    names: tuple[str, ...]
    missing: tuple[str, ...]  # engines that are not installed
    figures: dict[str, dict[str, dict[str, Any]]]  # gait, engine
    runs: dict[str, dict[str, Trajectory]]  # gait, engine
    own: dict[str, Trajectory]
    robot: Robot

    def of(self, phase: str, key: str, engines: tuple[str, ...] | None = None) -> FloatArray:
        """A figure of the engines, in their order."""
        return np.array([self.figures[phase][name][key] for name in engines or self.names])

    @property
    def ours(self) -> tuple[str, ...]:
        """Engines that compute with our contact law."""
        return tuple(name for name in self.names if not name.endswith("-native"))


def all_engines(quick: bool, progress: Progress) -> Engines:
    """Figs 7 to 11: both gaits, and the second one to the other side."""
    wanted = ("own", "mujoco") if quick else compare.ENGINES
    absent = {engine for engine, package in PACKAGES.items() if find_spec(package) is None}
    names = tuple(name for name in wanted if name.partition("-")[0] not in absent)
    duration = QUICK_DURATION if quick else DURATION
    figures, runs, own = {}, {}, {}
    for k, phase in enumerate(PHASES):
        own[phase] = execute(phase)
        report, found = compare.compare(
            setup(phase, duration=duration),
            list(names),
            lambda f, k=k: progress((k + f) / len(PHASES)),  # type: ignore[misc]
        )
        figures[phase] = report["engines"]
        runs[phase] = dict(zip(names, found, strict=True))
    missing = tuple(name for name in wanted if name not in names)
    return Engines(duration, names, missing, figures, runs, own, setup("0").robot)


class EngineCase(NamedTuple):
    """A variation of the base run, and its net distances by the specification's MuJoCo runs (native contacts), m."""

    name: str
    changes: tuple[str, ...]
    reference: tuple[float | None, float | None, float | None]  # delta_0 = 0, pi/2, -pi/2
    given: bool = False  # whether the paper says otherwise: then it is no gap of the paper


CASES = (
    EngineCase("base: r = 15 mm, servo 60 N m/rad", (), (7.07, 2.18, 2.18)),
    EngineCase("r = 7.5 mm", ("robot.radius=0.0075",), (None, None, None)),
    EngineCase("r = 20 mm", ("robot.radius=0.02",), (None, None, None)),
    EngineCase("r = 50 mm", ("robot.radius=0.05",), (6.80, 6.09, 7.05)),
    EngineCase("r = 150 mm, as printed", ("robot.radius=0.15",), (5.07, 18.4, 16.4)),
    EngineCase("servo 20 N m/rad", ("robot.servo.stiffness=20.0",), (6.15, 1.85, 2.21)),
    EngineCase("servo 300 N m/rad", ("robot.servo.stiffness=300.0",), (7.58, 2.12, 2.26)),
    EngineCase("no ramp", ("gait.ramp=0.0",), (6.84, 1.86, 2.21)),
    EngineCase("softer ground, 5 kN/m", ("world.ground.stiffness=5000.0",), (None, None, None)),
    EngineCase("harder ground, 80 kN/m", ("world.ground.stiffness=80000.0",), (None, None, None)),
    EngineCase("friction 0.4", ("world.friction.along=0.4", "world.friction.across=0.4"), (None, None, None), True),
    EngineCase("points, k = 500 N/m", (*POINT, "world.ground.stiffness=500.0"), (5.26, 0.037, None)),
    EngineCase("points, k = 2000 N/m", POINT, (5.74, 0.042, None)),
    EngineCase("points, k = 8000 N/m", (*POINT, "world.ground.stiffness=8000.0"), (5.98, 0.017, None)),
    EngineCase("points, V_cr = 0.1 m/s", (*POINT, "world.friction.critical_speed=0.1"), (4.59, 0.047, None)),
    EngineCase("points, mu_D = 0.6", (*POINT, "world.friction.along=0.6", "world.friction.across=0.6"), (5.84, 0.050, None)),
    EngineCase(
        "points, mu_t = mu_n / 4", (*POINT, "world.friction.along=0.2", "world.friction.static_along=0.2"), (4.45, 0.042, None)
    ),
)  # fmt: skip
IN_QUICK = (0, 1, 3, 12)

Sensitivity = dict[str, dict[str, dict[str, Any]]]


def sensitivity(quick: bool, progress: Progress) -> Sensitivity:
    """(case, gait) to metrics of our own runs of 60 s."""
    chosen = [CASES[k] for k in IN_QUICK] if quick else list(CASES)
    cells = [(case, phase) for case in chosen for phase in PHASES]
    found = evaluate_all(lambda c: dict(execute(c[1], c[0].changes).metrics), cells, progress=progress)
    result: Sensitivity = {case.name: {} for case in chosen}
    for (case, phase), metrics in zip(cells, found, strict=True):
        result[case.name][phase] = metrics
    return result


# a sidewinder with enough links: 16 by turns yaw and pitch, 1.25 waves, a quarter period between them
WINDER: dict[str, Any] = {"amplitude": 0.6, "frequency": OMEGA, "phase_per_joint": -np.radians(30.0)}
LIFT = 0.25  # of the vertical to the horizontal amplitude
AMPLITUDES = (0.4, 0.6, 0.8)  # rad
ACROSS = 0.8
DRAWS = 8  # choices of failed joints, where not all are tried


def winder(**changes: Any) -> Robot:
    """The robot with enough links: 1 m, 2 kg, links of 3 cm radius."""
    return robots.alternating(16, radius=0.03, **changes)


def sidewinding(amplitude: float = 0.6, lift: float = LIFT) -> Sidewinding:
    """Its gait, by equations (1) and (2)."""
    return Sidewinding(
        **{**WINDER, "amplitude": amplitude}, phase_offset=np.pi / 2, vertical_amplitude=lift * amplitude
    )


def undulation(amplitude: float, phase_per_joint: float = WINDER["phase_per_joint"]) -> CompoundSerpenoid:
    """Lateral undulation: the same wave of yaw, none of pitch."""
    return CompoundSerpenoid(yaw_amplitude=amplitude, yaw_spatial=phase_per_joint, yaw_temporal=OMEGA)


def on_ground(robot: Robot, gait: Any, along: float = ACROSS, duration: float = 20.0) -> Trajectory:
    """A run with the servos of the paper's robot; friction across is 0.8."""
    world = World(Coulomb(along, ACROSS, smoothing=1e-3), ground=Ground(stiffness=2e4, damping=50.0))
    return runs.simulate(robot.but(servo=Servo(60.0, 1.5)), gait, world, duration, record_interval=INTERVAL)


def loaded_slip(run: Trajectory, weight: float) -> float:
    """Way in m that the contacts slipped, each weighted by its share of the weight (N)."""
    speed = np.hypot(run["contact_velocity_along"], run["contact_velocity_across"])
    return float(np.trapezoid((run["normal_force"] * speed).sum(axis=1), run["time"]) / weight)


class Performance(NamedTuple):
    """What a gait came to."""

    speed: float  # m/s, net
    forward: float  # m/s, along the robot at the start
    slip: float  # m a metre travelled, weighted by load
    cost: float  # cost of transport
    amplitude: float = 0.0  # rad


def performance(run: Trajectory, robot: Robot, amplitude: float = 0.0) -> Performance:
    """Speed, slip and cost of a run."""
    m, time = run.metrics, float(run["time"][-1])
    far = float(m["com_distance"] or 0.0)
    slip = loaded_slip(run, robot.mass * 9.81) / max(far, 1e-9)
    return Performance(
        far / time, float(m["com_dx"] or 0.0) / time, slip, float(m["cost_of_transport"] or np.inf), amplitude
    )


Contest = dict[tuple[str, float], Performance]


def contest(quick: bool, progress: Progress) -> Contest:
    """(gait, mu along) to the performance, each gait with the amplitude that costs least there."""
    along = (0.8, 0.05) if quick else (0.8, 0.4, 0.2, 0.1, 0.05, 0.02)
    amplitudes = (0.6,) if quick else AMPLITUDES
    robot, small = winder(), robots.sarrafan2012()
    gaits: dict[str, Callable[[float], Any]] = {"sidewinding": sidewinding, "undulation": undulation}

    def of_sixteen(cell: tuple[str, float, float]) -> Performance:
        name, mu, amplitude = cell
        return performance(on_ground(robot, gaits[name](amplitude), mu), robot, amplitude)

    def of_six(cell: tuple[str, float]) -> Performance:
        name, mu = cell
        paper = {
            "6 links, 0": Sidewinding(),
            "6 links, pi/2": Sidewinding(phase_offset=np.pi / 2),
            "6 links, yaw only": undulation(np.pi / 6, Sidewinding().phase_per_joint),
        }
        return performance(on_ground(small, paper[name], mu, DURATION), small)

    cells = list(itertools.product(gaits, along, amplitudes))
    found = dict(zip(cells, evaluate_all(of_sixteen, cells, progress=lambda f: progress(0.7 * f)), strict=True))
    result = {
        (name, mu): min((found[name, mu, a] for a in amplitudes), key=lambda p: p.cost)
        for name in gaits
        for mu in along
    }
    pairs = list(itertools.product(("6 links, 0", "6 links, pi/2", "6 links, yaw only"), along))
    small_ones = evaluate_all(of_six, pairs, progress=lambda f: progress(0.7 + 0.3 * f))
    return result | dict(zip(pairs, small_ones, strict=True))


Failures = dict[tuple[str, str, int], list[float]]


def failures(quick: bool, progress: Progress) -> Failures:
    """(robot and gait, kind, failed joints) to paths in 20 s over that of the whole robot, one a choice of joints."""
    rng = np.random.default_rng(2012)
    small, gaits = robots.sarrafan2012(), {"6 links, 0": 0.0, "6 links, pi/2": np.pi / 2}
    cells: list[tuple[str, str, tuple[int, ...]]] = []
    for kind in ("locked", "limp"):
        for count in (1,) if quick else (1, 2, 3):
            chosen = list(itertools.combinations(range(1, 6), count))
            cells += [(name, kind, joints) for name in gaits for joints in chosen]
        for count in () if quick else (1, 2, 4, 6):
            draws = [rng.choice(np.arange(1, 16), count, replace=False).tolist() for _ in range(DRAWS)]
            cells += [
                ("16 links", kind, tuple(draw)) for draw in ([[j] for j in range(1, 16)] if count == 1 else draws)
            ]

    def path(cell: tuple[str, str, tuple[int, ...]]) -> float:
        name, kind, joints = cell
        failed: dict[str, Any] = {kind: joints} if kind else {}
        if name == "16 links":
            run = on_ground(winder(**failed), sidewinding())
        else:
            run = on_ground(small.but(**failed), Sidewinding(phase_offset=gaits[name]))
        return float(run.metrics["path_length"] or 0.0)

    names = sorted({name for name, _, _ in cells})
    whole = {name: path((name, "", ())) for name in names}
    result: Failures = {(name, kind, 0): [1.0] for name in names for kind in ("locked", "limp")}
    for (name, kind, joints), value in zip(cells, evaluate_all(path, cells, progress=progress), strict=True):
        result.setdefault((name, kind, len(joints)), []).append(value / whole[name])
    return result


def patches(run: Trajectory, after: float = 3.0) -> Any:
    """Number of contact patches (runs of neighbouring links that touch) in the frames after a time (s)."""
    touching = run["touching"] > 0.0
    count = touching[:, 0].astype(int) + (touching[:, 1:] & ~touching[:, :-1]).sum(axis=1)
    return count[run["time"] > after]
