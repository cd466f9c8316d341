/**
 * Continuous shapes without a robot (Yamada and Hirose 2006): curvature functions to a backbone, the three models, and lateral rolling.
 *
 * A model with the same backbone turns the frame about the tangent by phi(s): kappa_a' = cos phi kappa_a + sin phi kappa_b,
 * kappa_b' = -sin phi kappa_a + cos phi kappa_b, tau' = tau + phi'. Bellows: phi = -integral of tau; Frenet-Serret: phi is the direction of
 * bending. Rolling adds the same angle everywhere. All curves are traced by the package's own kernel.
 */
import type { Description, Metrics, Physics } from "../engine/types";
import type { Chunk, Facts } from "../motion";

const STEPS = 96;
const FRAMES = 96;
const ROUND = 4; // s for one turn of rolling

interface Rows {
  tau: Float64Array;
  a: Float64Array;
  b: Float64Array;
}

/** tau, kappa_a, kappa_b at the middles of the steps. */
function functionsOf(shape: Description, length: number): Rows {
  const of = (key: string): number => Number(shape[key] ?? 0);
  const rows = { tau: new Float64Array(STEPS), a: new Float64Array(STEPS), b: new Float64Array(STEPS) };
  for (let i = 0; i < STEPS; i++) {
    const s = ((i + 0.5) * length) / STEPS;
    const k = (2 * Math.PI * of("waves")) / length;
    if (shape.kind === "helix") {
      rows.b[i] = of("curvature");
      rows.tau[i] = of("torsion");
    } else if (shape.kind === "serpenoid") rows.b[i] = -k * of("yaw") * Math.sin(k * s);
    else {
      const m = (2 * Math.PI * of("pitch_waves")) / length;
      rows.a[i] = m * of("pitch") * Math.sin(m * s + of("phase"));
      rows.b[i] = -k * of("yaw") * Math.sin(k * s);
    }
  }
  return rows;
}

/** The same backbone in another model; the first angle too, by which its frame is turned at the tail. */
function converted(rows: Rows, model: string, length: number): { rows: Rows; first: number } {
  const h = length / STEPS;
  const phi = new Float64Array(STEPS);
  let sum = 0;
  for (let i = 0; i < STEPS; i++) {
    sum += h * rows.tau[i];
    if (model === "bellows") phi[i] = -(sum - 0.5 * h * rows.tau[i]);
    if (model === "frenet") phi[i] = bending(rows, i, i ? phi[i - 1] : 0);
  }
  const made = { tau: new Float64Array(STEPS), a: new Float64Array(STEPS), b: new Float64Array(STEPS) };
  for (let i = 0; i < STEPS; i++) {
    const [before, after] = [phi[Math.max(i - 1, 0)], phi[Math.min(i + 1, STEPS - 1)]];
    const slope = model === "bellows" ? -rows.tau[i] : (after - before) / (h * (Math.min(i + 1, STEPS - 1) - Math.max(i - 1, 0)));
    made.a[i] = Math.cos(phi[i]) * rows.a[i] + Math.sin(phi[i]) * rows.b[i];
    made.b[i] = -Math.sin(phi[i]) * rows.a[i] + Math.cos(phi[i]) * rows.b[i];
    made.tau[i] = model === "complete" ? rows.tau[i] : rows.tau[i] + slope;
  }
  return { rows: made, first: model === "frenet" ? phi[0] : 0 };
}

/** Direction of bending at a step, the one of its line's two that goes on from the last. */
function bending(rows: Rows, i: number, last: number): number {
  if (Math.hypot(rows.a[i], rows.b[i]) < 1e-9) return last;
  const found = Math.atan2(-rows.a[i], rows.b[i]);
  return found + Math.PI * Math.round((last - found) / Math.PI);
}

/** What a shape is told by: the bending is of the backbone, twist and torsion are of the frame that the model carries along it. */
function numbersOf(rows: Rows, steps: Float64Array, places: ArrayLike<number>): Metrics {
  const last = places.length - 3;
  let [bend, torsion, twist] = [0, 0, 0];
  steps.forEach((h, i) => {
    bend = Math.max(bend, Math.hypot(rows.a[i], rows.b[i]));
    torsion = Math.max(torsion, Math.abs(rows.tau[i]));
    twist += (h * rows.tau[i] * 180) / Math.PI;
  });
  const reach = Math.hypot(places[last] - places[0], places[last + 1] - places[1], places[last + 2] - places[2]);
  return { body_length: steps.reduce((a, b) => a + b, 0), end_to_end: reach, bending_max: bend, torsion_max: torsion, frame_twist: twist };
}

/** One turn of rolling of a shape, as frames of a motion: the backbone stays, the body turns about it. */
export function shapeMotion(description: Description, physics: Physics): { facts: Facts; chunk: Chunk; metrics: Metrics } {
  const shape = description.shape as Description;
  const length = Number(shape.length);
  const { rows, first } = converted(functionsOf(shape, length), String(shape.model), length);
  const steps = new Float64Array(STEPS).fill(length / STEPS);
  const values = new Float64Array(3 * STEPS);
  values.set(rows.tau, 0);
  values.set(rows.a, STEPS);
  values.set(rows.b, 2 * STEPS);
  const trace = physics.trace(steps, values, [0, 0, 0, Math.cos(first / 2), Math.sin(first / 2), 0, 0]);
  let lowest = Infinity;
  for (let k = 2; k < trace.position.length; k += 3) lowest = Math.min(lowest, trace.position[k]);
  const radius = 0.016 * length;
  const arrays = { time: new Float32Array(FRAMES + 1), node: new Float32Array((FRAMES + 1) * 3 * (STEPS + 1)), back: new Float32Array((FRAMES + 1) * 3 * STEPS), com: new Float32Array(3 * (FRAMES + 1)) };
  const middle = [0, 1, 2].map((j) => trace.position.reduce((sum, x, k) => (k % 3 === j ? sum + x : sum), 0) / (STEPS + 1));
  const raise = radius - lowest;
  for (let f = 0; f <= FRAMES; f++) {
    const turn = Number(shape.roll ?? 0) + (2 * Math.PI * f) / FRAMES;
    arrays.time[f] = (ROUND * f) / FRAMES;
    arrays.com.set([middle[0], middle[1], middle[2] + raise], 3 * f);
    for (let k = 0; k <= STEPS; k++) {
      arrays.node.set([trace.position[3 * k], trace.position[3 * k + 1], trace.position[3 * k + 2] + raise], 3 * (f * (STEPS + 1) + k));
      if (k === STEPS) continue;
      for (let j = 0; j < 3; j++) arrays.back[3 * (f * STEPS + k) + j] = Math.cos(turn) * trace.frame[9 * k + 6 + j] - Math.sin(turn) * trace.frame[9 * k + 3 + j];
    }
  }
  const each = (value: number): number[] => Array.from({ length: STEPS }, () => value);
  const facts: Facts = { links: STEPS, dofs: STEPS - 1, spatial: true, duration: ROUND, step: 0, preview: false, radius: each(radius), linkLength: each(length / STEPS), axes: [], frames: FRAMES + 1 };
  Object.assign(facts, { along: Array.from(steps, (h, i) => (i + 0.5) * h), tau: Array.from(rows.tau), kappaA: Array.from(rows.a), kappaB: Array.from(rows.b) });
  return { facts, chunk: { count: FRAMES + 1, arrays }, metrics: numbersOf(rows, steps, trace.position) };
}
