"""Everything that determines a run, from objects or from a scenario file, and back.

`Setup` holds robot, gait or drive, world, start and `Settings`; `setup_of` builds one from a checked scenario,
`scenario_keys` writes the scenario that says the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from serpenoid.contact import LAWS
from serpenoid.core import Drive, FloatArray, Gait, Patch, Robot, Start, World, per_item
from serpenoid.core.actuator import Servo
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Box, Cylinder, Ground, HeightField, Obstacle, Pipe
from serpenoid.formats.files import read_samples, read_table
from serpenoid.gaits import WAVE_GAITS, Sampled, Serpenoid, StandingWave
from serpenoid.gaits.drives import SampledTorque, SineTorque
from serpenoid.gaits.waves import WaveGait, is_angle
from serpenoid.robots import ROBOTS

PLANE_STEP, SPACE_STEP = 2.5e-4, 1e-3  # s, defaults


@dataclass(frozen=True)
class Settings:
    """How to run: duration and step in s (or "auto" with a tolerance), integrator, interval of recorded frames."""

    duration: float
    step: float | str = PLANE_STEP
    tolerance: float = 1e-3
    integrator: str = "implicit"
    record_interval: float = 0.01
    max_link_steps: float = 5e10

    def __post_init__(self) -> None:
        for name in ("duration", "tolerance", "record_interval", "max_link_steps"):
            per_item(name, getattr(self, name), 1, 0.0, strict=True)
        if isinstance(self.step, str):
            if self.step != "auto":
                raise InputError(f'step must be a number or "auto", got {self.step!r}')
        else:
            per_item("step", self.step, 1, 0.0, strict=True)
            if self.step > self.duration:
                raise InputError(f"step {self.step:g} s is longer than the duration {self.duration:g} s")


@dataclass(frozen=True, eq=False)
class Setup:
    """Everything that determines a run."""

    robot: Robot
    world: World
    settings: Settings
    gait: Gait | None = None
    drive: Drive | None = None
    start: Start = field(default_factory=Start)
    servo: Servo | None = None
    scenario: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.servo is not None and not self.spatial:
            raise InputError("servos act in three dimensions: give the world a Ground")
        if not self.spatial and self.robot.joints != "yaw":
            raise InputError(
                f"{self.robot.name} has {self.robot.joints} joints, which the planar engine lacks; give the world a Ground "
                "(in a scenario [world.ground]) to run it in space"
            )
        if self.spatial and self.settings.integrator != "implicit":
            raise InputError(f'in space the integrator is "implicit", got {self.settings.integrator!r}')

    @property
    def spatial(self) -> bool:
        """Whether the run is in three dimensions: the world has a ground."""
        return self.world.ground is not None

    @property
    def mode(self) -> str:
        """What drives the joints: "torque", "servo" or "shape"."""
        return "torque" if self.drive is not None else "servo" if self.servo is not None else "shape"

    def keys(self) -> dict[str, Any]:
        """Describe the run as a resolved scenario."""
        return dict(self.scenario) if self.scenario is not None else scenario_keys(self)


def _number_or_list(values: FloatArray) -> float | list[float]:
    return float(values[0]) if np.all(values == values[0]) else values.tolist()


def scenario_keys(setup: Setup) -> dict[str, Any]:
    """Keys of a scenario file that says the same as the objects of a setup."""
    robot, world, start = setup.robot, setup.world, setup.start
    names = ("link_length", "link_mass", "link_inertia", "com_offset", "contact_offset", "joint_damping")
    friction = {k: v for k, v in vars(world.friction).items() if v is not None}
    friction["edge_angle_deg"] = np.degrees(world.edge_angle).tolist()
    keys: dict[str, Any] = {
        "robot": {
            "name": robot.name,
            "links": int(robot.links),
            **{k: _number_or_list(getattr(robot, k)) for k in names},
        },
        "world": {
            "gravity": world.gravity,
            "friction": {"law": world.friction.NAME, **friction},
            "patches": [
                {k: list(v) if k == "rectangle" else v for k, v in vars(p).items() if v is not None}
                for p in world.patches
            ],
            **_space_keys(world),
        },
        "start": {
            "position": list(start.position),
            "heading_deg": float(np.degrees(start.heading)),
            "velocity": list(start.velocity),
            "angular_velocity": start.angular_velocity,
            **({"height": start.height} if start.height is not None else {}),
            "pitch_deg": float(np.degrees(start.pitch)),
            "roll_deg": float(np.degrees(start.roll)),
        },
        "run": {"mode": setup.mode, **vars(setup.settings)},
    }
    keys["robot"].update(_space_robot_keys(robot))
    if setup.servo is not None:
        keys["servo"] = {k: v for k, v in vars(setup.servo).items() if v is not None}
    if setup.gait is not None:
        keys["gait"] = setup.gait.keys()
    if setup.drive is not None:
        keys["drive"] = setup.drive.keys()
    return keys


def _space_robot_keys(robot: Robot) -> dict[str, Any]:
    """Keys of a robot that matter in three dimensions."""
    keys: dict[str, Any] = {"joints": robot.joints, "radius": _number_or_list(robot.radius)}
    assert robot.axial_inertia is not None
    keys["axial_inertia"] = _number_or_list(robot.axial_inertia)
    if np.any(robot.joint_limit < 1e299):
        keys["joint_limit_deg"] = _number_or_list(np.degrees(robot.joint_limit))
    return {**keys, "locked": [int(j) for j in robot.locked], "limp": [int(j) for j in robot.limp]}


def _space_keys(world: World) -> dict[str, Any]:
    """Keys of a world's ground and obstacles."""
    ground = world.ground
    if ground is None:
        return {}
    plain = {k: v for k, v in vars(ground).items() if k not in ("slope", "slope_direction", "heights")}
    plain |= {f"{k}_deg": float(np.degrees(getattr(ground, k))) for k in ("slope", "slope_direction")}
    if ground.heights is not None:
        field = ground.heights
        plain["height_field"] = {"cell": field.cell, "origin": list(field.origin), "heights": field.heights.tolist()}
    obstacles = []
    for o in world.obstacles:
        keys = {k: list(v) if isinstance(v, tuple) else v for k, v in vars(o).items()}
        if isinstance(o, Box):
            keys["yaw_deg"] = float(np.degrees(keys.pop("yaw")))
        obstacles.append({"kind": type(o).__name__.lower(), **keys})
    return {"ground": plain, "obstacles": obstacles}


def robot_from(table: Any) -> Robot:
    """Robot of a scenario's [robot] table."""
    given = {k: v for k, v in table.model_dump().items() if v is not None and k != "preset"}
    if "joint_limit_deg" in given:
        given["joint_limit"] = np.radians(given.pop("joint_limit_deg"))
    for name in ("locked", "limp"):
        if name in given:
            given[name] = tuple(given[name])
    if table.preset is None:
        return Robot(**{"name": "robot", "joint_damping": 0.0, **given})
    if table.preset not in ROBOTS:
        raise InputError(f"robot.preset: got {table.preset!r}; allowed are {', '.join(ROBOTS)}")
    return ROBOTS[table.preset](**given)


def gait_from(table: Any) -> Gait | None:
    """Gait of a scenario's [gait] table."""
    if table is None:
        return None
    if table.kind == "serpenoid":
        return Serpenoid(
            np.radians(table.winding_angle_deg).item(), table.waves, table.speed, table.acceleration, table.stop_time
        )
    if table.kind == "standing-wave":
        return StandingWave(table.amplitude, table.waves, table.frequency)
    if table.kind in WAVE_GAITS:
        given = {k: v for k, v in table.model_dump(exclude={"kind"}).items() if v is not None}
        values = {k.removesuffix("_deg"): np.radians(v).item() if k.endswith("_deg") else v for k, v in given.items()}
        if "pole" in values:
            values["pole"] = tuple(values["pole"])
        gait: Gait = WAVE_GAITS[table.kind](**values)
        return gait
    times, angles = (table.times, table.angles) if table.file is None else read_samples(table.file)
    return Sampled(times, angles, table.ends)


def drive_from(table: Any) -> Drive | None:
    """Drive of a scenario's [drive] table."""
    if table is None:
        return None
    if table.kind == "sine":
        return SineTorque(table.amplitude, table.frequency, table.phase_per_joint)
    times, values = (table.times, table.torques) if table.file is None else read_samples(table.file)
    return SampledTorque(times, values)


def world_from(table: Any) -> World:
    """World of a scenario's [world] table."""
    law = LAWS[table.friction.law]
    names = {f.name for f in fields(law)}
    given = {k: v for k, v in table.friction.model_dump().items() if k in names and v is not None}
    if law.NAME == "none":
        given = {}
    edge = np.radians(table.friction.edge_angle_deg)
    return World(
        friction=law(**given),
        gravity=table.gravity,
        patches=tuple(Patch(tuple(p.rectangle), p.along, p.across, p.backward) for p in table.patches),
        edge_angle=float(edge) if edge.ndim == 0 else tuple(edge.tolist()),
        ground=ground_from(table.ground),
        obstacles=tuple(obstacle_from(o) for o in table.obstacles),
    )


def ground_from(table: Any) -> Ground | None:
    """Ground of a scenario's [world.ground] table."""
    if table is None:
        return None
    field = None
    if table.height_field is not None:
        f = table.height_field
        heights = f.heights if f.file is None else read_table(f.file)
        try:
            heights = np.array(heights, dtype=float)
        except ValueError as error:
            raise InputError("world.ground.height_field: every row needs the same number of heights") from error
        field = HeightField(heights, f.cell, tuple(f.origin))
    return Ground(
        model=table.model, stiffness=table.stiffness, damping=table.damping, slope=np.radians(table.slope_deg).item(),
        slope_direction=np.radians(table.slope_direction_deg).item(), plane=table.plane, heights=field, points=table.points,
    )  # fmt: skip


def obstacle_from(table: Any) -> Obstacle:
    """Obstacle of an entry of a scenario's [[world.obstacles]]."""
    if table.kind == "cylinder":
        return Cylinder(tuple(table.base), table.radius, table.length, tuple(table.axis))
    if table.kind == "box":
        return Box(tuple(table.centre), tuple(table.size), np.radians(table.yaw_deg).item())
    return Pipe(tuple(table.point), table.radius, tuple(table.axis))


def servo_from(scenario: Any) -> Servo | None:
    """Servos of a scenario in servo mode: its [servo] table, or the usual ones."""
    if scenario.run.mode != "servo":
        return None
    return Servo() if scenario.servo is None else Servo(**scenario.servo.model_dump())


def setup_of(scenario: Any) -> Setup:
    """Build the objects of a checked scenario (`formats.scenario.Scenario`)."""
    run, start = scenario.run, scenario.start
    robot = robot_from(scenario.robot)
    default = {"step": PLANE_STEP if scenario.world.ground is None else SPACE_STEP}
    settings = Settings(**default | {k: v for k, v in run.model_dump(exclude_none=True).items() if k != "mode"})
    echoed = scenario.model_dump(exclude_none=True)
    setup = Setup(
        robot=robot,
        world=world_from(scenario.world),
        settings=settings,
        gait=gait_from(scenario.gait),
        drive=drive_from(scenario.drive),
        start=Start(
            tuple(start.position),
            np.radians(start.heading_deg).item(),
            tuple(start.velocity),
            start.angular_velocity,
            start.height,
            np.radians(start.pitch_deg).item(),
            np.radians(start.roll_deg).item(),
        ),
        servo=servo_from(scenario),
    )
    resolved = scenario_keys(setup)
    resolved["robot"] = {
        **({"preset": scenario.robot.preset} if scenario.robot.preset else {}),
        **resolved["robot"],
    }
    resolved["world"]["friction"] = {**echoed["world"]["friction"], **resolved["world"]["friction"]}
    if scenario.title is not None:
        resolved["title"] = scenario.title
    return replace(setup, scenario=resolved)


def _gait_angles(gait: Any) -> list[str]:
    """Names of a gait's angles."""
    if isinstance(gait, Serpenoid):
        return ["winding_angle"]
    if isinstance(gait, WaveGait):
        return [f.name for f in fields(gait) if is_angle(f.name) and getattr(gait, f.name) is not None]
    return []


def exact_angles(setup: Setup) -> FloatArray:
    """The angles that a scenario gives in degrees, in rad: start, slope, gait, joint limits, edges. Degrees lose the last bit."""
    start, ground = setup.start, setup.world.ground
    slope = [0.0, 0.0] if ground is None else [ground.slope, ground.slope_direction]
    gait = [getattr(setup.gait, name) for name in _gait_angles(setup.gait)]
    boxes = [o.yaw for o in setup.world.obstacles if isinstance(o, Box)]
    return np.concatenate(
        [
            [start.heading, start.pitch, start.roll],
            slope,
            gait,
            boxes,
            setup.robot.joint_limit,
            np.atleast_1d(setup.world.edge_angle),
        ]
    )


def with_exact_angles(setup: Setup, angles: FloatArray) -> Setup:
    """The setup with the angles that `exact_angles` gave."""
    rest = [float(a) for a in angles]
    heading, pitch, roll, slope, direction = rest[:5]
    del rest[:5]
    gait: Any = setup.gait
    names = _gait_angles(gait)
    if names:
        gait = replace(gait, **dict(zip(names, rest, strict=False)))
    del rest[: len(names)]
    obstacles: list[Obstacle] = []
    for o in setup.world.obstacles:
        obstacles.append(replace(o, yaw=rest.pop(0)) if isinstance(o, Box) else o)
    joints = setup.robot.links - 1
    robot = setup.robot.but(joint_limit=np.array(rest[:joints]))
    edge = rest[joints:]
    ground = setup.world.ground
    if ground is not None:
        ground = replace(ground, slope=slope, slope_direction=direction)
    return replace(
        setup,
        robot=robot,
        start=replace(setup.start, heading=heading, pitch=pitch, roll=roll),
        world=replace(
            setup.world,
            edge_angle=edge[0] if len(edge) == 1 else tuple(edge),
            ground=ground,
            obstacles=tuple(obstacles),
        ),
        gait=gait,
    )
