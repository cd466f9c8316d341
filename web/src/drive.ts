/** Drive the robot live: arrow keys (or buttons) steer the gait while it runs. */
import { el, say } from "./dom";
import type { Description } from "./engine/types";
import type { Studio } from "./studio";
import { isTable, put } from "./tables";

const TURN = 0.25; // rad per press
const MOST_TURN = 2.0; // rad
const RELAX = 0.6; // of the turn is left each time when no key is held
const SHARE = 0.1; // of the pace per press
const PACES = ["speed", "frequency"];
const LONG = 120; // s, of memory set aside at first; driving goes on beyond it

export class Driver {
  private turn = 0;
  private pace: { key: string; value: number; begin: number } | null = null;
  private canTurn = false;
  private held = new Set<string>();
  private timer = 0;
  private readonly box = el("div", { class: "over drive", hidden: true });
  private readonly readout = el("span", { class: "chip" });

  constructor(
    view: HTMLElement,
    private readonly studio: Studio,
  ) {
    const arrow = (label: string, key: string, text: string): HTMLButtonElement => {
      const button = el("button", { type: "button", class: "icon", "aria-label": label }, text);
      button.addEventListener("pointerdown", () => this.press(key));
      button.addEventListener("pointerup", () => this.release(key));
      button.addEventListener("pointerleave", () => this.release(key));
      return button;
    };
    const stop = el("button", { type: "button", class: "primary", onclick: () => studio.endDrive() }, "Stop driving");
    this.box.append(arrow("Left", "ArrowLeft", "←"), arrow("Faster", "ArrowUp", "↑"), arrow("Slower", "ArrowDown", "↓"), arrow("Right", "ArrowRight", "→"), this.readout, stop);
    view.append(this.box);
    document.addEventListener("keydown", (event) => {
      if (!studio.driving || !event.key.startsWith("Arrow")) return;
      event.preventDefault();
      if (!event.repeat) this.press(event.key);
    });
    document.addEventListener("keyup", (event) => this.release(event.key));
    studio.on("mode", () => this.refresh());
  }

  /** Whether the present description can be driven: a gait with a pace. */
  static possible(description: Description): boolean {
    const gait = description.gait;
    return isTable(gait) && PACES.some((key) => typeof gait[key] === "number");
  }

  start(): void {
    let description = this.studio.doc.description;
    for (const [path, value] of [[["gait", "stop_time"], undefined], [["run", "duration"], LONG], [["run", "record_interval"], 0.02]] as const) {
      description = put(description, [...path], value) as Description;
    }
    this.turn = 0;
    this.held.clear();
    this.studio.drive(description, (steerable) => {
      this.canTurn = "turn" in steerable;
      const key = PACES.find((k) => k in steerable);
      const pace = Number((description.gait as Description)[key ?? ""]); // as described: at first the gait is still speeding up
      this.pace = key ? { key, value: pace, begin: pace } : null;
      if (!this.canTurn && !this.pace) say("this gait has nothing that can be steered while it runs", "error");
      this.refresh();
    });
    window.clearInterval(this.timer);
    this.timer = window.setInterval(() => this.repeat(), 150);
  }

  private press(key: string): void {
    this.held.add(key);
    this.act(key);
  }

  private release(key: string): void {
    this.held.delete(key);
  }

  private repeat(): void {
    if (!this.studio.driving) return window.clearInterval(this.timer);
    for (const key of this.held) this.act(key);
    if (this.turn !== 0 && !this.held.has("ArrowLeft") && !this.held.has("ArrowRight")) {
      this.turn = Math.abs(this.turn) < 0.02 ? 0 : this.turn * RELAX;
      this.send();
      this.refresh();
    }
  }

  /** All that is steered, together: what is steered while the gait speeds up must not leave it slow. */
  private send(): void {
    this.studio.steer({ ...(this.canTurn ? { turn: this.turn } : {}), ...(this.pace ? { [this.pace.key]: this.pace.value } : {}) });
  }

  private act(key: string): void {
    if (this.canTurn && (key === "ArrowLeft" || key === "ArrowRight")) {
      this.turn = Math.min(Math.max(this.turn + (key === "ArrowLeft" ? TURN : -TURN), -MOST_TURN), MOST_TURN);
      this.send();
    }
    if (this.pace && (key === "ArrowUp" || key === "ArrowDown")) {
      const size = Math.abs(this.pace.begin) || 1;
      const next = this.pace.value + (key === "ArrowUp" ? SHARE : -SHARE) * size;
      this.pace.value = Math.min(Math.max(next, -2 * size), 2 * size);
      this.send();
    }
    this.refresh();
  }

  private refresh(): void {
    this.box.hidden = !this.studio.driving;
    const parts = ["Arrow keys steer"];
    if (this.canTurn) parts.push(`turn ${Math.round((this.turn * 180) / Math.PI)} deg`);
    if (this.pace) parts.push(`${this.pace.key} ${this.pace.value.toFixed(2)} ${this.pace.key === "speed" ? "m/s" : "rad/s"}`);
    this.readout.textContent = parts.join(" · ");
  }
}
