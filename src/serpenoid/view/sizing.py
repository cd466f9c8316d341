"""The picture of a sizing: what joints need, torque over speed, with the lines of servos; margins."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.core import Trajectory
from serpenoid.robots.servos import MOTORS
from serpenoid.simulation.sizing import done_in_words
from serpenoid.view.style import BLUE, GREY, INK, LINES, ORANGE, RED, canvas, dress, legend, save

COLOURS = {"will": BLUE, "marginal": ORANGE, "will not": RED}


def sizing_figure(report: Mapping[str, Any], run: Trajectory, path: str | Path) -> Path:
    """Draw the result of `simulation.sizing.sized`; .png, .pdf or .svg."""
    figure = canvas(10.0, 4.2)
    left, right = figure.subplots(1, 2, gridspec_kw={"width_ratios": (3, 2)})
    rate, torque = run["joint_rate"].ravel(), run["joint_torque"].ravel()
    drives = rate * torque > 0.0
    left.plot(
        np.abs(rate[drives]), np.abs(torque[drives]), ".", color=GREY, ms=2, alpha=0.5, label="joints, where they drive"
    )
    worst = report["demand"]["torques"]["steady_max"]
    steady = run["time"] >= report["demand"]["torques"]["from"]
    name = f"{worst.get('kind', '')} joint {worst['joint']}".strip()
    shown = (np.abs(run[variable][steady, worst["dof"]]) for variable in ("joint_rate", "joint_torque"))
    left.plot(*shown, ".", color=INK, ms=3, label=f"{name}: most in steady motion")
    for k, servo in enumerate(report["servos"]):
        motor = MOTORS[servo["name"]]
        ends = [motor.no_load_speed(servo["voltage"]), 0.0], [0.0, motor.stall_torque(servo["voltage"])]
        left.plot(*ends, color=LINES[k % len(LINES)], lw=1.5, label=f"{servo['name']}, {servo['voltage']:g} V")
    dress(left, "speed [rad/s]", "torque [N m]", f"{report['robot']}: what its joints need")
    left.set_xlim(left=0.0)
    left.set_ylim(bottom=0.0)
    legend(left, loc="upper right")
    servos = list(reversed(report["servos"]))
    margins = [s["margin"] for s in servos]
    right.barh([s["name"] for s in servos], margins, color=[COLOURS[s["verdict"]] for s in servos])
    for k, s in enumerate(servos):
        done = done_in_words(s)
        text = s["verdict"] + (", hot" if s["hot"] else "") + (f"; {done}" if done else "")
        right.text(s["margin"] + 0.03 * max(margins), k, text, va="center", fontsize=8)
    right.axvline(1.0, color=GREY, lw=1.0, ls="--")
    right.set_xlim(0.0, 1.9 * max(margins))
    dress(right, "margin: voltage there over voltage needed", "", "servos")
    figure.tight_layout()
    return save(figure, path)
