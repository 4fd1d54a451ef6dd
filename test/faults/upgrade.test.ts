import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
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

let replayed = 0;
afterAll(() => report(`upgrade: ${replayed} of ${histories.length} recorded histories replay`));

test('there are at least six recorded histories', () => {
  expect(histories.length).toBeGreaterThanOrEqual(6);
});

test.each(histories)('%s replays, so a running campaign can continue with this workflow', async (file) => {
  await Worker.runReplayHistory({ workflowBundle: builtWorkflowBundle() }, read(file));
  replayed += 1;
});

test.each(histories)('%s replays with traces, so somebody may switch them on', async (file) => {
  // the spans of the last step go nowhere
  const sinks = { exporter: { export: { fn: () => {} } } };
  await Worker.runReplayHistory({ workflowBundle: builtWorkflowBundle('traced'), sinks }, read(file));
});

test('a history that this workflow cannot produce does not replay', async () => {
  const history = read(histories.find((file) => file.endsWith('completed.json'))!);
  const timer = history.events.findIndex(({ eventType }) => eventType === 'EVENT_TYPE_TIMER_STARTED');
  expect(timer).toBeGreaterThan(0);
  history.events[timer]!.eventType = 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED';
  await expect(Worker.runReplayHistory({ workflowBundle: builtWorkflowBundle() }, history)).rejects.toThrow();
});
