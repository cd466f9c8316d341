"""Damaged files of every format that is read: bytes flipped, cut off, doubled, types swapped, nested deep, numbers made huge, zeros put in.

None may end in anything but an error of serpenoid, take a gigabyte or hang. `python test_hostile_files.py COUNT SEED [FIRST]` counts how they ended.
"""

from __future__ import annotations

import json
import random
import resource
import struct
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import serpenoid as sp
from serpenoid.core.errors import SerpenoidError

FILES = 150
MOST_MB, PATIENCE = 1000, 20  # of the process above its beginning; s of one file
WORDS = (
    b"", b"\0", b"\xff\xfe", b"[" * 3000, b"{" * 3000, b"9" * 5000, b"1e999", b"-1", b"nan", b"null", b"[]", b'"x"', b"'", b"(((", b"\\", b"\n", b",", b"<a>" * 600,
    b"\xef\xbb\xbf", b"true", b"../../x", b"1_0", b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff\xff\xff\xff\xff",
)  # fmt: skip


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The bytes with one to four things changed."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        at, way = rng.randrange(len(made) + 1), rng.randrange(7)
        if way == 0 and made:
            made[at % len(made)] ^= 1 << rng.randrange(8)
        elif way == 1:
            del made[at:]
        elif way == 2:
            made[at : at + rng.choice((0, 1, 8))] = rng.choice(WORDS)
        elif way == 3:
            made[at:at] = made[at : at + rng.choice((1, 9, 300))]
        elif way == 4:
            del made[at : at + rng.choice((1, 4, 40))]
        elif way == 5:
            made[at : at + 8] = struct.pack(rng.choice(("<q", ">q")), rng.choice((-1, 0, 2**31, 2**62)))
        else:
            made[at : at + 4] = bytes(rng.randrange(256) for _ in range(4))
    return bytes(made)


def read_scenario(path: Path) -> object:
    from serpenoid.simulation.setup import setup_of

    return setup_of(sp.formats.read(str(path)))


def read_store(path: Path) -> object:
    return sp.sweeps.open(path.parent, partial=True)


def read_piece(path: Path) -> object:
    return sp.sweeps.open(path.parents[1], partial=True)


def read_bus(path: Path) -> object:
    from serpenoid.formats.bus import read_bus_table

    return read_bus_table(path, "dynamixel")


def resealed(name: str, data: bytes) -> bytes:
    """With a right digest, where the format has one: else every damage would end at the digest."""
    import hashlib

    if name == "run.nc":
        mark = data.rfind(b"\nserpenoid sha256 ")
        body = data[:mark] if mark > 0 else data
        return body + b"\nserpenoid sha256 " + hashlib.sha256(body).hexdigest().encode() + b"\n"
    if name in ("sweep.json", "manifest.json"):
        from serpenoid.formats.manifest import digest_of

        try:
            found = json.loads(data)
            found["digest"] = digest_of({key: value for key, value in found.items() if key != "digest"})
            return json.dumps(found).encode()
        except Exception:
            return data
    return data


def swapped(data: bytes, rng: random.Random) -> bytes:
    """JSON with one value of another type."""
    found = json.loads(data)
    table: Any = found
    while isinstance(table, dict) and table:
        key = rng.choice(list(table))
        if not isinstance(table[key], dict) or rng.random() < 0.3:
            table[key] = rng.choice((None, [], {}, "x", -1, 1e308, True, [[]], 10**40, "\0"))
            break
        table = table[key]
    return json.dumps(found).encode()


def originals(folder: Path) -> dict[str, tuple[Path, Callable[[Path], object]]]:
    """A good file of each format where its reader looks for it, and its reader."""
    from PIL import Image

    from serpenoid.formats.joint_logs import read_log
    from serpenoid.formats.manifest import read_manifest
    from serpenoid.formats.mjcf import mjcf_text
    from serpenoid.formats.mjcf_import import read_mjcf
    from serpenoid.formats.urdf import read_urdf, urdf_text
    from serpenoid.formats.yard import read_yard
    from serpenoid.planning import maps
    from serpenoid.robots import ma2001

    walls = np.ones((9, 12), np.uint8)
    walls[1:-1, 1:-1] = 0
    light = Image.fromarray(np.where(walls, 0, 255).astype(np.uint8))
    light.save(folder / "map.png")
    light.save(folder / "room.pgm")
    light.save(folder / "room2.pgm")
    np.save(folder / "map.npy", walls)
    np.savez(folder / "map.npz", walls)
    (folder / "map.npz").rename(folder / "zip.npy")
    (folder / "map.txt").write_text(maps.from_array(walls, 0.1).text())
    (folder / "map.yaml").write_text(
        "image: room.pgm\nresolution: 0.05\norigin: [0.0, 0.0, 0.0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"
    )
    (folder / "other.yaml").write_text((folder / "map.yaml").read_text().replace("room", "room2"))
    robot = ma2001(links=4).but(radius=0.01)
    (folder / "robot.urdf").write_text(urdf_text(robot))
    (folder / "robot.xml").write_text(mjcf_text(robot))
    body = '<body name="{}" pos="1 0 0">{}<inertial pos="0.5 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="{}"/>{}</body>'
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    for kind in ("stl", "obj"):
        tree = body.format("a", "<freejoint/>", "m", body.format("b", '<joint axis="0 0 1"/>', "m", ""))
        (folder / f"{kind}.xml").write_text(
            f'<mujoco><asset><mesh name="m" file="part.{kind}"/></asset><worldbody>{tree}</worldbody></mujoco>'
        )
    (folder / "part.obj").write_text(
        "".join(f"v {x} {y} {z}\n" for x, y, z in corners)
        + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in faces)
    )
    triangles = [struct.pack("<12fH", *[0.0] * 3, *(float(x) for k in face for x in corners[k]), 0) for face in faces]
    (folder / "part.stl").write_bytes(bytes(80) + struct.pack("<I", 4) + b"".join(triangles))
    (folder / "log.csv").write_text("time,yaw1,yaw2\n" + "".join(f"{0.1 * k},{0.1 * k},0.2\n" for k in range(9)))
    (folder / "bus.csv").write_text("time,id1,id2\n" + "".join(f"{0.1 * k},{2048 + k},2048\n" for k in range(9)))
    (folder / "yard.toml").write_text('[[obstacles]]\nkind = "disc"\ncentre = [1.0, 2.0]\nradius = 0.3\n')
    (folder / "log.mcap").write_bytes(mcap())
    (folder / "mine.toml").write_text(Path(sp.formats.scenario.bundled()["sidewind"]).read_text())
    run = sp.run_scenario("creep", ["run.duration=0.02", "run.checked=false", "robot.links=3", "gait.waves=1"])
    run.save(folder / "run.nc")
    part = ["robot.links=3", "run.duration=0.01", "run.step=0.001", "gait.waves=1"]
    sp.sweeps.sweep(
        "creep",
        {"gait.winding_angle_deg": [10, 20, 30, 40]},
        folder / "store",
        changes=part,
        metrics=["com_distance"],
        chunk=2,
        threads=1,
    )
    with sp.formats.result.result(folder / "result") as made:
        (made.path / "a.txt").write_text("a")
    folders = {"store": folder / "store"}
    mesh = lambda kind: lambda path: read_mjcf(path.parent / f"{kind}.xml")  # noqa: E731
    return {
        "map.png": (folder / "map.png", maps.read), "grey.png": (folder / "map.png", sp.formats.files.read_grey), "map.npy": (folder / "map.npy", maps.read),
        "zip.npy": (folder / "zip.npy", maps.read), "map.txt": (folder / "map.txt", maps.read), "map.yaml": (folder / "map.yaml", maps.read),
        "room2.pgm": (folder / "room2.pgm", lambda path: maps.read(path.parent / "other.yaml")), "robot.urdf": (folder / "robot.urdf", read_urdf),
        "robot.xml": (folder / "robot.xml", read_mjcf), "part.stl": (folder / "part.stl", mesh("stl")), "part.obj": (folder / "part.obj", mesh("obj")),
        "log.csv": (folder / "log.csv", read_log), "bus.csv": (folder / "bus.csv", read_bus), "yard.toml": (folder / "yard.toml", read_yard),
        "log.mcap": (folder / "log.mcap", read_log), "mine.toml": (folder / "mine.toml", read_scenario), "run.nc": (folder / "run.nc", sp.load),
        "sweep.json": (folders["store"] / "sweep.json", read_store), "journal.log": (folders["store"] / "journal.log", read_store),
        "piece": (folders["store"] / "chunks" / "0000000.chunk", read_piece),
        "manifest.json": (folder / "result" / "manifest.json", lambda path: read_manifest(path.parent)),
    }  # fmt: skip


def mcap() -> bytes:
    """Joint states of two joints, as foxglove writes them."""

    def field(number: int, content: bytes) -> bytes:
        return bytes([number << 3 | 2, len(content)]) + content

    def record(code: int, content: bytes) -> bytes:
        return struct.pack("<BQ", code, len(content)) + content

    def text(word: bytes) -> bytes:
        return struct.pack("<I", len(word)) + word

    found = b"\x89MCAP0\r\n" + record(
        3, struct.pack("<H", 1) + text(b"foxglove.JointStates") + text(b"protobuf") + text(b"")
    )
    found += record(4, struct.pack("<HH", 1, 1) + text(b"/joints") + text(b"protobuf") + text(b""))
    for k in range(6):
        joints = b"".join(
            field(2, field(1, name) + b"\x11" + struct.pack("<d", 0.1 * k)) for name in (b"yaw1", b"yaw2")
        )
        found += record(5, struct.pack("<HIQQ", 1, k, 10**8 * k, 0) + field(1, bytes([8, k + 1])) + joints)
    return found


def main(count: int, seed: int, first: int = 0) -> None:
    import signal

    warnings.simplefilter("ignore")
    np.seterr(all="ignore")

    def hangs(*_: Any) -> None:
        raise TimeoutError("it hangs")

    signal.signal(signal.SIGALRM, hangs)
    ends: Counter[str] = Counter()
    strange: list[str] = []
    large: list[str] = []
    with tempfile.TemporaryDirectory() as made:
        files = originals(Path(made))
        peak = before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        for k in range(first, first + count):
            rng = random.Random(f"{seed}/{k}")
            name = list(files)[k % len(files)]
            path, read = files[name]
            good = path.read_bytes()
            bad = swapped(good, rng) if name.endswith(".json") and rng.random() < 0.6 else mutated(good, rng)
            path.write_bytes(resealed(name, bad) if rng.random() < 0.7 else bad)
            print(k, name, file=sys.stderr, flush=True)
            signal.alarm(PATIENCE)
            try:
                read(path)
                ends["read"] += 1
            except SerpenoidError:
                ends["refused"] += 1
            except BaseException:
                ends["raw"] += 1
                strange.append(f"{k} {name}: {traceback.format_exc()[-700:]}")
            finally:
                signal.alarm(0)
                path.write_bytes(good)
            if (now := resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024) > peak + 100.0:
                large.append(f"{k} {name}: {now - peak:.0f} MB")
            peak = max(peak, now)
    print(json.dumps({"tried": count, **ends, "strange": strange, "MB": round(peak - before), "large": large}))


def test_no_damaged_file_ends_raw(tmp_path: Path) -> None:
    from cases import PROVE

    count = 10_000 if PROVE else FILES
    command = [sys.executable, __file__, str(count), "29"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=3600)
    assert done.returncode == 0, done.stderr[-2000:]  # else the process died at the last file named
    found = json.loads(done.stdout)
    assert found["strange"] == [] and found["MB"] < MOST_MB and found["refused"] > 0.5 * count, found


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
