/** Play, step, speed and a line of time that can be dragged; with marks where something happened. */
import type { Clock } from "./clock";
import { SPEEDS } from "./clock";
import { el, icon } from "./dom";
import type { Motion } from "./motion";

const PLAY = "M8 5v14l11-7z";
const PAUSE = "M6 5h4v14H6zm8 0h4v14h-4z";
const BACK = "M6 5h2v14H6zm3.5 7 8.5 7V5z";
const AHEAD = "M16 5h2v14h-2zM6 19l8.5-7L6 5z";

export class Timeline {
  private readonly play: HTMLButtonElement;
  private readonly bar: HTMLInputElement;
  private readonly readout = el("output", { class: "time" });
  private readonly marks = el("div", { class: "marks" });
  private readonly filled = el("div", { class: "filled" });
  private motion: Motion | null = null;
  private readonly controls: (HTMLButtonElement | HTMLInputElement | HTMLSelectElement)[];

  constructor(
    box: HTMLElement,
    private readonly clock: Clock,
  ) {
    this.play = el("button", { class: "play", type: "button", "aria-label": "Play", title: "Play or pause (space)", onclick: () => clock.play(!clock.playing) });
    this.bar = el("input", { type: "range", min: 0, max: 1000, step: 1, value: 0, "aria-label": "Time", id: "scrub" });
    this.bar.addEventListener("input", () => {
      clock.play(false);
      clock.seek((Number(this.bar.value) / 1000) * this.end());
    });
    const speed = el("select", { "aria-label": "Speed of the playback", title: "Speed of the playback", id: "speed" });
    for (const value of SPEEDS) speed.append(el("option", { value }, `${value}x`));
    speed.value = "1";
    speed.addEventListener("change", () => clock.setSpeed(Number(speed.value)));
    const step = (label: string, path: string, by: number): HTMLButtonElement =>
      el("button", { type: "button", class: "icon", "aria-label": label, title: `${label} (${by < 0 ? "," : "."})`, onclick: () => this.step(by) }, icon(path));
    const track = el("div", { class: "track" }, this.filled, this.marks, this.bar);
    const [back, ahead] = [step("One frame back", BACK, -1), step("One frame on", AHEAD, 1)];
    box.append(this.play, back, ahead, track, this.readout, speed);
    this.controls = [this.play, back, ahead, this.bar, speed];
    clock.on("time", () => this.show());
    clock.on("playing", () => this.showPlaying());
    clock.on("speed", (value) => (speed.value = String(value)));
    this.showPlaying();
  }

  private end(): number {
    return Math.max(this.clock.reach().end, this.motion?.done ? 0 : (this.motion?.facts.duration ?? 0)); // of two runs the longer one
  }

  step(by: number): void {
    if (!this.motion) return;
    this.clock.play(false);
    const { frame, share } = this.motion.place(this.clock.time);
    const next = Math.min(Math.max(Math.round(frame + share) + by, 0), this.motion.count - 1);
    this.clock.seek(this.motion.time[next]);
  }

  set(motion: Motion): void {
    this.motion = motion;
    this.enable(true);
    this.marks.replaceChildren();
    const end = this.end() || 1;
    for (const event of motion.events.slice(0, 300)) {
      const mark = el("span", { title: `${event.time.toFixed(2)} s: ${event.text}`, class: event.kind });
      mark.style.left = `${(100 * event.time) / end}%`;
      this.marks.append(mark);
    }
    this.show();
  }

  /** Nothing to play. */
  clear(): void {
    this.motion = null;
    this.marks.replaceChildren();
    this.enable(false);
    this.show();
  }

  private enable(on: boolean): void {
    for (const control of this.controls) control.disabled = !on;
  }

  show(): void {
    const end = this.end() || 1;
    this.bar.value = String(Math.round((1000 * this.clock.time) / end));
    this.bar.setAttribute("aria-valuetext", `${this.clock.time.toFixed(2)} s`);
    this.filled.style.width = `${(100 * (this.motion?.end ?? 0)) / end}%`;
    this.readout.textContent = !this.motion ? "" : `${this.clock.time.toFixed(2)} / ${end.toFixed(end < 100 ? 1 : 0)} s`;
  }

  private showPlaying(): void {
    this.play.replaceChildren(icon(this.clock.playing ? PAUSE : PLAY));
    this.play.setAttribute("aria-label", this.clock.playing ? "Pause" : "Play");
  }
}
