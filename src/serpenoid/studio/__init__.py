"""The studio: one page that shows, runs and compares snake robots, served on this machine or written as one file.

| file | what it does |
|---|---|
| `assets` | the built page and its parts; one self-contained HTML file from them |
| `items` | scenarios, trajectories, sweeps, studies and shapes as the page reads them |
| `guard` | who may ask the server: token, exact host and origin, limits, headers |
| `jobs` | heavy work of the server: planning, optimising, peers, films |
| `live` | frames of a running simulation to many clients, the newest first |
| `folder` | the folder that is served, and links in it |
| `patience` | an end to heads and bodies that do not become whole |
| `app`, `serve` | routes; the server as a process |
"""

from __future__ import annotations

from serpenoid.studio.assets import html_of, write_html
from serpenoid.studio.items import item_of

__all__ = ["html_of", "item_of", "write_html"]


def __dir__() -> list[str]:
    return __all__
