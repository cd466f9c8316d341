/** The planar engine in the page: `planar/engine.py` with its arrays in the memory of the kernels. */
import * as at from "../../build/generated";
import { emptyFrames, sumsOf } from "./frames";
import { Arrays, Machine } from "./memory";
import { firstSmoothing } from "./setup/contact";
import { Refused, type Values } from "./setup/declared";
import type { Setup } from "./setup/description";
import { driveSource, planarSource, widened, type Source } from "./setup/gaits";
import { cumsum, sum } from "./setup/numbers";
import { planarGroups } from "./setup/planar";
import type { Frames } from "./types";

const P = at.planar;
const J = at.joint;
const S = at.sums;
export type Ended = "fine" | "diverged";

export class PlanarEngine {
  readonly arrays: Arrays;
  readonly ideal: boolean;
  readonly joints: number[]; // that bend, from 1
  private readonly explicit: boolean;
  private readonly links: number;

  constructor(
    module: WebAssembly.Module,
    readonly setup: Setup,
    readonly dt: number,
    readonly stride: number,
  ) {
    const { robot, world, start } = setup;
    this.ideal = robot.servo === null && setup.drive === null;
    this.joints = robot.axes.map((a) => a.joint);
    this.links = robot.links;
    const groups = planarGroups(setup, dt, stride, this.ideal);
    this.arrays = new Arrays(new Machine(module), "planar");
    this.arrays.load(groups);
    this.arrays.grow("frames.motion", 64);
    this.arrays.grow("frames.links", 64);
    this.explicit = this.numbers[P.ORDER] > 0;
    this.begin(start, setup.gait ?? setup.posture);
    const sums = this.sums;
    sums[S.SMOOTHING] = firstSmoothing(world.friction, this.numbers[P.LEAST], sums[S.KINETIC], robot.mass);
    this.command();
  }

  private get numbers(): Float64Array {
    return this.arrays.all("constants.numbers");
  }
  get motion(): Float64Array {
    return this.arrays.all("state.motion");
  }
  get sums(): Float64Array {
    return this.arrays.all("state.sums");
  }
  private joint(k: number): Float64Array {
    return this.arrays.row("state.joints", k);
  }
  private link(k: number): Float64Array {
    return this.arrays.row("state.links", k);
  }
  private scratch(k: number): Float64Array {
    return this.arrays.row("scratch.links", k);
  }

  /** Put the body in its first posture, the tail's end at the start position. */
  private begin(start: Values, gait: Values | null): void {
    const { robot } = this.setup;
    this.scratch(P.ANGLE).fill(0);
    this.scratch(P.RATE).fill(0);
    if (gait) this.firstPosture(planarSource(gait, robot), start.rates === "posture");
    else if (start.angles !== null) this.firstAngles(listed(start.angles));
    if (start.rates !== null && typeof start.rates !== "string") {
      const rates = new Float64Array(robot.links);
      listed(start.rates).forEach((rate, k) => (rates[this.joints[k]] = rate));
      this.scratch(P.RATE).set(cumsum(rates));
      this.arrays.run("BALANCE");
    }
    if (this.numbers[P.ANY_STOP] > 0) this.arrays.run("STOP_HEADINGS", 0);
    const q = this.motion;
    const [c, s] = [Math.cos(start.heading), Math.sin(start.heading)];
    const [vx, vy] = start.velocity;
    q[P.PSI] = start.heading;
    q[P.TURN] = start.angular_velocity;
    q[P.VX] = c * vx + s * vy;
    q[P.VY] = c * vy - s * vx;
    q[P.MODE] = P.PRESCRIBED;
    q[P.SOURCE] = P.NOTHING;
    if (!this.ideal) {
      // world axes from the start
      const angles = this.scratch(P.ANGLE);
      angles.forEach((x, i) => (angles[i] = x + start.heading));
      [q[P.PSI], q[P.VX], q[P.VY]] = [0, vx, vy];
    }
    this.arrays.run("BEGIN");
    if (!this.ideal) this.arrays.run("RELEASE");
    const [x, y] = this.tail();
    q[P.X] = start.position[0] - x;
    q[P.Y] = start.position[1] - y;
    const fall = this.numbers[P.GX] * q[P.X] + this.numbers[P.GY] * q[P.Y];
    this.sums[S.POTENTIAL] = this.sums[S.POTENTIAL_START] = -robot.mass * fall;
    const angles = this.jointAngles();
    this.joints.forEach((joint, k) => (this.joint(P.AIM)[joint] = this.joint(P.WANTED)[joint] = angles[k]));
    if (!this.ideal) this.checkPosture(angles);
    if (this.numbers[P.UNEVEN] > 0) this.arrays.run("STAND", q[P.X], q[P.Y], q[P.PSI], 0);
    this.link(P.LAST_NORMAL).set(this.scratch(P.LOAD));
    this.arrays.run("RECORD_MOTION", 0);
  }

  /** Headings and rates of a gait at t = 0. */
  private firstPosture(source: Source, moving: boolean): void {
    this.tellSource(source);
    this.arrays.run("HEADINGS", 0);
    if (!this.ideal && !moving) this.scratch(P.RATE).fill(0);
    this.arrays.run("LOCK");
  }

  /** Given joint angles, the mean axis ahead. */
  private firstAngles(given: number[]): void {
    const { robot } = this.setup;
    const angles = new Float64Array(robot.links);
    given.forEach((angle, k) => (angles[this.joints[k]] = angle));
    const bent = cumsum(angles);
    const y = sum(bent.map((a, i) => robot.link_length[i] * Math.sin(a)));
    const x = sum(bent.map((a, i) => robot.link_length[i] * Math.cos(a)));
    const lead = Math.atan2(y, x);
    this.scratch(P.ANGLE).set(bent.map((a) => a - lead));
  }

  private checkPosture(angles: number[]): void {
    const stops = this.arrays.row("constants.joints", J.STOP_HIGH);
    const k = angles.findIndex((a, i) => Math.abs(a) > stops[this.joints[i]] * (1 + 1e-9));
    if (k >= 0)
      throw new Refused(`the first posture bends joint ${this.joints[k]} by ${angles[k].toPrecision(4)} rad, beyond its stop at ${stops[this.joints[k]].toPrecision(4)} rad`);
  }

  jointAngles(): number[] {
    const heading = this.link(P.ANGLE0);
    return this.joints.map((j) => heading[j] - heading[j - 1]);
  }

  /** Place of the tail's end relative to the centre of gravity, world axes. */
  private tail(): [number, number] {
    const nodes = new Float64Array(3 * (this.links + 1));
    const psi = this.motion[P.PSI];
    const axis = new Float64Array(3 * this.links);
    this.link(P.ANGLE0).forEach((a, i) => axis.set([Math.cos(a + psi), Math.sin(a + psi)], 3 * i));
    this.nodes(axis, 0, 0, 0, nodes, 0);
    return [nodes[0], nodes[1]];
  }

  /** Write the nodes of a body whose links point along these axes (x, y, z each) and its centre of gravity there. */
  private nodes(axis: Float64Array, from: number, x: number, y: number, out: Float64Array, first: number): void {
    const { link_length: length, link_mass: mass, com_offset: com } = this.setup.robot;
    let [px, py, gx, gy] = [0, 0, 0, 0];
    for (let i = 0; i < this.links; i++) {
      const [c, s] = [axis[from + 3 * i], axis[from + 3 * i + 1]];
      out[first + 3 * i] = px;
      out[first + 3 * i + 1] = py;
      gx += mass[i] * (px + com[i] * c);
      gy += mass[i] * (py + com[i] * s);
      px += length[i] * c;
      py += length[i] * s;
    }
    out[first + 3 * this.links] = px;
    out[first + 3 * this.links + 1] = py;
    const [dx, dy] = [x - gx / this.setup.robot.mass, y - gy / this.setup.robot.mass];
    for (let k = 0; k <= this.links; k++) {
      out[first + 3 * k] += dx;
      out[first + 3 * k + 1] += dy;
    }
  }

  private tellSource(source: Source): void {
    this.arrays.replace("constants.row", source.par);
    this.arrays.replace("constants.table", source.tab);
    this.numbers[P.COMMAND] = source.kind;
  }

  /** Put the command of the description in force. */
  private command(): void {
    const { gait, drive, robot } = this.setup;
    if (gait) {
      const servos = this.arrays.row("constants.joints", J.SERVO).some((x) => x > 0);
      if (!this.ideal && !servos) throw new Refused("joints without servos cannot follow angles; use ideal joints or give the robot a servo");
      this.tellSource(planarSource(gait, robot));
      this.tell(P.FOLLOWED);
    } else if (drive) {
      const source = driveSource(drive, robot);
      const sampled = drive.kind === "sampled";
      this.tellSource(sampled ? { ...source, tab: widened(source.tab, this.joints.map((j) => j - 1), this.links - 1) } : source);
      this.tell(P.DRIVE);
    } else this.tell(P.PUSHED);
  }

  /** Change the source of commands, and with it the axes and the integrator's vector. */
  tell(source: number): void {
    const angles = source === P.FOLLOWED || source === P.TRACKED;
    const prescribed = angles && this.ideal && !this.joint(P.FREE).some((x) => x > 0);
    if (this.explicit) this.checkExplicit(prescribed, angles);
    this.motion[P.SOURCE] = source;
    if (prescribed) this.arrays.run("PRESCRIBE");
    else if (source !== P.NOTHING || this.motion[P.MODE] !== P.PRESCRIBED) this.arrays.run("RELEASE");
    if (this.explicit) {
      this.arrays.run("PACK");
      this.arrays.run("SLOPE", this.time);
    }
    if (this.done === 0) this.arrays.run("RECORD_MOTION", 0);
  }

  private checkExplicit(prescribed: boolean, angles: boolean): void {
    const locked = this.arrays.row("constants.joints", P.LOCKED).some((x) => x > 0);
    if (!prescribed && (angles || locked)) throw new Refused('locked joints, and limp ones among prescribed ones, need integrator = "implicit"');
    const stops = this.arrays.row("constants.joints", J.STOP_HIGH).subarray(1).some((x) => x < J.UNLIMITED);
    if (!prescribed && stops) throw new Refused('a joint with stops (joint_limit) is stiff there and needs integrator = "implicit" under torques');
  }

  /** Let joints or aims follow a cubic from (q0, v0) at t0 to (q1, v1) at t1, by degree of freedom. */
  track(t0: number, t1: number, q0: number[], v0: number[], q1: number[], v1: number[]): void {
    [[P.Q0, q0], [P.V0, v0], [P.Q1, q1], [P.V1, v1]].forEach(([k, values]) => {
      const rows = this.joint(k as number);
      (values as number[]).forEach((value, i) => (rows[this.joints[i]] = value));
    });
    this.motion[P.T0] = t0;
    this.motion[P.T1] = t1;
    if (this.motion[P.SOURCE] !== P.TRACKED || this.explicit) this.tell(P.TRACKED);
  }

  /** Angles of a gait's joints at a time of its own, whatever the command is. */
  anglesOf(source: Source, t: number): number[] {
    const before = { kind: this.numbers[P.COMMAND], row: this.arrays.all("constants.row").slice(), table: this.arrays.all("constants.table").slice(), shape: this.arrays.shape("constants.table") };
    const kept = this.arrays.all("scratch.links").slice();
    this.tellSource(source);
    this.arrays.run("HEADINGS", t);
    const heading = this.scratch(P.ANGLE).slice();
    this.arrays.all("scratch.links").set(kept);
    this.tellSource({ kind: before.kind, par: { shape: [before.row.length], data: before.row }, tab: { shape: before.shape, data: before.table } });
    return this.joints.map((j) => heading[j] - heading[j - 1]);
  }

  jointRates(): number[] {
    const turn = this.link(P.TURN0);
    return this.joints.map((j) => turn[j] - turn[j - 1]);
  }

  get done(): number {
    return this.motion[P.DONE];
  }
  get time(): number {
    return this.done * this.dt;
  }

  /** Advance to step number `to`. */
  advance(to: number): Ended {
    if (to <= this.done) return "fine";
    const room = Math.floor(to / this.stride) + 1;
    this.arrays.grow("frames.motion", room);
    this.arrays.grow("frames.links", room);
    const march = this.explicit ? "MARCH_EXPLICIT" : this.motion[P.MODE] === P.PRESCRIBED ? "MARCH_PRESCRIBED" : "MARCH_DRIVEN";
    const ended = this.arrays.run(march, 0, to);
    if (ended === at.step.AT_STOP)
      throw new Refused(`joint ${this.sums[S.FIRST_STOP_JOINT]} meets its stop at t = ${this.sums[S.FIRST_STOP].toPrecision(4)} s, where its rate jumps: that needs integrator = "implicit"`);
    if (ended === at.step.OUT_OF_RANGE || ended === at.step.UNKNOWN_KIND) throw new Error(`the march ended with ${ended}`);
    if (this.arrays.all("scratch.own.counts")[at.skin.FULL] > 0)
      throw new Refused("more links lie near each other than a body of their radius has room for: it has passed through itself; raise world.self_contact.stiffness or shorten the step");
    return ended === at.step.FINE ? "fine" : "diverged";
  }

  /** Frames recorded; the last one is now. */
  frames(from = 0): Frames {
    const kept = Math.floor(this.done / this.stride) + 1;
    const onGrid = this.done % this.stride === 0;
    if (!onGrid) {
      this.arrays.grow("frames.motion", kept + 1);
      this.arrays.grow("frames.links", kept + 1);
      this.arrays.run("RECORD_MOTION", kept);
      this.arrays.run("RECORD_FORCES", kept);
    }
    return this.unpack(from, onGrid ? kept : kept + 1);
  }

  private unpack(from: number, until: number): Frames {
    const n = this.links;
    const made = emptyFrames(until - from, n, this.joints.length);
    const [wide, tall] = [P.MOTION_SLOTS + S.SLOTS, P.FRAME_ROWS];
    const [motion, links] = [this.arrays.all("frames.motion"), this.arrays.all("frames.links")];
    const { contact_offset: contact } = this.setup.robot;
    const points = this.arrays.shape("constants.points")[1];
    const [wave, press, along, across] = [P.HEADING, P.PRESS, P.SLIP_T, P.SLIP_N].map((k) => k * n);
    const [forceX, forceY, speed, torque, target] = [P.FORCE_X, P.FORCE_Y, P.SPEED, P.ACTUATOR, P.TARGET].map((k) => k * n);
    const m = this.joints.length;
    for (let f = 0; f < made.count; f++) {
      const row = motion.subarray((from + f) * wide, (from + f + 1) * wide);
      const all = links.subarray((from + f) * tall * n, (from + f + 1) * tall * n);
      made.time[f] = row[P.DONE] * this.dt;
      made.com[3 * f] = row[P.X];
      made.com[3 * f + 1] = row[P.Y];
      made.comVelocity[3 * f] = row[P.VX];
      made.comVelocity[3 * f + 1] = row[P.VY];
      made.heading[f] = meanHeading(all, wave, n);
      for (let i = 0; i < n; i++) {
        made.axis[3 * (n * f + i)] = Math.cos(all[wave + i]);
        made.axis[3 * (n * f + i) + 1] = Math.sin(all[wave + i]);
      }
      this.nodes(made.axis, 3 * n * f, row[P.X], row[P.Y], made.node, 3 * (n + 1) * f);
      for (let i = 0; i < n; i++) {
        const [k, p, e] = [3 * (n * f + i), 3 * ((n + 1) * f + i), n * f + i];
        made.back[k + 2] = 1;
        made.contactForce[k] = all[forceX + i];
        made.contactForce[k + 1] = all[forceY + i];
        made.contactPoint[k] = made.node[p] + contact[i] * made.axis[k];
        made.contactPoint[k + 1] = made.node[p + 1] + contact[i] * made.axis[k + 1];
        made.normalForce[e] = all[press + i];
        made.slipAlong[e] = all[along + i];
        made.slipAcross[e] = all[across + i];
        made.touching[e] = points / n;
      }
      for (let k = 0; k < m; k++) {
        const [j, e] = [this.joints[k], m * f + k];
        made.jointAngle[e] = all[wave + j] - all[wave + j - 1];
        made.jointRate[e] = all[speed + j] - all[speed + j - 1];
        made.jointTorque[e] = all[torque + j];
        made.jointTarget[e] = all[target + j];
      }
      sumsOf(made, f, row, P.MOTION_SLOTS, n);
      made.contactCount[f] = points;
    }
    return made;
  }
}

const listed = (value: any): number[] => (Array.isArray(value) ? value : [value]);

/** Direction of the mean of the links' axes, rad, without jumps. */
function meanHeading(rows: Float64Array, from: number, links: number): number {
  const middle = sum(rows, from, links) / links;
  let [c, s] = [0, 0];
  for (let i = 0; i < links; i++) {
    s += Math.sin(rows[from + i] - middle);
    c += Math.cos(rows[from + i] - middle);
  }
  return middle + Math.atan2(s / links, c / links);
}
