/** The page's side of the physics: questions go to the worker, answers come back by their number. */
import { asset, text } from "../assets";
import type { Best, Description, Metrics, Outcome, Problem, Steering } from "../engine/types";
import { Motion } from "../motion";
import { GivenUp } from "../server";
import type { Ask, Tell } from "./messages";

export interface RunListener {
  opened?(motion: Motion, steerable: Steering): void;
  frames?(motion: Motion): void;
  ended?(motion: Motion, outcome: Outcome, metrics: Metrics): void;
  checked?(motion: Motion, outcome: Outcome): void; // by its second run, where there is one
  refused?(errors: Problem[]): void;
  failed?(message: string): void;
}

interface Pending {
  listener: RunListener;
  motion: Motion | null;
  description: Description;
  title: string;
}

export class PhysicsClient {
  private next = 1;
  private readonly runs = new Map<number, Pending>();
  private readonly answers = new Map<number, { done: (value: never) => void; fail: (e: Error) => void; progress?: (share: number) => void }>();

  private constructor(private readonly worker: Worker) {
    worker.onmessage = (event: MessageEvent<Tell>) => this.hear(event.data);
  }

  /** Start the worker and load the kernels. */
  static async start(): Promise<PhysicsClient> {
    const [code, wasm] = await Promise.all([asset("worker.js"), asset("physics.wasm")]);
    const url = URL.createObjectURL(new Blob([text(code)], { type: "text/javascript" }));
    const worker = new Worker(url);
    const client = new PhysicsClient(worker);
    await new Promise<void>((ready, fail) => {
      const first = (event: MessageEvent<Tell>): void => {
        if (event.data.kind === "ready") ready();
        else if (event.data.kind === "failed") fail(new Error(event.data.message));
        else return;
        worker.removeEventListener("message", first);
      };
      worker.addEventListener("message", first);
      worker.addEventListener("error", (event) => fail(new Error(event.message || "the worker could not start")));
      worker.postMessage({ kind: "load", wasm } satisfies Ask);
    });
    return client;
  }

  private send(ask: Ask): void {
    this.worker.postMessage(ask);
  }

  /** Run a description; a newer run ends an older one. */
  run(description: Description, title: string, preview: boolean, listener: RunListener): number {
    const id = this.next++;
    this.runs.clear();
    this.runs.set(id, { listener, motion: null, description, title });
    this.send({ kind: "run", id, description, preview });
    return id;
  }

  drive(description: Description, title: string, listener: RunListener): number {
    const id = this.next++;
    this.runs.clear();
    this.runs.set(id, { listener, motion: null, description, title });
    this.send({ kind: "live", id, description });
    return id;
  }

  steer(id: number, changes: Steering): void {
    this.send({ kind: "steer", id, changes });
  }

  stop(id: number): void {
    this.send({ kind: "stop", id });
  }

  /** Nothing that is run now is to be shown. */
  forget(): void {
    this.runs.clear();
  }

  /** Give a search up. */
  leave(): void {
    this.send({ kind: "leave" });
  }

  best(description: Description, key: string, low: number, high: number, metric: string, progress: (share: number) => void): Promise<Best> {
    return this.ask((id) => ({ kind: "best", id, description, key, low, high, metric }), progress);
  }

  full(description: Description): Promise<Description> {
    return this.ask((id) => ({ kind: "full", id, description }));
  }

  private ask<T>(make: (id: number) => Ask, progress?: (share: number) => void): Promise<T> {
    const id = this.next++;
    return new Promise<T>((done, fail) => {
      this.answers.set(id, { done: done as (value: never) => void, fail, progress });
      this.send(make(id));
    });
  }

  private hear(told: Tell): void {
    if (told.kind === "ready") return;
    const answer = this.answers.get(told.id);
    if (answer) {
      if (told.kind === "progress") return answer.progress?.(told.share);
      this.answers.delete(told.id);
      if (told.kind === "best") answer.done(told.best as never);
      else if (told.kind === "left") answer.fail(new GivenUp("given up"));
      else if (told.kind === "full") answer.done(told.description as never);
      else if (told.kind === "refused") answer.fail(new Error(told.errors.map((e) => e.text).join("\n")));
      else if (told.kind === "failed") answer.fail(new Error(told.message));
      return;
    }
    const run = this.runs.get(told.id);
    if (run) this.hearRun(run, told);
  }

  private hearRun(run: Pending, told: Tell): void {
    switch (told.kind) {
      case "opened":
        run.motion = new Motion(told.facts, run.description, run.title);
        run.listener.opened?.(run.motion, told.steerable);
        break;
      case "frames":
        if (!run.motion) break;
        run.motion.append(told.chunk);
        run.motion.whole = told.last;
        run.listener.frames?.(run.motion);
        break;
      case "ended":
        if (!told.more) this.runs.delete(told.id);
        if (!run.motion) break;
        Object.assign(run.motion, { outcome: told.outcome, metrics: told.metrics, whole: true, done: true, check: told.more ? "under way" : "none" });
        run.listener.ended?.(run.motion, told.outcome, told.metrics);
        break;
      case "checked":
        this.runs.delete(told.id);
        if (!run.motion) break;
        Object.assign(run.motion, { outcome: told.outcome, check: "done" });
        run.listener.checked?.(run.motion, told.outcome);
        break;
      case "refused":
        this.runs.delete(told.id);
        run.listener.refused?.(told.errors);
        break;
      case "failed":
        this.runs.delete(told.id);
        run.listener.failed?.(told.message);
        break;
    }
  }
}
