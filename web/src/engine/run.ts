/** One run: an engine in time, with its grid of steps and frames, its outcome and metrics. */
import * as at from "../../build/generated";
import { crossingOf, type Crossing } from "./crossing";
import { measure, warningsOf, type Measured } from "./judgement";
import { PlanarEngine } from "./planar";
import { Refused, type Values } from "./setup/declared";
import type { Setup } from "./setup/description";
import { drivePeriod, shortestPeriod } from "./setup/gaits";
import { roundEven, short } from "./setup/numbers";
import { SpatialEngine } from "./spatial";
import { Steered } from "./steer";
import type { Frames, Metrics, OpenOptions, Outcome, Run, Steering } from "./types";
import { InputError } from "./types";
import { horizonText, twinOf } from "./twin";

const refuse = (text: string): never => {
  throw new Refused(text);
};

/** Step, number of steps and steps per frame, so that the last frame is the end of the run. */
export function gridOf(settings: Values, links: number, step: number): [number, number, number] {
  const { duration, max_link_steps: most } = settings;
  if (duration === null) refuse("run.duration: missing; a run needs a duration in s");
  const wanted = duration / step;
  if (!(wanted * links <= most))
    refuse(`run.step: ${short(wanted, 3)} steps of ${links} links are more than run.max_link_steps = ${short(most, 3)}; use a longer step or raise the limit`);
  let steps = Math.max(1, Math.ceil(wanted - 1e-9));
  const dt = Math.abs(steps * step - duration) <= 1e-12 * duration ? step : duration / steps;
  const frames = Math.max(1, roundEven(Math.min(duration / settings.record_interval, steps)));
  const stride = Math.max(1, roundEven(steps / frames));
  checkMemory(settings, links, Math.floor(steps / stride));
  for (let near = stride; near > Math.max(stride - at.steps.MOST_TRIED, 0); near--)
    if (steps % near === 0 && Math.floor(steps / near) <= 2 * frames) return [dt, steps, near];
  steps = stride * Math.ceil(steps / stride);
  return [duration / steps, steps, stride];
}

/** Refuse a run of more frames than its setting, or a page, should hold. */
function checkMemory(settings: Values, links: number, frames: number): void {
  const wanted = frames * (at.budget.LINK_BYTES * links + at.budget.FRAME_BYTES);
  const most = Math.min(settings.max_memory, PAGE_MEMORY);
  if (wanted > most)
    refuse(
      `run.record_interval: ${short(frames, 3)} frames of ${links} links take about ${short(wanted / 1e6, 3)} MB of memory, more than ${most < PAGE_MEMORY ? "run.max_memory" : "the page has"} (${short(most / 1e6, 3)} MB); use a longer record_interval`,
    );
}
const PAGE_MEMORY = 1e9; // bytes

/** Refuse a step that takes fewer than two samples of a period: it would run another command. */
function checkSampling(setup: Setup, dt: number): void {
  const period = setup.gait ? shortestPeriod(setup.gait, setup.robot) : setup.drive ? drivePeriod(setup.drive) : null;
  if (period !== null && dt * at.resolution.FEWEST > period * (1 + 1e-9))
    refuse(
      `run.step: a step of ${short(dt, 3)} s takes ${short(period / dt, 2)} samples of the command's period of ${short(period, 3)} s, which is another command; give a step of at most ${short(period / at.resolution.STEPS_PER_PERIOD, 2)} s, or a slower command`,
    );
}

export class EngineRun implements Run {
  private engine: PlanarEngine | SpatialEngine | null;
  private good = true;
  private problem = "";
  private steering: Steered | null = null;
  readonly spatial: boolean;
  readonly step: number;
  readonly duration: number;
  readonly links: number;
  readonly dofs: number;
  readonly axes;
  readonly linkLength: Float64Array;
  readonly radius: Float64Array;

  constructor(
    private readonly module: WebAssembly.Module,
    readonly setup: Setup,
    options: OpenOptions = {},
  ) {
    const settings = { ...setup.settings };
    if (options.recordInterval !== undefined) settings.record_interval = options.recordInterval;
    const [dt, steps, stride] = gridOf(settings, setup.robot.links, options.step ?? settings.step);
    checkSampling(setup, dt);
    this.spatial = setup.spatial;
    this.step = dt;
    this.duration = steps * dt;
    this.links = setup.robot.links;
    this.axes = setup.robot.axes;
    this.dofs = this.axes.length;
    this.linkLength = Float64Array.from(setup.robot.link_length);
    this.radius = Float64Array.from(setup.robot.radius);
    this.engine = this.fresh(dt, stride);
  }

  /** An engine at the start of the run. */
  private fresh(step: number, stride: number): PlanarEngine | SpatialEngine {
    return this.spatial ? new SpatialEngine(this.module, this.setup, step, stride) : new PlanarEngine(this.module, this.setup, step, stride);
  }

  /** The engine, for tests and for steering. */
  get inside(): PlanarEngine | SpatialEngine {
    if (!this.engine) throw new Error("this run was closed");
    return this.engine;
  }

  advance(toTime = this.duration): Outcome {
    const engine = this.inside;
    const last = Math.round(toTime / this.step);
    try {
      while (this.good && engine.done < last) {
        const until = this.steering ? Math.min(last, this.steering.next(engine.done)) : last;
        this.good = engine.advance(until) === "fine";
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      [this.good, this.problem] = [false, error.message];
    }
    return this.outcome(false);
  }

  frames(from = 0): Frames {
    return from === 0 ? this.all() : this.inside.frames(from);
  }

  /** All frames; made once for each time reached. */
  private all(): Frames {
    const engine = this.inside;
    if (this.kept?.done !== engine.done) this.kept = { done: engine.done, frames: engine.frames() };
    return this.kept.frames;
  }
  private kept: { done: number; frames: Frames } | null = null;

  metrics(): Metrics {
    const frames = this.all();
    const values = this.measured(frames).metrics;
    if (this.good) return values;
    return Object.fromEntries(Object.entries(values).map(([k, v]) => [k, v !== null && Number.isFinite(v) ? v : null]));
  }

  private crossing(frames: Frames): Crossing {
    if (this.crossed?.frames === frames) return this.crossed.found;
    const flat = !this.spatial || !frames.node.some((x, k) => k % 3 === 2 && x !== 0);
    this.crossed = { frames, found: crossingOf(this.module, this.setup.robot, frames, flat) };
    return this.crossed.found;
  }
  private crossed: { frames: Frames; found: Crossing } | null = null;

  /** What the frames come to; made once for each time reached. */
  private measured(frames: Frames): Measured {
    if (this.worth?.frames === frames) return this.worth.found;
    const found = measure(this.module, { setup: this.setup, frames, engine: this.inside, crossing: this.crossing(frames) });
    this.worth = { frames, found };
    return found;
  }
  private worth: { frames: Frames; found: Measured } | null = null;

  outcome(judged = true): Outcome {
    const engine = this.inside;
    const time = engine.time;
    if (this.problem) return { status: "refused", message: this.problem, time, warnings: [] };
    if (!this.good) {
      const remedy = this.setup.settings.integrator !== "implicit" ? ', or integrator = "implicit"' : "";
      return { status: "diverged", message: `a number became infinite or undefined after t = ${short(time)} s; use a shorter step${remedy}`, time, warnings: [] };
    }
    if (!judged) return { status: time < this.duration * (1 - 1e-9) ? "running" : "ok", message: "", time, warnings: [] };
    const found = this.measured(this.all());
    if (found.status) return { status: found.status.name as Outcome["status"], message: found.status.message, time, warnings: [] };
    const warnings = warningsOf(found);
    return { status: time < this.duration * (1 - 1e-9) ? "running" : "ok", message: "", time, warnings };
  }

  twin(outcome: Outcome): Generator<void, Outcome> | null {
    return this.setup.settings.checked && outcome.status === "ok" && !this.steering ? this.checked(outcome) : null;
  }

  private *checked(outcome: Outcome): Generator<void, Outcome> {
    const frames = this.all();
    const { warnings, left } = yield* twinOf({ setup: this.setup, engine: this.inside, frames, ...this.measured(frames), module: this.module, fresh: (step, stride) => this.fresh(step, stride) });
    const made: Outcome = { ...outcome, warnings: [...outcome.warnings, ...warnings] };
    return left === null ? made : { ...made, status: "left-horizon", message: horizonText(left), time: left };
  }

  steer(changes: Steering, blend = 0.4): void {
    this.steering ??= new Steered(this.inside, this.setup);
    this.steering.change(changes, blend);
  }

  steerable(): Steering {
    return (this.steering ?? new Steered(this.inside, this.setup)).values();
  }

  close(): void {
    this.engine = this.kept = this.crossed = this.worth = null;
  }
}

/** Make refusals of the set-up errors of the description. */
export function opened<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const path = /^([a-z_]+(\.[a-z_]+)+):? /.exec(error.message)?.[1] ?? "";
    throw new InputError([{ path, value: "", allowed: "", text: error.message }]);
  }
}
