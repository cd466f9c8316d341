"""The sidewinding robot of S. Sarrafan, A. Akbarzadeh, S. Molavipoor and M. Arhami, "Kinematics and Motion Analysis of
a Three-Dimensional Sidewinding Snake-like Robot" (2012), section Simulation.

| quantity | value | note |
|---|---|---|
| links n | 6 | as printed; five universal joints |
| length l | 0.20 m | as printed; 1.2 m in all |
| mass m | 0.300 kg | as printed; 1.8 kg in all |
| radius r | 0.015 m | a parameter; printed "15cm": 21 kg/m^3, a drum; read as a slip for 1.5 cm (2122 kg/m^3) |
| inertia | m (3 r^2 + l^2) / 12 across, m r^2 / 2 along | not given; assumed: solid cylinders |
| centre of gravity | mid-link | follows from the same assumption; "GPS is in the center of mass of each segment" |
| contact point | mid-link | the paper's ground acts on the centres of gravity |
| joint damping | 0 | not given; assumed |
| joint limits | none | not given; the gait needs 30 deg |
| joint order | seen from the head yaw, then pitch | as printed: "rotation over z-axis happens prior to y-axis" |

The map. The paper counts links and joints from 1 at the HEAD, with x to the tail. Across its joint i, of yaw a and
pitch b (its Table 1), the frames turn by R_tailward = R_headward Rz(a) Ry(b), so R_headward = R_tailward Ry(-b) Rz(-a).
Our frames have x to the head and the same z, the back: they are the paper's turned by Rz(pi), and

    Rz(-pi) Ry(-b) Rz(-a) Rz(pi) = Ry(b) Rz(-a)

So seen from the tail each joint pitches by +b, then yaws by -a: joints "pitch-yaw". Our joint j is the paper's
joint i = n - j. `from_paper` is this map. Table 2 of the paper counts pitch the other way: negate q8, q10, ... first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.core import Robot
from serpenoid.core.checks import FloatArray, per_item
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.robot import LINKS, LONGEST, MAX_LINKS, ROBOTS


@ROBOTS.register
@door(links=LINKS)
def sarrafan2012(links: int = 6, radius: ArrayLike = 0.015, **changes: Any) -> Robot:
    """Build the robot of Sarrafan et al. (2012) with links of that radius (m); any field can be changed."""
    values: dict[str, Any] = {
        "name": "sarrafan2012",
        "link_length": 0.20,
        "link_mass": 0.300,
        "joints": "pitch-yaw",
        "source": "Sarrafan, Akbarzadeh, Molavipoor, Arhami 2012, section Simulation",
        **changes,
    }
    # what no robot can have is refused by Robot itself
    count = links if isinstance(links, int | np.integer) and 2 <= links <= MAX_LINKS else 2
    length = per_item("link_length", values["link_length"], count, 0.0, strict=True)
    mass = per_item("link_mass", values["link_mass"], count, 0.0, strict=True)
    r = per_item("radius", radius, count, 0.0, LONGEST)
    values.setdefault("link_inertia", mass * (3.0 * r**2 + length**2) / 12.0)
    return Robot(links=links, radius=radius, **values)  # type: ignore[arg-type]


def from_paper(q: Any) -> FloatArray:
    """Our angles (..., 5, 2), [yaw, pitch] tail first, from the paper's q7..q16 (..., 10), head first."""
    try:
        values = np.asarray(q, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"q7..q16 must be numbers, got {q!r}") from error
    if values.ndim == 0 or values.shape[-1] != 10:
        raise InputError(f"q7..q16 must be (..., 10), got {values.shape}")
    pairs = values.reshape(*values.shape[:-1], 5, 2)
    return np.asarray(pairs[..., ::-1, :] * np.array([-1.0, 1.0]))
