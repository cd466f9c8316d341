"""The runs of the study: lag, amplitude and speed of the SEA Snake by servo and tempo."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from serpenoid.contact import Coulomb
from serpenoid.core import Settings, Start, World
from serpenoid.core.actuator import Servo
from serpenoid.core.terrain import Ground
from serpenoid.gaits.cmu import CMU, cmu_gait
from serpenoid.robots import sea_snake
from serpenoid.robots.servos import mx64, mx106, sts3215
from serpenoid.simulation.run import execute
from serpenoid.simulation.setup import Setup

FREQUENCY = CMU["sidewinding"][3][0]  # rad/s at tempo 1
TIME_CONSTANT = 0.4  # s, of the soft servo: tan(omega lag) / omega of the recorded sidewinding (lags of 0.21 to 0.26 s) is 0.35 to 0.72 s
TEMPOS, QUICK = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2), (0.6, 1.0)
RAMP, PERIODS = 1.0, 3  # s; periods that count, after the ramp and one more


class JointTrack(NamedTuple):
    """Lag (s) and amplitude (of the command) of the joints: least, mean, most; speed (m/s)."""

    lag: tuple[float, float, float]
    amplitude: tuple[float, float, float]
    speed: float
    status: str


def servos() -> dict[str, Servo]:
    """The servos compared."""
    own = sea_snake().servos[0]
    assert own is not None
    soft = Servo(stiffness=10.0, damping=10.0 * TIME_CONSTANT)
    return {"mx64": mx64(), "mx106": mx106(), "sts3215": sts3215(), "own": own, "soft": soft}


def track(servo: Servo, tempo: float) -> JointTrack:
    """One run."""
    omega = tempo * FREQUENCY
    period = 2.0 * np.pi / omega
    end = RAMP + (PERIODS + 1) * period
    world = World(Coulomb(0.7, 0.7), ground=Ground())
    setup = Setup(
        sea_snake(servo=servo, joint_damping=0.0), world, cmu_gait("sidewinding", tempo=tempo, ramp=RAMP), Start(),
        Settings(duration=end, step=1e-3, record_interval=0.01),
    )  # fmt: skip
    run = execute(setup)
    t = run["time"]
    keep = t >= t[-1] - PERIODS * period
    turning = np.exp(-1j * omega * t[keep])[:, None]
    h = (run["joint_angle"][keep] * turning).mean(axis=0) / (run["joint_target"][keep] * turning).mean(axis=0)
    lag, size = -np.angle(h) / omega, np.abs(h)
    com = run["com"][keep][:, :2]
    speed = float(np.linalg.norm(com[-1] - com[0]) / (t[keep][-1] - t[keep][0]))
    return JointTrack(_spread(lag), _spread(size), speed, run.status.name)


def _spread(values: np.ndarray) -> tuple[float, float, float]:
    return float(values.min()), float(values.mean()), float(values.max())


def all_tracks(
    tempos: tuple[float, ...], progress: Callable[[float], None] | None
) -> dict[tuple[str, float], JointTrack]:
    """All servos at all tempos."""
    made: dict[tuple[str, float], JointTrack] = {}
    cases = [(name, servo, tempo) for tempo in tempos for name, servo in servos().items()]
    for k, (name, servo, tempo) in enumerate(cases):
        made[name, tempo] = track(servo, tempo)
        if progress is not None:
            progress((k + 1) / len(cases))
    return made
