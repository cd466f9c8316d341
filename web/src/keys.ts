/** The keyboard: time, cameras, what is drawn, back and forth. */
import { SPEEDS } from "./clock";
import { byId, el } from "./dom";
import type { Overlay } from "./overlay";
import type { Studio } from "./studio";
import type { Timeline } from "./timeline";
import { CAMERA_MODES } from "./view/cameras";
import type { Look } from "./view/stage";

const LOOKS: { [key: string]: keyof Look } = { f: "forces", s: "slip", t: "trail" };
const HELP: [string, string][] = [
  ["Space", "play or pause"],
  [", .", "one frame back, one frame on"],
  ["← →", "one second back, one second on; steer while driving"],
  ["Home End", "start, end"],
  ["- +", "slower, faster"],
  ["1 2 3 4", "follow, orbit, top and side camera"],
  ["F S T", "forces, slip, trail"],
  ["Ctrl+Z, Ctrl+Shift+Z", "undo, redo"],
  ["drag in a plot", "move the time"],
  ["drag in the view", "turn; with the right button shift; wheel: nearer"],
];

function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches("input, select, textarea") || target.isContentEditable);
}

export function listen(studio: Studio, timeline: Timeline, overlay: Overlay | null): void {
  document.addEventListener("keydown", (event) => {
    const { key } = event;
    if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === "z" && !(event.target instanceof HTMLInputElement && event.target.type === "text")) {
      event.preventDefault();
      if (event.shiftKey) studio.doc.redo();
      else studio.doc.undo();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || document.querySelector("dialog[open]")) return;
    if (studio.driving && key.startsWith("Arrow")) return; // the driver's
    if (press(key, studio, timeline, overlay, event.target)) event.preventDefault();
  });
}

function press(key: string, studio: Studio, timeline: Timeline, overlay: Overlay | null, target: EventTarget | null): boolean {
  const { clock } = studio;
  const camera = CAMERA_MODES[Number(key) - 1];
  const look = LOOKS[key.toLowerCase()];
  if (key === " " && !(target instanceof HTMLButtonElement || (target instanceof HTMLElement && target.matches("summary")))) clock.play(!clock.playing);
  else if (key === "," || key === ".") timeline.step(key === "," ? -1 : 1);
  else if (key === "ArrowLeft" || key === "ArrowRight") clock.seek(clock.time + (key === "ArrowLeft" ? -1 : 1));
  else if (key === "Home") clock.seek(0);
  else if (key === "End") clock.seek(Infinity);
  else if (key === "-" || key === "+" || key === "=") {
    const at = SPEEDS.indexOf(clock.speed) + (key === "-" ? -1 : 1);
    if (SPEEDS[at] !== undefined) clock.setSpeed(SPEEDS[at]);
  } else if (camera) studio.camera(camera);
  else if (look && overlay) overlay.toggle(look);
  else if (key === "?") showHelp();
  else return false;
  return true;
}

export function showHelp(): void {
  const keys = el("dl");
  for (const [key, meaning] of HELP) keys.append(el("dt", {}, ...key.split(" ").map((k) => (/^[a-z]/.test(k) ? el("span", {}, `${k} `) : el("kbd", {}, k)))), el("dd", {}, meaning));
  const about = el("p", {}, "The motion is computed in this page by the compiled physics of serpenoid; nothing is sent anywhere. “Share” gives the whole state as one file, as a link, or as a command.");
  dialog("Keys and help", keys, about);
}

/** A dialog with a title; closes by its button, by Escape, or by a click beside it. */
export function dialog(title: string, ...content: Node[]): HTMLDialogElement {
  const made = el("dialog", { "aria-label": title }, el("h2", {}, title), ...content);
  made.append(el("button", { type: "button", class: "close", onclick: () => made.close() }, "Close"));
  made.addEventListener("click", (event) => {
    if (event.target === made) made.close();
  });
  made.addEventListener("close", () => {
    document.body.append(byId("toast")); // a message may have come to lie in it
    made.remove();
  });
  byId("dialogs").append(made);
  made.showModal();
  return made;
}
