"""Everything that determines a run, from objects or from a scenario, and back.

`Setup` holds robot, world, command, start and settings; `setup_of` builds one from the plain data of a scenario, `keys` gives the
scenario that says the same: both ways exact to the last bit.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

import numpy as np

from serpenoid.control.controller import Controller
from serpenoid.core import Robot, Settings, Start, World
from serpenoid.core.command import COMMANDS
from serpenoid.core.declare import quantity_of
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Quantity, shown
from serpenoid.core.settings import PLANE_STEP, SPACE_STEP
from serpenoid.formats.scenario import parts_of
from serpenoid.simulation.commands import kind_of_command, name_of_command


def section_of(command: Any) -> str:
    """Table of a scenario to which a command belongs: "gait", "drive", "plan" or "controller"."""
    section = getattr(command, "SECTION", None)
    return section if isinstance(section, str) else kind_of_command(command) or "gait"


def brings_own(command: Any) -> bool:
    """Whether a controller brings its own part of the description: servos, anchors, obstacles, a start."""
    return kind_of_command(command) == "controller" and all(
        callable(getattr(command, name, None)) for name in ("robot", "world", "start")
    )


@dataclass(frozen=True, eq=False)
class Setup:
    """Everything that determines a run; the command is a gait, a drive, a plan or a controller, or none (limp joints).

    A step that is not given becomes the usual one of the plane or of space. With a drive, `posture` is a gait whose first posture the
    robot begins in (none: `start.angles`, or straight). `plan` is the plan that the command carries out, if it came from one.
    """

    robot: Robot
    world: World = field(default_factory=World)
    command: Any = None
    start: Start = field(default_factory=Start)
    settings: Settings = field(default_factory=Settings)
    posture: Any = None
    title: str | None = None
    origin: Setup | None = None  # the description with the plan that this one carries out

    def __post_init__(self) -> None:
        for name, cls in (("robot", Robot), ("world", World), ("start", Start), ("settings", Settings)):
            value = getattr(self, name)
            if not isinstance(value, cls):
                raise InputError(f"{name} must be a {cls.__name__}, got {shown(value)}; the order is robot, world, command, start, settings")  # fmt: skip
        kind = kind_of_command(self.command)
        if not self.spatial and not self.robot.planar and kind != "plan" and not brings_own(self.command):
            raise InputError(
                f"{self.robot.name} has {self.robot.joints_text} joints, which the planar engine lacks; give the world a Ground "
                "(in a scenario [world.ground]) to run it in space"
            )
        if self.spatial and self.settings.integrator != "implicit":
            raise InputError(f'in space the integrator is "implicit", got {self.settings.integrator!r}')
        angles = self.start.angles
        if angles is not None and len(np.atleast_1d(angles)) != len(self.robot.axes):
            raise InputError(f"start.angles: give one angle per degree of freedom, {len(self.robot.axes)}, got {len(np.atleast_1d(angles))}")  # fmt: skip
        if angles is not None and kind == "gait":
            raise InputError("start.angles: a gait begins with its own angles at t = 0; leave start.angles out")
        self._check_start(kind)
        if self.settings.step is None and kind != "plan":  # whose world is known only when it is prepared
            usual = SPACE_STEP if self.spatial or brings_own(self.command) else PLANE_STEP
            step = usual if self.settings.duration is None else min(usual, self.settings.duration)
            object.__setattr__(self, "settings", self.settings.but(step=step))

    def _check_start(self, kind: str | None) -> None:
        """Refuse what a start says and nothing would heed."""
        start, rates = self.start, self.start.rates
        if kind == "plan" and section_of(self.command) == "plan":
            self._leave_out(Start(), None)
        if kind != "plan" and not brings_own(self.command) and not self.spatial:
            for name in ("height", "pitch", "roll"):
                if getattr(start, name) not in (None, 0.0):
                    raise InputError(
                        f"start.{name}: in the plane a robot lies level; leave it out, or give the world a Ground to run it in space"
                    )
        if rates is None:
            return
        if kind == "gait":
            raise InputError("start.rates: a gait begins with its own rates at t = 0; leave start.rates out")
        if kind == "plan" or brings_own(self.command):
            raise InputError("start.rates: a plan begins at rest; leave start.rates out")
        if isinstance(rates, str):
            if self.posture is None:
                raise InputError(
                    'start.rates = "posture" takes the rates of a gait beside a drive, and there is none; give one number per degree of freedom'
                )
        elif len(np.atleast_1d(rates)) != len(self.robot.axes):
            raise InputError(f"start.rates: give one rate per degree of freedom, {len(self.robot.axes)}, got {len(np.atleast_1d(rates))}")  # fmt: skip

    def _leave_out(self, start: Start, servo: Any) -> None:
        """Refuse a start and servos beside a command that brings its own."""
        own, usual = start.keys(), Start().keys()
        for name, value in self.start.keys().items():
            if value not in (own.get(name), usual.get(name)):
                raise InputError(f"start.{name}: a plan begins where it says; leave start.{name} out")
        if self.robot.servo is not None and self.robot.servo != servo:
            raise InputError(
                "robot.servo: a plan brings its own servos (plan.drive.servo, or plan.motors.servo of a concertina); leave robot.servo out"
            )

    @property
    def spatial(self) -> bool:
        """Whether the run is in three dimensions: the world has a ground, upright obstacles or anchors."""
        return self.world.floor is not None

    @property
    def gait(self) -> Any:
        """The gait that the joints follow; None without one."""
        return self.command if kind_of_command(self.command) == "gait" else None

    @property
    def drive(self) -> Any:
        """The drive that gives the torques; None without one."""
        return self.command if kind_of_command(self.command) == "drive" else None

    @property
    def first_posture(self) -> Any:
        """What the robot begins as under torques: a gait's posture at t = 0, angles, or None (straight)."""
        if self.posture is not None:
            return self.posture
        return None if self.start.angles is None else np.atleast_1d(np.asarray(self.start.angles, dtype=float))

    def prepared(self, progress: Any = None) -> Setup:
        """With a plan: the description of what carries it out; else itself."""
        if brings_own(self.command):
            command: Any = self.command
            robot, start = command.robot(self.robot), command.start()
            self._leave_out(start, robot.servo)
            settings = (
                self.settings if self.settings.duration is not None else self.settings.but(duration=command.longest)
            )
            return replace(
                self,
                robot=robot,
                world=command.world(self.world),
                start=start,
                settings=settings,
            )
        if kind_of_command(self.command) != "plan":
            return self
        robot, world, command, start, longest = self.command.prepare(self.robot, self.world, self.start, progress)
        settings = self.settings if self.settings.duration is not None else self.settings.but(duration=longest)
        return replace(self, robot=robot, world=world, command=command, start=start, settings=settings, origin=self)

    def copied(self) -> Setup:
        """The same with a controller of its own, if it remembers something; what it does not tell by `memory` stays shared."""
        command = self.command
        if kind_of_command(command) != "controller":
            return self
        tells = hasattr(command, "recall") and getattr(type(command), "memory", None) is not Controller.memory
        if not tells and not hasattr(command, "first_angles"):
            return self
        try:
            return replace(self, command=copy.deepcopy(command))
        except (TypeError, copy.Error):  # it holds a file, a lock, ...
            own = object.__new__(type(command))
            own.__dict__.update(command.__dict__)
            own.recall(copy.deepcopy(command.memory()))
            return replace(self, command=own)

    def must_equal(self, keys: Mapping[str, Any]) -> None:
        """Refuse the scenario of another robot, world or command."""
        for path, mine, theirs in _differences(self.keys(), keys):
            if not path.startswith(("run.", "title")):
                raise InputError(
                    f"this state belongs to another description: {path} is {theirs!r} there and {mine!r} here"[:300]
                )

    def keys(self) -> dict[str, Any]:
        """Describe the run as a scenario; a command without keys of its own (a Python function) by its name only."""
        if self.origin is not None:
            return {**self.origin.keys(), "run": self.settings.keys()}
        keys: dict[str, Any] = {} if self.title is None else {"title": self.title}
        keys["robot"] = self.robot.keys()
        for section, item in ((section_of(self.command), self.command), ("gait", self.posture)):
            if item is not None:
                keys[section] = item.keys() if hasattr(item, "keys") else {"kind": f"python:{name_of_command(item)}"}
        return {**keys, "world": self.world.keys(), "start": self.start.keys(), "run": self.settings.keys()}


def part_at(setup: Setup, key: str) -> Any:
    """The part of a description whose field a key names ("world.friction.along": the friction law); None where there is none."""
    table, *path = key.split(".")
    parts = {"robot": setup.robot, "world": setup.world, "start": setup.start, "run": setup.settings}
    parts |= {"gait": setup.posture} if setup.posture is not None else {}
    if setup.command is not None:
        parts[section_of(setup.command)] = setup.command
    item: Any = parts.get(table)
    for name in path[:-1]:
        item = getattr(item, name, None)
    return item if path and is_dataclass(item) else None


def declaration_at(setup: Setup, key: str) -> Quantity | None:
    """Declaration of the field that a key names; None where it is no field, such as a parameter of a preset."""
    item, name = part_at(setup, key), key.rpartition(".")[2]
    known = {} if item is None else {f.name: f for f in fields(item)}
    found = known.get(name) or known.get(name.removesuffix("_deg"))
    return None if found is None else quantity_of(found)


def _differences(one: Any, other: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Keys that differ, with both values."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in {**one, **other}:
            yield from _differences(one.get(key), other.get(key), f"{path}.{key}" if path else str(key))
    elif one != other:
        yield path, one, other


@door
def setup_of(
    data: Mapping[str, Any],
    source: str | None = None,
    allow: tuple[str, ...] | list[str] | None = None,
    command: Any = None,
    limp: bool = False,
) -> Setup:
    """Build the objects of a scenario's data (`formats.scenario.read`, or any dict of its keys), all errors at once.

    `command` stands for a controller that the data can only name: a Python function; `limp`: it may name none at all.
    """
    source = source or str(getattr(data, "source", "scenario"))
    table = data.get("controller")
    named = str(table.get("kind", "")) if isinstance(table, Mapping) else ""
    if command is not None or named.startswith("python:"):
        if command is None:
            raise InputError(
                f"{source}: this run was under a Python controller ({named.removeprefix('python:')}); give it again as command="
            )
        data = {key: value for key, value in data.items() if key not in COMMANDS}
    parts = parts_of(
        data, source, getattr(data, "allow", ()) if allow is None else allow, needs_command=command is None and not limp
    )
    return assembled(parts, source, command)


def assembled(parts: Mapping[str, Any], source: str, command: Any = None) -> Setup:
    """The description that parts make (by the names of their tables); `command`: the one in force where no table gives one."""
    commands = [parts[key] for key in COMMANDS if key in parts] or [command]
    posture = commands[0] if len(commands) > 1 else None
    try:
        return Setup(
            parts["robot"], parts["world"], commands[-1], parts["start"], parts["run"], posture, parts.get("title")
        )
    except InputError as error:
        raise InputError(f"{source}: {error}") from error


__all__ = [
    "PLANE_STEP",
    "SPACE_STEP",
    "Settings",
    "Setup",
    "assembled",
    "declaration_at",
    "part_at",
    "section_of",
    "setup_of",
]
