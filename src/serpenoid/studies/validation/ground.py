"""Bodies on a ground in space: sliding, rolling, sticking."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.contact import Bristle, Coulomb
from serpenoid.core import FloatArray, Friction, Ground, Start, Trajectory, World
from serpenoid.gaits import CompoundSerpenoid
from serpenoid.robots import sarrafan2012
from serpenoid.simulation.run import simulate
from serpenoid.studies.validation.comparison import ABSOLUTE, AT_MOST, Comparison, Origin

INCLINE = Origin("inclined plane", "a block slides with g (sin - mu cos)")
GAZZOLA = Origin(
    "Gazzola et al. 2018",
    "R. Soc. Open Sci. 5, 171628; closed forms as in PyElastica's examples/FrictionValidationCases",
)
CREEP = Origin(
    "MuJoCo, issue 3328",
    "a capsule pinched at 20 to 95 times its static margin slides at 155 um/s (elliptic cone, impratio 10)",
)
G = 9.81
HALF = float(np.arctan(0.25))  # rad: slope at which half of the friction 0.5 is needed
STICKING = Bristle(0.5, 0.5, static_along=0.5, static_across=0.5, stick_length_along=1e-5, stick_length_across=1e-5)


def rows(quick: bool) -> list[Comparison]:
    """All rows on a ground."""
    return [sliding(), rolling(), slipping_wheel(), slide_to_roll(), *sticking()]


def lie(law: Friction, slope: float, duration: float, bend: float = 0.0, **keys: Any) -> Trajectory:
    """A robot of round links that holds its posture on a slope; keys of the run and the start."""
    world = World(law, ground=Ground(stiffness=2e4, damping=50.0, slope=slope))
    start = Start(**{name: keys.pop(name) for name in ("heading", "velocity") if name in keys})
    settings: dict[str, Any] = {"record_interval": 0.01, "checked": False, "start": start, **keys}
    return simulate(sarrafan2012(servo=None), CompoundSerpenoid(ramp=0.0, yaw_offset=bend), world, duration, **settings)


def way(run: Trajectory) -> FloatArray:
    """Way of the centre of gravity at each frame, m."""
    com = np.asarray(run["com"])
    found: FloatArray = np.linalg.norm(com - com[0], axis=1)
    return found


def acceleration(run: Trajectory, after: float = 0.5) -> float:
    """Of the way, once the ground's springs are at rest."""
    late = run["time"] > after
    return float(2.0 * np.polyfit(run["time"][late], way(run)[late], 2)[0])


def sliding() -> Comparison:
    """Down a slope of 45 degrees, head first."""
    a = 0.25 * np.pi
    return Comparison("GND-1", INCLINE, "sliding down 45 degrees, mu = 0.5: acceleration", "m/s^2", float(G * (np.sin(a) - 0.5 * np.cos(a))),
                      acceleration(lie(Coulomb(0.5, 0.5), a, 2.0)), 2e-3, "springs of the ground swing at the start")  # fmt: skip


def rolling() -> Comparison:
    """Across a slope a straight body of round links rolls."""
    a = np.radians(10.0)
    run = lie(Coulomb(0.5, 0.5), float(a), 2.0, heading=0.5 * np.pi)
    return Comparison("GND-2", GAZZOLA, "cylinder rolls down 10 degrees without slip: acceleration 2/3 g sin", "m/s^2", float(2.0 / 3.0 * G * np.sin(a)), acceleration(run), 2e-3,
                      "springs of the ground swing at the start")  # fmt: skip


def slipping_wheel() -> Comparison:
    """On a steep slope it rolls and slips: friction is mu g cos."""
    a, mu = np.radians(50.0), 0.2
    run = lie(Coulomb(mu, mu), float(a), 1.0, heading=0.5 * np.pi, step=5e-4)
    return Comparison("GND-3", GAZZOLA, "cylinder rolls and slips down 50 degrees, mu = 0.2: acceleration g (sin - mu cos)", "m/s^2", float(G * (np.sin(a) - mu * np.cos(a))),
                      acceleration(run, 0.3), 2e-3, "springs of the ground swing at the start")  # fmt: skip


def slide_to_roll() -> Comparison:
    """A cylinder pushed sideways at 1 m/s ends rolling with two thirds of it."""
    run = lie(Coulomb(0.2, 0.2), 0.0, 1.5, velocity=(0.0, 1.0))
    late = run["time"] > 1.2
    speed = float(np.polyfit(run["time"][late], way(run)[late], 1)[0])
    return Comparison("GND-4", GAZZOLA, "cylinder pushed sideways at 1 m/s, mu = 0.2: speed when it rolls", "m/s", 2.0 / 3.0, speed, 1e-3,
                      "the smoothing of friction")  # fmt: skip


def settled_creep(run: Trajectory, begin: float = 1.0) -> float:
    """Speed of the centre of gravity from `begin` on, m/s."""
    com, time = np.asarray(run["com"]), run["time"]
    at = int(np.searchsorted(time, begin - 1e-9))
    return float(np.linalg.norm(com[-1] - com[at]) / (time[-1] - time[at]))


def sticking() -> list[Comparison]:
    """Half of the friction holds the body: it stays where it is."""
    duration = 11.0
    text = "ours must be nothing beside theirs: a nanometre per second"
    note = "Theirs is a friction that holds with a large margin; ours holds with a margin of two, on a slope of 14 degrees."
    found = [
        Comparison(f"GND-{k}", CREEP, f"body held by half of the friction, {name}: creep", "m/s", 155e-6, settled_creep(lie(law, HALF, duration, 0.4)), 1e-9, text, AT_MOST, note)
        for k, (name, law) in enumerate((("bristles", STICKING), ("Coulomb, smoothing that follows the motion", Coulomb(0.5, 0.5))), 5)
    ]  # fmt: skip
    found.append(friction_angle())
    return found


def friction_angle() -> Comparison:
    """The steepest slope that holds, by bisection: a second after the start it moves or it does not."""
    low, high = 20.0, 35.0
    while high - low > 0.02:
        middle = 0.5 * (low + high)
        slides = settled_creep(lie(STICKING, float(np.radians(middle)), 3.0)) > 1e-4
        low, high = (low, middle) if slides else (middle, high)
    return Comparison("GND-7", INCLINE, "steepest slope on which friction 0.5 holds: atan 0.5", "deg", float(np.degrees(np.arctan(0.5))), 0.5 * (low + high), 0.05,
                      "bisection to 0.02 degrees; the first swing of the ground's springs loosens what is within 0.03", ABSOLUTE)  # fmt: skip
