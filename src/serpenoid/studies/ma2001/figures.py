"""Figs 4 to 9 of Ma, Li and Wang (2001), redrawn from our runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from serpenoid import view
from serpenoid.gaits import Serpenoid
from serpenoid.planar.wheels import ideal_progress
from serpenoid.studies.ma2001.judgement import Optima, Waves, Winding
from serpenoid.studies.ma2001.simulations import (
    ACCELERATION,
    ACROSS,
    CASES,
    DURATION,
    JOINTS,
    WINDING,
    One,
    Two,
)
from serpenoid.view.captions import short_length
from serpenoid.view.style import (
    BLUE,
    GREEN,
    GREY,
    LABEL,
    ORANGE,
    PURPLE,
    RED,
    dress,
    legend,
    legend_below,
    save,
    titled,
)

COLOURS = (BLUE, RED, GREEN, PURPLE, ORANGE, "#56B4E9")
ABOVE_LEGEND = 24  # pt: titles of panels whose legend stands above them
MARKS = ("o", "s", "^", "D", "v", "P")
PANELS = (
    ("torque_sq_mean", "mean $\\Sigma\\tau^2$ [N$^2$m$^2$]"),
    ("slip_per_link", "slip across per link [m]"),
    ("com_forward", "distance forward [m]"),
)


def _ideal(winding_deg: float) -> float:
    """Progress without any side slip, m."""
    return ideal_progress(Serpenoid.start_stop(float(np.radians(winding_deg)), 1.0, ACCELERATION, DURATION), DURATION)


def figure4(one: One, path: Path) -> Path:
    """Motion on two grounds, with the friction forces."""
    slips = [short_length(run.metrics["slip_per_link"] or 0.0) for run in one.runs.values()]
    fig = titled(14.0, 6.2, f"Fig. 4  Creeping on two grounds ($K_n$ = 1, $\\alpha_0$ = {WINDING:.0f}°)",
                 "The body at five instants, each in a lane of its own, with the friction forces on its links. With hardly any friction along the body it "
                 f"keeps its course and slips {slips[0]} per link; with more friction along it drifts aside and slips "
                 f"{slips[1]}.")  # fmt: skip
    axes = fig.subplots(1, 2)
    for ax, (case, run) in zip(axes, one.runs.items(), strict=True):
        view.snapshots(ax, run, count=5)
        along, across, _ = CASES[case]
        m = run.metrics
        ax.set_title(
            f"Case {case}: $\\mu_t$ = {along:g}, $\\mu_n$ = {across:g}; travels {m['com_distance']:.2f} m",
            loc="left", pad=ABOVE_LEGEND, fontsize=LABEL + 1, fontweight="bold",
        )  # fmt: skip
    return save(fig, path)


def figure5(one: One, path: Path) -> Path:
    """Joint torques on two grounds."""
    fig = titled(11.0, 5.8, "Fig. 5  Joint torques that the motion of Fig. 4 takes",
                 "Torques grow towards the middle of the body (joint 10) and vanish at its ends (joints 1, 19). More friction along the body takes more "
                 "torque. They jump at 0.8 s and 7.2 s, where the gait ends its acceleration and begins to brake.")  # fmt: skip
    axes = fig.subplots(2, 1, sharex=True, sharey=True)
    for ax, (case, run) in zip(axes, one.runs.items(), strict=True):
        for joint, colour in zip(JOINTS, COLOURS, strict=False):
            ax.plot(run["time"], run["joint_torque"][:, joint - 1], color=colour, lw=1.3, label=f"joint {joint}")
        dress(ax, "time [s]" if ax is axes[1] else "", "torque [N m]", f"Case {case}: $\\mu_t$ = {CASES[case][0]:g}")
        ax.set_xlim(0.0, DURATION)
    legend(axes[0], ncols=5, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderpad=0.1)
    return save(fig, path)


def figure6(two: Two, path: Path) -> Path:
    """Torque-driven motion: the printed input and the damped reading."""
    fig = titled(14.0, 8.4, "Fig. 6  Motion under a sine of joint torques, amplitude 0.8 N m",
                 "Above: the printed equation spins the end links up, by many turns in 2 s, and the body gets nowhere. Below: with one cycle per second and damped "
                 "joints the body creeps forward, as the paper shows. Right: the way forward, and the largest angle of any joint.")  # fmt: skip
    axes = fig.subplots(2, 3, width_ratios=[1.7, 1.0, 1.0])
    titles = ("Equation (14) literally, 2 s", "One cycle per second, joints damped (0.3 N m s/rad), 20 s")
    for row, (run, title) in enumerate(zip((two.literal, two.damped), titles, strict=True)):
        view.snapshots(axes[row, 0], run, count=4)
        axes[row, 0].set_title(title, loc="left", pad=ABOVE_LEGEND, fontsize=LABEL + 1, fontweight="bold")
        forward = run["com"][:, 0] - run["com"][0, 0]
        widest = np.degrees(np.abs(run["joint_angle"]).max(axis=1))
        for ax, values, label in ((axes[row, 1], forward, "way forward of the centre of gravity [m]"), (axes[row, 2], widest, "largest joint angle [deg]")):  # fmt: skip
            ax.plot(run["time"], values, color=BLUE if ax is axes[row, 1] else RED, lw=1.6)
            dress(ax, "time [s]", label)
    return save(fig, path)


def figure7(sweep: Waves, path: Path) -> Path:
    """Performance over mu_t for the number of waves."""
    fig = titled(13.0, 4.6, f"Fig. 7  Number of waves and friction ($\\mu_n$ = {ACROSS:g}, $\\alpha_0$ = {WINDING:.0f}°)",
                 f"Up to about half of the friction across ({ACROSS:g}) the body goes nearly as far as without side slip (dashed); beyond it slips and stands or goes back. "
                 "One wave takes far more torque than two or three.")  # fmt: skip
    axes = fig.subplots(1, 3)
    waves, along = sorted({k for k, _ in sweep}), sorted({mu for _, mu in sweep})
    for ax, (key, label) in zip(axes, PANELS, strict=True):
        for k, colour, mark in zip(waves, COLOURS, MARKS, strict=False):
            ax.plot(
                along,
                [sweep[k, mu][key] for mu in along],
                color=colour,
                marker=mark,
                ms=4,
                label=f"$K_n$ = {k:g}",
            )
        dress(ax, "friction along, $\\mu_t$", label)
    axes[2].axhline(_ideal(WINDING), color=GREY, ls="--", lw=1.2, label="no side slip, $s(T) J_0(\\alpha_0)$")
    axes[2].axhline(0.0, color=GREY, lw=0.8)
    legend_below(fig, axes[2])
    return save(fig, path)


def figure8(sweep: Winding, path: Path) -> Path:
    """Performance over the winding angle, for friction along and number of waves."""
    fig = titled(12.0, 9.4, f"Fig. 8  Winding angle and friction ($\\mu_n$ = {ACROSS:g})",
                 "Below a certain winding angle the body slips on a ground with friction along it and gets nowhere; above it all grounds give the same way, which "
                 "shrinks as the body winds more.")  # fmt: skip
    axes = fig.subplots(3, 3, sharex=True, sharey="row")
    angles, along = sorted({a for _, a, _ in sweep}), sorted({mu for _, _, mu in sweep})
    fine = np.linspace(angles[0], angles[-1], 60)
    for row, (key, label) in enumerate(PANELS):
        for column, k in enumerate((1.0, 2.0, 3.0)):
            ax = axes[row, column]
            for mu, colour, mark in zip(along, COLOURS, MARKS, strict=False):
                values = [sweep[k, a, mu][key] for a in angles]
                ax.plot(angles, values, color=colour, marker=mark, ms=3.5, lw=1.2, label=f"$\\mu_t$ = {mu:g}")
            if key == "com_forward":
                ax.plot(fine, [_ideal(a) for a in fine], color=GREY, ls="--", lw=1.2, label="no side slip")
            dress(
                ax,
                "winding angle $\\alpha_0$ [deg]" if row == 2 else "",
                label if column == 0 else "",
                f"$K_n$ = {k:g}" if row == 0 else "",
            )
            if row == 0:
                ax.set_yscale("log")
    legend_below(fig, axes[2, 0])
    return save(fig, path)


def figure9(fig9: Optima, path: Path) -> Path:
    """The best winding angle and its efficiency."""
    fig = titled(13.0, 4.6, "Fig. 9  The winding angle of the best efficiency",
                 "More friction along the body wants more winding (a) and costs efficiency (b); more friction across wants less winding (c). More waves wind less.")  # fmt: skip
    axes = fig.subplots(1, 3)
    along = sorted({mu for _, mu, a in fig9 if a == ACROSS})
    across = sorted({a for _, mu, a in fig9 if mu == 0.1})
    for k, colour, mark in zip((1.0, 2.0, 3.0), COLOURS, MARKS, strict=False):
        style: dict[str, Any] = {"color": colour, "marker": mark, "ms": 5, "label": f"$K_n$ = {k:g}"}
        axes[0].plot(along, [fig9[k, mu, ACROSS].place for mu in along], **style)
        axes[1].semilogy(along, [fig9[k, mu, ACROSS].value for mu in along], **style)
        axes[2].plot(across, [fig9[k, 0.1, a].place for a in across], **style)
    for ax, x, y, title in (
        (axes[0], "friction along, $\\mu_t$", "best winding angle [deg]", f"(a) $\\mu_n$ = {ACROSS:g}"),
        (axes[1], "friction along, $\\mu_t$", "efficiency J [1/(N m)$^2$]", f"(b) $\\mu_n$ = {ACROSS:g}"),
        (axes[2], "friction across, $\\mu_n$", "best winding angle [deg]", "(c) $\\mu_t$ = 0.1"),
    ):
        dress(ax, x, y, title)
    legend_below(fig, axes[0])
    return save(fig, path)
