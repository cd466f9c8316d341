/** Opens things: bundled scenarios, what came with the page, states from links, cells of sweeps. */
import type { Item, PageData, ScenarioItem, StoreItem, StudyItem, TrajectoryItem } from "./data";
import { byId, say } from "./dom";
import type { Description } from "./engine/types";
import { group, shortTitle } from "./hints";
import { read, written, type LinkState } from "./link";
import { replay, type Motion } from "./motion";
import { job, listed, load } from "./server";
import { SHAPES } from "./shapes";
import type { Studio } from "./studio";
import { studyPage } from "./studypage";
import { SweepMap } from "./sweepmap";
import { changed, differences, inRadians, isTable } from "./tables";
import { CAMERA_MODES, type CameraMode } from "./view/cameras";
import type { Layout } from "./view/stage";

const ORDER = ["Opened", "In this folder", "In the plane", "In space", "Plans", "Shapes", "Studies"];
const HERE = "here:"; // names of things in the folder of the server
const PLAN = "A plan is made by the local server, not by the page.";
const CONTROLLER = "A controller is carried out by the local server, not by the page.";
const OUTSIDE = "It calls a function of your own, which a page cannot do.";

export class Opener {
  stands = false; // a link asked for a time: the page does not play by itself
  private readonly items = new Map<string, Item>();
  private readonly given: Item[] = [];
  private readonly maps = new Map<string, SweepMap>();

  constructor(
    private readonly studio: Studio,
    private readonly data: PageData,
  ) {
    for (const item of data.items) {
      const named = { ...item, name: this.unique(item) };
      this.given.push(named);
      this.items.set(named.name, named);
    }
    studio.doc.on("change", () => this.clear());
  }

  /** A name that nothing else in the list has: a run may be called like the scenario it is of. */
  private unique({ name, kind }: Item): string {
    const taken = (one: string): boolean => this.items.has(one) || (kind !== "scenario" && Boolean(this.studio.known.scenarios[one] ?? SHAPES[one]));
    if (!taken(name)) return name;
    const called = `${name} (${{ trajectory: "run", shape: "shape", store: "sweep", study: "study", scenario: "scenario" }[kind]})`;
    for (let k = 1; ; k++) {
      const one = k === 1 ? called : `${called} ${k}`;
      if (!taken(one)) return one;
    }
  }

  choices(): { name: string; title: string; group: string }[] {
    const { scenarios } = this.studio.known;
    const own = this.given.filter((i) => !(i.kind === "scenario" && scenarios[i.name])).map((i) => ({ name: i.name, title: String(i.title ?? i.name), group: "Opened" }));
    const shapes = Object.entries(SHAPES).map(([name, s]) => ({ name, title: s.title, group: "Shapes" }));
    const studies = (this.data.studies ?? []).map((name) => ({ name: `study:${name}`, title: `Study ${name.replaceAll("_", " ")}`, group: "Studies" }));
    const bundled = Object.entries(scenarios).map(([name, s]) => ({ name, title: shortTitle(name, String(s.description.title ?? name)), group: group(s.description) }));
    return [...own, ...bundled, ...shapes, ...studies].sort((a, b) => ORDER.indexOf(a.group) - ORDER.indexOf(b.group));
  }

  /** Why the page cannot run a description by itself; null: it can. */
  runnable(description: Description): string | null {
    const item = this.items.get(this.studio.doc.name);
    if (item?.kind === "shape") return "A form at rest: turn it with the mouse, or look from the side.";
    if (item && item.kind !== "scenario" && item.kind !== "store") return item.kind === "trajectory" && this.plain(description) ? null : "This is a recorded run: it is replayed, not computed.";
    if (item?.kind === "scenario" && !item.runnable) return item.why ?? OUTSIDE;
    if (isTable(description.plan)) return PLAN;
    if (isTable(description.controller)) return CONTROLLER;
    return this.plain(description) ? null : OUTSIDE;
  }

  private plain(description: Description): boolean {
    if (isTable(description.plan) || isTable(description.controller)) return false;
    const outside = ["custom", "function"];
    const law = (description.world as Description | undefined)?.friction as Description | undefined;
    return ![description.gait, description.drive].some((c) => isTable(c) && outside.includes(String(c.kind))) && !outside.includes(String(law?.law));
  }

  /** What the link says, else what came with the page, else the creeping robot. */
  first(): void {
    let state: LinkState | null = null;
    try {
      state = read(location.hash || (this.data.state ?? ""));
      if (state) return this.restore(state);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), "error");
      if (state && this.studio.doc.name) return; // what could be read of it is shown
    }
    const [one, two] = this.given;
    if (one) this.showItem(one);
    else this.open("creep");
    if (two) this.beside(two);
  }

  open(name: string, changes: LinkState["changes"] = [], base: Description | null = null): void {
    if (name.startsWith("study:") && !this.items.has(name)) return void this.askStudy(name);
    const item = this.items.get(name);
    if (!item && !base && name.startsWith(HERE) && this.data.server) return void this.fetched(name, changes);
    const shape = SHAPES[name] && { description: SHAPES[name].description, full: {} };
    const bundled = this.studio.known.scenarios[name] ?? shape;
    this.uncover();
    if (item) this.showItem(item, changes);
    else if (base) this.studio.doc.open(name, base, {}, changed(inRadians(base) as Description, changes));
    else if (bundled) this.studio.doc.open(name, bundled.description, bundled.full, changed(inRadians(bundled.description) as Description, changes));
    else return say(`There is no scenario "${name}" in this page.`, "error");
  }

  restore(state: LinkState): void {
    this.open(state.name, state.changes, state.base);
    const { view } = state;
    if (CAMERA_MODES.includes(view.camera as CameraMode)) this.studio.camera(view.camera as CameraMode);
    if (view.speed) this.studio.clock.setSpeed(Number(view.speed) || 1);
    if (view.pin && (view.layout === "overlay" || view.layout === "side")) this.pinned(view.layout, view.pin);
    if (!view.t) return;
    this.stands = true;
    this.studio.clock.play(false);
    this.studio.at(Number(view.t) || 0);
  }

  /** A run that was kept for comparison comes back: it is run first. */
  private pinned(layout: Layout, pin: string): void {
    const { doc } = this.studio;
    const kept = changed(doc.base, JSON.parse(pin) as LinkState["changes"]);
    this.studio.pin(kept, layout);
  }

  link(): string {
    const { doc, clock, layout, reference, parts } = this.studio;
    const bundled = Boolean(this.studio.known.scenarios[doc.name] ?? SHAPES[doc.name]) && !this.items.has(doc.name);
    const pin = reference && layout !== "single" ? JSON.stringify(differences(doc.base, inRadians(reference.description))) : "";
    const view = { t: clock.playing ? "" : clock.time.toFixed(3), camera: parts.stage?.cameras.mode ?? "", speed: clock.speed === 1 ? "" : String(clock.speed), layout: layout === "single" ? "" : layout, pin };
    const item = this.items.get(doc.name);
    const changes = item?.kind === "store" ? differences(inRadians(item.base), doc.description) : doc.changes(); // a cell's own values are changes, too
    return written({ name: doc.name, base: bundled || this.items.has(doc.name) ? null : doc.base, changes, view });
  }

  showItem(item: Item, changes: LinkState["changes"] = []): void {
    this.items.set(item.name, item);
    if (item.kind === "scenario") this.scenario(item, changes);
    else if (item.kind === "study") this.study(item.name, studyPage(item));
    else if (item.kind === "store") this.store(item, changes);
    else this.trajectory(item);
  }

  private scenario(item: ScenarioItem, changes: LinkState["changes"]): void {
    const base = inRadians(item.description) as Description;
    this.studio.doc.open(item.name, base, base, changed(base, changes));
  }

  /** The motion of a recorded run; a plan's walls and pins are those of its execution. */
  private motionOf(item: TrajectoryItem): Motion {
    const world = item.provenance?.world as Description | undefined;
    const description = world ? ({ ...item.description, world } as Description) : item.description;
    const status = item.status ?? { name: "ok", message: "", time: null };
    const outcome = { status: status.name as "ok", message: status.message, time: status.time ?? 0, warnings: item.warnings ?? [] };
    return replay(item.frames, description, item.title ?? item.name, { metrics: item.metrics ?? {}, events: item.events ?? [], outcome });
  }

  private trajectory(item: TrajectoryItem): void {
    const motion = this.motionOf(item);
    this.studio.replaying(item.name, item.description, motion);
  }

  /** What the server made of the present description: the description stays as it is. */
  showResult(item: TrajectoryItem): void {
    this.studio.clock.time = 0;
    this.studio.show(this.motionOf(item), true);
    this.studio.parts.stage?.setWorld(this.studio.doc.description);
    this.studio.clock.play(true);
  }

  beside(item: Item, called = "kept run"): void {
    if (item.kind === "trajectory") this.studio.compare("overlay", this.motionOf(item), called);
    else if (item.kind === "scenario") this.studio.pin(inRadians(item.description) as Description, "overlay");
  }

  private cell(name: string, description: Description, label: string, changes: LinkState["changes"] = []): void {
    const cell = { ...description, title: label } as Description;
    this.studio.doc.open(name, cell, {}, changed(cell, changes));
  }

  /** A study is carried out by the server, in its quick form; it opens if nothing else was opened meanwhile. */
  private async askStudy(name: string): Promise<void> {
    say("The study is being carried out by the local server: this takes a minute or more.");
    const before = this.studio.doc.base;
    try {
      const item = await job<StudyItem>("study", { name: name.slice(6) }, (share) => say(`Study ${name.slice(6)}: ${Math.round(100 * share)} %`));
      this.items.set(name, { ...item, name });
      if (this.studio.doc.base === before) this.open(name);
      else say(`Study ${name.slice(6)} is ready: choose it in the list again`);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), "error");
      this.studio.emit("mode", undefined);
    }
  }

  private study(name: string, page: HTMLElement): void {
    const main = byId("studio");
    main.classList.add("study-mode");
    main.append(page);
    this.studio.clock.play(false);
    this.studio.covered = name;
    this.studio.emit("mode", undefined);
  }

  /** The map stays over the controls: the run of a clicked cell opens beside it. A link opens the cell it was made in. */
  private store(item: StoreItem, changes: LinkState["changes"]): void {
    const title = item.title ?? item.name;
    const map = this.mapOf(item.name, item);
    if (!changes.length) return map.openBest();
    this.cell(item.name, inRadians(item.base) as Description, title, changes);
  }

  private mapOf(name: string, item: StoreItem): SweepMap {
    const map = this.maps.get(name) ?? new SweepMap(item, (description, label) => this.cell(name, description, label));
    this.maps.set(name, map);
    if (!map.box.isConnected) byId("panel").prepend(map.box);
    return map;
  }

  /** What was opened before goes: a study with any other state, the map of a sweep with the states that are not of it. */
  private clear(): void {
    this.uncover();
    const { name } = this.studio.doc;
    const item = this.items.get(name);
    for (const [of, map] of this.maps) if (of !== name) map.box.remove();
    if (item?.kind === "store") this.mapOf(name, item);
  }

  private uncover(): void {
    if (this.studio.covered === null) return;
    this.studio.covered = null;
    byId("studio").classList.remove("study-mode");
    document.querySelector("section.study")?.remove();
    this.studio.emit("mode", undefined);
  }

  /** Whether what is shown has a form and no motion: a robot, or a shape, of a notebook. */
  get still(): boolean {
    return this.items.get(this.studio.doc.name)?.kind === "shape";
  }

  /** Whether a description runs in the page, is at rest, is shown as it was recorded, or waits for the server. */
  shown(description: Description): "runs" | "still" | "recorded" | "waits" {
    if (this.still) return "still";
    if (this.runnable(description) === null) return "runs";
    return this.recorded(description) ? "recorded" : "waits";
  }

  /** A recorded run that the page cannot compute, as it was recorded. */
  standIn(description: Description): Motion | null {
    const item = this.recorded(description);
    return item && this.motionOf(item);
  }

  private recorded(description: Description): TrajectoryItem | null {
    const item = this.items.get(this.studio.doc.name);
    if (item?.kind !== "trajectory" && item?.kind !== "shape") return null;
    return differences(inRadians(item.description), description).length ? null : item;
  }

  /** What lies in the folder of the server: scenarios, runs and sweeps, to be opened from the list. */
  async inFolder(): Promise<{ name: string; title: string; group: string }[]> {
    return (await listed()).map(({ name, title }) => ({ name: `${HERE}${name}`, title: `${name} (${title})`, group: "In this folder" }));
  }

  private async fetched(name: string, changes: LinkState["changes"]): Promise<void> {
    try {
      const item = await load(name.slice(HERE.length));
      this.items.set(name, { ...item, name });
      this.open(name, changes);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), "error");
      this.studio.emit("mode", undefined); // the list shows what is open
    }
  }
}
