/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-argument, @typescript-eslint/no-unsafe-call -- answers are looked at as they come */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startService, type RunningService } from '../../src/service/service.ts';
import { KEY, SHIPPED_MODELS } from './fixed.ts';
import { type Answer, clientOf, reach, type TestService } from './support.ts';

/**
 * A walk through the specification of the open REST interface, section by section and line by line, over HTTP alone and
 * without the schemas of src/api: what is written here is what the page says. What it leaves open is tested elsewhere.
 */

let running: RunningService;
let service: Pick<TestService, 'get' | 'post' | 'latest'>;
let dataDir: string;
let model: Json;
let version: Json;
let runs: string;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers are looked at as they come
type Json = any;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'foray-service-'));
  running = await startService({
    dataDir,
    modelDirs: [SHIPPED_MODELS, join(import.meta.dirname, 'models')],
    executors: 2,
    apiKey: KEY,
  });
  service = clientOf(running.url);
  model = (await service.post<Json>('/models/name/', 'Specimen')).body;
  version = (await service.get<Json>(`/models/${model.id}/versions/${model.modelVersions[0]}`)).body;
  runs = `/versions/${version.id}/runs`;
});
afterAll(async () => {
  await running.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The template's inputs, some of them set to something else: what a client sends. */
function inputs(set: Record<string, unknown> = {}): Json[] {
  return version.experimentTemplate.inputs.map((input: Json) => ({
    ...input,
    ...(input.name in set &&
      (typeof set[input.name] === 'object' ? (set[input.name] as object) : { value: set[input.name] })),
  }));
}

const simulation = (set: Record<string, unknown> = {}): Json => ({
  experimentType: 'SIMULATION',
  inputs: inputs(set),
});

async function completed(request: Json): Promise<Json> {
  const { body: run } = await service.post<Json>(runs, request);
  await reach(service, run, 'COMPLETED');
  return run;
}

/** A template that names some outputs (2.7): an Outputs array with empty values. */
function templateOf(...names: string[]): Json[] {
  return names.map((name) => ({
    aggregationType: 'IDENTITY',
    inputs: [],
    outputs: [{ name, type: 'DOUBLE', units: null, value: null }],
    value: null,
  }));
}

function ok<T>({ status, body }: Answer<T>): T {
  expect(status).toBe(200);
  return body;
}

describe('2.1 Model', () => {
  test('its fields', () => {
    expect(model).toEqual({
      id: expect.stringMatching(UUID),
      name: 'Specimen',
      description: 'One of everything.',
      modelVersions: [expect.stringMatching(UUID)],
      published: false,
    });
  });

  test('published is true for a public one', async () => {
    expect(ok(await service.post<Json>('/models/name/', 'Rehearsal')).published).toBe(true);
  });
});

describe('2.2 Version', () => {
  test('its fields', () => {
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

  test('inputs hold the defaults, always as strings; system inputs are named with braces', () => {
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
  test('an integer JSON value may be sent; the response gives strings', async () => {
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
  ])('the range JSON of a range type may hold %s', async (_, value) => {
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
  test('its fields; its inputs can be sent as they are', async () => {
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
  test('rule 1: of a single run, IDENTITY, no inputs, one descriptor, the value as text', async () => {
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

    test('rule 2: ARRAY, one entry a run, in the order of the varied values', () => {
      const [twice, name] = ['Twice', 'Name'].map((wanted) =>
        outputs.find((element: Json) => element.outputs[0]?.name === wanted),
      );
      expect(twice).toMatchObject({ aggregationType: 'ARRAY', inputs: [], value: '[1,2,3]' });
      expect(twice.outputs).toHaveLength(1);
      expect(JSON.parse(name.value)).toEqual(['rate 0.5', 'rate 1', 'rate 1.5']);
    });

    test('rule 3: one element carries the varied input, no outputs, and an array of arrays', () => {
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

  test('rules 4 and 5: a chart gives an element for each of its items, other outputs keep their name', async () => {
    const run = await completed(simulation());
    const outputs = ok(await service.post<Json>(`/versions/${version.id}/results/${run.id}`, []));
    const names = outputs.map((element: Json) => element.outputs[0].name);
    expect(names).toEqual(
      expect.arrayContaining(['Queue|Waiting', 'Queue|In service', 'Data set', 'Statistics']),
    );
  });
});

describe('2.6, 2.8 and 2.9 runs', () => {
  test('the fields of a run and of its state', async () => {
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

  test('the sub-runs of a multi-run are in its message, of the same shape', async () => {
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
  test('the types that a model may declare, and its outputs of all thirteen types', () => {
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

  test('FULL_RANGE_BOOLEAN varies over both', async () => {
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

describe('3 States', () => {
  test('COMPLETED, FAILED and STOPPED', async () => {
    const done = await completed(simulation({ Rate: 3 }));
    expect((await service.get<Json>(`${runs}/${done.id}/progress`)).body.status).toBe('COMPLETED');

    const failing = ok(await service.post<Json>(runs, simulation({ Text: 'fail' })));
    const { message } = await reach(service, failing, 'FAILED');
    expect(JSON.parse(message!).title).toContain('told to fail');

    const request = simulation({ Text: 'forever' });
    const endless = ok(await service.post<Json>(runs, request));
    await reach(service, endless, 'RUNNING');
    ok(await service.post(`${runs}/stop`, request));
    await reach(service, endless, 'STOPPED');
  });

  test('the results of a run that did not complete are a 404', async () => {
    const failing = ok(await service.post<Json>(runs, simulation({ Text: 'fail' })));
    await reach(service, failing, 'FAILED');
    expect((await service.post(`/versions/${version.id}/results/${failing.id}`, [])).status).toBe(404);
  });
});

describe('4 Endpoints', () => {
  test('GET /models and /models/<model_id>', async () => {
    const models = ok(await service.get<Json>('/models'));
    expect(models).toContainEqual(model);
    expect(ok(await service.get(`/models/${model.id}`))).toEqual(model);
  });

  test('versions by number, from 1, and by id; not exactly one version is an error', async () => {
    expect(ok(await service.get(`/models/${model.id}/versions/number/1`))).toEqual(version);
    expect(ok(await service.get(`/models/${model.id}/versions/${version.id}`))).toEqual(version);
    for (const number of [0, 2, 'one']) {
      const { status, body } = await service.get<Json>(`/models/${model.id}/versions/number/${number}`);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(body).toMatchObject({ status, message: expect.any(String) });
    }
  });

  test('a model by name: the name in the body, or as the last segment of the path', async () => {
    expect(ok(await service.post('/models/name/', 'Specimen'))).toEqual(model);
    expect(ok(await service.post('/models/name/Specimen', 'Specimen'))).toEqual(model);
  });

  test('POST runs: a new simulation starts only if no identical run was performed', async () => {
    const first = await completed(simulation({ Rate: 4 }));
    const again = ok(await service.post<Json>(runs, simulation({ Rate: 4 })));
    expect([again.id, again.status, again.outputs]).toEqual([first.id, 'COMPLETED', null]);
  });

  test('POST runs/stop has no content', async () => {
    const request = simulation({ Text: 'forever', Rate: 5 });
    await service.post(runs, request);
    expect(ok(await service.post(`${runs}/stop`, request))).toBeNull();
  });

  test('POST run tells the status of a run, and starts none', async () => {
    const request = simulation({ Rate: 6 });
    expect((await service.post(`/versions/${version.id}/run`, request)).status).toBe(404);
    const run = await completed(request);
    const asked = ok(await service.post<Json>(`/versions/${version.id}/run`, request));
    expect(asked).toMatchObject({ id: run.id, status: 'COMPLETED', outputs: null });
  });

  test('results by the request, shaped by the template, need no run id; none are an error', async () => {
    const request = { ...simulation({ Rate: 7 }), outputs: JSON.stringify(templateOf('Twice')) };
    expect((await service.post(`/versions/${version.id}/results`, request)).status).toBe(404);
    await completed(simulation({ Rate: 7 }));
    const outputs = ok(await service.post<Json>(`/versions/${version.id}/results`, request));
    expect(outputs.map(({ value }: Json) => value)).toEqual(['14']);
  });

  test('files: up, checked for, and down by a pre-signed address', async () => {
    const content = 'a file';
    const hash = createHash('sha256').update(content).digest('base64url');
    const headers = { Authorization: KEY };
    expect(ok(await service.get(`/check-file?hash=${hash}`))).toBe(false);
    const up = await fetch(`${running.url}/upload-file`, { method: 'POST', body: content, headers });
    expect(await up.json()).toBe(hash);
    expect(ok(await service.get(`/check-file?hash=${hash}`))).toBe(true);
    const address = ok(await service.get<string>(`/output-file?hash=${hash}&filename=a.txt`));
    expect(await (await fetch(address)).text()).toBe(content);
  });

  test.each(['/output-file?hash=x', '/output-file?filename=a.txt', '/check-file'])(
    'both query parameters are required: %s',
    async (path) => {
      expect((await service.get(path)).status).toBe(400);
    },
  );

  test('an output file of a run is fetched by its hash', async () => {
    const run = await completed(simulation({ Rate: 8 }));
    const [file] = ok(
      await service.post<Json>(`/versions/${version.id}/results/${run.id}`, templateOf('File')),
    );
    const { hash, localPath } = JSON.parse(file.value);
    const address = ok(await service.get<string>(`/output-file?hash=${hash}&filename=${localPath}`));
    expect(await (await fetch(address)).text()).toBe('rate 8');
  });
});

describe('4 and 2.10 animated runs', () => {
  test('the request waits until the animation has started', async () => {
    const drawn = ok(await service.post<Json>('/models/name/', 'Epidemic'));
    const versionId = drawn.modelVersions.at(-1);
    const { body: experiments } = await service.get<Json>(`/versions/${versionId}/experiments`);
    const info = ok(
      await service.post<Json>(`/versions/${versionId}/runs/animation`, {
        experimentType: 'ANIMATION_SVG',
        inputs: experiments[0].inputs,
      }),
    );
    expect(info).toMatchObject({
      animationHeight: expect.any(Number),
      animationWidth: expect.any(Number),
      animationSpeed: expect.any(Number),
      experimentRunId: expect.any(String),
      modelUuid: drawn.id,
      sessionUuid: expect.stringMatching(UUID),
      version: '8.5.0',
    });
    expect(info.restUrl).toMatch(/.+\/$/);
    const state = await service.get<Json>(`/versions/${versionId}/runs/${info.experimentRunId}/progress`);
    expect(ok(state).status).toBe('RUNNING');
  });
});

describe('5 Authentication', () => {
  test.each([
    ['no key', {}],
    ['another key', { Authorization: 'another' }],
  ])('%s is refused', async (_, headers) => {
    const response = await fetch(`${running.url}/models`, { headers });
    expect(response.status).toBe(401);
  });
});

describe('9 Versioning', () => {
  test('the root holds the version of the interface, which an answer to another one names', async () => {
    expect(running.url).toMatch(/\/api\/open\/8\.5\.0$/);
    const response = await fetch(running.url.replace('8.5.0', '8.4.0') + '/models', {
      headers: { Authorization: KEY },
    });
    expect(response.status).toBe(404);
    expect(((await response.json()) as Json).message).toContain('8.5.0');
  });
});
