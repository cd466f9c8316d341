"""The tables of a scenario that say how the robot moves: gaits, drives, servos."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field, model_validator

from serpenoid.formats.tables import Pair, Table

Ramp = Annotated[float, Field(ge=0.0, description="s, quintic ramp-in")]
Angle = Annotated[float, Field(ge=-720.0, le=720.0)]
Amplitude = Annotated[float, Field(ge=-180.0, le=180.0)]


class SerpenoidTable(Table):
    """The serpenoid curve sent along the body."""

    kind: Literal["serpenoid"]
    waves: float = Field(gt=0.0, le=1000.0, description="K_n, need not be whole")
    winding_angle_deg: float = Field(ge=-180.0, le=180.0, description="alpha_0")
    speed: float = Field(description="m/s along the curve")
    acceleration: float | None = Field(None, gt=0.0, description="m/s^2, from rest; none: at full speed from the start")
    stop_time: float | None = Field(None, gt=0.0, description="s, time at which it has come to rest again")


class StandingWaveTable(Table):
    """A standing wave of the links' headings."""

    kind: Literal["standing-wave"]
    amplitude: float = Field(ge=-math.pi, le=math.pi, description="rad, of the heading")
    waves: float = Field(gt=0.0, le=1000.0)
    frequency: float = Field(gt=0.0, description="rad/s")


class SampledGaitTable(Table):
    """Joint angles at given times, from a CSV file (header, then time and one column a joint) or in place."""

    kind: Literal["sampled"]
    file: str | None = None
    times: list[float] | None = None
    angles: list[list[float]] | None = None
    ends: Literal["natural", "clamped"] = "natural"

    @model_validator(mode="after")
    def _one_source(self) -> SampledGaitTable:
        given = [self.times is not None, self.angles is not None]
        if any(given) if self.file is not None else not all(given):
            raise ValueError("give either file, or times and angles")
        return self


class SineDriveTable(Table):
    """tau_i = amplitude sin(phase_per_joint i + frequency t)."""

    kind: Literal["sine"]
    amplitude: float = Field(description="N m")
    frequency: float = Field(description="rad/s")
    phase_per_joint: float = Field(description="rad")


class SampledDriveTable(Table):
    """Joint torques at given times, from a CSV file or in place."""

    kind: Literal["sampled"]
    file: str | None = None
    times: list[float] | None = None
    torques: list[list[float]] | None = None

    @model_validator(mode="after")
    def _one_source(self) -> SampledDriveTable:
        given = [self.times is not None, self.torques is not None]
        if any(given) if self.file is not None else not all(given):
            raise ValueError("give either file, or times and torques")
        return self


class WaveTable(Table):
    """What gaits of two waves share: the names of the parameters are those of serpenoid.gaits; angles in degrees."""

    ramp: Ramp = 1.0


class SidewindingTable(WaveTable):
    """Sidewinding: a wave of yaw and one of pitch, phase_offset_deg apart."""

    kind: Literal["sidewinding"]
    amplitude_deg: Amplitude = 30.0
    frequency: float = Field(0.75 * math.pi, description="omega, rad/s")
    phase_per_joint_deg: Angle = Field(-70.0, description="delta")
    phase_offset_deg: Angle = Field(0.0, description="delta_0")
    vertical_amplitude_deg: Amplitude | None = None
    yaw_offset_deg: Angle = 0.0
    pitch_offset_deg: Angle = 0.0
    direction: Literal[1, -1] = 1
    turn: float = Field(0.0, ge=-2.0, le=2.0, description="growth of the amplitude from tail to head")


class TurnInPlaceTable(WaveTable):
    """The halves sidewind to opposite sides."""

    kind: Literal["turn-in-place"]
    amplitude_deg: Amplitude = 35.0
    vertical_amplitude_deg: Amplitude = Field(25.0, description="at the ends; its sign is the sense of turning")
    frequency: float = Field(3.0, description="rad/s")
    phase_per_joint_deg: Angle = 30.0
    phase_offset_deg: Angle = 90.0


class RollingTable(WaveTable):
    """An arc that rolls sideways."""

    kind: Literal["rolling"]
    amplitude_deg: Amplitude = 10.0
    frequency: float = Field(2.0, description="roll rate, rad/s")


class HelixRollingTable(WaveTable):
    """A helix that rolls."""

    kind: Literal["helix-rolling"]
    amplitude_deg: Amplitude = 25.0
    frequency: float = Field(2.0, description="roll rate, rad/s")
    phase_per_joint_deg: Angle = 15.0


class PoleClimbingTable(WaveTable):
    """A helix round a pole that rolls up it."""

    kind: Literal["pole-climbing"]
    pole_radius: float = Field(0.08, gt=0.0, description="m")
    slope_deg: float = Field(17.0, gt=-85.0, lt=85.0, description="of the helix")
    grip: float = Field(1.3, ge=1.0, le=10.0, description="bend over what the pole asks for")
    frequency: float = Field(2.0, description="roll rate, rad/s")
    pole: Pair = Field(default_factory=lambda: [0.0, 0.0], description="x, y, m")
    base_height: float = Field(0.1, ge=0.0, description="where the lowest joint begins, m")
    ramp: Ramp = 0.3


class RectilinearTable(WaveTable):
    """A vertical travelling wave."""

    kind: Literal["rectilinear"]
    amplitude_deg: Amplitude = 25.0
    frequency: float = Field(4.0, description="rad/s; positive: forward")
    phase_per_joint_deg: Angle = 45.0


class SinusLiftingTable(WaveTable):
    """Creeping with lifted bends."""

    kind: Literal["sinus-lifting"]
    amplitude_deg: Amplitude = 30.0
    lift_amplitude_deg: Amplitude = Field(3.0, description="0: creeping without lifting")
    frequency: float = Field(3.0, description="rad/s; positive: forward")
    phase_per_joint_deg: Angle = 45.0
    lift_phase_deg: Angle = Field(-90.0, description="-90 lifts the bends")


class CompoundSerpenoidTable(WaveTable):
    """Waves of yaw and pitch with all their numbers."""

    kind: Literal["compound-serpenoid"]
    yaw_amplitude_deg: Amplitude = 0.0
    pitch_amplitude_deg: Amplitude = 0.0
    yaw_spatial_deg: Angle = 0.0
    pitch_spatial_deg: Angle = 0.0
    yaw_temporal: float = Field(0.0, description="rad/s")
    pitch_temporal: float = Field(0.0, description="rad/s")
    yaw_offset_deg: Angle = 0.0
    pitch_offset_deg: Angle = 0.0
    yaw_phase_deg: Angle = 0.0
    pitch_phase_deg: Angle = 0.0


class ServoTable(Table):
    """Position servos on the driven joints."""

    stiffness: float = Field(60.0, ge=0.0, description="N m/rad")
    damping: float = Field(1.5, ge=0.0, description="N m s/rad")
    torque_limit: float | None = Field(None, gt=0.0, description="N m")
    speed_limit: float | None = Field(None, gt=0.0, description="rad/s of the aim")
    control_period: float = Field(0.0, ge=0.0, description="s, sample and hold; 0: continuous")


GaitTable = Annotated[
    SerpenoidTable | StandingWaveTable | SampledGaitTable | SidewindingTable | TurnInPlaceTable | RollingTable | HelixRollingTable
    | PoleClimbingTable | RectilinearTable | SinusLiftingTable | CompoundSerpenoidTable,
    Field(discriminator="kind"),
]  # fmt: skip
DriveTable = Annotated[SineDriveTable | SampledDriveTable, Field(discriminator="kind")]
