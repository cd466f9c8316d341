/** Whether the body of a run passes through itself, by its frames. */
import * as at from "../../build/generated";
import { Arrays, Machine } from "./memory";
import { treeSize } from "./setup/contact";
import type { Robot } from "./setup/description";
import { cumsum, interp, rowOf, zeros } from "./setup/numbers";
import type { Frames } from "./types";

/** Deepest overlap of two links (m, 0: none touch), when and of which; the first time that two links cross, null: never. */
export interface Crossing {
  overlap: number;
  time: number | null;
  links: [number, number];
  first: number | null;
  first_links: [number, number];
}

export const NONE: Crossing = { overlap: 0, time: null, links: [0, 0], first: null, first_links: [0, 0] };

/** Whether the body passes through itself, by the recorded frames. */
export function crossingOf(module: WebAssembly.Module, robot: Robot, frames: Frames, flat: boolean): Crossing {
  const bad = frames.node.findIndex((x) => !Number.isFinite(x));
  const width = 3 * (robot.links + 1);
  const count = bad < 0 ? frames.count : Math.floor(bad / width);
  if (robot.links < 3 || count === 0) return NONE;
  const radius = robot.radius.map((r: number, i: number) => (flat || r > 0 ? r : at.crossings.THIN * robot.link_length[i]));
  const arrays = new Arrays(new Machine(module), "curves");
  arrays.load({
    step: zeros(1), values: zeros(1, 1, 1), pose: zeros(7), out: zeros(1, 7), nodes: { shape: [count, robot.links + 1, 3], data: frames.node.subarray(0, count * width) },
    arc: rowOf([0, ...cumsum(robot.link_length)]), radius: rowOf(radius), tree: zeros(at.segments.BOX_ROWS, 2 * treeSize(robot.links)),
    found: rowOf([0, 0, 0, 0, Infinity, 0, 0, 0]), given: zeros(8),
  });
  arrays.run("CROSSINGS", Number(flat));
  const [deep, frame, a, b, first, i, j] = arrays.all("found");
  const numbers = Float64Array.from({ length: count }, (_, f) => f);
  return {
    overlap: Math.max(deep, 0), time: deep > 0 ? frames.time[frame] : null, links: [a, b],
    first: Number.isFinite(first) ? interp(first, numbers, frames.time.subarray(0, count)) : null, first_links: [i, j],
  };
}
