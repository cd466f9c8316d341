"""A run as a film: mp4 or gif, by the suffix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from serpenoid.core import Trajectory
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.view.encode import Stage, instants, write_film
from serpenoid.view.scene import Scene, scene_of

LONG, LONGEST = 30.0, 20.0  # s: a longer run is shown faster by itself, so that its film is not longer than that
HOLD = 0.8  # s: the last picture of a plan stays
CAMERAS = ("above", "space")


def playback(span: float) -> float:
    """How many times faster than it was a run of so many seconds is shown, where nothing else is asked for."""
    return 1.0 if span <= LONG else float(np.ceil(span / LONGEST - 1e-9))


def usual_speed(scene: Scene) -> float:
    """How many times faster than it was a scene is shown: runs in the plane as fast as they were."""
    return 1.0 if scene.kind == "plane" else playback(float(np.ptp(scene.body.time)))


@door
def film(
    run: Trajectory | Scene, path: str | Path, fps: float = 30, size: str | tuple[int, int] = "720p",
    speed: float | None = None, *, camera: str | None = None, progress: Callable[[float], None] | None = None,
) -> Path:  # fmt: skip
    """Write a film of a run, `speed` times as fast as it was; a gif is at most 640 px wide at 20 fps.

    Without a `speed` it is as fast as it was; but a run in space of more than 30 s is shown in at most 20 s. `size`: (width, height) in
    px, "720p" or "1080p". `camera`: "above" or "space"; by default what suits the run.
    """
    scene = run if isinstance(run, Scene) else scene_of(run)
    pace = usual_speed(scene) if speed is None else speed
    if camera is not None and camera not in CAMERAS:
        raise InputError(f"camera must be one of {', '.join(CAMERAS)}, got {camera!r}")
    return write_film(path, fps, size, pace, lambda fps, size: stage_of(scene, fps, size, pace, camera), progress)


def stage_of(scene: Scene, fps: float, size: tuple[int, int], speed: float = 1.0, camera: str | None = None) -> Stage:
    """The stage of a scene at the film's instants: one every speed/fps seconds of the run, two at least."""
    time = scene.body.time
    spatial = scene.kind == "space" if camera is None else camera == "space"
    times = instants(float(time[0]), float(time[-1]), fps, speed, HOLD if scene.kind == "above" else 0.0)
    title = scene.title + (f", {speed:.3g} x speed" if speed != 1.0 and scene.clock.startswith("t =") else "")
    if spatial:
        from serpenoid.view.space_stage import SpaceStage

        return SpaceStage(scene, times, fps, size, title, speed)
    from serpenoid.view.above import AboveStage

    return AboveStage(scene, times, fps, size, title, speed)
