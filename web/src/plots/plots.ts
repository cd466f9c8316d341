/**
 * Plots under one another on one time: torque, slip, speed, power, contacts. A click or drag moves the time, the time moves the cursors,
 * and the values under the pointer (else at the time shown) are written beside each name.
 */
import uPlot from "uplot";
import type { Clock } from "../clock";
import { brief, el } from "../dom";
import type { Motion, Series } from "../motion";

interface Curve {
  label: string;
  key: keyof Series | "tau" | "kappaA" | "kappaB";
  colour: "--plot-a" | "--plot-b";
}

interface Kind {
  id: string;
  title: string;
  unit: string;
  curves: Curve[];
}

const KINDS: Kind[] = [
  { id: "torque", title: "Torque", unit: "N m", curves: [{ label: "max", key: "torqueMax", colour: "--plot-a" }, { label: "rms", key: "torqueRms", colour: "--plot-b" }] },
  { id: "slip", title: "Slip across", unit: "m/s", curves: [{ label: "max", key: "slipMax", colour: "--plot-a" }, { label: "mean", key: "slipMean", colour: "--plot-b" }] },
  { id: "speed", title: "Speed", unit: "m/s", curves: [{ label: "", key: "speed", colour: "--plot-a" }] },
  { id: "power", title: "Power", unit: "W", curves: [{ label: "", key: "power", colour: "--plot-a" }] },
  { id: "contacts", title: "Contacts", unit: "", curves: [{ label: "", key: "contacts", colour: "--plot-a" }] },
]; // prettier-ignore
const ALONG: Kind[] = [
  { id: "tau", title: "Torsion", unit: "rad/m along the body", curves: [{ label: "", key: "tau", colour: "--plot-a" }] },
  { id: "kappaA", title: "Bending a (up and down)", unit: "1/m", curves: [{ label: "", key: "kappaA", colour: "--plot-a" }] },
  { id: "kappaB", title: "Bending b (sideways)", unit: "1/m", curves: [{ label: "", key: "kappaB", colour: "--plot-a" }] },
]; // prettier-ignore - of a shape, over its length
const GAP = 40; // places to look for a value
const NOTHING = 1e-6; // N m, m/s, W: less is read as 0
const SMALL = 0.1; // m/s: a plot whose numbers stay below is written in mm/s

interface Drawn {
  kind: Kind;
  plot: uPlot;
  box: HTMLElement;
  readout: HTMLElement;
  cursor: HTMLElement;
  unit: HTMLElement;
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export class Plots {
  private drawn: Drawn[] = [];
  private motion: Motion | null = null;
  private other: Motion | null = null;
  private hover: number | null = null;
  private width = 0;
  private heightEach = 0;

  constructor(
    private readonly box: HTMLElement,
    private readonly clock: Clock,
  ) {
    clock.on("time", () => this.moveCursors());
    new ResizeObserver(() => this.resize()).observe(box);
  }

  /** Show a motion, and another one dashed beside it. */
  set(motion: Motion, other: Motion | null): void {
    if (other && Boolean(other.facts.along) !== Boolean(motion.facts.along)) other = null; // one over its length, one over time
    const same = Boolean(other) === Boolean(this.other);
    this.motion = motion;
    this.other = other;
    if (same) this.refresh();
    else this.build();
  }

  private kinds(): Kind[] {
    const motion = this.motion;
    if (motion?.facts.along) return ALONG;
    if (!motion?.has("jointTorque")) return []; // nothing happens in time
    return KINDS.filter((kind) => kind.curves.some((c) => this.values(motion, c).length));
  }

  private values(motion: Motion, curve: Curve): number[] {
    return motion.series[curve.key as keyof Series] ?? motion.facts[curve.key as "tau"] ?? [];
  }

  /** Times and curves of a kind, both motions on one axis of times. */
  private table(kind: Kind): uPlot.AlignedData {
    const motion = this.motion;
    if (!motion) return [[]];
    const over = (m: Motion): number[] => m.facts.along ?? m.time.slice(0, m.count);
    const tables = [[over(motion), ...kind.curves.map((c) => this.values(motion, c))] as uPlot.AlignedData];
    const other = this.other;
    if (other) tables.push([over(other), ...kind.curves.slice(0, 1).map((c) => this.values(other, c))] as uPlot.AlignedData);
    if (tables.length === 1) return tables[0];
    return uPlot.join(tables, tables.map((t) => t.map(() => 2))); // join keeps gaps: spanned below
  }

  private options(kind: Kind): uPlot.Options {
    const ink = colour("--muted");
    const lines = colour("--line");
    const curves: uPlot.Series[] = kind.curves.map((c) => ({ label: c.label || " ", stroke: colour(c.colour), width: 1.5, spanGaps: true, points: { show: false } }));
    if (this.other) curves.push({ label: "pinned", stroke: colour("--plot-other"), width: 1.5, dash: [5, 4], spanGaps: true, points: { show: false } });
    const font = "11px system-ui, sans-serif";
    return {
      width: Math.max(this.width, 120),
      height: this.heightEach,
      legend: { show: false },
      cursor: { x: true, y: false, drag: { x: false, y: false }, points: { size: 5 } },
      scales: { x: { time: false }, y: { range: (_u, low, high) => spread(low, high) } },
      axes: [
        { stroke: ink, font, size: 20, gap: 2, grid: { stroke: lines, width: 1 }, ticks: { show: false } },
        { stroke: ink, font, size: 44, gap: 3, grid: { stroke: lines, width: 1 }, ticks: { show: false }, space: 24, values: (_u, v) => v.map((x) => brief(x * this.factor(kind), 3)) },
      ],
      series: [{}, ...curves],
      padding: [4, 8, 0, 0],
      hooks: { setCursor: [(plot) => this.read(plot)], draw: [() => this.moveCursors()] }, // a new scale moves the cursors too
    };
  }

  private build(): void {
    for (const { plot } of this.drawn) plot.destroy();
    this.box.replaceChildren();
    this.measure();
    this.drawn = this.kinds().map((kind) => {
      const readout = el("span", { class: "readout" });
      const unit = el("span", { class: "unit" }, kind.unit);
      const head = el("header", {}, el("b", {}, kind.title), unit, readout);
      const along = Boolean(this.motion?.facts.along);
      const box = el("figure", { class: "plot", "data-plot": kind.id, "aria-label": `${kind.title} over ${along ? "the length" : "time"}` }, head);
      this.box.append(box);
      const plot = new uPlot(this.options(kind), this.table(kind), box);
      const cursor = el("div", { class: "cursor" });
      cursor.hidden = along;
      plot.over.append(cursor);
      if (!along) this.listen(plot);
      return { kind, plot, box, readout, cursor, unit };
    });
    this.moveCursors();
  }

  private listen(plot: uPlot): void {
    const seek = (event: PointerEvent): void => {
      const left = event.clientX - plot.over.getBoundingClientRect().left;
      this.clock.seek(plot.posToVal(left, "x"));
    };
    plot.over.addEventListener("pointerdown", (event) => {
      plot.over.setPointerCapture(event.pointerId);
      this.clock.play(false);
      seek(event);
    });
    plot.over.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) seek(event);
    });
  }

  /** The place under the pointer of one plot counts for all. */
  private read(plot: uPlot): void {
    const index = plot.cursor.idx;
    this.hover = index === null || index === undefined || (plot.cursor.left ?? -1) < 0 ? null : plot.data[0][index];
    this.write();
  }

  private write(): void {
    const time = this.hover ?? (this.motion?.facts.along ? 0 : this.clock.time);
    for (const { kind, plot, readout, unit } of this.drawn) {
      const times = plot.data[0];
      if (!times.length) continue;
      const at = nearest(times as number[], time);
      const factor = this.factor(kind);
      unit.textContent = factor === 1 ? kind.unit : `m${kind.unit}`;
      const parts: (Node | string)[] = [];
      for (let k = 1; k < plot.series.length; k++) {
        const value = there(plot.data[k] as (number | null)[], at);
        const label = plot.series[k].label;
        const swatch = el("i");
        swatch.style.background = String((plot.series[k].stroke as unknown as () => string)?.() ?? "");
        parts.push(el("span", { title: typeof label === "string" ? label : "" }, swatch, `${typeof label === "string" && label.trim() && !this.other ? `${label} ` : ""}${brief(value === null ? null : Math.abs(value) < NOTHING ? 0 : value * factor, 3)}`));
      }
      readout.replaceChildren(...parts);
      readout.title = `${kind.title} at ${time.toFixed(2)} s`;
    }
  }

  /** By what the numbers of a plot are multiplied where they are written: speeds that stay small are told in mm/s. */
  private factor(kind: Kind): number {
    if (kind.unit !== "m/s") return 1;
    const shown = [this.motion, this.other].flatMap((m) => (m ? kind.curves.map((c) => this.peaks(m, c.key)) : []));
    const most = Math.max(0, ...shown);
    return most > 0 && most < SMALL ? 1000 : 1;
  }

  /** The greatest number of a curve so far; kept, for it is asked for in every frame. */
  private peaks(motion: Motion, key: Curve["key"]): number {
    const values = motion.series[key as keyof Series];
    const old = this.peak.get(values) ?? { count: 0, most: 0 };
    for (; old.count < values.length; old.count++) old.most = Math.max(old.most, values[old.count]);
    this.peak.set(values, old);
    return old.most;
  }
  private readonly peak = new WeakMap<number[], { count: number; most: number }>();

  private moveCursors(): void {
    for (const { plot, cursor } of this.drawn) {
      const left = plot.valToPos(this.clock.time, "x");
      cursor.style.transform = `translateX(${left}px)`;
    }
    if (this.hover === null) this.write();
  }

  /** Take in frames that have arrived since. */
  refresh(): void {
    if (this.drawn.map((d) => d.kind.id).join() !== this.kinds().map((k) => k.id).join()) this.build();
    else for (const { kind, plot } of this.drawn) plot.setData(this.table(kind));
    this.moveCursors();
  }

  clear(): void {
    this.motion = this.other = null;
    this.build();
  }

  recolour(): void {
    if (this.motion) this.build();
  }

  private measure(): void {
    this.width = this.box.clientWidth - 16; // less the padding
    const count = Math.max(this.kinds().length, 1);
    const room = this.box.clientHeight / count - 26;
    this.heightEach = Math.round(Math.min(Math.max(room, 66), 150));
  }

  private resize(): void {
    const [width, height] = [this.width, this.heightEach];
    this.measure();
    if (width === this.width && height === this.heightEach) return;
    for (const { plot } of this.drawn) plot.setSize({ width: Math.max(this.width, 120), height: this.heightEach });
    this.moveCursors();
  }

  /** Where the cursors stand (px), for tests. */
  cursors(): number[] {
    return this.motion?.facts.along ? [] : this.drawn.map(({ plot }) => plot.valToPos(this.clock.time, "x"));
  }
}

function spread(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low + high)) return [0, 1];
  const bottom = Math.min(low, 0);
  if (high - bottom < 1e-9) return [bottom, bottom + 1];
  return [bottom, high + 0.06 * (high - bottom)];
}

/** The value at a place, else the nearest one: two runs on one axis of times have gaps at each other's times; beyond its end a run has none. */
function there(values: (number | null | undefined)[], at: number): number | null {
  for (let off = 0; off < GAP; off++) {
    for (const k of [at - off, at + off]) {
      const found = values[k];
      if (found !== null && found !== undefined) return found;
    }
  }
  return null;
}

function nearest(times: number[], time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  return time - times[low] < times[high] - time ? low : high;
}
