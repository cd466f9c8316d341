"""Robots, worlds and gaits in space shared by the tests."""

from __future__ import annotations

import numpy as np

import serpenoid as sp
from serpenoid.core.terrain import Ground
from serpenoid.gaits import CompoundSerpenoid, Sidewinding

KINDS = ("yaw", "pitch", "alternating", "universal", "pitch-yaw")
OMEGA = 0.75 * np.pi  # rad/s, of the paper's gaits
SERVO = sp.control.Servo(stiffness=60.0, damping=1.5)


def random_chain(rng: np.random.Generator, joints: str, low: int = 3, high: int = 20) -> sp.Robot:
    """A chain in space with unequal links; nothing symmetric, nothing zero, sometimes a locked joint."""
    n = int(rng.integers(low, high + 1))
    length, mass = rng.uniform(0.05, 0.2, n), rng.uniform(0.1, 1.0, n)
    return sp.Robot(
        name="random", links=n, link_length=length, link_mass=mass, link_inertia=mass * length**2 * rng.uniform(0.05, 1.0, n),
        com_offset=length * rng.uniform(0.1, 0.9, n), contact_offset=0.5 * length, joint_damping=rng.uniform(0.0, 0.1, n - 1),
        joints=joints, radius=rng.uniform(0.01, 0.03, n), locked=(2,) if n > 4 and rng.random() < 0.4 else (),
    )  # fmt: skip


def random_frame(rng: np.random.Generator) -> np.ndarray:
    """A random rotation matrix."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0.0 else -q


def posture(**offsets: float) -> CompoundSerpenoid:
    """Joints held still at their offsets."""
    return CompoundSerpenoid(ramp=0.0, **offsets)


WRITHE = CompoundSerpenoid(
    yaw_amplitude=0.5, pitch_amplitude=0.4, yaw_spatial=0.7, pitch_spatial=1.1, yaw_temporal=5.0, pitch_temporal=4.0, pitch_phase=0.6,
    ramp=0.5,
)  # fmt: skip


def level(law=None, **ground) -> sp.World:
    """A ground with Coulomb friction 0.8 unless said otherwise."""
    return sp.World(law or sp.contact.Coulomb(0.8, 0.8), ground=Ground(**{"stiffness": 2e4, "damping": 50.0, **ground}))


def sidewind(
    phase_offset: float, duration: float = 60.0, *, radius: float = 0.015, world=None, servo=SERVO, **settings
):
    """The robot of Sarrafan et al. (2012) by its gait."""
    robot = sp.robots.sarrafan2012(radius=radius).but(servo=servo)
    return sp.simulate(
        robot,
        Sidewinding(phase_offset=phase_offset),
        world or level(),
        duration,
        record_interval=0.02,
        **settings,
    )


def com_of(run) -> np.ndarray:
    """Places (f, 3) of the centre of gravity."""
    return np.asarray(run["com"])
