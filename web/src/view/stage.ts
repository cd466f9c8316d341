/** The stage: scene, light, ground and bodies, drawn at a time; one motion, two over each other, or two side by side. */
import { AmbientLight, Box3, Color, DirectionalLight, Group, HemisphereLight, Matrix4, Mesh, MeshBasicMaterial, PCFShadowMap, Raycaster, Scene, Vector2, Vector3, WebGLRenderer } from "three"; // prettier-ignore
import type { Description } from "../engine/types";
import type { Motion } from "../motion";
import { Arrows } from "./arrows";
import { Body, drawnRadius, liftOf } from "./body";
import { Cameras, type CameraMode } from "./cameras";
import { Furniture } from "./furniture";
import { Ground } from "./ground";
import { DARK, FIRST_BODY, LIGHT, SECOND_BODY, isDark } from "./palette";
import { FrameMeter, LEVELS, isSoftware, type Level } from "./quality";
import { Sketch } from "./sketch";
import { Trail } from "./trail";

export type Layout = "single" | "overlay" | "side";

export interface Look {
  forces: boolean;
  slip: boolean;
  trail: boolean;
}

interface Actor {
  motion: Motion;
  group: Group;
  body: Body;
  arrows: Arrows;
  trail: Trail;
  shadow: Mesh;
}

const SHADE = new MeshBasicMaterial({ color: "#000000", transparent: true, opacity: 0.2, depthWrite: false });
const SUN = new Vector3(-0.55, 0.6, 1.1);
const FLAT = new Matrix4().set(1, 0, -SUN.x / SUN.z, 0, 0, 1, -SUN.y / SUN.z, 0, 0, 0, 0, 1e-4, 0, 0, 0, 1); // a place to its shadow on level ground

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  readonly cameras: Cameras;
  readonly ground = new Ground();
  readonly furniture = new Furniture();
  readonly rendererName: string;
  look: Look = { forces: true, slip: true, trail: true };
  layout: Layout = "single";
  level: Level = LEVELS[0];
  auto = true;
  held = false; // something is being dragged: the view stands still under the hand
  frames = 0; // drawn so far
  cell = 0; // m, side of a square of the ground
  onWorld: () => void = () => undefined;
  onLevel: (level: Level) => void = () => undefined;
  private readonly sun = new DirectionalLight("#ffffff", 2.1);
  private readonly sketch: Sketch | null; // only where a processor plays the graphics card
  private sketched = false; // the picture shown is a sketch
  private sketchable = false; // the world is one that can be sketched
  private actors: Actor[] = [];
  private readonly meter = new FrameMeter();
  private description: Description = {};
  private readonly com = new Float32Array(3);
  private readonly middle = new Vector3();
  private width = 0;
  private height = 0;

  constructor(private readonly box: HTMLElement) {
    const canvas = document.createElement("canvas");
    canvas.setAttribute("aria-label", "The robot in space. Drag to turn, wheel to come nearer.");
    canvas.tabIndex = 0;
    box.append(canvas);
    const software = isSoftware(nameOf(document.createElement("canvas")));
    this.renderer = new WebGLRenderer({ canvas, antialias: !software, powerPreference: "high-performance" });
    this.rendererName = nameOf(canvas);
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.debug.checkShaderErrors = false; // asking for them stops the page until each program is compiled
    this.cameras = new Cameras(canvas);
    this.scene.add(new AmbientLight("#ffffff", 0.55), new HemisphereLight("#ffffff", "#8d99a8", 1.1), this.sun, this.sun.target);
    this.sun.position.copy(SUN);
    this.scene.add(this.ground.group, this.furniture.group);
    this.sketch = software ? new Sketch() : null;
    if (this.sketch) box.append(this.sketch.canvas);
    this.setLevel(LEVELS[software ? 2 : 0]);
    this.theme();
    new ResizeObserver(() => this.resize()).observe(box);
    this.resize();
  }

  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }

  setLevel(level: Level): void {
    this.level = level;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, level.pixels));
    const maps = level.shadows > 0;
    this.renderer.shadowMap.enabled = maps;
    this.sun.castShadow = maps;
    if (maps) this.sun.shadow.mapSize.set(level.shadows, level.shadows);
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
    this.sun.shadow.bias = -0.0004;
    this.renderer.shadowMap.needsUpdate = true;
    this.ground.shadows(maps);
    const shown = this.actors.map((a) => a.motion);
    if (shown.length) this.setMotions(shown);
    this.resize();
    this.onLevel(level);
  }

  theme(): void {
    const palette = isDark() ? DARK : LIGHT;
    this.scene.background = new Color(palette.sky);
    this.ground.paint(palette);
    this.setWorld(this.description);
  }

  /** The world of a description; bodies stay. */
  setWorld(description: Description): void {
    this.description = description;
    const motion = this.actors[0]?.motion;
    const tall = motion ? 4 * drawnRadius(motion) : 0.1;
    this.ground.set((description.world ?? {}) as Description);
    this.ground.shadows(this.level.shadows > 0);
    this.furniture.set(description, tall, isDark() ? DARK : LIGHT);
    this.onWorld();
    this.sketchable = Sketch.suits(this.ground, this.furniture.group);
  }

  /** How the picture now shown was drawn. */
  get picture(): "full" | "sketch" {
    return this.sketched ? "sketch" : "full";
  }

  /** Show these motions: the first is the present one, a second the one it is compared with. */
  setMotions(motions: Motion[]): void {
    for (const actor of this.actors) {
      this.scene.remove(actor.group);
      actor.body.dispose();
      actor.arrows.dispose();
      actor.trail.dispose();
    }
    const first = this.actors.length === 0;
    this.actors = motions.map((motion, i) => this.actor(motion, i > 0));
    if (first && motions.length) this.setWorld(this.description);
  }

  private actor(motion: Motion, other: boolean): Actor {
    const tint = other ? SECOND_BODY : FIRST_BODY;
    const group = new Group();
    const body = new Body(motion, this.level, tint, other && this.layout === "overlay");
    const radius = drawnRadius(motion);
    const arrows = new Arrows(motion, radius, liftOf(motion, radius));
    const trail = new Trail(motion, tint);
    const shadow = new Mesh(body.mesh.geometry, SHADE);
    shadow.matrixAutoUpdate = false;
    shadow.matrix.copy(FLAT);
    shadow.frustumCulled = false;
    shadow.renderOrder = -1;
    group.add(body.group, arrows.group, trail.group, shadow);
    this.scene.add(group);
    return { motion, group, body, arrows, trail, shadow };
  }

  /** The whole way has grown: fit it again where it is looked at from above and nobody has moved the camera. */
  grown(time: number): void {
    if (this.cameras.mode === "top" && !this.cameras.touched && !this.held) this.aim("top", time);
  }

  /** Where the body is, and how large it and its whole way are. */
  extent(motion: Motion): { middle: Vector3; size: number; body: number } {
    const node = motion.rows("node");
    const body = motion.facts.linkLength.reduce((a, b) => a + b, 0);
    const low = new Vector3(Infinity, Infinity, 0);
    const high = new Vector3(-Infinity, -Infinity, 0);
    for (let i = 0; node && i < node.length; i += 3) {
      if (!Number.isFinite(node[i])) continue;
      low.set(Math.min(low.x, node[i]), Math.min(low.y, node[i + 1]), Math.min(low.z, node[i + 2]));
      high.set(Math.max(high.x, node[i]), Math.max(high.y, node[i + 1]), Math.max(high.z, node[i + 2]));
    }
    if (this.description.plan) {
      const world = new Box3().setFromObject(this.furniture.group); // the task: walls, start, goals and targets
      low.min(world.min);
      high.max(world.max);
    }
    const size = Number.isFinite(low.x) ? Math.max(high.x - low.x, 1.6 * (high.y - low.y), 1.5 * (high.z - low.z)) : body;
    return { middle: low.add(high).multiplyScalar(0.5), size: 1.18 * Math.max(size, 0.4 * body), body };
  }

  /** Put the camera where this way of looking begins. */
  aim(mode: CameraMode, time: number): void {
    const motion = this.actors[0]?.motion;
    if (!motion?.count) {
      const box = new Box3().setFromObject(this.furniture.group); // nothing moves yet: look at the world
      const size = box.isEmpty() ? new Vector3(2, 0, 0) : box.getSize(new Vector3());
      this.cameras.set(mode, box.isEmpty() ? new Vector3() : box.getCenter(new Vector3()), 1.15 * Math.max(size.x, 1.4 * size.y, 0.5));
      return;
    }
    const { middle, size, body } = this.extent(motion);
    if (mode === "top") this.cameras.set(mode, middle, size);
    else this.cameras.set(mode, this.centre(motion, time), Math.min(0.95 * body, size), 0);
  }

  private centre(motion: Motion, time: number): Vector3 {
    const found = motion.at("com", time, this.com);
    return found ? this.middle.set(found[0], found[1], found[2]).clone() : new Vector3();
  }

  /** Draw all at a time; `soon`: a sketch will do where the full picture takes long. True if it is one. */
  draw(time: number, soon = false): boolean {
    this.sketched = soon && this.sketchable && this.sketch !== null;
    if (this.sketch) this.sketch.canvas.hidden = !this.sketched;
    for (const { motion, body, arrows, trail, shadow, group } of this.actors) {
      const over = this.layout === "overlay" && this.actors.length > 1; // there the colour says which run it is
      const forces = this.look.forces && !(over && motion !== this.actors[0].motion);
      body.show(Math.min(time, motion.end), this.look.slip && !over && motion.has("slipAcross"), !this.sketched);
      arrows.group.visible = forces;
      if (forces) arrows.show(Math.min(time, motion.end));
      trail.group.visible = this.look.trail;
      if (this.look.trail) trail.show(time);
      shadow.visible = this.level.shadows === 0 && this.ground.group.quaternion.w === 1;
      group.visible = true;
    }
    const lead = this.actors[0];
    if (lead?.motion.count) {
      const centre = this.centre(lead.motion, Math.min(time, lead.motion.end));
      this.cameras.follow(centre);
      this.light(centre, lead.motion);
      this.pins(lead, Math.min(time, lead.motion.end));
    }
    this.cell = this.ground.fit(this.cameras.width, this.cameras.middle, this.cameras.stretch);
    this.ground.lines.fit(this.cell, this.cameras.middle, this.cameras.width, this.scene, this.cameras.isFlat(), this.cameras.stretch);
    this.ground.label();
    if (this.layout === "side" && this.actors.length > 1) this.drawTwo(time);
    else this.drawOne();
    this.frames++;
    return this.sketched;
  }

  /** The picture of the groups that are visible, in the part of the view that begins at x. */
  private render(x: number, width: number): void {
    if (!this.sketch || !this.sketched) {
      this.renderer.setViewport(x, 0, width, this.height);
      this.renderer.render(this.scene, this.cameras.active);
      return;
    }
    const shown = this.actors.filter((a) => a.group.visible && a.motion.count);
    const drawn = shown.map(({ body, arrows, trail, shadow }) => ({ body, arrows: arrows.group.visible ? arrows : null, trail: trail.group.visible ? trail : null, shadow: shadow.visible ? FLAT : null }));
    this.sketch.paint(this.cameras.active, x, width, isDark() ? DARK : LIGHT, this.ground, this.furniture.group, drawn);
  }

  private pins({ motion }: Actor, time: number): void {
    if (!motion.events.length) return;
    const nodes = motion.at("node", time, new Float32Array(motion.width("node")));
    if (nodes) this.furniture.pin(motion.events, time, nodes, liftOf(motion, drawnRadius(motion)));
  }

  private light(centre: Vector3, motion: Motion): void {
    if (!this.sun.castShadow) return;
    const half = 0.75 * motion.facts.linkLength.reduce((a, b) => a + b, 0);
    this.sun.target.position.copy(centre);
    this.sun.position.copy(centre).addScaledVector(SUN, 2 * half);
    const camera = this.sun.shadow.camera;
    if (camera.right !== half) {
      Object.assign(camera, { left: -half, right: half, top: half, bottom: -half, near: 0.01, far: 6 * half });
      camera.updateProjectionMatrix();
    }
  }

  private drawOne(): void {
    this.renderer.setScissorTest(false);
    this.render(0, this.width);
  }

  private drawTwo(time: number): void {
    const half = Math.floor(this.width / 2);
    const first = this.centre(this.actors[0].motion, Math.min(time, this.actors[0].motion.end));
    this.renderer.setScissorTest(true);
    this.cameras.resize(half / this.height, 0.7); // the whole body, with less around it
    this.actors.forEach((actor, i) => {
      this.actors.forEach((a) => (a.group.visible = a === actor));
      const there = this.centre(actor.motion, Math.min(time, actor.motion.end));
      const follows = this.cameras.mode === "follow" || this.cameras.mode === "side";
      if (follows && i) this.cameras.follow(there);
      this.renderer.setScissor(i * half, 0, half - (i ? 0 : 1), this.height);
      this.render(i * half, half);
      if (follows && i) this.cameras.follow(first);
    });
    this.cameras.resize(this.width / this.height);
    this.renderer.setScissorTest(false);
  }

  /** Note the time of a frame; draw less where frames come too slowly. */
  measure(now: number): void {
    if (!this.meter.note(now) || !this.auto) return;
    const next = LEVELS[LEVELS.indexOf(this.level) + 1];
    if (next) this.setLevel(next);
  }

  /** The place on the ground under a point of the window; null where there is none. */
  groundAt(x: number, y: number): Vector3 | null {
    const ray = this.ray(x, y);
    const { origin, direction } = ray.ray;
    if (Math.abs(direction.z) < 1e-6) return null;
    const far = -origin.z / direction.z;
    return far < 0 && !this.cameras.isFlat() ? null : origin.clone().addScaledVector(direction, far);
  }

  ray(x: number, y: number): Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    const ray = new Raycaster();
    ray.setFromCamera(at, this.cameras.active);
    return ray;
  }

  /** Wait until what was drawn is there. */
  settle(): void {
    if (this.sketched) return this.sketch?.settle();
    const context = this.renderer.getContext();
    context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, new Uint8Array(4));
  }

  private resize(): void {
    this.width = Math.max(this.box.clientWidth, 1);
    this.height = Math.max(this.box.clientHeight, 1);
    this.renderer.setSize(this.width, this.height, false);
    this.sketch?.resize(this.width, this.height);
    this.cameras.resize(this.width / this.height);
  }
}

function nameOf(canvas: HTMLCanvasElement): string {
  const context = canvas.getContext("webgl2");
  if (!context) throw new Error("this browser gives no WebGL 2, which the 3D view needs");
  const info = context.getExtension("WEBGL_debug_renderer_info");
  return String(info ? context.getParameter(info.UNMASKED_RENDERER_WEBGL) : context.getParameter(context.RENDERER));
}
