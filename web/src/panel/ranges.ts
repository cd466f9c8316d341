/** How far a slider reaches: a comfortable stretch within what is allowed; any allowed number can still be typed. */
import { bound, highest, lowest, type Declared } from "../declarations";

const DEG = Math.PI / 180;
const USUAL: { [name: string]: [number, number, number] } = {
  winding_angle: [0, 110 * DEG, 1 * DEG],
  waves: [0.5, 4, 0.05],
  "gait.speed": [0, 2, 0.02],
  "friction.along": [0, 1, 0.005],
  "friction.across": [0, 1.5, 0.01],
  "friction.backward": [0, 1.5, 0.01],
  links: [3, 60, 1],
  duration: [1, 60, 0.5],
  amplitude: [0, 90 * DEG, 1 * DEG],
  lift_amplitude: [0, 60 * DEG, 1 * DEG],
  vertical_amplitude: [0, 60 * DEG, 1 * DEG],
  frequency: [-8, 8, 0.05],
  phase_per_joint: [-120 * DEG, 120 * DEG, 1 * DEG],
  slope: [0, 40 * DEG, 0.5 * DEG],
  gravity: [0, 20, 0.1],
  ramp: [0, 5, 0.1],
  turn: [-90 * DEG, 90 * DEG, 1 * DEG],
};

export interface Reach {
  low: number;
  high: number;
  step: number;
}

export function reach(field: Declared, path: string, value: number): Reach {
  const usual = USUAL[path.split(".").slice(-2).join(".")] ?? USUAL[field.name];
  const [least, most] = [lowest(field), highest(field)];
  let [low, high, step] = usual ?? guess(field, value, least, most);
  low = Math.max(Math.min(low, value), least);
  high = Math.min(Math.max(high, value), most);
  if (bound(field.above, -Infinity) === least && low <= least) low = Math.min(least + step, high); // the bound itself is not allowed
  return { low, high, step };
}

function guess(field: Declared, value: number, least: number, most: number): [number, number, number] {
  if (field.angle) return [Math.max(least, -Math.PI), Math.min(most, Math.PI), DEG];
  if (Number.isFinite(least) && Number.isFinite(most) && most - least <= 100) return [least, most, field.type === "whole" ? 1 : nice((most - least) / 200)];
  const standard = typeof field.default === "number" ? Math.abs(field.default) : 0;
  const size = Math.max(Math.abs(value), standard) || 1;
  const low = value < 0 && !(least >= 0) ? -3 * size : Math.max(least, 0);
  return [low, 3 * size, field.type === "whole" ? 1 : nice((3 * size) / 150)];
}

function nice(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return ([1, 2, 5, 10].find((k) => k * power >= step) ?? 10) * power;
}
