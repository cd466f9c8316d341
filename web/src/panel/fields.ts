/** One control per declared field: its name, unit, value, slider, meaning, way back, and what is wrong with a value. */
import { allowed, problem, type Declared } from "../declarations";
import type { Document } from "../document";
import { el, icon, mark } from "../dom";
import type { Json } from "../engine/types";
import type { Path } from "../tables";
import { reach } from "./ranges";

const RESET = "M12 5V2L7 6l5 4V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z";
const DEG = Math.PI / 180;

export interface Field {
  path: string;
  box: HTMLElement;
  refresh(): void;
  complain(text: string | null): void;
}

export function labelOf(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

let serial = 0;

/** The frame of a control: label with meaning, reset, and a place for what is wrong. */
function frame(field: Declared, path: Path, doc: Document, label?: string): { box: HTMLElement; id: string; wrong: HTMLElement; reset: HTMLButtonElement; note: string } {
  const id = `field-${serial++}`;
  const unit = field.angle ? "deg" : field.unit;
  const meaning = [field.meaning, unit, `allowed: ${allowed(field)}`, path.join(".")].filter(Boolean).join("\n");
  const name = el("label", { for: id, title: meaning }, label ?? labelOf(field.name), unit ? el("span", { class: "unit" }, ` ${unit}`) : null);
  const wrong = el("div", { class: "problem", role: "alert", hidden: true });
  const reset = el("button", { type: "button", class: "icon reset", "aria-label": `Reset ${labelOf(field.name)}`, title: "Back to where it began", onclick: () => doc.set(path, doc.begin(path)) }, icon(RESET));
  return { box: el("div", { class: "field", "data-path": path.join(".") }, name), id, wrong, reset, note: meaning };
}

function complainer(box: HTMLElement, wrong: HTMLElement, input: HTMLElement): (text: string | null) => void {
  return (text) => {
    if (wrong.hidden && text === null) return;
    wrong.hidden = text === null;
    wrong.textContent = text ?? "";
    if (text === null) input.removeAttribute("aria-invalid");
    else input.setAttribute("aria-invalid", "true");
    box.classList.toggle("wrong", text !== null);
  };
}

function changedMark(box: HTMLElement, doc: Document, path: Path): void {
  box.classList.toggle("changed", JSON.stringify(doc.given(path)) !== JSON.stringify(doc.begin(path)));
}

/** A number, an angle or a whole number: slider and text; text alone where it is left out. */
export function numberField(field: Declared, path: Path, doc: Document, label?: string): Field {
  const { box, id, wrong, reset } = frame(field, path, doc, label);
  const factor = field.angle ? DEG : 1;
  const text = el("input", { type: "text", inputmode: "decimal", id, autocomplete: "off", placeholder: field.optional ? "none" : "", "aria-describedby": `${id}-wrong` });
  const slider = el("input", { type: "range", "aria-label": label ?? labelOf(field.name), tabindex: 0 });
  wrong.id = `${id}-wrong`;
  box.append(reset, text, slider, wrong);
  const complain = complainer(box, wrong, text);
  const shown = (value: number): string => String(Number((value / factor).toPrecision(6)));
  let dragging = false;

  const refresh = (): void => {
    const value = doc.value(path) ?? field.default;
    const words = typeof value === "string";
    const number = typeof value === "number" ? value : null;
    if (document.activeElement !== text || wrong.hidden) text.value = number === null ? (words ? String(value) : "") : shown(number);
    if (slider.hidden !== (number === null)) slider.hidden = number === null;
    if (number !== null && !dragging) {
      const { low, high, step } = reach(field, path.join("."), number);
      mark(slider, "min", String(low / factor));
      mark(slider, "max", String(high / factor));
      mark(slider, "step", field.type === "whole" ? "1" : "any");
      mark(slider, "data-step", String(step / factor));
      slider.value = String(number / factor);
    }
    changedMark(box, doc, path);
  };
  const snapped = (): number => {
    const step = Number(slider.dataset.step) || 1;
    const value = Number((Math.round(Number(slider.value) / step) * step).toPrecision(12));
    return Math.min(Math.max(value, Number(slider.min)), Number(slider.max)) * factor;
  };
  slider.addEventListener("input", () => {
    dragging = true;
    complain(null);
    text.value = shown(snapped());
    doc.set(path, snapped(), false);
  });
  slider.addEventListener("change", () => {
    dragging = false;
    doc.set(path, snapped(), true);
  });
  slider.addEventListener("keydown", (event) => nudge(event, slider));
  text.addEventListener("change", () => {
    const given = text.value.trim().replace(",", ".").replace("−", "-");
    if (given === "" && field.optional) {
      complain(null);
      return doc.set(path, undefined);
    }
    if (field.words?.includes(given)) {
      complain(null);
      return doc.set(path, given);
    }
    const value = given === "" ? NaN : Number(given) * factor;
    if (Number.isNaN(value)) return complain(`${labelOf(field.name)} must be ${allowed(field)}, got "${text.value}"`);
    const bad = problem(field, value);
    complain(bad === null ? null : `${labelOf(field.name)} ${bad}`);
    if (bad === null) doc.set(path, value);
  });
  refresh();
  return { path: path.join("."), box, refresh, complain };
}

/** Arrow keys move a slider by its step: `any` alone would move it by hundredths of its way. */
function nudge(event: KeyboardEvent, slider: HTMLInputElement): void {
  const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  slider.value = String(Number(slider.value) + by * (Number(slider.dataset.step) || 1));
  slider.dispatchEvent(new Event("input"));
  slider.dispatchEvent(new Event("change"));
}

export function choiceField(field: Declared, path: Path, doc: Document, options: string[]): Field {
  const { box, id, wrong, reset } = frame(field, path, doc);
  const select = el("select", { id });
  if (field.optional) select.append(el("option", { value: "" }, "none"));
  for (const option of options) select.append(el("option", { value: option }, option));
  const refresh = (): void => {
    const value = doc.value(path) ?? field.default;
    select.value = typeof value === "string" ? value : "";
    changedMark(box, doc, path);
  };
  select.addEventListener("change", () => doc.set(path, select.value || undefined));
  box.append(select, wrong);
  reset.remove();
  refresh();
  return { path: path.join("."), box, refresh, complain: complainer(box, wrong, select) };
}

export function flagField(field: Declared, path: Path, doc: Document): Field {
  const { box, id, wrong } = frame(field, path, doc);
  const input = el("input", { type: "checkbox", id });
  box.classList.add("flag");
  input.addEventListener("change", () => doc.set(path, input.checked));
  box.append(input, wrong);
  const refresh = (): void => {
    input.checked = Boolean(doc.value(path) ?? field.default);
    changedMark(box, doc, path);
  };
  refresh();
  return { path: path.join("."), box, refresh, complain: complainer(box, wrong, input) };
}

/** Joints by number, each on or off: locked and limp ones. */
export function jointsField(field: Declared, path: Path, doc: Document): Field {
  const { box, wrong, reset } = frame(field, path, doc);
  const buttons = el("div", { class: "joints", role: "group", "aria-label": labelOf(field.name) });
  box.append(reset, el("span"), buttons, wrong);
  const refresh = (): void => {
    const chosen = new Set((doc.value(path) as number[] | undefined) ?? []);
    const joints = Math.max(Number(doc.value(["robot", "links"]) ?? 2) - 1, 1);
    if (buttons.childElementCount !== Math.min(joints, 60)) {
      buttons.replaceChildren();
      for (let k = 1; k <= Math.min(joints, 60); k++) buttons.append(el("button", { type: "button", "aria-pressed": "false", onclick: () => toggle(k) }, String(k)));
    }
    Array.from(buttons.children).forEach((button, k) => mark(button, "aria-pressed", String(chosen.has(k + 1))));
    changedMark(box, doc, path);
  };
  const toggle = (joint: number): void => {
    const chosen = new Set((doc.value(path) as number[] | undefined) ?? []);
    if (!chosen.delete(joint)) chosen.add(joint);
    doc.set(path, [...chosen].sort((a, b) => a - b));
  };
  refresh();
  return { path: path.join("."), box, refresh, complain: complainer(box, wrong, buttons) };
}

/** Numbers in a row, as text: vectors, and one number per link. */
export function listField(field: Declared, path: Path, doc: Document): Field {
  const { box, id, wrong, reset } = frame(field, path, doc);
  const factor = field.angle ? DEG : 1;
  const text = el("input", { type: "text", id, autocomplete: "off" });
  box.classList.add("list");
  box.append(reset, text, wrong);
  const complain = complainer(box, wrong, text);
  const refresh = (): void => {
    const value = doc.value(path) ?? field.default;
    const list = Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
    text.value = list.map((x) => (typeof x === "number" ? Number((x / factor).toPrecision(6)) : x)).join(", ");
    changedMark(box, doc, path);
  };
  text.addEventListener("change", () => {
    const parts = text.value.split(/[\s,;]+/).filter(Boolean);
    const values = parts.map((p) => (field.words?.includes(p) ? p : Number(p) * factor)) as Json[];
    if (values.some((v) => typeof v === "number" && !Number.isFinite(v)) || (field.type === "vector" && values.length !== (field.size ?? 2))) {
      return complain(`${labelOf(field.name)} must be ${field.allowed}, got "${text.value}"`);
    }
    complain(null);
    doc.set(path, values.length === 1 && field.type === "numbers" ? values[0] : values);
  });
  refresh();
  return { path: path.join("."), box, refresh, complain };
}
