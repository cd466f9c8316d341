"""The gait atlas: its cells are the runs they claim to be, optima are read between places, and an interrupted atlas goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import serpenoid as sp
from serpenoid.formats.scenario import read
from serpenoid.simulation.cells import Variations
from serpenoid.studies.atlas import cells
from serpenoid.studies.atlas.optima import best_angle
from serpenoid.sweeps.reading import kind_of
from serpenoid.sweeps.running import plan_of
from study_cases import check_verdicts, quick_study

# of the quick atlas
VERDICTS = {f"ATL-{k}": "does not hold" if k in (7, 8) else "holds" for k in range(1, 10)}


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("atlas") / "study"
    out.mkdir()
    return quick_study("atlas", out)


def test_the_quick_atlas_judges_draws_and_publishes(atlas: dict[str, Any]) -> None:
    result = atlas
    check_verdicts(result, VERDICTS, Path(cells.__file__).parent)
    assert atlas["told"][-1] == 1.0 and all(a <= b for a, b in zip(atlas["told"], atlas["told"][1:], strict=False))
    for name, path in atlas["datasets"].items():
        with xarray.open_dataset(path, engine="h5netcdf") as data:
            assert data["status"].size == atlas["cells"][name] and bool((data["status"] == "ok").all())
            assert data["torque_max"].attrs["units"] == "N m" and "warnings" not in data
            assert all(data[axis].attrs["units"] and " " in data[axis].attrs["long_name"] for axis in data.dims)
            assert data.attrs["title"].startswith("Gait atlas") and data.attrs["summary"]


def test_cautions_are_the_warnings_of_the_store(atlas: dict[str, Any]) -> None:
    for name, path in atlas["datasets"].items():
        texts = sp.sweeps.open(atlas["out"].parent / "atlas-quick-stores" / name)["warnings"].values
        with xarray.open_dataset(path, engine="h5netcdf") as data:
            flags, about = data["caution"].values, data["caution"].attrs
        assert np.array_equal(flags == 0, texts == "")
        for mask, example in zip(
            np.atleast_1d(about.get("flag_masks", [])), about.get("meanings", "").split("\n"), strict=False
        ):
            assert any(example in text.split("\n") for text in texts.flat)
            alike = [k for k, text in enumerate(texts.flat) if kind_of(example) in map(kind_of, text.split("\n"))]
            assert alike == np.flatnonzero(flags.ravel() & mask).tolist()


def test_cells_are_the_runs_they_claim_to_be(atlas: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    through = {"creeping": cells.creeping, "figures": cells.of_the_paper, "sidewinding": cells.sidewinding}
    for name, path in atlas["datasets"].items():
        with xarray.open_dataset(path, engine="h5netcdf") as data:
            values = data["com_distance"]
            index = tuple(int(rng.integers(n)) for n in values.shape)
            place = {str(dim): values[dim].values[i] for dim, i in zip(values.dims, index, strict=True)}
            changes = [f"{key}={json.dumps(np.asarray(x).tolist())}" for key, x in through[name](place).items()]
            run = sp.run_scenario(cells.PARTS[name].base, [*cells.PARTS[name].changes, *changes])
            assert run.metrics["com_distance"] == float(values.values[index]), (name, place)


def test_the_atlas_goes_on_with_what_it_has(atlas: dict[str, Any]) -> None:
    part, store = cells.PARTS["creeping"], atlas["out"].parent / "atlas-quick-stores" / "creeping"
    asked: dict[str, Any] = {"changes": part.changes, "metrics": part.metrics, "through": part.through}
    again = sp.sweeps.sweep(part.base, part.quick, store, **asked)
    assert again.whole and again.computed == 0
    max(store.glob("chunks/*")).unlink()  # of what is lost, nothing is made up
    with pytest.raises(Exception, match="chunk"):
        cells.computed("creeping", store.parent, True, "threads")


def test_the_full_atlas_is_large_enough() -> None:
    counts = {}
    for name, part in cells.PARTS.items():
        plan, _ = plan_of(part.base, part.full, changes=part.changes, metrics=part.metrics, through=part.through)
        counts[name] = plan.design.count
    assert counts["creeping"] >= 100_000 and counts["sidewinding"] >= 5_000 and counts["figures"] > 10_000


def test_twenty_links_are_the_robot_of_the_paper() -> None:
    base = Variations(read("ma2001-case-two", cells.CREEP))
    place = {"winding_angle_deg": 60.0, "waves": 1.0, "ratio": 0.4, "level": 0.5, "links": 20}
    made, paper = base.setup(cells.creeping(place)), sp.robots.ma2001()
    for name in ("link_length", "link_mass", "link_inertia", "com_offset", "contact_offset"):
        assert np.asarray(getattr(made.robot, name)) == pytest.approx(np.asarray(getattr(paper, name)), rel=1e-12), name
    other = base.setup(cells.creeping({**place, "links": 32})).robot
    assert other.length == pytest.approx(1.6) and other.mass == pytest.approx(10.0)
    assert made.world.friction.along == pytest.approx(0.2) and made.world.friction.across == 0.5


def test_optima_lie_between_the_places_of_a_table() -> None:
    x = np.arange(10.0, 91.0, 8.0)
    peaks = np.array([23.7, 61.2, 10.0])
    table = 3.0 - ((x[:, None] - peaks[None, :]) / 20.0) ** 2
    table[:, 2] = -x  # the best at an end
    data = xarray.DataArray(
        table, dims=("winding_angle_deg", "ratio"), coords={"winding_angle_deg": x, "ratio": [0.0, 0.1, 0.2]}
    )
    assert best_angle(data).values == pytest.approx(peaks)
    assert best_angle(-data, least=True).values == pytest.approx(peaks)
    data[:, 1] = np.nan
    data[4, 0] = np.nan
    assert np.isnan(best_angle(data).values[1]) and best_angle(data).values[0] == pytest.approx(23.7)
