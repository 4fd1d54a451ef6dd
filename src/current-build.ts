import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowService } from '@temporalio/client';
import { haveOtherStores } from './client/worker-identity.ts';
import { messageOf } from './errors.ts';
import {
  type Connected,
  deploymentOf,
  knownBuilds,
  pinnedTo,
  POLLED_MS,
  queueState,
  unpinnedOn,
} from './temporal-builds.ts';
import { isNotFound } from './temporal-errors.ts';

/** How often, and for how long, a worker looks when it starts: Temporal knows its build soon after its first poll, ms. */
const START_EVERY_MS = 100;
const START_MS = 10_000;
/** Maximum time of a call, ms. */
const CALL_MS = 5_000;
/** Number of campaigns that Temporal lists at once. */
const PAGE = 200;
const NOT_SEEN = 'Temporal has not seen this worker ask for work.';

/** The times of a worker's looks at the builds, ms. */
export interface LookTimes {
  /** How often it looks. */
  every: number;
  /** With more time between two looks, it knows nothing about the time between them. */
  apart: number;
  /** A build that does not poll for this time has no worker any more. */
  gone: number;
}
const times: LookTimes = { every: 20_000, apart: 35_000, gone: POLLED_MS };

/** One execution of a workflow, as Temporal's lists name it. */
interface NamedExecution {
  workflowId?: string | null;
  runId?: string | null;
}

export interface OwnBuild {
  namespace: string;
  taskQueue: string;
  build: string;
  identity: string;
}

/**
 * How long builds have not polled, as one process has seen it.
 *
 * Temporal forgets all polls when it starts again, and the clock of this machine may differ from Temporal's. So one look
 * does not show that no worker of a build is left. A build counts as gone when Temporal has told no new poll of it for a
 * time of this process, without a gap between the looks.
 */
export class Absences {
  readonly #times: Pick<LookTimes, 'apart' | 'gone'>;
  /** For each build, its last poll as Temporal tells it, and since when this process sees no other. */
  readonly #seen = new Map<string, { poll: number | undefined; since: number }>();
  #lookedAt = -Infinity;

  constructor(lookTimes: Pick<LookTimes, 'apart' | 'gone'> = times) {
    this.#times = lookTimes;
  }

  /**
   * @param builds - the builds that are looked at
   * @param polls - their last polls, ms of Temporal's clock; a build without one is missing
   * @param now - ms of a clock that is never set
   * @returns the builds that are gone
   */
  look(builds: Iterable<string>, polls: ReadonlyMap<string, number>, now: number): Set<string> {
    if (now - this.#lookedAt > this.#times.apart) this.#seen.clear();
    this.#lookedAt = now;
    const gone = new Set<string>();
    for (const build of builds) {
      const poll = polls.get(build);
      const before = this.#seen.get(build);
      if (!before || before.poll !== poll) this.#seen.set(build, { poll, since: now });
      else if (now - before.since >= this.#times.gone) gone.add(build);
    }
    return gone;
  }
}

/**
 * What a worker does for its build: it makes its build the current one, and it moves campaigns of builds without a worker to
 * the current build.
 *
 * A build becomes the current one if there is none, if the current one is older, or if no worker of the current build is
 * left. So an older build that starts again changes nothing while newer workers are there.
 */
export class CurrentBuild {
  readonly #connection: Connected;
  readonly #own: OwnBuild;
  readonly #tell: (line: string) => void;
  readonly #times: LookTimes;
  readonly #absences: Absences;
  readonly #end = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  /** What went wrong in the last look; empty if nothing did. */
  #fault = '';

  constructor(connection: Connected, own: OwnBuild, tell: (line: string) => void, lookTimes = times) {
    this.#connection = connection;
    this.#own = own;
    this.#tell = tell;
    this.#times = lookTimes;
    this.#absences = new Absences(lookTimes);
  }

  /** Looks until the build is the current one or another build stays it, and then at an interval. Never throws. */
  async start(): Promise<void> {
    const until = performance.now() + START_MS;
    while (!(await this.#look()) && performance.now() < until && !this.#end.signal.aborted)
      await this.#pause(START_EVERY_MS);
    this.#tellFault();
    this.#looking = this.#keepLooking();
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#looking;
  }

  async #keepLooking(): Promise<void> {
    for (;;) {
      await this.#pause(this.#times.every);
      if (this.#end.signal.aborted) return;
      const before = this.#fault;
      await this.#look();
      if (this.#fault !== before) this.#tellFault();
    }
  }

  #tellFault(): void {
    if (this.#fault === '' || this.#end.signal.aborted) return;
    this.#tell(
      `The build ${this.#own.build} cannot be made current, or cannot take campaigns over: ${this.#fault}`,
    );
  }

  #pause(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.#end.signal }).catch(() => undefined);
  }

  /** Returns whether nothing went wrong. */
  async #look(): Promise<boolean> {
    try {
      this.#fault = await this.#carryOut();
    } catch (error) {
      this.#fault = messageOf(error);
    }
    return this.#fault === '';
  }

  /** Each call has its own time limit, because one look may make many calls. */
  #ask<T>(call: (workflowService: WorkflowService) => Promise<T>): Promise<T> {
    const { workflowService } = this.#connection;
    return this.#connection.withDeadline(Date.now() + CALL_MS, () => call(workflowService));
  }

  /** Takes the build and the campaigns that it should. Returns what went wrong; empty if nothing did. */
  async #carryOut(): Promise<string> {
    const { namespace, taskQueue, build, identity } = this.#own;
    const { current, polls, pollers } = await this.#ask(() =>
      queueState(this.#connection, namespace, taskQueue),
    );
    const builds = await this.#ask((service) => knownBuilds(service, namespace, taskQueue));
    const names = new Set(builds.flatMap((each) => (each.isDrained ? [] : each.build)));
    if (current !== undefined) names.add(current);
    const gone = this.#absences.look(names, polls, performance.now());
    if (!polls.has(build)) return NOT_SEEN;
    if (current !== build) {
      const own = builds.find((each) => each.build === build);
      if (!own) return NOT_SEEN;
      const currentSince = builds.find((each) => each.build === current)?.since ?? 0;
      const mayReplace = current === undefined || own.since > currentSince || gone.has(current);
      if (!mayReplace) return '';
      const stranger = pollers.find(
        (each) => each.build === current && haveOtherStores(each.identity, identity),
      );
      if (stranger)
        return `the worker ${stranger.identity} of the current build has another store. Give one of them another task queue.`;
      const deploymentName = deploymentOf(taskQueue);
      await this.#ask((service) =>
        service.setWorkerDeploymentCurrentVersion({ namespace, deploymentName, buildId: build, identity }),
      );
      if (current !== undefined) this.#tell(`Build ${build} is the current one now, after ${current}`);
    }
    const failures: string[] = [];
    for (const other of gone) if (other !== build) failures.push(...(await this.#takeOver(other)));
    failures.push(...(await this.#pinTakenOver()));
    const [first = '', ...others] = failures;
    return others.length === 0 ? first : `${first} (and ${others.length} more)`;
  }

  /** Moves the open campaigns of a build to the current build. */
  #takeOver(build: string): Promise<string[]> {
    return this.#forEach(pinnedTo(this.#own.taskQueue, build), async (execution) => {
      await this.#setOverride(execution, { autoUpgrade: true });
      this.#tell(
        `The workflow ${execution.workflowId} is taken over from build ${build}, of which no worker is left`,
      );
    });
  }

  /** A campaign that was taken over stays with this build after its first step here, as any other campaign. */
  #pinTakenOver(): Promise<string[]> {
    const { namespace, taskQueue, build } = this.#own;
    return this.#forEach(unpinnedOn(taskQueue, build), async (execution) => {
      // the list may be late
      const { workflowExecutionInfo } = await this.#ask((service) =>
        service.describeWorkflowExecution({ namespace, execution }),
      );
      const { deploymentVersion, versioningOverride } = workflowExecutionInfo?.versioningInfo ?? {};
      if (versioningOverride?.autoUpgrade && deploymentVersion?.buildId === build)
        await this.#setOverride(execution, null);
    });
  }

  async #setOverride(
    workflowExecution: NamedExecution,
    versioningOverride: { autoUpgrade: true } | null,
  ): Promise<void> {
    const { namespace } = this.#own;
    await this.#ask((service) =>
      service.updateWorkflowExecutionOptions({
        namespace,
        workflowExecution,
        workflowExecutionOptions: { versioningOverride },
        updateMask: { paths: ['versioning_override'] },
      }),
    );
  }

  /** Does something to each campaign of a query. A failure stops no other campaign. Returns the failures. */
  async #forEach(query: string, act: (execution: NamedExecution) => Promise<void>): Promise<string[]> {
    const { namespace } = this.#own;
    const failures: string[] = [];
    let nextPageToken: Uint8Array | null = null;
    do {
      const page = await this.#ask((service) =>
        service.listWorkflowExecutions({ namespace, query, pageSize: PAGE, nextPageToken }),
      );
      for (const { execution } of page.executions ?? []) {
        if (this.#end.signal.aborted) return failures;
        if (!execution) continue;
        try {
          await act(execution);
        } catch (error) {
          // a campaign that has ended meanwhile needs nothing
          if (isNotFound(error)) continue;
          failures.push(`campaign ${execution.workflowId}: ${messageOf(error)}`);
        }
      }
      nextPageToken = page.nextPageToken?.length ? page.nextPageToken : null;
    } while (nextPageToken);
    return failures;
  }
}
