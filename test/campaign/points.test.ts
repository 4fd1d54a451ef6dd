import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { sizeOf } from '../../src/campaign/designs/index.ts';
import { expand, runInputs } from '../../src/campaign/points.ts';
import { replicationSeed } from '../../src/campaign/keys.ts';
import { pointKey } from '../support/definition.ts';
import type { BaseInput } from '../../src/campaign/designs/input-types.ts';
import type { Campaign } from '../../src/campaign/types.ts';

const SEED = '{RANDOM_SEED}';
const real = { type: 'DOUBLE', units: null } as const;

function base(values: Record<string, string>): BaseInput[] {
  return Object.entries(values).map(([name, value]) => ({ name, ...real, value }));
}

/** A grid of inputs with their values. */
type Grid = [name: string, values: string[]][];

function gridOf(grid: Grid): Pick<Campaign, 'varied' | 'design'> {
  const inputs = grid.map(([name]) => name);
  return {
    varied: inputs.map((name) => ({ name, ...real })),
    design: { kind: 'grid', inputs, values: grid.map(([, values]) => values) },
  };
}

function varied(values: Record<string, string[]>): Pick<Campaign, 'varied' | 'design'> {
  return gridOf(Object.entries(values));
}

const rest = { commonRandomNumbers: false };

/** Distinct names, each with distinct values. */
const anyGrid = fc
  .uniqueArray(
    fc.string({ minLength: 1, maxLength: 8 }).filter((name) => name !== '__proto__'),
    { maxLength: 4 },
  )
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc
          .uniqueArray(fc.integer({ min: -99, max: 99 }).map(String), { minLength: 1, maxLength: 5 })
          .map((values): Grid[number] => [name, values]),
      ),
    ),
  );

describe('expand', () => {
  test('gives each combination once, in lexicographic order', () => {
    fc.assert(
      fc.property(anyGrid, (grid) => {
        const points = [...expand({ base: baseOf(grid), ...gridOf(grid) })];
        expect(points).toHaveLength(grid.reduce((product, [, values]) => product * values.length, 1));
        expect(points).toHaveLength(sizeOf(gridOf(grid).design)!);
        expect(points.map(({ ordinal }) => ordinal)).toEqual([...points.keys()]);
        expect(new Set(points.map(({ key }) => key)).size).toBe(points.length);
        const places = points.map(({ values }) => values.map((value, at) => grid[at]![1].indexOf(value)));
        const inOrder = places.slice(1).every((place, at) => isAfter(place, places[at]!));
        expect(inOrder).toBe(true);
      }),
    );
  });

  test('a key depends neither on the order of the inputs nor on the design that made the point', () => {
    fc.assert(
      fc.property(anyGrid, fc.nat(), (grid, at) => {
        const fixed = base({ 'fixed 1': '1', 'fixed 2': '2' });
        const points = [...expand({ base: [...fixed, ...baseOf(grid)], ...gridOf(grid) })];
        const point = points[at % points.length]!;
        const backwards = [
          ...expand({ base: [...baseOf(grid), ...fixed].reverse(), ...gridOf(grid.toReversed()) }),
        ];
        expect(backwards.map(({ key }) => key).toSorted()).toEqual(points.map(({ key }) => key).toSorted());
        // the same combination, fixed instead of varied
        const alone = grid.map(([name], n) => ({ name, ...real, value: point.values[n]! }));
        expect([...expand({ base: [...fixed, ...alone], ...gridOf([]) })].map(({ key }) => key)).toEqual([
          point.key,
        ]);
      }),
    );
  });

  test('the key of a point includes a varied seed, but not the base seed', () => {
    const keys = (campaign: Pick<Campaign, 'base' | 'varied' | 'design'>): string[] =>
      [...expand(campaign)].map(({ key }) => key);
    expect(keys({ base: base({ [SEED]: '1', a: '1' }), ...gridOf([]) })).toEqual(
      keys({ base: base({ [SEED]: '2', a: '1' }), ...gridOf([]) }),
    );
    const sweep = keys({ base: base({ [SEED]: '1', a: '1' }), ...varied({ [SEED]: ['1', '2'] }) });
    expect(new Set(sweep).size).toBe(2);
  });

  test('a key includes neither the salt nor the drawn seed, so a fresh campaign has the same points for any draw', () => {
    const grid = varied({ a: ['1', '2'] });
    const keys = (salt: string, campaign: Partial<Pick<Campaign, 'fresh' | 'seed'>>): string[] =>
      [...expand({ base: base({ [SEED]: '1', a: '0', b: '5', salt }), ...grid, ...campaign })].map(
        ({ key }) => key,
      );
    const salted = { fresh: { by: 'salt', input: 'salt' } } as const;
    expect(keys('1', salted)).toEqual(keys('2', salted));
    expect(keys('1', { fresh: null })).not.toEqual(keys('2', { fresh: null }));
    expect(keys('1', { fresh: null })).toEqual(keys('1', {}));
    // the drawn seed is no part of the key either
    expect(keys('1', { fresh: { by: 'seed' }, seed: 7 })).toEqual(keys('1', { fresh: null, seed: null }));
    // a key includes the names of inputs: b with the value 5 and salt with the value 5 give different keys
    expect(new Set([...keys('1', salted), ...keys('5', { fresh: { by: 'salt', input: 'b' } })]).size).toBe(4);
  });

  test('another value or another name gives another key', () => {
    const texts = fc.uniqueArray(fc.string({ maxLength: 5 }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(texts, ([a, b, x, y]) => {
        const spellings = [
          [{ name: a!, value: x! }],
          [{ name: a!, value: y! }],
          [{ name: b!, value: x! }],
          [
            { name: a!, value: x! },
            { name: b!, value: y! },
          ],
          [
            { name: a!, value: y! },
            { name: b!, value: x! },
          ],
        ];
        expect(new Set(spellings.map(pointKey)).size).toBe(spellings.length);
      }),
    );
    expect(pointKey([])).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('seeds', () => {
  const campaign = { base: base({ [SEED]: '7', a: '1', b: '2' }), ...varied({ a: ['1', '2'] }), ...rest };
  const seedOf = (
    seed: number | null,
    point: { key: string; values: string[] },
    replication: number,
  ): string => runInputs({ ...campaign, seed }, point, replication).find(({ name }) => name === SEED)!.value;
  const [first, second] = [...expand(campaign)];

  test('if the campaign has no seed, all runs keep the base seed', () => {
    expect(seedOf(null, first!, 1)).toBe('7');
    expect(seedOf(null, second!, 1)).toBe('7');
  });

  test('if the campaign has a seed, also the seed 0, all replications have derived seeds', () => {
    for (const seed of [0, 42, -1]) {
      const seeds = [first!, second!].flatMap((point) => [1, 2, 3].map((n) => seedOf(seed, point, n)));
      expect(new Set(seeds).size).toBe(6);
      expect(seeds).not.toContain('7');
    }
    expect(seedOf(42, first!, 1)).not.toBe(seedOf(43, first!, 1));
  });

  test('differ between all runs, and do not change if points are added', () => {
    fc.assert(
      fc.property(fc.integer(), fc.uniqueArray(fc.nat(50).map(String), { minLength: 2 }), (seed, values) => {
        const seedsOf = (list: string[]): Map<string, string> => {
          const design = { base: campaign.base, ...varied({ a: list }), seed, ...rest };
          return new Map(
            [...expand(design)].flatMap((point) =>
              [1, 2].map((n) => [
                `${point.key}/${n}`,
                runInputs(design, point, n).find(({ name }) => name === SEED)!.value,
              ]),
            ),
          );
        };
        const all = seedsOf(values);
        for (const [run, value] of seedsOf(values.slice(1).reverse())) expect(all.get(run)).toBe(value);
        expect(new Set(all.values()).size).toBe(all.size);
      }),
    );
  });

  test('are whole numbers of at least 1 and below 2^48, and do not change from one release to the next', () => {
    fc.assert(
      fc.property(fc.integer(), fc.string(), fc.integer({ min: 1, max: 1_000_000 }), (seed, key, n) => {
        const value = replicationSeed(seed, key, n);
        expect(value).toMatch(/^[1-9]\d*$/);
        expect(Number(value)).toBeLessThan(2 ** 48);
      }),
    );
    // foray finds the results of earlier campaigns by these keys
    expect(pointKey(base({ 'Contact rate': '1.66', Days: '14' }))).toBe('d61bcd6cf03a37d3');
    expect(replicationSeed(42, '0123456789abcdef', 1)).toBe('156514417787372');
  });

  test('attempts with different seeds differ only in the seed', () => {
    const point = fc.constantFrom(first!, second!);
    const seed = fc.option(fc.integer(), { nil: null });
    const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 100 }), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(point, seed, fc.integer({ min: 1, max: 50 }), numbers, (of, number, n, reseeds) => {
        const inputs = reseeds.map((reseeded) => runInputs({ ...campaign, seed: number }, of, n, reseeded));
        const seeds = inputs.map((all) => all.find(({ name }) => name === SEED)!.value);
        expect(new Set(seeds).size).toBe(reseeds.length);
        for (const value of seeds) expect(value).toMatch(/^[1-9]\d*$/);
        const others = inputs.map((all) => all.filter(({ name }) => name !== SEED));
        for (const other of others) expect(other).toEqual(others[0]);
        // the same attempt always has the same seed
        expect(runInputs({ ...campaign, seed: number }, of, n, reseeds[0])).toEqual(inputs[0]);
      }),
    );
    expect(runInputs({ ...campaign, seed: null }, first!, 1, 0)[0]!.value).toBe('7');
  });

  test('the seeds of attempts differ from the seeds of replications, and do not change from one release to the next', () => {
    const seeds = [1, 2, 3, 11, 12].flatMap((n) =>
      [0, 1, 2, 11].map((reseeded) => replicationSeed(42, '0123456789abcdef', n, reseeded)),
    );
    expect(new Set(seeds).size).toBe(seeds.length);
    expect(replicationSeed(42, '0123456789abcdef', 1, 0)).toBe('156514417787372');
    expect(replicationSeed(42, '0123456789abcdef', 1, 1)).toBe('125214829395531');
  });

  test('a seed that the design varies is kept, also in further attempts', () => {
    const design = { base: campaign.base, ...varied({ [SEED]: ['5', '6'] }), seed: null, ...rest };
    const sent = [...expand(design)].map((point) => runInputs(design, point, 1, 3)[0]!.value);
    expect(sent).toEqual(['5', '6']);
  });

  test('with common random numbers, replication n has the same seed in every point', () => {
    const common = { ...campaign, commonRandomNumbers: true };
    const of = (seed: number | null, point: typeof first, n: number): string =>
      runInputs({ ...common, seed }, point!, n).find(({ name }) => name === SEED)!.value;
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 1_000 }), (seed, n) => {
        expect(of(seed, first, n)).toBe(of(seed, second, n));
        expect(of(seed, first, n)).not.toBe(of(seed, first, n + 1));
        expect(of(seed, first, n)).not.toBe(seedOf(seed, first!, n));
      }),
    );
    expect(of(null, first, 1)).toBe('7');
    expect(replicationSeed(42, null, 1)).toBe(of(42, first, 1));
  });

  test('foray sends the other inputs unchanged, and all inputs in the order of the template', () => {
    const inputs = runInputs({ ...campaign, seed: null }, second!, 1);
    expect(inputs.map(({ name, value }) => `${name}=${value}`)).toEqual([`${SEED}=7`, 'a=2', 'b=2']);
  });

  test('foray sends a seed that the design varies', () => {
    const design = { base: campaign.base, ...varied({ [SEED]: ['5', '6'] }), seed: null, ...rest };
    const sent = [...expand(design)].map((point) => runInputs(design, point, 1)[0]!.value);
    expect(sent).toEqual(['5', '6']);
  });
});

function isAfter(place: number[], before: number[]): boolean {
  const at = place.findIndex((digit, n) => digit !== before[n]);
  return at >= 0 && place[at]! > before[at]!;
}

function baseOf(grid: Grid): BaseInput[] {
  return grid.map(([name, values]) => ({ name, ...real, value: values[0]! }));
}
