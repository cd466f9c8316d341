/**
 * The worker in which time passes: runs stream in short stretches, the newest question wins, and a live run keeps pace with the clock.
 */
import { InputError, type Description, type Frames, type Outcome, type Physics, type Run } from "../engine/types";
import { loadPhysics } from "../engine/index";
import { NAMES, type Chunk, type Facts } from "../motion";
import type { Ask, Tell } from "./messages";
import { shapeMotion } from "./shapes";

const FIRST = 0.25; // s of motion in the first stretch
const STRETCH = 30; // ms of work between two looks at what the page asks
const LIVE_TICK = 16; // ms
const WARM = 600; // ms of rest after which kernels that were not used yet are made ready
const CALM = 250; // ms of rest after a run before it is checked: the full picture is drawn first
const SLICE = 8; // ms of a check between two looks at what the page asks
const BREATH = 25; // ms in which a preview is drawn before it is judged: both want the processor, and a newer one may come

let physics: Physics | null = null;
let warmed = false;
let running = false;
let current = 0; // id of the newest run; older ones end
let searching = 0; // id of the newest search
let searches = 0; // under way
const paces = new Map<string, number>(); // s of motion per ms of work, of runs of one kind
let live: { id: number; run: Run; from: number; clock: number; sent: number } | null = null;
const channel = new MessageChannel();
const waiting: (() => void)[] = [];
channel.port1.onmessage = () => waiting.shift()?.();

/** Let messages in: unlike a timer this waits no more than one turn. */
function turn(): Promise<void> {
  return new Promise((go) => {
    waiting.push(go);
    channel.port2.postMessage(0);
  });
}

const rest = (time: number): Promise<void> => new Promise((go) => setTimeout(go, time));

function tell(message: Tell, transfer: Transferable[] = []): void {
  (self as unknown as Worker).postMessage(message, transfer);
}

function chunkOf(frames: Frames): { chunk: Chunk; transfer: Transferable[] } {
  const arrays: Chunk["arrays"] = {};
  const transfer: Transferable[] = [];
  for (const name of NAMES) {
    const rows = frames[name];
    if (!rows) continue;
    arrays[name] = new Float32Array(rows);
    transfer.push(arrays[name].buffer);
  }
  return { chunk: { count: frames.count, arrays }, transfer };
}

function factsOf(run: Run, preview: boolean, interval: number): Facts {
  return {
    links: run.links,
    dofs: run.dofs,
    spatial: run.spatial,
    duration: run.duration,
    step: run.step,
    preview,
    radius: Array.from(run.radius),
    linkLength: Array.from(run.linkLength),
    axes: run.axes.map((a) => `joint ${a.joint}, ${a.kind}`),
    frames: Math.ceil(run.duration / interval) + 2,
  };
}

function intervalOf(description: Description): number {
  const run = (description.run ?? {}) as Description;
  return typeof run.record_interval === "number" ? run.record_interval : 0.01;
}

function report(id: number, error: unknown): void {
  if (error instanceof InputError) tell({ kind: "refused", id, errors: error.errors });
  else tell({ kind: "failed", id, message: error instanceof Error ? error.message : String(error) });
}

/** Where a stretch ends (s): a rest shorter than itself is taken along. */
function stretched(from: number, by: number, duration: number): number {
  return from + 2 * by >= duration ? duration : from + by;
}

async function stream(ask: Extract<Ask, { kind: "run" }>, engine: Physics): Promise<void> {
  const { id, description, preview } = ask;
  const began = performance.now();
  if (description.shape) {
    const { facts, chunk, metrics } = shapeMotion(description, engine);
    tell({ kind: "opened", id, facts, steerable: {} });
    tell({ kind: "frames", id, chunk, last: true });
    tell({ kind: "ended", id, outcome: { status: "ok", message: "", time: facts.duration, warnings: [] }, metrics, seconds: 0, more: false });
    return;
  }
  const run = engine.open(description, preview ? { step: engine.previewStep(description) } : {});
  try {
    tell({ kind: "opened", id, facts: factsOf(run, preview, intervalOf(description)), steerable: {} });
    let sent = 0;
    let before = 0;
    const kind = [run.links, run.spatial, run.step].join();
    let reach = stretched(0, Math.max(FIRST, (paces.get(kind) ?? 0) * STRETCH), run.duration);
    for (;;) {
      const start = performance.now();
      const outcome = run.advance(reach);
      const frames = run.frames(sent);
      if (frames.count) {
        const { chunk, transfer } = chunkOf(frames);
        sent += frames.count;
        tell({ kind: "frames", id, chunk, last: outcome.status !== "running" }, transfer);
      }
      const rate = (reach - before) / Math.max(performance.now() - start, 0.2);
      paces.set(kind, rate);
      await turn();
      if (current !== id) return;
      if (outcome.status !== "running" || reach >= run.duration) break;
      before = reach;
      reach = stretched(reach, rate * STRETCH, run.duration);
    }
    if (preview) await rest(BREATH);
    if (current !== id) return;
    const outcome = run.outcome();
    const twin = preview ? null : run.twin(outcome);
    tell({ kind: "ended", id, outcome, metrics: run.metrics(), seconds: (performance.now() - began) / 1000, more: twin !== null });
    if (twin) await check(id, twin, outcome);
  } finally {
    run.close();
  }
  if (!run.spatial) setTimeout(() => warm(engine), WARM);
}

/** Make the second run of a run that is shown, and tell what it says; given up as soon as something else is to be shown. */
async function check(id: number, twin: Generator<void, Outcome>, outcome: Outcome): Promise<void> {
  await rest(CALM);
  while (current === id) {
    const until = performance.now() + SLICE;
    try {
      while (performance.now() < until) {
        const next = twin.next();
        if (next.done) return tell({ kind: "checked", id, outcome: next.value });
      }
    } catch (error) {
      const why = `whether it has converged is not known: its second run failed (${error instanceof Error ? error.message : String(error)})`;
      return tell({ kind: "checked", id, outcome: { ...outcome, warnings: [...outcome.warnings, why] } });
    }
    await turn();
    while (searches > 0 && current === id) await rest(CALM); // what is asked comes first
  }
}

/** Take two steps in space while nothing is asked: the browser compiles those kernels at their first use, and a run in space then starts at once. */
function warm(engine: Physics): void {
  if (warmed || live || running) return;
  warmed = true;
  const run = engine.open(engine.scenarios.sidewind);
  run.advance(2 * run.step);
  run.frames();
  run.close();
}

function drive(id: number, description: Description, engine: Physics): void {
  endLive();
  const run = engine.open(description);
  live = { id, run, from: performance.now(), clock: 0, sent: 0 };
  const facts = { ...factsOf(run, false, intervalOf(description)), frames: 2000 }; // it grows with the time driven
  tell({ kind: "opened", id, facts, steerable: run.steerable() });
  const tick = (): void => {
    if (!live || live.id !== id) return;
    const now = performance.now();
    live.clock += Math.min((now - live.from) / 1000, 0.1); // a sleeping page does not catch up
    live.from = now;
    try {
      const outcome = run.advance(live.clock);
      const frames = run.frames(live.sent);
      if (frames.count) {
        const { chunk, transfer } = chunkOf(frames);
        live.sent += frames.count;
        tell({ kind: "frames", id, chunk, last: false }, transfer);
      }
      if (outcome.status === "diverged" || outcome.status === "refused") {
        tell({ kind: "ended", id, outcome, metrics: run.metrics(), seconds: live.clock, more: false });
        endLive();
        return;
      }
    } catch (error) {
      report(id, error);
      endLive();
      return;
    }
    setTimeout(tick, Math.max(LIVE_TICK - (performance.now() - now), 0));
  };
  tick();
}

function endLive(): void {
  if (!live) return;
  const { id, run } = live;
  live = null;
  tell({ kind: "ended", id, outcome: run.outcome(), metrics: run.metrics(), seconds: 0, more: false });
  run.close();
}

/** Search one run after another; a run or a drive that is asked for meanwhile ends the search: its state is no longer shown. */
async function search(ask: Extract<Ask, { kind: "best" }>, engine: Physics): Promise<void> {
  const mine = (searching = ask.id);
  const before = current;
  const progress = (share: number): void => tell({ kind: "progress", id: ask.id, share });
  const steps = engine.searching(ask.description, ask.key, ask.low, ask.high, ask.metric, { progress });
  for (let next = steps.next(); ; next = steps.next()) {
    if (next.done) return tell({ kind: "best", id: ask.id, best: next.value });
    await turn();
    if (current !== before || searching !== mine) return tell({ kind: "left", id: ask.id });
  }
}

async function answer(ask: Ask): Promise<void> {
  if (ask.kind === "load") {
    physics = await loadPhysics(ask.wasm);
    tell({ kind: "ready" });
    return;
  }
  if (!physics) throw new Error("the physics is not loaded");
  const engine = physics;
  switch (ask.kind) {
    case "run":
      current = ask.id;
      endLive();
      await turn(); // a newer question may be there already
      if (current !== ask.id) break;
      running = true;
      await stream(ask, engine).finally(() => (running = current !== ask.id));
      break;
    case "live":
      current = ask.id;
      drive(ask.id, ask.description, engine);
      break;
    case "steer":
      if (live && live.id === ask.id) live.run.steer(ask.changes);
      break;
    case "stop":
      if (live && live.id === ask.id) endLive();
      break;
    case "leave":
      searching = 0;
      break;
    case "best":
      searches++;
      await search(ask, engine).finally(() => searches--);
      break;
    case "full":
      tell({ kind: "full", id: ask.id, description: engine.full(ask.description) });
      break;
  }
}

self.onmessage = (event: MessageEvent<Ask>): void => {
  answer(event.data).catch((error: unknown) => report("id" in event.data ? event.data.id : 0, error));
};
