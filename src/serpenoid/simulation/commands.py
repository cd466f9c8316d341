"""What a command is: a gait, a drive, a controller, a plan, or nothing.

| kind | what it has |
|---|---|
| gait | `row(robot)` and `angles(robot, t)`: time to joint angles |
| drive | `row(robot, axes)` and torques: time to joint torques |
| controller | `command(state, t)` and `period`: state to either |
| plan | `prepare(robot, world, start)`: what carries it out, and what it brings along |
"""

from __future__ import annotations

from typing import Any

from serpenoid.core import Robot, Start, World
from serpenoid.core.declare import Description
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import shown
from serpenoid.gaits.drives import DRIVES


def kind_of_command(command: Any) -> str | None:
    """Which kind of command this is, None for none; anything else is refused."""
    if command is None:
        return None
    kind = _KNOWN.get(type(command))
    if kind is None:
        kind = _looked_up(command)
        if isinstance(command, Description):  # whose class says it all
            _KNOWN[type(command)] = kind
    return kind


_KNOWN: dict[type, str] = {}


def _looked_up(command: Any) -> str:
    """The kind by what a command can do."""
    if callable(getattr(command, "prepare", None)):
        return "plan"
    if callable(getattr(command, "command", None)) and hasattr(command, "period"):
        return "controller"
    if isinstance(command, tuple(DRIVES.values())):
        return "drive"
    if hasattr(command, "angles") and hasattr(command, "NAME"):
        return "gait"
    hint = ""
    if callable(command):
        hint = "; wrap a function of state and time: sp.control.Controller(function, period=0.02)"
    elif isinstance(command, World | Robot | Start):
        hint = f"; the order is simulate(robot, command, world, duration), and this is a {type(command).__name__}"
    raise InputError(f"the command must be a gait, a drive, a controller or a plan, got {shown(command)}{hint}")


def name_of_command(command: Any) -> str:
    """A command in a few words."""
    kind = kind_of_command(command)
    if kind is None:
        return "limp joints"
    words = {"gait": "gait", "drive": "torques", "controller": "", "plan": "plan"}
    return f"{getattr(command, 'NAME', type(command).__name__)} {words[kind]}".strip()


def check_parts(robot: Any, command: Any, world: Any, start: Any) -> None:
    """Refuse things of the wrong kind or in the wrong order, and say which was meant."""
    for name, value, wanted in (("robot", robot, Robot), ("world", world, World), ("start", start, Start)):
        if (value is None and name != "robot") or isinstance(value, wanted):
            continue
        hint = ""
        if callable(value) and name == "robot":
            hint = "; call it: sp.robots.ma2001()"
        elif isinstance(value, Robot | World | Start) or hasattr(value, "NAME"):
            hint = "; the order is simulate(robot, command, world, duration)"
        elif isinstance(value, int | float) and name == "world":
            hint = "; the order is simulate(robot, command, world, duration): give duration=... by name"
        raise InputError(f"{name} must be a {wanted.__name__}, got {shown(value)}{hint}")
    kind_of_command(command)
