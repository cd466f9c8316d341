"""SWD-6, SWD-7 and SWD-11: how far it comes in every engine, the log of positions, and what the missing data would change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.core import FloatArray, Trajectory
from serpenoid.formats.files import write_table
from serpenoid.studies.claims import judged
from serpenoid.studies.sarrafan2012.simulations import CASES, DURATION, INTERVAL, OMEGA, PHASES, Engines, Sensitivity

SAME = 0.15  # relative: "approximately the same"
METRE = (0.75, 1.25)  # m: "1m"
FILES = {"0": "0", "pi/2": "pi2", "-pi/2": "minus-pi2"}  # gait in names of files
COLUMNS = (
    "com_distance", "path_length", "com_dx", "com_dy", "heading", "roll_rate_mean", "contact_count_mean", "positive_work", "cpu_time",
)  # fmt: skip


def claims(source: str, engines: Engines, variations: Sensitivity, logs: dict[str, Path]) -> list[dict[str, Any]]:
    """SWD-6, SWD-7, SWD-11."""
    return [same(source, engines, "0"), same(source, engines, "pi/2"), one_metre(source, engines, variations),
            again(source, engines, variations), logged(source, engines, logs), determined(source, variations)]  # fmt: skip


def spread(values: FloatArray) -> float:
    """Largest less smallest, over the mean."""
    return float(np.ptp(values) / values.mean())


def same(source: str, engines: Engines, phase: str) -> dict[str, Any]:
    """Do the packages agree?"""
    far = dict(zip(engines.names, engines.of(phase, "com_distance"), strict=True))
    ours = spread(engines.of(phase, "com_distance", engines.ours))
    everything = spread(engines.of(phase, "com_distance"))
    turned = np.degrees(engines.of(phase, "heading"))
    natives = len(engines.names) > len(engines.ours)
    absent = f" Not installed: {', '.join(engines.missing)}." if engines.missing else ""
    return judged(
        f"SWD-6{'a' if phase == '0' else 'b'}", f"{source}, {'Figs 7 to 9' if phase == '0' else 'Figs 10, 11'}",
        f"delta_0 = {phase}: the displacements in three packages are approximately the same.",
        f"net after {engines.duration:g} s: " + ", ".join(f"{name} {x:.3f}" for name, x in far.items()) + f" m. Spread {ours:.2%} where all "
        "compute with our contact law" + (f", {everything:.0%} with the native contacts" if natives else ""),
        [ours < SAME, everything < SAME],
        f"Distances agree; headings less: they end between {turned.min():.1f} and {turned.max():.1f} degrees, since small differences add up.{absent}",
        reason_if_fails=f"More than {SAME:.0%} apart.{absent}",
    )  # fmt: skip


def rolled(radius: float) -> float:
    """Way of a body of that radius (m) that rolls for a minute, m."""
    return OMEGA * radius * DURATION


def one_metre(source: str, engines: Engines, variations: Sensitivity) -> dict[str, Any]:
    """Is it 1 m?"""
    far = {phase: float(engines.own[phase].metrics["com_distance"] or 0.0) for phase in PHASES}
    thin = variations["r = 7.5 mm"]
    text = ", ".join(f"delta_0 = {phase}: {x:.2f} m" for phase, x in far.items())
    return judged(
        "SWD-6c", f"{source}, section Results", "The displacement in 60 s is 1 m.",
        f"{text}. A diameter of 15 mm: " + ", ".join(f"{thin[phase]['com_distance']:.2f}" for phase in PHASES) + " m",
        [METRE[0] < far[phase] < METRE[1] for phase in ("0", "pi/2")],
        f"delta_0 = +-pi/2 rolls sideways, omega r T = {rolled(1.0):.0f} r: {rolled(0.015):.2f} m for 15 mm, and 1 m for r = {1e3 / rolled(1.0):.1f} mm, "
        "so a diameter of 15 mm gives it. delta_0 = 0 is a flat wave whose distance hardly depends on the radius: no value of what the paper "
        "leaves open brings it near 1 m.",
    )  # fmt: skip


def again(source: str, engines: Engines, variations: Sensitivity) -> dict[str, Any]:
    """Is pi/2 as far as 0?"""
    far = {phase: float(engines.own[phase].metrics["com_distance"] or 0.0) for phase in PHASES}
    thick = variations["r = 50 mm"]
    return judged(
        "SWD-6d", f"{source}, section Results", "With delta_0 = pi/2 the displacement is again approximately the same (as with 0).",
        f"{far['pi/2']:.2f} m against {far['0']:.2f} m, {far['pi/2'] / far['0']:.2f} times; r = 50 mm: "
        f"{thick['pi/2']['com_distance']:.2f} against {thick['0']['com_distance']:.2f} m",
        [abs(far["pi/2"] / far["0"] - 1.0) < SAME],
        "Two different motions: one travels as a wave, the other rolls in proportion to the radius. They happen to be equal for a radius of about 5 cm, "
        "at 7 m. (Read as: the same in all packages, it is SWD-6b.)",
    )  # fmt: skip


def positions(run: Trajectory) -> FloatArray:
    """Centres of gravity of the links (f, n, 3), numbered as in the paper: the head first."""
    return run["link_com"][:, ::-1]


def write_logs(engines: Engines, out: Path) -> dict[str, Path]:
    """The supervisor's log of every gait: time and the place of every link's centre of gravity, every 32 ms."""
    made = {}
    for phase, run in engines.own.items():
        places = positions(run)
        header = ["time [s]", *(f"{e}{i} [m]" for i in range(1, places.shape[1] + 1) for e in "xyz")]
        rows = np.column_stack([run["time"], places.reshape(len(places), -1)])
        text = [[f"{row[0]:.3f}", *(f"{x:.9f}" for x in row[1:])] for row in rows]
        made[phase] = write_table(out / f"positions-{FILES[phase]}.csv", header, text)
    return made


def write_figures(engines: Engines, out: Path) -> Path:
    """The figures of all engines as a table."""
    rows = [
        [phase, name, engines.duration, *(f"{figures[key]:.6g}" if figures[key] is not None else "" for key in COLUMNS)]
        for phase, by_name in engines.figures.items()
        for name, figures in by_name.items()
    ]
    return write_table(out / "engines.csv", ["delta_0", "engine", "duration", *COLUMNS], rows)


def logged(source: str, engines: Engines, logs: dict[str, Path]) -> dict[str, Any]:
    """Is the log right?"""
    run, path = engines.own["0"], logs["0"]
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    centre = table[:, 1:].reshape(len(table), 6, 3).mean(axis=1)
    off = float(np.abs(centre - run["com"]).max())
    step = float(np.abs(np.diff(table[:, 0]) - INTERVAL).max())
    return judged(
        "SWD-7", f"{source}, section Webots, Appendix II", "A GPS in every link's centre of mass reports to a supervisor every 32 ms.",
        f"{path.name} and its like: {len(table)} rows, {1e3 * INTERVAL:.0f} ms apart, x, y, z of links 1 (the head) to 6; their mean is the centre of gravity "
        f"within {off:.0e} m", [off < 1e-8, step < 1e-8, len(table) == round(DURATION / INTERVAL) + 1],
    )  # fmt: skip


def write_sensitivity(variations: Sensitivity, out: Path) -> Path:
    """Net distances of all variations beside the reference runs."""
    header = ["case", *(f"{what} {phase}" for phase in PHASES for what in ("net [m]", "reference [m]", "ratio"))]
    rows = []
    for case in CASES:
        if case.name not in variations:
            continue
        row = [case.name]
        for phase, reference in zip(PHASES, case.reference, strict=True):
            far = variations[case.name][phase]["com_distance"]
            row += [f"{far:.3f}", *([f"{reference:g}", f"{far / reference:.2f}"] if reference else ["", ""])]
        rows.append(row)
    return write_table(out / "sensitivity.csv", header, rows)


def determined(source: str, variations: Sensitivity) -> dict[str, Any]:
    """Do the data given determine the displacement?"""
    gaps = [case for case in CASES if case.name in variations and not case.given]
    far = {phase: np.array([variations[case.name][phase]["com_distance"] for case in gaps]) for phase in ("0", "pi/2")}
    pairs = [
        (variations[case.name][phase]["com_distance"], reference)
        for case in gaps
        for phase, reference in zip(PHASES, case.reference, strict=True)
        if reference is not None and reference > 0.1
    ]
    ratio = np.array([a / b for a, b in pairs])
    return judged(
        "SWD-11", f"{source}, section Simulation", "The data given determine the displacement.",
        f"{len(gaps)} choices of radius, servo, ramp, ground and critical speed: delta_0 = 0 {far['0'].min():.1f} to {far['0'].max():.1f} m, delta_0 = pi/2 "
        f"{far['pi/2'].min():.2f} to {far['pi/2'].max():.1f} m. Independent runs in MuJoCo: ours over theirs {ratio.min():.2f} to "
        f"{ratio.max():.2f}, median {np.median(ratio):.2f}, of {len(ratio)}",
        [float(values.max() / values.min()) < 2.0 for values in far.values()],
        "delta_0 = 0 depends on what is missing by less than a factor of 2, delta_0 = pi/2 wholly: on the radius, and on whether the contact model has one.",
    )  # fmt: skip
