import { type Client, Connection, Client as TemporalClient, WorkflowNotFoundError } from '@temporalio/client';
import { NativeConnection, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { ForayError, messageOf } from '../../errors.ts';
import type { Problems } from '../problems.ts';
import { EMBEDDED } from '../runs/lost-runs.ts';
import type { RunRepository } from '../runs/repository.ts';
import type { Fleet } from './fleet.ts';
import { laneId, type LaneInput, laneOf, laneQueues, type ServiceActivities } from './lane.ts';

/** How often lanes are looked at while runs wait, in milliseconds. */
const LOOK_EVERY = 5_000;
/** Runs that are requested together need one look, this long after the first, in milliseconds. */
const GATHER = 50;

/** How the service reaches Temporal, and what its lanes are. */
export interface LaneOptions {
  /** Options of a connection, as in Temporal's SDK. */
  connectionOptions: { address?: string | undefined };
  namespace: string;
  /** The code of the lane's workflow. */
  workflowBundle: WorkflowBundleOption;
  /** How long an executor may be silent before it is lost, in milliseconds. */
  heartbeat: number;
}

export interface LaneKeeperParts {
  runs: RunRepository;
  fleet: Fleet;
  problems: Problems;
  /** The UUID of the service. */
  service: string;
  /** Called after runs became FRESH. */
  onRequeued: () => void;
  onFault: (error: unknown) => void;
}

/**
 * Keeps lanes open while runs wait: one for each executor that is there, or each run if they are fewer. It hosts their
 * workflow, which closes their holders. A holder that is silent is closed when its lane is not open.
 */
export class LaneKeeper {
  readonly #parts: LaneKeeperParts;
  readonly #options: LaneOptions;
  readonly #connections: { client: Connection; worker: NativeConnection };
  readonly #client: Client;
  readonly #worker: Worker;
  readonly #running: Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #soon: NodeJS.Timeout | undefined;
  #isLooking = false;

  private constructor(
    parts: LaneKeeperParts,
    options: LaneOptions,
    connections: { client: Connection; worker: NativeConnection },
    worker: Worker,
  ) {
    this.#parts = parts;
    this.#options = options;
    this.#connections = connections;
    this.#client = new TemporalClient({ connection: connections.client, namespace: options.namespace });
    this.#worker = worker;
    this.#running = worker.run().catch(parts.onFault);
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY).unref();
  }

  /** @throws ForayError TEMPORAL_UNREACHABLE */
  static async start(parts: LaneKeeperParts, options: LaneOptions): Promise<LaneKeeper> {
    const { connectionOptions, namespace, workflowBundle } = options;
    const unreachable = (): never => {
      throw new ForayError(
        'TEMPORAL_UNREACHABLE',
        `The Temporal server at ${connectionOptions.address ?? 'localhost:7233'} cannot be reached.`,
        { hint: 'Start one, or start the service without --temporal.' },
      );
    };
    const client = await Connection.connect(connectionOptions).catch(unreachable);
    const native = await NativeConnection.connect(connectionOptions).catch(unreachable);
    const activities: ServiceActivities = {
      async closeHolder(holder, isLost) {
        await parts.runs.holders.close(holder, { isLost });
        parts.fleet.forget(holder);
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
    });
    return new LaneKeeper(parts, options, { client, worker: native }, worker);
  }

  /** Call this when runs may wait. Never throws. */
  wake(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      void this.#look();
    }, GATHER);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    if (this.#worker.getState() === 'RUNNING') this.#worker.shutdown();
    await this.#running;
    await this.#connections.client.close();
    await this.#connections.worker.close();
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { runs, fleet, problems, onFault } = this.#parts;
    try {
      await this.#closeLost();
      const { fresh } = await runs.counts();
      if (fresh > 0) {
        const { able, faulty } = await fleet.executors.counts();
        // an executor that claims nothing keeps the lane that it took from others
        const lanes = Math.min(fresh, able) + faulty;
        for (let index = 0; index < lanes; index += 1) await this.#open(index);
      }
      problems.resolve('LANES_STUCK', '');
    } catch (error) {
      problems.raise({
        code: 'LANES_STUCK',
        subject: '',
        message: 'Executors on other machines cannot be given work just now: runs wait for those that work.',
        detail: `No lane can be started in Temporal, which is tried again: ${messageOf(error)}`,
      });
      onFault(error);
    } finally {
      this.#isLooking = false;
    }
  }

  /** Opens a lane, if it is not open. */
  async #open(index: number): Promise<void> {
    const { lanes, executors } = laneQueues(this.#parts.service);
    const input: LaneInput = { executors, heartbeat: this.#options.heartbeat };
    await this.#client.workflow.start('lane', {
      workflowId: laneId(this.#parts.service, index),
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      taskQueue: lanes,
      args: [input],
    });
  }

  /** Closes holders that are silent while their lanes are not open: a terminated workflow does not close its own. */
  async #closeLost(): Promise<void> {
    const { runs, fleet, onRequeued } = this.#parts;
    for (const holder of await runs.holders.openExcept(EMBEDDED)) {
      if (fleet.silenceOf(holder) < this.#options.heartbeat + LOOK_EVERY) continue;
      if (await this.#isOpen(holder)) continue;
      await runs.holders.close(holder, { isLost: true });
      fleet.forget(holder);
      onRequeued();
    }
  }

  async #isOpen(holder: string): Promise<boolean> {
    const lane = laneOf(holder);
    if (!lane) return false;
    try {
      const { status } = await this.#client.workflow.getHandle(lane.workflowId, lane.runId).describe();
      return status.name === 'RUNNING';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }
}
