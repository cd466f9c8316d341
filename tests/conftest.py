"""How many random cases hypothesis draws: a seeded sample, or the full count with SERPENOID_PROVE=1."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from cases import PROVE

_COMMON = {"deadline": None, "suppress_health_check": list(HealthCheck), "database": None}
settings.register_profile("sample", max_examples=12, derandomize=True, **_COMMON)
settings.register_profile("prove", max_examples=300, **_COMMON)
settings.load_profile("prove" if PROVE else "sample")
