"""The gaits of Carnegie Mellon's snake robots by their names and numbers: `param/param/gait_param.yaml` of github.com/kmkar31/snakelib (commit bcb5e6a).

    odd joints    (horizontal)   beta_odd  + A_odd  sin(wS_odd n + wT_odd t)
    even joints   (vertical)     beta_even + A_even sin(wS_even n + wT_even t + delta)        n: joints counted from the head

These are the waves of yaw and pitch of a compound serpenoid (`waves`), whose fields they fill. The source multiplies by (-1)^floor(n/2),
because its joints' axes turn by 90 degrees from module to module; ours do not. Its differential_turning, whose amplitude grows with n, is no compound serpenoid and
is left out.

| name | beta odd, even | A odd, even | wS odd, even | wT odd, even | delta |
|---|---|---|---|---|---|
| stationary | 0, 0 | 0.8, 0 | pi/4, pi/4 | 0, 0 | 0 |
| linear_progression | 0.4, 0 | 0, 0.8 | pi/4, pi/4 | 0.25, 1 | 0 |
| lateral_undulation | 0, 0 | 0.6, 0 | pi/4, pi/4 | -1, 2 | 0 |
| sidewinding | 0, 0 | 0.6, 0.6 | 0.5, 0.5 | 5, 5 | pi/4 |
| rolling | 0, 0 | 0.3, 0.3 | 0, 0 | -2, -2 | pi/2 |
| rolling_helix | 0, 0 | 1.3, 1.3 | 0.1, 0.1 | -1, -1 | pi/2 |
| reversal_turning | 0, 0 | 1.0, 0.3 | 0.5236, 0.31416 | -1, -1 | 4.7123 |
| slithering | 0, 0 | 0.4, 0.8 | pi/6, pi/4 | 4.5, 9 | 0 |

Sidewinding at its 5 rad/s asks for joint rates of 3 rad/s; the URDF of the SEA Snake allows 2.2 rad/s: `tempo` slows a gait down.
"""

from __future__ import annotations

import math

from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Number
from serpenoid.gaits.waves import CompoundSerpenoid
from serpenoid.spelling import near

_Q, _S, _H = math.pi / 4.0, math.pi / 6.0, math.pi / 2.0
CMU = {  # beta, A, wS, wT: odd and even; delta
    "stationary": ((0.0, 0.0), (0.8, 0.0), (_Q, _Q), (0.0, 0.0), 0.0),
    "linear_progression": ((0.4, 0.0), (0.0, 0.8), (_Q, _Q), (0.25, 1.0), 0.0),
    "lateral_undulation": ((0.0, 0.0), (0.6, 0.0), (_Q, _Q), (-1.0, 2.0), 0.0),
    "sidewinding": ((0.0, 0.0), (0.6, 0.6), (0.5, 0.5), (5.0, 5.0), _Q),
    "rolling": ((0.0, 0.0), (0.3, 0.3), (0.0, 0.0), (-2.0, -2.0), _H),
    "rolling_helix": ((0.0, 0.0), (1.3, 1.3), (0.1, 0.1), (-1.0, -1.0), _H),
    "reversal_turning": ((0.0, 0.0), (1.0, 0.3), (0.5236, 0.31416), (-1.0, -1.0), 4.7123),
    "slithering": ((0.0, 0.0), (0.4, 0.8), (_S, _Q), (4.5, 9.0), 0.0),
}


@door(tempo=Number(), ramp=Number(low=0.0))
def cmu_gait(name: str, tempo: float = 1.0, ramp: float = 1.0) -> CompoundSerpenoid:
    """The gait of that name, `tempo` times as fast (negative: backwards), after a ramp (s)."""
    if name not in CMU:
        raise InputError(f"no CMU gait {name!r}; allowed are {', '.join(CMU)}{near(name, list(CMU))}")
    beta, size, spatial, temporal, delta = CMU[name]
    return CompoundSerpenoid(
        yaw_offset=beta[0], pitch_offset=beta[1], yaw_amplitude=size[0], pitch_amplitude=size[1], yaw_spatial=spatial[0], pitch_spatial=spatial[1],
        yaw_temporal=tempo * temporal[0], pitch_temporal=tempo * temporal[1], pitch_phase=delta, ramp=ramp,
    )  # fmt: skip
