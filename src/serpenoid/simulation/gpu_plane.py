"""Robots in the plane on a GPU: one thread per robot marches by the very steps that the CPU has (`planar.shape_by_link`, `planar.drive_by_link`).

The number of links is a constant of the compiled kernel; a kernel is compiled once per process for each number of links, kind of joints and precision. What a thread
keeps of its links lies in local memory (side by side for neighbouring threads), constants in global memory, equal ones once: the links of a table one after
another, so that threads with the same robot and ground read the same place. Cells that share them are marched beside each other.

Motion and sums are float64 in any precision.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any, NamedTuple

import numpy as np

from serpenoid.compiled import njit
from serpenoid.contact import sums as slot
from serpenoid.contact.custom import CustomLaw
from serpenoid.contact.ground import LIMIT_ROWS
from serpenoid.contact.sums import SLOTS
from serpenoid.contact.touch import LAW_ROWS
from serpenoid.core import FloatArray
from serpenoid.frames import sincos1
from serpenoid.gaits import CustomGait, FunctionGait, Sequence
from serpenoid.planar import drive_by_link, shape_by_link
from serpenoid.planar import layout as at
from serpenoid.planar.by_link import DRIVE_ROWS, STATE_ROWS, WORK_ROWS, OneLink, covers
from serpenoid.planar.drive_step import plain_joints
from serpenoid.planar.layout import (
    ANGLE,
    ANGLE0,
    BODY_ROWS,
    DONE,
    LINK_CONSTANTS,
    MOTION_SLOTS,
    PSI,
    SOLVE_ROWS,
    TURN0,
    VX,
    VY,
    PlanarConstants,
    PlanarScratch,
    PlanarState,
    X,
    Y,
)  # fmt: skip
from serpenoid.simulation.device import clear, copy_row, copy_table, cuda, simulated, single
from serpenoid.simulation.packing import Launch, Shared

FRAME_SUMS = (
    slot.KINETIC,
    slot.POTENTIAL,
    slot.POSITIVE_WORK,
    slot.FRICTION_LOSS,
)  # what the judgement of a run needs of each frame
HEAD = 4 + len(FRAME_SUMS)  # numbers of a frame before those of the links: x, y, vx, vy, then these sums
KINETIC, POTENTIAL, POSITIVE_WORK, FRICTION_LOSS = FRAME_SUMS
BLOCK = 64  # threads of a block; measured: 32 to 128 make no difference
REGISTERS = {
    ("shape", "float64"): 168,
    ("shape", "float32"): 128,
    ("torque", "float64"): 168,
}  # measured: more leave too few threads, fewer spill
LAW_NUMBERS = at.NUMBERS + 4  # constants of a run: those of the engine and room for the parameters of a law
MEMORY = 4 << 30  # bytes of frames in one launch


class Packed(NamedTuple):
    """What a kernel reads and writes; the last axis of the state is that of the cells, the first of the tables that of the different ones."""

    links: Any  # (d, n, LINK_CONSTANTS)
    joints: Any  # (d, n, JOINT_CONSTANTS)
    numbers: Any  # (size, c)
    rows: Any  # (c, parameters of the command)
    tables: Any  # (., ., d)
    free: Any  # (d, n, JOINT_STATES): of the joints' state what does not change here
    which: Any  # (4, c): links, joints, tables, free of each cell
    motion: Any  # (MOTION_SLOTS, c)
    state: Any  # (STATE_ROWS, n, c)
    memory: Any  # (4, n, c)
    sums: Any  # (SLOTS, c)
    frames: Any  # (f, HEAD + 2 n, c)
    steps: Any  # (2, c): steps to be taken, steps per frame
    dt: Any  # (c,)
    failed: Any  # (c,): 1 where a number was not finite


def refusal(engine: Any) -> str | None:
    """Why the engine of a cell cannot march on a device, if it cannot."""
    numbers, source = engine.constants.numbers, engine.state.motion[at.SOURCE]
    if int(numbers[at.LAW]) == CustomLaw.KIND:
        return "a friction law of one's own runs on the CPU only"
    if source == at.FOLLOWED and int(numbers[at.COMMAND]) in (CustomGait.KIND, FunctionGait.KIND):
        return "a gait that is a function of one's own runs on the CPU only"
    if source == at.FOLLOWED and int(numbers[at.COMMAND]) == Sequence.KIND and _holds_functions(engine.constants.row):
        return "a sequence with a gait that is a function of one's own runs on the CPU only"
    if numbers[at.ORDER] > 0.0:
        return 'only integrator = "implicit" runs on a GPU'
    if not covers(engine.constants):
        return "several contact points, patches, friction maps, load laws, ideal joints with stops and contact between links run on the CPU only"
    prescribed = engine.state.motion[at.MODE] == at.PRESCRIBED and source == at.FOLLOWED
    if not prescribed and not (source in (at.DRIVE, at.NOTHING) and plain_joints(engine.constants, engine.state)):
        return "in the plane a GPU takes gaits of ideal joints, and drives of joints without servo, gear friction, rotor, stops and locks"
    return None


def _holds_functions(row: FloatArray) -> bool:
    """Whether a sequence has a gait by a function of a user."""
    return any(int(row[2 + 8 * k]) in (CustomGait.KIND, FunctionGait.KIND) for k in range(int(row[0])))


device: Any = None  # the module numba.cuda, once it is needed; the simulator puts its own in this place


@njit
def keep_frame(frame, cell, state, headings):
    """Write a robot's place, speed, sums and links into its frame."""
    q, acc, n = state.motion, state.sums, headings.shape[0]
    c, s = sincos1(q[PSI])
    frame[0, cell], frame[1, cell] = q[X], q[Y]
    frame[2, cell], frame[3, cell] = c * q[VX] - s * q[VY], s * q[VX] + c * q[VY]
    frame[4, cell], frame[5, cell] = acc[KINETIC], acc[POTENTIAL]
    frame[6, cell], frame[7, cell] = acc[POSITIVE_WORK], acc[FRICTION_LOSS]
    for i in range(n):
        frame[HEAD + i, cell] = headings[i] + q[PSI]
        frame[HEAD + n + i, cell] = state.links[TURN0, i]


@functools.cache
def kernel(n: int, size: int, driven: bool, precision: str) -> Any:
    """The kernel for robots of n links; `size` numbers of constants."""
    import numba

    real = numba.float32 if precision == "float32" else numba.float64
    double = numba.float64
    nothing: Any = None  # no links that touch each other
    step: Any = drive_by_link.step if driven else shape_by_link.step
    work_rows = DRIVE_ROWS if driven else WORK_ROWS

    def march(p):  # type: ignore[no-untyped-def]
        work, kept = device.local.array((work_rows, n), real), device.local.array((STATE_ROWS, n), real)
        memory, newton = device.local.array((4, n), real), device.local.array(12, real)
        q, acc, numbers = (
            device.local.array(MOTION_SLOTS, double),
            device.local.array(SLOTS, double),
            device.local.array(size, real),
        )
        one = OneLink(
            device.local.array((LINK_CONSTANTS, 1), real), device.local.array((BODY_ROWS, 1), real), device.local.array((LAW_ROWS, 1), real),
            device.local.array((LIMIT_ROWS, 1), real), device.local.array((4, 1), real), device.local.array((STATE_ROWS, 1), real),
            device.local.array((3, 1), real), device.local.array((SOLVE_ROWS, 1), real),
        )  # fmt: skip
        clear(one.touch[:, 0])  # laws whose axes do not influence each other leave their common slope as it is: none
        for cell in range(device.grid(1), p.dt.shape[0], device.gridsize(1)):
            # the state of this robot
            copy_row(p.motion, q, cell, True)
            copy_row(p.sums, acc, cell, True)
            copy_row(p.numbers, numbers, cell, True)
            copy_table(p.state, kept, cell, n, True)
            copy_table(p.memory, memory, cell, n, True)
            links, joints = p.links[p.which[0, cell]].T, p.joints[p.which[1, cell]].T
            table, free = p.tables[:, :, p.which[2, cell]], p.free[p.which[3, cell]].T
            constants = PlanarConstants(links, links, joints, numbers, links, numbers, p.rows[cell], table, nothing)
            state = PlanarState(q, kept, free, acc, kept, memory)
            scratch = PlanarScratch(work, work, work, work, work, newton, work, nothing)
            # its steps
            dt, last, stride = p.dt[cell], p.steps[0, cell], p.steps[1, cell]
            for k in range(int(q[DONE]), last):
                if not step(constants, state, scratch, one, (k + 1) * dt, dt):
                    p.failed[cell] = 1
                    break
                q[DONE] = k + 1
                if (k + 1) % stride == 0:
                    keep_frame(p.frames[(k + 1) // stride], cell, state, kept[ANGLE0] if driven else work[ANGLE])
            # and back
            if not driven and q[DONE] > 0.0:
                for i in range(n):
                    kept[ANGLE0, i] = work[ANGLE, i]
            copy_row(p.motion, q, cell, False)
            copy_row(p.sums, acc, cell, False)
            copy_table(p.state, kept, cell, n, False)
            copy_table(p.memory, memory, cell, n, False)

    options = {} if simulated() else {"max_registers": REGISTERS.get(("torque" if driven else "shape", precision))}
    return device.jit(**options)(march)


def packed(launch: Launch, chosen: np.ndarray, precision: str) -> Packed:
    """The arrays of some cells of a launch, as kernels take them."""
    real, count = np.dtype(precision), len(chosen)
    constants, state = launch.constants, launch.state
    n = constants["links"].arrays.shape[2]

    def cells_last(array: FloatArray, dtype: Any = real) -> FloatArray:
        return np.ascontiguousarray(np.moveaxis(array[chosen], 0, -1), dtype=dtype)

    def table(given: Shared) -> FloatArray:
        return np.ascontiguousarray(given.arrays.transpose(0, 2, 1), dtype=real)

    names = ("links", "joints", "table")
    free, which = np.unique(state["joints"][chosen], axis=0, return_inverse=True)
    frames = int((launch.steps[chosen] // launch.stride[chosen]).max()) + 1
    numbers, rows = constants["numbers"], constants["row"]
    size = max(LAW_NUMBERS, numbers.arrays.shape[1])  # one kernel for the laws of this package
    padded = np.pad(numbers.arrays, ((0, 0), (0, size - numbers.arrays.shape[1])))
    return Packed(
        table(constants["links"]), table(constants["joints"]), cells_last(padded[numbers.which]),
        np.ascontiguousarray(rows.arrays[rows.which[chosen]], dtype=real),
        np.ascontiguousarray(np.moveaxis(constants["table"].arrays, 0, -1), dtype=real),
        np.ascontiguousarray(free.transpose(0, 2, 1), dtype=real),
        np.stack([*(constants[name].which[chosen] for name in names), which.ravel()]).astype(np.int32),
        cells_last(state["motion"], float), cells_last(state["links"][:, :STATE_ROWS]), cells_last(state["memory"]),
        cells_last(state["sums"], float), np.full((frames, HEAD + 2 * n, count), np.nan, dtype=real),
        np.stack([launch.steps[chosen], launch.stride[chosen]]), launch.dt[chosen], np.zeros(count, dtype=np.int32),
    )  # fmt: skip


def precision_of(launch: Launch, wanted: str) -> str:
    """Precision of a launch: joints driven by torques are computed in float64 in any case.

    Single precision costs them more time, not less (rounding keeps the passes of a step from settling), and open chains under torques magnify it.
    """
    return "float64" if launch.driven else wanted


def chunks(launch: Launch, precision: str) -> list[np.ndarray]:
    """Cells of a launch in groups whose frames fit, those with equal robots and grounds beside each other."""
    n = launch.constants["links"].arrays.shape[2]
    order = np.lexsort((launch.constants["table"].which, launch.constants["links"].which))
    frames = (launch.steps // launch.stride).max() + 1
    most = max(1, MEMORY // int(frames * (HEAD + 2 * n) * np.dtype(precision).itemsize))
    return [order[k : k + most] for k in range(0, len(order), most)]


def sent(given: Packed) -> Packed:
    """The arrays on the device."""
    global device
    device = cuda()
    return Packed(*(device.to_device(array) for array in given))


def run(there: Packed, driven: bool, precision: str) -> None:
    """March all robots of arrays on the device to their ends."""
    compiled = kernel(there.state.shape[1], there.numbers.shape[0], driven, precision)
    grid = -(-there.dt.shape[0] // BLOCK), BLOCK
    with single() if precision == "float32" else contextlib.nullcontext():
        compiled[grid](there)
    device.synchronize()


def march(launch: Launch, chosen: np.ndarray, precision: str) -> Packed:
    """March some cells of a launch to their ends on the device; returns their arrays."""
    given = packed(launch, chosen, precision)
    there = sent(given)
    run(there, launch.driven, precision)
    changed = ("motion", "state", "memory", "sums", "frames", "failed")
    return given._replace(**{name: getattr(there, name).copy_to_host() for name in changed})


def put_back(launch: Launch, chosen: np.ndarray, done: Packed) -> None:
    """Give the cells their states and frames."""
    n = done.state.shape[1]
    # robot first, so that what belongs to a cell lies together
    states, motions, memories, sums, all_frames = (
        np.ascontiguousarray(np.moveaxis(array, -1, 0)) for array in (done.state, done.motion, done.memory, done.sums, done.frames)
    )  # fmt: skip
    for j, k in enumerate(chosen):
        engine: Any = launch.begun[k].sim._engine
        links = engine.state.links.copy()
        links[:STATE_ROWS] = states[j]
        first = engine.recorded()
        count = int(motions[j, DONE]) // engine.stride + 1
        motion = np.full((count, MOTION_SLOTS + SLOTS), np.nan)
        rows = np.full((count, at.FRAME_ROWS, n), np.nan)
        motion[0], rows[0] = first["motion"][0], first["links"][0]
        frames = all_frames[j, 1:count]
        motion[1:, [X, Y, VX, VY, *(MOTION_SLOTS + s for s in FRAME_SUMS)]] = frames[:, :HEAD]
        rows[1:, at.HEADING], rows[1:, at.SPEED] = frames[:, HEAD : HEAD + n], frames[:, HEAD + n :]
        rows[:, at.PRESS] = engine.state.links[at.LAST_NORMAL]
        state = {"motion": motions[j], "links": links, "memory": memories[j], "sums": sums[j]}
        launch.put_back(int(k), state, {"motion": motion, "links": rows, "first": np.zeros(1)}, not done.failed[j])
