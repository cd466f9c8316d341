"""What concertina costs and what it gives: driving forces, energy a metre against creeping, and the narrow channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid import robots
from serpenoid.contact import Coulomb
from serpenoid.control import ConcertinaDriver, Motors
from serpenoid.core import Trajectory, World
from serpenoid.gaits import Serpenoid
from serpenoid.gaits.concertina import Posture, basic_cycle, row
from serpenoid.gaits.concertina_legs import Leg
from serpenoid.planning import ConcertinaPlan, ConcertinaSolution, Wall
from serpenoid.robots.ms1 import FITTINGS
from serpenoid.simulation.run import simulate
from serpenoid.studies.claims import judged
from serpenoid.studies.shan1993.pattern import SOURCE

GRAVITY = 9.81
TRACKS = 0.02  # link lengths: head against its target, as asked of five straight cycles
CYCLES = {True: 2, False: 5}
NOTHING = 0.01  # N: pins as good as none
ACROSS = 0.7  # friction across the body that creeping needs
WINDING = (0.3, 0.5, 0.7, 0.9)  # rad: winding angles of creeping
ROOM = 0.001  # link lengths: that a channel is wider than the band
CHANNELS = (30.0, 45.0, 60.0)  # deg: folds in a channel


@dataclass(frozen=True)
class Creep:
    """The same robot creeping along its body's wave."""

    winding: float  # rad
    advance: float  # m
    energy: float  # J a metre
    width: float  # m: swept


@dataclass(frozen=True)
class Effort:
    """All runs of this part."""

    executed: Trajectory
    advance: float  # m, executed
    gripping: float  # m, with pins that hold no more than a link's casters
    loose: float  # m, with pins that hold next to nothing
    planned: float  # m
    creeping: tuple[Creep, ...]

    @property
    def energy(self) -> float:
        """J a metre, executed concertina."""
        return float(self.executed.metrics["positive_work"] or 0.0) / self.advance


def basic(cycles: int, lengths: Any = 1.0, fold: float = np.pi / 3.0) -> tuple[Leg, ...]:
    """Legs of some cycles of the basic pattern."""
    legs: list[Leg] = []
    start = None
    for cycle in range(1, cycles + 1):
        legs += basic_cycle(lengths, fold=fold, start=start, cycle=cycle)
        nodes, psi = (x[0] for x in legs[-1].at(1.0))
        start = Posture((float(nodes[1, 0]), float(nodes[1, 1])), float(psi[0]), row(1, fold))
    return tuple(legs)


def grip(robot: Any) -> float:
    """Friction of one link on its casters, N."""
    return FITTINGS.ground_friction * float(robot.link_mass[0]) * GRAVITY


def executed(robot: Any, legs: Any, *, stop: bool = True, **changes: Any) -> Trajectory:
    """The legs carried out on the casters of MS-1."""
    driver = ConcertinaDriver(robot, legs, Motors(friction=FITTINGS.ground_friction, **changes), stop=stop)
    return simulate(robot, driver, duration=driver.longest, record_interval=driver.period)


def efforts(quick: bool) -> Effort:
    """Execute the basic pattern with MS-1 and let it creep."""
    robot = robots.ms1()
    legs = basic(CYCLES[quick], robot.link_length)
    holds = (FITTINGS.holding_force, grip(robot), NOTHING)
    made = [executed(robot, legs, stop=False, hold=hold) for hold in holds]
    advance, gripping, loose = (float(run["node"][-1, -1, 0] - run["node"][0, -1, 0]) for run in made)
    planned = float(legs[-1].nodes(1.0)[0, -1, 0] - legs[0].base[-1, 0])
    return Effort(made[0], advance, gripping, loose, planned, tuple(creep(robot, a) for a in WINDING))


def creep(robot: Any, winding: float) -> Creep:
    """Creep with one wave at the speed of a third of the body a second, from rest; the width is that of the second half."""
    run = simulate(
        robot, Serpenoid(winding, 1.0, speed=robot.length / 3.0), World(Coulomb(FITTINGS.ground_friction, ACROSS, smoothing=1e-3)), duration=12.0
    )  # fmt: skip
    advance = float(run.metrics["com_forward"] or 0.0)
    steady = run["time"] > 6.0
    return Creep(winding, advance, float(run.metrics["positive_work"] or 0.0) / advance, _swept(run["node"][steady, :, :2]))  # fmt: skip


def _swept(points: Any) -> float:
    """Width in m of the band that the nodes (t, n, 2) sweep, across the way of their mean."""
    way = points.mean(axis=1)[-1] - points.mean(axis=1)[0]
    aside = points @ np.array([-way[1], way[0]]) / np.hypot(*way)
    return float(np.ptp(aside))


def swept_width(fold: float) -> float:
    """Width that thin unit links sweep in a cycle of the basic pattern, in link lengths."""
    nodes = np.concatenate([leg.nodes(np.linspace(0.0, 1.0, 400)) for leg in basic_cycle(fold=fold)])
    return float(np.ptp(nodes[..., 1]))


def channel(fold: float, width: float, target: float = 8.0) -> ConcertinaSolution:
    """The planner in a channel of a width that just holds the folds; walls 1 L thick."""
    low, high = -0.5 * (width - np.sin(fold)), np.sin(fold) + 0.5 * (width - np.sin(fold))
    walls = tuple(Wall((-4.0, y), (target + 4.0, y), 1.0) for y in (low - 0.5, high + 0.5))
    return ConcertinaPlan((target, 0.0), obstacles=walls, fold=fold).solve()


def claims(effort: Effort) -> list[dict[str, Any]]:
    """Driving force, efficiency, channel."""
    return [turns(), *driving(effort), *efficiency(effort), *narrow(effort)]


def driving(effort: Effort) -> list[dict[str, Any]]:
    """Pins drive; casters alone do not."""
    robot, made = robots.ms1(), effort.executed
    report = made.provenance["plan"]
    need, worst = max(report["pin_force_max"]), max(report["head_errors"])
    passive = _passive(made)
    return [
        judged("MSK-11a", f"{SOURCE}, section II", "The linear solenoids provide enough contact force to make it the driving force.",
               f"pins bear up to {need:.1f} N of the {FITTINGS.holding_force:g} N they hold, a link's casters only {grip(robot):.2f} N; executed {effort.advance:.4f} m of "
               f"{effort.planned:.4f} m planned; with pins no stronger than a link's casters {effort.gripping:.3f} m, without pins {effort.loose:.3f} m",
               [need < FITTINGS.holding_force, abs(effort.advance - effort.planned) < 0.02 * float(robot.link_length[0]),
                effort.gripping < 0.9 * effort.advance, abs(effort.loose) < 0.2 * effort.advance], "Masses, friction and holding force are assumed."),
        judged("MSK-8d", f"{SOURCE}, section III-D", "In the second stage joints 2 and 5 drive, the other joints of the loop are passive.",
               f"executed: torque of joints 3, 4, 6 while 2 and 5 drive {passive:.0e} N m; the head ends within {1e3 * worst:.2f} mm of the plan",
               [passive < 1e-9, bool(worst < 0.02 * robot.link_length[0])],
               "To settle at the stretched end joint 3 takes over from joint 5 (see MSK-4c)."),
    ]  # fmt: skip


def _passive(made: Trajectory) -> float:
    """Largest torque of joints 3, 4, 6 in the first half of every stage 2, N m."""
    second = made["anchor_set"][:, 0] > 0.0
    cuts = np.flatnonzero(np.diff(np.concatenate([[False], second, [False]]).astype(int)))
    worst = 0.0
    for a, b in zip(cuts[::2], cuts[1::2], strict=True):
        worst = max(worst, float(np.abs(made["joint_torque"][a + 2 : (a + b) // 2, [2, 3, 5]]).max()))
    return worst


def turns() -> dict[str, Any]:
    """Plans with turns, executed: how far the head is off in the end."""
    robot = robots.ms1()
    length = float(robot.link_length[0])
    tries = {
        "(6, 5) L": ((6.0, 5.0), 90.0),
        "(-4, 0) L": ((-4.0, 0.0), 45.0),
        "the latter with turns of 90 deg": ((-4.0, 0.0), 90.0),
    }
    off, ended, cycles = {}, {}, {}
    for name, ((x, y), limit) in tries.items():
        way = ConcertinaPlan(
            (x * length, y * length), half_width=0.0, joint_limit=np.pi, bearing_limit=np.radians(limit)
        ).solve(robot)
        run = executed(robot, way.legs)
        off[name], cycles[name] = run.provenance["plan"]["head_errors"][-1] / length, way.cycles
        ended[name] = f"{run.status.name} in leg {run.provenance['plan']['legs']} of {len(way.legs)}"
    ahead, behind, sharp = tries
    return judged(
        "MSK-6d", f"{SOURCE}, section III, Fig. 11", "Experiments verify the snake's ability to turn and reach an arbitrarily assigned target.",
        f"in dynamics the head ends {off[ahead]:.1%} of L off {ahead} after {cycles[ahead]} cycles, {off[behind]:.1%} of L off {behind} after {cycles[behind]} cycles with turns of "
        f"45 deg at most; {sharp}: {ended[sharp]}",
        [off[ahead] < TRACKS, off[behind] < TRACKS, ended[ahead].startswith("ok"), ended[behind].startswith("ok"), ended[sharp].startswith("ok")],
        "Every leg begins at the measured pose and aims at the plan's place in the world, so errors do not add up. Turns of 90 deg fold joint 5 to 166 deg in stage 2, more than pins and servos manage there.",
    )  # fmt: skip


def efficiency(effort: Effort) -> list[dict[str, Any]]:
    """Energy a metre."""
    best = min(effort.creeping, key=lambda c: c.energy)
    robot = robots.ms1()
    drag = FITTINGS.ground_friction * robot.mass * GRAVITY
    return [
        judged("MSK-11b", f"{SOURCE}, section II", "Concertina has a lower motion efficiency than lateral undulation, the most efficient pattern.",
               f"MS-1, joints of 1 rad/s: {effort.energy:.1f} J/m; the same robot creeping {best.energy:.1f} J/m at its best ({best.winding:g} rad, friction across {ACROSS:g}); "
               f"dragging it takes {drag:.1f} J/m",
               [effort.energy > best.energy > 0.8 * drag],
               f"Creeping at {robot.length / 3.0:.2f} m/s, concertina at {effort.advance / effort.executed.duration:.3f} m/s. Creeping needs sideways grip that casters do not give; pins are what concertina has instead. Positive work of the joints only, no solenoids."),
    ]  # fmt: skip


def narrow(effort: Effort) -> list[dict[str, Any]]:
    """The narrow channel."""
    folds = np.radians(np.arange(5.0, 90.0, 5.0))
    wide = np.array([swept_width(f) for f in folds])
    law = float(np.abs(wide - np.sin(folds)).max())
    inside = [channel(np.radians(f), np.sin(np.radians(f)) + ROOM) for f in CHANNELS]
    free = [ConcertinaPlan((8.0, 0.0), fold=np.radians(f)).solve() for f in CHANNELS]
    through = [found.reached and not found.contacts for found in inside]
    took = " and ".join(", ".join(str(found.cycles) for found in some) for some in (inside, free))
    slim = min(effort.creeping, key=lambda c: c.width)
    length = float(robots.ms1().link_length[0])
    alike = float(np.sin(np.radians(30.0)))
    return [
        judged("MSK-11c", f"{SOURCE}, section II-A", "Concertina enables a snake to move in a narrow channel; the body shape can be quite narrow.",
               f"thin links sweep a band of L sin a (to {law:.0e} L) for folds of 5 to 85 deg: {alike:.2f} L at 30 deg, {np.sin(np.pi / 3):.2f} L at 60 deg; planned in channels {ROOM:g} L "
               f"wider: {sum(through)} of {len(through)} passed without a contact, in {took} cycles inside and in the open; creeping sweeps {slim.width / length:.2f} L at {slim.winding:g} rad",
               [law < 1e-9, all(through)],
               "The price: d = 2 L (1 - cos a) falls with the square of the width."),
    ]  # fmt: skip
