"""How many random cases hypothesis draws: a seeded sample, or the full count with SERPENOID_PROVE=1; and what no test may leave behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from cases import PROVE

_COMMON = {"deadline": None, "suppress_health_check": list(HealthCheck), "database": None}
settings.register_profile("sample", max_examples=12, derandomize=True, **_COMMON)
settings.register_profile("prove", max_examples=300, **_COMMON)
settings.load_profile("prove" if PROVE else "sample")


@pytest.fixture(scope="session", autouse=True)
def nothing_left_here() -> Iterator[None]:
    """MuJoCo writes its warnings into a file in the current folder unless it is told otherwise: no test leaves one."""
    log = Path("MUJOCO_LOG.TXT").resolve()
    before = log.stat().st_mtime_ns if log.exists() else None
    yield
    assert (log.stat().st_mtime_ns if log.exists() else None) == before, f"a test wrote {log}"
