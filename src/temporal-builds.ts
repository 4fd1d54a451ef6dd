import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowExecutionDescription, WorkflowService } from '@temporalio/client';
import { isNotFound } from './temporal-errors.ts';

/**
 * The builds of workers. A build is a version of foray with its workflow code. Workers of one task queue form one
 * deployment in Temporal, which sends new campaigns to its current build. A campaign stays with the build that started
 * it, until it moves.
 */

/** A worker polls its task queue at least once a minute. After this time without a poll, ms, it counts as gone. */
export const POLLED_MS = 70_000;
/** Temporal forgets a worker after this time without a poll, ms. */
const FORGOTTEN_MS = 300_000;
/** Temporal's numbers for the kinds of task queues. */
const KINDS = { workflow: 1, activity: 2 } as const;
/** Temporal's numbers for a worker with a build, and for a workflow that stays with its build. */
const VERSIONED = 2;
const PINNED = 1;

/**
 * The name of the deployment of a task queue's workers. Temporal allows no dot and no colon in it, so they are encoded as
 * in a URL: `a.b` becomes `a%2Eb`. Other task queues have other names.
 */
export function deploymentOf(taskQueue: string): string {
  const hex = (character: string): string => character.charCodeAt(0).toString(16).toUpperCase();
  return taskQueue.replaceAll(/[.:%]/g, (character) => `%${hex(character)}`);
}

/** A worker that has polled a task queue lately. */
export interface Poller {
  identity: string;
  /** Its build; undefined for a worker without a build. */
  build: string | undefined;
}

export interface QueueState {
  /** The workers that have polled lately. */
  pollers: Poller[];
  /** When a worker of each build has polled for the last time, ms of Temporal's clock, as far as Temporal knows it. */
  polls: ReadonlyMap<string, number>;
  /** The build that gets new campaigns; undefined if only workers without a build get them. */
  current: string | undefined;
}

/** What the connections of clients and of workers have. */
export interface Connected {
  workflowService: WorkflowService;
  withDeadline<T>(deadline: number, call: () => Promise<T>): Promise<T>;
  withAbortSignal<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T>;
}

/** @throws errors of the SDK */
export async function queueState(
  connection: Connected,
  namespace: string,
  taskQueue: string,
  kind: keyof typeof KINDS = 'workflow',
): Promise<QueueState> {
  const { pollers, versioningInfo } = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: KINDS[kind],
  });
  const known = (pollers ?? []).map(({ identity, lastAccessTime, deploymentOptions: options }) => ({
    identity: identity ?? '',
    build: Number(options?.workerVersioningMode) === VERSIONED ? (options?.buildId ?? undefined) : undefined,
    polled: msOf(lastAccessTime),
  }));
  const now = await temporalsTime(Math.max(...known.map(({ polled }) => polled)), Date.now(), () =>
    askedTime(connection, namespace),
  );
  const polls = new Map<string, number>();
  for (const { build, polled } of known)
    if (build !== undefined) polls.set(build, Math.max(polled, polls.get(build) ?? 0));
  return {
    pollers: known
      .filter(({ polled }) => polled > now - POLLED_MS)
      .map(({ identity, build }) => ({ identity, build })),
    polls,
    current: versioningInfo?.currentDeploymentVersion?.buildId || undefined,
  };
}

/**
 * The time of Temporal's clock. The clock of this machine may be wrong: then the newest poll seems to be in the future, or
 * all workers seem to be gone. Only then Temporal is asked.
 *
 * @param newestPoll - of all workers, ms of Temporal's clock; −Infinity if Temporal knows none
 */
export async function temporalsTime(
  newestPoll: number,
  ownTime: number,
  ask: () => Promise<number | undefined>,
): Promise<number> {
  const age = ownTime - newestPoll;
  if ((age >= 0 && age <= POLLED_MS) || newestPoll === -Infinity) return ownTime;
  // Temporal has not forgotten the newest poll, so an age outside of this range shows that this clock is wrong
  return (await ask()) ?? (age < 0 || age > FORGOTTEN_MS ? newestPoll : ownTime);
}

/** The name of a task queue that never has tasks. */
const CLOCK = 'foray-clock';
/** How long the poll may wait, ms. Temporal refuses a poll that may wait for less than 2 s. */
const POLL_MS = 5_000;
/** How often Temporal is asked whether it has noted the poll, and the pause between two questions, ms. */
const QUESTIONS = 10;
const AGAIN_MS = 20;

/**
 * The time of Temporal's clock, ms since 1970. Temporal has no call for it, but it notes when a worker polls. So this
 * polls a task queue that has no tasks. Undefined if Temporal does not answer, or allows no polls with this key.
 */
async function askedTime(connection: Connected, namespace: string): Promise<number | undefined> {
  const { workflowService } = connection;
  const taskQueue = { name: CLOCK };
  const identity = crypto.randomUUID();
  const end = new AbortController();
  const poll = () => workflowService.pollActivityTaskQueue({ namespace, taskQueue, identity });
  const polling = connection
    .withDeadline(Date.now() + POLL_MS, () => connection.withAbortSignal(end.signal, poll))
    .catch(() => end.abort());
  try {
    for (let question = 1; question <= QUESTIONS && !end.signal.aborted; question += 1) {
      const { pollers } = await workflowService.describeTaskQueue({
        namespace,
        taskQueue,
        taskQueueType: KINDS.activity,
      });
      const own = pollers?.find((poller) => poller.identity === identity);
      if (own) return msOf(own.lastAccessTime);
      await delay(AGAIN_MS);
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    end.abort();
    await polling;
  }
}

type Timestamp = { seconds?: unknown; nanos?: number | null } | null | undefined;

/** Milliseconds since 1970. */
function msOf(time: Timestamp): number {
  return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1_000_000;
}

/** Temporal's number for a build on which no workflow is left. */
const DRAINED = 2;

/** A build on which open campaigns stay. */
interface BuildWithCampaigns {
  build: string;
  count: number;
}

/**
 * The builds other than the current one on which open campaigns stay.
 * @throws errors of the SDK
 */
export async function campaignsOnOtherBuilds(
  workflowService: WorkflowService,
  { namespace, taskQueue, current }: { namespace: string; taskQueue: string; current: string | undefined },
): Promise<BuildWithCampaigns[]> {
  const found: BuildWithCampaigns[] = [];
  for (const { build, isDrained } of await knownBuilds(workflowService, namespace, taskQueue)) {
    if (isDrained || build === current) continue;
    const query = `${pinnedTo(taskQueue, build)} AND WorkflowType = 'campaign'`;
    const count = Number((await workflowService.countWorkflowExecutions({ namespace, query })).count ?? 0);
    if (count > 0) found.push({ build, count });
  }
  return found;
}

interface KnownBuild {
  build: string;
  /** When a worker of it polled for the first time, ms since 1970. */
  since: number;
  /** Whether no workflow is left on it. */
  isDrained: boolean;
}

/**
 * The builds that a task queue's workers have had; empty if no worker has had a build.
 * @throws errors of the SDK
 */
export async function knownBuilds(
  workflowService: WorkflowService,
  namespace: string,
  taskQueue: string,
): Promise<KnownBuild[]> {
  const asked = { namespace, deploymentName: deploymentOf(taskQueue) };
  const { workerDeploymentInfo } = await workflowService
    .describeWorkerDeployment(asked)
    .catch((error: unknown) => {
      if (isNotFound(error)) return { workerDeploymentInfo: null };
      throw error;
    });
  return (workerDeploymentInfo?.versionSummaries ?? []).flatMap(
    ({ deploymentVersion, drainageStatus, createTime: time }) => {
      const build = deploymentVersion?.buildId;
      return build ? [{ build, since: msOf(time), isDrained: Number(drainageStatus) === DRAINED }] : [];
    },
  );
}

/** The query for the open workflows that stay on a build: campaigns, and notices before their first step. */
export function pinnedTo(taskQueue: string, build: string): string {
  return openOn(taskQueue, build, 'Pinned');
}

/** The query for the open campaigns whose last step was on a build, and that do not stay there. */
export function unpinnedOn(taskQueue: string, build: string): string {
  return `${openOn(taskQueue, build, 'AutoUpgrade')} AND WorkflowType = 'campaign'`;
}

function openOn(taskQueue: string, build: string, behavior: 'Pinned' | 'AutoUpgrade'): string {
  return [
    `TaskQueue = '${taskQueue.replaceAll("'", "\\'")}'`,
    "ExecutionStatus = 'Running'",
    `TemporalWorkflowVersioningBehavior = '${behavior}'`,
    `TemporalWorkerDeploymentVersion = '${deploymentOf(taskQueue).replaceAll("'", "\\'")}:${build}'`,
  ].join(' AND ');
}

/** The build of a workflow. */
export interface WorkflowBuild {
  /** The build that carried out its last step; undefined before its first step, and for workers without a build. */
  build: string | undefined;
  /** Whether it stays with this build. Otherwise the current build gets its next step. */
  isPinned: boolean;
}

export function buildOf({ raw }: WorkflowExecutionDescription): WorkflowBuild {
  const { behavior, deploymentVersion, versioningOverride } = raw.workflowExecutionInfo?.versioningInfo ?? {};
  const forced = versioningOverride?.pinned?.version?.buildId;
  const build = forced || deploymentVersion?.buildId || undefined;
  const isPinned = Boolean(forced) || (Number(behavior) === PINNED && !versioningOverride?.autoUpgrade);
  return { build, isPinned: isPinned && build !== undefined };
}

/**
 * Why no worker carries out the next step of a workflow: no worker of the build that should do it has polled its task
 * queue. Undefined if there is one.
 */
export function whyUnworked(
  { pollers, current }: QueueState,
  { build, isPinned }: WorkflowBuild,
  taskQueue: string,
): string | undefined {
  if (pollers.length === 0)
    return `no worker works on its task queue "${taskQueue}"; "foray worker" starts one`;
  const wanted = isPinned ? build : current;
  if (pollers.some((poller) => poller.build === wanted)) return undefined;
  if (wanted === undefined)
    return `no build of the workers on its task queue "${taskQueue}" is the current one; see docs/guides/upgrade.md`;
  const whose = isPinned ? 'its build' : 'the current build';
  const others = pollers.flatMap((poller) => poller.build ?? []);
  const taker = others.find((each) => each === current) ?? others[0];
  const help =
    taker === undefined
      ? '"foray worker" starts one'
      : `a worker of build ${taker} takes over within two minutes, unless it runs with --no-current`;
  return `no worker of ${whose} ${wanted} is left; ${help}`;
}
