import { setImmediate as breath, setTimeout as delay } from 'node:timers/promises';
import { Batched, batches } from '../batched.ts';
import { type Campaign, closedPhases } from '../campaign/types.ts';
import { ForayError } from '../errors.ts';
import {
  campaignDeleted,
  type CampaignRecord,
  type FinishedRow,
  type ResultRow,
  type Store,
} from '../store/index.ts';
import { ReportedRuns } from './reported-runs.ts';

/** Maximum number of runs that one SQL statement looks up. */
const AT_ONCE = 500;
/**
 * Some runs before the last reported run may not have been reported yet. A pass looks up at most this many of them, and
 * the next pass continues with the others.
 */
const MISSING_PER_PASS = 10_000;
/** Maximum number of reported failures that a pass looks up again. A retry may have requested these runs again. */
const FAILURES_PER_PASS = 2_000;
/** The number of passes without newly finished runs between two questions to Temporal. */
const ASK_EVERY = 5;

/** Does the same as {@link followRuns}, but yields only the rows. */
export function followResults(...args: Parameters<typeof followRuns>): Batched<ResultRow> {
  return new Batched(followRuns(...args)).map(({ row }) => row);
}

/**
 * Yields the finished runs of a campaign in batches until the campaign is over. Runs that have finished already come
 * first. A failed run that is retried comes again when it finishes again. Except for `isGone`, this function reads only
 * the store.
 *
 * @param campaign - the campaign as it was when the caller began to follow it
 * @param isGone - says whether the campaign has no running workflow; called from time to time while no run finishes
 * @param signal - ends the rows without an error. While the generator waits, its reader can end it only by this signal
 * @throws ForayError CAMPAIGN_CHANGED when the campaign gets other inputs or outputs; UNKNOWN_CAMPAIGN when it is deleted
 */
export async function* followRuns(
  store: Store,
  campaign: Pick<Campaign, 'id' | 'varied' | 'outputs' | 'versions' | 'repeats'>,
  everyMs: number,
  isGone: () => Promise<boolean>,
  signal?: AbortSignal,
): AsyncGenerator<FinishedRow[], void, void> {
  const reported = new ReportedRuns();
  let createdAt: number | undefined;
  const read = async (): Promise<CampaignRecord> => {
    const record = await store.getCampaign(campaign.id);
    createdAt ??= record?.createdAt;
    // another campaign may have the id of a deleted campaign
    if (!record || record.createdAt !== createdAt) throw campaignDeleted(campaign.id);
    return record;
  };
  let quietPasses = 0;
  let isOver = false;
  while (!signal?.aborted) {
    // the phase is read before the rows: a campaign that is over by then has all of its rows
    const { phase, campaign: now } = await read();
    if (columnsOf(now) !== columnsOf(campaign)) {
      throw new ForayError('CAMPAIGN_CHANGED', `The columns of the campaign "${campaign.id}" have changed.`, {
        hint: 'Start again. You then get all results again, with the new columns.',
      });
    }
    isOver ||= closedPhases.includes(phase);
    quietPasses += 1;
    for await (const seqs of candidates(store, campaign.id, reported, isOver)) {
      let toLookUp = seqs;
      while (toLookUp.length > 0) {
        const { rows, left } = await store.finishedAmong(campaign.id, toLookUp);
        const notLookedUp = new Set(left);
        const news = reported.add(
          rows,
          toLookUp.filter((seq) => !notLookedUp.has(seq)),
        );
        toLookUp = left;
        if (news.length > 0) {
          quietPasses = 0;
          yield news;
        }
        await breath();
        if (signal?.aborted) return;
      }
    }
    if (isOver) {
      // rejects if the campaign was deleted meanwhile, because some rows may be missing then
      await read();
      return;
    }
    // the first quiet pass does not ask, because the workflow of a new campaign may be about to start
    isOver = quietPasses % ASK_EVERY === 2 && (await isGone());
    // the next pass sees the signal
    if (!isOver) await delay(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Yields the seqs (the numbers within the campaign) of runs that may have finished, in batches. First come the reported
 * failures, because a retry may have requested them again. Then come the unreported runs before the last reported run,
 * and last the finished runs after that run.
 */
async function* candidates(
  store: Store,
  id: string,
  reported: ReportedRuns,
  isLast: boolean,
): AsyncGenerator<number[], void, void> {
  yield* batches(reported.failures(isLast ? Infinity : FAILURES_PER_PASS), AT_ONCE);
  yield* batches(isLast ? reported.allMissing() : reported.missing(MISSING_PER_PASS), AT_ONCE);
  for await (const seqs of store.finishedSeqs(id, reported.end)) yield* batches(seqs, AT_ONCE);
}

function columnsOf({
  varied,
  outputs,
  versions,
  repeats,
}: Pick<Campaign, 'varied' | 'outputs' | 'versions' | 'repeats'>): string {
  return JSON.stringify([varied, outputs, versions !== undefined, repeats !== undefined]);
}
