/**
 * A quick picture of the stage on a plain canvas, from the same camera: drawn while a run is awaited where a processor plays the graphics card.
 *
 * There a picture of the card costs 20 to 50 ms, and more while the run is being computed; this one costs a few. Bodies are strokes through the
 * rings of the tube, things that stand in the world are shaded faces sorted by distance; the full picture follows as soon as nothing is awaited.
 */
import { Camera, Color, InstancedMesh, Line, Material, Matrix4, Mesh, MeshBasicMaterial, Vector3, Vector4, type BufferGeometry, type LineBasicMaterial, type Object3D } from "three"; // prettier-ignore
import type { Arrows } from "./arrows";
import type { Body } from "./body";
import type { Ground } from "./ground";
import type { Palette } from "./palette";
import type { Trail } from "./trail";

export interface Drawn {
  body: Body;
  arrows: Arrows | null;
  trail: Trail | null;
  shadow: Matrix4 | null; // from places to their shadow on the ground
}

interface Face {
  far: number;
  fill: string;
  opacity: number;
  at: number[]; // x, y of its corners
}

const SUN = new Vector3(-0.4, 0.44, 0.8);
const MOST_FACES = 4000; // of a world: one with more is left to the full picture
const FADES = 6; // steps in which lines of the ground fade
const DARKER = 0.62;
const LIGHTER = 0.28;

export class Sketch {
  readonly canvas = document.createElement("canvas");
  private readonly pen: CanvasRenderingContext2D;
  private readonly all = new Matrix4(); // world to clip
  private readonly clip = new Vector4();
  private readonly place = new Vector3();
  private x = 0; // px, of the part drawn
  private width = 1;
  private height = 1;
  private perspective = true;
  private scale = 1; // px per m at distance 1, or at any without perspective

  constructor() {
    const pen = this.canvas.getContext("2d", { alpha: false, willReadFrequently: true });
    if (!pen) throw new Error("this browser gives no 2D canvas");
    this.pen = pen;
    this.canvas.className = "sketch";
    this.canvas.hidden = true;
    this.canvas.setAttribute("aria-hidden", "true");
  }

  resize(width: number, height: number): void {
    [this.canvas.width, this.canvas.height] = [width, height];
  }

  /** Whether a world can be shown this way: level or sloping ground, and not too many faces on it. */
  static suits(ground: Ground, furniture: Object3D): boolean {
    let faces = 0;
    furniture.traverse((o) => {
      if (o instanceof Mesh) faces += facesOf(o.geometry) * (o instanceof InstancedMesh ? o.count : 1);
    });
    return ground.isLevel && faces <= MOST_FACES;
  }

  /** Draw into the part of the canvas that begins at x. */
  paint(camera: Camera, x: number, width: number, palette: Palette, ground: Ground, furniture: Object3D, actors: Drawn[]): void {
    const { pen } = this;
    this.look(camera, x, width);
    pen.save();
    pen.beginPath();
    pen.rect(x, 0, width, this.height);
    pen.clip();
    pen.fillStyle = palette.sky;
    pen.fillRect(x, 0, width, this.height);
    this.grid(ground, palette);
    this.labels(ground);
    for (const { body, shadow } of actors) if (shadow) this.shade(body, shadow);
    for (const { trail } of actors) trail?.group.children.forEach((line) => this.track(line as Line<BufferGeometry, LineBasicMaterial>));
    const bodies = [...actors].sort((a, b) => this.far(b.body) - this.far(a.body));
    const middle = bodies.length ? this.far(bodies[bodies.length - 1].body) : 0;
    const faces = this.faces(furniture);
    this.fill(faces.filter((f) => f.far >= middle));
    for (const { body } of bodies) this.stroke(body);
    this.fill(faces.filter((f) => f.far < middle));
    for (const { arrows } of actors) arrows?.group.children.forEach((sheaf) => this.sheaf(sheaf as InstancedMesh));
    pen.restore();
  }

  /** Wait until what was drawn is there. */
  settle(): void {
    this.pen.getImageData(0, 0, 1, 1);
  }

  private look(camera: Camera, x: number, width: number): void {
    camera.updateMatrixWorld();
    this.all.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    [this.x, this.width, this.height] = [x, width, this.canvas.height];
    this.perspective = camera.projectionMatrix.elements[15] === 0;
    this.scale = (camera.projectionMatrix.elements[5] * this.height) / 2;
  }

  /** Where a place is seen: x, y, and its distance into the picture; false behind the camera. */
  private seen(place: Vector3, into: { x: number; y: number; w: number }): boolean {
    const c = this.clip.set(place.x, place.y, place.z, 1).applyMatrix4(this.all);
    if (this.perspective && c.w < 0.01) return false;
    into.x = this.x + (0.5 + (0.5 * c.x) / c.w) * this.width;
    into.y = (0.5 - (0.5 * c.y) / c.w) * this.height;
    into.w = this.perspective ? c.w : c.z;
    return true;
  }

  /** Pixels of a length at a distance. */
  private size(length: number, w: number): number {
    return (length * this.scale) / (this.perspective ? w : 1);
  }

  private far(body: Body): number {
    const at = { x: 0, y: 0, w: 0 };
    return this.seen(body.middle, at) ? at.w : 0;
  }

  /** Lines of the ground in steps of fading. */
  private grid(ground: Ground, palette: Palette): void {
    const [a, b] = [{ x: 0, y: 0, w: 0 }, { x: 0, y: 0, w: 0 }];
    const [near, far] = ground.lines.fades;
    for (const [lines, colour] of [[ground.lines.minor, palette.minor], [ground.lines.major, palette.major]] as const) {
      lines.updateWorldMatrix(true, false);
      const places = lines.geometry.getAttribute("position").array;
      const paths: (Path2D | null)[] = Array.from({ length: FADES }, () => null);
      for (let k = 0; k < places.length; k += 6) {
        if (!this.seen(this.place.set(places[k], places[k + 1], 0).applyMatrix4(lines.matrixWorld), a)) continue;
        if (!this.seen(this.place.set(places[k + 3], places[k + 4], 0).applyMatrix4(lines.matrixWorld), b)) continue;
        if (Math.max(a.x, b.x) < this.x || Math.min(a.x, b.x) > this.x + this.width || Math.max(a.y, b.y) < 0 || Math.min(a.y, b.y) > this.height) continue;
        const fade = this.perspective ? Math.min(Math.max(((a.w + b.w) / 2 - near) / (far - near), 0), 1) : 0;
        const path = (paths[Math.min(Math.floor(fade * FADES), FADES - 1)] ??= new Path2D());
        if (fade >= 1) continue;
        path.moveTo(a.x, a.y);
        path.lineTo(b.x, b.y);
      }
      this.pen.strokeStyle = colour;
      this.pen.lineWidth = 1;
      paths.forEach((path, i) => {
        if (!path) return;
        this.pen.globalAlpha = 1 - (i + 0.5) / FADES;
        this.pen.stroke(path);
      });
    }
    this.pen.globalAlpha = 1;
  }

  /** Numbers that lie on the ground: their pictures, as seen from here. */
  private labels(ground: Ground): void {
    const [a, b, c] = [0, 0, 0].map(() => ({ x: 0, y: 0, w: 0 }));
    for (const mesh of ground.numbers) {
      mesh.updateWorldMatrix(true, false);
      const corner = (x: number, y: number, into: typeof a): boolean => this.seen(this.place.set(x, y, 0).applyMatrix4(mesh.matrixWorld), into);
      if (!corner(-0.5, 0.5, a) || !corner(0.5, 0.5, b) || !corner(-0.5, -0.5, c)) continue;
      const image = mesh.material.map?.image as HTMLCanvasElement;
      this.pen.setTransform((b.x - a.x) / image.width, (b.y - a.y) / image.width, (c.x - a.x) / image.height, (c.y - a.y) / image.height, a.x, a.y);
      this.pen.drawImage(image, 0, 0);
    }
    this.pen.resetTransform();
  }

  private shade(body: Body, flat: Matrix4): void {
    const at = { x: 0, y: 0, w: 0 };
    const { pen } = this;
    let widest = 0;
    pen.beginPath();
    body.ring.forEach(({ p, size }, i) => {
      if (size < 0.3 || !this.seen(this.place.copy(p).applyMatrix4(flat), at)) return;
      widest = Math.max(widest, this.size(2 * body.radius, at.w));
      if (i) pen.lineTo(at.x, at.y);
      else pen.moveTo(at.x, at.y);
    });
    Object.assign(pen, { lineCap: "round", lineJoin: "round", strokeStyle: "#000000", globalAlpha: 0.2, lineWidth: 0.9 * widest });
    pen.stroke();
    pen.globalAlpha = 1;
  }

  private track(line: Line<BufferGeometry, LineBasicMaterial>): void {
    const at = { x: 0, y: 0, w: 0 };
    const places = line.geometry.getAttribute("position").array;
    const { start, count } = line.geometry.drawRange;
    this.pen.beginPath();
    for (let i = start; i < start + count; i++) if (this.seen(this.place.set(places[3 * i], places[3 * i + 1], places[3 * i + 2]), at)) this.pen.lineTo(at.x, at.y);
    Object.assign(this.pen, { strokeStyle: line.material.color.getStyle(), globalAlpha: line.material.opacity, lineWidth: 1 });
    this.pen.stroke();
    this.pen.globalAlpha = 1;
  }

  /** A body: dark flanks, its colour, a light back and the line along it. */
  private stroke(body: Body): void {
    const rings = body.ring.map((ring) => {
      const [at, back] = [{ x: 0, y: 0, w: 1 }, { x: 0, y: 0, w: 1 }];
      const ok = this.seen(ring.p, at) && this.seen(this.place.copy(ring.p).addScaledVector(ring.u, 0.96 * body.radius * ring.size), back);
      return { at, back, ok, wide: this.size(2 * body.radius * ring.size, at.w), colour: body.colourOf(ring.link), link: ring.link };
    });
    const { pen } = this;
    pen.globalAlpha = body.ghost ? 0.5 : 1;
    const layer = (lean: number, share: number, colour: (c: Color) => string): void => {
      for (let i = 0; i + 1 < rings.length; ) {
        let end = i + 1; // one stroke as long as colour and width stay
        while (end + 1 < rings.length && rings[end + 1].link === rings[i].link && Math.abs(rings[end + 1].wide - rings[i].wide) < 0.06 * rings[i].wide) end++;
        pen.beginPath();
        for (let k = i; k <= end; k++) if (rings[k].ok) pen.lineTo(rings[k].at.x + lean * (rings[k].back.x - rings[k].at.x), rings[k].at.y + lean * (rings[k].back.y - rings[k].at.y));
        pen.lineWidth = Math.max(0.5 * share * (rings[i].wide + rings[end].wide), 0.5);
        pen.strokeStyle = colour(rings[i].colour);
        pen.stroke();
        i = end;
      }
    };
    [pen.lineCap, pen.lineJoin] = ["round", "round"];
    layer(0, 1, (c) => tone(c, DARKER, 0));
    layer(0.2, 0.74, (c) => tone(c, 1, 0));
    layer(0.5, 0.34, (c) => tone(c, 1, LIGHTER));
    layer(0.98, 0.1, (c) => tone(c, 0.4, 0));
    pen.globalAlpha = 1;
    this.eyes(body);
  }

  private eyes(body: Body): void {
    const at = { x: 0, y: 0, w: 0 };
    if (body.ghost) return;
    this.pen.fillStyle = "#101418";
    for (const eye of body.eyePlaces()) {
      if (!this.seen(eye, at)) continue;
      this.pen.beginPath();
      this.pen.arc(at.x, at.y, Math.max(this.size(0.2 * body.radius, at.w), 0.5), 0, 2 * Math.PI);
      this.pen.fill();
    }
  }

  private sheaf(mesh: InstancedMesh): void {
    const [a, b] = [{ x: 0, y: 0, w: 0 }, { x: 0, y: 0, w: 0 }];
    const turn = new Matrix4();
    this.pen.strokeStyle = this.pen.fillStyle = (mesh.material as MeshBasicMaterial).color.getStyle();
    this.pen.lineCap = "butt";
    for (let i = 0; i < mesh.count; i++) {
      mesh.getMatrixAt(i, turn);
      const wide = Math.hypot(turn.elements[0], turn.elements[1], turn.elements[2]);
      if (!this.seen(this.place.set(0, 0, 0).applyMatrix4(turn), a) || !this.seen(this.place.set(0, 1, 0).applyMatrix4(turn), b)) continue;
      const [dx, dy] = [b.x - a.x, b.y - a.y];
      const long = Math.hypot(dx, dy) || 1;
      const half = this.size(0.1 * wide, a.w);
      const [nx, ny, hx, hy] = [(-dy / long) * half, (dx / long) * half, a.x + 0.74 * dx, a.y + 0.74 * dy];
      this.pen.lineWidth = Math.max(0.7 * half, 0.6);
      this.pen.beginPath();
      this.pen.moveTo(a.x, a.y);
      this.pen.lineTo(hx, hy);
      this.pen.stroke();
      this.pen.beginPath();
      this.pen.moveTo(b.x, b.y);
      this.pen.lineTo(hx + nx, hy + ny);
      this.pen.lineTo(hx - nx, hy - ny);
      this.pen.fill();
    }
  }

  /** Faces of all meshes of a group that look this way, the farthest first. */
  private faces(group: Object3D): Face[] {
    const found: Face[] = [];
    group.updateMatrixWorld(true);
    group.traverseVisible((object) => {
      if (!(object instanceof Mesh)) return;
      if (!(object instanceof InstancedMesh)) return this.meshFaces(object, object.matrixWorld, found);
      const each = new Matrix4();
      for (let i = 0; i < object.count; i++) {
        object.getMatrixAt(i, each);
        this.meshFaces(object, each.premultiply(object.matrixWorld), found);
      }
    });
    return found.sort((a, b) => b.far - a.far);
  }

  private meshFaces(mesh: Mesh, turn: Matrix4, found: Face[]): void {
    const { index } = mesh.geometry;
    const places = mesh.geometry.getAttribute("position");
    const material = mesh.material as Material & { color: Color };
    const lit = !(material instanceof MeshBasicMaterial);
    const corners = [new Vector3(), new Vector3(), new Vector3()];
    const at = [0, 0, 0].map(() => ({ x: 0, y: 0, w: 0 }));
    const normal = new Vector3();
    for (let f = 0; f < facesOf(mesh.geometry); f++) {
      let ok = true;
      for (let k = 0; k < 3; k++) {
        const i = index ? index.getX(3 * f + k) : 3 * f + k;
        ok = this.seen(corners[k].fromBufferAttribute(places, i).applyMatrix4(turn), at[k]) && ok;
      }
      const turned = (at[1].x - at[0].x) * (at[2].y - at[0].y) - (at[1].y - at[0].y) * (at[2].x - at[0].x);
      if (!ok || (turned >= 0 && !material.transparent)) continue; // its other side is seen
      normal.subVectors(corners[1], corners[0]).cross(corners[2].sub(corners[0])).normalize();
      const light = lit ? 0.72 + 0.34 * Math.max(normal.dot(SUN), 0) : 1;
      found.push({ far: (at[0].w + at[1].w + at[2].w) / 3, fill: tone(material.color, light, 0), opacity: material.transparent ? material.opacity : 1, at: at.flatMap(({ x, y }) => [x, y]) });
    }
  }

  private fill(faces: Face[]): void {
    this.pen.lineWidth = 0.7;
    for (const { at, fill, opacity } of faces) {
      this.pen.beginPath();
      this.pen.moveTo(at[0], at[1]);
      this.pen.lineTo(at[2], at[3]);
      this.pen.lineTo(at[4], at[5]);
      this.pen.closePath();
      this.pen.globalAlpha = opacity;
      this.pen.fillStyle = this.pen.strokeStyle = fill;
      this.pen.fill();
      if (opacity === 1) this.pen.stroke(); // closes the seams between faces
    }
    this.pen.globalAlpha = 1;
  }
}

function facesOf(geometry: BufferGeometry): number {
  return Math.floor((geometry.index ? geometry.index.count : geometry.getAttribute("position").count) / 3);
}

const SHADES = new Color();

/** A colour made darker, or mixed with white. */
function tone(colour: Color, light: number, white: number): string {
  const hex = SHADES.copy(colour).convertLinearToSRGB();
  const [r, g, b] = [hex.r, hex.g, hex.b].map((c) => Math.round(255 * Math.min(c * light + (1 - c * light) * white, 1)));
  return `rgb(${r},${g},${b})`;
}
