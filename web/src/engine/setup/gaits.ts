/** Parameters and tables of gaits and drives for the kernels: `row` of each Python class; periods and when a gait is steady. */
import * as at from "../../../build/generated";
import { AXES, families, kindsOf, Refused, type Values } from "./declared";
import type { Robot } from "./description";
import { cumsum, rowOf, short, zeros, type Table } from "./numbers";
import { wrappedHelix } from "./pole";
import { checkBlends } from "./rules";
import { pieces } from "./splines";

export interface Source {
  kind: number;
  par: Table;
  tab: Table;
}
interface Wave {
  offset: number;
  amplitude: number | number[];
  phase: number[];
  frequency: number;
}
const refuse = (text: string): never => {
  throw new Refused(text);
};
const KIND = (name: string): number => families.gaits.members[name].kind!;
const SPACE_ONLY = at.joints.WAVES;

/** Joints counted from the head, for the joints from the tail: n-1, ..., 1. */
const fromHead = (robot: Robot): number[] => Array.from({ length: robot.links - 1 }, (_, j) => robot.links - 1 - j);
const middlesOf = (robot: Robot): number[] => Array.from(cumsum(robot.link_length), (x, i) => x - 0.5 * robot.link_length[i]);

/** Waves of yaw and pitch of a bend of constant size that turns and twists. */
function turningBend(robot: Robot, amplitude: number, twist: number, frequency: number): [Wave, Wave] {
  const angle = fromHead(robot).map((i) => twist * i);
  return [
    { offset: 0, amplitude, phase: angle.map((a) => a + Math.PI / 2), frequency },
    { offset: 0, amplitude, phase: angle, frequency },
  ];
}

type WavesOf = (g: Values, robot: Robot) => [Wave, Wave];
const WAVES: Record<string, WavesOf> = {
  "compound-serpenoid": (g, robot) =>
    ["yaw", "pitch"].map((axis) => ({
      offset: g[`${axis}_offset`],
      amplitude: g[`${axis}_amplitude`],
      phase: fromHead(robot).map((i) => g[`${axis}_spatial`] * i + g[`${axis}_phase`]),
      frequency: g[`${axis}_temporal`],
    })) as [Wave, Wave],
  rolling: (g, robot) => turningBend(robot, g.amplitude, 0, g.frequency),
  "helix-rolling": (g, robot) => turningBend(robot, g.amplitude, g.phase_per_joint, g.frequency),
  "pole-climbing": (g, robot) => {
    const [amplitude, twist] = wrappedHelix(g, robot);
    return turningBend(robot, g.grip * amplitude, twist, (g.slope < 0 ? 1 : -1) * g.frequency);
  },
  rectilinear: (g, robot) => {
    const i = fromHead(robot);
    return [
      { offset: 0, amplitude: 0, phase: i.map((x) => 0 * x), frequency: 0 },
      { offset: 0, amplitude: g.amplitude, phase: i.map((x) => g.phase_per_joint * x), frequency: g.frequency },
    ];
  },
  sidewinding: (g, robot) => {
    const i = fromHead(robot);
    const taper = i.map((x) => 1 + g.turn * (0.5 - x / robot.links));
    const vertical = g.vertical_amplitude ?? g.amplitude;
    const offset = g.phase_offset + (g.direction > 0 ? 0 : Math.PI);
    const phase = i.map((x) => g.phase_per_joint * x);
    return [
      { offset: -g.yaw_offset, amplitude: taper.map((t) => -g.amplitude * t), phase, frequency: g.frequency },
      { offset: g.pitch_offset, amplitude: taper.map((t) => vertical * t), phase: phase.map((p) => p + offset), frequency: g.frequency },
    ];
  },
  "sinus-lifting": (g, robot) => {
    const phase = fromHead(robot).map((x) => -g.phase_per_joint * x);
    return [
      { offset: 0, amplitude: g.amplitude, phase, frequency: g.frequency },
      { offset: 0, amplitude: g.lift_amplitude, phase: phase.map((p) => 2 * p + g.lift_phase), frequency: 2 * g.frequency },
    ];
  },
  "turn-in-place": (g, robot) => {
    const x = fromHead(robot).map((i) => i - 0.5 * robot.links);
    const phase = x.map((v) => g.phase_per_joint * v);
    return [
      { offset: 0, amplitude: g.amplitude, phase, frequency: g.frequency },
      { offset: 0, amplitude: x.map((v) => (g.vertical_amplitude * 2 * v) / robot.links), phase: phase.map((p) => p + g.phase_offset), frequency: g.frequency },
    ];
  },
};
export const isWave = (g: Values): boolean => g.kind in WAVES;

/** Parameters and table of two waves; `turned` (rad) is added to the phases of yaw and pitch. */
export function waveSource(g: Values, robot: Robot, turned: [number, number] = [0, 0]): Source {
  const waves = WAVES[g.kind](g, robot);
  const n = robot.links;
  const tab = zeros(8, n);
  waves.forEach((wave, axis) => {
    for (let j = 1; j < n; j++) {
      const phase = wave.phase[j - 1] + turned[axis];
      const amplitude = typeof wave.amplitude === "number" ? wave.amplitude : wave.amplitude[j - 1];
      [wave.offset, amplitude, Math.cos(phase), Math.sin(phase)].forEach((value, k) => (tab.data[(4 * axis + k) * n + j] = value));
    }
  });
  const begin = g.kind === "pole-climbing" ? 1 / g.grip : 0;
  return { kind: SPACE_ONLY, par: rowOf([waves[0].frequency, waves[1].frequency, g.ramp ?? 0, begin]), tab };
}

/** Frequencies of the waves that move, rad/s. */
function frequencies(g: Values, robot: Robot): number[] {
  const moves = (w: Wave): boolean => w.frequency !== 0 && (typeof w.amplitude === "number" ? w.amplitude !== 0 : w.amplitude.some((a) => a !== 0));
  return WAVES[g.kind](g, robot).filter(moves).map((w) => Math.abs(w.frequency));
}

/** Parameters and table of the serpenoid; `ahead` (m) is added to the displacement along the curve. */
export function serpenoidSource(g: Values, robot: Robot, ahead = 0): Source {
  const wave = (2 * Math.PI * g.waves) / robot.length;
  const place = middlesOf(robot).map((x) => wave * x + (ahead === 0 ? 0 : wave * ahead));
  const tab = zeros(2, robot.links);
  place.forEach((p, i) => {
    tab.data[i] = Math.cos(p);
    tab.data[robot.links + i] = Math.sin(p);
  });
  const rate = g.acceleration === null ? 0 : Math.sign(g.speed || 1) * g.acceleration;
  const profile = [g.speed, Object.is(g.speed, -0) ? -Math.abs(rate) : rate, startTime(g), g.stop_time ?? Infinity];
  return { kind: KIND("serpenoid"), par: rowOf([g.winding_angle, wave, ...profile]), tab };
}

const startTime = (g: Values): number => (g.acceleration === null ? 0 : Math.abs(g.speed) / g.acceleration);

function standingSource(g: Values, robot: Robot): Source {
  const mode = middlesOf(robot).map((x) => g.amplitude * Math.cos(2 * Math.PI * g.waves * (x / robot.length - 0.5)));
  return { kind: KIND("standing-wave"), par: rowOf([g.frequency]), tab: { shape: [1, robot.links], data: Float64Array.from(mode) } };
}

function sampledHeadings(g: Values, robot: Robot): Source {
  if (g.values[0].length !== robot.links - 1) refuse(`sampled gait has ${g.values[0].length} joint angles a row; ${robot.name} has ${robot.links - 1} joints`);
  const headings = g.values.map((r: number[]) => {
    const h = [0, ...cumsum(r)];
    const middle = meanRow(h);
    return h.map((x) => x - middle);
  });
  return { kind: KIND("sampled"), par: rowOf([Number(g.periodic)]), tab: pieces(g.times, headings, g.interpolation, g.periodic, g.ends ?? "natural") };
}
const meanRow = (h: number[]): number => h.reduce((a, b) => a + b, 0) / h.length;

function sampledJoints(g: Values, robot: Robot): Source {
  const kinds = typeof robot.joints === "string" ? kindsOf(robot.joints, robot.links - 1) : (robot.joints as string[]);
  if (kinds.includes("roll")) refuse(`samples give yaw and pitch; ${robot.name} has joints that roll: use a controller`);
  const columns = kinds.flatMap((kind, i) => ["yaw", "pitch"].filter((axis) => AXES[kind].includes(axis)).map((axis) => [i + 1, axis] as const));
  if (g.values[0].length !== columns.length)
    refuse(`sampled gait has ${g.values[0].length} joint angles a row; ${robot.name} has ${robot.links - 1} joints with ${columns.length} axes`);
  const n = robot.links;
  const rows = g.values.map((r: number[]) => {
    const both = new Array<number>(2 * n).fill(0);
    columns.forEach(([joint, axis], k) => (both[(axis === "yaw" ? 0 : n) + joint] = r[k]));
    return both;
  });
  return { kind: at.joints.SAMPLED, par: rowOf([Number(g.periodic)]), tab: pieces(g.times, rows, g.interpolation, g.periodic, g.ends ?? "natural") };
}

/** Times in which each gait of a sequence after the first takes over, s. */
function blendsOf(g: Values, robot: Robot): number[] {
  if (g.blend !== null) return g.times.map(() => g.blend);
  const found = g.times.map((t: number, k: number) => {
    const periods = [g.parts[k], g.parts[k + 1]].map((p: Values) => periodOf(p, robot)).filter((p) => p !== null) as number[];
    if (!periods.length) refuse(`neither gait that meets at ${short(t)} s has a period: give the sequence a blend in s`);
    return 0.5 * Math.max(...periods);
  });
  checkBlends(g.times, found);
  return found;
}

function sequenceSource(g: Values, robot: Robot, space: boolean): Source {
  const sources: Source[] = g.parts.map((part: Values) => {
    if (!space && isWave(part)) refuse(`a sequence in the plane needs gaits in the plane; ${part.kind} bends in space`);
    return space ? spaceSource(part, robot) : planarSource(part, robot);
  });
  const begins = [0, ...g.times];
  const blends = [0, ...blendsOf(g, robot)];
  const heads: number[] = [];
  const body: number[] = [];
  let place = 2 + 8 * sources.length;
  sources.forEach(({ kind, par, tab }, k) => {
    heads.push(kind, begins[k], blends[k], place, par.data.length, place + par.data.length, tab.shape[0], tab.shape[1]);
    body.push(...par.data, ...tab.data);
    place += par.data.length + tab.data.length;
  });
  return { kind: KIND("sequence"), par: rowOf([sources.length, Number(g.clock === "own"), ...heads, ...body]), tab: zeros(1, 1) };
}

/** What the planar kernels need of a gait. */
export function planarSource(g: Values, robot: Robot): Source {
  if (g.kind === "serpenoid") return serpenoidSource(g, robot);
  if (g.kind === "standing-wave") return standingSource(g, robot);
  if (g.kind === "sampled") return sampledHeadings(g, robot);
  if (g.kind === "sequence") return sequenceSource(g, robot, false);
  const planar = Object.entries(families.gaits.members).filter(([, m]) => m.kind! < SPACE_ONLY).map(([name]) => name);
  return refuse(`the planar engine knows the gaits ${planar.join(", ")}, got ${g.kind}`);
}

/** What the spatial kernels need of a gait. */
export function spaceSource(g: Values, robot: Robot): Source {
  if (g.kind === "sequence") return sequenceSource(g, robot, true);
  if (g.kind === "sampled") return sampledJoints(g, robot);
  if (isWave(g)) {
    const made = waveSource(g, robot);
    checkAxes(g, robot, made.tab);
    return made;
  }
  const made = planarSource(g, robot);
  if (!robot.planar) refuse(`a ${g.kind} gait bends in the plane by yaw joints; ${robot.name} has ${robot.joints_text} joints: use a gait of two waves`);
  return made;
}

/** Refuse a wave about an axis that no joint has: it would be dropped. */
function checkAxes(g: Values, robot: Robot, tab: Table): void {
  const there = new Set(robot.axes.map((a) => a.kind as string));
  for (const [first, axis] of [[0, "yaw"], [4, "pitch"]] as const) {
    const some = tab.data.subarray(first * robot.links, (first + 2) * robot.links).some((x) => x !== 0);
    if (!there.has(axis) && some)
      refuse(
        `the ${g.kind} gait has a wave of ${axis}, and no joint of ${robot.name} (${robot.joints_text}) can ${axis}: give it joints = "alternating" or "universal", or a gait without that wave`,
      );
  }
}

/** Period of the shape in s, null if it has none. */
export function periodOf(g: Values, robot: Robot): number | null {
  if (g.kind === "serpenoid") return Math.abs(g.speed) > 0 ? robot.length / (g.waves * Math.abs(g.speed)) : null;
  if (g.kind === "standing-wave") return (2 * Math.PI) / g.frequency;
  if (g.kind === "sampled") return g.periodic ? g.times[g.times.length - 1] - g.times[0] : null;
  if (g.kind === "sequence") return periodOf(g.parts[g.parts.length - 1], robot);
  const moving = frequencies(g, robot);
  return moving.length ? (2 * Math.PI) / Math.min(...moving) : null;
}

/** Period of the fastest part of the motion in s, null if it has none. */
export function shortestPeriod(g: Values, robot: Robot): number | null {
  if (isWave(g)) {
    const moving = frequencies(g, robot);
    return moving.length ? (2 * Math.PI) / Math.max(...moving) : null;
  }
  if (g.kind !== "sequence") return periodOf(g, robot);
  const own = g.parts.map((p: Values) => shortestPeriod(p, robot)).filter((p: number | null) => p !== null);
  return Math.min(...own, ...blendsOf(g, robot).map((b) => 2 * b));
}

/** From when to when a gait is steady, s. */
export function steadyPart(g: Values, robot: Robot): [number, number] {
  const period = periodOf(g, robot) ?? Infinity;
  if (g.kind === "serpenoid") return [g.acceleration === null ? 3 * period : startTime(g), g.stop_time === null ? Infinity : g.stop_time - startTime(g)];
  if (g.kind === "standing-wave" || g.kind === "sampled") return [3 * period, Infinity];
  if (g.kind === "sequence") {
    const last = g.parts.length - 1;
    const since = g.clock === "run" ? 0 : g.times[last - 1];
    const [from, until] = steadyPart(g.parts[last], robot);
    return [Math.max(from + since, g.times[last - 1] + blendsOf(g, robot)[last - 1] + period), until + since];
  }
  return [(g.ramp ?? 0) + period, Infinity];
}

/** Number of each axis that moves, from 1 at the tail; a joint without one counts as well. */
function axisNumbers(robot: Robot): number[] {
  const kinds = typeof robot.joints === "string" ? kindsOf(robot.joints, robot.links - 1) : (robot.joints as string[]);
  const numbers: number[] = [];
  let count = 0;
  kinds.forEach((kind, i) => {
    if (!robot.locked.includes(i + 1)) AXES[kind].forEach((_, k) => numbers.push(count + 1 + k));
    count += Math.max(1, AXES[kind].length);
  });
  return numbers;
}

/** Parameters and table of a drive. */
export function driveSource(d: Values, robot: Robot): Source {
  const kind = families.drives.members[d.kind].kind!;
  if (d.kind === "sine") return { kind, par: rowOf([d.amplitude, d.frequency, d.phase_per_joint, ...axisNumbers(robot)]), tab: zeros(1, 1) };
  const dofs = robot.axes.length;
  if (d.values[0].length !== dofs) refuse(`sampled drive has ${d.values[0].length} torques a row; ${robot.name} has ${dofs} joint axes`);
  return { kind, par: rowOf([Number(d.periodic)]), tab: pieces(d.times, d.values, d.interpolation, d.periodic) };
}

export const drivePeriod = (d: Values): number | null => (d.kind === "sine" && d.frequency !== 0 && d.amplitude !== 0 ? (2 * Math.PI) / Math.abs(d.frequency) : null);
