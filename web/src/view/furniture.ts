/** What stands in a world: discs, polygons, walls, grids of cells, pegs, boxes, pipes, patches of other friction; pins, targets and goals. */
import { BoxGeometry, CylinderGeometry, DoubleSide, ExtrudeGeometry, Group, InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial, PlaneGeometry, Quaternion, Shape, TorusGeometry, Vector3, type Object3D } from "three"; // prettier-ignore
import type { Description, Json } from "../engine/types";
import type { RunEvent } from "../data";
import { PIN, START, TARGET, type Palette } from "./palette";

/** A thing that can be dragged: which key of the description its place is. */
export interface Handle {
  object: Object3D;
  path: (string | number)[];
}

function vector(value: Json | undefined, size: number): number[] {
  const list = Array.isArray(value) ? value.map(Number) : [];
  return Array.from({ length: size }, (_, i) => list[i] ?? 0);
}

export class Furniture {
  readonly group = new Group();
  readonly handles: Handle[] = [];
  private readonly pins = new Group();
  private readonly solid = new MeshLambertMaterial();
  private readonly glass = new MeshLambertMaterial({ transparent: true, opacity: 0.3, side: DoubleSide, depthWrite: false });
  private height = 0.1;

  /** Build all that a description holds; `tall` is the height of upright things, m. */
  set(description: Description, tall: number, palette: Palette): void {
    this.clear();
    this.height = tall;
    this.solid.color.set(palette.solid);
    this.glass.color.set(palette.solid);
    const world = (description.world ?? {}) as Description;
    const plan = (description.plan ?? {}) as Description;
    (world.obstacles as Description[] | undefined)?.forEach((o, i) => this.obstacle(o, ["world", "obstacles", i]));
    if (!(world.obstacles as Json[] | undefined)?.length) {
      (plan.obstacles as Description[] | undefined)?.forEach((o, i) => this.obstacle(o, ["plan", "obstacles", i]));
    }
    (world.patches as Description[] | undefined)?.forEach((p) => this.patch(p, palette));
    if (Array.isArray(plan.target)) this.mark(plan.target as number[], ["plan", "target"], TARGET);
    this.group.add(this.pins);
  }

  private obstacle(given: Description, path: (string | number)[]): void {
    const made = this.built(given);
    if (!made) return;
    made.castShadow = true;
    this.group.add(made);
    if (given.kind === "disc") this.handles.push({ object: made, path: [...path, "centre"] });
    if (given.kind === "box") this.handles.push({ object: made, path: [...path, "centre"] });
    if (given.kind === "cylinder") this.handles.push({ object: made, path: [...path, "base"] });
  }

  private built(given: Description): Mesh | InstancedMesh | null {
    const h = this.height;
    switch (given.kind) {
      case "disc": {
        const [x, y] = vector(given.centre, 2);
        return this.upright(Number(given.radius), h, new Vector3(x, y, 0), new Vector3(0, 0, 1));
      }
      case "cylinder": {
        const [x, y, z] = vector(given.base, 3);
        const [a, b, c] = given.axis ? vector(given.axis, 3) : [0, 0, 1];
        return this.upright(Number(given.radius), Number(given.length), new Vector3(x, y, z), new Vector3(a, b, c));
      }
      case "polygon": {
        const points = (given.points as number[][]) ?? [];
        const shape = new Shape();
        points.forEach(([x, y], i) => (i ? shape.lineTo(x, y) : shape.moveTo(x, y)));
        return new Mesh(new ExtrudeGeometry(shape, { depth: h, bevelEnabled: false }), this.solid);
      }
      case "wall": {
        const [x0, y0] = vector(given.start, 2);
        const [x1, y1] = vector(given.end, 2);
        const mesh = new Mesh(new BoxGeometry(Math.hypot(x1 - x0, y1 - y0), Number(given.thickness ?? 0.1), h), this.solid);
        mesh.position.set((x0 + x1) / 2, (y0 + y1) / 2, h / 2);
        mesh.rotation.z = Math.atan2(y1 - y0, x1 - x0);
        return mesh;
      }
      case "grid":
        return this.cells(given.cells as Json[], Number(given.cell), vector(given.origin, 2));
      case "box": {
        const [x, y, z] = vector(given.centre, 3);
        const [a, b, c] = vector(given.size, 3);
        const mesh = new Mesh(new BoxGeometry(a, b, c), this.solid);
        mesh.position.set(x, y, z);
        mesh.rotation.z = Number(given.yaw ?? 0);
        return mesh;
      }
      case "pipe":
        return this.pipe(given);
      default:
        return null;
    }
  }

  private upright(radius: number, length: number, foot: Vector3, axis: Vector3): Mesh {
    const geometry = new CylinderGeometry(radius, radius, length, 40);
    geometry.translate(0, length / 2, 0);
    const mesh = new Mesh(geometry, this.solid);
    mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), axis.normalize()));
    mesh.position.copy(foot);
    return mesh;
  }

  private pipe(given: Description): Mesh {
    const [x, y, z] = vector(given.point, 3);
    const [a, b, c] = given.axis ? vector(given.axis, 3) : [1, 0, 0];
    const radius = Number(given.radius);
    const mesh = new Mesh(new CylinderGeometry(radius, radius, 60 * radius, 48, 1, true), this.glass);
    mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(a, b, c).normalize()));
    mesh.position.set(x, y, z);
    return mesh;
  }

  /** Solid cells, one row per x ("#" and ".", or true and false along y); runs of cells in a row become one block. */
  private cells(rows: Json[], cell: number, [x0, y0]: number[]): InstancedMesh {
    const blocks: Matrix4[] = [];
    const h = this.height;
    rows.forEach((row, i) => {
      const solid = typeof row === "string" ? Array.from(row, (c) => c === "#" || c === "1") : (row as Json[]).map((v) => Boolean(v));
      for (let j = 0; j < solid.length; j++) {
        if (!solid[j]) continue;
        let end = j;
        while (end + 1 < solid.length && solid[end + 1]) end++;
        const wide = end - j + 1;
        const m = new Matrix4().makeScale(cell, wide * cell, h);
        blocks.push(m.setPosition(x0 + i * cell, y0 + (j + (wide - 1) / 2) * cell, h / 2));
        j = end;
      }
    });
    const mesh = new InstancedMesh(new BoxGeometry(1, 1, 1), this.solid, Math.max(blocks.length, 1));
    blocks.forEach((m, i) => mesh.setMatrixAt(i, m));
    mesh.count = blocks.length;
    mesh.frustumCulled = false;
    return mesh;
  }

  /** The walls of a map that is being edited. */
  setCells(rows: boolean[][], cell: number, origin: [number, number]): void {
    const old = this.group.getObjectByName("map");
    if (old) this.group.remove(old);
    const made = this.cells(rows as unknown as Json[], cell, origin);
    made.name = "map";
    this.group.add(made);
  }

  /** Start and goal of a path. */
  setEnds(start: [number, number], goal: [number, number]): void {
    for (const old of this.group.children.filter((c) => c.name === "end")) this.group.remove(old);
    this.ring(start, START).name = "end";
    this.ring(goal, TARGET).name = "end";
  }

  private patch(given: Description, palette: Palette): void {
    const [x0, y0, x1, y1] = vector(given.rectangle, 4);
    const mesh = new Mesh(new PlaneGeometry(x1 - x0, y1 - y0), new MeshBasicMaterial({ color: palette.axis, transparent: true, opacity: 0.3, depthWrite: false }));
    mesh.position.set((x0 + x1) / 2, (y0 + y1) / 2, 2e-4);
    this.group.add(mesh);
  }

  /** A ring on the ground: a target or a goal. */
  private mark(place: number[], path: (string | number)[], colour: string): void {
    this.handles.push({ object: this.ring(place, colour), path });
  }

  private ring(place: number[], colour: string): Object3D {
    const size = 0.5 * this.height;
    const ring = new Mesh(new TorusGeometry(size, 0.14 * size, 10, 40), new MeshBasicMaterial({ color: colour }));
    ring.position.set(place[0], place[1], 0.14 * size);
    const dot = new Mesh(new CylinderGeometry(0.3 * size, 0.3 * size, 0.1 * size, 24), new MeshBasicMaterial({ color: colour }));
    dot.rotation.x = Math.PI / 2;
    ring.add(dot);
    this.group.add(ring);
    return ring;
  }

  /** Pins that hold at a time, by the events of the run; nodes are the places of joints. */
  pin(events: RunEvent[], time: number, nodes: Float32Array, lift: number): void {
    const held = new Set<number>();
    for (const event of events) {
      if (event.time > time) break;
      if (event.kind !== "anchors") continue;
      for (const link of (event.data.links as number[] | undefined) ?? []) {
        if (event.data.set) held.add(link);
        else held.delete(link);
      }
    }
    while (this.pins.children.length < held.size) this.pins.add(pinShape(this.height));
    this.pins.children.forEach((pin) => (pin.visible = false));
    let k = 0;
    for (const link of held) {
      const a = 3 * (link - 1);
      if (a + 5 >= nodes.length || a < 0) continue;
      const pin = this.pins.children[k++];
      pin.visible = true;
      pin.position.set((nodes[a] + nodes[a + 3]) / 2, (nodes[a + 1] + nodes[a + 4]) / 2, (nodes[a + 2] + nodes[a + 5]) / 2 + lift);
    }
  }

  private clear(): void {
    for (const child of [...this.group.children]) {
      if (child === this.pins) continue;
      this.group.remove(child);
      if (child instanceof Mesh) child.geometry.dispose();
    }
    this.pins.clear();
    this.handles.length = 0;
  }
}

function pinShape(tall: number): Mesh {
  const size = 0.16 * tall;
  const needle = new CylinderGeometry(0.25 * size, 0.25 * size, 1.6 * tall, 10);
  const mesh = new Mesh(needle, new MeshBasicMaterial({ color: PIN }));
  needle.rotateX(Math.PI / 2);
  const head = new Mesh(new CylinderGeometry(size, size, 0.4 * size, 20), mesh.material);
  head.rotation.x = Math.PI / 2;
  head.position.z = 0.8 * tall;
  mesh.add(head);
  return mesh;
}
