"""The serpenoid curve, sent along the body: creeping (Hirose; equations (7), (8) of Ma, Li and Wang (2001)).

The heading of the curve at arc length u is psi(u) = alpha_0 cos(2 K_n pi u / L); link i lies at u = s(t) + (middle
of link i) and takes the heading there. So its joint angles are theta_i = psi(middle i) - psi(middle i-1), which for
equal links is

    theta_i = -2 alpha_0 sin(K_n pi / n) sin(2 K_n pi s / L + 2 K_n pi i / n)                                    (8)

| symbol | field | unit |
|---|---|---|
| alpha_0 | `winding_angle` | rad |
| K_n | `waves`, need not be whole | - |
| s(t) | displacement along the curve: constant `speed`; with `acceleration` a from rest, and to rest at `stop_time` | m |

An increasing s moves the body towards its head. The body frame is the curve's own axis: its heading is the robot's.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from serpenoid.compiled import literal, njit
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Angle, Number
from serpenoid.core.slots import ROBOT, body_length, numbers_of, slots
from serpenoid.frames import sincos1
from serpenoid.gaits.base import CompiledGait
from serpenoid.gaits.preparing import (
    COLUMNS,
    KERNEL,
    PARAMETERS,
    PERIOD,
    ROWS,
    SHORTEST,
    STEADY_FROM,
    STEADY_UNTIL,
    Kernels,
)

KIND = 0


@GAITS.register
@description
class Serpenoid(CompiledGait):
    """Creeping by a serpenoid curve at `speed` (m/s) along it.

    With `acceleration` (m/s^2) it starts from rest, and comes to rest again at `stop_time` (s) if that is given.
    """

    winding_angle: float = declare(Angle("alpha_0: largest heading of the curve", low=-np.pi, high=np.pi))
    waves: float = declare(Number("K_n: waves on the body, need not be whole", above=0.0, high=1000.0))
    speed: float = declare(Number("along the curve; negative: backward", "m/s"))
    acceleration: float | None = declare(
        Number("from rest and to rest; none: full speed from the start", "m/s^2", above=0.0), default=None
    )
    stop_time: float | None = declare(
        Number("at which it has come to rest again; none: never", "s", above=0.0), default=None
    )

    KIND: ClassVar[int] = KIND
    NAME: ClassVar[str] = "serpenoid"

    def check(self) -> None:
        """Coming to rest needs an acceleration and time."""
        if self.stop_time is not None:
            if self.acceleration is None:
                raise InputError("stop_time needs an acceleration with which to come to rest")
            if self.stop_time < 2.0 * self.start_time * (1.0 - 1e-12):
                raise InputError(
                    f"stop_time {self.stop_time:g} s is too early: at {self.acceleration:g} m/s^2 it takes {self.start_time:g} s to reach "
                    f"{self.speed:g} m/s and as long to stop"
                )

    @classmethod
    @door
    def start_stop(cls, winding_angle: float, waves: float, acceleration: float, duration: float) -> Serpenoid:
        """The profile of Ma, Li and Wang (2001) over `duration` T (s): acceleration a for T/10, cruise, -a for T/10; the sign of a is the direction."""
        speed = acceleration * (0.1 * duration)
        return cls(winding_angle, waves, speed, abs(acceleration), duration)

    @property
    def start_time(self) -> float:
        """Time in which the speed is reached, s."""
        return float(profile(numbers_of(self))[1])

    @door
    def displacement(self, t: float) -> float:
        """Displacement s(t) along the curve, m."""
        par = np.zeros(6)
        put_profile(numbers_of(self), par)
        return float(travel(par, t)[0])

    def steady_until(self) -> float:
        """Time at which the steady part ends, s."""
        _rate, up, stop = profile(numbers_of(self))
        return float(stop - up)

    def kinks(self) -> list[float]:
        """Times at which the acceleration of s jumps, s."""
        if self.acceleration is None:
            return []
        return [self.start_time] + ([] if self.stop_time is None else [self.steady_until(), self.stop_time])


at = slots(Serpenoid)


@literal
def profile(g):
    """Acceleration with the sign of the speed, time in which the speed is reached, time of rest (infinite if never)."""
    speed, rate, stop = g[at.speed], g[at.acceleration], g[at.stop_time]
    up = 0.0 if math.isnan(rate) else abs(speed) / rate
    return 0.0 if math.isnan(rate) else math.copysign(rate, speed), up, math.inf if math.isnan(stop) else stop


@literal
def put_profile(g, par):
    """Fill what `travel` reads: speed, acceleration, time to reach the speed, time of rest."""
    par[2] = g[at.speed]
    par[3], par[4], par[5] = profile(g)


@literal
def size(g, r, where, out):
    """Parameters: alpha_0, wave number, then those of `travel`; tables: cosine and sine of each link's place."""
    out[PARAMETERS], out[ROWS], out[COLUMNS], out[KERNEL] = 6, 2, r[ROBOT.links], KIND
    return 0


@literal
def fill(g, r, where, par, tab, work):
    """Fill parameters and table."""
    wave_number = 2.0 * math.pi * g[at.waves] / body_length(r)
    par[0], par[1] = g[at.winding_angle], wave_number
    put_profile(g, par)
    end, first = 0.0, int(r[ROBOT.link_length])
    for i in range(tab.shape[1]):
        end += r[first + i]
        place = wave_number * (end - 0.5 * r[first + i])
        tab[0, i], tab[1, i] = math.cos(place), math.sin(place)
    return 0


@literal
def times(g, r, par, tab, out):
    """The period is that of the cruising shape; steady is the cruise, or three periods after a start at full speed."""
    speed = abs(g[at.speed])
    period = body_length(r) / (g[at.waves] * speed) if speed > 0.0 else math.nan
    out[PERIOD], out[SHORTEST] = period, period
    _rate, up, stop = profile(g)
    sudden = math.isnan(g[at.acceleration])
    out[STEADY_FROM] = (3.0 * period if speed > 0.0 else math.inf) if sudden else up
    out[STEADY_UNTIL] = stop - up


Serpenoid.KERNELS = Kernels(size, fill, times)


@njit
def travel(par, t):
    """Displacement, speed and acceleration of s at time t."""
    v, a, up, stop = par[2], par[3], par[4], par[5]
    if up > 0.0 and t < up:
        return 0.5 * a * t * t, a * t, a
    down = stop - up
    if t < down:
        return 0.5 * a * up * up + v * (t - up), v, 0.0
    if t < stop:
        rest = stop - t
        return a * up * up + v * (down - up) - 0.5 * a * rest * rest, a * rest, -a
    return a * up * up + v * (down - up), 0.0, 0.0


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


@njit
def travel_slopes(par, t, by_way, by_speed, by_par):
    """Add how by_way s + by_speed ds/dt at time t depends on the parameters of `travel`."""
    v, a, up, stop = par[2], par[3], par[4], par[5]
    if up > 0.0 and t < up:
        by_par[3] += by_way * 0.5 * t * t + by_speed * t
        return
    if t < stop - up:
        by_par[2] += by_way * (t - up) + by_speed
        by_par[3] += by_way * 0.5 * up * up
        by_par[4] += by_way * (a * up - v)
        return
    rest = max(0.0, stop - t)
    by_par[2] += by_way * (stop - 2.0 * up)
    by_par[3] += by_way * (up * up - 0.5 * rest * rest) + by_speed * rest
    by_par[4] += by_way * 2.0 * (a * up - v)
    by_par[5] += by_way * (v - a * rest)
    if rest > 0.0:
        by_par[5] += by_speed * a


@njit
def parameter_slopes(par, tab, t, weights, by_par, by_tab):
    """Add how the sum of headings and rates at time t, weighted (2, n), depends on parameters and tables."""
    s, ds, _ = travel(par, t)
    alpha, k = par[0], par[1]
    c, d = sincos1(k * s)
    even, odd = 0.0, 0.0  # sums with the phase of the headings, and a quarter of a wave on
    even_rate, odd_rate = 0.0, 0.0
    for i in range(weights.shape[1]):
        heading, rate = weights[0, i], weights[1, i]
        even += heading * (tab[0, i] * c - tab[1, i] * d)
        odd += heading * (tab[1, i] * c + tab[0, i] * d)
        even_rate += rate * (tab[0, i] * c - tab[1, i] * d)
        odd_rate += rate * (tab[1, i] * c + tab[0, i] * d)
        by_tab[0, i] += alpha * (c * heading - k * ds * d * rate)
        by_tab[1, i] -= alpha * (d * heading + k * ds * c * rate)
    by_phase = -alpha * (odd + k * ds * even_rate)
    by_par[0] += even - k * ds * odd_rate
    by_par[1] += by_phase * s - alpha * ds * odd_rate
    travel_slopes(par, t, by_phase * k, -alpha * k * odd_rate, by_par)
