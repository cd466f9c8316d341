/** Parameters and tables of gaits and drives for the kernels, their periods, and gaits that are held: by the compiled functions of the package. */
import * as at from "../../../build/generated";
import { data, families, Refused, type Values } from "./declared";
import type { Robot } from "./description";
import { copied, filled, nothing, numbersOf, robotNumbers, withKernels } from "./kernels";
import { rowOf, short, zeros, type Table } from "./numbers";
import { checkBlends } from "./rules";

export interface Source {
  kind: number;
  par: Table;
  tab: Table;
}
const P = at.preparing;
const S = at.steering;
const refuse = (text: string): never => {
  throw new Refused(text);
};
const memberOf = (g: Values, family = "gaits") => families[family].members[g.kind];
const isSequence = (g: Values): boolean => "parts" in g;
const SPACE_ONLY = at.joints.WAVES;

interface Ready extends Source {
  times: Float64Array;
}

/** What the kernels read of a gait or drive that moves somewhere (`gaits/preparing.py`), and its times. */
function prepared(family: string, g: Values, robot: Robot, where: number): Ready {
  const { fields, number, refused } = memberOf(g, family);
  const words = { name: robot.name, joints: robot.joints_text };
  const rows = { g: numbersOf(fields, g), r: robotNumbers(robot), out: zeros(P.SIZES), given: zeros(8) };
  const say = (reason: number, numbers: ArrayLike<number>): void => void (reason > 0 && refuse(filled(refused![reason - 1], numbers, words)));
  return withKernels("gaits", { ...rows, par: rowOf([0]), tab: nothing(), work: nothing() }, (arrays) => {
    say(arrays.run("SIZE", number!, where), arrays.all("out").subarray(P.REASON));
    const sizes = arrays.all("out").slice();
    arrays.replace("par", zeros(sizes[P.PARAMETERS]));
    arrays.replace("tab", zeros(sizes[P.ROWS], sizes[P.COLUMNS]));
    arrays.replace("work", zeros(sizes[P.WORK_ROWS], sizes[P.WORK_COLUMNS]));
    say(arrays.run("FILL", number!, where), arrays.all("par"));
    arrays.run("TIMES", number!, where);
    return { kind: sizes[P.KERNEL], par: copied(arrays, "par"), tab: copied(arrays, "tab"), times: arrays.all("out").slice() };
  });
}

/** Let an operation work on a source; what it says. */
function asked(operation: string, source: Source, robot: Robot, ...given: number[]): { source: Source; said: Float64Array; ended: number } {
  const rows = { g: rowOf([0]), r: robotNumbers(robot), out: zeros(P.SIZES), given: zeros(8), work: nothing() };
  return withKernels("gaits", { ...rows, par: source.par, tab: source.tab }, (arrays) => {
    const ended = arrays.run(operation, source.kind, ...given);
    return { source: { kind: source.kind, par: copied(arrays, "par"), tab: copied(arrays, "tab") }, said: arrays.all("out").slice(), ended };
  });
}

/** How far a gait has come (two numbers), how fast it goes on (two), whether it can be held while its time goes on. */
export const wayOf = (source: Source, robot: Robot, t: number): Float64Array => asked("WAY", source, robot, t).said.subarray(0, S.WAY_SLOTS);
export const held = (source: Source, robot: Robot, way: number[]): Source => asked("HOLD", source, robot, way[0], way[1] ?? 0).source;

/** A table of samples with its columns at some places of wider blocks, zeros elsewhere. */
export function widened(table: Table, places: number[], columns: number): Table {
  const rows = { g: rowOf([0]), r: rowOf([0]), out: zeros(1), given: zeros(8), par: rowOf(places), tab: table, work: zeros(table.shape[0], 1 + 4 * columns) };
  return withKernels("gaits", rows, (arrays) => {
    arrays.run("WIDEN");
    return copied(arrays, "work");
  });
}

/** The line (a point and a direction towards the last node) that is nearest to being the axis of a helix through these nodes. */
export function helixAxis(nodes: ArrayLike<number>[]): [number[], number[]] {
  const { AXIS_ROWS, WIDTH, LINE } = at.pole;
  const work = zeros(AXIS_ROWS + nodes.length, WIDTH);
  nodes.forEach((p, k) => work.data.set(p, (AXIS_ROWS + k) * WIDTH));
  const rows = { g: rowOf([0]), r: rowOf([0]), out: zeros(1), given: zeros(8), par: rowOf([0]), tab: nothing(), work };
  return withKernels("gaits", rows, (arrays) => {
    arrays.run("AXIS", nodes.length - 1);
    return [LINE, LINE + 1].map((k) => Array.from(arrays.row("work", k).subarray(0, 3))) as [number[], number[]];
  });
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
  return { kind: memberOf(g).kind!, par: rowOf([sources.length, Number(g.clock === "own"), ...heads, ...body]), tab: zeros(1, 1) };
}

export const isWave = (g: Values): boolean => memberOf(g).kind === at.joints.WAVES;

/** What the planar kernels need of a gait. */
export function planarSource(g: Values, robot: Robot): Source {
  if (isSequence(g)) return sequenceSource(g, robot, false);
  if (memberOf(g).kind! < SPACE_ONLY) return prepared("gaits", g, robot, P.IN_PLANE);
  const planar = Object.entries(families.gaits.members).filter(([, m]) => m.kind! < SPACE_ONLY).map(([name]) => name);
  return refuse(`the planar engine knows the gaits ${planar.join(", ")}, got ${g.kind}`);
}

/** What the spatial kernels need of a gait. */
export function spaceSource(g: Values, robot: Robot): Source {
  if (isSequence(g)) return sequenceSource(g, robot, true);
  const made = prepared("gaits", g, robot, P.IN_SPACE);
  const reason = asked("MISFIT", made, robot).ended;
  if (reason > 0) refuse(filled(data.misfits[reason - 1], [], { kind: g.kind, name: robot.name, joints: robot.joints_text }));
  return made;
}

/** Parameters and table of a drive. */
export const driveSource = (d: Values, robot: Robot): Source => prepared("drives", d, robot, robot.axes.length);

const timesOf = (g: Values, robot: Robot, family = "gaits"): Float64Array => prepared(family, g, robot, P.RAW).times;
const orNull = (x: number): number | null => (Number.isNaN(x) ? null : x);

/** Period of the shape in s, null if it has none. */
export const periodOf = (g: Values, robot: Robot): number | null =>
  isSequence(g) ? periodOf(g.parts[g.parts.length - 1], robot) : orNull(timesOf(g, robot)[P.PERIOD]);

/** Period of the fastest part of the motion in s, null if it has none. */
export function shortestPeriod(g: Values, robot: Robot): number | null {
  if (!isSequence(g)) return orNull(timesOf(g, robot)[P.SHORTEST]);
  const own = g.parts.map((p: Values) => shortestPeriod(p, robot)).filter((p: number | null) => p !== null);
  return Math.min(...own, ...blendsOf(g, robot).map((b) => 2 * b));
}

/** From when to when a gait is steady, s. */
export function steadyPart(g: Values, robot: Robot): [number, number] {
  if (!isSequence(g)) return Array.from(timesOf(g, robot).subarray(P.STEADY_FROM, P.STEADY_UNTIL + 1)) as [number, number];
  const last = g.parts.length - 1;
  const since = g.clock === "run" ? 0 : g.times[last - 1];
  const [from, until] = steadyPart(g.parts[last], robot);
  return [Math.max(from + since, g.times[last - 1] + blendsOf(g, robot)[last - 1] + (periodOf(g, robot) ?? Infinity)), until + since];
}

/** Period of the fastest part of a drive's torques in s, null if they have none. */
export function drivePeriod(d: Values): number | null {
  const { fields, number } = memberOf(d, "drives");
  const rows = { g: numbersOf(fields, d), r: rowOf([0]), out: zeros(P.SIZES), given: zeros(8), par: rowOf([0]), tab: nothing(), work: nothing() };
  return withKernels("gaits", rows, (arrays) => {
    arrays.run("TIMES", number!);
    return orNull(arrays.all("out")[P.SHORTEST]);
  });
}
