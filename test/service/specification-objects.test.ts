/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-member-access, typescript/no-unsafe-return, typescript/no-unsafe-argument, typescript/no-unsafe-call -- the tests look at answers without a schema */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { reach } from './support.ts';
import {
  service,
  model,
  version,
  runs,
  UUID,
  inputs,
  simulation,
  completed,
  templateOf,
  ok,
  type Json,
} from './specification.ts';

describe('2.1 Model', () => {
  test('a model has the specified fields', () => {
    expect(model).toEqual({
      id: expect.stringMatching(UUID),
      name: 'Specimen',
      description: 'One of everything.',
      modelVersions: [expect.stringMatching(UUID)],
      published: false,
    });
  });

  test('published is true for a public model', async () => {
    expect(ok(await service.post<Json>('/models/name/', 'Rehearsal')).published).toBe(true);
  });
});

describe('2.2 Version', () => {
  test('a version has the specified fields', () => {
    expect(version).toEqual({
      id: model.modelVersions[0],
      version: 1,
      experimentTemplate: {
        inputs: expect.any(Array),
        outputs: expect.any(Array),
        dashboard: expect.any(Object),
      },
    });
  });

  test('inputs have their defaults as strings, and the names of system inputs have braces', () => {
    for (const input of version.experimentTemplate.inputs) {
      expect(Object.keys(input).sort()).toEqual(['name', 'type', 'units', 'value']);
      expect(typeof input.value).toBe('string');
    }
    const system = version.experimentTemplate.inputs.filter(({ name }: Json) => name.startsWith('{'));
    expect(system.map(({ name, value }: Json) => [name, value])).toEqual([
      ['{STOP_MODE}', 'STOP_MODE_AT_TIME'],
      ['{START_TIME}', '0'],
      ['{STOP_TIME}', '100'],
      ['{START_DATE}', '2026-01-01T00:00:00'],
      ['{STOP_DATE}', '2026-12-31T00:00:00'],
      ['{MAX_MEMORY_MB}', '512'],
      ['{RANDOM_SEED}', '1'],
    ]);
  });

  test('the value of an output is null', () => {
    for (const output of version.experimentTemplate.outputs) {
      expect(output).toEqual({
        name: expect.any(String),
        type: expect.any(String),
        units: output.units,
        value: null,
      });
    }
  });
});

describe('2.3 Input item', () => {
  test('a request may have a JSON number as a value; the answer has a string', async () => {
    const run = ok(await service.post<Json>(runs, simulation({ Count: 8 })));
    expect(run.inputs.find(({ name }: Json) => name === 'Count')).toEqual({
      name: 'Count',
      type: 'INTEGER',
      units: null,
      value: '8',
    });
    for (const { value } of run.inputs) expect(typeof value).toBe('string');
  });

  test.each([
    ['numbers', '{"min":20,"max":60,"step":20}'],
    ['strings', '{"min":"20","max":"60","step":"20"}'],
  ])('the JSON of a range type may have %s', async (_, value) => {
    const request = {
      experimentType: 'PARAMETER_VARIATION',
      inputs: inputs({ Count: { type: 'FIXED_RANGE_INTEGER', value } }),
    };
    const run = await completed(request);
    const outputs = ok(
      await service.post<Json>(`/versions/${version.id}/results/${run.id}`, templateOf('Twice')),
    );
    expect(outputs.find((element: Json) => element.inputs.length > 0).value).toBe('[[20],[40],[60]]');
  });
});

describe('2.4 Experiment', () => {
  test('an experiment has the specified fields, and a client can send its inputs unchanged', async () => {
    const experiments = ok(await service.get<Json>(`/versions/${version.id}/experiments`));
    expect(experiments.map(({ name, type }: Json) => [name, type])).toEqual([
      ['Baseline', 'SIMULATION'],
      ['Over the rate', 'PARAMETER_VARIATION'],
    ]);
    for (const experiment of experiments) {
      expect(experiment).toEqual({
        uuid: expect.stringMatching(UUID),
        modelVersion: version.id,
        name: expect.any(String),
        type: expect.any(String),
        inputs: expect.any(Array),
      });
      await completed({ experimentType: experiment.type, inputs: experiment.inputs });
    }
  });
});

describe('2.5 Outputs', () => {
  test('rule 1: an output of a single run has IDENTITY, no inputs, one descriptor, and its value as a text', async () => {
    const run = await completed(simulation({ Rate: 2.5 }));
    const outputs = ok(await service.post<Json>(`/versions/${version.id}/results/${run.id}`, []));
    for (const element of outputs) {
      expect(element).toEqual({
        aggregationType: 'IDENTITY',
        inputs: [],
        outputs: [{ name: expect.any(String), type: expect.any(String), units: null, value: null }],
        value: expect.any(String),
      });
    }
    const byName = new Map<string, Json>(outputs.map((element: Json) => [element.outputs[0].name, element]));
    expect(byName.get('Twice').value).toBe('5');
    expect(JSON.parse(byName.get('Statistics').value)).toEqual({
      type: expect.any(String),
      count: 3,
      min: 1,
      max: 3,
      mean: 2,
      variance: 1,
    });
    expect(JSON.parse(byName.get('Histogram').value).statistics).toMatchObject({ count: 3, min: 1 });
  });

  describe('of a multi-run', () => {
    let outputs: Json;
    beforeAll(async () => {
      const run = await completed({
        experimentType: 'PARAMETER_VARIATION',
        inputs: inputs({ Rate: { type: 'FIXED_RANGE_DOUBLE', value: '{"min":0.5,"max":1.5,"step":0.5}' } }),
      });
      outputs = ok(
        await service.post<Json>(`/versions/${version.id}/results/${run.id}`, templateOf('Twice', 'Name')),
      );
    });

    test('rule 2: an output is an ARRAY with one entry for each run, in the order of the varied values', () => {
      const [twice, name] = ['Twice', 'Name'].map((wanted) =>
        outputs.find((element: Json) => element.outputs[0]?.name === wanted),
      );
      expect(twice).toMatchObject({ aggregationType: 'ARRAY', inputs: [], value: '[1,2,3]' });
      expect(twice.outputs).toHaveLength(1);
      expect(JSON.parse(name.value)).toEqual(['rate 0.5', 'rate 1', 'rate 1.5']);
    });

    test('rule 3: one element has the varied input, no outputs, and an array of arrays as its value', () => {
      const varied = outputs.filter((element: Json) => element.outputs.length === 0);
      expect(varied).toHaveLength(1);
      expect(varied[0]).toMatchObject({
        aggregationType: 'ARRAY',
        inputs: [{ name: 'Rate', type: 'FIXED_RANGE_DOUBLE', units: 'PER_MINUTE' }],
        outputs: [],
        value: '[[0.5],[1],[1.5]]',
      });
    });
  });

  test('rules 4 and 5: a chart has an element for each of its items, and other outputs keep their names', async () => {
    const run = await completed(simulation());
    const outputs = ok(await service.post<Json>(`/versions/${version.id}/results/${run.id}`, []));
    const names = outputs.map((element: Json) => element.outputs[0].name);
    expect(names).toEqual(
      expect.arrayContaining(['Queue|Waiting', 'Queue|In service', 'Data set', 'Statistics']),
    );
  });
});

describe('2.6, 2.8 and 2.9 runs', () => {
  test('a run and its state have the specified fields', async () => {
    const run = ok(await service.post<Json>(runs, simulation({ Rate: 26 })));
    expect(run).toEqual({
      id: expect.any(String),
      inputs: expect.any(Array),
      modelVersionId: version.id,
      status: expect.stringMatching(/^(FRESH|RUNNING|COMPLETED)$/),
      message: expect.any(String),
      outputs: null,
    });
    await reach(service, run, 'COMPLETED');
    const state = ok(await service.get<Json>(`${runs}/${run.id}/progress`));
    expect(Object.keys(state).sort()).toEqual(['message', 'status']);
    expect(JSON.parse(state.message)).toEqual({
      title: null,
      total: 100,
      finishedTasks: 1,
      totalTasks: 1,
      subRuns: [],
    });
  });

  test('the message of a multi-run has a message of the same shape for each sub-run', async () => {
    const run = await completed({
      experimentType: 'PARAMETER_VARIATION',
      inputs: inputs({ Count: { type: 'FIXED_RANGE_INTEGER', value: '{"min":1,"max":3,"step":1}' } }),
    });
    const state = ok(await service.get<Json>(`${runs}/${run.id}/progress`));
    const message = JSON.parse(state.message);
    expect(message).toMatchObject({ total: 100, finishedTasks: 3, totalTasks: 3 });
    expect(message.subRuns).toHaveLength(3);
    for (const sub of message.subRuns) {
      expect(Object.keys(sub).sort()).toEqual(['finishedTasks', 'subRuns', 'title', 'total', 'totalTasks']);
      expect(sub.subRuns).toEqual([]);
    }
  });
});

describe('2.11 to 2.13 constants', () => {
  test('a model may have inputs of seven types and outputs of thirteen types', () => {
    const { inputs, outputs } = version.experimentTemplate;
    expect(new Set(inputs.map(({ type }: Json) => type))).toEqual(
      new Set(['STRING', 'DOUBLE', 'INTEGER', 'LONG', 'DATE_TIME', 'BOOLEAN', 'INPUT_FILE']),
    );
    expect(new Set(outputs.map(({ type }: Json) => type))).toEqual(
      new Set([
        'STRING',
        'DOUBLE',
        'INTEGER',
        'LONG',
        'DATE_TIME',
        'BOOLEAN',
        'DATA_SET',
        'STATISTICS_DISCRETE',
        'STATISTICS_CONTINUOUS',
        'HISTOGRAM_DATA',
        'HISTOGRAM_2D_DATA',
        'MODEL_OUTPUT_NAME',
        'OUTPUT_FILE',
      ]),
    );
  });

  test.each(['2026-11-21T08:30', '2026-11-21T08:30:15'])('a DATE_TIME may be %s', async (value) => {
    const run = ok(await service.post<Json>(runs, simulation({ When: value })));
    expect(run.inputs.find(({ name }: Json) => name === 'When').value).toMatch(/^2026-11-21T08:30:\d\d$/);
  });

  test('FULL_RANGE_BOOLEAN varies over both values', async () => {
    const run = await completed({
      experimentType: 'PARAMETER_VARIATION',
      inputs: inputs({ Flag: { type: 'FULL_RANGE_BOOLEAN', value: '' } }),
    });
    const outputs = ok(
      await service.post<Json>(`/versions/${version.id}/results/${run.id}`, templateOf('Flagged')),
    );
    const [flagged] = outputs.filter((element: Json) => element.outputs.length === 1);
    expect(new Set(JSON.parse(flagged.value))).toEqual(new Set([true, false]));
  });

  test.each(['RANDOM_DOUBLE', 'RANDOM_INTEGER'])('%s is drawn from the seed', async (type) => {
    const name = type === 'RANDOM_DOUBLE' ? 'Rate' : 'Count';
    const twice = async (seed: number): Promise<string> => {
      const run = await completed(
        simulation({ '{RANDOM_SEED}': seed, [name]: { type, value: '{"min":10,"max":1000000}' } }),
      );
      const path = `/versions/${version.id}/results/${run.id}`;
      return ok(await service.post<Json>(path, templateOf(name === 'Rate' ? 'Twice' : 'Counted')))[0].value;
    };
    const [first, second] = [await twice(1), await twice(2)];
    expect(Number(first)).toBeGreaterThanOrEqual(10);
    expect(first).not.toBe(second);
    expect(await twice(1)).toBe(first);
  });
});
