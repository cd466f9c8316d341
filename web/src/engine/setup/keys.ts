/** A description with every key written out, as Python's `keys()`. */
import type { Description } from "../types";
import { classes, families, type Shape, type Values } from "./declared";
import type { Setup } from "./description";

function plain(field: any, value: any): any {
  if (value === Infinity) return "none";
  if (field.type === "numbers" && Array.isArray(value)) {
    const items = value.map((x) => (x === Infinity ? "none" : x));
    return field.per && items.every((x) => x === items[0]) ? items[0] : items;
  }
  if (field.type === "part" || (field.type === "servos" && !Array.isArray(value))) return keysOf(field.of, value);
  if (field.type === "servos") return value.map((x: Values | null) => (x === null ? "limp" : keysOf(field.of, x)));
  if (field.type === "parts") return value.map((x: Values) => keysOf(field.of, x));
  if (field.type === "gaitparts") return value.map((x: Values) => keysOf({ family: "gaits" }, x));
  if (field.type === "cells") return value.map((row: number[]) => row.map((x) => (x ? "#" : ".")).join(""));
  return structuredClone(value);
}

function keysOf(of: { family?: string; class?: string }, values: Values): Values {
  if (!of.family) return keysOfShape(classes[of.class!], values);
  const { tag, members } = families[of.family];
  return { [tag]: values[tag], ...keysOfShape(members[values[tag]], values) };
}

function keysOfShape(shape: Shape, values: Values): Values {
  const made: Values = {};
  for (const field of shape.fields) if (values[field.name] !== null) made[field.name] = plain(field, values[field.name]);
  return made;
}

/** The scenario that says the same. */
export function fullKeys(setup: Setup): Description {
  const made: Values = setup.title === null ? {} : { title: setup.title };
  made.robot = keysOf({ class: "Robot" }, setup.robot);
  if (setup.drive) made.drive = keysOf({ family: "drives" }, setup.drive);
  const gait = setup.gait ?? setup.posture;
  if (gait) made.gait = keysOf({ family: "gaits" }, gait);
  return { ...made, world: keysOf({ class: "World" }, setup.world), start: keysOf({ class: "Start" }, setup.start), run: keysOf({ class: "Settings" }, setup.settings) };
}
