import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { toTheEnd, untilSomeAreDone } from '../support/campaigns.ts';
import { until } from '../support/until.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';

const run = promisify(execFile);

let world: World;
beforeAll(async () => {
  world = await startWorld({ suggestContinueAsNew: 40, executors: 2 });
});
afterAll(() => world.close());

/** Runs Temporal's own command line, for the steps in docs/guides/several-machines.md. */
async function temporal(...args: string[]): Promise<void> {
  await run(process.env.FORAY_TEMPORAL_CLI!, [...args, '--address', world.environment.address]);
}

async function makeCurrent(buildId: string): Promise<void> {
  const args = ['--deployment-name', 'foray', '--build-id', buildId, '--yes'];
  await until(`build ${buildId} is current`, () =>
    temporal('worker', 'deployment', 'set-current-version', ...args).then(
      () => true,
      // this fails until a worker of the build has polled the server
      () => false,
    ),
  );
}

type Events = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>;

/** A submitted campaign, with the first execution of its workflow. */
type Submitted = Pick<Awaited<ReturnType<World['foray']['submit']>>, 'id' | 'runId'>;

/**
 * The history of each execution of a campaign. The oldest execution comes first. Each history names the next execution;
 * Temporal's list of workflows is late.
 */
async function histories({ id, runId }: Submitted): Promise<Events[]> {
  const { client } = world.environment;
  const all: Events[] = [];
  for (let next: string | null | undefined = runId; next;) {
    const events: Events = (await client.workflow.getHandle(id, next).fetchHistory()).events!;
    all.push(events);
    next = events.at(-1)!.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return all;
}

/** Returns for each execution of a campaign the builds that carried out its workflow tasks. */
async function builds(submitted: Submitted): Promise<string[][]> {
  return (await histories(submitted)).map((events) => {
    const workers = events.flatMap(({ workflowTaskStartedEventAttributes: task }) => task?.identity ?? []);
    return [...new Set(workers)];
  });
}

test('a campaign stays with the build that started it until it is moved', async () => {
  await world.startWorker({ buildId: 'one', identity: 'one' });
  await makeCurrent('one');
  // the campaign has so many runs that it still runs when it is moved; then it is stopped
  const source = rehearsal({ count: 1_000, first: 1, seconds: 0.8, more: 'concurrency: 2' });
  const submitted = await world.foray.submit(source);
  const { id } = submitted;
  await untilSomeAreDone(world, id);
  await world.startWorker({ buildId: 'two', identity: 'two' });
  await makeCurrent('two');
  const next = await world.foray.submit(rehearsal({ count: 1, first: 2_000 }));
  await toTheEnd(world, next.id);
  expect((await builds(next)).flat()).toEqual(['two']);
  const isContinued = (): Promise<boolean> => builds(submitted).then((seen) => seen.length > 1);
  await until('the campaign has continued as new', isContinued);
  // this server keeps the build of a campaign that continues as new (docs/guides/several-machines.md)
  expect(new Set((await builds(submitted)).flat())).toEqual(new Set(['one']));

  await temporal(
    'workflow',
    'update-options',
    '--workflow-id',
    id,
    ...['--versioning-override-behavior', 'auto_upgrade'],
  );
  const isMoved = (): Promise<boolean> => builds(submitted).then((seen) => seen.at(-1)!.join() === 'two');
  await until('an execution has only tasks of the other build', isMoved);
  await world.foray.steer(id, 'stop');
  expect(await toTheEnd(world, id)).toMatchObject({ phase: 'cancelled', runs: { failed: 0 } });
  expect((await builds(submitted)).at(-1)).toEqual(['two']);
});

test('several workers share the activities of a tick', async () => {
  const shared = await startWorld({ beside: world });
  try {
    // each worker does one activity at a time, so it leaves the other activity to the other worker
    await shared.startWorker({ identity: 'one', activities: 1 });
    await shared.startWorker({ identity: 'two', activities: 1 });
    const submitted = await shared.foray.submit(rehearsal({ count: 300, more: 'concurrency: 300' }));
    expect((await toTheEnd(shared, submitted.id)).runs).toMatchObject({ done: 300, new: 300 });
    const executions = await histories(submitted);
    const workers = executions
      .flat()
      .flatMap(({ activityTaskStartedEventAttributes: task }) => task?.identity ?? []);
    expect(new Set(workers)).toEqual(new Set(['one', 'two']));
    // one workflow task scheduled at least two activities
    const mostParts = executions.flatMap((events) => {
      const tasks = events.flatMap(({ activityTaskScheduledEventAttributes: part }) =>
        part?.activityType?.name === 'advance' ? [String(part.workflowTaskCompletedEventId)] : [],
      );
      return Object.values(Object.groupBy(tasks, (task) => task)).map((parts) => parts!.length);
    });
    expect(Math.max(...mostParts)).toBeGreaterThan(1);
  } finally {
    await shared.close();
  }
});
