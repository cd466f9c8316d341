/** The kernels and what can be asked of them. */
import { scanAndRefine } from "./golden";
import { EngineRun, opened } from "./run";
import { traced } from "./curves";
import { data } from "./setup/declared";
import { readDescription } from "./setup/description";
import { useKernels } from "./setup/kernels";
import { fullKeys } from "./setup/keys";
import { previewStep } from "./preview";
import { InputError, type Best, type Check, type Description, type OpenOptions, type Physics, type Run, type SearchOptions, type ShapeTrace } from "./types";

class Kernels implements Physics {
  readonly declarations = data;
  readonly scenarios = Object.fromEntries(Object.entries(data.scenarios).map(([name, s]) => [name, (s as any).description])) as Record<string, Description>;
  readonly metricsTable = data.metrics;

  constructor(private readonly module: WebAssembly.Module) {
    useKernels(module);
  }

  check(description: Description): Check {
    try {
      this.open(description).close();
      return { errors: [] };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return { errors: error.errors };
    }
  }

  open(description: Description, options: OpenOptions = {}): Run {
    const setup = readDescription(description);
    return opened(() => new EngineRun(this.module, setup, options));
  }

  best(description: Description, key: string, low: number, high: number, metric: string, options: SearchOptions = {}): Best {
    const search = this.searching(description, key, low, high, metric, options);
    for (;;) {
      const next = search.next();
      if (next.done) return next.value;
    }
  }

  *searching(description: Description, key: string, low: number, high: number, metric: string, options: SearchOptions = {}): Generator<void, Best> {
    if (!(metric in data.metrics)) throw new InputError([{ path: "metric", value: metric, allowed: Object.keys(data.metrics).join(", "), text: `unknown metric '${metric}'` }]);
    const sign = options.minimise ? -1 : 1;
    const look = (x: number): number | null => {
      const run = this.open(withKey(description, key, x), { step: options.step });
      const { status } = run.advance();
      const value = run.metrics()[metric];
      const judged = status === "ok" ? run.outcome().status : status;
      run.close();
      return value === null || judged !== "ok" ? null : sign * value;
    };
    const search = scanAndRefine(low, high, options.points, options.tolerance, options.progress);
    let next = search.next();
    while (!next.done) {
      const value = look(next.value);
      yield;
      next = search.next(value);
    }
    const found = next.value;
    const signed = (pairs: [number, number | null][]): [number, number | null][] => pairs.map(([x, v]) => [x, v === null ? null : sign * v]);
    return { ...found, value: sign * found.value, evaluations: signed(found.evaluations), scan: signed(found.scan) };
  }

  trace(step: ArrayLike<number>, values: ArrayLike<number>, pose: ArrayLike<number> = [0, 0, 0, 1, 0, 0, 0]): ShapeTrace {
    return traced(this.module, step, values, pose);
  }

  full(description: Description): Description {
    return fullKeys(readDescription(description));
  }

  previewStep(description: Description): number {
    return previewStep(readDescription(description));
  }
}

/** The description with one key (a path such as "gait.waves") changed; an angle in degrees takes the place of one in radians and the other way round. */
export function withKey(description: Description, path: string, value: number): Description {
  const made = structuredClone(description) as any;
  const parts = path.split(".");
  const last = parts.pop()!;
  let table = made;
  for (const part of parts) table = table[part] ??= {};
  delete table[last.endsWith("_deg") ? last.slice(0, -4) : `${last}_deg`];
  table[last] = value;
  return made;
}

/** Compile the kernels. */
export async function loadPhysics(bytes: ArrayBuffer | ArrayBufferView): Promise<Physics> {
  return new Kernels(await WebAssembly.compile(bytes as ArrayBuffer));
}
