/** Constants, state and scratch of the spatial engine from a description: `spatial/setup.py`. */
import * as at from "../../../build/generated";
import { actuatorsOf, correctionTolerance, leastSmoothing, nonlinearity, scalarsOf, servosOf, skinOf, touchingFor } from "./contact";
import { Refused, type Values } from "./declared";
import type { Robot, Setup } from "./description";
import { each, row, rowOf, short, zeros, type Table } from "./numbers";
import type { Groups } from "./planar";
import { slotsOf, terrainOf } from "./terrain";

const L = at.spatial;
const G = at.spots;
const refuse = (text: string): never => {
  throw new Refused(text);
};

/** Static coefficients, static forces, stiffnesses per kg and per contact of a law that sticks, along and across. */
function stickRow(law: Values, gravity: number): number[] {
  const made = new Array<number>(8).fill(0);
  ["along", "across"].forEach((axis, e) => {
    const coefficient = law[`static_${axis}`] ?? null;
    const force = law[`static_force_${axis}`] ?? null;
    const length = law.law === "bristle" ? law[`stick_length_${axis}`] : 0;
    if (coefficient !== null) {
      made[e] = coefficient;
      made[4 + e] = length > 0 ? (coefficient * gravity) / length : 0;
    } else if (force === null) {
      made[2 + e] = at.ground.AS_SLIDING;
      made[4 + e] = length > 0 ? gravity / length : 0;
    } else {
      made[2 + e] = force;
      made[6 + e] = length > 0 ? force / length : 0;
    }
  });
  return made;
}

/** Step, gravity, tolerance, friction law. */
function numbersOf(setup: Setup, step: number, stride: number, ideal: boolean): Table {
  const { robot, world } = setup;
  const law = world.friction;
  const scalars = scalarsOf(law, world);
  const made = zeros(L.SCALARS + scalars.length);
  const put = (slot: number, ...values: number[]): void => made.data.set(values, slot);
  put(L.DT, step);
  put(L.GRAVITY, world.gravity);
  put(L.STRIDE, stride);
  put(L.IDEAL, Number(ideal));
  put(L.TOLERANCE, correctionTolerance(law));
  put(L.LEAST, leastSmoothing(robot, world));
  put(L.HOLD, servosOf(robot).find((s) => s !== null)?.control_period ?? 0);
  put(L.ROLLING, setup.floor!.rolling);
  const bounce = setup.floor!.restitution ?? 0;
  put(L.BOUNCE, bounce, bounce > 0 ? (at.springs.STIFF * robot.mass) / step : 0);
  const edges = Array.isArray(world.edge_angle) ? world.edge_angle : [world.edge_angle];
  if (setup.floor!.rolling > 0 && edges.some((x: number) => x !== 0)) refuse("rolling resistance acts about the links' axes; with an edge_angle it is not known");
  put(L.COMMAND_KIND, -1);
  put(L.LAW, law.KIND);
  put(L.DRY, Number(law.DRY));
  put(L.PLAIN, law.along, law.backward ?? law.along, law.across);
  put(L.STICK, ...stickRow(law, world.gravity));
  put(L.SCALARS, ...scalars);
  return made;
}

/** Links and joints. */
function chainOf(setup: Setup, step: number): Groups {
  const { robot, world } = setup;
  const n = robot.links;
  const links = zeros(L.LINK_ROWS, n);
  const edge = each(world.edge_angle, n);
  if (edge.length !== n) refuse(`edge_angle has ${edge.length} values; give one number or one for each of the ${n}`);
  const rows: [number, ArrayLike<number>][] = [
    [L.LENGTH, robot.link_length], [L.MASS, robot.link_mass], [L.COM, robot.com_offset], [L.TRANSVERSE, robot.link_inertia], [L.AXIAL, robot.axial_inertia],
    [L.RADIUS, robot.radius], [L.EDGE_C, edge.map(Math.cos)], [L.EDGE_S, edge.map(Math.sin)], [L.CONTACT, robot.contact_offset],
  ];
  for (const [k, values] of rows) row(links, k).set(values);
  const first = Array.from({ length: n + 1 }, (_, i) => robot.axes.filter((a) => a.joint < i).length);
  const kinds = robot.axes.map((a) => ["yaw", "pitch", "roll"].indexOf(a.kind));
  const skin = skinOf(robot, world, step);
  return {
    "constants.chain.links": links, "constants.chain.first": rowOf(first), "constants.chain.kinds": rowOf(kinds),
    "constants.chain.actuators": actuatorsOf(robot, servosOf(robot)), "constants.chain.total": robot.mass,
    ...named("constants.chain.skin", skin as unknown as Record<string, Table>), ...named("scratch.contacts.own", touchingFor(skin, false)),
  };
}

const named = (path: string, group: Record<string, Table>): Groups => Object.fromEntries(Object.entries(group).map(([key, value]) => [`${path}.${key}`, value]));

/** Constants (5, k) of the world's anchors. */
function anchorsOf(robot: Robot, world: Values): Table {
  const all = world.anchors as Values[];
  const table = zeros(5, all.length);
  all.forEach((a, k) => {
    if (a.link >= robot.links || a.at > robot.link_length[a.link] * (1 + 1e-9)) refuse(`an anchor at ${short(a.at)} m of link ${a.link} lies beyond the links of ${robot.name}`);
    const damping = 2 * at.anchors.RATIO * Math.sqrt(a.stiffness * robot.link_mass[a.link]);
    [a.link, a.at, a.hold, a.stiffness, damping].forEach((value, e) => (table.data[e * all.length + k] = value));
  });
  return table;
}

/** Numbers of a frame. */
export const frameSize = (links: number, dofs: number, anchors: number): number =>
  L.MOTION_ROWS + at.sums.SLOTS + L.FRAME_LINK_ROWS * links + L.FRAME_DOF_ROWS * dofs + L.FRAME_ANCHOR_ROWS * anchors;

/** All arrays of a robot in its world, at rest and straight; the command comes later. */
export function spatialGroups(setup: Setup, step: number, stride: number, ideal: boolean): Groups {
  const { robot, world } = setup;
  const [n, m] = [robot.links, robot.axes.length];
  const chain = chainOf(setup, step);
  const terrain = terrainOf(setup, step);
  const anchors = anchorsOf(robot, world);
  const numbers = numbersOf(setup, step, stride, ideal);
  numbers.data[L.SHARE] = 1 / terrain.ground.data[G.G_POINTS];
  numbers.data[L.NONLINEAR] = nonlinearity(chain["constants.chain.actuators"] as Table);
  const slots = slotsOf(n, terrain.ground);
  const memory = zeros(5, world.friction.law === "bristle" ? slots : 0);
  row(memory, at.contacts.STAMP).fill(-2);
  const loads = zeros(L.LOAD_ROWS, n);
  row(loads, L.WALL_NAME).fill(-1);
  for (let e = 0; e < 3; e++) row(loads, L.WALL_POINT + e).fill(NaN);
  const body = zeros(L.BODY_ROWS, n);
  for (const k of [L.EX, L.EY + 1, L.EZ + 2]) row(body, k).fill(1);
  let room = slots + anchors.shape[1];
  room += (8 - (room % 8)) % 8;
  room += (room / 8) % 2 === 0 ? 8 : 0;
  return {
    ...chain, "constants.terrain.ground": terrain.ground, "constants.terrain.field": terrain.field, "constants.terrain.objects": terrain.objects,
    "constants.terrain.anchors": anchors, "constants.numbers": numbers, "constants.par": zeros(1), "constants.tab": zeros(1, 1),
    "state.motion": zeros(L.MOTION_ROWS), "state.momenta": zeros(6, n), "state.dofs": zeros(L.DOF_ROWS, m), "state.sums": zeros(at.sums.SLOTS),
    "state.memory": memory, "state.anchors": zeros(at.anchors.ANCHOR_ROWS, anchors.shape[1]), "state.loads": loads,
    "scratch.body": body, "scratch.axes": zeros(L.AXIS_ROWS, m), "scratch.command": zeros(at.joints.ROWS, n), "scratch.torques": zeros(1, m + 1),
    "scratch.contacts.spots": zeros(G.SPOT_ROWS, room), "scratch.contacts.touch": zeros(at.touch.LAW_ROWS, room), "scratch.contacts.friction": zeros(G.FRICTION_ROWS, room),
    "scratch.before.motion": zeros(L.MOTION_ROWS), "scratch.before.momenta": zeros(6, n), "scratch.before.dofs": zeros(L.DOF_ROWS, m),
    "scratch.before.sums": zeros(at.sums.SLOTS), "scratch.before.spots": zeros(G.SPOT_ROWS, room), frames: zeros(0, frameSize(n, m, anchors.shape[1])), given: zeros(8),
  };
}
