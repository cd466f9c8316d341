/**
 * What the page knows of the physics: plain data in, typed arrays out. No DOM here: it runs in a Web Worker and in node alike.
 *
 * A description is the plain data of a scenario file (`robot`, `gait` or `drive`, `world`, `start`, `run`), the keys that Python accepts:
 * presets, `_deg` keys and left-out defaults included. Units are SI and radians; index 0 is the tail.
 */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Description = { [key: string]: Json };

/** One thing that is wrong: the path of the key, what came, what is allowed, and all of it as a sentence. */
export interface Problem {
  path: string;
  value: string;
  allowed: string;
  text: string;
}

export interface Check {
  errors: Problem[];
}

/** A description that cannot be run; `errors` says all that is wrong with it. */
export class InputError extends Error {
  readonly errors: Problem[];
  constructor(errors: Problem[]) {
    super(errors.map((e) => e.text).join("\n"));
    this.name = "InputError";
    this.errors = errors;
  }
}

export interface OpenOptions {
  /** s; instead of the step of the description: a coarser one for a preview */
  step?: number;
  /** s between recorded frames, instead of that of the description */
  recordInterval?: number;
}

/** Recorded frames; all arrays are row-major, the frame first. They are copies: a run that goes on makes new ones. */
export interface Frames {
  count: number; // f, frames
  links: number; // n
  dofs: number; // d, degrees of freedom of the joints
  time: Float64Array; // (f,) s
  node: Float64Array; // (f, n+1, 3) m: tail's end, joints, head's tip
  axis: Float64Array; // (f, n, 3): direction of the link, towards the head
  back: Float64Array; // (f, n, 3): direction of the link's back
  jointAngle: Float64Array; // (f, d) rad
  jointRate: Float64Array; // (f, d) rad/s
  jointTorque: Float64Array; // (f, d) N m, of the actuators
  jointTarget: Float64Array; // (f, d) rad, commanded; NaN under torques
  contactForce: Float64Array; // (f, n, 3) N on the robot
  contactPoint: Float64Array; // (f, n, 3) m; NaN without contact
  normalForce: Float64Array; // (f, n) N
  slipAlong: Float64Array; // (f, n) m/s, velocity of the contact along the edge
  slipAcross: Float64Array; // (f, n) m/s, across it
  touching: Float64Array; // (f, n) contacts of the link that press
  wallForce: Float64Array | null; // (f, n, 3) N, of upright obstacles; null: there are none
  wallPoint: Float64Array | null; // (f, n, 3) m
  com: Float64Array; // (f, 3) m, centre of gravity
  comVelocity: Float64Array; // (f, 3) m/s
  heading: Float64Array; // (f,) rad, without jumps
  power: Float64Array; // (f,) W, positive power of the actuators
  slip: Float64Array; // (f,) m, path slipped across the edges so far, mean of the links
  contactCount: Float64Array; // (f,)
  kineticEnergy: Float64Array; // (f,) J
  potentialEnergy: Float64Array; // (f,) J
  positiveWork: Float64Array; // (f,) J, of the actuators so far
  frictionLoss: Float64Array; // (f,) J so far
}

export type Metrics = Record<string, number | null>;

export interface Outcome {
  status: "ok" | "diverged" | "left-horizon" | "running" | "refused";
  message: string;
  time: number; // s reached
  warnings: string[];
}

/** Numbers of the gait that change while it runs, by the gait's own keys; and `turn` (rad, planar gaits): bend of the body's axis from tail to head. */
export type Steering = { [key: string]: number };

export interface Run {
  readonly spatial: boolean;
  readonly step: number; // s
  readonly duration: number; // s, of the description
  readonly links: number;
  readonly dofs: number;
  /** Degrees of freedom: joint (from 1 at the tail) and axis. */
  readonly axes: readonly { joint: number; kind: "yaw" | "pitch" | "roll" }[];
  readonly linkLength: Float64Array; // (n,) m
  readonly radius: Float64Array; // (n,) m, 0: thin
  /** Let time pass up to `toTime` (s; default: the duration), then say how it stands. Beyond the duration is allowed: live driving. */
  advance(toTime?: number): Outcome;
  /** Frames from number `from` on (default: all). */
  frames(from?: number): Frames;
  metrics(): Metrics;
  outcome(): Outcome;
  /**
   * The same run once more at another step, a slice at a time: the outcome with what this tells. Null where `run.checked` asks for none, or where the run
   * is not whole, or not ok.
   */
  twin(outcome: Outcome): Generator<void, Outcome> | null;
  /** Change the gait while it runs: joint angles and rates do not jump. */
  steer(changes: Steering, blend?: number): void;
  /** What can be steered: keys of the gait with their present values. */
  steerable(): Steering;
  /** Give back the memory of the run; it cannot be used after that. */
  close(): void;
}

export interface Best {
  place: number;
  value: number;
  evaluations: [number, number | null][];
  scan: [number, number | null][];
  atEnd: boolean; // the best place lies at an end of the interval
}

export interface SearchOptions {
  points?: number;
  tolerance?: number;
  minimise?: boolean;
  step?: number;
  progress?: (share: number) => void;
}

/** Declaration of a field, from the Python declarations (generated). */
export interface FieldDeclaration {
  name: string;
  type: string; // number, whole, angle, choice, flag, text, numbers, vector, points, array, joints, part, parts, ...
  unit: string;
  meaning: string;
  allowed: string;
  optional: boolean;
  required: boolean;
  default?: Json;
  [more: string]: unknown; // low, high, above, below, words, options, size, item, of, per, ...
}

export interface ShapeTrace {
  position: Float64Array; // (k+1, 3) m
  frame: Float64Array; // (k+1, 3, 3): rows e1 (tangent), ea, eb
}

export interface Physics {
  /** All that is wrong with a description, as Python says it. */
  check(description: Description): Check;
  /** Begin a run; throws InputError. */
  open(description: Description, options?: OpenOptions): Run;
  /** The place in [low, high] of the key (a path such as "gait.winding_angle") with the greatest metric: scan, then golden section. */
  best(
    description: Description,
    key: string,
    low: number,
    high: number,
    metric: string,
    options?: SearchOptions,
  ): Best;
  /** The same search, one run after another: in between others may ask, and it may be left. */
  searching(description: Description, key: string, low: number, high: number, metric: string, options?: SearchOptions): Generator<void, Best>;
  /** The description with every key written out, angles in radians: what Python's `keys()` gives. */
  full(description: Description): Description;
  /** A step for previews: the coarsest that keeps the distance within 0.5 % (found by measurement, see docs). */
  previewStep(description: Description): number;
  /**
   * A curve with frames from its shape functions: steps (k,) in m, rows tau, kappa_a, kappa_b (1/m) at one (order 2: the middle) or two (order 4: the
   * Gauss points) places of every step, (3, k, places), and the first pose (position, quaternion w x y z).
   */
  trace(step: ArrayLike<number>, values: ArrayLike<number>, pose?: ArrayLike<number>): ShapeTrace;
  /** Declarations of all descriptions and families, for panels. */
  readonly declarations: { [name: string]: unknown };
  /** Bundled scenarios by name: the plain data as in their files. */
  readonly scenarios: { [name: string]: Description };
  readonly metricsTable: { [name: string]: { unit: string; formula: string } };
}
