/** One line per scenario that says what to try; some can be done by one button. */
import type { Description, Json } from "./engine/types";
import { get, isTable } from "./tables";

export interface Deed {
  label: string;
  changes(description: Description): [string, Json][];
}

/** Friction that is the same in all directions: as much across the body as along it, and the two of one law, not each for itself. */
const DEEDS: { [name: string]: Deed } = {
  creep: {
    label: "Show me",
    changes: (description) => [
      ["world.friction.across", get(description, ["world", "friction", "along"]) ?? 0.1],
      ["world.friction.axes", "together"],
    ],
  },
};

export function deed(name: string): Deed | null {
  return DEEDS[name] ?? null;
}

const HINTS: { [name: string]: string } = {
  creep: "Try: the same friction in all directions. The body still waves, but it slips sideways and hardly goes forward.",
  "ma2001-case-one": "Try: set waves to 2 and the winding angle to 45 degrees, as in case two.",
  "ma2001-case-two": "Try: change the winding angle and watch distance and torque go against each other.",
  "ma2001-torque": "Try: raise the amplitude. Torques instead of angles: the body finds its own shape.",
  "ma2001-torque-damped": "Try: take the damping of the joints away.",
  "ma2001-spatial": "Try: look from the side, and turn the friction across down.",
  sidewind: "Try: move the phase offset. It decides which way the body goes.",
  "sidewind-rolling": "Try: the side camera, and a vertical amplitude of 10 degrees.",
  "sinus-lifting": "Try: set the lift amplitude to 0 and compare the speed.",
  rectilinear: "Try: reverse the frequency: the wave, and the body, go backward.",
  pole: "Try: lower the friction until the helix slides down the pole.",
  slope: "Try: a steeper slope. Where does it begin to slide back?",
  concertina: "Try: drag the target or the disc; the plan is made anew.",
  "shape-helix": "Try: change the model. The backbone stays, the line along the back shows how its frame turns.",
  "shape-serpenoid": "Try: change the roll, then look from the side.",
  "shape-serpenoid3d": "Try: the Frenet-Serret model: its frame turns fast where the curve is nearly straight.",
  pegs: "Try: take a peg and drag it away. The friction is the same in all directions: only the pegs carry the body forward.",
  "sea-snake": "Try: both temporal frequencies at 5 rad/s, those of CMU. It goes faster here; joints of 2.2 rad/s could not follow.",
  "sea-snake-slope": "Try: a slope of 25 degrees, then one of 30: where does it roll down?",
  maze: "Try: move start and goal, or paint a wall, and plan again.",
};

export function hint(name: string, description: Description, server: boolean, shown: "runs" | "still" | "recorded" | "waits"): string {
  if (shown === "still") return "Try: turn it with the mouse, or look from above.";
  if (shown === "recorded") return "A recorded run. Try: move the time, or a click in a plot.";
  if (isTable(description.plan) && !server) return "The task is shown as it stands. Its plan is made by the local server.";
  if (shown === "waits" && !isTable(description.plan)) return server ? "Try: Run on the server. The page cannot carry it out by itself." : "The robot is described as it stands. It is carried out by the local server.";
  return HINTS[name] ?? "Try: drag a slider. The motion follows while you drag.";
}

export function group(description: Description): string {
  if (isTable(description.plan)) return "Plans";
  return isTable(get(description, ["world", "ground"])) ? "In space" : "In the plane";
}

/** Titles short enough for a list. */
const TITLES: { [name: string]: string } = {
  creep: "Creeping, 20 links",
  "ma2001-case-one": "Ma 2001, case one",
  "ma2001-case-two": "Ma 2001, case two",
  "ma2001-torque": "Ma 2001, torques",
  "ma2001-torque-damped": "Ma 2001, torques, damped",
  "ma2001-spatial": "Ma 2001, in space",
  sidewind: "Sidewinding",
  "sidewind-rolling": "Sidewinding and rolling",
  "sinus-lifting": "Sinus lifting",
  rectilinear: "Rectilinear",
  pole: "Climbing a pole",
  slope: "Sidewinding up a slope",
  pegs: "Pushing against pegs",
  "sea-snake": "SEA Snake, sidewinding",
  "sea-snake-slope": "SEA Snake up a slope",
  concertina: "Concertina to a target",
  maze: "Through a maze",
};

export function shortTitle(name: string, title: string): string {
  return TITLES[name] ?? title;
}
