"""Repairing a store: what is damaged is mended or computed again, only that, and the numbers must come out as they were."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from serpenoid.core.door import door
from serpenoid.core.errors import InputError, StorageError
from serpenoid.core.quantities import Whole
from serpenoid.formats.opening import checked_name, named
from serpenoid.formats.store import Writer, chunk_name, is_store, locked_store, read_plan, writing
from serpenoid.formats.store_check import Found, check_store, mend_store
from serpenoid.simulation.budget import MOST_THREADS
from serpenoid.sweeps.executors import Work
from serpenoid.sweeps.executors.threads import run_on_gpu, run_on_threads
from serpenoid.sweeps.identity import differences
from serpenoid.sweeps.plan import plan_from


@door(threads=Whole(low=1, high=MOST_THREADS))
def repair(
    path: str | Path, *, allow: tuple[str, ...] | list[str] = (), threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Found]:  # fmt: skip
    """Mend a store: restore its plan and journals, compute missing and damaged chunks again; what was done, thing by thing.

    `allow` names the modules of one's own that the sweep uses. A store of another version is refused: it would not come out the same.
    """
    folder = Path(checked_name(path, "store"))
    if not is_store(folder):
        raise InputError(f"{named(folder)} is no store of a sweep; give the folder that --out named")
    with locked_store(folder):
        done = mend_store(folder)
        before = [item for item in check_store(folder) if item.verdict in ("missing", "damaged")]
    with writing(folder, read_plan(folder)) as writer:
        done += _forget_files(writer, before)
        lost = [k for k in sorted(writer.contents.pieces) if not (folder / chunk_name(k)).exists()]
        if lost:
            done += _computed(writer, lost, tuple(allow), threads, progress)
    return done


def _forget_files(writer: Writer, before: list[Found]) -> list[Found]:
    """Let go of damaged files that are made of the data."""
    gone = [item for item in before if item.name in writer.contents.files]
    for item in gone:
        writer.forget(item.name)
    return [Found(item.name, "removed", "the sweep command makes it again") for item in gone]


def _computed(
    writer: Writer, lost: list[int], allow: tuple[str, ...], threads: int | None, progress: Callable[[int, int], None] | None
) -> list[Found]:  # fmt: skip
    """Compute pieces again."""
    plan = plan_from(writer.plan, allow)
    other = differences(plan.identity(), writer.plan["identity"])
    if other:
        raise StorageError(
            f"{named(writer.folder)} cannot be repaired here, the numbers would not be the same: {'; '.join(other[:3])}; use what it was made with"
        )
    recorded = {number: writer.contents.pieces[number]["sha256"] for number in lost}
    total = sum(writer.contents.pieces[number]["count"] for number in lost)
    job = Work(plan, writer.plan, lost, writer.commit, 0, total, progress)
    run_on_gpu(job) if plan.arithmetic.endswith("gpu") else run_on_threads(job, threads)
    found = []
    for number in lost:
        same = writer.contents.pieces[number]["sha256"] == recorded[number]
        text = (
            "computed again, byte for byte as it was"
            if same
            else "computed again; this machine gives other last digits than the one before"
        )
        found.append(Found(chunk_name(number), "repaired", text))
    return found
