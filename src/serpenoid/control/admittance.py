"""Shape-based compliance: the parameters of a gait give way to the torques in the joints, as if they hung on springs and dampers.

    angle_k = X_k + o + (A / A_0) R_k sin(W t + phi_k + (nu - nu_0) i_k)
    M s'' + B s' + K (s - s_0) = F = -J^T tau,        J = d angle / d s        for each parameter s of A, nu, o

| symbol | meaning | unit |
|---|---|---|
| R_k, X_k, phi_k, W | amplitude, offset, phase, frequency of the gait (`control.sines`) | rad, rad/s |
| A | "amplitude": the greatest R_k, A_0 by itself | rad |
| nu | "spatial": phase from joint to joint, nu_0 by itself; i_k counts joints from the middle of the body | rad |
| o | "offset" of the yaw joints, 0 by itself | rad |
| M, B, K | `mass`, `damping`, `stiffness`: 0.1, 3, 3 at Carnegie Mellon University (snakelib) | N m s^2/rad, N m s/rad, N m/rad |
| tau | torques of the actuators, through a first-order low pass of `filter_time` | N m |

After Travers, Whitman and Choset, "Shape-based coordination in locomotion control" (IJRR 37, 2018): the torque that the surroundings put on a
joint is what its actuator must hold, with the other sign. Everything that the actuators hold counts: obstacles, friction, gravity, inertia.
Over a period F is held and the equation is solved exactly, so that the result does not depend on the period where F does not change. A parameter
stays within `reach` of its own value; at the end of the reach its rate is zero. One set of parameters serves the whole body: there are no windows.

The low pass keeps the loop stable: the inertia of the body acts back on A through the torques, one period late.

    run = sp.simulate(robot, sp.control.Admittance(gait, stiffness=1.0), world, duration=20.0)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from serpenoid.control.controller import Command
from serpenoid.control.sines import ShapeController, sines_of
from serpenoid.core import FloatArray, Gait, Robot, Start, World
from serpenoid.core.command import CONTROLLERS, GAITS
from serpenoid.core.declare import Description, Part, declare, description
from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Angle, Choice, Number
from serpenoid.gaits.waves import ramp

PERIOD = 0.02  # s
PARAMETERS = ("amplitude", "spatial", "offset")
YIELDING = ("amplitude", "spatial", "offset", "amplitude and spatial", "amplitude and offset", "all")


@CONTROLLERS.register
@description(eq=False)
class Admittance(Description):
    """A gait whose parameters give way to the torques in the joints."""

    gait: Gait = declare(Part("made of sines of one frequency", of=GAITS))
    parameters: str = declare(Choice("which of them give way", options=YIELDING), default="amplitude and spatial")
    mass: float = declare(Number("M of each parameter", "N m s^2/rad", above=0.0, high=1e6), default=0.1)
    damping: float = declare(Number("B of each parameter", "N m s/rad", low=0.0, high=1e6), default=3.0)
    stiffness: float = declare(Number("K of each parameter", "N m/rad", low=0.0, high=1e6), default=3.0)
    reach: float = declare(Angle("how far a parameter may go from its own value", above=0.0, high=np.pi), default=0.5)
    filter_time: float = declare(Number("low pass of the torques; 0: none", "s", low=0.0), default=0.1)
    ramp: float = declare(Number("quintic ramp-in of the gait", "s", low=0.0), default=1.0)
    period: float = declare(Number("between calls", "s", above=0.0), default=PERIOD)

    NAME = "admittance"
    TAG = "kind"
    SECTION = "controller"

    def prepare(self, robot: Robot, world: World, start: Start, progress: Any = None) -> tuple[Any, ...]:
        """What carries it out; it brings nothing along, and has no end of its own."""
        return robot, world, AdmittanceController(robot, self), start, None


def held_force(mass: float, damping: float, stiffness: float, h: float) -> tuple[FloatArray, FloatArray]:
    """Matrix (2, 2) and column (2,) with which (s, s') of M s'' + B s' + K s = F goes on by a time h at constant F: exact."""
    from scipy.linalg import expm

    plant = np.zeros((3, 3))
    plant[0, 1] = 1.0
    plant[1] = np.array([-stiffness, -damping, 1.0]) / mass
    done = expm(h * plant)
    return done[:2, :2], done[:2, 2]


class AdmittanceController(ShapeController):
    """Carries out `Admittance` on a robot; `parameters` are A, nu and o now."""

    NAME = "admittance"
    COLUMNS = (
        ("gait_amplitude", "rad", "greatest amplitude of a joint, as it gives way"),
        ("gait_spatial", "rad", "phase from joint to joint, as it gives way"),
        ("gait_offset", "rad", "offset of the yaw joints, as it gives way"),
        ("amplitude_force", "N m/rad", "generalised force of the joints' torques on the amplitude"),
    )

    def __init__(self, robot: Robot, admittance: Admittance) -> None:
        super().__init__(robot, admittance.period)
        self.admittance, self.sines = admittance, sines_of(admittance.gait, robot)
        words = admittance.parameters
        self.free = np.array([words == "all" or name in words for name in PARAMETERS])
        if self.free[2] and not self.yaw.any():
            raise InputError(f"parameters: an offset bends yaw joints; {robot.name} has none")
        if not self.sines.amplitude.any():
            raise InputError("gait: nothing moves on this robot, so that nothing can give way")
        joints = np.array([joint for joint, _ in robot.axes], dtype=float)
        self.place = joints - joints.mean()
        self.own = np.array([self.sines.amplitude.max(), self._spatial(joints), 0.0])  # rad: by themselves
        self.parameters, self.rates = self.own.copy(), np.zeros(3)  # rad, rad/s
        self.torque = np.zeros(len(robot.axes))  # N m, low-passed
        self.law = held_force(admittance.mass, admittance.damping, admittance.stiffness, admittance.period)

    def _spatial(self, joints: FloatArray) -> float:
        """Mean phase from joint to joint of the axes that move most, rad."""
        found = []
        for kind in (self.yaw, ~self.yaw):
            own = kind & (self.sines.amplitude > 0.0)
            if own.sum() > 1:
                steps = np.diff(np.unwrap(self.sines.phase[own])) / np.diff(joints[own])
                found.append((float(self.sines.amplitude[own].sum()), float(steps.mean())))
        return max(found)[1] if found else 0.0

    def first_angles(self) -> FloatArray:
        """The shape at t = 0, before the ramp."""
        return self.shape(0.0)[0]

    @door(t=Number(low=-1e9, high=1e9))
    def shape(self, t: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Angles (dof,), their rates, and their slopes (dof, 3) over the parameters at a time."""
        sines, (size, nu, offset), (dsize, dnu, doffset) = self.sines, self.parameters, self.rates
        turn = sines.frequency * t + sines.phase + (nu - self.own[1]) * self.place
        wave, side = sines.amplitude / self.own[0] * np.sin(turn), sines.amplitude / self.own[0] * np.cos(turn)
        full = sines.offset + offset * self.yaw + size * wave
        slopes = np.stack([wave, size * side * self.place, self.yaw.astype(float)], axis=1)
        going = slopes @ np.array([dsize, dnu, doffset]) + size * side * sines.frequency
        share, rise = ramp(t, self.admittance.ramp, 0.0)
        return share * full, share * going + rise * full, share * slopes

    def command(self, state: Any, t: float) -> Command:
        """Angles of the gait with the parameters that the torques leave it."""
        how = self.admittance
        share = 1.0 if how.filter_time == 0.0 else 1.0 - float(np.exp(-how.period / how.filter_time))
        self.torque += share * (np.asarray(state.joint_torques) - self.torque)
        force = -self.shape(t)[2].T @ self.torque
        self.give_way(force)
        self.calls.append([float(t), *(float(v) for v in self.parameters), float(force[0])])
        return Command(*self.within(*self.shape(t + self.period)[:2]))

    def give_way(self, force: FloatArray) -> None:
        """Let a period pass for the parameters under generalised forces (3,) in N m/rad."""
        ahead, push = self.law
        gap = self.parameters - self.own
        moved = ahead[0, 0] * gap + ahead[0, 1] * self.rates + push[0] * force
        rates = ahead[1, 0] * gap + ahead[1, 1] * self.rates + push[1] * force
        low = np.array([max(-self.admittance.reach, -self.own[0]), -self.admittance.reach, -self.admittance.reach])
        kept = np.clip(moved, low, self.admittance.reach)
        self.rates = np.where(self.free & (kept == moved), rates, 0.0)
        self.parameters = np.where(self.free, self.own + kept, self.own)

    def report(self) -> dict[str, Any]:
        """Parameters at the end, and the least and greatest amplitude."""
        rows = self.rows()
        if not len(rows):
            return {}
        return {**super().report(), "gait_amplitude_min": float(rows[:, 1].min()), "gait_amplitude_max": float(rows[:, 1].max())}  # fmt: skip

    def memory(self) -> dict[str, Any]:
        """Everything it remembers."""
        return {
            "parameters": self.parameters.copy(), "rates": self.rates.copy(), "torque": self.torque.copy(), "calls": self.rows(),
        }  # fmt: skip

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Take back what `memory` gave."""
        self.parameters, self.rates = (np.array(memory[name], dtype=float) for name in ("parameters", "rates"))
        self.torque = np.array(memory["torque"], dtype=float)
        self.restore_rows(memory["calls"])

    def __repr__(self) -> str:
        return f"AdmittanceController({self.admittance!r})"
