/**
 * The body: one smooth tube through the joints, bent only near them, with scales, a line along the back, and slip as colour.
 *
 * Links stay straight; the tube rounds each joint within `ROUNDING` radii (at most half a link), so that it never leaves the true body by more.
 */
import { BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Group, Mesh, MeshLambertMaterial, SphereGeometry, MeshBasicMaterial, Vector3, InstancedMesh, Matrix4 } from "three"; // prettier-ignore
import type { Motion } from "../motion";
import { slipColour } from "./palette";
import { skin } from "./skin";

const ROUNDING = 2.2;
const CAP_RINGS = 4;

const EYE = new SphereGeometry(1, 10, 8);
const DARK_EYE = new MeshBasicMaterial({ color: "#101418" });
const MATERIALS = new Map<boolean, MeshLambertMaterial>(); // kept: a program is compiled once, not for every run

function materialOf(ghost: boolean): MeshLambertMaterial {
  const made = MATERIALS.get(ghost) ?? new MeshLambertMaterial({ vertexColors: true, map: skin(), transparent: ghost, opacity: ghost ? 0.5 : 1, side: DoubleSide });
  MATERIALS.set(ghost, made);
  return made;
}

export interface BodyDetail {
  sides: number;
  bend: number; // rings per joint
}

/** How thick a body is drawn: its own radius, or of thin robots a share of the link. */
export function drawnRadius(motion: Motion): number {
  const { radius, linkLength } = motion.facts;
  const own = Math.max(...radius);
  const body = linkLength.reduce((a, b) => a + b, 0);
  return own > 0 ? own : Math.max(0.26 * (body / linkLength.length), 0.012 * body); // a curve of many short pieces is seen, too
}

export class Body {
  readonly group = new Group();
  readonly mesh: Mesh;
  private readonly rings: number;
  private readonly sides: number;
  private readonly positions: Float32Array;
  private readonly normals: Float32Array;
  private readonly colours: Float32Array;
  private readonly nodes: Float32Array;
  private readonly backs: Float32Array;
  private readonly slips: Float32Array;
  private readonly eyes: InstancedMesh;
  readonly radius: number;
  private readonly lift: number;
  private readonly tint: Color;
  readonly ring: { p: Vector3; t: Vector3; u: Vector3; size: number; link: number }[];
  private readonly detail: BodyDetail;

  constructor(
    private readonly motion: Motion,
    detail: BodyDetail,
    tint: string,
    readonly ghost: boolean,
  ) {
    const n = motion.facts.links;
    this.detail = detail;
    this.sides = detail.sides;
    this.rings = 2 * CAP_RINGS + 2 + (n - 1) * detail.bend;
    this.radius = drawnRadius(motion);
    this.lift = liftOf(motion, this.radius);
    this.tint = new Color(tint);
    const vertices = this.rings * (this.sides + 1);
    this.positions = new Float32Array(3 * vertices);
    this.normals = new Float32Array(3 * vertices);
    this.colours = new Float32Array(3 * vertices);
    this.nodes = new Float32Array(3 * (n + 1));
    this.backs = new Float32Array(3 * n);
    this.slips = new Float32Array(n);
    this.ring = Array.from({ length: this.rings }, () => ({ p: new Vector3(), t: new Vector3(), u: new Vector3(), size: 1, link: 0 }));
    this.mesh = new Mesh(this.geometry(vertices), materialOf(ghost));
    this.mesh.castShadow = !ghost;
    this.mesh.frustumCulled = false;
    this.mesh.name = "body";
    this.eyes = new InstancedMesh(EYE, DARK_EYE, 2);
    this.eyes.frustumCulled = false;
    this.group.add(this.mesh, this.eyes);
  }

  private geometry(vertices: number): BufferGeometry {
    const made = new BufferGeometry();
    const around = new Float32Array(2 * vertices);
    const index: number[] = [];
    const per = this.sides + 1;
    const length = this.motion.facts.linkLength.reduce((a, b) => a + b, 0);
    const repeats = Math.max(Math.round(length / (3.2 * this.radius)), 4);
    for (let r = 0; r < this.rings; r++) {
      for (let k = 0; k < per; k++) {
        around[2 * (r * per + k)] = k / this.sides;
        around[2 * (r * per + k) + 1] = (r / (this.rings - 1)) * repeats;
        if (r + 1 < this.rings && k < this.sides) {
          const a = r * per + k;
          index.push(a, a + 1, a + per, a + 1, a + per + 1, a + per);
        }
      }
    }
    const dynamic = (array: Float32Array): BufferAttribute => new BufferAttribute(array, 3).setUsage(DynamicDrawUsage);
    made.setAttribute("position", dynamic(this.positions));
    made.setAttribute("normal", dynamic(this.normals));
    made.setAttribute("color", dynamic(this.colours));
    made.setAttribute("uv", new BufferAttribute(around, 2));
    made.setIndex(index);
    return made;
  }

  /** Show the body at a time; slip as colour or the body's own tint. A sketch needs no skin. */
  show(time: number, coloured: boolean, skinned: boolean): void {
    const { motion } = this;
    if (!motion.at("node", time, this.nodes)) return;
    const backs = motion.at("back", time, this.backs);
    this.slipping = coloured ? motion.at("slipAcross", time, this.slips) : null;
    this.trace(backs);
    if (!skinned) return;
    this.skinOver();
    this.look();
  }
  private slipping: Float32Array | null = null; // slip of each link at the time shown, where it is the colour

  /** Colour of a link at the time shown. */
  colourOf(link: number): Color {
    return this.slipping ? slipColour(Math.abs(this.slipping[link]) / this.motion.slipScale) : this.tint;
  }

  /** Where the middle of the body is drawn. */
  get middle(): Vector3 {
    return this.ring[this.rings >> 1].p;
  }

  private node(i: number, into: Vector3): Vector3 {
    return into.set(this.nodes[3 * i], this.nodes[3 * i + 1], this.nodes[3 * i + 2] + this.lift);
  }

  private back(link: number, backs: Float32Array | null, into: Vector3): Vector3 {
    if (!backs) return into.set(0, 0, 1);
    return into.set(backs[3 * link], backs[3 * link + 1], backs[3 * link + 2]);
  }

  /** Centres, tangents and backs of all rings, from tail to head. */
  private trace(backs: Float32Array | null): void {
    const n = this.motion.facts.links;
    const { ring, radius } = this;
    const a = new Vector3();
    const b = new Vector3();
    const c = new Vector3();
    const d1 = new Vector3();
    const d2 = new Vector3();
    let r = 0;
    this.node(0, a);
    this.node(1, b);
    d1.subVectors(b, a);
    const first = d1.length();
    d1.divideScalar(first || 1);
    for (let k = 0; k <= CAP_RINGS; k++, r++) {
      const x = k / CAP_RINGS; // a tail that tapers over its link
      ring[r].p.copy(a).addScaledVector(d1, x * 0.55 * first - (1 - x) * 0.3 * radius);
      ring[r].t.copy(d1);
      this.back(0, backs, ring[r].u);
      ring[r].size = Math.max(Math.sqrt(Math.sin((x * Math.PI) / 2)), 0.02);
      ring[r].link = 0;
    }
    for (let i = 1; i < n; i++) {
      this.node(i - 1, a);
      this.node(i, b);
      this.node(i + 1, c);
      d1.subVectors(b, a);
      d2.subVectors(c, b);
      const l1 = d1.length();
      const l2 = d2.length();
      d1.divideScalar(l1 || 1);
      d2.divideScalar(l2 || 1);
      const cut = Math.min(0.45 * Math.min(l1, l2), ROUNDING * radius);
      for (let k = 0; k < this.detail.bend; k++, r++) {
        const x = this.detail.bend > 1 ? k / (this.detail.bend - 1) : 0.5;
        const w1 = (1 - x) * (1 - x);
        const w2 = x * x;
        ring[r].p.copy(b).addScaledVector(d1, -cut * w1).addScaledVector(d2, cut * w2); // quadratic Bezier at the joint
        ring[r].t.copy(d1).multiplyScalar(1 - x).addScaledVector(d2, x).normalize();
        this.back(i - 1, backs, ring[r].u).multiplyScalar(1 - x);
        this.back(i, backs, a);
        ring[r].u.addScaledVector(a, x);
        ring[r].size = 1;
        ring[r].link = x < 0.5 ? i - 1 : i;
      }
    }
    this.node(n - 1, a);
    this.node(n, b);
    d1.subVectors(b, a);
    const last = d1.length();
    d1.divideScalar(last || 1);
    for (let k = 0; k <= CAP_RINGS; k++, r++) {
      const x = k / CAP_RINGS; // a head, a little wider before it narrows
      const reach = Math.min(0.5 * last, 2.4 * radius);
      ring[r].p.copy(b).addScaledVector(d1, -(1 - x) * reach + x * 0.35 * radius);
      ring[r].t.copy(d1);
      this.back(n - 1, backs, ring[r].u);
      ring[r].size = Math.max(1.16 * Math.sqrt(Math.max(1 - x * x * x, 0)), 0.02);
      ring[r].link = n - 1;
    }
  }

  private skinOver(): void {
    const per = this.sides + 1;
    const side = new Vector3();
    const up = new Vector3();
    for (let r = 0; r < this.rings; r++) {
      const { p, t, u, size, link } = this.ring[r];
      up.copy(u).addScaledVector(t, -u.dot(t)).normalize();
      side.crossVectors(t, up);
      const colour = this.colourOf(link);
      const radius = this.radius * size;
      for (let k = 0; k < per; k++) {
        const turn = ((k / this.sides) * 2 - 1) * Math.PI; // 0 at the back
        const c = Math.cos(turn);
        const s = Math.sin(turn);
        const at = 3 * (r * per + k);
        for (let j = 0; j < 3; j++) {
          const normal = c * up.getComponent(j) + s * side.getComponent(j);
          this.normals[at + j] = normal;
          this.positions[at + j] = p.getComponent(j) + radius * normal;
        }
        this.colours[at] = colour.r;
        this.colours[at + 1] = colour.g;
        this.colours[at + 2] = colour.b;
      }
    }
    for (const name of ["position", "normal", "color"]) this.mesh.geometry.getAttribute(name).needsUpdate = true;
  }

  /** Two eyes on the head. */
  eyePlaces(): Vector3[] {
    const { p, t, u } = this.ring[this.rings - 3];
    const up = new Vector3().copy(u).addScaledVector(t, -u.dot(t)).normalize();
    const side = new Vector3().crossVectors(t, up);
    return [-0.66, 0.66].map((out) => new Vector3().copy(p).addScaledVector(side, out * this.radius).addScaledVector(up, 0.74 * this.radius));
  }

  private look(): void {
    const size = 0.2 * this.radius;
    this.eyePlaces().forEach((place, k) => this.eyes.setMatrixAt(k, new Matrix4().makeScale(size, size, size).setPosition(place)));
    this.eyes.instanceMatrix.needsUpdate = true;
    this.eyes.visible = !this.ghost;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.eyes.dispose();
  }
}

/** How much a body is lifted to lie on the ground: in the plane its axis runs at height 0. */
export function liftOf(motion: Motion, radius: number): number {
  if (!motion.facts.spatial) return radius;
  const node = motion.rows("node") ?? new Float32Array(3);
  let lowest = Infinity;
  for (let k = 2; k < 3 * (motion.facts.links + 1); k += 3) lowest = Math.min(lowest, node[k]);
  return Math.abs(lowest) < 0.5 * radius ? radius : 0; // its points, not its skin, touch the ground
}
