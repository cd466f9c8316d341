"""The spatial engine on a GPU: one thread per robot, the very functions that the CPU runs, its arrays in local memory.

A thread takes its robot's steps by `spatial.step.step` itself. Threads beside each other wait for the one that needs most corrections of a step. To let each go on
with its next step instead was tried: twice as slow, since threads that are apart no longer read side by side.

Constants that all robots of a launch share are stored once; else every robot has its own, robot last, so that neighbours read side by side.

| on the device | |
|---|---|
| servos, drives, limp joints; all gaits and friction laws of this package; planes, height fields, bars, boxes, pipes, patches, friction maps | work |
| ideal joints, contact between links, walls and posts, anchors, functions of users (gaits, laws) | refused (`refusal`) |
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numba
import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact import CustomLaw
from serpenoid.contact.self_contact import ON, LinkSkin, Touching
from serpenoid.contact.smoothing import REST
from serpenoid.contact.spots import FRICTION_ROWS, G_END, G_POST, SPOT_ROWS, SpotTables, Terrain
from serpenoid.contact.sums import SLOTS, SMOOTHING
from serpenoid.contact.touch import LAW_ROWS
from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.gaits.custom import CustomGait
from serpenoid.gaits.function import FunctionGait
from serpenoid.gaits.joints import ROWS
from serpenoid.simulation.device import clear, copy_row, copy_table, simulated
from serpenoid.simulation.device import cuda as device
from serpenoid.simulation.device import single as single_code
from serpenoid.spatial import self_touch
from serpenoid.spatial.command import set_command
from serpenoid.spatial.contacts import contact_loads
from serpenoid.spatial.layout import (
    AW,
    AXIS_ROWS,
    AZ,
    BODY_ROWS,
    COMMAND_KIND,
    DOF_ROWS,
    DONE,
    DRIVE,
    DT,
    GAIT,
    IDEAL,
    LAW,
    LEAST,
    LOAD_ROWS,
    MODE,
    MOTION_ROWS,
    NONE_HELD,
    TOLERANCE,
    SpatialBefore,
    SpatialChain,
    SpatialConstants,
    SpatialScratch,
    SpatialState,
    X,
    Z,
)  # fmt: skip
from serpenoid.spatial.march import DIVERGED, GOOD, UNKNOWN, keep_frame, record_loads
from serpenoid.spatial.newton import solve_prescribed
from serpenoid.spatial.step import step

cuda: Any = None  # numba.cuda, once it is asked for
BLOCK = 64  # threads; measured: 32 to 128 make no difference
REGISTERS = 128  # measured: more leave too few threads to hide the waiting for memory
NUMBERS = 32  # rows of numbers are filled up to multiples of this: laws with more or fewer numbers share a kernel
SOLVED_SINGLE = (
    4.0  # of the smoothing: last correction in single precision; smaller ones are often lost in its rounding
)
TURNED = 1e-6  # rad: what changes every rounding and nothing else
SHORTEST = 1e-3  # of the body's length: shorter ways count as this
REST_SINGLE = 1e-6  # of sqrt(g L): smoothing at rest in single precision


@njit
def advance_robot(constants, state, scratch, frames, stride, to):
    """Take the steps of one robot up to number `to`, a frame every `stride` steps into `frames` (n, numbers); GOOD, DIVERGED or UNKNOWN."""
    q, dt = state.motion, constants.numbers[DT]
    for k in range(int(q[DONE]) + 1, to + 1):
        if not set_command(constants, state, scratch, k * dt, dt):
            return UNKNOWN
        good, total, origin = step(constants, state, scratch, k * dt, NONE_HELD)
        if not good:
            return DIVERGED
        q[DONE] = k
        recorded = k % stride == 0
        if recorded or k == to or k == 1:
            contact_loads(state.loads, scratch.contacts, total, origin)
        if k == 1:
            record_loads(state, frames[0])
        if recorded:
            keep_frame(constants, state, scratch, frames[k // stride])
    return GOOD


# what a device leaves out: links that touch each other and ideal joints, which `refusal` tells


@njit
def _no_finding(chain, body, own):
    pass


@njit
def _no_pushing(chain, body, own, dt, eps, it, secant):
    pass


@njit
def _no_holding(body, own):
    pass


@njit
def _no_settling(chain, body, axes, own, eps, tolerance):
    return eps


@njit
def _no_loading(chain, body, axes, own, dt, prescribed, held, acc):
    pass


@njit
def _no_solving(chain, held, numbers, body, anchors, contacts, total, count, lack, acc):
    pass


INSTEAD = {
    solve_prescribed: _no_solving,
    self_touch.find_own: _no_finding, self_touch.push_touches: _no_pushing, self_touch.settle_touches: _no_settling,
    self_touch.load_joints: _no_loading, self_touch.hold_touches: _no_holding,
}  # fmt: skip


@contextlib.contextmanager
def left_out() -> Iterator[None]:
    """While this lasts, kernels are compiled without what a device leaves out."""
    if simulated():
        yield
        return
    from numba.cuda.descriptor import cuda_target

    context, others = cuda_target.typing_context, {id(key): value for key, value in INSTEAD.items()}
    plain = context.resolve_value_type
    context.resolve_value_type = lambda value: plain(others.get(id(value), value))
    try:
        yield
    finally:
        context.resolve_value_type = plain


class Size(NamedTuple):
    """What a kernel is compiled for: links, degrees of freedom, room for spots, numbers, slots of memory, single precision."""

    links: int
    dofs: int
    room: int
    numbers: int
    slots: int
    single: bool


KEPT = ("motion", "momenta", "dofs", "sums", "memory", "loads")  # the state, as a launch gives it back


def shape_of(engine: Any, single: bool) -> Size:
    """Size of an engine's arrays."""
    state, room = engine.state, engine.scratch.contacts.spots.shape[1]
    padded = -(-engine.constants.numbers.size // NUMBERS) * NUMBERS
    return Size(engine.robot.links, state.dofs.shape[1], room, padded, state.memory.shape[1], single)


def refusal(engine: Any) -> str | None:
    """Why a robot cannot run on a device; None: it can."""
    constants, ground = engine.constants, engine.constants.terrain.ground
    kind, mode = int(constants.numbers[COMMAND_KIND]), engine.state.motion[MODE]
    if mode == GAIT and constants.numbers[IDEAL] > 0.0:
        return "ideal joints in space run on the CPU; give the robot servos"
    if mode not in (GAIT, DRIVE) or (mode == GAIT and kind in (CustomGait.KIND, FunctionGait.KIND)):
        return "only built-in gaits and drives run on a GPU: Python controllers and functions of users cannot be called there"
    if int(constants.numbers[LAW]) == CustomLaw.KIND:
        return "a friction law of one's own is a function on the CPU; use a built-in law"
    if constants.chain.skin.numbers[ON] > 0.0:
        return "contact between links (robot.self_contact) runs on the CPU only"
    if ground[G_END] > ground[G_POST]:
        return "walls and upright obstacles run on the CPU only"
    if constants.terrain.anchors.shape[1]:
        return "anchors run on the CPU only"
    return None


def _body_of(shape: Size, real: Any) -> Any:
    """The kernel's function for a shape; sizes of local arrays are constants of the code."""
    global cuda  # the simulator wants the module there
    cuda = device()
    n, m, room, size, slots, _ = shape
    ends, memory_size, spots, touch, friction = m + 1, max(1, slots), SPOT_ROWS, LAW_ROWS, FRICTION_ROWS

    def march(given, fixed, kept, frames, strides, steps, status):
        i = cuda.grid(1)
        if i >= steps.shape[0]:
            return
        links, actuators, total, ground, numbers, par, tab = given
        first, kinds, field, objects, held, skin = fixed
        motion, momenta, dofs, sums, memory, loads = kept
        q, h, d = (
            cuda.local.array(MOTION_ROWS, real),
            cuda.local.array((6, n), real),
            cuda.local.array((DOF_ROWS, m), real),
        )
        acc, slots_ = cuda.local.array(SLOTS, real), cuda.local.array((5, memory_size), real)
        w, none = cuda.local.array((LOAD_ROWS, n), real), cuda.local.array((9, 1), real)
        own, row = cuda.local.array(4, real), cuda.local.array(size, real)
        clear(own)
        state = SpatialState(q, h, d, acc, slots_[:, :slots], none[:, :0], w)
        tables = SpotTables(
            cuda.local.array((spots, room), real), cuda.local.array((touch, room), real), cuda.local.array((friction, room), real),
            Touching(own, own, own, own, own, own, own),
        )  # fmt: skip
        before = SpatialBefore(
            cuda.local.array(MOTION_ROWS, real), cuda.local.array((6, n), real), cuda.local.array((DOF_ROWS, m), real),
            cuda.local.array(SLOTS, real), cuda.local.array((spots, room), real),
        )  # fmt: skip
        scratch = SpatialScratch(
            cuda.local.array((BODY_ROWS, n), real), cuda.local.array((AXIS_ROWS, m), real), cuda.local.array((ROWS, n), real),
            cuda.local.array((1, ends), real), tables, before,
        )  # fmt: skip
        chain = SpatialChain(
            links[:, :, min(i, links.shape[2] - 1)], first, kinds, actuators[:, :, min(i, actuators.shape[2] - 1)],
            total[min(i, total.shape[0] - 1)], LinkSkin(skin, skin, skin, skin),
        )  # fmt: skip
        terrain = Terrain(ground[:, min(i, ground.shape[1] - 1)], field, objects, held)
        constants = SpatialConstants(
            chain, terrain, row, par[min(i, par.shape[0] - 1)], tab[:, :, min(i, tab.shape[2] - 1)]
        )
        copy_row(numbers, row, min(i, numbers.shape[1] - 1), True)
        copy_row(motion, q, i, True)
        copy_row(sums, acc, i, True)
        copy_table(momenta, h, i, n, True)
        copy_table(dofs, d, i, m, True)
        copy_table(memory, slots_, i, slots, True)
        copy_table(loads, w, i, n, True)
        status[i] = advance_robot(constants, state, scratch, frames[i], strides[i], steps[i])
        copy_row(motion, q, i, False)
        copy_row(sums, acc, i, False)
        copy_table(momenta, h, i, n, False)
        copy_table(dofs, d, i, m, False)
        copy_table(memory, slots_, i, slots, False)
        copy_table(loads, w, i, n, False)

    return march


@lru_cache(maxsize=32)
def kernel_for(shape: Size) -> Any:
    """The compiled kernel of a shape (compiled at its first launch)."""
    options = {} if simulated() else {"max_registers": REGISTERS}
    return device().jit(**options)(_body_of(shape, numba.float32 if shape.single else numba.float64))


def stacked(engines: list[Any], single: bool) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
    """Arrays of robots of one shape: constants that may differ, constants of all, states; robot last."""
    real, one = np.float32 if single else np.float64, engines[0].constants

    def last(arrays: list[FloatArray]) -> Any:
        alike = all(a is arrays[0] or np.array_equal(a, arrays[0]) for a in arrays[1:])
        with np.errstate(over="ignore"):  # what is unlimited is infinite in single precision
            return np.ascontiguousarray(np.stack(arrays[:1] if alike else arrays, axis=-1), dtype=real)

    sets = [engine.constants for engine in engines]
    numbers = [_numbers(c.numbers, single) for c in sets]
    given = (
        last([c.chain.links for c in sets]), last([c.chain.actuators for c in sets]), np.array([c.chain.total for c in sets], dtype=real),
        last([c.terrain.ground for c in sets]), last(numbers), np.stack([c.par for c in sets]).astype(real), last([c.tab for c in sets]),
    )  # fmt: skip
    fixed = (
        one.chain.first, one.chain.kinds, one.terrain.field.astype(real), one.terrain.objects.astype(real),
        one.terrain.anchors.astype(real), np.zeros(max(40, one.chain.skin.numbers.size), dtype=real),
    )  # fmt: skip
    states = [engine.state for engine in engines]
    kept = tuple(
        np.ascontiguousarray(np.stack([getattr(s, name) for s in states], axis=-1), dtype=real) for name in KEPT
    )
    if single:  # the smoothing of the first step
        rows = np.stack(numbers, axis=-1)
        kept[3][SMOOTHING] = np.maximum(kept[3][SMOOTHING], rows[LEAST])
    return given, fixed, kept


def _numbers(row: FloatArray, single: bool) -> FloatArray:
    """Numbers of a robot, filled up; where rounding is coarse, corrections end earlier and the smoothing at rest is what can be resolved."""
    coarse = np.append(row, np.zeros(-row.size % NUMBERS))
    if not single:
        return coarse
    if row[TOLERANCE] <= 0.0:
        coarse[TOLERANCE], coarse[LEAST] = -SOLVED_SINGLE, REST_SINGLE / REST * row[LEAST]
    return coarse


def alike(engines: list[Any]) -> Any:
    """What robots of one launch must share besides their shape: chain order, terrain tables, sizes of gaits."""
    c = engines[0].constants
    return (
        tuple(c.chain.first), tuple(c.chain.kinds), c.terrain.field.tobytes(), c.terrain.objects.tobytes(), c.par.size, c.tab.shape,
        c.terrain.ground.size,
    )  # fmt: skip


class There(NamedTuple):
    """What a kernel reads and writes, on the device."""

    given: tuple[Any, ...]
    fixed: tuple[Any, ...]
    kept: tuple[Any, ...]
    frames: Any
    strides: Any
    steps: Any
    status: Any  # (n,)


def sent(groups: Any, frames: Any, strides: Any, steps: Any) -> There:
    """The arrays of robots of one shape (`stacked`), on the device."""
    module = device()
    whole = (np.asarray(a, dtype=np.int64) for a in (strides, steps, np.full(len(steps), -1)))
    given, fixed, kept = (tuple(module.to_device(a) for a in group) for group in groups)
    return There(given, fixed, kept, module.to_device(frames), *(module.to_device(a) for a in whole))


def run(shape: Size, there: There, block: int = BLOCK) -> None:
    """March all robots of arrays on the device up to their steps."""
    with single_code() if shape.single else contextlib.nullcontext(), left_out():
        kernel_for(shape)[-(-there.steps.shape[0] // block), block](*there)
    device().synchronize()


def launch(shape: Size, groups: Any, frames: Any, strides: Any, steps: Any, block: int = BLOCK) -> Any:
    """March robots of one shape (`stacked`) on the device: states, frames and status (n,) at the end."""
    there = sent(groups, frames, strides, steps)
    run(shape, there, block)
    return [a.copy_to_host() for a in there.kept], there.frames.copy_to_host(), there.status.copy_to_host()


def advance_all(engines: list[Any], steps: list[int], single: bool = False, turned: float = 0.0) -> Any:
    """March engines of one shape on the device up to their steps, begun `turned` (rad, small) about the vertical: states, frames and status (n,) at the end."""
    for engine in engines:
        why = refusal(engine)
        if why is not None:
            raise InputError(why)
    groups, strides = stacked(engines, single), [engine.stride for engine in engines]
    motion = groups[2][KEPT.index("motion")]
    w, x, y, z = motion[AW : AZ + 1].copy()
    motion[AW : AZ + 1] += 0.5 * turned * np.stack([-z, -y, x, w])
    room = max(int(k) // int(stride) + 1 for k, stride in zip(steps, strides, strict=True))
    frames = np.zeros((len(engines), room, engines[0].record.shape[1]), dtype=motion.dtype)
    for k, engine in enumerate(engines):
        frames[k, 0] = engine.record[0]
    return launch(shape_of(engines[0], single), groups, frames, strides, steps)


def rounding_shares(engines: list[Any], steps: list[int], motion: FloatArray) -> FloatArray:
    """Share of its way by which rounding alone moves the end of each robot in single precision: marched again, begun `TURNED`; `motion` is that of the first march."""
    begun = np.stack([engine.state.motion[X : Z + 1] for engine in engines], axis=-1)
    again = advance_all(engines, steps, True, TURNED)[0][KEPT.index("motion")]
    ends = motion[X : Z + 1].astype(float)
    way = np.maximum(np.linalg.norm(ends - begun, axis=0), [SHORTEST * engine.robot.length for engine in engines])
    shares: FloatArray = np.linalg.norm(again[X : Z + 1] - ends, axis=0) / way
    return shares
