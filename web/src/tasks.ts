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
  showBeside(item: Item): void;
}

export class Tasks {
  readonly box = el("section", { class: "tasks", "aria-label": "Actions" });
  private readonly progress = el("progress", { max: 1, value: 0, hidden: true });
  private busy = false;

  constructor(
    private readonly studio: Studio,
    private readonly driver: Driver,
    private readonly host: TaskHost,
  ) {
    studio.doc.on("change", ({ final, opened }) => {
      if (!final) return;
      this.build();
      if (host.server && !studio.replayed && isTable(studio.doc.description.plan) && host.runnable(studio.doc.description) !== null) void this.work(opened); // opened, or a target or a wall was moved
    });
    studio.on("mode", () => this.build());
  }

  private button(label: string, title: string, act: () => void, primary = false): HTMLButtonElement {
    const made = el("button", { type: "button", title, class: primary ? "primary" : "", onclick: act }, label);
    made.disabled = this.busy;
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
    if (this.host.server) this.offer(actions, plan);
    const parts: (HTMLElement | null)[] = [actions.childElementCount ? actions : null, this.progress];
    if (why !== null && !this.host.server) parts.unshift(el("p", { class: "needs", id: "cannot-run" }, why));
    if (!this.host.server && !isTable(description.shape)) parts.push(el("p", { class: "needs", id: "needs-server" }, NEEDS, el("code", {}, this.studio.known.scenarios[this.studio.doc.name] ? `serpenoid studio ${this.studio.doc.name}` : "serpenoid studio")));
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
    await this.during(async (progress) => {
      const best = await physics.best(doc.description, "gait.winding_angle", 5 * DEG, 100 * DEG, "com_distance", progress);
      doc.set(["gait", "winding_angle"], best.place);
      say(`Best winding angle ${brief(best.place / DEG, 4)} deg: ${brief(best.value)} m${best.atEnd ? " (at the end of what was searched)" : ""}, ${best.evaluations.length + best.scan.length} runs`);
    });
  }

  /** Let the server carry the description out; what was changed meanwhile is carried out next. */
  private async work(opened = false): Promise<void> {
    if (this.busy) return;
    const { doc } = this.studio;
    const asked = doc.description;
    if (isTable(asked.plan) && opened) say("The local server plans this task");
    await this.during(async (progress) => {
      const item = await server.job<TrajectoryItem>("run", { description: asked }, progress);
      if (doc.description === asked) this.host.showResult(item);
    });
    if (doc.description !== asked && isTable(doc.description.plan)) await this.work();
  }

  private async peers(): Promise<void> {
    await this.during(async (progress) => {
      const { items } = await server.job<{ items: TrajectoryItem[] }>("compare", { description: this.studio.doc.description, engines: ["native", "mujoco"] }, progress);
      const other = items.find((item) => item.name === "mujoco");
      if (!other) throw new Error("the server gave no run of MuJoCo");
      this.host.showBeside(other);
    });
  }

  private async file(task: string, more: { [key: string]: unknown } = {}): Promise<void> {
    await this.during(async (progress) => {
      const made = await server.job<{ file: string }>(task, { description: this.studio.doc.description, ...more }, progress);
      const link = el("a", { href: server.fileLink(made.file), download: made.file }, made.file);
      dialog("Ready", el("p", {}, "Download ", link));
    });
  }

  private save(): void {
    const name = el("input", { type: "text", value: `${this.studio.doc.name}-changed.toml`, "aria-label": "Name of the file" });
    const go = el("button", { type: "button", class: "primary" }, "Save");
    const box = dialog("Save the scenario", el("div", { class: "actions" }, name, go));
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

  private async during(work: (progress: (share: number) => void) => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.progress.hidden = false;
    this.progress.value = 0;
    this.build();
    try {
      await work((share) => (this.progress.value = share));
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), "error");
    } finally {
      this.busy = false;
      this.progress.hidden = true;
      this.build();
    }
  }
}
