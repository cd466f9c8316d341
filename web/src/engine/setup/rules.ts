/** What must hold between several fields of a description, and what follows from them: the `check` of each Python class. */
import * as at from "../../../build/generated";
import { Refused, setRules, type Rule, type Values } from "./declared";
import { short, sum } from "./numbers";

const refuse = (text: string): never => {
  throw new Refused(text);
};

const robot: Rule = (r) => {
  const { link_length: length, link_mass: mass } = r;
  if (typeof r.link_inertia === "string") r.link_inertia = mass.map((m: number, i: number) => (m * length[i] ** 2) / 12);
  for (const name of ["com_offset", "contact_offset"]) {
    r[name] ??= length.map((l: number) => 0.5 * l);
    const i = r[name].findIndex((x: number, k: number) => x > length[k]);
    if (i >= 0) refuse(`${name} ${short(r[name][i])} m of link ${i} lies beyond its length ${short(length[i])} m`);
  }
  const thick = r.radius.map((x: number, i: number) => (x > 0 ? x : at.robot.SLENDER * length[i]));
  r.axial_inertia ??= mass.map((m: number, i: number) => 0.5 * m * thick[i] ** 2);
  for (const name of ["link_inertia", "axial_inertia"]) {
    if (!r[name].every((x: number) => Number.isFinite(x) && x > 0)) refuse(`${name} must be finite and > 0; that of these lengths, masses and radii is not`);
  }
  const both = r.locked.filter((j: number) => r.limp.includes(j));
  if (both.length) refuse(`a joint is either locked or limp; joint ${Math.min(...both)} is both`);
};

const world: Rule = (w) => {
  const upright = (o: Values): boolean => ["disc", "polygon", "wall", "grid"].includes(o.kind);
  const floor = w.ground !== null || w.obstacles.length > 0 || w.anchors.length > 0;
  if (floor && w.contact_points !== 1) refuse(`contact_points = ${w.contact_points} is for the plane; in space use ground.points ([world.ground] points)`);
  if (floor && w.load !== null) refuse("load is for the plane; in space the ground itself gives the normal forces");
  if (w.ground === null && !w.obstacles.every(upright)) refuse("obstacles need a ground in three dimensions: give the world a Ground ([world.ground])");
  if (w.slope !== 0 && floor) {
    refuse(
      `slope (${short(w.slope, 4)} rad) tilts the plane of a world without ground, obstacles and anchors; in space give it to the ground ` +
        "(world.ground.slope, world.ground.slope_direction)",
    );
  }
};

const ground: Rule = (g) => {
  if (g.rolling > 0 && g.model !== "capsule") refuse(`rolling resistance needs links that roll: model = "capsule", got "${g.model}"`);
  if (g.restitution !== null && g.damping !== null)
    refuse(`a ground has a damping or a restitution, not both; got damping = ${short(g.damping)}, restitution = ${short(g.restitution)}`);
  if (g.points === 1) refuse("points must be 0 or a whole number from 2 to 64, got 1");
  if (g.heights !== null && (g.slope !== 0 || !g.plane)) refuse("a ground is a plane (with a slope) or a height field, not both");
};

const unit = (name: string, v: number[]): number[] => {
  const size = Math.sqrt(v.reduce((a, x) => a + x * x, 0));
  if (size < 1e-9) refuse(`${name} must have a direction, got (${v.join(", ")})`);
  return Math.abs(size - 1) < 1e-12 ? v : v.map((x) => x / size);
};

/** Whether two sides of a polygon that are no neighbours cross. */
function sidesCross(p: number[][]): boolean {
  const n = p.length;
  const way = p.map((a, i) => [p[(i + 1) % n][0] - a[0], p[(i + 1) % n][1] - a[1]]);
  const left = (a: number[], b: number[]): number => a[0] * b[1] - a[1] * b[0];
  const apart = (i: number, j: number): boolean => {
    const from = [p[j][0] - p[i][0], p[j][1] - p[i][1]];
    return left(way[i], from) * left(way[i], [from[0] + way[j][0], from[1] + way[j][1]]) < 0;
  };
  return p.some((_, i) => p.some((_q, j) => apart(i, j) && apart(j, i)));
}

const polygon: Rule = (v) => {
  const p = v.points as number[][];
  const n = p.length;
  const x = p.map((a) => a[0]);
  const y = p.map((a) => a[1]);
  const area = 0.5 * sum(p.map((_, i) => x[i] * y[(i + 1) % n] - y[i] * x[(i + 1) % n]));
  const span = Math.max(Math.max(...x) - Math.min(...x), Math.max(...y) - Math.min(...y));
  const gaps = p.map((_, i) => Math.hypot(x[i] - x[(i + 1) % n], y[i] - y[(i + 1) % n]));
  if (span === 0 || Math.min(...gaps) < 1e-9 * span) refuse("two corners of a polygon that follow each other lie on one place");
  if (sidesCross(p)) refuse("the sides of a polygon must not cross each other");
  if (Math.abs(area) < 1e-9 * span * span) refuse("a polygon needs an area; its corners lie on a line");
  if (area < 0) v.points = [...p].reverse();
};

const sticking: Rule = (law) => {
  for (const axis of ["along", "across"]) {
    const force = law[`static_force_${axis}`];
    const coefficient = law[`static_${axis}`];
    if (force !== null && coefficient !== null)
      refuse(`give static_force_${axis} or static_${axis}, not both; got ${short(force)} N and the coefficient ${short(coefficient)}`);
  }
};

const serpenoid: Rule = (g) => {
  if (g.stop_time === null) return;
  if (g.acceleration === null) refuse("stop_time needs an acceleration with which to come to rest");
  const up = Math.abs(g.speed) / g.acceleration;
  if (g.stop_time < 2 * up * (1 - 1e-12))
    refuse(
      `stop_time ${short(g.stop_time)} s is too early: at ${short(g.acceleration)} m/s^2 it takes ${short(up)} s to reach ${short(g.speed)} m/s and as long to stop`,
    );
};

/** Times rise, with one row for each; what repeats itself closes. */
const samples =
  (what: string): Rule =>
  (s) => {
    const { times, values, periodic, ends } = s;
    if (values.length !== times.length || times.length < 4) refuse(`${what}: need at least 4 times and one row for each, got (${times.length},) and (${values.length}, ${values[0].length})`);
    const late = times.findIndex((t: number, k: number) => k > 0 && t <= times[k - 1]);
    if (late > 0) refuse(`${what}: times must rise, but time ${short(times[late])} s does not`);
    if (ends != null && (periodic || s.interpolation !== "cubic"))
      refuse(`${what}: ends is for a cubic spline that ends, and ${periodic ? "periodic samples have no ends" : "straight lines have none"}; leave it out`);
    if (!periodic) return;
    const last = values[values.length - 1];
    const most = Math.max(1e-300, ...values.flat().map(Math.abs));
    const gaps = last.map((x: number, k: number) => Math.abs(x - values[0][k]));
    const k = gaps.indexOf(Math.max(...gaps));
    if (gaps[k] > 1e-9 * most)
      refuse(
        `${what}: periodic samples must end as they begin: column ${k} is ${short(values[0][k])} in the first row and ${short(last[k])} in the last; repeat the first row at the time of the period`,
      );
  };

const sequence: Rule = (s) => {
  const { parts, times, blend } = s;
  if (parts.length < 2) refuse(`a sequence needs at least two gaits, got ${parts.length}`);
  if (parts.some((p: Values) => p.kind === "sequence")) refuse("a sequence cannot hold another one; put all gaits into one");
  if (times.length !== parts.length - 1) refuse(`a sequence of ${parts.length} gaits needs ${parts.length - 1} times, got ${times.length}`);
  if (times[0] <= 0 || times.some((t: number, k: number) => k > 0 && t <= times[k - 1])) refuse(`the times of a sequence must rise from above 0 s, got [${times.join(", ")}]`);
  if (blend !== null) checkBlends(times, times.map(() => blend));
};

/** Refuse a blend that is not over when the next begins. */
export function checkBlends(times: number[], blends: number[]): void {
  for (let k = 0; k + 1 < times.length; k++)
    if (blends[k] > (times[k + 1] - times[k]) * (1 + 1e-12))
      refuse(`the blend of ${short(blends[k])} s that begins at ${short(times[k])} s is not over when the next begins at ${short(times[k + 1])} s`);
}

const frictionMap: Rule = (m) => {
  for (const name of ["along", "across"]) {
    const least = m[name] === null ? 0 : Math.min(...m[name].map((r: number[]) => Math.min(...r)));
    if (least < 0) refuse(`friction map: ${name} must be >= 0 everywhere, the least is ${short(least)}`);
  }
  const size = (a: number[][]): string => `(${a.length}, ${a[0].length})`;
  if (m.across !== null && size(m.across) !== size(m.along)) refuse(`friction map: along and across need equal grids, got ${size(m.along)} and ${size(m.across)}`);
  if (m.along.length * m.along[0].length > at.frictionMap.MOST_NODES) refuse(`friction map: at most ${at.frictionMap.MOST_NODES} nodes, got ${m.along.length * m.along[0].length}`);
};

setRules({
  Robot: robot,
  World: world,
  Ground: ground,
  Polygon: polygon,
  Bristle: sticking,
  Threshold: sticking,
  Serpenoid: serpenoid,
  Sampled: samples("sampled gait"),
  SampledTorque: samples("sampled drive"),
  Sequence: sequence,
  FrictionMap: frictionMap,
  Frictionless: (law) => void (law.backward = null),
  Cylinder: (c) => void (c.axis = unit("cylinder axis", c.axis)),
  Pipe: (p) => void (p.axis = unit("pipe axis", p.axis)),
  Wall: (w) => {
    if (Math.hypot(w.end[0] - w.start[0], w.end[1] - w.start[1]) < 1e-9) refuse(`a wall needs a length; both its ends are (${w.start.join(", ")})`);
  },
  Patch: (p) => {
    const [x0, y0, x1, y1] = p.rectangle;
    if (x1 <= x0 || y1 <= y0) refuse(`patch rectangle must be x0 < x1, y0 < y1, got (${p.rectangle.join(", ")})`);
  },
  Servo: (s) => {
    if (s.no_load_speed !== null && s.torque_limit === null) refuse("no_load_speed needs a torque_limit: the torque at rest from which the line falls");
  },
  GivenLoad: (l) => {
    const all = Array.isArray(l.weights) ? l.weights : [l.weights];
    if (!(sum(all) > 0)) refuse("weights must be >= 0, one per link, and not all 0");
  },
  Settings: (s) => {
    if (typeof s.step === "number" && s.duration !== null && s.step > s.duration) refuse(`step ${short(s.step)} s is longer than the duration ${short(s.duration)} s`);
  },
});
