import { randomUUID } from 'node:crypto';
import type { Database } from '../database/database.ts';
import type { Presence } from '../database/presence.ts';
import { RepeatedCheck } from '../repeated-check.ts';
import { type ClaimedRun, type Ending, type Feed, HolderClosed } from './feed.ts';
import type { OpenService } from './holders.ts';
import { EMBEDDED } from './unheld-runs.ts';
import type { Progress } from './progress.ts';
import { QueueFeed } from './queue-feed.ts';
import type { RunRepository } from './repository.ts';
import { SharedProgress } from './shared-progress.ts';

/** A replica that is absent at this number of checks in a row is lost. */
const LOST_AFTER_LOOKS = 3;
/** The interval at which a replica checks the other replicas and its own runs, ms. */
const LOOK_EVERY = 1_000;
/** Once in this number of checks, a replica also looks for runs that no message has announced. */
const LOOKS_FOR_RUNS = 5;

export interface ReplicaParts {
  peers: Presence;
  sql: Database;
  runs: RunRepository;
  progress: Progress;
  /** The name of the replica's own folder. */
  folder: string;
  onFault: (error: unknown) => void;
}

/** The executions of a replica. */
export interface ReplicaWork {
  /** The runs that were claimed here and whose end is not written yet. */
  held(): string[];
  /** Ends the execution of a run; resolves when nothing of it is left. */
  stop(runId: string): Promise<void>;
  /** Called when there may be waiting runs. */
  wake(): void;
  /** Called at an interval, while the database answers. */
  look(): Promise<void>;
}

/**
 * The executors of a replica, which is one of several services on one database. A replica is a holder of runs while its
 * connection lasts. When a replica is lost, the other replicas find its holder and close it, and its runs are FRESH
 * again. If the lost replica is alive, it ends its executions and continues as another holder.
 */
export class Replica implements Feed {
  readonly #parts: ReplicaParts;
  readonly #shared: SharedProgress;
  #holder = '';
  #feed: QueueFeed | undefined;
  #work: ReplicaWork | undefined;
  #onEnded: (runIds: readonly string[]) => void = () => {};
  #looking: RepeatedCheck | undefined;
  /** Resolves when the replica has a new holder, after its old one was closed. */
  #rejoining: Promise<void> | undefined;
  #looks = 0;
  /** The number of checks in a row that have found another replica absent, by the id of its holder. */
  #absences: ReadonlyMap<string, number> = new Map();

  private constructor(parts: ReplicaParts) {
    this.#parts = parts;
    this.#shared = new SharedProgress(parts.sql, parts.progress, parts.runs.holders);
  }

  static async join(parts: ReplicaParts): Promise<Replica> {
    const replica = new Replica(parts);
    await replica.#join();
    return replica;
  }

  /** The id of the replica's holder, which may change. */
  get holder(): string {
    return this.#holder;
  }

  /** Whether no other replica is connected. */
  async isAlone(): Promise<boolean> {
    const services = await this.#parts.runs.holders.services(EMBEDDED);
    return this.#othersOf(services).every(({ isConnected }) => !isConnected);
  }

  /** Begins the checks of this replica's runs and of the other replicas. */
  start(work: ReplicaWork): void {
    this.#work = work;
    this.#parts.peers.onNotify(() => work.wake());
    const check = () =>
      this.#look(work).catch((error: unknown) => {
        // the other replicas may have lost the database as well
        this.#absences = new Map();
        this.#parts.onFault(error);
      });
    this.#looking = new RepeatedCheck({ check, every: LOOK_EVERY });
  }

  async claim(most: number, without: readonly string[]): Promise<ClaimedRun[]> {
    try {
      return await this.#feed!.claim(most, without);
    } catch (error) {
      if (!(error instanceof HolderClosed)) throw error;
      await this.#rejoinOnce();
      return this.#feed!.claim(most, without);
    }
  }

  report(endings: readonly Ending[]): Promise<void> {
    return this.#feed!.report(endings);
  }

  progress(runId: string, fraction: number): void {
    this.#parts.progress.note(runId, fraction);
  }

  whenEnded(callback: (runIds: readonly string[]) => void): void {
    this.#onEnded = callback;
  }

  /** Call this with runs that must not be executed any more. */
  end(runIds: readonly string[]): void {
    this.#onEnded(runIds);
  }

  /** Closes the holder. Other replicas take its runs immediately. */
  async release(): Promise<void> {
    await this.#looking?.close();
    await this.#feed!.release();
    await this.#shared.forget(this.#holder);
    this.#parts.peers.notify();
  }

  async #join(): Promise<void> {
    const { peers, runs, progress, folder } = this.#parts;
    const holder = randomUUID();
    // first join, then open: an open holder that has not joined looks absent to the other replicas
    await peers.join(holder, folder);
    await runs.holders.open(holder, EMBEDDED);
    this.#holder = holder;
    this.#feed = new QueueFeed({ holders: runs.holders, progress, holder });
  }

  /** Continues with a new holder, after the old one was closed. */
  #rejoinOnce(): Promise<void> {
    return (this.#rejoining ??= this.#rejoin().finally(() => (this.#rejoining = undefined)));
  }

  async #rejoin(): Promise<void> {
    const held = this.#work?.held() ?? [];
    await Promise.all(held.map((runId) => this.#work!.stop(runId)));
    this.#onEnded(held);
    await this.#join();
  }

  async #look(work: ReplicaWork): Promise<void> {
    const { runs } = this.#parts;
    const holder = this.#holder;
    const services = await runs.holders.services(EMBEDDED);
    await this.#shared.exchange(holder, services);
    const held = work.held();
    if (held.length > 0) {
      const ended = await runs.holders.notHeld(this.#holder, held);
      // `held` was read before the query, so a run that was claimed during the query cannot be in `ended`
      if (ended.length > 0) this.#onEnded(ended);
    }
    // the replica may have got a new holder meanwhile
    if (holder === this.#holder && !services.some(({ id }) => id === holder)) await this.#rejoinOnce();
    await this.#closeLost(services, work);
    this.#looks += 1;
    if (this.#looks % LOOKS_FOR_RUNS > 0) return;
    await work.look();
    work.wake();
  }

  /**
   * Closes the holders of replicas that stay absent. One check is not enough, because all replicas are absent for a
   * moment after a restart of the database.
   */
  async #closeLost(services: readonly OpenService[], work: ReplicaWork): Promise<void> {
    const absent = this.#othersOf(services).filter(({ isConnected }) => !isConnected);
    this.#absences = new Map(absent.map(({ id }) => [id, (this.#absences.get(id) ?? 0) + 1]));
    const lost = [...this.#absences.keys()].filter((id) => this.#absences.get(id)! >= LOST_AFTER_LOOKS);
    for (const id of lost) {
      await this.#parts.runs.holders.close(id, { isLost: true });
      await this.#shared.forget(id);
    }
    if (lost.length > 0) work.wake();
  }

  #othersOf(services: readonly OpenService[]): OpenService[] {
    return services.filter(({ id }) => id !== this.#holder);
  }
}
