"""The compound serpenoid: a wave of yaw and a wave of pitch along the body; most gaits in space are choices of it.

    yaw_j   = r(t) [ beta_y + A_y sin(Omega_y t + nu_y i + phi_y) ]
    pitch_j = r(t) [ beta_p + A_p sin(Omega_p t + nu_p i + phi_p) ]          i = n - j: joints counted from the head

| symbol | field | unit |
|---|---|---|
| beta | `yaw_offset`, `pitch_offset` | rad |
| A | `yaw_amplitude`, `pitch_amplitude` | rad |
| nu | `yaw_spatial`, `pitch_spatial`: spatial frequency | rad a joint |
| Omega | `yaw_temporal`, `pitch_temporal`: temporal frequency | rad/s |
| phi | `yaw_phase`, `pitch_phase` | rad |
| r(t) | quintic ramp from 0 to 1 over `ramp` seconds; its rates and accelerations do not jump | - |

Single-axis joints take the angle of their own axis. The names are those usual since Tesch et al. (2009), "Parameterized
and scripted gaits for modular snake robots". `Wave` is what the kernel reads; a gait of its own is a frozen dataclass with a
`yaw_and_pitch(robot)` that returns one.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.compiled import njit
from serpenoid.core import FloatArray, Robot
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.door import door
from serpenoid.core.quantities import Angle, Number
from serpenoid.frames import sincos1
from serpenoid.gaits.base import CompiledGait

AMPLITUDE = Angle("amplitude of the waves", low=-np.pi, high=np.pi)
PER_JOINT = Angle("spatial frequency: phase from joint to joint")
RAMP = Number("quintic ramp-in", "s", low=0.0)


class Wave(NamedTuple):
    """Offset, amplitude and phase (rad) of every joint from the tail (n-1,), and the frequency (rad/s) of one axis."""

    offset: ArrayLike
    amplitude: ArrayLike
    phase: ArrayLike
    frequency: float


def from_head(robot: Robot) -> FloatArray:
    """Joints counted from the head, for the joints from the tail: n-1, ..., 1."""
    return np.arange(robot.links - 1, 0, -1, dtype=float)


class WaveGait(CompiledGait):
    """What gaits made of two waves share."""

    KIND: ClassVar[int] = 10
    NAME: ClassVar[str] = "waves"
    PLANAR: ClassVar[bool] = False

    @property
    def ramp_time(self) -> float:
        """Duration of the ramp, s."""
        return float(getattr(self, "ramp", 0.0))

    @property
    def ramp_begin(self) -> float:
        """Share of the gait with which the ramp begins."""
        return 0.0

    @door
    def yaw_and_pitch(self, robot: Robot) -> tuple[Wave, Wave]:
        """Waves of yaw and pitch."""
        raise NotImplementedError

    def row(self, robot: Robot) -> tuple[FloatArray, FloatArray]:
        """Parameters: frequencies, ramp and where it begins; table: offset, amplitude, cosine and sine of the phase of yaw, then of pitch."""
        table = np.zeros((8, robot.links))
        for first, wave in zip((0, 4), self.yaw_and_pitch(robot), strict=True):
            phase = np.broadcast_to(wave.phase, (robot.links - 1,))
            for k, values in enumerate((wave.offset, wave.amplitude, np.cos(phase), np.sin(phase))):
                table[first + k, 1:] = values
        yaw, pitch = self.yaw_and_pitch(robot)
        return np.array([yaw.frequency, pitch.frequency, self.ramp_time, self.ramp_begin]), table

    def period(self, robot: Robot) -> float | None:
        """Time in which the shape repeats itself, s."""
        moving = self._frequencies(robot)
        return 2.0 * np.pi / min(moving) if moving else None

    def shortest_period(self, robot: Robot) -> float | None:
        """Period of the faster wave, s."""
        moving = self._frequencies(robot)
        return 2.0 * np.pi / max(moving) if moving else None

    def _frequencies(self, robot: Robot) -> list[float]:
        """Frequencies of the waves that move, rad/s."""
        return [
            abs(w.frequency)
            for w in self.yaw_and_pitch(robot)
            if w.frequency and np.any(np.asarray(w.amplitude) != 0.0)
        ]

    def steady_from(self, robot: Robot) -> float:
        """Time from which the gait is steady: a period after the ramp, s."""
        return self.ramp_time + (self.period(robot) or np.inf)


@GAITS.register
@description
class CompoundSerpenoid(WaveGait):
    """The compound serpenoid with all its numbers."""

    yaw_amplitude: float = declare(Angle("A_y", low=-np.pi, high=np.pi), default=0.0)
    pitch_amplitude: float = declare(Angle("A_p", low=-np.pi, high=np.pi), default=0.0)
    yaw_spatial: float = declare(Angle("nu_y, per joint"), default=0.0)
    pitch_spatial: float = declare(Angle("nu_p, per joint"), default=0.0)
    yaw_temporal: float = declare(Number("Omega_y", "rad/s"), default=0.0)
    pitch_temporal: float = declare(Number("Omega_p", "rad/s"), default=0.0)
    yaw_offset: float = declare(Angle("beta_y", low=-np.pi, high=np.pi), default=0.0)
    pitch_offset: float = declare(Angle("beta_p", low=-np.pi, high=np.pi), default=0.0)
    yaw_phase: float = declare(Angle("phi_y"), default=0.0)
    pitch_phase: float = declare(Angle("phi_p"), default=0.0)
    ramp: float = declare(RAMP, default=1.0)

    NAME: ClassVar[str] = "compound-serpenoid"

    def yaw_and_pitch(self, robot: Robot) -> tuple[Wave, Wave]:
        """Waves of yaw and pitch."""
        i = from_head(robot)
        return (
            Wave(self.yaw_offset, self.yaw_amplitude, self.yaw_spatial * i + self.yaw_phase, self.yaw_temporal),
            Wave(
                self.pitch_offset, self.pitch_amplitude, self.pitch_spatial * i + self.pitch_phase, self.pitch_temporal
            ),
        )


@njit
def ramp(t, length, begin):
    """Quintic ramp from `begin` to 1 and its rate."""
    if length <= 0.0 or t >= length:
        return 1.0, 0.0
    if t <= 0.0:
        return begin, 0.0
    x = t / length
    rise = x * x * x * (10.0 + x * (6.0 * x - 15.0))
    return begin + (1.0 - begin) * rise, (1.0 - begin) * 30.0 * x * x * (1.0 + x * (x - 2.0)) / length


@njit
def joint_angles(par, tab, t, aim):
    """Fill rows 0 to 3 of `aim`: yaw, its rate, pitch, its rate, of the joint at the tail side of every link."""
    r, dr = ramp(t, par[2], par[3])
    for axis in range(2):
        c, s = sincos1(par[axis] * t)
        for j in range(1, tab.shape[1]):
            k = 4 * axis
            sine, cosine = s * tab[k + 2, j] + c * tab[k + 3, j], c * tab[k + 2, j] - s * tab[k + 3, j]
            value = tab[k, j] + tab[k + 1, j] * sine
            aim[2 * axis, j] = r * value
            aim[2 * axis + 1, j] = dr * value + r * par[axis] * tab[k + 1, j] * cosine
