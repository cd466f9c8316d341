/** What tests and benchmarks see of the page: `window.__snake`. */
import type { Studio } from "./studio";

export interface Hooks {
  ready: boolean;
  firstMotion: number; // ms from the start of navigation to the first frame drawn with a motion
  state(): { [key: string]: unknown };
  metrics(): { [name: string]: number | null };
  nodes(time?: number): number[];
  cursors(): number[];
  studio: Studio;
}

declare global {
  interface Window {
    __snake?: Hooks;
  }
}

export function expose(studio: Studio): void {
  window.__snake = {
    ready: true,
    get firstMotion() {
      return studio.firstDrawn;
    },
    studio,
    state: () => ({
      name: studio.doc.name,
      description: studio.doc.description,
      time: studio.clock.time,
      playing: studio.clock.playing,
      frames: studio.motion?.count ?? 0,
      done: studio.motion?.done ?? false,
      plotted: studio.plotted,
      check: studio.motion?.check ?? "none",
      preview: studio.motion?.facts.preview ?? false,
      step: studio.motion?.facts.step ?? 0,
      runs: studio.runs,
      drawnRun: studio.drawnRun,
      drawnAt: studio.drawnAt,
      wholeRun: studio.wholeRun,
      wholeAt: studio.wholeAt,
      drawn: studio.parts.stage?.frames ?? 0,
      renderer: studio.parts.stage?.rendererName ?? "",
      picture: studio.parts.stage?.picture ?? "",
      level: studio.parts.stage?.level.name ?? "",
      layout: studio.layout,
      driving: studio.driving,
      camera: studio.parts.stage?.cameras.mode ?? "",
      status: studio.motion?.outcome.status ?? "",
      message: studio.motion?.outcome.message ?? "",
      warnings: studio.motion?.outcome.warnings ?? [],
    }),
    metrics: () => ({ ...(studio.motion?.metrics ?? {}) }),
    nodes: (time = studio.clock.time) => {
      const motion = studio.motion;
      return motion ? Array.from(motion.at("node", time, new Float32Array(motion.width("node"))) ?? []) : [];
    },
    cursors: () => studio.parts.plots.cursors(),
  };
}
