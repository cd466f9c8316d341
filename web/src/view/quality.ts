/** How much is drawn: measured by the time between frames, lowered by itself where that is too long, never raised without being asked. */
export interface Level {
  name: "high" | "medium" | "low";
  pixels: number; // at most, per CSS pixel
  shadows: number; // side of the shadow map; 0: a drawn shadow
  sides: number;
  bend: number;
  antialias: boolean;
}

export const LEVELS: Level[] = [
  { name: "high", pixels: 2, shadows: 2048, sides: 20, bend: 7, antialias: true },
  { name: "medium", pixels: 1, shadows: 1024, sides: 14, bend: 5, antialias: true },
  { name: "low", pixels: 1, shadows: 0, sides: 10, bend: 4, antialias: false },
];

const SLOW = 28; // ms between frames: below 36 a second
const WINDOW = 24; // frames looked at
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

export function isSoftware(renderer: string): boolean {
  return SOFTWARE.test(renderer);
}

/**
 * Let the processor draw plain canvases (plots, labels) itself. Where it also plays the graphics card, each line of a plot costs many times more on
 * that way round: measured, two fifths of the time from a slider to its motion.
 */
export function plainCanvases(): void {
  const before = HTMLCanvasElement.prototype.getContext as (this: HTMLCanvasElement, kind: string, options?: object) => RenderingContext | null;
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, options?: object) {
    return before.call(this, kind, kind === "2d" ? { ...options, willReadFrequently: true } : options);
  } as HTMLCanvasElement["getContext"];
}

export class FrameMeter {
  readonly intervals: number[] = [];
  private last = 0;

  /** Note a frame; true when the last ones were too slow. */
  note(now: number): boolean {
    if (this.last && now - this.last < 500) this.intervals.push(now - this.last);
    this.last = now;
    if (this.intervals.length < WINDOW) return false;
    const slow = [...this.intervals].sort((a, b) => a - b)[WINDOW >> 1] > SLOW;
    if (slow || this.intervals.length > 4 * WINDOW) this.intervals.length = 0;
    return slow;
  }
}
