/** How far a run has converged: the same run once more at another step, and what changes; the rules, limits and words of `simulation/twin.py`. */
import * as at from "../../build/generated";
import { turnedOver } from "./metrics";
import type { PlanarEngine } from "./planar";
import { servosOf } from "./setup/contact";
import { Refused } from "./setup/declared";
import type { Setup } from "./setup/description";
import { roundEven, short } from "./setup/numbers";
import type { SpatialEngine } from "./spatial";
import type { Frames } from "./types";

const S = at.sums;
const T = at.twin;
const SLICE = 1e-3; // s of work, about: what is done of a twin before others may ask
type Engine = PlanarEngine | SpatialEngine;
type Figure = keyof typeof T.LIMITS;
const FIGURES = Object.keys(T.LIMITS) as Figure[];
const NAMES: Record<Figure, string> = { place: "the place reached", work: "the work", torque: "the torque", peak_torque: "the greatest torque" };
const SCALES: { [name: string]: string } = { place: " of its path" };

/** A run that is whole, and how its engine is made anew at another step. */
export interface Whole {
  setup: Setup;
  engine: Engine;
  frames: Frames;
  path: number; // m, of the centre of gravity
  fresh(step: number, stride: number): Engine;
}

/** What to beware of, and under torques from when on the motion is one of many. */
export interface Checked {
  warnings: string[];
  left: number | null; // s
}

/** Step of the twin, and the estimated errors of the run by figure; null: the twin failed. */
interface Found {
  step: number;
  errors: Record<Figure, number> | null;
  left: number | null;
}

/** Run the twin of a run, and where that leaves a doubt a second one, a slice at a time. */
export function* twinOf(run: Whole): Generator<void, Checked> {
  let ratio = ratioOf(run);
  let found = yield* twinAt(ratio, run);
  const { errors } = found;
  if (ratio > 1 && (!errors || FIGURES.some((name) => !(errors[name] <= T.DOUBT * T.LIMITS[name])))) {
    ratio = 0.5;
    found = yield* twinAt(ratio, run);
  }
  return { warnings: warningOf(found, run.engine.dt), left: found.left };
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
  const steps = Math.max(1, roundEven(engine.done / ratio));
  const step = engine.time / steps;
  const twin = run.fresh(step, setup.drive ? roundEven(engine.stride / ratio) : steps);
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
    return { step, errors: null, left: null };
  }
  yield;
  const frames = twin.frames();
  const left = setup.drive ? partedAt(run, frames) ?? (fine ? null : twin.time) : null;
  return { step, errors: fine ? errorsOf(run, twin, frames, Math.abs(step / engine.dt - 1)) : null, left };
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
function errorsOf(run: Whole, twin: Engine, frames: Frames, share: number): Record<Figure, number> {
  const { robot, world } = run.setup;
  const [mine, other] = [figuresOf(run.engine, run.frames), figuresOf(twin, frames)];
  const path = Math.max(run.path, Math.hypot(...mine.moved), T.SHORTEST * robot.length);
  const turned = turnedOver(run.frames);
  const nothing = T.NOTHING * Math.max(robot.mass * world.gravity * robot.length, turned, 1e-300);
  const net = Math.abs(other.net - mine.net) / Math.max(turned, other.positive, nothing);
  const positive = Math.abs(other.positive - mine.positive) / Math.max(mine.net, mine.positive, other.net, other.positive, nothing);
  const changed = (a: number, b: number): number => Math.abs(b - a) / Math.max(a, b, nothing);
  return {
    place: Math.hypot(...mine.moved.map((x, e) => other.moved[e] - x)) / path / share,
    work: Math.max(net, positive) / share,
    torque: changed(mine.torque, other.torque) / share,
    peak_torque: changed(mine.peak, other.peak) / share,
  };
}

/** What to beware of; nothing if every figure has converged. */
function warningOf({ step, errors }: Found, dt: number): string[] {
  if (!errors) return [`not converged: at a step of ${short(step, 3)} s the same run fails; use a shorter step`];
  const beyond = FIGURES.filter((name) => !(errors[name] <= T.LIMITS[name]));
  if (!beyond.length) return [];
  const percent = (x: number): string => (Number.isFinite(x) ? `${(100 * x).toFixed(2)}%` : `${short(x)}%`);
  const said = beyond.map((name) => `${NAMES[name]} by ${percent(errors[name])}${SCALES[name] ?? ""}`).join(", ");
  const factor = Math.max(...beyond.map((name) => errors[name] / T.LIMITS[name])) / T.GOAL;
  const enough = dt / Math.min(Math.max(factor, 2), 100);
  return [
    `not converged at a step of ${short(dt, 3)} s: a second run at ${short(step, 3)} s changes ${said} (as error of this run); try run.step = ${short(enough, 1)}, or "auto"`,
  ];
}

/** What is said of a run under torques that leaves its horizon. */
export function horizonText(left: number): string {
  return `at half the step a node is ${(100 * T.HORIZON).toFixed(0)}% of the body length away at t = ${short(left, 4)} s; later values are one of many possible motions`;
}
