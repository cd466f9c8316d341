/** What lies over the view: ways of looking, what is drawn, the legend of slip, the size of a square, and the mark of a preview. */
import { brief, el, mark, write } from "./dom";
import type { Studio } from "./studio";
import { CAMERA_MODES } from "./view/cameras";
import { FIRST_BODY, FRICTION, NORMAL, SECOND_BODY, WALL, slipGradient } from "./view/palette";
import { LEVELS } from "./view/quality";
import type { Look, Stage } from "./view/stage";

const NAMES = { follow: "Follow", orbit: "Orbit", top: "Top", side: "Side" };
const KEYS = { follow: "1", orbit: "2", top: "3", side: "4" };

export class Overlay {
  readonly preview = el("span", { class: "chip", id: "preview", hidden: true }, "Preview");
  private readonly grid = el("span", { class: "chip", id: "grid-scale" });
  private readonly legend = el("div", { class: "chip legend" });
  private readonly cameras: HTMLButtonElement[];
  private readonly detail = el("span");
  private readonly looks: HTMLElement;
  private readonly other = el("b");
  private readonly halves = el("div", { class: "halves", hidden: true }, el("span", { class: "chip" }, el("b", {}, "This run")), el("span", { class: "chip" }, this.other));

  constructor(
    box: HTMLElement,
    private readonly studio: Studio,
    private readonly stage: Stage,
    compact: boolean,
  ) {
    this.cameras = CAMERA_MODES.map((mode) => el("button", { type: "button", title: `${NAMES[mode]} (${KEYS[mode]})`, "data-camera": mode, "aria-pressed": "false", onclick: () => studio.camera(mode) }, NAMES[mode]));
    this.looks = el("div", { class: "segmented", role: "group", "aria-label": "What is drawn" }, this.look("forces", "Forces", "f"), this.look("slip", "Slip", "s"), this.look("trail", "Trail", "t"));
    const ways = el("div", { class: "segmented", role: "group", "aria-label": "Camera" }, ...this.cameras);
    box.append(el("div", { class: "over top" }, ways, this.looks, this.preview), this.halves);
    if (!compact) box.append(el("div", { class: "over foot" }, this.legend, el("div", { class: "chips" }, this.detail, this.grid)));
    studio.on("mode", () => this.refresh());
    studio.on("motion", () => this.refresh());
    stage.onLevel = () => this.refresh();
    window.setInterval(() => this.measure(), 400);
    this.refresh();
  }

  private look(key: keyof Look, label: string, hint: string): HTMLButtonElement {
    const button = el("button", { type: "button", title: `${label} (${hint})`, "data-look": key, "aria-pressed": String(this.stage.look[key]) }, label);
    button.addEventListener("click", () => this.toggle(key));
    return button;
  }

  toggle(key: keyof Look): void {
    this.stage.look[key] = !this.stage.look[key];
    document.querySelector(`[data-look="${key}"]`)?.setAttribute("aria-pressed", String(this.stage.look[key]));
    this.studio.redraw();
    this.refresh();
  }

  refresh(): void {
    for (const button of this.cameras) mark(button, "aria-pressed", String(button.dataset.camera === this.stage.cameras.mode));
    const motion = this.studio.motion;
    this.preview.hidden = !motion?.facts.preview;
    const legend: HTMLElement[] = [];
    const { layout, reference } = this.studio;
    const two = Boolean(reference) && layout !== "single";
    this.halves.hidden = !(two && layout === "side");
    write(this.other, this.studio.referenceName.replace(/^./, (first) => first.toUpperCase()));
    if (two && layout === "overlay") {
      legend.push(entry(FIRST_BODY, "this run"), entry(SECOND_BODY, this.studio.referenceName));
    }
    this.dead("forces", !motion?.has("contactForce"));
    this.dead("slip", !motion?.has("slipAcross") || (two && layout === "overlay"));
    this.dead("trail", !motion?.has("contactForce"));
    if (this.stage.look.slip && motion?.has("slipAcross") && !(two && layout === "overlay")) {
      const ramp = el("span", { class: "ramp" });
      ramp.style.background = slipGradient();
      legend.push(el("div", {}, "slip 0", ramp, `${brief(motion.slipScale, 2)} m/s`));
    }
    if (this.stage.look.forces && motion?.has("contactForce")) {
      legend.push(entry(FRICTION, `friction, longest ${brief(motion.forceScale, 2)} N`));
      if (motion.facts.spatial) legend.push(entry(NORMAL, "ground"));
      if (motion.has("wallForce")) legend.push(entry(WALL, "obstacles"));
    }
    if (this.legend.innerHTML !== legend.map((line) => line.outerHTML).join("")) this.legend.replaceChildren(...legend);
    this.legend.hidden = !legend.length;
    const dropped = this.stage.level !== LEVELS[0];
    mark(this.detail, "class", dropped ? "chip" : "");
    mark(this.detail, "title", dropped ? `Drawn by ${this.stage.rendererName}` : "");
    write(this.detail, dropped ? `detail ${this.stage.level.name}` : "");
    this.measure();
  }

  /** A way of drawing that the present thing has nothing for cannot be chosen. */
  private dead(key: keyof Look, yes: boolean): void {
    const button = this.looks.querySelector<HTMLButtonElement>(`[data-look="${key}"]`);
    if (button) button.disabled = yes;
  }

  private measure(): void {
    if (this.stage.cell) write(this.grid, `square ${brief(this.stage.cell, 2)} m`);
  }
}

function entry(colour: string, label: string): HTMLElement {
  const square = el("span", { class: "force" });
  square.style.background = colour;
  return el("div", {}, square, label);
}
