/**
 * What the engine of the page makes of descriptions, for the tests: `node dump.mjs CASES OUT`.
 *
 * CASES is a JSON list of {name, description, arrays, check, from, options}; OUT.json tells where each array lies in OUT.bin (float64): all arrays of the
 * set-up if asked for, nodes, times and metrics of the run, what its second run tells if asked for (null: there is none), or the errors.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { entries } from "../build/generated";
import { InputError, loadPhysics, type Outcome } from "../src/engine";
import { EngineRun } from "../src/engine/run";

const [cases, out, wasm] = process.argv.slice(2);
const physics = await loadPhysics(readFileSync(wasm));
const blocks: Float64Array[] = [];
let place = 0;

function kept(shape: number[], data: Float64Array): { at: number; shape: number[] } {
  blocks.push(data.slice());
  place += data.length;
  return { at: place - data.length, shape };
}

/** All arrays that the kernels are given. */
function arraysOf(run: EngineRun): Record<string, unknown> {
  const { arrays } = run.inside;
  const leaves = entries[run.spatial ? "spatial" : "planar"].leaves;
  return Object.fromEntries(
    leaves
      .filter((leaf) => leaf.ndim > 0 && !leaf.whole)
      .map((leaf) => [leaf.name, kept(arrays.shape(leaf.name), arrays.all(leaf.name))]),
  );
}

/** What the second run tells, and in how many slices it was made. */
function checkedOf(run: EngineRun): (Outcome & { slices: number }) | null {
  const twin = run.twin(run.outcome());
  let slices = 1;
  for (let next = twin?.next(); next; next = twin?.next(), slices++) if (next.done) return { ...next.value, slices };
  return null;
}

const made = [];
for (const { name, description, arrays, check, march, options, steer } of JSON.parse(readFileSync(cases, "utf8"))) {
  const told: Record<string, unknown> = { name };
  try {
    const run = physics.open(description, options ?? {}) as EngineRun;
    told.step = run.step;
    told.full = physics.full(description);
    if (arrays) told.arrays = arraysOf(run);
    if (march !== false) {
      if (steer) {
        for (const { at, changes } of steer) {
          run.advance(at);
          run.steer(changes);
        }
      }
      run.advance();
      const frames = run.frames();
      told.outcome = run.outcome();
      told.frames = Object.fromEntries(
        Object.entries(frames)
          .filter(([, value]) => value instanceof Float64Array)
          .map(([key, value]) => [key, kept([frames.count, value.length / frames.count], value)]),
      );
      told.metrics = run.metrics();
      if (check) told.checked = checkedOf(run);
    }
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    told.errors = error.errors;
  }
  made.push(told);
}
const all = new Float64Array(place);
let at = 0;
for (const block of blocks) {
  all.set(block, at);
  at += block.length;
}
writeFileSync(`${out}.bin`, new Uint8Array(all.buffer));
writeFileSync(`${out}.json`, JSON.stringify(made));
