"""The controllers that a scenario may name: importing them registers them."""

from __future__ import annotations

from serpenoid.control import admittance, cpg, line_of_sight, steering

__all__ = ["admittance", "cpg", "line_of_sight", "steering"]
