"""Gaits: time to the headings of the links in the body frame (in the plane), or to yaw and pitch of the joints (in space).

A gait is a frozen description with an integer KIND, and a kernel `headings` that fills the link headings gamma_i in
a body frame, their rates and accelerations; joint angles are theta_i = gamma_i - gamma_{i-1}. A new gait is one
file (registered by `GAITS.register`), one import below and one line in `headings`; a gait of two waves in space needs no kernel.
"""

from __future__ import annotations

from serpenoid.compiled import njit
from serpenoid.core.command import GAITS
from serpenoid.gaits import sampled, serpenoid, standing_wave
from serpenoid.gaits.lateral_rolling import LateralRolling
from serpenoid.gaits.rectilinear import Rectilinear
from serpenoid.gaits.rolling import HelixRolling, PoleClimbing, Rolling
from serpenoid.gaits.sampled import Sampled
from serpenoid.gaits.serpenoid import Serpenoid
from serpenoid.gaits.sidewinding import Sidewinding
from serpenoid.gaits.sinus_lifting import SinusLifting
from serpenoid.gaits.standing_wave import StandingWave
from serpenoid.gaits.turn_in_place import TurnInPlace
from serpenoid.gaits.waves import CompoundSerpenoid, WaveGait

__all__ = [
    "GAITS", "WAVE_GAITS", "CompoundSerpenoid", "HelixRolling", "LateralRolling", "PoleClimbing", "Rectilinear", "Rolling",
    "Sampled", "Serpenoid", "Sidewinding", "SinusLifting", "StandingWave", "TurnInPlace", "headings",
]  # fmt: skip

WAVE_GAITS = {name: gait for name, gait in GAITS.items() if issubclass(gait, WaveGait)}

_SERPENOID, _STANDING_WAVE = Serpenoid.KIND, StandingWave.KIND


@njit
def headings(kind, par, tab, t, out):
    """Fill rows 0, 1, 2 of `out`: link headings in the body frame, their rates and accelerations at time t, by the gait `kind`."""
    if kind == _SERPENOID:
        serpenoid.headings(par, tab, t, out)
    elif kind == _STANDING_WAVE:
        standing_wave.headings(par, tab, t, out)
    else:
        sampled.headings(par, tab, t, out)
