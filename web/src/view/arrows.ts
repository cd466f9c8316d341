/** Forces as arrows: friction along the ground, the ground's support, and obstacles; lengths in proportion, the greatest a fixed length. */
import { ConeGeometry, CylinderGeometry, Group, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3 } from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Motion } from "../motion";
import { FRICTION, NORMAL, WALL } from "./palette";

const UP = new Vector3(0, 1, 0);
const LEAST = 0.02; // of the greatest: shorter arrows are not drawn

/** An arrow of length 1 along y, with a head of fixed share. */
function shape() {
  const shaft = new CylinderGeometry(0.035, 0.035, 0.74, 6);
  shaft.translate(0, 0.37, 0);
  const head = new ConeGeometry(0.1, 0.26, 8);
  head.translate(0, 0.87, 0);
  const both = mergeGeometries([shaft, head]);
  if (!both) throw new Error("the arrow has no shape");
  return both;
}

const MATERIALS = new Map<string, MeshBasicMaterial>(); // kept, as the shape: one program and one arrow for all runs
let arrow: ReturnType<typeof shape> | null = null;

class Sheaf {
  readonly mesh: InstancedMesh;
  private readonly matrix = new Matrix4();
  private readonly turn = new Quaternion();
  private readonly direction = new Vector3();
  private readonly size = new Vector3();
  private used = 0;

  constructor(
    count: number,
    colour: string,
    private readonly thickness: number,
  ) {
    const material = MATERIALS.get(colour) ?? new MeshBasicMaterial({ color: colour });
    MATERIALS.set(colour, material);
    this.mesh = new InstancedMesh((arrow ??= shape()), material, count);
    this.mesh.frustumCulled = false;
  }

  begin(): void {
    this.used = 0;
  }

  add(from: Vector3, x: number, y: number, z: number, length: number): void {
    const force = Math.hypot(x, y, z);
    if (!(force > 0) || !(length > 0)) return;
    this.direction.set(x / force, y / force, z / force);
    this.turn.setFromUnitVectors(UP, this.direction);
    const wide = Math.min(this.thickness, 2.2 * length);
    this.matrix.compose(from, this.turn, this.size.set(wide, length, wide));
    this.mesh.setMatrixAt(this.used++, this.matrix);
  }

  end(): void {
    this.mesh.count = this.used;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

export class Arrows {
  readonly group = new Group();
  private readonly friction: Sheaf;
  private readonly normal: Sheaf;
  private readonly wall: Sheaf;
  private readonly forces: Float32Array;
  private readonly points: Float32Array;
  private readonly wallForces: Float32Array;
  private readonly wallPoints: Float32Array;
  private readonly longest: number;

  constructor(
    private readonly motion: Motion,
    private readonly radius: number,
    private readonly lift: number,
  ) {
    const n = motion.facts.links;
    const body = motion.facts.linkLength.reduce((a, b) => a + b, 0);
    this.longest = 0.16 * body;
    const thick = 0.32 * this.longest;
    this.friction = new Sheaf(n, FRICTION, thick);
    this.normal = new Sheaf(n, NORMAL, thick);
    this.wall = new Sheaf(n, WALL, thick);
    this.forces = new Float32Array(3 * n);
    this.points = new Float32Array(3 * n);
    this.wallForces = new Float32Array(3 * n);
    this.wallPoints = new Float32Array(3 * n);
    this.group.add(this.friction.mesh, this.normal.mesh, this.wall.mesh);
  }

  show(time: number): void {
    const { motion } = this;
    const n = motion.facts.links;
    const forces = motion.at("contactForce", time, this.forces);
    const points = motion.at("contactPoint", time, this.points);
    const scale = this.longest / Math.max(motion.forceScale, 1e-9);
    const from = new Vector3();
    this.friction.begin();
    this.normal.begin();
    this.wall.begin();
    for (let i = 0; forces && points && i < n; i++) {
      const [x, y, z] = [forces[3 * i], forces[3 * i + 1], forces[3 * i + 2]];
      from.set(points[3 * i], points[3 * i + 1], points[3 * i + 2] + this.lift);
      if (!Number.isFinite(from.x + from.y + from.z)) continue;
      const level = Math.hypot(x, y) * scale;
      if (level > LEAST * this.longest) this.friction.add(from.setZ(from.z + 1.1 * this.radius), x, y, 0, Math.min(level, 1.5 * this.longest));
      const up = Math.abs(z) * scale * 0.5;
      if (up > LEAST * this.longest) this.normal.add(from, 0, 0, z, Math.min(up, this.longest));
    }
    const walls = motion.at("wallForce", time, this.wallForces);
    const touched = motion.at("wallPoint", time, this.wallPoints);
    for (let i = 0; walls && touched && i < n; i++) {
      const [x, y, z] = [walls[3 * i], walls[3 * i + 1], walls[3 * i + 2]];
      from.set(touched[3 * i], touched[3 * i + 1], touched[3 * i + 2] + this.lift + 1.1 * this.radius);
      const size = Math.hypot(x, y, z) * scale;
      if (Number.isFinite(from.x + size) && size > LEAST * this.longest) this.wall.add(from, x, y, z, Math.min(size, 1.5 * this.longest));
    }
    this.friction.end();
    this.normal.end();
    this.wall.end();
  }

  dispose(): void {
    for (const sheaf of [this.friction, this.normal, this.wall]) sheaf.mesh.dispose();
  }
}
