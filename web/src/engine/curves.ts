/** Curves without a robot: from shape functions to places and frames, by the kernel of `shapes/integrate.py`. */
import { Arrays, Machine } from "./memory";
import { rowOf, zeros } from "./setup/numbers";
import { InputError, type ShapeTrace } from "./types";

export function traced(module: WebAssembly.Module, step: ArrayLike<number>, values: ArrayLike<number>, pose: ArrayLike<number>): ShapeTrace {
  const count = step.length;
  const places = values.length / (3 * count);
  const finite = [step, values, pose].every((a) => Array.prototype.every.call(a, Number.isFinite));
  if (!finite || count < 1 || (places !== 1 && places !== 2) || pose.length !== 7) {
    const text = `a curve needs finite numbers: k steps, 3 x k x 1 or 3 x k x 2 values and a pose of 7, got ${count}, ${values.length} and ${pose.length}`;
    throw new InputError([{ path: "shape", value: "", allowed: "", text }]);
  }
  const arrays = new Arrays(new Machine(module), "curves");
  arrays.load({
    step: rowOf(step), values: { shape: [3, count, places], data: Float64Array.from(values) }, pose: rowOf(pose), out: zeros(count + 1, 7), nodes: zeros(1, 1, 3),
    arc: zeros(1), radius: zeros(1), tree: zeros(1, 1), found: zeros(8), given: zeros(8),
  });
  arrays.run("TRACE", places === 1 ? 2 : 4);
  const out = arrays.all("out");
  const made = { position: new Float64Array(3 * (count + 1)), frame: new Float64Array(9 * (count + 1)) };
  for (let k = 0; k <= count; k++) {
    const [x, y, z, w, a, b, c] = out.subarray(7 * k, 7 * k + 7);
    made.position.set([x, y, z], 3 * k);
    made.frame.set(
      [
        1 - 2 * (b * b + c * c), 2 * (a * b + w * c), 2 * (a * c - w * b), 2 * (a * b - w * c), 1 - 2 * (a * a + c * c), 2 * (b * c + w * a), 2 * (a * c + w * b),
        2 * (b * c - w * a), 1 - 2 * (a * a + b * b),
      ],
      9 * k,
    );
  }
  return made;
}
