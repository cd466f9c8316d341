"""Smoothly shaded triangles as a Matplotlib artist; imported only when something is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist, allow_rasterization

from serpenoid.core import FloatArray


class Triangles(Artist):
    """Triangles in data coordinates, drawn in the order given, each corner with its colour."""

    def __init__(self, zorder: float) -> None:
        super().__init__()
        self.set_zorder(zorder)
        self.set_rasterized(True)
        self.corner: FloatArray = np.zeros((0, 3, 2))
        self.colour: FloatArray = np.zeros((0, 3, 4))

    def show(self, corner: FloatArray, colour: FloatArray) -> None:
        """Draw these triangles (m, 3, 2) in these colours (m, 3, 4) from now on."""
        self.corner, self.colour = corner, colour
        self.stale = True

    @allow_rasterization  # type: ignore[untyped-decorator]
    def draw(self, renderer: Any) -> None:
        """Draw them."""
        if not self.get_visible() or len(self.corner) == 0:
            return
        context = renderer.new_gc()
        self._set_gc_clip(context)  # type: ignore[attr-defined]
        renderer.draw_gouraud_triangles(context, self.corner, self.colour, self.get_transform().frozen())
        context.restore()
