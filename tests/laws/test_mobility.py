"""Mobility of the links: Table II from the constraints, and what contacts take from it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from serpenoid.core.errors import InputError
from serpenoid.gaits.concertina import basic_cycle
from serpenoid.planning import TABLE_2, degrees_of_freedom, mobility_table

PRINTED = ((2, 1, 0, 0, 1, 2, 3), (0, 0, 1, 2, 2, 1, 0), (3, 3, 2, 1, 0, 0, 0))  # spec 3.3, item 7


def test_table_2() -> None:
    assert mobility_table() == PRINTED == TABLE_2
    assert mobility_table([0.8, 1.1, 1.0, 0.9, 1.0, 0.9, 1.4]) == PRINTED
    assert all(max(row[k] for row in PRINTED) > 1 for k in range(7))  # each link can move aside in some stage


@pytest.mark.parametrize("stage", [1, 2, 3])
def test_a_contact_takes_one_degree_from_its_link(stage: int) -> None:
    nodes = basic_cycle()[stage - 1].nodes(0.37)[0]
    for link in range(1, 8):
        a, b = nodes[link - 1], nodes[link]
        across = np.array([a[1] - b[1], b[0] - a[0]])
        touch = SimpleNamespace(link=link, point=tuple(0.35 * a + 0.65 * b), direction=tuple(across))
        free, touched = PRINTED[stage - 1], degrees_of_freedom(stage, nodes, [touch])
        assert touched[link - 1] == max(0, free[link - 1] - 1)
        assert all(now <= before for now, before in zip(touched, free, strict=True))


def test_stretched_middle_is_singular() -> None:
    """At the end of stage 2 joints 2, 4, 6 lie on a line: the rank drops, which is why rows of Table II are read between."""
    assert degrees_of_freedom(2, basic_cycle()[1].nodes(1.0)[0]) != PRINTED[1]


def test_stage_must_exist() -> None:
    with pytest.raises(InputError, match="stage"):
        degrees_of_freedom(4, basic_cycle()[0].nodes(0.0)[0])
