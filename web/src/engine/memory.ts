/** Arrays in the memory of the kernels: a table of addresses and sizes for each entry, and the calls. */
import * as generated from "../../build/generated";
import type { Table } from "./setup/numbers";

type EntryName = keyof typeof generated.entries;
interface Leaf {
  name: string;
  slot: number;
  ndim: number;
  whole: boolean;
}
type Call = (answer: number, problem: number, operation: number, table: number) => number;
const PAGE = 65536;

/** One instance of the kernels with a memory of its own. */
export class Machine {
  readonly memory: WebAssembly.Memory;
  private readonly exports: WebAssembly.Exports;
  private top: number;
  private used = 0; // up to where memory has been given back

  constructor(module: WebAssembly.Module) {
    this.exports = new WebAssembly.Instance(module, {}).exports;
    this.memory = this.exports.memory as WebAssembly.Memory;
    this.top = (this.exports.__heap_base as WebAssembly.Global).value as number;
  }

  /** Address of so many bytes, all zero, at a multiple of 16. */
  room(bytes: number): number {
    const place = (this.top + 15) & ~15;
    this.top = place + bytes;
    const lacking = this.top - this.memory.buffer.byteLength;
    if (lacking > 0) this.memory.grow(Math.ceil(lacking / PAGE) + 16);
    if (place < this.used) new Uint8Array(this.memory.buffer, place, bytes).fill(0);
    return place;
  }

  /** Where free memory begins, for `back`. */
  mark(): number {
    return this.top;
  }

  /** Give back all memory taken since a mark. */
  back(mark: number): void {
    this.used = Math.max(this.used, this.top);
    this.top = mark;
  }

  function(name: EntryName): Call {
    return this.exports[name] as Call;
  }
}

/** The arrays of one entry, by the names of the Python layouts ("constants.links"). */
export class Arrays {
  private readonly leaves = new Map<string, Leaf>();
  private readonly places = new Map<string, { at: number; shape: number[] }>();
  private readonly table: number;
  private readonly call: Call;
  readonly operations: Record<string, number>;
  private readonly answer: number;

  constructor(
    readonly machine: Machine,
    entry: EntryName,
  ) {
    const { leaves, size, operations } = generated.entries[entry];
    for (const leaf of leaves) this.leaves.set(leaf.name, leaf);
    this.operations = operations as Record<string, number>;
    this.table = machine.room(8 * size);
    this.answer = machine.room(32);
    this.call = machine.function(entry);
  }

  /** Put tables at their names; one that stands at two names is one array. */
  load(given: Record<string, Table | number>): void {
    const seen = new Map<Table, number>();
    for (const [name, value] of Object.entries(given)) {
      const leaf = this.leaves.get(name);
      if (!leaf) throw new Error(`the kernels know no array ${name}`);
      if (typeof value === "number") {
        this.write(leaf, [value]);
        continue;
      }
      let place = seen.get(value);
      if (place === undefined) {
        place = this.machine.room(8 * Math.max(1, value.data.length));
        seen.set(value, place);
        const buffer = this.machine.memory.buffer;
        if (leaf.whole) new BigInt64Array(buffer, place, value.data.length).set(Array.from(value.data, BigInt));
        else new Float64Array(buffer, place, value.data.length).set(value.data);
      }
      this.put(leaf, place, value.shape);
    }
    const lacking = [...this.leaves.keys()].filter((name) => this.leaves.get(name)!.ndim > 0 && !this.places.has(name));
    if (lacking.length) throw new Error(`the kernels lack ${lacking.join(", ")}`);
  }

  private put(leaf: Leaf, at: number, shape: number[]): void {
    if (shape.length !== leaf.ndim) throw new Error(`${leaf.name} has ${leaf.ndim} dimensions, got ${shape.length}`);
    this.places.set(leaf.name, { at, shape: [...shape] });
    this.write(leaf, [at, ...shape]);
  }

  private write(leaf: Leaf, values: number[]): void {
    new Float64Array(this.machine.memory.buffer, this.table, leaf.slot + values.length).set(values, leaf.slot);
  }

  /** Replace an array by another. */
  replace(name: string, table: Table): void {
    const at = this.machine.room(8 * Math.max(1, table.data.length));
    new Float64Array(this.machine.memory.buffer, at, table.data.length).set(table.data);
    this.put(this.leaves.get(name)!, at, table.shape);
  }

  /** Make room for at least so many along the first dimension; what there is stays. */
  grow(name: string, count: number): void {
    const { shape } = this.places.get(name)!;
    if (shape[0] >= count) return;
    const bigger = [Math.max(count, 2 * shape[0]), ...shape.slice(1)];
    const at = this.machine.room(8 * bigger.reduce((a, b) => a * b, 1));
    const old = this.all(name);
    new Float64Array(this.machine.memory.buffer, at, old.length).set(old);
    this.put(this.leaves.get(name)!, at, bigger);
  }

  shape(name: string): number[] {
    return this.places.get(name)!.shape;
  }

  /** All numbers of an array: a view that is valid until memory grows. */
  all(name: string): Float64Array {
    const { at, shape } = this.places.get(name)!;
    return new Float64Array(this.machine.memory.buffer, at, shape.reduce((a, b) => a * b, 1));
  }

  /** Row k of an array with two dimensions, a view. */
  row(name: string, k: number): Float64Array {
    const width = this.shape(name)[1];
    return this.all(name).subarray(k * width, (k + 1) * width);
  }

  /** Carry out an operation with numbers in `given`; returns how it ended. */
  run(operation: string, ...given: number[]): number {
    this.all("given").set(given);
    const code = this.call(this.answer, this.answer + 16, this.operations[operation], this.table);
    if (code !== 0) throw new Error(`the kernel ${operation} failed with code ${code}`);
    const ended = new Float64Array(this.machine.memory.buffer, this.answer, 1)[0];
    if (ended < 0) throw new Error(`the kernels know no operation ${operation}`);
    return ended;
  }
}
