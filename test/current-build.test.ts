import { expect, test } from '@jest/globals';
import { Absences, CurrentBuild } from '../src/current-build.ts';
import { deploymentOf, pinnedTo, temporalsTime, whyUnworked } from '../src/temporal-builds.ts';

const times = { apart: 35_000, gone: 70_000 };

/** Looks every 20 s from `from` to `to`, s. Returns when the build was gone for the first time, s. */
function firstGone(
  absences: Absences,
  polls: (second: number) => number | undefined,
  from: number,
  to: number,
): number | undefined {
  for (let second = from; second <= to; second += 20) {
    const poll = polls(second);
    const known = new Map(poll === undefined ? [] : [['one', poll]]);
    if (absences.look(['one'], known, second * 1_000).has('one')) return second;
  }
  return undefined;
}

test('a build is gone when it has not polled for 70 s of this process, whatever the clocks say', () => {
  // it polls each minute; after a restart of Temporal at 100 s it is unknown, until it polls again at 150 s
  const restarted = (second: number): number | undefined => {
    if (second >= 100 && second < 150) return undefined;
    return Math.floor(second / 60);
  };
  expect(firstGone(new Absences(times), restarted, 0, 600)).toBeUndefined();
  // no worker of it is left, and Temporal has forgotten it, or tells its last poll
  expect(firstGone(new Absences(times), () => undefined, 0, 600)).toBe(80);
  expect(firstGone(new Absences(times), () => -1e12, 0, 600)).toBe(80);
  expect(firstGone(new Absences(times), () => 1e12, 0, 600)).toBe(80);
});

test('a process that did not look for a while begins again', () => {
  const absences = new Absences(times);
  expect(firstGone(absences, () => undefined, 0, 60)).toBeUndefined();
  // the machine slept, or Temporal did not answer
  expect(firstGone(absences, () => undefined, 600, 2_000)).toBe(680);
});

test('task queues have different deployments, without dots and colons', () => {
  const names = ['foray', 'a.b', 'a-b', 'a:b', 'a%b', 'a%2Eb', 'a%252Eb'].map(deploymentOf);
  expect(names).toEqual(['foray', 'a%2Eb', 'a-b', 'a%3Ab', 'a%25b', 'a%252Eb', 'a%25252Eb']);
});

test('the time of Temporal is that of this machine, unless its workers then seem to be gone or in the future', async () => {
  const poll = 1_000_000;
  let asked = 0;
  const at = (ownTime: number, temporals?: number): Promise<number> =>
    temporalsTime(poll, ownTime, () => {
      asked += 1;
      return Promise.resolve(temporals);
    });
  expect([await at(poll), await at(poll + 70_000)]).toEqual([poll, poll + 70_000]);
  expect(asked).toBe(0);
  for (const ownTime of [poll - 1, poll + 100_000, poll + 3_600_000])
    expect(await at(ownTime, poll + 30_000)).toBe(poll + 30_000);
  // without an answer, Temporal at least has not forgotten the poll
  expect([await at(poll - 1), await at(poll + 100_000), await at(poll + 3_600_000)]).toEqual([
    poll,
    poll + 100_000,
    poll,
  ]);
  expect(await temporalsTime(-Infinity, 5, () => Promise.reject(new Error('no worker is known')))).toBe(5);
});

test('a notice that has not begun is moved with the campaigns', () => {
  // until its first step it stays on the build of its campaign
  expect(pinnedTo('foray', 'one')).not.toContain('WorkflowType');
});

test('words promise a worker that takes over only if there is one of another build', () => {
  const why = (
    builds: (string | undefined)[],
    current: string | undefined,
    build: string,
  ): string | undefined =>
    whyUnworked(
      { pollers: builds.map((each) => ({ identity: '', build: each })), polls: new Map(), current },
      { build, isPinned: true },
      'foray',
    );
  const left = 'no worker of its build one is left; ';
  const starts = '"foray worker" starts one';
  const takes = (build: string): string =>
    `a worker of build ${build} takes over within two minutes, unless it runs with --no-current`;
  expect(why([undefined], 'one', 'one')).toBe(left + starts);
  expect(why([undefined], 'two', 'one')).toBe(left + starts);
  expect(why(['zero', 'two'], 'two', 'one')).toBe(left + takes('two'));
  expect(why(['zero'], 'one', 'one')).toBe(left + takes('zero'));
  expect(why(['one', 'two'], 'two', 'one')).toBeUndefined();
});

/** An error of gRPC. */
const failure = (code: number, details: string): Error =>
  Object.assign(new Error(details), { code, details });
const NOT_FOUND = 5;
const UNAVAILABLE = 14;

/** Answers of Temporal that a real server gives only by chance. */
function answering(faults: Record<string, Error>) {
  const asked: string[] = [];
  const state = { isSeen: true, current: 'two', identity: '' };
  const execution = (workflowId: string) => ({ execution: { workflowId } });
  const workflowService = {
    describeTaskQueue: () =>
      Promise.resolve({
        pollers: state.isSeen
          ? [
              {
                lastAccessTime: { seconds: 1 },
                deploymentOptions: { workerVersioningMode: 2, buildId: 'two' },
              },
              {
                identity: state.identity,
                lastAccessTime: { seconds: 1 },
                deploymentOptions: { workerVersioningMode: 2, buildId: state.current },
              },
            ]
          : [],
        versioningInfo: { currentDeploymentVersion: { buildId: state.current } },
      }),
    describeWorkerDeployment: () =>
      Promise.resolve({
        workerDeploymentInfo: {
          versionSummaries: [
            { deploymentVersion: { buildId: 'one' } },
            { deploymentVersion: { buildId: 'two' }, createTime: { seconds: 1 }, drainageStatus: 2 },
            { deploymentVersion: { buildId: 'zero' }, drainageStatus: 2 },
          ],
        },
      }),
    listWorkflowExecutions: ({ query }: { query: string }) =>
      Promise.resolve({ executions: query.includes('Pinned') ? ['a', 'b', 'c', 'd'].map(execution) : [] }),
    setWorkerDeploymentCurrentVersion: ({ buildId }: { buildId: string }) => {
      state.current = buildId;
      return Promise.resolve({});
    },
    updateWorkflowExecutionOptions: ({
      workflowExecution: { workflowId },
    }: {
      workflowExecution: { workflowId: string };
    }) => {
      asked.push(workflowId);
      return faults[workflowId] ? Promise.reject(faults[workflowId]) : Promise.resolve({});
    },
  };
  const connection = {
    workflowService,
    withDeadline: <T>(_deadline: number, call: () => Promise<T>) => call(),
    // the key of a worker may not poll other task queues
    withAbortSignal: () => Promise.reject(new Error('denied')),
  } as unknown as ConstructorParameters<typeof CurrentBuild>[0];
  return { connection, asked, state };
}

const own = { namespace: 'default', taskQueue: 'foray', build: 'two', identity: 'me; store 1111' };
/** A build is gone at the second look. */
const AT_ONCE = { every: 5, apart: 60_000, gone: 0 };

/** Runs a worker's looks until it has told a line that matches. */
async function toldUntil(
  connection: ConstructorParameters<typeof CurrentBuild>[0],
  last: RegExp,
): Promise<string[]> {
  const told: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const build = new CurrentBuild(
    connection,
    own,
    (line) => {
      told.push(line);
      if (last.test(line)) resolve();
    },
    AT_ONCE,
  );
  await build.start();
  await promise;
  await build.close();
  return told;
}

test('a campaign that cannot be taken over keeps no other campaign back, and its reason is told', async () => {
  const { connection, asked } = answering({
    b: failure(UNAVAILABLE, 'Temporal is away'),
    c: failure(NOT_FOUND, 'gone'),
  });
  const told = await toldUntil(connection, /cannot be made current/);
  expect(asked.slice(0, 4)).toEqual(['a', 'b', 'c', 'd']);
  const moved = (id: string): string =>
    `The workflow ${id} is taken over from build one, of which no worker is left`;
  expect(told.slice(0, 3)).toEqual([
    moved('a'),
    moved('d'),
    'The build two cannot be made current, or cannot take campaigns over: campaign b: Temporal is away',
  ]);
});

test('a worker that Temporal does not see says so at the end of its start', async () => {
  const { connection, state } = answering({});
  state.isSeen = false;
  expect(await toldUntil(connection, /./)).toEqual([
    'The build two cannot be made current, or cannot take campaigns over: Temporal has not seen this worker ask for work.',
  ]);
}, 30_000);

test('a newer build becomes the current one, also if it has had no campaign for a while', async () => {
  const { connection, state } = answering({});
  state.current = 'zero';
  expect(await toldUntil(connection, /current/)).toContain('Build two is the current one now, after zero');
});

test('a newer build leaves the campaigns of another store alone, and says why', async () => {
  const { connection, state } = answering({});
  Object.assign(state, { current: 'zero', identity: 'other; store 2222' });
  expect((await toldUntil(connection, /another store/)).join()).toContain(
    'Give one of them another task queue.',
  );
  expect(state.current).toBe('zero');
}, 30_000);
