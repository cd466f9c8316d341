/** The package's own compiled functions that prepare a run, and descriptions as the rows of numbers that they read (`core/slots.py`). */
import * as at from "../../../build/generated";
import { Arrays, Machine } from "../memory";
import { classes, kindsOf, type Field, type Values } from "./declared";
import { rowOf, short, zeros, type Table } from "./numbers";

let machine: Machine | null = null;

/** Use the kernels of this module from now on. */
export function useKernels(module: WebAssembly.Module): void {
  machine = new Machine(module);
}

/** Let an entry work on arrays of these names; the memory that it takes is given back afterwards. */
export function withKernels<T>(entry: ConstructorParameters<typeof Arrays>[1], given: Record<string, Table>, work: (arrays: Arrays) => T): T {
  if (!machine) throw new Error("the kernels are not loaded");
  const mark = machine.mark();
  try {
    const arrays = new Arrays(machine, entry);
    arrays.load(given);
    return work(arrays);
  } finally {
    machine.back(mark);
  }
}

/** A copy of an array. */
export const copied = (arrays: Arrays, name: string): Table => ({ shape: [...arrays.shape(name)], data: arrays.all(name).slice() });
export const nothing = (): Table => zeros(1, 1);

/** The numbers of a description. */
export function numbersOf(fields: Field[], values: Values): Table {
  const row: number[] = [];
  const more: number[] = [];
  const own = fields.filter((f) => f.form !== undefined);
  const width = own.reduce((sum, f) => sum + at.slots.WIDTH[f.form as keyof typeof at.slots.WIDTH], 0);
  for (const field of own) {
    const value = values[field.name];
    if (field.form === "number") row.push(value === null || typeof value === "string" ? NaN : Number(value));
    else if (field.form === "option") row.push(value === null ? NaN : field.options.indexOf(value));
    else {
      const array = severalOf(field, value, values);
      row.push(width + more.length, array.length, array.length ? array[0].length : 0);
      for (const part of array) more.push(...part);
    }
  }
  return rowOf([...row, ...more]);
}

function severalOf(field: Field, value: any, values: Values): number[][] {
  if (field.form === "kinds") {
    const kinds: string[] = typeof value === "string" ? kindsOf(value, values.links - 1) : value;
    return kinds.map((kind) => [at.slots.CODES[kind as keyof typeof at.slots.CODES]]);
  }
  if (value === null || typeof value === "string") return [];
  const list = Array.isArray(value) ? value : [value];
  return list.map((x: number | number[]) => (Array.isArray(x) ? x : [x]));
}

export const robotNumbers = (robot: Values): Table => numbersOf(classes.Robot.fields, robot);

/** A sentence from its template: {name} and {0:g} are replaced, as Python's `format` does for the few forms that are used. */
export function filled(template: string, numbers: ArrayLike<number>, words: Record<string, string>): string {
  return template.replace(/\{(\w+)(?::\.0f|:g)?\}/g, (_, key: string) => words[key] ?? short(numbers[Number(key)]));
}
