/** The head of the page: which scenario, back and forth, compare, share, light and dark, help. */
import { el, icon } from "./dom";
import type { Studio } from "./studio";
import { isDark } from "./view/palette";
import type { Layout } from "./view/stage";

const UNDO = "M12.5 8c-2.65 0-5.05 1-6.9 2.6L2 7v9h9l-3.62-3.62A8 8 0 0 1 20.4 16l2.37-.78A10.5 10.5 0 0 0 12.5 8z";
const REDO = "M18.4 10.6A10.5 10.5 0 0 0 1.23 15.22L3.6 16a8 8 0 0 1 13-3.6L13 16h9V7z";
const SUN = "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11 1h2v3h-2zm0 19h2v3h-2zM1 11h3v2H1zm19 0h3v2h-3zM4.2 5.6l1.4-1.4 2.1 2.1-1.4 1.4zm12.1 12.1 1.4-1.4 2.1 2.1-1.4 1.4zM4.2 18.4l2.1-2.1 1.4 1.4-2.1 2.1zM16.3 6.3l2.1-2.1 1.4 1.4-2.1 2.1z";

export interface HeaderActions {
  scenarios: { name: string; title: string; group: string }[];
  open(name: string): void;
  share(): void;
  more: Promise<HeaderActions["scenarios"]> | null; // what the folder of the server holds, as soon as that is known
  help(): void;
  themed(): void;
}

export class Header {
  private readonly select = el("select", { id: "scenario", "aria-label": "Scenario", title: "What to look at" });
  private readonly undo: HTMLButtonElement;
  private readonly redo: HTMLButtonElement;
  private readonly layouts: HTMLButtonElement[];
  private choices: HeaderActions["scenarios"] = [];

  constructor(
    box: HTMLElement,
    private readonly studio: Studio,
    private readonly actions: HeaderActions,
  ) {
    this.fill(actions.scenarios);
    void actions.more?.then((more) => {
      this.fill([...more, ...actions.scenarios]);
      this.refresh();
    }, () => undefined); // a list that does not come leaves the page as it is
    this.select.addEventListener("change", () => actions.open(this.select.value));
    this.undo = this.button("Undo (Ctrl+Z)", UNDO, () => studio.doc.undo());
    this.redo = this.button("Redo (Ctrl+Shift+Z)", REDO, () => studio.doc.redo());
    this.layouts = (["single", "overlay", "side"] as Layout[]).map((layout, i) =>
      el("button", { type: "button", "data-layout": layout, title: ["Show one run", "Keep this run and draw others over it", "Keep this run and show others beside it"][i], onclick: () => studio.compare(layout) }, ["Single", "Overlay", "Side by side"][i]),
    );
    box.append(
      el("h1", {}, "serpenoid"),
      this.select,
      el("div", { class: "group" }, this.undo, this.redo),
      el("span", { class: "spread" }),
      el("span", { class: "chip" }, "Compare"),
      el("div", { class: "segmented", role: "group", "aria-label": "Compare" }, ...this.layouts),
      el("button", { type: "button", id: "share", class: "primary", title: "Send this state to somebody: a file, a link, a command", onclick: () => actions.share() }, "Share"),
      this.button("Light or dark", SUN, () => this.theme()),
      el("button", { type: "button", class: "icon", id: "help", "aria-label": "Help", title: "Keys and help (?)", onclick: () => actions.help() }, "?"),
    );
    studio.doc.on("history", () => this.refresh());
    studio.doc.on("change", () => this.refresh());
    studio.on("mode", () => this.refresh());
    this.refresh();
  }

  private fill(choices: HeaderActions["scenarios"]): void {
    this.choices = choices;
    const groups = new Map<string, HTMLOptGroupElement>();
    for (const { name, title, group } of choices) {
      if (!groups.has(group)) groups.set(group, el("optgroup", { label: group }));
      groups.get(group)?.append(el("option", { value: name }, title));
    }
    this.select.replaceChildren(...groups.values());
  }

  private button(label: string, path: string, act: () => void): HTMLButtonElement {
    return el("button", { type: "button", class: "icon", "aria-label": label, title: label, onclick: act }, icon(path));
  }

  private theme(): void {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    this.actions.themed();
  }

  refresh(): void {
    this.undo.disabled = !this.studio.doc.canUndo;
    this.redo.disabled = !this.studio.doc.canRedo;
    const shown = this.studio.covered ?? this.studio.doc.name;
    this.select.value = shown;
    if (this.select.value !== shown && shown) {
      this.fill([...this.choices, { name: shown, title: this.studio.title(), group: "Opened" }]); // it came by a link
      this.select.value = shown;
    }
    for (const button of this.layouts) button.setAttribute("aria-pressed", String(button.dataset.layout === this.studio.layout));
  }
}
