import { unitColumns } from '../sampling/unit-points.ts';
import { Stream } from '../sampling/stream.ts';
import { AllowedPoints } from '../search/allowed.ts';
import type { Sample } from './sample.ts';

/** At least this number of draws is tried, even if none of them meets the condition. */
const LEAST_TRIED = 20_000;
/** After that, draws go on while at least one of this number meets the condition. */
const DRAWS_PER_POINT = 100;
/** The number of draws that estimate how large a part of the ranges meets the condition. */
const ESTIMATING_DRAWS = 4_000;
/** The number of rows that one walk gives. */
const ROWS_OF_WALK = 16;
/** The least distance of a walk from the edges of the unit cube, where a distribution without limits has no value. */
const EDGE = 2 ** -53;

/** The number of draws after which a sample ends if none of them meets its condition. */
export function triedDraws({ points }: Sample): number {
  return Math.max(points, LEAST_TRIED);
}

/**
 * Gives as many rows that meet a condition as a sample has points. It gives undefined for each draw that does not meet the
 * condition.
 *
 * - `random`, `sobol` and `halton` go on with further draws in place of those that do not meet it. So a random sample
 *   follows the distributions of the inputs, given the condition.
 * - `lhs` draws a larger sample, of which about as many rows meet the condition as there are points.
 * - If less than one draw of a hundred meets it, the rows that are still missing come from walks through the region
 *   ({@link AllowedPoints}). They follow the distributions approximately. Inputs with whole numbers or lists have no
 *   walks, because a walk may not reach all their values; then there are fewer rows.
 *
 * The work between two items has a bound.
 *
 * @param rowAt - the row at coordinates in the unit cube; undefined if it does not meet the condition
 * @param lackOf - how far such a row is from the condition
 */
export function* sampleWithin<Row>(
  sample: Sample,
  rowAt: (unit: readonly number[]) => Row | undefined,
  lackOf: (unit: readonly number[]) => number,
): Generator<Row | undefined> {
  const { method, points, seed, scramble, inputs } = sample;
  const names = inputs.map(({ name }) => name);
  let kept = 0;
  /** The draws of a method, by index. It counts those that meet the condition. */
  const drawsOf = (by: Sample['method'], count: number): ((index: number) => Row | undefined) => {
    const columns = unitColumns(by, { points: count, seed, scramble, names });
    return (index) => {
      const row = rowAt(columns.map((column) => column(index)));
      if (row !== undefined) kept += 1;
      return row;
    };
  };
  const random = drawsOf('random', points);
  if (method === 'lhs') {
    for (let index = 0; index < ESTIMATING_DRAWS; index += 1) {
      random(index);
      yield undefined;
    }
    // these draws only estimate
    const met = kept;
    kept = 0;
    if (met * DRAWS_PER_POINT >= ESTIMATING_DRAWS) {
      const count = Math.ceil((points * ESTIMATING_DRAWS) / met);
      const draw = drawsOf('lhs', count);
      for (let index = 0; index < count && kept < points; index += 1) yield draw(index);
    }
  }
  const draw = method === 'lhs' ? random : drawsOf(method, points);
  for (let index = 0; kept < points; index += 1) {
    if (index >= triedDraws(sample) && index >= LEAST_TRIED + DRAWS_PER_POINT * kept) break;
    yield draw(index);
  }
  if (kept === points || inputs.some((input) => input.isWhole || input.distribution.kind === 'choice'))
    return;
  const inside = (x: readonly number[]): number[] => x.map((u) => Math.min(1 - EDGE, Math.max(EDGE, u)));
  const allowed = new AllowedPoints(
    {
      dimensions: inputs.map(() => ({ kind: 'real' as const })),
      isAllowed: (x) => rowAt(inside(x)) !== undefined,
      lackOf: (x) => lackOf(inside(x)),
      list: () => undefined,
    },
    seed,
  );
  const pool = yield* allowed.findPool();
  if (pool.length === 0) return;
  const stream = new Stream(seed, 'walks of a sample');
  let x: readonly number[] = [];
  for (let walked = 0; kept < points; walked += 1, kept += 1) {
    if (walked % ROWS_OF_WALK === 0) x = pool[stream.below(pool.length)]!;
    x = allowed.walk(x, 2 * inputs.length, stream);
    yield rowAt(inside(x))!;
  }
}
