"""How everything looks: colours, sizes, axes; change it here only. How a figure reaches the disk is in `saving`.

Lines take the colours of Okabe and Ito, which stay apart for colour-blind readers; time runs along viridis
without its palest end. Matplotlib is imported only when something is drawn.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Number, shown
from serpenoid.view.saving import caption, save, using

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["caption", "save", "using"]  # and all that is defined here

INK, GREY, PALE = "#22272e", "#6b7280", "#d5d9df"
BLUE, ORANGE, GREEN, RED, PURPLE = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7"
LINES = (BLUE, ORANGE, GREEN, RED, PURPLE)
FORCE, TRAIL = RED, "#9aa1ab"

GROUND, GROUND_LINE, GROUND_BOLD = "#f4f2ec", "#e4e0d5", "#d3cdbd"  # the film's floor and its grid
SKIN, SKIN_DARK, OUTLINE = "#2f8f83", "#1f6f66", "#12312d"  # the film's robot: links by turns, and their edge
STRIPE, SHADOW, STONE, GLASS = (
    "#f7ecc6",
    "#3d3a2f",
    "#d6ccb8",
    "#cfd8dc",
)  # in space: on the back, under it, what stands about
TRACK, PATCH = "#a98f5a", "#e2762b"  # in space: where the ground was touched, and where it is now

TITLE, LABEL, TICK = 15, 11, 9.5  # pt
DPI = 150
SIZE = Number("of a figure", "inches", above=0.0, high=200.0)


@door(width=SIZE, height=SIZE, dpi=Number(low=1.0, high=2400.0))
def canvas(width: float, height: float, dpi: float = DPI, colour: str = "white") -> Figure:
    """Make an empty figure (inches) that draws with Agg; needs no display and no pyplot."""
    from matplotlib.colors import is_color_like

    if not is_color_like(colour):
        raise InputError(f"colour must be a name or code of a colour, got {shown(colour)}")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=(width, height), dpi=dpi, facecolor=colour)
    FigureCanvasAgg(made)
    return made


def titled(width: float, height: float, title: str, text: str, *, arranged: bool = True) -> Figure:
    """Make an empty figure (inches) with a title and a caption; arranged: its panels keep out of each other's way."""
    made = canvas(width, height)
    if arranged:
        made.set_layout_engine("constrained", w_pad=0.1, h_pad=0.1)
    headline(made, title)
    caption(made, text)
    return made


def headline(fig: Figure, title: str) -> None:
    """Put the title of a figure into its upper left corner."""
    fig.suptitle(title, x=0.15 / fig.get_figwidth(), ha="left", fontsize=TITLE, fontweight="bold", color=INK)


def time_colours(count: int) -> Any:
    """Colours of `count` instants, early to late, (count, 4)."""
    from matplotlib import colormaps

    return colormaps["viridis"](np.linspace(0.0, 0.86, max(count, 1)))


@functools.cache
def _parts(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
    return red, green, blue


def rgba(colour: str, alpha: float = 1.0) -> Any:
    """Red, green, blue and opacity, (4,)."""
    return np.array([*_parts(colour), alpha])


def mixed(colour: str, other: str, share: float) -> str:
    """A colour with a share of another one."""
    parts = (1.0 - share) * rgba(colour) + share * rgba(other)
    return "#" + "".join(f"{round(255 * x):02x}" for x in parts[:3])


def round_below(value: float) -> float:
    """Return the largest of 1, 2, 5 times a power of ten that is not above `value`; 0 where there is none."""
    if not np.isfinite(value) or value <= 1e-300:
        return 0.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(power * max(m for m in (1.0, 2.0, 5.0) if m <= value / power * (1.0 + 1e-9) or m == 1.0))


def length_unit(values: Any) -> tuple[float, str]:
    """Factor and unit in which lengths (m) are read best: mm where none is 0.1 m long, else m."""
    seen = np.abs(np.asarray(values, dtype=float))
    seen = seen[np.isfinite(seen)]
    return (1e3, "mm") if seen.size and 0.0 < float(seen.max()) < 0.1 else (1.0, "m")


@door
def dress(ax: Axes, x: str, y: str, title: str = "") -> None:
    """Label the axes, drop the frame above and on the right, put a pale grid behind."""
    ax.set_xlabel(x, fontsize=LABEL, color=INK)
    ax.set_ylabel(y, fontsize=LABEL, color=INK)
    if title:
        ax.set_title(title, fontsize=LABEL + 1, color=INK, loc="left", fontweight="bold")
    ax.tick_params(labelsize=TICK, colors=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.grid(True, color=PALE, linewidth=0.6)
    ax.set_axisbelow(True)


def plain_log(ax: Axes) -> None:
    """A logarithmic y axis with ticks at 1, 2 and 5 times the powers of ten, written plainly."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())


def legend_above(ax: Axes, columns: int, rows: int = 1, **options: Any) -> None:
    """Put a legend between the title and the panel, where it hides no curve; the title moves up."""
    look: dict[str, Any] = {
        "loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": columns, "framealpha": 0.0, "borderpad": 0.1, "columnspacing": 0.9,
        "handletextpad": 0.4, "labelspacing": 0.2, "borderaxespad": 0.1, "handlelength": 1.3,
    }  # fmt: skip
    legend(ax, **{**look, **options})
    if ax.get_title(loc="left"):
        ax.set_title(
            ax.get_title(loc="left"),
            fontsize=LABEL + 1,
            color=INK,
            loc="left",
            fontweight="bold",
            pad=6.0 + 1.5 * TICK * rows,
        )


def legend_below(fig: Figure, ax: Axes, columns: int = 7) -> None:
    """One legend for all panels of a figure with a layout, below them; `ax` has what it names."""
    fig.legend(
        *ax.get_legend_handles_labels(), loc="outside lower center", ncols=columns, frameon=False, fontsize=LABEL
    )


def legend(ax: Axes, **options: Any) -> None:
    """Put a small legend without a frame's shadow."""
    defaults: dict[str, Any] = {
        "fontsize": TICK,
        "frameon": True,
        "framealpha": 0.85,
        "edgecolor": "none",
        "handlelength": 1.4,
    }
    ax.legend(**{**defaults, **options})
