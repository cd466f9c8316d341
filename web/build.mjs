/**
 * Build the page: script, worker and style as one file each, the skeleton copied; nothing is fetched when the page runs.
 *
 *   node build.mjs OUT      OUT: the folder that the studio serves; the kernels (physics.wasm, declarations.json) come from their own script
 */
import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "..", "src", "serpenoid", "studio", "page");
const common = {
  bundle: true,
  minify: true,
  target: ["chrome111", "firefox115", "safari16.4"],
  legalComments: "none",
  charset: "utf8",
  logLevel: "warning",
  loader: { ".txt": "text" },
};

await mkdir(out, { recursive: true });
await Promise.all([
  build({ ...common, entryPoints: [join(here, "src/app.ts")], outfile: join(out, "app.js"), format: "esm" }),
  build({ ...common, entryPoints: [join(here, "src/physics/worker.ts")], outfile: join(out, "worker.js"), format: "iife" }),
  build({ ...common, entryPoints: [join(here, "src/style/index.css")], outfile: join(out, "style.css") }),
  copyFile(join(here, "index.html"), join(out, "index.html")),
]);
