"""Small inputs that took all memory, hung, reached outside or ended as unexpected: each is refused in a few lines and little memory."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest
from asking import MOST_LINES, MOST_MB, asked

SECRET = "hunter2:x:0:0"
SAMPLED = 'gait={{kind="sampled", file="{}"}}'
TAIL = '[gait]\nkind = "sampled"\nfile = "{}"\n[run]\nduration = 0.1\n'


def scenario(file: str) -> str:
    return '[robot]\npreset = "ma2001"\n' + TAIL.format(file)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that an attacker left."""
    root = tmp_path_factory.mktemp("attacked")
    here = root / "here"
    here.mkdir()
    (root / "secret.csv").write_text(f"{SECRET}\n{SECRET}\n")
    os.mkfifo(here / "pipe")
    texts = {
        "dotted": ".".join(["a"] * 30_000) + " = 1\n", "longer": "x." * 200_000 + "x = 1\n", "keys": "".join(f"k{i}.a.b.c.d=1\n" for i in range(50_000)),
        "unknown": "".join(f"k{i}=1\n" for i in range(90_000)), "nested": "x = " + "[" * 100_000 + "\n", "tables": "".join(f"[t{i}.a.b.c.d.e.f.g]\n" for i in range(30_000)),
        "cut": '[robot]\npreset = "ma2001"\n[gait]\nkind = "serpenoid"\nwinding_angle = 0.8\nwaves = 2\nspeed = 0.8\n[run]\nduration = 4.0\nstep = 2', "large": "#" * 1_500_000 + "\n",
        "absolute": scenario(str(root / "secret.csv")), "climbs": scenario("../secret.csv"), "linked": scenario("link.csv"),
        "nul": scenario("a\\u0000b"), "piped": scenario("pipe"), "digits": "x = " + "9" * 900_000 + "\n", "bytes": "\udcff = 1\n",
        "map": '[robot]\npreset = "ms1"\n[plan]\nkind = "path"\nmap = "../map.txt"\n[run]\n',
    }  # fmt: skip
    for name, text in texts.items():
        (here / f"{name}.toml").write_text(text, errors="surrogateescape")
    (here / "link.csv").symlink_to(root / "secret.csv")
    (root / "map.txt").write_text("#####\n#...#\n#####\n")
    with open(here / "sparse.npy", "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (20_000, 20_000)})
        file.truncate(3_200_000_128)
    with open(here / "header.npy", "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**9)})
    np.savez(here / "archive.npz", np.zeros((5, 5)))
    (here / "archive.npz").rename(here / "archive.npy")
    big = np.ones((2000, 2000), np.uint8)
    big[1:-1, 1:-1] = 0
    np.save(here / "big.npy", big)
    for name in ("sparse.txt", "sparse.csv", "sparse.nc", "sparse.toml"):
        with open(here / name, "wb") as file:
            file.truncate(6_000_000_000)
    bomb(here / "bomb.nc")
    return here


def bomb(path: Path) -> None:
    """A small file with a right digest whose arrays would fill the memory."""
    import hashlib
    import io

    import h5netcdf

    from serpenoid.formats import trajectory

    buffer = io.BytesIO()
    with h5netcdf.File(buffer, "w") as file:
        file.attrs["format"] = trajectory.FORMAT
        file.dimensions["x"] = 500_000_000
        file.create_variable("a", ("x",), dtype="f8", chunks=(1_000_000,), compression="gzip")
        file.create_group("state")
    content = buffer.getvalue()
    path.write_bytes(content + b"\nserpenoid sha256 " + hashlib.sha256(content).hexdigest().encode() + b"\n")


CASES: dict[str, tuple[list[str], int, str]] = {
    "dotted key": (["run", "dotted.toml"], 2, "30000 parts"),
    "longer dotted key": (["run", "longer.toml"], 2, "200001 parts"),
    "many keys": (["run", "keys.toml"], 2, "250000 parts"),
    "many unknown keys": (["run", "unknown.toml"], 2, "more than 40 errors"),
    "deep nesting": (["run", "nested.toml"], 2, "nested more than 32 deep"),
    "many tables": (["run", "tables.toml"], 2, "parts"),
    "a million digits": (["run", "digits.toml"], 2, "not valid TOML"),
    "a large file": (["run", "large.toml"], 2, "1.5 MB; a scenario may have 1 MB"),
    "a sparse file": (["run", "sparse.toml"], 2, "6 GB"),
    "no text": (["run", "bytes.toml"], 2, "is no text"),
    "a dotted key in a change": (["run", "creep", "--set", "gait={" + "a." * 30_000 + "a=1}"], 2, "30001 parts"),
    "a cut number": (["run", "cut.toml"], 2, "the last line does not end with a newline"),
    "a scan of a billion": (["optimise", "creep", "--over", "gait.waves=1:3", "--maximise", "efficiency", "--scan", "1000000000"], 2, "1000000000 places"),
    "a scan of hours": (["optimise", "creep", "--over", "gait.waves=1:3", "--maximise", "efficiency", "--scan", "90000"], 2, "hours"),
    "absurd steps": (["run", "creep", "--set", "run.max_link_steps=1e308", "--set", "run.step=1e-300"], 2, "max_link_steps"),
    "absurd steps within bounds": (["run", "creep", "--set", "run.max_link_steps=1e15", "--set", "run.step=1e-300"], 2, "hours"),
    "frames without end": (["run", "creep", "--set", "run.duration=1e6", "--set", "run.step=1e-3", "--set", "run.max_link_steps=1e15"], 2, "1e.08 frames of 20 links take about 1.7e.03 GB"),
    "a scan of large runs": (["optimise", "creep", "--over", "gait.waves=1:3", "--maximise", "efficiency", "--set", "run.duration=1e5", "--set", "run.max_link_steps=1e15"], 2, "runs at once"),
    "a device": (["run", "creep", "--set", SAMPLED.format("/dev/zero")], 2, "is a device"),
    "a pipe": (["run", "creep", "--set", SAMPLED.format("pipe")], 2, "is a named pipe"),
    "a pipe in a scenario": (["run", "piped.toml"], 2, "is a named pipe"),
    "a pipe to resume": (["run", "--resume", "pipe"], 2, "is a named pipe"),
    "a pipe as scenario": (["run", "pipe"], 2, "no scenario"),
    "a pipe as map": (["plan", "path", "--map", "pipe"], 2, "is a named pipe"),
    "a pipe as obstacles": (["plan", "concertina", "--target", "10,0", "--obstacles", "pipe"], 2, "is a named pipe"),
    "a pipe to verify": (["verify", "pipe"], 2, "neither"),
    "a pipe as heights": (["run", "sidewind", "--set", 'world.ground.heights={file="pipe", cell=1}'], 2, "is a named pipe"),
    "a sparse table": (["run", "creep", "--set", SAMPLED.format("sparse.csv")], 2, "6 GB"),
    "a sparse map": (["plan", "path", "--map", "sparse.txt"], 2, "6 GB"),
    "a sparse array": (["plan", "path", "--map", "sparse.npy"], 2, "3.2 GB"),
    "an array of a promised size": (["plan", "path", "--map", "header.npy"], 2, "nodes"),
    "a map of four million nodes": (["plan", "path", "--map", "big.npy", "--start", "5,5", "--goal", "9,9"], 2, "2000 x 2000 = 4000000"),
    "an archive named array": (["plan", "path", "--map", "archive.npy"], 2, "no plain array"),
    "a sparse trajectory": (["run", "--resume", "sparse.nc"], 2, "6 GB"),
    "a bomb": (["run", "--resume", "bomb.nc"], 2, "would unpack to"),
    "an address": (["run", "--resume", "http://127.0.0.1:9/x.nc"], 2, "addresses are not opened"),
    "an absolute file": (["run", "absolute.toml"], 2, "--allow-outside"),
    "a file that climbs": (["run", "climbs.toml"], 2, "--allow-outside"),
    "a link that leads out": (["run", "linked.toml"], 2, "--allow-outside"),
    "a map outside": (["run", "map.toml"], 2, "--allow-outside"),
    "a secret, allowed": (["run", "climbs.toml", "--allow-outside"], 2, "row 2 differs|numbers in every row"),
    "zero in a file's name": (["run", "nul.toml"], 2, "must be the name of a file"),
    "zero in --resume": (["run", "--resume", "a\0b"], 2, "none of them zero"),
    "zero in --out": (["run", "creep", "--out", "a\0b"], 2, "none of them zero"),
    "zero in --map": (["plan", "path", "--map", "a\0b"], 2, "none of them zero"),
    "a name without end": (["run", "--resume", "x" * 100_000], 2, "characters"),
    "a huge length": (["run", "creep", "--set", "robot.link_length=1e308"], 2, "robot"),
    "a huge interval": (["run", "creep", "--set", "run.record_interval=5e-324", "--set", "run.duration=0.01", "--no-film"], 0, "status +ok"),
}  # fmt: skip


def test_refusals(place: Path) -> None:
    """Each is refused for its reason within 300 MB and ten lines, none says what a file holds, and nothing is left behind."""
    before = set(os.listdir(place))
    answers = asked([args for args, _, _ in CASES.values()], place)
    base = None
    for (name, (_, code, text)), (found, out, err, peak) in zip(CASES.items(), answers, strict=True):
        assert found == code and re.search(text, err + out), f"{name}: {found} {err[-600:]}"
        assert "Traceback" not in err and SECRET[:7] not in err + out, name
        if code == 2:
            base = peak
            assert len(err.splitlines()) <= MOST_LINES and len(err) < 5000, name
            assert peak < MOST_MB, f"{name}: {peak:.0f} MB"
    assert base is not None and set(os.listdir(place)) - before <= {"out"}
    assert [p.name for p in (place / "out").iterdir()] == ["creep"]


def test_files_beside_the_scenario_are_read(tmp_path: Path) -> None:
    """The door is not simply shut: beside, below and, where allowed, outside."""
    from serpenoid.formats.scenario import read

    (tmp_path / "here" / "below").mkdir(parents=True)
    row = ",".join(["0.1"] * 20)
    for table in ("here/beside.csv", "here/below/it.csv", "outside.csv"):
        (tmp_path / table).write_text("".join(f"{t},{row[4:]}\n" for t in (0, 1, 2, 3)))
    for name, outside in (("beside.csv", False), ("below/it.csv", False), ("../outside.csv", True)):
        (tmp_path / "here" / "s.toml").write_text(scenario(name))
        assert read(str(tmp_path / "here" / "s.toml"), outside=outside)["gait"]["times"] == [0, 1, 2, 3]


def test_a_saved_plan_holds_its_map(tmp_path: Path) -> None:
    """The description of a run names no file: a map file is taken into it, and one that names a file is refused."""
    import serpenoid as sp
    from serpenoid.core import Status
    from serpenoid.core.errors import InputError
    from serpenoid.planning import PathPlan, maps

    area = maps.read("corridor")
    (tmp_path / "mine.txt").write_text(area.text())
    kept = PathPlan(str(tmp_path / "mine.txt")).keys()["map"]
    assert np.array_equal(maps.from_text(kept).walls, area.walls) and PathPlan("corridor").keys()["map"] == "corridor"
    run = sp.Trajectory(
        {}, {}, Status("interrupted"), provenance={"version": sp.__version__}, scenario={"plan": {"map": "/etc/x"}}
    )
    with pytest.raises(InputError, match="names a file"):
        sp.resume(run)


def test_the_estimate_of_memory_is_near_the_truth(tmp_path: Path) -> None:
    """What a run takes beside a short one is what its refusal would say: not more, and more than half of it."""
    from serpenoid.simulation.budget import memory

    words = [
        "run",
        "creep",
        "--no-film",
        "--set",
        "run.step=0.005",
        "--set",
        "run.checked=false",
        "--set",
        "gait.stop_time=99",
    ]
    ((_, _, _, base),) = asked([[*words, "--set", "run.duration=1"]], tmp_path)
    ((code, _, err, peak),) = asked([[*words, "--set", "run.duration=100", "--csv"]], tmp_path)
    assert code == 0, err
    assert 0.5 < (peak - base) * 2**20 / memory(20, 10_000) < 1.0
