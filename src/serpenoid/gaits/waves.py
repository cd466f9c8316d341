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
and scripted gaits for modular snake robots". A built-in gait is a description with a compiled function that fills the waves; one of a user's own may give
them in plain Python, by a `yaw_and_pitch(robot)` that returns two of `Wave`.
"""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.compiled import literal, njit
from serpenoid.core import FloatArray, Robot
from serpenoid.core.command import GAITS
from serpenoid.core.declare import declare, description
from serpenoid.core.door import door
from serpenoid.core.quantities import Angle, Number
from serpenoid.core.slots import ROBOT, slots
from serpenoid.frames import sincos1
from serpenoid.gaits.base import CompiledGait
from serpenoid.gaits.preparing import (
    COLUMNS,
    IN_SPACE,
    KERNEL,
    PARAMETERS,
    PERIOD,
    RAW,
    ROWS,
    SHORTEST,
    SIZES,
    STEADY_FROM,
    STEADY_UNTIL,
    Kernels,
    prepared,
)

WAVES = 10  # kind of the kernel
YAW, PITCH = 0, 4  # first rows of the waves
AMPLITUDE = Angle("amplitude of the waves", low=-np.pi, high=np.pi)
PER_JOINT = Angle("spatial frequency: phase from joint to joint")
RAMP = Number("quintic ramp-in", "s", low=0.0)


class Wave(NamedTuple):
    """Offset, amplitude and phase (rad) of every joint from the tail (n-1,), and the frequency (rad/s) of one axis."""

    offset: ArrayLike
    amplitude: ArrayLike
    phase: ArrayLike
    frequency: float


class WaveGait(CompiledGait):
    """What gaits made of two waves share."""

    KIND: ClassVar[int] = WAVES
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
        if self.KERNELS is None:
            raise NotImplementedError
        _, par, tab = prepared(self, robot, RAW)
        yaw, pitch = (
            Wave(tab[first, 1:], tab[first + 1, 1:], tab[first + 2, 1:], float(par[k]))
            for k, first in enumerate((YAW, PITCH))
        )
        return yaw, pitch

    def row(self, robot: Robot) -> tuple[FloatArray, FloatArray]:
        """Parameters: frequencies, ramp and where it begins; table: offset, amplitude, cosine and sine of the phase of yaw, then of pitch."""
        par, table = self._waves(robot, IN_SPACE)
        return par, table

    def _waves(self, robot: Robot, where: float) -> tuple[FloatArray, FloatArray]:
        """Parameters and table of the kernel: by the compiled functions, or of what a class of a user's own says."""
        if self.KERNELS is not None and type(self).yaw_and_pitch is WaveGait.yaw_and_pitch:
            return prepared(self, robot, where)[1:]
        table = np.zeros((8, robot.links))
        yaw, pitch = self.yaw_and_pitch(robot)
        for first, wave in ((YAW, yaw), (PITCH, pitch)):
            for k, values in enumerate((wave.offset, wave.amplitude, wave.phase)):
                table[first + k, 1:] = values
        finish(table, where)
        return np.array([yaw.frequency, pitch.frequency, self.ramp_time, self.ramp_begin]), table

    def _times(self, robot: Robot) -> FloatArray:
        """Periods of the waves that move, and when the gait is steady."""
        out = np.zeros(SIZES)
        nothing = np.zeros(1)
        times(nothing, nothing, *self._waves(robot, RAW), out)
        return out


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


at = slots(CompoundSerpenoid)


@literal
def put_wave(tab, first, j, offset, amplitude, phase):
    """Set offset, amplitude and phase of joint j, from 1 at the tail, of the wave whose rows begin at `first`."""
    tab[first, j], tab[first + 1, j], tab[first + 2, j] = offset, amplitude, phase


@literal
def put_rates(par, yaw, pitch, ramp_time, begin):
    """Set the frequencies of both waves, the ramp and where it begins."""
    par[0], par[1], par[2], par[3] = yaw, pitch, ramp_time, begin


@literal
def finish(tab, where):
    """Turn phases into their cosines and sines, which is what the kernel reads."""
    if where == RAW:
        return
    for first in (YAW, PITCH):
        for j in range(1, tab.shape[1]):
            phase = tab[first + 2, j]
            tab[first + 2, j], tab[first + 3, j] = math.cos(phase), math.sin(phase)


@literal
def size(g, r, where, out):
    """Parameters: frequencies, ramp and where it begins; table: offset, amplitude, cosine and sine of the phase of yaw, then of pitch."""
    out[PARAMETERS], out[ROWS], out[COLUMNS], out[KERNEL] = 4, 8, r[ROBOT.links], WAVES
    return 0


@literal
def fill(g, r, where, par, tab, work):
    """Fill parameters and table."""
    n = tab.shape[1]
    for j in range(1, n):
        i = n - j
        put_wave(tab, YAW, j, g[at.yaw_offset], g[at.yaw_amplitude], g[at.yaw_spatial] * i + g[at.yaw_phase])
        put_wave(tab, PITCH, j, g[at.pitch_offset], g[at.pitch_amplitude], g[at.pitch_spatial] * i + g[at.pitch_phase])
    put_rates(par, g[at.yaw_temporal], g[at.pitch_temporal], g[at.ramp], 0.0)
    finish(tab, where)
    return 0


@literal
def times(g, r, par, tab, out):
    """Periods of the waves that move; the gait is steady a period after the ramp."""
    slow, fast = math.inf, 0.0
    for axis in range(2):
        moves = False
        for j in range(1, tab.shape[1]):
            moves = moves or tab[4 * axis + 1, j] != 0.0
        if moves and par[axis] != 0.0:
            slow, fast = min(slow, abs(par[axis])), max(fast, abs(par[axis]))
    out[PERIOD] = 2.0 * math.pi / slow if fast > 0.0 else math.nan
    out[SHORTEST] = 2.0 * math.pi / fast if fast > 0.0 else math.nan
    out[STEADY_FROM] = par[2] + (out[PERIOD] if fast > 0.0 else math.inf)
    out[STEADY_UNTIL] = math.inf


CompoundSerpenoid.KERNELS = Kernels(size, fill, times)


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
