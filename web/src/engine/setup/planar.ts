/** Constants, state and scratch of the planar engine from a description: `planar/constants.py`, `planar/layout.py`. */
import * as at from "../../../build/generated";
import {
  actuatorsFor, actuatorsOf, checkGround, checkLoad, correctionTolerance, leastSmoothing, limitsTable, loadKind, loadRow, mapRow, patchTable, pressingGravity,
  restMass, scalarsOf, servosOf, skinOf, touchingFor,
} from "./contact";
import { Refused, type Values } from "./declared";
import type { Robot, Setup } from "./description";
import { each, row, sum, zeros, type Table } from "./numbers";

const P = at.planar;
const J = at.joint;
const INTEGRATORS: Record<string, number> = { implicit: 0, euler: 1, rk4: 4 };
const refuse = (text: string): never => {
  throw new Refused(text);
};

/** Constants of the links and the ground under them, (LINK_CONSTANTS, n). */
function linkTable(robot: Robot, world: Values): Table {
  const n = robot.links;
  const table = zeros(P.LINK_CONSTANTS, n);
  const edge = each(world.edge_angle, n);
  if (edge.length !== n) refuse(`edge_angle has ${edge.length} values; give one number or one for each of the ${n}`);
  const rest = restMass(robot, world);
  let beyond = 0;
  const lever = new Float64Array(n);
  for (let i = n - 1; i >= 0; i--) {
    lever[i] = robot.link_mass[i] * robot.com_offset[i] + robot.link_length[i] * beyond;
    beyond += robot.link_mass[i];
  }
  const weight = rest.map((m) => m * pressingGravity(world));
  const rows: [number, ArrayLike<number>][] = [
    [P.LENGTH, robot.link_length], [P.MASS, robot.link_mass], [P.INERTIA, robot.link_inertia], [P.COM, robot.com_offset], [P.LEVER, lever],
    [P.EDGE_C, edge.map(Math.cos)], [P.EDGE_S, edge.map(Math.sin)], [P.CONTACT, robot.contact_offset], [P.SHARE, each(1, n)], [P.WEIGHT, weight],
    [P.SCALE, world.friction.DRY ? weight : each(1, n)],
  ];
  for (const [k, values] of rows) row(table, k).set(values);
  table.data.set(limitsTable(world, rest).data, P.PLAIN * n);
  return table;
}

/** Constants of the joints in the columns of their outer links, (JOINT_CONSTANTS, n); ideal joints have no servos. */
function jointTable(robot: Robot, ideal: boolean): Table {
  const n = robot.links;
  const servos = ideal ? new Array<Values | null>(n - 1).fill(null) : servosOf(robot);
  const table = zeros(P.JOINT_CONSTANTS, n);
  table.data.set(actuatorsFor(n).data);
  const own = actuatorsOf(robot, servos);
  const m = robot.axes.length;
  row(table, P.LOCKED).fill(1, 1);
  robot.axes.forEach(({ joint }, k) => {
    for (let r = 0; r < J.ACTUATOR_ROWS; r++) table.data[r * n + joint] = own.data[r * m + k];
    table.data[P.LOCKED * n + joint] = 0;
  });
  servos.forEach((servo, k) => (table.data[P.CONTROL_PERIOD * n + k + 1] = servo?.control_period ?? 0));
  return table;
}

/** Constants of the contact points: the links' own table where each has one, else Gauss points along the links. */
function pointsTable(links: Table, robot: Robot, world: Values): Table {
  const k = world.contact_points;
  const n = robot.links;
  if (k === 1) return links;
  const off = robot.contact_offset.findIndex((x: number, i: number) => Math.abs(x - 0.5 * robot.link_length[i]) > 1e-12 * robot.link_length[i]);
  if (off >= 0)
    refuse(`${k} contact points lie along the whole link, but link ${off} has a contact_offset of ${robot.contact_offset[off]} m, which is not its middle; leave contact_offset out, or world.contact_points`);
  const [nodes, weights] = gaussPoints(k);
  const table = zeros(P.LINK_CONSTANTS, n * k);
  for (let r = 0; r < P.LINK_CONSTANTS; r++) for (let j = 0; j < n * k; j++) table.data[r * n * k + j] = links.data[r * n + (j % n)];
  const G = at.ground;
  for (let j = 0; j < n * k; j++) {
    const share = 0.5 * weights[Math.floor(j / n)];
    const scale = (r: number, f: number): void => void (table.data[r * n * k + j] *= f);
    const plain = (r: number): number => table.data[(P.PLAIN + r) * n * k + j];
    scale(P.CONTACT, 1 + nodes[Math.floor(j / n)]);
    table.data[P.SHARE * n * k + j] = share;
    scale(P.SCALE, share);
    for (let r = 0; r <= G.REST; r++) scale(P.PLAIN + r, share);
    for (const [fixed, stiff] of [[G.STATIC_T, G.STIFF_T], [G.STATIC_N, G.STIFF_N]] as const)
      if (plain(fixed) !== G.AS_SLIDING) {
        scale(P.PLAIN + fixed, share);
        scale(P.PLAIN + stiff, share);
      }
  }
  return table;
}

/** Nodes and weights of the Gauss-Legendre rule with k points, from -1 to 1. */
export function gaussPoints(k: number): [number[], number[]] {
  const nodes: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i < k; i++) {
    let x = -Math.cos((Math.PI * (i + 0.75)) / (k + 0.5));
    let slope = 1;
    for (let pass = 0; pass < 100; pass++) {
      let [a, b] = [1, x];
      for (let j = 2; j <= k; j++) [a, b] = [b, ((2 * j - 1) * x * b - (j - 1) * a) / j];
      slope = (k * (x * b - a)) / (x * x - 1);
      const change = b / slope;
      x -= change;
      if (Math.abs(change) < 1e-16) break;
    }
    if (2 * i + 1 === k) x = 0;
    nodes.push(x);
    weights.push(2 / ((1 - x * x) * slope * slope));
  }
  return [nodes, weights];
}

/** Order of the integrator, refused where it cannot take the law or the joints. */
function orderOf(setup: Setup, joints: Table, least: number): number {
  const { integrator } = setup.settings;
  const law = setup.world.friction;
  const needs = `needs integrator = "implicit", got '${integrator}'`;
  if (integrator !== "implicit") {
    if (law.law === "bristle") refuse(`the bristle law has memory and ${needs}`);
    if (least > 0)
      refuse(
        `an explicit integrator needs a smoothing speed, and the law '${law.law}' has none of its own (it follows the motion, too stiff for ${integrator}); give world.friction.smoothing, as 1e-3 m/s, or integrator = "implicit"`,
      );
    if (row(joints, J.SERVO).some((x) => x > 0)) refuse(`a servo is stiff and ${needs}`);
    if (setup.world.self_contact !== null) refuse(`contact between links (world.self_contact) is stiff and ${needs}`);
  }
  return INTEGRATORS[integrator];
}

/** Whether no joint has a servo, gear friction, a rotor or stops. */
function isSimple(joints: Table): boolean {
  const n = joints.shape[1];
  for (let i = 1; i < n; i++) {
    const get = (r: number): number => joints.data[r * n + i];
    if (get(J.SERVO) + get(J.GEAR_FRICTION) + get(J.ROTOR) + Number(get(J.STOP_HIGH) < J.UNLIMITED) > 0) return false;
  }
  return true;
}

export type Groups = Record<string, Table | number>;

/** All arrays of a robot in its world, before it begins; the command comes later. */
export function planarGroups(setup: Setup, step: number, stride: number, ideal: boolean): Groups {
  const { robot, world } = setup;
  const n = robot.links;
  const links = linkTable(robot, world);
  const joints = jointTable(robot, ideal);
  checkGround(world, { shape: [at.ground.LIMIT_ROWS, n], data: links.data.subarray(P.PLAIN * n) });
  checkLoad(world);
  const scalars = scalarsOf(world.friction);
  const numbers = zeros(P.NUMBERS + scalars.length);
  const put = (slot: number, value: number): void => void (numbers.data[slot] = value);
  const least = leastSmoothing(robot, world);
  const slide = world.slope ? -world.gravity * Math.sin(world.slope) : 0;
  put(P.TOTAL, sum(robot.link_mass));
  put(P.TOLERANCE, correctionTolerance(world.friction));
  put(P.LEAST, least);
  put(P.GX, world.slope ? slide * Math.cos(world.slope_direction) : 0);
  put(P.GY, world.slope ? slide * Math.sin(world.slope_direction) : 0);
  put(P.STEP, step);
  put(P.STRIDE, stride);
  put(P.ORDER, orderOf(setup, joints, least));
  put(P.LAW, world.friction.KIND);
  numbers.data.set(scalars, P.NUMBERS);
  put(P.ANY_LOCKED, Math.max(...row(joints, P.LOCKED)));
  put(P.SIMPLE, Number(isSimple(joints)));
  put(P.ANY_STOP, Number(ideal && row(joints, J.STOP_HIGH).subarray(1).some((x) => x < J.UNLIMITED)));
  if (world.load !== null) {
    const own = loadRow(world.load, robot);
    put(P.LOAD_KIND, loadKind(world.load));
    numbers.data.set(own, P.LOAD_ROW);
  }
  const patches = patchTable(world);
  put(P.UNEVEN, Number(patches.shape[0] > 0 || world.friction_map !== null || numbers.data[P.LOAD_KIND] > 0));
  const points = pointsTable(links, robot, world);
  const skin = skinOf(robot, world, step);
  const explicit = numbers.data[P.ORDER] > 0;
  const size = explicit ? stateSize(n) : 1;
  return {
    "constants.links": links, "constants.points": points, "constants.joints": joints, "constants.numbers": numbers, "constants.patches": patches,
    "constants.chart": mapRow(world), "constants.row": zeros(1), "constants.table": zeros(1, 1),
    ...Object.fromEntries(Object.entries(skin).map(([key, value]) => [`constants.skin.${key}`, value])),
    ...stateGroup(n, points.shape[1], size, joints), ...scratchGroup(links, points, size),
    ...Object.fromEntries(Object.entries(touchingFor(skin, true)).map(([key, value]) => [`scratch.own.${key}`, value])),
    "frames.motion": zeros(0, P.MOTION_SLOTS + at.sums.SLOTS), "frames.links": zeros(0, P.FRAME_ROWS, n), given: zeros(8),
  };
}

/** Numbers that the explicit integrators integrate. */
const stateSize = (links: number): number => Math.max(6, 4 + 2 * links) + at.rungeKutta.QUADRATURES.length;

function stateGroup(n: number, points: number, size: number, joints: Table): Groups {
  const state = zeros(P.JOINT_STATES, n);
  // joints without torque from the start: from now on the state says so
  row(state, P.FREE).set(row(joints, J.DRIVEN).map((x) => 1 - x));
  row(joints, J.DRIVEN).fill(1);
  row(state, P.SAMPLE).fill(-1);
  return {
    "state.motion": zeros(P.MOTION_SLOTS), "state.links": zeros(P.LINK_STATES, n), "state.joints": state, "state.sums": zeros(at.sums.SLOTS),
    "state.vector": zeros(2, size), "state.memory": zeros(4, points),
  };
}

function scratchGroup(links: Table, points: Table, size: number): Groups {
  const n = links.shape[1];
  const m = points.shape[1];
  const body = zeros(P.BODY_ROWS, n);
  row(body, P.LOAD).set(row(links, P.WEIGHT));
  return {
    "scratch.links": body, "scratch.points": m === n ? body : zeros(P.BODY_ROWS, m), "scratch.touch": zeros(at.touch.TOUCH_ROWS, m),
    "scratch.limits": { shape: [at.ground.LIMIT_ROWS, m], data: points.data.slice(P.PLAIN * m) }, "scratch.solve": zeros(P.SOLVE_ROWS, n),
    "scratch.newton": zeros(12), "scratch.stages": zeros(4, size),
  };
}
