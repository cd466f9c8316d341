"""The averaged body frame of a bent robot (virtual chassis), its heading, and the roll of its links.

The frame of Rollinson and Choset (2011): origin at the mean of the nodes, axes along the principal directions of their
spread, the longest one first and towards the head, the third one upwards. It moves smoothly where no single link does, so
cameras and headings follow it.
"""

from __future__ import annotations

import numpy as np

from serpenoid.core import FloatArray


def chassis(nodes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Origins (f, 3) and frames (f, 3, 3; columns are the axes) of bodies with nodes (f, n+1, 3), tail first."""
    origin = nodes.mean(axis=1)
    spread = nodes - origin[:, None]
    axes = np.linalg.svd(spread, full_matrices=False)[2]
    along, across = axes[:, 0].copy(), axes[:, 1].copy()
    # the sign of a principal axis is free: towards the head, and then as in the frame before
    weights = np.linspace(-1.0, 1.0, nodes.shape[1])
    along *= _sign(np.einsum("fne,n,fe->f", spread, weights, along))[:, None]
    for k in range(1, len(along)):
        if along[k] @ along[k - 1] < 0.0:
            along[k] *= -1.0
    up = np.cross(along, across)
    across *= _sign(up[:, 2])[:, None]
    frames = np.stack([along, across, np.cross(along, across)], axis=-1)
    return origin, frames


def _sign(values: FloatArray) -> FloatArray:
    return np.where(values < 0.0, -1.0, 1.0)


def heading(nodes: FloatArray) -> FloatArray:
    """Heading (f,) of the averaged body frame, rad, without jumps."""
    _, frames = chassis(nodes)
    return np.asarray(np.unwrap(np.arctan2(frames[:, 1, 0], frames[:, 0, 0])))
