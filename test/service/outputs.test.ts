import { describe, expect, test } from '@jest/globals';
import { type OutputType, outputTypes } from '../../src/api/constants.ts';
import type { ErrorBody, Outputs, Run } from '../../src/api/resources.ts';
import { outputText, outputTexts } from '../../src/service/models/typed-values.ts';
import { startService } from '../../src/service/service.ts';
import { complete, integers, named, variation } from './experiments.ts';
import {
  messageIn,
  outputsOf,
  reach,
  requestRun,
  startTestService,
  temporaryFolder,
  writeModel,
} from './support.ts';

const STATISTICS = { type: 'continuous', count: 2, min: 1, max: 3, mean: 2, variance: 2, integral: 8 };
const NO_STATISTICS = { type: 'discrete', count: 0, min: null, max: null, mean: null, variance: null };
const HISTOGRAM = {
  lowerBound: 0,
  intervalWidth: 0.5,
  hits: [1, 0, 1],
  hitsOutLow: 0,
  hitsOutHigh: 0,
  statistics: STATISTICS,
};
const FIELD = {
  hits: [
    [1, 2],
    [0, 3],
  ],
  hitsOutLow: [0, 0],
  hitsOutHigh: 1,
  xMin: 0,
  xMax: 1,
  yMin: 0,
  yMax: Infinity,
};

/** For each type: valid values, each with its text for clients, and invalid values. */
const cases: Record<OutputType, { good: [unknown, string][]; bad: unknown[] }> = {
  STRING: { good: [['a "b"', '"a \\"b\\""']], bad: [5, ['a'], {}] },
  DOUBLE: {
    good: [
      [2.5, '2.5'],
      [-0, '0'],
      [1e21, '1e+21'],
      [-Infinity, '"-Infinity"'],
      [Number.NaN, 'null'],
    ],
    bad: ['2.5', 5n, true, [1]],
  },
  INTEGER: {
    good: [
      [-(2 ** 31), '-2147483648'],
      [5n, '5'],
      [Number.NaN, 'null'],
    ],
    bad: [2.5, 2 ** 31, -(2 ** 31) - 1, Infinity, 2n ** 31n, '5'],
  },
  LONG: {
    good: [
      [2n ** 63n - 1n, '9223372036854775807'],
      [2 ** 53 - 1, '9007199254740991'],
    ],
    bad: [2n ** 63n, 2 ** 53, 1.5, '5'],
  },
  DATE_TIME: {
    good: [['2026-01-31T08:30', '"2026-01-31T08:30:00"']],
    bad: ['2026-02-30T08:30', 'today', 5, new Date(0)],
  },
  BOOLEAN: { good: [[false, 'false']], bad: ['false', 0] },
  DATA_SET: {
    good: [
      [{ dataX: [0, 1], dataY: [5, Infinity] }, '{"dataX":[0,1],"dataY":[5,"Infinity"]}'],
      [{ dataX: [], dataY: [] }, '{"dataX":[],"dataY":[]}'],
    ],
    bad: [5, [], {}, { dataX: [1], dataY: [] }, { dataX: ['1'], dataY: [1] }, { dataX: 1, dataY: 1 }],
  },
  STATISTICS_DISCRETE: {
    good: [[NO_STATISTICS, JSON.stringify(NO_STATISTICS)]],
    bad: [5, [], {}, { ...NO_STATISTICS, type: 3 }, { ...NO_STATISTICS, count: 0.5 }],
  },
  STATISTICS_CONTINUOUS: {
    good: [[STATISTICS, JSON.stringify(STATISTICS)]],
    bad: ['x', [STATISTICS], { ...STATISTICS, mean: '2' }, { ...STATISTICS, variance: undefined }],
  },
  HISTOGRAM_DATA: {
    good: [[HISTOGRAM, JSON.stringify(HISTOGRAM)]],
    bad: [
      STATISTICS,
      { ...HISTOGRAM, hits: 3 },
      { ...HISTOGRAM, statistics: {} },
      { ...HISTOGRAM, lowerBound: null },
    ],
  },
  HISTOGRAM_2D_DATA: {
    good: [[FIELD, JSON.stringify({ ...FIELD, yMax: 'Infinity' })]],
    bad: [HISTOGRAM, { ...FIELD, hits: [1, 2] }, { ...FIELD, xMin: 'low' }, { ...FIELD, hitsOutLow: null }],
  },
  MODEL_OUTPUT_NAME: { good: [['Queue length', '"Queue length"']], bad: [5, {}] },
  OUTPUT_FILE: {
    good: [[{ hash: 'h', localPath: 'a.csv' }, '{"hash":"h","localPath":"a.csv"}']],
    bad: ['a.csv', { hash: 'h' }, { localPath: 'a.csv' }, []],
  },
};

describe('outputs', () => {
  test.each(outputTypes)(
    'of the type %s become texts if their values are valid, and are refused otherwise',
    (type) => {
      for (const [value, text] of cases[type].good) expect(outputText(type, value)).toBe(text);
      for (const value of cases[type].bad) {
        expect(() => outputText(type, value)).toThrow(`which is not of the type ${type}`);
      }
      expect(outputText(type, null)).toBe('null');
      expect(() => outputText(type, undefined)).toThrow('was not given by the model');
    },
  );

  test('of the type LONG need a BigInt if a number is not exact, and the error says so', () => {
    expect(() => outputText('LONG', 2 ** 53)).toThrow('use a BigInt');
    expect(() => outputText('LONG', 1.5)).toThrow(/which is not of the type LONG$/);
    expect(() => outputText('DOUBLE', 5n)).toThrow('as the BigInt 5, which is not of the type DOUBLE');
  });

  test('that are texts with parts of characters are refused, because a store would change them', () => {
    expect(outputText('STRING', 'Größe \u{1f600}')).toBe('"Größe \u{1f600}"');
    expect(() => outputText('STRING', 'Gr\udcf6\udcdfe')).toThrow(
      'is a text with bytes that are not UTF-8, as in "Gr\\udcf6\\udcdfe"',
    );
  });

  test('are not inherited from JavaScript objects, but may be properties of a class', () => {
    const declared = { name: 'valueOf', type: 'DOUBLE', units: null, value: null } as const;
    const texts = (values: object) => outputTexts([declared], values as Record<string, unknown>, new Map());
    for (const none of [{}, new (class {})(), Object.create(null) as object])
      expect(() => texts(none)).toThrow('the output "valueOf" was not given by the model');
    expect(texts({ valueOf: 1 })).toEqual({ valueOf: '1' });
    class Outputs {
      get Wait() {
        return 2;
      }
    }
    const wait = { ...declared, name: 'Wait' };
    expect(outputTexts([wait], new Outputs() as never, new Map())).toEqual({ Wait: '2' });
  });

  test('of all types reach the client, and are the same in two executions', async () => {
    const folder = temporaryFolder();
    const types = outputTypes.filter((type) => type !== 'OUTPUT_FILE');
    const values = types.map((type) => `${type}: ${source(cases[type].good[0]![0])}`);
    writeModel(
      folder,
      'all',
      `export default { name: 'All', description: '', inputs: [{ name: 'N', type: 'INTEGER', default: 0 }],
        outputs: ${JSON.stringify(outputTypes.map((type) => ({ name: type, type })))},
        run({ writeFile }) { return { ${values.join(', ')}, OUTPUT_FILE: writeFile('a.csv', 'a,b') }; } };`,
    );
    const service = await startTestService({ modelDirs: [folder] });
    const version = await service.latest('All');
    const [one, other] = [await outputsOf(service, version), await outputsOf(service, version, { N: 1 })];
    expect([...one]).toEqual([...other]);
    for (const type of types) expect([type, one.get(type)]).toEqual([type, cases[type].good[0]![1]]);
    expect(JSON.parse(one.get('OUTPUT_FILE')!)).toEqual({
      hash: expect.stringMatching(/^[\w-]{43}$/),
      localPath: 'a.csv',
    });
  });

  test('that name a file that the model did not write make the run fail', async () => {
    const folder = temporaryFolder();
    writeModel(
      folder,
      'liar',
      `export default { name: 'Liar', description: '', inputs: [], outputs: [{ name: 'File', type: 'OUTPUT_FILE' }],
        run() { return { File: { hash: 'A'.repeat(43), localPath: 'a.csv' } }; } };`,
    );
    const service = await startTestService({ modelDirs: [folder] });
    const { body: run } = await requestRun(service, await service.latest('Liar'));
    const { title } = messageIn(await reach(service, run, 'FAILED'));
    expect(title).toBe('the output "File" was given by the model as a file that it did not write');
  });

  test('include the items of a chart; a template names an item, or the chart for all its items', async () => {
    const folder = temporaryFolder();
    writeModel(folder, 'charts', charts(['Queue|Waiting', 'Size', 'Queue|Served', 'Queue length']));
    const service = await startTestService({ modelDirs: [folder] });
    const version = await service.latest('Charts');
    const { body: run } = await requestRun(service, version);
    await reach(service, run, 'COMPLETED');
    const names = async (...asked: string[]) => {
      const template = asked.map((name) => ({ outputs: [{ name }] }));
      const { body } = await service.post<Outputs>(`/versions/${version}/results/${run.id}`, template);
      return body.map(({ outputs }) => outputs[0]!.name);
    };
    expect(await names('queue')).toEqual(['Queue|Waiting', 'Queue|Served']);
    expect(await names('Size', 'QUEUE|served')).toEqual(['Size', 'Queue|Served']);
    const wrong = await service.post(`/versions/${version}/results/${run.id}`, [
      { outputs: [{ name: 'Queue|' }] },
    ]);
    expect(wrong.body).toMatchObject({ status: 400, code: 'UNKNOWN_OUTPUT' });
  });

  test('that are too large for one answer are refused with 413, and a request for fewer of them is answered', async () => {
    const folder = temporaryFolder();
    writeModel(
      folder,
      'long',
      `export default { name: 'Long', description: '', inputs: [{ name: 'N', type: 'INTEGER', default: 1 }],
        outputs: [{ name: 'Text', type: 'STRING' }, { name: 'N', type: 'INTEGER' }],
        run: ({ inputs }) => ({ Text: '"'.repeat(100_000), N: inputs.N }) };`,
    );
    const service = await startTestService({ modelDirs: [folder] });
    const version = await service.latest('Long');
    const run = await complete(service, version, variation({ N: integers(1, 2) }));
    const { body: single } = await requestRun(service, version);
    const repeated = (name: string, times: number) =>
      Array.from({ length: times }, () => ({ outputs: [{ name }] }));
    const ask = async ({ id }: Pick<Run, 'id'>, template: object[]) =>
      (await service.post<Outputs & ErrorBody>(`/versions/${version}/results/${id}`, template)).body;
    const tooLarge = {
      status: 413,
      code: 'RESULTS_TOO_LARGE',
      message: expect.stringContaining('fewer outputs'),
    };
    expect(await ask(run, repeated('Text', 500))).toMatchObject(tooLarge);
    expect(await ask(single, repeated('Text', 1_000))).toMatchObject(tooLarge);
    expect(named(await ask(run, []), 'N').value).toBe('[1,2]');
  });

  test('cannot have the name of a chart: the service refuses the model at the start', async () => {
    const folder = temporaryFolder();
    writeModel(folder, 'charts', charts(['Queue|Waiting', 'queue']));
    const starting = startService({ dataDir: temporaryFolder(), modelDirs: [folder] });
    await expect(starting).rejects.toThrow(
      /"Queue" is an output, and also the chart of the item "Queue\|Waiting"/,
    );
  });
});

function charts(names: string[]): string {
  return `export default { name: 'Charts', description: '', inputs: [],
    outputs: ${JSON.stringify(names.map((name) => ({ name, type: 'DOUBLE' })))},
    run() { return ${JSON.stringify(Object.fromEntries(names.map((name, at) => [name, at])))}; } };`;
}

/** JavaScript source of a value. */
function source(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number') return String(value);
  return JSON.stringify(value, (_key, item: unknown) => (item === Infinity ? '∞' : item)).replaceAll(
    '"∞"',
    'Infinity',
  );
}
