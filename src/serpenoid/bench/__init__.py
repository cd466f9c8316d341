"""Benchmarks: how fast, against whom, at which accuracy; each ratio is measured in one run on one machine."""

from __future__ import annotations

from serpenoid.bench import planar

__all__ = ["planar"]
