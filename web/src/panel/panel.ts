/** The panel: what matters first, then every field of the description in its place, generated from the declarations. */
import type { ClassDeclaration, Declarations, Declared } from "../declarations";
import type { Document } from "../document";
import { el } from "../dom";
import type { Description, Json, Problem } from "../engine/types";
import { get, isTable, type Path } from "../tables";
import { shapeFields } from "../shapes";
import { choiceField, flagField, jointsField, labelOf, listField, numberField, type Field } from "./fields";

const MATTER: { [kind: string]: string[] } = {
  serpenoid: ["gait.winding_angle", "gait.waves", "gait.speed", "world.friction.along", "world.friction.across"],
  sidewinding: ["gait.amplitude", "gait.vertical_amplitude", "gait.frequency", "gait.phase_per_joint", "gait.phase_offset"],
  rectilinear: ["gait.amplitude", "gait.frequency", "gait.phase_per_joint", "world.friction.along", "robot.links"],
  "sinus-lifting": ["gait.amplitude", "gait.lift_amplitude", "gait.frequency", "world.friction.along", "world.friction.across"],
  "pole-climbing": ["gait.slope", "gait.grip", "gait.frequency", "world.friction.along", "world.friction.across"],
  "compound-serpenoid": ["gait.yaw_amplitude", "gait.pitch_amplitude", "gait.yaw_temporal", "gait.pitch_temporal", "gait.pitch_phase"],
  sine: ["drive.amplitude", "drive.frequency", "drive.phase_per_joint", "world.friction.along", "world.friction.across"],
};
const SHORT: { [path: string]: string } = { "world.friction.along": "Friction along", "world.friction.across": "Friction across" };
const COMMANDS = ["gait", "drive"] as const;
const NOT_HERE = ["name", "source", "max_link_steps"]; // texts, and limits that a page does not need

const PLACES: Declared[] = ["start", "target"].map((name) => ({ name, type: "vector", unit: "m", meaning: `${name} of the plan: x, y`, allowed: "two numbers, x and y in m", size: 2, optional: false, required: true, angle: false }));

export class Panel {
  private fields: Field[] = [];
  private shape = "";
  private readonly body = el("div");
  private open = new Set<string>(); // sections that are open

  constructor(
    box: HTMLElement,
    private readonly doc: Document,
    private readonly known: Declarations,
    head: HTMLElement,
    private readonly tasks: HTMLElement,
  ) {
    this.body.className = "sections";
    box.append(head, this.body);
    doc.on("change", () => this.refresh());
  }

  /** Kinds, laws and parts decide which fields there are; only when those change is the panel built anew. */
  private shapeOf(): string {
    const d = this.doc.description;
    const parts = ["robot", "world", "gait", "drive", "plan", "controller"].map((key) => tableShape(d[key]));
    return JSON.stringify([this.doc.name, ...parts, this.doc.value(["robot", "links"]) ? 1 : 0]);
  }

  refresh(): void {
    const shape = this.shapeOf();
    if (shape !== this.shape) {
      this.shape = shape;
      this.build();
    } else for (const field of this.fields) field.refresh();
  }

  private build(): void {
    this.fields = [];
    const shape = this.doc.description.shape;
    if (isTable(shape)) {
      const section = el("section", { class: "matters", "aria-label": "Shape" });
      for (const field of shapeFields(shape)) this.add(section, this.control(field, ["shape", field.name]));
      return this.body.replaceChildren(section, this.tasks);
    }
    const made = [this.matters(), this.tasks, this.plan(), ...this.commands(), this.robot(), this.friction(), this.world(), this.part("start", "Start", "Start", ["start"]), this.part("run", "Run", "Settings", ["run"])];
    this.body.replaceChildren(...made.filter((x): x is HTMLElement => x !== null));
  }

  private matters(): HTMLElement | null {
    const command = COMMANDS.map((c) => this.doc.description[c]).find(isTable) as Description | undefined;
    const paths = [...(MATTER[String(command?.kind ?? "")] ?? this.guessed())];
    if (this.doc.begin(["world", "ground", "slope"])) paths.push("world.ground.slope");
    const section = el("section", { class: "matters", "aria-label": "What matters" });
    for (const path of paths) {
      const found = this.declared(path.split("."));
      const known = this.doc.value(path.split(".")) ?? found?.default;
      if (found && (known !== undefined || found.optional)) this.add(section, this.control(found, path.split("."), SHORT[path]));
    }
    return section.childElementCount ? section : null;
  }

  /** Of a gait without a list of its own: its numbers that are given. */
  private guessed(): string[] {
    const command = COMMANDS.find((c) => isTable(this.doc.description[c]));
    const keys = command ? Object.entries(this.doc.description[command] as Description).filter(([, v]) => typeof v === "number").map(([k]) => `${command}.${k}`) : [];
    return [...keys.slice(0, 3), "world.friction.along", "world.friction.across"];
  }

  /** Declaration of the field at a path of the description. */
  private declared(path: Path): Declared | null {
    const [top, ...rest] = path.map(String);
    let here: ClassDeclaration | undefined;
    if (top === "robot") here = this.known.classes.Robot;
    else if (top === "world") here = this.known.classes.World;
    else if (top === "run") here = this.known.classes.Settings;
    else if (top === "start") here = this.known.classes.Start;
    else here = this.known.families[`${top}s`]?.members[String(get(this.doc.description, [top, "kind"]))];
    let at: Path = [top];
    for (const [i, name] of rest.entries()) {
      const field: Declared | undefined = here?.fields.find((f) => f.name === name);
      if (!field || i === rest.length - 1) return field ?? null;
      at = [...at, name];
      here = this.classOf(field, at);
    }
    return null;
  }

  private classOf(field: Declared, path: Path): ClassDeclaration | undefined {
    if (field.of?.class) return this.known.classes[field.of.class];
    const family = field.of?.family ? this.known.families[field.of.family] : undefined;
    const kind = get(this.doc.description, [...path, family?.tag ?? "kind"]) ?? get(field.default as Json, [family?.tag ?? "kind"]);
    return family?.members[String(kind)];
  }

  private control(field: Declared, path: Path, label?: string): Field | null {
    const value = this.doc.value(path) ?? field.default;
    switch (field.type) {
      case "number":
      case "angle":
      case "whole":
        return numberField(field, path, this.doc, label);
      case "numbers":
        if (Array.isArray(value)) return listField({ ...field, words: field.item?.words }, path, this.doc);
        return numberField({ ...(field.item ?? {}), ...field, ...bounds(field), words: [...(field.item?.words ?? []), ...(typeof field.default === "string" ? [field.default] : [])], optional: field.optional }, path, this.doc, label);
      case "choice":
        return choiceField(field, path, this.doc, field.options ?? []);
      case "flag":
        return flagField(field, path, this.doc);
      case "joints":
        return jointsField(field, path, this.doc);
      case "vector":
        return listField(field, path, this.doc);
      case "jointkinds":
        return choiceField(field, path, this.doc, ["yaw", "pitch", "alternating", "universal", "pitch-yaw"]);
      default:
        return null;
    }
  }

  private add(to: HTMLElement, field: Field | null): void {
    if (!field) return;
    this.fields.push(field);
    to.append(field.box);
  }

  private details(id: string, title: string, meaning: string): HTMLDetailsElement {
    const made = el("details", { "data-section": id, title: "" }, el("summary", { title: meaning }, title));
    made.open = this.open.has(id);
    made.addEventListener("toggle", () => (made.open ? this.open.add(id) : this.open.delete(id)));
    return made;
  }

  private fill(to: HTMLElement, of: ClassDeclaration, path: Path, without: string[] = []): void {
    for (const field of of.fields) {
      if (without.includes(field.name) || NOT_HERE.includes(field.name)) continue;
      const at = [...path, field.name];
      if (field.type === "part" || field.type === "servos") this.nested(to, field, at);
      else this.add(to, this.control(field, at));
    }
  }

  /** A part of a description: switched on and off where it is optional. */
  private nested(to: HTMLElement, field: Declared, path: Path): void {
    const family = field.of?.family ? this.known.families[field.of.family] : null;
    const value = this.doc.given(path) ?? (field.optional ? undefined : field.default);
    const there = isTable(value as Json);
    if (Array.isArray(value) || field.name === "friction_map" || field.name === "heights") return;
    const box = this.details(path.join("."), labelOf(field.name), field.meaning);
    box.classList.add("nested");
    if (field.optional) {
      const id = `part-${path.join("-")}`;
      const input = el("input", { type: "checkbox", id });
      input.checked = there;
      input.addEventListener("change", () => {
        this.open.add(path.join("."));
        this.doc.set(path, input.checked ? this.fresh(field, family?.members) : undefined);
      });
      box.append(el("div", { class: "field flag" }, el("label", { for: id, title: field.meaning }, `With ${labelOf(field.name).toLowerCase()}`), input));
    }
    if (there && family) this.kinds(box, path, family.tag, family.members, String((value as Description)[family.tag]));
    const declared = this.classOf(field, path);
    if (there && declared) this.fill(box, declared, path);
    to.append(box);
  }

  private fresh(field: Declared, members?: { [name: string]: ClassDeclaration }): Json {
    if (!members) return {};
    const family = this.known.families[field.of?.family ?? ""];
    return { [family.tag]: Object.keys(members)[0] };
  }

  /** The kind of a command or a law: choosing another keeps the numbers that both know. */
  private kinds(to: HTMLElement, path: Path, tag: string, members: { [name: string]: ClassDeclaration }, now: string): void {
    const id = `kind-${path.join("-")}`;
    const select = el("select", { id });
    for (const [name, member] of Object.entries(members)) {
      if (member.outside || ["sampled", "sequence"].includes(name)) continue;
      select.append(el("option", { value: name, title: member.meaning }, name.replaceAll("-", " ")));
    }
    if (!Array.from(select.options).some((o) => o.value === now)) select.append(el("option", { value: now }, now));
    select.value = now;
    select.addEventListener("change", () => {
      const before = (this.doc.given(path) ?? {}) as Description;
      const next = members[select.value];
      const kept: Description = { [tag]: select.value };
      for (const field of next.fields) {
        if (before[field.name] !== undefined) kept[field.name] = before[field.name];
        else if (field.required) kept[field.name] = usual(field);
      }
      this.doc.set(path, kept);
    });
    to.append(el("div", { class: "field wide" }, el("label", { for: id }, tag === "law" ? "Law" : "Kind"), select));
  }

  private commands(): HTMLElement[] {
    return COMMANDS.flatMap((command) => {
      const table = this.doc.description[command];
      const family = this.known.families[`${command}s`];
      if (!isTable(table) || !family) return [];
      const of = family.members[String(table.kind)];
      const box = this.details(command, labelOf(command), of?.meaning ?? "");
      this.kinds(box, [command], family.tag, family.members, String(table.kind));
      if (of) this.fill(box, of, [command]);
      return [box];
    });
  }

  /** Places of a plan that can be dragged in the view, as numbers too: for the keyboard, and to be exact. */
  private plan(): HTMLElement | null {
    const plan = this.doc.description.plan;
    const places = isTable(plan) ? PLACES.filter((field) => Array.isArray(plan[field.name])) : [];
    if (!places.length) return null;
    const box = this.details("plan", "Plan", "places of the task");
    box.open = true;
    for (const field of places) this.add(box, this.control(field, ["plan", field.name]));
    return box;
  }

  private robot(): HTMLElement {
    const box = this.details("robot", "Robot", this.known.classes.Robot.meaning);
    this.fill(box, this.known.classes.Robot, ["robot"]);
    return box;
  }

  private friction(): HTMLElement | null {
    const family = this.known.families.laws;
    const law = String(this.doc.value(["world", "friction", "law"]) ?? "coulomb");
    const of = family?.members[law];
    if (!of) return null;
    const box = this.details("friction", "Friction", of.meaning);
    this.kinds(box, ["world", "friction"], family.tag, family.members, law);
    this.fill(box, of, ["world", "friction"]);
    return box;
  }

  private world(): HTMLElement {
    const box = this.details("world", "World", this.known.classes.World.meaning);
    this.fill(box, this.known.classes.World, ["world"], ["friction"]);
    return box;
  }

  private part(id: string, title: string, name: string, path: Path): HTMLElement {
    const box = this.details(id, title, this.known.classes[name].meaning);
    this.fill(box, this.known.classes[name], path);
    return box;
  }

  /** Put what the physics refuses beside the fields; what has no field is returned. */
  refuse(errors: Problem[]): Problem[] {
    const left: Problem[] = [];
    for (const error of errors) {
      const places = this.fields.filter((f) => f.path === error.path || `${f.path}_deg` === error.path);
      places.forEach((f) => f.complain(error.text));
      for (let box = places[0]?.box.parentElement; box; box = box.parentElement) if (box instanceof HTMLDetailsElement) box.open = true;
      if (!places.length) left.push(error);
    }
    return left;
  }

  settle(): void {
    for (const field of this.fields) field.complain(null);
  }
}

function bounds(field: Declared): Partial<Declared> {
  const item = field.item;
  return item ? { low: item.low, high: item.high, above: item.above, below: item.below } : {};
}

function tableShape(value: Json | undefined): Json {
  if (!isTable(value)) return value === undefined ? 0 : 1;
  return Object.entries(value).flatMap(([k, v]): Json[] => (isTable(v) ? [k, tableShape(v)] : Array.isArray(v) ? [k, "list"] : k === "kind" || k === "law" || k === "preset" ? [k, v] : []));
}

/** A value to begin with for a field that must be given. */
function usual(field: Declared): Json {
  const known: { [name: string]: number } = { winding_angle: Math.PI / 4, waves: 2, speed: 0.8, amplitude: 0.5, frequency: 3, along: 0.1, across: 0.5, phase_per_joint: 0.5 };
  return known[field.name] ?? 1;
}
