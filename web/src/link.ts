/**
 * The whole state as the fragment of the address: a link is a result.
 *
 *   #creep&gait.winding_angle=0.9&world.friction.across=0.7&.t=2.5&.camera=top
 *
 * The name of a scenario, then what differs from it (values as JSON, `~` for a key taken away), then how it is looked at (keys with a dot).
 * A scenario that is not bundled comes along whole (`.base`).
 */
import type { Description, Json } from "./engine/types";

export interface LinkState {
  name: string;
  base: Description | null;
  changes: [string, Json | undefined][];
  view: { [key: string]: string };
}

export function written(state: LinkState): string {
  const parts = [encodeURIComponent(state.name)];
  for (const [path, value] of state.changes) parts.push(`${encodeURIComponent(path)}=${value === undefined ? "~" : encodeURIComponent(JSON.stringify(value))}`);
  if (state.base) parts.push(`.base=${encodeURIComponent(JSON.stringify(state.base))}`);
  for (const [key, value] of Object.entries(state.view)) if (value) parts.push(`.${key}=${encodeURIComponent(value)}`);
  return `#${parts.join("&")}`;
}

/** The state of a fragment; null where there is none; an Error that names the part that cannot be read. */
export function read(fragment: string): LinkState | null {
  const text = fragment.replace(/^#/, "");
  if (!text) return null;
  const [name, ...parts] = text.split("&");
  const state: LinkState = { name: decodeURIComponent(name), base: null, changes: [], view: {} };
  for (const part of parts) {
    const at = part.indexOf("=");
    if (at < 1) throw new Error(`the link holds "${part}", which has no value`);
    const key = decodeURIComponent(part.slice(0, at));
    const value = decodeURIComponent(part.slice(at + 1));
    if (key === ".base") state.base = table(parsed(value, key));
    else if (key.startsWith(".")) state.view[key.slice(1)] = value;
    else if (/__proto__|constructor|prototype/.test(key)) throw new Error(`the link holds the key "${key}", which no description has`);
    else state.changes.push([key, value === "~" ? undefined : parsed(value, key)]);
  }
  return state;
}

function table(value: Json): Description {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("the link gives .base, a whole scenario, as something that is no table");
  return value;
}

function parsed(text: string, key: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Error(`the link gives ${key} the value "${text.slice(0, 40)}", which is no number, text or list in JSON`);
  }
}
