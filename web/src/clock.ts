/** The time that is shown: it passes while it plays, and stands where it is put. */
import { Emitter } from "./emitter";

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8];

export class Clock extends Emitter<{ time: number; playing: boolean; speed: number }> {
  time = 0;
  playing = false;
  speed = 1;
  loop = true;
  /** How far the motion reaches by now, and whether more of it will come. */
  reach: () => { end: number; growing: boolean } = () => ({ end: 0, growing: false });
  private last: number | null = null;
  private rest = 0; // s left at the end before the next round

  /** Let the time pass to this instant (ms of the page). */
  tick(now: number): void {
    const passed = this.last === null ? 0 : Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    if (!this.playing) return;
    const { end, growing } = this.reach();
    let next = this.time + passed * this.speed;
    if (next >= end) {
      next = end;
      if (!growing && end > 0) {
        this.rest += passed;
        if (this.rest > 0.7) {
          this.rest = 0;
          if (this.loop) next = 0;
          else this.play(false);
        }
      }
    } else this.rest = 0;
    this.put(next);
  }

  private put(time: number): void {
    if (time === this.time) return;
    this.time = time;
    this.emit("time", time);
  }

  seek(time: number): void {
    const { end } = this.reach();
    this.rest = 0;
    this.put(Math.min(Math.max(time, 0), end));
  }

  play(on: boolean): void {
    if (on === this.playing) return;
    if (on && this.time >= this.reach().end) this.seek(0);
    this.playing = on;
    this.emit("playing", on);
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.emit("speed", speed);
  }
}
