"""Pictures into a film: mp4 (H.264, yuv420p) through a pipe to ffmpeg, or gif; written whole or not at all."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError, StorageError
from serpenoid.formats.files import replacing

GIF_WIDTH, GIF_FPS, GIF_COLOURS = 640, 20, 96  # px at most; a delay of 5 hundredths, which every viewer keeps
SMALLEST, LARGEST = 64, 4096  # px
SIZES = {"720p": (1280, 720), "1080p": (1920, 1080)}
MOST_FRAMES = 200_000
# libx264: a third of the processor time of "veryfast" at equal likeness (SSIM), in files half as large again
ENCODER = (
    "-preset",
    "ultrafast",
    "-crf",
    "21",
    "-x264-params",
    "cabac=1:deblock=1,0,0:me=dia:subme=1",
    "-movflags",
    "+faststart",
)


class Stage(Protocol):
    """What can be filmed: instants and their pictures."""

    times: FloatArray  # (k,) s

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Pixels (height, width, 4) of instant k."""


def frame_size(size: str | tuple[int, int]) -> tuple[int, int]:
    """Width and height of pictures, px."""
    if isinstance(size, str):
        if size not in SIZES:
            raise InputError(f"size must be (width, height) or one of {', '.join(SIZES)}, got {size!r}")
        return SIZES[size]
    if len(size) != 2 or not all(SMALLEST <= s <= LARGEST for s in size):
        raise InputError(f"size must be (width, height), each {SMALLEST} to {LARGEST} px, got {size}")
    return int(size[0]), int(size[1])


def instants(start: float, end: float, fps: float, speed: float, hold: float = 0.0) -> FloatArray:
    """Instants of a film (s); the last one stays for `hold` seconds of the film."""
    count = max(2, round(((end - start) / speed + hold) * fps))
    if count > MOST_FRAMES:
        raise InputError(f"the film would have {count} frames, more than {MOST_FRAMES}; raise speed or lower fps")
    times = start + np.arange(count) * speed / fps
    return np.asarray(np.minimum(times, end) if hold > 0.0 else times)


def write_film(
    path: str | Path, fps: float, size: str | tuple[int, int], speed: float, make: Callable[[float, tuple[int, int]], Stage],
    progress: Callable[[float], None] | None = None,
) -> Path:  # fmt: skip
    """Write the pictures of a stage, which `make` sets up for the rate and size that the kind of file allows."""
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in (".mp4", ".gif"):
        raise InputError(f"a film is written as .mp4 or .gif; got {target.name!r}")
    for name, value in (("fps", fps), ("speed", speed)):
        if not (np.isfinite(value) and value > 0.0):
            raise InputError(f"{name} must be finite and > 0, got {value}")
    wide, high = frame_size(size)
    if kind == ".gif":
        fps, share = min(fps, GIF_FPS), min(1.0, GIF_WIDTH / wide)
        wide, high = round(wide * share), round(high * share)
    else:
        wide, high = wide // 2 * 2, high // 2 * 2  # yuv420p halves the colour planes
    pictures = _pictures(make(fps, (wide, high)), progress)
    with replacing(target) as part:
        (write_gif if kind == ".gif" else write_mp4)(part, pictures, fps, (wide, high))
    return target


def _pictures(stage: Stage, progress: Callable[[float], None] | None) -> Iterator[Any]:
    count = len(stage.times)
    for k in range(count):
        yield stage.picture(k)
        if progress is not None:
            progress((k + 1) / count)


def write_mp4(part: Path, pictures: Iterator[Any], fps: float, size: tuple[int, int]) -> None:
    """Encode pictures (height, width, 4); StorageError if the encoder fails."""
    from imageio_ffmpeg import get_ffmpeg_exe

    from serpenoid.view import raster

    wide, high = size
    source = ("-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{wide}x{high}", "-r", f"{fps:.6g}", "-i", "-")
    command = [
        get_ffmpeg_exe(),
        "-y",
        "-v",
        "error",
        *source,
        "-an",
        "-c:v",
        "libx264",
        *ENCODER,
        "-f",
        "mp4",
        str(part),
    ]
    planes = np.empty(high * wide * 3 // 2, np.uint8)
    luma = planes[: high * wide].reshape(high, wide)
    blue, red = planes[high * wide :].reshape(2, high // 2, wide // 2)
    with tempfile.TemporaryFile() as said:
        encoder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said)
        assert encoder.stdin is not None
        whole, count = False, 0
        try:
            for count, picture in enumerate(pictures, 1):  # noqa: B007
                raster.yuv420(picture.view(np.uint32)[..., 0], luma, blue, red)
                encoder.stdin.write(planes.data)
            encoder.stdin.close()
            whole = True
        except BrokenPipeError:
            whole = True  # it has ended before its time: its exit code tells
        finally:
            if not whole:
                encoder.kill()
            code = encoder.wait()
        if code != 0:
            said.seek(0)
            words = said.read().decode(errors="replace").strip().splitlines()
            raise StorageError(
                f"cannot write the film: ffmpeg ended with {code}: {words[-1] if words else 'no message'}"
            )
    found = frames_of_mp4(part)
    if found != count:
        raise StorageError(f"cannot write the film: the file holds {found} of {count} frames; is the disk full?")


def frames_of_mp4(path: Path) -> int:
    """Frames of an mp4 file by its own table; 0 if the file is not whole."""
    try:
        with open(path, "rb") as file:
            size, at, boxes = file.seek(0, 2), 0, {}
            while at + 8 <= size:
                file.seek(at)
                head = file.read(16)
                length = int.from_bytes(head[:4], "big")
                length = int.from_bytes(head[8:16], "big") if length == 1 else length
                boxes[head[4:8]] = (at, length)
                at += max(length, 8)
            if at != size or b"mdat" not in boxes or b"moov" not in boxes:
                return 0
            file.seek(boxes[b"moov"][0])
            index = file.read(boxes[b"moov"][1])
    except OSError:
        return 0
    place = index.find(b"stsz")
    return int.from_bytes(index[place + 12 : place + 16], "big") if place > 0 else 0


def write_gif(part: Path, pictures: Iterator[Any], fps: float, size: tuple[int, int]) -> None:
    """One palette for all frames, from the first: the colours of a film do not change, only their places."""
    from PIL import Image

    plain = Image.Dither.NONE

    def image(picture: Any) -> Image.Image:
        return Image.fromarray(np.ascontiguousarray(picture[..., :3]))

    first = image(next(pictures))
    palette = first.quantize(GIF_COLOURS)
    rest = (image(picture).quantize(palette=palette, dither=plain) for picture in pictures)
    head = first.quantize(palette=palette, dither=plain)
    head.save(part, format="GIF", save_all=True, append_images=rest, duration=round(1000.0 / fps), loop=0)
