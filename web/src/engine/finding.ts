/** Findings: a sentence made from a code and numbers; the texts and rules of `core/finding.py`. */
import * as at from "../../build/generated";
import { short } from "./setup/numbers";

const { TEXTS, WHOLE } = at.finding;
export type Shares = { [name: string]: number };

/** Names with shares in percent, the greatest first: "net work 12%, heading 3.4%". */
function shares(values: Shares): string {
  const percent = (x: number): string => (Number.isFinite(x) && x >= WHOLE ? x.toFixed(0) : short(x, 2));
  const names = Object.keys(values).sort((a, b) => (values[a] === values[b] ? 0 : values[b] - values[a]));
  return names.map((name) => `${name.replaceAll("_", " ")} ${percent(100 * values[name])}%`).join(", ");
}

/** The sentence of a code from its numbers; shares by name become percentages. */
export function textOf(code: keyof typeof TEXTS, numbers: { [name: string]: number | Shares }): string {
  return TEXTS[code].replace(/\{(\w+)(?::\.(\d+)g)?\}/g, (_, name: string, digits?: string) => {
    const value = numbers[name];
    if (typeof value !== "number") return shares(value);
    return digits === undefined ? String(value) : short(value, Number(digits));
  });
}
