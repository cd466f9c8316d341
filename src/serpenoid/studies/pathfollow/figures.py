"""Pictures of the study: Figs 1 and 2 redrawn, many links, the printed search, digits of the field, and the robot on its way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.core import FloatArray, Trajectory
from serpenoid.studies.pathfollow.field import FieldGround, between, downhill, relaxed, scaled_direction, unknown
from serpenoid.studies.pathfollow.links import CAP, LENGTH, TOL, Chains
from serpenoid.studies.pathfollow.passage import Passages, Way, ended
from serpenoid.studies.pathfollow.told import nearest, sequential
from serpenoid.view.film import film
from serpenoid.view.map import path_panel, walls_panel
from serpenoid.view.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PALE,
    PURPLE,
    RED,
    dress,
    legend,
    legend_above,
    legend_below,
    save,
    time_colours,
    titled,
)

SAID = {"feed": "fed", "creep": "creeping"}


def chain(ax: Any, joints: FloatArray, colour: Any, **kw: Any) -> None:
    """Draw links with their joints."""
    ax.plot(*joints.T, **{"marker": "o", "ms": 5, "lw": 3.0, "color": colour, "zorder": 4, **kw})


def figure1(found: FieldGround, path: Path) -> Path:
    """Shortest distance, angle and direction of rotation."""
    points = found.path.points[:15]
    a, heading = points[0], np.radians(108.0)
    b = a + LENGTH * np.array([np.cos(heading), np.sin(heading)])
    k = sequential(points, b)
    c = points[k]
    fig = titled(8.6, 7.0, "Fig. 1  The closest point, the angle and the turn",
                 "C is the point of the path nearest to the tip B. The link turns about A towards C, by at most E = 5 deg at a time (pale).")  # fmt: skip
    ax = fig.subplots()
    ax.plot(*points.T, "o-", color=RED, ms=4, lw=1.0, label="points of the path")
    chain(ax, np.array([a, b]), BLUE, ms=8)
    ax.plot(
        *np.array([b, c]).T, color=INK, lw=1.4, ls="--", label=f"shortest distance BC = {np.hypot(*(c - b)):.2f} cells"
    )
    ax.plot(*np.array([a, c]).T, color=GREY, lw=1.4, ls="--")
    turned = heading - CAP * np.arange(1, 4)
    for angle in turned:
        chain(ax, np.array([a, a + LENGTH * np.array([np.cos(angle), np.sin(angle)])]), BLUE, alpha=0.25, lw=2.0)
    end = np.arctan2(*(c - a)[::-1])
    arc = np.linspace(heading, end, 40)
    ax.plot(a[0] + 1.6 * np.cos(arc), a[1] + 1.6 * np.sin(arc), color=GREEN, lw=2.0)
    ax.annotate("", a + 1.6 * np.array([np.cos(end), np.sin(end)]), a + 1.6 * np.array([np.cos(arc[-4]), np.sin(arc[-4])]),
                arrowprops={"arrowstyle": "->", "color": GREEN, "lw": 2.0})  # fmt: skip
    middle = 0.5 * (heading + end)
    ax.text(a[0] + 2.0 * np.cos(middle), a[1] + 2.0 * np.sin(middle), f"$\\alpha$ = {np.degrees(heading - end):.0f} deg", fontsize=12, color=GREEN, ha="center", bbox={"fc": "white", "ec": "none", "pad": 1.5})  # fmt: skip
    for name, p, shift in (("A", a, (-0.3, -0.1)), ("B", b, (-0.3, 0.15)), ("C", c, (0.25, -0.1))):
        ax.text(p[0] + shift[0], p[1] + shift[1], name, fontsize=15, color=INK, ha="center")
    ax.set_aspect("equal")
    ax.set_xlim(3.4, 10.2)
    ax.set_ylim(7.5, 14.8)
    dress(ax, "x [cells]", "y [cells]", "")
    legend(ax, loc="lower right")
    return save(fig, path)


def figure2(found: FieldGround, made: Chains, path: Path) -> Path:
    """Two configurations of two links, and how the tips came to the path."""
    fig = titled(13.0, 6.0, "Fig. 2  A two-link robot comes to the path",
                 "Left: from upright to the path, pale on the way. Right: the head settles, then the inner link turns and takes it away again, then the head settles anew; "
                 "smaller turns do the same in more steps.")  # fmt: skip
    left, right = fig.subplots(1, 2, width_ratios=[1.0, 1.5])
    two = made.two[5.0]
    left.plot(*found.path.points[:32].T, "o-", color=RED, ms=2.5, lw=0.8, label="path")
    for k in range(1, two.turns, 2):
        chain(left, two.way[k], PALE, lw=1.4, ms=2.5, zorder=2)
    chain(left, two.way[0], BLUE, label="before")
    chain(left, two.joints, GREEN, label=f"settled, after {two.turns} turns")
    left.set_aspect("equal")
    left.set_xlim(5.0, 17.0)
    dress(left, "x [cells]", "y [cells]", "The links")
    legend(left, loc="lower right")
    for cap, style in ((5.0, "-"), (1.0, ":")):
        far = np.array([nearest(found.path.points, joints) for joints in made.two[cap].way])
        share = np.linspace(0.0, 1.0, len(far))
        for k, (colour, name) in enumerate(((ORANGE, "inner link"), (BLUE, "head"))):
            right.plot(share, far[:, k], color=colour, ls=style, lw=2.0, label=f"{name}, E = {cap:g} deg, {len(far) - 1} turns")  # fmt: skip
    right.axhline(TOL, color=GREY, lw=1.0, ls="--")
    right.text(0.0, TOL + 0.05, "settled below", color=GREY, fontsize=10)
    dress(
        right,
        "share of the turns",
        "distance of the tip to the path [cells]",
        "How far the tips are from the path",
    )
    legend_above(right, 2, 2)
    return save(fig, path)


def many_links(found: FieldGround, made: Chains, path: Path) -> Path:
    """Six links word by word; one random start as printed, by fixed turns and by the planner."""
    worst = max(range(len(made.random)), key=lambda k: float(made.random[k].off_path.max()))
    fig = titled(14.0, 6.2, "Many links",
                 "Left: word by word the outer links fold back (purple); settled anew after every turn of an inner link they follow the path (green). Middle: the search as "
                 "printed knots the body, a search ahead of the joint does not. Right: turns by no more than the angle that is left settle sooner.")  # fmt: skip
    left, middle, right = fig.subplots(1, 3)
    six = made.six
    for ax in (left, middle):
        ax.plot(*found.path.points[:90].T, color=RED, lw=1.0, label="path")
    chain(left, six.way[0], PALE, lw=2.0, ms=3.0, label="before")
    each = made.each[1]
    chain(left, each.joints, GREEN, lw=2.2, ms=4.0, label=f"outer links re-settled\nafter every turn: {each.turns}")
    chain(left, six.joints, PURPLE, lw=2.2, ms=4.0, label=f"once the inner\nhas settled: {six.turns}, folded")
    title = "Six links from upright"
    first = made.random[worst].way[0]
    chain(middle, first, PALE, lw=2.0, ms=3.0, label="before")
    chain(middle, made.random[worst].joints, PURPLE, lw=2.2, ms=4.0, label="search as printed")
    chain(middle, made.ahead[worst].joints, GREEN, lw=2.2, ms=4.0, label="search ahead of the joint")
    for ax, words in ((left, title), (middle, "From a random posture")):
        ax.set_aspect("equal")
        ax.set_xlim(2.0, 34.0)
        dress(ax, "x [cells]", "y [cells]", words)
        legend(ax, loc="lower right")
    for some, colour, name in ((made.random, GREEN, "by min(alpha, E)"), (made.fixed, RED, "always by E")):
        turns = np.sort([t.turns for t in some])
        right.step(turns, np.arange(1, len(turns) + 1) / len(turns), color=colour, lw=2.0, where="post", label=name)
    right.set_xscale("log")
    dress(
        right,
        "turns until all rest, or patience ends",
        "share of the random postures",
        "Turns that random postures take",
    )
    legend(right, loc="lower right")
    return save(fig, path)


def searches(found: FieldGround, made: Chains, path: Path) -> Path:
    """The body on its way with the printed search and with the one ahead."""
    fig = titled(13.0, 7.4, "Where the search for the nearest point begins decides whether the robot arrives",
                 "The same robot on the same path, early (dark) to late (pale). Left, as printed: the links find points of the path that are behind them, the chain stretches out "
                 "through the walls and is lost. Right: each link looks only ahead of its own joint.")  # fmt: skip
    left, right = fig.subplots(1, 2)
    path_panel(left, found.path, made.lost)
    path_panel(right, found.path, made.forward)
    for ax, words in (
        (left, "Search from the path's first point: lost"),
        (right, "Search ahead of the link's own joint: arrives"),
    ):
        ax.set_title(words, fontsize=12, color=INK, loc="left", fontweight="bold", pad=24)
        ax.set_xlabel("x [cells]")
        ax.set_ylabel("y [cells]")
    return save(fig, path)


def digits(found: FieldGround, path: Path) -> Path:
    """Where (3) has lost its direction: relaxed Phi, and Phi to all digits of a double."""
    fig = titled(13.5, 5.4, "How exactly the field must be known",
                 "Colours: by how much the direction (3), from a field relaxed until it changes by less than the number above, is off the true one; 180 deg is straight back. "
                 "Far from the goal the field is so flat that all directions are lost until it is known to nearly all digits. Green: the path.")  # fmt: skip
    inner = unknown(found.field)[1:-1, 1:-1]
    for k, (ax, least) in enumerate(zip(fig.subplots(1, 3), (1e-4, 1e-6, 1e-12), strict=True)):
        phi, sweeps = relaxed(found.field, least)
        off = np.full(found.map.walls.shape, np.nan)
        off[1:-1, 1:-1] = np.where(inner, np.degrees(between(downhill(phi), scaled_direction(found.field))), np.nan)
        walls_panel(ax, found.map)
        shown = ax.imshow(off.T, origin="lower", cmap="magma_r", vmin=0.0, vmax=180.0, zorder=1)
        ax.plot(*found.path.points.T, color=GREEN, lw=1.2, zorder=3)
        dress(ax, "x [cells]", "y [cells]" if k == 0 else "", f"Change below {least:g}: {sweeps} sweeps")
        ax.grid(False)
    bar = fig.colorbar(shown, ax=fig.axes, fraction=0.02, shrink=0.8)
    bar.set_label("direction (3) off by [deg]", fontsize=11)
    return save(fig, path)


def shown_of(way: Way) -> dict[str, Trajectory]:
    """The runs of a way that are shown: fed, and crept on the friction that every map has."""
    return {"feed": way.fed, "creep": list(way.crept.values())[-1]}


def on_the_way(found: Passages, path: Path) -> Path:
    """Every map with the head's trail and the body, fed and crept, and what it took."""
    rows = len(found.ways)
    fig = titled(15.0, 4.6 * rows + 0.6, "On the way through the maps: fed from behind, and creeping",
                 "The body at six instants, early (dark) to late (pale); dashed: the planned path, gold: the trail of the head, grey: walls grown by half the body's width. "
                 "Fed, it stays on the path and its joints bear the push of the feeder; creeping, it swings about the path with small torques.")  # fmt: skip
    axes = fig.subplots(rows, 3, squeeze=False, width_ratios=[1.0, 1.0, 0.8])
    for (left, middle, right), way in zip(axes, found.ways, strict=True):
        for ax, colour, (kind, run) in zip((left, middle), (BLUE, ORANGE), shown_of(way).items(), strict=True):
            t, node = run["time"], run["node"][..., :2]
            walls_panel(ax, way.map)
            ax.plot(*run["path"][:, :2].T, color=BLUE, lw=1.2, ls="--", zorder=5, label="planned path")
            ax.plot(*node[:, -1].T, color=ORANGE, lw=1.2, zorder=3, label="trail of the head")
            for k, early in zip(np.linspace(0, len(t) - 1, 6).astype(int), time_colours(6), strict=True):
                chain(ax, node[k], early, ms=2.4, lw=3.0)
            ax.set_title(f"{way.map.name}, {SAID[kind]}: {ended(run)} in {run.duration:.0f} s", fontsize=12, color=INK, loc="left", fontweight="bold")  # fmt: skip
            right.plot(t, np.abs(run["joint_torque"]).max(axis=1), color=colour, lw=1.2, label=f"{SAID[kind]}: largest joint torque [N m]")  # fmt: skip
        right.plot(way.fed["time"], way.fed.at_frames("feed_force"), color=GREEN, lw=1.2, label="fed: force of the feeder [N]")  # fmt: skip
        dress(right, "time [s]", "torque [N m], force [N]", "What it takes")
        legend_above(right, 1, 3)
    legend_below(fig, axes[0, 0])
    return save(fig, path)


def films(found: Passages, out: Path, progress: Callable[[float], None]) -> list[Path]:
    """A film of each way, fed and crept."""
    shown = [(f"{way.map.name}-{kind}.mp4", run) for way in found.ways for kind, run in shown_of(way).items()]
    made = []
    for k, (name, run) in enumerate(shown):

        def part(share: float, k: int = k) -> None:
            progress((k + share) / len(shown))

        made.append(film(run, out / name, progress=part))
    return made
