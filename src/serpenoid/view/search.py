"""Pictures of a search: over one variable, over several, and the Pareto front of several objectives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core.door import Table, door
from serpenoid.view.captions import metric_words
from serpenoid.view.style import (
    BLUE,
    GREY,
    INK,
    LABEL,
    LINES,
    ORANGE,
    PALE,
    RED,
    TICK,
    canvas,
    caption,
    dress,
    legend,
    legend_above,
    save,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BEST = {"maximise": "Greatest", "minimise": "Least"}
USUAL = 5.0  # percent of the worst runs that do not stretch an axis
CROWDED = 0.2  # of both axes: a front that takes up less is drawn again beside it, enlarged
MOST_PANELS = 6  # variables that get a panel of their own


@door(result=Table(keys=("variables", "log", "units", "limits", "counts")))
def search_figure(result: Mapping[str, Any], path: str | Path) -> Path:
    """Draw the result of `optimise.optimise_scenario`: what was run, the optimum or the front; .png, .pdf or .svg."""
    if "front" in result:
        figure = _front(result)
    elif len(result["variables"]) == 1:
        figure = _one(result)
    else:
        figure = _several(result)
    return save(figure, path)


# words


def _with_unit(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit and unit != "-" else name


def _name(variable: Mapping[str, Any]) -> str:
    """What a variable is called: the words of its key without its table."""
    table, _, rest = str(variable["key"]).partition(".")
    name = str(variable["name"])
    return name.removeprefix(f"{table} ") if rest else name


def _axis(variable: Mapping[str, Any]) -> str:
    """Label of a variable's axis: its name and unit."""
    return _with_unit(_name(variable), variable["unit"])


def _metric(result: Mapping[str, Any], name: str) -> str:
    """Label of a metric's axis."""
    return _with_unit(metric_words(name), result["units"].get(name, ""))


def _value(number: float, unit: str) -> str:
    return f"{number:.4g} {unit}" if unit and unit != "-" else f"{number:.4g}"


def _limits(result: Mapping[str, Any]) -> str:
    """The limits in words, with where they are reached."""
    parts = []
    for limit in result["limits"]:
        unit = result["units"].get(limit["metric"], "")
        text = f"{metric_words(limit['metric'])} {limit['relation']} {_value(limit['bound'], unit)}"
        parts.append(text + (" (reached)" if limit["reached"] else ""))
    return ", ".join(parts)


def _title(figure: Figure, title: str, under: str) -> None:
    """A bold title and a grey line below it."""
    width, height = figure.get_size_inches()
    figure.text(0.6 / width, 1.0 - 0.14 / height, title, fontsize=13, color=INK, fontweight="bold", va="top")
    figure.text(0.6 / width, 1.0 - 0.42 / height, under, fontsize=TICK, color=GREY, va="top")


def _kept(result: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places (m, n), metrics (m, k; NaN where there is none) and whether each keeps all limits (m,)."""
    log, names = result["log"], result["log"]["metrics"]
    places = np.array([row[0] for row in log["rows"]], dtype=float).reshape(len(log["rows"]), len(log["keys"]))
    values = np.array([[np.nan if x is None else x for x in row[1]] for row in log["rows"]], dtype=float)
    values = values.reshape(len(log["rows"]), len(names))
    kept = np.array([row[2] == "ok" for row in log["rows"]], dtype=bool)
    values[~kept] = np.nan
    compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
    for limit in result["limits"]:
        kept &= compare[limit["relation"]](values[:, names.index(limit["metric"])], limit["bound"])
    return places, values, kept


def _under(result: Mapping[str, Any]) -> str:
    """How many runs there were, and what was kept."""
    counts = dict(result["counts"])
    feasible, infeasible = counts.pop("feasible", 0), counts.pop("infeasible", 0)
    parts = [f"{result['evaluations']} runs"]
    parts += [f"{infeasible} break a limit"] if infeasible else []
    parts += [f"{number} {status}" for status, number in counts.items()] if feasible + infeasible else []
    parts += [f"limits: {_limits(result)}"] if result["limits"] else []
    return "; ".join(parts)


# one variable


def _one(result: Mapping[str, Any]) -> Figure:
    """Scan, refinement and optimum over one variable."""
    figure = canvas(7.5, 4.8)
    ax = figure.add_axes((0.11, 0.13, 0.86, 0.65))
    variable, metric = result["variables"][0], result["objective"]
    places, values, kept = _kept(result)
    x, y = places[:, 0], values[:, result["log"]["metrics"].index(metric)]
    scanned = np.arange(len(x)) < len(result["scan"])
    ax.plot(x[scanned & kept], y[scanned & kept], "o", color=BLUE, ms=5, label="coarse scan", zorder=3)
    fine = kept & ~scanned
    if fine.any():
        ax.plot(x[fine], y[fine], "o", color=ORANGE, ms=3.5, label="golden section", zorder=4)
    known = np.flatnonzero(np.isfinite(y))
    known = known[np.argsort(x[known])]
    ax.plot(x[known], y[known], "-", color=PALE, lw=1.2, zorder=1)
    broken = ~kept & np.isfinite(y)
    if broken.any():
        ax.plot(x[broken], y[broken], "x", color=GREY, ms=5, mew=1.0, label="breaks a limit", zorder=2)
    if result["optimum"] is not None:
        _mark(ax, next(iter(result["optimum"].values())), result["value"], variable["unit"], result["unit"])
        _flat(ax, result, variable["key"])
    dress(ax, _axis(variable), _metric(result, metric))
    legend_above(ax, 4)
    best = "" if result["value"] is None else f": {_value(result['value'], result['unit'])}"
    _title(figure, f"{BEST[result['goal']]} {metric_words(metric)} over {_name(variable)}{best}", _under(result))
    caption(
        figure, "Each mark is one run: the coarse scan finds the hill, golden section closes in on its top (the star)."
    )
    return figure


def _flat(ax: Axes, result: Mapping[str, Any], key: str) -> None:
    """Where the goal is within 1 % of its best."""
    near = result["sure"].get("near")
    if near:
        ax.axvspan(*near["place"][key], color=RED, alpha=0.1, lw=0, label="within 1 % of it", zorder=0)


def _mark(ax: Axes, place: float, value: float, unit: str, metric_unit: str) -> None:
    """The optimum: a star, lines to both axes, its numbers."""
    ax.axvline(place, color=RED, lw=0.8, ls=":", zorder=1)
    ax.axhline(value, color=RED, lw=0.8, ls=":", zorder=1)
    text = f"optimum: {_value(value, metric_unit)} at {_value(place, unit)}"
    ax.plot([place], [value], "*", color=RED, ms=15, mec="white", mew=0.8, label=text, zorder=6)


# several variables


def _restart_of(result: Mapping[str, Any]) -> np.ndarray:
    """Number of the restart that ran each place: -1 for the design."""
    which = np.full(len(result["log"]["rows"]), -1)
    for number, restart in enumerate(result["sure"].get("restarts") or []):
        for first, end in restart["runs"]:
            which[first:end] = number
    return which


def _several(result: Mapping[str, Any]) -> Figure:
    """The course of the search, and the objective over each variable."""
    shown = result["variables"][:MOST_PANELS]
    columns = min(len(shown) + 1, 4)
    rows = -(-(len(shown) + 1) // columns)
    figure = canvas(3.5 * columns + 0.3, 3.3 * rows + 0.9)
    width, height = figure.get_size_inches()
    metric = result["objective"]
    places, values, kept = _kept(result)
    y = values[:, result["log"]["metrics"].index(metric)]
    which = _restart_of(result)
    for k in range(len(shown) + 1):
        left, row = k % columns, k // columns
        ax = figure.add_axes(
            ((0.75 + 3.5 * left) / width, (height - 0.85 - 3.3 * (row + 1) + 0.55) / height, 2.6 / width, 2.55 / height)
        )
        if k == 0:
            _course(ax, result, y, kept, which)
            dress(ax, "number of the run", _metric(result, metric), "Course of the search")
            legend(ax, loc="best")
            continue
        _scatter(ax, places[:, k - 1], y, kept, which)
        if result["optimum"] is not None:
            _star(ax, result["optimum"][shown[k - 1]["key"]], result["value"], shown[k - 1]["unit"])
        dress(ax, _axis(shown[k - 1]), _metric(result, metric) if k % columns == 0 else "")
        _within(ax, y, kept, result["goal"])
    best = "" if result["value"] is None else f": {_value(result['value'], result['unit'])}"
    more = len(result["variables"]) - len(shown)
    names = ", ".join(_name(v) for v in shown) + (f" and {more} more" if more else "")
    _title(figure, f"{BEST[result['goal']]} {metric_words(metric)}{best}", f"over {names}; {_under(result)}")
    caption(figure, "Left: the best value so far of each restart; restarts that end level agree on the optimum. Right: all runs over each "
            "variable, in the colours of their restarts, grey the design that all begin with; the star is the optimum.")  # fmt: skip
    return figure


def _course(ax: Axes, result: Mapping[str, Any], y: np.ndarray, kept: np.ndarray, which: np.ndarray) -> None:
    """The best value so far, within each restart."""
    better = np.maximum if result["goal"] == "maximise" else np.minimum
    worst = -np.inf if result["goal"] == "maximise" else np.inf
    for number in range(-1, int(which.max(initial=-1)) + 1):
        inside = np.flatnonzero(which == number)
        best = better.accumulate(np.where(kept[inside], y[inside], worst)) if len(inside) else np.array([])
        known = np.isfinite(best)
        colour = GREY if number < 0 else LINES[number % len(LINES)]
        name = "design" if number < 0 else f"restart {number + 1}"
        if known.any():
            ax.plot(inside[known] + 1, best[known], "-", color=colour, lw=1.8, label=name)
    if result["counts"].get("infeasible"):
        ax.plot([], [], ".", color=PALE, ms=6, label="breaks a limit")
    if result["value"] is not None:
        ax.axhline(result["value"], color=RED, lw=0.8, ls=":")


def _scatter(ax: Axes, x: np.ndarray, y: np.ndarray, kept: np.ndarray, which: np.ndarray) -> None:
    """All runs over one variable: those that keep the limits in the colour of their restart."""
    broken = ~kept & np.isfinite(y)
    ax.plot(x[broken], y[broken], ".", color=PALE, ms=4, zorder=1)
    for number in range(-1, int(which.max(initial=-1)) + 1):
        inside = kept & (which == number)
        colour = GREY if number < 0 else LINES[number % len(LINES)]
        ax.plot(x[inside], y[inside], ".", color=colour, ms=5, alpha=0.75, mew=0, zorder=2)


def _star(ax: Axes, place: float, value: float, unit: str) -> None:
    """The optimum with its place."""
    ax.plot([place], [value], "*", color=RED, ms=14, mec="white", mew=0.8, zorder=6)
    ax.axvline(place, color=RED, lw=0.8, ls=":", zorder=1)
    ax.text(
        0.98, 0.03, f"optimum at {_value(place, unit)}", transform=ax.transAxes, ha="right", fontsize=TICK, color=RED,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5}, zorder=7,
    )  # fmt: skip


def _within(ax: Axes, y: np.ndarray, kept: np.ndarray, goal: str) -> None:
    """Show the values of the runs that keep the limits, and a little more; the worst of them do not stretch the axis."""
    if kept.any():
        low, high = float(y[kept].min()), float(y[kept].max())
        if goal == "maximise":
            low = float(np.percentile(y[kept], USUAL))
        else:
            high = float(np.percentile(y[kept], 100.0 - USUAL))
        margin = 0.12 * (high - low) or 0.1 * abs(high) or 1.0
        ax.set_ylim(low - margin, high + margin)


# several objectives


def _front(result: Mapping[str, Any]) -> Figure:
    """The front of the first two objectives, coloured by the variable that changes most along it; bundled gaits marked."""
    figure = canvas(8.2, 5.4)
    ax = figure.add_axes((0.1, 0.12, 0.72, 0.72))
    points = _front_panel(ax, result)
    dress(ax, *(_metric(result, o["metric"]) for o in result["objectives"][:2]))
    bar = (0.845, 0.12, 0.022, 0.72)
    if _crowded(ax, points):
        figure.set_size_inches(13.2, 5.4)
        ax.set_position((0.062, 0.12, 0.4, 0.72))
        window = figure.add_axes((0.53, 0.12, 0.37, 0.72))
        _enlarge(window, _front_panel(window, result))
        dress(
            window,
            _metric(result, result["objectives"][0]["metric"]),
            "",
            "The front, enlarged",
        )
        bar = (0.915, 0.12, 0.014, 0.72)
    if len(points):
        _front_bar(figure, ax, bar, result)
    legend(ax, loc="upper left")
    goals = " against ".join(f"{metric_words(o['metric'])}" for o in result["objectives"])
    _title(figure, f"Pareto front: {goals}", f"{len(points)} places; {_under(result)}")
    caption(
        figure,
        "Each dot is one run. No run beats those of the front in all objectives at once: along the line one objective is paid for with another.",
    )
    return figure


def _front_panel(ax: Axes, result: Mapping[str, Any]) -> np.ndarray:
    """All runs, the front and the bundled gaits in the plane of the first two objectives; gives the points of the front (m, 2)."""
    first, second = (o["metric"] for o in result["objectives"][:2])
    names = result["log"]["metrics"]
    _, values, kept = _kept(result)
    x, y = values[:, names.index(first)], values[:, names.index(second)]
    ax.plot(x[kept], y[kept], ".", color=PALE, ms=4, label="all runs", zorder=1)
    points = np.array([[p["values"][first], p["values"][second]] for p in result["front"]]).reshape(-1, 2)
    if len(points):
        if len(result["objectives"]) == 2:
            ax.plot(points[:, 0], points[:, 1], "-", color=GREY, lw=0.8, zorder=2)
        ax.scatter(points[:, 0], points[:, 1], c=_telling(result)[1], cmap="viridis", s=26, zorder=4, label="Pareto front", edgecolors="white", linewidths=0.4)  # fmt: skip
    _gaits(ax, result, first, second)
    _zoom(ax, x[kept], y[kept], points, result, first, second)
    return points


def _front_bar(figure: Figure, ax: Axes, box: tuple[float, float, float, float], result: Mapping[str, Any]) -> None:
    """What the colours of the front mean."""
    bar = figure.colorbar(ax.collections[0], cax=figure.add_axes(box))
    bar.set_label(_axis(_telling(result)[0]), fontsize=LABEL, color=INK)
    bar.ax.tick_params(labelsize=TICK, colors=INK)


def _crowded(ax: Axes, points: np.ndarray) -> bool:
    """Whether the front is too small to be read where all runs are shown."""
    low, high = np.array([ax.get_xlim(), ax.get_ylim()]).T
    spread = np.ptp(points, axis=0) if len(points) else np.zeros(2)
    return bool((spread > 0.0).all() and (spread < CROWDED * (high - low)).all())


def _enlarge(ax: Axes, points: np.ndarray) -> None:
    """Let a panel show the front alone."""
    margin = 0.08 * np.ptp(points, axis=0)
    low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))


def _telling(result: Mapping[str, Any]) -> tuple[Mapping[str, Any], np.ndarray]:
    """The variable that changes most along the front, and its values there."""
    best = result["variables"][0]
    widest = -1.0
    for variable in result["variables"]:
        values = np.array([p["place"][variable["key"]] for p in result["front"]], dtype=float)
        share = float(np.ptp(values)) / (variable["high"] - variable["low"])
        if share > widest:
            best, widest = variable, share
    return best, np.array([p["place"][best["key"]] for p in result["front"]], dtype=float)


def _gaits(ax: Axes, result: Mapping[str, Any], first: str, second: str) -> None:
    """The bundled gaits of this robot on this ground, by name; equal ones share a mark."""
    marks: dict[tuple[float, float], list[str]] = {}
    for gait in result["bundled"]:
        marks.setdefault((gait["values"][first], gait["values"][second]), []).append(gait["name"])
    for k, ((x, y), names) in enumerate(marks.items()):
        ax.plot(
            [x], [y], "D", color=RED, ms=7, mec="white", mew=0.8, zorder=6, label="bundled gaits" if k == 0 else None
        )
        ax.annotate(
            ", ".join(names), (x, y), textcoords="offset points", xytext=(8, 6), fontsize=TICK, color=RED, zorder=7
        )
    if result["knee"] is not None:
        best = result["knee"]["values"]
        text = "middle of the front"
        ax.plot([best[first]], [best[second]], "*", color=ORANGE, ms=15, mec=INK, mew=0.6, zorder=6, label=text)


def _zoom(ax: Axes, x: np.ndarray, y: np.ndarray, points: np.ndarray, result: Mapping[str, Any], *names: str) -> None:
    """Show the front, the bundled gaits and most runs; outliers are left out."""
    for axis, all_values, column, name in ((ax.set_xlim, x, 0, names[0]), (ax.set_ylim, y, 1, names[1])):
        marked = [*points[:, column], *(gait["values"][name] for gait in result["bundled"])]
        if not marked or not len(all_values):
            continue
        low, high = min(marked), max(marked)
        reach = 0.6 * (high - low) or 0.1 * abs(high) or 1.0
        low, high = max(low - reach, float(all_values.min())), min(high + reach, float(all_values.max()))
        margin = 0.05 * (high - low) or 0.1
        axis(min(low, *marked) - margin, max(high, *marked) + margin)
