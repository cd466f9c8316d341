"""SWD-3 to SWD-5: the gait's numbers, the robot's numbers, ground (4) and friction (5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid import robots
from serpenoid.core import FloatArray, Trajectory
from serpenoid.gaits import Sidewinding
from serpenoid.robots.sarrafan2012 import from_paper
from serpenoid.studies.claims import judged
from serpenoid.studies.sarrafan2012.simulations import (
    CASES,
    DURATION,
    OMEGA,
    POINT,
    Engines,
    Sensitivity,
    execute,
)

EXACT = 1e-12
STEEL = 7850.0  # kg/m^3
STIFFNESS, DAMPING, CRITICAL = 2000.0, 10.0, 0.01  # N/m, N s/m, m/s: those of POINT
STATIC, DYNAMIC = 0.8, 0.6


def claims(source: str, engines: Engines, variations: Sensitivity) -> list[dict[str, Any]]:
    """SWD-3 to SWD-5."""
    return [gait(source, engines), direction(source, engines), *sums(source), *ground(source), friction(source),
            no_rolling(source, engines, variations)]  # fmt: skip


def printed_angles(t: FloatArray, phase: float) -> FloatArray:
    """q7 to q16 (., 10) by (1), (2), (3)."""
    i = np.arange(1, 6)
    turn = OMEGA * t[:, None] - np.radians(70.0) * i
    pairs = np.stack([np.sin(turn), np.sin(turn + phase)], axis=-1)
    return np.radians(30.0) * pairs.reshape(len(t), 10)


def our_angles(t: FloatArray, phase: float) -> FloatArray:
    """Angles [yaw, pitch] (., 5, 2) of our gait, the ramp over."""
    columns = []
    for wave in Sidewinding(phase_offset=phase).yaw_and_pitch(robots.sarrafan2012()):
        offset, amplitude, angle = (np.asarray(x, dtype=float) for x in (wave.offset, wave.amplitude, wave.phase))
        columns.append(offset + amplitude * np.sin(wave.frequency * t[:, None] + angle))
    return np.stack(columns, axis=-1)


def cycles(run: Trajectory) -> float:
    """Half the number of times that the joints pass zero after a run's ramp, mean of the axes, times the whole over that rest."""
    late = run["time"] > 1.0
    angle = run["joint_angle"][late]
    passes = (np.diff(np.sign(angle), axis=0) != 0).sum(axis=0).mean()
    return float(0.5 * passes * run["time"][-1] / np.ptp(run["time"][late]))


def gait(source: str, engines: Engines) -> dict[str, Any]:
    """(1) to (3)."""
    t = np.linspace(0.0, 10.0, 401)
    off = max(float(np.abs(our_angles(t, x) - from_paper(printed_angles(t, x))).max()) for x in (0.0, np.pi / 2))
    period = Sidewinding().period(robots.sarrafan2012()) or 0.0
    counted = cycles(engines.own["0"])
    reached = np.degrees(float(np.quantile(np.abs(engines.own["0"]["joint_angle"]), 0.999)))
    return judged(
        "SWD-3a", f"{source}, (1) to (3)", "Both waves: 30 degrees, 3 pi/4 rad/s, -70 degrees from joint to joint.",
        f"our gait is (1), (2) within {off:.0e} rad; period {period:.3f} s, {DURATION / period:.1f} cycles in 60 s ({counted:.1f} counted in the run); "
        f"350 degrees, {350 / 360:.2f} waves over the body; servos reach {reached:.1f} degrees",
        [off < EXACT, abs(period - 8.0 / 3.0) < EXACT, abs(counted - 22.5) < 0.2],
        "psi_hor at the end of (2) is psi_ver (both are 0); Appendix II counts joints from 0, which only shifts the time.",
    )  # fmt: skip


def direction(source: str, engines: Engines) -> dict[str, Any]:
    """Is delta_0 the direction?"""
    m = {phase: run.metrics for phase, run in engines.own.items()} | {"pi": execute("180.0").metrics}
    way = {phase: float(v["com_dy"] or 0.0) for phase, v in m.items()}
    rolled = {phase: float(v["roll_rate_mean"] or 0.0) for phase, v in m.items()}
    text = "; ".join(
        f"delta_0 = {p}: {way[p]:+.2f} m to the left, rolling at {round(rolled[p], 2) + 0.0:+.2f} rad/s" for p in m
    )
    return judged(
        "SWD-3b", f"{source}, after (3)", "delta_0 indicates the direction of the movement and is 0 or pi/2.",
        text, [way["0"] * way["pi/2"] < 0.0, way["pi/2"] * way["-pi/2"] < 0.0 and way["0"] * way["pi"] < 0.0],
        reason_if_fails="Its sign does (pi/2 against -pi/2, and 0 against pi). 0 and pi/2 are not two directions but two gaits: a wave that lies "
        "flat and travels, and a helix that rolls; both go to the same side here.",
    )  # fmt: skip


def sums(source: str) -> list[dict[str, Any]]:
    """Length, mass, radius."""
    robot = robots.sarrafan2012()
    volume = np.pi * 0.2 * np.array([0.15, 0.015, 0.0075]) ** 2
    density = 0.3 / volume
    return [
        judged(
            "SWD-4a", f"{source}, section Simulation", "Six links of 0.2 m and 0.3 kg: 1.2 m and 1.8 kg.",
            f"{robot.length:.1f} m, {robot.mass:.1f} kg", [abs(robot.length - 1.2) < EXACT, abs(robot.mass - 1.8) < EXACT],
        ),
        judged(
            "SWD-4b", f"{source}, section Simulation", "The links have a radius of 15 cm.",
            f"density {density[0]:.0f} kg/m^3 and a drum wider than long; 1.5 cm: {density[1]:.0f} kg/m^3; a diameter of 15 mm: {density[2]:.0f} kg/m^3, "
            f"steel has {STEEL:.0f}",
            [500.0 < density[0] < 10000.0],
            "A slip of the unit. 1.5 cm is taken. A diameter of 15 mm would fit the steel of the friction coefficient, and the distance (SWD-6c).",
        ),
    ]  # fmt: skip


def ground(source: str) -> list[dict[str, Any]]:
    """(4) at rest, and when a link leaves the ground."""
    still = ("gait.amplitude_deg=0.0", "start.height=0.01", "run.record_interval=0.001")
    run = execute("0", (*POINT, *still), 3.0)
    z, weight = run["link_com"][..., 2], 0.3 * 9.81
    sag = float(-z[-1].mean())
    force = np.where(z < 0.0, -STIFFNESS * z - DAMPING * np.gradient(z, run["time"], axis=0), 0.0)
    pull, least = float(force.min()), float(run["normal_force"].min())
    return [
        judged(
            "SWD-5a", f"{source}, (4)", "A spring and damper under the centres of gravity carry the robot.",
            f"k = {STIFFNESS:g} N/m, d = {DAMPING:g} N s/m: dropped by 1 cm it comes to rest {1e3 * sag:.4f} mm deep; m g / k = {1e3 * weight / STIFFNESS:.4f} mm",
            [abs(sag * STIFFNESS / weight - 1.0) < 1e-3],
            "k and d are not given. The radius plays no role: the centre of gravity lies at the ground's level.",
        ),
        judged(
            "SWD-5b", f"{source}, (4)", "F_N = -k p - d v wherever p < 0.",
            f"while the dropped robot bounces the formula gives down to {pull:.2f} N, a pull; ours is max(0, .): {abs(least):.2f} N at least", [pull >= 0.0],
            "A ground does not pull: the force has to be cut off at 0.",
        ),
    ]  # fmt: skip


def friction(source: str) -> dict[str, Any]:
    """(5) in a run, contact by contact."""
    run = execute("0", (*POINT, f"world.friction.along={DYNAMIC}", f"world.friction.across={DYNAMIC}"), 10.0)
    press, worst, slow = run["normal_force"], 0.0, 0.0
    touching = press > 0.0
    for axis in ("along", "across"):
        v, f = run[f"contact_velocity_{axis}"], run[f"contact_force_{axis}"]
        wanted = np.where(np.abs(v) < CRITICAL, -v / CRITICAL * STATIC, -np.sign(v) * DYNAMIC) * press
        worst = max(worst, float((np.abs(f - wanted)[touching] / (STATIC * press[touching])).max()))
        slow += 0.5 * float((np.abs(v[touching]) < CRITICAL).mean())
    return judged(
        "SWD-5c", f"{source}, (5)", "Friction is linear up to mu_S F_N at V_cr, then mu_D F_N, along and across the link.",
        f"mu_S = {STATIC}, mu_D = {DYNAMIC}, V_cr = {CRITICAL} m/s: recorded forces are those of (5) within {worst:.0e} mu_S F_N; {slow:.0%} of the "
        "contacts are below V_cr", [worst < 1e-3],
        "The coefficients of both directions, mu_D and V_cr are not given; at the speed V_cr the force drops from mu_S F_N to mu_D F_N.",
    )  # fmt: skip


def no_rolling(source: str, engines: Engines, variations: Sensitivity) -> dict[str, Any]:
    """What follows from (4) and (5) for delta_0 = pi/2."""
    points = next(case.name for case in CASES if case.changes == POINT)
    far = {phase: float(variations[points][phase]["com_distance"]) for phase in ("0", "pi/2")}
    round_ones = {phase: float(engines.own[phase].metrics["com_distance"] or 0.0) for phase in ("0", "pi/2")}
    return judged(
        "SWD-5d", f"{source}, (4), (5), Figs 9 to 11", "With ground (4) and friction (5) the robot travels about 1 m, also with delta_0 = pi/2.",
        f"points, 60 s: {far['0']:.2f} m with delta_0 = 0, {far['pi/2']:.3f} m with pi/2; round links: {round_ones['0']:.2f} and {round_ones['pi/2']:.2f} m",
        [far["pi/2"] > 0.5, 0.5 < far["0"] < 2.0],
        "With delta_0 = pi/2 the body rolls, and a contact at the centre of gravity has no radius to roll on. The paper shows no picture of that run "
        "in SimMechanics.",
    )  # fmt: skip
