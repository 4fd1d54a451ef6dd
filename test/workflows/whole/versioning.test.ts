import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { queueState } from '../../../src/temporal-builds.ts';
import { serverSettings } from '../../../src/dev/temporal-cli.ts';
import { toTheEnd, untilSomeAreDone } from '../../support/campaigns.ts';
import { type TemporalProcess, temporalProcess } from '../../support/temporal.ts';
import { until } from '../../support/until.ts';
import { histories, type SubmittedCampaign, workersOf } from '../../support/workers-of.ts';
import { rehearsal, startWorld, type World } from '../../support/world.ts';

let world: World;
let temporal: TemporalProcess;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'foray-versioning-'));
  // the server keeps its state in a file, so that it can be started again
  temporal = await temporalProcess(join(folder, 'temporal.db'), [
    ...serverSettings,
    ...['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=40'],
  ]);
  world = await startWorld({ temporal });
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

/** A worker with these times takes a build over soon. Its other workers must be gone, and Temporal must not know them. */
const looks = { every: 200, apart: 30_000, gone: 2_000 };

/**
 * Whether a worker tells of a change. On a busy machine, a server that has just started may not answer a look in time; the
 * worker tells this too, and looks again.
 */
const isNews = (line: string): boolean => !line.includes('Timeout expired');

/** How a campaign stays with its build, as Temporal tells it. */
const versioningOf = async (id: string) => {
  const { raw } = await world.environment.client.workflow.getHandle(id).describe();
  const { behavior, deploymentVersion, versioningOverride } = raw.workflowExecutionInfo!.versioningInfo!;
  return {
    behavior: Number(behavior),
    build: deploymentVersion?.buildId,
    override: versioningOverride ?? null,
  };
};
const PINNED = 1;

/** Whether a status says that a campaign is on a build. */
const isOn = async (id: string, build: string): Promise<boolean> =>
  (await world.foray.status(id)).build === build;

/** A campaign that loses the workers of its build. */
let moved: SubmittedCampaign;
/** Ends the workers of its build. */
let endOnes: () => Promise<void>;
let endTwo: () => Promise<void>;

test('the newest build gets new campaigns, and a campaign stays with the build that started it', async () => {
  const endOne = await world.startWorker({ buildId: 'one', identity: 'one' });
  // the campaign has so many runs that it still runs when it is moved; then it is stopped
  const source = rehearsal({ count: 1_000, first: 1, seconds: 0.8, more: 'concurrency: 2' });
  moved = await world.foray.submit(source);
  const { id, runId } = moved;
  await untilSomeAreDone(world, id);
  endTwo = await world.startWorker({ buildId: 'two', identity: 'two' });
  // an older build that starts again changes nothing
  const endOther = await world.startWorker({ buildId: 'one', identity: 'one again' });
  const next = await world.foray.submit(rehearsal({ count: 1, first: 2_000 }));
  await toTheEnd(world, next.id);
  expect((await workersOf(world, next)).flat()).toEqual(['two']);
  const handle = world.environment.client.workflow.getHandle(id);
  await until('the campaign has continued as new', async () => (await handle.describe()).runId !== runId);
  // this server keeps the build of a campaign that continues as new (docs/guides/upgrade.md)
  expect((await workersOf(world, moved)).flat()).not.toContain('two');
  expect(await isOn(id, 'one')).toBe(true);
  endOnes = async () => {
    await endOne();
    await endOther();
  };
});

test('workers are there, however far the clock of this machine is ahead', async () => {
  const own = await startWorld({ beside: world });
  const { now } = Date;
  let ahead = 0;
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now.call(Date) + ahead);
  try {
    await own.startWorker({ buildId: 'here' });
    const { connection } = own.environment;
    const pollers = async () => (await queueState(connection, 'default', own.settings.taskQueue)).pollers;
    await until('the worker polls', async () => (await pollers()).length > 0);
    for (ahead of [100_000, 299_000, 86_400_000])
      await until('the worker is seen', async () => (await pollers())[0]?.build === 'here');
  } finally {
    clock.mockRestore();
    await own.close();
  }
});

test('several workers share the activities of a tick', async () => {
  const shared = await startWorld({ beside: world });
  try {
    // an activity has at most 200 runs; each worker does one activity at a time, so it leaves the other activity to the other worker
    await shared.startWorker({ identity: 'one', activities: 1 });
    await shared.startWorker({ identity: 'two', activities: 1 });
    const submitted = await shared.foray.submit(rehearsal({ count: 220, more: 'concurrency: 220' }));
    expect((await toTheEnd(shared, submitted.id)).runs).toMatchObject({ done: 220, new: 220 });
    const executions = await histories(shared, submitted);
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

describe('after a start of Temporal, which then knows no worker that is gone', () => {
  let orphaned: World;
  let deserted: World;
  const currentOf = async ({ environment, settings }: World) =>
    (await queueState(environment.connection, 'default', settings.taskQueue)).current;
  beforeAll(async () => {
    orphaned = await startWorld({ beside: world });
    const end = await orphaned.startWorker({ buildId: 'one' });
    const source = rehearsal({ count: 500, seconds: 0.8, more: 'concurrency: 1' });
    await untilSomeAreDone(orphaned, (await orphaned.foray.submit(source)).id);
    await end();

    deserted = await startWorld({ beside: world });
    const endOld = await deserted.startWorker({ buildId: 'old' });
    const endNew = await deserted.startWorker({ buildId: 'new' });
    await until('the newer build is the current one', async () => (await currentOf(deserted)) === 'new');
    await endOld();
    await endNew();

    await endOnes();
    await temporal.kill();
    await temporal.start();
  });
  afterAll(async () => {
    await orphaned.close();
    await deserted.close();
  });

  test('a worker of another build takes a campaign over', async () => {
    const { id } = moved;
    const told: string[] = [];
    const endQuick = await world.startWorker({ buildId: 'two', looks, tell: (line) => told.push(line) });
    await until('a worker of the other build has the campaign', () => isOn(id, 'two'));
    expect(told.filter(isNews)).toEqual([
      `The workflow ${id} is taken over from build one, of which no worker is left`,
    ]);
    // it does not follow a later build in the middle of its history
    await until(
      'the campaign stays with the other build',
      async () => (await versioningOf(id)).override === null,
    );
    expect(await versioningOf(id)).toEqual({ behavior: PINNED, build: 'two', override: null });
    await world.foray.steer(id, 'stop');
    expect(await toTheEnd(world, id)).toMatchObject({ phase: 'cancelled', runs: { failed: 0 }, build: null });
    await endQuick();
    await endTwo();
  });

  test('a campaign without a worker of its build says so, and that a worker of another build takes it over', async () => {
    const own = orphaned;
    const { taskQueue } = own.settings;
    const { id } = (await own.foray.list())[0]!;
    const blocked = (): Promise<string | undefined> => own.foray.blocked().then((whys) => whys.get(id));
    await until('the campaign is blocked', async () => (await blocked()) !== undefined);
    expect(await blocked()).toBe(
      `no worker works on its task queue "${taskQueue}"; "foray worker" starts one`,
    );
    // a worker without a build gets nothing of it
    const endUnversioned = await own.startWorker();
    await until(
      'the reason is another one',
      async () => (await blocked())?.includes('of its build') ?? false,
    );
    expect(await blocked()).toBe('no worker of its build one is left; "foray worker" starts one');
    await endUnversioned();
    await own.startWorker({ buildId: 'two' });
    await until('a worker can take it over', async () => (await blocked())?.includes('build two') ?? false);
    expect(await blocked()).toBe(
      'no worker of its build one is left; a worker of build two takes over within two minutes, unless it runs with --no-current',
    );
    await own.startWorker({ buildId: 'two', looks });
    await until('the campaign goes on', async () => (await own.foray.status(id)).build === 'two');
    expect(await blocked()).toBeUndefined();
    await own.foray.cancel(id);
  });

  test('an older build becomes the current one when no worker of the current build is left, and not at once', async () => {
    const own = deserted;
    const current = () => currentOf(own);
    const told: string[] = [];
    const patient = await own.startWorker({ buildId: 'old', tell: (line) => told.push(line) });
    await until('the newer build is still the current one', async () => (await current()) === 'new');
    await own.startWorker({ buildId: 'old', looks });
    await until('the older build is the current one', async () => (await current()) === 'old');
    expect(told.filter(isNews)).toEqual([]);
    await patient();
  });
});
