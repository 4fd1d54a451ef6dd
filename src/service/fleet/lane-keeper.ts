import {
  type Client,
  type Connection,
  Client as TemporalClient,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { NativeConnection, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import type { ListedExecutor } from '../../api/extensions.ts';
import { messageOf } from '../../errors.ts';
import { connectTemporal } from '../../temporal-connection.ts';
import { connectError, translated } from '../../temporal-errors.ts';
import type { Problems } from '../problems.ts';
import { RepeatedCheck } from '../repeated-check.ts';
import { EMBEDDED } from '../runs/unheld-runs.ts';
import type { RunRepository } from '../runs/repository.ts';
import type { Fleet } from './fleet.ts';
import { type Lane, laneId, type LaneInput, laneOf, laneQueues, type ServiceActivities } from './lane.ts';

/** The interval at which lanes are checked, in milliseconds. */
const LOOK_EVERY = 5_000;
/**
 * The time from a request to its check, in milliseconds. The same check serves all runs that are requested meanwhile.
 */
const GATHER = 50;
/**
 * The time from a request to its check while no executor is free. It is longer, because such a check seldom finds a
 * free executor.
 */
const GATHER_BUSY = 500;

/** The time limit of a question to Temporal, in milliseconds. A frozen server keeps its connections. */
const ANSWER_WITHIN = 3_000;

/** The subject of a problem of the database that the keeper meets. */
const LANES = 'lanes';

/** A call to Temporal that failed. */
class TemporalFault extends Error {}

/** The connection of the service to Temporal, and the settings of its lanes. */
export interface LaneOptions {
  /** Options of a connection, as in Temporal's SDK. */
  connectionOptions: { address?: string | undefined };
  namespace: string;
  /** The code of the lane's workflow. */
  workflowBundle: WorkflowBundleOption;
  /**
   * How long the executor of a lane may send no heartbeat to Temporal before it counts as lost, in milliseconds. The
   * service closes the holder of the lane if no replica hears from the executor for this time plus `LOOK_EVERY`.
   */
  heartbeat: number;
}

export interface LaneKeeperParts {
  runs: RunRepository;
  fleet: Fleet;
  problems: Problems;
  /** The UUID of the service. */
  service: string;
  /** Whether the service has executors of its own, which run all models. */
  executesAll: boolean;
  /** Called after runs became FRESH, which means that they wait again. */
  onRequeued: () => void;
  onFault: (error: unknown) => void;
}

/**
 * Keeps lanes open while runs wait. There is at most one lane for each connected executor. If few runs wait, one new
 * lane for each of them is enough, plus one for each executor that claims no runs. The keeper hosts the workflow of the
 * lanes. In each lane, an executor claims runs under the id of a holder. When a lane ends, its workflow closes its
 * holder. The keeper itself closes a holder that is silent for too long.
 */
export class LaneKeeper {
  readonly #parts: LaneKeeperParts;
  readonly #options: LaneOptions;
  readonly #connections: { client: Connection; worker: NativeConnection };
  readonly #client: Client;
  readonly #worker: Worker;
  /**
   * Lanes whose holder has just been closed, by the id of the lane, with the time when it was closed. Their workflows
   * will end soon, so these lanes are not opened again yet.
   */
  readonly #closing: Map<string, number>;
  readonly #running: Promise<void>;
  readonly #looks: RepeatedCheck;
  #gather = GATHER;
  /** The time of the last check for models whose runs no executor takes. */
  #notedAt = -Infinity;

  private constructor(
    parts: LaneKeeperParts,
    options: LaneOptions,
    connections: { client: Connection; worker: NativeConnection },
    worker: Worker,
    closing: Map<string, number>,
  ) {
    this.#parts = parts;
    this.#options = options;
    this.#connections = connections;
    this.#client = new TemporalClient({ connection: connections.client, namespace: options.namespace });
    this.#worker = worker;
    this.#closing = closing;
    this.#running = worker.run().catch(parts.onFault);
    this.#looks = new RepeatedCheck({
      check: () => this.#look(),
      every: LOOK_EVERY,
      gather: () => this.#gather,
    });
  }

  /** @throws ForayError TEMPORAL_UNREACHABLE, TEMPORAL_REFUSED */
  static async start(parts: LaneKeeperParts, options: LaneOptions): Promise<LaneKeeper> {
    const { connectionOptions, namespace, workflowBundle } = options;
    const unconnected = (error: unknown): never => {
      throw connectError({ temporal: options }, error, 'Start one, or start the service without --temporal.');
    };
    const client = await connectTemporal(connectionOptions).catch(unconnected);
    const native = await NativeConnection.connect(connectionOptions).catch(unconnected);
    const closing = new Map<string, number>();
    const activities: ServiceActivities = {
      async closeHolder(holder, isLost) {
        await parts.runs.holders.close(holder, { isLost });
        parts.fleet.forget(holder);
        closing.set(laneOf(holder)!.workflowId, performance.now());
        parts.onRequeued();
      },
    };
    const worker = await Worker.create({
      connection: native,
      namespace,
      taskQueue: laneQueues(parts.service).lanes,
      workflowBundle,
      activities: { ...activities },
      shutdownGraceTime: '2s',
      // a lane has few events, so no cache is needed; with a cache, lanes of a killed service would wait ten seconds
      // for that service
      maxCachedWorkflows: 0,
    });
    return new LaneKeeper(parts, options, { client, worker: native }, worker, closing);
  }

  /** Call this when runs may wait. Never throws. */
  wake(): void {
    this.#looks.request();
  }

  async close(): Promise<void> {
    // the current check may wait for Temporal
    void this.#looks.close();
    if (this.#worker.getState() === 'RUNNING') this.#worker.shutdown();
    await this.#running;
    await this.#connections.client.close();
    await this.#connections.worker.close();
  }

  async #look(): Promise<void> {
    const { runs, fleet, problems, onFault } = this.#parts;
    try {
      const { able, faulty, holders } = await fleet.executors.present();
      const held = await this.#closeLost(holders);
      const there = able.length + faulty.length;
      this.#gather = there > held.size ? GATHER : GATHER_BUSY;
      // the limit is at least one, because the check must know whether any run waits
      const fresh = await runs.countFresh(there + 1);
      await this.#noteUnserved(fresh, able);
      // a faulty executor claims no runs but keeps its lane, so the others need more lanes
      if (fresh > 0) await this.#open(Math.min(there - held.size, fresh + faulty.length), held);
      problems.resolve('QUEUE_STUCK', LANES);
      // without a lane to open, nothing has asked Temporal, and a frozen server would not be noticed
      if (there > 0) await this.#asked((client) => client.workflowService.getSystemInfo({}));
      problems.resolve('LANES_STUCK', '');
    } catch (error) {
      const [code, subject, what] =
        error instanceof TemporalFault
          ? (['LANES_STUCK', '', 'No lane can be started in Temporal'] as const)
          : ([
              'QUEUE_STUCK',
              LANES,
              'The runs that wait for executors on other machines cannot be read',
            ] as const);
      problems.raise({
        code,
        subject,
        message:
          'Executors on other machines get no new work at the moment: runs wait for the working executors.',
        detail: `${what}; foray tries again: ${messageOf(error)}`,
      });
      onFault(error);
    }
  }

  /** @throws TemporalFault if Temporal fails, or does not answer in time */
  async #asked<T>(ask: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await this.#client.withDeadline(Date.now() + ANSWER_WITHIN, () => ask(this.#client));
    } catch (error) {
      throw new TemporalFault(messageOf(translated({ temporal: this.#options }, error)), { cause: error });
    }
  }

  /** Notes the models whose runs no executor takes. `able` are the executors that take runs. */
  async #noteUnserved(fresh: number, able: readonly ListedExecutor[]): Promise<void> {
    const { runs, fleet, problems, executesAll } = this.#parts;
    if (fresh === 0) return problems.replace(['RUNS_UNSERVED'], []);
    // this reads all waiting runs, so it is not done at each check
    if (executesAll || performance.now() - this.#notedAt < LOOK_EVERY - GATHER) return;
    this.#notedAt = performance.now();
    const versions = [...(await runs.waitingVersions())];
    problems.replace(
      ['RUNS_UNSERVED'],
      versions.flatMap((versionId) => fleet.unserved(versionId, able) ?? []),
    );
  }

  /** Opens this number of new lanes. `held` has the ids of the lanes that are held already. */
  async #open(lanes: number, held: ReadonlySet<string>): Promise<void> {
    const { lanes: taskQueue, executors } = laneQueues(this.#parts.service);
    const input: LaneInput = { executors, heartbeat: this.#options.heartbeat };
    for (const [id, at] of this.#closing) if (performance.now() - at > LOOK_EVERY) this.#closing.delete(id);
    const ids: string[] = [];
    for (let index = 0; ids.length < lanes; index += 1) {
      const id = laneId(this.#parts.service, index);
      if (!held.has(id) && !this.#closing.has(id)) ids.push(id);
    }
    await this.#asked((client) =>
      Promise.all(
        ids.map((workflowId) =>
          client.workflow.start('lane', {
            workflowId,
            taskQueue,
            args: [input],
            workflowIdConflictPolicy: 'USE_EXISTING',
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          }),
        ),
      ),
    );
  }

  /**
   * Closes silent holders, because a terminated workflow does not close its holder. If the lane of a silent holder is
   * open, its executor reaches Temporal but no replica of this service. This is not the fault of a run, and another
   * executor gets the lane.
   *
   * @param working - the holders of present executors, which may send their requests to another replica
   * @returns the ids of the lanes that are held
   */
  async #closeLost(working: ReadonlySet<string>): Promise<Set<string>> {
    const { runs, fleet, onRequeued } = this.#parts;
    const held = new Set<string>();
    for (const holder of await runs.holders.openExcept(EMBEDDED)) {
      const lane = laneOf(holder);
      if (fleet.silenceOf(holder) < this.#options.heartbeat + LOOK_EVERY || working.has(holder)) {
        if (lane) held.add(lane.workflowId);
        continue;
      }
      const isOpen = lane !== undefined && (await this.#isOpen(lane));
      await runs.holders.close(holder, { isLost: !isOpen });
      if (isOpen)
        await this.#asked(() => this.#handleOf(lane).terminate('its executor does not reach the service'));
      fleet.forget(holder);
      onRequeued();
    }
    return held;
  }

  #handleOf({ workflowId, runId }: Lane): WorkflowHandle {
    return this.#client.workflow.getHandle(workflowId, runId);
  }

  async #isOpen(lane: Lane): Promise<boolean> {
    try {
      const { status } = await this.#asked(() => this.#handleOf(lane).describe());
      return status.name === 'RUNNING';
    } catch (error) {
      if ((error as TemporalFault).cause instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }
}
