"""Claims that the atlas judges: statements of Ma, Li and Wang (2001) over all robots and grounds, and what the tables say of themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.studies.atlas.optima import best_angle
from serpenoid.studies.claims import judged

if TYPE_CHECKING:
    import xarray

SLACK = 2.5  # deg: one step of the winding angle, within which optima count as equal
MOST = 0.9  # of all cells: what "as a rule" asks for
STEP_ERROR = 0.01  # of the body length: a change of the way at half the step above it is not converged
USEFUL = 0.5  # m in 8 s: slower gaits are not compared


def claims(made: Mapping[str, xarray.Dataset], halves: Mapping[str, FloatArray]) -> list[dict[str, Any]]:
    """The rows of the table of claims."""
    creep, paper, side = made["creeping"], made["figures"], made["sidewinding"]
    best = best_angle(creep["efficiency"])
    return [
        _whole(made),
        _converged(halves),
        _ratio(best),
        _waves(best),
        _nearly_equal(paper),
        _matters(paper),
        _links(creep),
        _level(best),
        _slope(side),
    ]


def _share(parts: FloatArray) -> float:
    known = parts[np.isfinite(parts)]
    return float(known.mean()) if known.size else 0.0


def _whole(made: Mapping[str, xarray.Dataset]) -> dict[str, Any]:
    counts = {name: (data["status"].size, int((data["status"] == "ok").sum())) for name, data in made.items()}
    said = ", ".join(f"{name}: {ok} of {size} cells ok" for name, (size, ok) in counts.items())
    return judged("ATL-1", "this atlas", "Every cell was computed and can be used.", said, [size == ok for size, ok in counts.values()])  # fmt: skip


def _converged(halves: Mapping[str, FloatArray]) -> dict[str, Any]:
    said = "; ".join(
        f"{name}: median {np.median(v):.1e}, greatest {v.max():.1e} of the body length in {len(v)} cells"
        for name, v in halves.items()
    )
    reason = "where the body hardly holds to the ground, or rolls, its way depends on small things: such cells are to be run at smaller steps"
    return judged("ATL-2", "this atlas", f"At half the step the way changes by less than {STEP_ERROR:.0%} of the body length in random cells.", said,
                  [bool(np.all(v < STEP_ERROR)) for v in halves.values()], reason_if_fails=reason)  # fmt: skip


def _ratio(best: xarray.DataArray) -> dict[str, Any]:
    """Pairs of neighbouring ratios up to 0.4, where creeping is of use."""
    change = best.sel(ratio=best["ratio"] <= 0.401).diff("ratio").values
    share = _share(np.where(np.isfinite(change), change >= -SLACK, np.nan))
    ends = best.sel(ratio=best["ratio"] <= 0.401)
    rise = (ends.isel(ratio=-1) - ends.isel(ratio=0)).values
    return judged("ATL-3", "Ma et al., Fig. 9", "The larger the friction along over that across, the larger the optimal winding angle.",
                  f"over all waves, levels and links: not falling from one ratio to the next (up to 0.4) in {share:.0%}; rise from first to last: median {np.nanmedian(rise):.0f} deg",
                  [share >= MOST, bool(np.nanmedian(rise) > SLACK)])  # fmt: skip


def _waves(best: xarray.DataArray) -> dict[str, Any]:
    known = best.sel(ratio=best["ratio"] <= 0.401)
    one, two = known.sel(waves=1.0), known.sel(waves=2.0)
    share = _share(np.where(np.isfinite(one.values - two.values), two.values <= one.values + SLACK, np.nan))
    change = known.diff("waves").values
    falling = _share(np.where(np.isfinite(change), change <= SLACK, np.nan))
    return judged("ATL-4", "Ma et al., Fig. 9", "The more waves on the body, the smaller the optimal winding angle.",
                  f"from 1 to 2 waves not larger in {share:.0%} of robots and grounds; not rising from each number of waves to the next in {falling:.0%}",
                  [share >= MOST, falling >= MOST], reason_if_fails="beyond two waves the optimum hardly depends on them, and rises again where waves are short against the links")  # fmt: skip


def _nearly_equal(paper: xarray.Dataset) -> dict[str, Any]:
    fine = best_angle(paper["efficiency"]).sel(along=paper["along"] <= 0.301)
    apart = np.abs((fine.sel(waves=3.0) - fine.sel(waves=2.0)).values)
    first = np.abs((fine.sel(waves=2.0) - fine.sel(waves=1.0)).values)
    return judged("ATL-5", "Ma et al., Fig. 9", "For two waves and more the optimal winding angles are nearly the same.",
                  f"20 links, friction across 0.8, along 0 to 0.3: 3 against 2 waves {np.nanmedian(apart):.1f} deg apart (median), 2 against 1 {np.nanmedian(first):.1f} deg",
                  [bool(np.nanmedian(apart) < np.nanmedian(first)), bool(np.nanmedian(apart) <= 5.0)])  # fmt: skip


def _matters(paper: xarray.Dataset) -> dict[str, Any]:
    share = (paper["efficiency"] / paper["efficiency"].max("winding_angle_deg")).median("winding_angle_deg").values
    return judged("ATL-6", "Ma et al., Fig. 8", "The winding angle matters a lot.",
                  f"the median angle has {np.nanmedian(share):.0%} of the best efficiency", [bool(np.nanmedian(share) < 0.5)])  # fmt: skip


def _links(creep: xarray.Dataset) -> dict[str, Any]:
    counts = creep["links"].values
    last, before = int(counts[-1]), int(counts[-2])
    way, other = creep["com_distance"].sel(links=last).values, creep["com_distance"].sel(links=before).values
    useful = way > USEFUL
    apart = np.abs(other - way)[useful] / way[useful]
    return judged("ATL-7", "this atlas", f"The same body goes as far with {before} links as with {last}, to 5 %.",
                  f"of the gaits that go {USEFUL:g} m, {float((apart < 0.05).mean()):.0%} do; median {np.median(apart):.1%}", [bool(np.median(apart) < 0.05), bool((apart < 0.05).mean() >= MOST)],
                  reason_if_fails="the inertia of the links in proportion to the printed one falls with their number, and short waves need short links")  # fmt: skip


def _level(best: xarray.DataArray) -> dict[str, Any]:
    spread = (best.max("level") - best.min("level")).sel(ratio=best["ratio"] <= 0.401).values
    return judged("ATL-8", "this atlas", "The optimal winding angle depends on the ratio of the frictions and hardly on their level.",
                  f"over all levels it varies by {np.nanmedian(spread):.1f} deg (median)", [bool(np.nanmedian(spread) <= 5.0)],
                  reason_if_fails="with little friction across, inertia takes part: the body slips before it pushes")  # fmt: skip


def _slope(side: xarray.Dataset) -> dict[str, Any]:
    best = side["com_dy"].max(["amplitude_deg", "phase_deg"])
    falls = np.diff(best.values) <= 0.0
    place = side["com_dy"].isel(slope_deg=-1)
    where = np.unravel_index(int(np.nanargmax(place.values)), place.shape)
    said = ", ".join(f"{float(s):g} deg: {float(v):.2f} m" for s, v in zip(best["slope_deg"], best, strict=True))
    return judged("ATL-9", "this atlas", "Sidewinding climbs every slope of the atlas, the less the steeper.",
                  f"best way uphill in 8 s: {said}; on the steepest with {float(place['amplitude_deg'][where[0]]):g} deg and a phase of {float(place['phase_deg'][where[1]]):g} deg",
                  [bool((best > 0.1).all()), bool(falls.mean() >= MOST)])  # fmt: skip
