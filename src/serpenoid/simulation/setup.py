"""Everything that determines a run, from objects or from a scenario, and back.

`Setup` holds robot, world, command, start and settings; `setup_of` builds one from the plain data of a scenario, `keys` gives the
scenario that says the same: both ways exact to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from serpenoid.core import Robot, Servo, Settings, Start, World
from serpenoid.core.command import COMMANDS
from serpenoid.core.declare import kind_of
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import shown
from serpenoid.core.settings import PLANE_STEP, SPACE_STEP
from serpenoid.formats.scenario import parts_of


def section_of(command: Any) -> str:
    """Table of a scenario to which a command belongs: "gait", "drive", "plan" or "controller"."""
    section = getattr(command, "SECTION", None)
    if isinstance(section, str):
        return section
    return "gait" if hasattr(command, "angles") else "controller"


@dataclass(frozen=True, eq=False)
class Setup:
    """Everything that determines a run; the command is a gait, a drive, a plan or a controller, or none (limp joints).

    A step that is not given becomes the usual one of the plane or of space. With a drive, `posture` is a gait whose first posture the
    robot begins in (none: straight).
    """

    robot: Robot
    world: World = field(default_factory=World)
    command: Any = None
    start: Start = field(default_factory=Start)
    settings: Settings = field(default_factory=lambda: Settings(8.0))
    posture: Any = None
    title: str | None = None

    def __post_init__(self) -> None:
        for name, cls in (("robot", Robot), ("world", World), ("start", Start), ("settings", Settings)):
            value = getattr(self, name)
            if not isinstance(value, cls):
                raise InputError(f"{name} must be a {cls.__name__}, got {shown(value)}; the order is robot, world, command, start, settings")  # fmt: skip
        if isinstance(self.command, Robot | World | Start | Settings | Servo):
            raise InputError(f"the command must be a gait, a drive, a plan or a controller, got {shown(self.command)}")
        if not self.spatial and not self.robot.planar:
            raise InputError(
                f"{self.robot.name} has {self.robot.joints_text} joints, which the planar engine lacks; give the world a Ground "
                "(in a scenario [world.ground]) to run it in space"
            )
        if self.spatial and self.settings.integrator != "implicit":
            raise InputError(f'in space the integrator is "implicit", got {self.settings.integrator!r}')
        if self.settings.step is None:
            step = min(SPACE_STEP if self.spatial else PLANE_STEP, self.settings.duration)
            object.__setattr__(self, "settings", self.settings.but(step=step))

    @property
    def spatial(self) -> bool:
        """Whether the run is in three dimensions: the world has a ground, upright obstacles or anchors."""
        return self.world.floor is not None

    @property
    def gait(self) -> Any:
        """The gait that the joints follow or, with a drive, of the first posture; None without one."""
        return self.command if section_of(self.command) == "gait" and self.command is not None else self.posture

    @property
    def drive(self) -> Any:
        """The drive that gives the torques; None without one."""
        return self.command if self.command is not None and section_of(self.command) == "drive" else None

    @property
    def servo(self) -> Servo | None:
        """The servo of all joints; None with ideal joints or under torques."""
        if self.drive is not None:
            return None
        if isinstance(self.robot.servo, tuple):
            each = set(self.robot.servo)
            return each.pop() if len(each) == 1 else None
        return self.robot.servo

    @property
    def mode(self) -> str:
        """What drives the joints: "torque", "servo" or "shape"."""
        return "torque" if self.drive is not None else "servo" if self.robot.servo is not None else "shape"

    def keys(self) -> dict[str, Any]:
        """Describe the run as a scenario; a command without keys of its own (a Python function) by its name only."""
        keys: dict[str, Any] = {} if self.title is None else {"title": self.title}
        keys["robot"] = self.robot.keys()
        for section, item in ((section_of(self.command), self.command), ("gait", self.posture)):
            if item is not None:
                keys[section] = item.keys() if hasattr(item, "keys") else {"kind": kind_of(type(item))}
        return {**keys, "world": self.world.keys(), "start": self.start.keys(), "run": self.settings.keys()}


def setup_of(
    data: Mapping[str, Any], source: str | None = None, allow: tuple[str, ...] | list[str] | None = None
) -> Setup:
    """Build the objects of a scenario's data (`formats.scenario.read`, or any dict of its keys), all errors at once."""
    source = source or str(getattr(data, "source", "scenario"))
    parts = parts_of(data, source, getattr(data, "allow", ()) if allow is None else allow)
    commands = [parts[key] for key in COMMANDS if key in parts]
    posture = commands[0] if len(commands) > 1 else None
    try:
        return Setup(
            parts["robot"], parts["world"], commands[-1], parts["start"], parts["run"], posture, parts.get("title")
        )
    except InputError as error:
        raise InputError(f"{source}: {error}") from error


__all__ = ["PLANE_STEP", "SPACE_STEP", "Settings", "Setup", "section_of", "setup_of"]
