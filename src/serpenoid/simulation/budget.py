"""What a run will take, estimated before anything of it is allocated, and the refusal that gives the numbers; what the machine has.

| | estimate | setting |
|---|---|---|
| time | steps x links x 4e-8 s in the plane, 5e-7 s in space (one core) | `run.max_link_steps` counts the steps times links |
| memory | frames x (links x 800 + 1000) bytes beside the program itself | `run.max_memory` |

The memory is that of the frames while they are recorded, made variables of, and packed into a file. Measured: 755 to 800 bytes per link and
frame, in the plane and in space. It may not exceed the memory of the machine either.
"""

from __future__ import annotations

import os

import numpy as np

from serpenoid.core.errors import InputError
from serpenoid.core.quantities import shown
from serpenoid.formats.opening import size_text
from serpenoid.simulation.setup import Setup

PLANE_COST, SPACE_COST = 4e-8, 5e-7  # s per step and link
LINK_BYTES, FRAME_BYTES = 800, 1000  # per link and frame, and per frame
MOST_THREADS = 1024


def hours(setup: Setup, link_steps: float) -> str:
    """How long so many steps times links take, in words."""
    return f"about {link_steps * (SPACE_COST if setup.spatial else PLANE_COST) / 3600:.3g} hours"


def memory(links: int, frames: float) -> float:
    """Bytes that the frames of a run take."""
    return frames * (LINK_BYTES * links + FRAME_BYTES)


def machine_memory() -> float:
    """Bytes of memory of this machine."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (ValueError, OSError, AttributeError):
        return float("inf")


def threads_of(wanted: int | None) -> int:
    """Number of threads: as many as wanted, else as the process has cores."""
    if wanted is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(wanted, bool) or not isinstance(wanted, int | np.integer) or not 1 <= wanted <= MOST_THREADS:
        raise InputError(f"threads must be a whole number from 1 to {MOST_THREADS}, got {shown(wanted)}")
    return int(wanted)


def check_steps(setup: Setup, steps: float) -> None:
    """Refuse a run of too many steps."""
    links, most = setup.robot.links, setup.settings.max_link_steps
    if not steps * links <= most:
        raise InputError(
            f"run.step: {steps:.3g} steps of {links} links are more than run.max_link_steps = {most:.3g} "
            f"({hours(setup, steps * links)}); use a longer step or raise the limit"
        )


def check_memory(setup: Setup, frames: float, at_once: int = 1) -> None:
    """Refuse a run of too many frames, or so many such runs at once."""
    links, most, there = setup.robot.links, setup.settings.max_memory, machine_memory()
    wanted = at_once * memory(links, frames)
    if wanted <= min(most, there):
        return
    limit = f"run.max_memory = {size_text(most)}" if most <= there else f"the {size_text(there)} of this machine"
    several = f"{at_once} runs at once of " if at_once > 1 else ""
    remedy = "use a longer record_interval" + (" or raise the limit" if most <= there else "")
    raise InputError(
        f"run.record_interval: {several}{frames:.3g} frames of {links} links take about {size_text(wanted)} of memory, more than {limit}; {remedy}"
    )
