import { z } from 'zod';
import { Spread } from '../designs/schema-distributions.ts';
import { byInput, number } from '../designs/schema-values.ts';

/** The shape of a calibration as a person writes it. */

const MOST_PARTICLES = 10_000;

function count(least: number, most: number) {
  const range = `expected a whole number from ${least.toLocaleString('en')} to ${most.toLocaleString('en')}`;
  return z.int(range).min(least, range).max(most, range);
}

const share = (what: string) => z.number(what).gt(0, what).lt(1, what);

const weight = number
  .positive('expected more than 0')
  .default(1)
  .describe('How much its distance counts beside those of other outputs.');

const numbers = z.array(number, 'expected a list of numbers').min(1, 'expected at least one number');

const Number_ = z.strictObject({ value: number.describe('The number that was observed.'), weight });
const Curve = z
  .strictObject({
    x: numbers.describe('Where the curve was observed, ascending: mostly times.'),
    y: numbers.describe('What was observed there.'),
    weight,
  })
  .refine(({ x, y }) => x.length === y.length, 'expected as many numbers under "x" as under "y"')
  .refine(({ x }) => x.every((at, i) => i === 0 || at > x[i - 1]!), 'expected ascending numbers under "x"')
  .meta({ id: 'ObservedCurve' });

/** The observation of an output. */
const Observed = z.union(
  [number, z.boolean(), Number_, Curve],
  'expected a number, true, false, {value: NUMBER} or {x: […], y: […]}',
);
export type WrittenObserved = z.infer<typeof Observed>;

const CalibrationStop = z
  .strictObject(
    {
      tolerance: number
        .nonnegative('expected no less than 0')
        .optional()
        .describe('The generation that accepts distances up to this is the last one.'),
      generations: count(1, 100).default(8).describe('Generations at most.'),
      acceptance: share('expected a share between 0 and 1')
        .default(0.01)
        .describe('When less than this share of the points of a generation is accepted.'),
      points: count(2, 10_000_000).default(10_000).describe('After so many points.'),
    },
    'expected {tolerance: NUMBER}, {generations: NUMBER}, {acceptance: SHARE} or {points: NUMBER}',
  )
  .meta({ id: 'CalibrationStop' });

const Abc = z
  .strictObject(
    {
      priors: byInput(Spread, 'expected input names with their distributions').describe(
        'How each input is spread before anything is known: {min, max}, a list of values, or {distribution: …}.',
      ),
      where: z
        .string('expected an expression in quotes')
        .optional()
        .describe('Only points for which it holds are possible: an expression such as "`Contact rate` > 1".'),
      observed: z
        .record(z.string(), Observed, 'expected outputs with what was observed')
        .refine((outputs) => Object.keys(outputs).length > 0, 'expected at least one output')
        .meta({ minProperties: 1 })
        .describe('What was observed: {OUTPUT: NUMBER}, and of a DATA_SET {OUTPUT: {x: […], y: […]}}.'),
      particles: count(10, MOST_PARTICLES)
        .default(200)
        .describe('Points that each generation accepts: the posterior is as many points with weights.'),
      quantile: share('expected a share between 0 and 1')
        .default(0.5)
        .describe('The share of the accepted distances that is within the tolerance of the next generation.'),
      parallel: count(1, 1_000)
        .default(64)
        .describe('How many points are open at once at the end of a generation.'),
      stop: CalibrationStop.prefault({}).describe('When the calibration ends.'),
    },
    'expected {priors: {INPUT: {min, max}}, observed: {OUTPUT: NUMBER}}',
  )
  .refine(({ particles, stop }) => stop.points >= particles, {
    message: 'expected no fewer points than particles',
    path: ['stop', 'points'],
  })
  .meta({ id: 'Abc' });
export type WrittenAbc = z.infer<typeof Abc>;

export const Calibrate = z
  .strictObject(
    { abc: Abc.describe('Approximate Bayesian computation by sequential Monte Carlo.') },
    'expected {abc: {priors: …, observed: …}}',
  )
  .meta({
    id: 'Calibrate',
    description:
      'Finds the distribution of the inputs that explain what was observed (the posterior), in place of a design.',
  });
