/** A sweep or an atlas as a map: two axes, a metric as colour, sliders for what is left; a click opens that run. */
import { decoded, type StoreItem } from "./data";
import { brief, el } from "./dom";
import type { Description, Json } from "./engine/types";
import { get, inRadians, isTable, put } from "./tables";

const STOPS = ["#0b2c5c", "#1f5a8c", "#4f86a0", "#94a79a", "#d1bd7a", "#f3dc5b"]; // dark blue to yellow: also read without colour
const TABLES = ["gait", "drive", "world", "robot", "run", "start"];

export class SweepMap {
  readonly box = el("section", { class: "store", "aria-label": "Sweep" });
  private readonly canvas = el("canvas", { width: 520, height: 400, tabindex: 0, role: "img", "aria-label": "Map of the sweep: arrow keys move, Enter opens the run" });
  private readonly readout = el("output", { class: "chip" });
  private readonly rows = el("div", { class: "rows" });
  private readonly columns = el("div", { class: "columns" });
  private readonly across = el("div", { class: "axis" });
  private readonly up = el("div", { class: "axis up" });
  private readonly scale = el("div", { class: "scale" });
  private x = 0;
  private y = 1;
  private metric: string;
  private readonly at: number[];
  private readonly values = new Map<string, Float32Array>();

  constructor(
    private readonly item: StoreItem,
    private readonly open: (description: Description, label: string) => void,
  ) {
    const metrics = Object.keys(item.metrics);
    this.metric = metrics.includes("com_distance") ? "com_distance" : metrics[0];
    this.at = item.dims.map(() => 0);
    this.y = item.dims.length > 1 ? 1 : 0;
    const map = el("div", { class: "map" }, this.up, this.rows, this.canvas, this.columns, this.across);
    this.box.append(el("h2", {}, item.title ?? item.name), el("p", { class: "hint" }, "Click a cell: its run opens beside the map."), this.choices(), map, this.scale, this.readout);
    this.canvas.addEventListener("pointermove", (e) => this.tell(this.cell(e)));
    this.canvas.addEventListener("click", (e) => this.choose(this.cell(e)));
    this.canvas.addEventListener("keydown", (e) => this.key(e));
    this.draw();
  }

  /** Open the run with the greatest value of the metric shown: something moves before anybody has clicked. */
  openBest(): void {
    const numbers = this.numbers();
    let best = -1;
    numbers.forEach((value, k) => (best = Number.isFinite(value) && !(numbers[best] >= value) ? k : best));
    if (best < 0) return;
    for (let k = this.item.dims.length - 1; k >= 0; k--) {
      const count = this.item.dims[k].values.length;
      this.at[k] = best % count;
      best = Math.floor(best / count);
    }
    this.box.querySelector(".choices")?.replaceWith(this.choices());
    this.choose([this.at[this.x], this.at[this.y]]);
  }

  private choices(): HTMLElement {
    const row = el("div", { class: "choices" });
    const choice = (label: string, names: string[], now: number, set: (k: number) => void): void => {
      const select = el("select", { "aria-label": label });
      names.forEach((name, k) => select.append(el("option", { value: k }, name.replaceAll("_", " "))));
      select.value = String(now);
      select.addEventListener("change", () => {
        set(Number(select.value));
        this.box.replaceChild(this.choices(), row);
        this.draw();
      });
      row.append(el("label", {}, label, select));
    };
    const names = this.item.dims.map((d) => d.name);
    const metrics = Object.keys(this.item.metrics);
    choice("Colour", metrics, metrics.indexOf(this.metric), (k) => (this.metric = metrics[k]));
    if (names.length > 1) {
      choice("Across", names, this.x, (k) => ([this.x, this.y] = [k, k === this.y ? this.x : this.y]));
      choice("Up", names, this.y, (k) => ([this.x, this.y] = [k === this.x ? this.y : this.x, k]));
    }
    this.item.dims.forEach((dim, k) => {
      if (k === this.x || k === this.y) return;
      const slider = el("input", { type: "range", min: 0, max: dim.values.length - 1, step: 1, value: this.at[k], "aria-label": dim.name });
      const shown = el("span", {}, valueText(dim.values[this.at[k]]));
      slider.addEventListener("input", () => {
        this.at[k] = Number(slider.value);
        shown.textContent = valueText(dim.values[this.at[k]]);
        this.draw();
      });
      row.append(el("label", {}, dim.name, slider, shown));
    });
    return row;
  }

  private numbers(): Float32Array {
    let found = this.values.get(this.metric);
    if (!found) {
      found = decoded(this.item.metrics[this.metric].values);
      this.values.set(this.metric, found);
    }
    return found;
  }

  private value(i: number, j: number): number {
    const place = this.at.slice();
    place[this.x] = i;
    if (this.y !== this.x) place[this.y] = j;
    const index = this.item.dims.reduce((sum, dim, k) => sum * dim.values.length + place[k], 0);
    return this.numbers()[index];
  }

  private size(): [number, number] {
    return [this.item.dims[this.x].values.length, this.y === this.x ? 1 : this.item.dims[this.y].values.length];
  }

  private draw(): void {
    const [nx, ny] = this.size();
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    const all: number[] = [];
    for (let i = 0; i < nx; i++) for (let j = 0; j < ny; j++) if (Number.isFinite(this.value(i, j))) all.push(this.value(i, j));
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const { width, height } = this.canvas;
    pen.clearRect(0, 0, width, height);
    for (let i = 0; i < nx; i++) {
      for (let j = 0; j < ny; j++) {
        const value = this.value(i, j);
        pen.fillStyle = Number.isFinite(value) ? shade((value - low) / (high - low || 1)) : "#8888";
        pen.fillRect((i * width) / nx, height - ((j + 1) * height) / ny, width / nx + 1, height / ny + 1);
        if (!Number.isFinite(value)) hatch(pen, (i * width) / nx, height - ((j + 1) * height) / ny, width / nx, height / ny);
      }
    }
    pen.strokeStyle = "#ffffff";
    pen.lineWidth = 3;
    pen.strokeRect((this.at[this.x] * width) / nx, height - ((this.at[this.y] + 1) * height) / ny, width / nx, height / ny);
    this.label(low, high);
    this.tell([this.at[this.x], this.y === this.x ? 0 : this.at[this.y]]);
  }

  /** Names and values beside the map, and what its colours mean. */
  private label(low: number, high: number): void {
    const { dims, metrics } = this.item;
    const values = (k: number): string[] => dims[k].values.map(valueText);
    this.across.textContent = axisText(dims[this.x]);
    this.up.textContent = this.y === this.x ? "" : axisText(dims[this.y]);
    this.columns.replaceChildren(...thinned(values(this.x), 6).map((t) => el("span", {}, t)));
    this.rows.replaceChildren(...(this.y === this.x ? [] : thinned(values(this.y), 8).reverse().map((t) => el("span", {}, t))));
    const ramp = el("span", { class: "ramp" });
    ramp.style.background = `linear-gradient(90deg, ${STOPS.join(", ")})`;
    this.scale.replaceChildren(el("span", {}, brief(low, 3)), ramp, el("span", {}, `${brief(high, 3)} ${metrics[this.metric].unit}`));
    this.scale.hidden = !Number.isFinite(low);
  }

  private cell(event: MouseEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const [nx, ny] = this.size();
    const i = Math.floor(((event.clientX - box.left) / box.width) * nx);
    const j = Math.floor((1 - (event.clientY - box.top) / box.height) * ny);
    return [Math.min(Math.max(i, 0), nx - 1), Math.min(Math.max(j, 0), ny - 1)];
  }

  /** The values of the axes at a cell, in words. */
  private place([i, j]: [number, number]): string {
    const { dims } = this.item;
    const told = (k: number, at: number): string => `${nameText(dims[k].name)} ${valueText(dims[k].values[at])} ${dims[k].unit}`.trim();
    const names = [told(this.x, i)];
    if (this.y !== this.x) names.push(told(this.y, j));
    return names.join(", ");
  }

  private tell([i, j]: [number, number]): void {
    const { metrics } = this.item;
    const value = this.value(i, j);
    this.readout.textContent = `${this.place([i, j])}: ${this.metric.replaceAll("_", " ")} ${Number.isFinite(value) ? brief(value) : "none"} ${metrics[this.metric].unit}`;
  }

  private key(event: KeyboardEvent): void {
    const [nx, ny] = this.size();
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (event.key === "Enter") return this.choose([this.at[this.x], this.at[this.y]]);
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    this.at[this.x] = Math.min(Math.max(this.at[this.x] + move[0], 0), nx - 1);
    if (this.y !== this.x) this.at[this.y] = Math.min(Math.max(this.at[this.y] + move[1], 0), ny - 1);
    this.draw();
  }

  private choose([i, j]: [number, number]): void {
    this.at[this.x] = i;
    if (this.y !== this.x) this.at[this.y] = j;
    this.draw();
    let description = inRadians(this.item.base) as Description;
    this.item.dims.forEach((dim, k) => {
      description = withValue(description, dim.name, dim.values[this.at[k]]);
    });
    this.open(description, `From the cell ${this.place([this.at[this.x], this.at[this.y]])}`);
  }
}

/** A description with an axis's value: the axis is a path, or a key of one of its tables; `_deg` is in degrees. */
export function withValue(description: Description, name: string, value: Json): Description {
  const degrees = name.endsWith("_deg");
  const key = degrees ? name.slice(0, -4) : name;
  const taken = degrees && typeof value === "number" ? (value * Math.PI) / 180 : value;
  if (key.includes(".")) return put(description, key.split("."), taken) as Description;
  const tables = [...TABLES.map((t) => [t]), ["world", "friction"], ["world", "ground"], ["robot", "servo"]];
  const home = tables.find((path) => isTable(get(description, path)) && get(description, [...path, key]) !== undefined);
  if (!home) throw new Error(`the sweep's axis ${name} is no key of its description`);
  return put(description, [...home, key], taken) as Description;
}

/** The name of an axis in words: `winding_angle_deg` is in degrees, which its unit tells. */
function nameText(name: string): string {
  return name.replace(/_deg$/, "").replaceAll("_", " ").replaceAll(".", " ");
}

function axisText({ name, unit }: { name: string; unit: string }): string {
  return unit ? `${nameText(name)}, ${unit}` : nameText(name);
}

/** At most so many texts, each at the middle of its cell: the others are left empty. */
function thinned(texts: string[], most: number): string[] {
  const every = Math.ceil(texts.length / most);
  return texts.map((text, k) => (k % every === 0 ? text : ""));
}

function valueText(value: number | string): string {
  return typeof value === "number" ? brief(value, 3) : value;
}

function shade(share: number): string {
  const x = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1);
  const k = Math.min(Math.floor(x), STOPS.length - 2);
  return `color-mix(in srgb, ${STOPS[k + 1]} ${Math.round(100 * (x - k))}%, ${STOPS[k]})`;
}

function hatch(pen: CanvasRenderingContext2D, x: number, y: number, w: number, h: number): void {
  pen.strokeStyle = "#888";
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + w, y + h);
  pen.moveTo(x + w, y);
  pen.lineTo(x, y + h);
  pen.stroke();
}
