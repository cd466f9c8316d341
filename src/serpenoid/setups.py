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
from serpenoid.control import SampledTorque, SineTorque
from serpenoid.core import Drive, FloatArray, Gait, Patch, Robot, Start, World, per_item
from serpenoid.errors import InputError
from serpenoid.formats.files import read_samples
from serpenoid.gaits import Sampled, Serpenoid, StandingWave
from serpenoid.robots import ROBOTS


@dataclass(frozen=True)
class Settings:
    """How to run: duration and step in s (or "auto" with a tolerance), integrator, interval of recorded frames."""

    duration: float
    step: float | str = 2.5e-4
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
    scenario: Mapping[str, Any] | None = None

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
        },
        "start": {
            "position": list(start.position),
            "heading_deg": float(np.degrees(start.heading)),
            "velocity": list(start.velocity),
            "angular_velocity": start.angular_velocity,
        },
        "run": {"mode": "shape" if setup.drive is None else "torque", **vars(setup.settings)},
    }
    if setup.gait is not None:
        keys["gait"] = setup.gait.keys()
    if setup.drive is not None:
        keys["drive"] = setup.drive.keys()
    return keys


def robot_from(table: Any) -> Robot:
    """Robot of a scenario's [robot] table."""
    given = {k: v for k, v in table.model_dump().items() if v is not None and k != "preset"}
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
        return Serpenoid(np.radians(table.winding_angle_deg).item(), table.waves, table.speed, table.acceleration)
    if table.kind == "standing-wave":
        return StandingWave(table.amplitude, table.waves, table.frequency)
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
    )


def setup_of(scenario: Any) -> Setup:
    """Build the objects of a checked scenario (`formats.scenario.Scenario`)."""
    run, start = scenario.run, scenario.start
    robot = robot_from(scenario.robot)
    settings = Settings(**{k: v for k, v in run.model_dump().items() if k != "mode"})
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
        ),
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


def exact_angles(setup: Setup) -> FloatArray:
    """The angles that a scenario gives in degrees, in rad: heading, winding angle, edge angles. Degrees lose the last bit."""
    winding = getattr(setup.gait, "winding_angle", 0.0)
    return np.concatenate([[setup.start.heading, winding], np.atleast_1d(setup.world.edge_angle)])


def with_exact_angles(setup: Setup, angles: FloatArray) -> Setup:
    """The setup with the angles that `exact_angles` gave."""
    edge = float(angles[2]) if angles.size == 3 else tuple(angles[2:].tolist())
    gait: Any = setup.gait
    if isinstance(gait, Serpenoid):
        gait = replace(gait, winding_angle=float(angles[1]))
    return replace(
        setup,
        start=replace(setup.start, heading=float(angles[0])),
        world=replace(setup.world, edge_angle=edge),
        gait=gait,
    )
