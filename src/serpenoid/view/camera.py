"""A camera in space: where a point is seen, and how the camera follows a body.

Perspective: a point p is seen at u = f X / (d - Z) to the right and v = f Y / (d - Z) upwards of the middle of the
picture, in picture heights. X, Y, Z are the parts of p - target to the right, upwards and towards the camera, d (m) is
the camera's distance from the target, f the focal length. The camera looks at the averaged body frame
(`core.chassis`) from behind, above and a little to the side; its place and its direction are low-passed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.core import FloatArray, chassis
from serpenoid.view.poses import Poses

FOCAL = 0.5 / np.tan(np.radians(14.0))  # picture heights; 28 degrees from the lower to the upper edge
ELEVATION = np.radians(35.0)
LEAST = np.radians(26.0)  # between the line of sight and the ground: less, and the horizon comes into the picture
ASIDE = np.radians(66.0)  # between the line of sight and the body's long axis, seen from above
ASTRAY = 0.12  # body lengths that the camera may be off the body
PATIENCE = 3.0  # s, in film time: how slowly the camera turns
CALM = 0.6  # s, in film time: how smoothly the camera follows
FASTEST = 0.3  # rad/s, in film time


class Camera(NamedTuple):
    """Where the camera is and where it looks."""

    target: FloatArray  # (3,) m
    axes: FloatArray  # (3, 3), rows: right, up, towards the camera
    distance: float  # m
    focal: float = float(FOCAL)  # picture heights

    @property
    def eye(self) -> FloatArray:
        """Place of the camera, m."""
        return np.asarray(self.target + self.distance * self.axes[2])

    @property
    def scale(self) -> float:
        """Picture heights a metre, at the target."""
        return self.focal / self.distance

    def see(self, place: FloatArray) -> FloatArray:
        """Where places (..., 3) are seen, (..., 2) picture heights from the middle; NaN behind the camera."""
        part = (place - self.target) @ self.axes.T
        depth = self.distance - part[..., 2]
        depth = np.where(depth > 1e-3 * self.distance, depth, np.nan)
        return np.asarray(self.focal * part[..., :2] / depth[..., None])

    def corners(self, aspect: float, point: FloatArray, normal: FloatArray) -> FloatArray:
        """Where rays through the picture's corners meet the plane through a point, (4, 3), anticlockwise from above."""
        edge = np.array([[-aspect, -1.0], [aspect, -1.0], [aspect, 1.0], [-aspect, 1.0]]) * 0.51
        rays = np.column_stack([edge, np.full(4, -self.focal)]) @ self.axes
        down = np.minimum(rays @ normal, -1e-9)
        far = 20.0 * self.distance / self.focal
        return np.asarray(self.eye + np.minimum((point - self.eye) @ normal / down, far)[:, None] * rays)


def camera_path(com: FloatArray, fps: float, astray: float) -> FloatArray:
    """Centre of the view, (t, 2 or 3): the smoothest low-pass of `com` that stays within `astray` (m) of it."""
    for halving in range(12):
        path = smoothed(com, CALM * fps / 2**halving)
        if np.linalg.norm(path - com, axis=1).max() <= astray:
            return path
    return com


def smoothed(com: FloatArray, sigma: float) -> FloatArray:
    """Run a path through a Gaussian low-pass, which neither leads nor lags."""
    reach = int(min(4 * sigma, 5000)) + 1
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    kernel /= kernel.sum()
    # go on beyond both ends as the path does at them, by reflection through the end point
    before = 2.0 * com[0] - com[np.minimum(np.arange(reach, 0, -1), len(com) - 1)]
    after = 2.0 * com[-1] - com[np.maximum(len(com) - 1 - np.arange(1, reach + 1), 0)]
    padded = np.vstack([before, com, after])
    return np.column_stack([np.convolve(padded[:, k], kernel, mode="valid") for k in range(com.shape[1])])


def sight(azimuth: float, elevation: float) -> FloatArray:
    """Rows right, up, towards the camera, of one that looks along `azimuth` and down by `elevation` (rad)."""
    c, s = np.cos(azimuth), np.sin(azimuth)
    towards = np.array([-np.cos(elevation) * c, -np.cos(elevation) * s, np.sin(elevation)])
    right = np.array([s, -c, 0.0])
    return np.stack([right, np.cross(towards, right), towards])


def azimuths(body: Poses, fps: float) -> FloatArray:
    """Direction in which the camera looks, (t,) rad: as the body travels, aslant of its long axis, slowly turning."""
    heading = chassis.heading(body.node)
    calm, sigma = heading, PATIENCE * fps
    for _ in range(8):
        calm = smoothed(heading[:, None], sigma)[:, 0]
        if np.abs(np.diff(calm)).max(initial=0.0) * fps <= FASTEST:
            break
        sigma *= 2.0
    else:
        calm = np.full_like(heading, heading.mean())
    moved = body.com[-1, :2] - body.com[0, :2]
    middle = float(calm.mean())
    choices = np.array([-ASIDE, ASIDE, -np.pi + ASIDE, np.pi - ASIDE])
    ahead = np.cos(middle + choices) * moved[0] + np.sin(middle + choices) * moved[1]
    return np.asarray(calm + choices[int(np.argmax(ahead.round(9)))])


def elevation_over(normal: FloatArray, azimuth: FloatArray) -> float:
    """How far above the horizontal a camera must be that sees a ground with that normal well, rad."""
    for elevation in np.arange(ELEVATION, np.radians(80.0), np.radians(1.0)):
        towards = np.array([sight(a, float(elevation))[2] for a in azimuth[:: max(1, len(azimuth) // 50)]])
        if (towards @ normal).min() >= np.sin(LEAST):
            return float(elevation)
    return float(np.radians(80.0))


def distance_for(place: FloatArray, target: FloatArray, axes: FloatArray, half: tuple[float, float]) -> float:
    """Least distance (m) from which places (t, k, 3) are seen within `half` picture heights of the targets (t, 3)."""
    part = np.einsum("tke,tae->tka", place - target[:, None], axes)
    return float(
        (part[..., 2] + np.maximum(np.abs(part[..., 0]) / half[0], np.abs(part[..., 1]) / half[1]) * FOCAL).max()
    )


def follow(
    node: FloatArray,
    azimuth: FloatArray,
    length: float,
    fps: float,
    normal: FloatArray,
    half: tuple[float, float],
    room: float,
) -> list[Camera]:
    """One camera a frame: nodes (t, k, 3) of bodies so long (m), with `room` (m) round them, stay within `half`.

    `azimuth` (t,) in rad, `normal` of the ground, `half` in picture heights from the middle.
    """
    target = camera_path(node.mean(axis=1), fps, ASTRAY * length)
    elevation = elevation_over(normal, azimuth)
    axes = np.stack([sight(float(a), elevation) for a in azimuth])
    distance = distance_for(with_room(node, room), target, axes, half)
    return [Camera(t, a, distance) for t, a in zip(target, axes, strict=True)]


def with_room(node: FloatArray, room: float) -> FloatArray:
    """Corners (t, 8 k, 3) of cubes round nodes (t, k, 3), each corner `room` (m) away from its node."""
    corner = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T * room / np.sqrt(3.0)
    return np.asarray((node[:, :, None] + corner).reshape(len(node), -1, 3))
