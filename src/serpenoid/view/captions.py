"""What a figure of a run shows, in words: one to three sentences that say what to look at, with the numbers of this run."""

from __future__ import annotations

import numpy as np

from serpenoid.core import Trajectory
from serpenoid.view.scene import Scene

LITTLE = 0.02  # slip per link over distance: less, and the body follows its own track
WORDS = {
    "com_distance": "distance travelled",
    "com_dx": "way along x",
    "com_dy": "way along y",
    "com_dz": "height gained",
    "com_forward": "way forward",
    "torque_max": "largest torque",
    "torque_steady_max": "largest torque in steady motion",
    "torque_rms_max": "RMS torque of the joint that has most",
    "joint_rate_max": "largest joint rate",
    "torque_sq_mean": "mean squared torque",
    "positive_work": "work of the motors",
}


def metric_words(name: str) -> str:
    """A metric's name in words."""
    return WORDS.get(name, name.replace("_", " ").replace("com ", "centre of gravity "))


def metres(distance: float) -> str:
    """A length in the unit in which it is read best."""
    for unit, size in (("m", 1.0), ("cm", 1e-2), ("mm", 1e-3)):
        if distance >= 0.5 * size:
            return f"{distance / size:.3g} {unit}"
    return "less than 0.5 mm"


def short_length(value: float) -> str:
    """A length in mm where it is shorter than 0.1 m, else in m."""
    return f"{1e3 * value:.3g} mm" if 0.0 < abs(value) < 0.1 else f"{value:.3g} m"


def plane(run: Trajectory, lanes: bool) -> str:
    """Of a run in the plane."""
    far, slip = run.metrics.get("com_distance"), run.metrics.get("slip_per_link")
    text = "Above: the body at instants equally far apart"
    text += ", each in a lane of its own" if lanes else ", where it was"
    text += "; arrows are the friction forces on the links. "
    if far and slip is not None and np.isfinite(far):
        judged = (
            "the links follow each other in one track"
            if slip < LITTLE * far
            else "the links leave the track of the head"
        )
        text += f"A link slips {short_length(slip)} sideways while the body travels {metres(far)}: {judged}. "
    return (
        text
        + "Below: torques of the joints that bear most, the slip so far, the power of the motors and what friction has taken."
    )


def space(scene: Scene, shown: list[str], tall: bool) -> str:
    """Of a run in space with these panels."""
    text = (
        "From above, colours are time, early to late: pale bands are where the ground was touched, lines are the body. "
    )
    if "touch" in shown:
        text += "Which links touch: darker is a higher load; stripes that climb to the right are contacts that travel from tail to head. "
    if "side" in shown:
        text += "From the side: " + (
            "the whole run. " if tall else "the last period of the gait; triangles mark what touches. "
        )
    slope = abs(float(np.degrees(scene.land.ground.slope)))
    if slope > 0.0 and scene.land.ground.heights is None:
        text += f"The ground rises by {slope:.3g} degrees. "
    return text


def above(run: Trajectory, scene: Scene) -> str:
    """Of a run among obstacles."""
    text = "The way from above, colours are time, early to late; the line is the trail of the head. "
    among = bool(scene.blocks) or scene.cells is not None
    text += "Below, over time: " + "how near the body came to an obstacle (0: it touches), " * among
    text += "the torques of the joints that bear most, "
    parts = ["the forces of obstacles"] if "wall_force" in run.variables else []
    parts += ["the forces of the pins"] if "anchor_force" in run.variables else []
    parts += ["the distance from the planned path"] if "lateral_error" in run.variables else []
    return text + ", ".join(parts) + "." if parts else text.rstrip(", ") + "."
