import { setImmediate as breath } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { OutputColumns } from './packed.ts';
import { BEGINNING, otherPoints, outputsOf, type Place, restOfPoint, Result } from './results.ts';
import type { ResultRow } from './store.ts';
import type { Tables } from './tables.ts';

/** Runs that are read at once, so that a million of them never lie in memory together. */
const ROWS_A_PAGE = 2_000;
/** Rows that are made of them at once, and bytes of large outputs that are unpacked for these, but for the last of them. */
const ROWS_A_BATCH = 100;
const PACKED_A_BATCH = 1_000_000;

/** Finished runs of a campaign in design order, some at a time. */
export async function* resultBatches(
  db: Kysely<Tables>,
  campaign: number,
): AsyncGenerator<ResultRow[], void, void> {
  let place: Place = BEGINNING;
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
