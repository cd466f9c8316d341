"""What is public: the rooms and the open modules, their names, methods, properties and signatures, as one list.

    python docs/site/public.py        writes docs/api.txt anew

Public is what `serpenoid` itself, the `__all__` of its rooms and the modules in `OPEN` show. A name that is shown in several
places stands where it is shown first; there the others point. A class lists what the public classes that it is made from do not have.
"""

from __future__ import annotations

import importlib
import inspect
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from serpenoid.core.declare import Description

LIST = Path(__file__).resolve().parents[1] / "api.txt"
COMMAND = "python docs/site/public.py"
OPEN = {  # modules below a room that the documentation names, and what they show
    "core.errors": ("InputError", "NumericalError", "SerpenoidError", "StorageError"),
    "core.quantities": ("Angle", "Choice", "Flag", "Number", "Text", "Whole"),
    "gaits.fit": ("Fit", "fit", "forward", "off_curve"),
    "gaits.waves": ("Wave", "WaveGait"),
    "control.servo_driver": ("DriveReport", "Port", "SerialPort", "ServoDriver"),
    "control.simulated_bus": ("SimulatedBus",),
    "planning.maps": ("bundled", "from_array", "from_picture", "from_polygons", "from_text", "light_of", "read"),
    "robots.servos": ("ServoMotor", "mx106", "mx64", "sts3215", "xl320", "xl330"),
    "simulation.cells": ("Variations",),
    "simulation.metrics": ("METRICS", "register"),
    "simulation.sizing": ("sized",),
    "formats.bus": ("BUSES", "Bus", "BusTable", "bus_named", "commands_from", "read_bus_table", "table_of", "write_bus_table"),
    "formats.easing": ("APPROACH", "eased"),
    "formats.motion": ("Commands", "axis_names", "commands_of", "quaternions_of", "rotations_of", "vtp_text", "write_csv", "write_mcap", "write_rosbag", "write_vtk"),
    "view.concertina": ("forces_figure", "steps_figure"),
    "view.gradient": ("gradient_figure",),
    "view.plans": ("plan_film",),
    "view.search": ("search_figure",),
    "view.style": ("BLUE", "GREEN", "GREY", "LINES", "ORANGE", "PURPLE", "RED", "canvas", "caption", "dress", "save", "using"),
    "view.sweep": ("sweep_figure", "sweep_plot"),
    "envs.policies": ("CPGPolicy", "JointPolicy", "RandomPolicy", "WavePolicy", "joints_of_wave"),
    "envs.protocol": ("rollout", "score"),
    "envs.training": ("best_wave", "joint_scale", "train", "wave_scale"),
}  # fmt: skip
RECEIVED = (  # classes whose objects are given to users, not made by them; and protocols
    "core.Drive", "core.Gait", "core.Status", "core.Trajectory", "core.Variable", "control.AdmittanceController", "control.CPGController", "control.Feeling",
    "control.LineOfSightController", "control.SteeringController", "control.Touch", "control.servo_driver.DriveReport", "control.servo_driver.Port", "formats.bus.Bus", "gaits.fit.Fit", "gradients.Gradient", "gradients.Gradients", "gradients.Slope",
    "optimise.Optimum", "planning.ConcertinaSolution", "planning.Contact", "planning.Following", "planning.HarmonicField", "planning.PathSolution", "planning.PlannedPath",
    "planning.SettledPosture", "robots.servos.ServoMotor", "shapes.Curve", "shapes.Model", "simulation.Batch", "simulation.State", "sweeps.Sweep", "view.Scene",
)  # fmt: skip
HOOKS = {  # methods that a run calls on what it is made of, and a description on its fields; not for calls from outside
    "act", "allowed", "area", "at_rest", "bent", "blends", "close_extras", "command", "execution_memory", "first_angles", "fits", "give_way", "hint", "joint_table", "judged", "keep_peaks",
    "look", "march", "must_equal", "note", "number", "path_memory", "peak", "plain", "prepare", "put", "raise_problem", "recall", "recall_execution", "recall_path", "restore_rows",
    "row_in_space", "rows", "scalars", "scalars_in_space", "schema", "seen", "slope", "stand_in", "sticking", "take", "take_degrees", "value", "within",
    "Creeper.finish", "Feeder.finish", "Map.curvature_text", "Map.length_text", "Map.place_text", "ServoDriver.ask", "ServoDriver.ask_surely", "ServoDriver.confirmed",
    "ServoDriver.goals_and_places", "ServoDriver.heard", "ServoDriver.put_surely", "ServoDriver.quiet", "ServoMotor.servo", "Shape.grid", "Shape.sampled",
}  # fmt: skip
ROOMS = (
    "core", "robots", "gaits", "contact", "control", "planning", "shapes", "simulation", "peers", "gradients", "optimise", "sweeps", "view", "formats", "studio",
    "studies", "envs",
)  # fmt: skip


def module(path: str) -> Any:
    """A module of the package, by its path in it."""
    return importlib.import_module(f"serpenoid.{path}" if path else "serpenoid")


def places() -> list[str]:
    """Paths of everything that shows public names: the package itself, rooms, open modules."""
    return ["", *ROOMS, *OPEN]


def shown(place: str) -> list[str]:
    """Names that a place shows."""
    return sorted(OPEN.get(place, ()) or module(place).__all__)


def names() -> Iterator[tuple[str, str, Any]]:
    """Place, name and thing of every public name; modules are places of their own."""
    for place in places():
        for name in shown(place):
            thing = getattr(module(place), name)
            if not isinstance(thing, types.ModuleType):
                yield place, name, thing


def signature(thing: Any) -> str:
    """Arguments with their defaults, without types; empty where there are none to be known."""
    try:
        given = inspect.signature(thing)
    except (TypeError, ValueError):
        return "()"
    plain = [p.replace(annotation=p.empty) for p in given.parameters.values() if p.name not in ("self", "cls")]
    brief = [p if p.default is p.empty or (len(repr(p.default)) < 30 and "<" not in repr(p.default)) else p.replace(default=...) for p in plain]  # fmt: skip
    return str(given.replace(parameters=brief, return_annotation=given.empty)).replace("Ellipsis", "...")


def members(cls: type) -> list[tuple[str, str, Any]]:
    """Public methods and properties that a class of ours defines or inherits from ours: kind ("method", "property"), name and thing."""
    found = []
    for name in dir(cls):
        thing = inspect.getattr_static(cls, name)
        home = next((base for base in cls.__mro__ if name in base.__dict__), object)
        inherited = home is Description and cls is not Description
        hook = name in HOOKS or f"{cls.__name__}.{name}" in HOOKS
        if name.startswith("_") or hook or inherited or not home.__module__.startswith("serpenoid"):
            continue
        if isinstance(thing, property):
            found.append(("property", name, thing))
        elif isinstance(thing, classmethod | staticmethod | types.FunctionType):
            found.append(("method", name, getattr(cls, name)))
    return found


def received(cls: type) -> bool:
    """Whether users are given objects of a class and do not make them, or raise them."""
    return issubclass(cls, Exception) or any(
        cls is getattr(module(path.rpartition(".")[0]), path.rpartition(".")[2]) for path in RECEIVED
    )


def is_data(thing: Any) -> bool:
    """Whether a public name is neither a class nor a function."""
    return not callable(thing) or isinstance(thing, types.GenericAlias)


def own_lines(cls: type) -> list[str]:
    """Methods and properties of a class, inherited ones too."""
    return [name + (signature(thing) if kind == "method" else "") for kind, name, thing in members(cls)]


def lines() -> list[str]:
    """The list, line by line."""
    out, first = [], dict[int, str]()
    classes = {thing for _, _, thing in names() if inspect.isclass(thing)}
    for place, name, thing in names():
        path = f"{place}.{name}" if place else name
        full = f"serpenoid.{path}"
        if is_data(thing):
            out.append(full)
        elif id(thing) in first:
            out.append(f"{full} = {first[id(thing)]}")
        elif inspect.isclass(thing):
            first[id(thing)] = full
            out.append(f"{full}{'' if received(thing) else signature(thing)}")
            known = {line for base in thing.__mro__[1:] if base in classes for line in own_lines(base)}
            out += [f"{full}.{line}" for line in own_lines(thing) if line not in known]
        else:
            first[id(thing)] = full
            out.append(f"{full}{signature(thing)}")
    return out


def text() -> str:
    """The whole file."""
    head = f"# Public names with their arguments. Written by `{COMMAND}`; what is promised: docs/extending.md.\n"
    return head + "\n".join(lines()) + "\n"


if __name__ == "__main__":
    LIST.write_text(text())
