import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { campaign, CampaignSummary } from '../../src/workflows/index.ts';
import { closedStatus, toTheEnd, untilRunning } from '../support/campaigns.ts';
import { leaksIn } from '../support/spellings.ts';
import { until } from '../support/until.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';

const EXECUTORS = 2;

let world: World;
beforeAll(async () => {
  world = await startWorld({ executors: EXECUTORS });
  await world.startWorker();
});
afterAll(() => world.close());

describe('a campaign', () => {
  test('runs every point once and closes with a summary', async () => {
    const { id, runs } = await world.foray.submit(rehearsal({ count: 30, first: 1 }));
    expect(runs).toBe(30);
    const status = await toTheEnd(world, id);
    expect(status).toMatchObject({
      phase: 'completed',
      points: 30,
      runs: { total: 30, done: 30, new: 30, reused: 0, failed: 0, running: 0, queued: 0, waiting: 0 },
    });
    const rows = await world.rows(id);
    expect(rows.map(({ values, outputs }) => [values[0], outputs.Echo])).toEqual(
      Array.from({ length: 30 }, (_, index) => [String(index + 1), String(index + 1)]),
    );
    const handle = world.environment.client.workflow.getHandle<typeof campaign>(id);
    const summary: CampaignSummary = await handle.result();
    expect(summary).toMatchObject({ campaign: id, phase: 'completed', points: 30, runs: status.runs });
  });

  test('reuses runs of the service, and reports the same results', async () => {
    const first = await world.foray.submit(rehearsal({ count: 12, first: 100 }));
    await toTheEnd(world, first.id);
    const second = await world.foray.submit(rehearsal({ count: 15, first: 100 }));
    expect((await toTheEnd(world, second.id)).runs).toMatchObject({
      total: 15,
      done: 15,
      reused: 12,
      new: 3,
    });
    const table = async (id: string) =>
      (await world.rows(id)).map(({ point, replication, status, values, outputs }) => ({
        point,
        replication,
        status,
        values,
        outputs,
      }));
    expect((await table(second.id)).slice(0, 12)).toEqual(await table(first.id));
  });

  test('gives each replication its own seed', async () => {
    const more = 'replications: 3\nseed: 7';
    const { id } = await world.foray.submit(rehearsal({ count: 4, first: 150, more }));
    expect((await toTheEnd(world, id)).runs).toMatchObject({ total: 12, new: 12 });
    const rows = await world.rows(id);
    expect(rows.map(({ values, replication }) => `${values[0]}/${replication}`)).toEqual(
      [150, 151, 152, 153].flatMap((value) => [1, 2, 3].map((replication) => `${value}/${replication}`)),
    );
  });

  test('keeps the reason of a failed run, and continues', async () => {
    const text = `
campaign: failing
model: {name: Rehearsal}
inputs: {Seconds: 0, Value: 200}
design: {grid: {Fail: [true, false]}}
`;
    const { id } = await world.foray.submit({ text, file: 'failing.yaml' });
    expect(await toTheEnd(world, id)).toMatchObject({
      phase: 'completed',
      runs: { total: 2, done: 1, failed: 1 },
    });
    const failed = (await world.rows(id)).find(({ status }) => status === 'failed');
    expect(failed).toMatchObject({ values: ['true'], outputs: {} });
    expect(failed!.reason).toMatch(/told to fail/i);
  });

  test('has no value of an input or output and no key in its history', async () => {
    const { id } = await world.foray.submit(rehearsal({ count: 3, first: 987_654_320 }));
    await toTheEnd(world, id);
    const history = await world.environment.client.workflow.getHandle(id).fetchHistory();
    const text = JSON.stringify(history);
    // payloads are base64 in the history; the id shows that leaksIn finds texts in them
    expect(leaksIn(text, id)).not.toEqual([]);
    expect(leaksIn(text, '98765432')).toEqual([]);
    expect(leaksIn(text, world.settings.service.key)).toEqual([]);
  });
});

describe('cancelling', () => {
  const ways: Record<string, (id: string) => Promise<unknown>> = {
    'foray cancel': (id) => world.foray.cancel(id, 'enough'),
    'a signal from any client': (id) => world.environment.client.workflow.getHandle(id).signal('cancel'),
    "Temporal's own cancel": (id) => world.environment.client.workflow.getHandle(id).cancel(),
  };
  test.each(Object.entries(ways))('by %s stops all runs of the campaign', async (name, cancel) => {
    const first = 1_000 * (1 + Object.keys(ways).indexOf(name));
    const { id } = await world.foray.submit(rehearsal({ count: 40, first, seconds: 60 }));
    await untilRunning(world, id);
    await cancel(id);
    const status = await toTheEnd(world, id);
    expect(status).toMatchObject({ phase: 'cancelled', runs: { total: 40, done: 0, running: 0, queued: 0 } });
    const statuses = await world.statusesAtService(id);
    expect(statuses.STOPPED).toBeGreaterThan(0);
    expect(Object.keys(statuses).sort()).toEqual(['NONE', 'STOPPED']);
    expect(await closedStatus(world, id)).toBe(name.startsWith('Temporal') ? 'CANCELLED' : 'COMPLETED');
  });

  test('keeps finished runs', async () => {
    const text = `
campaign: mixed
model: {name: Rehearsal}
inputs: {Value: 1}
design: {grid: {Seconds: [0.01, 0.02, 60, 61, 62]}}
`;
    const { id } = await world.foray.submit({ text, file: 'mixed.yaml' });
    await until('two runs are done', async () => (await world.foray.status(id)).runs.done === 2);
    await world.foray.cancel(id);
    expect((await toTheEnd(world, id)).runs).toMatchObject({
      done: 2,
      new: 2,
      running: 0,
      queued: 0,
      waiting: 3,
    });
    expect(await world.rows(id)).toHaveLength(2);
  });

  test('does not stop runs that another campaign waits for, until that campaign is also cancelled', async () => {
    const source = rehearsal({ count: 2, first: 5_000, seconds: 600 });
    const first = await world.foray.submit(source);
    const second = await world.foray.submit(source);
    for (const { id } of [first, second]) await untilRunning(world, id);
    // an executor that stopped a run of an earlier test may start slowly
    await until('both runs are running', async () => (await world.statusesAtService(first.id)).RUNNING === 2);
    await world.foray.cancel(first.id);
    expect((await toTheEnd(world, first.id)).phase).toBe('cancelled');
    expect(await world.statusesAtService(second.id)).toEqual({ RUNNING: 2 });
    await world.foray.cancel(second.id);
    await toTheEnd(world, second.id);
    expect(await world.statusesAtService(second.id)).toEqual({ STOPPED: 2 });
  });

  test('still works if somebody terminated the workflow', async () => {
    const { id } = await world.foray.submit(rehearsal({ count: 8, first: 6_000, seconds: 60 }));
    await untilRunning(world, id);
    await world.environment.client.workflow.getHandle(id).terminate();
    const terminated = await world.foray.status(id);
    expect(terminated.source).toBe('store');
    const why = `its workflow has ended (terminated); "foray retry ${id}" continues the campaign, and "foray cancel ${id}" ends it`;
    expect(terminated.blocked).toBe(why);
    expect((await world.foray.blocked()).get(id)).toBe(why);
    await expect(world.foray.steer(id, 'pause')).rejects.toMatchObject({
      hint: expect.stringContaining(`foray retry ${id}`),
    });
    await world.environment.client.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: id },
    });
    const lost = `Temporal has no workflow of the campaign (any more); "foray retry ${id}" continues the campaign, and "foray cancel ${id}" ends it`;
    await until(
      'Temporal has lost the workflow',
      async () => (await world.foray.status(id)).blocked === lost,
    );
    expect((await world.foray.list()).find((each) => each.id === id)?.blocked).toBe(lost);
    await world.foray.cancel(id, 'it is stuck');
    const cancelled = await toTheEnd(world, id);
    expect(cancelled.phase).toBe('cancelled');
    expect(cancelled.note).toContain('it is stuck; 8 runs stopped');
    expect(Object.keys(await world.statusesAtService(id)).sort()).toEqual(['STOPPED']);
  });

  test('is refused if the campaign has ended', async () => {
    const { id } = await world.foray.submit(rehearsal({ count: 1, first: 7_000 }));
    await toTheEnd(world, id);
    await expect(world.foray.cancel(id)).rejects.toMatchObject({ code: 'CAMPAIGN_CLOSED' });
  });
});

describe('a failure policy', () => {
  /** Ten runs. The first five have Fail: true, so they fail. */
  const failing = (name: string, first: number, policy: string, concurrency = 1) => ({
    text: `
campaign: ${name}
model: {name: Rehearsal}
inputs: {Seconds: 0.2}
design: {grid: {Fail: [true, false], Value: {from: ${first}, to: ${first + 4}, step: 1}}}
concurrency: ${concurrency}
failures: ${policy}
`,
    file: `${name}.yaml`,
  });

  test('pauses the campaign and says why; a person can resume it', async () => {
    const { id } = await world.foray.submit(failing('pausing', 20_000, '{rate: 0.5, after: 2}'));
    const paused = await until('the campaign is paused', async () => {
      const status = await world.foray.status(id);
      return status.phase === 'paused' && status;
    });
    expect(paused.pausedBy).toBe('policy');
    expect(paused.note).toMatch(/paused by its failure policy: \d of \d runs failed, more than 50 %/);
    await world.foray.steer(id, 'resume');
    await until('the campaign has completed', async () => {
      const status = await world.foray.status(id);
      if (status.phase === 'paused') await world.foray.steer(id, 'resume');
      return status.phase === 'completed';
    });
    expect((await world.foray.status(id)).runs).toMatchObject({ total: 10, done: 5, failed: 5 });
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['foray cancel', (id) => world.foray.cancel(id)],
    ['foray stop', (id) => world.foray.steer(id, 'stop')],
    ["Temporal's own cancel", (id) => world.environment.client.workflow.getHandle(id).cancel()],
  ])(
    'leads to the phase cancelled, not failed, if a person ends the paused campaign by %s',
    async (name, end) => {
      const first = 23_000 + 100 * name.length;
      const { id } = await world.foray.submit(failing('ended', first, '{count: 0}'));
      await until('the campaign is paused', async () => (await world.foray.status(id)).phase === 'paused');
      await end(id);
      expect((await toTheEnd(world, id)).phase).toBe('cancelled');
    },
  );

  test.each(['stop', 'cancel'])('with "then: %s" ends the campaign in the phase failed', async (then) => {
    const first = then === 'stop' ? 21_000 : 22_000;
    const { id } = await world.foray.submit(failing(then, first, `{count: 1, then: ${then}}`));
    const end = await toTheEnd(world, id);
    expect(end).toMatchObject({ phase: 'failed', runs: { total: 10, running: 0, queued: 0 } });
    expect(end.runs.failed).toBeGreaterThan(1);
    expect(end.runs.waiting).toBeGreaterThan(0);
    expect(end.note).toMatch(/by its failure policy: \d runs failed, more than 1/);
    expect(await closedStatus(world, id)).toBe('FAILED');
  });

  test('with "then: stop" also ends the campaign in the phase failed if all runs were requested before', async () => {
    const { id } = await world.foray.submit(failing('requested', 26_000, '{count: 1, then: stop}', 10));
    const end = await toTheEnd(world, id);
    expect(end).toMatchObject({ phase: 'failed', runs: { done: 5, failed: 5, waiting: 0 } });
    expect(await closedStatus(world, id)).toBe('FAILED');
  });
});

test('the details for the Web UI show the progress of the campaign', async () => {
  const { id } = await world.foray.submit(rehearsal({ count: 5, first: 8_000, seconds: 60 }));
  await untilRunning(world, id);
  const handle = world.environment.client.workflow.getHandle(id);
  const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  expect(currentDetails).toMatch(/\*\*running\*\*: 0 of 5 runs finished/);
  await world.foray.cancel(id);
  await toTheEnd(world, id);
});
