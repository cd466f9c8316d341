"""Figures of sweeps, plans and maps: they say where the best is, and in every style their words lie apart and on the page."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.text import Text

from figure_cases import drawn
from serpenoid.view import saving, style
from serpenoid.view.concertina import steps_figure
from serpenoid.view.map import map_figure
from serpenoid.view.sweep import sweep_figure, sweep_plot


def surface():
    """Metrics over winding angle and friction, as a sweep gives them."""
    import xarray as xr

    angle, along = np.linspace(10.0, 80.0, 8), np.linspace(0.0, 0.8, 5)
    value = np.exp(-(((angle - 40.0) / 20.0) ** 2)) / (0.3 + along[:, None])
    names = {"steady_speed": "m/s", "cost_of_transport": "-", "torque_max": "N m", "slip_per_link": "m"}
    made = {
        name: (("along", "winding_angle_deg"), (k + 1) * value, {"units": u})
        for k, (name, u) in enumerate(names.items())
    }
    made["status"] = (("along", "winding_angle_deg"), np.full(value.shape, "ok"))
    data = xr.Dataset(made, {"along": along, "winding_angle_deg": angle}, {"title": "A robot creeps"})
    data["along"].attrs |= {"key": "world.friction.along", "units": "-"}
    data["winding_angle_deg"].attrs |= {"key": "gait.winding_angle_deg", "units": "deg"}
    return data


def test_a_sweep_says_where_the_best_is():
    fig = sweep_plot(surface())
    said = saving.caption_of(fig)
    assert "Steady speed is greatest (3.33 m/s) at friction along 0, winding angle 40 deg." in said
    assert "Cost of transport is least" in said and "at friction along 0.8, winding angle 80 deg" in said
    stars = [line.get_xydata()[0].tolist() for ax in fig.axes for line in ax.lines if line.get_marker() == "*"]
    assert stars == [[40.0, 0.0], [80.0, 0.8], [80.0, 0.8], [80.0, 0.8]]
    assert "largest torque [N m]" in [t.get_text() for t in fig.findobj(Text)]


@pytest.mark.parametrize("name", ["screen", "print", "talk"])
def test_plans_maps_and_sweeps_keep_their_words_apart(name, tmp_path):
    from serpenoid.planning import ConcertinaPlan, find_path, maps

    area = maps.read("two-walls")
    with style.using(name), drawn() as found:
        steps_figure(ConcertinaPlan((10.0, 10.0)).solve(), tmp_path / "steps.png")
        map_figure(find_path(area, area.start, area.goal), tmp_path / "map.png")
        sweep_figure(surface(), tmp_path / "sweep.png")
        sweep_figure(surface().isel(along=0), tmp_path / "line.png")
    assert found == {"steps.png": [], "map.png": [], "sweep.png": [], "line.png": []}
