"""A robot in space at one instant: accelerations from torques, torques from accelerations, energy and momentum.

A Python face of `dynamics.spatial` for analysis and tests; engines call the kernels themselves.

    body = Body(robot)
    body.put(frame=np.eye(3), angles=q, spin=(0, 0, 1), velocity=(0, 0, 0), rates=qd)
    joint, spin, tail = body.accelerations(torques)

Angles, rates and torques are those of the degrees of freedom, from the tail, inside a joint in the order of its rotations
(`kinematics.chain.dofs`). `spin` is the angular velocity of link 0, `velocity` that of the tail's end, world axes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from serpenoid.compiled import kernel
from serpenoid.core import FloatArray, Robot
from serpenoid.core.errors import InputError
from serpenoid.spatial._old.dynamics import kinetic_energy, momenta, required_torques, torque_acceleration
from serpenoid.spatial._old.kinematics import (
    EX,
    FA,
    PG,
    PJ,
    QD,
    QT,
    TAU,
    Q,
    V,
    W,
    body_for,
    chain_of,
    place,
    spread_twists,
)  # fmt: skip


class Acceleration(NamedTuple):
    """Accelerations: of the joints (rad/s^2), of link 0's rotation (rad/s^2), of the tail's end (m/s^2)."""

    joints: FloatArray
    spin: FloatArray
    tail: FloatArray


@kernel
def _accelerate(chain, b, d):
    torque_acceleration(chain, b, d, QT)


@kernel
def _require(chain, b, d, x):
    return required_torques(chain, b, d, QT, x[0], x[1], x[2], x[3], x[4], x[5])


class Body:
    """One robot at one instant."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.chain = robot, chain_of(robot)
        self._b, self._d = body_for(robot)
        self.put()

    @property
    def axes(self) -> int:
        """Number of degrees of freedom of the joints."""
        return len(self._d)

    def put(
        self, *, frame: ArrayLike | None = None, angles: ArrayLike = 0.0, spin: ArrayLike = (0.0, 0.0, 0.0),
        velocity: ArrayLike = (0.0, 0.0, 0.0), rates: ArrayLike = 0.0,
    ) -> Body:  # fmt: skip
        """Set attitude of link 0 (columns are its axes), joint angles, and velocities."""
        R = np.eye(3) if frame is None else np.asarray(frame, dtype=float)
        if R.shape != (3, 3) or not np.allclose(R @ R.T, np.eye(3), atol=1e-9):
            raise InputError("frame must be a 3 x 3 rotation matrix")
        b, d = self._b, self._d
        b[0, EX : EX + 9] = R.T.reshape(-1)
        d[:, Q], d[:, QD] = self._each("angles", angles), self._each("rates", rates)
        place(self.chain, b, d)
        w = np.asarray(spin, dtype=float)
        b[0, W : W + 3], b[0, V : V + 3] = w, np.asarray(velocity, dtype=float) - np.cross(w, b[0, PJ : PJ + 3])
        spread_twists(self.chain, b, d, QD)
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
        b[:, FA : FA + 3], b[:, FA + 3 : FA + 6] = m + np.cross(b[:, PG : PG + 3], f), f
        return b, d

    def accelerations(
        self, torques: ArrayLike = 0.0, forces: ArrayLike | None = None, moments: ArrayLike | None = None
    ) -> Acceleration:
        """Forward dynamics: what torques and forces on the links' centres of gravity (N, N m) cause."""
        b, d = self._working(forces, moments)
        d[:, TAU] = self._each("torques", torques)
        _accelerate(self.chain, b, d)
        # the twist's acceleration is that of the body's point at the fixed point O: the tail's end moves besides
        w, v, p = self._b[0, W : W + 3], self._b[0, V : V + 3], self._b[0, PJ : PJ + 3]
        turn, lift = b[0, W : W + 3], b[0, V : V + 3]
        tail = lift + np.cross(turn, p) + np.cross(w, v + np.cross(w, p))
        return Acceleration(d[:, QT].copy(), turn.copy(), tail)

    def torques(
        self, wanted: Acceleration, forces: ArrayLike | None = None, moments: ArrayLike | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Inverse dynamics: torques for the accelerations, and the wrench (6,) that would have to hold link 0."""
        b, d = self._working(forces, moments)
        d[:, QT] = self._each("joint accelerations", wanted.joints)
        w, v, p = self._b[0, W : W + 3], self._b[0, V : V + 3], self._b[0, PJ : PJ + 3]
        lift = np.asarray(wanted.tail) - np.cross(wanted.spin, p) - np.cross(w, v + np.cross(w, p))
        left = _require(self.chain, b, d, np.concatenate([wanted.spin, lift]))
        return d[:, TAU].copy(), np.array(left)

    def energy(self) -> float:
        """Kinetic energy, J."""
        momenta(self.chain, self._b)
        return float(kinetic_energy(self._b))

    def momentum(self) -> tuple[FloatArray, FloatArray]:
        """Linear momentum (N s) and angular momentum about the centre of gravity (N m s)."""
        total = np.array(momenta(self.chain, self._b))
        return total[3:], total[:3]
