import fc from '../../support/fast-check.ts';
import { type SamplingMethod, unitColumns, unitPoints } from '../../../src/campaign/sampling/unit-points.ts';

export const METHODS: SamplingMethod[] = ['random', 'lhs', 'sobol', 'halton'];

/** Returns all points of a sample. */
export function pointsOf(
  method: SamplingMethod,
  points: number,
  names: readonly string[],
  { seed = 42, scramble = true } = {},
): (readonly number[])[] {
  return [...unitPoints(method, { points, seed, scramble, names })];
}

/** The numbers of one input at the first points. */
export function numbersOf(
  method: SamplingMethod,
  points: number,
  { dimension = 0, seed = 42, scramble = true, name = 'x' } = {},
): number[] {
  const names = [...Array.from({ length: dimension }, (_, at) => `before ${at}`), name];
  const column = unitColumns(method, { points, seed, scramble, names })[dimension]!;
  return Array.from({ length: points }, (_, index) => column(index));
}

/** Divides [0, 1) into equal parts, and counts the numbers in each part. */
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
