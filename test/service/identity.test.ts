import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import type { InputItem, RequestInputItem, Run } from '../../src/api/resources.ts';
import { identityOf } from '../../src/service/runs/identity.ts';
import { readSettings } from '../../src/service/runs/parse-run-request.ts';
import { requestRun, rows, simulation, startTestService, temporaryFolder, writeModel } from './support.ts';

const template: InputItem[] = [
  { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' },
  { name: 'Rate', type: 'DOUBLE', units: 'PER_DAY', value: '0.5' },
  { name: 'Size', type: 'INTEGER', units: null, value: '10' },
  { name: 'Open', type: 'BOOLEAN', units: null, value: 'false' },
  { name: 'Label', type: 'STRING', units: null, value: '' },
];

const settingsOf = (inputs: RequestInputItem[]) =>
  readSettings(template, { experimentType: 'SIMULATION', inputs });
const identity = (inputs: RequestInputItem[]) => identityOf('version', settingsOf(inputs));

/** Different spellings of one number. */
const spellings = (value: number): fc.Arbitrary<string | number> =>
  fc.constantFrom<string | number>(
    value,
    String(value),
    ` ${value} `,
    value.toExponential(),
    `+${Math.abs(value)}`.replace('+', value < 0 ? '-' : '+'),
    Number.isInteger(value) && Math.abs(value) < 1e15 ? `${value}.0` : String(value),
  );

const nameSpelling = (name: string) =>
  fc.constantFrom(name, name.toUpperCase(), name.toLowerCase(), ` ${name} `);

const settings = fc.record({
  Rate: fc.double({ noNaN: true, noDefaultInfinity: true }),
  Size: fc.integer(),
  Open: fc.boolean(),
  Label: fc.string(),
});

/**
 * Requests with the given values. The spelling, the order and the types are random. Each request repeats all its inputs
 * with another value, which the service must ignore.
 */
const requestFor = (values: Record<string, string | number | boolean>): fc.Arbitrary<RequestInputItem[]> => {
  const items = Object.entries(values).map(([name, value]) =>
    fc.record({
      name: nameSpelling(name),
      type: fc.constantFrom('DOUBLE' as const, 'STRING' as const, undefined),
      value: typeof value === 'number' ? spellings(value) : fc.constant(value),
    }),
  );
  const defaults = fc.subarray([
    { name: '{RANDOM_SEED}', type: 'LONG', value: '1' },
    { name: '{random_seed}', value: 1 },
  ] as RequestInputItem[]);
  return fc
    .tuple(fc.tuple(...items), defaults)
    .chain(([given, extra]) =>
      fc
        .shuffledSubarray([...given, ...extra], { minLength: given.length + extra.length })
        .map((once) => [...once, ...once.map((item) => ({ ...item, value: 'true' }))]),
    );
};

describe('identity of a run', () => {
  test('does not depend on the order, the spelling, repetitions or the stated types of inputs', () => {
    fc.assert(
      fc.property(
        settings.chain((values) => fc.tuple(fc.constant(values), requestFor(values), requestFor(values))),
        ([, one, other]) => {
          expect(identity(one)).toBe(identity(other));
        },
      ),
    );
  });

  test('does not depend on the units, which are those of the template, null or omitted; others are refused', () => {
    const rate = (units?: RequestInputItem['units']) => [{ name: 'Rate', units, value: 2 }];
    expect(identity(rate('PER_DAY'))).toBe(identity(rate()));
    expect(identity(rate(null))).toBe(identity(rate()));
    expect(() => identity(rate('PER_HOUR'))).toThrow(
      expect.objectContaining({
        code: 'INVALID_VALUE',
        message: expect.stringMatching(/"Rate".*PER_HOUR.*PER_DAY/),
      }),
    );
    // the model does not say what the units of this input are
    expect(identity([{ name: 'Size', units: 'METER', value: 2 }])).toBe(
      identity([{ name: 'Size', value: 2 }]),
    );
  });

  test('differs exactly if the value of an input or the version differs', () => {
    fc.assert(
      fc.property(settings, settings, (one, other) => {
        const requests = [one, other].map((values) =>
          Object.entries(values).map(([name, value]) => ({ name, value })),
        );
        const canonical = requests.map((request) => JSON.stringify(settingsOf(request)));
        expect(identity(requests[0]!) === identity(requests[1]!)).toBe(canonical[0] === canonical[1]);
      }),
    );
    expect(identityOf('other', settingsOf([]))).not.toBe(identity([]));
  });

  test('differs if two seeds differ, even beyond the precision of a double', () => {
    const seeds = ['9007199254740992', '9007199254740993'].map((value) =>
      identity([{ name: '{RANDOM_SEED}', value }]),
    );
    expect(seeds[0]).not.toBe(seeds[1]);
  });

  test('over HTTP, omitted inputs have their defaults, and the formats and the order of inputs do not matter', async () => {
    const service = await startTestService();
    const version = await service.latest('Rehearsal');
    const { body: first } = await requestRun(service, version, { Seconds: 0, Value: 8 });
    const same: Parameters<typeof simulation>[0][] = [
      { Value: '8', Seconds: '0' },
      { Value: '8.0', Seconds: 0, Fail: false, 'Failure rate': '0.00' },
      { ' value ': '+8', SECONDS: '0e5', '{RANDOM_SEED}': '1' },
    ];
    for (const inputs of same) {
      expect((await requestRun(service, version, inputs)).body.id).toBe(first.id);
    }
    const repeated = simulation({ Seconds: 0, Value: 8, '{RANDOM_SEED}': 1 });
    repeated.inputs.push({ name: '{RANDOM_SEED}', value: '77' });
    const { body: again } = await service.post<Run>(`/versions/${version}/runs`, repeated);
    expect(again.id).toBe(first.id);
    expect(first.inputs.map(({ name, value }) => [name, value])).toEqual([
      ['{RANDOM_SEED}', '1'],
      ['Seconds', '0'],
      ['Value', '8'],
      ['Fail', 'false'],
      ['Failure rate', '0'],
    ]);
    expect((await requestRun(service, version, { Seconds: 0, Value: 9 })).body.id).not.toBe(first.id);
  });

  test('differs for equal requests to two models, and each run has the defaults of its model', async () => {
    const models = temporaryFolder();
    for (const [name, value] of Object.entries({ One: 1, Two: 2 })) {
      writeModel(
        models,
        name,
        `export default {
          name: '${name}', description: '', published: true,
          inputs: [{ name: 'Value', type: 'DOUBLE', default: ${value} }, { name: 'Rest', type: 'DOUBLE', default: 0 }],
          outputs: [{ name: 'Out', type: 'DOUBLE' }],
          run: ({ inputs }) => ({ Out: inputs.Value }),
        };`,
      );
    }
    const service = await startTestService({ modelDirs: [models] });
    const [one, two] = [await service.latest('One'), await service.latest('Two')];
    const ids = new Set<string>();
    for (const version of [one, two, one, two]) {
      const { body } = await requestRun(service, version, { Rest: 0 });
      expect([body.modelVersionId, body.inputs[0]!.value]).toEqual([version, version === one ? '1' : '2']);
      ids.add(body.id);
    }
    expect(ids.size).toBe(2);
  });

  test('is the same for 100 identical simultaneous requests, and the service executes the run once', async () => {
    const service = await startTestService();
    const version = await service.latest('Rehearsal');
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        requestRun(service, version, i % 2 ? { Seconds: '0.1', Value: 5 } : { Value: '5.0', Seconds: 0.1 }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(rows(service.dataDir, 'SELECT executions FROM runs')).toEqual([{ executions: 1 }]);
  });
});
