/** Friction laws, loads, actuators and skin as the kernels read them: `contact/*.py`, `planar/ground.py`. */
import * as at from "../../../build/generated";
import { families, Refused, type Values } from "./declared";
import type { Robot } from "./description";
import { cumsum, each, largest, rowOf, short, smallest, sum, zeros, type Table } from "./numbers";

const refuse = (text: string): never => {
  throw new Refused(text);
};
const J = at.joint;

export const pressingGravity = (world: Values): number => (world.slope ? world.gravity * Math.cos(world.slope) : world.gravity);

/** Smoothing speed of a law, m/s; 0: it follows the motion; 1 for laws that have none. */
export const givenSmoothing = (law: Values): number => (!("smoothing" in law) ? 1 : (law.smoothing ?? 0));
export const leastSmoothing = (robot: Robot, world: Values): number =>
  givenSmoothing(world.friction) > 0 ? 0 : at.smoothing.REST * (Math.sqrt(world.gravity * robot.length) || 1);
export const firstSmoothing = (law: Values, least: number, kinetic: number, mass: number): number =>
  givenSmoothing(law) || Math.max(least, at.smoothing.SHARE * Math.sqrt((2 * kinetic) / mass));
export const correctionTolerance = (law: Values): number => Math.min(1e-5, at.smoothing.SOLVED * givenSmoothing(law));

/** Parameter row of a law's kernel; in space (`world` given) the axes of Coulomb friction may act together. */
export function scalarsOf(law: Values, world: Values | null = null): number[] {
  if (law.law === "coulomb") {
    const equal = law.along === law.across && (law.backward === null || law.backward === law.along);
    const upright = world?.obstacles.some((o: Values) => ["disc", "polygon", "wall", "grid"].includes(o.kind));
    const alike = equal || upright || world?.patches.some((p: Values) => p.along === p.across);
    if (world && law.axes === null && alike) return [at.coulomb.WHERE_EQUAL];
    return [law.axes === "together" ? at.coulomb.TOGETHER : at.coulomb.APART];
  }
  if (law.law === "threshold") {
    if (law.critical_speed !== null) return [law.critical_speed, law.critical_speed];
    return [law.stick_length_along / law.reference_step, law.stick_length_across / law.reference_step];
  }
  if (law.law === "bristle") return [law.bristle_damping];
  if (law.law === "stribeck") return [law.static_ratio - 1, law.stribeck_speed, law.viscous];
  return [0];
}

/** Static forces along and across and their stiffnesses under normal forces `weight`, four rows. */
function sticking(law: Values, weight: ArrayLike<number>): Float64Array[] {
  const n = weight.length;
  const rows = Array.from({ length: 4 }, () => new Float64Array(n));
  if (law.law !== "bristle" && law.law !== "threshold") return rows;
  ["along", "across"].forEach((axis, e) => {
    const force = law[`static_force_${axis}`];
    const coefficient = law[`static_${axis}`];
    const length = law[`stick_length_${axis}`];
    for (let i = 0; i < n; i++) {
      rows[e][i] = coefficient !== null ? coefficient * weight[i] : (force ?? at.ground.AS_SLIDING);
      if (law.law === "bristle") rows[2 + e][i] = length > 0 ? rows[e][i] / length : 0;
    }
  });
  return rows;
}

/** Limits of all contacts on the plain ground of the plane, (LIMIT_ROWS, n). */
export function limitsTable(world: Values, mass: ArrayLike<number>): Table {
  const law = world.friction;
  const n = mass.length;
  const table = zeros(at.ground.LIMIT_ROWS, n);
  const weight = Float64Array.from(mass, (m) => m * pressingGravity(world));
  const put = (row: number, values: ArrayLike<number>): void => table.data.set(values, row * n);
  const scaled = (x: number): Float64Array => weight.map((w) => (law.DRY ? x * w : x));
  put(at.ground.FORWARD, scaled(law.along));
  put(at.ground.BACKWARD, scaled(law.backward ?? law.along));
  put(at.ground.ACROSS, scaled(law.across));
  put(at.ground.REST, mass);
  sticking(law, weight).forEach((values, k) => put(at.ground.STATIC_T + k, values));
  return table;
}

/** Rectangles and coefficients of the patches, (p, 7). */
export function patchTable(world: Values): Table {
  const rows = world.patches.map((p: Values) => [...p.rectangle, p.along, p.backward ?? p.along, p.across]);
  return { shape: [rows.length, 7], data: Float64Array.from(rows.flat()) };
}

/** What the kernels read of the friction map; empty where there is none. */
export function mapRow(world: Values): Table {
  const map = world.friction_map;
  if (map === null) return rowOf([]);
  const across = map.across ?? map.along;
  return rowOf([map.along[0].length, map.along.length, ...map.origin, map.cell, ...map.along.flat(), ...across.flat()]);
}

/** Refuse grounds that the law would ignore or cannot hold. */
export function checkGround(world: Values, limits: Table): void {
  const law = world.friction;
  if (law.law === "none" && (world.patches.length || world.friction_map !== null)) refuse('friction law "none" has no use for patches or a map; choose another law or leave them out');
  if (law.law !== "bristle") return;
  const n = limits.shape[1];
  const get = (row: number, i: number): number => limits.data[row * n + i];
  for (const [axis, rows, row, keys] of [
    ["along", [at.ground.FORWARD, at.ground.BACKWARD], at.ground.STATIC_T, ["along", "backward"]],
    ["across", [at.ground.ACROSS], at.ground.STATIC_N, ["across"]],
  ] as const) {
    if (!(law[`stick_length_${axis}`] > 0)) continue;
    const patches = world.patches.flatMap((p: Values) => keys.map((key) => p[key] || 0));
    const most = world.friction_map === null ? 1 : Math.max(...[world.friction_map.along, world.friction_map.across ?? [[0]]].flat(2));
    for (let i = 0; i < n; i++) {
      const weight = get(at.ground.REST, i) * pressingGravity(world);
      const sliding = Math.max(most * Math.max(...rows.map((r) => get(r, i))), Math.max(0, ...patches) * weight);
      if (get(row, i) >= 0 && get(row, i) < sliding * (1 - 1e-12)) {
        const key = law[`static_${axis}`] !== null ? `static_${axis}` : `static_force_${axis}`;
        refuse(
          `bristle friction needs ${key} >= the sliding friction of every contact: link ${i} slides at ${short(sliding, 4)} N and would stick up to ${short(get(row, i), 4)} N; raise it, or leave it out (then it is the sliding friction)`,
        );
      }
    }
  }
}

/** Mass that rests on each link of a body at rest, kg: its own, or what a constant load law gives it. */
export function restMass(robot: Robot, world: Values): Float64Array {
  const load = world.load;
  if (load?.kind !== "given") return Float64Array.from(robot.link_mass);
  const shares = each(load.weights, robot.links);
  if (Array.isArray(load.weights) && load.weights.length !== robot.links && load.weights.length !== 1) refuse(`weights: give one per link, ${robot.links}, got ${load.weights.length}`);
  const spread = shares.length === 1 ? each(shares[0], robot.links) : shares;
  const total = sum(spread);
  return spread.map((s) => (robot.mass * s) / total);
}

/** Refuse a load law that the friction law would ignore. */
export function checkLoad(world: Values): void {
  const law = world.friction;
  if (world.load === null) return;
  if (!law.DRY) refuse(`'${law.law}' friction does not depend on the load; leave world.load out or choose a dry law`);
  const force = ["static_force_along", "static_force_across"].find((name) => law[name] != null);
  if (force) refuse(`${force} is a force in newtons that does not follow world.load; give ${force.replace("_force", "")} instead`);
}

/** Parameter row of the load law's kernel. */
export function loadRow(load: Values, robot: Robot): number[] {
  if (load.kind === "bends") return [load.curvature / robot.length];
  if (load.kind !== "wave") return [0];
  const row = [load.amplitude, (2 * Math.PI * load.waves) / robot.length, load.frequency, load.phase];
  const ends = cumsum(robot.link_length);
  let least = Infinity;
  const count = load.frequency !== 0 ? 720 : 1;
  for (let k = 0; k < count; k++) {
    const turn = count > 1 ? (2 * Math.PI * k) / (count - 1) : 0;
    const active = Array.from(ends, (x, i) => robot.link_mass[i] * Math.max(0, 1 + row[0] * Math.cos(row[1] * (x - 0.5 * robot.link_length[i]) + row[3] + turn)));
    least = Math.min(least, sum(active) / robot.mass);
  }
  if (least < at.load.LIGHTEST)
    refuse(`this load wave lifts nearly the whole body at once (mean activation ${short(least, 2)}); use a smaller amplitude or more waves`);
  return row;
}
export const loadKind = (load: Values): number => families.loads.members[load.kind].kind!;

/** Servo of each joint from the tail, null: none. */
export function servosOf(robot: Robot): (Values | null)[] {
  const all = Array.isArray(robot.servo) ? robot.servo : new Array(robot.links - 1).fill(robot.servo);
  if (new Set(all.filter((s: Values | null) => s !== null).map((s: Values) => s.control_period)).size > 1) refuse("all servos of a robot must have the same control_period");
  return all;
}

/** Rows of so many axes without motor, gear or stops: limp joints. */
export function actuatorsFor(axes: number): Table {
  const table = zeros(J.ACTUATOR_ROWS, axes);
  const fill = (row: number, value: number): void => void table.data.fill(value, row * axes, (row + 1) * axes);
  fill(J.DRIVEN, 1);
  for (const row of [J.TORQUE_LIMIT, J.NO_LOAD_SPEED, J.AIM_SPEED, J.STOP_HIGH]) fill(row, J.UNLIMITED);
  fill(J.STOP_LOW, -J.UNLIMITED);
  return table;
}

/** Rows of a robot's axes: its servos, damping and stops. */
export function actuatorsOf(robot: Robot, servos: (Values | null)[]): Table {
  const m = robot.axes.length;
  const table = actuatorsFor(m);
  const put = (row: number, k: number, value: number): void => void (table.data[row * m + k] = value);
  const inertia = sum(robot.link_mass.map((x: number, i: number) => x * robot.link_length[i] ** 2)) / robot.links / 3;
  const any = servos.some((s) => s !== null);
  robot.axes.forEach(({ joint }, k) => {
    const servo = servos[joint - 1];
    const limit = robot.joint_limit[joint - 1];
    put(J.JOINT_DAMPING, k, robot.joint_damping[joint - 1]);
    put(J.DRIVEN, k, Number(!robot.limp.includes(joint) && (servo !== null || !any)));
    if (limit < 0.1 * J.UNLIMITED) {
      put(J.STOP_LOW, k, -limit);
      put(J.STOP_HIGH, k, limit);
      put(J.STOP_STIFFNESS, k, inertia * J.STOP_FREQUENCY ** 2);
      put(J.STOP_DAMPING, k, 2 * inertia * J.STOP_FREQUENCY);
    }
    if (servo === null) return;
    put(J.SERVO, k, 1);
    put(J.STIFFNESS, k, servo.stiffness);
    put(J.DAMPING_GAIN, k, servo.damping);
    for (const [row, name, scale] of [
      [J.TORQUE_LIMIT, "torque_limit", 1], [J.AIM_SPEED, "speed_limit", 1], [J.NO_LOAD_SPEED, "no_load_speed", 1], [J.BACKLASH, "backlash", 0.5],
      [J.GEAR_FRICTION, "gear_friction", 1], [J.ROTOR, "rotor_inertia", 1],
    ] as const)
      if (servo[name] !== null) put(row, k, scale * servo[name]);
  });
  return table;
}

/** 0: what acts in the joints is linear in their rates, 1: but for stops, 2: motors or gears are not. */
export function nonlinearity(table: Table): number {
  const m = table.shape[1];
  const some = (row: number, test: (x: number) => boolean): boolean => table.data.subarray(row * m, (row + 1) * m).some(test);
  if (some(J.TORQUE_LIMIT, (x) => x < J.UNLIMITED) || some(J.NO_LOAD_SPEED, (x) => x < J.UNLIMITED)) return 2;
  if (some(J.BACKLASH, (x) => x > 0) || some(J.GEAR_FRICTION, (x) => x > 0)) return 2;
  return Number(some(J.STOP_HIGH, (x) => x < J.UNLIMITED));
}

export interface Skin {
  numbers: Table;
  arc: Table;
  radius: Table;
  node: Table;
}

/** What links are to each other; off where the world has no contact between links. */
export function skinOf(robot: Robot, world: Values, step: number): Skin {
  const given = world.self_contact;
  const numbers = zeros(at.skin.SKIN_NUMBERS);
  const radius = Float64Array.from(robot.radius);
  const node = Float64Array.from({ length: robot.links + 1 }, (_, k) => Math.max(radius[k] ?? 0, radius[k - 1] ?? 0));
  if (given !== null) {
    if (smallest(radius) <= 0)
      refuse(`contact between links (world.self_contact) needs round links; link ${radius.indexOf(smallest(radius))} of ${robot.name} has radius 0: give the robot a radius`);
    const mass = sum(robot.link_mass) / robot.links;
    const usual = Math.max((robot.mass * world.gravity) / (at.skin.SAG * smallest(radius)), mass / (at.skin.SLOWEST * step) ** 2);
    const stiffness = given.stiffness ?? usual;
    const damping = given.damping ?? 2 * at.skin.DAMPED_SHARE * Math.sqrt(stiffness * mass);
    const own = world.friction.smoothing ?? null;
    const [smoothing, follow] = own === null ? [at.skin.USUAL_SMOOTHING, at.skin.FOLLOWED] : [own, Infinity];
    numbers.data.set([1, stiffness, damping, given.friction, smoothing, follow, largest(radius), smallest(robot.link_mass)]);
  }
  return { numbers, arc: rowOf([0, ...cumsum(robot.link_length)]), radius: rowOf(radius), node: rowOf(node) };
}

/** Working space for a skin, by name; next to nothing where it is off. */
export function touchingFor(skin: Skin, flat: boolean): Record<string, Table> {
  const K = at.skin;
  const box = at.segments.BOX_ROWS;
  if (skin.numbers.data[K.ON] === 0)
    return { nodes: zeros(3, 1), seen: zeros(3, 1), tree: zeros(box, 1), pairs: zeros(3, 1), touch: zeros(K.TOUCH_ROWS, 1), work: zeros(12, 1), counts: zeros(K.COUNTS) };
  const n = skin.radius.data.length;
  const arc = skin.arc.data;
  const links = Array.from({ length: n }, (_, i) => arc[i + 1] - arc[i]);
  const most = Math.min(n, 16 + Math.ceil((16 * largest(skin.radius.data)) / smallest(links)));
  const room = (n + 1) * most * (flat ? 1 : 2);
  return {
    nodes: zeros(3, n + 1), seen: zeros(3, n + 1), tree: zeros(box, 2 * treeSize(n)), pairs: zeros(3, room), touch: zeros(K.TOUCH_ROWS, room), work: zeros(12, n),
    counts: zeros(K.COUNTS),
  };
}

/** Leaves of the tree of boxes: the least power of two that holds all links. */
export function treeSize(links: number): number {
  let size = 1;
  while (size < links) size *= 2;
  return size;
}
