"""What is the case now: readings of the spatial engine's state, as copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from serpenoid.contact.spots import N_AT, N_LINK
from serpenoid.core import FloatArray
from serpenoid.core.copying import Single
from serpenoid.spatial.anchors import PULL_PEAK, PULL_X, SLIPPED
from serpenoid.spatial.layout import (
    AIM,
    ANGLE,
    EX,
    FORCE,
    HEADING,
    LENGTH,
    PEAK,
    PJ,
    PRESS,
    RATE,
    TARGET,
    TORQUE,
    VX,
    WALL_DEEPEST,
    WALL_FORCE,
    WALL_NAME,
    WALL_PEAK,
    WALL_POINT,
    WALL_PRESS,
    SpatialConstants,
    SpatialScratch,
    SpatialState,
    X,
)  # fmt: skip
from serpenoid.spatial.march import mean_heading


class SpatialReadings(Single):
    """Readings of an engine with these arrays."""

    INSTEAD = "copy the Simulation that it belongs to"

    constants: SpatialConstants
    state: SpatialState
    scratch: SpatialScratch
    _place_entry: Callable[..., Any]

    def joint_angles(self) -> FloatArray:
        """Joint angles (dof,), rad."""
        return self.state.dofs[ANGLE].copy()

    def joint_rates(self) -> FloatArray:
        """Joint rates (dof,), rad/s."""
        return self.state.dofs[RATE].copy()

    def joint_torques(self) -> FloatArray:
        """Torques of the actuators in the last step (dof,), N m."""
        return self.state.dofs[TORQUE].copy()

    def joint_targets(self) -> FloatArray:
        """Angles commanded (dof,), rad; NaN under torques."""
        return self.state.dofs[TARGET].copy()

    def joint_aims(self) -> FloatArray:
        """Angles that servos aim at (dof,), rad: the targets, no faster than the servos allow."""
        return self.state.dofs[AIM].copy()

    def com(self) -> FloatArray:
        """Centre of gravity (3,), m."""
        return self.state.motion[X : X + 3].copy()

    def com_velocity(self) -> FloatArray:
        """Velocity of the centre of gravity (3,), m/s."""
        return self.state.motion[VX : VX + 3].copy()

    def _placed(self) -> FloatArray:
        """Scratch with the links where they are now."""
        self._place_entry(self.constants, self.state, self.scratch)
        return self.scratch.body

    def nodes(self) -> FloatArray:
        """Tail's end, joints and head's tip (n+1, 3), m."""
        body = self._placed()
        joints = body[PJ : PJ + 3].T + self.state.motion[X : X + 3]
        tip = joints[-1] + self.constants.chain.links[LENGTH, -1] * body[EX : EX + 3, -1]
        return np.vstack([joints, tip])

    def link_frames(self) -> FloatArray:
        """Axes of the links as columns (n, 3, 3)."""
        return np.ascontiguousarray(self._placed()[EX : EX + 9].T.reshape(-1, 3, 3).transpose(0, 2, 1))

    def heading(self) -> float:
        """Direction of the mean link axis seen from above, rad, without jumps."""
        return float(mean_heading(self._placed(), self.state.motion[HEADING]))

    def contact_forces(self) -> FloatArray:
        """Forces of ground, obstacles and anchors on the links in the last step (n, 3), N."""
        return self.state.loads[FORCE : FORCE + 3].T.copy()

    def normal_forces(self) -> FloatArray:
        """Normal forces on the links in the last step (n,), N."""
        return self.state.loads[PRESS].copy()

    def wall_forces(self) -> FloatArray:
        """Forces of upright obstacles on the links in the last step (n, 3), N."""
        return self.state.loads[WALL_FORCE : WALL_FORCE + 3].T.copy()

    def wall_points(self) -> FloatArray:
        """Where upright obstacles press most on the links (n, 3), m; NaN where nothing presses."""
        return self.state.loads[WALL_POINT : WALL_POINT + 3].T.copy()

    def anchor_forces(self) -> FloatArray:
        """Forces of the anchors in the last step (anchors, 3), N."""
        made = np.zeros((self.state.anchors.shape[1], 3))
        made[:, :2] = self.state.anchors[PULL_X : PULL_X + 2].T
        return made

    def anchor_points(self) -> FloatArray:
        """Where the anchored points of the links are now (anchors, 3), m."""
        body, held = self._placed(), self.constants.terrain.anchors
        links = held[N_LINK].astype(int)
        return np.asarray(
            self.state.motion[X : X + 3] + (body[PJ : PJ + 3, links] + held[N_AT] * body[EX : EX + 3, links]).T
        )

    def wall_obstacles(self) -> np.ndarray:
        """Number in `world.obstacles` of what presses most on each link (n,); -1 where nothing does."""
        return self.state.loads[WALL_NAME].astype(int)

    def wall_pressures(self) -> FloatArray:
        """Sum of the sizes of the wall forces on each link (n,), N."""
        return self.state.loads[WALL_PRESS].copy()

    def peaks(self) -> dict[str, FloatArray]:
        """Greatest values at any step so far: torques, wall forces and depths, anchor forces and ways slipped."""
        loads, anchors = self.state.loads, self.state.anchors
        return {
            "joint_torque": self.state.dofs[PEAK].copy(), "wall_force": loads[WALL_PEAK].copy(), "wall_depth": loads[WALL_DEEPEST].copy(),
            "anchor_force": anchors[PULL_PEAK].copy(), "anchor_slip": anchors[SLIPPED].copy(),
        }  # fmt: skip
