import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isClosed } from '../../src/client/index.ts';
import type { ResultRow } from '../../src/store/index.ts';
import { REHEARSAL } from '../service/fixed.ts';
import { toTheEnd, untilRunning, untilSomeAreDone } from '../support/campaigns.ts';
import { gated, writeGated } from '../support/gated.ts';
import { until } from '../support/until.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';
import { failing } from './failing.ts';

let folder: string;
let world: World;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'foray-gated-'));
  writeGated(folder);
  world = await startWorld({ models: [REHEARSAL, folder] });
  await world.startWorker();
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('retry', () => {
  const chancy = (first: number, more = '', count = 8) =>
    failing('chancy', { first, count, rate: 0.5, more });

  /** Stops a campaign of "Gated" when all its runs are requested. The gate is closed, so they are still in flight. */
  async function stopWhenRequested(id: string): Promise<void> {
    const status = () => world.foray.status(id);
    await until('all runs are requested', async () => (await status()).runs.waiting === 0);
    await world.foray.steer(id, 'stop');
    await until('the campaign stops', async () => (await status()).phase === 'stopping');
  }

  test('requests the failed runs of a finished campaign again, and a person can repeat this until all runs are done', async () => {
    const { id } = await world.foray.submit(chancy(1));
    let { runs } = await toTheEnd(world, id);
    expect(runs.failed).toBeGreaterThan(0);
    while (runs.failed > 0) {
      const change = await world.foray.retry(id, 'failed');
      expect(change).toMatchObject({ forgiven: runs.failed, open: runs.failed, wasClosed: true });
      ({ runs } = await toTheEnd(world, id));
    }
    expect(runs).toMatchObject({ total: 8, done: 8, new: 8, failed: 0 });
  });

  test('also works in a paused campaign', async () => {
    const { id } = await world.foray.submit(chancy(100, 'failures: {count: 0}', 20));
    // a run that is still in flight may fail after the retry
    const paused = await until(
      'the failure policy has paused the campaign, and no run is in flight',
      async () => {
        const status = await world.foray.status(id);
        return status.phase === 'paused' && status.runs.running + status.runs.queued === 0 && status;
      },
    );
    const { failed } = paused.runs;
    expect(await world.foray.retry(id)).toMatchObject({ wasClosed: false, forgiven: failed });
    expect(await world.foray.status(id)).toMatchObject({ phase: 'paused', runs: { failed: 0 } });
    await world.foray.cancel(id);
    await toTheEnd(world, id);
  });

  test('repeats runs, and a client that follows the results gets each new result', async () => {
    const more = 'concurrency: 2\nfailures: {count: 0}';
    const { id } = await world.foray.submit(gated({ count: 8, mark: join(folder, 'told'), more }));
    const told: ResultRow[] = [];
    const following = (async () => {
      const { rows } = await world.foray.results(id, { follow: true, everyMs: 50 });
      for await (const row of rows) told.push(row);
    })();
    let forgiven = 0;
    await until('the campaign is closed', async () => {
      const { phase, runs } = await world.foray.status(id);
      const areTold = told.filter(({ status }) => status === 'failed').length === forgiven + runs.failed;
      if (phase === 'paused' && runs.running + runs.queued === 0 && areTold) {
        forgiven += (await world.foray.retry(id)).forgiven;
        await world.foray.steer(id, 'resume');
      }
      return isClosed({ phase });
    });
    await following;
    expect(forgiven).toBeGreaterThan(0);
    const rows = await world.rows(id);
    expect(told).toHaveLength(rows.length + forgiven);
    const last = new Map(told.map((row) => [row.point, row]));
    expect(rows.map(({ point }) => last.get(point))).toEqual(rows);
  });

  test('requests the runs that a cancel left open, and keeps completed runs', async () => {
    const source = rehearsal({ count: 14, first: 200, seconds: 0.5, more: 'concurrency: 3' });
    const { id } = await world.foray.submit(source);
    await untilSomeAreDone(world, id);
    await world.foray.cancel(id);
    const { runs } = await toTheEnd(world, id);
    expect(runs.waiting).toBeGreaterThan(0);
    const done = (await world.rows(id)).map(({ runId }) => runId);
    expect(await world.foray.retry(id, 'failed')).toMatchObject({ forgiven: 0 });
    expect(await toTheEnd(world, id)).toMatchObject({ phase: 'cancelled', runs });
    expect(await world.foray.retry(id, 'missing')).toMatchObject({ open: runs.waiting });
    expect(await toTheEnd(world, id)).toMatchObject({ phase: 'completed', runs: { done: 14, new: 14 } });
    expect((await world.rows(id)).map(({ runId }) => runId)).toEqual(expect.arrayContaining(done));
  });

  test('continues a campaign, and a stop ends it as completed when every run has finished', async () => {
    const gate = join(folder, 'continued');
    const { id } = await world.foray.submit(gated({ count: 2, gate, more: 'concurrency: 2' }));
    await untilRunning(world, id);
    await world.foray.cancel(id);
    await toTheEnd(world, id);
    await world.foray.retry(id);
    await stopWhenRequested(id);
    writeFileSync(gate, '');
    expect(await toTheEnd(world, id)).toMatchObject({ phase: 'completed', runs: { done: 2, waiting: 0 } });
  });

  test('continues a decided selection, and a stop ends it as completed when every run has finished', async () => {
    const gate = join(folder, 'chosen');
    writeFileSync(gate, '');
    const more = 'select: {maximize: Out, runs: 10, report: 2}\nreplications: 4';
    const { id } = await world.foray.submit(gated({ count: 2, gate, mark: gate, more }));
    const before = await toTheEnd(world, id);
    expect(before).toMatchObject({ phase: 'completed', strategy: { stage: 'over' } });
    expect(before.runs.failed).toBeGreaterThan(0);
    rmSync(gate);
    await world.foray.retry(id);
    await stopWhenRequested(id);
    writeFileSync(gate, '');
    expect(await toTheEnd(world, id)).toMatchObject({ phase: 'completed', runs: { waiting: 0 } });
  });

  test('continues a terminated campaign with the runs that were in flight', async () => {
    const { id } = await world.foray.submit(rehearsal({ count: 8, first: 300, seconds: 1.5 }));
    await untilRunning(world, id);
    await world.environment.client.workflow.getHandle(id).terminate();
    await world.foray.retry(id);
    expect(await toTheEnd(world, id)).toMatchObject({ phase: 'completed', runs: { done: 8, new: 8 } });
  });

  test('continues a campaign that was cancelled before its design was expanded', async () => {
    const idle = await startWorld({ beside: world });
    try {
      const { id } = await idle.foray.submit(rehearsal({ count: 3, first: 350 }));
      await idle.foray.cancel(id);
      await idle.startWorker();
      expect(await toTheEnd(idle, id)).toMatchObject({ phase: 'cancelled', runs: { done: 0 } });
      await idle.foray.retry(id);
      expect(await toTheEnd(idle, id)).toMatchObject({ phase: 'completed', points: 3, runs: { done: 3 } });
    } finally {
      await idle.close();
    }
  });

  test('shows its reason and its author in the list of workflows in Temporal, with the number of failed runs', async () => {
    const failing = (points: number) => ({
      text: `
campaign: failing
model: {name: Rehearsal}
inputs: {Seconds: 0, Failure rate: 1}
design: {grid: {Value: {from: 450, to: ${449 + points}, step: 1}}}
`,
      file: 'failing.yaml',
    });
    const { id } = await world.foray.submit(failing(3));
    const handle = world.environment.client.workflow.getHandle(id);
    const outcome = (): Promise<Record<string, unknown> | undefined> =>
      until('the workflow is closed', async () => {
        const { status, memo } = await handle.describe();
        return status.name !== 'RUNNING' && memo;
      });
    await toTheEnd(world, id);
    const first = await outcome();
    expect(first).toMatchObject({ outcome: 'completed, 3 of 3 runs failed' });
    expect(first).not.toHaveProperty('reason');
    expect(await (await handle.describe()).staticSummary()).toBe('failing: Rehearsal');
    const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(currentDetails.split('\n')[0]).toMatch(/^\*\*completed, 3 of 3 runs failed\*\*: /);

    await world.foray.retry(id);
    await toTheEnd(world, id);
    const reason = 'retry of 3 failed runs';
    expect(await outcome()).toMatchObject({ reason, by: 'somebody', outcome: first!.outcome });
    const summary = await (await handle.describe()).staticSummary();
    expect(summary).toBe(`failing: Rehearsal; ${reason}, by somebody`);

    await world.foray.apply(id, failing(5));
    await toTheEnd(world, id);
    expect(await outcome()).toMatchObject({
      reason: 'apply of a definition: points 3 → 5',
      outcome: 'completed, 5 of 5 runs failed',
    });
  });

  test('refuses an unknown argument', async () => {
    const { id } = await world.foray.submit(rehearsal({ count: 1, first: 400, seconds: 60 }));
    await untilRunning(world, id);
    const handle = world.environment.client.workflow.getHandle(id);
    await expect(handle.executeUpdate('retry', { args: ['everything'] })).rejects.toMatchObject({
      cause: { message: expect.stringContaining('"failed", "missing", "all" or {"cause": …}') },
    });
    await world.foray.cancel(id);
    await toTheEnd(world, id);
  });
});
