"""What to beware of in a run: one small function per subject, listed in `SUBJECTS`; each yields sentences, none where all is well."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from serpenoid.contact import Bristle, Coulomb, Threshold
from serpenoid.contact.crossings import SelfCrossing
from serpenoid.contact.joint import GEAR_SMOOTHING
from serpenoid.core import Variable
from serpenoid.core.finding import Finding
from serpenoid.formats.imported import BEWARE
from serpenoid.judgement.effort import SLIP_FLOOR
from serpenoid.simulation.formulas import Measured
from serpenoid.simulation.hints import HINTS
from serpenoid.simulation.resolution import passed_obstacles, ringing_servos, steps_per_period, thin_obstacles
from serpenoid.simulation.setup import Setup

LINKS_PER_WAVE = 5
RESIDUAL = 1e-7  # of weight times length, torque and energy: contract on the moment left at the tail
EXPLICIT_LOSS = 1e-3  # of the energy turned over: more than that and an explicit scheme nears its stability limit
LOSS = 0.05  # of the energy turned over: more than that lost or made by the scheme, and it shows
ROUNDING = 1e-9  # of weight times length and kinetic energy: less of energy is rounding
NEGLIGIBLE = (
    1e-6  # of the kinetic energy: less than that made or lost in a run is no matter, however little else goes on
)
OPEN = 0.01  # of the energy turned over: more than that missing from the account, and it is wrong
SOFT = 0.01  # of the radius: static sag from which a ground counts as soft
SELF_SAG = 0.05  # of the radii: overlap of links from which contact between them counts as soft
DEEP = 0.25  # of the radius: from there on a contact is pressed in deeply
ALOFT = 0.2  # of the frames without any contact
STILL_GEAR = 1e-9  # rad/s: slower joints are at rest
FAST_GEAR = 10.0  # times the smoothing of gear friction: slower joints creep
ALIKE = 0.8  # ratio of coefficients from which they look equal


class Evidence:
    """What a run is judged by: its description, the engine at the end, recorded variables, sums over the run, metrics."""

    def __init__(self, setup: Setup, engine: Any) -> None:
        self.setup, self.engine = setup, engine
        self.variables: Mapping[str, Variable] = engine.variables()
        self.sums: Mapping[str, float] = engine.totals()
        self.metrics = Measured(setup, self.variables, self.sums, engine.time)

    @property
    def turned(self) -> float:
        """Energy turned over, J."""
        return self.metrics.turned

    @property
    def crossing(self) -> SelfCrossing:
        """Whether the body crosses itself, and where."""
        return self.metrics.crossing


Subject = Callable[[Evidence], Iterator[str]]


def warnings_of(run: Evidence) -> list[str]:
    """What to beware of in any run."""
    from serpenoid.simulation.command_warnings import COMMANDED

    return [text for subject in (*SUBJECTS, *COMMANDED) for text in subject(run)]


def imported_robot(run: Evidence) -> Iterator[str]:
    """What could not be kept of the file that a robot came from."""
    source, found, text = run.setup.robot.source.partition(BEWARE)
    if found:
        yield f"the robot was {source.strip().rstrip('.')}: {text}"


def links_per_wave(run: Evidence) -> Iterator[str]:
    """Waves too short for the links to follow."""
    links, waves = run.setup.robot.links, getattr(run.setup.gait, "waves", None)
    if waves is not None and links / waves < LINKS_PER_WAVE:
        yield (
            f"{waves:g} waves on {links} links are {links / waves:.3g} links per wave; under {LINKS_PER_WAVE} "
            "the links no longer follow the curve"
        )


def joint_in_words(run: Evidence, column: float) -> str:
    """The joint that a slot of the sums names: the column of its outer link in the plane, a degree of freedom in space."""
    axes = run.setup.robot.axes
    if run.engine.NAME == "planar":
        return f"joint {int(column)}"
    joint, kind = axes[min(int(column), len(axes) - 1)] if axes else (0, "")
    return f"joint {joint} ({kind})" if len({kind for _, kind in axes}) > 1 else f"joint {joint}"


def spinning_joints(run: Evidence) -> Iterator[str]:
    """Joints that torques turn more than half round."""
    setup, sums = run.setup, run.sums
    if setup.drive is not None and sums["angle_max"] > np.pi:
        yield (
            f"{joint_in_words(run, sums['angle_max_joint'])} spins up: its angle reaches {np.degrees(sums['angle_max']):.0f} deg; "
            "a real joint would meet its stop"
        )


def convergence(run: Evidence) -> Iterator[str]:
    """Steps in which Newton's method gave up."""
    if run.sums["unconverged"] > 0:
        yield Finding("unsolved-steps", count=int(run.sums["unconverged"]), steps=run.engine.done)


def moment_balance(run: Evidence) -> Iterator[str]:
    """A moment left at the free end, large beside the moments at work."""
    robot, left = run.setup.robot, run.sums["residual_max"]
    scale = robot.mass * run.setup.world.gravity * robot.length + run.sums["torque_max"] + run.turned
    if left > RESIDUAL * scale:
        yield f"moment balance: {left:.2g} N m left at the tail, {left / scale:.1g} of weight, torque and energy; use a shorter step"


def energy_account(run: Evidence) -> Iterator[str]:
    """Energy that the scheme itself lost or made, or that the account misses."""
    loss, turned, robot, moving = run.sums["scheme_loss"], run.turned, run.setup.robot, run.metrics.kinetic_max
    if moving != moving:  # NaN after it diverged
        moving = float(np.nanmax(run.variables["kinetic_energy"].data, initial=0.0))
    rounding = ROUNDING * (robot.mass * run.setup.world.gravity * robot.length + moving)
    explicit = run.setup.settings.integrator != "implicit"
    limit = (EXPLICIT_LOSS if explicit else LOSS) * turned
    if abs(loss) > max(limit, rounding, NEGLIGIBLE * moving):
        done, share = "lost" if loss > 0.0 else "made", abs(loss) / max(turned, 1e-300)
        yield (
            f"the {'explicit ' if explicit else ''}scheme itself {done} {abs(loss):.3g} J, {share:.1%} of the {turned:.3g} J turned over; "
            f"use a shorter step"
        )
    left = run.metrics["energy_residual"]
    if left is not None and abs(left) > max(OPEN * turned, rounding):
        yield f"the energy account does not close: {abs(left):.3g} J of the {turned:.3g} J turned over are missing; use a shorter step"


def no_slip(run: Evidence) -> Iterator[str]:
    """An efficiency that would measure rounding."""
    slip = run.metrics["slip_per_link"]
    if slip is not None and slip <= SLIP_FLOOR:
        yield f"slip per link {slip:.1g} m is below {SLIP_FLOOR:g} m: the efficiency is not defined"


def kinks_in_steps(run: Evidence) -> Iterator[str]:
    """Accelerations that jump inside a step of order 4."""
    setup, engine = run.setup, run.engine
    if setup.settings.integrator == "rk4" and setup.gait is not None:
        inner = [x for x in setup.gait.kinks() if 0.0 < x < engine.time]
        off = [x for x in inner if abs(x / engine.dt - round(x / engine.dt)) > 1e-6]
        if off:
            yield f"the gait's accelerations jump at t = {off[0]:g} s, inside a step: order 4 is lost there"


def saturated_servos(run: Evidence) -> Iterator[str]:
    """Servos at their torque limit."""
    if run.sums["saturated"] > 0.0:
        share = run.sums["saturated"] / max(run.engine.time * len(run.setup.robot.axes), 1e-300)
        yield f"servos were at their torque limit for {share:.1%} of the time"


def creeping_gears(run: Evidence) -> Iterator[str]:
    """Gear friction that gives way instead of holding."""
    given = run.setup.robot.servo
    servos = given if isinstance(given, tuple) else (given,)
    if any(servo is not None and servo.gear_friction for servo in servos):
        rate = float(np.sqrt(np.mean(run.variables["joint_rate"].data ** 2)))
        if STILL_GEAR < rate < FAST_GEAR * GEAR_SMOOTHING:
            yield (
                f"gear friction gives way below {GEAR_SMOOTHING:g} rad/s instead of holding, and the joints move at {rate:.2g} rad/s (root mean "
                f"square): they creep under load, by up to {GEAR_SMOOTHING * run.engine.time:.2g} rad in this run"
            )


def joint_limits(run: Evidence) -> Iterator[str]:
    """Joints that meet their stops."""
    sums, robot = run.sums, run.setup.robot
    if not sums["first_stop"] > 0.0:
        return
    column = int(sums["first_stop_joint"])
    k = [joint for joint, _ in robot.axes].index(column) if run.engine.NAME == "planar" else column
    limit = np.degrees(robot.joint_limit[robot.axes[k][0] - 1])
    who, took = joint_in_words(run, column), sums["stop_loss"]
    taken = "" if np.isnan(took) else f"; the stops took {took:.3g} J"
    yield f"{who} meets its stop of {limit:.3g} deg at t = {sums['first_stop']:.4g} s and does not go on as commanded{taken}"
    if run.engine.ideal and (run.setup.gait is not None or run.setup.drive is None):
        yield "ideal joints stop dead at their stops: torques in that instant are impulses, which grow as the step gets shorter"


def soft_ground(run: Evidence) -> Iterator[str]:
    """Links that sink in under the weight."""
    setup, robot, ground = run.setup, run.setup.robot, run.setup.world.ground
    if setup.spatial and ground is not None and ground.model == "capsule" and robot.radius.min() > 0.0:
        sag = run.metrics["ground_sag"]
        if sag is not None and sag > SOFT * robot.radius.min():
            yield f"soft ground: at rest the links press in by {sag:.2g} m, {sag / robot.radius.min():.0%} of their radius; raise its stiffness"


def pressed_in(run: Evidence) -> Iterator[str]:
    """Contacts pressed in by a good part of the radius: the surface is not where it seems."""
    depth, radius = run.metrics["penetration"], float(run.setup.robot.radius.min())
    if run.setup.spatial and depth is not None and radius > 0.0 and depth > DEEP * radius:
        link, time = int(run.sums["penetration_link"]), run.sums["penetration_time"]
        yield (
            f"link {link} is pressed {depth:.2g} m into ground or obstacle at t = {time:.4g} s, {depth / radius:.0%} of its radius; "
            "raise the stiffness, or approach more slowly"
        )


def lost_contact(run: Evidence) -> Iterator[str]:
    """Frames in which nothing touches the ground."""
    if run.setup.spatial and run.setup.world.gravity > 0.0:
        touching, time = run.variables["contact_count"].data, run.variables["time"].data
        aloft = np.flatnonzero(touching == 0.0)
        if aloft.size > ALOFT * len(time):
            yield f"nothing touches the ground in {aloft.size / len(time):.0%} of the frames, first at t = {time[aloft[0]]:.3g} s"


def upright_links(run: Evidence) -> Iterator[str]:
    """Links that stand on end have no direction along and across."""
    if run.setup.spatial and run.sums["upright"] > 0.0:
        yield f"{int(run.sums['upright'])} contacts of upright links had no direction for their friction"


def axes_apart(run: Evidence) -> Iterator[str]:
    """Equal coefficients of a law whose axes act apart look isotropic and are not."""
    law, spatial = run.setup.world.friction, run.setup.spatial
    named = isinstance(law, Coulomb) and (law.axes is not None or (spatial and law.equal))
    low, high = sorted((law.along, law.across))
    if isinstance(law, Coulomb | Threshold | Bristle) and not named and high > 0.0 and low >= ALIKE * high:
        remedy = 'axes = "together" makes it the same in all directions, or law = "unit-slip"; axes = "apart" says that this is meant'
        yield (
            f"friction along and across ({law.along:g}, {law.across:g}) act apart in this law, each as if the other were not: a slide at 45 "
            f"degrees brakes {np.hypot(1.0, low / high):.2f} times as strongly; "
            + (
                remedy
                if isinstance(law, Coulomb)
                else 'law = "coulomb" or "unit-slip" can be the same in all directions'
            )
        )


def crosses_itself(run: Evidence) -> Iterator[str]:
    """Links that pass through each other."""
    crossing, robot = run.crossing, run.setup.robot
    if crossing.first is not None and run.setup.world.self_contact is None:
        i, j = crossing.first_links
        a, b = crossing.links
        thick = robot.radius[a] + robot.radius[b]
        where = "" if (a, b) == (i, j) else f" of links {a} and {b}"
        share = f" of radii that add up to {thick:.2g} m" if thick > 0.0 else ""
        yield (
            f"the body crosses itself: links {i} and {j} at t = {crossing.first:.4g} s, overlap up to {crossing.overlap:.2g} m"
            f"{where}{share}; nothing keeps them apart"
        )


def pressed_links(run: Evidence) -> Iterator[str]:
    """Links that contact between them does not keep apart."""
    crossing, radius, force = run.crossing, run.setup.robot.radius, run.sums["self_force_max"]
    if run.setup.world.self_contact is None or crossing.time is None:
        return
    a, b = crossing.links
    thick = radius[a] + radius[b]
    if run.engine.ideal and force > 0.0 and crossing.overlap > SELF_SAG * thick:
        yield (
            f"links press on each other with up to {force:.3g} N, but ideal joints push them through: overlap up to "
            f"{crossing.overlap:.2g} m of links {a} and {b} at t = {crossing.time:.4g} s; give the robot a servo, or torques"
        )
    elif crossing.overlap > SELF_SAG * thick:
        yield (
            f"soft contact between links: {a} and {b} overlap by up to {crossing.overlap:.2g} m, {crossing.overlap / thick:.0%} of "
            f"their radii, at t = {crossing.time:.4g} s; raise world.self_contact.stiffness or shorten the step"
        )


SUBJECTS: tuple[Subject, ...] = (
    imported_robot,
    links_per_wave,
    spinning_joints,
    convergence,
    moment_balance,
    energy_account,
    no_slip,
    steps_per_period,
    ringing_servos,
    thin_obstacles,
    passed_obstacles,
    kinks_in_steps,
    saturated_servos,
    creeping_gears,
    joint_limits,
    soft_ground,
    pressed_in,
    lost_contact,
    upright_links,
    axes_apart,
    crosses_itself,
    pressed_links,
    *HINTS,
)
