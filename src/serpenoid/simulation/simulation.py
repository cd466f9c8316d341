"""The one thing in which time passes: a robot in a world, advanced as far as asked, looked at, saved, branched.

    sim = sp.Simulation(robot, world, gait)
    sim.advance(2.0)                       # the gait for two seconds
    sim.advance(0.02, angles=q)            # then joint angles of one's own, reached after 20 ms
    sim.advance(0.02, torques=tau)         # or torques
    run = sim.finish()                     # the trajectory so far

Time moves in whole steps: a call ends at the step nearest to the time asked for so far, and what is left over is carried to the next
call. So however the time is cut, the result is the same bit for bit.

Angles are reached at the end of the call. In between the joints (or what servos aim at) follow a cubic in time that begins with the
present angles and rates and ends with the rates given, or, without rates, with those of the parabola through the last three
commands: angles and rates do not jump, accelerations may at the ends of calls, and torques converge with the step. Torques are held
for the call. Nothing given: the command that the simulation holds, else limp joints.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from serpenoid import signals
from serpenoid.control.controller import Command, Hold, command_of
from serpenoid.control.curve import next_curve
from serpenoid.core import FloatArray, Robot, Start, Trajectory, World, per_item
from serpenoid.core.door import door
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.core.quantities import Anything
from serpenoid.core.theirs import raise_lost, theirs
from serpenoid.simulation.budget import check_memory, check_steps
from serpenoid.simulation.commands import kind_of_command
from serpenoid.simulation.engines import engine_for
from serpenoid.simulation.restoring import FOREIGN, STRANGE, check_own, check_version
from serpenoid.simulation.setup import Settings, Setup
from serpenoid.simulation.state import State

STRETCH = 20_000  # steps of 20 links between two looks at progress and interrupts


class Simulation:
    """A robot in a world, in time; plane, space, MuJoCo and Drake alike.

    Parameters
    ----------
    robot : Robot
    world : World, default: level ground with Coulomb friction 0.1 along and 0.5 across the links
    command : a gait, a drive (torques), a controller or a plan; None: limp joints, unless `advance` is told
    start : Start, pose and velocity at t = 0
    step : s; default 2.5e-4 in the plane, 1e-3 in space
    record_interval : s between recorded frames
    integrator : "implicit", or in the plane "euler", "rk4"
    engine : None (the one that fits), "planar", "spatial", "mujoco", "mujoco-native", "drake", "drake-native"
    """

    @door(robot=Anything(), world=Anything(), start=Anything())  # `Setup` tells the order, too
    def __init__(
        self, robot: Robot, world: World | None = None, command: Any = None, start: Start | None = None, *, step: float | None = None,
        record_interval: float = 0.01, integrator: str = "implicit", engine: str | None = None,
    ) -> None:  # fmt: skip
        settings = Settings(step=step, record_interval=record_interval, integrator=integrator)
        self._begin(
            Setup(
                robot, World() if world is None else world, command, Start() if start is None else start, settings
            ).prepared(),
            engine,
        )
        self._bounded = True

    @classmethod
    @door
    def of(
        cls, setup: Setup, *, engine: str | None = None, step: float | None = None, stride: int | None = None
    ) -> Simulation:
        """The simulation of a description; `step` and `stride` replace those of its settings."""
        return cls._made(setup, engine, step, stride)

    @classmethod
    def _made(cls, setup: Setup, engine: str | None, step: float | None, stride: int | None) -> Simulation:
        self = cls.__new__(cls)
        self._begin(setup.prepared(), engine, step, stride)
        return self

    def _begin(
        self, setup: Setup, engine: str | None, step: float | None = None, stride: int | None = None, asked: FloatArray | None = None
    ) -> None:  # fmt: skip
        self.setup, self.engine_name = setup, engine
        self._kind, self._axes = kind_of_command(setup.command), len(setup.robot.axes)
        self._engine, first = engine_for(setup, engine, step, stride, asked)
        self._asked = 0.0  # s, by all calls so far
        self._calls = 0  # of the controller
        self._curve = np.zeros((4, self._axes))  # from command to command: see `control.curve`
        self._earlier, self._times = np.zeros(self._axes), np.zeros(2)
        self._goal = np.zeros((2, self._axes))
        self._tracking = False  # the curve is in force
        self._own = True  # the command it holds is in force, not what a call gave
        self._finished = False
        self._good = True
        self._states: list[weakref.ref[State]] = []
        self._first = first
        self._bounded = False  # a call may be too long; otherwise whoever made it has looked

    # what is

    @property
    def robot(self) -> Robot:
        """The robot."""
        return self.setup.robot

    @property
    def world(self) -> World:
        """The world."""
        return self.setup.world

    @property
    def time(self) -> float:
        """Time reached, s."""
        return float(self._engine.time)

    @property
    def step(self) -> float:
        """Step, s."""
        return float(self._engine.dt)

    @property
    def state(self) -> State:
        """The state now; it stays what it is when the simulation goes on."""
        state = State(self._engine)
        self._states.append(weakref.ref(state))
        return state

    @property
    def finished(self) -> bool:
        """Whether the controller has said that it is done, or the run has diverged."""
        return self._finished or not self._good

    def __repr__(self) -> str:
        return (
            f"Simulation({self.robot.name}, {self._kind or 'no command'}, t = {self.time:.6g} s, step {self.step:g} s)"
        )

    # time passes

    @door
    def advance(
        self, duration: float, angles: ArrayLike | None = None, rates: ArrayLike | None = None, torques: ArrayLike | None = None, *,
        progress: Callable[[float], None] | None = None,
    ) -> bool:  # fmt: skip
        """Let time pass: `duration` in s; joint angles (rad) and rates (rad/s) at its end, or torques (N m); False if it diverged."""
        if not isinstance(duration, float | int | np.floating | np.integer) or not 0.0 <= duration < 1e9:
            raise InputError(f"duration must be a time in s from 0, got {duration!r}")
        last = round((self._asked + duration) / self._engine.dt)
        if self._bounded and last - self._engine.done > STRETCH:
            check_steps(self.setup, last - self._engine.done)
            check_memory(self.setup, last // self._engine.stride)
        self._keep_states()
        self._asked += duration
        if angles is not None or torques is not None or rates is not None:
            self._own = False
            self._obey(angles, rates, torques, last)
        elif not self._own:
            self._resume_own()
        if self._own and self._kind == "controller":
            return self._advance_controlled(last, progress)
        return self._march(last, progress)

    def _obey(self, angles: Any, rates: Any, torques: Any, until: int) -> None:
        """Take angles or torques that a call gave: arrays of the right shape at once, anything else with all checks."""
        shape = (self._axes,)
        if (
            torques is None
            and getattr(angles, "shape", None) == shape
            and (rates is None or getattr(rates, "shape", None) == shape)
        ):
            self._track(angles, rates, until)
        elif angles is None and rates is None and getattr(torques, "shape", None) == shape:
            self._engine.push(torques)
            self._tracking = False
        else:
            self._apply(command_of(Command(angles, rates, torques), self._axes, "advance", self.time), until)

    def _keep_states(self) -> None:
        for reference in self._states:
            state = reference()
            if state is not None:
                state.keep()
        self._states.clear()

    def _march(self, last: int, progress: Callable[[float], None] | None = None) -> bool:
        """Advance the engine to a step, in stretches between which an interrupt is answered."""
        engine = self._engine
        if last <= engine.done or not self._good:
            return self._good
        if progress is None and last - engine.done <= STRETCH:
            self._good = engine.advance(last)
            return self._good or self._failed()
        begin, stretch = engine.done, max(1, STRETCH * 20 // self.robot.links)
        while engine.done < last and self._good:
            signals.check()
            self._good = engine.advance(min(engine.done + stretch, last))
            if progress is not None:
                progress((engine.done - begin) / (last - begin))
        return self._good or self._failed()

    def _failed(self) -> bool:
        """The run is not finite: raise what a user's own function raised meanwhile, if that is why."""
        getattr(self.setup.command, "raise_problem", lambda: None)()
        raise_lost()
        return False

    def _advance_controlled(self, last: int, progress: Callable[[float], None] | None) -> bool:
        """Advance by calls of the controller, each at the step nearest to its time."""
        controller, engine = self.setup.command, self._engine
        begin = engine.done
        while engine.done < last and not self.finished:
            signals.check()
            due = round(self._calls * controller.period / engine.dt)
            if engine.done >= due:
                self._calls += 1
                until = round(self._calls * controller.period / engine.dt)
                self._call(controller, max(until, engine.done + 1))
                continue
            self._march(min(due, last))
            if progress is not None:
                progress((engine.done - begin) / (last - begin))
        return self._good

    def _call(self, controller: Any, until: int) -> None:
        """Ask the controller for a command that lasts until a step."""
        t = self._engine.time
        state = self.state
        with theirs(f"{controller!r} at t = {t:.6g} s"[:200], getattr(controller, "function", controller.command)):
            answer = controller.command(state, t)
        command = command_of(answer, self._axes, repr(controller), t)
        self._keep_states()
        self._apply(command, until)
        self._finished = command.done

    def _apply(self, command: Command, until: int) -> None:
        """Hand a command to the engine, in force until a step."""
        engine = self._engine
        for k, hold in command.anchors.items():
            engine.anchor(k, hold is not None, *((hold.place, hold.velocity) if isinstance(hold, Hold) else ()))
        if command.passive is not None:
            engine.passive(np.asarray(command.passive, dtype=bool))
        if command.torques is not None:
            engine.push(np.asarray(command.torques, dtype=float))
            self._tracking = False
        elif command.angles is not None:
            self._track(np.asarray(command.angles, dtype=float), command.rates, until)

    def _track(self, angles: FloatArray, rates: ArrayLike | None, until: int) -> None:
        """Let the joints follow a cubic from where they are to the angles at a step."""
        engine, curve, times = self._engine, self._curve, self._times
        t0, t1 = engine.time, until * engine.dt
        if not t1 > t0:
            raise InputError(
                f"angles need a time to be reached in: give a duration of at least a step, {engine.dt:g} s"
            )
        first = not self._tracking or times[1] != t0
        if first:
            curve[0], curve[1], times[1] = engine.joint_angles(), engine.joint_rates(), t0
        else:
            curve[:2] = curve[2:]
        self._goal[0], self._goal[1] = angles, np.nan if rates is None else rates
        self._tracking = bool(next_curve(curve, self._earlier, times, self._goal, t1, first))
        if not self._tracking:
            command_of(Command(angles, rates), self._axes, "advance", t0)
        engine.track(t0, t1, curve)

    def _resume_own(self) -> None:
        """Go back from what a call gave to the command that the simulation holds, or to limp joints."""
        if self._kind in ("gait", "drive"):
            raise InputError(
                "this simulation was taken off its command by angles or torques and cannot go back to it without a jump; "
                "give angles or torques to every later call"
            )
        self._own = self._kind == "controller"
        if self._kind is None:
            self._engine.push(np.zeros(self._axes))
            self._tracking = False

    # results

    def finish(self) -> Trajectory:
        """The trajectory so far: frames, events, metrics, status, warnings."""
        from serpenoid.simulation.judge import trajectory_of

        return trajectory_of(self)

    # saved, restored, branched

    def memory(self) -> dict[str, Any]:
        """Everything needed to go on, as numbers, texts, lists and arrays (copies)."""
        return self._remembered(self.setup.command.memory() if self._kind == "controller" else {})

    def _remembered(self, controller: Mapping[str, Any]) -> dict[str, Any]:
        """The memory, with what the controller tells of itself."""
        own = {
            "asked": self._asked, "calls": self._calls, "own": self._own, "finished": self._finished,
            "curve": self._curve.tolist(), "earlier": self._earlier.tolist(), "times": self._times.tolist(), "tracking": self._tracking,
            "step": self._engine.dt, "stride": self._engine.stride, "engine": self.engine_name,
            "controller": controller,
        }  # fmt: skip
        return {"simulation": own, "arrays": {name: array.copy() for name, array in self._engine.arrays().items()}}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Take back what `memory` gave, for the same description."""
        try:
            own, arrays = memory["simulation"], memory["arrays"]
            if float(own["step"]) != self._engine.dt:
                raise InputError(
                    f"this state was saved with a step of {own['step']} s, the simulation has {self._engine.dt} s"
                )
            self._keep_states()
            fresh = self.memory()["simulation"]
            self._engine.put(arrays)
            check_own(fresh, own, self.time, self.setup.command.period if self._kind == "controller" else None)
            self._take(own)
            if self._kind == "controller":
                self.setup.command.recall(own["controller"])
        except InputError:
            raise
        except STRANGE as error:
            raise InputError(f"{FOREIGN}: {type(error).__name__}: {error}"[:200]) from error

    def _take(self, own: Mapping[str, Any]) -> None:
        """Take back the simulation's own numbers."""
        self._asked, self._calls = float(own["asked"]), int(own["calls"])
        self._own, self._finished, self._good = bool(own["own"]), bool(own["finished"]), True
        self._curve[...], self._earlier[...], self._times[...] = own["curve"], own["earlier"], own["times"]
        self._tracking = bool(own["tracking"])

    def __getstate__(self) -> dict[str, Any]:
        """The description (the controller in it, with what it remembers), the state, and what was recorded."""
        kept = {"setup": self.setup, "first": self._first, "good": self._good, "bounded": self._bounded}
        return {**kept, "memory": self._remembered({}), "recorded": self._engine.recorded()}

    def __setstate__(self, kept: Mapping[str, Any]) -> None:
        """Make the engine anew, for places in memory are those of one process, and put it into the state."""
        own, arrays = kept["memory"]["simulation"], kept["memory"]["arrays"]
        self._begin(kept["setup"], own["engine"], own["step"], own["stride"], kept["first"])
        self._bounded = kept["bounded"]
        if kept["good"]:
            self._engine.put(arrays)
        else:  # nothing will go on from here, and numbers that are not finite stay as they are
            for name, array in self._engine.arrays().items():
                array[...] = arrays[name]
        self._engine.put_recorded(kept["recorded"])
        self._take(own)
        self._good = kept["good"]

    def __copy__(self) -> Simulation:
        made = type(self).__new__(type(self))
        made.__setstate__({**self.__getstate__(), "setup": self.setup.copied()})
        return made

    @door
    def save(self, path: str | Path) -> Path:
        """Write the trajectory so far with the state from which `restore` and `sp.resume` go on."""
        return self.finish().save(path)

    def restore(self, state: Mapping[str, Any] | Trajectory | str | Path) -> Simulation:
        """Go back (or on) to a saved state of the same robot, world and command: what `memory` gave, a trajectory, or its file."""
        if isinstance(state, str | Path):
            from serpenoid.formats.trajectory import load

            state = load(state)
        if isinstance(state, Trajectory):
            check_version(state)
            self.setup.must_equal(state.scenario)
            state = state.state
        self.recall(state)
        return self

    def branch(self) -> Simulation:
        """A second simulation that goes on from here by itself; its record begins here."""
        if not self._good:
            raise NumericalError("this simulation has diverged and cannot be branched")
        other = copy.copy(self)
        other._bounded = False
        other._engine.restart_record()
        return other


def check_until(name: str, value: float) -> float:
    """A time in s, finite and > 0."""
    return float(per_item(name, value, 1, 0.0, strict=True)[0])
