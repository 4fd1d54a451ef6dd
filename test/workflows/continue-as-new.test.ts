import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { closedStatus } from '../support/campaigns.ts';
import { until } from '../support/until.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ suggestContinueAsNew: 30, executors: 2 });
  await world.startWorker();
});
afterAll(() => world.close());

async function executions(id: string): Promise<number> {
  let count = 0;
  for await (const execution of world.environment.client.workflow.list({ query: `WorkflowId = "${id}"` })) {
    count += execution.workflowId === id ? 1 : 0;
  }
  return count;
}

test('a campaign continues in new executions of its workflow, and gets each run exactly once', async () => {
  const { id } = await world.foray.submit(rehearsal({ count: 14, seconds: 0.9, more: 'concurrency: 2' }));
  for await (const status of world.foray.follow(id, 300)) expect(status.runs.failed).toBe(0);
  const rows = await world.rows(id);
  expect(rows.map(({ values }) => Number(values[0]))).toEqual(Array.from({ length: 14 }, (_, at) => at + 1));
  expect(new Set(rows.map(({ runId }) => runId)).size).toBe(14);
  expect(await world.foray.status(id)).toMatchObject({ phase: 'completed', runs: { new: 14, total: 14 } });
  expect(await closedStatus(world, id)).toBe('COMPLETED');
  await until('the executions are listed', async () => (await executions(id)) > 1);
  // the last execution has the search attributes and the priority of the campaign
  const last = await world.environment.client.workflow.getHandle(id).describe();
  expect(last.memo).toMatchObject({ name: 'rehearsal', model: 'Rehearsal' });
  expect(last.searchAttributes).toMatchObject({
    ForayModel: ['Rehearsal'],
    ForayPhase: ['completed'],
    ForayOwner: ['somebody'],
  });
  expect(last.priority).toMatchObject({ priorityKey: 3, fairnessKey: id });
});

test('a cancel in a later execution of the workflow still stops the running runs', async () => {
  const { id, runId } = await world.foray.submit(
    rehearsal({ count: 30, first: 500, seconds: 2, more: 'concurrency: 3' }),
  );
  const handle = world.environment.client.workflow.getHandle(id);
  await until('a second execution runs', async () => (await handle.describe()).runId !== runId);
  await world.foray.cancel(id);
  for await (const status of world.foray.follow(id, 300)) expect(status.runs.total).toBe(30);
  const statuses = await world.statusesAtService(id);
  expect(statuses.FRESH ?? 0).toBe(0);
  expect(statuses.RUNNING ?? 0).toBe(0);
});
