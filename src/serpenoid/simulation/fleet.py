"""Many simulations of one robot that go on together: joint angles in, what is sensed out, all of it compiled and on threads.

    fleet = Fleet(sims, threads=2)
    good = fleet.advance(0.05, angles)       # (robots, dof) rad, reached at the end
    fleet.sensed.com                         # (robots, 3) m

`advance` does to each simulation what `sim.advance(duration, angles=row)` does, bit for bit, whatever the number of threads; a call costs
some microseconds per robot beside its steps. `put` puts another simulation of the same robot in the place of one. While simulations are
in a fleet, they go on by it alone.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from serpenoid.compiled.kernel import native_address
from serpenoid.contact import sensed as at
from serpenoid.control.curve import next_curve
from serpenoid.core import FloatArray
from serpenoid.core.copying import Independent
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.simulation.budget import threads_of
from serpenoid.simulation.simulation import Simulation


class Sensed(Independent):
    """What is sensed of every robot, (robots, ...); columns of `contact.sensed`."""

    def __init__(self, rows: FloatArray, dofs: int) -> None:
        self.rows, self.dofs = rows, dofs
        part = at.FIRST + dofs * np.arange(4)
        self.time = rows[:, at.TIME]  # s
        self.com = rows[:, at.COM : at.COM + 3]  # m
        self.velocity = rows[:, at.VELOCITY : at.VELOCITY + 3]  # m/s, of the centre of gravity
        self.way = rows[:, at.WAY : at.WAY + 2]  # direction of the mean link axis: cosine, sine
        self.tip = rows[:, at.TIP : at.TIP + 3]  # m, head's tip
        self.tip_way = rows[:, at.TIP_WAY : at.TIP_WAY + 2]  # direction of the head
        self.up = rows[:, at.UP : at.UP + 3]  # the vertical in axes of the middle link
        self.gyro = rows[:, at.GYRO : at.GYRO + 3]  # rad/s, of the middle link in its axes
        self.work = rows[:, at.WORK]  # J, positive, since the start
        self.angles = rows[:, part[0] : part[1]]  # rad
        self.rates = rows[:, part[1] : part[2]]  # rad/s
        self.torques = rows[:, part[2] : part[3]]  # N m
        self.walls = rows[:, part[3] :]  # N, sideways force of walls on each link

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.rows, self.dofs)


def _gather(group: Any, arrays: list[FloatArray]) -> None:
    """Add the arrays of numbers of a (nested) group in their order; whole numbers and the mass are not among them."""
    for item in group:
        if isinstance(item, tuple):
            _gather(item, arrays)
        elif isinstance(item, np.ndarray) and item.dtype == np.float64:
            arrays.append(item)


def places_of(sim: Simulation) -> NDArray[np.int64]:
    """Where the arrays of a simulation are: address and sizes of each, (arrays, 4)."""
    engine: Any = sim._engine
    frames = engine._frames if engine.NAME == "planar" else (engine.record,)
    arrays: list[FloatArray] = []
    for group in (engine.constants, engine.state, engine.scratch):
        _gather(group, arrays)
    arrays += [*frames, sim._curve, sim._earlier, sim._times, sim._goal]
    if not all(array.flags.c_contiguous for array in arrays):
        raise NumericalError("an array of an engine does not lie in one piece")  # never: engines make them so
    rows = [
        (array.__array_interface__["data"][0], *array.shape, *(0,) * (at.ADDRESS_COLUMNS - 1 - array.ndim))
        for array in arrays
    ]
    return np.array(rows, dtype=np.int64)


def code_of(sim: Simulation) -> NDArray[np.int64]:
    """Addresses of the kernels that a simulation goes on by: the next curve of its joints, and its steps."""
    engine: Any = sim._engine
    marches: tuple[Any, ...]
    if engine.NAME == "planar":
        from serpenoid.planar.step import march_driven, march_prescribed

        marches, frames = (march_prescribed, march_driven), engine._frames
    else:
        from serpenoid.spatial.march import march

        marches, frames = (march,), engine.record
    curve = native_address(next_curve, sim._curve, sim._earlier, sim._times, sim._goal, 0.0, False)
    given = engine.constants, engine.state, engine.scratch, frames, 0, 0
    return np.array([curve, *(native_address(march, *given) for march in marches)], dtype=np.int64)


class Fleet(Independent):
    """Simulations that go on together; see the module."""

    def __init__(self, sims: Sequence[Simulation], threads: int | None = None) -> None:
        if not sims:
            raise InputError("a fleet needs at least one simulation")
        self.sims, first = list(sims), sims[0]
        self.threads = min(threads_of(threads), len(self.sims))
        self._plane, self._dofs = first._engine.NAME == "planar", len(first.robot.axes)
        self.good = np.ones(len(sims), dtype=bool)
        self._tables: Any = None
        count = len(self.sims)
        self._following = np.zeros(count, dtype=np.bool_)
        self._first, self._full = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        self._asked, self._done = np.zeros(count), np.zeros(count, dtype=np.int64)
        self._rows = np.zeros((count, at.width(self._dofs, first.robot.links)))
        self.sensed = Sensed(self._rows, self._dofs)
        for k, sim in enumerate(self.sims):
            self.put(k, sim)
        self._lie(first)
        self._look(np.arange(count))

    def _lie(self, first: Simulation) -> None:
        """What holds in this process alone: its threads, and where code lies in memory."""
        self._pool: ThreadPoolExecutor | None = None
        self._process = os.getpid()
        self._shared: Any = first._engine.joints if self._plane else first._engine.constants.chain
        self._code = code_of(first)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but places in memory and threads."""
        here = ("_pool", "_process", "_shared", "_code", "_tables", "_rows")
        return {name: value for name, value in self.__dict__.items() if name not in here}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._rows, self._tables = self.sensed.rows, None
        for k in range(len(self.sims)):
            self._place(k)
        self._lie(self.sims[0])

    def _threads(self) -> ThreadPoolExecutor | None:
        """The other threads; made when they are needed, and anew in a forked process, which has none of them."""
        if self.threads > 1 and (self._pool is None or self._process != os.getpid()):
            self._pool, self._process = ThreadPoolExecutor(self.threads - 1), os.getpid()
        return self._pool

    def __len__(self) -> int:
        return len(self.sims)

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None and self._process == os.getpid():
            self._pool.shutdown()
        self._pool = None

    def put(self, k: int, sim: Simulation) -> None:
        """Take a simulation of the same robot, with the same step, as number k."""
        engine: Any = sim._engine
        if engine.NAME not in ("planar", "spatial") or (engine.NAME == "planar") != self._plane:
            raise InputError(f"a fleet is of one engine, planar or spatial; got {engine.NAME}")
        if sim.robot is not self.sims[0].robot or engine.dt != self.sims[0]._engine.dt:
            raise InputError("all simulations of a fleet have the same robot (the same object) and the same step")
        if getattr(engine, "_explicit", False):
            raise InputError('a fleet needs integrator = "implicit"')
        if sim.world.self_contact is not None:
            raise InputError(
                "a fleet takes no contact between links (world.self_contact); advance such simulations one by one"
            )
        self.sims[k] = sim
        sim._keep_states()
        self._following[k], self.good[k] = False, sim._good
        self._asked[k], self._done[k] = sim._asked, engine.done
        self._place(k)

    def reset(self, places: Sequence[int], sims: Sequence[Simulation]) -> None:
        """Put several simulations, and sense them."""
        for k, sim in zip(places, sims, strict=True):
            self.put(k, sim)
        self._look(np.asarray(places, dtype=np.intp))

    def _place(self, k: int) -> None:
        """Note where the arrays of simulation k are, and up to which step its record has room."""
        sim, table = self.sims[k], places_of(self.sims[k])
        if self._tables is None:
            self._tables = np.zeros((len(self.sims), *table.shape), dtype=np.int64)
        self._tables[k] = table
        engine: Any = sim._engine
        self._first[k] = engine._first_frame
        room = len(engine._frames.motion) if self._plane else len(engine.record)
        self._full[k] = (room + engine._first_frame) * engine.stride - 1

    def advance(self, duration: float, angles: ArrayLike, moving: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Let time pass: joint angles (robots, dof) are reached after `duration` s; which robots are good, (robots,).

        `moving`: the robots for which time passes; none: all.
        """
        goals = np.ascontiguousarray(angles, dtype=np.float64)
        if goals.shape != (len(self), self._dofs) or not np.isfinite(goals).all():
            raise InputError(f"angles must be {len(self)} rows of {self._dofs} finite numbers, got shape {goals.shape}")
        dt = self.sims[0]._engine.dt
        if not (np.isfinite(duration) and duration >= dt):
            raise InputError(f"a fleet goes on by at least a step, {dt:g} s, got {duration!r}")
        for sim in self.sims:
            if sim._states:
                sim._keep_states()
        going = self.good if moving is None else self.good & moving
        self._asked[going] += duration
        to = np.where(going, np.rint(self._asked / dt).astype(np.int64), self._done)
        for k in np.flatnonzero(to > self._full):
            self._make_room(int(k), int(to[k]))
        for k in np.flatnonzero(~self._following & going):  # the first angles since it came
            sim = self.sims[k]
            sim._own = False
            sim._track(goals[k], None, int(to[k]))
        self._call(goals, self._following & going, to)
        self._following |= going
        return self.good

    def _make_room(self, k: int, to: int) -> None:
        """Make room in the record of simulation k for frames up to a step."""
        engine: Any = self.sims[k]._engine
        need = to // engine.stride + 1 - engine._first_frame
        if self._plane:
            engine._grow(need)
        else:
            grown = np.zeros((max(need, 2 * len(engine.record)), engine.record.shape[1]))
            grown[: len(engine.record)] = engine.record
            engine.record = grown
        self._place(k)

    def _call(self, goals: FloatArray, following: NDArray[np.bool_], to: NDArray[np.int64]) -> None:
        """Advance all on the threads, then keep what each simulation notes of itself."""
        ended, turn = np.zeros(len(self), dtype=np.int64), np.zeros(1, dtype=np.int64)
        work = (turn, self._tables, goals, following, self._first, to, ended, self._rows)
        pool = self._threads()
        others = [] if pool is None else [pool.submit(self._march, *work) for _ in range(self.threads - 1)]
        self._march(*work)
        for other in others:
            other.result()
        for k in np.flatnonzero(self.good & (ended != 0)):
            self.good[k] = self.sims[k]._good = False
        np.copyto(self._done, to, where=self.good)
        for sim, when in zip(self.sims, self._asked.tolist(), strict=True):
            sim._asked = when
        if not self._plane:  # the record of an engine in space reaches so far
            for sim, last in zip(self.sims, self._done.tolist(), strict=True):
                sim._engine._last = last

    def _march(self, turn: NDArray[np.int64], tables: Any, *given: Any) -> None:
        """Advance the robots that no other thread takes."""
        kernel: Any
        if self._plane:
            from serpenoid.simulation.fleet_plane import advance_planar as kernel
        else:
            from serpenoid.simulation.fleet_space import advance_spatial as kernel
        kernel(turn, tables, self._shared, self._code, *given)

    def _look(self, places: NDArray[np.intp]) -> None:
        """Sense some robots without letting time pass."""
        rows = np.zeros((len(places), self._rows.shape[1]))
        count, still = len(places), self._done[places]
        none, idle = np.zeros((count, self._dofs)), np.zeros(count, dtype=np.bool_)
        turn, ended = np.zeros(1, dtype=np.int64), np.zeros(count, dtype=np.int64)
        self._march(turn, self._tables[places], none, idle, self._first[places], still, ended, rows)
        self._rows[places] = rows
