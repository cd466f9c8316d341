/** The grid of the ground as plain lines: a fifth of the cost of the drawn plane where a processor draws every pixel. */
import { BufferAttribute, BufferGeometry, Fog, Group, LineBasicMaterial, LineSegments, type Scene, type Vector3 } from "three";
import type { Palette } from "./palette";

const MINOR = 60; // lines to each side
const MAJOR = 30;
const PIECES = 10;

function grid(count: number): BufferGeometry {
  const places: number[] = [];
  const piece = count / PIECES; // long lines in pieces: some drivers lose those that pass behind the camera
  for (let k = -count; k <= count; k++) {
    for (let at = -count; at < count; at += piece) places.push(k, at, 0, k, at + piece, 0, at, k, 0, at + piece, k, 0);
  }
  return new BufferGeometry().setAttribute("position", new BufferAttribute(Float32Array.from(places), 3));
}

export class GridLines {
  readonly group = new Group();
  readonly minor = new LineSegments(grid(MINOR), new LineBasicMaterial());
  readonly major = new LineSegments(grid(MAJOR), new LineBasicMaterial());
  private readonly fog = new Fog("#ffffff", 1, 10);

  constructor() {
    this.minor.renderOrder = -3;
    this.major.renderOrder = -2;
    for (const lines of [this.minor, this.major]) {
      lines.material.depthWrite = false;
      this.group.add(lines);
    }
    this.group.visible = false;
  }

  paint(palette: Palette): void {
    this.minor.material.color.set(palette.minor);
    this.major.material.color.set(palette.major);
    this.fog.color.set(palette.sky);
  }

  /** Distances from the camera at which lines begin to fade and are gone, m. */
  get fades(): [number, number] {
    return [this.fog.near, this.fog.far];
  }

  /** Cells of this side round the middle, stretched away from the eye; lines fade with the distance (m from the camera). */
  fit(cell: number, middle: Vector3, across: number, scene: Scene, flat: boolean, stretch: number): void {
    scene.fog = this.group.visible && !flat ? this.fog : null;
    this.fog.near = 1.2 * across;
    this.fog.far = 4.5 * across;
    this.group.position.set(Math.round(middle.x / (5 * cell)) * 5 * cell, stretch > 1 ? middle.y : Math.round(middle.y / (5 * cell)) * 5 * cell, 0);
    this.minor.scale.set(cell, cell * stretch, 1);
    this.major.scale.set(5 * cell, 5 * cell * stretch, 1);
  }
}
