import { type Kysely, sql } from 'kysely';
import type { Verdict, VerdictCounts } from '../../campaign/precise-points.ts';
import { batches } from '../../batched.ts';
import { lock } from '../rows.ts';
import type { Tables } from '../tables.ts';

/** The maximum number of points per update. */
const POINTS_AN_UPDATE = 1_000;

/** Stores the verdicts on the precision of points. */
export async function setVerdicts(
  db: Kysely<Tables>,
  campaign: number,
  verdicts: readonly ({ ordinal: number } & Verdict)[],
): Promise<void> {
  for (const batch of batches(verdicts, POINTS_AN_UPDATE)) {
    const rows = batch.map(
      ({ ordinal, state, expected }) =>
        sql`(cast(${ordinal} as integer), cast(${state} as text), cast(${expected} as integer))`,
    );
    await db.transaction().execute(async (transaction) => {
      await lock(transaction, campaign);
      await sql`
        update points set verdict = v.column2, expected = v.column3
        from (values ${sql.join(rows)}) as v
        where points.campaign = ${campaign} and points.ordinal = v.column1`.execute(transaction);
    });
  }
}

/** Deletes all verdicts on precision, because a change of the campaign may have changed the criterion. */
export async function forgetVerdicts(db: Kysely<Tables>, campaign: number): Promise<void> {
  await db
    .updateTable('points')
    .set({ verdict: null, expected: null })
    .where('campaign', '=', campaign)
    .where('verdict', 'is not', null)
    .execute();
}

/** Counts the points of the current design by their verdict. */
export async function countVerdicts(db: Kysely<Tables>, campaign: number): Promise<VerdictCounts> {
  const rows = await db
    .selectFrom('points')
    .innerJoin('campaigns', 'campaigns.number', 'points.campaign')
    .select((point) => [
      'points.verdict',
      point.fn.countAll<number | string>().as('count'),
      point.fn.sum<number | string>('points.draws').as('draws'),
      point.fn.sum<number | string | null>('points.expected').as('expected'),
    ])
    .where('points.campaign', '=', campaign)
    .whereRef('points.revision', '=', 'campaigns.revision')
    .groupBy('points.verdict')
    .execute();
  const counts: VerdictCounts = {
    open: 0,
    precise: 0,
    imprecise: 0,
    unjudged: 0,
    expected: 0,
    repeats: 0,
    unjudgedRepeats: 0,
  };
  for (const { verdict, count, draws, expected } of rows) {
    counts[verdict ?? 'unjudged'] = Number(count);
    counts.repeats += Number(draws) - Number(count);
    if (verdict === null) counts.unjudgedRepeats = Number(draws) - Number(count);
    counts.expected += Number(expected ?? 0);
  }
  return counts;
}
