"""A run as a film: mp4 (H.264, yuv420p) or gif, by the suffix; written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core import FloatArray, Trajectory
from serpenoid.core.errors import InputError, StorageError
from serpenoid.formats.files import replacing
from serpenoid.view.poses import is_spatial
from serpenoid.view.poses import sound as sound_in_space
from serpenoid.view.record import scene, sound

if TYPE_CHECKING:
    from serpenoid.view.space_stage import SpaceStage
    from serpenoid.view.stage import Stage

GIF_WIDTH, GIF_FPS, GIF_COLOURS = 640, 20, 96  # px at most; a delay of 5 hundredths, which every viewer keeps
SMALLEST, LARGEST = 64, 4096  # px
MOST_FRAMES = 200_000


def film(
    run: Trajectory, path: str | Path, fps: float = 30, size: tuple[int, int] = (1280, 720),
    speed: float | None = None, *, progress: Callable[[float], None] | None = None,
) -> Path:  # fmt: skip
    """Write a film of a run, `speed` times as fast as it was; a gif is at most 640 px wide at 20 fps.

    Without a `speed` it is as fast as it was; but a run in space of more than 30 s is shown in at most 20 s.
    """
    speed = _usual_speed(run) if speed is None else speed
    return write_film(path, fps, size, speed, lambda fps, size: _stage(run, fps, size, speed), progress)


def write_film(
    path: str | Path, fps: float, size: tuple[int, int], speed: float, make: Callable[[float, tuple[int, int]], Any],
    progress: Callable[[float], None] | None,
) -> Path:  # fmt: skip
    """Write the pictures of a stage, which `make` sets up for the rate and size that the kind of file allows."""
    target = Path(path)
    kind = target.suffix.lower()
    _check(target, fps, size, speed)
    if kind == ".gif":
        fps = min(fps, GIF_FPS)
        share = min(1.0, GIF_WIDTH / size[0])
        size = (round(size[0] * share), round(size[1] * share))
    else:
        size = (size[0] // 2 * 2, size[1] // 2 * 2)  # yuv420p halves the colour planes
    pictures = _pictures(make(fps, size), progress)
    with replacing(target) as part:
        (_write_gif if kind == ".gif" else _write_mp4)(part, pictures, fps, size)
    return target


def _usual_speed(run: Trajectory) -> float:
    if not is_spatial(run):
        return 1.0
    from serpenoid.view.space_stage import playback

    t = run["time"][sound_in_space(run)]
    return playback(float(t[-1] - t[0]))


def _check(target: Path, fps: float, size: tuple[int, int], speed: float) -> None:
    if target.suffix.lower() not in (".mp4", ".gif"):
        raise InputError(f"a film is written as .mp4 or .gif; got {target.name!r}")
    for name, value in (("fps", fps), ("speed", speed)):
        if not (np.isfinite(value) and value > 0.0):
            raise InputError(f"{name} must be finite and > 0, got {value}")
    if len(size) != 2 or not all(SMALLEST <= s <= LARGEST for s in size):
        raise InputError(f"size must be (width, height), each {SMALLEST} to {LARGEST} px, got {size}")


def instants(start: float, end: float, fps: float, speed: float) -> FloatArray:
    """Instants of a film (s)."""
    count = max(2, round((end - start) * fps / speed))
    if count > MOST_FRAMES:
        raise InputError(f"the film would have {count} frames, more than {MOST_FRAMES}; raise speed or lower fps")
    return np.asarray(start + np.arange(count) * speed / fps)


def _stage(run: Trajectory, fps: float, size: tuple[int, int], speed: float) -> Stage | SpaceStage:
    """The stage at the film's instants: one every speed/fps seconds of the run, two at least."""
    t = run["time"][sound_in_space(run) if is_spatial(run) else sound(run)]
    times = instants(float(t[0]), float(t[-1]), fps, speed)
    title = str(run.provenance.get("robot", "robot"))
    if speed != 1.0:
        title += f", {speed:g} x speed"
    if not run.status.ok:
        title += f", {run.status.name}"
    if is_spatial(run):
        from serpenoid.view.space_stage import SpaceStage

        return SpaceStage(run, times, fps, size, title, speed)
    from serpenoid.view.stage import Stage

    return Stage(scene(run, times), scene(run), fps, size, title)


def _pictures(stage: Stage | SpaceStage, progress: Callable[[float], None] | None) -> Iterator[Any]:
    count = len(stage.shown.time)
    for k in range(count):
        yield stage.picture(k)
        if progress is not None:
            progress((k + 1) / count)


def _write_mp4(part: Path, pictures: Iterator[Any], fps: float, size: tuple[int, int]) -> None:
    import imageio_ffmpeg

    writer = imageio_ffmpeg.write_frames(
        str(part), size, fps=fps, pix_fmt_in="rgba", pix_fmt_out="yuv420p", codec="libx264",
        macro_block_size=2, quality=None, ffmpeg_log_level="error",
        output_params=["-crf", "20", "-preset", "veryfast", "-movflags", "+faststart", "-f", "mp4"],
    )  # fmt: skip
    try:
        writer.send(None)
        for picture in pictures:
            writer.send(np.ascontiguousarray(picture))
    finally:
        writer.close()
    if not part.exists() or part.stat().st_size == 0:
        raise StorageError(f"ffmpeg wrote no film to {part.parent}; is the disk full?")


def _write_gif(part: Path, pictures: Iterator[Any], fps: float, size: tuple[int, int]) -> None:
    """One palette for all frames, from the first: the colours of a film do not change, only their places."""
    from PIL import Image

    first = Image.fromarray(next(pictures)).convert("RGB")
    palette = first.quantize(GIF_COLOURS)
    plain = Image.Dither.NONE

    def rest() -> Iterator[Image.Image]:
        for picture in pictures:
            yield Image.fromarray(picture).convert("RGB").quantize(palette=palette, dither=plain)

    head = first.quantize(palette=palette, dither=plain)
    head.save(part, format="GIF", save_all=True, append_images=rest(), duration=round(1000.0 / fps), loop=0)
