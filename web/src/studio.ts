/** The studio: a description, its motion, the time shown, and the views of them, kept together. */
import { Clock } from "./clock";
import type { Declarations } from "./declarations";
import { Document } from "./document";
import { say } from "./dom";
import { Emitter } from "./emitter";
import type { Description, Problem } from "./engine/types";
import type { MetricsPanel } from "./metrics";
import type { Motion } from "./motion";
import type { PhysicsClient } from "./physics/client";
import type { Plots } from "./plots/plots";
import type { Timeline } from "./timeline";
import type { CameraMode } from "./view/cameras";
import type { Layout, Stage } from "./view/stage";

const LATER = 90; // ms after which plots follow the motion
const LATEST = 400; // ms more that they wait while a run is awaited: drawing them would hold it up
const CALM = 300; // ms after a change, and after a new motion, in which a sketch of it will do
const PATIENCE = 150; // ms: a run that has not come this far by then begins anew from its start

function worldOf({ world, plan, robot }: Description): unknown[] {
  return [world, plan, robot]; // the robot: upright things are as tall as it is thick
}

export interface Parts {
  stage: Stage | null; // null: no WebGL here
  plots: Plots;
  metrics: MetricsPanel;
  timeline: Timeline;
}

export class Studio extends Emitter<{ motion: Motion; mode: void; refused: Problem[]; accepted: void }> {
  readonly clock = new Clock();
  readonly doc = new Document();
  parts!: Parts;
  motion: Motion | null = null;
  reference: Motion | null = null;
  layout: Layout = "single";
  driving = false;
  canRun: (description: Description) => string | null = () => null; // why not
  standIn: (description: Description) => Motion | null = () => null; // a recorded run of a description that the page cannot run
  covered: string | null = null; // name of the study that lies over the studio
  referenceName = "kept run";
  runs = 0; // motions shown so far
  drawnRun = 0; // the newest of them that has been drawn
  firstDrawn = 0; // ms of the page, of the first motion
  drawnAt = 0; // ms of the page, when that one was first drawn
  wholeRun = 0; // the newest that was drawn when all of it was there
  wholeAt = 0; // ms of the page, when that was
  exact = false; // wait for the picture itself, for measurements
  private dirty = true;
  private refreshAt = 0;
  private calmAt = 0; // ms of the page, from when on the full picture is drawn
  private awaited = false; // a run was asked for and is not whole yet
  private world: unknown[] | null = null; // what of a description the stage shows: compared by identity, for descriptions are never changed in place
  private compares = false;
  private compared: { [name: string]: number | null } | null = null;
  physics: PhysicsClient | null = null;

  constructor(readonly known: Declarations) {
    super();
    this.clock.reach = () => ({ end: Math.max(this.motion?.end ?? 0, this.layout === "single" ? 0 : (this.reference?.end ?? 0)), growing: this.motion ? !this.motion.whole : false });
    this.clock.on("time", () => (this.dirty = true));
    this.doc.on("change", ({ final, opened }) => this.changed(final, opened));
  }

  /** Start drawing: one draw per animation frame, and only where something has changed. */
  start(): void {
    if (this.parts.stage) this.parts.stage.cameras.onChange = () => (this.dirty = true);
    const frame = (now: number): void => {
      requestAnimationFrame(frame);
      this.clock.tick(now);
      const moves = this.clock.playing || this.driving;
      if (this.due(now) && (moves || !this.dirty)) this.refresh(); // plots come after the motion itself
      if (!this.dirty && !(this.sketched && now > this.calmAt)) return;
      this.dirty = false;
      this.sketched = this.parts.stage?.draw(this.clock.time, now <= this.calmAt || this.drawnRun !== this.runs) ?? false;
      const timed = this.drawnRun !== this.runs || (this.motion?.whole && this.wholeRun !== this.runs);
      if (this.exact && timed) this.parts.stage?.settle(); // waiting for any other picture would only hold up the one that is timed
      if (this.drawnRun !== this.runs) this.drawnAt = performance.now();
      if (this.motion?.whole && this.wholeRun !== this.runs) [this.wholeRun, this.wholeAt] = [this.runs, performance.now()];
      if (this.motion?.count && !this.firstDrawn) this.firstDrawn = performance.now();
      this.drawnRun = this.runs;
      if (this.clock.playing && !this.sketched) this.parts.stage?.measure(now);
    };
    requestAnimationFrame(frame);
  }

  private sketched = false; // what is shown

  /** Answer soon: until it is calm again a sketch will do. */
  private hurry(): void {
    this.calmAt = performance.now() + CALM;
  }

  private due(now: number): boolean {
    return this.refreshAt > 0 && now > this.refreshAt + (this.awaited ? LATEST : 0);
  }

  /** Bring plots and timeline up to the frames that have come. */
  private refresh(): void {
    this.refreshAt = 0;
    if (this.motion) this.parts.plots.set(this.motion, this.layout === "single" ? null : this.reference);
    this.parts.timeline.show();
    this.parts.stage?.grown(this.clock.time);
  }

  /** Whether plots and timeline hold every frame that has come. */
  get plotted(): boolean {
    return this.refreshAt === 0;
  }

  redraw(): void {
    this.dirty = true;
  }

  private changed(final: boolean, opened: boolean): void {
    if (opened) this.wanted = null; // a time of the link before
    if (opened) this.compared = null; // numbers of another scenario say nothing about this one
    else if (final && this.motion?.done && !this.motion.facts.preview) this.compared = this.motion.metrics;
    if (this.run(final, opened)) return opened ? undefined : this.showWorld(); // what is opened brings its world with its first frames
    if (!this.physics || this.replayed) return;
    this.instead(opened);
  }

  /** A description that the page cannot run, opened or come back to: its recorded run, else its world without a motion; numbers of another state are told to be that. */
  private instead(opened: boolean): void {
    const recorded = this.standIn(this.doc.description);
    this.endDrive();
    if (recorded) this.show(recorded, opened);
    else if (opened) return this.still();
    else if (this.motion) this.outdate("These numbers are of the state before the change.");
    this.showWorld();
  }

  /** Put the world of the description on the stage where it is another than the one there: a slider of the gait leaves it, and the old motion is not drawn again. */
  private showWorld(): void {
    const { description } = this.doc;
    const world = worldOf(description);
    if (world.every((part, i) => this.world && part === this.world[i])) return;
    this.world = world;
    try {
      this.parts.stage?.setWorld(description);
    } catch {
      this.parts.stage?.setWorld({}); // no world at all: the physics says what is wrong with it
    }
    this.redraw();
  }

  /** Run the description as it stands; while a slider is dragged at a coarser step. False where the page cannot. */
  run(final: boolean, opened = false): boolean {
    if (!this.physics || this.replayed) return false;
    if (this.canRun(this.doc.description) !== null) return false;
    this.endDrive();
    this.awaited = true;
    this.hurry();
    const fresh = opened || !this.motion; // after a state without a motion the view is aimed anew
    const asked = performance.now();
    let shown = false;
    this.physics.run(this.doc.description, this.title(), !final, {
      frames: (motion) => {
        const covers = motion.end >= this.clock.time || motion.whole;
        if (!shown && (opened || covers || performance.now() - asked > PATIENCE)) {
          shown = true;
          if (opened || !covers) this.clock.time = 0;
          this.show(motion, fresh);
        } else if (shown) this.grown();
      },
      ended: (motion, outcome) => {
        this.awaited = false;
        if (!shown) this.show(motion, fresh);
        this.grown();
        this.settled(motion, outcome.status === "ok" || outcome.status === "running" ? null : `${outcome.status}: ${outcome.message}`);
        if (final && !this.doc.description.shape) this.learn();
      },
      checked: (motion, { status, message, warnings }) => {
        if (motion === this.motion && !this.stale) this.parts.metrics.judge({ name: status, message, warnings });
      },
      refused: (errors) => {
        this.gone(opened);
        this.emit("refused", errors);
      },
      failed: (message) => {
        this.gone(opened);
        say(message, "error");
      },
    });
    return true;
  }

  /** What is shown is not the run of the present state, and `why` says of which it is. */
  private outdate(why: string): void {
    this.stale = why;
    this.parts.metrics.outdate(why);
  }
  private stale = "";

  /** The run that was awaited does not come; its world is shown all the same. */
  private gone(opened: boolean): void {
    if (opened) return this.still("There is no run: what was given cannot be carried out.", this.parts.stage?.cameras.mode);
    this.awaited = false;
    this.showWorld();
    this.outdate("These numbers are of the last state that could be run.");
  }

  /** Ask for every key of the description: the panel shows what follows from what is given. */
  private learn(): void {
    const asked = this.doc.description;
    this.physics?.full(asked).then(
      (full) => {
        if (this.doc.description === asked) this.doc.full = full;
      },
      () => undefined, // what is refused has been told by the run itself
    );
  }

  title(): string {
    return String(this.doc.description.title ?? this.doc.name);
  }

  /** Show a motion; its camera is set where it is a new subject. */
  show(motion: Motion, fresh: boolean): void {
    if (motion !== this.motion) this.stale = "";
    this.motion = motion;
    this.runs++;
    if (this.awaited) this.hurry();
    const { stage, plots, timeline } = this.parts;
    const compared = this.layout === "single" ? null : this.reference;
    if (Boolean(compared) !== this.compares) plots.set(motion, compared);
    else this.refreshAt ||= performance.now() + LATER; // the motion is drawn first
    this.compares = Boolean(compared);
    timeline.set(motion);
    if (stage) {
      stage.layout = this.layout;
      stage.setMotions(compared ? [motion, compared] : [motion]);
      if (fresh) {
        this.world = worldOf(motion.description);
        stage.setWorld(motion.description);
        stage.aim(stage.cameras.mode, this.clock.time);
      }
    }
    this.clock.time = Math.min(this.clock.time, Math.max(motion.end, 0));
    this.redraw();
    this.emit("motion", motion);
    if (motion.done) this.settled(motion, null);
  }

  private grown(): void {
    this.refreshAt ||= performance.now() + LATER;
    if (this.wanted !== null && this.motion && (this.motion.end >= this.wanted || this.motion.done)) {
      this.clock.seek(this.wanted);
      this.wanted = null;
    }
    this.redraw();
  }

  private settled(motion: Motion, trouble: string | null): void {
    const { metrics } = this.parts;
    const against = this.reference && this.layout !== "single" ? this.reference.metrics : this.compared;
    metrics.remember(against);
    const name = motion.outcome.status;
    metrics.show(motion.metrics, { name, message: motion.outcome.message, warnings: motion.outcome.warnings }, motion.facts.preview);
    if (this.stale) metrics.outdate(this.stale);
    else if (trouble) say(trouble, "error");
    else this.emit("accepted", undefined);
    this.emit("motion", motion);
  }

  /** A description that the page cannot run: its world is shown, without a motion. */
  still(why = "Numbers and plots of the run appear here once the local server has made it.", mode: CameraMode = "top"): void {
    this.motion = null;
    this.physics?.forget();
    this.awaited = false;
    this.parts.stage?.setMotions([]);
    this.world = null;
    this.showWorld();
    this.parts.plots.clear();
    this.parts.metrics.clear(why);
    this.parts.timeline.clear();
    this.runs++;
    this.redraw();
    this.camera(mode);
    this.emit("accepted", undefined); // complaints of the state before are not of this one
  }

  /** Show a recorded run. */
  replaying(name: string, description: Description, motion: Motion): void {
    this.endDrive();
    this.physics?.forget();
    this.awaited = false;
    this.replayed = true;
    this.doc.open(name, description, description);
    this.replayed = false;
    this.clock.time = 0;
    this.show(motion, true);
  }

  replayed = false; // while a recorded run is being opened: nothing is to be computed

  /** Stand at a time as soon as the motion reaches it. */
  at(time: number): void {
    this.wanted = time;
    if (this.motion && this.motion.end >= time) this.clock.seek(time);
  }

  private wanted: number | null = null;

  /** Run a description and keep it for comparison, then the present one again. */
  pin(description: Description, layout: Layout): void {
    this.physics?.run(description, this.title(), false, {
      ended: (motion) => {
        this.reference = motion;
        this.layout = layout;
        this.run(true, true);
        this.emit("mode", undefined);
      },
      refused: (errors) => this.unpinned(errors.map((e) => e.text).join("\n")),
      failed: (message) => this.unpinned(message),
    });
  }

  /** What was to be compared with cannot be run: the present state is shown by itself. */
  private unpinned(message: string): void {
    say(`The kept run of the link cannot be carried out: ${message}`, "error");
    this.run(true, true);
  }

  camera(mode: CameraMode): void {
    this.parts.stage?.aim(mode, this.clock.time);
    this.redraw();
    this.emit("mode", undefined);
  }

  /** Keep the present run to compare others with, or let it go. */
  compare(layout: Layout, reference: Motion | null = this.reference ?? this.motion, called = "kept run"): void {
    if (reference !== this.reference) this.referenceName = called;
    this.layout = reference ? layout : "single";
    this.reference = layout === "single" ? null : reference;
    if (this.motion) this.show(this.motion, false);
    this.emit("mode", undefined);
  }

  private live = 0;

  /** Drive the robot: its gait runs on without an end and is steered while it runs. */
  drive(description: Description, started: (steerable: { [key: string]: number }) => void): void {
    if (!this.physics) return;
    this.awaited = false;
    this.driving = true;
    let shown = false;
    this.live = this.physics.drive(description, `${this.title()}, driven`, {
      opened: (_motion, steerable) => started(steerable),
      frames: (motion) => {
        if (!shown) {
          shown = true;
          this.clock.play(false);
          this.show(motion, true);
        }
        this.clock.time = motion.end;
        this.clock.emit("time", motion.end);
        this.grown();
      },
      ended: (motion) => {
        motion.done = true;
        this.driving = false;
        this.settled(motion, null);
        this.emit("mode", undefined);
      },
      refused: (errors) => {
        this.driving = false;
        this.emit("refused", errors);
        this.emit("mode", undefined);
      },
      failed: (message) => {
        this.driving = false;
        say(message, "error");
        this.emit("mode", undefined);
      },
    });
    this.emit("mode", undefined);
  }

  steer(changes: { [key: string]: number }): void {
    if (this.driving) this.physics?.steer(this.live, changes);
  }

  endDrive(): void {
    if (!this.driving) return;
    this.driving = false;
    this.physics?.stop(this.live);
    this.emit("mode", undefined);
  }
}
