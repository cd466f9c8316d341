/** A whole description from the plain data of a scenario: robot (or preset), command, world, start, settings; all errors at once. */
import * as at from "../../../build/generated";
import type { Description } from "../types";
import { AXES, built, classes, data, families, kindsOf, listener, near, readFamily, readShape, readValues, Refused, type Say, type Values } from "./declared";
import "./rules";
import { sum } from "./numbers";

const TABLES = ["title", "robot", "gait", "drive", "plan", "controller", "world", "start", "run"];

export interface Axis {
  joint: number;
  kind: "yaw" | "pitch" | "roll";
}

/** A robot with what follows from its fields. */
export interface Robot extends Values {
  links: number;
  name: string;
  length: number;
  mass: number;
  kinds: string[]; // of the joints, "fixed" where locked
  axes: Axis[];
  planar: boolean;
  joints_text: string;
}

export interface Setup {
  title: string | null;
  robot: Robot;
  world: Values;
  gait: Values | null; // that the joints follow
  drive: Values | null;
  posture: Values | null; // gait beside a drive: the first posture
  start: Values;
  settings: Values;
  spatial: boolean;
  floor: Values | null; // the ground in three dimensions
}

/** Values of a preset's robot before its own checks, from the preset's parameters and changes of fields. */
function presetValues(name: string, given: Values): Values {
  const preset = data.presets[name];
  const parameters = { ...preset.parameters, ...given };
  const base: Values = { ...preset.given, links: parameters.links };
  const changes = Object.fromEntries(Object.entries(given).filter(([key]) => !preset.own.includes(key)));
  if ("length" in preset.parameters) base.link_length = parameters.length / parameters.links;
  if ("mass" in preset.parameters) base.link_mass = parameters.mass / parameters.links;
  for (const [key, numbers] of Object.entries(preset.given as Values))
    // numbers of each link: those of the tail's, of the head's, and of the ones between
    if (Array.isArray(numbers) && numbers.length === preset.parameters.links && !(key === "link_mass" && "mass" in preset.parameters))
      base[key] = Array.from({ length: base.links }, (_, i) => (i === 0 ? numbers[0] : i < base.links - 1 ? numbers[1] : numbers.at(-1)));
  if (preset.cylinders && !("link_inertia" in changes)) {
    const of = (key: string): number[] => {
      const value = changes[key] ?? base[key] ?? parameters[key];
      return Array.isArray(value) ? value : new Array(base.links).fill(value);
    };
    const [m, l, r] = [of("link_mass"), of("link_length"), of("radius")];
    base.link_inertia = m.map((x, i) => (x * (3 * r[i] ** 2 + l[i] ** 2)) / 12);
    base.radius = parameters.radius;
  }
  return { ...base, ...changes };
}

function readRobot(table: Values, say: Say): Robot | null {
  const shape = classes.Robot;
  if (table === null || typeof table !== "object" || table.preset == null) return completed(readShape(shape, table, "robot", say));
  const names = Object.keys(data.presets);
  const name = table.preset as string;
  if (!names.includes(name)) {
    const code = typeof name === "string" && name.includes(":");
    const text = code ? `robot.preset: the page cannot run ${name}, which is code of your own; run it with the serpenoid command` : `robot.preset must be one of ${names.join(", ")}, got '${name}'${near(name, names)}`;
    say("robot.preset", name, names.join(", "), text);
    return null;
  }
  const preset = data.presets[name];
  let failed = false;
  const said: Say = (...args) => {
    failed = true;
    say(...args);
  };
  const rest = { ...table };
  delete rest.preset;
  const before = "links" in rest ? {} : { links: preset.parameters.links };
  const values = readValues(shape, rest, "robot", said, preset.own, before);
  for (const key of preset.own as string[]) {
    if (!(key in rest)) continue;
    const x = rest[key];
    if (typeof x === "number" && Number.isFinite(x) && x > 0) values[key] = x;
    else said(`robot.${key}`, x, "finite and > 0", `robot.${key} must be finite and > 0, got ${x}`);
  }
  if (failed) return null;
  const made = presetValues(name, values);
  const again = readValues(shape, made, "robot", said);
  return failed ? null : completed(built(shape, again, "robot", said));
}

function completed(values: Values | null): Robot | null {
  if (values === null) return null;
  const joints = values.links - 1;
  const kinds = (typeof values.joints === "string" ? kindsOf(values.joints, joints) : (values.joints as string[])).map((kind, i) =>
    values.locked.includes(i + 1) ? "fixed" : kind,
  );
  const axes = kinds.flatMap((kind, i) => AXES[kind].map((axis) => ({ joint: i + 1, kind: axis }) as Axis));
  return {
    ...values,
    links: values.links,
    name: values.name,
    length: sum(values.link_length),
    mass: sum(values.link_mass),
    kinds,
    axes,
    planar: kinds.every((kind) => kind === "yaw" || kind === "fixed"),
    joints_text: typeof values.joints === "string" ? values.joints : [...new Set(values.joints as string[])].join("/"),
  };
}

const refuse = (text: string): never => {
  throw new Refused(text);
};

/** What must hold between the parts of a description. */
function checkSetup(setup: Setup): void {
  const { robot, start, settings, spatial } = setup;
  const dofs = robot.axes.length;
  const listed = (value: any): any[] => (Array.isArray(value) ? value : [value]);
  if (!spatial && !robot.planar)
    refuse(`${robot.name} has ${robot.joints_text} joints, which the planar engine lacks; give the world a Ground (in a scenario [world.ground]) to run it in space`);
  if (spatial && settings.integrator !== "implicit") refuse(`in space the integrator is "implicit", got '${settings.integrator}'`);
  if (start.angles !== null) {
    if (listed(start.angles).length !== dofs) refuse(`start.angles: give one angle per degree of freedom, ${dofs}, got ${listed(start.angles).length}`);
    if (setup.gait) refuse("start.angles: a gait begins with its own angles at t = 0; leave start.angles out");
  }
  if (!spatial)
    for (const name of ["height", "pitch", "roll"])
      if (start[name] !== null && start[name] !== 0) refuse(`start.${name}: in the plane a robot lies level; leave it out, or give the world a Ground to run it in space`);
  if (start.rates === null) return;
  if (setup.gait) refuse("start.rates: a gait begins with its own rates at t = 0; leave start.rates out");
  if (typeof start.rates === "string") {
    if (!setup.posture) refuse('start.rates = "posture" takes the rates of a gait beside a drive, and there is none; give one number per degree of freedom');
  } else if (listed(start.rates).length !== dofs) refuse(`start.rates: give one rate per degree of freedom, ${dofs}, got ${listed(start.rates).length}`);
}

/** The checked description; throws an InputError with all that is wrong. */
export function readDescription(given: Description): Setup {
  const { say, raise } = listener();
  const table = given as Values;
  for (const key of Object.keys(table))
    if (!TABLES.includes(key)) say(key, table[key], TABLES.join(", "), `${key}: unknown key${near(key, TABLES) || `; allowed are ${TABLES.join(", ")}`}`);
  for (const key of ["robot", "run"]) if (!(key in table)) say(key, undefined, "a table", `${key}: missing`);
  if (table.title != null && (typeof table.title !== "string" || table.title.length > 500)) say("title", table.title, "a text of at most 500 characters", "title must be a text of at most 500 characters");
  const robot = "robot" in table ? readRobot(table.robot, say) : null;
  const gait = table.gait != null ? readFamily(families.gaits, table.gait, "gait", say) : null;
  const drive = table.drive != null ? readFamily(families.drives, table.drive, "drive", say) : null;
  for (const key of ["plan", "controller"])
    if (table[key] != null) say(key, table[key], "a gait or a drive", `${key}: the page cannot carry out a ${key}; the local server can (serpenoid studio)`);
  if (table.gait == null && table.drive == null && table.plan == null && table.controller == null)
    say("scenario", undefined, "gait, drive", "scenario: needs one of [gait], [drive], [plan], [controller]");
  const world = readShape(classes.World, table.world ?? {}, "world", say);
  const start = readShape(classes.Start, table.start ?? {}, "start", say);
  const settings = "run" in table ? readShape(classes.Settings, table.run, "run", say) : null;
  if (settings && settings.step === "auto") say("run.step", "auto", "a step in s", 'run.step: the page takes a step in s; step = "auto" is for the serpenoid command');
  raise();
  const floor = world!.ground ?? (world!.obstacles.length || world!.anchors.length ? defaultFloor() : null);
  const made: Setup = {
    title: (table.title as string) ?? null, robot: robot!, world: world!, gait: drive ? null : gait, drive, posture: drive ? gait : null, start: start!,
    settings: settings!, spatial: floor !== null, floor,
  };
  try {
    checkSetup(made);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say("", undefined, "", error.message);
  }
  raise();
  if (made.settings.step === null) {
    const usual = made.spatial ? at.settings.SPACE_STEP : at.settings.PLANE_STEP;
    made.settings.step = made.settings.duration === null ? usual : Math.min(usual, made.settings.duration);
  }
  return made;
}

/** The ground under upright obstacles and anchors where the world has none. */
function defaultFloor(): Values {
  const { say, raise } = listener();
  const made = readShape(classes.Ground, data.floor, "world.ground", say);
  raise();
  return made!;
}
