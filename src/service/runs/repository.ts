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

type Abandoned = Pick<StoredRun, 'id' | 'seq' | 'status'>;

/** Number of failed runs that keep their log; the oldest logs are deleted first. At 64 KB each, at most 128 MB. */
const MOST_LOGS = 2_000;

/** Ids of runs that are no longer to be executed. */
export type Ended = string[];

/**
 * Runs in the database, and the experiments that consist of them. A change of a run and its effects on the runs that it
 * is part of are one transaction. All calls are synchronous.
 */
export class RunRepository {
  readonly #table: RunTable;
  readonly #statements: RunTable['statements'];

  constructor(db: DatabaseSync, now: () => number) {
    this.#table = new RunTable(db, now);
    this.#statements = this.#table.statements;
  }

  /** Adds a FRESH run, or returns the live one that has its identity: one statement, so one of many wins. */
  insert(run: NewRun): StoredRun {
    return this.#table.insert(run, { isDirect: true, tasks: null }) ?? this.#table.newest(run.identity)!;
  }

  /**
   * Adds runs that {@link insertMultiple} will make parts of an experiment, FRESH, or finds those that are live. Until then
   * they belong to nothing, and {@link dropParts} removes them.
   *
   * @returns the `seq` of each
   */
  insertParts(runs: readonly NewRun[]): number[] {
    return this.#table.atomically(() => runs.map((run) => this.#part(run)));
  }

  /**
   * As {@link insert}, a run that consists of others.
   *
   * @param parts - what {@link insertParts} returned for the sub-runs; one that has ended badly or is gone since is added anew
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

  /** Removes those of the runs that were added as parts of an experiment that then was not, and have not begun. */
  dropParts(parts: readonly number[]): void {
    this.#table.dropParts(parts);
  }

  /** Notes that a run is asked for by itself, not only as a part of others. */
  want(run: StoredRun): void {
    this.#statements.want.run(run.seq);
  }

  /** Adds a run that an executor has already, outside the queue: an animated one. It is RUNNING at once. */
  insertRunning(run: NewRun): StoredRun {
    return this.#table.atomically(() => {
      const added = this.insert(run);
      this.#table.move(added, 'RUNNING');
      return this.#table.byId(added.id)!;
    });
  }

  /** The run that answers for an identity, else the last one that FAILED or was STOPPED. */
  newest(identity: string): StoredRun | undefined {
    return this.#table.newest(identity);
  }

  byId(id: string): StoredRun | undefined {
    return this.#table.byId(id);
  }

  /**
   * Takes the run that was requested first of those that are FRESH; it is RUNNING then.
   *
   * @param held - ids of versions whose runs are not taken
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
   * Returns the runs that nobody wants any more now that those that waited for this one have failed with it.
   *
   * @param log - what it printed, if it was executed
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
   * Returns the runs that end with it: itself, and what nobody wants any more.
   *
   * @param reason - why the service stops it, when nobody asked for that
   */
  stop(id: string, reason: string | null = null): Ended {
    return this.#table.atomically(() => {
      const run = this.#table.known(id);
      this.#table.move(run, 'STOPPED', reason);
      const others = run.tasks === null ? this.#failParents(run, 'was stopped') : this.#abandon(run);
      return [id, ...others];
    });
  }

  /** A RUNNING run that could not be executed is FRESH again in its old place, as if it had not been started. */
  defer(id: string): void {
    this.#table.atomically(() => {
      const run = this.#table.known(id);
      this.#table.move(run, 'FRESH');
      this.#statements.uncount.run(run.seq);
    });
  }

  /** After a start of the service: animated runs have lost their session, and nobody can look at them again. */
  stopAnimated(reason: string): void {
    for (const { id } of this.#statements.animated.all()) this.stop(id as string, reason);
  }

  /** After a start of the service: experiments that were not whole when it ended have left parts, which nobody has asked for. */
  dropAllParts(): void {
    this.#statements.dropAllParts.run();
  }

  /** After a start of the service: what was RUNNING has no executor, and is FRESH again in its old place. */
  requeueRunning(): void {
    for (const run of this.running()) this.requeue(run);
  }

  /** The runs in the database that are RUNNING and execute themselves. */
  running(): StoredRun[] {
    return this.#statements.running.all().map((row) => readRow(row));
  }

  /** A RUNNING run that has lost its executor is FRESH again in its old place. */
  requeue(run: StoredRun): void {
    this.#table.move(run, 'FRESH');
  }

  /** The outputs of a COMPLETED run that executed itself. */
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

  /** What a run that FAILED printed; of one that consists of others, the first of these that FAILED. */
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

  /** The `seq` of the live run of an identity as a part of others; added FRESH if there is none. */
  #part(run: NewRun): number {
    const part =
      this.#table.insert(run, { isDirect: false, tasks: null }) ?? this.#table.newest(run.identity)!;
    return part.seq;
  }

  /** The unfinished runs that a run is part of, with how many times over and where first. */
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

  /** Stops the sub-runs of a run that has ended, but for those that something else waits for. */
  #abandon(parent: StoredRun): Ended {
    const unwanted = this.#statements.unwanted.all(parent.seq) as unknown as Abandoned[];
    this.#table.stopAll(unwanted);
    return unwanted.map(({ id }) => id);
  }
}
