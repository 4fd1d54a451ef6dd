import type { WorkflowExecutionDescription, WorkflowService } from '@temporalio/client';

/**
 * The builds of workers. A build is a version of foray with its workflow code. Workers of one task queue form one
 * deployment in Temporal, which sends new campaigns to its current build. A campaign stays with the build that started
 * it, until it moves.
 */

/**
 * A worker polls its task queue at least once a minute. A worker whose last poll is older than this, ms, is not
 * counted.
 */
const POLLED_MS = 70_000;
const KINDS = { workflow: 1, activity: 2 } as const;
/** Temporal's numbers for a worker with a build, and for a workflow that stays with its build. */
const VERSIONED = 2;
const PINNED = 1;
const NOT_FOUND = 5;

/** The name of the deployment of a task queue's workers. Temporal allows no dot and no colon in it. */
export function deploymentOf(taskQueue: string): string {
  return taskQueue.replaceAll(/[.:]/g, '-');
}

/** A worker that has polled a task queue lately. */
export interface Poller {
  identity: string;
  /** Its build; undefined for a worker without a build. */
  build: string | undefined;
}

export interface QueueState {
  pollers: Poller[];
  /** The build that gets new campaigns; undefined if only workers without a build get them. */
  current: string | undefined;
}

/** @throws errors of the SDK */
export async function queueState(
  workflowService: WorkflowService,
  namespace: string,
  taskQueue: string,
  kind: keyof typeof KINDS = 'workflow',
): Promise<QueueState> {
  const { pollers, versioningInfo } = await workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: KINDS[kind],
  });
  const since = Date.now() - POLLED_MS;
  const lately = (pollers ?? []).filter(
    ({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 > since,
  );
  return {
    pollers: lately.map(({ identity, deploymentOptions: options }) => ({
      identity: identity ?? '',
      build:
        Number(options?.workerVersioningMode) === VERSIONED ? (options?.buildId ?? undefined) : undefined,
    })),
    current: versioningInfo?.currentDeploymentVersion?.buildId || undefined,
  };
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
  for (const { build } of await openBuilds(workflowService, namespace, taskQueue)) {
    if (build === current) continue;
    const query = campaignsOn(taskQueue, build);
    const count = Number((await workflowService.countWorkflowExecutions({ namespace, query })).count ?? 0);
    if (count > 0) found.push({ build, count });
  }
  return found;
}

/** A build on which campaigns may be open. */
interface OpenBuild {
  build: string;
  /** When a worker of it polled for the first time, ms since 1970. */
  since: number;
}

/**
 * The builds of a task queue's workers on which campaigns may be open; empty if no worker has had a build.
 * @throws errors of the SDK
 */
export async function openBuilds(
  workflowService: WorkflowService,
  namespace: string,
  taskQueue: string,
): Promise<OpenBuild[]> {
  const asked = { namespace, deploymentName: deploymentOf(taskQueue) };
  const { workerDeploymentInfo } = await workflowService
    .describeWorkerDeployment(asked)
    .catch((error: unknown) => {
      if ((error as { code?: unknown }).code === NOT_FOUND) return { workerDeploymentInfo: null };
      throw error;
    });
  return (workerDeploymentInfo?.versionSummaries ?? []).flatMap(
    ({ deploymentVersion, drainageStatus, createTime: time }) => {
      const since = Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1_000_000;
      const build = deploymentVersion?.buildId;
      return build && Number(drainageStatus) !== DRAINED ? [{ build, since }] : [];
    },
  );
}

/** The query for the open campaigns that stay on a build. */
export function campaignsOn(taskQueue: string, build: string): string {
  return [
    `TaskQueue = '${taskQueue.replaceAll("'", "\\'")}'`,
    "ExecutionStatus = 'Running'",
    "TemporalWorkflowVersioningBehavior = 'Pinned'",
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
  if (!isPinned) return `no worker of the current build ${wanted} is left; "foray worker" starts one`;
  const taker =
    current === undefined
      ? 'a worker that makes its build the current one'
      : `a worker of the current build ${current}`;
  return `no worker of its build ${build} is left; ${taker} takes it over within two minutes, unless it runs with --no-current`;
}
