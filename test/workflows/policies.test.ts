import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runInputs } from '../../src/campaign/points.ts';
import { cloudClient } from '../../src/client/index.ts';
import { closedStatus, toTheEnd, untilRunning } from '../support/campaigns.ts';
import { until } from '../support/until.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';
import { failing } from './failing.ts';

let world: World;
let stopWorker: () => Promise<void>;
beforeAll(async () => {
  world = await startWorld();
  stopWorker = await world.startWorker();
});
afterAll(() => world.close());

describe('attempts', () => {
  test('repeat a failed run until the run succeeds', async () => {
    const more = 'failures: {attempts: 30, backoff: 0.1}';
    const { id } = await world.foray.submit(failing('trying', { first: 1, count: 6, rate: 0.5, more }));
    expect(await toTheEnd(world, id)).toMatchObject({ phase: 'completed', runs: { done: 6, failed: 0 } });
    expect(new Set((await world.rows(id)).map(({ runId }) => runId)).size).toBe(6);
  });

  test('end after the allowed number, and the run has then failed', async () => {
    const more = 'failures: {attempts: 3, backoff: 0.1}';
    const { id } = await world.foray.submit(failing('always-failing', { first: 100, more }));
    expect(await toTheEnd(world, id)).toMatchObject({ phase: 'completed', runs: { done: 0, failed: 1 } });
    const handle = world.environment.client.workflow.getHandle(id);
    expect(await handle.query('progress')).toMatchObject({ triedAgain: 2 });
    const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(currentDetails).toContain('tried again after a failure: 2');
  });

  test('have different seeds with "seed: new"', async () => {
    const more = 'failures: {attempts: 2, backoff: 0.1, seed: new}';
    const { id } = await world.foray.submit(failing('reseeded', { first: 200, more }));
    await toTheEnd(world, id);
    const { campaign } = (await world.foray.results(id)).record;
    const [row] = await world.rows(id);
    const cloud = cloudClient(world.settings, 'person');
    const statuses = await Promise.all(
      [0, 1].map((reseeded) => {
        const inputs = runInputs(campaign, { key: row!.point, values: [...row!.values] }, 1, reseeded);
        const request = { experimentType: 'SIMULATION' as const, inputs };
        return cloud.findRun(campaign.model.versionId, request).then(({ status }) => status);
      }),
    );
    expect(statuses).toEqual(['FAILED', 'FAILED']);
  });

  test('of a run count as one failed run in the list of failures', async () => {
    const text = `
campaign: invalid
model: {name: Rehearsal}
inputs: {Seconds: -1}
failures: {attempts: 3, backoff: 0.1}
`;
    const { id } = await world.foray.submit({ text, file: 'invalid.yaml' });
    const end = await toTheEnd(world, id);
    expect(end.runs.failed).toBe(1);
    expect(await world.foray.failures(id)).toMatchObject([{ count: 1, cause: expect.any(String) }]);
  });
});

describe('the log of failed runs', () => {
  const stack = /^ +at .*rehearsal\/model\.ts/m;

  test('is stored for at most twenty runs per cause, and is not in the history', async () => {
    const more = 'failures: {attempts: 2, backoff: 0.1}';
    const { id } = await world.foray.submit(failing('logged', { first: 400, count: 22, more }));
    expect(await toTheEnd(world, id)).toMatchObject({ phase: 'completed', runs: { failed: 22 } });
    const logs = await world.foray['store'].runLogs(id);
    expect(logs).toHaveLength(20);
    for (const { lines } of logs) expect(lines.join('\n')).toMatch(stack);
    expect(await world.foray.failures(id)).toMatchObject([{ count: 22, log: { omitted: 0 } }]);
    const history = await world.environment.client.workflow.getHandle(id).fetchHistory();
    const payloads = JSON.stringify(history).matchAll(/"data":"([^"]+)"/g);
    const texts = [...payloads].map(([, data]) => Buffer.from(data!, 'base64').toString()).join('\n');
    expect(texts).toContain('logged');
    expect(texts).not.toMatch(/rehearsal\/model\.ts/);
  });

  test('comes from the store when foray shows the point', async () => {
    const { id } = await world.foray.submit(failing('told', { first: 450, more: '' }));
    await toTheEnd(world, id);
    const [log] = await world.foray['store'].runLogs(id);
    const { runs } = await world.foray.explain(id, log!.point);
    expect(runs[0]!.log!.lines.join('\n')).toMatch(stack);
  });
});

describe('timeouts', () => {
  test('stop a run that takes too long, and count it as failed; the other runs continue', async () => {
    const text = `
campaign: slow
model: {name: Rehearsal}
inputs: {Value: 300}
design: {grid: {Seconds: [0, 600, 601]}}
timeouts: {run: 1.5}
`;
    const { id } = await world.foray.submit({ text, file: 'slow.yaml' });
    expect(await toTheEnd(world, id)).toMatchObject({ phase: 'completed', runs: { done: 1, failed: 2 } });
    const failed = (await world.rows(id)).filter(({ status }) => status === 'failed');
    for (const { reason } of failed)
      expect(reason).toBe('timed out: the run had not finished 1.5 s after its start');
    expect(await world.statusesAtService(id)).toEqual({ COMPLETED: 1, STOPPED: 2 });
  });

  test('give up a run, but do not stop the run if another campaign waits for it', async () => {
    const source = rehearsal({ count: 1, first: 310, seconds: 600 });
    const other = await world.foray.submit(source);
    await untilRunning(world, other.id);
    const impatient = await world.foray.submit({ ...source, text: `${source.text}timeouts: {run: 1 s}\n` });
    expect((await toTheEnd(world, impatient.id)).runs).toMatchObject({ failed: 1 });
    expect(await world.statusesAtService(other.id)).toEqual({ RUNNING: 1 });
    await world.foray.cancel(other.id);
    await toTheEnd(world, other.id);
  });

  test('end a campaign that takes too long; its phase is failed, and none of its runs is running', async () => {
    const source = rehearsal({ count: 6, first: 320, seconds: 60, more: 'timeouts: {campaign: 3 s}' });
    const { id } = await world.foray.submit(source);
    const end = await toTheEnd(world, id);
    expect(end).toMatchObject({ phase: 'failed', runs: { running: 0, queued: 0 } });
    expect(end.note).toContain('cancelled by its timeout: it had not finished 3 s after its start');
    expect(await world.statusesAtService(id)).not.toHaveProperty('RUNNING');
    expect(await closedStatus(world, id)).toBe('FAILED');
  });

  test('also end a paused campaign', async () => {
    const source = rehearsal({ count: 6, first: 330, seconds: 0.1, more: 'timeouts: {campaign: 2 s}' });
    // without a worker, the campaign cannot complete before the pause
    await stopWorker();
    const { id } = await world.foray.submit(source);
    await world.foray.steer(id, 'pause');
    await world.startWorker();
    expect(await toTheEnd(world, id)).toMatchObject({ phase: 'failed', runs: { done: 0, waiting: 6 } });
  });
});

describe('fresh', () => {
  test('draws a new seed, so that no run is reused; the points are the same', async () => {
    const source = rehearsal({ count: 4, first: 400, more: 'fresh: true' });
    const first = await world.foray.submit(source);
    await toTheEnd(world, first.id);
    const second = await world.foray.submit(source);
    expect((await toTheEnd(world, second.id)).runs).toMatchObject({ new: 4, reused: 0 });
    const keys = async (id: string) => (await world.rows(id)).map(({ point }) => point);
    expect(await keys(first.id)).toEqual(await keys(second.id));
  });

  test('with a salt gives the input another value in each campaign', async () => {
    const text = `
campaign: salted
model: {name: Rehearsal}
inputs: {Seconds: 0}
fresh: {salt: Value}
`;
    const ids = [];
    for (const file of ['a.yaml', 'b.yaml']) ids.push((await world.foray.submit({ text, file })).id);
    const echoes = [];
    for (const id of ids) {
      expect((await toTheEnd(world, id)).runs).toMatchObject({ new: 1 });
      echoes.push((await world.rows(id))[0]!.outputs.Echo);
    }
    expect(echoes[0]).not.toBe(echoes[1]);
  });

  test('starts no new campaign if the same definition is submitted again under the same id', async () => {
    const source = rehearsal({ count: 2, first: 410, more: 'fresh: true' });
    await world.foray.submit(source, { id: 'fresh-once' });
    expect(await world.foray.submit(source, { id: 'fresh-once' })).toMatchObject({ isNew: false });
    await toTheEnd(world, 'fresh-once');
  });
});

describe('in Temporal', () => {
  test('campaigns can be found by model, phase and owner', async () => {
    const { id, warning } = await world.foray.submit(rehearsal({ count: 1, first: 600 }));
    expect(warning).toBe('');
    await toTheEnd(world, id);
    const query = 'ForayModel = "Rehearsal" AND ForayPhase = "completed" AND ForayOwner = "somebody"';
    await until('Temporal lists the campaign', async () => {
      const found = await Array.fromAsync(world.environment.client.workflow.list({ query }));
      return found.some(({ workflowId }) => workflowId === id);
    });
  });

  test('a campaign has its priority, and its id is its fairness key, so that campaigns take turns', async () => {
    const { id } = await world.foray.submit(rehearsal({ count: 1, first: 620, more: 'priority: 1' }));
    await toTheEnd(world, id);
    const { events } = await world.environment.client.workflow.getHandle(id).fetchHistory();
    expect(events![0]!.workflowExecutionStartedEventAttributes!.priority).toMatchObject({
      priorityKey: 1,
      fairnessKey: id,
    });
  });

  test('one query gives the runs in flight, and another query gives the failures by cause', async () => {
    const text = `
campaign: mixed
model: {name: Rehearsal}
design: {grid: {Seconds: [0, -1, -2, 600], Fail: [true]}}
`;
    const { id } = await world.foray.submit({ text, file: 'mixed.yaml' });
    await until('three runs have failed', async () => (await world.foray.status(id)).runs.failed === 3);
    // the run starts when an executor is free, and the campaign sees that at its next look
    const flights = await until('the last run is running', async () => {
      const seen = await world.foray.flights(id);
      return seen.some(({ state }) => state === 'running') && seen;
    });
    expect(flights).toEqual([
      { seq: 3, state: 'running', startedAt: expect.any(Number), seenAt: expect.any(Number) },
    ]);
    const failures = await world.foray.failures(id);
    expect(failures).toEqual([
      {
        cause: 'Seconds is …: it must not be negative',
        count: 2,
        sample: expect.objectContaining({ replication: 1 }),
        log: expect.objectContaining({ lines: expect.arrayContaining([expect.stringMatching(/^Error: /)]) }),
      },
      {
        cause: 'Rehearsal was told to fail',
        count: 1,
        sample: expect.anything(),
        log: expect.anything(),
      },
    ]);
    await world.foray.cancel(id);
    await toTheEnd(world, id);
  });
});
