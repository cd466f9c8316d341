"""A robot in space at one instant: accelerations from torques, torques from accelerations, energy and momentum.

A Python face of `spatial.dynamics` for analysis and tests; engines call the kernels themselves.

    body = Body(robot)
    body.put(frame=np.eye(3), angles=q, spin=(0, 0, 1), velocity=(0, 0, 0), rates=qd)
    joint, spin, tail = body.accelerations(torques)

Angles, rates and torques are those of the degrees of freedom, from the tail, inside a joint in the order of its rotations
(`spatial.kinematics.axes_of`). `spin` is the angular velocity of link 0, `velocity` that of the tail's end, world axes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.compiled import kernel
from serpenoid.core import FloatArray, Robot
from serpenoid.core.errors import InputError
from serpenoid.spatial.dynamics import kinetic_energy, momenta, required_torques, torque_acceleration
from serpenoid.spatial.kinematics import chain_of, forward_kinematics, propagate_twists
from serpenoid.spatial.layout import AXIS_ROWS, BODY_ROWS, EX, FA, PG, PJ, QD, QT, TAU, Q, V, W


class Acceleration(NamedTuple):
    """Accelerations: of the joints (rad/s^2), of link 0's rotation (rad/s^2), of the tail's end (m/s^2)."""

    joints: FloatArray
    spin: FloatArray
    tail: FloatArray


@kernel
def _place(chain, body, axes):
    forward_kinematics(chain, body, axes)


@kernel
def _spread(chain, body, axes):
    propagate_twists(chain, body, axes, QD)


@kernel
def _sum_momenta(chain, body):
    s = momenta(chain, body)
    return kinetic_energy(body), s


@kernel
def _accelerate(chain, body, axes):
    torque_acceleration(chain, body, axes, QT)


@kernel
def _require(chain, body, axes, x):
    return required_torques(chain, body, axes, QT, x[0], x[1], x[2], x[3], x[4], x[5])


class Body:
    """One robot at one instant."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.chain = robot, chain_of(robot)
        self._b = np.zeros((BODY_ROWS, robot.links))
        self._d = np.zeros((AXIS_ROWS, len(self.chain.kinds)))
        self.put()

    @property
    def axes(self) -> int:
        """Number of degrees of freedom of the joints."""
        return int(self._d.shape[1])

    def put(
        self, *, frame: ArrayLike | None = None, angles: ArrayLike = 0.0, spin: ArrayLike = (0.0, 0.0, 0.0),
        velocity: ArrayLike = (0.0, 0.0, 0.0), rates: ArrayLike = 0.0,
    ) -> Body:  # fmt: skip
        """Set attitude of link 0 (columns are its axes), joint angles, and velocities."""
        R = np.eye(3) if frame is None else np.asarray(frame, dtype=float)
        if R.shape != (3, 3) or not np.allclose(R @ R.T, np.eye(3), atol=1e-9):
            raise InputError("frame must be a 3 x 3 rotation matrix")
        b, d = self._b, self._d
        b[EX : EX + 9, 0] = R.T.reshape(-1)
        d[Q], d[QD] = self._each("angles", angles), self._each("rates", rates)
        _place(self.chain, b, d)
        w = np.asarray(spin, dtype=float)
        b[W : W + 3, 0], b[V : V + 3, 0] = w, np.asarray(velocity, dtype=float) - np.cross(w, b[PJ : PJ + 3, 0])
        _spread(self.chain, b, d)
        return self

    def _each(self, name: str, values: ArrayLike) -> FloatArray:
        array = np.asarray(values, dtype=float)
        if (array.ndim and array.shape != (self.axes,)) or not np.isfinite(array).all():
            raise InputError(f"{name} must be one finite number or one for each of the {self.axes} axes")
        return np.broadcast_to(array, (self.axes,))

    def _working(self, forces: ArrayLike | None, moments: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
        """Copies of the arrays with the wrenches of forces (n, 3) and moments (n, 3) at the centres of gravity."""
        b, d = self._b.copy(), self._d.copy()
        f = np.zeros((self.robot.links, 3)) if forces is None else np.asarray(forces, dtype=float)
        m = np.zeros_like(f) if moments is None else np.asarray(moments, dtype=float)
        b[FA : FA + 3], b[FA + 3 : FA + 6] = (m + np.cross(b[PG : PG + 3].T, f)).T, f.T
        return b, d

    def accelerations(
        self, torques: ArrayLike = 0.0, forces: ArrayLike | None = None, moments: ArrayLike | None = None
    ) -> Acceleration:
        """Forward dynamics: what torques and forces on the links' centres of gravity (N, N m) cause."""
        b, d = self._working(forces, moments)
        d[TAU] = self._each("torques", torques)
        _accelerate(self.chain, b, d)
        # the twist's acceleration is that of the body's point at the fixed point O: the tail's end moves besides
        w, v, p = self._b[W : W + 3, 0], self._b[V : V + 3, 0], self._b[PJ : PJ + 3, 0]
        turn, lift = b[W : W + 3, 0], b[V : V + 3, 0]
        tail = lift + np.cross(turn, p) + np.cross(w, v + np.cross(w, p))
        return Acceleration(d[QT].copy(), turn.copy(), tail)

    def torques(
        self, wanted: Acceleration, forces: ArrayLike | None = None, moments: ArrayLike | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Inverse dynamics: torques for the accelerations, and the wrench (6,) that would have to hold link 0."""
        b, d = self._working(forces, moments)
        d[QT] = self._each("joint accelerations", wanted.joints)
        w, v, p = self._b[W : W + 3, 0], self._b[V : V + 3, 0], self._b[PJ : PJ + 3, 0]
        lift = np.asarray(wanted.tail) - np.cross(wanted.spin, p) - np.cross(w, v + np.cross(w, p))
        left = _require(self.chain, b, d, np.concatenate([wanted.spin, lift]))
        return d[TAU].copy(), np.array(left)

    def energy(self) -> float:
        """Kinetic energy of the links, J."""
        return float(_sum_momenta(self.chain, self._b)[0])

    def momentum(self) -> tuple[FloatArray, FloatArray]:
        """Linear momentum (N s) and angular momentum about the centre of gravity (N m s)."""
        total = np.array(_sum_momenta(self.chain, self._b)[1])
        return total[3:], total[:3]
