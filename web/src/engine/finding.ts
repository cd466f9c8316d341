/** Findings: a sentence made from a code and numbers; the texts and rules of `core/finding.py`. */
import * as at from "../../build/generated";
import { short } from "./setup/numbers";

const { TEXTS, WHOLE } = at.finding;
export type Shares = { [name: string]: number };

/** Names with shares in percent, the greatest first: "net work 12%, heading 3.4%". */
function shares(values: Shares): string {
  const said = Object.entries(values).map(([name, share]) => ({ name: name.replaceAll("_", " "), percent: Number((100 * share).toPrecision(2)) }));
  said.sort((a, b) => (a.percent === b.percent ? (a.name < b.name ? -1 : 1) : b.percent - a.percent));
  return said.map(({ name, percent }) => `${name} ${Number.isFinite(percent) && percent >= WHOLE ? percent.toFixed(0) : short(percent, 2)}%`).join(", ");
}

/** The sentence of a code from its numbers; shares by name become percentages. */
export function textOf(code: keyof typeof TEXTS, numbers: { [name: string]: number | Shares }): string {
  return TEXTS[code].replace(/\{(\w+)(?::\.(\d+)g)?\}/g, (_, name: string, digits?: string) => {
    const value = numbers[name];
    if (typeof value !== "number") return shares(value);
    return digits === undefined ? String(value) : short(value, Number(digits));
  });
}
