import { Client, type Connection, WorkflowNotFoundError } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { NativeConnection, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import type { ListedExecutor } from '../../api/extensions.ts';
import { messageOf } from '../../errors.ts';
import { dataConverter } from '../../payload-codec.ts';
import { connectTemporal, requireNamespace, untilCutOff } from '../../temporal-connection.ts';
import { connectError, translated } from '../../temporal-errors.ts';
import type { Problems } from '../problems.ts';
import { RepeatedCheck } from '../repeated-check.ts';
import { EMBEDDED } from '../runs/unheld-runs.ts';
import type { RunRepository } from '../runs/repository.ts';
import { UntoldFaults } from '../untold-faults.ts';
import type { Fleet } from './fleet.ts';
import { type Lane, laneId, type LaneInput, laneOf, laneQueues, type ServiceActivities } from './lane.ts';

/** The interval at which lanes are checked, in milliseconds. */
const LOOK_EVERY = 5_000;
/** How long the worker of the lanes may take to end, in milliseconds. It ends in two seconds if Temporal answers. */
const CUT_OFF = 5_000;
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
  /** The module with the codecs of payloads. @default no codec */
  payloadCodec?: string | undefined;
  /** The code of the lane's workflow. */
  workflowBundle: WorkflowBundleOption;
  /** How long the executor of a lane may send no heartbeat to Temporal before it counts as lost, in milliseconds. */
  heartbeat: number;
}

export interface LaneKeeperParts {
  runs: RunRepository;
  fleet: Fleet;
  problems: Problems;
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
 * holder. Temporal alone decides when a lane ends.
 */
export class LaneKeeper {
  readonly #parts: LaneKeeperParts;
  readonly #options: LaneOptions;
  readonly #connections: { client: Connection; worker: NativeConnection };
  readonly #client: Client;
  readonly #worker: Worker;
  readonly #running: Promise<void>;
  readonly #looks: RepeatedCheck;
  readonly #faults: UntoldFaults;
  #gather = GATHER;
  /** The time of the last regular check, which includes what is too expensive for each check. */
  #regularAt = -Infinity;

  private constructor(
    parts: LaneKeeperParts,
    options: LaneOptions,
    connections: { client: Connection; worker: NativeConnection },
    worker: Worker,
    converter: DataConverter,
  ) {
    this.#parts = parts;
    this.#options = options;
    this.#connections = connections;
    this.#client = new Client({
      connection: connections.client,
      namespace: options.namespace,
      dataConverter: converter,
    });
    this.#worker = worker;
    this.#faults = new UntoldFaults(parts.problems);
    this.#running = worker.run().catch(parts.onFault);
    this.#looks = new RepeatedCheck({
      check: () => this.#look(),
      every: LOOK_EVERY,
      gather: () => this.#gather,
    });
  }

  /** @throws ForayError TEMPORAL_UNREACHABLE, TEMPORAL_REFUSED, CODEC_UNUSABLE */
  static async start(parts: LaneKeeperParts, options: LaneOptions): Promise<LaneKeeper> {
    const { connectionOptions, namespace, workflowBundle } = options;
    const unconnected = (error: unknown): never => {
      throw connectError({ temporal: options }, error, 'Start one, or start the service without --temporal.');
    };
    const converter = await dataConverter(options.payloadCodec);
    const client = await connectTemporal(connectionOptions).catch(unconnected);
    const native = await NativeConnection.connect(connectionOptions).catch(unconnected);
    const activities: ServiceActivities = {
      async closeHolder(holder, isLost) {
        await parts.runs.holders.close(holder, { isLost });
        parts.onRequeued();
        return (await parts.runs.countFresh(1)) > 0;
      },
    };
    try {
      await requireNamespace(client, options);
      const worker = await Worker.create({
        connection: native,
        namespace,
        taskQueue: laneQueues(parts.service).lanes,
        workflowBundle,
        dataConverter: converter,
        activities: { ...activities },
        shutdownGraceTime: '2s',
        // a lane has few events, so no cache is needed; with a cache, lanes of a killed service would wait ten seconds
        // for that service
        maxCachedWorkflows: 0,
      });
      return new LaneKeeper(parts, options, { client, worker: native }, worker, converter);
    } catch (error) {
      await Promise.all([client.close(), native.close()]);
      throw translated({ temporal: options }, error);
    }
  }

  /** Call this when runs may wait. Never throws. */
  wake(): void {
    this.#looks.request();
  }

  async close(): Promise<void> {
    // the current check may wait for Temporal
    void this.#looks.close();
    if (this.#worker.getState() === 'RUNNING') this.#worker.shutdown();
    const ended = this.#running.then(() => false);
    const isCutOff = await Promise.race([
      ended,
      untilCutOff(() => this.#worker.getState() !== 'RUNNING', CUT_OFF),
    ]);
    await this.#connections.client.close();
    if (!isCutOff) await this.#connections.worker.close();
  }

  async #look(): Promise<void> {
    const { runs, fleet, problems, onFault } = this.#parts;
    try {
      // the timer of the checks may be a little early
      const isRegular = performance.now() - this.#regularAt > LOOK_EVERY - GATHER;
      if (isRegular) this.#regularAt = performance.now();
      const { able, faulty } = await fleet.executors.present();
      const holders = await runs.holders.openExcept(EMBEDDED);
      const held = new Set(holders.map((holder) => laneOf(holder).workflowId));
      const connected = able.length + faulty.length;
      this.#gather = connected > held.size ? GATHER : GATHER_BUSY;
      // the limit is at least one, because the check must know whether any run waits
      const fresh = await runs.countFresh(connected + 1);
      await this.#noteUnserved(fresh, able, isRegular);
      // a faulty executor claims no runs but keeps its lane, so the others need more lanes
      if (fresh > 0) await this.#openLanes(Math.min(connected - held.size, fresh + faulty.length), held);
      if (isRegular) await this.#closeEnded(holders);
      this.#faults.noteAnswer();
      problems.resolve('QUEUE_STUCK', LANES);
      // without a lane to open, nothing has asked Temporal, and a frozen server would not be noticed
      if (connected > 0) await this.#asked((client) => client.workflowService.getSystemInfo({}));
      problems.resolve('LANES_STUCK', '');
    } catch (error) {
      const isOfTemporal = error instanceof TemporalFault;
      if (!isOfTemporal && !this.#faults.mustTell(error)) return;
      problems.raise({
        code: isOfTemporal ? 'LANES_STUCK' : 'QUEUE_STUCK',
        subject: isOfTemporal ? '' : LANES,
        message:
          'Executors on other machines get no new work at the moment: runs wait for the working executors.',
        detail: `${isOfTemporal ? 'No lane can be started in Temporal' : 'The runs that wait for executors on other machines cannot be read'}; foray tries again: ${messageOf(error)}`,
      });
      if (!isOfTemporal) onFault(error);
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
  async #noteUnserved(fresh: number, able: readonly ListedExecutor[], isRegular: boolean): Promise<void> {
    const { runs, fleet, problems, executesAll } = this.#parts;
    if (fresh === 0) return problems.replace(['RUNS_UNSERVED'], []);
    // this reads all waiting runs, so it is not done at each check
    if (executesAll || !isRegular) return;
    const versions = [...(await runs.waitingVersions())];
    problems.replace(
      ['RUNS_UNSERVED'],
      versions.flatMap((versionId) => fleet.unserved(versionId, able) ?? []),
    );
  }

  /** Opens new lanes. `held` has the ids of the lanes that are held already. */
  async #openLanes(count: number, held: ReadonlySet<string>): Promise<void> {
    const { lanes: taskQueue, executors } = laneQueues(this.#parts.service);
    const input: LaneInput = { executors, heartbeat: this.#options.heartbeat };
    const ids: string[] = [];
    for (let index = 0; ids.length < count; index += 1) {
      const id = laneId(this.#parts.service, index);
      if (!held.has(id)) ids.push(id);
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
   * Closes the holders whose lanes have ended. A lane closes its holder itself, but not if somebody terminated it, or if
   * Temporal lost its data. This is not the fault of a run.
   */
  async #closeEnded(holders: readonly string[]): Promise<void> {
    if (holders.length === 0) return;
    const { runs, onRequeued } = this.#parts;
    const listed = await this.#listedLanes();
    for (const holder of holders) {
      const lane = laneOf(holder);
      // Temporal's list may lack new lanes
      if (listed.has(lane.runId) || (await this.#isOpen(lane))) continue;
      await runs.holders.close(holder, { isLost: false });
      onRequeued();
    }
  }

  /** The run ids of the open lanes in Temporal's list. */
  #listedLanes(): Promise<Set<string>> {
    const { lanes } = laneQueues(this.#parts.service);
    const query = `TaskQueue = '${lanes}' AND ExecutionStatus = 'Running'`;
    return this.#asked(async ({ workflow }) => {
      const listed = new Set<string>();
      for await (const { runId } of workflow.list({ query })) listed.add(runId);
      return listed;
    });
  }

  async #isOpen({ workflowId, runId }: Lane): Promise<boolean> {
    try {
      const { status } = await this.#asked(({ workflow }) =>
        workflow.getHandle(workflowId, runId).describe(),
      );
      return status.name === 'RUNNING';
    } catch (error) {
      if ((error as TemporalFault).cause instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }
}
