/** What can be done with a description: find the best, drive it, plan it; and by the local server film, export, save, other engines. */
import type { Item, TrajectoryItem } from "./data";
import { Driver } from "./drive";
import { brief, el, say } from "./dom";
import type { Description } from "./engine/types";
import { dialog } from "./keys";
import * as server from "./server";
import type { Studio } from "./studio";
import { isTable } from "./tables";

const DEG = Math.PI / 180;
const NEEDS = "Plans, films, other engines and files are made by the local server: start it with ";

export interface TaskHost {
  server: boolean;
  runnable(description: Description): string | null;
  showResult(item: TrajectoryItem): void;
  showBeside(item: Item, called: string): void;
}

export class Tasks {
  readonly box = el("section", { class: "tasks", "aria-label": "Actions" });
  private readonly bar = el("progress", { max: 1, value: 0, "aria-label": "How far the work is" });
  private readonly progress = el("div", { class: "working", hidden: true }, this.bar, el("button", { type: "button", class: "small", title: "Give this work up", onclick: () => this.leave() }, "Stop"));
  private busy: AbortController | null = null;
  private ofState = false; // what is worked on is of the present state, and of no use for another
  private queued = false; // a plan waits until what is worked on has ended

  constructor(
    private readonly studio: Studio,
    private readonly driver: Driver,
    private readonly host: TaskHost,
  ) {
    studio.doc.on("change", ({ final, opened }) => {
      if (!final) return;
      if (this.ofState) this.leave();
      this.build();
      this.queued = false;
      if (host.server && !studio.replayed && isTable(studio.doc.description.plan) && host.runnable(studio.doc.description) !== null) void this.work(opened); // opened, or a target or a wall was moved
    });
    studio.on("mode", () => this.build());
  }

  private button(label: string, title: string, act: () => void, primary = false): HTMLButtonElement {
    const made = el("button", { type: "button", title, class: primary ? "primary" : "", onclick: act }, label);
    made.disabled = this.busy !== null;
    return made;
  }

  build(): void {
    const { description } = this.studio.doc;
    const why = this.host.runnable(description);
    const actions = el("div", { class: "actions" });
    const plan = isTable(description.plan);
    if (why === null && !this.studio.driving) {
      if ((description.gait as Description | undefined)?.kind === "serpenoid") {
        actions.append(this.button("Find best winding angle", "Search the winding angle that goes farthest, and take it", () => void this.best()));
      }
      if (Driver.possible(description)) actions.append(this.button("Drive", "Steer it live with the arrow keys", () => this.driver.start()));
    }
    if (this.host.server && !isTable(description.shape)) this.offer(actions, plan);
    const parts: (HTMLElement | null)[] = [actions.childElementCount ? actions : null, this.progress];
    if (why !== null && !this.host.server) parts.unshift(el("p", { class: "needs", id: "cannot-run" }, why));
    if (!this.host.server && !isTable(description.shape)) parts.push(el("p", { class: "needs", id: "needs-server" }, NEEDS, el("code", {}, ["serpenoid studio", this.studio.known.scenarios[this.studio.doc.name] ? this.studio.doc.name : ""].join(" ").trim())));
    this.box.replaceChildren(...parts.filter((p): p is HTMLElement => p !== null));
  }

  private offer(actions: HTMLElement, plan: boolean): void {
    if (plan) actions.append(this.button("Plan", "Plan this task and carry it out", () => void this.work(), true));
    else if (this.host.runnable(this.studio.doc.description) !== null) actions.append(this.button("Run on the server", "Computed by the local server", () => void this.work(), true));
    actions.append(
      this.button("Film", "Make an MP4 film", () => void this.file("film")),
      this.button("Export", "One HTML file that works anywhere", () => void this.file("export", { to: "html" })),
      this.button("Save", "Save the scenario as a file", () => this.save()),
    );
    if (!plan) actions.append(this.button("Compare with MuJoCo", "The same robot in MuJoCo, beside this run", () => void this.peers()));
  }

  /** Search in the page itself. */
  private async best(): Promise<void> {
    const { physics, doc } = this.studio;
    if (!physics) return;
    await this.during(true, async (progress) => {
      const asked = doc.description;
      const gait = asked.gait;
      const back = isTable(gait) && typeof gait.speed === "number" && gait.speed < 0; // told to go backward, not slipping there
      const best = await physics.best(asked, "gait.winding_angle", 5 * DEG, 100 * DEG, back ? "com_distance" : "com_forward", progress);
      if (doc.description !== asked) throw new server.GivenUp("given up"); // it is the best of another state
      doc.set(["gait", "winding_angle"], best.place);
      say(`Best winding angle ${brief(best.place / DEG, 4)} deg: ${brief(best.value)} m${best.atEnd ? " (at the end of what was searched)" : ""}, ${best.evaluations.length} runs`);
    });
  }

  /** Let the server carry the description out; what was changed meanwhile is carried out next. */
  private async work(opened = false): Promise<void> {
    if (this.busy) {
      this.queued = true;
      return;
    }
    const { doc } = this.studio;
    const asked = doc.description;
    if (isTable(asked.plan) && opened) say("The local server plans this task");
    await this.during(true, async (progress, signal) => {
      const item = await server.job<TrajectoryItem>("run", { description: asked }, progress, signal);
      if (doc.description === asked) this.host.showResult(item);
    });
  }

  private async peers(): Promise<void> {
    await this.during(true, async (progress, signal) => {
      const { items } = await server.job<{ items: TrajectoryItem[] }>("compare", { description: this.studio.doc.description, engines: ["own", "mujoco"] }, progress, signal);
      const other = items.find((item) => item.name === "mujoco");
      if (!other) throw new Error("the server gave no run of MuJoCo");
      this.host.showBeside(other, "in MuJoCo");
    });
  }

  private async file(task: string, more: { [key: string]: unknown } = {}): Promise<void> {
    await this.during(false, async (progress, signal) => {
      const made = await server.job<{ file: string }>(task, { description: this.studio.doc.description, ...more }, progress, signal);
      const link = el("a", { href: server.fileLink(made.file), download: made.file }, made.file);
      dialog("Ready", el("p", {}, "Download ", link));
    });
  }

  private save(): void {
    const kept = this.studio.doc.name.replace(/^here:/, "").replace(/[^\w.-]+/g, "-").replace(/\.toml$/, "");
    const name = el("input", { type: "text", value: `${kept}-changed.toml`, "aria-label": "Name of the file" });
    const go = el("button", { type: "button", class: "primary" }, "Save");
    const box = dialog("Save the scenario", el("div", { class: "saving" }, name, go));
    name.addEventListener("keydown", (event) => event.key === "Enter" && go.click());
    go.addEventListener("click", () => {
      server.save(name.value, this.studio.doc.description).then(
        ({ path }) => {
          box.close();
          say(`Saved as ${path}`);
        },
        (error: Error) => say(error.message, "error"),
      );
    });
  }

  /** Give up what is worked on. */
  private leave(): void {
    this.busy?.abort();
    if (this.busy && this.ofState) this.studio.physics?.leave();
  }

  private async during(ofState: boolean, work: (progress: (share: number) => void, signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.busy) return;
    const busy = (this.busy = new AbortController());
    this.ofState = ofState;
    this.progress.hidden = false;
    this.bar.value = 0;
    this.build();
    try {
      await work((share) => (this.bar.value = share), busy.signal);
    } catch (error) {
      if (!(error instanceof server.GivenUp)) say(error instanceof Error ? error.message : String(error), "error");
    } finally {
      this.busy = null;
      this.ofState = false;
      this.progress.hidden = true;
      this.build();
    }
    if (this.queued) {
      this.queued = false;
      await this.work();
    }
  }
}
