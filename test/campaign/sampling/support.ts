import fc from '../../support/fast-check.ts';
import { type SamplingMethod, unitColumns, unitPoints } from '../../../src/campaign/sampling/unit-points.ts';

export const METHODS: SamplingMethod[] = ['random', 'lhs', 'sobol', 'halton'];

/** The points of a sample, all of them. */
export function pointsOf(
  method: SamplingMethod,
  points: number,
  names: readonly string[],
  { seed = 42, scramble = true } = {},
): (readonly number[])[] {
  return [...unitPoints(method, { points, seed, scramble, names })];
}

/** One input's numbers at the first points. */
export function numbersOf(
  method: SamplingMethod,
  points: number,
  { dimension = 0, seed = 42, scramble = true, name = 'x' } = {},
): number[] {
  const names = [...Array.from({ length: dimension }, (_, at) => `before ${at}`), name];
  const column = unitColumns(method, { points, seed, scramble, names })[dimension]!;
  return Array.from({ length: points }, (_, index) => column(index));
}

/** How many of the numbers are in each of as many parts of [0, 1). */
export function counts(numbers: readonly number[], parts: number): number[] {
  const found = new Array<number>(parts).fill(0);
  for (const number of numbers) found[Math.floor(number * parts)]! += 1;
  return found;
}

export const anySample = fc.record({
  method: fc.constantFrom(...METHODS),
  points: fc.integer({ min: 0, max: 200 }),
  seed: fc.maxSafeInteger(),
  scramble: fc.boolean(),
  names: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 6 }),
});
