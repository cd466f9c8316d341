"""Files that a scenario names, for its numbers: robots, samples, heights, friction maps, maps of plans; they lie in its folder or below."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

from serpenoid.core import Robot
from serpenoid.core.declare import line
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Number, Say
from serpenoid.formats.files import read_grey, read_samples, read_table
from serpenoid.formats.imported import BEWARE, Imported
from serpenoid.formats.opening import contained, named

MakeRobot = Callable[[Any, str, Say], Robot | None]


class _Beside(str):
    """A file that a scenario itself names: it lies in this folder or below."""

    within: Path | None = None

    @classmethod
    def of(cls, name: str, folder: Path, outside: bool) -> _Beside:
        """The path of a file named in a scenario of that folder."""
        made = cls(folder / name)
        made.within = None if outside else folder
        return made


def place_files(data: Any, folder: Path, outside: bool) -> None:
    """Put the scenario's folder before the names of its files; unless `outside`, they may not leave it."""
    for table in _with_files(data):
        table["file"] = _Beside.of(table["file"], folder, outside)
    plan = data.get("plan")
    source = plan.get("map") if isinstance(plan, dict) else None
    if not isinstance(source, str) or "\n" in source or is_bundled_map(source):
        return
    path = str(folder / source)
    plan["map"] = path if outside else contained(path, "map", folder)


def _with_files(data: Any) -> list[Any]:
    """The tables that name a file with their numbers."""
    found = []
    for keys in (("robot",), ("gait",), ("drive",), ("world", "ground", "heights"), ("world", "friction_map")):
        table: Any = data
        for key in keys:
            table = table.get(key) if isinstance(table, dict) else None
        if isinstance(table, dict) and isinstance(table.get("file"), str):
            found.append(table)
    gait = data.get("gait") if isinstance(data, dict) else None
    parts = gait.get("parts") if isinstance(gait, dict) else None
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, dict) and isinstance(part.get("file"), str):
            found.append(part)
    return found


def is_bundled_map(name: str) -> bool:
    """Whether a map of this name comes with the package."""
    return (
        re.fullmatch(r"[\w-]{1,60}", name) is not None
        and (resources.files("serpenoid") / "maps" / f"{name}.txt").is_file()
    )


def read_files(data: dict[str, Any], make: MakeRobot) -> None:
    """Put the numbers of named files in the place of their names; `make` gives the robot of a table, whose joints a log may name."""
    world = data.get("world")
    chart = world.get("friction_map") if isinstance(world, dict) else None
    imported: Imported | None = None
    table: dict[str, Any]
    for table in _with_files(data):
        file = table.pop("file")
        within = getattr(file, "within", None)
        own = [key for key in ("times", "values", "heights", "along", "across") if key in table]
        if own:
            raise InputError(f"give either file or {', '.join(own)}, not both ({named(file)})")
        if data.get("robot") is table:
            imported = _read_robot(data["robot"], file, within)
        elif table is chart:
            table["along"] = _factors(table, file, within)
        elif "cell" in table or "origin" in table:
            table["heights"] = read_table(file, within).tolist()
        elif data.get("drive") is table:
            times, values = read_samples(file, within)
            table["times"], table["values"] = times.tolist(), values.tolist()
        else:
            _read_log(table, file, within, make(data.get("robot"), "robot", lambda *_: None), imported)


def _read_robot(table: dict[str, Any], file: str, within: Path | None) -> Imported:
    """Put the numbers of a URDF or MJCF file into a robot's table; keys that stand in the table itself come first."""
    from serpenoid.formats.mjcf_import import read_mjcf
    from serpenoid.formats.urdf import read_urdf

    for key in ("preset", "links"):
        if key in table:
            raise InputError(f"robot: give either file or {key}, not both")
    reader = read_urdf if str(file).lower().endswith(".urdf") else read_mjcf
    found = reader(str(file), None if within is None else str(within))
    keys = found.robot.keys()
    beware = [
        text
        for text in found.warnings
        if not ("link_mass" in table and " kg" in text) and not ("servo" in table and "servo" in text)
    ]
    if beware:
        keys["source"] = f"{found.robot.source}. {BEWARE}{'; '.join(beware)}"[:1000]
    table.update({key: value for key, value in keys.items() if key not in table and f"{key}_deg" not in table})
    return found


def _read_log(
    table: dict[str, Any], file: str, within: Path | None, robot: Robot | None, imported: Imported | None
) -> None:
    """Put the samples of a joint log into a gait's table, in the order of the robot's joints."""
    from serpenoid.formats.joint_logs import read_log, samples_for

    log = read_log(file, within)
    values = log.values
    if robot is not None:
        joints = dict(zip(imported.joints, imported.signs.tolist(), strict=True)) if imported is not None else {}
        values = samples_for(log, robot, named(file), joints)
    table["times"], table["values"] = log.times.tolist(), values.tolist()


def _factors(table: dict[str, Any], file: str, within: Path | None) -> list[list[float]]:
    """Factors of a friction map: a table of them, or a picture, `black` where it is black and `white` where it is white."""
    ends = {key: table.pop(key, usual) for key, usual in (("black", 0.0), ("white", 1.0))}
    if not str(file).lower().endswith(".png"):
        found: list[list[float]] = read_table(file, within).tolist()
        return found
    wrong: list[str] = []
    for key, value in ends.items():
        Number(low=0.0).take(value, f"world.friction_map.{key}", lambda path, what: wrong.append(line(path, what)), {})
    if wrong:
        raise InputError(wrong[0])
    found = (ends["black"] + (ends["white"] - ends["black"]) * read_grey(file, within)).tolist()
    return found
