"""Maps as ROS saves them: what is free is what map_server calls free; files that are no maps are refused, and nothing outside is opened."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from serpenoid.core.errors import InputError
from serpenoid.formats.scenario import read
from serpenoid.planning import maps
from serpenoid.planning.path_plan import PathPlan

YAML = "image: room.pgm\nresolution: 0.05\norigin: [-10.0, -2.5, 0.0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"
FREE, UNKNOWN, OCCUPIED = 254, 205, 0  # as map_saver writes them


def room() -> np.ndarray:
    """Pixels, the first row on top: a room in the unknown, with a wall in it that leaves a gap below."""
    pixels = np.full((14, 20), UNKNOWN, dtype=np.uint8)
    pixels[2:12, 3:17] = FREE
    pixels[2:9, 9] = OCCUPIED
    pixels[12, 3:17] = OCCUPIED
    return pixels


def saved(folder: Path, pixels: np.ndarray, yaml: str = YAML, name: str = "room.pgm") -> Path:
    head = f"P5\n# CREATOR: map_saver 0.050 m/pix\n{pixels.shape[1]} {pixels.shape[0]}\n255\n".encode()
    (folder / name).write_bytes(head + pixels.tobytes())
    (folder / "map.yaml").write_text(yaml)
    return folder / "map.yaml"


def test_free_pixels_are_free(tmp_path: Path) -> None:
    area = maps.read(saved(tmp_path, room()))
    assert area.cell == 0.05 and area.unit == "m" and area.walls.shape == (20, 14)
    assert np.array_equal(area.free, (room() == FREE)[::-1].T)  # unknown counts as a wall
    assert maps.read(tmp_path / "map.yaml", cell=0.1).cell == 0.1
    listed = YAML.replace("[-10.0, -2.5, 0.0]", "\n- -10.0\n- -2.5\n- 0.0").replace(
        "room.pgm", '"room.pgm"  # the picture'
    )
    assert np.array_equal(maps.read(saved(tmp_path, room(), listed)).walls, area.walls)
    dark = YAML.replace("negate: 0", "negate: 1")
    assert np.array_equal(maps.read(saved(tmp_path, 255 - room(), dark)).walls, area.walls)


def test_thresholds_decide_what_is_free(tmp_path: Path) -> None:
    wide = maps.read(saved(tmp_path, room(), YAML.replace("0.196", "0.25")))
    assert wide.free.sum() > maps.read(saved(tmp_path, room())).free.sum()
    assert wide.walls[0].all() and wide.walls[:, -1].all()  # nothing is known beyond the picture


def test_a_body_goes_through_it(tmp_path: Path) -> None:
    scenario = tmp_path / "through.toml"
    saved(tmp_path, np.kron(room(), np.ones((2, 2), dtype=np.uint8)), YAML.replace("0.05", "0.1"))
    scenario.write_text(
        '[robot]\nlinks = 4\nlink_length = 0.2\nlink_mass = 0.2\nradius = 0.02\n[plan]\nkind = "path"\nmap = "map.yaml"\nstart = [1.0, 1.0]\n'
        "goals = [[3.0, 1.0]]\n[run]\nduration = 1.0\n"
    )
    plan = read(str(scenario))["plan"]
    solution = PathPlan(plan["map"], start=(1.0, 1.0), goals=((3.0, 1.0),)).solve(np.full(4, 0.2))
    assert solution.status == "reached", solution.reason


WRONG = {
    "no image": (YAML.replace("image: room.pgm\n", ""), "image is missing"),
    "no resolution": (YAML.replace("resolution: 0.05\n", ""), "resolution is missing"),
    "resolution 0": (YAML.replace("0.05", "0"), "resolution"),
    "resolution nan": (YAML.replace("0.05", ".nan"), "resolution"),
    "outside": (YAML.replace("room.pgm", "../room.pgm"), "folder or below"),
    "absolute": (YAML.replace("room.pgm", "/etc/room.png"), "folder or below"),
    "another kind of file": (YAML.replace("room.pgm", "/etc/passwd"), "ends in"),
    "turned": (YAML.replace("-2.5, 0.0]", "-2.5, 0.3]"), "yaw"),
    "short origin": (YAML.replace("-2.5, 0.0]", "-2.5]"), "three finite numbers"),
    "thresholds crossed": (YAML.replace("0.196", "0.7"), "less than occupied_thresh"),
    "raw": (YAML + "mode: raw\n", "trinary or scale"),
    "unknown key": (YAML + "colour: red\n", "unknown key colour"),
    "twice": (YAML + "negate: 0\n", "repeats one"),
    "an object": (YAML + "mode: !!python/object/apply:os.system [true]\n", "trinary or scale"),
    "an alias": (YAML + "<<: *a\n", "no entry"),
    "nested": (YAML + "  more: 1\n", "no entry"),
    "no yaml": ("[1, 2]\n", "no entry"),
    "empty": ("", "image is missing"),
    "a zero byte": (YAML.replace("room.pgm", "a\0b.pgm"), "none of them zero"),
    "an endless name": (YAML.replace("room.pgm", "a" * 5000 + ".pgm"), "4096 characters"),
    "an address": (YAML.replace("room.pgm", "http://a/b.pgm"), "there is no such file"),
    "long": (YAML + "#" * 20_000, "10 kB"),
}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_what_is_no_map_is_refused(name: str, tmp_path: Path) -> None:
    text, said = WRONG[name]
    (tmp_path.parent / "room.pgm").write_bytes(b"P5 1 1 255 0")
    with pytest.raises(InputError, match=said):
        maps.read(saved(tmp_path, room(), text))


def test_pictures_are_bounded(tmp_path: Path) -> None:
    path = saved(tmp_path, room())
    (tmp_path / "room.pgm").write_bytes(b"P5\n60000 60000\n255\n" + bytes(100))
    with pytest.raises(InputError, match="may have 1000000 nodes"):
        maps.read(path)
    (tmp_path / "room.pgm").write_bytes(b"P5\n200 20\n255\n" + bytes(10))
    with pytest.raises(InputError, match="no PPM picture"):
        maps.read(path)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"P5\n#" + b"x" * 10_000_000 + b"\n20 14\n255\n", "no header"),  # read byte by byte it took six seconds
        (b"P2\n20 14\n255\n" + b"#\n" * 5_000_000, "comments"),  # and this twenty
        (b"hello", "no header"),
    ],
)
def test_comments_are_bounded(data: bytes, said: str, tmp_path: Path) -> None:
    saved(tmp_path, room())
    (tmp_path / "room.pgm").write_bytes(data + room().tobytes())
    with pytest.raises(InputError, match=said):
        maps.read(tmp_path / "map.yaml")


def test_numbers_as_text_with_comments(tmp_path: Path) -> None:
    area = maps.read(saved(tmp_path, room()))
    rows = "\n".join(" ".join(str(value) for value in row) + " # a row" for row in room())
    (tmp_path / "room.pgm").write_text(f"P2 # as text\n20 14 # wide, high\n255\n{rows}\n")
    assert np.array_equal(maps.read(tmp_path / "map.yaml").walls, area.walls)
