/**
 * A motion on the page: frames of a run as they arrive, what is plotted of them, and poses between two frames.
 *
 * Frames are kept as 32-bit floats (the view needs no more); metrics come from the physics in full precision.
 */
import { decoded, type EncodedFrames, type RunEvent } from "./data";
import type { Description, Outcome } from "./engine/types";

export const NAMES = [
  "time", "node", "back", "jointAngle", "jointTorque", "contactForce", "contactPoint", "normalForce", "slipAlong", "slipAcross",
  "com", "heading", "power", "slip", "contactCount", "wallForce", "wallPoint",
] as const; // prettier-ignore
export type Name = (typeof NAMES)[number];
const FROM_PYTHON: { [name: string]: Name } = {
  joint_angle: "jointAngle", joint_torque: "jointTorque", contact_force: "contactForce", contact_point: "contactPoint",
  normal_force: "normalForce", slip_along: "slipAlong", slip_across: "slipAcross", contact_count: "contactCount",
  wall_force: "wallForce", wall_point: "wallPoint",
}; // prettier-ignore

export interface Chunk {
  count: number;
  arrays: { [K in Name]?: Float32Array };
}

export interface Facts {
  links: number;
  dofs: number;
  spatial: boolean;
  duration: number; // s
  step: number; // s
  preview: boolean;
  radius: number[]; // m per link
  linkLength: number[]; // m per link
  axes: string[]; // name of each degree of freedom
  frames: number; // expected
  along?: number[]; // m, of a shape: places along the body, and its functions there
  tau?: number[]; // rad/m
  kappaA?: number[]; // 1/m
  kappaB?: number[]; // 1/m
}

/** What the plots show, one number a frame. */
export interface Series {
  torqueMax: number[]; // N m
  torqueRms: number[]; // N m
  slipMean: number[]; // m/s across
  slipMax: number[]; // m/s
  speed: number[]; // m/s
  power: number[]; // W
  contacts: number[]; // -
}

function nothing(): Series {
  return { torqueMax: [], torqueRms: [], slipMean: [], slipMax: [], speed: [], power: [], contacts: [] };
}

export class Motion {
  count = 0;
  whole = false; // all its frames are there
  done = false; // its numbers too
  check: "none" | "under way" | "done" = "none"; // its second run at another step
  readonly time: number[] = [];
  readonly series: Series = nothing();
  metrics: { [name: string]: number | null } = {};
  outcome: Outcome = { status: "running", message: "", time: 0, warnings: [] };
  events: RunEvent[] = [];
  slipScale = 0.02; // m/s, at which the colour is full
  forceScale = 0; // N, the greatest seen
  private readonly kept: { [K in Name]?: Float32Array } = {};
  private readonly forces: number[] = []; // N, the greatest of each frame
  private capacity: number;

  constructor(
    readonly facts: Facts,
    readonly description: Description,
    readonly title: string,
  ) {
    this.capacity = Math.max(facts.frames, 16);
  }

  get end(): number {
    return this.count ? this.time[this.count - 1] : 0;
  }

  has(name: Name): boolean {
    return this.kept[name] !== undefined;
  }

  width(name: Name): number {
    const { links: n, dofs: d } = this.facts;
    if (name === "node") return 3 * (n + 1);
    if (name === "back" || name === "contactForce" || name === "contactPoint" || name === "wallForce" || name === "wallPoint") return 3 * n;
    if (name === "jointAngle" || name === "jointTorque") return d;
    if (name === "normalForce" || name === "slipAlong" || name === "slipAcross") return n;
    return name === "com" ? 3 : 1;
  }

  append(chunk: Chunk): void {
    const from = this.count;
    if (from + chunk.count > this.capacity) this.grow(from + chunk.count);
    for (const name of NAMES) {
      const rows = chunk.arrays[name];
      if (!rows) continue;
      const width = this.width(name);
      if (rows.length !== width * chunk.count) throw new Error(`${name} has ${rows.length} numbers, expected ${width * chunk.count}`);
      (this.kept[name] ??= new Float32Array(this.capacity * width)).set(rows, from * width);
    }
    this.count = from + chunk.count;
    const times = this.kept.time;
    for (let i = from; i < this.count; i++) this.time.push(times ? times[i] : i);
    this.measure(from);
  }

  private grow(needed: number): void {
    this.capacity = Math.max(needed, Math.ceil(this.capacity * 1.6));
    for (const name of NAMES) {
      const old = this.kept[name];
      if (!old) continue;
      const bigger = new Float32Array(this.capacity * this.width(name));
      bigger.set(old);
      this.kept[name] = bigger;
    }
  }

  /** What is plotted, from frame `from` on. */
  private measure(from: number): void {
    const { series: s } = this;
    const { jointTorque: torque, slipAcross: slip, power, contactCount: contacts, contactForce: force } = this.kept;
    const d = this.facts.dofs;
    const n = this.facts.links;
    for (let i = from; i < this.count; i++) {
      if (torque) {
        let most = 0;
        let sum = 0;
        for (let k = 0; k < d; k++) {
          const value = torque[i * d + k];
          most = Math.max(most, Math.abs(value));
          sum += value * value;
        }
        s.torqueMax.push(most);
        s.torqueRms.push(Math.sqrt(sum / Math.max(d, 1)));
      }
      if (slip) {
        let most = 0;
        let sum = 0;
        for (let k = 0; k < n; k++) {
          const value = Math.abs(slip[i * n + k]) || 0;
          most = Math.max(most, value);
          sum += value;
        }
        s.slipMean.push(sum / n);
        s.slipMax.push(most);
      }
      if (force) {
        let most = 0;
        for (let k = 0; k < n; k++) most = Math.max(most, Math.hypot(force[3 * (i * n + k)], force[3 * (i * n + k) + 1]) || 0);
        this.forces.push(most);
      }
      if (power) s.power.push(power[i]);
      if (contacts) s.contacts.push(contacts[i]);
    }
    this.speeds(from);
    this.slipScale = Math.max(0.02, nearlyAll(s.slipMax));
    this.forceScale = nearlyAll(this.forces);
  }

  /** Level speed of the centre of gravity, from the frames before and after. */
  private speeds(from: number): void {
    const com = this.kept.com;
    if (!com) return;
    const speed = this.series.speed;
    for (let i = Math.max(from - 2, 0); i < this.count; i++) {
      const a = Math.max(i - 2, 0);
      const b = Math.min(i + 2, this.count - 1);
      const time = this.time[b] - this.time[a];
      const way = Math.hypot(com[3 * b] - com[3 * a], com[3 * b + 1] - com[3 * a + 1]);
      speed[i] = time > 0 ? way / time : 0;
    }
  }

  /** The frame at or before a time, and how far the time lies towards the next. */
  place(time: number): { frame: number; share: number } {
    if (this.count < 2) return { frame: 0, share: 0 };
    let low = 0;
    let high = this.count - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.time[middle] <= time) low = middle;
      else high = middle;
    }
    const span = this.time[high] - this.time[low];
    const share = span > 0 ? (time - this.time[low]) / span : 0;
    return { frame: low, share: Math.min(Math.max(share, 0), 1) };
  }

  /** Values of a quantity at a time, between two frames; written into `into`. */
  at(name: Name, time: number, into: Float32Array): Float32Array | null {
    const rows = this.kept[name];
    if (!rows || !this.count) return null;
    const width = this.width(name);
    const { frame, share } = this.place(time);
    const a = frame * width;
    const b = Math.min(frame + 1, this.count - 1) * width;
    for (let k = 0; k < width; k++) {
      const low = rows[a + k];
      const value = low + share * (rows[b + k] - low);
      into[k] = Number.isNaN(value) ? (share < 0.5 ? low : rows[b + k]) : value;
    }
    return into;
  }

  rows(name: Name): Float32Array | undefined {
    return this.kept[name]?.subarray(0, this.count * this.width(name));
  }
}

/** What nearly all numbers stay below: a short knock at the start does not set the scale. */
function nearlyAll(values: number[]): number {
  if (!values.length) return 0;
  const sorted = Float32Array.from(values).sort();
  return sorted[Math.floor(0.97 * (sorted.length - 1))];
}

/** The motion of a trajectory that came with the page. */
export function replay(frames: EncodedFrames, description: Description, title: string, extra: Partial<Motion>): Motion {
  const arrays: Chunk["arrays"] = {};
  const names: readonly string[] = NAMES;
  for (const [name, given] of Object.entries(frames.arrays)) {
    const known = FROM_PYTHON[name] ?? (names.includes(name) ? (name as Name) : null);
    if (known) arrays[known] = decoded(given);
  }
  if (!arrays.node) throw new Error("the frames hold no places of nodes: export the run again");
  const robot = (description.robot ?? {}) as Description;
  const each = (key: string): number[] => {
    const value = robot[key];
    return Array.from({ length: frames.links }, (_, i) => Number(Array.isArray(value) ? value[i] : value) || 0);
  };
  const dofs = frames.arrays.joint_torque?.shape[1] ?? frames.arrays.joint_angle?.shape[1] ?? frames.links - 1;
  const node = arrays.node;
  let spatial = false;
  for (let i = 2; i < node.length && !spatial; i += 3) spatial = node[i] !== 0;
  const lengths = Array.from({ length: frames.links }, (_, i) => Math.hypot(node[3 * i + 3] - node[3 * i], node[3 * i + 4] - node[3 * i + 1], node[3 * i + 5] - node[3 * i + 2]));
  const facts: Facts = {
    links: frames.links, dofs, spatial, duration: 0, step: 0, preview: false, radius: each("radius"), linkLength: lengths,
    axes: Array.from({ length: dofs }, (_, i) => `joint ${i + 1}`), frames: frames.count,
  }; // prettier-ignore
  const motion = new Motion(facts, description, title);
  motion.append({ count: frames.count, arrays });
  facts.duration = motion.end;
  motion.whole = motion.done = true;
  Object.assign(motion, extra);
  return motion;
}
