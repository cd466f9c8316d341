"""Figs 6 to 11 and 13 to 16 of Shan and Koren (1993), Table II, and what its claims on effort rest on, drawn from our motions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from serpenoid.gaits.concertina import Posture, basic_cycle, ease, row, schedule
from serpenoid.planning import ConcertinaPlan, mobility_table
from serpenoid.robots import ms1
from serpenoid.robots.ms1 import FITTINGS
from serpenoid.studies.shan1993 import contact, effort, joint, target
from serpenoid.studies.shan1993.pattern import by_table
from serpenoid.view.concertina import (
    SLIM,
    draw_body,
    draw_contacts,
    draw_obstacles,
    draw_pins,
    draw_target,
    pin_places,
)
from serpenoid.view.film import film
from serpenoid.view.plans import plan_film
from serpenoid.view.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    LINES,
    ORANGE,
    PALE,
    PURPLE,
    RED,
    SKIN,
    TRAIL,
    dress,
    legend,
    legend_above,
    save,
    titled,
)

AIM = (6.0, 5.0)  # link lengths: target of Figs 7 to 13
UNIT = "link lengths"
THIN = 0.03  # link lengths: half width of links drawn beside posts that they touch


def figure6(path: Path) -> Path:
    """The basic pattern: rows of Table I, joint angles and solenoids over two cycles."""
    fig = titled(14.0, 7.0, "Table I, Fig. 6  The basic pattern of the concertina",
                 "Left: a cycle in four rows; diamonds are pins that hold a link, gold is the head, which gains one link length. Right: the joints take turns, and the "
                 "pins change only while nothing moves.")  # fmt: skip
    left, right = fig.subfigures(1, 2, width_ratios=[1.0, 1.1])  # type: ignore[misc]
    _rows(left.subplots(1, 1))
    above, below = right.subplots(2, 1, sharex=True, height_ratios=[1.5, 1.0])
    timing = schedule(effort.basic(2))
    t = np.linspace(0.0, timing.time, 1500)
    leg, s = timing.where(t)
    angles = np.array([timing.legs[i].angles(min(x, 1.0))[0] for i, x in zip(leg, s, strict=True)])
    for k in range(6):
        above.plot(t, np.degrees(angles[:, k]), lw=1.8, color=(*LINES, INK)[k], label=f"$\\theta_{k + 1}$")
    dress(above, "", "joint angle [deg]", "Joint angles over two cycles, at most 1 rad/s")
    above.set_yticks(range(-120, 121, 60))
    legend_above(above, 6)
    on = timing.solenoids(t)
    for k in range(8):
        below.fill_between(t, k + 0.62, k + 0.62 + 0.76 * on[:, k], step="mid", color=SKIN, lw=0)
    dress(below, "time [s]", "solenoid", "Which solenoids hold")
    below.set_yticks(range(1, 9), [f"$t_{k}$" for k in range(1, 9)])
    below.set_xlim(0.0, timing.time)
    return save(fig, path)


def _rows(ax: Any) -> None:
    """Fig. 6: rows 1 to 4 below each other."""
    texts = ("start", "push the head", "pull the middle", "pull the tail")
    for r in (1, 2, 3, 4):
        nodes = by_table(r) - [0.0, 2.0 * (r - 1)]
        draw_body(ax, nodes, SLIM)
        stage = max(r - 1, 1)
        draw_pins(ax, pin_places(nodes, basic_cycle()[stage - 1].pinned), 7.0)
        ax.text(-2.9, nodes[4, 1] + 0.45, f"{r}", fontsize=16, fontweight="bold", color=INK, va="center")
        ax.text(-2.5, nodes[4, 1] + 0.45, texts[r - 1], fontsize=11, color=GREY, va="center")
    for x in (4.0, 5.0):
        ax.axvline(x, color=RED, lw=1.2, ls=":")
    ax.annotate("", (5.0, 1.5), (4.0, 1.5), arrowprops={"arrowstyle": "<->", "color": RED, "lw": 1.5})
    ax.text(4.5, 1.62, "d = L", ha="center", color=RED, fontsize=12)
    ax.set_aspect("equal")
    ax.set_xlim(-3.1, 5.6)
    ax.set_ylim(-6.6, 2.1)
    dress(ax, f"x [{UNIT}]", "", "Rows 1 to 4")
    ax.set_yticks([])


def figures7_to_13(path: Path) -> Path:
    """The reach, the three stages, Cartesian positioning, and turning."""
    fig = titled(15.0, 9.8, "Figs 7 to 10, 13  A cycle towards a target",
                 "Diamonds are pins, gold is the head, the crossed circle is the target P. The head turns towards it (Fig. 8), the middle follows (Fig. 9), then the tail "
                 "(Fig. 10); pale postures come earlier. Lower right: targets to all sides take about the same number of cycles.")  # fmt: skip
    axes = [fig.add_subplot(2, 3, k + 1) for k in range(5)]
    found = ConcertinaPlan(AIM).solve()
    _reach(axes[0])
    for ax, leg, name in zip(axes[1:4], found.legs[:3], ("Fig. 8: first stage", "Fig. 9: second stage", "Fig. 10: third stage"), strict=True):  # fmt: skip
        _sequence(ax, leg, name)
        draw_target(ax, AIM)
    _positioning(axes[4], found)
    _turning(fig.add_subplot(2, 3, 6, projection="polar"))
    return save(fig, path)


def _frame(ax: Any, title: str) -> None:
    ax.set_aspect("equal")
    ax.set_xlim(-1.6, 6.8)
    ax.set_ylim(-2.0, 5.8)
    dress(ax, f"x [{UNIT}]", f"y [{UNIT}]", title)


def _reach(ax: Any) -> None:
    """Fig. 7."""
    from matplotlib.patches import Circle

    nodes = Posture().nodes()
    ax.add_patch(Circle((2.0, 0.0), target.REACH, facecolor=BLUE, alpha=0.12, edgecolor=BLUE, lw=1.5))
    draw_body(ax, nodes, SLIM)
    draw_pins(ax, pin_places(nodes, (3, 4)))
    draw_target(ax, AIM)
    draw_target(ax, (3.6, 1.9))
    ax.text(AIM[0] - 0.55, AIM[1] + 0.15, "P", fontsize=13, color=INK)
    ax.text(3.75, 2.15, "P'", fontsize=13, color=INK)
    _frame(ax, "Fig. 7: reach of the first stage")


def _sequence(ax: Any, leg: Any, title: str) -> None:
    """A stage as postures that grow darker."""
    for k, s in enumerate(ease(np.linspace(0.0, 1.0, 6))[:-1]):
        shade = 0.16 + 0.09 * k
        draw_body(ax, leg.nodes(min(float(s), 1.0))[0], 0.7 * SLIM, (*[0.18, 0.56, 0.51], shade), edgecolors="none", zorder=3)  # fmt: skip
    end = leg.nodes(1.0)[0]
    draw_body(ax, end, SLIM)
    draw_pins(ax, pin_places(end, leg.pinned))
    way = leg.nodes(np.linspace(0.0, 1.0, 60))
    for node in {1: (7, 0), 2: (3, 4, 5), 3: (0,)}[leg.stage]:
        ax.plot(*way[:, node].T, color=INK, lw=1.1, ls=(0, (3, 1.5)), zorder=5)
    _frame(ax, title)


def _positioning(ax: Any, found: Any) -> None:
    """Fig. 13: before and after a cycle, with d and gamma."""
    first, last = found.legs[0], found.legs[2]
    before, after = first.base, last.nodes(1.0)[0]
    draw_body(ax, before, SLIM, PALE, edgecolors=TRAIL)
    draw_body(ax, after, SLIM)
    ax.annotate("", after[7], before[7], arrowprops={"arrowstyle": "-|>", "color": RED, "lw": 2.0, "shrinkA": 0, "shrinkB": 0}, zorder=8)  # fmt: skip
    turn = np.degrees(last.headings(1.0)[0, 6] - first.turned[6])
    ax.text(*(0.5 * (before[7] + after[7]) + [0.15, 0.0]), f"d = {np.hypot(*(after[7] - before[7])):.2f} L\n$\\gamma$ = {turn:.0f} deg", color=RED, fontsize=11)  # fmt: skip
    for nodes, text, aside in ((before, "$t_0$", (-0.3, 0.3)), (after, "$T_f$", (0.75, -0.45))):
        ax.plot(*nodes[1], "o", ms=8, mfc="white", mec=INK, mew=1.6, zorder=8)
        ax.text(*(nodes[1] + aside), f"$p_w$({text})", fontsize=11, color=INK, ha="center")
    _frame(ax, "Fig. 13: joint 1 from the head's way")


def _turning(ax: Any) -> None:
    """Cycles to a target 10 L away in every direction."""
    around = target.turning(72)
    angle = np.radians([a for a, _, _ in around])
    ax.bar(angle, [c for _, c, _ in around], width=2.0 * np.pi / len(around), color=SKIN, edgecolor="white", lw=0.4)
    ax.set_title("Cycles to a target 10 L away", fontsize=12, fontweight="bold", color=INK)
    ax.set_rticks([2, 4, 6, 8])
    ax.tick_params(labelsize=9.5, colors=INK)
    for label in ax.get_yticklabels():
        label.set(color="white", fontweight="bold")
    ax.spines["polar"].set_color(PALE)
    ax.set_rlabel_position(80)


def figure14(path: Path) -> Path:
    """Active and passive joints under a constant torque."""
    fig = titled(10.0, 5.4, "Fig. 14  A joint under an external torque",
                 "An active joint holds its angle. A passive one, which takes the measured angle as its reference, gives way like a free joint, the better the more often it "
                 "measures. K_m = 1, tau = 50 ms, K_p = 20; the active joint yields the other way round.")  # fmt: skip
    ax = fig.subplots()
    t = np.linspace(0.0, joint.DURATION, 400)
    ax.plot(t, joint.ideal(t), color=INK, lw=2.5, ls="--", label="free joint")
    for sample, colour in zip(joint.SAMPLES, (RED, ORANGE, GREEN), strict=True):
        ax.plot(
            *joint.response(sample, passive=True), color=colour, lw=1.8, label=f"passive, sample {1e3 * sample:g} ms"
        )
    at, angle = joint.response(0.001, passive=False)
    ax.plot(at, -angle, color=BLUE, lw=1.8, label="active")
    dress(ax, "time [s]", "angle of the joint [rad]")
    ax.set_xlim(0.0, joint.DURATION)
    legend(ax, loc="upper left")
    return save(fig, path)


def figures15_16(path: Path) -> Path:
    """Contacts on one link after the other, and Table II."""
    fig = titled(15.0, 7.0, "Figs 15, 16, Table II  What a link does when it meets a post",
                 "Purple: the link that touches; red arrow: the force of the post on it; diamonds: pins; gold: the head. A link with freedom left slides along the post "
                 "(pale postures); one without stops. The table counts that freedom.")  # fmt: skip
    axes = fig.subplots(2, 4)
    for ax, case in zip(axes.ravel(), contact.CASES, strict=False):
        _case(ax, contact.seen(case))
    axes[1, 0].set_ylabel(f"y [{UNIT}]")
    axes[0, 0].set_ylabel(f"y [{UNIT}]")
    _table(axes[1, 3])
    return save(fig, path)


def _case(ax: Any, seen: contact.Seen) -> None:
    leg, case = seen.leg, seen.case
    draw_obstacles(ax, (case.disc,))
    draw_body(ax, leg.base, THIN, PALE, edgecolors="none", zorder=3)
    if seen.moved > contact.STILL:
        for s in np.linspace(*seen.span, 5)[:-1]:
            draw_body(ax, leg.nodes(s)[0], 0.7 * THIN, (0.18, 0.56, 0.51, 0.28), edgecolors="none", zorder=3)
    shown = leg.nodes(seen.span[1])[0]
    draw_body(ax, shown, THIN, edgecolors="none")
    draw_body(ax, shown[case.link - 1 : case.link + 1], THIN, PURPLE, edgecolors="none")
    draw_pins(ax, pin_places(shown, leg.pinned), 6.0)
    draw_contacts(ax, [c for c in leg.contacts if c.link == case.link], 0.7)
    words = "slides" if seen.moved > contact.SLIDES else "stops"
    name = f"Fig. {case.name}" if case.name[0] == "1" else "Text"
    ax.set_aspect("equal")
    ax.set_xlim(-1.2, 5.3)
    ax.set_ylim(-1.0, 2.9)
    dress(ax, f"x [{UNIT}]", "", f"{name}: link {case.link} {words}, stage {case.stage}")


def _table(ax: Any) -> None:
    """Table II as numbers on colours."""
    table = np.array(mobility_table())
    ax.imshow(table.T, cmap="Greens", vmin=0, vmax=4, aspect="auto")
    for (stage, link), value in np.ndenumerate(table):
        ax.text(stage, link, value, ha="center", va="center", fontsize=12, color="white" if value > 2 else INK)
    dress(ax, "stage", "link", "Table II: degrees of freedom")
    ax.grid(False)
    ax.set_xticks(range(3), ["1", "2", "3"])
    ax.set_yticks(range(7), [str(k) for k in range(1, 8)])


def channel_and_energy(found: effort.Effort, path: Path) -> Path:
    """Swept width and advance over the fold; energy a metre."""
    fig = titled(15.0, 5.6, "A narrow channel, and what the concertina costs",
                 "Left and middle: the less the links fold, the narrower the channel and the shorter the step. Right: positive work of the motors over the way; the concertina "
                 "takes more than creeping, and both take more than being dragged. Creeping: winding angles in rad.")  # fmt: skip
    left, middle, right = fig.subplots(1, 3, width_ratios=[1.0, 1.25, 1.0])
    folds = np.radians(np.arange(5.0, 86.0, 2.5))
    wide = [effort.swept_width(f) for f in folds]
    left.plot(np.degrees(folds), wide, color=BLUE, lw=2.2, label="width swept")
    left.plot(np.degrees(folds), 2.0 * (1.0 - np.cos(folds)), color=ORANGE, lw=2.2, label="advance in a cycle")
    left.axvline(60.0, color=GREY, lw=1.2, ls=":")
    left.text(61.5, 0.05, "Table I", color=GREY, fontsize=10)
    dress(left, "folding angle [deg]", f"length [{UNIT}]", "Width and advance")
    left.set_xlim(0.0, 90.0)
    left.set_ylim(0.0, 2.0)
    legend(left, loc="upper left")
    _in_channel(middle)
    names = ["dragged", *(f"creep {c.winding:g}" for c in found.creeping), "concertina"]
    values = [FITTINGS.ground_friction * ms1().mass * effort.GRAVITY, *(c.energy for c in found.creeping), found.energy]
    right.barh(names, values, color=[PALE, *[BLUE] * len(found.creeping), SKIN])
    for k, value in enumerate(values):
        right.text(value + 0.06, k, f"{value:.1f}", va="center", fontsize=10, color=INK)
    dress(right, "positive work over way [J/m]", "", "Energy of the MS-1")
    right.grid(False, axis="y")
    right.set_xlim(0.0, 1.15 * max(values))
    return save(fig, path)


def _in_channel(ax: Any) -> None:
    """The swept band of a cycle in a channel that just holds it."""
    for k, degrees in enumerate((60.0, 30.0)):
        fold, drop = np.radians(degrees), 2.2 * k
        legs = basic_cycle(fold=fold)
        for leg in legs:
            for s in np.linspace(0.0, 1.0, 7):
                draw_body(ax, leg.nodes(s)[0] - [0.0, drop], 0.4 * SLIM, (0.18, 0.56, 0.51, 0.22), edgecolors="none", zorder=3)  # fmt: skip
        draw_body(ax, Posture(angles=row(1, fold)).nodes() - [0.0, drop], 0.8 * SLIM)
        w = np.sin(fold)
        draw_obstacles(ax, [SimpleNamespace(corners=np.array([[-2.0, y], [7.0, y], [7.0, y + 0.2], [-2.0, y + 0.2]])) for y in (w + 0.06 - drop, -0.26 - drop)])  # fmt: skip
        ax.text(-1.6, w + 0.4 - drop, f"fold {degrees:g} deg: {w:.2f} L wide", fontsize=11, color=INK)
    ax.set_aspect("equal")
    ax.set_xlim(-1.8, 6.6)
    ax.set_ylim(-2.9, 1.9)
    dress(ax, f"x [{UNIT}]", "", "Band swept in a cycle")
    ax.set_yticks([])


def films(found: effort.Effort, busiest: Any, out: Path, progress: Callable[[float], None]) -> list[Path]:
    """A plan to a target behind, the busiest field, and the basic pattern executed."""
    return [
        plan_film(ConcertinaPlan((-10.0, 0.0)).solve(), out / "behind.mp4", progress=lambda f: progress(0.35 * f)),
        plan_film(busiest, out / "cluttered-field.mp4", progress=lambda f: progress(0.35 + 0.35 * f)),
        film(found.executed, out / "executed.mp4", progress=lambda f: progress(0.7 + 0.3 * f)),
    ]
