"""The house keeps its numbers: few modules at the top, one class a name, narrow kernels, one home for rotations."""

from __future__ import annotations

import pytest

from house import numbers

FOUND = numbers()


def test_few_modules_at_the_top_level() -> None:
    assert len(FOUND["top_level_modules"]) <= 8, FOUND["top_level_modules"]


@pytest.mark.parametrize("name", [name for name in FOUND if name != "top_level_modules"])
def test_none(name: str) -> None:
    assert FOUND[name] == [], FOUND[name]
