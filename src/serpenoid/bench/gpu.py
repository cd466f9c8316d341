"""`serpenoid bench gpu`: steps per second of batches on an NVIDIA GPU, and how well they agree with the CPU.

| key | what |
|---|---|
| shape_float64, shape_float32 | steps/s of gaits with ideal joints: 20 links, one Coulomb contact each, implicit step, all sums, robots with different gaits in one launch |
| torque_float64 | the same of joints driven by torques |
| space_float64, space_float32 | the same of 20 links under servos on the ground in space, sidewinding at different amplitudes; copies not counted |
| *_smooth_float64 | the same with a smoothing of 1e-3 m/s, as `bench planar` has it, instead of the default, which needs about twice the passes under torques |
| worst_* | largest difference of place, heading and velocity of some of these robots from the CPU's, m, rad, m/s, rad/s |
| agreement | random robots over all laws, gaits and drives: relative differences of com_distance after 1 s in float64, after 8 s in float32 |
| agreement_space_* | the same of random servo robots, gaits, laws and slopes in space; `beyond_own`: cells that differ by more than 1e-9 and by more than ten times what changes of 1e-12 in the gait's amplitude do on the CPU |
| figures | Figs 7, 8 and 9 of Ma, Li and Wang (2001) on a fine grid, 8 s each: seconds of set-up, of the device (copies included) and of measuring |

Compilation is not counted; the time of a launch is the shortest of three.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from serpenoid import contact, gaits
from serpenoid.contact import sums as slot
from serpenoid.core import FloatArray, Robot, Settings, World
from serpenoid.formats.scenario import read
from serpenoid.gaits.drives import SineTorque
from serpenoid.planar import layout as at
from serpenoid.robots import ma2001
from serpenoid.simulation import gpu_plane, gpu_space
from serpenoid.simulation.batch import execute_many
from serpenoid.simulation.cells import Variations
from serpenoid.simulation.device import cuda
from serpenoid.simulation.gpu import finished
from serpenoid.simulation.packing import Begun, Launch, begun_cells, launches, uncollected
from serpenoid.simulation.setup import Setup
from serpenoid.spatial.march import GOOD

Progress = Callable[..., None]

STEP, STEPS = 2.5e-4, 2000
ROBOTS, DIFFERENT = 135_168, 1024  # 1,024 per multiprocessor of an H200; different gaits among them
SPACE_STEP, SPACE_ROBOTS, SPACE_STEPS = 1e-3, 65_536, 400
SPACE_RAMP = 1000  # steps in which the gait begins
ONE_CONTACT = ("robot.preset=alternating", "robot.links=20", "world.ground.model=point")  # 19 axes
LINKS_IN_SPACE = (8, 16)  # of the random robots
REPEATS = 3
AGREED, AGREED_SINGLE = 256, 1000  # random cells


def launch_of(commands: Sequence[Any], duration: float, smoothing: float | None = None) -> Launch:
    """One launch of the paper's robot with these commands; frames at the end only."""
    world, robot = World(contact.Coulomb(along=0.2, across=0.5, smoothing=smoothing)), ma2001()
    settings = Settings(duration, STEP, record_interval=duration, checked=False)
    made = launches(begun_cells([Setup(robot, world, command, settings=settings) for command in commands]))
    if len(made) != 1:
        raise AssertionError(f"one launch was expected, got {len(made)}")
    return made[0]


def steps_per_second(launch: Launch, robots: int, precision: str) -> tuple[float, float]:
    """Steps per second of many robots that take the commands of a launch in turn, and the worst difference from the CPU."""
    chosen = np.arange(robots) % len(launch)
    given = gpu_plane.packed(launch, chosen, precision)
    best, there = np.inf, given
    for steps in (1, *[int(launch.steps[0])] * 3):  # the first compiles
        there = gpu_plane.sent(given._replace(steps=np.stack([np.full(robots, steps), given.steps[1]])))
        began = time.perf_counter()
        gpu_plane.run(there, launch.driven, precision)
        best = min(best, time.perf_counter() - began) if steps > 1 else np.inf
    motion = there.motion.copy_to_host()[: at.TURN + 1]
    worst = 0.0
    for k in range(0, len(launch), max(1, len(launch) // 8)):
        engine: Any = launch.begun[k].sim._engine
        engine.advance(int(launch.steps[k]))
        worst = max(worst, float(np.abs(engine.state.motion[: at.TURN + 1] - motion[:, k]).max()))
    return robots * int(launch.steps[0]) / best, worst


def speeds(robots: int, different: int, steps: int) -> dict[str, Any]:
    """Steps per second in both precisions, of gaits and of torques."""
    grid = np.arange(different)
    shapes = [gaits.Serpenoid.start_stop(0.5 + 0.7 * (k % 32) / 32, 1.0 + 1.5 * k / different, 1.0, 8.0) for k in grid]
    torques = [SineTorque(0.4 + 0.6 * (k % 32) / 32, 2.0 + 2.0 * k / different, 0.6) for k in grid]
    found: dict[str, Any] = {}
    cases: list[tuple[Any, float | None, str]] = [(shapes, None, "float64"), (shapes, None, "float32"), (torques, None, "float64"), (shapes, 1e-3, "float64"), (torques, 1e-3, "float64")]  # fmt: skip
    for commands, smoothing, precision in cases:
        name = f"{'shape' if commands is shapes else 'torque'}{'_smooth' if smoothing else ''}_{precision}"
        found[name], found[f"worst_{name}"] = steps_per_second(
            launch_of(commands, steps * STEP, smoothing), robots, precision
        )
    return found


def space_engines(changes: Sequence[str], different: int, steps: int) -> list[Any]:
    """Engines of sidewinders under servos, each with an amplitude of its own; frames at the end only."""
    asked = [f"run.duration={steps * SPACE_STEP!r}", f"run.record_interval={steps * SPACE_STEP!r}"]
    base = Variations(read("sidewind", [*changes, f"run.step={SPACE_STEP!r}", "run.checked=false", *asked]))
    made = begun_cells([base.setup({"gait.amplitude": 0.3 + 0.3 * k / different}) for k in range(different)])
    return [cell.sim._engine for cell in made if isinstance(cell, Begun)]


def space_steps_per_second(
    changes: Sequence[str], robots: int, different: int, steps: int, precision: str
) -> tuple[float, float]:
    """Steps per second of many sidewinders that take the amplitudes of some in turn, and passes per step; copies are not counted."""
    ends = [SPACE_RAMP + k * steps for k in range(REPEATS + 1)]  # the first compiles and brings them into motion
    engines, single = space_engines(changes, different, ends[-1]), precision == "float32"
    shape, (given, fixed, kept) = gpu_space.shape_of(engines[0], single), gpu_space.stacked(engines, single)

    chosen = np.arange(robots) % different

    def tiled(array: FloatArray, axis: int = -1) -> FloatArray:
        return array if array.shape[axis] == 1 else np.take(array, chosen, axis)  # one column: the same for all

    given = tuple(tiled(array, 0 if k in (2, 5) else -1) for k, array in enumerate(given))
    kept = tuple(np.take(array, chosen, -1) for array in kept)
    frames = np.zeros((robots, 2, engines[0].record.shape[1]), dtype=kept[0].dtype)
    there = gpu_space.sent((given, fixed, kept), frames, [ends[-1]] * robots, [0] * robots)
    best = np.inf
    for end in ends:
        there.steps.copy_to_device(np.full(robots, end))
        began = time.perf_counter()
        gpu_space.run(shape, there)
        best = min(best, time.perf_counter() - began) if end > ends[0] else np.inf
    if not (there.status.copy_to_host() == GOOD).all():
        raise AssertionError("robots did not march to their ends")
    passes = there.kept[gpu_space.KEPT.index("sums")].copy_to_host()[slot.ITERATIONS].sum()
    return robots * steps / best, float(passes) / (robots * ends[-1])


def random_law(draw: np.random.Generator) -> Any:
    """A friction law of any kind."""
    along, across = draw.uniform(0.05, 0.3), draw.uniform(0.4, 0.9)
    stick = {"static_along": 1.2 * along, "static_across": 1.2 * across, "stick_length_across": 1e-4}
    made = [
        contact.Coulomb(along, across),
        contact.Coulomb(along, across, smoothing=1e-3),
        contact.Coulomb(along, across, axes="together", smoothing=1e-3),
        contact.UnitSlip(along, across, smoothing=1e-3),
        contact.Stribeck(along, across, static_ratio=1.3, stribeck_speed=0.05, viscous=0.5, smoothing=1e-3),
        contact.Threshold(along, across, **stick),
        contact.Bristle(along, across, **stick),
        contact.Viscous(10.0 * along, 10.0 * across),
        contact.Frictionless(),
    ]
    return made[int(draw.integers(len(made)))]


def random_command(draw: np.random.Generator, robot: Robot) -> Any:
    """A gait or drive of any kind that a device takes."""
    wave = gaits.Serpenoid(draw.uniform(0.3, 1.1), draw.uniform(0.8, 2.2), draw.uniform(0.3, 0.9), acceleration=1.0)
    other = gaits.Serpenoid(draw.uniform(0.3, 1.1), draw.uniform(0.8, 2.2), 0.5)
    times = np.linspace(0.0, 8.0, 81)
    swing = 0.4 * np.sin(times[:, None] * draw.uniform(1.0, 4.0) + 0.5 * np.arange(robot.links - 1))
    made = [
        wave, wave, wave,
        gaits.StandingWave(draw.uniform(0.2, 0.6), draw.uniform(0.8, 2.0), draw.uniform(1.0, 4.0)),
        gaits.Sampled(times, swing),
        gaits.Sequence((other, wave), times=np.array([0.4]), blend=0.3),
        SineTorque(draw.uniform(0.2, 1.0), draw.uniform(1.0, 4.0), draw.uniform(0.3, 0.9)),
    ]  # fmt: skip
    return made[int(draw.integers(len(made)))]


def random_setups(count: int, duration: float, seed: int) -> list[Setup]:
    """Random robots, grounds and commands."""
    draw, made = np.random.default_rng(seed), []
    for _ in range(count):
        robot = ma2001(joint_damping=float(draw.uniform(0.02, 0.2)))
        world = World(random_law(draw))
        settings = Settings(duration, 5e-4, record_interval=0.05, checked=False)
        made.append(Setup(robot, world, random_command(draw, robot), settings=settings))
    return made


def differences(setups: Sequence[Any], precision: str) -> dict[str, Any]:
    """Relative differences of com_distance between device and CPU, and whether those beyond 1 % were marked."""
    there = execute_many(setups, metrics=["com_distance"], executor="gpu", precision=precision)
    here = execute_many(setups, metrics=["com_distance"])
    a, b = there.metrics["com_distance"], here.metrics["com_distance"]
    off: FloatArray = np.abs(a - b) / np.maximum(np.abs(b), 1e-3 * ma2001().length)
    beyond = off > 0.01
    marked = np.array([any(text.startswith("single precision") for text in texts) for texts in there.warnings])
    return {
        "cells": int(np.isfinite(off).sum()), "largest": float(np.nanmax(off)), "median": float(np.nanmedian(off)), "over_1e-9": int((off > 1e-9).sum()),
        "over_1_percent": int(beyond.sum()), "of_these_marked": int((beyond & marked).sum()), "marked": int(marked.sum()), "same_status": there.status == here.status,
        "worst": [(float(off[k]), type(setups[k].world.friction).__name__, type(setups[k].command).__name__) for k in np.argsort(-off)[:12]],
    }  # fmt: skip


LAWS_IN_SPACE = ("coulomb", "unit-slip", "stribeck", "threshold", "bristle", "viscous")


def random_space_setups(count: int, duration: float, seed: int, factor: float = 1.0) -> list[Setup]:
    """Random robots under servos in space, on grounds with all laws; amplitudes times `factor`."""
    draw, made = np.random.default_rng(seed), []
    asked = [f"run.duration={duration!r}", "run.step=1e-3", "run.record_interval=0.05", "run.checked=false"]
    base = Variations(read("sidewind", asked))
    for _ in range(count):
        along = float(draw.uniform(0.2, 0.8))
        changes = {
            "robot.links": LINKS_IN_SPACE[int(draw.integers(len(LINKS_IN_SPACE)))],
            "gait.amplitude": factor * float(draw.uniform(0.2, 0.6)),
            "gait.frequency": float(draw.uniform(1.0, 4.0)),
            "gait.phase_offset": float(draw.uniform(-1.5, 1.5)),
            "world.friction.law": LAWS_IN_SPACE[int(draw.integers(len(LAWS_IN_SPACE)))],
            "world.friction.along": along,
            "world.friction.across": along * float(draw.uniform(1.0, 2.0)),
            "world.ground.slope_deg": float(draw.uniform(0.0, 10.0)),
        }
        made.append(base.setup(changes))
    return made


def space_differences(cells: int, duration: float, seed: int) -> dict[str, Any]:
    """`differences` in space, in float64, beside those that perturbations of 1e-12 make on the CPU."""
    names = ["com_distance"]
    setups = random_space_setups(cells, duration, seed)
    here, there = execute_many(setups, metrics=names), execute_many(setups, metrics=names, executor="gpu")
    a, b = there.metrics["com_distance"], here.metrics["com_distance"]
    own = np.zeros(cells)
    for factor in (1.0 - 1e-12, 1.0 + 1e-12, 1.0 + 2e-12):
        moved = execute_many(random_space_setups(cells, duration, seed, factor), metrics=names).metrics["com_distance"]
        own = np.fmax(own, np.abs(moved - b))
    off, scale = np.abs(a - b), np.maximum(np.abs(b), 1e-3)
    beyond = np.flatnonzero((off > 1e-9 * scale) & (off > 10.0 * own))
    return {
        "cells": int(np.isfinite(off).sum()), "largest": float(np.nanmax(off / scale)), "median": float(np.nanmedian(off / scale)),
        "over_1e-9": int((off > 1e-9 * scale).sum()), "own_over_1e-9": int((own > 1e-9 * scale).sum()), "beyond_own": len(beyond),
        "worst": [(float(off[k] / scale[k]), float(own[k] / scale[k]), type(setups[k].world.friction).__name__) for k in beyond[:12]],
        "same_status": there.status == here.status, "status": {word: there.status.count(word) for word in set(there.status)},
        "messages": sorted(set(there.messages))[:4],
    }  # fmt: skip


def figure_setups() -> list[Setup]:
    """Figs 7, 8 and 9 of the paper on a fine grid: over waves, winding angle and friction."""
    cells = [(k, 60.0, mu, 0.8) for k in (1.0, 2.0, 3.0, 4.0) for mu in np.linspace(0.0, 0.8, 81)]
    cells += [
        (k, a, mu, 0.8)
        for k in (1.0, 2.0, 3.0)
        for mu in (0.0, 0.1, 0.2, 0.4, 0.6, 0.8)
        for a in np.arange(10.0, 91.0, 1.0)
    ]
    grounds = [(mu, 0.8) for mu in np.arange(0.0, 0.31, 0.05)] + [(0.1, mu) for mu in (0.5, 0.65, 1.0, 1.2)]
    cells += [(k, a, *mu, ) for k in (1.0, 2.0, 3.0) for mu in grounds for a in np.arange(5.0, 90.1, 0.3)]  # fmt: skip
    robot, settings = ma2001(), Settings(8.0, STEP, record_interval=8.0, checked=False)
    worlds = {mu: World(contact.Coulomb(*mu, smoothing=1e-3)) for mu in {cell[2:] for cell in cells}}
    return [
        Setup(robot, worlds[along, across], gaits.Serpenoid.start_stop(float(np.radians(a)), k, 1.0, 8.0), settings=settings)
        for k, a, along, across in cells
    ]  # fmt: skip


def figures() -> dict[str, Any]:
    """Seconds that Figs 7 to 9 take: set-up, device with the copies, measuring; compilation not counted."""
    names = ["com_distance", "efficiency", "torque_sq_mean", "slip_per_link"]
    setups = figure_setups()
    _spent(setups[:2], names)  # compiles, on both processors
    with uncollected():  # as `simulation.gpu.execute_many`
        return _spent(setups, names)


def _spent(setups: list[Setup], names: list[str]) -> dict[str, Any]:
    """Seconds of each part of many runs."""
    spent = {"rollouts": len(setups), "set_up_s": 0.0, "device_s": 0.0, "measure_s": 0.0}
    began = time.perf_counter()
    groups = launches(begun_cells(setups))
    spent["set_up_s"] = time.perf_counter() - began
    for launch in groups:
        gpu_plane.march(launch, np.arange(1), "float64")  # compiles
        for chosen in gpu_plane.chunks(launch, "float64"):
            began = time.perf_counter()
            done = gpu_plane.march(launch, chosen, "float64")
            spent["device_s"] += time.perf_counter() - began
            began = time.perf_counter()
            gpu_plane.put_back(launch, chosen, done)
            cells = [finished(launch.begun[k], names, "float64") for k in chosen]
            spent["measure_s"] += time.perf_counter() - began
            spent["ok"] = spent.get("ok", 0) + sum(cell.status == "ok" for cell in cells)
    return spent


def run(progress: Progress) -> dict[str, Any]:
    """Everything, on the device that there is."""
    found = {"device": str(cuda().get_current_device().name), **speeds(ROBOTS, DIFFERENT, STEPS)}
    progress(0.2, "speeds")
    for precision in ("float64", "float32"):
        found[f"space_{precision}"], found[f"space_passes_{precision}"] = space_steps_per_second(
            ONE_CONTACT, SPACE_ROBOTS, DIFFERENT, SPACE_STEPS, precision
        )
    progress(0.3, "space")
    found["agreement_float64"] = differences(random_setups(AGREED, 1.0, 1), "float64")
    progress(0.4, "agreement")
    found["agreement_space_float64"] = space_differences(AGREED, 1.0, 3)
    progress(0.5, "agreement in space")
    found["agreement_float32"] = differences(random_setups(AGREED_SINGLE, 8.0, 2), "float32")
    found["agreement_space_float32"] = differences(random_space_setups(AGREED_SINGLE, 8.0, 4), "float32")
    progress(0.8, "single precision")
    found["figures"] = figures()
    progress(1.0, "figures")
    return found
