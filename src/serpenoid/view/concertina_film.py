"""The mechanical snake as a film: its plan in smooth timing, or what became of it in dynamics.

Diamonds are pins that hold, lamps at the bottom the solenoids t_1 .. t_8; red points and arrows are touches of obstacles and the direction
of the force on the link; the line behind the head is its trail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.core.checks import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.gaits.concertina import SOLENOIDS, schedule
from serpenoid.view import style
from serpenoid.view.concertina import (
    DOES,
    LINKS,
    capsules,
    draw_obstacles,
    draw_pins,
    draw_target,
    extent,
    half_width_of,
    headline,
    link_colours,
    pin_places,
    stage_of,
    touch,
    unit_of,
)
from serpenoid.view.film import instants, write_film
from serpenoid.view.stage import WIDE, camera_path

FPS = 24.0
LONGEST = 24.0  # s: a film of a plan is played faster so as not to last longer
HOLD = 1.0  # s: the last picture stays
WHOLE = 30.0  # link lengths: what spans more is followed by the camera
FOLLOWED = 16.0  # link lengths: width of the view then
NEAR = 0.01  # link lengths: links of an executed run that are so close to an obstacle touch it
PINS_DOWN = 0.14  # of the picture's height, for words at the bottom and as much at the top


@dataclass(frozen=True)
class Take:
    """What is shown at each picture of a film."""

    time: FloatArray  # (k,) s of the motion
    nodes: FloatArray  # (k, 8, 2) m
    pinned: np.ndarray  # (k, 7) whether a link is pinned
    captions: list[str]
    touches: list[list[tuple[FloatArray, FloatArray | None]]]  # points, and force directions where they are known
    trail: FloatArray  # (m, 2) m: the head's way
    passed: np.ndarray  # (k,): points of the trail that lie behind


def plan_film(
    plan: Any, path: str | Path, *, fps: float = FPS, size: tuple[int, int] = (1280, 720), speed: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> Path:  # fmt: skip
    """Write a film of a plan (mp4 or gif), `speed` times as fast as joints of 1 rad/s; by default 24 s at most."""
    if not plan.legs:
        raise InputError(f"there is nothing to film: the plan has no leg ({plan.status})")
    timing = schedule(plan.legs)
    pace = max(1.0, timing.time / LONGEST) if speed is None else speed

    def stage(fps: float, size: tuple[int, int]) -> ConcertinaStage:
        return ConcertinaStage(planned(plan, timing, fps, pace), plan, fps, size, headline(plan))

    return write_film(path, fps, size, pace, stage, progress)


def executed_film(
    executed: Any, plan: Any, path: str | Path, *, fps: float = FPS, size: tuple[int, int] = (1280, 720),
    speed: float | None = None, progress: Callable[[float], None] | None = None,
) -> Path:  # fmt: skip
    """Write a film of an executed plan (time, nodes, pinned) among the plan's obstacles; the planned trail is dotted."""
    span = float(executed.time[-1] - executed.time[0])
    pace = max(1.0, span / LONGEST) if speed is None else speed

    def stage(fps: float, size: tuple[int, int]) -> ConcertinaStage:
        made = ConcertinaStage(done(executed, plan, fps, pace), plan, fps, size, "executed in dynamics")
        made.axes.plot(*plan.nodes(30)[:, -1].T, color=style.BLUE, lw=1.4, ls=":", zorder=1)
        return made

    return write_film(path, fps, size, pace, stage, progress)


def _held(times: FloatArray, fps: float) -> FloatArray:
    """The last instant stays for a while."""
    return np.concatenate([times, np.full(round(HOLD * fps), times[-1])])


def planned(plan: Any, timing: Any, fps: float, speed: float) -> Take:
    """A plan at the instants of a film."""
    times = _held(np.append(instants(0.0, timing.time, fps, speed), timing.time), fps)
    leg, s, nodes = _at(timing, times)
    starts = np.concatenate([[0], np.cumsum(SOLENOIDS)[:-1]])
    pinned = timing.solenoids(times)[:, starts] > 0
    touches: list[list[tuple[FloatArray, FloatArray | None]]] = []
    for k, (i, at) in enumerate(zip(leg, s, strict=True)):
        pressed = [c for c in plan.legs[i].contacts if c.s[0] - 1e-9 <= at and (at <= c.s[1] + 1e-9 or c.held)]
        touches.append([_pressing(nodes[k], plan.obstacles[c.obstacle], c) for c in pressed])
    unit = unit_of(plan)
    far = np.hypot(*(nodes[:, -1] - np.asarray(plan.target)).T)
    captions = [
        (f"cycle {plan.legs[i].cycle} of {plan.cycles}, stage {plan.legs[i].stage}: {DOES[plan.legs[i].stage]}" if t < timing.time else plan.status)
        + f"\n{d:.2f} {unit} to the target" for i, d, t in zip(leg, far, times, strict=True)
    ]  # fmt: skip
    fine = np.linspace(0.0, timing.time, 40 * len(plan.legs))
    return Take(times, nodes, pinned, captions, touches, _at(timing, fine)[2][:, -1], np.searchsorted(fine, times, side="right"))  # fmt: skip


def _at(timing: Any, times: FloatArray) -> tuple[np.ndarray, FloatArray, FloatArray]:
    """Numbers of the legs (k,), fractions of their way (k,) and nodes (k, 8, 2) at these times."""
    leg, s = timing.where(times)
    s = np.clip(s, 0.0, 1.0)  # the smooth timing may round to just above one
    nodes = np.empty((len(times), LINKS + 1, 2))
    for i in np.unique(leg):
        nodes[leg == i] = timing.legs[i].nodes(s[leg == i])
    return leg, s, nodes


def _pressing(nodes: FloatArray, obstacle: Any, contact: Any) -> tuple[FloatArray, FloatArray | None]:
    """Where a link presses at this instant, and the direction of the force on it."""
    point, own = touch(nodes[contact.link - 1], nodes[contact.link], obstacle)
    way = own - (point if len(obstacle.corners) else np.array(obstacle.centre))
    far = float(np.hypot(*way))
    return point, way / far if far > 1e-6 else np.asarray(contact.direction)


def done(executed: Any, plan: Any, fps: float, speed: float) -> Take:
    """An executed run at the instants of a film: the frame before each."""
    t = np.asarray(executed.time)
    times = _held(np.append(instants(float(t[0]), float(t[-1]), fps, speed), t[-1]), fps)
    frame = np.clip(np.searchsorted(t, times + 1e-9, side="right") - 1, 0, len(t) - 1)
    nodes, pinned = executed.nodes[frame], np.asarray(executed.pinned, dtype=bool)[frame]
    stage = stage_of(executed.pinned)
    cycle = 1 + np.cumsum(np.concatenate([[0], (stage[1:] == 1) & (stage[:-1] == 3)]))
    near = NEAR * float(np.mean(plan.lengths)) + plan.half_width
    touches = [_near(body, plan.obstacles, near) for body in nodes]
    captions = [f"t = {x:.1f} s\ncycle {cycle[f]}, stage {stage[f]}: {DOES[stage[f]]}" for x, f in zip(times, frame, strict=True)]  # fmt: skip
    return Take(times, nodes, pinned, captions, touches, executed.nodes[:, -1], frame + 1)


def _near(nodes: FloatArray, obstacles: Any, near: float) -> list[tuple[FloatArray, FloatArray | None]]:
    found: list[tuple[FloatArray, FloatArray | None]] = []
    for a, b in zip(nodes[:-1], nodes[1:], strict=True):
        for item in obstacles:
            point, own = touch(a, b, item)
            if np.hypot(*(point - own)) < near:
                found.append((point, None))
    return found


class ConcertinaStage:
    """The artists of a film; `picture` moves them to one instant."""

    def __init__(self, take: Take, plan: Any, fps: float, size: tuple[int, int], title: str) -> None:
        wide, high = size
        self.take, self.shown = take, SimpleNamespace(time=take.time)
        self.figure = style.canvas(WIDE, WIDE * high / wide, wide / WIDE, style.GROUND)
        self.axes = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self.axes.set_axis_off()
        self.link = float(np.mean(plan.lengths))
        self.half_width = half_width_of(plan)
        self._cameras(plan, fps, wide / high)
        self._ground()
        draw_obstacles(self.axes, plan.obstacles)
        draw_target(self.axes, plan.target, 24.0)
        self._robot()
        self._words(title, unit_of(plan))

    def _cameras(self, plan: Any, fps: float, aspect: float) -> None:
        """One view of all, or a camera that follows the body."""
        low, high = extent(plan, self.take.nodes)
        span = high - low
        half = max(0.5 * span[0], 0.5 * span[1] / (1.0 - 2.0 * PINS_DOWN) * aspect)
        self.centre = np.tile(0.5 * (low + high), (len(self.take.time), 1))
        if 2.0 * half > WHOLE * self.link:
            half = 0.5 * FOLLOWED * self.link
            self.centre = camera_path(self.take.nodes.mean(axis=1), fps, self.link)
        self.view = np.array([half, half / aspect])

    def _ground(self) -> None:
        """A grid of link lengths, or of round parts of a metre."""
        from matplotlib.collections import LineCollection

        step = max(style.round_below(1.2 * self.link), style.round_below(2.0 * self.view[0] / 20.0))
        low, high = self.centre.min(axis=0) - self.view, self.centre.max(axis=0) + self.view
        lines: list[list[tuple[float, float]]] = []
        for axis in (0, 1):
            for i in range(int(np.floor(low[axis] / step)), int(np.ceil(high[axis] / step)) + 1):
                ends = np.array([low, high])
                ends[:, axis] = i * step
                lines.append([(float(x), float(y)) for x, y in ends])
        self.axes.add_collection(LineCollection(lines, colors=style.GROUND_LINE, linewidths=1.0, zorder=0), autolim=False)  # fmt: skip

    def _robot(self) -> None:
        from matplotlib.collections import LineCollection, PolyCollection

        (self.trail,) = self.axes.plot([], [], color=style.INK, lw=1.6, alpha=0.55, zorder=3, solid_capstyle="round")
        self.body = PolyCollection([], facecolors=link_colours(), edgecolors=style.OUTLINE, linewidths=0.9, zorder=5)
        self.axes.add_collection(self.body, autolim=False)
        self.pins = draw_pins(self.axes, np.empty((0, 2)), 9.0)
        (self.points,) = self.axes.plot([], [], "o", ms=8, color=style.FORCE, mec="white", mew=1.0, ls="none", zorder=9)
        self.arrows = LineCollection([], colors=style.FORCE, linewidths=3.0, zorder=8, capstyle="round")
        self.axes.add_collection(self.arrows, autolim=False)

    def _words(self, title: str, unit: str) -> None:
        """Caption, title, a scale of length, a lamp for each solenoid."""
        paper = {"facecolor": style.GROUND, "alpha": 0.85, "edgecolor": "none", "pad": 3.0}
        base: dict[str, Any] = {"transform": self.axes.transAxes, "zorder": 10}
        word = {**base, "fontsize": 16, "color": style.INK, "bbox": paper}
        self.caption = self.axes.text(0.025, 0.965, "", va="top", linespacing=1.35, **{**word, "fontsize": 20})
        self.axes.text(0.975, 0.955, title, ha="right", va="center", **{**word, "color": style.GREY})
        bar = style.round_below(0.3 * self.view[0])
        share = bar / (2.0 * self.view[0])
        self.axes.plot([0.025, 0.025 + share], [0.04, 0.04], lw=5, solid_capstyle="butt", color=style.INK, **base)
        named = unit if unit == "m" or bar != 1.0 else "link length"
        self.axes.text(0.025, 0.06, f"{bar:g} {named}", ha="left", va="bottom", **word)
        x = 0.975 - 0.034 * np.arange(LINKS, -1, -1)
        self.axes.text(x[0] - 0.02, 0.05, "pins, tail to head", ha="right", va="center", **{**word, "color": style.GREY})  # fmt: skip
        self.lamps = self.axes.scatter(x, np.full(LINKS + 1, 0.05), s=190, marker="D", linewidths=1.4, **base)
        self.lit, self.dark = (tuple(style.rgba(colour)) for colour in (style.INK, style.GROUND))
        self.lamps.set_edgecolor(style.GREY)

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Pixels of instant k, (height, width, 4)."""
        take, nodes = self.take, self.take.nodes[k]
        low, high = self.centre[k] - self.view, self.centre[k] + self.view
        self.axes.set_xlim(low[0], high[0])
        self.axes.set_ylim(low[1], high[1])
        self.trail.set_data(*np.vstack([take.trail[: take.passed[k]], nodes[-1]]).T)
        self.body.set_verts(capsules(nodes, self.half_width))
        self.pins.set_data(*pin_places(nodes, np.flatnonzero(take.pinned[k]) + 1).T)
        on = np.repeat(take.pinned[k], SOLENOIDS)
        self.lamps.set_facecolor([self.lit if lamp else self.dark for lamp in on])
        self._touches(take.touches[k])
        self.caption.set_text(take.captions[k])
        canvas = self.figure.canvas
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())  # type: ignore[attr-defined]

    def _touches(self, touches: list[tuple[FloatArray, FloatArray | None]]) -> None:
        """Points, and arrows of one link's length made of a shaft and two barbs."""
        self.points.set_data(*np.array([p for p, _ in touches]).reshape(-1, 2).T)
        parts = []
        for point, way in touches:
            if way is not None:
                tip, aside = point + 0.9 * self.link * way, np.array([-way[1], way[0]])
                barb = tip - 0.22 * self.link * way
                parts += [[point, tip], [barb + 0.13 * self.link * aside, tip], [barb - 0.13 * self.link * aside, tip]]
        self.arrows.set_segments(parts)
