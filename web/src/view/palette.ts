/** Colours of the view in light and dark; pairs differ in lightness too, and none needs red against green. */
import { Color } from "three";

export interface Palette {
  sky: string;
  ground: string;
  minor: string;
  major: string;
  axis: string;
  ink: string;
  solid: string;
  solidEdge: string;
}

export const LIGHT: Palette = {
  sky: "#eef1f5", ground: "#e6eaef", minor: "#dae0e7", major: "#c6ced8", axis: "#9aa6b6", ink: "#39424f", solid: "#a9b4c2", solidEdge: "#7d8a9b",
}; // prettier-ignore
export const DARK: Palette = {
  sky: "#12161c", ground: "#171c24", minor: "#222a35", major: "#33404f", axis: "#4b5b70", ink: "#b8c3d1", solid: "#4a5666", solidEdge: "#6d7c90",
}; // prettier-ignore

export const FRICTION = "#c2399b"; // arrows of friction
export const NORMAL = "#5b8fd9"; // arrows of the ground's support
export const WALL = "#e0701a"; // arrows of obstacles
export const PIN = "#d64500";
export const TARGET = "#0a8f8f";
export const START = "#7a4fd0";
export const FIRST_BODY = "#2b6cb0";
export const SECOND_BODY = "#b98300";

const STOPS: [number, string][] = [
  [0, "#2f86c8"], // holds: blue
  [0.25, "#6fa8b4"],
  [0.5, "#cfc27a"],
  [0.75, "#f2ab3c"],
  [1, "#f06c12"], // slips: orange
];
const TABLE = Array.from({ length: 65 }, (_, i) => {
  const x = i / 64;
  const k = Math.min(STOPS.findIndex(([at], j) => j > 0 && x <= at), STOPS.length - 1);
  const [a, from] = STOPS[k - 1 < 0 ? 0 : k - 1];
  const [b, to] = STOPS[k < 1 ? 1 : k];
  return new Color(from).lerp(new Color(to), b > a ? (x - a) / (b - a) : 0);
});

/** Colour of a slip between 0 (holds) and 1. */
export function slipColour(share: number): Color {
  return TABLE[Math.round(Math.min(Math.max(share, 0), 1) * 64)];
}

export function slipGradient(): string {
  return `linear-gradient(to right, ${STOPS.map(([at, c]) => `${c} ${100 * at}%`).join(", ")})`;
}

export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
}
