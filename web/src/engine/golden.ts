/** Golden-section search, bracketed by a coarse scan: `optimise/golden.py`. */
import type { Best } from "./types";

type Value = number | null;
const RATIO = (Math.sqrt(5) - 1) / 2;
const rank = (value: Value): number => (value === null || Number.isNaN(value) ? -Infinity : value);

/** A search that asks for one value after another: whoever carries it out may do other things in between, or leave it. */
export type Search = Generator<number, Best, Value>;
type Part<T> = Generator<number, T, Value>;

function* goldenSection(low: number, high: number, tolerance: number): Part<[number, number, [number, Value][]]> {
  const seen: [number, Value][] = [];
  function* at(x: number): Part<number> {
    const value = yield x;
    seen.push([x, value]);
    return rank(value);
  }
  const least = Math.max(tolerance, 8 * Number.EPSILON * Math.max(Math.abs(low), Math.abs(high)));
  let [a, b] = [high - RATIO * (high - low), low + RATIO * (high - low)];
  let [fa, fb] = [yield* at(a), yield* at(b)];
  while (high - low > least) {
    if (fa >= fb) {
      [high, b, fb] = [b, a, fa];
      a = high - RATIO * (high - low);
      fa = yield* at(a);
    } else {
      [low, a, fa] = [a, b, fb];
      b = low + RATIO * (high - low);
      fb = yield* at(b);
    }
  }
  return fa >= fb ? [a, fa, seen] : [b, fb, seen];
}

function* looked(places: number[]): Part<[number, Value][]> {
  const seen: [number, Value][] = [];
  for (const x of places) seen.push([x, yield x]);
  return seen;
}

/** Maximise on [low, high]: a scan of `points` places, then golden section around the best. */
export function* scanAndRefine(low: number, high: number, points = 18, tolerance = (high - low) / 500, progress?: (share: number) => void): Search {
  if (points < 3) throw new Error(`a scan needs at least 3 points, got ${points}`);
  if (!(Number.isFinite(low) && Number.isFinite(high) && low < high)) throw new Error(`the interval must be low < high, got ${low}:${high}`);
  if (!(tolerance > 0)) throw new Error(`tolerance must be > 0, got ${tolerance}`);
  const steps = points + 2 + Math.ceil(Math.log(((2 * (high - low)) / (points - 1)) / tolerance) / -Math.log(RATIO));
  let done = 0;
  function* counted<T>(part: Part<T>): Part<T> {
    let next = part.next();
    while (!next.done) {
      const value = yield next.value;
      progress?.(Math.min(1, ++done / steps));
      next = part.next(value);
    }
    return next.value;
  }
  const places = Array.from({ length: points }, (_, k) => low + ((high - low) * k) / (points - 1));
  const scan = yield* counted(looked(places));
  const ranks = scan.map(([, v]) => rank(v));
  const best = ranks.indexOf(Math.max(...ranks));
  if (ranks[best] === -Infinity) throw new Error(`the objective is undefined at all ${points} places scanned from ${low} to ${high}`);
  let [place, value, seen] = yield* counted(goldenSection(places[Math.max(best - 1, 0)], places[Math.min(best + 1, points - 1)], tolerance));
  if (ranks[best] > value) [place, value] = [places[best], ranks[best]];
  return { place, value, evaluations: [...scan, ...seen], scan, atEnd: Math.min(place - low, high - place) <= 2 * tolerance };
}
