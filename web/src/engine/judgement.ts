/** What a run is worth, by the kernels of `judgement/`: what they need is filled in as `judgement/ledger.py` declares it. */
import * as at from "../../build/generated";
import type { Crossing } from "./crossing";
import { said } from "./finding";
import { Arrays, Machine } from "./memory";
import { servosOf } from "./setup/contact";
import { data } from "./setup/declared";
import type { Setup } from "./setup/description";
import { drivePeriod, periodOf, shortestPeriod, steadyPart } from "./setup/gaits";
import { each, rowOf, zeros, type Table } from "./setup/numbers";
import { bearingPoints } from "./setup/terrain";
import type { Frames, Metrics } from "./types";

const L = at.judgement;
type Columns = Record<string, Float64Array | undefined>;

/** What an engine tells beside its frames. */
export interface Engine {
  readonly sums: Float64Array;
  readonly time: number; // s
  readonly dt: number; // s
  readonly done: number; // steps
  readonly ideal: boolean;
  readonly stiffness?: number; // of the ground, N/m
}
export interface Evidence {
  setup: Setup;
  frames: Frames;
  engine: Engine;
  crossing: Crossing;
}

/** The number at a path of names and places (`simulation/facts.py`); NaN: there is none. */
export function numberAt(value: any, path: string): number {
  const [route, wanted] = path.split("=");
  for (const name of route.replace("?", "").split(".")) value = value == null ? null : Array.isArray(value) ? value.at(Number(name)) : value[name];
  value ??= null;
  if (wanted !== undefined) return Number(value === wanted);
  if (route.endsWith("?")) return Number(value !== null);
  return value === null || typeof value === "string" ? NaN : Number(value);
}

const table = (paths: readonly string[], values: any[]): Table => ({ shape: [paths.length, values.length], data: Float64Array.from(paths.flatMap((path) => values.map((v) => numberAt(v, path)))) });

/** Numbers of the description and of the engine. */
function factsOf({ setup, engine, crossing }: Evidence): Float64Array {
  const { gait, drive, robot, spatial } = setup;
  const period = gait ? periodOf(gait, robot) : null;
  const shortest = gait ? shortestPeriod(gait, robot) : drive ? drivePeriod(drive) : null;
  const [steady_from, steady_until] = gait && period !== null ? steadyPart(gait, robot) : [null, null];
  const told = {
    time: engine.time, step: engine.dt, done: engine.done, planar: !spatial, flat: !spatial, ideal: engine.ideal, ground_stiffness: engine.stiffness,
    bearing_points: spatial && engine.stiffness ? bearingPoints(setup) : null,
  };
  const roots = { ...setup, command: gait ?? drive, clock: { period, shortest, steady_from, steady_until }, engine: told, crossing };
  return Float64Array.from(L.FACT_PATHS, (path) => numberAt(roots, path));
}

/** Recorded variables as rows. */
function rowsOf(frames: Frames): Table {
  const rows = L.FRAME_PATHS.map((path) => {
    const [name, place] = path.split(".");
    const all = (frames as unknown as Columns)[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())];
    const width = place === undefined ? 1 : 3;
    return Array.from({ length: frames.count }, (_, f) => (all ? all[width * f + Number(place ?? 0)] : 0));
  });
  return { shape: [rows.length, frames.count], data: Float64Array.from(rows.flat()) };
}

/** The arrays of a run in the memory of the kernels. */
function ledgerOf(module: WebAssembly.Module, e: Evidence): Arrays {
  const { robot } = e.setup;
  const { frames } = e;
  const [f, n, d] = [frames.count, frames.links, frames.dofs];
  const servos = servosOf(robot);
  const limits = each(robot.joint_limit, n - 1);
  const gait = e.setup.gait?.kind === "sampled" ? e.setup.gait : { times: [], values: [] };
  const links = Array.from({ length: n }, (_, i) => Object.fromEntries(L.LINK_PATHS.map((path) => [path, robot[path][i]])));
  const axes = robot.axes.map((axis) => ({ ...axis, limit: limits[axis.joint - 1], servo: robot.limp.includes(axis.joint) ? null : servos[axis.joint - 1] }));
  const arrays = new Arrays(new Machine(module), "judgement");
  arrays.load({
    "run.facts": rowOf(factsOf(e)), "run.sums": rowOf(e.engine.sums), "run.links": table(L.LINK_PATHS, links), "run.dofs": table(L.DOF_PATHS, axes),
    "run.frames": rowsOf(frames), "run.angle": { shape: [f, d], data: frames.jointAngle }, "run.rate": { shape: [f, d], data: frames.jointRate },
    "run.torque": { shape: [f, d], data: frames.jointTorque }, "run.press": { shape: [f, n], data: frames.normalForce },
    "run.nodes": { shape: [f, n + 1, 3], data: frames.node }, "run.parts": zeros(L.PARTS), "run.metrics": zeros(Object.keys(data.metrics).length),
    "run.times": rowOf(gait.times), "run.samples": { shape: [gait.times.length, gait.values[0]?.length ?? 0], data: Float64Array.from(gait.values.flat()) },
    "run.findings": zeros(data.findings.rows.length, L.WIDTH),
    axis: { shape: [f, n, 3], data: frames.axis }, back: { shape: [f, n, 3], data: frames.back }, given: zeros(8),
  });
  if (e.setup.spatial) arrays.run("ROLL");
  return arrays;
}

/** What a run came to: its metrics by name, null where one does not apply; the energy turned over, J; what is found, by code. */
export interface Measured {
  metrics: Metrics;
  turned: number;
  findings: Map<string, string>;
  status: { name: string; message: string } | null; // where a finding decides how the run ended
}
interface Row {
  code: string;
  text: string;
  names: string[];
  status: string;
}

export function measure(module: WebAssembly.Module, e: Evidence): Measured {
  const arrays = ledgerOf(module, e);
  arrays.run("MEASURE");
  arrays.run("FIND");
  const values = arrays.all("run.metrics");
  const number = (value: number): number | null => (value === L.ABSENT || Number.isNaN(value) ? null : value);
  const rows: Row[] = data.findings.rows;
  const found = rows.map((row, k) => ({ ...row, numbers: arrays.row("run.findings", k) })).filter(({ numbers }) => numbers[0] > 0);
  const sentence = ({ text, names, numbers }: (typeof found)[0]): string => said(text, Object.fromEntries(names.map((name, k) => [name, numbers[k + 1]])));
  const ended = found.find((row) => row.status);
  return {
    metrics: Object.fromEntries(Object.keys(data.metrics).map((name, k) => [name, number(values[k])])), turned: arrays.all("run.parts")[L.TURNED],
    findings: new Map(found.filter((row) => !row.status).map((row) => [row.code, sentence(row)])), status: ended ? { name: ended.status, message: sentence(ended) } : null,
  };
}

/** What to beware of, in the order in which it is told. */
export const warningsOf = ({ findings }: Measured): string[] => (data.findings.told as string[]).flatMap((code) => findings.get(code) ?? []);
