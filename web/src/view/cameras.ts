/** Four ways to look: orbit and follow (perspective), top and side (without perspective, so that lengths can be read). */
import { OrthographicCamera, PerspectiveCamera, Vector3, type Camera } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

export type CameraMode = "follow" | "orbit" | "top" | "side";
export const CAMERA_MODES: CameraMode[] = ["follow", "orbit", "top", "side"];

const ELEVATION = 0.62; // rad, of the first look
const OPENING = 32; // deg, of the view from top to bottom
const SIDE = [100, 8] as const; // m back and up, of the side camera
const AZIMUTH = -1.0; // rad, from the direction of travel

export class Cameras {
  mode: CameraMode = "follow";
  private readonly near = new PerspectiveCamera(OPENING, 1, 0.01, 800);
  private readonly flat = new OrthographicCamera(-1, 1, 1, -1, -400, 800);
  private readonly turn: OrbitControls;
  private readonly slide: OrbitControls;
  private readonly target = new Vector3();
  private readonly last = new Vector3();
  private across = 2; // m, of the flat camera
  private aspect = 1;
  touched = false; // by hand, since it was set
  onChange: () => void = () => undefined;

  constructor(canvas: HTMLElement) {
    this.near.up.set(0, 0, 1);
    this.turn = new OrbitControls(this.near, canvas);
    this.turn.maxPolarAngle = 0.49 * Math.PI;
    this.turn.zoomToCursor = false;
    this.slide = new OrbitControls(this.flat, canvas);
    this.slide.enableRotate = false;
    this.slide.mouseButtons.LEFT = 2;
    this.slide.touches.ONE = 1;
    for (const controls of [this.turn, this.slide]) {
      controls.enableDamping = false;
      controls.addEventListener("change", () => this.onChange());
      controls.addEventListener("start", () => (this.touched = true));
    }
    this.set("follow", new Vector3(), 1.6);
  }

  get active(): Camera {
    return this.isFlat() ? this.flat : this.near;
  }

  isFlat(): boolean {
    return this.mode === "top" || this.mode === "side";
  }

  /** How much shorter lengths away from the eye look on the ground: from the side it is seen at a small angle. */
  get stretch(): number {
    return this.mode === "side" ? Math.hypot(...SIDE) / SIDE[1] : 1;
  }

  /** Metres across what is seen, about. */
  get width(): number {
    if (this.isFlat()) return this.across / this.flat.zoom;
    const distance = this.near.position.distanceTo(this.turn.target);
    return 2 * distance * Math.tan((this.near.fov * Math.PI) / 360) * Math.max(this.aspect, 1);
  }

  get middle(): Vector3 {
    return this.isFlat() ? this.slide.target : this.turn.target;
  }

  enable(on: boolean): void {
    this.turn.enabled = on && !this.isFlat();
    this.slide.enabled = on && this.isFlat();
  }

  /** Look at a place so that `size` metres fit. */
  set(mode: CameraMode, middle: Vector3, size: number, heading = 0): void {
    this.mode = mode;
    this.touched = false;
    this.last.copy(middle);
    this.target.copy(middle);
    if (this.isFlat()) {
      this.across = Math.max(size * Math.max(1, this.aspect / 1.2), 0.2);
      this.flat.zoom = 1;
      this.slide.target.copy(middle);
      this.flat.position.copy(middle);
      if (mode === "top") {
        this.flat.up.set(0, 1, 0);
        this.flat.position.z += 100;
      } else {
        this.flat.up.set(0, 0, 1);
        this.flat.position.y -= SIDE[0];
        this.flat.position.z += SIDE[1];
      }
      this.resize(this.aspect);
      this.slide.update();
    } else {
      const distance = (0.62 * size) / Math.tan((this.near.fov * Math.PI) / 360) / Math.min(Math.max(this.aspect, 0.55), 1.7);
      const turn = heading + AZIMUTH;
      this.turn.target.copy(middle);
      this.near.position.set(
        middle.x + distance * Math.cos(ELEVATION) * Math.cos(turn),
        middle.y + distance * Math.cos(ELEVATION) * Math.sin(turn),
        middle.z + distance * Math.sin(ELEVATION),
      );
      this.turn.update();
    }
    this.enable(true);
  }

  /** Keep the body in sight where the way of looking follows it. */
  follow(place: Vector3): void {
    if (this.mode === "orbit" || this.mode === "top") return;
    const move = new Vector3().subVectors(place, this.last);
    this.last.copy(place);
    const [controls, camera] = this.isFlat() ? [this.slide, this.flat] : [this.turn, this.near];
    controls.target.add(move);
    camera.position.add(move);
    camera.lookAt(controls.target);
    camera.updateMatrixWorld();
  }

  /** Fit the view; `share` of its width where two stand side by side: each still shows the whole body. */
  resize(aspect: number, share = 1): void {
    this.aspect = aspect;
    this.near.aspect = aspect;
    this.near.fov = (360 / Math.PI) * Math.atan(Math.tan((OPENING * Math.PI) / 360) / share);
    this.near.updateProjectionMatrix();
    const half = this.across / 2;
    Object.assign(this.flat, { left: -half, right: half, top: half / aspect, bottom: -half / aspect });
    this.flat.updateProjectionMatrix();
  }
}
