"""Dry friction in the plane: continuum models, optima, snakes, stopping and spinning down."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import BSpline
from scipy.optimize import brentq, minimize_scalar
from scipy.special import j0

from serpenoid.contact import Coulomb, LiftedBends, UnitSlip
from serpenoid.core import FloatArray, Start, World
from serpenoid.core.actuator import Servo
from serpenoid.gaits import Sampled, Serpenoid
from serpenoid.robots import rods
from serpenoid.simulation.run import simulate
from serpenoid.studies.validation.comparison import ABSOLUTE, AT_LEAST, Comparison, Origin
from serpenoid.studies.validation.travel import extrapolated, mean_speed, moved, wave_speed

KINEMATIC = Origin("kinematic_snake 1.0.0", "github tp5uiuc/kinematic_snake (Zhang et al. 2021), run with rtol 1e-5: Fr = 0.1, mu = (1, 1.5, 2), curvature eps cos 2 pi (s + t)")  # fmt: skip
MUJOCO = Origin(
    "MuJoCo", "run with the unit-slip law as an external force: planar root, stiff servos, 40 links, eps = 7"
)
ELASTICA = Origin(
    "PyElastica",
    "examples/ContinuumSnakeCase: elastic rod, 50 elements, muscle torques as a wave, Fr = 0.1, mu = (1, 1.5, 2); run",
)
HIROSE = Origin(
    "Hirose 1993",
    "Biologically inspired robots: the serpenoid curve; without side slip a body advances by J_0 of the winding angle",
)
ALBEN = Origin(
    "Alben 2013", "Optimizing snake locomotion in the plane, Proc. R. Soc. A 469, 20130236; arXiv 1304.4479, 1304.4485"
)
QUADRATURE = Origin(
    "quadrature of Alben's model",
    "unit-slip friction on one wave of an infinite body, balanced along its axis: `infinite_cost`",
)
BADRAN = Origin(
    "Badran et al. 2021",
    "IIUM Engineering Journal 22(2), doi 10.31436/iiumej.v22i2.1691, abstract: eight links, optimum by experiment",
)
HU = Origin("Hu et al. 2009", "The mechanics of slithering locomotion, PNAS 106, 10081, abstract")
TEXTBOOK = Origin("closed forms of mechanics", "rigid bodies under Coulomb friction")
SPEEDS = {
    3: 0.03662,
    5: 0.10096,
    7: 0.15942,
    9: 0.18003,
    11: 0.14693,
}  # curvature amplitude eps: body lengths per period
RATIO = UnitSlip(1.0, 2.0, 1.5)  # forward, across, backward
FROUDE_G = 10.0  # m/s^2: Fr = L / (T^2 mu g) = 0.1 with L = 1 m, T = 1 s, mu = 1
QUASISTATIC_G = 1000.0  # m/s^2: inertia is negligible
STEEP = (100.0, 300.0, 1000.0)  # friction across over along


def rows(quick: bool) -> list[Comparison]:
    """All rows of dry friction."""
    links = 100 if quick else 200
    return [
        *continuum(links),
        in_mujoco(),
        elastic(quick),
        no_side_slip(),
        *optimal_amplitude(),
        winding_angle(),
        *snakes(),
        *stopping(),
    ]


def steady_speed(links: int, eps: float, law: UnitSlip) -> float:
    """Speed of a chain of rods in the kinematic gait, body lengths per period."""
    gait = Serpenoid(eps / (2.0 * np.pi), 1.0, speed=1.0)
    run = simulate(rods(links), gait, World(law, gravity=FROUDE_G), 6.0, step=2e-3, checked=False)
    return float(run.metrics["steady_speed"] or 0.0)


def continuum(links: int) -> list[Comparison]:
    """Speeds of the continuum model by chains of many links."""
    found = [
        Comparison(f"DRY-{k}", KINEMATIC, f"speed at curvature amplitude {eps}", "body lengths/period", speed, steady_speed(links, eps, RATIO), 5e-3,
                   f"{links} links for a continuum, and its tolerance of 1e-5 per step")
        for k, (eps, speed) in enumerate(SPEEDS.items(), 1)
    ]  # fmt: skip
    run = simulate(rods(links), Serpenoid(7 / (2 * np.pi), 1.0, speed=1.0), World(UnitSlip(1.0, 1.0), gravity=FROUDE_G), 6.0, step=2e-3, checked=False)  # fmt: skip
    backward = -np.sign(moved(run, 3.0, 6.0)[0]) * mean_speed(run, 3.0, 6.0)
    found.append(Comparison("DRY-6", KINEMATIC, "the same without anisotropy, amplitude 7: speed, backward", "body lengths/period", 0.009, float(backward), 5e-4,
                            "half of the last digit given", ABSOLUTE))  # fmt: skip
    return found


def in_mujoco() -> Comparison:
    """The chain that was run in MuJoCo: joint angles are the curvature at the joint over the number of links."""
    n, t = 40, np.linspace(0.0, 6.0, 601)
    angles = 7.0 / n * np.cos(2.0 * np.pi * (np.arange(1, n) / n + t[:, None]))
    run = simulate(rods(n), Sampled(t, angles), World(RATIO, gravity=FROUDE_G), 6.0, step=2e-3, checked=False)
    return Comparison("DRY-7", MUJOCO, "the gait of DRY-3 by 40 links: speed", "body lengths/period", 0.1597, mean_speed(run, 3.0, 6.0), 0.01,
                      "their servos give way, and their friction is explicit")  # fmt: skip


def elastic(quick: bool) -> Comparison:
    """An elastic rod under muscle torques M: joints with springs k = E I / l whose aim is M / k."""
    n, length, period, gravity = 50, 0.35, 2.0, 9.80665
    radius, modulus, density = 0.011 * length, 1e6, 1000.0
    spring = modulus * 0.25 * np.pi * radius**4 / (length / n)
    muscles = BSpline(
        np.array([0, 0, 0, 0, 1 / 3, 2 / 3, 1, 1, 1, 1]), 1e-3 * np.array([3.4, 3.3, 4.2, 2.6, 3.6, 3.5]), 3
    )
    t, from_head = np.arange(0.0, 22.02, 0.02)[:, None], 1.0 - np.arange(1, n) / n
    torque = np.minimum(1.0, t / period) * muscles(from_head) * np.sin(2.0 * np.pi * (t / period - from_head))
    mu = length / (period**2 * gravity * 0.1)
    body = rods(n, length=length, mass=density * np.pi * radius**2 * length, servo=Servo(stiffness=spring, damping=0.0))
    world = World(UnitSlip(mu, 2.0 * mu, 1.5 * mu), gravity=gravity)
    run = simulate(body, Sampled(t[:, 0], torque / spring), world, 22.0, step=2e-3 if quick else 5e-4, checked=False)
    return Comparison("DRY-8", ELASTICA, "elastic snake driven by torques: speed", "body lengths/period", 0.1588, mean_speed(run, 4.0, 22.0) * period / length, 0.02,
                      "their rod also stretches, shears and is damped against the ground")  # fmt: skip


def no_side_slip() -> Comparison:
    """Without friction along, nothing slips across: 40 and 80 links per wave, extrapolated."""
    world = World(UnitSlip(0.0, 1.0), gravity=QUASISTATIC_G)
    ours = extrapolated(*(wave_speed(0.5, 2, per, world) for per in (40, 80)))
    return Comparison("DRY-9", HIROSE, "no friction along, winding angle 0.5 rad: advance over the length of the track", "", float(j0(0.5)), ours, 2e-4,
                      "links per wave 40 and 80, extrapolated; steps of 1/200 period")  # fmt: skip


def cost(winding: float, ratio: float, waves: int, links: int) -> float:
    """Friction work over weight, friction along and way, in the third period of a body without inertia."""
    period, ends = 1.0 / waves, []
    for count in (2, 3):
        gait, world = Serpenoid(winding, float(waves), speed=1.0), World(UnitSlip(1.0, ratio), gravity=QUASISTATIC_G)
        run = simulate(
            rods(links), gait, world, count * period, step=period / 200, record_interval=period / 50, checked=False
        )
        ends.append((float(run.metrics["friction_loss"] or 0.0), np.asarray(run["com"])[-1, :2]))
    (first, there), (second, here) = ends
    return (second - first) / QUASISTATIC_G / float(np.hypot(*(here - there)))


def best(waves: int, ratio: float) -> tuple[float, float]:
    """Winding angle of least cost, and the cost."""
    found = minimize_scalar(
        lambda a: cost(a, ratio, waves, 30 * waves), bounds=(0.1, 1.3), method="bounded", options={"xatol": 2e-3}
    )
    return float(found.x), float(found.fun)


def infinite_cost(winding: float, ratio: float) -> float:
    """The same cost of an infinite body, by the balance of unit-slip friction along its axis (quadrature over one wave)."""
    heading = winding * np.cos(np.linspace(0.0, 2.0 * np.pi, 2000, endpoint=False))
    c, s = np.cos(heading), np.sin(heading)

    def slip(back: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        along, across = 1.0 - back * c, back * s
        return along, across, np.hypot(along, across)

    def balance(back: float) -> float:
        along, across, speed = slip(back)
        return float(np.mean((ratio * across * s - along * c) / speed))

    back = brentq(balance, 1e-9, 3.0)
    along, across, speed = slip(back)
    return float(np.mean((along**2 + ratio * across**2) / speed) / (c.mean() - back))


def optimal_amplitude() -> list[Comparison]:
    """The amplitude of least cost falls with the fourth root of the friction across."""
    found = [best(4, ratio) for ratio in STEEP]
    slope = float(np.polyfit(np.log(STEEP), np.log([a for a, _ in found]), 1)[0])
    exact = minimize_scalar(
        lambda a: infinite_cost(a, STEEP[1]), bounds=(0.1, 1.3), method="bounded", options={"xatol": 1e-5}
    )
    leading = float(np.polyfit(np.log(STEEP), np.log([
        minimize_scalar(lambda a, r=r: infinite_cost(a, r), bounds=(0.05, 1.3), method="bounded", options={"xatol": 1e-6}).x for r in STEEP
    ]), 1)[0])  # fmt: skip
    return [
        Comparison("DRY-10", ALBEN, "exponent of the amplitude of least cost over the friction across (100 to 1000 times that along)", "", -0.25, slope, 0.015,
                   "the next order at these ratios", ABSOLUTE, f"Quadrature of an infinite body gives {leading:.4f} over the same ratios, and nears -1/4 beyond them."),
        Comparison("DRY-11", QUADRATURE, f"amplitude of least cost of an infinite body by quadrature, ratio {STEEP[1]:g}", "rad", float(exact.x), found[1][0], 0.01,
                   "four waves of 30 links for an infinite body", note=f"Its leading order, (8 / ratio)^(1/4), is {(8.0 / STEEP[1]) ** 0.25:.4f}: derived from the balance of forces, as their exponent is."),
        Comparison("DRY-12", QUADRATURE, f"least cost of that body over sliding straight, ratio {STEEP[1]:g}", "", float(exact.fun), found[1][1], 2e-3,
                   "as above"),
    ]  # fmt: skip


def winding_angle() -> Comparison:
    """Speed squared over power of eight links, by friction ratio and number of waves."""
    angles = np.arange(10.0, 71.0, 2.5)

    def optimum(waves: float, ratio: float) -> float:
        worth = []
        for degrees in angles:
            gait, world = Serpenoid(float(np.radians(degrees)), waves, speed=0.8), World(Coulomb(0.5 * ratio, 0.5))
            m = simulate(rods(8, length=0.8, mass=2.0), gait, world, 3.0, step=2e-3, checked=False).metrics
            way = float(m["com_forward"] or 0.0)
            worth.append(way * abs(way) / float(m["positive_work"] or 1.0))
        return float(angles[int(np.argmax(worth))])

    all_of_them = {(waves, ratio): optimum(waves, ratio) for waves in (1.0, 2.0) for ratio in (0.05, 0.1, 0.2, 0.4)}
    low, high = min(all_of_them.values()), max(all_of_them.values())
    return Comparison("DRY-13", BADRAN, "winding angle of greatest speed^2 / power, eight links, one wave, friction 0.1 along and 0.5 across", "deg", 30.0, all_of_them[1.0, 0.2], 2.5,
                      "the step of our search", ABSOLUTE,
                      f"Open: the abstract names neither friction nor number of waves, on which the optimum depends. Ratios 0.05 to 0.4 with one and two waves give {low:g} to {high:g} deg; "
                      f"their 30 deg is ours at a ratio of 0.1 with one wave ({all_of_them[1.0, 0.1]:g} deg).")  # fmt: skip


def snakes() -> list[Comparison]:
    """Snakeskin: anisotropy propels, and lifting the bends helps."""
    skin, bare = UnitSlip(0.11, 0.20, 0.14), UnitSlip(0.11, 0.11, 0.11)
    gait = Serpenoid(7 / (2 * np.pi), 1.0, speed=1.0)

    def speed(law: UnitSlip, load: LiftedBends | None = None) -> float:
        run = simulate(rods(100), gait, World(law, load=load, gravity=QUASISTATIC_G), 4.0, step=2e-3, checked=False)
        return float(np.sign(moved(run, 2.0, 4.0)[0])) * mean_speed(run, 2.0, 4.0)

    flat = speed(skin)
    text = "They give no ratio in the abstract; coefficients of snakeskin 0.11, 0.14, 0.20 (forward, backward, across), curvature 7 cos 2 pi (s + t)."
    return [
        Comparison("DRY-14", HU, "anisotropic snakeskin against isotropic: speed gained", "body lengths/period", None, flat - speed(bare), 0.05,
                   "their statement: propulsion relies critically on anisotropy; the snake itself goes about 0.14", AT_LEAST, text),
        Comparison("DRY-15", HU, "weight shifted off the bends: speed over that with uniform weight", "", None, speed(skin, LiftedBends(5.0)) / flat, 1.0,
                   "their statement: redistributing weight improves locomotion", AT_LEAST, text),
    ]  # fmt: skip


def stopping() -> list[Comparison]:
    """A body that slides obliquely stops after v^2 / (2 mu g); one that spins slows down by 3 mu g / L."""
    n, mu, g = 100, 0.3, 9.81
    still = Sampled(np.linspace(0.0, 3.0, 4), np.zeros((4, n - 1)))
    slid = simulate(
        rods(n), still, World(UnitSlip(mu, mu)), 0.6, start=Start(velocity=(0.6, 0.8)), step=1e-4, checked=False
    )
    spun = simulate(
        rods(n), still, World(UnitSlip(mu, mu)), 0.15, start=Start(angular_velocity=2.0), step=1e-4, checked=False
    )
    heading = np.unwrap(np.arctan2(spun["link_axis"][:, 0, 1], spun["link_axis"][:, 0, 0]))
    slowing = -2.0 * float(np.polyfit(spun["time"], heading, 2)[0])
    return [
        Comparison("DRY-16", TEXTBOOK, "sliding obliquely at 1 m/s, mu = 0.3: way to rest, v^2 / (2 mu g)", "m", 1.0 / (2.0 * mu * g),
                   float(slid.metrics["com_distance"] or 0.0), 1e-3, "a first-order step of 1e-4 s: v dt / 2 of the way"),
        Comparison("DRY-17", TEXTBOOK, "a rod of 1 m spinning about its middle, mu = 0.3: deceleration 3 mu g / L", "rad/s^2", 3.0 * mu * g, slowing, 1e-3,
                   "100 links for a rod (1e-4), smoothing at its middle"),
    ]  # fmt: skip
