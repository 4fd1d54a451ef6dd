import * as z from 'zod';
import { ForayError, type Place } from '../../errors.ts';
import { type SaltelliDesign, saltelliRows } from '../sampling/saltelli.ts';
import { MOST_INPUTS } from '../sampling/unit-points.ts';
import type { Kind } from './kind.ts';
import { firstSize, Growing } from './schema-growth.ts';
import { count } from './schema-values.ts';
import {
  ALL_POINTS_NEEDED,
  drawnRow,
  drawnSettings,
  expecting,
  levelsOfChoices,
  numericInputs,
  resolveSpread,
  type SpreadInput,
} from './spread-input.ts';

/** The most scrambles by default. A definition may ask for more. */
const MOST_DEFAULT_SCRAMBLES = 8;
/**
 * The default number of scrambles (independent Sobol sequences) is either 1, or at least this number. With several
 * scrambles, an interval is computed from the differences between them. With only a few, the interval would be very
 * wide.
 */
const FEWEST_SCRAMBLES = 4;
/**
 * The fewest base points per scramble if a definition gives no number of scrambles. More scrambles of fewer points give
 * narrower intervals, but less exact indices. A fixed design prefers exact indices. A growing design prefers narrow
 * intervals, because narrow intervals end its growth.
 */
const LEAST_POINTS = { fixed: 1_024, growing: 8 };

/**
 * The width of the widest interval of an index, times the square root of the number of base points. For five functions
 * (smooth and not smooth, deterministic and random) this product was between 3.2 and 6.4 with one scramble. With more
 * scrambles, the product was lower.
 */
const WIDEST = 6;

const schema = z
  .strictObject(
    {
      points: z
        .union([count(2, 'points'), Growing], 'expected a whole number of points or {min, max, width}')
        .describe(
          'The number of base points. For k inputs, each base point gives k + 2 points. {min, max, width} adds base points until the intervals are narrow enough.',
        ),
      secondOrder: z
        .boolean('expected true or false')
        .default(false)
        .describe(
          'Adds points for the indices of pairs of inputs. There are then nearly twice as many points.',
        ),
      scrambles: z
        .int('expected a whole number')
        .min(1, 'expected at least 1')
        .max(1000, 'expected at most 1,000')
        .optional()
        .describe(
          'The number of independent Sobol sequences over which the base points are divided. The default is 1; with at least 4,096 points it is 4, and with at least 8,192 it is 8. In a growing design it is 4 if max is at least 32, and 8 if max is at least 64.',
        ),
      ...drawnSettings,
    },
    expecting('expected {points: NUMBER, inputs: …}'),
  )
  .describe(
    "Points for estimating Sobol' indices: the share of the variance that comes from each input (Saltelli).",
  );
type Written = z.input<typeof schema>;

/**
 * Points for Sobol' indices, from `scrambles` independent Sobol sequences. Each sequence gives `points` base points.
 *
 * A base point is a pair of points A and B. ABj is A with the value of input j from B. BAj is B with the value of input
 * j from A. Each base point gives these rows: A, AB1 … ABk, then BA1 … BAk (only with `secondOrder`), then B. The first
 * base point of each sequence comes first, then the second one of each, and so on. So a larger number of points only
 * appends rows.
 */
export interface Saltelli extends SaltelliDesign {
  kind: 'saltelli';
  inputs: SpreadInput[];
}

export const saltelli: Kind<Written, Saltelli> = {
  title: "Sobol' indices (Saltelli)",
  schema,
  resolve(written, facts, path, taken) {
    const { secondOrder = false, seed = facts.seed } = written;
    const count = Object.keys(written.inputs).length;
    if (2 * count > MOST_INPUTS) {
      throw new ForayError('INVALID_VALUE', `The design varies ${count} inputs.`, {
        place: facts.locate([...path, 'inputs'], 'key'),
        hint: `saltelli takes at most ${MOST_INPUTS / 2} inputs; morris takes any number, and shows which inputs matter.`,
      });
    }
    const basePoints = firstSize(written.points);
    const scrambles = written.scrambles ?? scramblesOf(written.points);
    const sizePath = [...path, 'points', ...(typeof written.points === 'number' ? [] : ['min'])];
    facts.mistakes.attempt(() => checkDivision(basePoints, scrambles, facts.locate(sizePath)));
    const inputs = resolveSpread(written.inputs, facts, [...path, 'inputs'], taken);
    if (!inputs) return undefined;
    const points = Math.ceil(basePoints / scrambles);
    return { kind: 'saltelli', inputs, points, scrambles, secondOrder, seed };
  },
  needsAllPoints: () => ({ name: 'saltelli design', hint: ALL_POINTS_NEEDED }),
  *rows(design) {
    for (const { unit } of saltelliRows(design)) yield drawnRow(design.inputs, unit);
  },
  mostRows: (design) => design.points * design.scrambles * rowsPerBasePoint(design),
  levels: levelsOfChoices,
  // several points share the values of a base point
  scattered: (design) => numericInputs(design).map((name) => [name, rowsPerBasePoint(design) / 2]),
  about(design) {
    const basePoints = design.points * design.scrambles;
    const scrambles = design.scrambles === 1 ? '1 scramble' : `${design.scrambles} scrambles`;
    const half = (WIDEST / 2 / Math.sqrt(basePoints)).toFixed(2);
    return [
      `${basePoints.toLocaleString('en')} base points in ${scrambles}, ${rowsPerBasePoint(design)} points for each`,
      `indices within about ± ${half}, or better`,
    ];
  },
  growth: {
    unit: 'base points',
    size: ({ points, scrambles }) => points * scrambles,
    grown: (design, size) => ({ ...design, points: Math.floor(size / design.scrambles) }),
  },
  isForSensitivity: true,
};

function rowsPerBasePoint({ secondOrder, inputs }: Saltelli): number {
  return (secondOrder ? 2 : 1) * inputs.length + 2;
}

/**
 * The default number of scrambles. It is a power of two, so that it divides a number of base points that is a power of
 * two.
 */
function scramblesOf(written: Written['points']): number {
  const [points, least] =
    typeof written === 'number' ? [written, LEAST_POINTS.fixed] : [written.max, LEAST_POINTS.growing];
  const scrambles = 2 ** Math.floor(Math.log2(Math.min(MOST_DEFAULT_SCRAMBLES, points / least)));
  return scrambles < FEWEST_SCRAMBLES ? 1 : scrambles;
}

/** @throws ForayError INVALID_VALUE if the base points cannot be divided over the scrambles */
function checkDivision(basePoints: number, scrambles: number, place: Place): void {
  const rest = basePoints % scrambles;
  if (rest === 0) return;
  const below = basePoints - rest;
  const fitting = [below, below + scrambles].filter((points) => points > 0);
  const listed = (numbers: number[]): string =>
    numbers.map((number) => number.toLocaleString('en')).join(' or ');
  throw new ForayError(
    'INVALID_VALUE',
    `${basePoints.toLocaleString('en')} base points cannot be divided over ${scrambles} scrambles.`,
    {
      place,
      hint: `Give ${listed(fitting)} points, or "scrambles": ${listed(divisorsOf(basePoints))}.`,
    },
  );
}

/** At most three numbers of scrambles that divide the number of points: the greatest ones up to `MOST_DEFAULT_SCRAMBLES`. */
function divisorsOf(points: number): number[] {
  return Array.from({ length: MOST_DEFAULT_SCRAMBLES }, (_, at) => at + 1)
    .filter((scrambles) => points % scrambles === 0)
    .slice(-3);
}
