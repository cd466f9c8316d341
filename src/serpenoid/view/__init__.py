"""A finished run made visible: `figure`, `film`, `plot` and `compare` draw Trajectories; panels draw on Axes of your own.

| module | what lives there |
|---|---|
| `scene` | one description of what is to be drawn, from a Trajectory alone; figures, films and pages draw from it |
| `poses`, `ground` | its parts: links and their frames at any time; ground, obstacles, and where they are touched |
| `style` | colours, sizes, axes, saving |

Figures (Matplotlib):

| module | what lives there |
|---|---|
| `figure` | the summary figure of a run; figures of chosen variables |
| `panels` | curves over time: torques, slip, power, contacts, roll, height, forces, errors |
| `snapshots`, `tracks`, `side` | the body at some instants; where the ground is touched; the body from the side |
| `yard`, `concertina`, `map` | a way among obstacles; a concertina plan step by step; field, path and clearances on a map |
| `compare_figures` | one robot by several engines on paper |
| `shape`, `search` | a continuous shape with its back; a one-dimensional search |

Films (pixels of our own, an encoder behind a pipe):

| module | what lives there |
|---|---|
| `raster`, `sheet` | compiled filling of polygons, lines and lit faces; a sheet to draw on |
| `camera`, `solids`, `boxes`, `decals`, `picture` | perspective; bodies as faces; boxes with a grid; what lies flat; all of these at one instant |
| `above`, `space_stage`, `compare`, `inset` | what films from above, in space and of several engines show; maps, scales and layers over them |
| `film`, `plans`, `rolling`, `encode` | a run, a plan, a rolling shape as a film; pictures into mp4 or gif |

Nothing here simulates. Matplotlib, Numba and ffmpeg load when something is drawn, not before.
"""

from __future__ import annotations

from serpenoid.view.compare import compare, side_by_side
from serpenoid.view.compare_figures import compare_figure, start_end
from serpenoid.view.figure import figure, plot
from serpenoid.view.film import film
from serpenoid.view.map import map_figure
from serpenoid.view.panels import power, slip, torques
from serpenoid.view.rolling import rolling_film
from serpenoid.view.scene import Scene, scene_of
from serpenoid.view.shape import shape_figure
from serpenoid.view.snapshots import snapshots
from serpenoid.view.tracks import touch_map, tracks

__all__ = [
    "Scene", "compare", "compare_figure", "figure", "film", "map_figure", "plot", "power", "rolling_film",
    "scene_of", "shape_figure", "side_by_side", "slip", "snapshots", "start_end", "torques", "touch_map", "tracks",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__
