"""Heavy work of the server, one piece at a time: runs that the page cannot compute, comparisons with peers, searches, films, files.

A job is asked for, waits for its turn, reports its progress, and keeps its result until newer ones push it out. It is given up when the
client asks for that: the work looks between its stretches, as it does for an interrupt. Descriptions come from a page, so they are checked
as strictly as scenario files, and may name no file and no module.

What is kept is bounded: a request as the text that came (its numbers as objects take twenty times as much) until its job has ended, all that wait together
`MOST_ASKED` bytes; of jobs that have ended the last `MOST_KEPT`, with results of `MOST_HELD` bytes together. The newest result is always kept.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from serpenoid.core.errors import InputError, SerpenoidError
from serpenoid.core.trajectory import FAILED
from serpenoid.simulation.setup import Setup, setup_of
from serpenoid.studio.items import plain, scenario_item, study_item, trajectory_item

MOST_WAITING, MOST_KEPT = 16, 64
MOST_ASKED, MOST_HELD = 32 * 2**20, 256 * 2**20  # bytes
LONGEST_STATE = 100_000  # characters of a link


class GivenUpError(Exception):
    """The client no longer wants the job."""


@dataclass
class Job:
    """A piece of work: what was asked for, how far it is, what came of it."""

    task: str
    request: bytes  # JSON, until it is looked at
    name: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    state: str = "waiting"  # running, done, failed
    progress: float = 0.0
    text: str = ""
    asked: dict[str, Any] = field(default_factory=dict)  # while it runs
    result: bytes = b""  # JSON
    file: str = ""  # that it made
    unwanted: bool = False

    @property
    def ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in ("done", "failed")

    def report(self) -> bytes:
        """The state of the job as JSON, with its result once it is done."""
        done = self.state == "done"
        found = {"job": self.name, "task": self.task, "state": self.state, "progress": self.progress, "text": self.text}
        text = json.dumps(found).encode()
        return text[:-1] + b', "result": ' + self.result + b"}" if done else text

    def tell(self, fraction: float) -> None:
        """So much is done; ends the work if nobody wants it."""
        if self.unwanted:
            raise GivenUpError
        self.progress = min(max(float(fraction), 0.0), 1.0)


class Jobs:
    """The jobs of a server and the files they made."""

    def __init__(self) -> None:
        self.jobs: OrderedDict[str, Job] = OrderedDict()
        self.folder = Path(tempfile.mkdtemp(prefix="serpenoid-studio-"))
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="studio-job")
        self._lock = threading.Lock()

    def ask(self, task: Any, asked: Mapping[str, Any]) -> Job:
        """Take a job; refused where the task is unknown or too many wait."""
        if not isinstance(task, str) or task not in TASKS:
            raise InputError(f"task must be one of {', '.join(TASKS)}, got {str(task)[:60]!r}")
        with self._lock:
            waiting = [job for job in self.jobs.values() if not job.ended]
            if len(waiting) >= MOST_WAITING:
                raise InputError(f"{MOST_WAITING} jobs are waiting already; let some finish, or give them up")
            request = json.dumps(asked).encode()
            if sum(len(job.request) for job in waiting) + len(request) > MOST_ASKED:
                raise InputError(
                    f"the requests of {len(waiting)} waiting jobs and this one have more than {MOST_ASKED} bytes; let some finish, or give them up"
                )
            job = Job(str(task), request)
            self.jobs[job.name] = job
        self._forget()
        self._pool.submit(self._work, job)
        return job

    def _forget(self) -> None:
        """Forget jobs that have ended, the oldest first, and the files they made, beyond what may be kept."""
        with self._lock:
            ended = [job for job in reversed(self.jobs.values()) if job.ended]
            held = 0
            for k, job in enumerate(ended):
                held += len(job.result)
                if k >= MOST_KEPT or (k > 0 and held > MOST_HELD):
                    del self.jobs[job.name]
                    if job.file:
                        (self.folder / job.file).unlink(missing_ok=True)

    def _work(self, job: Job) -> None:
        """Do a job; whatever happens is its result."""
        try:
            job.tell(0.0)
            job.state, job.asked = "running", json.loads(job.request)
            found = TASKS[job.task](self, job)
            job.file = str(found["file"]) if isinstance(found, dict) and "file" in found else ""
            job.result = json.dumps(plain(found)).encode()
            job.progress, job.state = 1.0, "done"
        except GivenUpError:
            job.state, job.text = "failed", "given up"
        except SerpenoidError as error:
            job.state, job.text = "failed", str(error)[:2000]
        except Exception as error:
            job.state, job.text = "failed", f"unexpected {type(error).__name__}: {error}"[:500]
        finally:
            job.request, job.asked = b"", {}
            self._forget()

    def give_up(self, name: str) -> bool:
        """End a job; whether there was one."""
        job = self.jobs.get(name)
        if job is not None:
            job.unwanted = True
        return job is not None

    def file(self, name: str) -> Path | None:
        """A file that a job made, by the name that the job gave; None if there is none."""
        made = {job.file for job in self.jobs.copy().values() if job.file}
        return self.folder / name if name in made else None

    def close(self) -> None:
        """Give everything up and remove the files."""
        for job in self.jobs.values():
            job.unwanted = True
        self._pool.shutdown(wait=True, cancel_futures=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _new_file(self, job: Job, suffix: str) -> Path:
        return self.folder / f"{job.task}-{re.sub(r'[^A-Za-z0-9]', '', job.name)}.{suffix}"


def description_of(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The description in a request, checked for what a page may not ask: files and maps of this machine."""
    found = asked.get("description")
    if not isinstance(found, dict):
        raise InputError("a request needs a description: a table with robot, gait, world, start and run")
    plan = found.get("plan")
    where = plan.get("map") if isinstance(plan, dict) else None
    if isinstance(where, str) and "\n" not in where:
        from serpenoid.formats.scenario import is_bundled_map

        if not is_bundled_map(where):
            raise InputError("plan.map: a page gives the name of a bundled map, or the map itself as text")
    return found


def setup_from(asked: Mapping[str, Any]) -> Setup:
    """The checked objects of a request's description."""
    from serpenoid.formats.scenario import checked

    return setup_of(checked(description_of(asked), "description", ()))


def _run(jobs: Jobs, job: Job) -> Any:
    """Carry out a description, plans among them."""
    from serpenoid.simulation.run import execute

    return trajectory_item(execute(setup_from(job.asked), progress=job.tell), "run")


def _optimise(jobs: Jobs, job: Job) -> Any:
    """Search numbers of a description for the best metric."""
    from serpenoid.optimise import optimise_scenario

    asked = job.asked
    wanted = asked.get("over")
    if not isinstance(wanted, list) or not all(isinstance(one, dict) for one in wanted):
        raise InputError("over must be a list of tables with key, low and high")
    over = [f"{one.get('key')}={one.get('low')}:{one.get('high')}" for one in wanted]
    goals = {name: asked[name] for name in ("maximise", "minimise") if isinstance(asked.get(name), str)}
    return optimise_scenario(setup_from(asked).keys(), over=over, progress=job.tell, **goals)


def _compare(jobs: Jobs, job: Job) -> Any:
    """The same description in several engines."""
    from serpenoid.simulation import compare

    setup = setup_from(job.asked)
    wanted = job.asked.get("engines")
    if wanted is not None and not (isinstance(wanted, list) and all(isinstance(name, str) for name in wanted)):
        raise InputError("engines must be a list of names")
    engines = compare.check_engines(",".join(wanted)) if wanted else compare.usual_engines(setup)
    report, runs = compare.compare(setup, engines, job.tell)
    return {"report": report, "items": [trajectory_item(run, name) for name, run in zip(engines, runs, strict=True)]}


def _film(jobs: Jobs, job: Job) -> Any:
    """Draw a film of a description."""
    from serpenoid import view
    from serpenoid.simulation.run import execute

    run = execute(setup_from(job.asked), progress=lambda share: job.tell(0.3 * share))
    if run.status.name in FAILED:
        raise InputError(f"there is nothing to film: {run.status.name}: {run.status.message}")
    path = jobs._new_file(job, "mp4")
    view.film(run, path, progress=lambda share: job.tell(0.3 + 0.7 * share))
    return {"file": path.name}


def _export(jobs: Jobs, job: Job) -> Any:
    """Write a description as one HTML file that runs by itself, or shows the run where a page cannot compute it; opened in `state`."""
    from serpenoid.simulation.run import execute
    from serpenoid.studio.assets import write_html

    asked = job.asked
    if asked.get("to", "html") != "html":
        raise InputError(f"the studio exports html, got {str(asked.get('to'))[:40]!r}")
    state, name = asked.get("state", ""), asked.get("name", "scenario")
    if not (isinstance(state, str) and len(state) <= LONGEST_STATE and state[:1] in ("", "#")):
        raise InputError(
            f"state must be the fragment of a link, at most {LONGEST_STATE} characters, got {str(state)[:40]!r}"
        )
    if not isinstance(name, str) or not 0 < len(name) <= 100:
        raise InputError(f"name must be a text of 1 to 100 characters, got {str(name)[:40]!r}")
    setup = setup_from(asked)
    item = scenario_item(description_of(asked), setup, name)
    if not item["runnable"]:
        item, state = trajectory_item(execute(setup, progress=job.tell), name), ""
    path = jobs._new_file(job, "html")
    write_html([item], path, state=state)
    return {"file": path.name}


def _study(jobs: Jobs, job: Job) -> Any:
    """A study in its quick form."""
    from serpenoid import studies
    from serpenoid.formats.files import write_json

    name = str(job.asked.get("name", ""))
    study = studies.find(name)
    with tempfile.TemporaryDirectory(dir=jobs.folder) as made:
        result = study.run(Path(made), quick=True, progress=job.tell)
        write_json(Path(made) / "claims.json", result)
        return study_item(name, Path(made))


TASKS: dict[str, Callable[[Jobs, Job], Any]] = {
    "run": _run, "optimise": _optimise, "compare": _compare, "film": _film, "export": _export, "study": _study,
}  # fmt: skip
__all__ = ["Job", "Jobs", "description_of", "setup_from"]
