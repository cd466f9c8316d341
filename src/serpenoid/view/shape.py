"""A dorsal reference curve made visible: the body as a tube with its dorsal line, its fin, its frames.

| symbol | meaning | colour |
|---|---|---|
| e1 | tangent; tau is the rate of turning about it (twist) | blue |
| ea | side; kappa_a is the rate about it (pitch) | green |
| eb | back; kappa_b is the rate about it (yaw); the dorsal line and the fin lie along it | red |

Everything solid is faces of one collection, sorted by depth and shaded here: Matplotlib sorts faces of one collection only, so a line on a
tube drawn as a line would shine through the tube. The projection is parallel and the scales are equal.
Known limit: faces are sorted by their middles, so long faces that cut each other may show wrongly; keep them short.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.door import FiniteNumbers, door
from serpenoid.core.errors import InputError
from serpenoid.view import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from serpenoid.shapes import Curve

DORSAL, BODY, BELLY, FIN = style.RED, style.SKIN, "#cfe2dc", style.ORANGE
AXES = (style.BLUE, style.GREEN, style.RED)  # e1, ea, eb; and tau, kappa_a, kappa_b
BRANCH, LINK, JOINT = "#b4b0a8", "#27408b", "#f6c945"
STRIPE = np.radians(15.0)  # half width of the dorsal line on the tube
PALE_FROM = np.radians(118.0)  # from the back: where the belly begins
FIN_HEIGHT, ARROW = 2.7, 4.6  # from the backbone, in radii of the tube
RIB = 0.13  # depth of the ribs of a bellows, in radii
RADIUS = 0.026  # of the tube, in sizes of the curve; thinner where the curve is narrow
NARROW = 0.45  # of the smallest radius of curvature: the widest tube
FLAT = 0.3  # third over second extent of a curve that is seen as flat
FRAMES, RINGS = 6, (90, 340)  # frames shown in a figure; rings of a tube: least, most


class Tiles(NamedTuple):
    """Four-cornered faces, to be sorted and shaded together."""

    corner: FloatArray  # (m, 4, 3)
    normal: FloatArray  # (m, 3), outwards; zero: seen from both sides and not shaded
    colour: FloatArray  # (m, 4)


class Sight(NamedTuple):
    """Direction of the camera, degrees."""

    elevation: float
    azimuth: float

    @property
    def axes(self) -> FloatArray:
        """Rows: right, up, towards the camera."""
        e, a = np.radians([self.elevation, self.azimuth])
        towards = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        return np.stack([right, np.cross(towards, right), towards])


def best_sight(position: FloatArray, aspect: float = 1.7) -> Sight:
    """The direction from which the curve covers most of a panel of an aspect; what lies flat is seen from far above."""
    spread = position - position.mean(axis=0)
    _, size, axis = np.linalg.svd(spread, full_matrices=False)
    lies_flat = size[2] < FLAT * size[1] and abs(axis[2, 2]) > 0.7 and size[1] > 0.01 * size[0]
    azimuths = (-150, -135, -120, -112, -68, -60, -50, -40, -30)  # not along y: labels would lie on each other
    choices = [Sight(e, a) for e in ((56.0,) if lies_flat else (18.0, 26.0)) for a in azimuths]

    def cover(sight: Sight) -> float:
        seen = spread @ sight.axes[:2].T
        small, large = np.sort(np.linalg.svd(seen, compute_uv=False))
        scale = float(np.min(np.array([aspect, 1.0]) / (np.ptp(seen, axis=0) + 1e-3 * np.abs(spread).max())))
        favour = 1.0 - 0.002 * abs(sight.azimuth + 62.0)
        return favour * scale * float((small + 0.05 * large) * large)

    return max(choices, key=cover)


def tube_radius(curve: Curve) -> float:
    """A radius that looks well: a share of the curve's size, less where it is narrowly bent."""
    size = float(np.linalg.norm(np.ptp(curve.position, axis=0)))
    _, a, b = curve.shape.values(np.linspace(0.0, curve.shape.length, 401), getattr(curve, "time", 0.0))
    sharpest = float(np.hypot(a, b).max())
    return min(RADIUS * size, NARROW / sharpest if sharpest > 0.0 else np.inf, 0.03 * curve.shape.length)


def resampled(curve: Curve, count: int) -> tuple[FloatArray, FloatArray]:
    """Positions and frames at equal arc lengths."""
    from scipy.interpolate import CubicHermiteSpline
    from scipy.spatial.transform import Rotation, Slerp

    if not (np.isfinite(curve.position).all() and np.isfinite(curve.frame).all()):
        raise InputError("a curve to be drawn must be finite")
    s = np.linspace(curve.s[0], curve.s[-1], count)
    place = CubicHermiteSpline(curve.s, curve.position, curve.frame[..., 0])(s)
    return place, Slerp(curve.s, Rotation.from_matrix(curve.frame))(s).as_matrix()


def _rgba(colour: str, alpha: float = 1.0) -> FloatArray:
    from matplotlib.colors import to_rgba

    return np.array(to_rgba(colour, alpha))


def _rings(place: FloatArray, a: Any, b: Any, radius: FloatArray, angle: FloatArray, colour: FloatArray) -> Tiles:
    """Tiles between rings (n) of radius (n,), at angles (k + 1) from b towards a; along, a, b right-handed."""
    c, s = np.cos(angle), np.sin(angle)
    out = c[None, :, None] * b[..., None, :] + s[None, :, None] * a[..., None, :]  # (n or 1, k + 1, 3)
    point = place[:, None] + radius[:, None, None] * out
    corner = np.stack([point[:-1, :-1], point[1:, :-1], point[1:, 1:], point[:-1, 1:]], axis=2).reshape(-1, 4, 3)
    normal = np.cross(corner[:, 2] - corner[:, 0], corner[:, 3] - corner[:, 1])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    shades = np.broadcast_to(np.asarray(colour), (len(place) - 1, angle.size - 1, 4)).reshape(-1, 4)
    return Tiles(corner, normal, shades)


def rod(start: FloatArray, end: FloatArray, radius: float, colour: str, pieces: int = 1) -> Tiles:
    """A round rod between two points: a link, or the branch a snake is wound round."""
    at = np.concatenate([[0.0], np.linspace(0.0, 1.0, pieces + 1), [1.0]])
    size = np.concatenate([[0.0], np.full(pieces + 1, radius), [0.0]])  # closed at both ends
    return _turned(start, end, size, at, _rgba(colour), 24)


def _turned(start: FloatArray, end: FloatArray, radius: FloatArray, at: FloatArray, colour: Any, sides: int) -> Tiles:
    """A body of revolution about the line from start to end: radii at shares of the line."""
    along = np.asarray(end, dtype=float) - start
    a = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    a /= np.linalg.norm(a)
    b = np.cross(along / np.linalg.norm(along), a)
    turn = np.linspace(0.0, 2.0 * np.pi, sides + 1)
    return _rings(start + at[:, None] * along, a, b, radius, turn, colour)


def _body(place: FloatArray, frame: FloatArray, radius: float, alpha: float, ribs: bool) -> Tiles:
    """The tube with round ends: dorsal line, flanks, belly; a bellows has ribs and no belly."""
    turn = np.radians([30.0, 55.0, 75.0, 90.0])
    tail = place[0] - radius * np.sin(turn[::-1])[:, None] * frame[0, :, 0]
    head = place[-1] + radius * np.sin(turn)[:, None] * frame[-1, :, 0]
    size = radius * np.concatenate([np.cos(turn[::-1]), np.ones(len(place)), np.cos(turn)])
    whole = np.concatenate([tail, place, head])
    keep = np.concatenate([np.zeros(4, dtype=int), np.arange(len(place)), np.full(4, len(place) - 1)])
    size[4:-4] *= 1.0 - RIB * ribs * (np.arange(len(place)) % 2)
    side = np.linspace(STRIPE, np.pi, 11)
    angle = np.concatenate([[-STRIPE, STRIPE], side[1:], 2.0 * np.pi - side[-2::-1]])
    middle = np.abs((0.5 * (angle[1:] + angle[:-1]) + np.pi) % (2.0 * np.pi) - np.pi)
    colour = np.where((middle[:, None] > PALE_FROM) & (not ribs), _rgba(BELLY, alpha), _rgba(BODY, alpha))
    colour[middle < STRIPE] = _rgba(DORSAL, max(alpha, 0.9))
    return _rings(whole, frame[keep, :, 1], frame[keep, :, 2], size, angle, colour)


def _fin(place: FloatArray, frame: FloatArray, radius: float) -> list[Tiles]:
    """The dorsal fin: a translucent ribbon from the backbone along eb, with a strong edge."""
    parts, top = [], FIN_HEIGHT + 0.22
    for low, high, colour in ((1.0, FIN_HEIGHT, _rgba(FIN, 0.42)), (FIN_HEIGHT, top, _rgba(DORSAL, 0.95))):
        edge = [place + x * radius * frame[..., 2] for x in (low, high)]
        corner = np.stack([edge[0][:-1], edge[0][1:], edge[1][1:], edge[1][:-1]], axis=1)
        parts.append(Tiles(corner, np.zeros((len(corner), 3)), np.tile(colour, (len(corner), 1))))
    return parts


def _arrows(place: FloatArray, frame: FloatArray, radius: float, count: int) -> list[Tiles]:
    """Some frames as arrows; e1 begins beside the tube, which would hide it."""
    at, size = np.array([0.0, 0.25, 0.5, 0.74, 0.74, 1.0]), 0.2 * radius * np.array([1.0, 1.0, 1.0, 1.0, 2.6, 0.0])
    parts = []
    for k in np.linspace(0, len(place) - 1, count + 2).round().astype(int)[1:-1]:
        for j, colour in enumerate(AXES):
            start = place[k] + (1.35 * radius * frame[k, :, 1] if j == 0 else 0.0)
            parts.append(_turned(start, start + ARROW * radius * frame[k, :, j], size, at, _rgba(colour), 7))
    return parts


def _robot(nodes: FloatArray, radius: float) -> list[Tiles]:
    """Links as rods with joints as balls."""
    links = [rod(p, q, 0.42 * radius, LINK, pieces=4) for p, q in zip(nodes[:-1], nodes[1:], strict=True)]
    turn, ball, up = np.linspace(0.0, np.pi, 7), 0.75 * radius, np.array([0.0, 0.0, 0.75 * radius])
    at = 0.5 - 0.5 * np.cos(turn)
    return [*links, *(_turned(p - up, p + up, ball * np.sin(turn), at, _rgba(JOINT), 10) for p in nodes)]


def _collection(parts: Sequence[Tiles], sight: Sight) -> Any:
    """The faces that are seen, under a light from above the camera's left shoulder."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

    corner, normal, colour = (np.concatenate(x) for x in zip(*parts, strict=True))
    towards = sight.axes[2]
    flat = np.abs(normal).max(axis=1) == 0.0
    corner, normal, colour, flat = (x[flat | (normal @ towards > 0.0)] for x in (corner, normal, colour, flat))
    light = np.array([-0.45, 0.65, 0.6]) / np.sqrt(0.985) @ sight.axes
    half = (light + towards) / np.linalg.norm(light + towards)
    lit = np.where(flat, 1.0, 0.5 + 0.55 * np.clip(normal @ light, 0.0, 1.0))
    gloss = np.where(flat, 0.0, 0.3 * np.clip(normal @ half, 0.0, 1.0) ** 24)
    colour[:, :3] = np.clip(colour[:, :3] * lit[:, None] + gloss[:, None], 0.0, 1.0)
    edge = colour.copy()
    edge[colour[:, 3] < 0.9, 3] = 0.0  # edges hide the seams of solid faces; translucent ones would show theirs twice
    made = Poly3DCollection(corner, facecolors=colour, edgecolors=edge, linewidths=0.35, zorder=5)
    made.set_clip_on(False)
    return made


def dorsal_panel(
    ax3d: Any, curve: Curve, *, radius: float | None = None, fin: bool = True, frames: int = 0,
    nodes: FloatArray | None = None, ribs: bool = False, sight: Sight | None = None, extra: Sequence[Tiles] = (), axes: bool = True,
    bounds: tuple[FloatArray, FloatArray] | None = None, fill: float = 0.8,
) -> Any:  # fmt: skip
    """Draw tube, dorsal line and, if asked, fin, frames, a fitted robot, ribs and extra faces on 3D Axes; returns the collection."""
    sight = sight or best_sight(curve.position)
    radius = radius or tube_radius(curve)
    place, frame = resampled(curve, int(np.clip(curve.shape.length / ((0.4 if ribs else 0.75) * radius), *RINGS)))
    parts = [*extra, _body(place, frame, radius, 1.0 if nodes is None else 0.22, ribs)]
    parts += _fin(place, frame, radius) if fin else []
    parts += _arrows(place, frame, radius, frames) if frames else []
    parts += _robot(np.asarray(nodes, dtype=float), radius) if nodes is not None else []
    points = np.concatenate([part.corner.reshape(-1, 3) for part in parts])
    low, high = bounds or (points.min(axis=0), points.max(axis=0))
    _set_space(ax3d, low, high, sight, points if bounds is None else _corners(low, high), axes, fill)
    if axes:
        shadow = place[:, 0], place[:, 1], np.full(len(place), ax3d.get_zlim()[0])
        ax3d.plot(*shadow, color="#7d8590", alpha=0.28, lw=3.0, solid_capstyle="round", zorder=1)
    return ax3d.add_collection3d(_collection(parts, sight), autolim=False)


def _corners(low: FloatArray, high: FloatArray) -> FloatArray:
    pick = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
    return np.where(pick == 0, low, high)


def _set_space(ax: Any, low: Any, high: Any, sight: Sight, points: FloatArray, axes: bool, fill: float) -> None:
    """Equal scales, parallel projection, and as large as the panel allows; the Axes may then reach beyond its panel."""
    least = 0.22 * float((high - low).max()) if axes else 0.0
    middle, half = 0.5 * (low + high), 0.5 * np.maximum(1.04 * (high - low), least)
    for name, m, h in zip("xyz", middle, half, strict=True):
        getattr(ax, f"set_{name}lim")(m - h, m + h, auto=False)
        getattr(ax, f"set_{name}margin")(0.0)
    ax.set_proj_type("ortho")
    ax.view_init(sight.elevation, sight.azimuth)
    ax.computed_zorder = False
    ax.patch.set_visible(False)
    if axes:
        _dress(ax, half)
        points = _corners(middle - half, middle + half)
    else:
        ax.set_axis_off()
    # the largest square round the panel's middle, then a zoom that fills the panel
    panel = ax.get_position(original=True)
    wide, tall = (float(x) for x in ax.get_figure(root=True).get_size_inches())
    room = np.array([panel.width * wide, panel.height * tall])  # inches
    side = float(room.max())
    seen = points @ sight.axes[:2].T
    span, centre = np.ptp(seen, axis=0), 0.5 * (seen.min(axis=0) + seen.max(axis=0)) - sight.axes[:2] @ middle
    scale = fill * float(np.min(room / np.maximum(span, 1e-12)))  # inches a metre
    ax.set_box_aspect(2.0 * half, zoom=1.0)
    here = np.array(proj_point(ax, middle))
    step = proj_point(ax, middle + half[0] * sight.axes[0])[0] - here[0]
    ax.set_box_aspect(2.0 * half, zoom=scale * half[0] / (step / ax.viewLim.width * side))
    inside = (here - ax.viewLim.min) / ax.viewLim.size  # not quite a half
    corner = np.array([panel.x0 + 0.5 * panel.width, panel.y0 + 0.5 * panel.height])
    corner -= (inside * side + scale * centre) / np.array([wide, tall])
    ax.set_position((*corner, side / wide, side / tall))


def _dress(ax: Any, half: FloatArray) -> None:
    """Quiet walls and few ticks, more along longer sides."""
    from matplotlib.ticker import MaxNLocator

    for axis, name, h in zip((ax.xaxis, ax.yaxis, ax.zaxis), "xyz", half, strict=True):
        axis.set_pane_color((0.972, 0.972, 0.965, 1.0))
        axis._axinfo["grid"].update(color="#dcdfe4", linewidth=0.6)
        axis.line.set_color(style.GREY)
        count = max(1, round(6.0 * float(h / half.max())))
        axis.set_major_locator(MaxNLocator(count, steps=[1, 2, 5, 10], min_n_ticks=2))
        axis.set_label_text(f"{name} [m]", fontsize=style.LABEL, color=style.INK)
        axis.labelpad = 20.0 if name == "z" else 14.0
    ax.tick_params(labelsize=style.TICK, colors=style.INK, pad=2)
    ax.tick_params(axis="z", pad=7)


def _ends(ax: Any, curve: Curve, sight: Sight, radius: float) -> None:
    """Name start and end beside them, away from the body."""
    for k, away, text in ((0, -1.0, "start, s = 0"), (-1, 1.0, f"end, s = {curve.s[-1]:.3g} m")):
        flat = away * sight.axes[:2] @ curve.frame[k, :, 0]
        flat = 20.0 * flat / max(float(np.linalg.norm(flat)), 0.2)
        where = proj_point(ax, curve.position[k] + away * 1.2 * radius * curve.frame[k, :, 0])
        right = ax.transData.transform(where)[0] > 0.62 * ax.get_figure(root=True).bbox.width
        if right and flat[0] > 6.0:  # the labels of the z axis are there
            flat = np.array([0.0, 34.0])
        ax.annotate(
            text, where, (flat[0], flat[1]), textcoords="offset points", fontsize=style.TICK, color=style.INK,
            ha="left" if flat[0] > 6.0 else "right" if flat[0] < -6.0 else "center",
            va="bottom" if flat[1] > 6.0 else "top" if flat[1] < -6.0 else "center", zorder=20, annotation_clip=False,
            bbox={"boxstyle": "round,pad=0.2", "fc": "white", "ec": "none", "alpha": 0.8},
            arrowprops={"arrowstyle": "-", "color": style.INK, "lw": 0.9, "shrinkA": 0.0, "shrinkB": 0.0},
        )  # fmt: skip


def proj_point(ax: Any, place: FloatArray) -> tuple[float, float]:
    """Where a point of space lies in the 2D coordinates of 3D Axes."""
    from mpl_toolkits.mplot3d.proj3d import proj_transform  # type: ignore[import-untyped]

    x, y, _ = proj_transform(*place, ax.get_proj())
    return float(x), float(y)


@door(nodes=FiniteNumbers(width=3, dims=(2,)))
def shape_figure(curve: Curve, path: str | Path, *, nodes: Any = None, title: str = "", note: str = "") -> Path:
    """Write one picture of a curve: the body in space with its back, and the three shape functions below."""
    if nodes is not None and len(nodes) < 2:
        raise InputError(f"nodes must be (k, 3) with k >= 2, got shape {np.shape(nodes)}")
    fig = style.canvas(10.0, 10.4)
    ax = fig.add_axes((0.03, 0.37, 0.94, 0.52), projection="3d")
    sight, radius = best_sight(curve.position), tube_radius(curve)
    dorsal_panel(ax, curve, radius=radius, frames=0 if nodes is not None else FRAMES, nodes=nodes, sight=sight)
    _ends(ax, curve, sight, radius)
    fig.text(0.045, 0.965, title or curve.shape.name, fontsize=style.TITLE, fontweight="bold", va="center")
    fig.text(0.045, 0.938, note, fontsize=style.LABEL, color=style.GREY, va="center")
    _key(fig, nodes is not None)
    _functions(fig, curve)
    return style.save(fig, path)


def _key(fig: Figure, robot: bool) -> None:
    """What the colours mean, in one row under the title."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    fin = Patch(color=FIN, alpha=0.5, label="dorsal fin")
    shown: list[Any] = [Line2D([], [], color=DORSAL, lw=4, label="dorsal line"), fin]
    if robot:
        look: Any = {"color": LINK, "lw": 3, "marker": "o", "mfc": JOINT, "mec": JOINT, "ms": 6}
        shown += [Line2D([], [], label="robot: links and joints", **look)]
    else:
        names = ("$e_1$ tangent", "$e_a$ side", "$e_b$ back")
        shown += [Line2D([], [], color=c, lw=2, marker=">", ms=5, label=x) for c, x in zip(AXES, names, strict=True)]
    place: Any = {"loc": "center left", "bbox_to_anchor": (0.035, 0.908), "ncols": len(shown)}
    fig.legend(handles=shown, fontsize=style.TICK, frameon=False, **place)


def _functions(fig: Figure, curve: Curve) -> None:
    """tau, kappa_a, kappa_b over arc length, in the colours of the axes they turn about."""
    s = np.linspace(0.0, curve.shape.length, 1201)
    values = curve.shape.values(s, getattr(curve, "time", 0.0))
    names = ("$\\tau$ [1/m]\ntwist", "$\\kappa_a$ [1/m]\npitch", "$\\kappa_b$ [1/m]\nyaw")
    bottom, height, gap = 0.06, 0.078, 0.018
    for j, (f, name, colour) in enumerate(zip(values, names, AXES, strict=True)):
        ax = fig.add_axes((0.125, bottom + (2 - j) * (height + gap), 0.84, height))
        style.dress(ax, "arc length s [m]" if j == 2 else "", "")
        ax.set_ylabel(name, fontsize=style.TICK + 0.5, color=colour, rotation=0, ha="center", va="center")
        ax.yaxis.set_label_coords(-0.09, 0.5)
        ax.fill_between(s, f, color=colour, alpha=0.12, lw=0)
        ax.plot(s, f, color=colour, lw=1.8)
        ax.axhline(0.0, color=style.GREY, lw=0.7)
        ax.set_xlim(0.0, curve.shape.length)
        low, high = min(0.0, float(f.min())), max(0.0, float(f.max()))
        ax.set_ylim((low - 0.12 * (high - low), high + 0.12 * (high - low)) if high - low > 1e-9 else (-1.0, 1.0))
        ax.locator_params(axis="y", nbins=4)
        ax.tick_params(labelbottom=j == 2)
