"""Shapes shared by the tests: the helix in closed form, random smooth functions and poses."""

from __future__ import annotations

import numpy as np

from serpenoid import shapes as S


def helix_closed_form(kappa: float, tau: float, s: np.ndarray) -> np.ndarray:
    """From the identity frame; radius kappa / w^2, pitch 2 pi tau / w^2."""
    w = np.hypot(kappa, tau)
    return np.stack(
        [
            (tau**2 * s + kappa**2 * np.sin(w * s) / w) / w**2,
            kappa * (1 - np.cos(w * s)) / w**2,
            kappa * tau * (s - np.sin(w * s) / w) / w**2,
        ],
        axis=-1,
    )


def smooth(rng: np.random.Generator, offset: float = 0.0) -> S.Function:
    """A random smooth function: a constant and two sines."""
    parts = [S.Sine(rng.uniform(-1, 1), rng.uniform(0.5, 3), rng.uniform(-3, 3)) for _ in range(2)]
    return S.Constant(offset + rng.uniform(-0.3, 0.3)) + parts[0] + parts[1]


def random_pose(rng: np.random.Generator) -> S.Pose:
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    q[:, 0] *= np.sign(np.linalg.det(q))
    return S.Pose(rng.uniform(-2, 2, 3), q)


def apart(a: S.Shape, b: S.Shape, steps: int = 1500) -> float:
    """Largest distance between two backbones."""
    return float(np.abs(a.trace(steps).position - b.trace(steps).position).max())
