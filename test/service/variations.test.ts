import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import {
  booleans,
  complete,
  doubles,
  executed,
  experiment,
  integers,
  request,
  results,
  variation,
  named,
  startMirror,
} from './experiments.ts';
import {
  messageIn,
  reach,
  requestRun,
  rows,
  simulation,
  startTestService,
  stateOf,
  until,
} from './support.ts';

describe('the results of a parameter variation (specification 2.5)', () => {
  test('have one ARRAY element per output with one entry per run, and one element with the varied inputs', async () => {
    const { service, version } = await startMirror();
    const body = variation({ Flag: booleans, N: integers(1, 2), X: doubles(0.1, 0.3, 0.1) });
    const outputs = await results(service, version, body);
    expect(outputs.map(({ aggregationType }) => aggregationType)).toEqual(Array(6).fill('ARRAY'));
    expect(outputs.map((element) => element.outputs)).toEqual([
      [{ name: 'Seed', type: 'LONG', units: null, value: null }],
      [{ name: 'Sum', type: 'DOUBLE', units: 'METER', value: null }],
      [{ name: 'Text', type: 'STRING', units: null, value: null }],
      [{ name: 'Queue|Waiting', type: 'DATA_SET', units: null, value: null }],
      [{ name: 'Queue|Served', type: 'DATA_SET', units: null, value: null }],
      [],
    ]);
    const varied = outputs[5]!;
    expect(varied.inputs).toEqual([
      { name: 'X', type: 'FIXED_RANGE_DOUBLE', units: 'METER', value: '{"min":0.1,"max":0.3,"step":0.1}' },
      { name: 'N', type: 'FIXED_RANGE_INTEGER', units: null, value: '{"min":1,"max":2,"step":1}' },
      { name: 'Flag', type: 'FULL_RANGE_BOOLEAN', units: null, value: '' },
    ]);
    // results have the order of the template, also if the request has another order; the first input varies slowest
    const combinations = [0.1, 0.2, 0.3].flatMap((x) =>
      [1, 2].flatMap((n) => [false, true].map((flag) => [x, n, flag])),
    );
    expect(JSON.parse(varied.value)).toEqual(combinations);
    expect(JSON.parse(named(outputs, 'Text').value)).toEqual(
      combinations.map(([x, n, flag]) => `${x} ${n} 0 ${flag}`),
    );
    expect(JSON.parse(named(outputs, 'Queue|Waiting').value)).toEqual(
      combinations.map(([, n]) => ({ dataX: [0], dataY: [n] })),
    );
    expect(outputs.slice(0, 5).every(({ inputs }) => inputs.length === 0)).toBe(true);

    const byInputs = await service.post(`/versions/${version}/results`, { ...body, outputs: '[]' });
    expect(byInputs.body).toEqual(outputs);
  });

  test('have the outputs and the order of a template, which may also place the element with the varied inputs', async () => {
    const { service, version } = await startMirror();
    const body = variation({ N: integers(1, 3) });
    const ask = async (template: object[]) =>
      (await results(service, version, body, template)).map(({ inputs, outputs, value }) => [
        [...inputs, ...outputs].map(({ name }) => name).join(),
        value,
      ]);
    const varied = ['N', '[[1],[2],[3]]'];
    const sum = ['Sum', '[1,2,3]'];
    const chart = [
      ['Queue|Waiting', expect.stringContaining('[3]')],
      ['Queue|Served', expect.stringContaining('[0]')],
    ];
    expect(await ask([{ outputs: [{ name: 'sum' }] }])).toEqual([sum, varied]);
    expect(await ask([{ inputs: [{ name: 'N' }], outputs: [] }, { outputs: [{ name: 'Sum' }] }])).toEqual([
      varied,
      sum,
    ]);
    expect(await ask([{ outputs: [{ name: ' queue ' }, { name: 'Sum' }] }])).toEqual([...chart, sum, varied]);
    expect(await ask([{ outputs: [{ name: 'Queue|Served' }] }])).toEqual([chart[1], varied]);
  });

  test('have one entry if no input has a range', async () => {
    const { service, version } = await startMirror();
    const outputs = await results(service, version, variation({ N: 4 }), [{ outputs: [{ name: 'Sum' }] }]);
    expect(outputs).toMatchObject([{ aggregationType: 'ARRAY', value: '[4]' }]);
  });

  test('have exact 64-bit values', async () => {
    const { service, version } = await startMirror();
    const value = { min: '9223372036854775805', max: '9223372036854775807', step: 1 };
    const outputs = await results(service, version, variation({ Big: { type: 'FIXED_RANGE_LONG', value } }));
    expect(outputs.at(-1)!.value).toBe('[[9223372036854775805],[9223372036854775806],[9223372036854775807]]');
    expect(JSON.parse(named(outputs, 'Text').value)).toContain('0 0 9223372036854775806 false');
  });
});

describe('sub-runs', () => {
  test('are ordinary runs: an experiment reuses existing single runs, and a single run reuses runs of an experiment', async () => {
    const { service, version } = await startMirror();
    const before = await complete(service, version, experiment('SIMULATION', { N: 2 }));
    await complete(service, version, variation({ N: integers(1, 3) }));
    await complete(service, version, variation({ N: integers(2, 4), Label: '' }));
    for (const N of [1, 2, 3, 4]) {
      const { body } = await requestRun(service, version, { N });
      expect([body.status, N === 2 && body.id !== before.id]).toEqual(['COMPLETED', false]);
    }
    expect(executed(service.dataDir).map(({ inputs, executions }) => [inputs['N'], executions])).toEqual([
      ['2', 1],
      ['1', 1],
      ['3', 1],
      ['4', 1],
    ]);
    // no run is missing, so the experiment is completed at once
    const { body } = await request(service, version, variation({ N: integers(1, 4) }));
    expect([body.status, messageIn(body)]).toMatchObject(['COMPLETED', { total: 100, finishedTasks: 4 }]);
  });

  test('are each executed only once if experiments overlap', async () => {
    const { service, version } = await startMirror();
    const ranges = fc.sample(
      fc.record({
        min: fc.integer({ min: 0, max: 20 }),
        size: fc.integer({ min: 0, max: 8 }),
        flag: fc.boolean(),
      }),
      { numRuns: 12, seed: 7 },
    );
    const wanted = new Set<string>();
    const requested = await Promise.all(
      ranges.map(({ min, size, flag }) => {
        for (let n = min; n <= min + size; n += 1)
          for (const on of flag ? [0, 1] : [0]) wanted.add(`${n} ${on}`);
        const body = variation({ N: integers(min, min + size), ...(flag && { Flag: booleans }) });
        return request(service, version, body);
      }),
    );
    for (const { body } of requested) await reach(service, body, 'COMPLETED');
    const runs = executed(service.dataDir);
    expect(runs).toHaveLength(wanted.size);
    expect(runs.every(({ executions }) => executions === 1)).toBe(true);
  });

  test('execute at the same time on all executors, and the parent reports the progress of its sub-runs', async () => {
    const service = await startTestService({ executors: 2 });
    const version = await service.latest('Rehearsal');
    const { body: quick } = await requestRun(service, version, { Seconds: 60, Value: 0 });
    await reach(service, quick, 'RUNNING');
    const { body: parent } = await request(
      service,
      version,
      variation({ Seconds: doubles(0, 120, 60), Value: doubles(1, 2, 1) }),
    );
    expect(parent.status).toBe('FRESH');
    const state = await until(async () => {
      const state = await stateOf(service, parent);
      return messageIn(state).finishedTasks === 2 && messageIn(state).subRuns[2]!.total > 0
        ? state
        : undefined;
    }, 'two completed sub-runs and progress of the third');
    expect(state.status).toBe('RUNNING');
    const message = messageIn(state);
    expect(message).toMatchObject({ title: null, finishedTasks: 2, totalTasks: 6 });
    expect(message.subRuns.map(({ finishedTasks }) => finishedTasks)).toEqual([1, 1, 0, 0, 0, 0]);
    const share = message.subRuns.reduce((sum, { total }) => sum + total, 0) / 6;
    expect(message.total).toBeGreaterThan(33);
    expect(Math.abs(message.total - share)).toBeLessThan(0.2);
    const statuses = rows(service.dataDir, 'SELECT status FROM runs WHERE tasks IS NULL ORDER BY seq');
    expect(statuses.map(({ status }) => status).filter((status) => status === 'RUNNING')).toHaveLength(2);
  });

  test('that fail make the parent fail, with the name and the reason of a sub-run; only missing runs are executed again', async () => {
    const { service, version } = await startMirror();
    const body = variation({ N: integers(1, 4), Label: 'fail at 3' });
    const { body: first } = await request(service, version, body);
    const state = await reach(service, first, 'FAILED');
    expect(messageIn(state).title).toBe('sub-run 3 of 4 (N = 3) failed: no 3');
    expect((await service.post(`/versions/${version}/results/${first.id}`, [])).body).toMatchObject({
      status: 404,
      code: 'RESULTS_NOT_FOUND',
    });
    const done = rows(service.dataDir, `SELECT id FROM runs WHERE tasks IS NULL AND status = 'COMPLETED'`);
    const { body: second } = await request(service, version, body);
    expect(second.id).not.toBe(first.id);
    await reach(service, second, 'FAILED');
    expect((await stateOf(service, first)).status).toBe('FAILED');
    const still = rows(service.dataDir, `SELECT id FROM runs WHERE tasks IS NULL AND status = 'COMPLETED'`);
    expect(still).toEqual(expect.arrayContaining(done));
    const thirds = executed(service.dataDir).filter(({ inputs }) => inputs['N'] === '3');
    expect(thirds.map(({ executions }) => executions)).toEqual([1, 1]);
  });

  test('are stopped when another sub-run fails, unless another request needs them', async () => {
    const service = await startTestService({ executors: 2 });
    const version = await service.latest('Rehearsal');
    // this single run is also a part of the variation
    const { body: own } = await requestRun(service, version, { Seconds: 59, Value: 1 });
    await reach(service, own, 'RUNNING');
    const { body: parent } = await request(
      service,
      version,
      variation({ Seconds: doubles(-1, 119, 60), Value: doubles(1, 2, 1) }),
    );
    const { title } = messageIn(await reach(service, parent, 'FAILED'));
    expect(title).toBe(
      'sub-run 1 of 6 (Seconds = -1, Value = 1) failed: Seconds is -1: it must not be negative',
    );
    expect((await stateOf(service, own)).status).toBe('RUNNING');
    const unfinished = rows(service.dataDir, `SELECT id FROM runs WHERE status IN ('FRESH', 'RUNNING')`);
    expect(unfinished).toEqual([{ id: own.id }]);
  });
});

describe('stopping a parameter variation', () => {
  test('stops the sub-runs that no other request waits for, and a later request executes the missing sub-runs', async () => {
    const service = await startTestService({ executors: 2 });
    const version = await service.latest('Rehearsal');
    const body = (max: number) => variation({ Seconds: 60, Value: doubles(1, max, 1) });
    const [one, other] = [
      (await request(service, version, body(4))).body,
      (await request(service, version, body(2))).body,
    ];
    const { body: own } = await requestRun(service, version, { Seconds: 60, Value: 3 });
    await reach(service, one, 'RUNNING');
    expect((await stateOf(service, other)).status).toBe('RUNNING');

    const answer = await service.post(`/versions/${version}/runs/stop`, body(4));
    expect([answer.status, answer.body]).toEqual([200, null]);
    const statuses = () =>
      rows(service.dataDir, 'SELECT status FROM runs WHERE tasks IS NULL ORDER BY seq').map(
        ({ status }) => status,
      );
    expect((await stateOf(service, one)).status).toBe('STOPPED');
    expect((await stateOf(service, other)).status).toBe('RUNNING');
    expect(statuses()).toEqual(['RUNNING', 'RUNNING', 'FRESH', 'STOPPED']);

    await service.post(`/versions/${version}/runs/stop`, body(2));
    // the executors of the stopped runs are free for the remaining run
    await reach(service, own, 'RUNNING');
    expect(statuses()).toEqual(['STOPPED', 'STOPPED', 'RUNNING', 'STOPPED']);

    const { body: anew } = await request(service, version, body(4));
    expect(anew.id).not.toBe(one.id);
    expect(statuses()).toEqual([
      ...['STOPPED', 'STOPPED', 'RUNNING', 'STOPPED'],
      ...['RUNNING', 'FRESH', 'FRESH'],
    ]);
  });

  test('differs from stopping one of its sub-runs, which makes the parent fail', async () => {
    const service = await startTestService({ executors: 1 });
    const version = await service.latest('Rehearsal');
    const { body: before } = await requestRun(service, version, { Seconds: 60 });
    await reach(service, before, 'RUNNING');
    const { body: parent } = await request(
      service,
      version,
      variation({ Seconds: 60, Value: doubles(1, 3, 1) }),
    );
    expect(parent.status).toBe('FRESH');
    await service.post(`/versions/${version}/runs/stop`, simulation({ Seconds: 60, Value: 2 }));
    const state = await stateOf(service, parent);
    expect([state.status, messageIn(state).title]).toEqual([
      'FAILED',
      'sub-run 2 of 3 (Value = 2) was stopped',
    ]);
    expect((await stateOf(service, before)).status).toBe('RUNNING');
  });
});
