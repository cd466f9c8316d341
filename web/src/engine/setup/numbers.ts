/** Arrays of numbers as NumPy sees them: sums in its order, rows and tables, linear interpolation. */

export interface Table {
  shape: number[];
  data: Float64Array;
}

export const zeros = (...shape: number[]): Table => ({ shape, data: new Float64Array(shape.reduce((a, b) => a * b, 1)) });
export const rowOf = (values: ArrayLike<number>): Table => ({ shape: [values.length], data: Float64Array.from(values) });

/** Row k of a table with two dimensions, a view. */
export function row(table: Table, k: number): Float64Array {
  const width = table.shape[1];
  return table.data.subarray(k * width, (k + 1) * width);
}

/** Sum in the order of NumPy: eight partial sums, halves of long rows. */
export function sum(a: ArrayLike<number>, from = 0, count = a.length): number {
  if (count < 8) {
    let total = 0;
    for (let i = 0; i < count; i++) total += a[from + i];
    return total;
  }
  if (count > 128) {
    let half = count >> 1;
    half -= half % 8;
    return sum(a, from, half) + sum(a, from + half, count - half);
  }
  const r = Array.from({ length: 8 }, (_, k) => a[from + k]);
  let i = 8;
  for (; i < count - (count % 8); i += 8) for (let k = 0; k < 8; k++) r[k] += a[from + i + k];
  let total = r[0] + r[1] + (r[2] + r[3]) + (r[4] + r[5] + (r[6] + r[7]));
  for (; i < count; i++) total += a[from + i];
  return total;
}

export const mean = (a: ArrayLike<number>): number => sum(a) / a.length;
export const largest = (a: ArrayLike<number>): number => Array.prototype.reduce.call(a, (x, y) => Math.max(x as number, y as number), -Infinity) as number;
export const smallest = (a: ArrayLike<number>): number => -largest(Array.from(a, (x) => -x));

export function cumsum(a: ArrayLike<number>): Float64Array {
  const made = new Float64Array(a.length);
  let total = 0;
  for (let i = 0; i < a.length; i++) made[i] = total += a[i];
  return made;
}

/** One number for each of `count`, from one number or a list. */
export function each(value: number | ArrayLike<number>, count: number): Float64Array {
  return typeof value === "number" ? new Float64Array(count).fill(value) : Float64Array.from(value);
}

/** Value of the line through (x, y) at a place; held beyond the ends. */
export function interp(at: number, x: ArrayLike<number>, y: ArrayLike<number>): number {
  const last = x.length - 1;
  if (at <= x[0]) return y[0];
  if (at >= x[last]) return y[last];
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle] <= at) low = middle;
    else high = middle;
  }
  return ((y[low + 1] - y[low]) / (x[low + 1] - x[low])) * (at - x[low]) + y[low];
}

/** Whole number nearest to x, halves to the even one, as Python rounds. */
export function roundEven(x: number): number {
  const low = Math.floor(x);
  const rest = x - low;
  return rest < 0.5 || (rest === 0.5 && low % 2 === 0) ? low : low + 1;
}

/** A number in a message, as Python's format g with so many digits. */
export function short(x: number, digits = 6): string {
  if (x === 0) return "0";
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
  const exponent = Math.floor(Math.log10(Math.abs(Number(x.toPrecision(digits)))));
  if (exponent < -4 || exponent >= digits) {
    const [mantissa, power] = x.toExponential(digits - 1).split("e");
    const trimmed = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    const size = String(Math.abs(Number(power)));
    return `${trimmed}e${Number(power) < 0 ? "-" : "+"}${size.padStart(2, "0")}`;
  }
  const fixed = x.toFixed(Math.max(0, digits - 1 - exponent));
  return fixed.includes(".") ? fixed.replace(/\.?0+$/, "") : fixed;
}
