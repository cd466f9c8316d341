"""Libraries for wheels: `python -m serpenoid.compiled.wheels FOLDER [PLATFORM ...]` writes FOLDER/PLATFORM/*, linked by zig for machines that are not this one.

| platform | levels | tried |
|---|---|---|
| manylinux_2_17_x86_64 | x86-64-v2, v3, v4 | run here |
| manylinux_2_17_aarch64 | aarch64 | not yet |
| macosx_11_0_arm64, macosx_11_0_x86_64 | arm64, x86-64-v3 | not yet; not signed by Apple |

Windows has no wheel of its own: files are locked and serial ports opened by what only POSIX has. The wheel for every platform carries no
library; its users have Numba compile kernels when they are first called.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from serpenoid.compiled import build, program


class Platform(NamedTuple):
    """A kind of machine that wheels are for: zig's name of it, and the levels of its processors."""

    target: str
    levels: tuple[str, ...]


PLATFORMS = {
    "manylinux_2_17_x86_64": Platform("x86_64-linux-gnu.2.17", ("x86-64-v2", "x86-64-v3", "x86-64-v4")),
    "manylinux_2_17_aarch64": Platform("aarch64-linux-gnu.2.17", ("aarch64",)),
    "macosx_11_0_arm64": Platform("aarch64-macos.11.0", ("arm64-macos",)),
    "macosx_11_0_x86_64": Platform("x86_64-macos.11.0", ("x86-64-macos",)),
}


def link(made: Path, target: Path, platform: Platform) -> None:
    """A library of an object for a platform."""
    command = [
        sys.executable,
        "-m",
        "ziglang",
        "cc",
        "-target",
        platform.target,
        "-shared",
        "-s",
        "-o",
        str(target),
        str(made),
    ]
    if "linux" in platform.target:
        command.append("-lm")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise build.NotBuiltError(f"linking {made.name} failed: {done.stderr.strip()[-400:]}")


def write(folder: Path, names: tuple[str, ...]) -> None:
    """Libraries of all parts for some platforms."""
    levels = tuple(level for name in names for level in PLATFORMS[name].levels)
    with ThreadPoolExecutor(2) as pool:
        made = dict(zip(program.PARTS, pool.map(lambda part: build.objects(part, levels), program.PARTS), strict=True))
    for name in names:
        place = folder / name
        place.mkdir(parents=True, exist_ok=True)
        for part, (told, *objects) in made.items():
            for level, made_object in zip(levels, objects, strict=True):
                if level in PLATFORMS[name].levels:
                    path = place / f"{part}-{level}.so"
                    link(made_object, path, PLATFORMS[name])
                    build.write_sheet(path, build.sheet_for(part, level, path, told, shipped=True))


if __name__ == "__main__":
    write(Path(sys.argv[1]), tuple(sys.argv[2:]) or tuple(PLATFORMS))
