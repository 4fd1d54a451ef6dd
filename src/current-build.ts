import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowService } from '@temporalio/client';
import { messageOf } from './errors.ts';
import { campaignsOn, deploymentOf, openBuilds, queueState } from './temporal-builds.ts';

/** How often a worker looks, ms. */
const EVERY_MS = 20_000;
/** How often, and for how long, a worker looks when it starts: Temporal knows its build soon after its first poll, ms. */
const START_EVERY_MS = 100;
const START_MS = 10_000;
/** Maximum time of a call, ms. */
const CALL_MS = 5_000;
/** Maximum number of campaigns that one look moves. */
const MOST_MOVED = 200;

/** A worker's connection to Temporal. */
interface Connected {
  workflowService: WorkflowService;
  withDeadline<T>(deadline: number, call: () => Promise<T>): Promise<T>;
}

export interface OwnBuild {
  namespace: string;
  taskQueue: string;
  build: string;
  identity: string;
}

/**
 * What a worker does for its build: it makes its build the current one, and it moves campaigns to the current build of
 * which no worker is left.
 *
 * A build becomes the current one if Temporal has seen no newer build, or if no worker of the current build is left. So
 * an older build that starts again changes nothing while newer workers are there.
 */
export class CurrentBuild {
  readonly #connection: Connected;
  readonly #own: OwnBuild;
  readonly #tell: (line: string) => void;
  readonly #end = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  #fault = '';

  constructor(connection: Connected, own: OwnBuild, tell: (line: string) => void) {
    this.#connection = connection;
    this.#own = own;
    this.#tell = tell;
  }

  /** Looks until the build is the current one or another build stays it, and then at an interval. Never throws. */
  async start(): Promise<void> {
    const until = performance.now() + START_MS;
    while (!(await this.#look()) && performance.now() < until && !this.#end.signal.aborted)
      await this.#pause(START_EVERY_MS);
    this.#looking = this.#goOn();
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#looking;
  }

  async #goOn(): Promise<void> {
    for (;;) {
      await this.#pause(EVERY_MS);
      if (this.#end.signal.aborted) return;
      const before = this.#fault;
      if ((await this.#look()) || this.#fault === before) continue;
      this.#tell(
        `The build ${this.#own.build} cannot be made current, or cannot take campaigns over: ${this.#fault}`,
      );
    }
  }

  #pause(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.#end.signal }).catch(() => undefined);
  }

  /** Returns whether Temporal answered, and took the build if it should. */
  async #look(): Promise<boolean> {
    try {
      return await this.#connection.withDeadline(Date.now() + CALL_MS, () => this.#carryOut());
    } catch (error) {
      this.#fault = messageOf(error);
      return false;
    }
  }

  async #carryOut(): Promise<boolean> {
    const { namespace, taskQueue, build } = this.#own;
    const { workflowService } = this.#connection;
    const { current, pollers } = await queueState(workflowService, namespace, taskQueue);
    const worked = new Set(pollers.map((poller) => poller.build));
    // Temporal knows a build only after a worker of it has polled
    if (!worked.has(build)) return false;
    const builds = await openBuilds(workflowService, namespace, taskQueue);
    if (current !== build) {
      const sinceOf = (name: string): number => builds.find((each) => each.build === name)?.since ?? 0;
      if (current !== undefined && worked.has(current) && sinceOf(build) <= sinceOf(current)) return true;
      await workflowService.setWorkerDeploymentCurrentVersion({
        namespace,
        deploymentName: deploymentOf(taskQueue),
        buildId: build,
        identity: this.#own.identity,
      });
      if (current !== undefined) this.#tell(`Build ${build} is the current one now, after ${current}`);
    }
    for (const other of builds) if (!worked.has(other.build)) await this.#takeOver(other.build);
    return true;
  }

  /** Moves the open campaigns of a build to the current build. */
  async #takeOver(build: string): Promise<void> {
    const { namespace, taskQueue } = this.#own;
    const { workflowService } = this.#connection;
    const query = campaignsOn(taskQueue, build);
    const { executions } = await workflowService.listWorkflowExecutions({
      namespace,
      query,
      pageSize: MOST_MOVED,
    });
    for (const { execution } of executions ?? []) {
      await workflowService.updateWorkflowExecutionOptions({
        namespace,
        workflowExecution: execution ?? null,
        workflowExecutionOptions: { versioningOverride: { autoUpgrade: true } },
        updateMask: { paths: ['versioning_override'] },
      });
      this.#tell(
        `Campaign ${execution?.workflowId} is taken over from build ${build}, of which no worker is left`,
      );
    }
  }
}
