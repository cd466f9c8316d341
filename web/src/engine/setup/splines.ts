/** Samples over time as pieces of polynomials, as `gaits/samples.py` lays them out: time, then coefficients a, b, c, d of all columns. */
import { zeros, type Table } from "./numbers";

/** Solve a tridiagonal system (lower, diagonal, upper) for one right side. */
function thomas(low: number[], middle: number[], high: number[], right: number[]): number[] {
  const n = middle.length;
  const c = new Array<number>(n);
  const d = new Array<number>(n);
  c[0] = high[0] / middle[0];
  d[0] = right[0] / middle[0];
  for (let i = 1; i < n; i++) {
    const m = middle[i] - low[i] * c[i - 1];
    c[i] = high[i] / m;
    d[i] = (right[i] - low[i] * d[i - 1]) / m;
  }
  for (let i = n - 2; i >= 0; i--) d[i] -= c[i] * d[i + 1];
  return d;
}

/** Slopes at the samples of the cubic spline through y(x). */
function slopesOf(x: number[], y: number[], ends: string): number[] {
  const n = x.length;
  const h = Array.from({ length: n - 1 }, (_, i) => x[i + 1] - x[i]);
  const s = h.map((w, i) => (y[i + 1] - y[i]) / w);
  const low = new Array<number>(n).fill(0);
  const middle = new Array<number>(n).fill(0);
  const high = new Array<number>(n).fill(0);
  const right = new Array<number>(n).fill(0);
  for (let i = 1; i < n - 1; i++) {
    low[i] = h[i];
    middle[i] = 2 * (h[i - 1] + h[i]);
    high[i] = h[i - 1];
    right[i] = 3 * (h[i] * s[i - 1] + h[i - 1] * s[i]);
  }
  if (ends === "periodic") return periodicSlopes(h, s);
  const l = n - 1;
  if (ends === "clamped") {
    middle[0] = middle[l] = 1;
  } else if (ends === "natural") {
    [middle[0], high[0], right[0]] = [2 * h[0], h[0], 3 * (y[1] - y[0])];
    [middle[l], low[l], right[l]] = [2 * h[l - 1], h[l - 1], 3 * (y[l] - y[l - 1])];
  } else {
    let d = x[2] - x[0];
    [middle[0], high[0], right[0]] = [h[1], d, ((h[0] + 2 * d) * h[1] * s[0] + h[0] ** 2 * s[1]) / d];
    d = x[l] - x[l - 2];
    [middle[l], low[l], right[l]] = [h[l - 2], d, (h[l - 1] ** 2 * s[l - 2] + (2 * d + h[l - 1]) * h[l - 2] * s[l - 1]) / d];
  }
  return thomas(low, middle, high, right);
}

/** Slopes of a periodic spline: a cyclic system, solved as two open ones (Sherman and Morrison). */
function periodicSlopes(h: number[], s: number[]): number[] {
  const m = h.length;
  const before = (i: number): number => (i + m - 1) % m;
  const low = h.map((w) => w);
  const high = h.map((_, i) => h[before(i)]);
  const middle = h.map((w, i) => 2 * (h[before(i)] + w));
  const right = h.map((w, i) => 3 * (w * s[before(i)] + h[before(i)] * s[i]));
  const corner = -middle[0];
  const [alpha, beta] = [high[m - 1], low[0]]; // of the last row's first, the first row's last unknown
  const shifted = [...middle];
  shifted[0] -= corner;
  shifted[m - 1] -= (alpha * beta) / corner;
  const x = thomas(low, shifted, high, right);
  const u = new Array<number>(m).fill(0);
  u[0] = corner;
  u[m - 1] = alpha;
  const z = thomas(low, shifted, high, u);
  const f = (x[0] + (beta * x[m - 1]) / corner) / (1 + z[0] + (beta * z[m - 1]) / corner);
  const made = x.map((v, i) => v - f * z[i]);
  return [...made, made[0]];
}

/** The table of samples, (m, 1 + 4 columns). */
export function pieces(times: number[], values: number[][], interpolation: string, periodic: boolean, ends = "natural"): Table {
  const count = times.length;
  const columns = values[0].length;
  const table = zeros(count, 1 + 4 * columns);
  const width = 1 + 4 * columns;
  const put = (k: number, block: number, j: number, value: number): void => void (table.data[k * width + 1 + block * columns + j] = value);
  times.forEach((t, k) => (table.data[k * width] = t));
  for (let j = 0; j < columns; j++) {
    const y = values.map((r) => r[j]);
    if (periodic && interpolation !== "linear") y[count - 1] = y[0];
    const slopes = interpolation === "linear" ? null : slopesOf(times, y, periodic ? "periodic" : ends);
    for (let k = 0; k + 1 < count; k++) {
      const h = times[k + 1] - times[k];
      const slope = (y[k + 1] - y[k]) / h;
      if (slopes) {
        const t = (slopes[k] + slopes[k + 1] - 2 * slope) / h;
        put(k, 0, j, t / h);
        put(k, 1, j, (slope - slopes[k]) / h - t);
      }
      put(k, 2, j, slopes ? slopes[k] : slope);
      put(k, 3, j, y[k]);
    }
    put(count - 1, 3, j, periodic ? values[0][j] : values[count - 1][j]);
  }
  return table;
}

/** A table of samples with its columns at some places of wider blocks, zeros elsewhere. */
export function widened(table: Table, places: number[], columns: number): Table {
  const [rows, width] = table.shape;
  const made = zeros(rows, 1 + 4 * columns);
  for (let k = 0; k < rows; k++) {
    made.data[k * made.shape[1]] = table.data[k * width];
    for (let block = 0; block < 4; block++)
      places.forEach((place, j) => {
        made.data[k * made.shape[1] + 1 + block * columns + place] = table.data[k * width + 1 + block * places.length + j];
      });
  }
  return made;
}
