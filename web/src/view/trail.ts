/** Where the centre of gravity and the head have been: lines on the ground that grow with the time shown. */
import { BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial } from "three";
import type { Motion } from "../motion";

const HEIGHT = 3e-4; // m above the ground

const MATERIALS = new Map<string, LineBasicMaterial>(); // kept for all runs

class Track {
  readonly line: Line<BufferGeometry, LineBasicMaterial>;
  private filled = 0;
  private places: Float32Array;

  constructor(
    private readonly motion: Motion,
    private readonly of: "com" | "head",
    colour: string,
    opacity: number,
  ) {
    this.places = new Float32Array(3 * Math.max(motion.facts.frames, 64));
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.places, 3));
    const key = `${colour} ${opacity}`;
    const material = MATERIALS.get(key) ?? new LineBasicMaterial({ color: colour, transparent: true, opacity });
    MATERIALS.set(key, material);
    this.line = new Line(geometry, material);
    this.line.frustumCulled = false;
  }

  show(time: number): void {
    const rows = this.motion.rows(this.of === "com" ? "com" : "node");
    if (!rows) return;
    const count = this.motion.count;
    if (3 * count > this.places.length) {
      this.places = new Float32Array(3 * Math.ceil(1.6 * count));
      this.line.geometry.dispose();
      this.line.geometry.setAttribute("position", new BufferAttribute(this.places, 3));
      this.filled = 0;
    }
    const width = this.motion.width(this.of === "com" ? "com" : "node");
    const at = this.of === "com" ? 0 : width - 3;
    const space = this.motion.facts.spatial;
    if (this.filled < count) {
      for (let i = this.filled; i < count; i++) {
        const k = i * width + at;
        this.places.set([rows[k], rows[k + 1], space ? rows[k + 2] : HEIGHT], 3 * i);
      }
      this.filled = count;
      this.line.geometry.getAttribute("position").needsUpdate = true;
    }
    this.line.geometry.setDrawRange(0, Math.min(this.motion.place(time).frame + 1, count));
  }
}

export class Trail {
  readonly group = new Group();
  private readonly tracks: Track[];

  constructor(motion: Motion, colour: string) {
    this.tracks = [new Track(motion, "com", colour, 0.95), new Track(motion, "head", colour, 0.35)];
    for (const track of this.tracks) this.group.add(track.line);
  }

  show(time: number): void {
    for (const track of this.tracks) track.show(time);
  }

  dispose(): void {
    for (const track of this.tracks) track.line.geometry.dispose();
  }
}
