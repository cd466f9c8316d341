/** Shapes of the list: what they are called, their numbers, and how those are declared for the panel. */
import type { Declared } from "./declarations";
import type { Description } from "./engine/types";

export const SHAPES: { [name: string]: { title: string; description: Description } } = {
  "shape-helix": { title: "Shape: helix", description: { title: "A helix and its models", shape: { kind: "helix", model: "bellows", curvature: 2, torsion: 0.7, length: 5, roll: 0 } } },
  "shape-serpenoid": { title: "Shape: serpenoid curve", description: { title: "The serpenoid curve", shape: { kind: "serpenoid", model: "bellows", yaw: Math.PI / 4, waves: 2, length: 1.6, roll: 0 } } },
  "shape-serpenoid3d": {
    title: "Shape: serpenoid in space",
    description: { title: "Yaw and pitch waves", shape: { kind: "serpenoid3d", model: "bellows", yaw: 0.7, waves: 2, pitch: 0.26, pitch_waves: 4, phase: Math.PI / 2, length: 2, roll: 0 } },
  },
};

const number = (name: string, unit: string, meaning: string, low: number, high: number, angle = false): Declared => ({ name, type: angle ? "angle" : "number", unit, meaning, allowed: `>= ${low} and <= ${high}${unit ? ` ${unit}` : ""}`, optional: false, required: true, angle, low, high });

const FIELDS: Declared[] = [
  { name: "model", type: "choice", unit: "", meaning: "which frame is carried along the same backbone", allowed: "bellows, frenet, complete", optional: false, required: true, angle: false, options: ["bellows", "frenet", "complete"] },
  number("roll", "rad", "lateral rolling: the body turned about its backbone", -Math.PI, Math.PI, true),
  number("curvature", "1/m", "of the helix", -20, 20),
  number("torsion", "1/m", "of the helix", -20, 20),
  number("yaw", "rad", "largest heading of the yaw wave", -Math.PI, Math.PI, true),
  number("waves", "", "yaw waves on the body", 0.1, 10),
  number("pitch", "rad", "largest slope of the pitch wave", -Math.PI, Math.PI, true),
  number("pitch_waves", "", "pitch waves on the body", 0.1, 20),
  number("phase", "rad", "of the pitch wave", -Math.PI, Math.PI, true),
  number("length", "m", "of the backbone", 0.1, 20),
];

/** Fields of the shape of a description. */
export function shapeFields(shape: Description): Declared[] {
  return FIELDS.filter((field) => shape[field.name] !== undefined);
}
