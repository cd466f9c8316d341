/** Maps as texts: `#` wall, `.` free, the first line has the largest y; lines `cell`, `start`, `goal` may come before. */
import corridor from "../../src/serpenoid/maps/corridor.txt";
import maze from "../../src/serpenoid/maps/maze.txt";
import rubble from "../../src/serpenoid/maps/rubble.txt";
import twoWalls from "../../src/serpenoid/maps/two-walls.txt";
import type { Description } from "./engine/types";

export const BUNDLED: { [name: string]: string } = { corridor, maze, rubble, "two-walls": twoWalls };

/** Walls by node (i, j) at x = i cell, y = j cell; start and goal in m. */
export interface GridMap {
  walls: boolean[][]; // [i][j]
  cell: number; // m
  start: [number, number];
  goal: [number, number];
}

/** The map of a path plan; null where the page does not hold it (a file of the server's). */
export function mapOf(plan: Description): GridMap | null {
  const given = String(plan.map ?? "");
  const text = BUNDLED[given] ?? (given.includes("\n") ? given : null);
  if (text === null) return null;
  const head: { [key: string]: string } = {};
  const rows: string[] = [];
  for (const line of text.split("\n").map((l) => l.trim())) {
    const found = /^(cell|start|goal)\s+(.*)$/.exec(line);
    if (found) head[found[1]] = found[2];
    else if (/^[#.]+$/.test(line)) rows.push(line);
  }
  const width = Math.max(...rows.map((r) => r.length));
  const walls = Array.from({ length: width }, (_, i) => Array.from({ length: rows.length }, (_, j) => rows[rows.length - 1 - j][i] !== "."));
  const own = head.cell ? Number(head.cell) : 1;
  const cell = Number(plan.cell ?? own);
  const place = (text: string | undefined, fallback: [number, number]): [number, number] => {
    const [x, y] = (text ?? "").split(",").map(Number);
    return Number.isFinite(x + y) ? [(x * cell) / own, (y * cell) / own] : fallback;
  };
  const goals = plan.goals as number[][] | undefined;
  return {
    walls,
    cell,
    start: (plan.start as [number, number] | undefined) ?? place(head.start, [cell, cell]),
    goal: (goals?.length ? goals[goals.length - 1] : place(head.goal, [(width - 2) * cell, (rows.length - 2) * cell])) as [number, number],
  };
}

/** The text of a map, sizes and places in metres. */
export function textOf(map: GridMap): string {
  const ny = map.walls[0].length;
  const rows = Array.from({ length: ny }, (_, k) => map.walls.map((column) => (column[ny - 1 - k] ? "#" : ".")).join(""));
  const place = (p: [number, number]): string => p.map((x) => Number(x.toFixed(6))).join(",");
  return [`cell ${map.cell}`, `start ${place(map.start)}`, `goal ${place(map.goal)}`, ...rows, ""].join("\n");
}
