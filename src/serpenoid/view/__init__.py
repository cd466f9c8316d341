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

Runs in space, which `figure` and `film` recognise by themselves:

| module | what lives there |
|---|---|
| `poses`, `land` | what can be drawn: links and their frames; ground, obstacles, and where they are touched |
| `camera`, `solids`, `decals`, `shaded` | perspective; faces with light on them; what lies flat; their artist |
| `picture` | all of these on Axes at one instant |
| `space_stage`, `space_figure` | the film and the summary figure |
| `tracks` | where and when the ground is touched: `tracks`, `touch_map` |
| `compare`, `compare_figures` | one robot by several engines: `side_by_side`, `start_end`, `compare_figure` |

Plans:

| module | what lives there |
|---|---|
| `concertina` | a concertina plan step by step: `steps_figure`; torques and pin forces of its execution: `forces_figure` |
| `concertina_film` | `plan_film`, `executed_film` |
| `map` | field, path, body and clearances on a map: `map_figure`; forces of its execution: `passage_figure` |
| `map_film` | a body following its path: `following_film`; a path executed: `map_film` |

Nothing here simulates. Matplotlib and ffmpeg load when something is drawn, not before.
"""

from __future__ import annotations

from serpenoid.view.compare import side_by_side
from serpenoid.view.compare_figures import compare_figure, start_end
from serpenoid.view.figure import figure, power, slip, torques
from serpenoid.view.film import film
from serpenoid.view.map import map_figure, passage_figure
from serpenoid.view.map_film import following_film, map_film
from serpenoid.view.shape import rolling_film, shape_figure
from serpenoid.view.snapshots import snapshots
from serpenoid.view.tracks import touch_map, tracks

__all__ = [
    "compare_figure",
    "figure",
    "film",
    "following_film",
    "map_figure",
    "map_film",
    "passage_figure",
    "power",
    "rolling_film",
    "shape_figure",
    "side_by_side",
    "slip",
    "snapshots",
    "start_end",
    "torques",
    "touch_map",
    "tracks",
]
