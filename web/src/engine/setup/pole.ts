/** A helix round a pole (`gaits/rolling.py`): the line nearest to being its axis, and the joint angles of a body that just touches the pole. */
import * as at from "../../../build/generated";
import { Refused, type Values } from "./declared";
import type { Robot } from "./description";
import { short } from "./numbers";

type V3 = [number, number, number];
const { FEWEST, SHARPEST, LOOKS, TRIES, CLOSE, WIDEST } = at.rolling;
const dot = (a: V3, b: V3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const minus = (a: V3, b: V3): V3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const plus = (a: V3, b: V3, f = 1): V3 => [a[0] + f * b[0], a[1] + f * b[1], a[2] + f * b[2]];
const size = (a: V3): number => Math.sqrt(dot(a, a));
const unit = (a: V3): V3 => a.map((x) => x / size(a)) as V3;

/** Eigenvectors of a symmetric matrix of three rows, by falling eigenvalues (Jacobi). */
function principal(matrix: number[][]): V3[] {
  const a = matrix.map((r) => [...r]);
  const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 60; sweep++)
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (Math.abs(a[p][q]) < 1e-300) continue;
      const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
      const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
      const c = 1 / Math.sqrt(t * t + 1);
      const s = t * c;
      for (let k = 0; k < 3; k++) [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]];
      for (let k = 0; k < 3; k++) [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
      for (let k = 0; k < 3; k++) [v[k][p], v[k][q]] = [c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]];
    }
  const order = [0, 1, 2].sort((i, j) => a[j][j] - a[i][i]);
  return order.map((k) => [v[0][k], v[1][k], v[2][k]] as V3);
}

/** Solve a small dense system by elimination with pivots. */
export function solve(matrix: number[][], right: number[]): number[] {
  const n = right.length;
  const m = matrix.map((r, i) => [...r, right[i]]);
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(m[i][k]) > Math.abs(m[best][k])) best = i;
    [m[k], m[best]] = [m[best], m[k]];
    for (let i = k + 1; i < n; i++) {
      const f = m[i][k] / m[k][k];
      for (let j = k; j <= n; j++) m[i][j] -= f * m[k][j];
    }
  }
  const x = new Array<number>(n).fill(0);
  for (let i = n - 1; i >= 0; i--) x[i] = (m[i][n] - m[i].slice(i + 1, n).reduce((s, y, j) => s + y * x[i + 1 + j], 0)) / m[i][i];
  return x;
}

const distance = (p: V3, point: V3, direction: V3): number => {
  const d = minus(p, point);
  return size(plus(d, direction, -dot(d, direction)));
};

/** Least squares of a function of few numbers by Levenberg and Marquardt, with differences as slopes. */
function leastSquares(f: (z: number[]) => number[], first: number[]): number[] {
  let z = first;
  let r = f(z);
  let cost = r.reduce((s, x) => s + x * x, 0);
  let damping = 1e-6;
  for (let k = 0; k < 200; k++) {
    const columns = z.map((x, j) => {
      const h = 1e-7 * Math.max(1, Math.abs(x));
      const [up, down] = [[...z], [...z]];
      up[j] += h;
      down[j] -= h;
      const [a, b] = [f(up), f(down)];
      return a.map((v, i) => (v - b[i]) / (2 * h));
    });
    const gradient = columns.map((c) => -c.reduce((s, v, i) => s + v * r[i], 0));
    const normal = columns.map((c, i) => columns.map((d, j) => c.reduce((s, v, e) => s + v * d[e], 0) * (i === j ? 1 + damping : 1)));
    const step = solve(normal, gradient);
    const tried = z.map((x, j) => x + step[j]);
    const after = f(tried);
    const now = after.reduce((s, x) => s + x * x, 0);
    if (now <= cost) {
      const small = Math.max(...step.map(Math.abs)) < 1e-13;
      [z, r, cost, damping] = [tried, after, now, damping * 0.1];
      if (small) break;
    } else {
      damping *= 10;
      if (damping > 1e12) break;
    }
  }
  return z;
}

/** The line (a point and a direction towards the last node) from which the middles of the links differ least in distance. */
export function helixAxis(nodes: V3[]): [V3, V3] {
  const middle = nodes.slice(1).map((p, i) => [0.5 * (p[0] + nodes[i][0]), 0.5 * (p[1] + nodes[i][1]), 0.5 * (p[2] + nodes[i][2])] as V3);
  const place = middle.reduce((s, p) => plus(s, p, 1 / middle.length), [0, 0, 0] as V3);
  const chords = nodes.slice(2).map((p, i) => minus(p, nodes[i]));
  const centre = chords.reduce((s, p) => plus(s, p, 1 / chords.length), [0, 0, 0] as V3);
  const spread = [0, 1, 2].map((i) => [0, 1, 2].map((j) => chords.reduce((s, c) => s + (c[i] - centre[i]) * (c[j] - centre[j]), 0)));
  const [u, v, guess] = principal(spread);
  const flat = middle.map((p) => [dot(minus(p, place), u), dot(minus(p, place), v)]);
  const rows = flat.map(([x, y]) => [2 * x, 2 * y, 1]);
  const sums = [0, 1, 2].map((i) => [0, 1, 2].map((j) => rows.reduce((s, w) => s + w[i] * w[j], 0)));
  const [x, y, c] = solve(sums, [0, 1, 2].map((i) => rows.reduce((s, w, k) => s + w[i] * (flat[k][0] ** 2 + flat[k][1] ** 2), 0)));
  const line = (z: number[]): [V3, V3] => [plus(plus(place, u, z[2]), v, z[3]), unit(plus(plus(guess, u, z[0]), v, z[1]))];
  const best = leastSquares((z) => middle.map((p) => distance(p, ...line(z)) - z[4]), [0, 0, x, y, Math.sqrt(Math.abs(c + x * x + y * y))]);
  const [point, direction] = line(best);
  const ahead = dot(direction, minus(nodes[nodes.length - 1], nodes[0]));
  return [point, ahead < 0 ? (direction.map((d) => -d) as V3) : direction];
}

/** Nodes of a robot with yaw and pitch of each joint (one angle where joints alternate), tail's end at the origin, first link along x. */
function forward(robot: Robot, yaw: number[], pitch: number[]): V3[] {
  let [ex, ey, ez]: V3[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const turn = (p: V3, q: V3, angle: number): [V3, V3] => {
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return [plus(p.map((x) => c * x) as V3, q, s), plus(q.map((x) => c * x) as V3, p, -s)];
  };
  const nodes: V3[] = [[0, 0, 0]];
  for (let i = 0; i < robot.links; i++) {
    if (i > 0) {
      const kinds = robot.joints === "alternating" ? [i % 2 === 1 ? "yaw" : "pitch"] : robot.joints === "pitch-yaw" ? ["pitch", "yaw"] : ["yaw", "pitch"];
      for (const kind of kinds) {
        if (kind === "yaw") [ex, ey] = turn(ex, ey, yaw[i - 1]);
        else [ez, ex] = turn(ez, ex, pitch[i - 1]);
      }
    }
    nodes.push(plus(nodes[i], ex, robot.link_length[i]));
  }
  return nodes;
}

/** Amplitude and twist (rad) of joints that bend the body's axis into a helix of that radius (m). */
function helix(g: Values, robot: Robot, radius: number): [number, number] {
  const link = robot.length / robot.links;
  const share = robot.joints === "alternating" ? 2 * link : link;
  const [s, c] = [Math.sin(g.slope), Math.cos(g.slope)];
  return [(c ** 2 / radius) * share, ((s * c) / radius) * link];
}

/** Amplitude and twist of the helix whose links, being straight, just touch the pole where they come closest to it. */
export function wrappedHelix(g: Values, robot: Robot): [number, number] {
  if (!["alternating", "universal", "pitch-yaw"].includes(robot.joints))
    throw new Refused(`pole climbing needs joints that yaw and pitch; ${robot.name} has ${robot.joints_text} joints`);
  if (robot.links < FEWEST) throw new Refused(`pole climbing needs at least ${FEWEST} links; ${robot.name} has ${robot.links}`);
  const clear = g.pole_radius + Math.max(...robot.radius);
  let radius = clear;
  let found = Infinity;
  for (let k = 0; k < TRIES; k++) {
    const [amplitude, twist] = helix(g, robot, radius);
    const phases = Array.from({ length: robot.links - 1 }, (_, j) => twist * (robot.links - 1 - j));
    const nodes = forward(robot, phases.map((p) => amplitude * Math.cos(p)), phases.map((p) => amplitude * Math.sin(p)));
    const axis = helixAxis(nodes);
    let least = Infinity;
    for (let e = 0; e < LOOKS; e++)
      for (let i = 0; i < robot.links; i++) {
        const s = e / (LOOKS - 1);
        least = Math.min(least, distance(plus(nodes[i], minus(nodes[i + 1], nodes[i]), s), ...axis));
      }
    const lacking = clear - least;
    if (lacking < CLOSE * clear) found = Math.min(found, radius);
    if (Math.abs(lacking) < CLOSE * clear) break;
    const step = k < Math.floor(TRIES / 2) ? lacking : 0.5 * lacking;
    radius = Math.min(Math.max(radius + step, clear / WIDEST), clear * WIDEST);
  }
  if (found < WIDEST * clear && helix(g, robot, found)[0] < SHARPEST) return helix(g, robot, found);
  throw new Refused(`${robot.name} cannot wrap round a pole of radius ${short(g.pole_radius)} m: its links are too long for it; use shorter links, a thicker pole or less slope`);
}
