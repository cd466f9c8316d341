"""Figs 3 to 10 of Yamada and Hirose (2006), redrawn from its equations, a plot of torsion near a zero of curvature, and a film of lateral rolling."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.shapes import Pose, Shape, named, roll
from serpenoid.studies.yamada2006 import examples
from serpenoid.studies.yamada2006.bellows import DISTANCES, peaks, printed_torsion
from serpenoid.studies.yamada2006.complete import levelled
from serpenoid.studies.yamada2006.measures import traced
from serpenoid.view.rolling import rolling_film
from serpenoid.view.shape import BRANCH, Sight, best_sight, dorsal_panel, rod
from serpenoid.view.style import BLUE, GREEN, GREY, INK, LABEL, ORANGE, RED, dress, legend, save, titled

STEPS = 600  # of a drawn curve
ROLLS = (0, 60, 120, 180, 240, 300)  # deg, Fig. 8


def _panel(fig: Any, box: tuple[float, float, float, float], shape: Shape, text: str, **options: Any) -> Any:
    """One body in a box (figure shares) with a line of text under it."""
    ax = fig.add_axes(box, projection="3d")
    defaults: dict[str, Any] = {"axes": False, "fill": 0.96}
    dorsal_panel(ax, shape.trace(STEPS), **{**defaults, **options})
    fig.text(box[0] + 0.5 * box[2], box[1] - 0.005, text, ha="center", va="top", fontsize=LABEL, color=INK)
    return ax


def figure3(path: Path) -> Path:
    """Spirals of a bellows with a line that was straight: Figs 3 and 6."""
    fig = titled(12.0, 6.6, "Figs 3, 6  A straight line on a bellows that is bent to spirals",
                  "Follow the red line, straight in (a): the bellows bends but does not twist, so that against the direction of bending its line turns at the rate of the torsion.", arranged=False)  # fmt: skip
    _panel(
        fig,
        (0.02, 0.12, 0.16, 0.72),
        _upright(examples.straight()),
        "(a) straight",
        fin=False,
        ribs=True,
        radius=0.17,
        sight=Sight(18.0, 172.0),
    )
    boxes = ((0.20, 0.12, 0.40, 0.72), (0.62, 0.12, 0.36, 0.72))
    for box, letter, (kappa, tau, length) in zip(boxes, "bc", examples.SPIRALS, strict=True):
        text = f"({letter}) curvature {kappa:g}/m, torsion {tau:g}/m"
        w = np.hypot(kappa, tau)
        start = _axis_up(kappa / w, tau / w)
        base = examples.spiral(kappa, tau, length)
        frame = start @ base.start.frame
        _panel(fig, box, base.but(start=Pose(np.zeros(3), frame)), text, fin=False, ribs=True,
               sight=Sight(20.0, -60.0), radius=0.24 * kappa / w**2)  # fmt: skip
    return save(fig, path)


def _upright(shape: Shape) -> Shape:
    """The same shape standing on its start."""
    turn = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    return shape.but(start=Pose(np.zeros(3), turn @ shape.start.frame))


def _axis_up(bend: float, twist: float) -> FloatArray:
    """Rotation that puts the axis of a helix that starts in the identity frame, (twist, 0, bend), along z."""
    return np.array([[bend, 0.0, -twist], [0.0, 1.0, 0.0], [twist, 0.0, bend]])


def figure4(path: Path) -> Path:
    """A dorsal reference curve."""
    fig = titled(11.0, 6.4, "Fig. 4  A dorsal reference curve: a slender fish with a long dorsal fin",
                  "The fin shows where the back points. Arrows: the frames that go with the body, e1 (tangent, blue), ea (side, green), eb (back, red).", arranged=False)  # fmt: skip
    ax = fig.add_axes((0.02, 0.03, 0.96, 0.85), projection="3d")
    curve = examples.fish().trace(STEPS)
    dorsal_panel(ax, curve, frames=6, fill=0.86)
    return save(fig, path)


def figure7(path: Path) -> Path:
    """A snake round a branch."""
    helix, rise, radius = 0.12, 0.2 / (2.0 * np.pi), 0.034  # m: of the backbone, its rise a radian, and of the body
    shape = named("branch", radius=helix, pitch=2.0 * np.pi * rise, turns=3.0, ends=0.12)
    curve = traced(shape)
    # the axis of the wound part: the vector that its frames turn about, through the centre of the helix
    k = int(np.searchsorted(curve.s, 0.5 * shape.length))
    _, ka, kb = shape.values(curve.s[k])
    square = 1.0 / (helix**2 + rise**2)  # kappa^2 + tau^2
    tau, kappa = rise * square, float(np.hypot(ka, kb))
    e1, ea, eb = curve.frame[k].T
    normal = (kb * ea - ka * eb) / kappa
    axis = tau * e1 + kappa * np.cross(e1, normal)
    axis, centre = axis / np.sqrt(square), curve.position[k] + normal * kappa / square
    along = (curve.position - centre) @ axis
    low, high = along.min() - 0.12, along.max() + 0.12
    wood = rod(centre + low * axis, centre + high * axis, kappa / square - radius, BRANCH, pieces=70)
    # lay the branch across the picture, rising a little
    fig = titled(11.0, 6.0, "Fig. 7  A snake round a branch",
                  "Belly (pale) and back (red line) change sides while it winds: a snake, like a bellows, does not twist.", arranged=False)  # fmt: skip
    ax = fig.add_axes((0.02, 0.03, 0.96, 0.83), projection="3d")
    tilt = _to_direction(axis, np.array([0.92, 0.0, 0.39]))
    laid = shape.but(start=Pose(np.zeros(3), tilt @ shape.start.frame))
    wood = wood._replace(corner=wood.corner @ tilt.T, normal=wood.normal @ tilt.T)
    dorsal_panel(
        ax, laid.trace(STEPS), radius=radius, sight=Sight(16.0, -78.0), extra=[wood], axes=False, fin=False, fill=0.94
    )
    return save(fig, path)


def _to_direction(a: FloatArray, b: FloatArray) -> FloatArray:
    """Smallest rotation that takes direction a to b."""
    from scipy.spatial.transform import Rotation

    b = b / np.linalg.norm(b)
    turn = np.cross(a, b)
    size = float(np.linalg.norm(turn))
    if size < 1e-12:
        return np.eye(3)
    result: FloatArray = Rotation.from_rotvec(turn / size * np.arctan2(size, float(a @ b))).as_matrix()
    return result


def figure8(path: Path) -> Path:
    """Lateral rolling."""
    fig = titled(12.0, 6.6, "Fig. 8  Lateral rolling: one backbone, the frame turned by the same angle everywhere",
                  "The fin shows where the back points, the belly is pale. No part of the body changes its place; only the bending is passed on between the two directions.", arranged=False)  # fmt: skip
    base = examples.body()
    sight = best_sight(traced(base).position, 1.4)
    for k, angle in enumerate(ROLLS):
        box = (0.02 + 0.325 * (k % 3), 0.50 - 0.43 * (k // 3), 0.31, 0.365)
        _panel(fig, box, roll(base, float(np.radians(angle))), f"{angle}°", sight=sight)
    return save(fig, path)


def figure10(path: Path) -> Path:
    """Different dorsal reference curves of one backbone."""
    fig = titled(12.0, 8.2, "Fig. 10  Different dorsal reference curves with the same backbone",
                  "All four backbones are the same. The fin shows where the back points: a complete model may turn it by any angle phi(s), equations (29) and (31).", arranged=False)  # fmt: skip
    sight = best_sight(traced(examples.body()).position, 1.4)
    for k, (text, shape) in enumerate(examples.different().items()):
        box = (0.03 + 0.485 * (k % 2), 0.505 - 0.445 * (k // 2), 0.455, 0.385)
        _panel(fig, box, shape, text, sight=sight)
    return save(fig, path)


def figure_wheels(path: Path) -> Path:
    """Wheels to the ground."""
    fig = titled(12.0, 5.6, "Section IV-C  Wheels to the ground",
                  "The same backbone on a spiral ramp; the fin shows where the back points. The back of a bellows tips over, a complete model twists so that it stays up.", arranged=False)  # fmt: skip
    both = levelled()
    sight = Sight(22.0, -60.0)
    for k, (shape, text) in enumerate(zip(both, ("bellows", "complete, levelled"), strict=True)):
        _panel(fig, (0.02 + 0.49 * k, 0.1, 0.47, 0.72), shape, text, sight=sight)
    return save(fig, path)


def figure_torsion(path: Path) -> Path:
    """Torsion near a zero of the curvature: finite, and peaked."""
    fig = titled(12.0, 7.2, "After (20)  Torsion where the curvature vanishes",
                 "Left: the curvature touches zero and the torsion stays finite, though the ratio of the two curvatures is not constant. "
                 "Right: the nearer a body passes by the zero of a kink, the higher the peak of its torsion, without bound.")  # fmt: skip
    axes = fig.subplots(2, 2, sharex=True, height_ratios=[1.0, 1.5])
    s = np.linspace(0.4, 1.6, 4001)
    touching = examples.touching()
    for ax, shape, text in zip(axes[0], (touching, examples.kinked()),
                               ("$\\kappa_a = (s-1)^2$, $\\kappa_b = s-1$", "$\\kappa_a = |s-1|$, $\\kappa_b = s-1$"), strict=True):  # fmt: skip
        _, a, b = shape.values(s)
        ax.plot(s, a, color=GREEN, lw=2.0, label="$\\kappa_a$")
        ax.plot(s, b, color=RED, lw=2.0, label="$\\kappa_b$")
        ax.axhline(0.0, color=GREY, lw=0.7)
        dress(ax, "", "curvature [1/m]", text)
        legend(ax, loc="lower right")
    ax = axes[1, 0]
    near = s[np.abs(s - 1.0) > 1e-4]
    ax.plot(s, -1.0 / (1.0 + (s - 1.0) ** 2), color=ORANGE, lw=5.0, alpha=0.5, label="$-1/(1+(s-1)^2)$")
    ax.plot(near, printed_torsion(touching, near), color=BLUE, lw=1.6, label="equation (20)")
    dress(ax, "arc length s [m]", "torsion [1/m]", "Finite")
    ax.set_ylim(-1.3, 0.1)
    legend(ax, loc="upper left")
    ax = axes[1, 1]
    for x, top, colour in zip(DISTANCES[:3], peaks(), (GREEN, BLUE, RED), strict=False):
        ax.semilogy(
            s,
            printed_torsion(examples.missing(float(x)), s),
            color=colour,
            lw=1.8,
            label=f"passing at {x:g}/m: peak {top:.0f}/m",
        )
    dress(ax, "arc length s [m]", "torsion [1/m]", "Peaked, the more the nearer the zero")
    ax.set_ylim(1e-4, 1e4)
    legend(ax, loc="upper left")
    return save(fig, path)


def film(path: Path, quick: bool, progress: Callable[[float], None]) -> Path:
    """Lateral rolling, once round."""
    count = 16 if quick else 144
    base = examples.body()
    curves = [roll(base, 2.0 * np.pi * k / count).trace(STEPS) for k in range(count)]
    size = (640, 480) if quick else (960, 720)
    return rolling_film(curves, path, 8 if quick else 24, size, progress, title="Lateral rolling of a bellows")
