import type { Kysely } from 'kysely';
import { runsOfSeqs } from './results.ts';
import type { Look, ResultRow } from './store.ts';
import { finishedStates, openStates, type Tables } from './tables.ts';

/** Runs that a look returns, and of each state that it reads beyond the last one. */
const ROWS_A_LOOK = 300;
/** Open runs that are remembered, and runs that wait to be requested again; a campaign has 2,000 open ones at most. */
const OPEN_A_LOOK = 4_000;
const WAITING_A_LOOK = 2_000;

/**
 * Runs that have finished since a look, newest first. Nothing says in which order runs finish but their times, by which
 * there is no index, as every run would pay for it. So what was open and is not any more is looked up, and what has come
 * after the last one in the order of work. What waits before that one failed before, and may be requested and finish between
 * two looks: in the order of work, too, so that the first of them are enough.
 */
export async function finishedLately(
  db: Kysely<Tables>,
  campaign: number,
  since: Look = { open: [], failed: [], last: -1 },
): Promise<{ rows: ResultRow[]; look: Look }> {
  // first, so that what finishes meanwhile is found among these the next time
  const open = await seqsIn(db, campaign, openStates, -1, OPEN_A_LOOK);
  const again = await waitingBefore(db, campaign, since.last);
  const beyond = await seqsIn(db, campaign, finishedStates, since.last, ROWS_A_LOOK);
  const before = new Map(since.failed.map(({ seq, finishedAt }) => [seq, finishedAt]));
  const known = await timesOf(db, campaign, [...new Set([...since.open, ...beyond, ...before.keys()])]);
  const finished = known.filter(
    ({ seq, state, finished_at }) =>
      (state === 'done' || state === 'failed') && before.get(seq) !== finished_at,
  );
  const newest = finished
    .toSorted((a, b) => Number(b.finished_at) - Number(a.finished_at) || b.seq - a.seq)
    .slice(0, ROWS_A_LOOK);
  const isFinished = new Set(finished.map(({ seq }) => seq));
  const waitAgain = known.flatMap(({ seq, state }) => (state === 'waiting' ? [seq] : []));
  const last = finished.reduce((most, { seq }) => Math.max(most, seq), since.last);
  return {
    rows: await rowsOf(
      db,
      campaign,
      newest.map(({ seq }) => seq),
    ),
    look: {
      open: [...new Set([...open, ...again, ...waitAgain])]
        .filter((seq) => !isFinished.has(seq))
        .slice(0, OPEN_A_LOOK + WAITING_A_LOOK),
      failed: known
        .flatMap(({ seq, state, finished_at: finishedAt }) =>
          state === 'failed' ? [{ seq, finishedAt }] : [],
        )
        .toSorted((a, b) => Number(b.finishedAt) - Number(a.finishedAt))
        .slice(0, ROWS_A_LOOK),
      last,
    },
  };
}

/** The greatest seqs of runs in some states that are greater than one, a walk along an index for each state. */
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

/** The first runs that wait and are before a seq. */
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

/** By seq alone: asked for the state as well, SQLite would read all that has finished by the index of states. */
async function timesOf(db: Kysely<Tables>, campaign: number, seqs: readonly number[]) {
  if (seqs.length === 0) return [];
  return db
    .selectFrom('runs')
    .select(['seq', 'state', 'finished_at'])
    .where('campaign', '=', campaign)
    .where('seq', 'in', seqs)
    .execute();
}

/** In the order of the seqs. */
async function rowsOf(db: Kysely<Tables>, campaign: number, seqs: readonly number[]): Promise<ResultRow[]> {
  if (seqs.length === 0) return [];
  const runs = await runsOfSeqs(db, campaign, seqs);
  const bySeq = new Map(runs.map(({ seq, row }) => [seq, row]));
  return seqs.flatMap((seq) => bySeq.get(seq) ?? []);
}
