"""Commands that look at the state: controllers of one's own, steering, and plans carried out in dynamics; servos and drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serpenoid.rooms import opener

if TYPE_CHECKING:
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


__getattr__ = opener(
    __name__,
    {
        "Admittance": "admittance",
        "AdmittanceController": "admittance",
        "CPG": "cpg",
        "CPGController": "cpg",
        "Command": "controller",
        "ConcertinaDriver": "concertina",
        "Controller": "controller",
        "Creeper": "creeper",
        "DRIVES": "serpenoid.core.command",
        "Feeder": "feeder",
        "Feeling": "feeling",
        "Hold": "controller",
        "LineOfSight": "line_of_sight",
        "LineOfSightController": "line_of_sight",
        "Motors": "motors",
        "PathDrive": "paths",
        "SampledTorque": "serpenoid.gaits.drives",
        "Servo": "serpenoid.core.actuator",
        "SineTorque": "serpenoid.gaits.drives",
        "Steering": "steering",
        "SteeringController": "steering",
        "Touch": "feeling",
        "Undulation": "course",
        "motors_of": "motors",
    },
)


def __dir__() -> list[str]:
    return __all__
