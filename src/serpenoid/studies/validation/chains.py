"""Bodies without friction: hanging chains, pendulums, a free top."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import j1, jn_zeros

from serpenoid.contact import Frictionless, Viscous
from serpenoid.core import FloatArray, Ground, Patch, Robot, Start, World
from serpenoid.gaits import CompoundSerpenoid
from serpenoid.robots import rods, universal
from serpenoid.simulation.run import simulate
from serpenoid.simulation.simulation import Simulation
from serpenoid.studies.validation.comparison import Comparison, Origin

BERNOULLI = Origin(
    "Bernoulli 1732, Euler 1781", "small oscillations of a hanging chain: half the zeros of J_0 times sqrt(g / L)"
)
PENDULUM = Origin("double pendulum of rods", "two equal uniform rods: omega^2 = 3 (1 -+ 2 / sqrt 7) g / l")
CATENARY = Origin("catenary", "Huygens, Leibniz, Johann Bernoulli 1691: y = c cosh(x / c)")
TOP = Origin(
    "Euler's free top",
    "Landau and Lifshitz, Mechanics, section 33: a symmetric body precesses about its angular momentum with |M| / I",
)
G = 9.81  # m/s^2 along the steep plane in which the chains hang
STEEP = np.radians(80.0)
FIRM = 1e8  # N s/m: friction of the small patch that holds an end of the chain
SMALL = 0.01  # rad


def rows(quick: bool) -> list[Comparison]:
    """All rows of bodies without friction."""
    return [*hanging_chain(quick), *double_pendulum(), catenary(quick), precession()]


def held(
    rising: float, places: tuple[tuple[float, float], ...], half: float, elsewhere: float = 0.0, firm: float = FIRM
) -> World:
    """A steep plane without friction but for patches that hold what lies on them."""
    patches = tuple(Patch((x - half, y - half, x + half, y + half), firm, firm) for x, y in places)
    gravity = G / float(np.sin(STEEP))
    return World(
        Viscous(elsewhere, elsewhere), gravity=gravity, slope=float(STEEP), slope_direction=rising, patches=patches
    )


def frequency(headings: FloatArray, expected: float, steps: int) -> float:
    """Angular frequency of a chain of rods (1 m in all) that hangs by its tail and is let go with its links at these headings, rad/s."""
    n = len(headings)
    body = rods(n, contact_offset=[0.0] + [0.5 / n] * (n - 1))
    start = Start(heading=float(headings.mean()), angles=tuple(np.diff(headings)))
    period = 2.0 * np.pi / expected
    sim = Simulation(
        body, held(np.pi, ((0.0, 0.0),), 1e-3), start=start, step=period / steps, record_interval=period / 200
    )
    sim.advance(1.4 * period)
    run = sim.finish()
    time, y = run["time"], run["node"][:, 1, 1]
    before = np.flatnonzero(np.diff(np.sign(y)) != 0)
    crossings = time[before] - y[before] * (time[before + 1] - time[before]) / (y[before + 1] - y[before])
    return float(np.pi / (crossings[1] - crossings[0]))


def hanging_chain(quick: bool) -> list[Comparison]:
    """The first three modes of a chain of many links."""
    n, steps = (60, 8000) if quick else (120, 32000)
    below = 1.0 - (np.arange(n) + 0.5) / n
    found = []
    for mode, zero in enumerate(jn_zeros(0, 3), 1):
        shape = 0.5 * zero / np.sqrt(below) * j1(zero * np.sqrt(below))
        theirs = 0.5 * float(zero) * np.sqrt(G)
        ours = frequency(SMALL * shape / np.abs(shape).max(), theirs, steps)
        found.append(Comparison(f"CHN-{mode}", BERNOULLI, f"hanging chain of 1 m, mode {mode}: angular frequency", "rad/s", float(theirs), ours, 1e-3 * mode,
                                f"{n} links for a chain, amplitude 0.01 rad, a first-order step that damps by 1/{steps} per period: the more the higher the mode"))  # fmt: skip
    return found


def double_pendulum() -> list[Comparison]:
    """Two rods of half a metre in their two modes."""
    found = []
    for k, (sign, name) in enumerate(((-1.0, "slow"), (1.0, "fast")), 4):
        square = 3.0 * (1.0 + sign * 2.0 / np.sqrt(7.0))  # in g / l
        # of (4/3 a + 1/2 b, 1/2 a + 1/3 b) square = (3/2 a, 1/2 b)
        ratio = (1.5 - 4.0 / 3.0 * square) / (0.5 * square)
        shape = np.array([1.0, ratio]) / max(1.0, abs(ratio))
        theirs = float(np.sqrt(square * G / 0.5))
        found.append(Comparison(f"CHN-{k}", PENDULUM, f"double pendulum of two rods, {name} mode: angular frequency", "rad/s", theirs, frequency(SMALL * shape, theirs, 16000), 3e-4,
                                "amplitude 0.01 rad (1e-5) and a first-order step of 1/16000 period"))  # fmt: skip
    return found


def catenary(quick: bool) -> Comparison:
    """A chain of 1 m between pegs 0.7 m apart, until it is at rest."""
    n, span = (40, 0.7) if quick else (80, 0.7)
    link = 1.0 / n
    turn = brentq(lambda d: link * abs(np.exp(1j * d * np.arange(n)).sum()) - span, 0.1 / n, 6.0 / n)
    body = rods(n, contact_offset=[0.0] + [0.5 * link] * (n - 2) + [link])
    start = Start(angles=tuple(np.full(n - 1, turn)))
    world = held(0.5 * np.pi, ((0.0, 0.0), (span, 0.0)), 0.4 * link, elsewhere=2.0 / n, firm=1e6)
    sim = Simulation(body, world, start=start, step=1e-3, record_interval=0.1)
    sim.advance(6.0)
    nodes = sim.finish()["node"][-1, :, :2]
    held_apart = float(np.hypot(*(nodes[-1] - nodes[0])))
    scale = brentq(lambda c: 2.0 * c * np.sinh(0.5 * held_apart / c) - 1.0, 0.05, 5.0)
    sag = float(0.5 * (nodes[0, 1] + nodes[-1, 1]) - nodes[:, 1].min())
    return Comparison("CHN-6", CATENARY, "chain of 1 m between pegs 0.7 m apart: sag", "m", float(scale * (np.cosh(0.5 * held_apart / scale) - 1.0)), sag, 2e-3,
                      f"{n} straight links for a curve", note=f"The firm patches that stand for the pegs let the ends be {held_apart:.5f} m apart; the catenary is that of this span.")  # fmt: skip


def precession() -> Comparison:
    """A straight body, nose down, that turns about the vertical in free space."""
    tilt, spin = 0.4, 3.0
    body: Robot = universal(6, length=1.0, mass=1.0, radius=0.15)
    world = World(Frictionless(), gravity=0.0, ground=Ground(plane=False))
    settings: dict[str, Any] = {
        "start": Start(angular_velocity=spin, pitch=tilt, height=0.0),
        "step": 1e-3,
        "record_interval": 0.02,
        "checked": False,
    }
    run = simulate(body, CompoundSerpenoid(ramp=0.0), world, 4.0, **settings)
    places = (np.cumsum(body.link_length) - body.link_length) + body.com_offset
    across = float((body.link_inertia + body.link_mass * (places - places.mean()) ** 2).sum())
    axial = float(body.axial_inertia.sum())
    axis = run["link_axis"][:, 0]
    omega = np.array([0.0, 0.0, spin])
    along = (omega @ axis[0]) * axis[0]
    momentum = axial * along + across * (omega - along)
    size = float(np.linalg.norm(momentum))
    e = momentum / size
    u = axis[0] - (axis[0] @ e) * e
    u /= np.linalg.norm(u)
    angle = np.unwrap(np.arctan2(axis @ np.cross(e, u), axis @ u))
    return Comparison("CHN-7", TOP, "straight thick body, nose 0.4 rad down, turned at 3 rad/s in free space: its precession", "rad/s", size / across,
                      float(np.polyfit(run["time"], angle, 1)[0]), 1e-4, "a first-order step of 1e-3 s; momentum is kept to rounding")  # fmt: skip
