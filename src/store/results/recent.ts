import type { Kysely } from 'kysely';
import { runsOfSeqs } from './read.ts';
import type { ResultCursor, ResultRow } from '../types.ts';
import { finishedStates, openStates, type Tables } from '../tables.ts';

/**
 * The maximum number of runs that a look (a call of `recentResults`) returns. For each finished state, a look also
 * reads at most this many runs with a higher seq than all runs that had finished by the last look.
 */
const ROWS_A_LOOK = 300;
/** A look ends earlier if the outputs of its runs reach this many characters. */
const CHARACTERS_A_LOOK = 32_000_000;
/** The maximum number of runs that a look reads for each open state. A campaign has at most 32,000 open runs. */
const OPEN_A_LOOK = 34_000;
/** The maximum number of runs that a look reads among the runs that wait to be requested again. */
const WAITING_A_LOOK = 2_000;
/** The maximum number of runs that one query looks up. SQLite allows 32,766 parameters. */
const RUNS_A_QUERY = 10_000;

/**
 * Runs that have finished since the last look, newest first, at most a few hundred. A look is quick in a campaign of
 * any size. A run that failed and was requested again appears again when it finishes. When thousands of runs wait to
 * be requested again, a look may miss a run that was requested and finished between two looks. The first look reads
 * only the finished runs with the highest seqs.
 *
 * Only the times of runs show in which order they finished, and an index on times would make every write of a run
 * slower. So a look reads three groups: runs that were open at the last look, runs that had failed, and runs with a
 * higher seq than all runs that had finished. A waiting run with a lower seq usually waits for another request. Runs
 * are requested in the order of seq, so the cursor holds only the first of these waiting runs.
 */
export async function recentResults(
  db: Kysely<Tables>,
  campaign: number,
  since: ResultCursor = { open: [], failed: [], last: -1 },
): Promise<{ rows: ResultRow[]; look: ResultCursor }> {
  // the open runs are read first: if one of them finishes from here on, the next look finds it in the cursor
  const open = await seqsIn(db, campaign, openStates, -1, OPEN_A_LOOK);
  const waiting = await waitingBefore(db, campaign, since.last);
  const beyond = await seqsIn(db, campaign, finishedStates, since.last, ROWS_A_LOOK);
  const failedAt = new Map(since.failed.map(({ seq, finishedAt }) => [seq, finishedAt]));
  const known = await timesOf(db, campaign, [...new Set([...since.open, ...beyond, ...failedAt.keys()])]);
  // a run that had failed by the last look, and has the same time, is not new
  const finished = known.filter(
    ({ seq, state, finished_at }) =>
      (finishedStates as readonly string[]).includes(state) && failedAt.get(seq) !== finished_at,
  );
  const newest = finished
    .toSorted((a, b) => Number(b.finished_at) - Number(a.finished_at) || b.seq - a.seq)
    .slice(0, ROWS_A_LOOK);
  const isFinished = new Set(finished.map(({ seq }) => seq));
  const again = known.flatMap(({ seq, state }) => (state === 'waiting' ? [seq] : []));
  const last = finished.reduce((most, { seq }) => Math.max(most, seq), since.last);
  const { rows, left } = await runsOfSeqs(
    db,
    campaign,
    newest.map(({ seq }) => seq),
    CHARACTERS_A_LOOK,
  );
  // the next look returns the runs that are left because outputs are long. No look returns older runs beyond ROWS_A_LOOK
  const isLeft = new Set(left);
  const isSettled = (seq: number): boolean => isFinished.has(seq) && !isLeft.has(seq);
  return {
    rows: rows.map(({ row }) => row),
    look: {
      open: [...new Set([...open, ...waiting, ...again, ...left])]
        .filter((seq) => !isSettled(seq))
        .slice(0, OPEN_A_LOOK + WAITING_A_LOOK),
      failed: known
        .flatMap(({ seq, state, finished_at: finishedAt }) =>
          state === 'failed' && !isLeft.has(seq) ? [{ seq, finishedAt }] : [],
        )
        .toSorted((a, b) => Number(b.finishedAt) - Number(a.finishedAt))
        .slice(0, ROWS_A_LOOK),
      last,
    },
  };
}

/**
 * Finds the highest seqs above `after` of runs in the given states, at most `limit` per state, with one index scan per
 * state.
 */
async function seqsIn(
  db: Kysely<Tables>,
  campaign: number,
  states: readonly (typeof openStates | typeof finishedStates)[number][],
  after: number,
  limit: number,
): Promise<number[]> {
  const found: number[] = [];
  for (const state of states) {
    const rows = await db
      .selectFrom('runs')
      .select('seq')
      .where('state', '=', state)
      .where('campaign', '=', campaign)
      .where('seq', '>', after)
      .orderBy('seq', 'desc')
      .limit(limit)
      .execute();
    found.push(...rows.map(({ seq }) => seq));
  }
  return found;
}

/** Finds the first waiting runs before a seq. */
async function waitingBefore(db: Kysely<Tables>, campaign: number, before: number): Promise<number[]> {
  const rows = await db
    .selectFrom('runs')
    .select('seq')
    .where('state', '=', 'waiting')
    .where('campaign', '=', campaign)
    .where('seq', '<', before)
    .orderBy('seq')
    .limit(WAITING_A_LOOK)
    .execute();
  return rows.map(({ seq }) => seq);
}

/**
 * Reads the states and times of runs. It looks them up by seq alone: with a condition on the state, SQLite would pick
 * the state index and read every finished run.
 */
async function timesOf(db: Kysely<Tables>, campaign: number, seqs: readonly number[]) {
  const times = [];
  for (let from = 0; from < seqs.length; from += RUNS_A_QUERY) {
    const rows = await db
      .selectFrom('runs')
      .select(['seq', 'state', 'finished_at'])
      .where('campaign', '=', campaign)
      .where('seq', 'in', seqs.slice(from, from + RUNS_A_QUERY))
      .execute();
    times.push(...rows);
  }
  return times;
}
