/** The numbers a run is judged by, with their change since the last state. */
import { brief, el, write } from "./dom";

type Values = { [name: string]: number | null };

const SHOWN: [string, string, 1 | -1 | 0][] = [
  ["com_distance", "Distance", 1],
  ["com_dz", "Height gained", 1],
  ["steady_speed", "Steady speed", 1],
  ["slip_per_link", "Slip per link", -1],
  ["torque_max", "Greatest torque", -1],
  ["mean_power", "Mean power", -1],
  ["cost_of_transport", "Cost of transport", -1],
  ["body_length", "Length", 0],
  ["end_to_end", "From end to end", 0],
  ["bending_max", "Greatest bending", 0],
  ["torsion_max", "Greatest torsion", 0],
  ["frame_twist", "Twist of the frame", 0],
]; // and whether more is better
const OF_SHAPES: { [name: string]: { unit: string; formula: string } } = {
  body_length: { unit: "m", formula: "along the backbone" },
  end_to_end: { unit: "m", formula: "straight from tail to head" },
  bending_max: { unit: "1/m", formula: "sqrt(kappa_a^2 + kappa_b^2), the same in all models" },
  torsion_max: { unit: "rad/m", formula: "|tau| of the model's frame; the bellows model has none" },
  frame_twist: { unit: "deg", formula: "integral of tau over the length" },
}; // in the page alone
const SHORT = 0.01; // m: shorter lengths are shown in mm
const REST = /^(moment_residual|energy_residual)$/;

/** A unit that suits a value, and how many of it the declared unit has. */
function suited(unit: string, value: number): [string, number] {
  if (unit === "m" && value !== 0 && Math.abs(value) < SHORT) return ["mm", 1000];
  return [/^[-1]$/.test(unit) ? "" : unit, 1];
}

/** Whether a run goes up or down by more than its wobbling. */
function climbs(values: Values): boolean {
  return Math.abs(values.com_dz ?? 0) > Math.max(0.1 * (values.com_distance ?? 0), 0.01);
}

export class MetricsPanel {
  private last: Values | null = null;
  private values: Values = {}; // those shown
  private readonly units: { [name: string]: { unit: string; formula: string } };
  private readonly list = el("dl", { class: "metrics" });
  private readonly all = el("details", { class: "all-metrics" }, el("summary", {}, "All numbers"));
  private readonly table = el("table");
  private readonly note = el("p", { class: "status", role: "status" });

  constructor(
    box: HTMLElement,
    units: { [name: string]: { unit: string; formula: string } },
  ) {
    this.units = { ...units, ...OF_SHAPES };
    this.all.append(this.table);
    this.all.addEventListener("toggle", () => this.fill());
    box.append(this.note, this.list, this.all);
  }

  /** Show the metrics of a state; `before` are those of the last state. */
  show(values: Values, status: { name: string; message: string; warnings: string[] }, preview: boolean): void {
    const rows = SHOWN.flatMap(([name, label, better]) => {
      const value = values[name];
      if (value === undefined || value === null || (name === "com_dz" && !climbs(values))) return [];
      const [unit, times] = suited(this.units[name]?.unit ?? "", value);
      const shown = el("span", { class: "value" }, brief(times * value), el("small", {}, unit ? ` ${unit}` : ""));
      return [el("div", { "data-metric": name, title: this.units[name]?.formula ?? "" }, el("dt", {}, label), el("dd", {}, shown, this.change(name, value, better, times)))];
    });
    rows.forEach((row, i) => {
      const old = this.list.children[i];
      if (!old) this.list.append(row);
      else if (!old.isEqualNode(row)) old.replaceWith(row); // numbers that stay are not painted again
    });
    while (this.list.childElementCount > rows.length) this.list.lastElementChild?.remove();
    this.list.classList.toggle("preview", preview);
    this.list.classList.remove("outdated");
    this.judge(status);
    this.values = values;
    this.all.hidden = !Object.values(values).some((value) => value !== null);
    if (this.all.open) this.fill();
  }

  /** Say how a run ended and what to beware of. */
  judge(status: { name: string; message: string; warnings: string[] }): void {
    const told = status.name !== "ok" && status.name !== "running" ? `${status.name}: ${status.message}` : "";
    write(this.note, [told, ...status.warnings].filter(Boolean).join(" · "));
    this.note.classList.toggle("bad", !["ok", "left-horizon", "running", ""].includes(status.name));
  }

  private change(name: string, value: number | null, better: 1 | -1 | 0, times: number): HTMLElement {
    const before = this.last?.[name];
    const span = el("span", { class: "change" });
    if (value === null || before === null || before === undefined || !this.last) return span;
    const by = value - before;
    if (Math.abs(by) <= 5e-4 * Math.max(Math.abs(value), Math.abs(before))) {
      span.textContent = "=";
      return span;
    }
    const share = before !== 0 ? ` (${by > 0 ? "+" : "−"}${brief(Math.abs((100 * by) / before), 2)} %)` : "";
    span.textContent = `${by > 0 ? "▲" : "▼"} ${brief(times * Math.abs(by), 3)}${share}`;
    if (better) span.classList.add(by * better > 0 ? "better" : "worse");
    span.title = `before: ${brief(times * before)}`;
    return span;
  }

  /** The table of all numbers, where it is open. */
  private fill(): void {
    this.table.replaceChildren();
    for (const [name, value] of Object.entries(this.values)) {
      if (REST.test(name) || value === null) continue;
      const { unit: declared, formula } = this.units[name] ?? { unit: "", formula: "" };
      const [unit, times] = suited(declared, value);
      this.table.append(el("tr", { title: formula }, el("th", { scope: "row" }, name.replaceAll("_", " ")), el("td", {}, `${brief(times * value)} ${unit}`.trim())));
    }
  }

  /** Nothing to tell yet; `why` says what will be here. */
  clear(why: string): void {
    this.list.replaceChildren();
    this.values = {};
    this.fill();
    this.all.hidden = true;
    this.note.textContent = why;
    this.note.classList.remove("bad");
  }

  /** The numbers shown are not of the present state; `why` says of which. */
  outdate(why: string): void {
    if (!this.list.childElementCount) return;
    this.list.classList.add("outdated");
    this.note.textContent = why;
    this.note.classList.remove("bad");
  }

  /** From now on changes are told against these numbers. */
  remember(values: Values | null): void {
    this.last = values;
  }
}
