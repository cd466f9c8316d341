"""The serpenoid curve, sent along the body: creeping (Hirose; equations (7), (8) of paper 002).

The heading of the curve at arc length u is psi(u) = alpha_0 cos(2 K_n pi u / L); link i lies at u = s(t) + (middle
of link i) and takes the heading there. So its joint angles are theta_i = psi(middle i) - psi(middle i-1), which for
equal links is

    theta_i = -2 alpha_0 sin(K_n pi / n) sin(2 K_n pi s / L + 2 K_n pi i / n)                                    (8)

| symbol | field | unit |
|---|---|---|
| alpha_0 | `winding_angle` | rad |
| K_n | `waves`, need not be whole | - |
| s(t) | displacement along the curve: constant `speed`, or `acceleration` a for T/10, cruise, -a for T/10 | m |

An increasing s moves the body towards its head. The body frame is the curve's own axis: its heading is the robot's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from serpenoid.compiled import njit
from serpenoid.core import FloatArray, Robot, per_item
from serpenoid.core.errors import InputError
from serpenoid.frames import sincos1


@dataclass(frozen=True)
class Serpenoid:
    """Creeping by a serpenoid curve; give `speed` (m/s) or `acceleration` (m/s^2)."""

    winding_angle: float
    waves: float
    speed: float | None = None
    acceleration: float | None = None

    KIND: ClassVar[int] = 0
    NAME: ClassVar[str] = "serpenoid"

    def __post_init__(self) -> None:
        per_item("winding_angle", self.winding_angle, 1, -np.pi, np.pi)
        per_item("waves", self.waves, 1, 0.0, strict=True)
        if (self.speed is None) == (self.acceleration is None):
            raise InputError("a serpenoid gait needs either speed or acceleration")
        per_item("speed", 0.0 if self.speed is None else self.speed, 1, -np.inf)
        per_item("acceleration", 0.0 if self.acceleration is None else self.acceleration, 1, -np.inf)

    def row(self, robot: Robot, duration: float) -> tuple[FloatArray, FloatArray]:
        """Parameters: alpha_0, wave number, speed, a, T; tables: cosine and sine of each link's place."""
        wave_number = 2.0 * np.pi * self.waves / robot.length
        middles = np.cumsum(robot.link_length) - 0.5 * robot.link_length
        place = wave_number * middles
        accelerated = self.acceleration is not None
        par = np.array(
            [
                self.winding_angle,
                wave_number,
                self.speed if self.speed is not None else 0.0,
                self.acceleration if self.acceleration is not None else 0.0,
                duration if accelerated else -1.0,
            ]
        )
        return par, np.stack([np.cos(place), np.sin(place)])

    def cruise_speed(self, duration: float) -> float:
        """Speed along the curve while cruising, m/s."""
        if self.speed is not None:
            return self.speed
        assert self.acceleration is not None
        return self.acceleration * duration / 10.0

    def displacement(self, duration: float) -> float:
        """Displacement s(T) along the curve at the end, m."""
        if self.speed is not None:
            return self.speed * duration
        assert self.acceleration is not None
        return 0.09 * self.acceleration * duration**2

    def period(self, robot: Robot, duration: float = 0.0) -> float | None:
        """Time in which the cruising shape repeats itself, s."""
        speed = abs(self.cruise_speed(duration))
        return robot.length / (self.waves * speed) if speed > 0.0 else None

    def steady_from(self, robot: Robot, duration: float) -> float:
        """Time from which the gait is steady: cruise, or three periods after a standing start, s."""
        if self.acceleration is not None:
            return duration / 10.0
        return 3.0 * (self.period(robot) or np.inf)

    def steady_until(self, duration: float) -> float:
        """Time at which the steady part ends, s."""
        return 0.9 * duration if self.acceleration is not None else duration

    def kinks(self, duration: float) -> list[float]:
        """Times at which the acceleration of s jumps, s."""
        return [] if self.acceleration is None else [0.1 * duration, 0.9 * duration]

    def keys(self) -> dict[str, Any]:
        """Describe the gait as the keys of a scenario."""
        pace = {"speed": self.speed} if self.speed is not None else {"acceleration": self.acceleration}
        return {
            "kind": self.NAME,
            "waves": self.waves,
            "winding_angle_deg": float(np.degrees(self.winding_angle)),
            **pace,
        }


@njit
def travel(par, t):
    """Displacement, speed and acceleration of s at time t."""
    if par[4] < 0.0:
        return par[2] * t, par[2], 0.0
    a, total = par[3], par[4]
    up, down = 0.1 * total, 0.9 * total
    if t < up:
        return 0.5 * a * t * t, a * t, a
    cruise = a * up
    if t < down:
        return 0.5 * a * up * up + cruise * (t - up), cruise, 0.0
    if t < total:
        rest = total - t
        return a * up * up + cruise * (down - up) - 0.5 * a * rest * rest, a * rest, -a
    return a * up * up + cruise * (down - up), 0.0, 0.0


@njit
def headings(par, tab, t, out):
    """Fill rows 0, 1, 2: link headings in the body frame, their rates and accelerations at time t."""
    s, ds, dds = travel(par, t)
    alpha, k = par[0], par[1]
    c, d = sincos1(k * s)
    first, second, third = -alpha * k * ds, -alpha * k * dds, -alpha * (k * ds) ** 2
    for i in range(out.shape[1]):
        out[0, i] = alpha * (tab[0, i] * c - tab[1, i] * d)
    for i in range(out.shape[1]):
        out[1, i] = first * (tab[1, i] * c + tab[0, i] * d)
    for i in range(out.shape[1]):
        out[2, i] = second * (tab[1, i] * c + tab[0, i] * d) + third * (tab[0, i] * c - tab[1, i] * d)
