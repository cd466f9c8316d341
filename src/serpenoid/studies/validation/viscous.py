"""Viscous friction: swimmers without inertia, Purcell's limits, scaling laws, resistive force theory."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import j0

from serpenoid.contact import Viscous
from serpenoid.core import FloatArray, World
from serpenoid.gaits import Sampled, Serpenoid
from serpenoid.robots import rods
from serpenoid.simulation.run import simulate
from serpenoid.studies.validation.comparison import ABSOLUTE, Comparison, Origin
from serpenoid.studies.validation.travel import extrapolated, wave_speed

HATTON = Origin(
    "Hatton and Choset 2011, 2013",
    "sysplotter's three-link swimmer at low Reynolds number, drag ratio 2, drag spread along the links",
)
PURCELL = Origin("Purcell 1977", "Life at low Reynolds number, Am. J. Phys. 45, 3-11: the scallop theorem")
LILJEBACK = Origin(
    "Liljeback et al. 2010",
    "Fundamental properties of snake robot locomotion, IROS 2010, doi 10.1109/IROS.2010.5649099",
)
GRAY = Origin("Gray and Hancock 1955", "The propulsion of sea-urchin spermatozoa, J. Exp. Biol. 32: resistive force theory; its balance in closed form for a serpenoid")  # fmt: skip
STROKES = {
    0.25: 0.00399,
    0.5: 0.01530,
    1.0: 0.05128,
}  # radius of the circle of joint angles, rad: way per cycle, body lengths
SMALL = 0.0646  # body lengths per rad^2
HALF_DIGIT = 5.1e-6  # half of the last digit of the strokes


def rows(quick: bool) -> list[Comparison]:
    """All rows of viscous friction."""
    return [*swimmer(), *reciprocal(), isotropic(), *scaling(), filament()]


def stroke(radius: float, duration: float = 1.0) -> FloatArray:
    """Way of the middle link per cycle of a circle of joint angles, along and across itself, in our engine; inertia is negligible."""
    t = np.linspace(0.0, duration, 401)
    turn = 2.0 * np.pi * t / duration - 0.25 * np.pi
    gait = Sampled(t, radius * np.stack([np.cos(turn), np.sin(turn)], 1), ends="not-a-knot")
    world = World(Viscous(along=1000.0, across=2000.0), contact_points=2)
    body = rods(3, mass=1e-3)
    run = simulate(body, gait, world, duration, step=duration / 1000, record_interval=duration / 100, checked=False)
    middle, axis = run["node"][:, 1:3, :2].mean(axis=1), run["link_axis"][0, 1, :2]
    c, s, way = axis[0], axis[1], middle[-1] - middle[0]
    return np.array([c * way[0] + s * way[1], c * way[1] - s * way[0]])


def stroke_by_balance(radius: float, ratio: float = 2.0, length: float = 1.0 / 3.0) -> float:
    """The same way by another method: forces and moment of drag vanish, solved for the middle link's velocity, by LSODA."""
    gauss, weights = np.polynomial.legendre.leggauss(3)

    def drag(velocity: FloatArray, alpha: FloatArray, rate: FloatArray) -> FloatArray:
        total = np.zeros(3)
        for side in (-1, 0, 1):
            turn = 0.0 if side == 0 else (alpha[1] if side > 0 else -alpha[0])
            spin = velocity[2] + (0.0 if side == 0 else (rate[1] if side > 0 else -rate[0]))
            axis, joint = np.array([np.cos(turn), np.sin(turn)]), np.array([0.5 * side * length, 0.0])
            at_joint = velocity[:2] + velocity[2] * np.array([-joint[1], joint[0]])
            for x, weight in zip(gauss, weights, strict=True):
                arm = 0.5 * length * (x + side) * axis
                place, speed = joint + arm, at_joint + spin * np.array([-arm[1], arm[0]])
                force = -ratio * speed - (1.0 - ratio) * (speed @ axis) * axis
                total += 0.5 * length * weight * np.array([*force, place[0] * force[1] - place[1] * force[0]])
        return total

    def flow(t: float, pose: FloatArray) -> FloatArray:
        turn = 2.0 * np.pi * t - 0.25 * np.pi
        alpha = radius * np.array([np.cos(turn), np.sin(turn)])
        rate = 2.0 * np.pi * radius * np.array([-np.sin(turn), np.cos(turn)])
        still = drag(np.zeros(3), alpha, rate)
        matrix = np.stack([drag(unit, alpha, rate) - still for unit in np.eye(3)], 1)
        u, v, spin = np.linalg.solve(matrix, -still)
        c, s = np.cos(pose[2]), np.sin(pose[2])
        return np.array([c * u - s * v, s * u + c * v, spin])

    end = solve_ivp(flow, (0.0, 1.0), np.zeros(3), method="LSODA", rtol=1e-9, atol=1e-12).y[:, -1]
    return float(np.hypot(end[0], end[1]))


def swimmer() -> list[Comparison]:
    """The published strokes, and their limit of small amplitude."""
    found = [
        Comparison(
            f"VIS-{k}", HATTON, f"three-link swimmer, way per cycle of a circle of {radius:g} rad", "body lengths", way,
            float(np.hypot(*stroke(radius))), HALF_DIGIT, "half of the last digit given", ABSOLUTE,
            f"A third method, the balance of drag solved for the middle link by LSODA, gives {stroke_by_balance(radius):.6f}.",
        )
        for k, (radius, way) in enumerate(STROKES.items(), 1)
    ]  # fmt: skip
    small = float(np.hypot(*stroke(0.05))) / 0.05**2
    found.append(
        Comparison("VIS-4", HATTON, "the same, way over the square of a small radius (0.05 rad)", "body lengths/rad^2", SMALL, small, 2e-3,
                   "half of the last digit (8e-4), and the next order at 0.05 rad, some times 0.05^2")
    )  # fmt: skip
    return found


def reciprocal() -> list[Comparison]:
    """A body with one joint does not swim; one with two swims as far at any pace."""
    t = np.linspace(0.0, 1.0, 401)
    phase = t - 0.12 * np.sin(2.0 * np.pi * t)  # it opens at another pace than it closes
    gait = Sampled(t, (0.9 * np.sin(2.0 * np.pi * phase))[:, None], ends="not-a-knot")
    world = World(Viscous(along=1000.0, across=2000.0), contact_points=2)
    run = simulate(rods(2, mass=1e-3), gait, world, 1.0, step=1e-3, record_interval=0.01, checked=False)
    com = np.asarray(run["com"])[:, :2]
    net, most = float(np.hypot(*(com[-1] - com[0]))), float(np.hypot(*(com - com[0]).T).max())
    paces = np.hypot(*np.stack([stroke(1.0, duration) for duration in (1.0, 4.0)], 1))
    return [
        Comparison("VIS-5", PURCELL, "scallop: one joint opens and closes at different paces, net way per cycle", "body lengths", 0.0, net, 1e-6,
                   "what is left of inertia: body mass over drag times period is 1e-6", ABSOLUTE, f"In between it comes as far as {most:.3f} body lengths."),
        Comparison("VIS-6", PURCELL, "pace: way of a three-link stroke done four times as slowly over that of the fast one", "", 1.0,
                   float(paces[1] / paces[0]), 1e-5, "inertia as above; the step is 1/1000 of the stroke in both"),
    ]  # fmt: skip


def isotropic() -> Comparison:
    """Equal drag in all directions does not propel."""
    gait, world = Serpenoid(0.8, 2.0, speed=1.0), World(Viscous(5.0, 5.0))
    run = simulate(rods(20), gait, world, 4.0, step=1e-3, checked=False)
    return Comparison("VIS-7", LILJEBACK, "equal viscous friction along and across: way of a creeping robot in 8 periods", "body lengths", 0.0,
                      float(run.metrics["com_distance"] or 0.0), 1e-9, "rounding: the centre of gravity begins at rest and no force can move it", ABSOLUTE)  # fmt: skip


def scaling() -> list[Comparison]:
    """Speed goes with the square of a small amplitude, and with the frequency."""

    def speed(winding: float, pace: float) -> float:
        gait, world = Serpenoid(winding, 1.0, speed=pace), World(Viscous(0.5, 5.0))
        run = simulate(rods(20), gait, world, 6.0 / pace, step=2e-3 / pace, checked=False)
        return float(run.metrics["steady_speed"] or 0.0)

    small, large, slow = speed(0.01, 1.0), speed(0.02, 1.0), speed(0.01, 0.5)
    return [
        Comparison("VIS-8", LILJEBACK, "viscous friction: exponent of the speed over small amplitudes (0.01 and 0.02 rad)", "", 2.0,
                   float(np.log2(large / small)), 5e-3, "the next order, some times 0.02^2", ABSOLUTE),
        Comparison("VIS-9", LILJEBACK, "viscous friction: exponent of the speed over the frequency (halved)", "", 1.0,
                   float(np.log2(small / slow)), 5e-3, "inertia at the higher pace", ABSOLUTE),
    ]  # fmt: skip


def infinite_filament(winding: float, ratio: float) -> float:
    """Speed over that of the wave along an infinite serpenoid body with drag ratio `ratio`, by the balance along its axis."""
    straight, square = float(j0(winding)), 0.5 * (1.0 + float(j0(2.0 * winding)))
    return straight * (1.0 - 1.0 / (square + ratio * (1.0 - square)))


def filament() -> Comparison:
    """Bodies of 8 and 16 waves, 20 and 40 links each, extrapolated to infinitely many of both."""
    world = World(Viscous(1.0, 2.0))
    limits = [extrapolated(*(wave_speed(0.6, waves, per, world, mass=1e-6) for per in (20, 40))) for waves in (8, 16)]
    return Comparison("VIS-10", GRAY, "long serpenoid filament, drag ratio 2, winding angle 0.6 rad: speed over that of the wave", "",
                      infinite_filament(0.6, 2.0), extrapolated(*limits), 1e-3, "bodies of 8 and 16 waves, extrapolated; orders beyond the second are left")  # fmt: skip
