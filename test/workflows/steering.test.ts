import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { definitionLimits, JobThreads } from '../../src/server/jobs/job-threads.ts';
import { Shares } from '../../src/server/shares.ts';
import { closedStatus, toTheEnd, untilRunning, untilSomeAreDone } from '../support/campaigns.ts';
import { type FaultyService, pass, startFaultyService } from '../support/faulty-service.ts';
import { until } from '../support/until.ts';
import { EPIDEMIC } from '../service/fixed.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.startWorker();
});
afterAll(() => world.close());

describe('steering', () => {
  test('a paused campaign requests no runs, lets running runs finish, and continues when a person resumes it', async () => {
    const source = rehearsal({ count: 14, first: 10_000, seconds: 0.7, more: 'concurrency: 2' });
    const { id } = await world.foray.submit(source);
    await untilSomeAreDone(world, id);
    await world.foray.steer(id, 'pause', 'lunch');
    const paused = await until('the campaign is paused and no run is in flight', async () => {
      const status = await world.foray.status(id);
      return status.phase === 'paused' && status.runs.running + status.runs.queued === 0 && status;
    });
    expect(paused.note).toContain('paused: lunch');
    expect(paused.runs.waiting).toBeGreaterThan(0);
    // the workflow is paused a moment before the store knows it
    await until('the list shows the pause', async () =>
      (await world.foray.list()).some((campaign) => campaign.id === id && campaign.phase === 'paused'),
    );
    // a tick that takes long may still have requested runs
    const statuses = await until('no run is in flight at the service', async () => {
      const found = await world.statusesAtService(id);
      return !('QUEUED' in found) && !('RUNNING' in found) && found;
    });
    const { runs } = await until('the campaign knows all results', async () => {
      const status = await world.foray.status(id);
      return status.runs.done === statuses['COMPLETED'] && status;
    });
    expect(statuses).toEqual({ COMPLETED: runs.done, NONE: runs.waiting });
    await world.foray.steer(id, 'resume', 'back');
    const end = await toTheEnd(world, id);
    expect(end.note).toBe('paused: lunch; resumed: back');
    expect(end).toMatchObject({ phase: 'completed', runs: { total: 14, new: 14 } });
  });

  test('a paused campaign can be cancelled', async () => {
    const { id } = await world.foray.submit(rehearsal({ count: 8, first: 10_500, seconds: 60 }));
    await untilRunning(world, id);
    await world.foray.steer(id, 'pause');
    await until('the campaign is paused', async () => (await world.foray.status(id)).phase === 'paused');
    await world.foray.cancel(id);
    expect((await toTheEnd(world, id)).phase).toBe('cancelled');
    expect(Object.keys(await world.statusesAtService(id))).not.toContain('RUNNING');
  });

  test('a stopped campaign closes when all requested runs have finished, and stops none of them', async () => {
    const source = rehearsal({ count: 40, first: 11_000, seconds: 0.7, more: 'concurrency: 3' });
    const { id } = await world.foray.submit(source);
    await untilSomeAreDone(world, id);
    await world.foray.steer(id, 'stop', 'enough is known');
    const end = await toTheEnd(world, id);
    expect(end).toMatchObject({ phase: 'cancelled', runs: { total: 40, failed: 0, running: 0, queued: 0 } });
    expect(end.runs.done).toBeGreaterThan(0);
    expect(end.runs.waiting).toBeGreaterThan(0);
    expect(end.note).toContain('stopped: enough is known');
    const statuses = await world.statusesAtService(id);
    expect(statuses).toEqual({ COMPLETED: end.runs.done, NONE: end.runs.waiting });
  });

  test('the concurrency can be set while a campaign runs, and an invalid value is refused', async () => {
    const source = rehearsal({ count: 30, first: 12_000, seconds: 60, more: 'concurrency: 1' });
    const { id } = await world.foray.submit(source);
    await untilRunning(world, id);
    await world.foray.setConcurrency(id, 4);
    await until('four runs are in flight', async () => {
      const { runs } = await world.foray.status(id);
      return runs.running + runs.queued === 4;
    });
    expect((await world.foray.status(id)).concurrency).toBe(4);
    const handle = world.environment.client.workflow.getHandle(id);
    for (const wrong of [0, 1.5, -1, 'many', null]) {
      await expect(handle.executeUpdate('setConcurrency', { args: [wrong] })).rejects.toThrow();
    }
    for (const wrong of [0, 1.5]) {
      await expect(world.foray.setConcurrency(id, wrong)).rejects.toMatchObject({ code: 'INVALID_VALUE' });
    }
    await world.foray.cancel(id);
    await toTheEnd(world, id);
  });

  test('a finished campaign refuses a pause and a new concurrency; the refusal of a resume names the command that continues it', async () => {
    const { id } = await world.foray.submit(rehearsal({ count: 1, first: 13_000 }));
    await toTheEnd(world, id);
    await expect(world.foray.steer(id, 'pause')).rejects.toMatchObject({ code: 'CAMPAIGN_CLOSED' });
    await expect(world.foray.setConcurrency(id, 2)).rejects.toMatchObject({ code: 'CAMPAIGN_CLOSED' });
    await expect(world.foray.steer(id, 'resume')).rejects.toMatchObject({
      code: 'CAMPAIGN_CLOSED',
      hint: expect.stringContaining(`foray retry ${id}`),
    });
  });

  test('a cancel is refused if the campaign completes before the signal arrives', async () => {
    const { id } = await world.foray.submit(rehearsal({ count: 1, first: 13_100, seconds: 1 }));
    const { temporal } = world.foray['context'];
    const call = temporal.call.bind(temporal);
    temporal.call = async (name, ...given) => {
      if (name === 'signal') await closedStatus(world, id);
      return call(name, ...given);
    };
    await expect(world.foray.cancel(id)).rejects.toMatchObject({
      code: 'CAMPAIGN_CLOSED',
      message: expect.stringContaining('is completed already'),
    });
    temporal.call = call;
    expect((await world.foray.status(id)).phase).toBe('completed');
  });
});

test('a change of a campaign whose worker fails or does not answer says so, and changes nothing', async () => {
  const other = await startWorld({ beside: world });
  try {
    const { id } = await other.foray.submit(rehearsal({ count: 1, first: 14_000 }));
    // Temporal refuses an update when the last tasks of the workflow failed or timed out
    const { client } = other.environment;
    const queue = { namespace: 'default', taskQueue: { name: other.settings.taskQueue } };
    await client.withDeadline(Date.now() + 30_000, async () => {
      for (let attempt = 1; attempt <= 2; attempt++) {
        const { taskToken } = await client.workflowService.pollWorkflowTaskQueue(queue);
        await client.workflowService.respondWorkflowTaskFailed({ namespace: 'default', taskToken });
      }
    });
    const silent = {
      code: 'WORKER_SILENT',
      message: expect.stringMatching(/is not changed: no worker (answered|works)/),
    };
    await expect(other.foray.setConcurrency(id, 2)).rejects.toMatchObject(silent);
    await expect(other.foray.retry(id)).rejects.toMatchObject(silent);
    await other.startWorker();
    expect(await toTheEnd(other, id)).toMatchObject({ phase: 'completed' });
  } finally {
    await other.close();
  }
});

test('without a worker, a change says so, no thread of a server waits for it, and a worker that comes later may make it', async () => {
  const other = await startWorld({ beside: world });
  const threads = new JobThreads(other.settings, new Shares(), definitionLimits);
  try {
    const { id } = await other.foray.submit(rehearsal({ count: 1, first: 14_100 }));
    const definition = rehearsal({ count: 2, first: 14_100 });
    const silent = {
      code: 'WORKER_SILENT',
      message: expect.stringContaining('is not changed: no worker'),
      hint: 'The change may still be made when a worker answers.',
    };
    const sent = { text: definition.text };
    const prepared = await threads.run('one', 'change', { sent, id, reason: 'larger' });
    await Promise.all([
      expect(other.foray.sendChange(id, prepared)).rejects.toMatchObject(silent),
      expect(other.foray.setConcurrency(id, 2)).rejects.toMatchObject(silent),
    ]);
    await other.startWorker();
    expect(await toTheEnd(other, id)).toMatchObject({ phase: 'completed', points: 2 });
  } finally {
    await threads.close();
    await other.close();
  }
});

test('while the service is away, a campaign is paused and stopped at once, and its timeout ends it', async () => {
  let front!: FaultyService;
  const through = async (service: { url: string }) => (front = await startFaultyService(service));
  const other = await startWorld({ beside: world, through });
  try {
    await other.startWorker();
    const phaseOf = async (id: string) => (await other.foray.results(id)).record.phase;
    const away = async (id: string): Promise<void> => {
      await untilRunning(other, id);
      front.plan = () => ({ kind: 'answer', status: 503 });
      await until('a tick waits for the service', async () => {
        const { raw } = await other.environment.client.workflow.getHandle(id).describe();
        return raw.pendingActivities?.some(({ attempt }) => attempt! > 1);
      });
    };
    const { id } = await other.foray.submit(rehearsal({ count: 2, first: 15_000, seconds: 60 }));
    await away(id);
    await other.foray.steer(id, 'pause');
    await until('the campaign is paused', async () => (await phaseOf(id)) === 'paused');
    await other.foray.steer(id, 'resume');
    await until('the campaign goes on', async () => (await phaseOf(id)) === 'running');
    await other.foray.steer(id, 'stop');
    await until('the campaign is stopping', async () => (await phaseOf(id)) === 'stopping');
    front.plan = pass;
    await other.foray.cancel(id);
    await toTheEnd(other, id);

    const more = 'timeouts: {campaign: 15 s}';
    const late = await other.foray.submit(rehearsal({ count: 2, first: 15_100, seconds: 60, more }));
    await away(late.id);
    await until('the campaign stops its runs', async () => (await phaseOf(late.id)) === 'stopping');
    front.plan = pass;
    const end = await toTheEnd(other, late.id);
    expect(end.phase).toBe('failed');
    expect(end.note).toContain('cancelled by its timeout: it had not finished 15 s after its start');
  } finally {
    await other.close();
  }
});

test('a campaign whose preparation waits for the service is paused at once, keeps the pause when it is prepared, and goes on after a resume', async () => {
  let front!: FaultyService;
  const through = async (service: { url: string }) => (front = await startFaultyService(service));
  const other = await startWorld({ beside: world, models: [EPIDEMIC], through });
  try {
    await other.startWorker();
    const phaseOf = async (id: string) => (await other.foray.results(id)).record.phase;
    front.plan = ({ path }) =>
      path.startsWith('/check-file') ? { kind: 'answer', status: 503 } : { kind: 'pass' };
    const observed = join(other.folder, 'observed.csv');
    writeFileSync(observed, 'day,cases\n1,3\n2,8\n');
    const text = `campaign: flu
model: { name: Epidemic }
files: { Observed cases: ${JSON.stringify(observed)} }
outputs: [Peak day]
`;
    const { id } = await other.foray.submit({ file: 'flu.yaml', text });
    expect(await phaseOf(id)).toBe('preparing');
    await other.foray.steer(id, 'pause', 'the service is away');
    await until('the campaign is paused', async () => (await phaseOf(id)) === 'paused');
    expect((await other.foray.status(id)).phase).toBe('paused');
    front.plan = pass;
    await until('the design is expanded', async () => (await other.foray.status(id)).runs.total === 1);
    expect([await phaseOf(id), (await other.foray.status(id)).phase]).toEqual(['paused', 'paused']);
    expect(await other.statusesAtService(id)).toEqual({ NONE: 1 });
    await other.foray.steer(id, 'resume');
    expect(await toTheEnd(other, id)).toMatchObject({ phase: 'completed', runs: { total: 1, done: 1 } });
  } finally {
    await other.close();
  }
});
