/**
 * A gait steered while it runs: its numbers glide to new ones and its phase is carried along, so that joint angles and rates do not jump.
 *
 * Every period the joints (or what servos aim at) get a cubic to the angles of the gait at its end, as under a controller. The phase of a
 * travelling wave is the integral of its speed: a faster gait goes on from where the slower one is. `turn` (rad) bends the whole body
 * evenly to the left, in addition to the gait: in the plane the way to steer.
 */
import * as at from "../../build/generated";
import type { PlanarEngine } from "./planar";
import { families, Refused, type Values } from "./setup/declared";
import type { Setup } from "./setup/description";
import { held, planarSource, spaceSource, wayOf, type Source } from "./setup/gaits";
import type { SpatialEngine } from "./spatial";
import type { Steering } from "./types";

const S = at.steering;
const PERIOD = 0.02; // s between two commands
const HAIR = 1e-3; // s, over which rates are differences

/** A number on its way: from a value with a rate and the rate's own rate, to rest at its goal. */
interface Glide {
  from: number;
  rate: number;
  bend: number;
  goal: number;
  begun: number;
  blend: number;
}

/** Value, rate and rate of the rate at a time: the polynomial of degree 5 that meets both ends. */
function placeOf({ from, rate, bend, goal, begun, blend }: Glide, time: number): [number, number, number] {
  const x = Math.max(0, (time - begun) / blend);
  if (x >= 1) return [goal, 0, 0];
  const [way, v, a] = [goal - from, rate * blend, bend * blend * blend];
  const [c3, c4, c5] = [10 * way - 6 * v - 1.5 * a, -15 * way + 8 * v + 1.5 * a, 6 * way - 3 * v - 0.5 * a];
  const value = from + x * (v + x * (0.5 * a + x * (c3 + x * (c4 + x * c5))));
  const slope = (v + x * (a + x * (3 * c3 + x * (4 * c4 + x * 5 * c5)))) / blend;
  return [value, slope, (a + x * (6 * c3 + x * (12 * c4 + x * 20 * c5))) / (blend * blend)];
}

export class Steered {
  private readonly gait: Values;
  private readonly glides = new Map<string, Glide>();
  private readonly phase: number[]; // of a serpenoid m along the curve; of waves rad of yaw and pitch
  private turn = 0;
  private last: number[];
  private until = -1;
  private time: number;

  constructor(
    private readonly engine: PlanarEngine | SpatialEngine,
    private readonly setup: Setup,
  ) {
    if (!setup.gait) throw new Refused("only a gait can be steered; this run has none");
    this.gait = structuredClone(setup.gait);
    this.time = engine.time;
    this.phase = this.startPhase();
    this.last = engine.jointAngles();
  }

  /** Numbers that can be steered, with what they are now. */
  values(): Steering {
    const members = families.gaits.members[this.gait.kind].fields;
    const numbers = members.filter((f) => (f.type === "number" || f.type === "angle") && typeof this.gait[f.name] === "number");
    const skipped = ["acceleration", "stop_time", "ramp", "pole_radius", "base_height"];
    return { ...Object.fromEntries(numbers.filter((f) => !skipped.includes(f.name)).map((f) => [f.name, this.gait[f.name] as number])), turn: this.turn };
  }

  /** Let numbers glide to new values within `blend` seconds. */
  change(changes: Steering, blend: number): void {
    const known = this.values();
    for (const [key, value] of Object.entries(changes)) {
      if (!(key in known)) throw new Refused(`the gait ${this.gait.kind} cannot be steered by ${key}; it can by ${Object.keys(known).join(", ")}`);
      if (!Number.isFinite(value)) throw new Refused(`${key} must be a finite number, got ${value}`);
    }
    for (const [key, goal] of Object.entries(changes)) {
      const old = this.glides.get(key);
      const [from, rate, bend] = old ? placeOf(old, this.time) : [known[key], 0, 0]; // a number that is on its way goes on from its rate
      this.glides.set(key, { from, rate, bend, goal, begun: this.time, blend: Math.max(blend, PERIOD) });
    }
  }

  /** How far the gait has come at the time when steering begins; from then on it has no start and no end of its own. */
  private startPhase(): number[] {
    const g = this.gait;
    const [first, second, rate] = wayOf(this.plain(), this.setup.robot, this.time);
    if (g.acceleration != null) Object.assign(g, { speed: rate, acceleration: null, stop_time: null });
    return [first, second];
  }

  /** Step number up to which the present command holds; makes the next command when that is reached. */
  next(done: number): number {
    if (done >= this.until) this.command(done);
    return this.until;
  }

  private command(done: number): void {
    const engine = this.engine;
    const steps = Math.max(1, Math.round(PERIOD / engine.dt));
    const [t0, h] = [done * engine.dt, steps * engine.dt];
    const [now, rates] = this.until < 0 ? [engine.jointAngles(), engine.jointRates()] : [this.last, this.lastRates];
    this.glide(t0);
    const before = this.rates();
    this.glide(t0 + h);
    const after = this.rates();
    this.phase.forEach((p, k) => (this.phase[k] = p + 0.5 * h * (before[k] + after[k])));
    this.time = t0 + h;
    const [later, earlier, goal] = [this.angles(HAIR), this.angles(-HAIR), this.angles(0)];
    const ahead = later.map((a, i) => (a - earlier[i]) / (2 * HAIR));
    engine.track(t0, t0 + h, now, rates, goal, ahead);
    [this.last, this.lastRates, this.until] = [goal, ahead, done + steps];
  }
  private lastRates: number[] = [];

  /** Set the numbers of the gait to what they are at a time, on their way from the old to the new ones. */
  private glide(time: number): void {
    for (const [key, glide] of this.glides) {
      const [value] = placeOf(glide, time);
      if (key === "turn") this.turn = value;
      else this.gait[key] = value;
    }
  }

  /** What the kernels read of the gait as it is now. */
  private plain(): Source {
    return this.setup.spatial ? spaceSource(this.gait, this.setup.robot) : planarSource(this.gait, this.setup.robot);
  }

  /** How fast the phases grow now. */
  private rates(): number[] {
    return Array.from(wayOf(this.plain(), this.setup.robot, 0).subarray(S.RATE, S.RATE + 2));
  }

  /** Joint angles a moment `later` (s) than the present command ends. */
  private angles(later: number): number[] {
    this.glide(this.time + later);
    const rates = this.rates();
    const phase = this.phase.map((p, k) => p + later * rates[k]);
    const bend = this.turn / Math.max(1, this.setup.robot.axes.filter((a) => a.kind === "yaw").length);
    const source = this.plain();
    const travels = wayOf(source, this.setup.robot, 0)[S.TRAVELS] > 0;
    const made = this.engine.anglesOf(travels ? held(source, this.setup.robot, phase) : source, travels ? this.time + later : phase[0]);
    return made.map((a, k) => (this.setup.robot.axes[k].kind === "yaw" ? a + bend : a));
  }
}
