"""Plans as scenes and films: a concertina plan in smooth timing, a body that follows its path link by link.

Nothing is planned here; `plan` is the Plan and `following` the Following of `planning`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.door import Of, OneOf, door
from serpenoid.core.errors import InputError
from serpenoid.core.terrain import Ground
from serpenoid.gaits.concertina import SOLENOIDS, schedule
from serpenoid.view.concertina import DOES, HEAD_PINS, LINKS, half_width_of, headline, touch, unit_of
from serpenoid.view.film import film
from serpenoid.view.ground import Land
from serpenoid.view.poses import Poses
from serpenoid.view.scene import CellMap, Note, Pins, Scene, block_outline

FPS = 24.0
LONGEST = 24.0  # s: a film of a plan is played faster so as not to last longer
INCREMENT = 0.12  # s for an increment of a body that follows a path
FRAMES = 60  # of a leg, as sampled


def flat_poses(time: FloatArray, nodes: FloatArray) -> Poses:
    """A body in the plane with nodes (t, n+1, 2), on which nothing acts."""
    node = np.concatenate([nodes, np.zeros((*nodes.shape[:-1], 1))], axis=-1)
    link = np.diff(node, axis=1)
    axis = link / np.maximum(np.linalg.norm(link, axis=-1, keepdims=True), 1e-12)
    back, none = np.broadcast_to([0.0, 0.0, 1.0], axis.shape), np.full(axis.shape[:2], np.nan)
    return Poses(time, node, axis, back, node.mean(axis=1), node[:, :-1] + 0.5 * link, np.zeros_like(axis), none)


def concertina_scene(plan: Any) -> Scene:
    """A concertina plan in its smooth timing, joints of 1 rad/s at most."""
    if not plan.legs:
        raise InputError(f"there is nothing to film: the plan has no leg ({plan.status})")
    timing = schedule(plan.legs)
    times = np.linspace(0.0, timing.time, FRAMES * len(plan.legs) + 1)
    leg, share = timing.where(times)
    share = np.clip(share, 0.0, 1.0)  # the smooth timing may round to just above one
    nodes = np.empty((len(times), LINKS + 1, 2))
    for i in np.unique(leg):
        nodes[leg == i] = timing.legs[i].nodes(share[leg == i])
    link = np.repeat(np.arange(LINKS), SOLENOIDS)
    at = np.concatenate([np.full(LINKS - 1, 0.5), HEAD_PINS])
    held = timing.solenoids(times) > 0
    pins = Pins(link, at, held, np.zeros((*held.shape, 3)))
    starts = np.concatenate([[0], np.flatnonzero(np.diff(leg)) + 1])
    events = tuple((float(times[k]), _stage(plan, plan.legs[leg[k]])) for k in starts)
    far = np.hypot(*(nodes[:, -1] - np.asarray(plan.target)).T)
    push, press = _touches(plan, leg, share, nodes)
    unit = unit_of(plan)
    return Scene(
        headline(plan), "above", plan.status, flat_poses(times, nodes), np.full(LINKS, half_width_of(plan)), Land(Ground()),
        np.array([0.5]), tuple(block_outline(o) for o in plan.obstacles), push=push, press=press, pins=pins,
        target=np.asarray(plan.target, dtype=float), notes=(Note("target", f"{unit} away", 1.0, far),), events=events, unit=unit,
        scaled=False,
    )  # fmt: skip


def _stage(plan: Any, leg: Any) -> str:
    return f"cycle {leg.cycle} of {plan.cycles}, stage {leg.stage}: {DOES[leg.stage]}"


def _touches(plan: Any, leg: Any, share: FloatArray, nodes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Directions (t, n, 3) in which obstacles press on links, and the points of touch (t, n, 3); not a number where nothing does."""
    push, press = np.zeros((len(leg), LINKS, 3)), np.full((len(leg), LINKS, 3), np.nan)
    for k, (i, at) in enumerate(zip(leg, share, strict=True)):
        for c in plan.legs[i].contacts:
            if c.s[0] - 1e-9 <= at and (at <= c.s[1] + 1e-9 or c.held):
                obstacle = plan.obstacles[c.obstacle]
                point, own = touch(nodes[k, c.link - 1], nodes[k, c.link], obstacle)
                way = own - (point if len(obstacle.corners) else np.array(obstacle.centre))
                far = float(np.hypot(*way))
                push[k, c.link - 1, :2] = way / far if far > 1e-6 else np.asarray(c.direction)
                press[k, c.link - 1] = (*point, 0.0)
    return push, press


def following_scene(following: Any, unit: str | None = None) -> Scene:
    """A body that follows a path; its time is the number of the increment. `unit`: of distances in words, that of the map unless given."""
    count, n, area = len(following.base), len(following.lengths), following.path.map
    unit = unit or str(area.unit)
    size = area.cell if unit == "cells" else 1.0
    nearest, loose = following.clearance.min(axis=1), (~following.settled).sum(axis=1)
    events = []
    for k in range(count):
        gap = (
            f"nearest link {nearest[k] / size:.3g} {unit} from a wall" if nearest[k] > 0.0 else "nearest link in a wall"
        )
        events.append((float(k), gap + (f", {loose[k]} links unsettled" if loose[k] else "")))
    return Scene(
        f"{n} links through {area.name}", "above", following.status, flat_poses(np.arange(count, dtype=float), following.joints),
        np.full(n, float(following.half_width)), Land(Ground()), np.array([0.5]),
        cells=CellMap(np.asarray(area.solid, dtype=bool), area.cell), path=following.path.points, events=tuple(events),
        unit=unit if size == 1.0 else "m", clock=f"increment {{:.0f}} of {count - 1}",
    )  # fmt: skip


@door(plan=OneOf(kinds=(Of(name="ConcertinaSolution"), Of(name="Following"))))
def plan_film(
    plan: Any, path: str | Path, *, fps: float = FPS, size: str | tuple[int, int] = "720p", speed: float | None = None, unit: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Path:  # fmt: skip
    """Write a film of a plan (mp4 or gif), of 24 s at most if no `speed` is given; `unit` of the lengths of a map, its own unless given.

    A concertina plan is shown `speed` times as fast as joints of 1 rad/s, a body that follows its path at `speed` increments a second.
    """
    if hasattr(plan, "legs"):
        scene = concertina_scene(plan)
        pace = max(1.0, float(scene.body.time[-1]) / LONGEST) if speed is None else speed
    else:
        scene = following_scene(plan, unit)
        pace = max(1.0 / INCREMENT, len(scene.body.time) / LONGEST) if speed is None else speed
    return film(scene, path, fps, size, pace, progress=progress)
