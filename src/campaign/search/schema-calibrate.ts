import * as z from 'zod';
import { Spread } from '../designs/spread-input.ts';
import { byInput, number, Output } from '../designs/schema-values.ts';
import { derive } from './schema.ts';

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
  .describe('The weight of the distance of this output among the distances of all outputs.');

const numbers = z.array(number, 'expected a list of numbers').min(1, 'expected at least one number');

const ObservedNumber = z.strictObject({ value: number.describe('The observed number.'), weight });
const ObservedCurve = z
  .strictObject({
    x: numbers.describe('The places of the observations in ascending order, mostly times.'),
    y: numbers.describe('The observed values at these places.'),
    weight,
  })
  .refine(({ x, y }) => x.length === y.length, 'expected as many numbers under "x" as under "y"')
  .refine(({ x }) => x.every((at, i) => i === 0 || at > x[i - 1]!), 'expected ascending numbers under "x"')
  .meta({ id: 'ObservedCurve' });

/** The observation of an output. */
const Observed = z.union(
  [number, z.boolean(), ObservedNumber, ObservedCurve],
  'expected a number, true, false, {value: NUMBER} or {x: […], y: […]}',
);
export type WrittenObserved = z.infer<typeof Observed>;

const CalibrationStop = z
  .strictObject(
    {
      tolerance: number
        .nonnegative('expected no less than 0')
        .optional()
        .describe('The last tolerance: the calibration ends after the generation that reaches it.'),
      generations: count(1, 100)
        .default(8)
        .describe('The most generations. The first one is the prior, so a posterior needs two.'),
      acceptance: share('expected a share between 0 and 1')
        .default(0.01)
        .describe('The calibration ends when a generation accepts less than this share of its points.'),
      points: count(2, 10_000_000)
        .default(10_000)
        .describe('The calibration ends after this number of points.'),
    },
    'expected {tolerance: NUMBER}, {generations: NUMBER}, {acceptance: SHARE} or {points: NUMBER}',
  )
  .meta({ id: 'CalibrationStop' });

const Abc = z
  .strictObject(
    {
      priors: byInput(Spread, 'expected input names with their distributions').describe(
        'The distribution of each input before the calibration: {min, max}, a list of values, or {distribution: …}.',
      ),
      where: z
        .string('expected an expression in quotes')
        .optional()
        .describe(
          'Only points for which this expression is true are possible, such as "`Contact rate` > 1".',
        ),
      derive,
      observed: z
        .record(Output, Observed, 'expected outputs with their observations')
        .refine((outputs) => Object.keys(outputs).length > 0, 'expected at least one output')
        .meta({ minProperties: 1 })
        .describe('The observations: {OUTPUT: NUMBER}, and for a DATA_SET {OUTPUT: {x: […], y: […]}}.'),
      particles: count(10, MOST_PARTICLES)
        .default(200)
        .describe(
          'The number of points that each generation accepts. The posterior is this number of points with weights.',
        ),
      quantile: share('expected a share between 0 and 1')
        .default(0.5)
        .describe('The share of the accepted distances that the next tolerance includes.'),
      parallel: count(1, 1_000)
        .default(64)
        .describe(
          'After the first generation, at least this many points are open at once; more are open while a generation still has to accept more.',
        ),
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

export const CalibrateSchema = z
  .strictObject(
    { abc: Abc.describe('Approximate Bayesian computation by sequential Monte Carlo.') },
    'expected {abc: {priors: …, observed: …}}',
  )
  .meta({
    id: 'Calibrate',
    description:
      'Finds the distribution of the inputs that explain the observations (the posterior), in place of a design.',
  });
