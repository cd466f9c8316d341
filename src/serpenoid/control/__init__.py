"""Commands that look at the state: servos, drives, and plans carried out in dynamics."""

from __future__ import annotations

from serpenoid.control.concertina import Executed, execute
from serpenoid.control.creeper import Wave, creep
from serpenoid.control.driver import Feeling, Motors, Touch, walls_around
from serpenoid.control.feeder import Drive, Passage, feed
from serpenoid.core.actuator import Servo
from serpenoid.core.command import DRIVES
from serpenoid.gaits.drives import SampledTorque, SineTorque

__all__ = [
    "DRIVES", "Drive", "Executed", "Feeling", "Motors", "Passage", "SampledTorque", "Servo", "SineTorque", "Touch", "Wave", "creep", "execute", "feed",
    "walls_around",
]  # fmt: skip
