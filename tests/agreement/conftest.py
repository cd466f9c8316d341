"""Random states of chains with unequal links, for every agreement test."""

from __future__ import annotations

import pytest
from kernel_face import State, random_state

CHAINS = [(links, seed) for links in (2, 3, 6, 20) for seed in range(4)]


@pytest.fixture(params=CHAINS, ids=lambda chain: f"n{chain[0]}-{chain[1]}")
def state(request: pytest.FixtureRequest) -> State:
    return random_state(*request.param)
