"""Things that show themselves in a notebook: the studio's page in a frame of its own, which can reach nothing else.

The frame is sandboxed: its scripts run and it may save a file, but it has no origin, no forms, no pop-ups, no way to the notebook. Where the page is not built,
the thing shows itself as text, with what to do.
"""

from __future__ import annotations

import html
from typing import Any

HEIGHT = 420  # pixels
FEW_FRAMES = 240
SANDBOX = (
    "allow-scripts allow-downloads"  # what the page may do in a frame: run, and save itself when a reader asks for that
)


def notebook_html(thing: Any) -> str:
    """HTML that shows a trajectory, a robot or a shape in a notebook."""
    from serpenoid.core import Robot, Trajectory
    from serpenoid.studio import assets
    from serpenoid.studio.items import robot_item, shape_item, trajectory_item

    text = thing.summary() if isinstance(thing, Trajectory) else repr(thing)
    if assets.missing():
        return f"<pre>{html.escape(text)}</pre><p>(the live page is not built: run <code>make web</code>)</p>"
    if isinstance(thing, Trajectory):
        item = trajectory_item(thing, "run", FEW_FRAMES)
    else:
        item = robot_item(thing) if isinstance(thing, Robot) else shape_item(thing)
    page = assets.html_of([item], embedded=True)
    return (
        f'<iframe sandbox="{SANDBOX}" loading="lazy" width="100%" height="{HEIGHT}" style="border:0" '
        f'title="{html.escape(item["title"])}" srcdoc="{html.escape(page)}"></iframe>'
    )
