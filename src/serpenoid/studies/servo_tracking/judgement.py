"""What recorded robots and closed forms state, judged by the runs of `tracking`."""

from __future__ import annotations

import math
from typing import Any

from serpenoid.robots import sea_snake
from serpenoid.studies.claims import judged
from serpenoid.studies.servo_tracking.tracking import FREQUENCY, TIME_CONSTANT, JointTrack

LOGS = "github.com/joel-kallarackal/snakelib_ros2, snakelib_debug/logs, 100 Hz"
TABLE = "github.com/kmkar31/snakelib, gait_param.yaml and SEA.urdf"
LAGS, AMPLITUDES = (0.2, 0.36), (0.35, 0.75)  # s; of the command: as published for a robot of 16 modules
BOUGHT = ("mx64", "mx106", "sts3215")
NEAR = 0.1  # relative: friction, weight and contact change a first-order lag by that
STATEMENT = "joints of a real 16-module robot lag the gait by 0.2 to 0.36 s at 35 to 75 % of its amplitude"


def described(name: str, one: JointTrack) -> str:
    """A track in words."""
    return f"{name} {one.lag[1]:.3f} s at {100 * one.amplitude[1]:.0f} %"


def within(value: float, span: tuple[float, float]) -> bool:
    """Whether a value lies in a span."""
    return span[0] <= value <= span[1]


def claims(table: dict[tuple[str, float], JointTrack]) -> list[dict[str, Any]]:
    """All claims, at the tempo of the source."""
    at = {name: one for (name, tempo), one in table.items() if tempo == 1.0}
    soft, own = at["soft"], at["own"]
    angle = math.atan(FREQUENCY * TIME_CONSTANT)
    lag, size = angle / FREQUENCY, math.cos(angle)
    limit = sea_snake().servos[0].speed_limit  # type: ignore[union-attr]
    most = 0.6 * FREQUENCY
    fastest = max(at[name].speed for name in BOUGHT)
    return [
        judged(
            "TRK-1", LOGS, f"{STATEMENT}; here: servos with the gain of their firmware", "; ".join(described(n, at[n]) for n in BOUGHT),
            [within(at[n].lag[1], LAGS) or within(at[n].amplitude[1], AMPLITUDES) for n in BOUGHT],
            "identified servos lag six to ten times less than the recorded joints: what lags there is more likely the position loop of that robot (TRK-2) than motors of this kind",
        ),
        judged(
            "TRK-2", LOGS, f"{STATEMENT}; here: a position loop of {TIME_CONSTANT:g} s", described("soft", soft),
            [within(soft.lag[1], LAGS), within(soft.amplitude[1], AMPLITUDES)], "one number, chosen for the recorded sidewinding, gives lag and amplitude together",
        ),
        judged(
            "TRK-3", "closed form", "a loop of the time constant T lags by atan(omega T) / omega at cos(atan(omega T)) of the amplitude",
            f"{soft.lag[1]:.3f} s at {soft.amplitude[1]:.3f}; closed form {lag:.3f} s at {size:.3f}",
            [abs(soft.lag[1] / lag - 1.0) < NEAR, abs(soft.amplitude[1] / size - 1.0) < NEAR], "weight and contact change it by less than a tenth",
        ),
        judged(
            "TRK-4", "this study", "such lags cost at least a third of the speed", f"{soft.speed:.3f} m/s instead of {fastest:.3f} m/s",
            [soft.speed < 2.0 / 3.0 * fastest], "bends of half the size go less than half as far",
        ),
        judged(
            "TRK-5", TABLE, "the SEA Snake can follow the sidewinding of its own gait table",
            f"the gait needs {most:.2f} rad/s, the URDF allows {limit:.2f} rad/s; {described('own', own)}", [most <= (limit or math.inf), own.amplitude[1] > 0.97],
            "the table is faster than the joints' speed limit: amplitude is lost even with stiff servos",
        ),
    ]  # fmt: skip
