"""Figs 3 and 7 to 11 of Sarrafan et al. (2012) and what its claims rest on, drawn from our runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.core import Trajectory
from serpenoid.studies.sarrafan2012.displacement import FILES, rolled
from serpenoid.studies.sarrafan2012.simulations import (
    ACROSS,
    CASES,
    PHASES,
    Contest,
    Engines,
    Failures,
    Progress,
    Sensitivity,
)
from serpenoid.studies.sarrafan2012.winding import Shown, crossing
from serpenoid.view.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    RED,
    dress,
    legend_above,
    legend_below,
    plain_log,
    save,
    titled,
)
from serpenoid.view.tracks import quarter_turns, touch_map, tracks

FPS, SPEED = 24, 5.0  # pictures a second; how much faster than it was the film of all engines is shown
SIGNS = {"0": "0", "pi/2": "π/2", "-pi/2": "−π/2"}
COLOURS = {"0": BLUE, "pi/2": ORANGE, "-pi/2": GREEN}
RADII = {"r = 7.5 mm": 7.5, "base": 15.0, "r = 20 mm": 20.0, "r = 50 mm": 50.0, "r = 150 mm, as printed": 150.0}
NAMES = {"own": "serpenoid", "mujoco": "MuJoCo", "mujoco-native": "MuJoCo\nnative",
         "drake": "Drake", "drake-native": "Drake\nnative"}  # fmt: skip
TITLES = {"16 links": "16 links, 1.25 waves, yaw and pitch a quarter period apart", "delta_0 = 0": "The paper's six links, $\\delta_0$ = 0",
          "delta_0 = pi/2": "The paper's six links, $\\delta_0$ = π/2"}  # fmt: skip


def figure3(shown: Shown, path: Path) -> Path:
    """Tracks, and which links touch when."""
    fig = titled(14.0, 4.1 * len(shown) + 0.5, "Fig. 3  Tracks of sidewinding",
                 "Left: pale bands are where the ground was touched, lines are the body, early (dark) to late (pale). Right: darker is a higher load. Sixteen links leave separate "
                 "tracks, and their contacts travel along the body; six links touch nearly everywhere, and with the waves a quarter apart they roll on the same links.")  # fmt: skip
    parts: Any = fig.subfigures(len(shown), 1)
    for part, (name, (run, robot)) in zip(parts, shown.items(), strict=True):
        part.suptitle(TITLES[name], x=0.01, ha="left", fontsize=13, fontweight="bold", color=INK)
        left, right = part.subplots(1, 2, width_ratios=[1.0, 1.15])
        tracks(left, run, bodies=4, turn=quarter_turns(run))
        touch_map(right, run)
        right.set_ylabel(f"link, 0 = tail, {robot.links - 1} = head")
        right.set_xlim(0.0, min(20.0, float(run["time"][-1])))
    return save(fig, path)


def distances(engines: Engines, variations: Sensitivity, path: Path) -> Path:
    """How far in every engine, and over the radius."""
    fig = titled(14.0, 5.8, "How far the paper's robot goes",
                 "Left: no engine gives the metre in a minute of the paper (dashed). Right: with the waves a quarter apart the robot rolls, "
                 "so that its way grows with the radius of its links; with both in phase it does not.")  # fmt: skip
    left, right = fig.subplots(1, 2, width_ratios=[1.5, 1.0])
    wide = 0.26
    for k, phase in enumerate(PHASES):
        far = engines.of(phase, "com_distance")
        place = np.arange(len(far)) + wide * (k - 1)
        left.bar(place, far, 0.92 * wide, color=COLOURS[phase], label=f"$\\delta_0$ = {SIGNS[phase]}")
        for x, y in zip(place, far, strict=True):
            left.annotate(f"{y:.2f}", (x, y), (0, 2), textcoords="offset points", ha="center", fontsize=8.5, color=INK)
    dress(left, "", f"net distance in {engines.duration:g} s [m]", "In every engine")
    left.set_xticks(np.arange(len(engines.names)), [NAMES[name] for name in engines.names])
    told = engines.duration / 60.0
    text = "the paper: 1 m" if told == 1.0 else "the paper: 1 m in 60 s"
    left.axhline(told, color=RED, ls="--", lw=1.5, label=text)
    legend_above(left, 4)
    over_radius(right, variations)
    return save(fig, path)


def over_radius(ax: Any, variations: Sensitivity) -> None:
    """Distance over the links' radius, logarithmic."""
    known = {name: value for name in variations for key, value in RADII.items() if name.startswith(key)}
    radius = np.array(sorted(known.values()))
    order = sorted(known, key=lambda name: known[name])
    for phase, mark in zip(PHASES, "osD", strict=True):
        far = [variations[name][phase]["com_distance"] for name in order]
        ax.plot(radius, far, marker=mark, ms=5, color=COLOURS[phase], label=f"$\\delta_0$ = {SIGNS[phase]}")
    fine = np.array([5.0, 200.0])
    ax.plot(fine, [rolled(1e-3 * r) for r in fine], color=GREY, ls=":", lw=1.5, label="rolling, $\\omega r T$")
    ax.axhline(1.0, color=RED, ls="--", lw=1.5, label="the paper: 1 m")
    ax.set_xscale("log")
    ax.set_yscale("log")
    dress(ax, "radius of the links [mm]", "net distance in 60 s [m]", "Over the radius, serpenoid")
    ax.set_xlim(5.5, 200.0)
    ax.set_ylim(0.6, 40.0)
    ax.set_xticks([7.5, 15, 50, 150], ["7.5", "15", "50", "150"])
    ax.set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
    ax.minorticks_off()
    legend_above(ax, 3, 2)


def sensitivity(variations: Sensitivity, path: Path) -> Path:
    """Net distances of all variations, ours and the reference's."""
    cases = [case for case in CASES if case.name in variations][::-1]
    fig = titled(13.0, 2.6 + 0.36 * len(cases), "What the paper leaves open decides how far its robot rolls",
                 "Each row changes what its name says. Circles: serpenoid; diamonds: the reference, where there is one. Radius and contact change the way a hundredfold where the "
                 "robot rolls (middle, right), and hardly where it does not (left).")  # fmt: skip
    axes = fig.subplots(1, 3, sharey=True)
    for k, (ax, phase) in enumerate(zip(axes, PHASES, strict=True)):
        ours = [variations[case.name][phase]["com_distance"] for case in cases]
        pairs = [(case.reference[k], y) for y, case in enumerate(cases) if case.reference[k] is not None]
        ax.plot([x for x, _ in pairs], [y for _, y in pairs], "D", ms=9, mfc="none", mec=INK, mew=1.3,
                label="reference: MuJoCo" if k == 0 else None)  # fmt: skip
        ax.plot(ours, range(len(cases)), "o", ms=6, color=COLOURS[phase], label="serpenoid" if k == 0 else None)
        ax.axvline(1.0, color=RED, ls="--", lw=1.3, label="the paper: 1 m" if k == 0 else None)
        ax.set_xscale("log")
        ax.set_xlim(0.005, 40.0)
        dress(ax, "net distance in 60 s [m]", "", f"$\\delta_0$ = {SIGNS[phase]}")
        ax.set_xticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
        ax.tick_params(axis="y", length=0)
    axes[0].set_yticks(range(len(cases)), [case.name for case in cases])
    axes[0].set_ylim(-0.7, len(cases) - 0.3)
    legend_below(fig, axes[0])
    return save(fig, path)


CONTESTANTS = {
    "sidewinding": ("16 links, sidewinding", BLUE, "o", "-"),
    "undulation": ("16 links, lateral undulation", RED, "s", "-"),
    "6 links, 0": ("6 links, $\\delta_0$ = 0", BLUE, "^", ":"),
    "6 links, pi/2": ("6 links, $\\delta_0$ = π/2", GREEN, "v", ":"),
    "6 links, yaw only": ("6 links, yaw only", RED, "D", ":"),
}


def efficiency(gaits: Contest, path: Path) -> Path:
    """Cost, slip and speed over the friction along the body."""
    fig = titled(14.0, 5.6, "Sidewinding against lateral undulation",
                 "16 links: sidewinding slips less everywhere; it costs less where the ground is not slippery along the body (right of the dashed line). Lateral undulation lives on "
                 "low friction along the body and hardly moves without.")  # fmt: skip
    axes = fig.subplots(1, 3)
    along = sorted({mu for _, mu in gaits})
    panels = (
        ("cost", "cost of transport [-]"),
        ("slip", "slip over way, by load [m/m]"),
        ("speed", "net speed [m/s]"),
    )
    for ax, (key, label) in zip(axes, panels, strict=True):
        for name, (text, colour, mark, dash) in CONTESTANTS.items():
            values = [getattr(gaits[name, mu], key) for mu in along]
            ax.plot(along, values, color=colour, marker=mark, ls=dash, ms=5.5, lw=1.6, label=text)
        ax.set_xscale("log")
        plain_log(ax)
        dress(ax, f"friction along the body, $\\mu_t$ ($\\mu_n$ = {ACROSS:g})", label)
        ax.set_xticks(along, [f"{mu:g}" for mu in along])
        ax.xaxis.minorticks_off()
    equal = crossing(gaits)
    if equal is not None:
        axes[0].axvline(equal, color=GREY, lw=1.2, ls="--")
        axes[0].annotate(f"equal at {equal:.2f}", (equal, axes[0].get_ylim()[0]), (4, 5), textcoords="offset points",
                         ha="left", va="bottom", color=GREY, fontsize=9.5)  # fmt: skip
    legend_below(fig, axes[0])
    return save(fig, path)


def failures(failed: Failures, path: Path) -> Path:
    """Path over the number of failed joints."""
    names = [name for name in ("16 links", "6 links, 0", "6 links, pi/2") if (name, "locked", 0) in failed]
    titles = {"16 links": "16 links, 15 joints", "6 links, 0": "6 links, 5 joints, $\\delta_0$ = 0",
              "6 links, pi/2": "6 links, 5 joints, $\\delta_0$ = π/2"}  # fmt: skip
    fig = titled(max(4.6 * len(names) + 0.4, 9.0), 5.2, "What failed joints cost",
                 "Every circle is another choice of the joints that fail, lines are the means. Of the whole robot's way more or less is left by which joints fail, not only by how many.")  # fmt: skip
    axes = np.atleast_1d(fig.subplots(1, len(names), sharey=True))
    for ax, name in zip(axes, names, strict=True):
        for kind, colour, side in (("locked", PURPLE, -1.0), ("limp", GREEN, 1.0)):
            counts = sorted({k for n, x, k in failed if n == name and x == kind})
            every = [failed[name, kind, k] for k in counts]
            shift = 0.015 * side * max(counts)
            for k, values in zip(counts, every, strict=True):
                ax.plot(np.full(len(values), k + shift), values, "o", ms=4, mfc="none", mec=colour, alpha=0.7)
            ax.plot(
                np.array(counts) + shift,
                [np.mean(v) for v in every],
                color=colour,
                lw=2.0,
                label=f"{kind} joints, mean",
            )
        dress(ax, "failed joints", "way over that of the whole robot" if ax is axes[0] else "", titles[name])
        ax.set_xticks(range(max(counts) + 1))
        ax.set_ylim(0.0, 1.35)
    legend_below(fig, axes[0])
    return save(fig, path)


def sound_runs(engines: Engines, phase: str) -> tuple[list[Trajectory], list[str]]:
    """The runs that reached their end, and the engines' full names."""
    sound = [
        (run, NAMES[name].replace("\n", " "))
        for name, run in engines.runs[phase].items()
        if run.status.name != "diverged"
    ]
    return [run for run, _ in sound], [name for _, name in sound]


def from_engines(engines: Engines, out: Path) -> list[Path]:
    """Figs 7 to 11, start and end in every engine; and the engines over time."""
    from serpenoid.view import compare_figure, start_end

    numbers = {"0": ("fig7-9", "Figs 7 to 9  "), "pi/2": ("fig10-11", "Figs 10, 11  "), "-pi/2": ("mirrored", "")}
    made = []
    for phase, (number, title) in numbers.items():
        (runs, names), text = sound_runs(engines, phase), f"$\\delta_0$ = {SIGNS[phase]}"
        path = out / f"{number}-start-end.png"
        made.append(start_end(runs, path, names=names, title=f"{title}Start and end, {text}"))
        path, heading = out / f"engines-{FILES[phase]}.png", f"One robot, several engines, {text}"
        made.append(compare_figure(runs, path, names=names, title=heading))
    return [Path(path) for path in made]


def films(engines: Engines, out: Path, progress: Progress) -> list[Path]:
    """A film of each gait, and one of all engines side by side."""
    from serpenoid import view

    made = []
    for k, phase in enumerate(("0", "pi/2")):
        path = out / f"film-{FILES[phase]}.mp4"
        made.append(view.film(engines.own[phase], path, FPS, progress=lambda f, k=k: progress((k + f) / 3.0)))  # type: ignore[misc]
    runs, names = sound_runs(engines, "0")
    last = view.side_by_side(
        runs, out / "film-engines.mp4", names=names, fps=FPS, speed=SPEED, progress=lambda f: progress((2.0 + f) / 3.0)
    )
    return [*made, last]
