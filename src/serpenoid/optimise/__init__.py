"""Searches over numbers, knowing nothing of snakes: golden section after a coarse scan, and threaded evaluation."""

from __future__ import annotations

from serpenoid.optimise.golden import Optimum, golden_section, scan_and_refine
from serpenoid.optimise.sweep import evaluate_all

__all__ = ["Optimum", "evaluate_all", "golden_section", "scan_and_refine"]
