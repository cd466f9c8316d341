/** Plain data of descriptions: reading, changing and comparing by path, without touching what was given. */
import type { Description, Json } from "./engine/types";

export type Path = (string | number)[];

export function isTable(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function get(from: Json | undefined, path: Path): Json | undefined {
  let here: Json | undefined = from;
  for (const key of path) {
    if (Array.isArray(here)) here = here[Number(key)];
    else if (isTable(here)) here = here[key];
    else return undefined;
  }
  return here;
}

/** A copy in which the value at a path is another; undefined removes it. */
export function put(from: Json | undefined, path: Path, value: Json | undefined): Json {
  if (!path.length) return value ?? null;
  const [key, ...rest] = path;
  if (Array.isArray(from)) {
    const list = [...from];
    list[Number(key)] = put(list[Number(key)], rest, value);
    return list;
  }
  const table = { ...(isTable(from) ? from : {}) };
  if (!rest.length && value === undefined) delete table[key];
  else table[key] = put(table[key], rest, value);
  return table;
}

/** The same with angles in radians only: `name_deg` becomes `name`. */
export function inRadians(value: Json): Json {
  if (Array.isArray(value)) return value.map(inRadians);
  if (!isTable(value)) return value;
  const made: { [key: string]: Json } = {};
  for (const [key, item] of Object.entries(value)) {
    const turned = key.endsWith("_deg") ? degrees(item) : undefined;
    if (turned !== undefined) made[key.slice(0, -4)] = turned;
    else made[key] = inRadians(item);
  }
  return made;
}

function degrees(value: Json): Json | undefined {
  if (typeof value === "number") return (value * Math.PI) / 180;
  if (Array.isArray(value) && value.every((x) => typeof x === "number")) return value.map((x) => ((x as number) * Math.PI) / 180);
  return undefined;
}

const TAGS = ["kind", "law"];

/** What must change in `from` to make `to`: path and value; undefined: removed. */
export function differences(from: Json | undefined, to: Json | undefined, path: string[] = []): [string, Json | undefined][] {
  if (isTable(from) && isTable(to) && TAGS.every((tag) => from[tag] === to[tag])) {
    const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...keys].flatMap((key) => differences(from[key], to[key], [...path, key]));
  }
  return JSON.stringify(from) === JSON.stringify(to) ? [] : [[path.join("."), to]];
}

export function changed(from: Description, changes: [string, Json | undefined][]): Description {
  return changes.reduce((made, [path, value]) => put(made, path.split("."), value) as Description, from);
}
