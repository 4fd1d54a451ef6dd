import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import type { Outputs } from '../../src/api/resources.ts';
import { histogramOf } from '../../src/service/runs/histogram.ts';
import { drawValue, replicationSeed } from '../../src/service/runs/random.ts';
import {
  complete,
  executed,
  experiment,
  integers,
  monteCarlo,
  range,
  request,
  results,
  type Typed,
  variation,
  writeMirror,
} from './experiments.ts';
import {
  messageIn,
  reach,
  requestRun,
  rows,
  startTestService,
  temporaryFolder,
  writeModel,
} from './support.ts';

async function mirror() {
  const folder = temporaryFolder();
  writeMirror(folder);
  const service = await startTestService({ modelDirs: [folder] });
  return { service, version: await service.latest('Mirror') };
}

const random = (type: Typed['type'], min: number, max: number): Typed => ({
  type,
  value: JSON.stringify({ min, max }),
});
const dice = random('RANDOM_INTEGER', 1, 6);
const share = random('RANDOM_DOUBLE', 0, 1);
const coin: Typed = { type: 'RANDOM_BOOLEAN', value: '' };

const valueOf = (outputs: Outputs, name: string): unknown =>
  JSON.parse(outputs.find((element) => element.outputs[0]?.name === name)!.value);

describe('random inputs', () => {
  test('depend only on the seed: the same seed gives byte-equal outputs on two installations', async () => {
    const ask = async (seed: number) => {
      const { service, version } = await mirror();
      const body = experiment('SIMULATION', { N: dice, X: share, Flag: coin, '{RANDOM_SEED}': seed });
      return JSON.stringify(await results(service, version, body));
    };
    const [one, same, other] = [await ask(5), await ask(5), await ask(6)];
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  test('give the same run as a request with the drawn values', async () => {
    const { service, version } = await mirror();
    const run = await complete(service, version, experiment('SIMULATION', { N: dice, X: share }));
    const drawn = Object.fromEntries(run.inputs.map(({ name, value }) => [name, value]));
    expect(run.inputs.map(({ type }) => type)).toEqual([
      'LONG',
      'DOUBLE',
      'INTEGER',
      'LONG',
      'BOOLEAN',
      'STRING',
    ]);
    expect(Number(drawn['N'])).toBeGreaterThanOrEqual(1);
    expect((await requestRun(service, version, { N: drawn['N']!, X: drawn['X']! })).body.id).toBe(run.id);
  });

  test('are drawn from the seed of each run of a parameter variation', async () => {
    const { service, version } = await mirror();
    const seeds = range('FIXED_RANGE_LONG', 1, 8, 1);
    const texts = async (inputs: Parameters<typeof variation>[0]) =>
      valueOf(await results(service, version, variation({ X: share, ...inputs })), 'Text') as string[];
    expect(new Set(await texts({ '{RANDOM_SEED}': seeds })).size).toBe(8);
    const oneSeed = await texts({ N: integers(1, 4) });
    expect(new Set(oneSeed.map((text) => text.split(' ')[0])).size).toBe(1);
  });

  test('that do not fit the input are refused with the name of the input', async () => {
    const { service, version } = await mirror();
    for (const [inputs, message] of [
      [{ N: share }, /RANDOM_DOUBLE does not fit "N".*use RANDOM_INTEGER/],
      [{ Big: dice }, /does not fit "Big".*single value/],
      [{ N: random('RANDOM_INTEGER', 6, 1) }, /"N".*min exceeds max/],
      [{ X: { type: 'RANDOM_DOUBLE', value: '0.5' } as Typed }, /"X".*not a pair of bounds/],
    ] as const) {
      const { body } = await request(service, version, experiment('SIMULATION', inputs));
      expect(body).toMatchObject({
        status: 400,
        code: 'INVALID_VALUE',
        message: expect.stringMatching(message),
      });
    }
  });

  test('stay within their bounds, and have all values about equally often', () => {
    const bound = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    fc.assert(
      fc.property(fc.bigInt().map(String), fc.string(), bound, bound, (seed, name, a, b) => {
        const [min, max] = [Math.min(a, b), Math.max(a, b)];
        for (const type of ['RANDOM_INTEGER', 'RANDOM_DOUBLE'] as const) {
          const drawn = drawValue(seed, name, type, JSON.stringify({ min, max }));
          expect(Number(drawn)).toBeGreaterThanOrEqual(min);
          expect(Number(drawn)).toBeLessThanOrEqual(max);
          expect(drawValue(seed, name, type, JSON.stringify({ min, max }))).toBe(drawn);
        }
      }),
    );
    const draws = Array.from({ length: 600 }, (_, seed) =>
      drawValue(String(seed), 'N', 'RANDOM_INTEGER', '{"min":1,"max":6}'),
    );
    const counts = ['1', '2', '3', '4', '5', '6'].map((face) => draws.filter((draw) => draw === face).length);
    // the expected count is 100 with a standard deviation of 9; the seeds are fixed, so this cannot fail by chance
    for (const count of counts) expect(Math.abs(count - 100)).toBeLessThan(40);
    const coins = Array.from({ length: 400 }, (_, seed) =>
      drawValue(String(seed), 'C', 'RANDOM_BOOLEAN', ''),
    );
    expect(Math.abs(coins.filter((side) => side === 'true').length - 200)).toBeLessThan(40);
  });
});

describe('Monte Carlo', () => {
  const replicated = (n: number, inputs = {}) => monteCarlo({ '{NUMBER_OF_REPLICATIONS}': n, ...inputs });

  test('repeats a run with different seeds; numeric outputs become histograms, and other outputs become arrays', async () => {
    const { service, version } = await mirror();
    const body = replicated(50, { N: dice });
    const run = await complete(service, version, body);
    expect(run.inputs.at(-1)).toEqual({
      name: '{NUMBER_OF_REPLICATIONS}',
      type: 'INTEGER',
      units: null,
      value: '50',
    });
    const outputs = await results(service, version, body);
    expect(outputs.map(({ aggregationType, inputs }) => [aggregationType, inputs])).toEqual([
      ['HISTOGRAM_DATA', []],
      ['HISTOGRAM_DATA', []],
      ['ARRAY', []],
      ['ARRAY', []],
      ['ARRAY', []],
    ]);
    const faces = (valueOf(outputs, 'Text') as string[]).map((text) => Number(text.split(' ')[1]));
    const mean = faces.reduce((sum, face) => sum + face, 0) / 50;
    const histogram = valueOf(outputs, 'Sum') as { hits: number[]; statistics: Record<string, number> };
    expect(histogram.hits.reduce((sum, hits) => sum + hits, 0)).toBe(50);
    expect(histogram.statistics).toMatchObject({ count: 50, min: 1, max: 6 });
    expect(histogram.statistics['mean']).toBeCloseTo(mean, 9);

    const [array] = await results(service, version, body, [
      { aggregationType: 'ARRAY', outputs: [{ name: 'Sum' }] },
    ]);
    expect([array!.aggregationType, JSON.parse(array!.value)]).toEqual(['ARRAY', faces]);
    expect(new Set(executed(service.dataDir).map(({ inputs }) => inputs['{RANDOM_SEED}'])).size).toBe(50);
  });

  test('gives the n-th replication the same seed for any number of replications, so a larger number reuses earlier runs', async () => {
    const { service, version } = await mirror();
    await complete(service, version, replicated(5));
    await complete(service, version, replicated(8));
    expect(executed(service.dataDir)).toHaveLength(8);
    await complete(service, version, replicated(8, { '{RANDOM_SEED}': 2 }));
    expect(executed(service.dataDir)).toHaveLength(16);
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.nat(), (seed, n) => {
        const derived = BigInt(replicationSeed(String(seed), n));
        expect(derived >= 0n && derived < 2n ** 63n).toBe(true);
      }),
    );
  });

  test('names a failed replication by its seed', async () => {
    const { service, version } = await mirror();
    const { body: run } = await request(service, version, replicated(3, { Label: 'fail at 0' }));
    const { title } = messageIn(await reach(service, run, 'FAILED'));
    expect(title).toMatch(/^sub-run [123] of 3 \(\{RANDOM_SEED\} = \d+\) failed: no 0$/);
  });

  test('refuses impossible requests with the reason, and stores no run', async () => {
    const folder = temporaryFolder();
    writeMirror(folder);
    writeModel(
      folder,
      'fixed',
      `export default { name: 'Fixed', description: '', inputs: [{ name: 'X', type: 'DOUBLE', default: 0 }],
        outputs: [{ name: 'Y', type: 'DOUBLE' }], run: ({ inputs }) => ({ Y: inputs.X }) };`,
    );
    const service = await startTestService({ modelDirs: [folder] });
    const [mirror, fixed] = [await service.latest('Mirror'), await service.latest('Fixed')];
    for (const [version, body, code, message] of [
      [mirror, monteCarlo({}), 'INVALID_VALUE', /^MONTE_CARLO needs the input "\{NUMBER_OF_REPLICATIONS\}"/],
      [mirror, replicated(0), 'INVALID_VALUE', /"\{NUMBER_OF_REPLICATIONS\}".*at least 1/],
      [mirror, replicated(10_001), 'INVALID_VALUE', /"\{NUMBER_OF_REPLICATIONS\}" make 10,001 runs/],
      [mirror, replicated(2, { N: integers(1, 2) }), 'INVALID_VALUE', /"N" is a range/],
      [mirror, variation({ '{NUMBER_OF_REPLICATIONS}': 2 }), 'UNKNOWN_INPUT', /REPLICATIONS/],
      [fixed, replicated(2), 'UNSUPPORTED_EXPERIMENT', /no input \{RANDOM_SEED\}/],
      [fixed, experiment('SIMULATION', { X: share }), 'INVALID_VALUE', /"X".*no input \{RANDOM_SEED\}/],
    ] as const) {
      const { body: answer } = await request(service, version, body);
      expect(answer).toMatchObject({ status: 400, code, message: expect.stringMatching(message) });
    }
    expect(rows(service.dataDir, 'SELECT * FROM runs')).toEqual([]);
  });
});

describe('histograms', () => {
  const parse = (texts: string[]) =>
    JSON.parse(histogramOf(texts)) as {
      lowerBound: number;
      intervalWidth: number;
      hits: number[];
      statistics: Record<string, number | null>;
    };

  test('count every number exactly once in the right interval, and have the right mean and variance', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 300 }),
        (numbers) => {
          const { lowerBound, intervalWidth, hits, statistics } = parse(numbers.map(String));
          const count = hits.length;
          const range = Math.max(...numbers) - lowerBound || 1;
          const expected = new Array<number>(count).fill(0);
          for (const number of numbers) {
            expected[Math.min(count - 1, Math.floor(((number - lowerBound) * count) / range))]! += 1;
          }
          expect(hits).toEqual(expected);
          // the same numbers as decimals
          expect(parse(numbers.map((number) => String(number / 10))).hits).toEqual(expected);
          expect(lowerBound + intervalWidth * hits.length).toBeGreaterThanOrEqual(
            Math.max(...numbers) - 1e-9,
          );
          const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
          const squares = numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0);
          expect(statistics['mean']).toBeCloseTo(mean, 6);
          expect(statistics['variance']).toBeCloseTo(
            numbers.length > 1 ? squares / (numbers.length - 1) : 0,
            3,
          );
        },
      ),
    );
  });

  test('count numbers in the right interval, and have the right mean, even if the difference of two numbers overflows', () => {
    const numbers = [-1.7e308, -1.7e308, -1.7e308, 0.2e308, 1.7e308];
    const { hits, statistics } = parse(numbers.map(String));
    expect(hits).toEqual([3, 1, 1]);
    expect(statistics['mean']! / 1e308).toBeCloseTo(-0.64, 12);
  });

  test('have bounds in decimals: the middle of 0.2 and 0.4 is 0.3, and the first third of 0.1 to 0.7 ends at 0.3', () => {
    expect(parse(['0.2', '0.3', '0.4']).hits).toEqual([1, 2]);
    expect(parse(['0.2', '0.2', '0.2', '0.2']).hits).toEqual([4, 0]);
    expect(parse(['0.1', '0.2', '0.3', '0.4', '0.5', '0.6', '0.7']).hits).toEqual([2, 2, 3]);
  });

  test('accept infinite and missing numbers, also if all numbers are missing', () => {
    expect(parse(['null', '"Infinity"', '2', '"-Infinity"', '"-Infinity"'])).toMatchObject({
      lowerBound: 2,
      intervalWidth: 1,
      hits: [1],
      hitsOutLow: 2,
      hitsOutHigh: 1,
      statistics: { count: 1, min: 2, max: 2, mean: 2, variance: 0 },
    });
    expect(parse(['null'])).toMatchObject({ hits: [0], statistics: { count: 0, min: null, mean: null } });
  });
});
