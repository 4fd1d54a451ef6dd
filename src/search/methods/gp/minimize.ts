import { dot } from './cholesky.ts';

/**
 * Returns the value of a function at `x`, or Infinity if it has no value there. Writes its derivatives into `slope`.
 */
export type Differentiable = (x: Float64Array, slope: Float64Array) => number;

/** The box in which `minimize` searches, and the maximum number of evaluations. */
export interface Limits {
  low: ArrayLike<number>;
  high: ArrayLike<number>;
  evaluations: number;
}

/**
 * A local minimum of a function in a box. The method is limited-memory BFGS (J. Nocedal and S. J. Wright, "Numerical
 * Optimization" (2006), algorithm 7.4). A coordinate stays fixed while it is at a bound and the descent would leave the
 * box. Steps are projected into the box (D. P. Bertsekas, "Projected Newton methods for optimization problems with
 * simple constraints", SIAM Journal on Control and Optimization 20 (1982) 221-246).
 */
export function minimize(
  compute: Differentiable,
  start: ArrayLike<number>,
  { low, high, evaluations }: Limits,
): { x: Float64Array; value: number } {
  const n = start.length;
  const clamp = (value: number, i: number): number => Math.min(high[i]!, Math.max(low[i]!, value));
  let x = Float64Array.from(start, clamp);
  let slope = new Float64Array(n);
  let value = compute(x, slope);
  let left = evaluations - 1;
  let memory: Pair[] = [];
  while (left > 0 && Number.isFinite(value)) {
    const at = x;
    const isFree = Array.from(
      slope,
      (s, i) => !((at[i]! <= low[i]! && s > 0) || (at[i]! >= high[i]! && s < 0)),
    );
    const free = slope.map((s, i) => (isFree[i] ? s : 0));
    const steepness = Math.sqrt(dot(free, 0, free, 0, n));
    if (steepness < FLAT) break;
    let direction = downhill(free, memory).map((d, i) => (isFree[i] ? d : 0));
    const leadsDown = dot(direction, 0, free, 0, n) < 0;
    if (!leadsDown) {
      memory = [];
      direction = free.map((s) => -s);
    }
    // while the curvature is unknown, a step is at most 0.1 long
    let step = memory.length > 0 ? 1 : Math.min(1, 0.1 / steepness);
    let next = x;
    let nextValue = Infinity;
    const nextSlope = new Float64Array(n);
    for (; left > 0; step *= 0.3) {
      next = x.map((from, i) => clamp(from + step * direction[i]!, i));
      nextValue = compute(next, nextSlope);
      left -= 1;
      // the slope promises this change; a step is good if it reaches a small share of it (Armijo's condition)
      let promised = 0;
      for (let i = 0; i < n; i += 1) promised += slope[i]! * (next[i]! - at[i]!);
      if (nextValue <= value + 1e-4 * promised && promised < 0) break;
      if (step < SHORTEST) break;
    }
    if (!(nextValue < value)) {
      if (memory.length === 0) break;
      memory = [];
      continue;
    }
    const s = next.map((to, i) => to - at[i]!);
    const before = slope;
    const y = nextSlope.map((to, i) => to - before[i]!);
    const curvature = dot(s, 0, y, 0, n);
    if (curvature > 1e-10 * dot(y, 0, y, 0, n)) memory = [...memory, { s, y, curvature }].slice(-MEMORY);
    const gained = value - nextValue;
    x = next;
    slope = nextSlope;
    value = nextValue;
    if (gained < LEAST_GAIN * (1 + Math.abs(value))) break;
  }
  return { x, value };
}

/** The search ends where the slope is smaller than this. */
const FLAT = 1e-7;
/** The search ends after a step that gains less than this, relative to the value. */
const LEAST_GAIN = 1e-8;
/** A step is not shortened below this share of the direction. */
const SHORTEST = 1e-8;
/** The number of earlier steps that tell the curvature. */
const MEMORY = 8;

/** The changes of the place (s) and of the slope (y) in an earlier step, and their dot product. */
interface Pair {
  s: Float64Array;
  y: Float64Array;
  curvature: number;
}

/** The direction of the next step: the negative slope times an estimate of the inverse Hessian (two-loop recursion). */
function downhill(slope: Float64Array, memory: readonly Pair[]): Float64Array {
  const n = slope.length;
  const direction = slope.map((value) => -value);
  const shares: number[] = [];
  for (const { s, y, curvature } of memory.toReversed()) {
    const share = dot(s, 0, direction, 0, n) / curvature;
    shares.push(share);
    for (let i = 0; i < n; i += 1) direction[i]! -= share * y[i]!;
  }
  const last = memory.at(-1);
  if (last) {
    const scale = last.curvature / dot(last.y, 0, last.y, 0, n);
    for (let i = 0; i < n; i += 1) direction[i]! *= scale;
  }
  for (const { s, y, curvature } of memory) {
    const share = shares.pop()! - dot(y, 0, direction, 0, n) / curvature;
    for (let i = 0; i < n; i += 1) direction[i]! += share * s[i]!;
  }
  return direction;
}
