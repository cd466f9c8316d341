"""Where and how fast a run begins."""

from __future__ import annotations

from serpenoid.core.declare import Description, declare, description
from serpenoid.core.quantities import Angle, Number
from serpenoid.core.several import Numbers, Vector

FARTHEST, FASTEST = 1e6, 1e4  # m, m/s or rad/s: beyond them rounding shows


@description
class Start(Description):
    """Where a run begins: place of the tail's end, direction of the mean axis, velocity of the centre of gravity."""

    position: tuple[float, float] = declare(
        Vector("of the tail's end", "m", item=Number(low=-FARTHEST, high=FARTHEST)), default=(0.0, 0.0)
    )
    heading: float = declare(Angle("of the mean axis"), default=0.0)
    velocity: tuple[float, float] = declare(
        Vector("of the centre of gravity", "m/s", item=Number(low=-FASTEST, high=FASTEST)), default=(0.0, 0.0)
    )
    angular_velocity: float = declare(Number("about the vertical", "rad/s", low=-FASTEST, high=FASTEST), default=0.0)
    height: float | None = declare(
        Number("of the lowest point above the ground, never below the ground; none: it lies there (no plane: z of the centre of gravity)", "m", low=0.0, high=FARTHEST),
        default=None,
    )  # fmt: skip
    pitch: float = declare(Angle("nose down, against the ground"), default=0.0)
    roll: float = declare(Angle("about the mean axis"), default=0.0)
    angles: tuple[float, ...] | None = declare(
        Numbers("joint angles, one per degree of freedom; none: those of the command at t = 0, or straight", "rad", item=Angle()),
        default=None,
    )  # fmt: skip
    rates: tuple[float, ...] | str | None = declare(
        Numbers(
            'joint rates under torques, one per degree of freedom, or "posture": those of the gait beside a drive; none: at rest', "rad/s",
            item=Number(low=-FASTEST, high=FASTEST, words=("posture",)),
        ),
        default=None,
    )  # fmt: skip
