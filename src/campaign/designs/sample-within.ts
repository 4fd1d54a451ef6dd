import { unitColumns } from '../sampling/unit-points.ts';
import { Stream } from '../sampling/stream.ts';
import { AllowedPoints } from '../search/allowed.ts';
import type { Sample } from './sample.ts';

/** At least this number of draws is tried, even if none of them meets the condition. */
const LEAST_TRIED = 20_000;
/** After that, draws go on while at least one of this number meets the condition. */
const MOST_A_POINT = 100;
/** The number of draws that estimate how large a part of the ranges meets the condition. */
const ESTIMATED = 4_000;
/** The number of rows that one walk gives. */
const WALKED = 16;
/** The least distance of a walk from the edges of the unit cube, where a distribution without limits has no value. */
const EDGE = 2 ** -53;

/** The number of draws of a sample of which none needs to meet its condition, until the sample ends. */
export function triedDraws({ points }: Sample): number {
  return Math.max(points, LEAST_TRIED);
}

/**
 * As many rows of a sample as it has points, all of which meet a condition. A draw that does not meet it is undefined.
 *
 * - `random`, `sobol` and `halton` go on with further draws in place of those that do not meet it. So a random sample
 *   follows the distributions of the inputs, given the condition.
 * - `lhs` is the part that meets it of a larger sample, which has about as many such rows as there are points.
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
  const drawn = (by: Sample['method'], count: number): ((index: number) => Row | undefined) => {
    const columns = unitColumns(by, { points: count, seed, scramble, names });
    return (index) => rowAt(columns.map((column) => column(index)));
  };
  let kept = 0;
  const random = drawn('random', points);
  if (method === 'lhs') {
    let met = 0;
    for (let index = 0; index < ESTIMATED; index += 1) {
      if (random(index) !== undefined) met += 1;
      yield undefined;
    }
    if (met * MOST_A_POINT >= ESTIMATED) {
      const count = Math.ceil((points * ESTIMATED) / met);
      const row = drawn('lhs', count);
      for (let index = 0; index < count && kept < points; index += 1) {
        const found = row(index);
        if (found !== undefined) kept += 1;
        yield found;
      }
    }
  }
  const next = method === 'lhs' ? random : drawn(method, points);
  for (let index = 0; kept < points; index += 1) {
    if (index >= triedDraws(sample) && index >= LEAST_TRIED + MOST_A_POINT * kept) break;
    const found = next(index);
    if (found !== undefined) kept += 1;
    yield found;
  }
  if (kept === points || inputs.some((input) => input.isWhole || input.distribution.kind === 'choice'))
    return;
  const at = (x: readonly number[]): number[] => x.map((u) => Math.min(1 - EDGE, Math.max(EDGE, u)));
  const allowed = new AllowedPoints(
    {
      dimensions: inputs.map(() => ({ kind: 'real' as const })),
      isAllowed: (x) => rowAt(at(x)) !== undefined,
      lackOf: (x) => lackOf(at(x)),
      list: () => undefined,
    },
    seed,
  );
  const pool = yield* allowed.findPool();
  if (pool.length === 0) return;
  const stream = new Stream(seed, 'walks of a sample');
  let x: readonly number[] = [];
  for (let walked = 0; kept < points; walked += 1, kept += 1) {
    if (walked % WALKED === 0) x = pool[stream.below(pool.length)]!;
    x = allowed.walk(x, 2 * inputs.length, stream);
    yield rowAt(at(x))!;
  }
}
