/** Start of the page: read what it is given, load the physics, build the views, and open the first state. */
import { asset, text } from "./assets";
import { pageData } from "./data";
import type { Declarations } from "./declarations";
import { Driver } from "./drive";
import { byId, el, say, write } from "./dom";
import { Hands } from "./edit";
import { Header } from "./header";
import { deed, hint } from "./hints";
import { expose } from "./hooks";
import { listen, showHelp } from "./keys";
import { MetricsPanel } from "./metrics";
import { Opener } from "./opener";
import { Overlay } from "./overlay";
import { Panel } from "./panel/panel";
import { PhysicsClient } from "./physics/client";
import { Plots } from "./plots/plots";
import { Studio } from "./studio";
import { changed, get } from "./tables";
import { Tasks } from "./tasks";
import { Timeline } from "./timeline";
import { isDark } from "./view/palette";
import { Share } from "./share";
import { isSoftware, plainCanvases } from "./view/quality";
import { Stage } from "./view/stage";

function stageIn(box: HTMLElement): Stage | null {
  try {
    return new Stage(box);
  } catch (error) {
    box.append(el("p", { class: "needs" }, `${error instanceof Error ? error.message : String(error)}. Plots and numbers work without it.`));
    return null;
  }
}

async function start(): Promise<void> {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  const data = pageData();
  document.body.classList.toggle("embedded", data.embedded);
  const loading = PhysicsClient.start();
  const known = JSON.parse(text(await asset("declarations.json"))) as Declarations;
  const studio = new Studio(known);
  const view = byId("view");
  const stage = stageIn(view);
  if (stage && isSoftware(stage.rendererName)) plainCanvases();
  const timeline = new Timeline(byId("timeline"), studio.clock);
  studio.parts = { stage, timeline, plots: new Plots(byId("plots"), studio.clock), metrics: new MetricsPanel(byId("metrics"), known.metrics) };
  const opener = new Opener(studio, data);
  studio.standIn = (description) => opener.standIn(description);
  studio.canRun = (description) => opener.runnable(description);
  const driver = new Driver(view, studio);
  const tasks = new Tasks(studio, driver, { server: data.server, runnable: (d) => opener.runnable(d), showResult: (item) => opener.showResult(item), showBeside: (item, called) => opener.beside(item, called) });
  const [title, line] = [el("h2"), el("p", { class: "hint" })];
  const panel = new Panel(byId("panel"), studio.doc, known, el("section", { class: "head" }, title, line), tasks.box);
  const shown = (): (Node | string)[] => {
    const found = deed(studio.doc.name);
    if (!found || found.changes(studio.doc.description).every(([path, value]) => get(studio.doc.description, path.split(".")) === value)) return [];
    return [" ", el("button", { type: "button", class: "small", onclick: () => studio.doc.replace(changed(studio.doc.description, found.changes(studio.doc.description))) }, found.label)];
  };
  studio.doc.on("change", () => {
    document.body.classList.toggle("still", opener.still);
    write(title, studio.title());
    const [said, deeds] = [hint(studio.doc.name, studio.doc.description, data.server, opener.shown(studio.doc.description)), shown()];
    if (line.textContent !== [said, ...deeds].map((part) => (typeof part === "string" ? part : part.textContent)).join("")) line.replaceChildren(said, ...deeds);
    if (document.title !== `${studio.title()} · serpenoid`) document.title = `${studio.title()} · serpenoid`;
  });
  studio.on("refused", (errors) => {
    const left = panel.refuse(errors);
    if (left.length) say(left.map((e) => e.text).join("\n"), "error");
  });
  studio.on("accepted", () => panel.settle());
  const themed = (): void => {
    stage?.theme();
    studio.parts.plots.recolour();
    studio.redraw();
  };
  const share = new Share(studio, data, () => opener.link());
  new Header(byId("header"), studio, { scenarios: opener.choices(), open: (name) => opener.open(name), share: () => share.open(), more: data.server ? opener.inFolder() : null, help: showHelp, themed });
  const overlay = stage ? new Overlay(view, studio, stage, data.embedded) : null;
  if (stage) new Hands(view, studio, stage);
  listen(studio, timeline, overlay);
  studio.start();
  studio.physics = await loading;
  opener.first();
  window.addEventListener("hashchange", () => opener.first());
  if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches && !opener.stands) studio.clock.play(true);
  expose(studio);
}

start().catch((error: unknown) => say(error instanceof Error ? error.message : String(error), "error"));
