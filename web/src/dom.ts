/** Elements in one line: `el("button", { class: "plain", title: "..." }, "text")`; texts are never read as HTML. */
type Child = Node | string | null | undefined;
type Attributes = { [name: string]: string | number | boolean | ((event: Event) => void) | undefined };

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child != null) made.append(child);
  return made;
}

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

/** Give an element an attribute; one that it has already is not touched, for each touch is laid out and painted again. */
export function mark(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** Give an element its text, in the same way. */
export function write(element: Node, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** An icon drawn by a path in a square of 24. */
export function icon(path: string): SVGSVGElement {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(ns, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

let fading = 0;

/** A short message at the foot of the page, also read aloud. */
export function say(message: string, kind: "note" | "error" = "note"): void {
  const box = byId("toast");
  const over = document.querySelector("dialog[open]") ?? document.body; // what lies outside an open dialog is dimmed
  if (box.parentElement !== over) over.append(box);
  box.textContent = message;
  box.className = `shown ${kind}`;
  window.clearTimeout(fading);
  fading = window.setTimeout(() => (box.className = ""), kind === "error" ? 9000 : 4500);
}

/** A number in four digits, without an exponent where that can be read. */
export function brief(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined) return "-";
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  return Number(value.toPrecision(digits)).toString();
}
