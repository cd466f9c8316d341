"""Nothing is lost, doubled or mixed: sweeps killed at any instant, torn journals, damaged chunks, full disks, two writers at once."""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
import signal
import time
from pathlib import Path

import pytest

import serpenoid as sp
from cases import PROVE
from serpenoid.core.errors import InputError, StorageError
from serpenoid.formats import files, store, store_check, verifying
from serpenoid.formats.journal import parsed, read_journal
from sweep_cases import CELLS, CHUNK, chunks, ended, forked, sweep

KILLS, FLIPS = (300, 1000) if PROVE else (20, 60)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store made without any interruption."""
    path = tmp_path_factory.mktemp("whole") / "s"
    assert sweep(path).whole
    return path


def recorded(path: Path) -> list[int]:
    return [r["chunk"] for j in store.journals_of(path) for r in read_journal(j).records if "chunk" in r]


def assert_as(path: Path, whole: Path) -> None:
    """The same data byte for byte, no cell lost or doubled, nothing left over."""
    assert chunks(path) == chunks(whole)
    assert sorted(recorded(path)) == list(range(CELLS // CHUNK))
    assert {item.verdict for item in verifying.verify(path)} == {"ok"}
    assert sp.sweeps.open(path).identical(sp.sweeps.open(whole))


def test_killed_at_random_instants_and_gone_on_with(tmp_path: Path, whole: Path) -> None:
    """kill -9 of the whole sweep, the same command again, until it is done; as often as it takes for the number of kills."""
    seed = 20 if not PROVE else int(time.time())
    print("seed", seed)
    rng, kills, sweeps = random.Random(seed), 0, 0
    begin = time.monotonic()
    sweep(tmp_path / "timed")
    span = time.monotonic() - begin
    while kills < KILLS:
        path = tmp_path / f"s{sweeps}"
        sweeps += 1
        while True:
            child = forked(lambda path=path: sweep(path))  # type: ignore[misc]
            time.sleep(rng.uniform(0.0, 0.6 * span))  # any instant is right
            os.kill(child, signal.SIGKILL)
            code = ended(child)
            assert code in (0, -signal.SIGKILL)
            if code == 0:
                break
            kills += 1
            if kills >= KILLS:
                sweep(path)
                break
        assert_as(path, whole)
        shutil.rmtree(path)


STEPS = ("file: to be written", "file: written", "file: synced", "file: renamed", "file: in place", "journal: before writing", "journal: written", "journal: synced")  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
def test_killed_at_every_durable_step(tmp_path: Path, whole: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s"
    for occurrence in (1, 2, 7):
        seen = []

        def reached(name: str, occurrence: int = occurrence, seen: list[str] = seen) -> None:
            if name == step:
                seen.append(name)
                if len(seen) == occurrence:
                    os.kill(os.getpid(), signal.SIGKILL)

        with monkeypatch.context() as patch:
            patch.setattr(files, "reached", reached)
            assert ended(forked(lambda: sweep(path, threads=1))) == -signal.SIGKILL
    sweep(path)
    assert_as(path, whole)


def test_a_chunk_without_its_record_is_taken_over(tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s"
    monkeypatch.setattr(files, "reached", lambda name: os.kill(os.getpid(), 9) if name == "file: in place" and list((path / "chunks").glob("0*")) else None)  # fmt: skip
    assert ended(forked(lambda: sweep(path, threads=1))) == -signal.SIGKILL
    monkeypatch.undo()
    assert recorded(path) == [] and len(chunks(path)) == 1
    assert {i.verdict for i in verifying.verify(path)} == {"unfinished"}
    assert sweep(path).computed == CELLS - CHUNK
    assert_as(path, whole)


def test_a_journal_cut_anywhere_opens_and_goes_on(tmp_path: Path, whole: Path) -> None:
    """Every offset of the last 4 KiB: it opens; at some of them the sweep is gone on with, twice."""
    path = tmp_path / "s"
    shutil.copytree(whole, path)
    journal = path / "journal.log"
    data = journal.read_bytes()
    for cut in range(max(0, len(data) - 4096), len(data)):
        read = parsed(data[:cut])
        assert not read.damaged and read.end <= cut and read.records == parsed(data).records[: len(read.records)]
    for cut in [0, 1, *random.Random(3).sample(range(1, len(data)), 60 if PROVE else 6), len(data) - 1]:
        journal.write_bytes(data[:cut])
        with pytest.raises(StorageError, match="not done"):
            sp.sweeps.open(path)
        made = sweep(path)
        assert made.whole and made.computed == 0  # the chunks themselves are whole: they are taken over
        assert sweep(path).computed == 0
        assert_as(path, whole)


def test_a_tail_of_zeros_is_cut_off(tmp_path: Path, whole: Path) -> None:
    """What a machine without power may leave: a file that has grown, with nothing in it."""
    path = tmp_path / "s"
    shutil.copytree(whole, path)
    journal = path / "journal.log"
    data = journal.read_bytes()
    journal.write_bytes(data[:-50] + bytes(9000))
    sweep(path)
    assert journal.read_bytes() == data
    assert_as(path, whole)


def test_a_shard_takes_over_only_what_is_its_own(tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "s"
    with store.writing(path, store.read_plan(whole), (1, 2)):
        pass
    for number in (0, 1):  # whole, without a record: of shard 1 and of shard 2, which may be about to record it
        shutil.copy(whole / store.chunk_name(number), path / store.chunk_name(number))
    with store.writing(path, store.read_plan(whole), (1, 2)) as writer:
        assert list(writer.contents.pieces) == [0]
    for shard in ("1/2", "2/2"):
        sweep(path, shard=shard)
    assert_as(path, whole)


def test_damage_inside_a_journal_is_no_torn_tail(tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "s"
    shutil.copytree(whole, path)
    journal = path / "journal.log"
    data = bytearray(journal.read_bytes())
    data[-900] ^= 1
    journal.write_bytes(data)
    for use in (sp.sweeps.open, sweep):
        with pytest.raises(StorageError, match=r"damaged at byte .* --repair"):
            use(path)
    assert "damaged" in {i.verdict for i in verifying.verify(path)}
    done = sp.sweeps.repair(path)
    assert [item.verdict for item in done] == ["repaired"]
    assert_as(path, whole)


def test_a_flipped_bit_is_found_and_only_its_chunk_computed_again(tmp_path: Path, whole: Path) -> None:
    rng = random.Random(11)
    names = [p for p in whole.rglob("*") if p.is_file() and p.suffix in (".chunk", ".log", ".json")]
    path, repaired = tmp_path / "s", 0
    shutil.copytree(whole, path)
    for _ in range(FLIPS):
        name = rng.choice(names).relative_to(whole)
        good = (path / name).read_bytes()
        bad = bytearray(good)
        bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
        (path / name).write_bytes(bad)
        with pytest.raises(StorageError, match=r"damaged|not done|cells"):
            sp.sweeps.open(path)
        found = [i for i in verifying.verify(path) if i.verdict != "ok"]
        assert found and any(str(name) in item.path for item in found)
        if name.suffix == ".chunk":
            number = int(name.stem)
            assert f"cells {number * CHUNK} to {number * CHUNK + CHUNK - 1}" in next(i.text for i in found)
            if repaired < 3:
                repaired += 1
                assert [(i.name, i.verdict) for i in sp.sweeps.repair(path)] == [(str(name), "repaired")]
                assert (path / name).read_bytes() == good
                assert {i.verdict for i in verifying.verify(path)} == {"ok"}
        shutil.rmtree(path)
        shutil.copytree(whole, path)


@pytest.mark.parametrize("name", ["sweep.json", "journal.log", "chunks/0000005.chunk"])
@pytest.mark.parametrize("how", ["deleted", "emptied", "halved"])
def test_a_missing_or_cut_file_never_reads_as_zeros(tmp_path: Path, whole: Path, name: str, how: str) -> None:
    path = tmp_path / "s"
    shutil.copytree(whole, path)
    file = path / name
    data = file.read_bytes()
    file.unlink() if how == "deleted" else file.write_bytes(b"" if how == "emptied" else data[: len(data) // 2])
    with pytest.raises(StorageError):
        sp.sweeps.open(path)
    assert {i.verdict for i in verifying.verify(path)} != {"ok"}
    if name == "chunks/0000005.chunk":
        with pytest.raises(StorageError, match="cells 15 to 17"):
            sp.sweeps.open(path, partial=True)
    sp.sweeps.repair(path)
    assert_as(path, whole)


def limited(path: Path, size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    sweep(path)


@pytest.mark.parametrize("size", [100, 300, 700, 4000, -200, -40])
def test_a_full_disk_ends_with_exit_code_4_and_is_gone_on_with(tmp_path: Path, whole: Path, size: int) -> None:
    """Files cannot grow beyond `size` (negative: less than the journal by that): the plan, a chunk or the journal fails to be written."""
    path = tmp_path / "s"
    size = size if size > 0 else (whole / "journal.log").stat().st_size + size
    assert ended(forked(lambda: limited(path, size))) == 4
    assert ended(forked(lambda: limited(path, size))) == 4
    sweep(path)
    assert_as(path, whole)


@pytest.mark.parametrize(
    "step", ["file: to be written", "file: renamed", "journal: before writing", "journal: written"]
)
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_failing_disk_is_told_and_gone_on_with(
    tmp_path: Path, whole: Path, step: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen = tmp_path / "s", []

    def reached(name: str) -> None:
        seen.append(name)
        if seen.count(step) >= 4:
            raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(files, "reached", reached)
        with pytest.raises(StorageError, match=f"cannot write .*{os.strerror(code)}"):
            sweep(path)
    sweep(path)
    assert_as(path, whole)


def test_a_second_writer_is_refused_while_the_first_is_at_work(tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "s"
    plan = store.read_plan(whole)
    with store.writing(path, plan):
        with pytest.raises(StorageError, match="written by another serpenoid"):
            sweep(path)
        with pytest.raises(StorageError, match="written by another serpenoid"):
            sweep(path, shard="1/2")
    sweep(path)
    assert_as(path, whole)


def test_a_killed_holder_frees_the_lock_at_once(tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "s"
    read, write = os.pipe()

    def hold() -> None:
        with store.writing(path, store.read_plan(whole)):
            os.write(write, b"x")
            signal.pause()

    child = forked(hold)
    assert os.read(read, 1) == b"x"
    with pytest.raises(StorageError, match="another serpenoid"):
        sweep(path)
    os.kill(child, signal.SIGKILL)
    ended(child)
    sweep(path)
    assert_as(path, whole)


def test_coordinators_started_at_once_never_double_a_cell(tmp_path: Path, whole: Path) -> None:
    for k in range(100 if PROVE else 3):
        path = tmp_path / f"s{k}"
        codes = [ended(child) for child in [forked(lambda path=path: sweep(path)) for _ in range(3)]]  # type: ignore[misc]
        assert 0 in codes and set(codes) <= {0, 4}
        assert_as(path, whole)


def test_shards_run_at_once_and_merge(tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "s"
    children = [forked(lambda k=k: sweep(path, shard=(k, 3))) for k in (1, 2, 3)]  # type: ignore[misc]
    assert [ended(child) for child in children] == [0, 0, 0]
    assert len(store.journals_of(path)) == 3
    assert_as(path, whole)
    other = tmp_path / "t"
    with store.writing(other, store.read_plan(whole), (1, 3)):
        with pytest.raises(StorageError, match="another number of shards"):
            sweep(other, shard="2/4")
        with pytest.raises(StorageError, match="shard 1/3"):
            sweep(other, shard="1/3")
        assert not sweep(other, shard="2/3").whole
    with pytest.raises(StorageError, match="not done"):
        sp.sweeps.open(other)
    sweep(other)  # without a shard: what is left
    assert_as(other, whole)


def test_a_shard_leaves_what_others_are_writing(tmp_path: Path, whole: Path) -> None:
    """On another machine a process has a number that nobody has here: its half-written files are not remains."""
    path, gone = tmp_path / "s", forked(lambda: None)
    assert ended(gone) == 0
    with store.writing(path, store.read_plan(whole), (1, 3)):
        parts = [path / "chunks" / f".000000{k}.chunk.1.{gone}.part" for k in range(3)]
        for part in [*parts, path / f".sweep.json.1.{gone}.part"]:
            part.write_bytes(b"half")
        sweep(path, shard="2/3")
        left = [part.exists() for part in parts]
        assert left == [True, False, True] and (path / f".sweep.json.1.{gone}.part").exists()
    sweep(path, shard="3/3")
    sweep(path)
    assert_as(path, whole)
    assert not list(path.rglob(".*.part"))


def test_another_sweep_never_mixes_into_a_store(tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s"
    shutil.copytree(whole, path)
    before = chunks(path)
    for more in (
        {"changes": ["robot.links=4", "run.duration=0.01", "run.step=0.001", "gait.waves=1"]},
        {"metrics": ["com_distance"]},
        {"over": {"gait.winding_angle_deg": "11:75:4", "world.friction.along": [0.07, 0.11, 0.23]}},
        {"design": "sobol", "cells": 48, "over": {"gait.winding_angle_deg": "11:71"}},
    ):
        with pytest.raises(InputError, match=r"holds another sweep: .* there and .* here"):
            sweep(path, **more)
    from serpenoid.sweeps import identity

    with monkeypatch.context() as patch:
        patch.setattr(identity, "code_digest", lambda: "0" * 64)
        with pytest.raises(InputError, match=r"versions\.code"):
            sweep(path)
        (path / "chunks" / "0000003.chunk").unlink()
        with pytest.raises(StorageError, match="cannot be repaired here"):
            sp.sweeps.repair(path)
    sp.sweeps.repair(path)
    assert chunks(path) == before


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(InputError, match=r"thesis\.tex"):
        sweep(tmp_path)
    with pytest.raises(StorageError, match="not a folder"):
        sweep(tmp_path / "thesis.tex")
    with pytest.raises(InputError, match="no store"):
        sp.sweeps.open(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["thesis.tex"]


def test_foreign_files_and_remains_are_named(tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "s"
    shutil.copytree(whole, path)
    (path / "notes.txt").write_text("x")
    (path / "chunks" / ".0000003.chunk.1.999999999.part").write_bytes(b"half")
    found = {item.name: item.verdict for item in store_check.check_store(path)}
    assert found["notes.txt"] == "foreign" and found["chunks/.0000003.chunk.1.999999999.part"] == "unfinished"
    (path / "notes.txt").unlink()
    sweep(path)
    assert_as(path, whole)
