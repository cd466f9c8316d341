/** The spatial engine in the page: `spatial/engine.py` and `spatial/start.py` with their arrays in the memory of the kernels. */
import * as at from "../../build/generated";
import { Arrays, Machine } from "./memory";
import { spatialFrames } from "./frames";
import type { Ended } from "./planar";
import { firstSmoothing } from "./setup/contact";
import { Refused, type Values } from "./setup/declared";
import type { Setup } from "./setup/description";
import { driveSource, helixAxis, isWave, planarSource, spaceSource, type Source } from "./setup/gaits";
import { mean, short, sum } from "./setup/numbers";
import { axisRotation, identity, product, quaternion, shortestRotation, transposed } from "./setup/rotations";
import { spatialGroups } from "./setup/spatial";
import { normalOf } from "./setup/terrain";
import type { Frames } from "./types";

const L = at.spatial;
const J = at.joint;
const S = at.sums;
const G = at.spots;
const refuse = (text: string): never => {
  throw new Refused(text);
};
const listed = (value: any): number[] => (Array.isArray(value) ? value : [value]);
type V3 = [number, number, number];

export class SpatialEngine {
  readonly arrays: Arrays;
  readonly ideal: boolean;
  private readonly links: number;
  private readonly dofs: number;

  constructor(
    module: WebAssembly.Module,
    readonly setup: Setup,
    readonly dt: number,
    readonly stride: number,
  ) {
    const { robot, world } = setup;
    this.ideal = robot.servo === null && setup.drive === null;
    this.links = robot.links;
    this.dofs = robot.axes.length;
    this.arrays = new Arrays(new Machine(module), "spatial");
    this.arrays.load(spatialGroups(setup, dt, stride, this.ideal));
    this.arrays.grow("frames", 64);
    const first = setup.gait ?? setup.posture;
    const planar = this.setPosture(first);
    this.begin(first, planar);
    this.sums[S.SMOOTHING] = firstSmoothing(world.friction, this.arrays.all("constants.numbers")[L.LEAST], this.sums[S.KINETIC], robot.mass);
    this.arrays.run("KEEP_FRAME", 0);
    this.command();
  }

  get motion(): Float64Array {
    return this.arrays.all("state.motion");
  }
  get sums(): Float64Array {
    return this.arrays.all("state.sums");
  }
  get done(): number {
    return this.motion[L.DONE];
  }
  get time(): number {
    return this.done * this.dt;
  }
  get stiffness(): number {
    return this.arrays.all("constants.terrain.ground")[G.G_STIFF];
  }
  private dof(k: number): Float64Array {
    return this.arrays.row("state.dofs", k);
  }
  private body(k: number): Float64Array {
    return this.arrays.row("scratch.body", k);
  }
  private given(count: number): number[] {
    return Array.from(this.arrays.all("given").subarray(0, count));
  }

  private tellSource(source: Source): void {
    this.arrays.replace("constants.par", source.par);
    this.arrays.replace("constants.tab", source.tab);
    this.arrays.all("constants.numbers")[L.COMMAND_KIND] = source.kind;
  }

  /** Joint angles at t = 0; returns heading and rate of link 0 in the body frame of a planar gait. */
  private setPosture(first: Values | null): [number, number] | null {
    const { robot, start } = this.setup;
    let planar: [number, number] | null = null;
    if (first) {
      const parts = (first.parts ?? [first]) as Values[];
      if (robot.planar && !parts.some(isWave)) {
        this.tellSource(planarSource(first, robot));
        this.arrays.run("HEADINGS", 0);
        planar = [this.arrays.row("scratch.command", 0)[0], this.arrays.row("scratch.command", 1)[0]];
      }
      this.tellSource(spaceSource(first, robot));
      this.arrays.run("JOINT_ANGLES", 0);
      const moving = this.ideal || start.rates === "posture";
      robot.axes.forEach(({ joint, kind }, k) => {
        const row = 2 * ["yaw", "pitch", "roll"].indexOf(kind);
        this.dof(L.ANGLE)[k] = this.arrays.row("scratch.command", row)[joint];
        this.dof(L.RATE)[k] = moving ? this.arrays.row("scratch.command", row + 1)[joint] : 0;
      });
    } else if (start.angles !== null) this.dof(L.ANGLE).set(listed(start.angles));
    if (start.rates !== null && typeof start.rates !== "string") this.dof(L.RATE).set(listed(start.rates));
    this.stopPosture();
    this.dof(L.TARGET).set(this.dof(L.ANGLE));
    this.dof(L.AIM).set(this.dof(L.ANGLE));
    return planar;
  }

  /** Ideal joints begin at their stops at most; for others a posture beyond them is refused. */
  private stopPosture(): void {
    const [angle, rate] = [this.dof(L.ANGLE), this.dof(L.RATE)];
    const [low, high] = [this.arrays.row("constants.chain.actuators", J.STOP_LOW), this.arrays.row("constants.chain.actuators", J.STOP_HIGH)];
    for (let k = 0; k < this.dofs; k++) {
      if (!this.ideal) {
        if (Math.abs(angle[k]) > high[k] * (1 + 1e-9))
          refuse(`the first posture bends joint ${this.setup.robot.axes[k].joint} by ${short(angle[k], 4)} rad, beyond its stop at ${short(high[k], 4)} rad`);
        continue;
      }
      if (angle[k] < low[k] * (1 + 1e-9) || angle[k] > high[k] * (1 + 1e-9)) rate[k] = 0;
      angle[k] = Math.min(Math.max(angle[k], low[k]), high[k]);
    }
  }

  /** Set pose, velocities and momenta. */
  private begin(first: Values | null, planar: [number, number] | null): void {
    const { robot, start } = this.setup;
    const ground = this.setup.floor!;
    const q = this.motion;
    this.arrays.row("scratch.axes", L.Q).set(this.dof(L.ANGLE));
    this.arrays.row("scratch.axes", L.QD).set(this.dof(L.RATE));
    q[L.AW] = 1;
    this.arrays.run("PLACE");
    let lead = planar?.[0] ?? 0;
    if (!planar) {
      const [x, y] = [0, 1].map((e) => sum(Float64Array.from(this.body(L.EX + e), (v, i) => robot.link_length[i] * v)));
      lead = Math.hypot(x, y) > 1e-9 * robot.length ? -Math.atan2(y, x) : 0;
    }
    const tilt = axisRotation(2, ground.slope_direction);
    const slope = ground.slope === 0 ? identity() : product(tilt, axisRotation(1, -ground.slope), transposed(tilt));
    const R = product(slope, axisRotation(2, start.heading), axisRotation(1, start.pitch), axisRotation(0, start.roll));
    q.set(quaternion(product(R, axisRotation(2, lead))), L.AW);
    q[L.HEADING] = start.heading;
    this.arrays.run("PLACE");
    let rate: number | null = null;
    if (first?.kind === "pole-climbing") this.wrap(first);
    else {
      // tail's end over the start position, the lowest point on the ground or above it
      q[L.X] = start.position[0] - this.body(L.PJ)[0];
      q[L.Y] = start.position[1] - this.body(L.PJ + 1)[0];
      q[L.Z] = 0;
      q[L.Z] = this.height();
      if (planar && this.dof(L.RATE).some((x) => x !== 0)) rate = planar[1];
    }
    this.setVelocities(rate);
    this.beginAccount();
    this.checkStart();
  }

  private nodes(): V3[] {
    const made = Array.from({ length: this.links }, (_, i) => [0, 1, 2].map((e) => this.body(L.PJ + e)[i]) as V3);
    const last = this.links - 1;
    const length = this.setup.robot.link_length[last];
    return [...made, made[last].map((x, e) => x + length * this.body(L.EX + e)[last]) as V3];
  }

  /** Put a helix round its pole: its axis on the pole's, the lowest joint at the base height. */
  private wrap(gait: Values): void {
    const q = this.motion;
    const [, direction] = helixAxis(this.nodes());
    const R = [0, 1, 2].map((e) => [0, 1, 2].map((axis) => this.body(L.EX + 3 * axis + e)[0]));
    q.set(quaternion(product(shortestRotation(direction, [0, 0, 1]), R)), L.AW);
    this.arrays.run("PLACE");
    const nodes = this.nodes();
    const [centre] = helixAxis(nodes);
    q[L.X] = gait.pole[0] - centre[0];
    q[L.Y] = gait.pole[1] - centre[1];
    q[L.Z] = gait.base_height - Math.min(...nodes.map((p) => p[2]));
  }

  /** Points of the links that can touch the ground, and their radii. */
  private contactPoints(): { points: V3[]; radius: number }[] {
    const { robot } = this.setup;
    const q = this.motion;
    const { model } = this.setup.floor!;
    const count = this.arrays.all("constants.terrain.ground")[G.G_POINTS];
    const from: V3 = [q[L.X], q[L.Y], q[L.Z]];
    return Array.from({ length: this.links }, (_, i) => {
      if (model === "flat") {
        const points = Array.from({ length: count }, (_, p) => {
          this.arrays.run("CORNER", i, p, count);
          return this.given(3).map((x, e) => x + from[e]) as V3;
        });
        return { points, radius: G.ROUNDED * robot.radius[i] };
      }
      const several = Math.max(2, count);
      const places = model === "point" ? [robot.contact_offset[i]] : Array.from({ length: several }, (_, k) => robot.link_length[i] * (k === several - 1 ? 1 : k * (1 / (several - 1))));
      const points = places.map((s) => [0, 1, 2].map((e) => this.body(L.PJ + e)[i] + s * this.body(L.EX + e)[i] + from[e]) as V3);
      return { points, radius: model === "point" ? 0 : robot.radius[i] };
    });
  }

  /** Height of the centre of gravity at which the lowest contact point has the gap asked for. */
  private height(): number {
    const { robot, world, start } = this.setup;
    const ground = this.setup.floor!;
    const n = normalOf(ground);
    let lift = ground.heights !== null || ground.plane ? -Infinity : 0;
    for (const { points, radius } of lift === 0 ? [] : this.contactPoints())
      for (const [x, y, z] of points) {
        if (ground.heights !== null) {
          this.arrays.run("CLEAR", x, y, radius);
          lift = Math.max(lift, this.given(1)[0] - z);
        } else lift = Math.max(lift, (radius - (x * n[0] + y * n[1] + z * n[2])) / n[2]);
      }
    if (start.height !== null) return lift + start.height;
    if (!ground.plane && ground.heights === null) return lift;
    const count = this.arrays.all("constants.terrain.ground")[G.G_POINTS];
    return lift - (robot.mass * world.gravity) / (robot.links * count * this.stiffness);
  }

  /** Velocities: the centre of gravity's, and the rotation about the vertical. */
  private setVelocities(rate: number | null): void {
    const { start, robot } = this.setup;
    const q = this.motion;
    const still = (): void => {
      for (let e = 0; e < 6; e++) this.body(L.W + e).fill(0);
    };
    still();
    this.arrays.run("SPREAD");
    let turn = [0, 0, start.angular_velocity + (rate ?? 0)];
    if (rate === null) {
      this.arrays.run("HELD_BODY", ...this.given(6).map((x) => -x));
      const back = this.given(3);
      turn = [back[0], back[1], back[2] + start.angular_velocity];
    }
    still();
    turn.forEach((x, e) => (this.body(L.W + e)[0] = x));
    this.arrays.run("SPREAD");
    const total = this.given(6);
    const velocity = [...start.velocity, 0];
    velocity.forEach((v, e) => {
      const row = this.body(L.V + e);
      const more = v - total[3 + e] / robot.mass;
      row.forEach((x, i) => (row[i] = x + more));
      q[L.VX + e] = v;
      q[L.WX + e] = this.body(L.W + e)[0];
    });
  }

  /** Momenta of the links, energies at the start. */
  private beginAccount(): void {
    const { robot, world } = this.setup;
    const q = this.motion;
    const acc = this.sums;
    const rotor = this.arrays.row("constants.chain.actuators", J.ROTOR);
    const rotors = 0.5 * sum(Float64Array.from(this.dof(L.RATE), (w, k) => rotor[k] * w ** 2));
    this.arrays.run("KEEP_MOMENTA");
    q[L.KINETIC] = this.given(1)[0] + rotors;
    acc[S.KINETIC] = acc[S.KINETIC_START] = q[L.KINETIC];
    acc[S.POTENTIAL] = acc[S.POTENTIAL_START] = robot.mass * world.gravity * q[L.Z];
    this.arrays.run("TOUCHING");
    acc[S.SPRING_STORED] = this.given(2)[1];
    q[L.ENERGY_START] = acc[S.KINETIC] + acc[S.POTENTIAL] + acc[S.SPRING_STORED];
    q[L.ENERGY_SCALE] = q[L.KINETIC] + robot.mass * world.gravity * robot.length;
    q[L.KINETIC_MAX] = q[L.KINETIC];
  }

  /** Refuse a start inside the ground or an obstacle, and friction without direction under an upright link. */
  private checkStart(): void {
    const { robot, world } = this.setup;
    const count = this.given(1)[0];
    const gaps = this.arrays.row("scratch.contacts.spots", G.GAP).subarray(0, count);
    const size = Math.max(...robot.radius) > 0 ? mean(robot.radius) : 0.1 * mean(robot.link_length);
    const deepest = gaps.reduce((k, gap, i) => (gap < gaps[k] ? i : k), 0);
    if (count && -gaps[deepest] > at.start.DEEPEST * size)
      refuse(
        `the robot starts ${short(-gaps[deepest], 3)} m inside the ground or an obstacle (link ${this.arrays.row("scratch.contacts.spots", G.LINK)[deepest]}); move start.position or start.height`,
      );
    const law = world.friction;
    const isotropic = law.along === law.across && (law.backward === null || law.backward === law.along);
    if (isotropic || law.law === "none") return;
    const n = normalOf(this.setup.floor!);
    for (let i = 0; i < this.links; i++) {
      const e = [0, 1, 2].map((k) => this.body(L.EX + k)[i]);
      const sine = Math.hypot(e[1] * n[2] - e[2] * n[1], e[2] * n[0] - e[0] * n[2], e[0] * n[1] - e[1] * n[0]);
      if (sine < Math.max(G.UPRIGHT, 1e-3)) refuse(`link ${i} stands upright on the ground: friction along and across it has no direction there; tilt it, or give along = across`);
    }
  }

  /** Put the command of the description in force. */
  private command(): void {
    const { gait, drive, robot } = this.setup;
    if (gait) {
      const servos = this.arrays.row("constants.chain.actuators", J.SERVO).some((x) => x > 0);
      if (!this.ideal && this.dofs && !servos) refuse(`${robot.name} has no servos that could aim at angles; give it a servo, or torques`);
      this.tellSource(spaceSource(gait, robot));
      this.motion[L.MODE] = L.GAIT;
    } else if (drive) {
      this.tellSource(driveSource(drive, robot));
      this.motion[L.MODE] = L.DRIVE;
      this.dof(L.TARGET).fill(NaN);
    } else {
      this.dof(L.TARGET).fill(NaN);
      this.motion[L.MODE] = L.PUSH;
    }
  }

  /** Let joints or aims follow a cubic from (q0, v0) at t0 to (q1, v1) at t1, by degree of freedom. */
  track(t0: number, t1: number, q0: number[], v0: number[], q1: number[], v1: number[]): void {
    this.dof(L.FROM_ANGLE).set(q0);
    this.dof(L.FROM_RATE).set(v0);
    this.dof(L.TO_ANGLE).set(q1);
    this.dof(L.TO_RATE).set(v1);
    this.motion[L.MODE] = L.TRACK;
    this.motion[L.FROM] = t0;
    this.motion[L.TO] = t1;
  }

  jointAngles(): number[] {
    return Array.from(this.dof(L.ANGLE));
  }
  jointRates(): number[] {
    return Array.from(this.dof(L.RATE));
  }

  /** Angles of a gait's joints at a time of its own, whatever the command is. */
  anglesOf(source: Source, t: number): number[] {
    const numbers = this.arrays.all("constants.numbers");
    const before = { kind: numbers[L.COMMAND_KIND], par: this.arrays.all("constants.par").slice(), tab: this.arrays.all("constants.tab").slice(), shape: this.arrays.shape("constants.tab") };
    this.tellSource(source);
    this.arrays.run("JOINT_ANGLES", t);
    const made = this.setup.robot.axes.map(({ joint, kind }) => this.arrays.row("scratch.command", 2 * ["yaw", "pitch", "roll"].indexOf(kind))[joint]);
    this.tellSource({ kind: before.kind, par: { shape: [before.par.length], data: before.par }, tab: { shape: before.shape, data: before.tab } });
    return made;
  }

  /** Advance to step number `to`. */
  advance(to: number): Ended {
    if (to <= this.done) return "fine";
    this.arrays.grow("frames", Math.floor(to / this.stride) + 1);
    const ended = this.arrays.run("MARCH", 0, to);
    if (this.arrays.all("scratch.contacts.own.counts")[at.skin.FULL] > 0)
      refuse("more links lie near each other than a body of their radius has room for: it has passed through itself; raise world.self_contact.stiffness or shorten the step");
    if (ended === at.march.OUT_OF_RANGE || ended === at.march.UNKNOWN) throw new Error(`the march ended with ${ended}`);
    return ended === at.march.GOOD ? "fine" : "diverged";
  }

  /** Frames recorded; the last one is now. */
  frames(from = 0): Frames {
    const kept = Math.floor(this.done / this.stride) + 1;
    const onGrid = this.done % this.stride === 0;
    if (!onGrid) {
      this.arrays.grow("frames", kept + 1);
      this.arrays.run("RECORD_FRAME", kept);
    }
    return spatialFrames(this.arrays, this.setup.robot, this.dt, from, onGrid ? kept : kept + 1);
  }
}
