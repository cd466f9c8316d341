/** Frames as typed arrays by name, from what the kernels record. */
import * as at from "../../build/generated";
import type { Arrays } from "./memory";
import type { Robot } from "./setup/description";
import { sum } from "./setup/numbers";
import type { Frames } from "./types";

const L = at.spatial;
const S = at.sums;
const G = at.spots;

/** What frames have of the sums, which begin at `at` of a row, in the plane and in space alike. */
export function sumsOf(frames: Frames, f: number, row: Float64Array, at: number, links: number): void {
  frames.power[f] = row[at + S.POWER];
  frames.slip[f] = row[at + S.SLIP_ACROSS] / links;
  frames.kineticEnergy[f] = row[at + S.KINETIC];
  frames.potentialEnergy[f] = row[at + S.POTENTIAL];
  frames.positiveWork[f] = row[at + S.POSITIVE_WORK];
  frames.frictionLoss[f] = row[at + S.FRICTION_LOSS];
}

/** Frames full of zeros. */
export function emptyFrames(count: number, links: number, dofs: number): Frames {
  const of = (...shape: number[]): Float64Array => new Float64Array(shape.reduce((a, b) => a * b, count));
  return {
    count, links, dofs, time: of(), node: of(links + 1, 3), axis: of(links, 3), back: of(links, 3), jointAngle: of(dofs), jointRate: of(dofs),
    jointTorque: of(dofs), jointTarget: of(dofs), contactForce: of(links, 3), contactPoint: of(links, 3), normalForce: of(links), slipAlong: of(links),
    slipAcross: of(links), touching: of(links), wallForce: null, wallPoint: null, com: of(3), comVelocity: of(3), heading: of(), power: of(), slip: of(),
    contactCount: of(), kineticEnergy: of(), potentialEnergy: of(), positiveWork: of(), frictionLoss: of(),
  };
}

/** Frames of a run in space, from number `from` to before `until`. */
export function spatialFrames(arrays: Arrays, robot: Robot, dt: number, from: number, until: number): Frames {
  const [n, m] = [robot.links, robot.axes.length];
  const made = emptyFrames(until - from, n, m);
  const ground = arrays.all("constants.terrain.ground");
  if (ground[G.G_END] > ground[G.G_POST]) [made.wallForce, made.wallPoint] = [new Float64Array(3 * n * made.count), new Float64Array(3 * n * made.count)];
  const width = arrays.shape("frames")[1];
  const all = arrays.all("frames");
  const begin = L.MOTION_ROWS + S.SLOTS;
  const length = robot.link_length[n - 1];
  for (let f = 0; f < made.count; f++) {
    const row = all.subarray((from + f) * width, (from + f + 1) * width);
    const of = (k: number): Float64Array => row.subarray(begin + k * n, begin + (k + 1) * n);
    const dof = (k: number): Float64Array => row.subarray(begin + L.FRAME_LINK_ROWS * n + k * m, begin + L.FRAME_LINK_ROWS * n + (k + 1) * m);
    const vector = (out: Float64Array, k: number, points = n): void => {
      for (let e = 0; e < 3; e++) {
        const values = of(k + e);
        for (let i = 0; i < n; i++) out[3 * (points * f + i) + e] = values[i];
      }
    };
    made.time[f] = row[L.DONE] * dt;
    made.com.set(row.subarray(L.X, L.X + 3), 3 * f);
    made.comVelocity.set(row.subarray(L.VX, L.VX + 3), 3 * f);
    made.heading[f] = row[L.HEADING];
    vector(made.node, L.R_PLACE, n + 1);
    vector(made.axis, L.R_AXIS);
    vector(made.back, L.R_BACK);
    for (let e = 0; e < 3; e++) made.node[3 * ((n + 1) * f + n) + e] = made.node[3 * ((n + 1) * f + n - 1) + e] + length * made.axis[3 * (n * f + n - 1) + e];
    vector(made.contactForce, L.R_LOADS + L.FORCE);
    vector(made.contactPoint, L.R_LOADS + L.POINT);
    if (made.wallForce && made.wallPoint) {
      vector(made.wallForce, L.R_LOADS + L.WALL_FORCE);
      vector(made.wallPoint, L.R_LOADS + L.WALL_POINT);
    }
    made.normalForce.set(of(L.R_LOADS + L.PRESS), n * f);
    made.slipAlong.set(of(L.R_LOADS + L.SLIP_T), n * f);
    made.slipAcross.set(of(L.R_LOADS + L.SLIP_N), n * f);
    made.touching.set(of(L.R_LOADS + L.TOUCHING), n * f);
    made.contactCount[f] = sum(of(L.R_LOADS + L.TOUCHING));
    made.jointAngle.set(dof(L.R_ANGLE), m * f);
    made.jointRate.set(dof(L.R_RATE), m * f);
    made.jointTorque.set(dof(L.R_TORQUE), m * f);
    made.jointTarget.set(dof(L.R_TARGET), m * f);
    sumsOf(made, f, row, L.MOTION_ROWS, n);
  }
  return made;
}
