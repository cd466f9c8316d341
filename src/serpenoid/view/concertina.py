"""The mechanical snake on paper: a plan step by step, and the torques and pin forces of its execution.

`steps_figure` draws the whole way on a map and, below it, postures at the ends of stages; where there are many it chooses those that
tell most: the first cycle, contacts, the end. Pins are diamonds on the links that they hold (two on the head), as in Fig. 15 of
Shan and Koren (1993); obstacles are blocks, forces on touching links are arrows of one length: a plan knows their directions only.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core.checks import FloatArray
from serpenoid.core.door import Of, door
from serpenoid.core.errors import InputError
from serpenoid.gaits.concertina_legs import PINNED
from serpenoid.view import panels, style, yard
from serpenoid.view.above import TARGET, box_about, link_colours
from serpenoid.view.scene import block_outline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINKS = 7
PANELS = 8  # steps drawn at most
ROW = 4  # of them beside each other
SLIM = 0.06  # link lengths: half width of links drawn as thin ones
PIN, PIN_EDGE = style.INK, "#ffffff"
DOES = {1: "push the head", 2: "pull the middle", 3: "pull the tail"}
HEAD_PINS = (0.2, 0.8)  # of the head's length


def unit_of(plan: Any) -> str:
    """What lengths are measured in: unit links give link lengths."""
    return "link lengths" if np.all(np.asarray(plan.lengths) == 1.0) else "m"


def half_width_of(plan: Any) -> float:
    """Half width of a drawn link, m: its own, or a slim one where the plan has thin links."""
    return max(float(plan.half_width), SLIM * float(np.mean(plan.lengths)))


def pin_places(nodes: FloatArray, links: Any) -> FloatArray:
    """Places (k, 2) of the pins of these links (from 1): in their middle, two on the head."""
    shares = {link: HEAD_PINS if link == LINKS else (0.5,) for link in links}
    found = [(1.0 - f) * nodes[k - 1] + f * nodes[k] for k in shares for f in shares[k]]
    return np.array(found).reshape(-1, 2)


def touch(a: FloatArray, b: FloatArray, obstacle: Any) -> tuple[FloatArray, FloatArray]:
    """Point of an obstacle's border that is nearest to the link from a to b, and the link's nearest point."""
    corners = obstacle.corners
    if not len(corners):
        centre = np.array(obstacle.centre)
        p = _nearest(a, b, centre)
        way = p - centre
        return centre + obstacle.radius * way / max(float(np.hypot(*way)), 1e-12), p
    pairs = [(c, _nearest(a, b, c)) for c in corners]
    for c, d in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        pairs += [(_nearest(c, d, end), end) for end in (a, b)]
    return min(pairs, key=lambda pair: float(np.hypot(*(pair[0] - pair[1]))))


def _nearest(a: FloatArray, b: FloatArray, p: FloatArray) -> FloatArray:
    along = b - a
    return np.asarray(a + np.clip((p - a) @ along / max(float(along @ along), 1e-300), 0.0, 1.0) * along)


def draw_obstacles(ax: Axes, obstacles: Any) -> None:
    """Blocks and posts."""
    yard.draw_blocks(ax, [block_outline(item) for item in obstacles])


def draw_target(ax: Axes, target: Any, size: float = 13.0) -> None:
    """A ring with a cross."""
    ax.plot(*target, "o", ms=size, mfc="none", mec=TARGET, mew=1.8, zorder=8)
    ax.plot(*target, "+", ms=size, color=TARGET, mew=1.4, zorder=8)


def draw_body(ax: Axes, nodes: FloatArray, half_width: float, colour: Any = None, **look: Any) -> None:
    """Links as capsules: by turns dark and light with an orange head, or all in one colour."""
    yard.draw_body(ax, nodes, half_width, link_colours(LINKS) if colour is None else colour, **look)


def draw_pins(ax: Axes, places: FloatArray, size: float = 7.0) -> Any:
    """Diamonds where pins hold."""
    (made,) = ax.plot(*places.T, "D", ms=size, mfc=PIN, mec=PIN_EDGE, mew=1.0, ls="none", zorder=7)
    return made


def draw_contacts(ax: Axes, contacts: Any, arrow: float, wide: float = 0.022) -> None:
    """Points of touch, and the direction of the force on the link as an arrow of this length (m)."""
    if not contacts:
        return
    points = np.array([c.point for c in contacts])
    ways = arrow * np.array([c.direction for c in contacts])
    ax.plot(*points.T, "o", ms=4.5, color=style.FORCE, mec="white", mew=0.6, ls="none", zorder=9)
    ax.quiver(*points.T, *ways.T, angles="xy", scale_units="xy", scale=1.0, units="inches", width=wide,
              headwidth=3.6, headlength=4.0, headaxislength=3.6, color=style.FORCE, zorder=9)  # fmt: skip


def extent(plan: Any, nodes: FloatArray, room: float = 0.6) -> tuple[FloatArray, FloatArray]:
    """Lower left and upper right corner of all that must be seen: the motion, the target, obstacles near to them."""
    points = np.concatenate([nodes.reshape(-1, 2), [plan.target]])
    return box_about(points, [block_outline(o) for o in plan.obstacles], float(np.mean(plan.lengths)), room)


def _window(ax: Axes, centre: FloatArray, half: FloatArray, unit: str, named: bool = True) -> None:
    ax.set_aspect("equal")
    ax.set_xlim(centre[0] - half[0], centre[0] + half[0])
    ax.set_ylim(centre[1] - half[1], centre[1] + half[1])
    style.dress(ax, f"x [{unit}]" if named else "", f"y [{unit}]" if named else "")


def way_panel(ax: Axes, plan: Any, bodies: int = 6) -> None:
    """Draw the whole way: the head's trail, the body at the ends of some cycles (early to late), contacts, target."""
    size, wide = float(np.mean(plan.lengths)), half_width_of(plan)
    nodes = plan.nodes(30)
    low, high = extent(plan, nodes)
    draw_obstacles(ax, plan.obstacles)
    ends = [plan.start.nodes(plan.lengths)] + [leg.nodes(1.0)[0] for leg in plan.legs if leg.stage == 3]
    if plan.legs:
        ends.append(plan.legs[-1].nodes(1.0)[0])
    chosen = np.unique(np.linspace(0, len(ends) - 1, min(bodies, len(ends))).round().astype(int))
    for k, colour in zip(chosen, style.time_colours(len(chosen)), strict=True):
        draw_body(ax, ends[k], wide, colour, alpha=0.9)
        ax.plot(*ends[k][-1], "o", ms=4.0, color="white", mec=style.INK, mew=1.0, zorder=6)
    ax.plot(*nodes[:, -1].T, color=style.INK, lw=1.2, zorder=5)
    every = max(1, len(plan.contacts) // 60)
    draw_contacts(ax, plan.contacts[::every], 0.45 * size, 0.016)
    draw_target(ax, plan.target)
    _window(ax, 0.5 * (low + high), 0.5 * (high - low), unit_of(plan))


def reach_of(plan: Any, legs: Any) -> float:
    """Half side in m of a square that holds any of these legs, both ends."""
    spans = [np.ptp(np.concatenate([leg.nodes(0.0)[0], leg.nodes(1.0)[0]]), axis=0).max() for leg in legs]
    return 0.5 * max(spans, default=0.0) + 0.7 * float(np.mean(plan.lengths))


def step_panel(ax: Axes, plan: Any, leg: Any, half: float | None = None) -> None:
    """Draw the end of one stage over its beginning: pins, the head's way, contacts; a square of 2 `half` m."""
    half = reach_of(plan, [leg]) if half is None else half
    size, wide = float(np.mean(plan.lengths)), half_width_of(plan)
    way = leg.nodes(np.linspace(0.0, 1.0, 40))
    both = np.concatenate([way[0], way[-1]])
    draw_obstacles(ax, plan.obstacles)
    draw_body(ax, way[0], wide, style.PALE, edgecolors="none", zorder=3)
    draw_body(ax, way[-1], wide)
    ax.plot(*way[:, -1].T, color=style.INK, lw=1.1, ls=(0, (3, 1.5)), zorder=5)
    draw_pins(ax, pin_places(way[-1], leg.pinned), 6.0)
    draw_contacts(ax, leg.contacts, 0.7 * size)
    centre = 0.5 * (both.min(axis=0) + both.max(axis=0))
    _window(ax, centre, np.array([half, half]), unit_of(plan), named=False)
    _point_at(ax, plan.target, centre, 0.93 * half)
    ax.set_title(f"cycle {leg.cycle}, stage {leg.stage}: {DOES[leg.stage]}", fontsize=style.TICK, color=style.INK, loc="left")  # fmt: skip


def _point_at(ax: Axes, target: Any, centre: FloatArray, reach: float) -> None:
    """The target, or at the border an arrow towards it."""
    way = np.asarray(target) - centre
    beyond = float(np.abs(way).max()) / reach
    if beyond <= 1.0:
        draw_target(ax, target, 11.0)
        return
    tip = centre + way / beyond
    ax.annotate("", (tip[0], tip[1]), tip - 0.16 * reach * way / np.hypot(*way), zorder=8,
                arrowprops={"arrowstyle": "-|>", "color": TARGET, "lw": 1.8, "shrinkA": 0, "shrinkB": 0})  # fmt: skip


def told_legs(legs: Any, most: int = PANELS) -> list[Any]:
    """The legs that tell most: the first cycle, the last leg, then those with contacts, then others evenly."""
    count = len(legs)
    if count <= most:
        return list(legs)
    chosen = [*range(3), count - 1]
    touching = [k for k, leg in enumerate(legs) if leg.contacts and k not in chosen]
    for pool in (touching, [k for k in range(count) if k not in chosen and k not in touching]):
        room = min(most - len(chosen), len(pool))
        chosen += [pool[i] for i in np.linspace(0, len(pool) - 1, room).round().astype(int)] if room else []
    return [legs[k] for k in sorted(set(chosen))]


@door(plan=Of(name="ConcertinaSolution"))
def steps_figure(plan: Any, path: str | Path) -> Path:
    """Write a plan step by step: the whole way, and the postures at the ends of stages with pins, contacts and target."""
    legs = told_legs(plan.legs)
    half = reach_of(plan, legs)
    low, high = extent(plan, plan.nodes(10))
    shape = (high - low)[1] / (high - low)[0]
    rows = -(-len(legs) // ROW)
    top = float(np.clip(11.5 * shape, 2.6, 7.0))
    fig = style.canvas(13.0, 1.15 + top + 3.3 * rows)
    fig.set_layout_engine("constrained", h_pad=0.08, w_pad=0.06)
    grid = fig.add_gridspec(1 + rows, ROW, height_ratios=[top, *[3.0] * rows])
    above = fig.add_subplot(grid[0, :])
    way_panel(above, plan)
    above.set_title("The whole way", fontsize=style.LABEL + 1, color=style.INK, loc="left", fontweight="bold")
    _name_marks(above, plan)
    for k, leg in enumerate(legs):
        ax = fig.add_subplot(grid[1 + k // ROW, k % ROW])
        step_panel(ax, plan, leg, half)
        if k % ROW == 0:
            ax.set_ylabel(f"y [{unit_of(plan)}]", fontsize=style.LABEL, color=style.INK)
        if k + ROW >= len(legs):
            ax.set_xlabel(f"x [{unit_of(plan)}]", fontsize=style.LABEL, color=style.INK)
    style.headline(fig, headline(plan))
    style.caption(fig, "Above: the whole way, colours are time, early to late. Below: stages of the motion, from the pale posture to the coloured one; pins hold "
                  "the links that do not move, the dashed line is the way of the head.")  # fmt: skip
    return style.save(fig, path)


def _name_marks(ax: Axes, plan: Any) -> None:
    """A legend of pins, postures, trail, contacts and target, below all panels: the whole way may be narrow."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    shown: list[Any] = [
        Line2D([], [], marker="D", ls="none", mfc=PIN, mec=PIN_EDGE, ms=7, label="pin that holds"),
        Patch(fc=style.PALE, label="start of a stage"),
        Line2D([], [], color=style.INK, lw=1.2, label="trail of the head"),
        Line2D([], [], marker="o", ls="none", mfc="none", mec=TARGET, mew=1.8, ms=10, label="target"),
    ]
    if plan.obstacles:
        shown += [Patch(fc=style.STONE, ec=style.GREY, label="obstacle")]
    if plan.contacts:
        shown += [Line2D([], [], color=style.FORCE, marker=">", ms=5, label="direction of a contact force")]
    ax.figure.legend(
        handles=shown,
        loc="outside lower center",
        ncols=len(shown),
        fontsize=style.TICK,
        frameon=False,
        handlelength=1.4,
    )


def headline(plan: Any) -> str:
    """What came of a plan, in a line."""
    unit, (x, y) = unit_of(plan), plan.target
    said = f"Concertina to ({x:g}, {y:g}) {unit}: {plan.status} in {plan.cycles} cycle{'s' * (plan.cycles != 1)}"
    touched = len(plan.contacts)
    said += f", {touched} contact{'s' * (touched != 1)}" if plan.obstacles else ""
    return said if plan.status == "reached" else f"{said}, {plan.final_distance:.3g} {unit} away"


@door(run=Of(name="Trajectory"))
def forces_figure(run: Any, path: str | Path) -> Path:
    """Write torques of the joints and forces of the pins of an executed plan over time, with the stages."""
    fig = style.titled(12.0, 7.8, "What the motion takes",
                       "White: the first stage of a cycle (the head is pushed), dark: the second (the middle is pulled), pale: the third (the tail is pulled). Pins that do not "
                       "hold bear no force.")  # fmt: skip
    above, below = fig.subplots(2, 1)
    panels.torques(above, run, list(range(1, LINKS)))
    panels.pin_forces(below, run)
    for ax in (above, below):
        _stages(ax, run["time"], run["anchor_set"][:, : len(link_colours(LINKS))] > 0.5)
    return style.save(fig, path)


def stage_of(pinned: np.ndarray) -> np.ndarray:
    """Stage (f,) of frames (f, 7) by which links are pinned: links 3, 1 and 5 tell."""
    if np.ndim(pinned) != 2 or np.shape(pinned)[1] != LINKS:
        raise InputError(f"pinned must be (frames, {LINKS}), got {np.shape(pinned)}")
    table = np.array([[link in PINNED[stage] for link in range(1, LINKS + 1)] for stage in (1, 2, 3)])
    return np.argmin((np.asarray(pinned, dtype=bool)[:, None] != table).sum(axis=2), axis=1) + 1


def _stages(ax: Axes, t: FloatArray, pinned: np.ndarray) -> None:
    """Bands behind the curves: the second stage of each cycle, and the third one paler."""
    stage = stage_of(pinned)
    cuts = np.concatenate([[0], np.flatnonzero(np.diff(stage)) + 1, [len(stage)]])
    for a, b in zip(cuts[:-1], cuts[1:], strict=True):
        if stage[a] != 1:
            ax.axvspan(t[a], t[min(b, len(t) - 1)], color=style.PALE, alpha=0.7 if stage[a] == 2 else 0.3, lw=0, zorder=0)  # fmt: skip
