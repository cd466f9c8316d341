"""What a film of a run in space shows: the picture under a moving camera, a map, clock, distance, roll, scales."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray
from serpenoid.view import style
from serpenoid.view.camera import azimuths, follow
from serpenoid.view.inset import Overlay, WayMap, force_scale, key, roll_text, scale_bar, slope_wedge
from serpenoid.view.picture import ARROW, Picture, actor_of
from serpenoid.view.scene import Scene
from serpenoid.view.sheet import Sheet

ROOM = 0.07  # body lengths round the body that stay in the picture
HALF = (0.36, 0.36)  # of the picture's width and height from the middle: where the body stays
CLIMB = 0.1  # body lengths: heights above it are shown
FADE = 10.0  # s, in film time: how long a track stays strong
INSET = (0.855, 0.105, 0.12, 0.26)  # left, top, width, height of the map, shares of the picture


class SpaceStage:
    """A film of one run in space."""

    def __init__(
        self, scene: Scene, times: FloatArray, fps: float, size: tuple[int, int], title: str, speed: float
    ) -> None:
        """Prepare the instants."""
        wide, high = size
        self.scene, self.title, self.times = scene, title, times
        whole = scene.body
        self.shown = whole.at(times)
        self.roll = np.degrees(np.interp(self.shown.time, whole.time, whole.roll))
        self.climbs = float(np.ptp(whole.com[:, 2])) > CLIMB * whole.length
        half = (HALF[0] * wide / high, HALF[1])
        cameras = follow(
            self.shown.node, azimuths(self.shown, fps), whole.length, fps, scene.normal, half, ROOM * whole.length
        )
        self.sheet = Sheet(size)
        self.space = Picture(
            [actor_of(scene, self.shown)], scene.land, cameras, size, unit=self.sheet.unit, fade=FADE * speed
        )
        self.map = WayMap(INSET, [(whole, style.SKIN)], scene.land)
        self.over = Overlay(size, self._words)

    def _words(self, sheet: Sheet) -> None:
        """Title, map and scales, which never change."""
        space, land = self.space, self.scene.land
        sheet.write(0.975, 0.045, self.title, colour=style.GREY, align="right")
        sheet.write(0.915, 0.086, "from above", 11.0, style.GREY, align="center")
        self.map.frame(sheet)
        slope = abs(float(land.ground.slope))
        if slope > 0.0 and land.ground.heights is None:
            sheet.write(0.915, 0.39, "arrow: uphill", 12.0, style.RED, align="center")
            slope_wedge(sheet, 0.865, 0.425 + 0.1 * 16.0 / 9.0 * np.tan(slope), 0.1, slope)
        pixels = space.cameras[0].scale * sheet.size[1]
        scale_bar(sheet, pixels, 0.25, "" if land.bare else f"  (grid {space.spacing:g} m)")
        force_scale(sheet, "contact force", space.force, ARROW * self.shown.length * pixels)
        marks = [("band", style.PATCH, "touches now"), ("band", style.TRACK, "touched before")]
        key(sheet, [*(marks if not land.bare else marks[:1]), ("line", style.TRAIL, "way of the centre of gravity")])

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Pixels of instant k, (height, width, 3); they are drawn over by the next one."""
        sheet, com, time = self.sheet, self.shown.com, float(self.shown.time[k])
        self.space.draw(sheet, k)
        self.over.lay(sheet)
        self.map.draw(sheet, [time])
        way = com[k] - com[0]
        height = f", height {round(way[2], 2) + 0.0:.2f} m" if self.climbs else ""
        sheet.write(0.025, 0.045, f"t = {time:.2f} s", 26.0, bold=True)
        words = f"distance {np.hypot(way[0], way[1]):.2f} m{height}, roll {roll_text(self.roll[k])}"
        sheet.write(0.025, 0.105, words, colour=style.GREY)
        return sheet.pixels
