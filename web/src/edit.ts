/** Hands in the view: drag a target or an obstacle, choose start and goal of a path, paint walls. */
import { Vector3, type Object3D } from "three";
import { el } from "./dom";
import type { Description, Json } from "./engine/types";
import { mapOf, textOf, type GridMap } from "./maps";
import type { Studio } from "./studio";
import { get } from "./tables";
import type { Stage } from "./view/stage";
import type { Handle } from "./view/furniture";

type Tool = "none" | "start" | "goal" | "wall" | "free";
const TOOLS: [Tool, string, string][] = [
  ["none", "Look", "Turn and shift the view"],
  ["start", "Start", "Click where the path begins"],
  ["goal", "Goal", "Click where it ends"],
  ["wall", "Paint wall", "Drag to make cells solid"],
  ["free", "Erase", "Drag to make cells free"],
];

export class Hands {
  private tool: Tool = "none";
  private held: { handle: Handle; off: Vector3 } | null = null;
  private map: GridMap | null = null;
  private painting = false;
  private painted = false;
  private readonly tools = el("div", { class: "over tools segmented", role: "group", "aria-label": "Map tools", hidden: true });

  constructor(
    view: HTMLElement,
    private readonly studio: Studio,
    private readonly stage: Stage,
  ) {
    for (const [tool, label, title] of TOOLS) this.tools.append(el("button", { type: "button", "data-tool": tool, title, "aria-pressed": String(tool === "none"), onclick: () => this.choose(tool) }, label));
    view.append(this.tools);
    const canvas = stage.canvas;
    canvas.addEventListener("pointerdown", (e) => this.down(e), { capture: true });
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerup", (e) => this.up(e));
    canvas.addEventListener("pointercancel", (e) => this.up(e));
    stage.onWorld = () => this.refresh();
  }

  private choose(tool: Tool): void {
    this.tool = tool;
    for (const button of this.tools.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
    this.stage.cameras.enable(tool === "none");
    if (tool !== "none" && this.stage.cameras.mode !== "top") this.studio.camera("top");
    if (tool !== "none") this.stage.cameras.enable(false);
  }

  /** The map of the present plan, drawn as walls; tools only where there is one. */
  refresh(): void {
    const plan = this.studio.doc.description.plan as Description | undefined;
    this.map = plan?.kind === "path" ? mapOf(plan) : null;
    this.tools.hidden = this.map === null;
    if (!this.map && this.tool !== "none") this.choose("none");
    this.draw();
  }

  private draw(): void {
    if (!this.map) return;
    const { furniture } = this.stage;
    furniture.setCells(this.map.walls, this.map.cell, [0, 0]);
    furniture.setEnds(this.map.start, this.map.goal);
    this.studio.redraw();
  }

  private under(event: PointerEvent): Handle | null {
    const ray = this.stage.ray(event.clientX, event.clientY);
    const handles = this.stage.furniture.handles;
    const hit = ray.intersectObjects(handles.map((h) => h.object), true)[0];
    const found = hit && handles.find((h) => contains(h.object, hit.object));
    return found && get(this.studio.doc.description, found.path) !== undefined ? found : null;
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const place = this.stage.groundAt(event.clientX, event.clientY);
    if (!place) return;
    if (this.tool !== "none" && this.map) {
      event.stopImmediatePropagation();
      this.stage.canvas.setPointerCapture(event.pointerId);
      this.painting = true;
      this.paint(place);
      return;
    }
    const handle = this.under(event);
    if (!handle) return;
    event.stopImmediatePropagation();
    this.stage.cameras.enable(false);
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.held = { handle, off: new Vector3().subVectors(handle.object.position, place) };
    this.stage.held = true;
  }

  private move(event: PointerEvent): void {
    const place = this.stage.groundAt(event.clientX, event.clientY);
    if (!place) return;
    if (this.painting) return this.paint(place);
    if (this.held) return this.drag(place, false);
    this.stage.canvas.style.cursor = this.tool !== "none" ? "crosshair" : this.under(event) ? "grab" : "";
  }

  private up(event: PointerEvent): void {
    const place = this.stage.groundAt(event.clientX, event.clientY);
    if (this.held && place) this.drag(place, true);
    this.held = null;
    this.stage.held = false;
    if (this.painting && this.painted) this.keep();
    this.painting = this.painted = false;
    this.stage.cameras.enable(this.tool === "none");
  }

  private drag(place: Vector3, final: boolean): void {
    if (!this.held) return;
    const { handle, off } = this.held;
    const old = get(this.studio.doc.description, handle.path) as number[];
    const next = [place.x + off.x, place.y + off.y].map((x) => Number(x.toFixed(4)));
    this.studio.doc.set(handle.path, [...next, ...old.slice(2)] as Json, final);
    const again = this.stage.furniture.handles.find((h) => h.path.join() === handle.path.join()); // the world was built anew
    if (again) this.held = { handle: again, off };
  }

  private paint(place: Vector3): void {
    const map = this.map;
    if (!map) return;
    const [i, j] = [Math.round(place.x / map.cell), Math.round(place.y / map.cell)];
    const [nx, ny] = [map.walls.length, map.walls[0].length];
    if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1) return;
    if (this.tool === "start" || this.tool === "goal") map[this.tool] = [place.x, place.y].map((x) => Number(x.toFixed(4))) as [number, number];
    else if (map.walls[i][j] === (this.tool === "wall")) return;
    else map.walls[i][j] = this.tool === "wall";
    this.painted = true;
    this.draw();
  }

  /** The edited map as keys of the plan. */
  private keep(): void {
    const map = this.map;
    if (!map) return;
    const plan = { ...(this.studio.doc.description.plan as Description), map: textOf(map), cell: map.cell, start: map.start, goals: [map.goal] };
    this.studio.doc.set(["plan"], plan);
  }
}

function contains(outer: Object3D, inner: Object3D | null): boolean {
  return inner !== null && (outer === inner || contains(outer, inner.parent));
}
