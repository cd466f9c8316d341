/** Answers of the engine for the tests: `node questions.mjs QUESTIONS OUT WASM`: the best place of a number, a traced curve, preview steps. */
import { readFileSync, writeFileSync } from "node:fs";
import { loadPhysics } from "../src/engine";

const [questions, out, wasm] = process.argv.slice(2);
const physics = await loadPhysics(readFileSync(wasm));
const { best, trace, previews } = JSON.parse(readFileSync(questions, "utf8"));
const found = physics.best(best.description, best.key, best.low, best.high, best.metric, { points: best.points });
const curve = physics.trace(trace.step, trace.values, trace.pose);
const moved = (previews as string[]).map((name) => {
  const description = physics.scenarios[name];
  const step = physics.previewStep(description);
  const distances = [undefined, step].map((s) => {
    const run = physics.open(description, { step: s });
    run.advance();
    return run.metrics().com_distance;
  });
  return { name, step, distances };
});
writeFileSync(out, JSON.stringify({ best: found, position: Array.from(curve.position), frame: Array.from(curve.frame), previews: moved }));
