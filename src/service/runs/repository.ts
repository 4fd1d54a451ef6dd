import type { DatabaseSync } from 'node:sqlite';
import type { RunLog } from '../../api/extensions.ts';
import { subRunTitle } from './experiments.ts';
import { RunTable } from './run-table.ts';
import {
  type NewRun,
  type OutputTexts,
  readOptional,
  readRow,
  type StoredRun,
  type SubRun,
} from './stored-run.ts';
import type { Tally } from './tally.ts';

type Abandoned = Pick<StoredRun, 'id' | 'seq' | 'status'>;

/** Number of failed runs that keep their log; the oldest logs are deleted first. At 64 KB each, at most 128 MB. */
const MOST_LOGS = 2_000;

/** Ids of runs that must no longer be executed. */
export type Ended = string[];

/**
 * Runs in the database, and experiments, which consist of runs. A change of a run and its effects on the experiments
 * with that run are one transaction. All calls are synchronous.
 */
export class RunRepository {
  readonly #table: RunTable;
  readonly #statements: RunTable['statements'];

  constructor(db: DatabaseSync, now: () => number) {
    this.#table = new RunTable(db, now);
    this.#statements = this.#table.statements;
  }

  /** The counts of ended runs since the service started. */
  get tally(): Readonly<Tally> {
    return this.#table.tally;
  }

  /** The numbers of waiting and executing runs, without experiments. */
  counts(): { fresh: number; running: number } {
    return this.#statements.counts.get() as { fresh: number; running: number };
  }

  /**
   * Adds a FRESH run, or returns the live run with its identity. It is one statement, so of many identical requests one
   * adds the run.
   */
  insert(run: NewRun): StoredRun {
    return this.#table.insert(run, { isDirect: true, tasks: null }) ?? this.#table.newest(run.identity)!;
  }

  /**
   * Adds FRESH runs, or finds live ones, which {@link insertMultiple} then makes parts of an experiment. Until then
   * they belong to nothing, and {@link dropParts} removes them.
   *
   * @returns the `seq` of each
   */
  insertParts(runs: readonly NewRun[]): number[] {
    return this.#table.atomically(() => runs.map((run) => this.#part(run)));
  }

  /**
   * Like {@link insert}, for a run that consists of other runs.
   *
   * @param parts - the result of {@link insertParts} for the sub-runs; one that has failed or was removed since is
   * added again
   */
  insertMultiple(run: NewRun, subRuns: readonly NewRun[], parts: readonly number[]): StoredRun {
    return this.#table.atomically(() => {
      const parent = this.#table.insert(run, { isDirect: true, tasks: parts.length });
      if (!parent) return this.#table.newest(run.identity)!;
      const seqs = [...parts];
      for (const { position } of this.#statements.lostParts.all(JSON.stringify(seqs)))
        seqs[Number(position)] = this.#part(subRuns[Number(position)]!);
      this.#statements.addSubRuns.run(parent.seq, JSON.stringify(seqs));
      const { left, fresh } = this.#statements.progress.get(parent.seq) as { left: number; fresh: number };
      this.#table.setLeft(parent, left);
      if (fresh < seqs.length) this.#table.move(parent, 'RUNNING');
      if (left === 0) this.#table.move({ ...parent, status: 'RUNNING' }, 'COMPLETED');
      return this.#table.byId(parent.id)!;
    });
  }

  /** Removes runs that were added as parts of an experiment which was then not added, if they have not begun. */
  dropParts(parts: readonly number[]): void {
    this.#table.dropParts(parts);
  }

  /** Notes that a run was requested itself, not only as a part of others. */
  want(run: StoredRun): void {
    this.#statements.want.run(run.seq);
  }

  /** Adds an animated run, which a process outside the queue executes. It is RUNNING at once. */
  insertRunning(run: NewRun): StoredRun {
    return this.#table.atomically(() => {
      const added = this.insert(run);
      this.#table.move(added, 'RUNNING');
      return this.#table.byId(added.id)!;
    });
  }

  /** The run that answers for an identity, otherwise its last FAILED or STOPPED run. */
  newest(identity: string): StoredRun | undefined {
    return this.#table.newest(identity);
  }

  byId(id: string): StoredRun | undefined {
    return this.#table.byId(id);
  }

  /**
   * Takes the FRESH run that was requested first, and makes it RUNNING.
   *
   * @param held - ids of versions whose runs are held back
   */
  startNext(held: readonly string[] = []): StoredRun | undefined {
    return this.#table.atomically(() => {
      const run = readOptional(this.#statements.nextFresh.get(JSON.stringify(held)));
      if (!run) return undefined;
      this.#table.move(run, 'RUNNING');
      for (const { parent } of this.#waitingFor(run)) {
        if (parent.status === 'FRESH') this.#table.move(parent, 'RUNNING');
      }
      return { ...run, status: 'RUNNING' };
    });
  }

  complete(id: string, outputs: OutputTexts): void {
    this.#table.atomically(() => {
      const run = this.#table.known(id);
      this.#statements.keep.run(run.seq, JSON.stringify(outputs));
      this.#table.move(run, 'COMPLETED');
      for (const { parent, times } of this.#waitingFor(run)) {
        const left = parent.tasksLeft! - times;
        this.#table.setLeft(parent, left);
        if (left === 0) this.#table.move(parent, 'COMPLETED');
      }
    });
  }

  /**
   * Returns the runs that nobody needs any more, because the experiments with this run have failed.
   *
   * @param log - its printed output, if it was executed
   */
  fail(id: string, reason: string, log?: RunLog): Ended {
    return this.#table.atomically(() => {
      const run = this.#table.known(id);
      this.#table.move(run, 'FAILED', reason);
      if (log) {
        const { lastInsertRowid } = this.#statements.addLog.run(run.seq, JSON.stringify(log));
        this.#statements.dropLogs.run(Number(lastInsertRowid) - MOST_LOGS);
      }
      return this.#failParents(run, `failed: ${reason}`);
    });
  }

  /**
   * Returns the runs that end with it: itself, and runs that nobody needs any more.
   *
   * @param reason - why the service stops it, if nobody requested the stop
   */
  stop(id: string, reason: string | null = null): Ended {
    return this.#table.atomically(() => {
      const run = this.#table.known(id);
      this.#table.move(run, 'STOPPED', reason);
      const others = run.tasks === null ? this.#failParents(run, 'was stopped') : this.#abandon(run);
      return [id, ...others];
    });
  }

  /** Makes a RUNNING run that could not be executed FRESH again, in its old place, as if it had not been started. */
  defer(id: string): void {
    this.#table.atomically(() => {
      const run = this.#table.known(id);
      this.#table.move(run, 'FRESH');
      this.#statements.uncount.run(run.seq);
    });
  }

  /** After a start of the service: stops animated runs, because their sessions are lost. */
  stopAnimated(reason: string): void {
    for (const { id } of this.#statements.animated.all()) this.stop(id as string, reason);
  }

  /** After a start of the service: removes the parts of experiments that were incomplete at its end. */
  dropAllParts(): void {
    this.#statements.dropAllParts.run();
  }

  /**
   * After a start of the service: makes RUNNING runs FRESH again, in their old places, because their executors are
   * gone.
   */
  requeueRunning(): void {
    for (const run of this.running()) this.requeue(run);
  }

  /** The RUNNING runs in the database, without experiments. */
  running(): StoredRun[] {
    return this.#statements.running.all().map((row) => readRow(row));
  }

  /** Makes a RUNNING run without an executor FRESH again, in its old place. */
  requeue(run: StoredRun): void {
    this.#table.move(run, 'FRESH');
    this.#table.tally.repeated += 1;
  }

  /** The outputs of a COMPLETED single run. */
  outputs(run: StoredRun): OutputTexts | undefined {
    const row = this.#statements.outputs.get(run.seq) as { outputs: string } | undefined;
    return row && (JSON.parse(row.outputs) as OutputTexts);
  }

  /** The outputs of the sub-runs of a COMPLETED run, in their order. */
  *outputsOfSubRuns(run: StoredRun): Generator<OutputTexts> {
    for (const row of this.#statements.subOutputs.iterate(run.seq)) {
      yield JSON.parse((row as { outputs: string }).outputs) as OutputTexts;
    }
  }

  /** The log of a FAILED run; for an experiment, that of its first FAILED sub-run. */
  log(run: StoredRun): RunLog | undefined {
    const row = this.#statements.log.get(run.seq, run.seq) as { log: string } | undefined;
    return row && (JSON.parse(row.log) as RunLog);
  }

  /** The sub-runs of a run, in their order. */
  subRuns(run: StoredRun): SubRun[] {
    return this.#statements.subRuns.all(run.seq) as unknown as SubRun[];
  }

  /** Ids of the sub-runs of a run that are RUNNING. */
  runningSubRuns(run: StoredRun): string[] {
    return this.#statements.runningSubRuns.all(run.seq).map(({ id }) => id as string);
  }

  /** The `seq` of the live run with an identity, as a part of an experiment. A FRESH run is added if there is none. */
  #part(run: NewRun): number {
    const part =
      this.#table.insert(run, { isDirect: false, tasks: null }) ?? this.#table.newest(run.identity)!;
    return part.seq;
  }

  /** The unfinished experiments with a run: how often each contains it, and at which position first. */
  #waitingFor(run: StoredRun): { parent: StoredRun; times: number; position: number }[] {
    return this.#statements.parents.all(run.seq).map((row) => ({
      parent: readRow(row),
      times: Number(row['times']),
      position: Number(row['position']),
    }));
  }

  #failParents(run: StoredRun, how: string): Ended {
    const failed = this.#waitingFor(run);
    for (const { parent, position } of failed) {
      this.#table.move(parent, 'FAILED', `${subRunTitle(parent, position, run.inputs)} ${how}`);
    }
    return failed.flatMap(({ parent }) => this.#abandon(parent));
  }

  /** Stops the sub-runs of an ended experiment, except those that something else waits for. */
  #abandon(parent: StoredRun): Ended {
    const unwanted = this.#statements.unwanted.all(parent.seq) as unknown as Abandoned[];
    this.#table.stopAll(unwanted);
    return unwanted.map(({ id }) => id);
  }
}
