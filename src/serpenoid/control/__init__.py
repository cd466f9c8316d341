"""Commands that look at the state: controllers of one's own, steering, and plans carried out in dynamics; servos and drives."""

from __future__ import annotations

from serpenoid.control.admittance import Admittance, AdmittanceController
from serpenoid.control.concertina import ConcertinaDriver
from serpenoid.control.controller import Command, Controller, Hold
from serpenoid.control.course import Undulation
from serpenoid.control.cpg import CPG, CPGController
from serpenoid.control.creeper import Creeper
from serpenoid.control.feeder import Feeder
from serpenoid.control.feeling import Feeling, Touch
from serpenoid.control.line_of_sight import LineOfSight, LineOfSightController
from serpenoid.control.motors import Motors, motors_of
from serpenoid.control.paths import PathDrive
from serpenoid.control.steering import Steering, SteeringController
from serpenoid.core.actuator import Servo
from serpenoid.core.command import DRIVES
from serpenoid.gaits.drives import SampledTorque, SineTorque

__all__ = [
    "CPG", "DRIVES", "Admittance", "AdmittanceController", "CPGController", "Command", "ConcertinaDriver", "Controller", "Creeper", "Feeder",
    "Feeling", "Hold", "LineOfSight", "LineOfSightController", "Motors", "PathDrive", "SampledTorque", "Servo",
    "SineTorque", "Steering", "SteeringController", "Touch", "Undulation", "motors_of",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__
