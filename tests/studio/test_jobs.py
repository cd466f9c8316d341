"""What is kept of jobs: requests until they are done, results within a bound, measured in bytes."""

from __future__ import annotations

import gc
import json
import threading
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from serpenoid.core.errors import InputError
from serpenoid.studio import jobs as room
from serpenoid.studio.jobs import Job, Jobs

LARGE = {
    "task": "run",
    "description": {"robot": {"links": [0.5] * 400_000}},
}  # 2 MB as text, refused when it is looked at
EACH = 20_000  # bytes that may be kept of a refused job


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    made = Jobs()
    yield made
    made.close()


def done(jobs: Jobs) -> None:
    """Wait until all jobs have ended: what is asked last is done last."""
    jobs._pool.submit(lambda: None).result()


def test_refused_jobs_keep_no_request(jobs: Jobs) -> None:
    """Ten jobs of 2 MB: nothing of their requests is left."""
    assert len(json.dumps(LARGE)) >= 2e6
    jobs.ask("run", LARGE)  # loads what it needs
    done(jobs)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(10):
        jobs.ask("run", LARGE)
    done(jobs)
    gc.collect()
    left = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert left < 10 * EACH, f"{left} bytes of ten refused jobs"
    assert all(job.state == "failed" and not job.request and not job.asked for job in jobs.jobs.values())


def test_requests_that_wait_are_bounded(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    """They wait as text, and no more of them than so many bytes together."""
    going, hold = threading.Event(), threading.Event()

    def waits(jobs: Jobs, job: Job) -> Any:
        going.set()
        hold.wait()
        return {}

    monkeypatch.setitem(room.TASKS, "run", waits)
    monkeypatch.setattr(room, "MOST_ASKED", 5 * len(json.dumps(LARGE)))
    try:
        jobs.ask("run", {})
        going.wait()
        for _ in range(4):
            jobs.ask("run", LARGE)
        with pytest.raises(InputError, match="let some finish"):
            for _ in range(2):
                jobs.ask("run", LARGE)
        held = sum(len(job.request) for job in jobs.jobs.values())
        assert held <= room.MOST_ASKED and not any(job.asked for job in jobs.jobs.values() if job.state == "waiting")
    finally:
        hold.set()
    done(jobs)
    assert sum(len(job.request) for job in jobs.jobs.values()) == 0
    jobs.ask("run", LARGE)  # there is room again


def test_results_and_files_are_bounded(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest are forgotten, with the files they made; the newest is kept, however large it is."""

    def makes(jobs: Jobs, job: Job) -> Any:
        path = jobs._new_file(job, "html")
        path.write_text("x")
        return {"file": path.name, "text": "y" * job.asked["size"]}

    monkeypatch.setitem(room.TASKS, "run", makes)
    monkeypatch.setattr(room, "MOST_HELD", 10_000)
    made = [jobs.ask("run", {"size": 3000}) for _ in range(6)]
    done(jobs)
    assert sum(len(job.result) for job in jobs.jobs.values()) <= room.MOST_HELD
    assert list(jobs.jobs) == [job.name for job in made[-3:]]
    assert sorted(path.name for path in jobs.folder.iterdir()) == sorted(job.file for job in made[-3:])
    assert jobs.file(made[0].file) is None and jobs.file(made[-1].file) is not None
    report = json.loads(made[-1].report())
    assert report["state"] == "done" and report["result"]["text"] == "y" * 3000
    large = jobs.ask("run", {"size": 50_000})
    done(jobs)
    assert list(jobs.jobs) == [large.name] and json.loads(large.report())["result"]["file"] == large.file
