"""A concertina plan carried out in dynamics: servos follow its legs, pins hold the links that must stay, obstacles push back.

The robot is a yaw chain in space on level ground (casters: low friction), driven by position servos with integral action. Leg by leg:
the new pins go in where their links are, the old ones come out, the servos follow the leg's smooth timing, and then wait until every
joint is within `tolerance` and at rest (or `patience` runs out, which is said). In stage 2 the loop is closed by the pins: joints 2 and 5
drive it and the others are passive (Fig 14 (b) of Shan and Koren: their reference follows the measured angle, so they give no torque).

Among obstacles (posts, polygons, walls: springs and dampers with friction) the force of contact is watched every `LOOK` seconds, as tactile sensors
feel it or as `sensing` infers it from the joint torques alone. Where it comes near the `force_limit` the references give way to the measured
angles, as those of a passive joint do, and the leg's progress waits; a leg that an obstacle holds ends there, and that is said.

Torques, pin forces, slip of the pins, contact forces and work come out, so that a designer can choose motors and solenoids.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from serpenoid.contact import sums as tally
from serpenoid.control.driver import LOST, PIN_LINKS, Driver, Feeling, Motors, Touch, walls_around
from serpenoid.core import FloatArray, Robot, Status, Trajectory
from serpenoid.core.errors import InputError
from serpenoid.core.obstacles import Upright
from serpenoid.core.terrain import Box, Ground
from serpenoid.core.terrain import Obstacle as Solid
from serpenoid.gaits import Sampled
from serpenoid.gaits.concertina import duration
from serpenoid.planning.obstacles import signed_distance
from serpenoid.spatial._old import anchors as pins
from serpenoid.spatial._old.kinematics import PEAK
from serpenoid.spatial._old.walls import D_DEEPEST, D_PEAK

DEEP = 2e-3  # of a link: a start that far inside an obstacle is refused


@dataclass(frozen=True, eq=False)
class Executed:
    """What became of a plan: frames of the nodes, errors against the plan at the end of every leg, forces and work."""

    time: FloatArray  # (f,) s
    nodes: FloatArray  # (f, 8, 2) m
    heights: FloatArray  # (f, 8) m, of the nodes
    torques: FloatArray  # (f, 6) N m
    pinned: np.ndarray  # (f, 7) whether a link is pinned
    pin_forces: FloatArray  # (f, 8, 2) N
    head_errors: FloatArray  # (legs,) m, head against the plan
    settled: np.ndarray  # (legs,) whether the leg settled in time
    torque_max: FloatArray  # (6,) N m, at any step
    pin_force_max: FloatArray  # (8,) N, of the solenoids: one a link, two on the head
    pin_slip: FloatArray  # (8,) m
    normal_force_max: float  # N, of ground and obstacles
    contact_force_max: FloatArray  # (7,) N, of obstacles on the links, at any step
    penetration_max: float  # m, of links into obstacles
    positive_work: float  # J
    ends: tuple[str, ...]  # of the legs carried out: "settled", "held" by an obstacle or "late"
    status: str  # "done", or "blocked": a leg ended so far from the plan that the rest would not fit
    touches: tuple[Touch, ...]
    feelings: tuple[Feeling, ...]
    warnings: tuple[str, ...]
    driver: Driver = field(repr=False)

    def trajectory(self) -> Trajectory:
        """The run as recorded, for `view.film` and for saving; its gait is not replayed, and blocks are those above the ground."""
        from serpenoid.simulation.setup import Settings, Setup
        from serpenoid.spatial._old.record import nodes_of, variables_of

        run, robot = self.driver.run, self.driver.robot
        still = Sampled(np.linspace(0.0, 1.0, 4), np.zeros((4, len(run.d))))
        settings = Settings(max(run.time, run.dt), run.dt, record_interval=run.dt * run.stride)
        world = replace(run.world, obstacles=tuple(_above_ground(o) for o in run.world.obstacles))
        keys = Setup(robot.but(servo=self.driver.motors.servo), world, still, settings=settings).keys()
        variables = variables_of(robot, run, nodes_of(robot, run))
        return Trajectory(variables, {}, Status("ok"), self.warnings, keys, {"engine": "spatial"}, {})


def execute(
    robot: Robot, legs: Sequence[Any], motors: Motors | None = None, obstacles: Sequence[Upright] = (), *,
    ground: Ground | None = None, solids: Sequence[Solid] = (), lift: float = 0.0, stop: bool = True,
    progress: Callable[[float], Any] | None = None,
) -> Executed:  # fmt: skip
    """Carry out the legs of a plan (`planning.plan(...).legs`, `gaits.concertina.basic_cycle`) made for the robot's lengths.

    Obstacles are those of the plan, or others that it does not know. Without a `ground` it is level, and casters carry the links' middles.
    In three dimensions (universal joints: a passive vertical hinge beside each motor) there may be `solids` such as a step, and the
    head's hinge may have a motor that raises it by `lift` (rad) while it goes ahead. On level ground it ends where the robot is off the plan, unless `stop` is False.
    """
    motors = motors or Motors()
    _check(robot, legs, motors, obstacles)
    if not 0.0 <= lift < 1.5:
        raise InputError(f"lift must be from 0 to 1.5 rad, got {lift!r}")
    if robot.joints == "yaw" and (lift > 0.0 or solids):
        raise InputError('solids and a raised head need vertical hinges: give the robot joints = "universal"')
    total = sum(2.0 * duration(leg, motors.speed, motors.acceleration) + 2.0 * motors.patience + 0.5 for leg in legs)
    driver = Driver(robot, legs, motors, obstacles, ground or Ground("point", damping=200.0), total, tuple(solids))
    level = ground is None and not solids
    errors: list[float] = []
    ends: list[str] = []
    pinned: list[list[bool]] = []
    for number, leg in enumerate(legs):
        driver.set_pins(leg.pinned)
        if lift > 0.0:
            driver.raise_head(lift if leg.stage == 1 else 0.0, duration(leg, motors.speed, motors.acceleration))
        ends.append(driver.carry_out(number, leg))
        pinned += [[link in leg.pinned for link in range(1, 8)]] * (driver.run.frames - len(pinned))
        off = np.linalg.norm(driver.last_nodes() - leg.nodes(1.0)[0], axis=1)
        errors.append(float(off[-1]))
        if progress is not None:
            progress((number + 1) / len(legs))
        blocked = level and bool(off.max() > LOST * robot.link_length.mean())
        if blocked and stop:
            break  # what follows would not fit
    return _report(driver, np.array(errors), ends, np.array(pinned), blocked)


def _above_ground(solid: Solid) -> Solid:
    """What is seen of a solid: of a block that reaches below the ground its part above."""
    if not isinstance(solid, Box) or solid.centre[2] - 0.5 * solid.size[2] >= 0.0:
        return solid
    top = solid.centre[2] + 0.5 * solid.size[2]
    return replace(solid, centre=(*solid.centre[:2], 0.5 * top), size=(*solid.size[:2], top)) if top > 0.0 else solid


def _check(robot: Any, legs: Sequence[Any], motors: Any, obstacles: Any) -> None:
    """Refuse what cannot be carried out."""
    if not isinstance(robot, Robot) or not isinstance(motors, Motors):
        raise InputError(f"execute needs a Robot and Motors, got {type(robot).__name__} and {type(motors).__name__}")
    if not isinstance(obstacles, tuple | list):
        raise InputError(f"obstacles must be a tuple of Disc, Polygon or Wall, got {obstacles!r}"[:200])
    if not legs:
        raise InputError("there is no leg to carry out")
    if robot.links != 7:
        raise InputError(f"concertina plans are for seven links; {robot.name} has {robot.links}")
    lengths = np.asarray(legs[0].lengths)
    if not np.allclose(lengths, robot.link_length, rtol=1e-6):
        raise InputError(
            f"the plan is made for links of {lengths.mean():.4g} m, {robot.name} has {robot.link_length.mean():.4g} m: plan with its lengths"
        )
    nodes, scale = legs[0].nodes(0.0)[0], float(lengths.mean())
    width = float(robot.radius.max())
    for i, item in enumerate(obstacles):
        for k in range(7):
            points = nodes[k] + np.linspace(0.0, 1.0, 50)[:, None] * (nodes[k + 1] - nodes[k])
            inside = width - float(signed_distance((item,), points).min())
            if inside > DEEP * scale:
                raise InputError(f"link {k + 1} starts {inside:.3g} m inside obstacle {i}")


def _broken_through(driver: Driver) -> bool:
    """Whether an axis of a link lies in an obstacle in any frame."""
    nodes = driver.nodes()[:: max(1, driver.run.frames // 400), :, :2]
    points = np.concatenate(
        [((1.0 - f) * nodes[:, :-1] + f * nodes[:, 1:]).reshape(-1, 2) for f in (0.0, 0.25, 0.5, 0.75, 1.0)]
    )
    return bool(signed_distance(driver.obstacles, points).min() < 0.0)


def _report(driver: Driver, errors: FloatArray, ends: list[str], pinned: np.ndarray, blocked: bool) -> Executed:
    run = driver.run
    f, table, gates = run.frames, run.surface.pins, run.surface.gates
    torques = run.rec.joints[:f, driver.yaw, 2]
    nodes = driver.nodes()
    return Executed(
        np.linspace(0.0, (f - 1) * run.stride * run.dt, f), nodes[..., :2].copy(), nodes[..., 2].copy(), torques.copy(), pinned, run.rec.pins[:f].copy(),
        errors, np.array([end == "settled" for end in ends]), run.d[driver.yaw, PEAK].copy(), table[:, pins.P_PEAK].copy(),
        table[:, pins.P_SLIPPED].copy(), float(run.acc[tally.NORMAL_MAX]), gates[:, D_PEAK].copy(), float(gates[:, D_DEEPEST].max()),
        float(run.acc[tally.POSITIVE_WORK]), tuple(ends), "blocked" if blocked else "done", tuple(driver.touches.values()), tuple(driver.feelings.values()),
        tuple(_said(driver, ends, blocked)), driver,
    )  # fmt: skip


def _said(driver: Driver, ends: list[str], blocked: bool) -> list[str]:
    """Everything that did not go as planned."""
    said = []
    slip = driver.run.surface.pins[:, pins.P_SLIPPED]
    slipped = np.flatnonzero(slip > 0.0)
    if slipped.size:
        worst = int(slipped[np.argmax(slip[slipped])])
        links = ", ".join(str(i + 1) for i in sorted(set(PIN_LINKS[slipped])))
        said.append(f"pins slipped on links {links}: pin {worst + 1} by {slip[worst]:.3g} m; they hold too little")
    if blocked:
        touched = any(touch.leg == len(ends) - 1 for touch in driver.touches.values())
        why = "something that the plan does not know is in the way" if touched else "motors or pins were too weak"
        said.append(f"leg {len(ends)} ended away from the plan, and the execution with it: {why}")
    for end, text in (("held", "were held by obstacles"), ("late", "did not settle in time")):
        if end in ends:
            first = ends.index(end) + 1
            said.append(f"{ends.count(end)} of {len(ends)} legs {text}, the first is leg {first}")
    gates, limit = driver.run.surface.gates, driver.motors.force_limit
    if gates[:, D_PEAK].max() > limit:
        k = int(np.argmax(gates[:, D_PEAK]))
        said.append(
            f"the contact force on link {k + 1} reached {gates[k, D_PEAK]:.3g} N, above the limit of {limit:g} N"
        )
    if driver.walled and _broken_through(driver):
        said.append("a link's axis went into an obstacle: the run is not valid from there on")
    return said


__all__ = ["Executed", "Feeling", "Motors", "Touch", "execute", "walls_around"]
