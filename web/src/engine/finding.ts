/** Findings: a sentence made from a template and numbers, by the rule of `core/finding.py`. */
import * as at from "../../build/generated";
import { short } from "./setup/numbers";

const { TEXTS, WHOLE } = at.finding;
export type Shares = { [name: string]: number };
export type Numbers = { [name: string]: number | Shares };

/** Names with shares in percent, the greatest first: "net work 12%, heading 3.4%". */
function shares(values: Shares): string {
  const said = Object.entries(values).map(([name, share]) => ({ name: name.replaceAll("_", " "), percent: Number((100 * share).toPrecision(2)) }));
  said.sort((a, b) => (a.percent === b.percent ? (a.name < b.name ? -1 : 1) : b.percent - a.percent));
  return said.map(({ name, percent }) => `${name} ${Number.isFinite(percent) && percent >= WHOLE ? percent.toFixed(0) : short(percent, 2)}%`).join(", ");
}

/** A number by a format of Python: d, g, .3g, .2f or .1%. */
function formatted(value: number, form: string): string {
  const [, digits, kind] = /^(?:\.(\d+))?([dgf%]?)$/.exec(form)!;
  if (kind === "d" && Number.isFinite(value)) return String(Math.trunc(value));
  if (!Number.isFinite(value) || kind === "g" || kind === "d") return short(value, Number(digits ?? 6)) + (kind === "%" ? "%" : "");
  return kind === "f" ? value.toFixed(Number(digits)) : kind === "%" ? `${(100 * value).toFixed(Number(digits))}%` : String(value);
}

/** The sentence of a template with numbers. */
export function said(text: string, numbers: Numbers): string {
  return text
    .replace(/\[(\w+)\?([^\]]*)\]/g, (_, name: string, words: string) => (numbers[name] ? words : ""))
    .replace(/\{(\w+)(?::([^}]*))?\}/g, (_, name: string, form: string = "") => {
      const value = numbers[name];
      if (typeof value !== "number") return shares(value);
      return form.includes("|") ? form.split("|")[value] : formatted(value, form);
    });
}

/** The sentence of a code. */
export const textOf = (code: keyof typeof TEXTS, numbers: Numbers): string => said(TEXTS[code], numbers);
