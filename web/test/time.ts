import { readFileSync } from "node:fs";
import { loadPhysics } from "../src/engine";
const bytes = readFileSync(new URL("./physics.wasm", import.meta.url));
const cpu = (): number => { const c = process.cpuUsage(); return (c.user + c.system) / 1e3; };
const c0 = cpu();
const physics = await loadPhysics(bytes);
console.log("compile", (cpu() - c0).toFixed(1));
for (const name of process.argv.slice(2)) for (let k = 0; k < 6; k++) {
    const a = cpu();
    const run = physics.open(physics.scenarios[name]);
    const b = cpu();
    run.advance();
    const c = cpu();
    run.frames();
    const d = cpu();
    run.metrics();
    console.log(name, "cpu ms: open", (b - a).toFixed(1), "march", (c - b).toFixed(1), "frames", (d - c).toFixed(1), "metrics", (cpu() - d).toFixed(1));
}
