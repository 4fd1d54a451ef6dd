import { expect, test } from '@jest/globals';
import type { MethodName, Search, SearchedInput } from '../../src/campaign/search/search.ts';
import fc from '../support/fast-check.ts';
import { isFull, report } from '../support/seeds.ts';
import { searchCampaign, SearchInMemory, stopAfter } from './in-memory.ts';

/**
 * Runs searches of many random spaces. Each point must be within the bounds and on the steps. A point that does not
 * meet `where` must not be run. No point may be run twice.
 */

const SPACES = isFull ? 10_000 : 150;
const POINTS = 30;

const bounds = fc
  .record({ min: fc.integer({ min: -400, max: 400 }), width: fc.integer({ min: 1, max: 4_000 }) })
  .map(({ min, width }) => ({ min: min / 8, max: (min + width) / 8 }));

type Unnamed<T> = T extends unknown ? Omit<T, 'name'> : never;

const real: fc.Arbitrary<Unnamed<SearchedInput>> = fc
  .record({
    bounds,
    isLog: fc.boolean(),
    step: fc.option(fc.constantFrom(0.1, 0.25, 0.3, 1.7)),
    digits: fc.option(fc.integer({ min: 3, max: 6 })),
  })
  .map(({ bounds: { min, max }, isLog, step, digits }) => ({
    kind: 'range',
    type: 'DOUBLE',
    ...(isLog ? { min: max - min, max: 2 * (max - min), scale: 'log' } : { min, max, scale: 'linear' }),
    // a definition has at most one of these two settings
    step,
    digits: step === null ? digits : null,
  }));

const whole: fc.Arbitrary<Unnamed<SearchedInput>> = fc
  .record({ bounds, step: fc.option(fc.integer({ min: 2, max: 9 })) })
  .map(({ bounds: { min, max }, step }) => ({
    kind: 'range',
    type: 'LONG',
    scale: 'linear',
    digits: null,
    step,
    min: Math.floor(min),
    max: Math.floor(max) + 1,
  }));

const choice: fc.Arbitrary<Unnamed<SearchedInput>> = fc
  .uniqueArray(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 5 })
  .map((values) => ({
    kind: 'choice',
    type: 'DOUBLE',
    isOrdered: true,
    values: values.toSorted((a, b) => a - b).map(String),
  }));

interface Tried {
  inputs: SearchedInput[];
  /** Limits the sum of all inputs: 0 means the lowest possible sum, 1 the highest. No limit if null. */
  limit: number | null;
  method: MethodName;
  parallel: number;
  order: NonNullable<Search['order']>;
  seed: number;
}

const tried: fc.Arbitrary<Tried> = fc.record({
  inputs: fc
    .array(fc.oneof(real, whole, choice), { minLength: 1, maxLength: 4 })
    .map((inputs) => inputs.map((input, at): SearchedInput => ({ ...input, name: `in ${at}` }))),
  limit: fc.option(fc.double({ min: 0.2, max: 0.9, noNaN: true })),
  // a Gaussian process takes a hundred times as long, so it is rare here
  method: fc.oneof(
    { weight: 9, arbitrary: fc.constant('cma' as const) },
    { weight: 9, arbitrary: fc.constant('direct' as const) },
    { weight: 2, arbitrary: fc.constant('gp' as const) },
  ),
  parallel: fc.integer({ min: 1, max: 9 }),
  order: fc.constantFrom('fixed', 'free'),
  seed: fc.integer({ min: 0, max: 1_000 }),
});

function rangeOf(input: SearchedInput): [low: number, high: number] {
  if (input.kind === 'range') return [input.min, input.max];
  return [Number(input.values[0]), Number(input.values.at(-1))];
}

function isOf(input: SearchedInput, text: string): boolean {
  if (input.kind === 'choice') return input.values.includes(text);
  const { type, min, max, step, digits } = input;
  const value = Number(text);
  const isMultiple = (of: number): boolean => Math.abs(value / of - Math.round(value / of)) < 1e-6;
  const steps = step === null ? 0 : (value - min) / step;
  return (
    value >= min &&
    value <= max &&
    Math.abs(steps - Math.round(steps)) < 1e-6 &&
    (type !== 'LONG' || Number.isInteger(value)) &&
    (digits === null || value === min || value === max || isMultiple(10 ** -digits))
  );
}

test(`searches of ${SPACES} random spaces ask only for points within the bounds, run only points that meet the condition, and run no point twice`, async () => {
  let points = 0;
  await fc.assert(
    fc.asyncProperty(tried, async ({ inputs, limit, method, parallel, order, seed }) => {
      const ranges = inputs.map(rangeOf);
      const [low, high] = [0, 1].map((end) => ranges.reduce((sum, range) => sum + range[end]!, 0)) as [
        number,
        number,
      ];
      const most = limit === null ? Infinity : low + limit * (high - low);
      const where =
        limit === null ? null : `${inputs.map(({ name }) => `\`${name}\``).join(' + ')} <= ${most}`;
      const campaign = searchCampaign(
        {},
        {
          inputs,
          where,
          method,
          parallel,
          order,
          stop: stopAfter(method === 'gp' ? 8 : POINTS),
        },
        {
          seed,
          varied: inputs.map(({ name, type }) => ({ name, type, units: null })),
          base: inputs.map(({ name, type }) => ({ name, type, units: null, value: '0' })),
        },
      );
      const executed: string[] = [];
      const run = (values: readonly number[]) => {
        executed.push(JSON.stringify(values));
        const far = values.map((value, at) => (value - ranges[at]![0]) / (high - low || 1) - 0.3);
        return { f: String(far.reduce((sum, one) => sum + one * one, 0)), g: '0' };
      };
      const { asks } = await new SearchInMemory(campaign, run, seed).toTheEnd(0);
      expect(executed).toHaveLength(new Set(executed).size);
      for (const { values, ordinal } of asks) {
        expect(values.filter((value, at) => !isOf(inputs[at]!, value))).toEqual([]);
        const sum = values.reduce((total, value) => total + Number(value), 0);
        // a point that does not meet the condition is not run
        expect(ordinal === null).toBe(sum > most);
      }
      points += executed.length;
    }),
    { numRuns: SPACES },
  );
  report(`search: ${SPACES} spaces, ${points} runs, none outside its space and none twice`);
}, 1_200_000);
