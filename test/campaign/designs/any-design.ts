import fc from '../../support/fast-check.ts';
import type { RawValue } from '../../../src/api/index.ts';
import type { Spread } from '../../../src/campaign/designs/spread-input.ts';
import type { Values } from '../../../src/campaign/designs/schema-values.ts';
import type { WrittenDesign } from '../../../src/campaign/designs/index.ts';

/** For each input: values, a range (or a list for an input without numbers) and a distribution. The values do not include the input's base value. */
export const inputs: Record<string, { values: RawValue[]; range: Values; spread: Spread }> = {
  Population: {
    values: [1, 500, 1000],
    range: { from: 1, to: 9, count: 3 },
    spread: { min: 0.5, max: 4.5 },
  },
  Days: {
    values: [7, 21, 28],
    range: { from: 12, to: 15, step: 1 },
    spread: { distribution: 'triangular', min: 1, mode: 2, max: 4 },
  },
  'Contact rate': {
    values: [0.5, 1.5, -2],
    range: { from: 0.01, to: 10, count: 3, scale: 'log' },
    spread: { distribution: 'normal', mean: 1, sd: 1, min: 0 },
  },
  Stochastic: { values: [true], range: [true, false], spread: [true, false] },
  Title: {
    values: ['a', 'a, b', '"', ''],
    range: ['x', 'none'],
    spread: { values: ['a', 'b'], weights: [1, 3] },
  },
};

export const names = Object.keys(inputs);

const someOf = <T>(all: readonly T[]): fc.Arbitrary<T[]> =>
  fc.shuffledSubarray([...all], { minLength: 1, maxLength: Math.min(3, all.length) });

export const valuesFor = (name: string): fc.Arbitrary<Values> =>
  fc.oneof(
    someOf(inputs[name]!.values),
    someOf(inputs[name]!.values).map((values) => ({ values })),
    fc.constant(inputs[name]!.range),
  );

export const forEach = <T>(
  of: readonly string[],
  make: (name: string) => fc.Arbitrary<T>,
): fc.Arbitrary<Record<string, T>> => fc.record(Object.fromEntries(of.map((name) => [name, make(name)])));

const gridOf = (of: readonly string[]): fc.Arbitrary<WrittenDesign> =>
  forEach(of, valuesFor).map((grid) => ({ grid }));

/** Different points, each with a value for every input. */
export const tableOf = (of: readonly string[]): fc.Arbitrary<Record<string, RawValue>[]> =>
  fc.uniqueArray(
    forEach(of, (name) => fc.constantFrom(...inputs[name]!.values)),
    { minLength: 1, maxLength: 6, selector: (point) => JSON.stringify(of.map((name) => point[name])) },
  );

export const methods = ['random', 'lhs', 'sobol', 'halton'] as const;

const sampleOf = (of: readonly string[]): fc.Arbitrary<WrittenDesign> =>
  fc
    .record({
      method: fc.constantFrom(...methods),
      points: fc.integer({ min: 1, max: 12 }),
      seed: fc.integer(),
    })
    .map(({ method, ...sample }) => ({
      [method]: { ...sample, inputs: Object.fromEntries(of.map((name) => [name, inputs[name]!.spread])) },
    }));

/** A design over these inputs that does not combine other designs. */
const plainOf = (of: readonly string[]): fc.Arbitrary<WrittenDesign> =>
  fc.oneof(
    gridOf(of),
    forEach(of, valuesFor).map((oneAtATime) => ({ oneAtATime })),
    tableOf(of).map((points) => ({ points })),
    tableOf(of).map((rows) => ({
      zip: Object.fromEntries(of.map((name) => [name, rows.map((row) => row[name]!)])),
    })),
    sampleOf(of),
  );

/** Any design over some of these inputs, with nested designs. */
function designOf(of: readonly string[], depth: number): fc.Arbitrary<WrittenDesign> {
  const plain = someOf(of).chain(plainOf);
  if (depth === 0) return plain;
  const inner = designOf(of, depth - 1);
  const union = fc.array(inner, { minLength: 1, maxLength: 3 }).map((members) => ({ union: members }));
  const filtered = fc
    .tuple(inner, fc.constantFrom('Days > 13', 'Title != "a"', 'Stochastic or Population < 600'))
    .map(([design, where]) => ({ product: [design], where }));
  if (of.length === 1) return fc.oneof(plain, union, filtered);
  const product = fc
    .integer({ min: 1, max: of.length - 1 })
    .chain((at) =>
      fc
        .tuple(designOf(of.slice(0, at), depth - 1), designOf(of.slice(at), depth - 1))
        .map((members) => ({ product: members })),
    );
  return fc.oneof(plain, union, filtered, product);
}

export const anyDesign = fc.shuffledSubarray(names, { minLength: 1 }).chain((of) => designOf(of, 2));

export const twoApart = fc
  .tuple(designOf(names.slice(0, 2), 1), designOf(names.slice(2), 1))
  .map(([a, b]) => ({ a, b }));
