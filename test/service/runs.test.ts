import { describe, expect, test } from '@jest/globals';
import { Outputs, type Run, Run as RunSchema } from '../../src/api/resources.ts';
import {
  SHIPPED_MODELS,
  messageIn,
  reach,
  requestRun,
  rows,
  simulation,
  startTestService,
  stateOf,
  until,
} from './support.ts';

describe('runs', () => {
  test('go from FRESH to COMPLETED, and give the same outputs by id and by inputs', async () => {
    const service = await startTestService();
    const version = await service.latest('Rehearsal');
    const { status, body } = await requestRun(service, version, { Seconds: 0, Value: 2.5 });
    const run = RunSchema.parse(body);
    expect([status, run.status, run.modelVersionId, run.outputs]).toEqual([200, 'FRESH', version, null]);
    expect(messageIn(run)).toEqual({ title: null, total: 0, finishedTasks: 0, totalTasks: 1, subRuns: [] });

    const state = await reach(service, run, 'COMPLETED');
    expect(messageIn(state)).toEqual({
      title: null,
      total: 100,
      finishedTasks: 1,
      totalTasks: 1,
      subRuns: [],
    });

    const expected = [
      {
        aggregationType: 'IDENTITY',
        inputs: [],
        outputs: [{ name: 'Echo', type: 'DOUBLE', units: null, value: null }],
        value: '2.5',
      },
    ];
    const request = simulation({ Seconds: 0, Value: 2.5 });
    const byId = await service.post(`/versions/${version}/results/${run.id}`, []);
    const older = await service.post(`/versions/${version}/runs/${run.id}`, []);
    const byInputs = await service.post(`/versions/${version}/results`, { ...request, outputs: '[]' });
    expect([byId.body, older.body, byInputs.body]).toEqual([expected, expected, expected]);
    const { body: again } = await requestRun(service, version, { Seconds: 0, Value: 2.5 });
    expect([again.id, again.status]).toEqual([run.id, 'COMPLETED']);
  });

  test('give the outputs that a template names, in the order of the template', async () => {
    const service = await startTestService({ modelDirs: [SHIPPED_MODELS] });
    const version = await service.latest('Epidemic');
    const { body: run } = await requestRun(service, version);
    await reach(service, run, 'COMPLETED');
    const template = ['Infected', ' peak DAY '].map((name) => ({ outputs: [{ name }] }));
    const { body } = await service.post(`/versions/${version}/results/${run.id}`, template);
    const outputs = Outputs.parse(body);
    expect(outputs.map((element) => element.outputs[0])).toEqual([
      { name: 'Infected', type: 'DATA_SET', units: null, value: null },
      { name: 'Peak day', type: 'DOUBLE', units: 'DAY', value: null },
    ]);
    const wrong = await service.post(`/versions/${version}/results/${run.id}`, [
      { outputs: [{ name: 'Peak' }] },
    ]);
    expect(wrong.body).toMatchObject({
      status: 400,
      code: 'UNKNOWN_OUTPUT',
      message: expect.stringContaining('"Peak"'),
    });
  });

  test('that nobody has requested are answered with 404, and these requests start no run', async () => {
    const service = await startTestService();
    const version = await service.latest('Rehearsal');
    const request = simulation({ Value: 3 });
    for (const [path, body, code] of [
      ['run', request, 'UNKNOWN_RUN'],
      ['runs/stop', request, 'UNKNOWN_RUN'],
      ['results', { ...request, outputs: '[]' }, 'RESULTS_NOT_FOUND'],
      ['results/nowhere', [], 'UNKNOWN_RUN'],
    ] as const) {
      const answer = await service.post(`/versions/${version}/${path}`, body);
      expect([path, answer.body]).toMatchObject([path, { status: 404, code }]);
    }
    expect(rows(service.dataDir, 'SELECT * FROM runs')).toEqual([]);
  });

  test('with wrong inputs are refused with the name of the input', async () => {
    const service = await startTestService({ modelDirs: [SHIPPED_MODELS] });
    const version = await service.latest('Epidemic');
    const missing = 'A'.repeat(43);
    for (const [inputs, code, named] of [
      [{ 'Contact rat': 1 }, 'UNKNOWN_INPUT', '"Contact rat"'],
      [{ Population: 7.5 }, 'INVALID_VALUE', '"Population"'],
      [{ 'Contact rate': 'many' }, 'INVALID_VALUE', '"Contact rate"'],
      [{ 'Contact rate': true }, 'INVALID_VALUE', '"Contact rate"'],
      [{ Stochastic: 'perhaps' }, 'INVALID_VALUE', '"Stochastic"'],
      [{ 'Observed cases': missing }, 'INVALID_VALUE', missing],
      [{ 'Observed cases': '../../etc/passwd' }, 'INVALID_VALUE', '"Observed cases"'],
      [{ Population: null as never }, 'INVALID_BODY', '"Population"'],
    ] as const) {
      const { body } = await requestRun(service, version, inputs);
      expect(body).toMatchObject({ status: 400, code, message: expect.stringContaining(named) });
    }
    expect((await requestRun(service, 'nowhere')).body).toMatchObject({
      status: 404,
      code: 'UNKNOWN_VERSION',
    });
    expect(rows(service.dataDir, 'SELECT * FROM runs')).toEqual([]);
  });

  test('that fail give the reason and have no results; another request starts a new run', async () => {
    const service = await startTestService();
    const version = await service.latest('Rehearsal');
    const inputs = { Seconds: 0, Fail: true };
    const { body: first } = await requestRun(service, version, inputs);
    const state = await reach(service, first, 'FAILED');
    expect(messageIn(state).title).toBe('Rehearsal was told to fail');
    const { body: found } = await service.post<Run>(`/versions/${version}/run`, simulation(inputs));
    expect([found.id, found.status]).toEqual([first.id, 'FAILED']);
    const results = await service.post(`/versions/${version}/results/${first.id}`, []);
    expect(results.body).toMatchObject({ status: 404, code: 'RESULTS_NOT_FOUND' });

    const { body: second } = await requestRun(service, version, inputs);
    expect(second.id).not.toBe(first.id);
    await reach(service, second, 'FAILED');
    expect((await stateOf(service, first)).status).toBe('FAILED');
  });

  test('with the same seed may fail or complete if the model has a failure rate', async () => {
    const service = await startTestService();
    const version = await service.latest('Rehearsal');
    const outcomes = new Set<string>();
    await until(async () => {
      // a completed run is not executed again, so each attempt of this test is another run with the same seed
      const { body: run } = await requestRun(service, version, {
        Seconds: 0,
        'Failure rate': 0.5,
        Value: outcomes.size + Math.random(),
      });
      outcomes.add(await until(async () => ended((await stateOf(service, run)).status), 'the run to end'));
      return outcomes.size === 2 || undefined;
    }, 'runs that fail and runs that complete');
  });

  test('report progress in percent while they execute', async () => {
    const service = await startTestService();
    const { body: run } = await requestRun(service, await service.latest('Rehearsal'), { Seconds: 60 });
    const total = await until(async () => {
      const state = await stateOf(service, run);
      return messageIn(state).total || undefined;
    }, 'progress');
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThan(50);
  });

  test('that execute or wait can be stopped at once, and can be requested again', async () => {
    const service = await startTestService({ executors: 1 });
    const version = await service.latest('Rehearsal');
    const { body: running } = await requestRun(service, version, { Seconds: 600 });
    const { body: waiting } = await requestRun(service, version, { Seconds: 601 });
    const { body: quick } = await requestRun(service, version, { Seconds: 0 });
    await reach(service, running, 'RUNNING');
    expect((await stateOf(service, waiting)).status).toBe('FRESH');

    for (const [run, Seconds] of [
      [waiting, 601],
      [running, 600],
    ] as const) {
      const answer = await service.post(`/versions/${version}/runs/stop`, simulation({ Seconds }));
      expect([answer.status, answer.body]).toEqual([200, null]);
      expect((await stateOf(service, run)).status).toBe('STOPPED');
    }
    // the executor of the stopped run is free for the next run
    await reach(service, quick, 'COMPLETED');
    const again = await service.post(`/versions/${version}/runs/stop`, simulation({ Seconds: 0 }));
    expect([again.body, (await stateOf(service, quick)).status]).toEqual([null, 'COMPLETED']);
    const { body: anew } = await requestRun(service, version, { Seconds: 600 });
    expect(anew.id).not.toBe(running.id);
  });

  test('execute in the order of their requests, and each executor executes one run at a time', async () => {
    const service = await startTestService({ executors: 2 });
    const version = await service.latest('Rehearsal');
    const runs = [];
    for (const Value of [1, 2, 3, 4])
      runs.push((await requestRun(service, version, { Seconds: 60, Value })).body);
    const states = await Promise.all(runs.map((run) => stateOf(service, run)));
    expect(states.map(({ status }) => status)).toEqual(['RUNNING', 'RUNNING', 'FRESH', 'FRESH']);
  });
});

function ended(status: string): string | undefined {
  return status === 'COMPLETED' || status === 'FAILED' ? status : undefined;
}
