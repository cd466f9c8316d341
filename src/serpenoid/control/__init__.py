"""Commands that look at the state: controllers and what they ask for; drives and servos for convenience."""

from __future__ import annotations

from serpenoid.control.controller import Command, Controller, Hold
from serpenoid.core.actuator import Servo
from serpenoid.gaits.drives import DRIVES, SampledTorque, SineTorque

__all__ = ["DRIVES", "Command", "Controller", "Hold", "SampledTorque", "Servo", "SineTorque"]
