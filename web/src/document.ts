/** What is being looked at: a description, how it differs from where it began, and the way back and forth through its states. */
import { Emitter } from "./emitter";
import type { Description, Json } from "./engine/types";
import { differences, get, inRadians, put, type Path } from "./tables";

export interface State {
  name: string;
  base: Description;
  description: Description;
}

const DEPTH = 200; // states kept

export class Document extends Emitter<{ change: { final: boolean; opened: boolean }; history: void }> {
  name = "";
  base: Description = {};
  description: Description = {};
  /** Every key written out, where the physics has told them. */
  full: Description = {};
  private past: State[] = [];
  private future: State[] = [];
  private settled: State | null = null; // the last final state: where undo goes

  /** Open a description; `changes` are already made to it. */
  open(name: string, base: Description, full: Description = {}, description?: Description): void {
    if (this.settled) this.remember(this.settled);
    this.name = name;
    this.base = inRadians(base) as Description;
    this.description = description ? (inRadians(description) as Description) : this.base;
    this.full = full;
    this.settled = this.state();
    this.future = [];
    this.emit("change", { final: true, opened: true });
    this.emit("history", undefined);
  }

  private state(): State {
    return { name: this.name, base: this.base, description: this.description };
  }

  private remember(state: State): void {
    this.past.push(state);
    if (this.past.length > DEPTH) this.past.shift();
  }

  /** The value at a path: given, or as it follows from the rest. */
  value(path: Path): Json | undefined {
    return get(this.description, path) ?? get(this.full, path);
  }

  given(path: Path): Json | undefined {
    return get(this.description, path);
  }

  begin(path: Path): Json | undefined {
    return get(this.base, path);
  }

  /** Change a value; while it is still being dragged it is not final. */
  set(path: Path, value: Json | undefined, final = true): void {
    this.replace(put(this.description, path, value) as Description, final);
  }

  replace(description: Description, final = true): void {
    this.description = description;
    if (final) this.settle();
    this.emit("change", { final, opened: false });
  }

  private settle(): void {
    if (this.settled && differences(this.settled.description, this.description).length) {
      this.remember(this.settled);
      this.future = [];
    }
    this.settled = this.state();
    this.emit("history", undefined);
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  undo(): void {
    this.step(this.past, this.future);
  }

  redo(): void {
    this.step(this.future, this.past);
  }

  private step(from: State[], to: State[]): void {
    const next = from.pop();
    if (!next || !this.settled) return;
    to.push(this.settled);
    const opened = next.name !== this.name;
    Object.assign(this, next);
    this.settled = next;
    this.emit("change", { final: true, opened });
    this.emit("history", undefined);
  }

  changes(): [string, Json | undefined][] {
    return differences(this.base, this.description);
  }
}
