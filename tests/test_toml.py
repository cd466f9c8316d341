"""Scenarios written as TOML come back to the last bit."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serpenoid.core.errors import InputError
from serpenoid.formats.scenario import bundled, checked, read
from serpenoid.formats.toml import toml_text
from serpenoid.simulation.setup import setup_of

LEAVES = st.one_of(
    st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"])),
)  # fmt: skip
KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
TREES = st.recursive(
    LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)), max_leaves=12
)  # fmt: skip


@given(st.dictionaries(KEYS, TREES, max_size=4))
def test_anything_comes_back(data: dict[str, Any]) -> None:
    assert tomllib.loads(toml_text(data)) == data


@pytest.mark.parametrize("name", sorted(bundled()))
def test_bundled_scenarios_come_back(name: str) -> None:
    keys = setup_of(read(name)).keys()
    again = setup_of(checked(tomllib.loads(toml_text(keys)), "again")).keys()
    assert again == keys


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object()])
def test_what_toml_lacks_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match=r"gait\.x"):
        toml_text({"gait": {"x": value}})
