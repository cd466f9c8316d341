"""One result, one set: whatever kills a run, fills the disk or writes at the same time, a folder holds one whole result or the one before."""

from __future__ import annotations

import errno
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from asking import asked
from processes import command, lines, started, verdicts, write

import serpenoid as sp
from cases import PROVE
from serpenoid.core.errors import InputError, StorageError
from serpenoid.formats import manifest, result, trajectory
from serpenoid.studio import assets

KILLS, FILLS = (300, 50) if PROVE else (3, 1)
SHORT = ["--set", "run.duration=0.3", "--set", "run.checked=false"]


def test_a_result_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "r"
    with result.result(target) as made:
        (made.path / "a.txt").write_text("one")
        assert not target.exists()
    assert verdicts(target) == {"ok"} and os.listdir(tmp_path) == ["r"]
    with pytest.raises(InputError, match="--force"):
        write(target, "two")
    with pytest.raises(RuntimeError), result.result(target, replace=True) as made:
        (made.path / "b.txt").write_text("half")
        raise RuntimeError
    assert (target / "a.txt").read_text() == "one" and verdicts(target) == {"ok"} and os.listdir(tmp_path) == ["r"]
    with result.result(target, replace=True) as made:
        (made.path / "b.txt").write_text("three")
    assert sorted(os.listdir(target)) == ["b.txt", "manifest.json"] and os.listdir(tmp_path) == ["r"]


def test_what_is_not_ours_is_never_removed(tmp_path: Path) -> None:
    """--force replaces a result, not a folder that somebody keeps other things in."""
    target = tmp_path / "r"
    write(target, "one")
    (target / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"notes\.txt"):
        write(target, "two", replace=True)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.tex").write_text("years")
    with pytest.raises(InputError, match=r"thesis\.tex"):
        write(tmp_path / "home", "two", replace=True)
    assert (target / "notes.txt").exists() and (tmp_path / "home" / "thesis.tex").exists()


def test_the_present_folder_and_a_file_in_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path / "here")
    for fixed in (Path("."), tmp_path, tmp_path / "here"):
        with pytest.raises(StorageError, match="present folder"):
            write(fixed, "one")
    assert os.listdir() == [] and sorted(os.listdir(tmp_path)) == ["file", "here"]
    for taken in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StorageError):
            write(taken, "x")


def test_without_an_exchange_of_names_the_old_result_survives_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a system has no exchange, a process killed between the two renames leaves the old result aside: it is put back."""
    target, rename = tmp_path / "r", os.rename
    write(target, "one")
    monkeypatch.setattr(result.ctypes, "CDLL", lambda *_, **__: object())
    write(target, "two", replace=True)
    assert (target / "a.txt").read_text() == "two"

    def killed(old: Any, new: Any) -> None:
        if str(new) == str(target):
            raise KeyboardInterrupt
        rename(old, new)

    monkeypatch.setattr(os, "rename", killed)
    monkeypatch.setattr(result, "_discard", lambda part: None)
    with pytest.raises(KeyboardInterrupt):
        write(target, "three", replace=True)
    monkeypatch.undo()
    assert not target.exists()
    write(target, "four", replace=True)
    assert (target / "a.txt").read_text() == "four" and os.listdir(tmp_path) == ["r"]


@pytest.mark.parametrize("old", [False, True])
def test_a_rename_that_fails_loses_nothing(old: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that refuses to rename a folder (a layer of a container, a mount of the same disk): the result lies beside, whole."""
    target, rename = tmp_path / "r", os.rename
    if old:
        write(target, "one")
    monkeypatch.setattr(result.ctypes, "CDLL", lambda *_, **__: object())

    def refused(source: Any, goal: Any) -> None:
        if str(goal) == str(target) and "old" not in str(source):
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        rename(source, goal)

    monkeypatch.setattr(os, "rename", refused)
    with pytest.raises(StorageError, match=r"it is whole, in .*r-2"):
        write(target, "two", replace=True)
    assert (tmp_path / "r-2" / "a.txt").read_text() == "two" and verdicts(tmp_path) == {"ok"}
    assert sorted(os.listdir(tmp_path)) == (["r", "r-2"] if old else ["r-2"])
    assert not old or (target / "a.txt").read_text() == "one"


def test_two_writers(tmp_path: Path) -> None:
    """The second writer of a result is refused, or takes the next name; when the first has gone, it is free."""
    target = tmp_path / "r"
    with result.result(target):
        with pytest.raises(StorageError, match="another serpenoid"):
            write(target, "two")
        with result.new_result(target) as other:
            assert other.target == tmp_path / "r-2"
            (other.path / "a.txt").write_text("other")
    names: list[str] = []

    def one() -> None:
        with result.new_result(tmp_path / "many") as made:
            (made.path / "a.txt").write_text("x")
        names.append(made.target.name)

    threads = [threading.Thread(target=one) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(names)) == 12 and verdicts(tmp_path) == {"ok"}
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole result with film and table."""
    root = tmp_path_factory.mktemp("made")
    answers = asked([["run", "creep", *SHORT, "--out", "good", "--film", "--csv", "--json"]], root)
    assert answers[0][0] == 0, answers
    return root / "good"


def test_verify_names_what_is_wrong(made: Path, tmp_path: Path) -> None:
    """Each planted fault is found and named; damage exits with 4, what is no result with 2."""
    faults: dict[str, tuple[str, str]] = {
        "flip": ("creep.mp4", "damaged"), "cut": ("trajectory.csv", "damaged"), "gone": ("figure.png", "missing"), "more": ("old.mp4", "foreign"),
        "pipe": ("summary.json", "damaged"), "link": ("summary.json", "damaged"), "manifest": ("manifest.json", "damaged"), "nc": ("trajectory.nc", "damaged"),
    }  # fmt: skip
    for fault, (name, _) in faults.items():
        path = shutil.copytree(made, tmp_path / fault) / name
        content = path.read_bytes() if path.exists() else b""
        path.unlink(missing_ok=True)
        if fault == "pipe":
            os.mkfifo(path)
        elif fault == "link":
            (tmp_path / "elsewhere").write_bytes(content)
            path.symlink_to(tmp_path / "elsewhere")
        elif fault != "gone":
            middle = len(content) // 2
            damaged = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :] if content else b"old"
            path.write_bytes(content[:middle] if fault == "cut" else damaged)
    (tmp_path / "empty").mkdir()
    questions = [["verify", str(tmp_path / fault), "--json"] for fault in faults]
    more = [
        ["verify", str(made)],
        ["verify", str(made.parent), "--json"],
        ["verify", str(tmp_path / "empty")],
        ["verify", "none"],
    ]
    answers = asked(questions + more, tmp_path)
    for (fault, (name, verdict)), (code, out, _, _) in zip(faults.items(), answers, strict=False):
        bad = [
            (Path(item["path"]).name, item["verdict"]) for item in json.loads(out)["items"] if item["verdict"] != "ok"
        ]
        assert code == 4 and bad == [(name, verdict)], fault
    assert [code for code, *_ in answers[len(faults) :]] == [0, 0, 2, 2]


def test_nothing_of_an_older_run_stays_beside_a_new_one(made: Path, tmp_path: Path) -> None:
    """After a run that diverges, and draws no film, the older film and table are gone."""
    shutil.copytree(made, tmp_path / "r")
    bad = [
        "run.integrator=euler",
        "run.step=1e-2",
        "world.friction.law=viscous",
        "world.friction.across=500",
        "world.friction.along=500",
    ]
    words = [word for change in bad for word in ("--set", change)]
    ((code, out, err, _),) = asked([["run", "creep", *words, "--out", "r", "--force", "--film", "--json"]], tmp_path)
    assert code == 3 and json.loads(out)["status"] == "diverged", err
    page = {"creep.html"} if not assets.missing() else set()
    assert {p.name for p in (tmp_path / "r").iterdir()} == {
        "trajectory.nc",
        "summary.json",
        "figure.png",
        "manifest.json",
    } | page
    assert verdicts(tmp_path / "r") == {"ok"}


def test_kills_leave_a_whole_result_or_none(tmp_path: Path) -> None:
    """SIGKILL at random stages of simulating and drawing, over an older result: it is that one or the new one, never a mixture."""
    rng = random.Random(7)
    args = ["run", "creep", *SHORT, "--out", "o", "--force", "--film"]
    for _ in range(KILLS):
        process = started(args, tmp_path)
        for _line, _count in zip(lines(process), range(rng.randint(1, 200)), strict=False):
            pass
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if (tmp_path / "o").exists():
            assert verdicts(tmp_path / "o") == {"ok"}
            assert {"trajectory.nc", "creep.mp4"} <= set(os.listdir(tmp_path / "o"))
    done = subprocess.run(command(*args[:-1], "--json"), cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and os.listdir(tmp_path) == ["o"] and verdicts(tmp_path / "o") == {"ok"}


def test_a_full_disk(made: Path, tmp_path: Path) -> None:
    """No file may grow beyond so many bytes: exit 4, the result before is as it was, and nothing is left over."""
    shutil.copytree(made, tmp_path / "r")
    before = manifest.read_manifest(tmp_path / "r")
    largest = max(entry["bytes"] for entry in before["files"].values())
    rng = random.Random(3)
    for most in [0, 3000, *(rng.randrange(20_000, largest // 2) for _ in range(FILLS))]:

        def limited(most: int = most) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        args = ["run", "creep", *SHORT, "--out", "r", "--force", "--film", "--json"]
        done = subprocess.run(command(*args), cwd=tmp_path, capture_output=True, text=True, preexec_fn=limited)
        assert done.returncode == 4 and "Traceback" not in done.stderr, (most, done.stderr)
        assert manifest.read_manifest(tmp_path / "r") == before and verdicts(tmp_path / "r") == {"ok"}
        assert os.listdir(tmp_path) == ["r"] and len(done.stderr.splitlines()) <= 10
        if most == 0:
            assert "compil" not in done.stderr  # the probe finds it before anything is computed


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_a_full_tmpfs(tmp_path: Path) -> None:
    """The same on a disk that is truly full; with room it succeeds; the disk itself cannot be renamed, which is said before anything is computed."""
    disk = tmp_path / "disk"
    disk.mkdir()
    for size, code in (("300k", 4), ("20m", 0)):
        if subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)], capture_output=True
        ).returncode:
            pytest.skip("mounting is not allowed here")
        try:
            questions = [["run", "creep", *SHORT, "--out", out, "--film", "--json"] for out in ("disk/r", "disk")]
            answers = asked(questions, tmp_path)
            assert [answer[0] for answer in answers] == [code, 4] and "mount point" in answers[1][2], answers
            assert os.listdir(disk) == [] if code else verdicts(disk) == {"ok"}
        finally:
            subprocess.run(["umount", str(disk)], check=True)


def test_an_encoder_that_lies_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A film is counted after it was written: an encoder that reports success and leaves a broken file does not replace a good film."""
    import imageio_ffmpeg

    real, liar = imageio_ffmpeg.get_ffmpeg_exe(), tmp_path / "liar.sh"
    run = sp.run_scenario("creep", ["run.duration=0.2", "run.checked=false"])
    film = sp.view.film(run, tmp_path / "f.mp4")
    good = film.read_bytes()
    for cut in ("truncate -s 0", "truncate -s -1000", "truncate -s 40000", "rm"):
        liar.write_text(f'#!/bin/sh\n"{real}" "$@"\nfor last; do :; done\n{cut} "$last"\nexit 0\n')
        liar.chmod(0o755)
        monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", lambda: str(liar))
        with pytest.raises(StorageError, match=r"frames|cannot write"):
            sp.view.film(run, film)
        assert film.read_bytes() == good and not list(tmp_path.glob(".*"))


def test_numbers_in_the_manifest(made: Path) -> None:
    found = manifest.read_manifest(made)
    assert found["version"] == sp.__version__ and set(found["files"]) == set(os.listdir(made)) - {"manifest.json"}
    assert re.fullmatch("[0-9a-f]{64}", found["description"])
    assert found["description"] == manifest.digest_of(trajectory.load(made / "trajectory.nc").scenario)
