"""Random cases shared by the tests; SERPENOID_PROVE=1 asks for the full counts."""

from __future__ import annotations

import math
import os

import numpy as np

import serpenoid as sp

PROVE = bool(os.environ.get("SERPENOID_PROVE"))


def random_robot(rng: np.random.Generator, low: int = 2, high: int = 24) -> sp.Robot:
    """A chain with unequal links; nothing symmetric, nothing zero."""
    n = int(rng.integers(low, high + 1))
    length = rng.uniform(0.04, 0.15, n)
    mass = rng.uniform(0.1, 1.0, n)
    return sp.Robot(
        name="random", links=n, link_length=length, link_mass=mass,
        link_inertia=mass * length**2 * rng.uniform(0.05, 2.0, n),
        com_offset=length * rng.uniform(0.1, 0.9, n), contact_offset=length * rng.uniform(0.1, 0.9, n),
        joint_damping=0.0,
    )  # fmt: skip


def random_gait(rng: np.random.Generator):
    """A serpenoid or a standing wave."""
    if rng.random() < 0.7:
        return sp.gaits.Serpenoid(rng.uniform(0.2, 1.2), rng.uniform(0.5, 2.5), speed=rng.uniform(0.2, 1.0))
    return sp.gaits.StandingWave(rng.uniform(0.2, 1.0), rng.uniform(0.5, 2.5), rng.uniform(2.0, 8.0))


def random_start(rng: np.random.Generator) -> sp.Start:
    """A start somewhere, in some direction, moving."""
    return sp.Start(
        tuple(rng.uniform(-2, 2, 2)),
        rng.uniform(-3, 3),
        tuple(rng.uniform(-0.3, 0.3, 2)),
        rng.uniform(-0.5, 0.5),
    )


def random_drive(rng: np.random.Generator):
    """A sine of torques."""
    return sp.gaits.drives.SineTorque(rng.uniform(0.02, 0.2), rng.uniform(1.0, 9.0), rng.uniform(0.1, 0.9))


def random_law(rng: np.random.Generator, names: tuple[str, ...] | None = None):
    """A friction law with random coefficients, sometimes a ratchet."""
    name = str(rng.choice(names or [name for name in sp.contact.LAWS if name != "custom"]))
    along, across = rng.uniform(0.02, 0.4), rng.uniform(0.3, 0.9)
    backward = rng.uniform(0.02, 0.6) if rng.random() < 0.5 else None
    law = sp.contact.LAWS[name]
    if name == "none":
        return law()
    if name in ("threshold", "bristle"):
        stick = {"static_force_across": 12.0, "stick_length_across": rng.uniform(1e-5, 1e-4)}
        if rng.random() < 0.5:
            stick |= {"static_force_along": 12.0, "stick_length_along": rng.uniform(1e-5, 1e-4)}
        return law(along, across, backward, **stick)
    return law(along, across, backward)


def own_law(v_along, v_across, load, p):
    """A friction law of one's own: Coulomb, smoothed at 2 mm/s."""
    return -p[0] * load * v_along / math.sqrt(v_along**2 + 4e-6), -p[1] * load * v_across / math.sqrt(
        v_across**2 + 4e-6
    )


def own_angle(t, k, p):
    """A gait of one's own: a wave of joint angles."""
    return p[0] * math.sin(p[1] * t + p[2] * k)


def own_angles(t: float) -> np.ndarray:
    """A gait of one's own as a Python function: 19 joint angles."""
    return 0.3 * np.sin(5.0 * t + np.arange(19)) * (1.0 - np.exp(-3.0 * t))
