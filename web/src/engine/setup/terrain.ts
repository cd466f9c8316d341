/** Ground, obstacles, walls and springs in space as the kernels read them: `contact/spots.py`, `contact/walls.py`, `contact/springs.py`. */
import * as at from "../../../build/generated";
import { mapRow, patchTable } from "./contact";
import { Refused, type Values } from "./declared";
import type { Robot, Setup } from "./description";
import { largest, mean, rowOf, short, smallest, zeros, type Table } from "./numbers";

const G = at.spots;
const refuse = (text: string): never => {
  throw new Refused(text);
};
type Point = [number, number];

/** Upward normal of the plane. */
export function normalOf(ground: Values): [number, number, number] {
  const [s, c] = [Math.sin(ground.slope), Math.cos(ground.slope)];
  return [-s * Math.cos(ground.slope_direction), -s * Math.sin(ground.slope_direction), c];
}

/** Contact points of a link. */
export function contactPoints(setup: Setup): number {
  const { robot, world } = setup;
  const ground = setup.floor!;
  if (ground.model === "point") return 1;
  const sides = ground.model === "flat" ? 4 : 1;
  if (ground.points) return sides * ground.points;
  if (ground.heights === null && !world.obstacles.some((o: Values) => o.kind === "box")) return sides * 2;
  const slender = largest(robot.link_length.map((l: number, i: number) => l / robot.radius[i]));
  return sides * Math.min(G.MOST_POINTS, Math.max(2, Math.ceil(slender / G.SPACING) + 1));
}

/** Contact points of a link that carry its weight: of a flat one the lower rows. */
export const bearingPoints = (setup: Setup): number => (setup.floor!.model === "flat" ? 0.5 * contactPoints(setup) : contactPoints(setup));

/** Speed after an impact over that before, at a ratio to critical damping. */
function restitutionOf(ratio: number): number {
  if (Math.abs(ratio - 1) < 1e-9) return Math.exp(-2);
  const root = Math.sqrt(Math.abs(1 - ratio * ratio));
  if (ratio < 1) return Math.exp((-ratio * (Math.PI - Math.atan2(2 * ratio * root, 1 - 2 * ratio * ratio))) / root);
  return Math.exp((-ratio * Math.log((ratio + root) / (ratio - root))) / root);
}

function ratioOf(restitution: number): number {
  if (restitution >= 1) return 0;
  let [low, high] = [0, 10];
  for (let k = 0; k < 60; k++) {
    const middle = 0.5 * (low + high);
    if (restitutionOf(middle) > Math.max(restitution, at.springs.LEAST)) low = middle;
    else high = middle;
  }
  return 0.5 * (low + high);
}

/** Stiffness and damping of a contact with the ground: as given, or as they fit the load and the step. */
function springsOf(setup: Setup, step: number): [number, number] {
  const { robot, world } = setup;
  const ground = setup.floor!;
  const mass = robot.mass / (robot.links * Math.min(bearingPoints(setup), at.springs.BEARING));
  const radius = mean(robot.radius) || 0.05 * mean(robot.link_length);
  const gravity = world.gravity || at.springs.USUAL_GRAVITY;
  const stiffness = ground.stiffness ?? (mass * gravity) / Math.max(at.springs.SAG * radius, gravity * step * step);
  const ratio = ground.restitution === null ? at.springs.DAMPED : ratioOf(ground.restitution);
  return [stiffness, ground.damping ?? 2 * ratio * Math.sqrt(stiffness * mass)];
}

interface Walls {
  posts: number[][]; // x, y, radius, number of the obstacle
  sides: number[][]; // begin, end, normal to the left, number
}

/** Convex corners and sides (free space on the left) of a solid polygon, counter-clockwise. */
function sidesOfPolygon(corners: Point[]): [number[][], number[][]] {
  const n = corners.length;
  const posts: number[][] = [];
  const sides: number[][] = [];
  corners.forEach((c, i) => {
    const [before, after] = [corners[(i + n - 1) % n], corners[(i + 1) % n]];
    const turn = (c[0] - before[0]) * (after[1] - c[1]) - (c[1] - before[1]) * (after[0] - c[0]);
    if (turn > 0) posts.push([c[0], c[1], 0]);
    sides.push([after[0], after[1], c[0], c[1]]);
  });
  return [posts, sides];
}

/** Posts and sides round the solid cells of a grid, whose border goes on beyond it. */
function sidesOfGrid(o: Values): [number[][], number[][]] {
  const cells = o.cells as number[][];
  const [nx, ny] = [cells.length, cells[0].length];
  const clamp = (k: number, most: number): number => Math.min(Math.max(k, 0), most - 1);
  const solid = (i: number, j: number): boolean => cells[clamp(i - 1, nx)][clamp(j - 1, ny)] === 1; // padded by one
  const sides: number[][] = [];
  for (const turned of [false, true]) {
    const [rows, columns] = turned ? [ny + 2, nx + 2] : [nx + 2, ny + 2];
    const here = (i: number, j: number): boolean => (turned ? solid(j, i) : solid(i, j));
    for (const step of [1, -1]) {
      const up = step > 0 ? turned : !turned;
      for (let i = 1; i < rows - 1; i++) {
        const face = (j: number): boolean => here(i, j) && !here(i + step, j);
        let low = -1;
        for (let j = 1; j <= columns - 1; j++) {
          const is = j < columns - 1 && face(j);
          if (is && low < 0) low = j - 1;
          if (!is && low >= 0) {
            const [a, b] = up ? [low, j - 1] : [j - 1, low];
            const x = i - 1 + 0.5 * step;
            sides.push(turned ? [a - 0.5, x, b - 0.5, x] : [x, a - 0.5, x, b - 0.5]);
            low = -1;
          }
        }
      }
    }
  }
  const posts: number[][] = [];
  for (let i = 0; i < nx + 1; i++)
    for (let j = 0; j < ny + 1; j++) {
      const [a, b, c, d] = [solid(i, j), solid(i + 1, j), solid(i, j + 1), solid(i + 1, j + 1)];
      const four = Number(a) + Number(b) + Number(c) + Number(d);
      if (four === 1 || (four === 2 && a === d)) posts.push([i - 0.5, j - 0.5, 0]);
    }
  const place = (v: number, e: number): number => v * o.cell + o.origin[e % 2];
  return [posts.map(([x, y, r]) => [place(x, 0), place(y, 1), r]), sides.map((s) => s.map(place))];
}

/** Corners of a wall, counter-clockwise. */
function wallCorners(o: Values): Point[] {
  const [a, b] = [o.start, o.end] as Point[];
  const size = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const along = [(b[0] - a[0]) / size, (b[1] - a[1]) / size];
  const aside = [0.5 * o.thickness * -along[1], 0.5 * o.thickness * along[0]];
  return [[a[0] - aside[0], a[1] - aside[1]], [b[0] - aside[0], b[1] - aside[1]], [b[0] + aside[0], b[1] + aside[1]], [a[0] + aside[0], a[1] + aside[1]]];
}

/** Walls of the upright ones among obstacles, which keep their numbers; null: there are none. */
function wallsAround(obstacles: Values[]): Walls | null {
  const walls: Walls = { posts: [], sides: [] };
  let any = false;
  obstacles.forEach((o, number) => {
    let own: [number[][], number[][]];
    if (o.kind === "disc") own = [[[...o.centre, o.radius]], []];
    else if (o.kind === "grid") own = sidesOfGrid(o);
    else if (o.kind === "polygon") own = sidesOfPolygon(o.points);
    else if (o.kind === "wall") own = sidesOfPolygon(wallCorners(o));
    else return;
    any = true;
    walls.posts.push(...own[0].map((p) => [...p, number]));
    for (const [x0, y0, x1, y1] of own[1]) {
      const size = Math.hypot(x1 - x0, y1 - y0);
      walls.sides.push([x0, y0, x1, y1, -(y1 - y0) / size, (x1 - x0) / size, number]);
    }
  });
  return any ? walls : null;
}

/** Half the way through the thinnest obstacle with the thinnest link, m; 0: there is none. */
function thinOf(setup: Setup, bars: number[][], boxes: number[][], walls: Walls | null): number {
  const halves = [...bars.map((b) => b[7]), ...boxes.map((b) => Math.min(b[3], b[4], b[5])), ...(walls?.posts.map((p) => p[2]) ?? [])];
  if (walls?.sides.length) halves.push(0);
  const point = setup.floor!.model === "point" && walls === null;
  return halves.length ? Math.max(Math.min(...halves) + (point ? 0 : smallest(setup.robot.radius)), 1e-9) : 0;
}

/** Ground, height field, objects: constants of the terrain but its anchors. */
export function terrainOf(setup: Setup, step: number): { ground: Table; field: Table; objects: Table } {
  const { robot, world } = setup;
  const ground = setup.floor!;
  if (ground.model !== "point" && robot.radius.some((r: number) => r <= 0))
    refuse(`ground model "${ground.model}" needs links with a radius > 0, got ${short(smallest(robot.radius))} m; set robot.radius or use model = "point"`);
  const field = ground.heights;
  if (field !== null && largest(robot.radius) > (at.field.WIDEST - 2) * field.cell)
    refuse(
      `a height field with cells of ${short(field.cell)} m is too fine for links with a radius of ${short(largest(robot.radius))} m: contact looks ${at.field.WIDEST} cells far; use a coarser field`,
    );
  const of = (kind: string): Values[] => world.obstacles.filter((o: Values) => o.kind === kind);
  const bars = of("cylinder").map((o) => [...o.base, ...o.axis, o.length, o.radius]);
  const boxes = of("box").map((o) => [...o.centre, ...o.size.map((s: number) => 0.5 * s), Math.cos(o.yaw), Math.sin(o.yaw)]);
  const pipes = of("pipe").map((o) => [...o.point, ...o.axis, o.radius]);
  const walls = wallsAround(world.obstacles);
  const patches = patchTable(world);
  const patchRows = Array.from({ length: patches.shape[0] }, (_, k) => Array.from(patches.data.subarray(7 * k, 7 * k + 7)));
  const groups = [bars, boxes, pipes, patchRows, walls?.posts ?? [], walls?.sides ?? []];
  const count = groups.reduce((s, g) => s + g.length, 0);
  const objects = zeros(G.OBJECT_ROWS, count);
  const first: number[] = [];
  let k = 0;
  for (const group of groups) {
    first.push(k);
    for (const values of group) {
      values.forEach((value, e) => (objects.data[e * count + k] = value));
      k++;
    }
  }
  const stuff = walls ? [world.surface.stiffness, world.surface.damping, world.surface.friction] : [0, 0, 0];
  const row = new Float64Array(G.GROUND_ROWS);
  const put = (slot: number, ...values: number[]): void => row.set(values, slot);
  put(G.G_NX, ...normalOf(ground));
  put(G.G_STIFF, ...springsOf(setup, step));
  put(G.G_PLANE, Number(ground.plane && field === null));
  put(G.G_POINTS, contactPoints(setup));
  put(G.G_POINT_MODEL, { point: 1, flat: 2 }[ground.model as string] ?? 0);
  put(G.G_FIELD, Number(field !== null));
  put(G.G_CELL, field?.cell ?? 1);
  put(G.G_X0, ...(field?.origin ?? [0, 0]));
  put(G.G_WALL_STIFF, ...stuff);
  put(G.G_BOX, ...first.slice(1), k);
  put(G.G_THIN, thinOf(setup, bars, boxes, walls));
  const heights = field === null ? zeros(2, 2) : { shape: [field.heights.length, field.heights[0].length], data: Float64Array.from(field.heights.flat()) };
  return { ground: rowOf([...row, ...mapRow(world).data]), field: heights, objects };
}

/** Number of slots: all spots that could ever be, walls included, anchors not. */
export function slotsOf(links: number, ground: Table): number {
  const g = ground.data;
  const surfaces = 1 + g[G.G_PATCH] - g[G.G_BOX];
  const upright = g[G.G_SIDE] - g[G.G_POST] + 2 * (g[G.G_END] - g[G.G_SIDE]);
  return links * (g[G.G_POINTS] * surfaces + g[G.G_BOX] + upright);
}

export type { Robot };
