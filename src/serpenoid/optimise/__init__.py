"""Searches over numbers: golden section after a coarse scan, CMA-ES in many dimensions, Pareto fronts; threaded evaluation."""

from __future__ import annotations

from serpenoid.optimise.best import best_gaits
from serpenoid.optimise.golden import Optimum, golden_section, scan_and_refine
from serpenoid.optimise.parallel import evaluate_all
from serpenoid.optimise.scenario import optimise_scenario

__all__ = ["Optimum", "best_gaits", "evaluate_all", "golden_section", "optimise_scenario", "scan_and_refine"]


def __dir__() -> list[str]:
    return __all__
