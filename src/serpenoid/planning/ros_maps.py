"""A map as ROS saves it: `map.yaml` beside a picture (PGM or PNG), as `map_saver` writes and `map_server` reads them.

| key | meaning |
|---|---|
| `image` | the picture, in the folder of the yaml file or below |
| `resolution` | side of a pixel, m |
| `origin` | x, y, yaw of the lower left corner; yaw must be 0 |
| `negate` | 0: dark is occupied; 1: bright is |
| `occupied_thresh`, `free_thresh` | a pixel is free where its occupancy p < free_thresh |
| `mode` | `trinary` (usual) or `scale`; `raw` is refused |

p = 1 - brightness (negate 0) or brightness. A pixel that is not free is a wall, unknown ones too: a body goes only where the map knows that it can. The
outermost pixels are walls, for nothing is known beyond them. The middle of the lower left pixel is the place (0, 0) of the `Map`; a place of ROS is
that of the map plus `origin` and half a pixel. Source: https://docs.ros.org/en/jazzy/p/nav2_map_server/ and http://wiki.ros.org/map_server.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

from serpenoid.core.errors import InputError
from serpenoid.formats.opening import inside, named, text_of
from serpenoid.planning.maps import PICTURES, Map, light_of

MOST_YAML = 10_000  # bytes
KEYS = ("image", "resolution", "origin", "negate", "occupied_thresh", "free_thresh", "mode")
USUAL: dict[str, Any] = {"negate": 0, "occupied_thresh": 0.65, "free_thresh": 0.196, "mode": "trinary"}
_LINE = re.compile(r"([A-Za-z_]{1,40})\s*:(?:\s+(.*))?")


def read_ros(path: str | Path, cell: float | None = None) -> Map:
    """A map from a `map.yaml` and its picture; `cell` (m) wins over the file's resolution."""
    source = named(path)
    given = {**USUAL, **_entries(text_of(path, "map", MOST_YAML), source)}
    for key in ("image", "resolution"):
        if key not in given:
            raise InputError(f"{source}: {key} is missing")
    resolution = _number(given, "resolution", source, 1e-6, 1e6)
    origin = given.get("origin", [0.0, 0.0, 0.0])
    if not isinstance(origin, list) or len(origin) != 3 or not all(_is_finite(v) for v in origin):
        raise InputError(f"{source}: origin must be three finite numbers x, y, yaw, got {str(origin)[:60]}")
    if float(origin[2]) != 0.0:
        raise InputError(f"{source}: origin has a yaw of {float(origin[2]):g}; a map that is turned is not read")
    negate = _number(given, "negate", source, 0.0, 1.0)
    if negate not in (0.0, 1.0) or given["mode"] not in ("trinary", "scale"):
        raise InputError(
            f"{source}: negate must be 0 or 1 and mode trinary or scale, got {given['negate']} and {given['mode']}"
        )
    free, occupied = (_number(given, key, source, 0.0, 1.0) for key in ("free_thresh", "occupied_thresh"))
    if not free < occupied:
        raise InputError(f"{source}: free_thresh must be less than occupied_thresh, got {free:g} and {occupied:g}")
    image = str(given["image"])
    if Path(image).suffix.lower() not in PICTURES:
        raise InputError(f"{source}: image must be a file that ends in {', '.join(PICTURES)}, got {image[:60]!r}")
    light = light_of(inside(str(Path(path).parent / image), f"{source}: the image", Path(path).parent))
    walls = ~((light if negate else 1.0 - light) < free)[::-1].T
    walls[[0, -1], :] = walls[:, [0, -1]] = True
    area = Map(walls, resolution, Path(path).stem)
    return area if cell is None else area.sized(cell)


def _entries(text: str, source: str) -> dict[str, Any]:
    """The flat keys of a yaml text: words, numbers, and lists in brackets or line by line."""
    found: dict[str, Any] = {}
    open_list: list[str] | None = None
    for number, raw in enumerate(text.splitlines(), 1):
        line = re.sub(r"(^|\s)#.*", "", raw).rstrip()
        if not line.strip() or line in ("---", "..."):
            continue
        if open_list is not None and (item := re.fullmatch(r"\s*-\s+(\S.*)", line)):
            open_list.append(item[1].strip())
            continue
        entry = _LINE.fullmatch(line)
        if entry is None or entry[1] in found:
            raise InputError(
                f"{source}: line {number} is no entry `key: value` of a map" + (" or repeats one" if entry else "")
            )
        key, value, open_list = entry[1], (entry[2] or "").strip(), None
        if key not in KEYS:
            raise InputError(f"{source}: line {number}: unknown key {key}; allowed are {', '.join(KEYS)}")
        if not value:
            open_list = found[key] = []
        elif value.startswith("[") and value.endswith("]"):
            found[key] = [part.strip() for part in value[1:-1].split(",")]
        else:
            found[key] = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value
    return found


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError):
        return False


def _number(given: dict[str, Any], key: str, source: str, low: float, high: float) -> float:
    value = given[key]
    if not _is_finite(value) or not low <= float(value) <= high:
        raise InputError(f"{source}: {key} must be a number from {low:g} to {high:g}, got {str(value)[:60]!r}")
    return float(value)
