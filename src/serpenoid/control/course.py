"""The curve on which a robot creeps along a path: an undulation carried on the path, moved to where the body really is.

    K(s) = p(s) + (a(s) sin(2 pi (s + c) / lambda) + d(s)) n(s)

| symbol | meaning | unit |
|---|---|---|
| p, n | path and its normal to the left, over its arc length s | m |
| a, lambda | amplitude and length of the wave | m |
| c | how far the wave has slipped back with the body | m |
| d | how far the curve has slipped aside with the body | m |

What the body has slipped back goes from s into c, so that the bends of the path stay where the walls are while the wave stays with the
body; what it has slipped aside or turned goes into d along the body, where no joint has to change for it, and ahead of the head d runs
out within the line of sight: the head steers back to the path and the links follow it. The amplitude is as asked for, but no more than
walls and bends leave room for.
"""

from __future__ import annotations

import numpy as np

from serpenoid.contact.walls import Walls, clearance
from serpenoid.control.paths import check_limits
from serpenoid.core import FloatArray, Robot
from serpenoid.core.declare import Description, declare, description
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Number
from serpenoid.shapes.track import Track, joint_angles, laid, off_track

LINKS_PER_WAVE = 4.5  # at least
STEEP = 0.7  # rad: slope of the wave where nothing narrows it
MARGIN = 0.25  # of the half width: left free beside the body
BEND = 0.5  # of a bend's radius: amplitude there
STRAIGHT = np.radians(3.0)  # largest joint angle of a body that has no thrust
SIGHT = 0.5  # of the body length: line of sight
GAIN = 0.05  # of what a look shows aside, taken into the curve
LET = 0.5  # of what a look shows behind, taken into the wave
STEER = 0.5  # slope of d at most


@description
class Undulation(Description):
    """The wave of a creeping robot."""

    amplitude: float | None = declare(Number("none: as much as has room", "m", low=0.0), default=None)
    wavelength: float | None = declare(Number("none: half the body, 4.5 links at least", "m", above=0.0), default=None)

    @door
    def length(self, robot: Robot) -> float:
        """Wavelength in m on this robot."""
        return self.wavelength or max(0.5 * robot.length, LINKS_PER_WAVE * float(robot.link_length.mean()))


class Course:
    """The curve K on a path that goes straight on beyond both its ends."""

    def __init__(self, robot: Robot, track: Track, walls: Walls | None, wave: Undulation) -> None:
        self.robot, self.track, self.wavelength = robot, track, wave.length(robot)
        step = float(track.along[1])
        more = int(np.ceil(max(self.wavelength, 2.0 * robot.link_length.max()) / step))
        way, x = track.tangents(), step * np.arange(1, more + 1)
        self.points = np.vstack(
            [track.points[0] - x[::-1, None] * way[0], track.points, track.points[-1] + x[:, None] * way[-1]]
        )
        self.s = np.concatenate([-x[::-1], track.along, track.length + x])
        way = np.gradient(self.points, self.s, axis=0)
        self.normal = np.stack([-way[:, 1], way[:, 0]], axis=1) / np.hypot(way[:, 0], way[:, 1])[:, None]
        self.room = self._room(walls)
        self.amplitude = self._amplitude(wave.amplitude)
        self.aside = np.zeros(len(self.s))
        self.back = 0.0

    def _room(self, walls: Walls | None) -> FloatArray:
        """How far the middle of the body may go aside, m; beyond the ends as at them."""
        if walls is None:
            return np.full(len(self.s), np.inf)
        half = (1.0 + MARGIN) * float(self.robot.radius.max())
        free = clearance(walls, self.track.points) - half
        return np.interp(self.s, self.track.along, free)

    def _amplitude(self, asked: float | None) -> FloatArray:
        """Amplitude along the path: what is asked for where there is room, eased over a wavelength."""
        way = np.gradient(self.points, self.s, axis=0)
        turn = np.gradient(np.unwrap(np.arctan2(way[:, 1], way[:, 0])), self.s)
        most = STEEP * self.wavelength / (2.0 * np.pi) if asked is None else asked
        most = np.minimum(np.clip(self.room, 0.0, most), BEND / np.maximum(np.abs(turn), 1e-9))
        count = max(1, int(0.25 * self.wavelength / (self.s[1] - self.s[0])))
        from scipy.ndimage import minimum_filter1d, uniform_filter1d

        return np.asarray(
            uniform_filter1d(minimum_filter1d(most, 2 * count + 1, mode="nearest"), 2 * count + 1, mode="nearest")
        )

    def curve(self, low: float, high: float, aside: bool = True) -> Track:
        """The curve between two arc lengths of the path, over these."""
        a, b = np.searchsorted(self.s, (low, high))
        a, b = max(int(a) - 2, 0), min(int(b) + 2, len(self.s))
        s = self.s[a:b]
        off = self.amplitude[a:b] * np.sin(2.0 * np.pi * (s + self.back) / self.wavelength)
        if aside:
            off = off + self.aside[a:b]
        return Track(np.ascontiguousarray(self.points[a:b] + off[:, None] * self.normal[a:b]), s)

    def posture(self, base: float) -> tuple[FloatArray, FloatArray]:
        """Link ends (n + 1, 2) on the curve and their arc lengths along the path."""
        curve = self.curve(base - self.wavelength, base + 1.2 * self.robot.length + self.wavelength)
        nodes, places = laid(curve, self.robot.link_length, base)
        return nodes[0], places[0]

    def steepest(self, base: float, step: float) -> float:
        """Greatest change of a joint angle per way, rad/m, over a step of the base."""
        here, there = (joint_angles(self.posture(s)[0]) for s in (base, base + step))
        return float(np.abs(there - here).max()) / step + 1e-12

    def look(self, base: float, ends: FloatArray) -> tuple[float, float]:
        """Take the measured link ends into the curve; the base's arc length after that, and the greatest error aside (m)."""
        nodes, places = self.posture(base)
        # the rigid motion that brings the posture closest to the measured one: a shift and a small turn
        shift, arm = (ends - nodes).mean(axis=0), nodes - nodes.mean(axis=0)
        gap = ends - nodes - shift
        turn = float((arm[:, 0] * gap[:, 1] - arm[:, 1] * gap[:, 0]).sum() / (arm**2).sum())
        tail, head = places[0], places[-1]
        a, b = np.searchsorted(self.s, (tail, head))
        arm = self.points[a:b] - nodes.mean(axis=0)
        moved = shift + turn * np.stack([-arm[:, 1], arm[:, 0]], axis=1)
        normal = self.normal[a:b]
        aside = (moved * normal).sum(axis=1)
        behind = -float((moved[:, 0] * normal[:, 1] - moved[:, 1] * normal[:, 0]).mean())
        self.aside[a:b] += GAIN * aside
        self.aside[:a] += GAIN * aside[0]
        self.aside[b:] += GAIN * aside[-1]
        base, self.back = base - LET * behind, self.back + LET * behind
        self._steer(head)
        axis = self.curve(tail - self.wavelength, head + self.wavelength, aside=False)
        return base, float(np.abs(off_track(axis, ends, (axis.along[0], axis.along[-1]))[0]).max())

    def _steer(self, head: float) -> None:
        """Let the offset ahead of the head run out within the line of sight."""
        k = int(np.searchsorted(self.s, head))
        k = min(max(k, 2), len(self.s) - 2)
        sight = SIGHT * self.robot.length
        slope = float(np.clip((self.aside[k] - self.aside[k - 2]) / (self.s[k] - self.s[k - 2]), -STEER, STEER))
        x = np.minimum((self.s[k:] - self.s[k]) / sight, 1.0)
        self.aside[k:] = (1.0 + 2.0 * x) * (1.0 - x) ** 2 * self.aside[k] + x * (1.0 - x) ** 2 * sight * slope

    def check(self, base_last: float, asked: float | None) -> None:
        """Refuse a course on which the body would lie straight somewhere, or bend more than its joints can."""
        places = np.linspace(0.0, max(base_last, 1e-9), 200)
        angles = np.array([joint_angles(self.posture(s)[0]) for s in places])
        check_limits(self.robot, angles)
        bent = np.abs(angles).max(axis=1)
        worst = int(np.argmin(bent))
        if bent[worst] < STRAIGHT:
            x, y = (round(float(np.interp(places[worst], self.s, self.points[:, e])), 4) for e in (0, 1))
            why = (
                "raise the wave's amplitude"
                if asked is not None and asked < np.median(self.room)
                else "walls leave no room for a wave there"
            )
            raise InputError(
                f"a straight body has no thrust: with its base {places[worst]:.3g} m along the path, at ({x:g}, {y:g}) m, the body is "
                f"straight to {np.degrees(bent[worst]):.2g} deg; {why}, or feed the robot"
            )
