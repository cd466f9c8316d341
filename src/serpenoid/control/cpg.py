"""A central pattern generator: coupled phase oscillators, one per degree of freedom, that pass smoothly from gait to gait.

    phi_k'  = w + (c / N_k) sum over neighbours l of sin(phi_l - phi_k - (psi_l - psi_k))
    angle_k = x_k + r_k sin(phi_k)
    p''     = a (a/4 (P - p) - p')      for p each of r_k, x_k, psi_k and w, with P as the gait asks for it

| symbol | meaning | unit |
|---|---|---|
| phi_k | phase of oscillator k, in the order of `robot.axes` | rad |
| r_k, x_k, psi_k, w | amplitude, offset, phase along the body and frequency: R, X, Psi and W of the gait in force, low-passed | rad, rad/s |
| c | `coupling`: rate at which a phase error dies away | 1/s |
| N_k | number of neighbours: oscillators at most `reach` places away; all of them without a `reach` | - |
| a | `convergence`: 2/a is the time constant of the low pass, which is critically damped | 1/s |

The model is that of Ijspeert et al. (Science 315, 2007, equations of the supporting text), with two changes. There the frequency and the
phases along the body jump when the gait changes, and with them the joint rates; here they pass through the same low pass as amplitude and
offset, so that angles and rates are continuous. And the coupling is divided by the number of neighbours, so that its rate does not depend
on the number of joints: near the locked state phase errors die away with c m / (m - 1) for m oscillators that all know each other, and with
c (1 - cos(pi / (m - 1))) at the slowest for reach = 1, which is slow in a long body.

    cpg = sp.control.CPG((creep, sidewind), times=(6.0,))
    run = sp.simulate(robot, cpg, world, duration=12.0)

A gait whose wave runs the other way is the same sines with -W and -Psi, and is asked for as such: the wave slows down and turns round. A run begins at rest, in the robot's first posture. `CPG` is the description, `CPGController` what carries it out; `ask` changes its gait on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from serpenoid.control.controller import Command
from serpenoid.control.sines import ShapeController, Sines, sines_of
from serpenoid.core import FloatArray, Robot, Start, World
from serpenoid.core.command import CONTROLLERS, GAITS
from serpenoid.core.declare import Description, Parts, declare, description
from serpenoid.core.door import Of, door
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Number, Whole
from serpenoid.core.several import Array

PERIOD = 0.02  # s
FINE = 0.05  # of the shortest time constant: step of the integration, Runge-Kutta of order 4


@CONTROLLERS.register
@description(eq=False)
class CPG(Description):
    """Coupled phase oscillators that go from gait to gait."""

    gaits: tuple[Any, ...] = declare(Parts("in their order, each made of sines of one frequency", of=GAITS))
    times: FloatArray = declare(
        Array("at which the second and later gaits are asked for, rising", "s", least=0), default=()
    )
    coupling: float = declare(Number("rate at which phase errors die away", "1/s", low=0.0, high=1e3), default=5.0)
    reach: int | None = declare(Whole("how many places away a neighbour may be; none: all are neighbours", low=1), default=None)  # fmt: skip
    convergence: float = declare(Number("of amplitudes, offsets, phases, frequency", "1/s", above=0.0, high=1e3), default=4.0)  # fmt: skip
    period: float = declare(Number("between calls", "s", above=0.0), default=PERIOD)

    NAME = "cpg"
    TAG = "kind"
    SECTION = "controller"

    def check(self) -> None:
        """A gait at least, and a time for each after the first."""
        if not self.gaits:
            raise InputError("gaits: a CPG needs at least one gait")
        t = np.asarray(self.times)
        if len(t) != len(self.gaits) - 1:
            raise InputError(f"times: a CPG of {len(self.gaits)} gaits needs {len(self.gaits) - 1} times, got {len(t)}")
        if np.any(np.diff(np.concatenate([[0.0], t])) <= 0.0):
            raise InputError(f"times of a CPG must rise from above 0 s, got {t.tolist()}")

    def prepare(self, robot: Robot, world: World, start: Start, progress: Any = None) -> tuple[Any, ...]:
        """What carries it out; it brings nothing along, and has no end of its own."""
        return robot, world, CPGController(robot, self), start, None


class CPGController(ShapeController):
    """Carries out a `CPG` on a robot."""

    NAME = "cpg"
    COLUMNS = (
        ("cpg_frequency", "rad/s", "frequency of the oscillators; it changes its sign where the wave turns round"),
        ("phase_error", "rad", "greatest error of a phase difference between neighbours along the body"),
        ("cpg_amplitude", "rad", "greatest amplitude of an oscillator"),
    )

    def __init__(self, robot: Robot, cpg: CPG) -> None:
        super().__init__(robot, cpg.period)
        self.cpg, self.size = cpg, len(robot.axes)
        self.all = [sines_of(gait, robot) for gait in cpg.gaits]
        apart = np.abs(np.subtract.outer(np.arange(self.size), np.arange(self.size)))
        near = (apart > 0) & (apart <= (cpg.reach or self.size))
        self.weights = cpg.coupling * near / np.maximum(near.sum(axis=1, keepdims=True), 1)  # 1/s
        self.asked = 0  # gaits of the description so far
        self.begun = False
        self.target = np.zeros(3 * self.size + 1)  # R, X, Psi of each, W
        self.value, self.drift = np.zeros((2, 3 * self.size + 1))  # the same low-passed, and its rate
        self._take(self.all[0])
        self.value[2 * self.size :] = self.target[2 * self.size :]
        self.phase = self.value[2 * self.size : 3 * self.size].copy()  # rad

    @door(gait=Of(name="CompiledGait"))
    def ask(self, gait: Any) -> None:
        """Pass to another gait from now on; the gaits of the description come at their times all the same."""
        self._take(sines_of(gait, self.body))

    def _take(self, sines: Sines) -> None:
        # phases along the body count from the first oscillator, their steps within half a turn
        psi, frequency = np.unwrap(sines.phase), sines.frequency
        psi, now = psi - psi[0], self.value[2 * self.size : 3 * self.size]
        # sin(w t + psi) is also sin(-w t - psi + pi): whichever lies nearer, so that a wave turns round by slowing down, not by coiling up
        if np.abs(-psi - now).sum() < np.abs(psi - now).sum():
            psi, frequency = -psi, -frequency
        self.target[:] = np.concatenate([sines.amplitude, sines.offset, psi, [frequency]])

    def first_angles(self) -> FloatArray:
        """Straight, unless the start says otherwise."""
        return np.zeros(self.size)

    def command(self, state: Any, t: float) -> Command:
        """Angles and rates of the oscillators at the end of the period."""
        if not self.begun:
            self.begun = True
            self.value[self.size : 2 * self.size] = state.joint_angles
        while self.asked < len(self.all) and (self.asked == 0 or t >= self.cpg.times[self.asked - 1] - 1e-9):
            self._take(self.all[self.asked])
            self.asked += 1
        self.march(self.period)
        psi = self.value[2 * self.size : 3 * self.size]
        error = np.diff(self.phase - psi)
        error = np.abs((error + np.pi) % (2.0 * np.pi) - np.pi).max(initial=0.0)
        self.calls.append([float(t), float(self.value[-1]), float(error), float(self.value[: self.size].max())])
        return Command(*self.within(*self.angles()))

    def march(self, duration: float) -> None:
        """Let time pass for the oscillators (s)."""
        fast = max(self.cpg.convergence, 2.0 * self.cpg.coupling)
        steps = max(1, int(np.ceil(duration * fast / FINE)))
        h = duration / steps
        for _ in range(steps):
            y = np.concatenate([self.phase, self.value, self.drift])
            k1 = self.slope(y)
            k2 = self.slope(y + 0.5 * h * k1)
            k3 = self.slope(y + 0.5 * h * k2)
            y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + self.slope(y + h * k3))
            self.phase, self.value, self.drift = self._parts(y)

    def _parts(self, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        m = self.size
        return y[:m].copy(), y[m : 4 * m + 1].copy(), y[4 * m + 1 :].copy()

    def slope(self, y: FloatArray) -> FloatArray:
        """Rates of phases, low-passed numbers and their drifts."""
        phase, value, drift = self._parts(y)
        a, lead = self.cpg.convergence, phase - value[2 * self.size : 3 * self.size]
        pull = (self.weights * np.sin(lead[None, :] - lead[:, None])).sum(axis=1)
        return np.concatenate([value[-1] + pull, drift, a * (0.25 * a * (self.target - value) - drift)])

    def angles(self) -> tuple[FloatArray, FloatArray]:
        """Joint angles (dof,) now, and their rates."""
        m = self.size
        r, x, dr, dx = self.value[:m], self.value[m : 2 * m], self.drift[:m], self.drift[m : 2 * m]
        turn = self.slope(np.concatenate([self.phase, self.value, self.drift]))[:m]
        sine, cosine = np.sin(self.phase), np.cos(self.phase)
        return x + r * sine, dx + dr * sine + r * cosine * turn

    def memory(self) -> dict[str, Any]:
        """Everything it remembers."""
        return {
            "phase": self.phase.copy(), "value": self.value.copy(), "drift": self.drift.copy(), "target": self.target.copy(),
            "asked": self.asked, "begun": self.begun, "calls": self.rows(),
        }  # fmt: skip

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Take back what `memory` gave."""
        for name in ("phase", "value", "drift", "target"):
            getattr(self, name)[...] = memory[name]
        self.asked, self.begun = int(memory["asked"]), bool(memory["begun"])
        self.restore_rows(memory["calls"])

    def __repr__(self) -> str:
        return f"CPGController({self.cpg!r})"
