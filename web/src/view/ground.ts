/** The ground: a level or sloping plane with lines every `cell` metres, or a height field; it takes the shadow. */
import { BufferAttribute, BufferGeometry, CanvasTexture, Color, DoubleSide, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshLambertMaterial, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector3, WireframeGeometry } from "three"; // prettier-ignore
import type { Description } from "../engine/types";
import { GridLines } from "./lines";
import type { Palette } from "./palette";

const VERTEX = `
varying vec3 place;
void main() {
  place = position;
  vec4 view = modelViewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * view;
}`;
const FRAGMENT = `
varying vec3 place;
uniform float cell;
uniform vec3 ground, minor, major, axis, sky;
uniform vec2 middle;
uniform float reach, stretch;
float lines(float size, float width) {
  vec2 at = vec2(place.x, (place.y - (stretch > 1.0 ? middle.y : 0.0)) / stretch) / size;
  vec2 wide = fwidth(at) * width;
  vec2 off = abs(fract(at - 0.5) - 0.5) / max(wide, vec2(1e-6));
  vec2 fade = clamp(0.5 / max(wide, vec2(1e-6)) - 0.4, 0.0, 1.0);
  vec2 hit = (1.0 - smoothstep(0.4, 1.1, off)) * fade;
  return max(hit.x, hit.y);
}
void main() {
  vec3 colour = mix(ground, minor, lines(cell, 1.0));
  colour = mix(colour, major, lines(cell * 5.0, 1.2));
  vec2 wide = fwidth(place.xy) * 1.4;
  vec2 on = 1.0 - smoothstep(vec2(0.4), vec2(1.1), abs(place.xy) / max(wide, vec2(1e-6)));
  colour = mix(colour, axis, max(on.x, on.y));
  float far = smoothstep(0.35, 1.0, length(place.xy - middle) / reach);
  gl_FragColor = vec4(mix(colour, sky, far), 1.0);
  #include <colorspace_fragment>
}`;

export class Ground {
  readonly group = new Group();
  private readonly plane: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly shade: Mesh<PlaneGeometry, ShadowMaterial>;
  private readonly labels = new Group();
  private field: Mesh | null = null;
  readonly lines = new GridLines();
  private level = true; // a plane, level or sloping, not a height field
  private cell = 0;
  private written = "";
  private palette: Palette | null = null;
  /** What is under the pointer. */
  readonly targets: Mesh[];

  constructor() {
    const uniforms = {
      cell: { value: 0.1 }, reach: { value: 40 }, stretch: { value: 1 }, middle: { value: new Vector3() },
      ground: { value: new Color() }, minor: { value: new Color() }, major: { value: new Color() }, axis: { value: new Color() }, sky: { value: new Color() },
    }; // prettier-ignore
    this.plane = new Mesh(new PlaneGeometry(1, 1), new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms }));
    this.plane.geometry.scale(400, 400, 1);
    this.plane.renderOrder = -2;
    this.shade = new Mesh(new PlaneGeometry(400, 400), new ShadowMaterial({ opacity: 0.26, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 }));
    this.shade.receiveShadow = true;
    this.shade.position.z = 1e-4;
    this.shade.renderOrder = -1;
    this.group.add(this.plane, this.shade, this.labels, this.lines.group);
    this.targets = [this.plane];
  }

  paint(palette: Palette): void {
    const u = this.plane.material.uniforms;
    for (const name of ["ground", "minor", "major", "axis", "sky"] as const) u[name].value.set(palette[name]);
    this.palette = palette;
    this.lines.paint(palette);
    this.cell = 0;
    if (this.field) (this.field.material as MeshLambertMaterial).color.set(palette.ground);
  }

  /** Slope and height field of a world. */
  set(world: Description): void {
    const ground = (world.ground ?? {}) as Description;
    const slope = Number(ground.slope ?? (ground.slope_deg !== undefined ? (Number(ground.slope_deg) * Math.PI) / 180 : 0));
    const direction = Number(ground.slope_direction ?? (ground.slope_direction_deg !== undefined ? (Number(ground.slope_direction_deg) * Math.PI) / 180 : 0));
    this.group.rotation.set(0, 0, 0);
    this.group.rotateOnAxis(new Vector3(-Math.sin(direction), Math.cos(direction), 0), -slope);
    if (this.field) this.group.remove(this.field);
    this.field = null;
    const field = ground.heights as Description | undefined;
    this.level = ground.plane !== false;
    if (field && Array.isArray(field.heights)) this.raise(field);
  }

  private raise(field: Description): void {
    const heights = field.heights as number[][];
    const [ny, nx] = [heights.length, heights[0].length];
    const cell = Number(field.cell);
    const [x0, y0] = (field.origin as number[] | undefined) ?? [0, 0];
    const places = new Float32Array(3 * nx * ny);
    const index: number[] = [];
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++) {
        places.set([x0 + i * cell, y0 + j * cell, heights[j][i]], 3 * (j * nx + i));
        if (i + 1 < nx && j + 1 < ny) {
          const a = j * nx + i;
          index.push(a, a + 1, a + nx, a + 1, a + nx + 1, a + nx);
        }
      }
    }
    const made = new BufferGeometry();
    made.setAttribute("position", new BufferAttribute(places, 3));
    made.setIndex(index);
    made.computeVertexNormals();
    this.field = new Mesh(made, new MeshLambertMaterial({ color: this.palette?.ground, side: DoubleSide }));
    this.field.receiveShadow = true;
    const wires = new LineSegments(new WireframeGeometry(made), new LineBasicMaterial({ color: this.palette?.major, transparent: true, opacity: 0.5 }));
    this.field.add(wires);
    this.group.add(this.field);
    this.level = false;
  }

  /**
   * Choose the cell for what is seen (m across), and keep the fade round the middle. Returns the side of a cell, m. Seen from the side cells are
   * stretched away from the eye until they look square: then their lines tell heights over the body's own line.
   */
  fit(across: number, middle: Vector3, stretch: number): number {
    const wanted = across / 24;
    const power = 10 ** Math.floor(Math.log10(wanted));
    const cell = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= wanted) ?? wanted;
    const u = this.plane.material.uniforms;
    u.cell.value = cell;
    u.stretch.value = stretch;
    u.reach.value = Math.max(3 * across, 2) * stretch;
    u.middle.value = { x: middle.x, y: middle.y };
    this.cell = cell;
    this.labels.position.x = Math.round(middle.x / (5 * cell)) * 5 * cell;
    return cell;
  }

  /** Numbers along the x axis, lying on the ground at the major lines; written anew when the middle has moved by one. */
  label(): void {
    const every = 5 * this.cell;
    const now = `${every} ${this.labels.position.x} ${this.palette?.ink}`;
    this.labels.visible = this.level;
    if (!every || !this.palette || now === this.written) return;
    this.written = now;
    while (this.labels.children.length < 7) {
      const material = new MeshBasicMaterial({ map: new CanvasTexture(document.createElement("canvas")), transparent: true, depthWrite: false, fog: false });
      const mesh = new Mesh(new PlaneGeometry(1, 1), material);
      mesh.renderOrder = -1;
      this.labels.add(mesh);
    }
    this.numbers.forEach((mesh, i) => {
      const value = this.labels.position.x + (i - 3) * every;
      write(mesh.material.map as CanvasTexture, `${Number(value.toPrecision(6))}${i === 3 || value === 0 ? " m" : ""}`, this.palette?.ink ?? "");
      mesh.scale.set(every * 0.44, every * 0.11, 1);
      mesh.position.set((i - 3) * every + every * 0.24, -every * 0.08, 2e-4);
    });
  }

  /** Whether it is a plane, level or sloping, and not a height field. */
  get isLevel(): boolean {
    return this.level;
  }

  /** The numbers along the x axis. */
  get numbers(): Mesh<PlaneGeometry, MeshBasicMaterial>[] {
    return this.labels.children as Mesh<PlaneGeometry, MeshBasicMaterial>[];
  }

  /** With shadows as a drawn plane, without them as lines alone. */
  shadows(on: boolean): void {
    this.shade.visible = on && this.level;
    this.plane.visible = on && this.level;
    this.lines.group.visible = !on && this.level;
  }
}

function write(texture: CanvasTexture, text: string, ink: string): void {
  const canvas = texture.image as HTMLCanvasElement;
  if (canvas.width !== 256) [canvas.width, canvas.height] = [256, 64];
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.clearRect(0, 0, 256, 64);
  pen.font = "500 44px system-ui, sans-serif";
  pen.fillStyle = ink;
  pen.globalAlpha = 0.8;
  pen.textBaseline = "middle";
  pen.fillText(text, 4, 32);
  texture.needsUpdate = true;
}
