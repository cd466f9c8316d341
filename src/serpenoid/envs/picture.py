"""A robot at the present instant as pixels, drawn as in films."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray
from serpenoid.simulation.simulation import Simulation

SIZE = (640, 480)  # px
FPS = 20.0


def picture_of(sim: Simulation, target: FloatArray | None = None) -> NDArray[np.uint8]:
    """The simulation now, (480, 640, 3), with the place to be reached."""
    from serpenoid.view.above import AboveStage
    from serpenoid.view.scene import scene_of
    from serpenoid.view.space_stage import SpaceStage

    scene = scene_of(sim.finish())
    if target is not None:
        place, radius = np.asarray(target, dtype=float), scene.drawn  # from above the place stays in the picture
        scene = replace(scene, target=place, kind="above", radius=radius)
    times = scene.body.time[[0, -1]]
    stage = (SpaceStage if scene.kind == "space" else AboveStage)(scene, times, FPS, SIZE, scene.title, 1.0)
    return np.ascontiguousarray(stage.picture(1)[..., :3])
