"""What a planar engine shows of the present instant: copies, world axes, vectors with three components (z = 0).

Everything is derived from the state, so that a state saved shows the same.
"""

from __future__ import annotations

import numpy as np

from serpenoid.contact import sums as slot
from serpenoid.core import FloatArray, Robot
from serpenoid.core.copying import Single
from serpenoid.planar import layout as at
from serpenoid.planar.layout import PlanarState
from serpenoid.planar.record import axes_of, flat, mean_heading, nodes_of, upright


class PlanarInstant(Single):
    """The present instant of a robot in the plane."""

    INSTEAD = "copy the Simulation that it belongs to"

    robot: Robot
    state: PlanarState
    joints: np.ndarray  # joints (from 1) of the degrees of freedom
    ideal: bool

    def joint_angles(self) -> FloatArray:
        """Joint angles, (dof,) rad."""
        heading = self.state.links[at.ANGLE0]
        return heading[self.joints] - heading[self.joints - 1]

    def joint_rates(self) -> FloatArray:
        """Joint rates, (dof,) rad/s."""
        turn = self.state.links[at.TURN0]
        return turn[self.joints] - turn[self.joints - 1]

    def joint_torques(self) -> FloatArray:
        """Torques of the actuators in the last step, (dof,) N m."""
        return self.state.joints[at.TORQUE, self.joints]

    def joint_targets(self) -> FloatArray:
        """Angles commanded, (dof,) rad; NaN under torques."""
        given = self.state.motion[at.SOURCE] in (at.FOLLOWED, at.TRACKED)
        return self.state.joints[at.WANTED, self.joints] if given else np.full(len(self.joints), np.nan)

    def joint_aims(self) -> FloatArray:
        """Where the servos aim, (dof,) rad: the targets, no faster than the servos allow; the angles themselves with ideal joints."""
        return self.joint_angles() if self.ideal else self.state.joints[at.AIM, self.joints]

    def _headings(self) -> FloatArray:
        return self.state.links[at.ANGLE0] + self.state.motion[at.PSI]

    def heading(self) -> float:
        """Direction of the mean link axis, rad, without jumps."""
        return float(mean_heading(self._headings()))

    def com(self) -> FloatArray:
        """Centre of gravity, (3,) m."""
        return np.array([self.state.motion[at.X], self.state.motion[at.Y], 0.0])

    def com_velocity(self) -> FloatArray:
        """Velocity of the centre of gravity, (3,) m/s."""
        q = self.state.motion
        c, s = np.cos(q[at.PSI]), np.sin(q[at.PSI])
        return np.array([c * q[at.VX] - s * q[at.VY], s * q[at.VX] + c * q[at.VY], 0.0])

    def nodes(self) -> FloatArray:
        """Places of tail's end, joints and head's tip, (n+1, 3) m."""
        return nodes_of(self.robot, axes_of(self._headings()), self.com())

    def link_frames(self) -> FloatArray:
        """Axes of the links as columns (towards the head, to the left, up), (n, 3, 3)."""
        heading = self._headings()
        c, s = np.cos(heading), np.sin(heading)
        return np.stack([flat(c, s), flat(-s, c), upright(np.ones_like(c))], axis=-1)

    def link_angular_velocities(self) -> FloatArray:
        """Angular velocities of the links, (n, 3) rad/s."""
        return upright(self.state.links[at.TURN0])

    def contact_forces(self) -> FloatArray:
        """Friction forces on the links in the last step, (n, 3) N."""
        return flat(self.state.links[at.LAST_FX], self.state.links[at.LAST_FY])

    def normal_forces(self) -> FloatArray:
        """Normal forces on the links in the last step, (n,) N: their weights, or what the load law gives."""
        return self.state.links[at.LAST_NORMAL].copy()

    def wall_forces(self) -> FloatArray:
        """Forces of upright obstacles: there are none in the plane, (n, 3) N."""
        return np.zeros((self.robot.links, 3))

    def wall_points(self) -> FloatArray:
        """Where upright obstacles press: nowhere, (n, 3)."""
        return np.full((self.robot.links, 3), np.nan)

    def wall_obstacles(self) -> FloatArray:
        """Which upright obstacle presses on each link: none, (n,)."""
        return np.full(self.robot.links, -1.0)

    def wall_pressures(self) -> FloatArray:
        """Sizes of the wall forces on each link: none, (n,) N."""
        return np.zeros(self.robot.links)

    def anchor_forces(self) -> FloatArray:
        """Forces of anchors: there are none in the plane, (0, 3) N."""
        return np.zeros((0, 3))

    def totals(self) -> dict[str, float]:
        """What the run has added up, by name."""
        return slot.totals(self.state.sums)
