import { setImmediate as breath } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { assertThere } from './deleted.ts';
import type { OutputColumns } from './packed.ts';
import { BEGINNING, otherPoints, outputsOf, restOfPoint, Result } from './results.ts';
import type { ResultPlace, ResultRow, ResultStore } from './store.ts';
import type { Tables } from './tables.ts';

/** The maximum number of runs that one query reads, so that memory never holds a million runs. */
const ROWS_A_PAGE = 2_000;
/** A batch ends after this many rows. */
const ROWS_A_BATCH = 100;
/** A batch ends earlier if its compressed large outputs reach this many bytes. */
const PACKED_A_BATCH = 1_000_000;

/** Yields the finished runs of a campaign in design order, in batches. */
export async function* resultBatches(
  db: Kysely<Tables>,
  campaign: number,
): AsyncGenerator<ResultRow[], void, void> {
  let place: ResultPlace = BEGINNING;
  let before: ResultRow | undefined;
  for (;;) {
    const rest = await restOfPoint(db, campaign, place).limit(ROWS_A_PAGE).execute();
    const others = await otherPoints(db, campaign, place)
      .limit(ROWS_A_PAGE - rest.length)
      .execute();
    const runs = [...rest, ...others];
    const outputs = await outputsBySeq(
      db,
      campaign,
      runs.filter(({ state }) => state === 'done').map(({ seq }) => seq),
    );
    await assertThere(db, campaign);
    let batch: ResultRow[] = [];
    let packed = 0;
    for (const run of runs) {
      const columns = outputs.get(run.seq);
      before = new Result(run, columns, before?.point === run.key ? before.values : undefined);
      batch.push(before);
      packed += columns?.packed?.length ?? 0;
      if (batch.length < ROWS_A_BATCH && packed < PACKED_A_BATCH) continue;
      yield batch;
      batch = [];
      packed = 0;
    }
    if (batch.length > 0) yield batch;
    if (runs.length < ROWS_A_PAGE) return;
    place = runs.at(-1)!;
    await breath();
  }
}

/** Reads a page of finished runs of a campaign in design order. */
export async function resultPage(
  db: Kysely<Tables>,
  campaign: number,
  { limit, after = BEGINNING, status }: Parameters<ResultStore['resultPage']>[1],
): ReturnType<ResultStore['resultPage']> {
  const page = (query: ReturnType<typeof restOfPoint>, most: number) =>
    (status === undefined ? query : query.where('runs.state', '=', status)).limit(most).execute();
  const rest = await page(restOfPoint(db, campaign, after), limit + 1);
  const others = await page(otherPoints(db, campaign, after), limit + 1 - rest.length);
  const runs = [...rest, ...others];
  const shown = runs.slice(0, limit);
  const outputs = await outputsBySeq(
    db,
    campaign,
    shown.map(({ seq }) => seq),
  );
  await assertThere(db, campaign);
  const { position, ordinal, replication } = shown.at(-1) ?? BEGINNING;
  return {
    rows: shown.map((run) => new Result(run, outputs.get(run.seq))),
    next: runs.length > limit ? { position, ordinal, replication } : null,
  };
}

async function outputsBySeq(
  db: Kysely<Tables>,
  campaign: number,
  seqs: readonly number[],
): Promise<Map<number, OutputColumns>> {
  const outputs = new Map<number, OutputColumns>();
  if (seqs.length === 0) return outputs;
  for (const row of await outputsOf(db, campaign, seqs).execute()) outputs.set(row.seq, row);
  return outputs;
}
