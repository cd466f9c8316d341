"""Routes of the studio's server: the page, its parts, and a small interface of JSON for what the page cannot do by itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from serpenoid.core.errors import InputError, SerpenoidError
from serpenoid.studio import assets
from serpenoid.studio.folder import Folder
from serpenoid.studio.guard import MOST_BODY, TooLargeError
from serpenoid.studio.items import opened
from serpenoid.studio.jobs import Jobs, description_of, setup_from
from serpenoid.studio.live import Live

DEEPEST = 64  # nesting of a request


class Studio:
    """What a server shows and does: the items it was started with, jobs, live runs, the folder it may read and write."""

    def __init__(self, items: list[dict[str, Any]], folder: Path, outside: bool = False) -> None:
        self.items, self.folder = items, Folder(folder, outside)
        self.jobs, self.live = Jobs(), Live()

    def data(self) -> dict[str, Any]:
        """The page's data."""
        from serpenoid.studies import STUDIES
        from serpenoid.version import __version__

        return {
            "format": 1, "version": __version__, "server": True, "embedded": False, "items": self.items, "studies": sorted(STUDIES),
        }  # fmt: skip

    # the page

    async def index(self, request: Request) -> Response:
        """The page with its data."""
        page = assets.with_data(assets.part("index.html").decode("utf-8"), self.data())
        return Response(page, media_type=assets.TYPES["index.html"])

    async def asset(self, request: Request) -> Response:
        """A part of the page."""
        name = request.path_params["name"]
        if name not in assets.TYPES:
            raise HTTPException(404, "no such thing")
        return Response(assets.part(name), media_type=assets.TYPES[name])

    # scenarios

    async def shown(self, request: Request) -> Response:
        """The items that the server was started with."""
        return JSONResponse(self.data())

    async def scenarios(self, request: Request) -> Response:
        """Bundled scenarios, and scenarios, runs and sweeps in the folder served."""
        from serpenoid.formats.scenario import bundled, read_toml

        ours = [{"name": name, "title": str(read_toml(path)[0].get("title", name))} for name, path in bundled().items()]
        here = [
            {"name": path.name, "title": kind, "here": True} for path, kind in await asyncio.to_thread(self.folder.held)
        ]
        return JSONResponse(ours + here)

    async def load(self, request: Request) -> Response:
        """A bundled scenario, or a scenario, trajectory or sweep in the folder served."""
        from serpenoid.formats.scenario import bundled

        asked = await body_of(request)
        name = str(asked.get("name", ""))
        if asked.get("here") is True or name not in bundled():  # a run in the folder may be called like a scenario
            path = await asyncio.to_thread(self.folder.there, name)
            if not path.exists():
                raise HTTPException(404, f"there is no {name} here")
            name = str(path)
        return JSONResponse(await asyncio.to_thread(opened, name, outside=self.folder.outside))

    async def save(self, request: Request) -> Response:
        """Write a description as a scenario into the folder served; nothing is replaced."""
        from serpenoid.formats.files import write_text
        from serpenoid.formats.toml import toml_text

        asked = await body_of(request)
        path = self.folder.new(str(asked.get("name", "")))
        if path.suffix != ".toml":
            raise InputError("a scenario is saved as NAME.toml")
        if path.exists():
            raise HTTPException(409, f"{path.name} exists already; choose another name")
        await asyncio.to_thread(setup_from, asked)
        write_text(path, toml_text(description_of(asked)))
        return JSONResponse({"path": path.name})

    async def check(self, request: Request) -> Response:
        """What is wrong with a description."""
        asked = await body_of(request)
        try:
            await asyncio.to_thread(setup_from, asked)
        except InputError as error:
            return JSONResponse({"errors": str(error).splitlines()})
        return JSONResponse({"errors": []})

    # jobs

    async def ask(self, request: Request) -> Response:
        """Take a job."""
        asked = await body_of(request)
        job = self.jobs.ask(asked.get("task"), asked)
        return JSONResponse({"job": job.name})

    async def job(self, request: Request) -> Response:
        """How a job is doing, or the end of it."""
        name = request.path_params["job"]
        if name not in self.jobs.jobs:
            raise HTTPException(404, "no such job")
        if request.method == "DELETE":
            self.jobs.give_up(name)
        return Response(self.jobs.jobs[name].report(), media_type="application/json")

    async def file(self, request: Request) -> Response:
        """A file that a job made."""
        path = self.jobs.file(request.path_params["name"])
        if path is None or not path.is_file():
            raise HTTPException(404, "no such file")
        return FileResponse(path, filename=path.name)

    # the application

    @asynccontextmanager
    async def lifespan(self, app: Any) -> Any:
        """Leave nothing behind."""
        yield
        self.live.close()
        await asyncio.to_thread(self.jobs.close)

    def app(self) -> Starlette:
        """The application, unguarded: see `guard`."""
        routes = [
            Route("/", self.index),
            Route("/api/items", self.shown),
            Route("/api/scenarios", self.scenarios),
            Route("/api/load", self.load, methods=["POST"]),
            Route("/api/save", self.save, methods=["POST"]),
            Route("/api/check", self.check, methods=["POST"]),
            Route("/api/jobs", self.ask, methods=["POST"]),
            Route("/api/jobs/{job}", self.job, methods=["GET", "DELETE"]),
            Route("/api/files/{name}", self.file),
            WebSocketRoute("/api/live", self.live.serve),
            Route("/{name}", self.asset),
        ]
        handlers: dict[Any, Callable[..., Any]] = {
            InputError: _answering(400), SerpenoidError: _answering(422), TooLargeError: _answering(413), HTTPException: _http,
            ClientDisconnect: _gone,
        }  # fmt: skip
        return Starlette(routes=routes, exception_handlers=handlers, lifespan=self.lifespan)


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON object that a request brings."""
    raw = await request.body()
    if len(raw) > MOST_BODY:
        raise TooLargeError
    try:
        value = json.loads(raw.decode("utf-8"), parse_constant=_no_number)
        if depth(value) > DEEPEST:
            raise ValueError
    except (ValueError, RecursionError):
        raise InputError(f"a request must be a JSON object, nested at most {DEEPEST} deep") from None
    if not isinstance(value, dict):
        raise InputError("a request must be a JSON object")
    return value


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def depth(value: Any) -> int:
    """How deep lists and tables are nested."""
    level, deepest = [value], 0
    while level:
        deepest += 1
        level = [
            inner
            for one in level
            for inner in (one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
            if isinstance(inner, dict | list)
        ]
        if deepest > DEEPEST:
            break
    return deepest


def _answering(status: int) -> Callable[[Any, Any], JSONResponse]:
    """A handler that answers with the text of an error and this status."""
    return lambda request, error: JSONResponse({"error": str(error)[:4000]}, status)


def _http(request: Any, error: HTTPException) -> JSONResponse:
    return JSONResponse({"error": str(error.detail)}, error.status_code)


def _gone(request: Any, error: Any) -> Response:
    return Response(status_code=400)
