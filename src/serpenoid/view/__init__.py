"""A finished run made visible: `figure` and `film` write files, the panels draw on Axes of your own.

| module | what lives there |
|---|---|
| `style` | colours, sizes, axes, saving |
| `record` | the part of a run that can be drawn |
| `snapshots` | the body at some instants with its friction forces |
| `figure` | torques, slip and power over time; one summary figure of a run |
| `stage`, `film` | the moving picture: what is drawn, and how it becomes mp4 or gif |
| `shape` | a continuous shape: tube, dorsal line, fin, frames, fitted robot; a film of lateral rolling |
| `search` | a one-dimensional search |

Nothing here simulates. Matplotlib and ffmpeg load when something is drawn, not before.
"""

from __future__ import annotations

from serpenoid.view.figure import figure, power, slip, torques
from serpenoid.view.film import film
from serpenoid.view.shape import rolling_film, shape_figure
from serpenoid.view.snapshots import snapshots

__all__ = ["figure", "film", "power", "rolling_film", "shape_figure", "slip", "snapshots", "torques"]
