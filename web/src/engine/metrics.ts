/** The numbers a run is judged by: the formulas of `simulation/metrics.py`, on the frames and sums of a run. */
import * as at from "../../build/generated";
import { Arrays, Machine } from "./memory";
import type { Robot, Setup } from "./setup/description";
import { periodOf, steadyPart } from "./setup/gaits";
import { cumsum, interp, largest, mean, rowOf, sum, zeros } from "./setup/numbers";
import { servosOf, treeSize } from "./setup/contact";
import { bearingPoints } from "./setup/terrain";
import type { Frames, Metrics } from "./types";

const S = at.sums;
const { MOVED, REFERENCE_STEP, SLIP_FLOOR } = at.metrics;
const { FRAMES_PER_PERIOD } = at.steady;
const LOSSES = ["friction_loss", "damping_loss", "stop_loss", "ground_loss", "self_contact_loss", "scheme_loss"];

/** What an engine tells beside its frames. */
export interface Evidence {
  setup: Setup;
  frames: Frames;
  sums: Float64Array;
  time: number;
  stiffness: number | null; // of the ground, N/m
  overlap: number; // of links, m
}

const column = (a: Float64Array, width: number, k: number): Float64Array => Float64Array.from({ length: a.length / width }, (_, f) => a[width * f + k]);

/** Whole multiples of the period within the run. */
function instantsOf(time: Float64Array, period: number | null): number[] {
  const end = time[time.length - 1];
  const count = period ? Math.floor((end / period) * (1 + 1e-9)) : 0;
  return Array.from({ length: count + 1 }, (_, k) => Math.min(k * (period ?? 0), end));
}

function travelled(e: Evidence, period: number | null): Metrics {
  const { frames } = e;
  const last = frames.count - 1;
  const points = frames.links + 1;
  const [x, y, z] = [0, 1, 2].map((k) => column(frames.com, 3, k));
  const [dx, dy, dz] = [x, y, z].map((a) => a[last] - a[0]);
  const distance = Math.hypot(dx, dy);
  const places = instantsOf(frames.time, period).map((t) => [interp(t, frames.time, x), interp(t, frames.time, y)]);
  const legs = places.slice(1).map((p, k) => Math.sqrt((p[0] - places[k][0]) ** 2 + (p[1] - places[k][1]) ** 2));
  const rest = places[places.length - 1];
  const moved = (node: number): number => {
    const [a, b] = [3 * node, 3 * (last * points + node)];
    return Math.sqrt([0, 1, 2].reduce((s, k) => s + (frames.node[b + k] - frames.node[a + k]) ** 2, 0));
  };
  const heading = e.setup.start.heading;
  return {
    com_distance: distance, com_dx: dx, com_dy: dy, com_dz: dz, com_forward: dx * Math.cos(heading) + dy * Math.sin(heading),
    path_length: sum(legs) + Math.sqrt((x[last] - rest[0]) ** 2 + (y[last] - rest[1]) ** 2),
    travel_direction: distance > MOVED * e.setup.robot.length ? Math.atan2(dy, dx) : null, heading: frames.heading[last], head_distance: moved(points - 1), tail_distance: moved(0),
  };
}

/** Roll of the links about their axes against the vertical, mean of the links, without jumps. */
export function rollOf(frames: Frames): Float64Array {
  const { links: n, count } = frames;
  const roll = new Float64Array(count);
  const before = new Float64Array(n);
  for (let f = 0; f < count; f++) {
    const row = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const k = 3 * (f * n + i);
      const left = frames.back[k] * frames.axis[k + 1] - frames.back[k + 1] * frames.axis[k];
      let angle = Math.atan2(left, frames.back[k + 2]);
      if (f > 0) angle += 2 * Math.PI * Math.round((before[i] - angle) / (2 * Math.PI));
      row[i] = before[i] = angle;
    }
    roll[f] = mean(row);
  }
  return roll;
}

function rolled(e: Evidence, period: number | null): Metrics {
  if (!e.setup.spatial) return { roll_angle: null, roll_rate_mean: null };
  const roll = rollOf(e.frames);
  const after = Array.from(roll).filter((_, f) => e.frames.time[f] >= (period ?? Infinity));
  const instants = instantsOf(e.frames.time, period);
  const t = instants.slice(1);
  const values = t.map((x) => interp(x, e.frames.time, roll));
  const [mt, mv] = [mean(t), mean(values)];
  const slope = sum(t.map((x, k) => (x - mt) * (values[k] - mv))) / sum(t.map((x) => (x - mt) ** 2));
  return { roll_angle: after.length ? mean(after) : null, roll_rate_mean: instants.length >= 4 ? slope : null };
}

/** When a run is in steady motion (s), and how many whole periods lie in it; 0: there is none, and it is all but the first quarter. */
function steadyMotion(e: Evidence): { first: number; end: number; whole: number; period: number | null } {
  const { gait, robot } = e.setup;
  const last = e.frames.time[e.frames.count - 1];
  const period = gait ? periodOf(gait, robot) : null;
  if (gait && period !== null) {
    const [begin, until] = steadyPart(gait, robot);
    const end = Math.min(until, last);
    const whole = Math.floor(((end - begin) / period) * (1 + 1e-9));
    if (whole >= 1) return { first: end - whole * period, end, whole, period };
  }
  return { first: at.steady.LANDING * last, end: last, whole: 0, period };
}

type Motion = ReturnType<typeof steadyMotion>;

/** Torques of the joints in steady motion: the greatest, the greatest RMS, and how much of their servos' torque-speed lines they take. */
function loads(e: Evidence, motion: Motion): Metrics {
  const none = { torque_steady_max: null, torque_rms_max: null, motor_line: null };
  const { time, jointTorque, jointRate, dofs } = e.frames;
  const inside = (t: number): boolean => t >= motion.first - 1e-9 * motion.end && t <= motion.end + 1e-9 * motion.end;
  const kept = Array.from(time.keys()).filter((f) => inside(time[f]));
  const robot = e.setup.robot;
  const servos = servosOf(robot);
  const lines = robot.axes.map(({ joint }) => {
    const servo = robot.limp.includes(joint) ? null : servos[joint - 1];
    return servo?.no_load_speed ? [servo.torque_limit, servo.no_load_speed] : [Infinity, Infinity];
  });
  const [squares, all] = [new Float64Array(dofs), { peak: 0, use: 0 }];
  for (const f of kept)
    for (let k = 0; k < dofs; k++) {
      const [torque, rate] = [jointTorque[f * dofs + k], jointRate[f * dofs + k]];
      squares[k] += torque * torque;
      all.peak = Math.max(all.peak, Math.abs(torque));
      all.use = Math.max(all.use, Math.abs(torque) / lines[k][0] + (torque * rate > 0 ? Math.abs(rate) / lines[k][1] : 0));
    }
  if (!dofs || !kept.length || !squares.every(Number.isFinite) || !Number.isFinite(all.use)) return none;
  const some = lines.some(([stall]) => stall < Infinity);
  return { torque_steady_max: all.peak, torque_rms_max: Math.sqrt(largest(squares) / kept.length), motor_line: some ? all.use : null };
}

function steadySpeed(e: Evidence, motion: Motion): Metrics {
  const none = { steady_speed: null, steady_forward_speed: null };
  const { time, com, heading, count } = e.frames;
  const { first, end, whole, period } = motion;
  if (!whole || period === null || count < 2 || time[1] - time[0] > period / FRAMES_PER_PERIOD) return none;
  const [dx, dy] = [0, 1].map((k) => {
    const c = column(com, 3, k);
    return interp(end, time, c) - interp(first, time, c);
  });
  const inside = heading.filter((_, f) => time[f] >= first && time[f] <= end);
  const ahead = dx * mean(inside.map(Math.cos)) + dy * mean(inside.map(Math.sin));
  const speed = Math.hypot(dx, dy) / (whole * period);
  return { steady_speed: speed, steady_forward_speed: ahead < 0 || Object.is(ahead, -0) ? -speed : speed };
}

function fromSums(e: Evidence, distance: number): Metrics {
  const { sums, time } = e;
  const { links: n, mass } = e.setup.robot;
  const weight = mass * e.setup.world.gravity;
  const slip = sums[S.SLIP_ACROSS] / n;
  const torque = time > 0 ? sums[S.TORQUE_SQ] / time : 0;
  const positive = sums[S.POSITIVE_WORK];
  const went = distance > MOVED * e.setup.robot.length;
  const effort = time > 0 ? ((torque * n) / time) * slip * REFERENCE_STEP : 0;
  return {
    torque_max: sums[S.TORQUE_MAX], net_work: sums[S.NET_WORK], positive_work: positive, friction_loss: sums[S.FRICTION_LOSS], damping_loss: sums[S.DAMPING_LOSS],
    stop_loss: sums[S.STOP_LOSS], ground_loss: sums[S.GROUND_LOSS], scheme_loss: sums[S.SCHEME_LOSS], peak_power: sums[S.PEAK_POWER],
    normal_force_max: sums[S.NORMAL_MAX], slip_per_link: slip, slip_along_per_link: sums[S.SLIP_ALONG] / n, torque_sq_mean: torque,
    efficiency: slip > SLIP_FLOOR && effort > 0 && went ? distance / effort : null, kinetic_energy_change: sums[S.KINETIC] - sums[S.KINETIC_START],
    potential_energy_change: sums[S.POTENTIAL] - sums[S.POTENTIAL_START], stored_energy: sums[S.STORED], mean_power: time > 0 ? positive / time : 0,
    cost_of_transport: weight > 0 && went ? positive / (weight * distance) : null, contact_count_mean: time > 0 ? sums[S.CONTACTS] / time : 0,
    self_contact_loss: sums[S.SELF_LOSS], self_contact_energy: sums[S.SELF_STORED], self_contact_force_max: sums[S.SELF_FORCE_MAX], moment_residual: sums[S.RESIDUAL_MAX],
  };
}

/** All metrics of a run, in the order of `names`. */
export function measure(e: Evidence, names: string[]): Metrics {
  const { setup, frames, sums } = e;
  const period = setup.gait ? periodOf(setup.gait, setup.robot) : null;
  const values: Metrics = { ...travelled(e, period), ...rolled(e, period) };
  const motion = steadyMotion(e);
  Object.assign(values, fromSums(e, values.com_distance ?? 0), steadySpeed(e, motion), loads(e, motion));
  values.joint_angle_max = Math.max(sums[S.ANGLE_MAX], frames.jointAngle.reduce((most, x) => Math.max(most, Math.abs(x)), 0));
  values.joint_rate_max = frames.jointRate.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  if (!setup.spatial) {
    values.contact_count_mean = mean(frames.contactCount);
    values.normal_force_max = largest(frames.normalForce);
  }
  values.self_overlap = e.overlap;
  values.penetration = setup.spatial ? sums[S.PENETRATION_MAX] : null;
  values.ground_sag = setup.spatial && e.stiffness ? (setup.robot.mass * setup.world.gravity) / (e.stiffness * setup.robot.links * bearingPoints(setup)) : null;
  const parts = [...LOSSES, "kinetic_energy_change", "potential_energy_change"].map((name) => values[name] as number);
  values.energy_residual = (values.net_work as number) - parts.reduce((a, b) => a + b, 0);
  const unknown = names.filter((name) => !(name in values));
  if (unknown.length) throw new Error(`the page has no formula for ${unknown.join(", ")}`);
  return Object.fromEntries(names.map((name) => [name, Number.isNaN(values[name]) ? null : values[name]]));
}

/** Deepest overlap of two links (m, 0: none touch), when and of which; the first time that two links cross, null: never. */
export interface Crossing {
  overlap: number;
  time: number | null;
  links: [number, number];
  first: number | null;
  firstLinks: [number, number];
}

/** Whether the body passes through itself, by the recorded frames. */
export function crossingOf(module: WebAssembly.Module, robot: Robot, frames: Frames, flat: boolean): Crossing {
  const bad = frames.node.findIndex((x) => !Number.isFinite(x));
  const width = 3 * (robot.links + 1);
  const count = bad < 0 ? frames.count : Math.floor(bad / width);
  if (robot.links < 3 || count === 0) return { overlap: 0, time: null, links: [0, 0], first: null, firstLinks: [0, 0] };
  const radius = robot.radius.map((r: number, i: number) => (flat || r > 0 ? r : at.crossings.THIN * robot.link_length[i]));
  const arrays = new Arrays(new Machine(module), "curves");
  arrays.load({
    step: zeros(1), values: zeros(1, 1, 1), pose: zeros(7), out: zeros(1, 7), nodes: { shape: [count, robot.links + 1, 3], data: frames.node.subarray(0, count * width) },
    arc: rowOf([0, ...cumsum(robot.link_length)]), radius: rowOf(radius), tree: zeros(at.segments.BOX_ROWS, 2 * treeSize(robot.links)),
    found: rowOf([0, 0, 0, 0, Infinity, 0, 0, 0]), given: zeros(8),
  });
  arrays.run("CROSSINGS", Number(flat));
  const [deep, frame, a, b, first, i, j] = arrays.all("found");
  const numbers = Float64Array.from({ length: count }, (_, f) => f);
  return {
    overlap: Math.max(deep, 0), time: deep > 0 ? frames.time[frame] : null, links: [a, b],
    first: Number.isFinite(first) ? interp(first, numbers, frames.time.subarray(0, count)) : null, firstLinks: [i, j],
  };
}

/** Energy turned over in a run, J. */
export function turnedOver(frames: Frames): number {
  const spans = [frames.kineticEnergy, frames.potentialEnergy, frames.positiveWork, frames.frictionLoss].map((a) => largest(a) + largest(a.map((x) => -x)));
  return Math.max(0, ...spans.filter(Number.isFinite));
}
