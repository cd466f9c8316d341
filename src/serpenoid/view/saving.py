"""How a figure reaches the disk: as a picture or as vectors, in a style for screens, print or talks, with a caption that says what to see.

    with sp.view.style.using("print", also="pdf"):
        sp.view.figure(run, "figure.png")          # figure.png and figure.pdf

| style | text | lines | caption | meant for |
|---|---|---|---|---|
| screen | as designed | as designed | below the figure | reading on a screen (the default) |
| print | larger, black | as designed; curves dashed, so that they differ without colours; 300 dpi | in the file's description only | a page 180 mm wide |
| talk | larger | thicker | below the figure | a projector |

A caption is also written into the file: the description of .png and .svg, the subject of .pdf.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.formats.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "pdf", "svg")
INK, GREY = "#22272e", "#6b7280"
SIZE, LINE = 9.5, 1.45  # pt of a caption's letters; height of its lines in these
BODY = 3.0  # pt: wider lines are bodies drawn to scale, which no style changes
PAD = 0.06  # inches round what stands out
MARGIN = 0.25  # inches left of and below a caption
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 1, 1, 1, 1, 1)))


class Look(NamedTuple):
    """A style: factors of text and lines, resolution of pixels, whether the caption is drawn, whether curves are dashed."""

    text: float = 1.0
    line: float = 1.0
    dpi: int = 150
    captioned: bool = True
    dashed: bool = False


LOOKS = {
    "screen": Look(),
    "print": Look(text=1.2, dpi=300, captioned=False, dashed=True),
    "talk": Look(text=1.2, line=1.6),
}


class _Chosen(NamedTuple):
    look: Look = LOOKS["screen"]
    also: tuple[str, ...] = ()


_chosen: ContextVar[_Chosen | None] = ContextVar("style", default=None)
_captions: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
_restyled: WeakSet[Any] = WeakSet()


@contextmanager
def using(name: str = "screen", also: str | tuple[str, ...] = ()) -> Iterator[None]:
    """Save figures in a style while the block runs; `also`: formats (pdf, svg) in which each figure is written beside its file."""
    wanted = (also,) if isinstance(also, str) else tuple(also)
    if name not in LOOKS:
        raise InputError(f"style must be one of {', '.join(LOOKS)}, got {name!r}")
    for kind in wanted:
        if kind not in FORMATS:
            raise InputError(f"a figure is written as .png, .pdf or .svg; got {kind!r}")
    token = _chosen.set(_Chosen(LOOKS[name], wanted))
    try:
        yield
    finally:
        _chosen.reset(token)


@door
def caption(fig: Figure, text: str) -> None:
    """Give a figure a caption: what is to be seen, in one to three sentences."""
    _captions[fig] = " ".join(text.split())


def caption_of(fig: Figure) -> str:
    """The caption of a figure, or nothing."""
    return _captions.get(fig, "")


@door
def save(fig: Figure, path: str | Path) -> Path:
    """Write a figure atomically; the suffix says how: .png, .pdf or .svg."""
    target, (look, also) = Path(path), _chosen.get() or _Chosen()
    kind = target.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise InputError(f"a figure is written as .png, .pdf or .svg; got {target.name!r}")
    if fig not in _restyled:
        _restyled.add(fig)
        restyle(fig, look)
    _keep_legends(fig)
    box = _box(fig, _write_caption(fig) if look.captioned and caption_of(fig) else 0.0, look)
    _write(fig, target, kind, look.dpi, box)
    for other in also:
        if other != kind:
            _write(fig, target.with_suffix(f".{other}"), other, look.dpi, box)
    return target


def _keep_legends(fig: Figure) -> None:
    """Arrange a figure for the last time and keep its own legends where they are: a caption below would draw them down to itself."""
    if fig.legends and fig.get_layout_engine() is not None:
        fig.draw_without_rendering()
        fig.set_layout_engine("none")
        for shown in fig.legends:
            shown.set_bbox_to_anchor((0.0, 0.0, 1.0, 1.0), transform=fig.transFigure)


def _box(fig: Figure, below: float, look: Look) -> Any:
    """What of the plane is written, inches: the figure, room for a caption below, and what larger text makes stand out."""
    from matplotlib.transforms import Bbox

    wide, high = (float(x) for x in fig.get_size_inches())
    low, top = [0.0, -below], [wide, high]
    if look.text != 1.0:
        fig.draw_without_rendering()
        seen = fig.get_tightbbox()
        low = [min(low[e], float(seen.min[e]) - PAD) for e in (0, 1)]
        top = [max(top[e], float(seen.max[e]) + PAD) for e in (0, 1)]
    return None if (low, top) == ([0.0, 0.0], [wide, high]) else Bbox([low, top])


def _write(fig: Figure, target: Path, kind: str, dpi: int, box: Any) -> None:
    """Write one file; the same figure gives the same bytes."""
    import matplotlib

    text = caption_of(fig)
    about: dict[str, Any] = {
        "png": {"Description": text} if text else {},
        "pdf": {"Subject": text, "CreationDate": None} if text else {"CreationDate": None},
        "svg": {"Description": text, "Date": None} if text else {"Date": None},
    }[kind]
    with (
        replacing(target) as part,
        matplotlib.rc_context({"pdf.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "serpenoid"}),
    ):
        fig.savefig(part, format=kind, dpi=dpi, metadata=about, bbox_inches=box)


def _write_caption(fig: Figure) -> float:
    """Put the caption below the figure; returns the room that it takes, inches."""
    wide, high = fig.get_size_inches()
    lines = textwrap.wrap(caption_of(fig), max(30, int((wide - 2.0 * MARGIN) * 72.0 / (0.54 * SIZE))))
    room = (len(lines) * LINE * SIZE + 2.0) / 72.0 + MARGIN
    if not any(text.get_gid() == "caption" for text in fig.texts):
        made = fig.text(MARGIN / wide, -2.0 / 72.0 / high, "\n".join(lines), fontsize=SIZE, color=GREY, va="top", linespacing=LINE / 1.2, gid="caption")  # fmt: skip
        made.set_in_layout(False)
    return float(room)


def restyle(fig: Figure, look: Look) -> None:
    """Change text, lines and dashes of a finished figure to a style."""
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

    if look == LOOKS["screen"]:
        return
    ticks: set[Any] = set()
    for ax in fig.axes:
        for name in ("xaxis", "yaxis", "zaxis"):
            labels = getattr(ax, name).get_ticklabels() if hasattr(ax, name) else []
            ticks.update(labels)
            if labels:
                getattr(ax, name).set_tick_params(labelsize=min(look.text, 1.15) * labels[0].get_fontsize())
        if look.dashed:
            _dash(ax)
    for text in fig.findobj(Text):
        if text not in ticks:
            text.set_fontsize(look.text * float(text.get_fontsize()))
        if look.dashed and str(text.get_color()) == GREY:
            text.set_color(INK)
    if look.line != 1.0:
        for line in fig.findobj(Line2D):
            if line.get_linewidth() < BODY:
                line.set_linewidth(look.line * line.get_linewidth())
        for some in fig.findobj(LineCollection):
            some.set_linewidth([look.line * float(width) for width in np.atleast_1d(some.get_linewidth())])


def _dash(ax: Any) -> None:
    """Dash the curves of Axes by their colours, where all of them are whole lines of several colours."""
    curves = [x for x in ax.lines if x.get_linestyle() not in ("None", "none", "") and len(x.get_xdata()) > 2]
    colours = list(dict.fromkeys(str(x.get_color()) for x in curves))
    if len(colours) < 2 or len(colours) > len(DASHES) or any(x.get_linestyle() != "-" for x in curves):
        return
    marks = {colour: DASHES[k] for k, colour in enumerate(colours)}
    empty = [x for x in ax.lines if len(x.get_xdata()) == 0 and x.get_linestyle() == "-"]  # of the legend
    for line in [*curves, *empty]:
        if str(line.get_color()) in marks:
            line.set_linestyle(marks[str(line.get_color())])
    shown = ax.get_legend()
    for line in shown.get_lines() if shown is not None else []:
        if str(line.get_color()) in marks and line.get_linestyle() == "-":
            line.set_linestyle(marks[str(line.get_color())])
