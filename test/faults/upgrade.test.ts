import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';
import { report } from '../support/seeds.ts';
import { builtWorkflowBundle } from '../support/built-workflow-bundle.ts';
import '../support/quiet-runtime.ts';

/** A campaign of an earlier release can continue with this release, because every recorded history replays. */

const HISTORIES = resolve(import.meta.dirname, '../histories');
const histories = readdirSync(HISTORIES, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.json'),
);

const read = (file: string): { events: { eventType: string }[] } =>
  JSON.parse(readFileSync(join(HISTORIES, file), 'utf8')) as { events: { eventType: string }[] };

/** Replays all histories in one worker. Returns the error of each file that does not replay. */
async function replay(options: ReplayWorkerOptions): Promise<[file: string, error: string][]> {
  const named = histories.map((file) => ({ workflowId: file, history: read(file) }));
  const results = await Array.fromAsync(Worker.runReplayHistories(options, named));
  expect(results.map(({ workflowId }) => workflowId)).toEqual(histories);
  return results.flatMap(({ workflowId, error }) => (error ? [[workflowId, error.message]] : []));
}

test('each of at least six recorded histories replays, so a running campaign can continue with this workflow', async () => {
  expect(histories.length).toBeGreaterThanOrEqual(6);
  expect(await replay({ workflowBundle: builtWorkflowBundle() })).toEqual([]);
  report(`upgrade: ${histories.length} recorded histories replay`);
});

test('each recorded history replays with traces, so somebody may switch them on', async () => {
  // the spans of the last step go nowhere
  const sinks = { exporter: { export: { fn: () => {} } } };
  expect(await replay({ workflowBundle: builtWorkflowBundle('traced'), sinks })).toEqual([]);
});

test('a history that this workflow cannot produce does not replay', async () => {
  const history = read(histories.find((file) => file.endsWith('completed.json'))!);
  const timer = history.events.findIndex(({ eventType }) => eventType === 'EVENT_TYPE_TIMER_STARTED');
  expect(timer).toBeGreaterThan(0);
  history.events[timer]!.eventType = 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED';
  await expect(Worker.runReplayHistory({ workflowBundle: builtWorkflowBundle() }, history)).rejects.toThrow();
});
