"""Gaits: time to the headings of the links in the body frame (in the plane), or to yaw and pitch of the joints (in space).

A gait is a frozen description with an integer KIND, and a kernel `headings` that fills the link headings gamma_i in
a body frame, their rates and accelerations; joint angles are theta_i = gamma_i - gamma_{i-1}. A new gait is one
file (registered by `GAITS.register`), one import below and one line in `headings`; a gait of two waves in space needs no kernel.
"""

from __future__ import annotations

import math
from typing import Any

from serpenoid.compiled import njit, table_in
from serpenoid.core.command import GAITS
from serpenoid.gaits import custom, function, sampled, sequence, serpenoid, standing_wave
from serpenoid.gaits.custom import CustomGait
from serpenoid.gaits.function import FunctionGait
from serpenoid.gaits.lateral_rolling import LateralRolling
from serpenoid.gaits.rectilinear import Rectilinear
from serpenoid.gaits.rolling import HelixRolling, PoleClimbing, Rolling
from serpenoid.gaits.sampled import Sampled
from serpenoid.gaits.sequence import Sequence
from serpenoid.gaits.serpenoid import Serpenoid
from serpenoid.gaits.sidewinding import Sidewinding
from serpenoid.gaits.sinus_lifting import SinusLifting
from serpenoid.gaits.standing_wave import StandingWave
from serpenoid.gaits.turn_in_place import TurnInPlace
from serpenoid.gaits.waves import CompoundSerpenoid, WaveGait

__all__ = [
    "GAITS", "WAVE_GAITS", "CompoundSerpenoid", "CustomGait", "FunctionGait", "HelixRolling", "LateralRolling", "PoleClimbing", "Rectilinear", "Rolling",
    "Sampled", "Sequence", "Serpenoid", "Sidewinding", "SinusLifting", "StandingWave", "TurnInPlace",
]  # fmt: skip

WAVE_GAITS = {name: gait for name, gait in GAITS.items() if issubclass(gait, WaveGait)}

_SERPENOID, _STANDING_WAVE, _SAMPLED = Serpenoid.KIND, StandingWave.KIND, Sampled.KIND
_CUSTOM, _FUNCTION, _SEQUENCE = CustomGait.KIND, FunctionGait.KIND, Sequence.KIND


@njit
def headings(kind, par, tab, t, out):
    """Fill rows 0, 1, 2 of `out`: link headings in the body frame, their rates and accelerations at time t, by the gait `kind`.

    Rows 3, 4, 5 are working space of a sequence.
    """
    if kind != _SEQUENCE:
        headings_of(kind, par, tab, t, out)
        return
    k, share, rate, bend = sequence.part_at(par, t)
    headings_in(par, k, t, out)
    if share < 1.0:
        headings_in(par, k - 1, t, out[3:6])
        sequence.mix_headings(out, share, rate, bend)


@njit
def headings_in(par, k, t, out):
    """The same by gait k of a sequence."""
    a, b, first, rows, columns = sequence.spans_of(par, k)
    table = table_in(par, first, rows, columns)
    headings_of(sequence.kind_of(par, k), par[a:b], table, sequence.time_of(par, k, t), out)


@njit
def headings_of(kind, par, tab, t, out):
    """The same by any gait but a sequence."""
    if kind == _SERPENOID:
        serpenoid.headings(par, tab, t, out)
    elif kind == _STANDING_WAVE:
        standing_wave.headings(par, tab, t, out)
    elif kind == _SAMPLED:
        sampled.headings(par, tab, t, out)
    elif kind == _CUSTOM:
        custom.headings(par, tab, t, out)
    elif kind == _FUNCTION:
        function.headings(par, tab, t, out)
    else:  # no such gait: the run ends as diverged
        out[:3, :] = math.nan


SLOPE_ROWS = 10  # of the working space of `parameter_slopes`


@njit
def parameter_slopes(kind, par, tab, t, weights, work, by_par, by_tab):
    """Add how the sum of headings and rates at time t, weighted (2, n), depends on parameters and table of a gait.

    Only for gaits that `has_slopes` names; `work`: (SLOPE_ROWS, n).
    """
    if kind != _SEQUENCE:
        slopes_of(kind, par, tab, t, weights, by_par, by_tab)
        return
    k, share, rate, _bend = sequence.part_at(par, t)
    if share >= 1.0:
        slopes_in(par, k, t, weights, work, by_par)
        return
    headings_in(par, k, t, work)
    headings_in(par, k - 1, t, work[3:6])
    sequence.share_slopes(par, k, t, weights, work, by_par)
    sequence.share_weights(share, rate, weights, work[6:8], work[8:10])
    slopes_in(par, k, t, work[6:8], work, by_par)
    slopes_in(par, k - 1, t, work[8:10], work, by_par)


@njit
def slopes_in(par, k, t, weights, work, by_par):
    """The same of gait k of a sequence, whose parameters and table lie in `par`."""
    a, b, first, rows, columns = sequence.spans_of(par, k)
    headings_in(par, k, t, work)
    sequence.clock_slopes(par, k, weights, work, by_par)
    table, by_table = table_in(par, first, rows, columns), table_in(by_par, first, rows, columns)
    slopes_of(sequence.kind_of(par, k), par[a:b], table, sequence.time_of(par, k, t), weights, by_par[a:b], by_table)


@njit
def slopes_of(kind, par, tab, t, weights, by_par, by_tab):
    """The same of any gait but a sequence."""
    if kind == _SERPENOID:
        serpenoid.parameter_slopes(par, tab, t, weights, by_par, by_tab)
    elif kind == _STANDING_WAVE:
        standing_wave.parameter_slopes(par, tab, t, weights, by_par, by_tab)
    elif kind == _SAMPLED:
        sampled.parameter_slopes(par, tab, t, weights, by_tab)


def has_slopes(gait: Any) -> bool:
    """Whether a gait tells how its headings depend on its parameters."""
    if isinstance(gait, Sequence):
        return all(has_slopes(part) for part in gait.parts)
    return getattr(gait, "KIND", None) in (_SERPENOID, _STANDING_WAVE, _SAMPLED)


def __dir__() -> list[str]:
    return __all__
