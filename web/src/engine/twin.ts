/** How far a run has converged: the same run once more at another step, and what changes; the rules, limits and words of `simulation/twin.py`. */
import * as at from "../../build/generated";
import { textOf, type Shares } from "./finding";
import { measure } from "./judgement";
import { NONE } from "./crossing";
import type { PlanarEngine } from "./planar";
import { servosOf } from "./setup/contact";
import { Refused } from "./setup/declared";
import type { Setup } from "./setup/description";
import { roundEven, short, smallest } from "./setup/numbers";
import type { SpatialEngine } from "./spatial";
import type { Frames, Metrics } from "./types";

const S = at.sums;
const T = at.twin;
const { SCALES, SHORTEST, NOTHING, SMALL, WHOLE, FLAT, ROUGH, NAMED } = at.scales;
const SLICE = 1e-3; // s of work, about: what is done of a twin before others may ask
type Engine = PlanarEngine | SpatialEngine;
type Figure = keyof typeof T.LIMITS;
type Judged = keyof typeof SCALES;
const FIGURES = Object.keys(T.LIMITS) as Figure[];
const PARTS = new Set<string>(["com_dx", "com_dy", "com_dz", "com_forward"]);
const NUMBERS = Object.keys(SCALES) as Judged[];

/** A run that is whole, and how its engine is made anew at another step. */
export interface Whole {
  setup: Setup;
  engine: Engine;
  frames: Frames;
  metrics: Metrics;
  turned: number; // J
  module: WebAssembly.Module;
  fresh(step: number, stride: number): Engine;
}

/** What to beware of, and under torques from when on the motion is one of many. */
export interface Checked {
  warnings: string[];
  left: number | null; // s
}

/** Step of the twin, and the estimated errors of the run by figure and by number; null: the twin failed. */
interface Found {
  step: number;
  figures: Shares | null;
  numbers: Shares;
  left: number | null;
}

/** Run the twin of a run, and where that leaves a doubt a second one, a slice at a time. */
export function* twinOf(run: Whole): Generator<void, Checked> {
  const ratio = ratioOf(run);
  let found = yield* twinAt(ratio, run);
  if (ratio > 1 && doubtful(found)) {
    const second = yield* twinAt(0.5, run);
    found = found.figures && second.figures ? { ...second, figures: larger(second.figures, found.figures), numbers: larger(second.numbers, found.numbers) } : second;
  }
  return { warnings: warningOf(found, run.engine.dt), left: found.left };
}

/** Whether a run at another step should decide. */
function doubtful({ figures, numbers }: Found): boolean {
  return !figures || FIGURES.some((name) => !(figures[name] <= T.DOUBT * T.LIMITS[name])) || Object.values(numbers).some((error) => !(error <= NAMED));
}

/** The larger error of each. */
function larger(second: Shares, first: Shares): Shares {
  return Object.fromEntries(Object.entries(second).map(([name, error]) => [name, Math.max(error, first[name] ?? 0)]));
}

/** Step of the twin over that of the run: 2, or 0.5 where twice the step would be another thing. */
function ratioOf({ setup, engine }: Whole): number {
  const sampled = servosOf(setup.robot).some((servo) => servo?.control_period && 4 * engine.dt > servo.control_period);
  const fine = setup.drive !== null || setup.settings.integrator !== "implicit" || sampled || engine.done < T.FEW_STEPS;
  return fine ? 0.5 : 2;
}

/** Run the twin at so many times the step, and compare. */
function* twinAt(ratio: number, run: Whole): Generator<void, Found> {
  const { setup, engine } = run;
  const stride = Math.max(1, roundEven(engine.stride / ratio));
  const steps = stride * Math.max(1, roundEven(engine.done / ratio / stride));
  const step = engine.time / steps;
  const twin = run.fresh(step, stride);
  const cost = (setup.spatial ? at.budget.SPACE_COST : at.budget.PLANE_COST) * setup.robot.links;
  const stretch = Math.max(1, Math.floor(SLICE / cost));
  let fine = true;
  try {
    while (fine && twin.done < steps) {
      yield;
      fine = twin.advance(Math.min(twin.done + stretch, steps)) === "fine";
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { step, figures: null, numbers: {}, left: null };
  }
  yield;
  const frames = twin.frames();
  const left = setup.drive ? partedAt(run, frames) ?? (fine ? null : twin.time) : null;
  if (!fine) return { step, figures: null, numbers: {}, left };
  const share = Math.abs(step / engine.dt - 1);
  const figures = figuresBy(run, twin, frames, share);
  yield;
  return { step, figures, numbers: numbersBy(run, twin, frames, share), left };
}

/** When a node is first further from the twin's than the horizon, s; null: never. */
function partedAt({ setup, engine, frames }: Whole, other: Frames): number | null {
  const nodes = frames.links + 1;
  const most = T.HORIZON * setup.robot.length;
  const count = nodes * Math.min(frames.count, other.count);
  for (let k = 0; k < count; k++) {
    const [x, y, z] = [0, 1, 2].map((e) => frames.node[3 * k + e] - other.node[3 * k + e]);
    if (!(Math.hypot(x, y, z) <= most)) return Math.floor(k / nodes) * engine.stride * engine.dt;
  }
  return null;
}

/** What is compared: displacement of the centre of gravity (m), net and positive work (J), root of the mean square torque, greatest torque (N m). */
function figuresOf({ sums, time }: Engine, { com, count }: Frames): { moved: number[]; net: number; positive: number; torque: number; peak: number } {
  const moved = [0, 1, 2].map((e) => com[3 * (count - 1) + e] - com[e]);
  return { moved, net: sums[S.NET_WORK], positive: sums[S.POSITIVE_WORK], torque: Math.sqrt(sums[S.TORQUE_SQ] / Math.max(time, 1e-300)), peak: sums[S.TORQUE_MAX] };
}

/** Estimated errors of the run by figure. */
function figuresBy(run: Whole, twin: Engine, frames: Frames, share: number): Shares {
  const { robot, world } = run.setup;
  const [mine, other] = [figuresOf(run.engine, run.frames), figuresOf(twin, frames)];
  const path = Math.max(run.metrics.path_length ?? 0, Math.hypot(...mine.moved), SHORTEST * robot.length);
  const { turned } = run;
  const nothing = NOTHING * Math.max(robot.mass * world.gravity * robot.length, turned, 1e-300);
  const net = Math.abs(other.net - mine.net) / Math.max(turned, other.positive, nothing);
  const positive = Math.abs(other.positive - mine.positive) / Math.max(mine.net, mine.positive, other.net, other.positive, nothing);
  const changed = (a: number, b: number): number => Math.abs(b - a) / Math.max(a, b, nothing);
  return {
    place_reached: Math.hypot(...mine.moved.map((x, e) => other.moved[e] - x)) / path / share,
    work: Math.max(net, positive) / share,
    torque: changed(mine.torque, other.torque) / share,
    greatest_torque: changed(mine.peak, other.peak) / share,
  };
}

/** Estimated errors of the run by number. */
function numbersBy({ setup, engine, metrics, turned, module }: Whole, twin: Engine, frames: Frames, share: number): Shares {
  const other = measure(module, { setup, frames, engine: twin, crossing: NONE }).metrics;
  const { robot, world } = setup;
  const scales = scalesOf(metrics, robot.mass, world.gravity, robot.length, smallest(robot.radius), turned, engine.time);
  const found = NUMBERS.filter((name) => !(metrics[name] === null && other[name] === null));
  const moved = Math.hypot(...["com_dx", "com_dy", "com_dz"].map((name) => (other[name] ?? 0) - (metrics[name] ?? 0)));
  // a part of the displacement may change by as much as the whole, if by chance it does not
  const change = (name: Judged): number => (PARTS.has(name) ? relative(moved, metrics[name] ?? 0, scales.way) : changed(name, metrics[name], other[name], scales));
  return Object.fromEntries(found.map((name) => [name, change(name) / share]));
}

/** The size of each scale in a run; `turned` is the energy turned over in it. */
function scalesOf(metrics: Metrics, mass: number, gravity: number, length: number, radius: number, turned: number, time: number): Shares {
  const value = (name: string): number => metrics[name] ?? 0;
  const [weight, least, lasted] = [mass * gravity, SHORTEST * length, Math.max(time, 1e-300)];
  const way = Math.max(value("path_length"), Math.hypot(value("com_distance"), value("com_dz")), least);
  const slip = Math.max(value("slip_per_link"), value("slip_along_per_link"), SMALL * least);
  const torque = (NOTHING / SMALL) * Math.max(weight * length, turned);
  const energy = Math.max(turned, NOTHING * weight * length);
  return {
    way, speed: way / lasted, rate: 1 / lasted, slip, torque, torque_sq: torque ** 2, energy,
    power: energy / lasted, force: weight, depth: Math.max(radius, FLAT * length), itself: 0,
  };
}

/** Change of a number of a run from the same run at another step, relative to itself or its scale; infinite where only one has it. */
function changed(name: Judged, mine: number | null, other: number | null, scales: Shares): number {
  if (mine === null || other === null) return mine === other ? 0 : Infinity;
  const [kind, difference] = [SCALES[name] as string, Math.abs(other - mine)];
  if (difference === 0) return 0;
  if (kind === "angle") {
    const turn = difference % (2 * Math.PI);
    return Math.min(turn, 2 * Math.PI - turn) / WHOLE;
  }
  return relative(difference, mine, scales[kind]);
}

/** A difference relative to a number, or to its scale where the number is small beside it. */
function relative(difference: number, mine: number, scale: number): number {
  const size = Math.abs(mine) < SMALL * scale ? scale : Math.abs(mine);
  return size > 0 ? difference / size : Infinity;
}

/** What to beware of; nothing if every number has converged. */
function warningOf({ step: other, figures, numbers }: Found, step: number): string[] {
  if (!figures) return [textOf("fails-at-another-step", { other })];
  const made: string[] = [];
  const enough = (factor: number): number => step / Math.min(Math.max(factor / T.GOAL, 2), 100);
  const all = Object.values(numbers);
  if (all.some((error) => !(error <= ROUGH))) {
    const errors = Object.fromEntries(Object.entries(numbers).filter(([, error]) => !(error <= NAMED)));
    made.push(textOf("rough-numbers", { step, errors, other, enough: enough((T.GOAL * Math.max(...all)) / NAMED) }));
  }
  const beyond = FIGURES.filter((name) => !(figures[name] <= T.LIMITS[name]));
  if (beyond.length) {
    const errors = Object.fromEntries(beyond.map((name) => [name, figures[name]]));
    const factor = Math.max(...beyond.map((name) => figures[name] / T.LIMITS[name]));
    made.push(textOf("not-converged", { step, errors, other, enough: enough(factor) }));
  }
  return made;
}

/** What is said of a run under torques that leaves its horizon. */
export function horizonText(left: number): string {
  return `at half the step a node is ${(100 * T.HORIZON).toFixed(0)}% of the body length away at t = ${short(left, 4)} s; later values are one of many possible motions`;
}
