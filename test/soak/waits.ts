import { writeFileSync } from 'node:fs';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../src/errors.ts';
import type { World } from './world.ts';

/** How many open runs of a campaign are explained, and how many of its last events are named. */
const [RUNS, EVENTS] = [3, 8];

/** What an open campaign waits for: sentences of foray, of the service's database and of Temporal. */
export async function waitsOf(world: World, id: string): Promise<string[]> {
  const parts = await Promise.all(
    [statusOf, runsOf, workflowOf].map((part) =>
      part(world, id).catch((error: unknown) => [`${part.name}: ${messageOf(error)}`]),
    ),
  );
  return parts.flat();
}

async function statusOf({ foray }: World, id: string): Promise<string[]> {
  const { phase, runs, blocked, pausedBy, note } = await foray.status(id);
  const paused = pausedBy === null ? '' : `, paused by ${pausedBy}`;
  return [`${phase}${paused}: ${JSON.stringify(runs)} ${blocked ?? ''} ${note}`.trim()];
}

/** The first open runs, and what the service has of them. */
async function runsOf({ foray, disks }: World, id: string): Promise<string[]> {
  const open = await foray['store'].openRuns(id);
  const db = new DatabaseSync(join(disks.service, 'service.db'), { readOnly: true });
  try {
    const query = db.prepare('SELECT status, executions, failure FROM runs WHERE id = ?');
    return await Promise.all(
      open.slice(0, RUNS).map(async ({ seq, point, replication, runId }) => {
        const { runs } = await foray.explain(id, point.key);
        const why = runs.find((run) => run.replication === replication)?.why;
        const atService = runId === null ? 'no id' : JSON.stringify(query.get(runId) ?? 'unknown');
        return `run ${seq}: ${why} The service's database: ${atService}`;
      }),
    );
  } finally {
    db.close();
  }
}

/** Writes a campaign's record, the states of its runs and its workflow's history beside the logs of the processes. */
export async function keepStory(world: World, id: string): Promise<void> {
  const { foray, logs } = world;
  const story = {
    record: await foray['store'].getCampaign(id),
    counts: await foray['store'].counts(id),
    open: await foray['store'].openRuns(id),
    history: await withWorkflow(world, id, (handle) => handle.fetchHistory()),
  };
  const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
  writeFileSync(join(logs, `${id}.json`), JSON.stringify(story, plain, 1));
}

/** The activities that the workflow waits for, and its last events. */
function workflowOf(world: World, id: string): Promise<string[]> {
  return withWorkflow(world, id, async (handle) => {
    const { raw, historyLength } = await handle.describe();
    const { events } = await handle.fetchHistory();
    const activities = raw.pendingActivities?.map(
      ({ activityType, attempt, lastFailure }) =>
        `waits for ${activityType?.name}, attempt ${attempt} ${lastFailure?.message ?? ''}`,
    );
    const names = events
      ?.slice(-EVENTS)
      .map((event) => Object.keys(event).find((key) => key.endsWith('Attributes')));
    const task = raw.pendingWorkflowTask
      ? [`its workflow task has the attempt ${raw.pendingWorkflowTask.attempt}`]
      : [];
    return [
      ...(activities ?? []),
      ...task,
      `${historyLength} events, the last: ${names?.map((name) => name?.replace(/EventAttributes$/, '')).join(', ')}`,
    ];
  });
}

async function withWorkflow<T>(
  { settings }: World,
  id: string,
  ask: (handle: WorkflowHandle) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect(settings.temporal.connectionOptions);
  try {
    return await ask(new Client({ connection }).workflow.getHandle(id));
  } finally {
    await connection.close();
  }
}
