/** The declarations of Python: fields with unit, bounds, default and meaning; families; presets; metrics; bundled scenarios. */
import type { Description, FieldDeclaration, Json } from "./engine/types";

export interface Declared extends FieldDeclaration {
  angle: boolean;
  low?: number | string;
  high?: number | string;
  above?: number | string;
  below?: number | string;
  words?: string[];
  options?: string[];
  size?: number;
  of?: { class?: string; family?: string } | null;
  item?: Declared;
}

export interface ClassDeclaration {
  name: string;
  meaning: string;
  fields: Declared[];
  outside?: boolean;
}

export interface FamilyDeclaration {
  name: string;
  tag: string;
  members: { [name: string]: ClassDeclaration };
}

export interface Declarations {
  version: string;
  classes: { [name: string]: ClassDeclaration };
  families: { [name: string]: FamilyDeclaration };
  commands: { [name: string]: string[] };
  presets: { [name: string]: { meaning: string; parameters: { [name: string]: Json } } };
  metrics: { [name: string]: { unit: string; formula: string } };
  scenarios: { [name: string]: { description: Description; full: Description } };
}

/** A bound as a number; "-inf" and "inf" stand for none. */
export function bound(value: number | string | undefined, none: number): number {
  if (typeof value === "number") return value;
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  return none;
}

export function lowest(field: Declared): number {
  return Math.max(bound(field.low, -Infinity), bound(field.above, -Infinity));
}

export function highest(field: Declared): number {
  return Math.min(bound(field.high, Infinity), bound(field.below, Infinity));
}

/** What is wrong with a number for a field, in words; null: nothing. */
export function problem(field: Declared, value: number): string | null {
  const inside = value >= bound(field.low, -Infinity) && value <= bound(field.high, Infinity);
  const fits = Number.isFinite(value) && inside && value > bound(field.above, -Infinity) && value < bound(field.below, Infinity);
  if (!fits) return `must be ${allowed(field)}, got ${shownNumber(field, value)}`;
  if (field.type === "whole" && !Number.isInteger(value)) return `must be a whole number, got ${value}`;
  return null;
}

function shownNumber(field: Declared, value: number): string {
  return field.angle ? `${Number(((value * 180) / Math.PI).toPrecision(6))} deg` : String(value);
}

/** What is allowed, with the bounds of angles in degrees as the panel shows them. */
export function allowed(field: Declared): string {
  if (!field.angle) return field.allowed.replace(/^finite and /, "").replace(/^finite/, "a finite number");
  const degrees = (x: number): string => String(Number(((x * 180) / Math.PI).toPrecision(4)));
  const [low, high] = [lowest(field), highest(field)];
  return `between ${degrees(low)} and ${degrees(high)} deg`;
}
