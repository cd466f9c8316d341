/**
 * From plain data to checked values, by the declarations of the Python package (written out by the build): types, units, bounds, defaults.
 * What depends on several fields is in `rules`. All errors are found at once; each has the path of its key.
 */
import declarations from "../../../build/declarations.json";
import { InputError, type Problem } from "../types";

export interface Quantity {
  type: string;
  allowed: string;
  angle: boolean;
  unit: string;
  meaning: string;
  optional: boolean;
  [more: string]: any;
}
export interface Field extends Quantity {
  name: string;
  required: boolean;
  default?: any;
}
export interface Shape {
  name: string;
  meaning: string;
  fields: Field[];
  kind?: number;
  dry?: boolean;
  bare?: boolean;
  outside?: boolean;
  number?: number; // among the gaits and drives of the kernels
  refused?: string[]; // sentences of what the kernels refuse
}
export interface Family {
  name: string;
  tag: string;
  members: Record<string, Shape>;
}
export type Values = Record<string, any>;
export type Say = (path: string, value: unknown, allowed: string, text?: string) => void;
export type Rule = (values: Values, context: Values) => void;

export const data = declarations as any;
export const classes = data.classes as Record<string, Shape>;
export const families = data.families as Record<string, Family>;
const SHOWN = 60;

/** What does not fit together, said by a rule. */
export class Refused extends Error {}

/** A value in a message, as Python shows it. */
export function shown(value: unknown): string {
  const text = repr(value);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}...`;
}

function repr(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "string") return value.includes("'") && !value.includes('"') ? `"${value}"` : `'${value.replace(/'/g, "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  if (typeof value === "object") return `{${Object.entries(value as object).map(([k, v]) => `'${k}': ${repr(v)}`).join(", ")}}`;
  return String(value);
}

/** Share of equal letters in order of two words, from 0 to 1. */
function likeness(a: string, b: string): number {
  let before = new Array(b.length + 1).fill(0);
  for (const x of a) {
    const now = [0];
    for (let j = 0; j < b.length; j++) now.push(x === b[j] ? before[j] + 1 : Math.max(before[j + 1], now[j]));
    before = now;
  }
  return (2 * before[b.length]) / Math.max(1, a.length + b.length);
}

/** A suggestion for a misspelt word; empty if none is near. */
export function near(word: unknown, known: readonly unknown[]): string {
  let best = 0.55;
  let found = "";
  for (const other of known) {
    const share = likeness(String(word), String(other));
    if (share > best) [best, found] = [share, String(other)];
  }
  return found ? `; did you mean ${found}?` : "";
}

const bound = (value: any): number => (value === "inf" ? Infinity : value === "-inf" ? -Infinity : (value as number));
const isTable = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);

function fits(q: Quantity, x: number): boolean {
  if (Number.isNaN(x)) return false;
  if (!Number.isFinite(x)) return q.infinite && x > 0;
  return bound(q.low) <= x && x <= bound(q.high) && bound(q.above) < x && x < bound(q.below);
}

const must = (say: Say, path: string, value: unknown, allowed: string, hint = ""): null => {
  say(path, value, allowed, `${path} must be ${allowed}, got ${shown(value)}${hint}`);
  return null;
};

function takeNumber(q: Quantity, value: unknown, path: string, say: Say): number | string | null {
  if (typeof value === "string" && q.words?.includes(value)) return value;
  if (q.infinite && value === "none") return Infinity;
  if (typeof value === "number" && fits(q, value)) return value;
  const turned = q.angle && typeof value === "number" && Math.abs(value) > 2;
  return must(say, path, value, q.allowed, turned ? `; angles are in radians: for ${value} degrees give ${path}_deg` : "");
}

const RADIANS = Math.PI / 180;

function takeDegrees(q: Quantity, value: unknown, path: string, say: Say): number | string | null {
  if (typeof value === "number" && fits(q, value * RADIANS)) return value * RADIANS;
  if (typeof value === "string") return takeNumber(q, value, path, say);
  const ends = [["above", ">"], ["low", ">="], ["below", "<"], ["high", "<="]].map(([name, sign]) => [sign, bound(q[name]) / RADIANS] as const);
  const said = ends.filter(([, x]) => Number.isFinite(x)).map(([sign, x]) => `${sign} ${Number(x.toPrecision(6))}`).join(" and ");
  return must(say, path, value, `${q.infinite ? "a number" : "finite"}${said ? ` and ${said}` : ""} deg`);
}

/** One number or one for each of a list. */
function takeNumbers(q: Quantity, value: unknown, path: string, say: Say, before: Values, take: typeof takeNumber): any {
  if (typeof value === "string" && q.item.words?.includes(value)) return value;
  const several = Array.isArray(value);
  const links = before.links as number | undefined;
  const count = !q.per || links === undefined ? null : links - (q.per === "joints" ? 1 : 0);
  if (several && count !== null && value.length !== count) {
    say(path, value, q.allowed, `${path} has ${value.length} values; give one number or one for each of the ${count} ${q.per}`);
    return null;
  }
  const problems: string[] = [];
  const taken = (several ? value : [value]).map((x: unknown) =>
    take(q.item, x, path, (_p, _v, _a, text) => void problems.push(text ?? "")),
  );
  if (problems.length || !taken.length) {
    if (problems.length) say(path, value, q.allowed, problems[0]);
    else must(say, path, value, q.allowed);
    return null;
  }
  if (!q.per) return several ? taken : taken[0];
  return several ? taken : new Array(count ?? 1).fill(taken[0]);
}

function takeArray(q: Quantity, value: unknown, path: string, say: Say): any {
  const good = (x: unknown): boolean => Array.isArray(x) && x.length >= q.least && x.every((y) => typeof y === "number" && Number.isFinite(y));
  if (q.ndim === 1 && good(value)) return value;
  if (q.ndim === 2 && Array.isArray(value) && value.length >= q.least && value.every(good) && value.every((r) => r.length === value[0].length)) return value;
  return must(say, path, value, q.allowed);
}

type Taker = (q: Quantity, value: any, path: string, say: Say, before: Values) => any;
const TAKERS: Record<string, Taker> = {
  number: takeNumber,
  angle: takeNumber,
  whole: (q, v, path, say) => (Number.isInteger(v) && bound(q.low) <= v && v <= bound(q.high) ? v : must(say, path, v, q.allowed)),
  choice: (q, v, path, say) => (q.options.includes(v) ? v : must(say, path, v, q.allowed, near(v, q.options))),
  flag: (_q, v, path, say) => (typeof v === "boolean" ? v : must(say, path, v, "true or false")),
  text: (q, v, path, say) =>
    typeof v === "string" && v.length <= q.most && !v.includes("\0") && (!q.plain_words || /^[\p{L}\p{N}_ .()+-]+$/u.test(v)) ? v : must(say, path, v, q.allowed),
  numbers: (q, v, path, say, before) => takeNumbers(q, v, path, say, before, takeNumber),
  vector: (q, v, path, say) =>
    Array.isArray(v) && v.length === q.size && v.every((x) => typeof x === "number" && fits(q.item, x)) ? v : must(say, path, v, q.allowed),
  points: (q, v, path, say, before) =>
    Array.isArray(v) && v.length >= q.least ? v.map((x, k) => TAKERS.vector(q.item, x, `${path}[${k}]`, say, before)) : must(say, path, v, q.allowed),
  array: takeArray,
  joints: (q, v, path, say, before) => {
    if (!Array.isArray(v)) return must(say, path, v, q.allowed);
    const last = (before.links ?? Infinity) - 1;
    const wrong = v.find((x) => !Number.isInteger(x) || x < 1 || x > last);
    if (wrong === undefined) return v;
    say(path, v, q.allowed, `${path} must name joints from 1 to ${last}, got ${shown(wrong)}`);
    return null;
  },
  cells: (q, v, path, say) => {
    const rows = Array.isArray(v) ? v : [];
    const made = rows.map((r) => (typeof r === "string" ? Array.from(r, (c) => (c === "#" ? 1 : c === "." ? 0 : NaN)) : Array.isArray(r) ? r.map(Number) : [NaN]));
    const good = made.length > 0 && made[0].length > 0 && made.every((r) => r.length === made[0].length && r.every((x) => x === 0 || x === 1));
    return good ? made : must(say, path, v, q.allowed);
  },
  jointkinds: (q, v, path, say, before) => {
    const words = JOINT_WORDS;
    if (typeof v === "string") return words.includes(v) ? v : must(say, path, v, `one of ${words.join(", ")}`, near(v, words));
    if (!Array.isArray(v)) return must(say, path, v, q.allowed);
    if (before.links !== undefined && v.length !== before.links - 1) {
      say(path, v, q.allowed, `${path} has ${v.length} values; give one word or one for each of the ${before.links - 1} joints`);
      return null;
    }
    const odd = v.find((x) => !(x in AXES));
    if (odd !== undefined) return must(say, path, odd, q.allowed, near(odd, Object.keys(AXES)));
    return words.find((word) => kindsOf(word, v.length).every((kind, k) => kind === v[k])) ?? v;
  },
  servos: (q, v, path, say, before) => {
    if (!Array.isArray(v)) return takePart(q, v, path, say);
    if (before.links !== undefined && v.length !== before.links - 1) {
      say(path, v, q.allowed, `${path} has ${v.length} values; give one servo or one for each of the ${before.links - 1} joints`);
      return null;
    }
    return v.map((x, k) => (x === null || x === "limp" ? null : takePart(q, x, `${path}[${k}]`, say)));
  },
  functionfield: (_q, v, path, say) => must(say, path, v, "left to Python: the page cannot run functions of your own; run it with the serpenoid command"),
  part: (q, v, path, say) => takePart(q, v, path, say),
  parts: (q, v, path, say) => takeParts(q, v, path, say),
  gaitparts: (q, v, path, say) => takeParts({ ...q, of: { family: "gaits" } }, v, path, say),
};

export const AXES: Record<string, string[]> = {
  yaw: ["yaw"], pitch: ["pitch"], roll: ["roll"], universal: ["yaw", "pitch"], "pitch-yaw": ["pitch", "yaw"], fixed: [],
};
const JOINT_WORDS = ["yaw", "pitch", "alternating", "universal", "pitch-yaw"];

/** The kind of each joint that one word stands for. */
export const kindsOf = (word: string, joints: number): string[] =>
  Array.from({ length: joints }, (_, i) => (word === "alternating" ? ["yaw", "pitch"][i % 2] : word));

function takePart(q: Quantity, value: unknown, path: string, say: Say): any {
  if (!isTable(value)) return must(say, path, value, q.allowed);
  return q.of.family ? readFamily(families[q.of.family], value, path, say) : readShape(classes[q.of.class], value, path, say);
}

const takeParts = (q: Quantity, value: unknown, path: string, say: Say): any =>
  Array.isArray(value) ? value.map((x, k) => takePart(q, x, `${path}[${k}]`, say)) : must(say, path, value, q.allowed);

const join = (path: string, key: string): string => (path ? `${path}.${key}` : key);

let rules: Record<string, Rule> = {};
/** Rules by the name of the class, told by `rules`. */
export function setRules(given: Record<string, Rule>): void {
  rules = given;
}

/** Checked values of the keys that a table gives; unknown keys are reported. */
export function readValues(shape: Shape, table: Values, path: string, say: Say, ignored: readonly string[] = [], before: Values = {}): Values {
  const names = shape.fields.map((f) => f.name);
  const angles = shape.fields.filter((f) => f.angle).map((f) => `${f.name}_deg`);
  for (const key of Object.keys(table)) {
    if (!names.includes(key) && !angles.includes(key) && !ignored.includes(key)) {
      const hint = near(key, [...names, ...angles]) || `; allowed are ${names.join(", ")}`;
      say(join(path, key), table[key], names.join(", "), `${join(path, key)}: unknown key${hint}`);
    }
  }
  const values: Values = {};
  for (const field of shape.fields) {
    const known = { ...before, ...values };
    const degrees = `${field.name}_deg`;
    if (field.angle && degrees in table) {
      if (field.name in table) say(join(path, degrees), table[degrees], "once", `${join(path, degrees)}: given twice, as ${field.name} too`);
      values[field.name] =
        field.type === "numbers"
          ? takeNumbers(field, table[degrees], join(path, degrees), say, known, takeDegrees)
          : takeDegrees(field, table[degrees], join(path, degrees), say);
    } else if (field.name in table) {
      const value = table[field.name];
      if (value !== null) values[field.name] = TAKERS[field.type](field, value, join(path, field.name), say, known);
      else if (field.optional) values[field.name] = null;
      else values[field.name] = must(say, join(path, field.name), value, field.allowed);
    }
  }
  return values;
}

/** A description from its table: checked, defaults filled in, rules obeyed; null if anything is wrong with it. */
export function readShape(shape: Shape, table: unknown, path: string, say: Say, rule = shape.name): Values | null {
  if (!isTable(table)) return must(say, path, table, "a table of keys");
  let failed = false;
  const said: Say = (...args) => {
    failed = true;
    say(...args);
  };
  const values = readValues(shape, table, path, said);
  for (const field of shape.fields) {
    if (field.required && !(field.name in values)) {
      said(join(path, field.name), undefined, field.allowed, `${join(path, field.name)}: missing${field.meaning ? ` (${field.meaning})` : ""}`);
    }
  }
  return failed ? null : built(shape, values, path, said, rule);
}

/** Values with defaults, after the rule of their class. */
export function built(shape: Shape, given: Values, path: string, say: Say, rule = shape.name, context: Values = {}): Values | null {
  const values: Values = {};
  for (const field of shape.fields) {
    if (field.name in given) values[field.name] = given[field.name];
    else if (field.default === null || field.default === undefined) values[field.name] = null;
    else {
      const quiet: Say = (where, value, allowed, text) => say(where, value, allowed, text);
      values[field.name] = TAKERS[field.type](field, structuredClone(field.default), join(path, field.name), quiet, values);
    }
  }
  try {
    rules[rule]?.(values, context);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(path, undefined, "", path ? `${path}: ${error.message}` : error.message);
    return null;
  }
  return values;
}

/** A description of the kind that its table names; `kind` of the values is that name. */
export function readFamily(family: Family, table: unknown, path: string, say: Say): Values | null {
  const names = Object.keys(family.members);
  if (!isTable(table)) return must(say, path, table, `a table with the key ${family.tag}`);
  const name = table[family.tag];
  const where = join(path, family.tag);
  if (name === undefined) {
    say(where, undefined, names.join(", "), `${where}: missing; one of ${names.join(", ")}`);
    return null;
  }
  if (typeof name === "string" && /:/.test(name)) {
    say(where, name, names.join(", "), `${where}: the page cannot run ${name}, which is code of your own; run it with the serpenoid command`);
    return null;
  }
  const shape = typeof name === "string" ? family.members[name] : undefined;
  if (!shape) return must(say, where, name, `one of ${names.join(", ")}`, near(name, names));
  if (shape.outside) {
    say(where, name, names.join(", "), `${where}: the page cannot run a ${family.name} of one's own function; run it with the serpenoid command`);
    return null;
  }
  const rest = { ...table };
  delete rest[family.tag];
  const own = shape.fields.flatMap((f) => (f.angle ? [f.name, `${f.name}_deg`] : [f.name]));
  for (const key of Object.keys(rest).filter((k) => !own.includes(k))) {
    const others = names.filter((n) => family.members[n].fields.some((f) => f.name === key || (f.angle && `${f.name}_deg` === key)));
    if (others.length) {
      say(join(path, key), rest[key], own.join(", "), `${join(path, key)}: the ${family.name} ${name} has no such key; it is one of ${others.join(", ")}`);
      delete rest[key];
    }
  }
  const values = readShape(shape, rest, path, say);
  return values && { [family.tag]: name, KIND: shape.kind, DRY: shape.dry, ...values };
}

/** Collect what is said; `raise` throws it all. */
export function listener(): { say: Say; problems: Problem[]; raise: () => void } {
  const problems: Problem[] = [];
  const say: Say = (path, value, allowed, text) => {
    const said = text ?? `${path}: ${allowed}`;
    if (problems.length < 1000 && !problems.some((p) => p.text === said)) problems.push({ path, value: value === undefined ? "" : shown(value), allowed, text: said });
  };
  return {
    say,
    problems,
    raise: () => {
      if (problems.length) throw new InputError(problems);
    },
  };
}
