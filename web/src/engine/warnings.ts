/** What to beware of in a run that ended well: the sentences of `simulation/warnings.py`, in its words and order. */
import * as at from "../../build/generated";
import { textOf } from "./finding";
import type { Crossing } from "./crossing";
import type { PlanarEngine } from "./planar";
import type { Setup } from "./setup/description";
import { drivePeriod, shortestPeriod } from "./setup/gaits";
import { largest, short, smallest } from "./setup/numbers";
import { SpatialEngine } from "./spatial";
import type { Frames, Metrics } from "./types";

const S = at.sums;
const W = at.warnings;
const percent = (x: number, digits: number): string => `${(100 * x).toFixed(digits)}%`;
const degrees = (x: number): number => (x * 180) / Math.PI;

export interface Judged {
  setup: Setup;
  engine: PlanarEngine | SpatialEngine;
  frames: Frames;
  metrics: Metrics;
  crossing: Crossing;
  turned: number; // J, energy turned over
}
type Subject = (run: Judged) => string[];
const when = (is: boolean, text: () => string): string[] => (is ? [text()] : []);

/** The joint that a slot of the sums names. */
function jointInWords({ setup }: Judged, column: number): string {
  const { axes } = setup.robot;
  if (!setup.spatial) return `joint ${column}`;
  const axis = axes[Math.min(column, axes.length - 1)];
  return new Set(axes.map((a) => a.kind)).size > 1 ? `joint ${axis.joint} (${axis.kind})` : `joint ${axis.joint}`;
}

const linksPerWave: Subject = ({ setup }) => {
  const { links } = setup.robot;
  const waves = setup.gait?.waves;
  return when(
    waves !== undefined && links / waves < W.LINKS_PER_WAVE,
    () => `${short(waves)} waves on ${links} links are ${short(links / waves, 3)} links per wave; under ${W.LINKS_PER_WAVE} the links no longer follow the curve`,
  );
};

const spinningJoints: Subject = (run) => {
  const { sums } = run.engine;
  return when(
    run.setup.drive !== null && sums[S.ANGLE_MAX] > Math.PI,
    () => `${jointInWords(run, sums[S.ANGLE_MAX_JOINT])} spins up: its angle reaches ${degrees(sums[S.ANGLE_MAX]).toFixed(0)} deg; a real joint would meet its stop`,
  );
};

const convergence: Subject = ({ engine }) =>
  when(engine.sums[S.UNCONVERGED] > 0, () => textOf("unsolved-steps", { count: engine.sums[S.UNCONVERGED], steps: engine.done }));

const momentBalance: Subject = ({ setup, engine, turned }) => {
  const left = engine.sums[S.RESIDUAL_MAX];
  const scale = setup.robot.mass * setup.world.gravity * setup.robot.length + engine.sums[S.TORQUE_MAX] + turned;
  return when(left > W.RESIDUAL * scale, () => `moment balance: ${short(left, 2)} N m left at the tail, ${short(left / scale, 1)} of weight, torque and energy; use a shorter step`);
};

const energyAccount: Subject = ({ setup, engine, frames, metrics, turned }) => {
  const loss = engine.sums[S.SCHEME_LOSS];
  const moving = largest(frames.kineticEnergy);
  const rounding = W.ROUNDING * (setup.robot.mass * setup.world.gravity * setup.robot.length + moving);
  const explicit = setup.settings.integrator !== "implicit";
  const limit = (explicit ? W.EXPLICIT_LOSS : W.LOSS) * turned;
  const left = Math.abs(metrics.energy_residual ?? 0);
  return [
    ...when(
      Math.abs(loss) > Math.max(limit, rounding, W.NEGLIGIBLE * moving),
      () =>
        `the ${explicit ? "explicit " : ""}scheme itself ${loss > 0 ? "lost" : "made"} ${short(Math.abs(loss), 3)} J, ${percent(Math.abs(loss) / Math.max(turned, 1e-300), 1)} of the ${short(turned, 3)} J turned over; use a shorter step`,
    ),
    ...when(left > Math.max(W.OPEN * turned, rounding), () => `the energy account does not close: ${short(left, 3)} J of the ${short(turned, 3)} J turned over are missing; use a shorter step`),
  ];
};

const noSlip: Subject = ({ metrics }) => {
  const slip = metrics.slip_per_link!;
  return when(slip <= at.metrics.SLIP_FLOOR, () => `slip per link ${short(slip, 1)} m is below ${short(at.metrics.SLIP_FLOOR)} m: the efficiency is not defined`);
};

const stepsPerPeriod: Subject = ({ setup, engine }) => {
  const period = setup.gait ? shortestPeriod(setup.gait, setup.robot) : setup.drive ? drivePeriod(setup.drive) : null;
  return when(
    period !== null && engine.dt > period / at.resolution.STEPS_PER_PERIOD,
    () => `a step of ${short(engine.dt, 3)} s is long for a ${setup.gait ? "gait" : "drive"} with a period of ${short(period!, 3)} s; slip and torques are coarse`,
  );
};

const passedObstacles: Subject = ({ engine, frames }) => {
  const time = engine.sums[S.CROSSED];
  if (!(time > 0)) return [];
  const f = frames.time.reduce((best, t, k) => (Math.abs(t - time) < Math.abs(frames.time[best] - time) ? k : best), 0);
  const points = frames.links + 1;
  const [x, y] = [0, 1].map((e) => Array.from({ length: points }, (_, i) => frames.node[3 * (f * points + i) + e]).reduce((a, b) => a + b) / points);
  return [
    `a link passed through an obstacle between two steps at t = ${short(time, 4)} s, near (${short(x, 3)}, ${short(y, 3)}) m: the step of ${short(engine.dt, 3)} s is too long for its speed; use a shorter one, or step = "auto"`,
  ];
};

const saturatedServos: Subject = ({ setup, engine }) => {
  const share = engine.sums[S.SATURATED] / Math.max(engine.time * setup.robot.axes.length, 1e-300);
  return when(engine.sums[S.SATURATED] > 0, () => `servos were at their torque limit for ${percent(share, 1)} of the time`);
};

const jointLimits: Subject = (run) => {
  const { setup, engine } = run;
  const { sums } = engine;
  if (!(sums[S.FIRST_STOP] > 0)) return [];
  const column = sums[S.FIRST_STOP_JOINT];
  const joint = setup.spatial ? setup.robot.axes[column].joint : column;
  const limit = degrees(setup.robot.joint_limit[joint - 1]);
  return [
    `${jointInWords(run, column)} meets its stop of ${short(limit, 3)} deg at t = ${short(sums[S.FIRST_STOP], 4)} s and does not go on as commanded; the stops took ${short(sums[S.STOP_LOSS], 3)} J`,
    ...when(engine.ideal && (setup.gait !== null || setup.drive === null), () => "ideal joints stop dead at their stops: torques in that instant are impulses, which grow as the step gets shorter"),
  ];
};

const softGround: Subject = ({ setup, metrics }) => {
  const radius = smallest(setup.robot.radius);
  const sag = metrics.ground_sag;
  return when(
    setup.world.ground?.model === "capsule" && radius > 0 && sag !== null && sag > W.SOFT * radius,
    () => `soft ground: at rest the links press in by ${short(sag!, 2)} m, ${percent(sag! / radius, 0)} of their radius; raise its stiffness`,
  );
};

const pressedIn: Subject = ({ setup, engine, metrics }) => {
  const [depth, radius] = [metrics.penetration, smallest(setup.robot.radius)];
  return when(
    setup.spatial && depth !== null && radius > 0 && depth > W.DEEP * radius,
    () =>
      `link ${engine.sums[S.PENETRATION_LINK]} is pressed ${short(depth!, 2)} m into ground or obstacle at t = ${short(engine.sums[S.PENETRATION_TIME], 4)} s, ${percent(depth! / radius, 0)} of its radius; raise the stiffness, or approach more slowly`,
  );
};

const lostContact: Subject = ({ setup, frames }) => {
  if (!setup.spatial || !(setup.world.gravity > 0)) return [];
  const first = frames.contactCount.indexOf(0);
  const aloft = frames.contactCount.filter((x) => x === 0).length;
  return when(aloft > W.ALOFT * frames.count, () => `nothing touches the ground in ${percent(aloft / frames.count, 0)} of the frames, first at t = ${short(frames.time[first], 3)} s`);
};

const uprightLinks: Subject = ({ setup, engine }) =>
  when(setup.spatial && engine.sums[S.UPRIGHT] > 0, () => `${engine.sums[S.UPRIGHT]} contacts of upright links had no direction for their friction`);

const axesApart: Subject = ({ setup }) => {
  const law = setup.world.friction;
  const equal = law.along === law.across && (law.backward === null || law.backward === law.along);
  const named = law.law === "coulomb" && (law.axes !== null || (setup.spatial && equal));
  const [low, high] = [Math.min(law.along, law.across), Math.max(law.along, law.across)];
  if (!["coulomb", "threshold", "bristle"].includes(law.law) || named || !(high > 0) || low < W.ALIKE * high) return [];
  const remedy =
    law.law === "coulomb"
      ? 'axes = "together" makes it the same in all directions, or law = "unit-slip"; axes = "apart" says that this is meant'
      : 'law = "coulomb" or "unit-slip" can be the same in all directions';
  return [
    `friction along and across (${short(law.along)}, ${short(law.across)}) act apart in this law, each as if the other were not: a slide at 45 degrees brakes ${Math.hypot(1, low / high).toFixed(2)} times as strongly; ${remedy}`,
  ];
};

const crossesItself: Subject = ({ setup, crossing }) => {
  if (crossing.first === null || setup.world.self_contact !== null) return [];
  const [[i, j], [a, b]] = [crossing.firstLinks, crossing.links];
  const thick = setup.robot.radius[a] + setup.robot.radius[b];
  const where = a === i && b === j ? "" : ` of links ${a} and ${b}`;
  const share = thick > 0 ? ` of radii that add up to ${short(thick, 2)} m` : "";
  return [`the body crosses itself: links ${i} and ${j} at t = ${short(crossing.first, 4)} s, overlap up to ${short(crossing.overlap, 2)} m${where}${share}; nothing keeps them apart`];
};

const pressedLinks: Subject = ({ setup, engine, crossing }) => {
  if (setup.world.self_contact === null || crossing.time === null) return [];
  const [a, b] = crossing.links;
  const thick = setup.robot.radius[a] + setup.robot.radius[b];
  const force = engine.sums[S.SELF_FORCE_MAX];
  if (!(crossing.overlap > W.SELF_SAG * thick)) return [];
  if (engine.ideal && force > 0)
    return [
      `links press on each other with up to ${short(force, 3)} N, but ideal joints push them through: overlap up to ${short(crossing.overlap, 2)} m of links ${a} and ${b} at t = ${short(crossing.time, 4)} s; give the robot a servo, or torques`,
    ];
  return [
    `soft contact between links: ${a} and ${b} overlap by up to ${short(crossing.overlap, 2)} m, ${percent(crossing.overlap / thick, 0)} of their radii, at t = ${short(crossing.time, 4)} s; raise world.self_contact.stiffness or shorten the step`,
  ];
};

const samplesEnd: Subject = ({ setup, engine }) => {
  const source = [setup.gait, setup.drive].find((x) => x?.kind === "sampled" && !x.periodic);
  if (!source) return [];
  const [first, last] = [source.times[0], source.times[source.times.length - 1]];
  const held = setup.gait ? "joints are held" : "torques are zero";
  return when(
    first > 0 || last < engine.time * (1 - 1e-9),
    () => `samples cover ${short(first)} to ${short(last)} s of ${short(engine.time)} s; outside them the ${held}`,
  );
};

const gaitAtRest: Subject = ({ setup, engine }) => {
  const stop = setup.gait?.stop_time ?? null;
  return when(stop !== null && stop < at.commandWarnings.STILL * engine.time, () => `the gait comes to rest at t = ${short(stop)} s of ${short(engine.time)} s, as its stop_time asks`);
};

const corners: Subject = ({ setup, engine }) =>
  when(
    setup.gait?.kind === "sampled" && setup.gait.interpolation === "linear" && engine.ideal,
    () =>
      'the samples are joined by straight lines: rates jump at every sample, and the torques of ideal joints are impulses that grow as the step gets shorter; use interpolation = "cubic", or servos',
  );

const idleServos: Subject = ({ setup }) =>
  when(
    setup.drive !== null && setup.robot.servo !== null,
    () => "the drive's torques act in place of the servos: their gains, limits and backlash have no part in the run, their gear friction and rotor inertia have",
  );

const SUBJECTS: Subject[] = [
  linksPerWave, spinningJoints, convergence, momentBalance, energyAccount, noSlip, stepsPerPeriod, passedObstacles, saturatedServos, jointLimits, softGround, pressedIn,
  lostContact, uprightLinks, axesApart, crossesItself, pressedLinks, samplesEnd, gaitAtRest, corners, idleServos,
];

export const warningsOf = (run: Judged): string[] => SUBJECTS.flatMap((subject) => subject(run));
